/* What of a self-test a scene uses, so that no more is compiled for it than it needs. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "force/force_leap.h"
#include "io/scene.h"
#include "selftest/selftest.h"

static const oct_choice *section_of(const oct_setup *setup, const char *section)
{
    return strcmp(section, "gravity") == 0      ? &setup->gravity
           : strcmp(section, "collisions") == 0 ? &setup->collisions
           : strcmp(section, "integrator") == 0 ? &setup->integrator
                                                : &setup->boundary;
}

static bool is(const oct_choice *choice, const char *module)
{
    return strcmp(choice->module->name, module) == 0;
}

static const oct_field *field_of(const oct_choice *choice, const char *name)
{
    const oct_field *f = choice->module->fields;
    while (f && f->type != OCT_FIELD_END && strcmp(f->name, name) != 0)
        f++;
    return f && f->type != OCT_FIELD_END ? f : NULL;
}

/* As far as a value shapes code: the choice itself, of numbers whether there are any. */
static int shape_of(const oct_choice *choice, const oct_field *f)
{
    const char *slot = (const char *)choice->state + f->offset;
    const double *real = (const double *)slot;
    const int64_t *integer = (const int64_t *)slot;
    switch (f->type) {
    case OCT_FIELD_CHOICE:
        return *(const int *)slot;
    case OCT_FIELD_REAL:
        return real[0] != 0 && isfinite(real[0]);
    case OCT_FIELD_INT3:
        return integer[0] != 0 || integer[1] != 0 || integer[2] != 0;
    default:
        return 0;
    }
}

/* Whether a gravity that holds other methods may hold this one. */
static bool may_hold(const oct_choice *gravity, const char *method)
{
    double threshold;
    if (is(gravity, "auto"))
        return strcmp(method, "tree") == 0 || strcmp(method, "direct") == 0;
    const oct_field *fallback = field_of(gravity, "fallback");
    return fallback &&
           oct_field_real(&threshold, gravity->state, gravity->module->fields, "threshold") &&
           threshold > 0 && strcmp(fallback->choices[shape_of(gravity, fallback)], method) == 0;
}

static bool measures(const oct_setup *setup, const char *module)
{
    const oct_choice *diag;
    for (size_t i = 0; (diag = oct_setup_diag(setup, i)) != NULL; i++)
        if (is(diag, module))
            return true;
    return false;
}

bool oct_selftest_has(const oct_selftest_run *test, const char *section, const char *module)
{
    if (!test->setup)
        return true;
    if (strcmp(section, "output") == 0)
        return measures(test->setup, module);
    const oct_choice *choice = section_of(test->setup, section);
    return is(choice, module) || (choice == &test->setup->gravity && may_hold(choice, module));
}

static unsigned differences(const oct_choice *a, const oct_choice *b)
{
    unsigned n = 0;
    for (const oct_field *f = a->module->fields; f && f->type != OCT_FIELD_END; f++) {
        const oct_field *same = field_of(b, f->name);
        n += same && same->type == f->type && shape_of(a, f) != shape_of(b, same);
    }
    return n;
}

static bool is_bridges(const oct_setup *setup)
{
    return setup->contact.restitution && strcmp(setup->contact.restitution, "bridges") == 0;
}

const char *oct_selftest_restitution(const oct_selftest_run *test)
{
    return test->setup && is_bridges(test->setup) ? "bridges, bridges_speed: 0.3" : "0.5";
}

bool oct_selftest_has_images(const oct_selftest_run *test)
{
    return test->setup && oct_setup_boundary(test->setup)->image;
}

/* Whether bodies merge or rub where the others do not. */
static unsigned other_contact(const oct_contact *a, const oct_contact *b)
{
    return (unsigned)(a->outcome != b->outcome) +
           (unsigned)((a->tangential < 1) != (b->tangential < 1));
}

