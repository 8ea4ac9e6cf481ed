/* Fills in the held method's fields with its holder's values, or with its own defaults. */
#include "force/force_method.h"

#include <string.h>

#include "util/number.h"

const oct_force *oct_force_method_of(const oct_choice *choice)
{
    return (const oct_force *)choice->module;
}

/* A field from its default; methods have numbers, choices and switches only. */
static oct_status fill_default(void *state, const oct_field *field)
{
    char *slot = (char *)state + field->offset;
    const char *end;
    double number;
    /* What bodies have by type they have when a simulation begins. */
    if (field->type == OCT_FIELD_GROUP)
        return OCT_STATUS_OK;
    if (field->type == OCT_FIELD_CHOICE) {
        int index = 0;
        while (field->choices[index] && strcmp(field->choices[index], field->initial) != 0)
            index++;
        memcpy(slot, &index, sizeof index);
        return OCT_STATUS_OK;
    }
    if (field->type == OCT_FIELD_BOOL) {
        *(bool *)slot = strcmp(field->initial, "true") == 0;
        return OCT_STATUS_OK;
    }
    OCT_CHECK((field->type == OCT_FIELD_REAL || field->type == OCT_FIELD_INT) && field->initial &&
                  oct_number_read(&number, &end, field->initial) && *end == '\0',
              OCT_STATUS_INTERNAL, "nobody can fill in the field '%s' of a held method",
              field->name);
    int64_t integer = (int64_t)number;
    if (field->type == OCT_FIELD_REAL)
        memcpy(slot, &number, sizeof number);
    else
        memcpy(slot, &integer, sizeof integer);
    return OCT_STATUS_OK;
}

oct_status oct_force_method_make(oct_choice *out, const char *name, const void *holder,
                                 const oct_field *holder_fields)
{
    const oct_module *module = oct_module_find(oct_forces, name);
    OCT_CHECK(module, OCT_STATUS_INTERNAL, "there is no gravity method '%s' to hold", name);
    OCT_TRY(oct_choice_init(out, module));
    for (const oct_field *field = module->fields; field->type != OCT_FIELD_END; field++) {
        double number;
        if (field->type == OCT_FIELD_REAL &&
            oct_field_real(&number, holder, holder_fields, field->name))
            memcpy((char *)out->state + field->offset, &number, sizeof number);
        else
            OCT_TRY(fill_default(out->state, field));
    }
    return OCT_STATUS_OK;
}

oct_status oct_force_method_waited(const oct_choice *method, oct_domain *domain)
{
    const oct_force *force = oct_force_method_of(method);
    return force->waited ? force->waited(method->state, domain) : OCT_STATUS_OK;
}

oct_status oct_force_method_interactions(double out[2], const oct_choice *method,
                                         oct_domain *domain)
{
    const oct_force *force = oct_force_method_of(method);
    if (force->interactions)
        return force->interactions(out, method->state, domain);
    out[0] = 0;
    out[1] = (double)domain->n * domain->acting.n;
    return OCT_STATUS_OK;
}

void oct_force_method_memory(oct_needs *needs, const char *name, const void *holder,
                             const oct_field *holder_fields)
{
    oct_choice method = {0};
    if (oct_force_method_make(&method, name, holder, holder_fields) == OCT_STATUS_OK)
        method.module->memory(needs, method.state);
    oct_choice_clear(&method);
}
