/* Writes bodies type by type, with the units, the box and how they came about. */
#include "io/snapshot.h"

#include "core/column.h"
#include "core/softening.h"
#include "io/h5.h"
#include "util/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a snapshot is written from. */
typedef struct source {
    const oct_h5 *h5;
    const char *path, *scene;
    const oct_bodies *bodies;
    const oct_file_info *info;
    double box[3], shift[3];
    size_t counts[OCT_SNAPSHOT_TYPES]; /* in this file */
    const oct_snapshot_facts *all;     /* of all bodies of the snapshot */
    uint32_t part, of; /* which file, of how many; 0: there is one. Of a whole: how many parts */
    const oct_snapshot_part *parts; /* of a whole; NULL: the numbers are in this file */
    oct_h5_piece *pieces;           /* room for as many */
    double cgs[3];                  /* the units of length, mass and time */
    double *scratch;                /* 3 n */
    oct_h5_mold **mold;             /* NULL: none is kept */
} source;

#define ADD_REALS(object, name, values, count)                                                     \
    OCT_TRY(oct_h5_add_numbers(s->h5, (object), (name), H5T_NATIVE_DOUBLE, (values), (count)))
#define ADD_REAL(object, name, value) ADD_REALS(object, name, &(const double){value}, 1)
#define ADD_INTS(object, name, values, count)                                                      \
    OCT_TRY(oct_h5_add_numbers(s->h5, (object), (name), H5T_NATIVE_INT64, (values), (count)))
#define ADD_INT(object, name, value)  ADD_INTS(object, name, &(const int64_t){value}, 1)
#define ADD_TEXT(object, name, value) OCT_TRY(oct_h5_add_text(s->h5, (object), (name), (value)))

oct_status oct_snapshot_look(oct_snapshot_facts *out, const oct_bodies *bodies,
                             const oct_file_info *info, const char *path)
{
    const double *size = info->box;
    *out = (oct_snapshot_facts){.centred = true,
                                .cornered = true,
                                .spins = info->spins || oct_bodies_spin(bodies),
                                .softenings = oct_bodies_soften(bodies)};
    for (size_t i = 0; i < bodies->n; i++) {
        unsigned long long id = bodies->id[i];
        unsigned type = bodies->type[i] & ~(unsigned)OCT_TYPE_HELD;
        OCT_CHECK(type >= 1 && type < OCT_SNAPSHOT_TYPES, OCT_STATUS_INPUT,
                  "body %llu has type %u; snapshots hold types 1 to %d", id, type,
                  OCT_SNAPSHOT_TYPES - 1);
        out->counts[type]++;
        for (size_t d = 0; d < 3; d++) {
            double x = bodies->position[3 * i + d];
            OCT_CHECK(fabs(x) < DBL_MAX / 8, OCT_STATUS_INPUT,
                      "body %llu has no finite position, so '%s' is not written", id, path);
            out->largest = fmax(out->largest, fabs(x));
            out->centred = out->centred && fabs(x) <= size[d] / 2;
            out->cornered = out->cornered && x >= 0 && x <= size[d];
        }
    }
    return OCT_STATUS_OK;
}

void oct_snapshot_join(oct_snapshot_facts *whole, const oct_snapshot_facts *part)
{
    for (size_t t = 0; t < OCT_SNAPSHOT_TYPES; t++)
        whole->counts[t] += part->counts[t];
    whole->largest = fmax(whole->largest, part->largest);
    whole->centred = whole->centred && part->centred;
    whole->cornered = whole->cornered && part->cornered;
    whole->spins = whole->spins || part->spins;
    whole->softenings = whole->softenings || part->softenings;
}

/* The coordinates must lie in [0, BoxSize): centred ones make yt drop most bodies. A given box is
 * taken as centred on the origin, or as starting there if that is where the bodies are. Without
 * one, or with bodies outside of it, the box is a power of two on each side of the origin: it
 * changes rarely from snapshot to snapshot and shifting by it loses the fewest bits. */
static void choose_box(source *s)
{
    const oct_snapshot_facts *all = s->all;
    const double *size = s->info->box;
    int exponent = 0;
    if (all->largest > 0 && frexp(all->largest, &exponent) > 0.99)
        exponent++;
    bool given = size[0] > 0 && size[1] > 0 && size[2] > 0 && (all->centred || all->cornered);
    for (size_t d = 0; d < 3; d++) {
        s->box[d] = given ? size[d] : ldexp(2, exponent);
        s->shift[d] = given && !all->centred ? 0 : s->box[d] / 2;
    }
}

