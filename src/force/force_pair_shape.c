/* What a pass over pairs reads and sums up, as the scene says it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "core/user.h"
#include "force/force_pair.h"

static const oct_column_plan *find_column(const oct_setup *setup, const char *name)
{
    for (size_t i = 0; i < setup->n_columns; i++)
        if (strcmp(setup->columns[i].name, name) == 0)
            return &setup->columns[i];
    return NULL;
}

static bool has_text(const oct_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp(texts->items[i], name) == 0)
            return true;
    return false;
}

/* Whether a pass writes a column, from this one of the forces on. */
static bool is_written(const oct_setup *setup, size_t pass, size_t from, const char *name)
{
    for (size_t i = from; i < setup->n_forces; i++)
        if (setup->forces[i].module == setup->forces[pass].module &&
            has_text(&((const oct_pair_settings *)setup->forces[i].state)->writes, name))
            return true;
    return false;
}

static oct_pair_column describe(const oct_column_plan *plan)
{
    return (oct_pair_column){.name = plan->name,
                             .vector = plan->width == 3,
                             .integer = plan->type == OCT_COLUMN_CHOICE_INTEGER};
}

/* A column of the scene's that holds real numbers, for a key of the pass. */
static oct_status find_real(oct_pair_column *out, const oct_setup *setup, const char *key,
                            const char *name, const char *expected)
{
    const oct_column_plan *plan = find_column(setup, name);
    OCT_CHECK(plan, OCT_STATUS_INPUT, "%s: there is no column '%.100s'; expected %s", key, name,
              expected);
    *out = describe(plan);
    OCT_CHECK(!out->integer, OCT_STATUS_INPUT,
              "%s: column '%.100s' holds integers; expected real numbers", key, name);
    return OCT_STATUS_OK;
}

/* The largest range for which the nearest images are all that count; infinite without a box. Rows
 * of a sheared box may be half a box farther along than the box itself. */
static double largest_range(const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    double size[3], largest = INFINITY;
    bool repeats[3] = {false};
    if (!boundary->repeats || !boundary->size(size, setup->boundary.state))
        return largest;
    boundary->repeats(repeats, setup->boundary.state);
    for (int k = 0; k < 3; k++)
        if (repeats[k])
            largest = fmin(largest, boundary->moving && k == 1 ? size[k] / 2 : size[k]);
    return largest;
}

static oct_status read_range_column(oct_pair_shape *out, const char *name, const oct_setup *setup,
                                    size_t pass)
{
    oct_pair_column column;
    out->range = name;
    out->by_radius = strcmp(name, "radius") == 0;
    if (out->by_radius)
        return OCT_STATUS_OK;
    OCT_TRY(
        find_real(&column, setup, "range", name, "a length, `radius`, or a column of the scene"));
    OCT_CHECK(!column.vector, OCT_STATUS_INPUT,
              "range: column '%.100s' holds vectors; expected one number a body", name);
    OCT_CHECK(!is_written(setup, pass, pass, name), OCT_STATUS_INPUT,
              "range: column '%.100s' is written by this pass or one after it; expected one that "
              "is known by then",
              name);
    return OCT_STATUS_OK;
}

static oct_status read_range(oct_pair_shape *out, const char *text, const oct_setup *setup,
                             size_t pass)
{
    out->largest_range = largest_range(setup);
    out->fixed_range = INFINITY;
    if (text[0] == '\0')
        return OCT_STATUS_OK;
    if (isalpha((unsigned char)text[0]))
        return read_range_column(out, text, setup, pass);
    OCT_TRY(oct_units_parse(&out->fixed_range, text, OCT_LENGTH, &setup->units, 0));
    OCT_CHECK(out->fixed_range > 0 && isfinite(out->fixed_range), OCT_STATUS_INPUT,
              "range: '%.100s' is out of range; expected a length above 0", text);
    OCT_CHECK(out->fixed_range <= out->largest_range, OCT_STATUS_INPUT,
              "range: %g is more than the box has images for; expected %g at most",
              out->fixed_range, out->largest_range);
    return OCT_STATUS_OK;
}

