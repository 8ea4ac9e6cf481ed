/* Bodies that clients add or take out between two steps. */
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "view/viewer.h"

/* "0 1.5 -2e3"; stays as it is where the key is not there. */
static oct_status read_vector(double out[3], const oct_form *form, const char *key)
{
    const char *text = oct_form_get(form, key), *at = text;
    double numbers[3];
    if (!text)
        return OCT_STATUS_OK;
    for (int k = 0; k < 3; k++) {
        at += strspn(at, " ");
        OCT_CHECK(oct_number_read(&numbers[k], &at, at) && *at == (k < 2 ? ' ' : '\0'),
                  OCT_STATUS_INPUT, "%s is '%.60s': expected three numbers x y z", key, text);
    }
    memcpy(out, numbers, sizeof numbers);
    return OCT_STATUS_OK;
}

static oct_status read_body(oct_bodies *out, const oct_form *form)
{
    uint64_t type = OCT_TYPE_BODY;
    OCT_TRY(oct_form_check(form, (const char *const[]){"id", "position", "velocity", "spin", "mass",
                                                       "radius", "type", NULL}));
    OCT_CHECK(oct_form_get(form, "position"), OCT_STATUS_INPUT, "where? Expected position=x y z");
    OCT_TRY(read_vector(out->position, form, "position"));
    OCT_TRY(read_vector(out->velocity, form, "velocity"));
    OCT_TRY(read_vector(out->spin, form, "spin"));
    OCT_TRY(oct_form_number(out->mass, form, "mass", 0, 1e300));
    OCT_TRY(oct_form_number(out->radius, form, "radius", 0, 1e300));
    OCT_TRY(oct_form_count(out->id, form, "id", 0, UINT64_MAX));
    OCT_TRY(oct_form_count(&type, form, "type", 1, OCT_TYPE_BLACK_HOLE));
    *out->type = (uint8_t)type;
    return OCT_STATUS_OK;
}

oct_status oct_population_add(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                              oct_text *reply)
{
    oct_status status;
    oct_bodies one = {0};
    OCT_TRY(oct_viewer_check(viewer));
    OCT_TRY_DONE(oct_bodies_resize(&one, 1));
    OCT_TRY_DONE(read_body(&one, form));
    OCT_TRY_DONE(oct_sim_add(sim, &one));
    OCT_TRY_DONE(oct_viewer_regroup(viewer, sim));
    oct_text_add(reply, ", \"id\": \"%llu\", \"n\": %llu", (unsigned long long)one.id[0],
                 (unsigned long long)oct_sim_count(sim));
done:
    oct_bodies_clear(&one);
    return status;
}

oct_status oct_population_remove(oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                                 oct_text *reply)
{
    uint64_t id = 0;
    OCT_TRY(oct_viewer_check(viewer));
    OCT_TRY(oct_form_check(form, (const char *const[]){"id", NULL}));
    OCT_TRY(oct_form_count(&id, form, "id", 0, UINT64_MAX));
    OCT_CHECK(oct_form_get(form, "id"), OCT_STATUS_INPUT, "which body? Expected id=ID");
    OCT_TRY(oct_sim_remove(sim, &id, 1));
    OCT_TRY(oct_viewer_regroup(viewer, sim));
    oct_text_add(reply, ", \"n\": %llu", (unsigned long long)oct_sim_count(sim));
    return OCT_STATUS_OK;
}
