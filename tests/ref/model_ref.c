/* Writes values into a model's fields by name, as the scene loader does. */
#include "model_ref.h"

#include "core/units.h"
#include "util/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Splits "[one, two]". */
static void set_texts(oct_texts *out, const char *text)
{
    char *copy = NULL;
    assert_int_equal(oct_text_copy(&copy, text), OCT_STATUS_OK);
    char *rest = NULL;
    for (char *word = strtok_r(copy, "[], ", &rest); word; word = strtok_r(NULL, "[], ", &rest)) {
        char **items = realloc(out->items, (out->n + 1) * sizeof *items);
        assert_non_null(items);
        out->items = items;
        assert_int_equal(oct_text_copy(&items[out->n++], word), OCT_STATUS_OK);
    }
    free(copy);
}

static void set_field(void *slot, const oct_field *field, const char *text)
{
    char *end = NULL;
    switch (field->type) {
    case OCT_FIELD_REAL:
        *(double *)slot = strtod(text, &end);
        assert_true(*end == '\0');
        break;
    case OCT_FIELD_INT:
        *(int64_t *)slot = strtoll(text, &end, 10);
        assert_true(*end == '\0');
        break;
    case OCT_FIELD_BOOL:
        *(bool *)slot = strcmp(text, "true") == 0;
        break;
    case OCT_FIELD_CHOICE:
        for (int i = 0;; i++) {
            assert_non_null(field->choices[i]);
            if (strcmp(field->choices[i], text) == 0) {
                *(int *)slot = i;
                break;
            }
        }
        break;
    case OCT_FIELD_TEXTS:
        set_texts(slot, text);
        break;
    case OCT_FIELD_TEXT:
    case OCT_FIELD_PATH:
        assert_int_equal(oct_text_copy(slot, text), OCT_STATUS_OK);
        break;
    default:
        fail_msg("field %s is of no type that models have", field->name);
    }
}

/* Fields of groups are named with a dot, "disk.n". */
static void set_fields(void *state, const oct_field *field, const char *prefix,
                       const char *const *values, size_t *used)
{
    for (; field->type != OCT_FIELD_END; field++) {
        char name[64];
        void *slot = (char *)state + field->offset;
        const char *text = field->initial;
        snprintf(name, sizeof name, "%s%s", prefix, field->name);
        if (field->type == OCT_FIELD_GROUP) {
            char inner[sizeof name + 1];
            snprintf(inner, sizeof inner, "%s.", name);
            set_fields(slot, field->group, inner, values, used);
            continue;
        }
        for (size_t i = 0; values[i]; i += 2)
            if (strcmp(values[i], name) == 0) {
                text = values[i + 1];
                ++*used;
            }
        assert_non_null(text);
        set_field(slot, field, text);
    }
}

void ref_model_init(ref_model *model, const oct_model *table, const char *units, uint64_t seed,
                    const char *const *values)
{
    const oct_units *system = oct_units_find(units);
    assert_non_null(system);
    *model = (ref_model){.table = table,
                         .state = calloc(1, table->state_size),
                         .setup = {.seed = seed, .units = *system},
                         .stream = 3};
    assert_non_null(model->state);
    size_t used = 0, given = 0;
    while (values[2 * given])
        given++;
    set_fields(model->state, table->fields, "", values, &used);
    assert_int_equal(used, given);
}

void ref_model_bodies(oct_bodies *out, const ref_model *model)
{
    oct_model_context context = {.setup = &model->setup, .stream = model->stream};
    uint64_t n = 0;
    if (model->table->check)
        assert_int_equal(model->table->check(model->state, &model->setup), OCT_STATUS_OK);
    assert_int_equal(model->table->count(&n, model->state, &context), OCT_STATUS_OK);
    assert_int_equal(oct_bodies_resize(out, (size_t)n), OCT_STATUS_OK);
    assert_int_equal(model->table->generate(out, 0, (size_t)n, model->state, &context),
                     OCT_STATUS_OK);
}

