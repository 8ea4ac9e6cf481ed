/* The user's columns as functions in OpenCL C see them. */
#include "core/user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* As a member of a struct, and in an array on a device. */
static const char *member_type(const oct_column_spec *spec)
{
    bool vector = spec->width == 3;
    return spec->type == OCT_COLUMN_LONG ? (vector ? "long3" : "long") : vector ? "real3" : "real";
}

static const char *array_type(const oct_column_spec *spec)
{
    bool vector = spec->width == 3;
    return spec->type == OCT_COLUMN_LONG ? (vector ? "long4" : "long") : vector ? "real4" : "real";
}

/* The next of the user's columns from *at on; NULL where there is none. */
static const oct_held_column *next_column(const oct_domain *domain, uint32_t *at)
{
    while (*at < domain->n_columns && !(domain->columns[*at].spec.flags & OCT_COLUMN_USER))
        ++*at;
    return *at < domain->n_columns ? &domain->columns[(*at)++] : NULL;
}

oct_status oct_user_columns(char **out, oct_domain *domain)
{
    oct_text text = {0}, arguments = {0}, values = {0};
    const oct_held_column *held;
    const char *between = "";
    oct_text_add(&text, "typedef struct {\n");
    for (uint32_t at = 0; (held = next_column(domain, &at)); between = ", ") {
        const char *name = held->spec.data_set;
        oct_text_add(&text, "    %s %s;\n", member_type(&held->spec), name);
        oct_text_add(&arguments, ", global const %s *column_%s", array_type(&held->spec), name);
        oct_text_add(&values, "%scolumn_%s[i]%s", between, name,
                     held->spec.width == 3 ? ".xyz" : "");
    }
    oct_text_add(&text,
                 "%s} octant_columns;\n"
                 "#define COLUMN_ARGUMENTS%s\n"
                 "#define TAKES_COLUMNS , octant_columns columns\n"
                 "#define WITH_COLUMNS , columns\n"
                 "#define LOAD_COLUMNS(i) , (octant_columns){%s}\n",
                 *between ? "" : "    char nothing;\n", arguments.data ? arguments.data : "",
                 values.data ? values.data : "0");
    bool failed = arguments.failed || values.failed;
    oct_text_clear(&arguments);
    oct_text_clear(&values);
    OCT_TRY(oct_text_take(out, &text));
    OCT_CHECK(!failed, OCT_STATUS_MEMORY, "no memory for the scene's columns");
    return OCT_STATUS_OK;
}

oct_status oct_user_bind(oct_kernel *kernel, oct_domain *domain, const oct_binding *own, size_t n)
{
    char names[OCT_USER_COLUMNS][OCT_COLUMN_NAME + sizeof "column_"];
    oct_binding *all;
    const oct_held_column *held;
    size_t columns = 0;
    OCT_TRY(oct_alloc(&all, n + OCT_USER_COLUMNS, sizeof *all, "arguments"));
    memcpy(all, own, n * sizeof *own);
    for (uint32_t at = 0; (held = next_column(domain, &at)); columns++) {
        snprintf(names[columns], sizeof names[columns], "column_%s", held->spec.data_set);
        all[n + columns] = OCT_BIND_IN(names[columns], &held->buffer);
    }
    oct_status status = oct_kernel_bind(kernel, all, n + columns);
    free(all);
    return status;
}