/* Readers take the box as half open: yt drops a body that lies exactly on its upper face. */
static double shifted(const source *s, double x, size_t d)
{
    return fmin(x + s->shift[d], nextafter(s->box[d], 0));
}

static oct_status write_header(source *s)
{
    int64_t here[OCT_SNAPSHOT_TYPES], low[OCT_SNAPSHOT_TYPES], high[OCT_SNAPSHOT_TYPES];
    const double masses[OCT_SNAPSHOT_TYPES] = {0};
    char generator[64];
    for (size_t t = 0; t < OCT_SNAPSHOT_TYPES; t++) {
        here[t] = (int64_t)s->counts[t];
        low[t] = (int64_t)(s->all->counts[t] & UINT32_MAX);
        high[t] = (int64_t)(s->all->counts[t] >> 32);
    }
    snprintf(generator, sizeof generator, "octant %s", oct_version());
    OCT_TRY(oct_h5_add_group(s->h5, "Header"));
    ADD_TEXT("Header", "Code", "octant");
    ADD_TEXT("Header", "Generator", generator);
    ADD_TEXT("Header", "RunName", s->info->title);
    /* Not the clock's: two runs give identical files. */
    ADD_TEXT("Header", "SnapshotDate", "00:00:00 1970-01-01 UTC");
    ADD_TEXT("Header", "OutputType", "FullVolume");
    ADD_REALS("Header", "BoxSize", s->box, 3);
    ADD_REALS("Header", "Shift", s->shift, 3);
    ADD_REAL("Header", "Time", s->info->time);
    ADD_REAL("Header", "Redshift", 0);
    ADD_REAL("Header", "Scale-factor", 1);
    ADD_REALS("Header", "MassTable", masses, OCT_SNAPSHOT_TYPES);
    ADD_INTS("Header", "NumPart_ThisFile", here, OCT_SNAPSHOT_TYPES);
    ADD_INTS("Header", "NumPart_Total", low, OCT_SNAPSHOT_TYPES);
    ADD_INTS("Header", "NumPart_Total_HighWord", high, OCT_SNAPSHOT_TYPES);
    ADD_INT("Header", "Dimension", 3);
    /* The whole of several is one file to its readers. */
    ADD_INT("Header", "NumFilesPerSnapshot", s->of > 0 ? s->of : 1);
    ADD_INT("Header", "ThisFile", s->parts ? 0 : s->part);
    ADD_INT("Header", "Virtual", 0);
    return OCT_STATUS_OK;
}

static oct_status write_units(source *s, const char *group)
{
    OCT_TRY(oct_h5_add_group(s->h5, group));
    ADD_REAL(group, "Unit length in cgs (U_L)", s->cgs[0]);
    ADD_REAL(group, "Unit mass in cgs (U_M)", s->cgs[1]);
    ADD_REAL(group, "Unit time in cgs (U_t)", s->cgs[2]);
    ADD_REAL(group, "Unit current in cgs (U_I)", 1);
    ADD_REAL(group, "Unit temperature in cgs (U_T)", 1);
    return OCT_STATUS_OK;
}

/* What yt needs. With NumPy 2.4 its reader of SWIFT's layout takes only scalars for the units and
 * the time, where swiftsimio takes only arrays of length 1. Its reader of AREPO's layout, which it
 * chooses by Config/AMR, whatever the value, finds the same particles and takes what differs from
 * Parameters: scalar units, a mass table without SWIFT's seventh type, and the sides of the box,
 * which need not be equal, as one element of an array. */
static oct_status write_for_yt(source *s)
{
    const double masses[OCT_SNAPSHOT_TYPES - 1] = {0};
    OCT_TRY(oct_h5_add_group(s->h5, "Config"));
    ADD_INT("Config", "AMR", 0);
    OCT_TRY(oct_h5_add_scalar(s->h5, "Parameters", "UnitLength_in_cm", s->cgs[0]));
    OCT_TRY(oct_h5_add_scalar(s->h5, "Parameters", "UnitMass_in_g", s->cgs[1]));
    OCT_TRY(
        oct_h5_add_scalar(s->h5, "Parameters", "UnitVelocity_in_cm_per_s", s->cgs[0] / s->cgs[2]));
    ADD_REALS("Parameters", "Massarr", masses, OCT_SNAPSHOT_TYPES - 1);
    return oct_h5_add_triple(s->h5, "Parameters", "BoxSize", s->box);
}

