/* Reads snapshots, ours and those of other codes, and puts bodies back into their order. */
#include "io/snapshot.h"

#include "core/column.h"
#include "core/units.h"
#include "io/gadget.h"
#include "io/h5.h"
#include "io/seal.h"
#include "util/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types that other codes may use; Octant itself writes OCT_SNAPSHOT_TYPES of them. */
enum { MOST_TYPES = 16 };

typedef struct part_file {
    char name[256], hash[OCT_SEAL_HASH];
    int64_t bodies; /* 0: it is none that could be read */
} part_file;

typedef struct reader {
    const oct_h5 *h5;
    bool ours, numbered; /* a file of ours; one without ids */
    uint64_t counts[MOST_TYPES];
    double masses[MOST_TYPES]; /* of types whose bodies have one mass; else 0 */
    double shift[3];
    oct_file_info info;
    oct_bodies bodies;
    uint32_t n_parts; /* of a file that shows what others have */
    part_file *parts;
} reader;

/* Reads `count` numbers, all of them or none; absent ones leave `out` as it is. */
static oct_status get_reals(double *out, bool *found, const reader *r, const char *object,
                            const char *name, size_t count)
{
    double values[MOST_TYPES];
    size_t present;
    OCT_TRY(
        oct_h5_get_numbers(values, &present, r->h5, object, name, H5T_NATIVE_DOUBLE, MOST_TYPES));
    *found = present == count;
    if (*found)
        memcpy(out, values, count * sizeof(double));
    return OCT_STATUS_OK;
}

static oct_status get_flag(int64_t *out, const reader *r, const char *object, const char *name)
{
    size_t count;
    *out = 0;
    return oct_h5_get_numbers(out, &count, r->h5, object, name, H5T_NATIVE_INT64, 1);
}

/* Counts are believed only where data sets of that length are there. */
static oct_status read_counts(reader *r)
{
    size_t types, masses, total = 0;
    char object[64];
    OCT_TRY(oct_h5_get_numbers(r->counts, &types, r->h5, "Header", "NumPart_ThisFile",
                               H5T_NATIVE_UINT64, MOST_TYPES));
    OCT_CHECK(types > 0, OCT_STATUS_INPUT,
              "'%s' is no snapshot: it has no Header with NumPart_ThisFile", r->h5->path);
    OCT_TRY(oct_h5_get_numbers(r->masses, &masses, r->h5, "Header", "MassTable", H5T_NATIVE_DOUBLE,
                               MOST_TYPES));
    for (size_t t = 0; t < types; t++) {
        size_t rows, columns;
        if (r->counts[t] == 0)
            continue;
        snprintf(object, sizeof object, "PartType%zu/Coordinates", t);
        OCT_TRY(oct_h5_shape(&rows, &columns, r->h5, object));
        OCT_CHECK(rows == r->counts[t] && columns == 3, OCT_STATUS_INPUT,
                  "'%s': %s is %zu x %zu, but the header counts %llu bodies", r->h5->path, object,
                  rows, columns, (unsigned long long)r->counts[t]);
        OCT_CHECK(rows <= SIZE_MAX - total, OCT_STATUS_INPUT, "'%s' counts too many bodies",
                  r->h5->path);
        total += rows;
    }
    OCT_CHECK(total > 0, OCT_STATUS_INPUT, "'%s' holds no bodies", r->h5->path);
    return oct_bodies_resize(&r->bodies, total);
}

/* What other codes call data sets of ours. */
static const char *other_name(const char *data_set)
{
    static const char *const names[][2] = {{"Radii", "Radius"},
                                           {"Potentials", "Potential"},
                                           {"Velocities", "Velocity"},
                                           {"Masses", "Mass"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], data_set) == 0)
            return names[i][1];
    return data_set;
}