static oct_status read_written(oct_pair_shape *out, const char *name, const oct_setup *setup)
{
    bool *ours = strcmp(name, "acceleration") == 0 ? &out->acceleration
                 : strcmp(name, "potential") == 0  ? &out->potential
                                                   : NULL;
    OCT_CHECK(!ours || !*ours, OCT_STATUS_INPUT, "writes: '%s' is there twice", name);
    if (ours) {
        *ours = true;
        return OCT_STATUS_OK;
    }
    for (uint32_t i = 0; i < out->n_written; i++)
        OCT_CHECK(strcmp(out->written[i].name, name) != 0, OCT_STATUS_INPUT,
                  "writes: '%.100s' is there twice", name);
    OCT_TRY(find_real(&out->written[out->n_written], setup, "writes", name,
                      "acceleration, potential or a column of the scene"));
    out->n_written++;
    return OCT_STATUS_OK;
}

/* Whether a name is that of the rate of a column. */
static bool is_rate_of(const char *name, const char *column)
{
    size_t length = strlen(column);
    return strncmp(name, column, length) == 0 && strcmp(name + length, "_rate") == 0;
}

static oct_status read_rate(oct_pair_shape *out, const char *name, const oct_setup *setup)
{
    for (uint32_t i = 0; i < out->n_written; i++) {
        const oct_pair_column *other = &out->written[i];
        OCT_CHECK(strcmp(other->name, name) != 0, OCT_STATUS_INPUT,
                  "rates: column '%.100s' is there twice, or under writes too", name);
        OCT_CHECK(other->rate || !is_rate_of(other->name, name), OCT_STATUS_INPUT,
                  "rates: the rate of '%.100s' is sum->%.100s, which is written too; expected "
                  "another name for that column",
                  name, other->name);
    }
    OCT_CHECK(out->n_written < OCT_USER_COLUMNS, OCT_STATUS_INPUT,
              "writes and rates have more than %d columns together", OCT_USER_COLUMNS);
    OCT_TRY(
        find_real(&out->written[out->n_written], setup, "rates", name, "a column of the scene"));
    out->written[out->n_written++].rate = true;
    return OCT_STATUS_OK;
}

static oct_status read_sums(oct_pair_shape *out, const oct_pair_settings *settings,
                            const oct_setup *setup, size_t pass)
{
    OCT_CHECK(settings->writes.n + settings->rates.n > 0, OCT_STATUS_INPUT,
              "writes: the list is empty; expected what the function sums up");
    for (size_t i = 0; i < settings->writes.n; i++)
        OCT_TRY(read_written(out, settings->writes.items[i], setup));
    for (size_t i = 0; i < settings->rates.n; i++) {
        const char *name = settings->rates.items[i];
        OCT_TRY(read_rate(out, name, setup));
        OCT_CHECK(!is_written(setup, pass, 0, name), OCT_STATUS_INPUT,
                  "rates: column '%.100s' is written by a pass; expected one that changes by its "
                  "rate alone",
                  name);
    }
    return OCT_STATUS_OK;
}

oct_status oct_pair_read(oct_pair_shape *out, const oct_setup *setup, size_t pass)
{
    const oct_pair_settings *settings = setup->forces[pass].state;
    *out = (oct_pair_shape){0};
    OCT_TRY(oct_user_check("source", settings->source, "code", &settings->code));
    OCT_TRY(read_range(out, settings->range, setup, pass));
    OCT_TRY(read_sums(out, settings, setup, pass));
    for (size_t i = 0; i < setup->n_columns; i++)
        if (!is_written(setup, pass, pass, setup->columns[i].name))
            out->read[out->n_read++] = describe(&setup->columns[i]);
    if (settings->energy[0]) {
        oct_pair_column column;
        OCT_TRY(find_real(&column, setup, "energy", settings->energy, "a column of the scene"));
        OCT_CHECK(!column.vector, OCT_STATUS_INPUT,
                  "energy: column '%.100s' holds vectors; expected one number a body",
                  settings->energy);
    }
    return OCT_STATUS_OK;
}