/* The groups in which the readers look for the circumstances of a run. */
static oct_status write_circumstances(source *s)
{
    OCT_TRY(write_units(s, "Units"));
    OCT_TRY(write_units(s, "InternalCodeUnits"));
    OCT_TRY(oct_h5_add_group(s->h5, "Policy"));
    ADD_INT("Policy", "cosmological integration", 0);
    OCT_TRY(oct_h5_add_group(s->h5, "Cosmology"));
    ADD_INT("Cosmology", "Cosmological run", 0);
    OCT_TRY(oct_h5_add_group(s->h5, "RuntimePars"));
    ADD_INT("RuntimePars", "PeriodicBoundariesOn", s->info->periodic);
    OCT_TRY(oct_h5_add_group(s->h5, "Parameters"));
    ADD_INT("Parameters", "InitialConditions:periodic", s->info->periodic);
    /* A data set, since an attribute cannot be longer than 64 KiB. */
    if (s->scene)
        OCT_TRY(oct_h5_add_data(s->h5, "Parameters/Scene", H5T_NATIVE_UINT8, s->scene,
                                strlen(s->scene), 1));
    OCT_TRY(oct_h5_add_group(s->h5, "HydroScheme"));
    OCT_TRY(oct_h5_add_group(s->h5, "SubgridScheme"));
    OCT_TRY(oct_h5_add_group(s->h5, "Code"));
    ADD_TEXT("Code", "Code", "octant");
    ADD_TEXT("Code", "Code Version", oct_version());
    return write_for_yt(s);
}

static oct_status describe(source *s, const char *object, const oct_column_spec *spec)
{
    oct_dimension unit = spec->unit;
    double factor =
        pow(s->cgs[0], unit.length) * pow(s->cgs[1], unit.mass) * pow(s->cgs[2], unit.time);
    ADD_REAL(object, "U_I exponent", 0);
    ADD_REAL(object, "U_L exponent", unit.length);
    ADD_REAL(object, "U_M exponent", unit.mass);
    ADD_REAL(object, "U_t exponent", unit.time);
    ADD_REAL(object, "U_T exponent", 0);
    ADD_REAL(object, "a-scale exponent", 0);
    ADD_REAL(object, "h-scale exponent", 0);
    ADD_REAL(object, "Conversion factor to CGS (not including cosmological corrections)", factor);
    if (spec->unit_text)
        ADD_TEXT(object, "Unit", spec->unit_text);
    ADD_TEXT(object, "Description", spec->doc);
    return OCT_STATUS_OK;
}

/* Gathers the bodies of one type from a column into the scratch array. */
static void gather(source *s, unsigned type, const void *column, size_t bytes)
{
    char *out = (char *)s->scratch;
    for (size_t i = 0; i < s->bodies->n; i++)
        if ((s->bodies->type[i] & OCT_TYPE_MASK) == type) {
            memcpy(out, (const char *)column + i * bytes, bytes);
            out += bytes;
        }
}

