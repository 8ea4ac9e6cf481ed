/* How far bodies or components are from each other, by id or by name. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag/diag_components.h"

typedef struct distance {
    oct_texts pairs; /* "A/B" */
    oct_components *components;
} distance;

enum { NAME_BYTES = 2 * OCT_COLUMN_NAME };

static const oct_column columns[] = {
    {"distance", 1, 1, 0, 0,
     .doc = "distance between the two of a pair of output.distance, whose names end the column's, "
            "with a '_' between them; nan where one is not there any more"},
    {0},
};

static const oct_field fields[] = {
    {.name = "distance",
     .type = OCT_FIELD_TEXTS,
     .offset = offsetof(distance, pairs),
     .initial = "[]",
     .doc = "pairs whose distance is measured, A/B: ids of bodies, or components as in "
            "output.components, by their centres: [1/120002, primary_disk/secondary_disk]"},
    {0}};

static bool distance_wanted(const void *self)
{
    return ((const distance *)self)->pairs.n > 0;
}

/* An id, or a component. */
static oct_status resolve_one(oct_component_pass *out, const char *name, const oct_setup *setup)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*name))
        return oct_components_resolve(out, name, setup);
    *out = (oct_component_pass){.types = OCT_COMPONENT_ALL, .wanted = strtoull(name, &end, 10)};
    OCT_CHECK(*end == '\0' && out->wanted > 0 && out->wanted < UINT64_MAX, OCT_STATUS_INPUT,
              "distance: '%.60s' is no id of a body", name);
    return OCT_STATUS_OK;
}

static oct_status resolve_pair(oct_component_pass out[2], const char *pair, const oct_setup *setup)
{
    const char *second = strchr(pair, '/');
    char first[NAME_BYTES];
    OCT_CHECK(second && second - pair < NAME_BYTES && strlen(second + 1) < NAME_BYTES,
              OCT_STATUS_INPUT,
              "distance: '%.60s' is no pair; expected two ids or names of components, A/B", pair);
    snprintf(first, sizeof first, "%.*s", (int)(second - pair), pair);
    OCT_TRY(resolve_one(&out[0], first, setup));
    return resolve_one(&out[1], second + 1, setup);
}

static oct_status distance_check(const void *state, const oct_setup *setup)
{
    const distance *self = state;
    const oct_boundary *boundary = oct_setup_boundary(setup);
    oct_component_pass pair[2];
    OCT_CHECK(!boundary->moving, OCT_STATUS_INPUT,
              "distance: in a sheared box images move; expected an open or a periodic one");
    for (size_t i = 0; i < self->pairs.n; i++) {
        OCT_TRY(resolve_pair(pair, self->pairs.items[i], setup));
        OCT_CHECK(
            !boundary->image || (pair[0].wanted && pair[1].wanted), OCT_STATUS_INPUT,
            "distance: '%.60s': in a box that repeats a component has no centre; expected ids",
            self->pairs.items[i]);
        for (size_t k = 0; k < i; k++)
            OCT_CHECK(strcmp(self->pairs.items[i], self->pairs.items[k]) != 0, OCT_STATUS_INPUT,
                      "distance: '%s' is there twice", self->pairs.items[i]);
    }
    return OCT_STATUS_OK;
}

static const char *distance_part(const void *state, const oct_setup *setup, size_t index)
{
    const oct_texts *pairs = &((const distance *)state)->pairs;
    (void)setup;
    return index < pairs->n ? pairs->items[index] : NULL;
}

static oct_status distance_init(void *state, oct_domain *domain)
{
    return oct_components_share(&((distance *)state)->components, domain);
}

static oct_status distance_measure(double *out, void *state, oct_domain *domain)
{
    const distance *self = state;
    double period[3];
    oct_setup_periods(period, domain->setup);
    for (size_t i = 0; i < self->pairs.n; i++) {
        oct_component_pass pair[2];
        bool there[2];
        double square = 0;
        OCT_TRY(resolve_pair(pair, self->pairs.items[i], domain->setup));
        for (int k = 0; k < 2; k++)
            OCT_TRY(oct_components_centre(&there[k], &pair[k], self->components));
        for (int k = 0; k < 3; k++) {
            double d = pair[1].centre[k] - pair[0].centre[k];
            square += pow(period[k] > 0 ? remainder(d, period[k]) : d, 2);
        }
        out[i] = there[0] && there[1] ? sqrt(square) : NAN;
    }
    return OCT_STATUS_OK;
}

/* What begins with a digit is an id. */
static void distance_memory(oct_needs *needs, const void *state)
{
    const distance *self = state;
    for (size_t i = 0; i < self->pairs.n; i++) {
        const char *pair = self->pairs.items[i], *second = strchr(pair, '/');
        bool ids = isdigit((unsigned char)*pair) || (second && isdigit((unsigned char)second[1]));
        needs->ids = needs->ids || ids;
    }
    oct_components_memory(needs, state);
}

static void distance_free(void *state)
{
    oct_components_free(((distance *)state)->components);
}

const oct_diag oct_diag_distance = {
    .version = OCT_MODULE_VERSION,
    .name = "distance",
    .doc = "Distances between bodies or components, where output.distance asks for them.",
    .state_size = sizeof(distance),
    .check = distance_check,
    .fields = fields,
    .columns = columns,
    .wanted = distance_wanted,
    .init = distance_init,
    .measure = distance_measure,
    .looks = oct_looks_nowhere,
    .part = distance_part,
    .memory = distance_memory,
    .free = distance_free,
    .shared = true,
};