void ref_model_clear(ref_model *model)
{
    oct_field_clear(model->state, model->table->fields);
    free(model->state);
    model->state = NULL;
}

double ref_kinetic(const oct_bodies *bodies)
{
    double sum = 0;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t k = 0; k < 3; k++)
            sum += bodies->mass[i] * bodies->velocity[3 * i + k] * bodies->velocity[3 * i + k];
    return sum / 2;
}

double ref_potential(const oct_bodies *bodies, double G)
{
    double sum = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const double *a = bodies->position + 3 * i;
        for (size_t j = 0; j < i; j++) {
            const double *b = bodies->position + 3 * j;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            sum -= bodies->mass[i] * bodies->mass[j] / sqrt(x * x + y * y + z * z);
        }
    }
    return G * sum;
}

/* The largest component of the mass-weighted mean of vectors. */
static double largest_mean(const oct_bodies *bodies, const double *vectors)
{
    double largest = 0;
    for (size_t k = 0; k < 3; k++) {
        long double sum = 0, mass = 0;
        for (size_t i = 0; i < bodies->n; i++) {
            sum += (long double)bodies->mass[i] * vectors[3 * i + k];
            mass += bodies->mass[i];
        }
        largest = fmax(largest, fabs((double)(sum / mass)));
    }
    return largest;
}

double ref_off_centre(const oct_bodies *bodies)
{
    return largest_mean(bodies, bodies->position);
}

double ref_drift(const oct_bodies *bodies)
{
    return largest_mean(bodies, bodies->velocity);
}

void ref_model_make(oct_bodies *out, const oct_model *table, uint64_t seed,
                    const char *const *values)
{
    ref_model model;
    ref_model_init(&model, table, "nbody", seed, values);
    *out = (oct_bodies){0};
    ref_model_bodies(out, &model);
    ref_model_clear(&model);
}

double ref_length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void ref_check_lagrange_radii(const oct_bodies *bodies, const double radii[3])
{
    const double shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double inside = 0, n = (double)bodies->n;
        for (size_t j = 0; j < bodies->n; j++)
            inside += ref_length(bodies->position + 3 * j) < radii[i];
        double error = (inside / n - shares[i]) / sqrt(shares[i] * (1 - shares[i]) / n);
        print_message("%2.0f %%: %+.2f standard errors\n", 100 * shares[i], error);
        assert_true(fabs(error) < 3);
    }
}

void ref_check_isotropy(const oct_bodies *bodies)
{
    double n = (double)bodies->n, cosine2 = 0, along[3] = {0};
    for (size_t i = 0; i < bodies->n; i++) {
        const double *x = bodies->position + 3 * i, *v = bodies->velocity + 3 * i;
        double c = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / (ref_length(x) * ref_length(v));
        cosine2 += c * c / n;
        for (int k = 0; k < 3; k++)
            along[k] += x[k] * x[k] / (ref_length(x) * ref_length(x)) / n;
    }
    double error = sqrt(4.0 / 45 / n);
    print_message("anisotropy %+.2f %+.2f %+.2f %+.2f standard errors\n",
                  (cosine2 - 1.0 / 3) / error, (along[0] - 1.0 / 3) / error,
                  (along[1] - 1.0 / 3) / error, (along[2] - 1.0 / 3) / error);
    assert_true(fabs(cosine2 - 1.0 / 3) < 3 * error);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(along[k] - 1.0 / 3) < 3 * error);
}

void ref_check_virial(const oct_bodies *bodies, double expected, double tolerance)
{
    double kinetic = ref_kinetic(bodies), potential = ref_potential(bodies, 1);
    double ratio = 2 * kinetic / fabs(potential);
    print_message("virial ratio %.4f, energy %.4f\n", ratio, kinetic + potential);
    assert_true(fabs(ratio - expected) < tolerance);
}