/* One cell that holds everything. */
static oct_status write_cells(source *s)
{
    static const char *const groups[] = {"Cells",
                                         "Cells/Counts",
                                         "Cells/Files",
                                         "Cells/OffsetsInFile",
                                         "Cells/MinPositions",
                                         "Cells/MaxPositions",
                                         "Cells/Meta-data"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        OCT_TRY(oct_h5_add_group(s->h5, groups[i]));
    const double centre[3] = {s->box[0] / 2, s->box[1] / 2, s->box[2] / 2};
    OCT_TRY(oct_h5_add_data(s->h5, "Cells/Centres", H5T_NATIVE_DOUBLE, centre, 1, 3));
    ADD_INTS("Cells/Meta-data", "dimension", ((const int64_t[]){1, 1, 1}), 3);
    ADD_INT("Cells/Meta-data", "nr_cells", 1);
    ADD_REALS("Cells/Meta-data", "size", s->box, 3);
    return OCT_STATUS_OK;
}

/* The cell's share of one type, whose shifted coordinates are in the scratch array. */
static oct_status write_cell(source *s, unsigned type)
{
    const int64_t count = (int64_t)s->counts[type], none = 0;
    double min[3] = {0}, max[3] = {s->box[0], s->box[1], s->box[2]};
    for (size_t d = 0; d < 3 && !s->parts; d++) {
        min[d] = max[d] = s->scratch[d];
        for (size_t i = 1; i < s->counts[type]; i++) {
            min[d] = fmin(min[d], s->scratch[3 * i + d]);
            max[d] = fmax(max[d], s->scratch[3 * i + d]);
        }
    }
    const struct {
        const char *group;
        hid_t type;
        const void *data;
        size_t columns;
    } parts[] = {
        {"Counts", H5T_NATIVE_INT64, &count, 1},       {"Files", H5T_NATIVE_INT64, &none, 1},
        {"OffsetsInFile", H5T_NATIVE_INT64, &none, 1}, {"MinPositions", H5T_NATIVE_DOUBLE, min, 3},
        {"MaxPositions", H5T_NATIVE_DOUBLE, max, 3},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char object[64];
        snprintf(object, sizeof object, "Cells/%s/PartType%u", parts[i].group, type);
        OCT_TRY(oct_h5_add_data(s->h5, object, parts[i].type, parts[i].data, 1, parts[i].columns));
    }
    return OCT_STATUS_OK;
}

/* What the parts have in a data set: of a type, or of all bodies. */
static oct_status show_parts(source *s, const char *object, hid_t number, int type, size_t width)
{
    for (uint32_t p = 0; p < s->part; p++) {
        s->pieces[p].rows = 0;
        for (int t = 0; t < OCT_SNAPSHOT_TYPES; t++)
            s->pieces[p].rows += type < 0 || t == type ? s->parts[p].counts[t] : 0;
    }
    return oct_h5_add_virtual(s->h5, object, number, s->pieces, s->part, width);
}

/* A column of one type, whose bodies have `bytes` each in the array. */
static oct_status write_column(source *s, unsigned type, const oct_column_spec *spec,
                               const void *array, size_t bytes)
{
    const hid_t types[] = {[OCT_COLUMN_REAL] = H5T_NATIVE_DOUBLE,
                           [OCT_COLUMN_LONG] = H5T_NATIVE_INT64,
                           [OCT_COLUMN_ULONG] = H5T_NATIVE_UINT64,
                           [OCT_COLUMN_UINT] = H5T_NATIVE_UINT32,
                           [OCT_COLUMN_BYTE] = H5T_NATIVE_UINT8};
    bool coordinates = spec->host == offsetof(oct_bodies, position);
    size_t n = s->parts ? 0 : s->counts[type] * spec->width;
    char object[64];
    gather(s, type, array, bytes);
    for (size_t i = 0; coordinates && i < n; i++)
        s->scratch[i] = shifted(s, s->scratch[i], i % 3);
    /* The user's whole numbers are doubles on the host, and no larger than that they fit. */
    for (size_t i = 0; spec->type == OCT_COLUMN_LONG && i < n; i++) {
        int64_t whole = (int64_t)s->scratch[i];
        memcpy(&s->scratch[i], &whole, sizeof whole);
    }
    snprintf(object, sizeof object, "PartType%u/%s", type, spec->data_set);
    OCT_TRY(s->parts ? show_parts(s, object, types[spec->type], (int)type, spec->width)
                     : oct_h5_add_data(s->h5, object, types[spec->type], s->scratch,
                                       s->counts[type], spec->width));
    OCT_TRY(describe(s, object, spec));
    return coordinates ? write_cell(s, type) : OCT_STATUS_OK;
}

static bool is_used(const source *s, const oct_column_spec *spec)
{
    return !(spec->flags & OCT_COLUMN_WHERE_USED) ||
           (spec->host == offsetof(oct_bodies, softening) ? s->all->softenings : s->all->spins);
}

static oct_status write_type(source *s, unsigned type)
{
    char object[64], label[OCT_COLUMN_LABEL];
    snprintf(object, sizeof object, "PartType%u", type);
    OCT_TRY(oct_h5_add_group(s->h5, object));
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (spec->data_set && is_used(s, spec))
            OCT_TRY(write_column(s, type, spec, oct_column_host(s->bodies, spec),
                                 oct_column_host_bytes(spec)));
    for (size_t c = 0; c < s->bodies->n_columns; c++) {
        const oct_user_column *column = &s->bodies->columns[c];
        const oct_column_spec spec = oct_column_user(label, column);
        OCT_TRY(write_column(s, type, &spec, column->data, column->width * sizeof(double)));
    }
    return OCT_STATUS_OK;
}

/* Which of the data sets are columns of the user's. */
static oct_status declare_columns(source *s)
{
    for (size_t c = 0; c < s->bodies->n_columns; c++) {
        const oct_user_column *column = &s->bodies->columns[c];
        char object[64];
        snprintf(object, sizeof object, "Octant/Column%zu", c);
        OCT_TRY(oct_h5_add_group(s->h5, object));
        ADD_TEXT(object, "Name", column->name);
        ADD_TEXT(object, "Unit", column->unit);
        ADD_INT(object, "Width", (int64_t)column->width);
        ADD_INT(object, "Integer", column->integer);
    }
    return OCT_STATUS_OK;
}

/* What the whole has to say of its parts, and where it shows what they have beside. */
static oct_status declare_parts(source *s)
{
    OCT_TRY(show_parts(s, "Octant/Positions", H5T_NATIVE_DOUBLE, -1, 3));
    OCT_TRY(show_parts(s, "Octant/Types", H5T_NATIVE_UINT8, -1, 1));
    for (uint32_t p = 0; p < s->part; p++) {
        char object[64];
        snprintf(object, sizeof object, "Octant/Part%u", (unsigned)p);
        OCT_TRY(oct_h5_add_group(s->h5, object));
        ADD_TEXT(object, "File", s->pieces[p].file);
        ADD_TEXT(object, "Hash", s->parts[p].hash);
        ADD_INT(object, "Bodies", (int64_t)s->pieces[p].rows);
    }
    return OCT_STATUS_OK;
}

/* What the layout has no place for, and what gives back the exact bodies in the user's order:
 * x + shift rounds, so the positions are kept beside it unless shifting back restores each bit. */
static oct_status write_own(source *s)
{
    const oct_units *units = &s->info->units;
    const double si[4] = {units->length, units->mass, units->time, units->G};
    const oct_bodies *bodies = s->bodies;
    OCT_TRY(oct_h5_add_group(s->h5, "Octant"));
    ADD_INT("Octant", "Step", (int64_t)s->info->step);
    ADD_REALS("Octant", "Box", s->info->box, 3);
    if (s->info->orbit > 0)
        ADD_REAL("Octant", "Orbit", s->info->orbit);
    if (s->info->components[0])
        ADD_TEXT("Octant", "Components", s->info->components);
    ADD_TEXT("Octant", "Units", units->name ? units->name : "");
    ADD_INT("Octant", "Physical", units->physical);
    ADD_REALS("Octant", "Units and G in SI", si, 4);
    if (s->parts)
        return declare_parts(s);
    /* Parts are alike. */
    bool exact = s->of == 0, mixed = s->of > 0, systems = false;
    for (size_t i = 0; i < bodies->n; i++) {
        mixed = mixed || bodies->type[i] != bodies->type[0] || bodies->type[i] >= OCT_TYPE_HELD;
        systems = systems || bodies->system[i] != 0;
        for (size_t d = 0; d < 3; d++) {
            double x = bodies->position[3 * i + d], again = shifted(s, x, d) - s->shift[d];
            exact = exact && memcmp(&x, &again, sizeof x) == 0;
        }
    }
    if (!exact)
        OCT_TRY(oct_h5_add_data(s->h5, "Octant/Positions", H5T_NATIVE_DOUBLE, bodies->position,
                                bodies->n, 3));
    if (mixed)
        OCT_TRY(
            oct_h5_add_data(s->h5, "Octant/Types", H5T_NATIVE_UINT8, bodies->type, bodies->n, 1));
    if (systems)
        OCT_TRY(oct_h5_add_data(s->h5, "Octant/Systems", H5T_NATIVE_UINT32, bodies->system,
                                bodies->n, 1));
    return OCT_STATUS_OK;
}

static oct_status write_all(const oct_h5 *h5, void *context)
{
    source *s = context;
    s->h5 = h5;
    OCT_TRY(write_header(s));
    OCT_TRY(write_circumstances(s));
    OCT_TRY(write_cells(s));
    for (unsigned type = 0; type < OCT_SNAPSHOT_TYPES; type++)
        if (s->counts[type] > 0)
            OCT_TRY(write_type(s, type));
    OCT_TRY(write_own(s));
    return declare_columns(s);
}

/* Writes what is described, with its box. */
static oct_status save(source *s)
{
    const oct_units *units = &s->info->units;
    OCT_CHECK(!units->physical || (units->length > 0 && units->mass > 0 && units->time > 0),
              OCT_STATUS_INPUT, "the units of the bodies for '%s' are not positive", s->path);
    for (int k = 0; k < 3; k++)
        s->cgs[k] = 1;
    if (units->physical)
        memcpy(s->cgs, (double[]){100 * units->length, 1000 * units->mass, units->time},
               sizeof s->cgs);
    choose_box(s);
    OCT_TRY(oct_alloc(&s->scratch, s->bodies->n, 3 * sizeof(double), "bodies to write"));
    const char *run = s->info->run;
    oct_status status = s->mold ? oct_h5_save_again(s->mold, s->path, "snapshot", run, write_all, s)
                                : oct_h5_save(s->path, "snapshot", run, write_all, s);
    free(s->scratch);
    return status;
}

oct_status oct_snapshot_write_again(oct_snapshot_mold **mold, const oct_bodies *bodies,
                                    const oct_file_info *info, const char *scene, const char *path)
{
    oct_snapshot_facts all;
    source s = {
        .path = path, .scene = scene, .bodies = bodies, .info = info, .all = &all, .mold = mold};
    OCT_CHECK(bodies->n > 0, OCT_STATUS_INPUT, "there are no bodies to write to '%s'", path);
    OCT_TRY(oct_snapshot_look(&all, bodies, info, path));
    memcpy(s.counts, all.counts, sizeof s.counts);
    return save(&s);
}

oct_status oct_snapshot_write(const oct_bodies *bodies, const oct_file_info *info,
                              const char *scene, const char *path)
{
    return oct_snapshot_write_again(NULL, bodies, info, scene, path);
}

void oct_snapshot_forget(oct_snapshot_mold *mold)
{
    oct_h5_mold_free(mold);
}

/* The name of a part beside the whole of this name; false where it is too long. */
static bool name_part(char *out, size_t bytes, const char *whole, uint32_t index)
{
    int length = snprintf(out, bytes, "%s.part-%u", whole, (unsigned)index);
    return length > 0 && (size_t)length < bytes;
}

oct_status oct_snapshot_write_part(oct_snapshot_part *out, const oct_bodies *bodies,
                                   const oct_file_info *info, const char *scene, const char *path,
                                   const oct_snapshot_facts *whole, uint32_t index, uint32_t of)
{
    char part[4096];
    oct_snapshot_facts own;
    source s = {.path = part,
                .scene = scene,
                .bodies = bodies,
                .info = info,
                .all = whole,
                .part = index,
                .of = of};
    OCT_CHECK(name_part(part, sizeof part, path, index), OCT_STATUS_INPUT,
              "the name of '%s' is too long", path);
    OCT_TRY(oct_snapshot_look(&own, bodies, info, path));
    memcpy(s.counts, own.counts, sizeof s.counts);
    memcpy(out->counts, own.counts, sizeof out->counts);
    OCT_TRY(save(&s));
    return oct_seal_hash(out->hash, part);
}

oct_status oct_snapshot_write_whole(const oct_bodies *like, const oct_file_info *info,
                                    const char *scene, const char *path,
                                    const oct_snapshot_facts *whole, const oct_snapshot_part *parts,
                                    uint32_t n)
{
    enum { NAME = 256 };
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    source s = {.path = path,
                .scene = scene,
                .bodies = like,
                .info = info,
                .all = whole,
                .part = n,
                .parts = parts};
    char *names = NULL;
    oct_status status;
    memcpy(s.counts, whole->counts, sizeof s.counts);
    OCT_TRY_DONE(oct_alloc(&s.pieces, n, sizeof *s.pieces, "parts of a file"));
    OCT_TRY_DONE(oct_alloc(&names, n, NAME, "parts of a file"));
    for (uint32_t p = 0; p < n; p++) {
        s.pieces[p].file = names + (size_t)p * NAME;
        OCT_CHECK_DONE(name_part(names + (size_t)p * NAME, NAME, base, p), OCT_STATUS_INPUT,
                       "the name of '%s' is too long", path);
    }
    status = save(&s);
done:
    free(names);
    free(s.pieces);
    return status;
}
