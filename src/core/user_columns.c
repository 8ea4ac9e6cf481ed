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

enum { MERGED = OCT_COLUMN_SUMMED | OCT_COLUMN_AVERAGED };

/* The next column with one of these flags from *at on; NULL where there is none. */
static const oct_held_column *next_column(const oct_domain *domain, uint32_t *at, unsigned with)
{
    while (*at < domain->n_columns && !(domain->columns[*at].spec.flags & with))
        ++*at;
    return *at < domain->n_columns ? &domain->columns[(*at)++] : NULL;
}

oct_status oct_user_columns(char **out, oct_domain *domain)
{
    oct_text text = {0}, arguments = {0}, values = {0};
    const oct_held_column *held;
    const char *between = "";
    oct_text_add(&text, "typedef struct {\n");
    for (uint32_t at = 0; (held = next_column(domain, &at, OCT_COLUMN_USER)); between = ", ") {
        const char *name = held->spec.data_set;
        oct_text_add(&text, "    %s %s;\n", member_type(&held->spec), name);
        oct_text_add(&arguments, ", global const %s *column_%s", array_type(&held->spec), name);
        oct_text_add(&values, "%scolumn_%s[i]%s", between, name,
                     held->spec.width == 3 ? ".xyz" : "");
    }
    oct_text_add(&text,
                 "%s} octant_columns;\n"
                 "#define COLUMN_ARGUMENTS %s\n"
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

oct_status oct_user_merged(char **out, oct_domain *domain)
{
    oct_text text = {0}, arguments = {0}, names = {0};
    const oct_held_column *held;
    for (uint32_t at = 0; (held = next_column(domain, &at, MERGED));) {
        const char *name = held->spec.data_set;
        oct_text_add(&arguments, ", global %s *column_%s", array_type(&held->spec), name);
        oct_text_add(&names, ", column_%s", name);
    }
    bool any = arguments.data != NULL, failed = arguments.failed || names.failed;
    if (any)
        oct_text_add(&text,
                     "#define MERGED_ARGUMENTS %s\n#define MERGED_PASSED %s\n"
                     "#define MERGE_COLUMNS(kept, gone, gone_part)",
                     arguments.data, names.data ? names.data : "");
    for (uint32_t at = 0; (held = next_column(domain, &at, MERGED));) {
        const char *name = held->spec.data_set;
        if (held->spec.flags & OCT_COLUMN_SUMMED)
            oct_text_add(&text, " column_%s[kept] += column_%s[gone];", name, name);
        else
            oct_text_add(&text,
                         " column_%s[kept] += (column_%s[gone] - column_%s[kept]) * (gone_part);",
                         name, name, name);
    }
    oct_text_add(&text, "\n");
    oct_text_clear(&arguments);
    oct_text_clear(&names);
    OCT_TRY(oct_text_take(out, &text));
    OCT_CHECK(!failed, OCT_STATUS_MEMORY, "no memory for the scene's columns");
    return OCT_STATUS_OK;
}

/* Binds columns with one of these flags as the kernel has them. */
static oct_status bind_columns(oct_kernel *kernel, oct_domain *domain, unsigned with,
                               const oct_binding *own, size_t n)
{
    char names[OCT_USER_COLUMNS][OCT_COLUMN_NAME + sizeof "column_"];
    oct_binding *all;
    const oct_held_column *held;
    size_t columns = 0;
    OCT_TRY(oct_alloc(&all, n + OCT_USER_COLUMNS, sizeof *all, "arguments"));
    memcpy(all, own, n * sizeof *own);
    for (uint32_t at = 0; (held = next_column(domain, &at, with)); columns++) {
        snprintf(names[columns], sizeof names[columns], "column_%s", held->spec.data_set);
        all[n + columns] =
            OCT_BIND_TO(names[columns], oct_buffer *const, OCT_ARG_BUFFER, &held->buffer);
    }
    oct_status status = oct_kernel_bind(kernel, all, n + columns);
    free(all);
    return status;
}

oct_status oct_user_bind(oct_kernel *kernel, oct_domain *domain, const oct_binding *own, size_t n)
{
    return bind_columns(kernel, domain, OCT_COLUMN_USER, own, n);
}

oct_status oct_user_bind_merged(oct_kernel *kernel, oct_domain *domain, const oct_binding *own,
                                size_t n)
{
    return bind_columns(kernel, domain, MERGED, own, n);
}
