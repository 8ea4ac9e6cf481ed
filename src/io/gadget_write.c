/* Writes bodies in GADGET's HDF5 layout, with the names of its version 4 for units, and without
 * anything of our own: no seal, no order but that of types. */
#include "io/gadget.h"

#include "core/column.h"
#include "io/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 6 };

typedef struct source {
    const oct_h5 *h5;
    const oct_bodies *bodies;
    const oct_file_info *info;
    size_t counts[TYPES];
    double shift[3];
    double *scratch; /* 3 n */
} source;

static unsigned type_of(const oct_bodies *bodies, size_t i)
{
    return bodies->type[i] & OCT_TYPE_MASK;
}

static oct_status write_header(const source *s)
{
    static const char *const zeros[] = {"Redshift", "Omega0", "OmegaLambda"};
    static const char *const flags[] = {"Flag_Sfr",    "Flag_Cooling",        "Flag_StellarAge",
                                        "Flag_Metals", "Flag_Feedback",       "Flag_Entropy_ICs",
                                        "ThisFile",    "Flag_DoublePrecision"};
    const double masses[TYPES] = {0};
    uint32_t low[TYPES], high[TYPES];
    for (size_t t = 0; t < TYPES; t++) {
        low[t] = (uint32_t)s->counts[t];
        high[t] = (uint32_t)((uint64_t)s->counts[t] >> 32);
    }
    const oct_h5 *h5 = s->h5;
    OCT_TRY(oct_h5_add_group(h5, "Header"));
    OCT_TRY(oct_h5_add_numbers(h5, "Header", "NumPart_ThisFile", H5T_NATIVE_UINT32, low, TYPES));
    OCT_TRY(oct_h5_add_numbers(h5, "Header", "NumPart_Total", H5T_NATIVE_UINT32, low, TYPES));
    OCT_TRY(
        oct_h5_add_numbers(h5, "Header", "NumPart_Total_HighWord", H5T_NATIVE_UINT32, high, TYPES));
    OCT_TRY(oct_h5_add_numbers(h5, "Header", "MassTable", H5T_NATIVE_DOUBLE, masses, TYPES));
    OCT_TRY(oct_h5_add_scalar(h5, "Header", "Time", s->info->time));
    OCT_TRY(oct_h5_add_scalar(h5, "Header", "BoxSize", s->info->periodic ? s->info->box[0] : 0));
    OCT_TRY(oct_h5_add_scalar(h5, "Header", "HubbleParam", 1));
    for (size_t k = 0; k < sizeof zeros / sizeof zeros[0]; k++)
        OCT_TRY(oct_h5_add_scalar(h5, "Header", zeros[k], 0));
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
        bool on = strcmp(flags[k], "Flag_DoublePrecision") == 0;
        OCT_TRY(oct_h5_add_whole(h5, "Header", flags[k], on));
    }
    OCT_TRY(oct_h5_add_whole(h5, "Header", "NumFilesPerSnapshot", 1));
    return oct_h5_add_text(h5, "Header", "Code", "octant");
}

/* GADGET-4 has its units in Parameters, codes after GADGET-3 in Units. nbody units have no sizes.
 */
static oct_status write_units(const source *s)
{
    static const char *const groups[] = {"Parameters", "Units"};
    const oct_units *units = &s->info->units;
    const double cgs[] = {100 * units->length, 1000 * units->mass,
                          100 * units->length / units->time};
    static const char *const names[] = {"UnitLength_in_cm", "UnitMass_in_g",
                                        "UnitVelocity_in_cm_per_s"};
    if (!units->physical)
        return OCT_STATUS_OK;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        OCT_TRY(oct_h5_add_group(s->h5, groups[g]));
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            OCT_TRY(oct_h5_add_scalar(s->h5, groups[g], names[k], cgs[k]));
    }
    return OCT_STATUS_OK;
}

/* Gathers the bodies of a type from a column of so many numbers of 8 bytes. */
static void gather(source *s, unsigned type, const void *column, size_t width)
{
    char *out = (char *)s->scratch;
    size_t bytes = width * sizeof(double);
    for (size_t i = 0; i < s->bodies->n; i++)
        if (type_of(s->bodies, i) == type) {
            memcpy(out, (const char *)column + i * bytes, bytes);
            out += bytes;
        }
}

static oct_status write_type(source *s, unsigned type)
{
    const oct_bodies *b = s->bodies;
    const struct {
        const char *name;
        const void *column;
        size_t width;
        hid_t type;
    } sets[] = {
        {"Coordinates", b->position, 3, H5T_NATIVE_DOUBLE},
        {"Velocities", b->velocity, 3, H5T_NATIVE_DOUBLE},
        {"Masses", b->mass, 1, H5T_NATIVE_DOUBLE},
        {"ParticleIDs", b->id, 1, H5T_NATIVE_UINT64},
        {"Potential", b->potential, 1, H5T_NATIVE_DOUBLE},
    };
    char object[64];
    snprintf(object, sizeof object, "PartType%u", type);
    OCT_TRY(oct_h5_add_group(s->h5, object));
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
        gather(s, type, sets[k].column, sets[k].width);
        for (size_t i = 0; k == 0 && i < 3 * s->counts[type]; i++)
            s->scratch[i] += s->shift[i % 3];
        snprintf(object, sizeof object, "PartType%u/%s", type, sets[k].name);
        OCT_TRY(oct_h5_add_data(s->h5, object, sets[k].type, s->scratch, s->counts[type],
                                sets[k].width));
    }
    return OCT_STATUS_OK;
}

static oct_status write_all(const oct_h5 *h5, void *context)
{
    source *s = context;
    s->h5 = h5;
    OCT_TRY(write_header(s));
    OCT_TRY(write_units(s));
    for (unsigned type = 0; type < TYPES; type++)
        if (s->counts[type] > 0)
            OCT_TRY(write_type(s, type));
    return OCT_STATUS_OK;
}

/* GADGET has a periodic cube, from the origin to its side; ours is centred there. */
static oct_status place_box(source *s, const char *path)
{
    const oct_file_info *info = s->info;
    if (!info->periodic)
        return OCT_STATUS_OK;
    OCT_CHECK(info->box[0] == info->box[1] && info->box[0] == info->box[2], OCT_STATUS_INPUT,
              "'%s' is not written: GADGET's box is a cube, and this one has sides of %g, %g and "
              "%g",
              path, info->box[0], info->box[1], info->box[2]);
    for (size_t d = 0; d < 3; d++)
        s->shift[d] = info->box[d] / 2;
    return OCT_STATUS_OK;
}

oct_status oct_gadget_write(const oct_bodies *bodies, const oct_file_info *info, const char *path)
{
    source s = {.bodies = bodies, .info = info};
    OCT_CHECK(bodies->n > 0, OCT_STATUS_INPUT, "there are no bodies to write to '%s'", path);
    for (size_t i = 0; i < bodies->n; i++) {
        OCT_CHECK(type_of(bodies, i) < TYPES, OCT_STATUS_INPUT,
                  "body %llu has type %u; GADGET's files hold types 0 to %d",
                  (unsigned long long)bodies->id[i], type_of(bodies, i), TYPES - 1);
        s.counts[type_of(bodies, i)]++;
    }
    OCT_TRY(place_box(&s, path));
    OCT_TRY(oct_alloc(&s.scratch, bodies->n, 3 * sizeof(double), "bodies to write"));
    oct_status status = oct_h5_save(path, NULL, NULL, write_all, &s);
    free(s.scratch);
    return status;
}