/* How far a variant is from what is wanted; UINT_MAX: it is something else. */
static unsigned distance(const oct_selftest_run *test, const oct_setup *variant,
                         const char *section)
{
    const unsigned other_boundary = 100;
    const oct_choice *mine = section_of(variant, section);
    const oct_field *kernel = field_of(mine, "kernel");
    if (!test->setup)
        return test->used && kernel && shape_of(mine, kernel) != 0 ? UINT_MAX : 0;
    if (!oct_selftest_has(test, section, mine->module->name))
        return UINT_MAX;
    const oct_choice *box = &variant->boundary, *wanted = &test->setup->boundary;
    return differences(mine, section_of(test->setup, section)) +
           (is_bridges(variant) != is_bridges(test->setup)) +
           other_contact(&variant->contact, &test->setup->contact) +
           (box->module == wanted->module ? differences(box, wanted) : other_boundary);
}

oct_status oct_selftest_choose(bool *chosen, size_t n, const oct_selftest_run *test,
                               const char *section, void (*write)(char *out, size_t variant))
{
    unsigned found[64], nearest = UINT_MAX;
    OCT_CHECK(n <= sizeof found / sizeof found[0], OCT_STATUS_INTERNAL,
              "a self-test has too many variants");
    for (size_t i = 0; i < n; i++) {
        char text[OCT_SELFTEST_SCENE];
        oct_scene *scene;
        oct_setup *variant;
        write(text, i);
        OCT_TRY(oct_scene_parse(&scene, text, strlen(text), "selftest"));
        oct_status status = oct_scene_setup(&variant, scene);
        oct_scene_free(scene);
        OCT_TRY(status);
        found[i] = distance(test, variant, section);
        oct_setup_free(variant);
        if (found[i] < nearest)
            nearest = found[i];
    }
    for (size_t i = 0; i < n; i++)
        chosen[i] = found[i] == nearest && nearest != UINT_MAX;
    return OCT_STATUS_OK;
}

bool oct_selftest_removes(const oct_setup *setup)
{
    double radius;
    return oct_field_real(&radius, setup->boundary.state, setup->boundary.module->fields,
                          "removal_radius") &&
           isfinite(radius);
}

bool oct_selftest_leaps(const oct_selftest_run *test)
{
    const oct_device_info *info = oct_device_describe(test->device);
    const oct_setup *setup = test->setup;
    const oct_boundary *boundary = oct_setup_boundary(setup);
    const oct_field *bursts = field_of(&setup->integrator, "bursts");
    uint64_t n;
    return is(&setup->integrator, "leapfrog") && bursts &&
           *(const bool *)((const char *)setup->integrator.state + bursts->offset) &&
           oct_selftest_has(test, "gravity", "direct") && !test->shared && setup->n_forces == 0 &&
           setup->added.n == 0 && !oct_setup_collision(setup)->collide && !boundary->image &&
           !boundary->pull && !oct_selftest_removes(setup) &&
           oct_setup_count(&n, setup) == OCT_STATUS_OK &&
           oct_leap_suits(n, oct_device_is_cpu(info), info);
}

int oct_selftest_boxes(const oct_selftest_run *test)
{
    return oct_device_is_cpu(oct_device_describe(test->device)) ? 1 : 2;
}

const char *oct_selftest_box(int kind)
{
    return kind == 0 ? "boxes: fine" : "boxes: coarse";
}

void oct_selftest_gravity(char out[160], double *softening, const oct_selftest_run *test,
                          const char *boxes)
{
    static const char *const fields[] = {"kernel", "order"};
    const oct_choice *gravity = test->setup ? &test->setup->gravity : NULL;
    bool tree = gravity && is(gravity, "tree"), same = tree || (gravity && is(gravity, "direct"));
    double own;
    if (gravity && oct_field_real(&own, gravity->state, gravity->module->fields, "softening") &&
        own == 0)
        *softening = 0;
    int used = snprintf(out, 160, "{method: %s, softening: %g",
                        tree ? "tree, theta: 0.02" : "direct", *softening);
    for (size_t i = 0; i < 2; i++) {
        const oct_field *f = same ? field_of(gravity, fields[i]) : NULL;
        if (f)
            used += snprintf(out + used, 160 - (size_t)used, ", %s: %s", f->name,
                             f->choices[shape_of(gravity, f)]);
    }
    snprintf(out + used, 160 - (size_t)used, "%s%s}", tree && boxes ? ", " : "",
             tree && boxes ? boxes : "");
}