/* Reads a data set of n rows, by either of its names; absent ones stay as they are. */
static oct_status read_optional(bool *found, void *out, const reader *r, size_t type,
                                const oct_column_spec *spec, size_t n)
{
    char object[64];
    snprintf(object, sizeof object, "PartType%zu/%s", type, spec->data_set);
    if (!oct_h5_has(r->h5, object))
        snprintf(object, sizeof object, "PartType%zu/%s", type, other_name(spec->data_set));
    *found = oct_h5_has(r->h5, object);
    if (!*found)
        return OCT_STATUS_OK;
    return oct_h5_get_data(out, r->h5, object,
                           spec->type == OCT_COLUMN_ULONG ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE,
                           n, spec->width);
}

/* Without ids bodies are numbered from 1; some with and some without would be no names. */
static oct_status number_bodies(reader *r, size_t type, bool found, size_t first)
{
    OCT_CHECK(found ? !r->numbered : !r->ours && (first == 0 || r->numbered), OCT_STATUS_INPUT,
              "'%s' has ParticleIDs of some types and not of others, such as PartType%zu",
              r->h5->path, type);
    r->numbered = !found;
    for (size_t i = first; !found && i < first + r->counts[type]; i++)
        r->bodies.id[i] = i + 1;
    return OCT_STATUS_OK;
}

/* A column of the table; what every file must have is an error where it is absent. */
static oct_status read_column(reader *r, size_t type, const oct_column_spec *spec, size_t first)
{
    static const size_t needed[] = {offsetof(oct_bodies, position), offsetof(oct_bodies, velocity)};
    size_t n = (size_t)r->counts[type];
    char *out = (char *)oct_column_host(&r->bodies, spec) + first * oct_column_host_bytes(spec);
    bool spin = spec->host == offsetof(oct_bodies, spin), found;
    /* What another code calls spins may be anything, and what it softens is its own affair. */
    if (spec->flags & OCT_COLUMN_WHERE_USED && !r->ours)
        return OCT_STATUS_OK;
    OCT_TRY(read_optional(&found, out, r, type, spec, n));
    r->info.spins = r->info.spins || (spin && found);
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++)
        OCT_CHECK(found || spec->host != needed[k], OCT_STATUS_INPUT, "'%s' has no PartType%zu/%s",
                  r->h5->path, type, spec->data_set);
    if (spec->host == offsetof(oct_bodies, id))
        return number_bodies(r, type, found, first);
    if (found || spec->host != offsetof(oct_bodies, mass))
        return OCT_STATUS_OK;
    OCT_CHECK(r->masses[type] > 0, OCT_STATUS_INPUT,
              "'%s' has neither PartType%zu/%s nor a mass for this type in its MassTable",
              r->h5->path, type, spec->data_set);
    for (size_t i = 0; i < n; i++)
        r->bodies.mass[first + i] = r->masses[type];
    return OCT_STATUS_OK;
}

/* The bodies of one type go to [first, first + n). */
static oct_status read_type(reader *r, size_t type, size_t first)
{
    oct_bodies *b = &r->bodies;
    size_t n = (size_t)r->counts[type];
    char label[OCT_COLUMN_LABEL];
    bool found;
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->data_set)
            OCT_TRY(read_column(r, type, spec, first));
    for (size_t c = 0; c < b->n_columns; c++) {
        const oct_user_column *column = &b->columns[c];
        const oct_column_spec spec = oct_column_user(label, column);
        OCT_TRY(read_optional(&found, column->data + first * column->width, r, type, &spec, n));
    }
    for (size_t i = first; i < first + n; i++) {
        for (size_t d = 0; d < 3; d++)
            b->position[3 * i + d] -= r->shift[d];
        b->type[i] = oct_gadget_type(type);
    }
    return OCT_STATUS_OK;
}

/* The user's columns that the file says it has. */
static oct_status read_declared(reader *r)
{
    char object[64], name[OCT_COLUMN_NAME + 1], unit[OCT_COLUMN_UNIT + 1];
    for (size_t c = 0; c < OCT_USER_COLUMNS; c++) {
        int64_t width, integer;
        snprintf(object, sizeof object, "Octant/Column%zu", c);
        if (!oct_h5_has(r->h5, object))
            break;
        OCT_TRY(oct_h5_get_text(name, sizeof name, r->h5, object, "Name"));
        OCT_TRY(oct_h5_get_text(unit, sizeof unit, r->h5, object, "Unit"));
        OCT_TRY(get_flag(&width, r, object, "Width"));
        OCT_TRY(get_flag(&integer, r, object, "Integer"));
        oct_status status =
            oct_bodies_add_column(&r->bodies, name, unit, (size_t)width, integer != 0, NULL);
        if (status != OCT_STATUS_OK)
            return oct_fail_within(status, "'%s'", r->h5->path);
    }
    return OCT_STATUS_OK;
}

