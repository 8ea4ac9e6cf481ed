/* Files of bodies, whatever their kind. */
#include "core/column.h"
#include "core/units.h"
#include "io/format.h"
#include "io/seal.h"
#include "util/sized.h"

#include <math.h>
#include <string.h>

static void scale(double *values, size_t count, double factor)
{
    for (size_t i = 0; factor != 1 && i < count; i++)
        values[i] *= factor;
}

static bool is_unknown(const oct_units *units)
{
    return strcmp(units->name, oct_units_unknown.name) == 0;
}

/* Sets the file's units to those it is said to be in; what it says itself must not differ, but
 * nbody units may stand for anything. */
static oct_status settle_units(oct_file_info *info, const oct_units *from, const char *path)
{
    char own[160], other[160];
    const oct_units *units = &info->units;
    if (!from)
        return OCT_STATUS_OK;
    oct_units_to_text(own, sizeof own, units);
    oct_units_to_text(other, sizeof other, from);
    OCT_CHECK(is_unknown(units) || !units->physical || oct_units_same(units, from),
              OCT_STATUS_INPUT, "'%s' says that its units are %s, not %s", path, own, other);
    info->units = *from;
    return OCT_STATUS_OK;
}

/* Refuses what has no conversion. `said`: somebody has said what the file's units are. */
static oct_status check_units(const oct_file_info *info, const oct_units *into, bool said,
                              const char *path)
{
    const oct_units *from = &info->units;
    char own[160], other[160];
    oct_units_to_text(own, sizeof own, from);
    oct_units_to_text(other, sizeof other, into);
    OCT_CHECK(from->physical || !into->physical, OCT_STATUS_INPUT,
              "'%s' is in nbody units, whose sizes it does not say, and %s is wanted: say what its "
              "numbers are in, such as 'pc, Msun, km/s'",
              path, other);
    OCT_CHECK(!from->physical || into->physical, OCT_STATUS_INPUT,
              "'%s' is in units of %s, and nbody units have no size to convert them to: choose si, "
              "solar or galactic",
              path, own);
    OCT_CHECK(
        from->physical || said || from->G == into->G, OCT_STATUS_INPUT,
        "'%s' is in nbody units with G = %.9g, and G is %.9g here: set G to that, or say that "
        "the file is in nbody units",
        path, from->G, into->G);
    return OCT_STATUS_OK;
}

/* x times or over y, as often as the power says. */
static double times(double x, double y, int power)
{
    for (; power != 0; power += power > 0 ? -1 : 1)
        x = power > 0 ? x * y : x / y;
    return x;
}

/* What numbers of a dimension are multiplied with. */
static double ratio(const oct_units *from, const oct_units *into, oct_dimension dimension)
{
    double x = times(1, from->length / into->length, dimension.length);
    x = times(x, from->mass / into->mass, dimension.mass);
    return times(x, from->time / into->time, dimension.time);
}

static void convert(oct_bodies *b, oct_file_info *info, const oct_units *into)
{
    const oct_units from = info->units;
    info->units = *into;
    if (!from.physical)
        return;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->host && spec->type == OCT_COLUMN_REAL)
            scale(oct_column_host(b, spec), spec->width * b->n, ratio(&from, into, spec->unit));
    double length = ratio(&from, into, OCT_LENGTH), time = ratio(&from, into, OCT_TIME);
    scale(info->box, 3, length);
    scale(&info->time, 1, time);
    scale(&info->orbit, 1, time);
}

/* Whether a body's numbers in columns of the table are finite. */
static bool is_finite(const oct_bodies *b, size_t i)
{
    bool finite = true;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        if (spec->type != OCT_COLUMN_REAL || !(spec->flags & OCT_COLUMN_FROM_OUTSIDE))
            continue;
        const double *values = (const double *)oct_column_host(b, spec) + i * spec->width;
        for (size_t k = 0; k < spec->width; k++)
            finite = finite && isfinite(values[k]);
    }
    return finite;
}

static oct_status check_numbers(const oct_bodies *b, const char *path)
{
    for (size_t i = 0; i < b->n; i++)
        OCT_CHECK(is_finite(b, i), OCT_STATUS_INPUT,
                  "'%s': body %llu has a value that is not finite", path,
                  (unsigned long long)b->id[i]);
    for (size_t c = 0; c < b->n_columns; c++) {
        const oct_user_column *column = &b->columns[c];
        for (size_t i = 0; i < b->n * column->width; i++) {
            oct_status status =
                oct_column_check_number(column->name, column->integer, column->data[i]);
            if (status != OCT_STATUS_OK)
                return oct_fail_within(status, "'%s': body %llu", path,
                                       (unsigned long long)b->id[i / column->width]);
        }
    }
    return OCT_STATUS_OK;
}

/* Columns that the caller wants: those that the file has must be the same, others get defaults. */
static oct_status add_wanted(oct_bodies *bodies, const oct_bodies *wanted, const char *path)
{
    for (size_t c = 0; c < wanted->n_columns; c++) {
        const oct_user_column *column = &wanted->columns[c];
        oct_status status = oct_bodies_add_column(bodies, column->name, column->unit, column->width,
                                                  column->integer, column->initial);
        if (status != OCT_STATUS_OK)
            return oct_fail_within(status, "'%s'", path);
    }
    return OCT_STATUS_OK;
}

oct_status oct_bodies_read_from(oct_bodies *out, oct_file_info *info, const char *path,
                                const oct_units *from, const oct_units *into)
{
    oct_bodies bodies = {0};
    oct_file_info found = {0};
    const oct_format *format = NULL;
    oct_status status;
    if (info)
        OCT_TRY(OCT_SIZED_CHECK(oct_file_info, run, info));
    OCT_TRY_DONE(oct_bodies_declare_as(&bodies, out));
    status = oct_format_of(&format, path);
    if (status == OCT_STATUS_OK)
        status = format->read(&bodies, &found, path);
    if (status != OCT_STATUS_OK) {
        oct_bodies_clear(&bodies);
        return oct_seal_offer_previous(status, path);
    }
    OCT_TRY_DONE(settle_units(&found, from, path));
    if (into && is_unknown(&found.units))
        found.units = *into;
    if (into) {
        OCT_TRY_DONE(check_units(&found, into, from != NULL, path));
        convert(&bodies, &found, into);
    }
    OCT_TRY_DONE(add_wanted(&bodies, out, path));
    OCT_TRY_DONE(check_numbers(&bodies, path));
    oct_bodies_clear(out);
    *out = bodies;
    bodies = (oct_bodies){0};
    if (info)
        oct_sized_give(info, &found, sizeof found);
done:
    oct_bodies_clear(&bodies);
    return status;
}

oct_status oct_bodies_read(oct_bodies *out, oct_file_info *info, const char *path,
                           const oct_units *into)
{
    return oct_bodies_read_from(out, info, path, NULL, into);
}

oct_status oct_bodies_write_as(const oct_bodies *bodies, const oct_file_info *info,
                               const char *path, const char *kind)
{
    /* It has been through the hands of a user: it is no file of the run any more. */
    oct_file_info own;
    const oct_format *format;
    OCT_TRY(OCT_SIZED_TAKE(oct_file_info, run, &own, info));
    own.run[0] = '\0';
    OCT_TRY(oct_format_for(&format, kind, path));
    return format->write(bodies, &own, path);
}

oct_status oct_bodies_write(const oct_bodies *bodies, const oct_file_info *info, const char *path)
{
    return oct_bodies_write_as(bodies, info, path, NULL);
}
