/* Catalogues as HDF5, with the names of GADGET's for what it has too. */
#include "io/catalogue.h"
#include "io/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const oct_groups *groups;
    const oct_file_info *info;
    double *scratch; /* 3 n */
} source;

static oct_status write_column(const oct_h5 *h5, const source *s, const oct_catalogue_column *c)
{
    char object[64];
    size_t bytes = c->width * sizeof(double);
    for (size_t g = 0; g < s->groups->n; g++)
        memcpy((char *)s->scratch + g * bytes, (const char *)&s->groups->groups[g] + c->offset,
               bytes);
    snprintf(object, sizeof object, "Group/%s", c->data_set);
    OCT_TRY(oct_h5_add_data(h5, object, c->whole ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE,
                            s->scratch, s->groups->n, c->width));
    const double exponents[] = {c->unit.length, c->unit.mass, c->unit.time};
    OCT_TRY(oct_h5_add_numbers(h5, object, "Exponents of length, mass and time", H5T_NATIVE_DOUBLE,
                               exponents, 3));
    return oct_h5_add_text(h5, object, "Description", c->doc);
}

static oct_status write_all(const oct_h5 *h5, void *context)
{
    const source *s = context;
    const oct_units *units = &s->info->units;
    const uint64_t n = s->groups->n;
    char generator[64];
    snprintf(generator, sizeof generator, "octant %s", oct_version());
    OCT_TRY(oct_h5_add_group(h5, "Header"));
    OCT_TRY(oct_h5_add_numbers(h5, "Header", "Ngroups_Total", H5T_NATIVE_UINT64, &n, 1));
    OCT_TRY(oct_h5_add_scalar(h5, "Header", "Time", s->info->time));
    OCT_TRY(oct_h5_add_scalar(h5, "Header", "LinkingLength", s->groups->link));
    OCT_TRY(oct_h5_add_numbers(h5, "Header", "BoxSize", H5T_NATIVE_DOUBLE, s->info->box, 3));
    OCT_TRY(oct_h5_add_text(h5, "Header", "Generator", generator));
    if (units->physical) {
        OCT_TRY(oct_h5_add_group(h5, "Units"));
        OCT_TRY(oct_h5_add_scalar(h5, "Units", "UnitLength_in_cm", 100 * units->length));
        OCT_TRY(oct_h5_add_scalar(h5, "Units", "UnitMass_in_g", 1000 * units->mass));
        OCT_TRY(oct_h5_add_scalar(h5, "Units", "UnitVelocity_in_cm_per_s",
                                  100 * units->length / units->time));
    }
    OCT_TRY(oct_h5_add_group(h5, "Group"));
    for (const oct_catalogue_column *c = oct_catalogue_columns; c->name; c++)
        OCT_TRY(write_column(h5, s, c));
    return OCT_STATUS_OK;
}

oct_status oct_catalogue_save(const oct_groups *groups, const oct_file_info *info, const char *path)
{
    source s = {.groups = groups, .info = info};
    OCT_TRY(oct_alloc(&s.scratch, groups->n + 1, 3 * sizeof(double), "groups to write"));
    oct_status status = oct_h5_save(path, NULL, NULL, write_all, &s);
    free(s.scratch);
    return status;
}