/* Puts the bodies, which come type by type, back into the order of the list of their types. */
static oct_status restore_order(reader *r)
{
    size_t n = r->bodies.n, next[OCT_SNAPSHOT_TYPES] = {0};
    oct_bodies sorted = {0};
    uint8_t *types = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&types, n, 1, "types"));
    OCT_TRY_DONE(oct_h5_get_data(types, r->h5, "Octant/Types", H5T_NATIVE_UINT8, n, 1));
    OCT_TRY_DONE(oct_bodies_declare_as(&sorted, &r->bodies));
    OCT_TRY_DONE(oct_bodies_resize(&sorted, n));
    for (size_t t = 1; t < OCT_SNAPSHOT_TYPES; t++)
        next[t] = next[t - 1] + (size_t)r->counts[t - 1];
    for (size_t i = 0; i < n; i++) {
        size_t type = types[i] & ~(unsigned)OCT_TYPE_HELD;
        OCT_CHECK_DONE(type < OCT_SNAPSHOT_TYPES && next[type] < n, OCT_STATUS_INPUT,
                       "'%s': Octant/Types does not fit the bodies", r->h5->path);
        size_t from = next[type]++;
        oct_bodies_copy(&sorted, i, &r->bodies, from, 1, 0);
        sorted.type[i] = types[i];
    }
    oct_bodies_clear(&r->bodies);
    r->bodies = sorted;
    sorted = (oct_bodies){0};
done:
    oct_bodies_clear(&sorted);
    free(types);
    return status;
}

/* h, by which GADGET's units of length and mass are to be divided; 1 where a file does not say. */
static oct_status read_hubble(double *out, const reader *r)
{
    static const char *const groups[] = {"Header", "Parameters"};
    *out = 1;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        bool found;
        double h = 0;
        OCT_TRY(get_reals(&h, &found, r, groups[i], "HubbleParam", 1));
        if (found && isnormal(h) && h > 0)
            *out = h;
    }
    return OCT_STATUS_OK;
}

/* The units of a file of another code: SWIFT's names for them, or GADGET's. */
static oct_status read_foreign_units(oct_units *out, const reader *r)
{
    static const struct {
        const char *group, *length, *mass, *third;
        bool gadget;
    } names[] = {
        {"Units", "Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)",
         false},
        {"Units", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", true},
        {"Parameters", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", true},
        {"Header", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", true},
    };
    *out = oct_units_unknown;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double length = 0, mass = 0, third = 0, h = 1;
        bool has_length, has_mass, has_third;
        OCT_TRY(get_reals(&length, &has_length, r, names[i].group, names[i].length, 1));
        OCT_TRY(get_reals(&mass, &has_mass, r, names[i].group, names[i].mass, 1));
        OCT_TRY(get_reals(&third, &has_third, r, names[i].group, names[i].third, 1));
        if (!has_length || !has_mass || !has_third)
            continue;
        if (names[i].gadget)
            OCT_TRY(read_hubble(&h, r));
        double time = names[i].gadget ? length / h / third : third;
        OCT_CHECK(isnormal(length / h) && isnormal(mass / h) && isnormal(time) && length > 0 &&
                      mass > 0 && time > 0,
                  OCT_STATUS_INPUT, "'%s': its units are not positive numbers", r->h5->path);
        *out = oct_units_make(length / h / 100, mass / h / 1000, time);
        return OCT_STATUS_OK;
    }
    return OCT_STATUS_OK;
}

static oct_status read_own_units(oct_units *out, const reader *r)
{
    double si[4] = {0};
    bool found;
    int64_t physical;
    char name[32];
    OCT_TRY(get_reals(si, &found, r, "Octant", "Units and G in SI", 4));
    OCT_TRY(get_flag(&physical, r, "Octant", "Physical"));
    OCT_TRY(oct_h5_get_text(name, sizeof name, r->h5, "Octant", "Units"));
    OCT_CHECK(found, OCT_STATUS_INPUT, "'%s' does not say what its units are", r->h5->path);
    const oct_units *known = oct_units_find(name);
    *out = (oct_units){known ? known->name : "file", physical != 0, si[0], si[1], si[2], si[3]};
    if (!known && !physical)
        *out = oct_units_unknown;
    return OCT_STATUS_OK;
}

/* Comoving numbers: a flag says so, or the redshift. */
static oct_status refuse_expanding(const reader *r)
{
    static const char *const flags[][2] = {{"Cosmology", "Cosmological run"},
                                           {"Parameters", "ComovingIntegrationOn"},
                                           {"Header", "ComovingIntegrationOn"}};
    double redshift = 0;
    bool found;
    int64_t flag;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        OCT_TRY(get_flag(&flag, r, flags[i][0], flags[i][1]));
        OCT_CHECK(flag == 0, OCT_STATUS_INPUT,
                  "'%s' is of a cosmological run, whose comoving units Octant does not read",
                  r->h5->path);
    }
    OCT_TRY(get_reals(&redshift, &found, r, "Header", "Redshift", 1));
    return oct_gadget_check_time(r->info.time, redshift, r->h5->path);
}

static oct_status read_info(reader *r)
{
    oct_file_info *info = &r->info;
    bool found;
    int64_t flag;
    size_t count;
    snprintf(info->kind, sizeof info->kind, "%s", r->ours ? "snapshot" : "gadget");
    OCT_TRY(get_reals(&info->time, &found, r, "Header", "Time", 1));
    OCT_TRY(oct_h5_get_text(info->title, sizeof info->title, r->h5, "Header", "RunName"));
    OCT_TRY(oct_h5_get_text(info->generator, sizeof info->generator, r->h5, "Header",
                            r->ours ? "Generator" : "Code"));
    OCT_TRY(get_flag(&flag, r, "RuntimePars", "PeriodicBoundariesOn"));
    info->periodic = flag != 0;
    if (r->ours) {
        OCT_TRY(get_reals(r->shift, &found, r, "Header", "Shift", 3));
        OCT_TRY(get_reals(info->box, &found, r, "Octant", "Box", 3));
        OCT_TRY(get_reals(&info->orbit, &found, r, "Octant", "Orbit", 1));
        OCT_TRY(oct_h5_get_text(info->components, sizeof info->components, r->h5, "Octant",
                                "Components"));
        OCT_TRY(
            oct_h5_get_numbers(&info->step, &count, r->h5, "Octant", "Step", H5T_NATIVE_UINT64, 1));
        return read_own_units(&info->units, r);
    }
    OCT_TRY(refuse_expanding(r));
    OCT_TRY(get_flag(&flag, r, "Header", "NumFilesPerSnapshot"));
    OCT_CHECK(flag <= 1, OCT_STATUS_INPUT,
              "'%s' is one of %lld files of a snapshot; Octant reads snapshots in one file",
              r->h5->path, (long long)flag);
    OCT_TRY(get_reals(info->box, &found, r, "Header", "BoxSize", 3));
    if (!found) {
        OCT_TRY(get_reals(info->box, &found, r, "Header", "BoxSize", 1));
        info->box[1] = info->box[2] = info->box[0];
    }
    return read_foreign_units(&info->units, r);
}

/* The parts that a whole names; others have none. */
static oct_status read_parts(reader *r)
{
    char object[64];
    for (;;) {
        snprintf(object, sizeof object, "Octant/Part%u", (unsigned)r->n_parts);
        if (!oct_h5_has(r->h5, object))
            return OCT_STATUS_OK;
        OCT_TRY(oct_realloc(&r->parts, r->n_parts + 1, sizeof *r->parts, "parts of a file"));
        part_file *part = &r->parts[r->n_parts++];
        OCT_TRY(oct_h5_get_text(part->name, sizeof part->name, r->h5, object, "File"));
        OCT_TRY(oct_h5_get_text(part->hash, sizeof part->hash, r->h5, object, "Hash"));
        OCT_TRY(get_flag(&part->bodies, r, object, "Bodies"));
        OCT_CHECK(part->name[0] && !strchr(part->name, '/'), OCT_STATUS_INPUT,
                  "'%s': %s names no file beside it", r->h5->path, object);
    }
}

static oct_status read_all(const oct_h5 *h5, void *context)
{
    reader *r = context;
    size_t first = 0;
    r->h5 = h5;
    r->n_parts = 0;
    OCT_TRY(read_declared(r));
    if (r->ours)
        OCT_TRY(read_parts(r));
    if (r->n_parts > 0)
        return read_info(r);
    OCT_TRY(read_counts(r));
    OCT_TRY(read_info(r));
    for (size_t type = 0; type < MOST_TYPES; type++) {
        if (r->counts[type] > 0)
            OCT_TRY(read_type(r, type, first));
        first += (size_t)r->counts[type];
    }
    if (!r->ours)
        return OCT_STATUS_OK;
    if (oct_h5_has(r->h5, "Octant/Types"))
        OCT_TRY(restore_order(r));
    if (oct_h5_has(r->h5, "Octant/Positions"))
        OCT_TRY(oct_h5_get_data(r->bodies.position, r->h5, "Octant/Positions", H5T_NATIVE_DOUBLE,
                                r->bodies.n, 3));
    if (oct_h5_has(r->h5, "Octant/Systems"))
        OCT_TRY(oct_h5_get_data(r->bodies.system, r->h5, "Octant/Systems", H5T_NATIVE_UINT32,
                                r->bodies.n, 1));
    return OCT_STATUS_OK;
}

static oct_status read_one(oct_bodies *out, oct_file_info *info, const char *path, bool ours);

/* A part is what it was when the whole was written, or it is refused. */
static oct_status add_part(reader *r, const part_file *part, const char *path)
{
    const char *slash = strrchr(path, '/');
    char file[4096], hash[OCT_SEAL_HASH], kind[16];
    oct_bodies bodies = {0};
    oct_file_info info = {0};
    oct_status status;
    snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, part->name);
    OCT_TRY_DONE(oct_seal_check(kind, file));
    OCT_TRY_DONE(oct_seal_hash(hash, file));
    OCT_CHECK_DONE(strcmp(kind, "snapshot") == 0 && strcmp(hash, part->hash) == 0, OCT_STATUS_INPUT,
                   "'%s' is not the part of '%s' that it was", file, path);
    OCT_TRY_DONE(oct_bodies_declare_as(&bodies, &r->bodies));
    OCT_TRY_DONE(read_one(&bodies, &info, file, true));
    size_t first = r->bodies.n;
    OCT_TRY_DONE(oct_bodies_resize(&r->bodies, first + bodies.n));
    oct_bodies_copy(&r->bodies, first, &bodies, 0, bodies.n, 0);
    r->info.spins = r->info.spins || info.spins;
done:
    oct_bodies_clear(&bodies);
    return status;
}

static oct_status read_one(oct_bodies *out, oct_file_info *info, const char *path, bool ours)
{
    reader r = {.ours = ours, .bodies = *out};
    *out = (oct_bodies){0};
    oct_status status = oct_h5_load(path, read_all, &r);
    bool sealed;
    if (status == OCT_STATUS_OK && ours)
        status = oct_seal_run(r.info.run, &sealed, path);
    for (uint32_t p = 0; p < r.n_parts && status == OCT_STATUS_OK; p++)
        if (r.parts[p].bodies > 0)
            status = add_part(&r, &r.parts[p], path);
    free(r.parts);
    if (status != OCT_STATUS_OK) {
        oct_bodies_clear(&r.bodies);
        return status;
    }
    *out = r.bodies;
    *info = r.info;
    return OCT_STATUS_OK;
}

oct_status oct_snapshot_read(oct_bodies *out, oct_file_info *info, const char *path, bool ours)
{
    return read_one(out, info, path, ours);
}
