/* Sums over pairs by a user's function against plain double loops: every boundary, with and without
 * a range, in each precision. */
#include <math.h>

#include "files.h"
#include "pair_ref.h"
#include "scene_sim.h"

enum { BODIES = 300, STEPS = 7 };
#define DT 0.013

/* Uses all that is between two bodies, and is 0 at the edge of the range, so that one rounding more
 * or less makes no difference there. */
static const char law_text[] =
    "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap,\n"
    "                 constant octant_parameters *parameters)\n"
    "{\n"
    "    real edge = isinf(gap.range) ? 1 : 1 - gap.r2 / (gap.range * gap.range);\n"
    "    real w = rsqrt(gap.r2 + parameters->soft), odd = j.id % 2 ? 1 : parameters->odd;\n"
    "    sum->potential += odd * edge * j.mass * w;\n"
    "    sum->acceleration += edge * (odd * j.mass * w * w * w * gap.d +\n"
    "                                 parameters->drag * i.radius * gap.v);\n"
    "}\n";
static const double soft = 0.02, odd_factor = 0.4, drag = 0.3;

static void law(double *sum, const oct_bodies *b, size_t i, size_t j, const pair_ref_gap *gap,
                const void *context)
{
    (void)context;
    double edge = isinf(gap->range) ? 1 : 1 - gap->r2 / (gap->range * gap->range);
    double w = 1 / sqrt(gap->r2 + soft), odd = b->id[j] % 2 ? 1 : odd_factor;
    for (int k = 0; k < 3; k++)
        sum[k] +=
            edge * (odd * b->mass[j] * w * w * w * gap->d[k] + drag * b->radius[i] * gap->v[k]);
    sum[3] += odd * edge * b->mass[j] * w;
}

typedef struct box_case {
    const char *text, *integrator;
    pair_ref_box around, acting;
} box_case;

static const box_case boxes[] = {
    {"{boundary: open}", "leapfrog", {.rings = {0}}, {.rings = {0}}},
    {"{boundary: periodic, size: [1, 1.25, 2]}",
     "leapfrog",
     {.size = {1, 1.25, 2}, .rings = {1, 1, 1}},
     {.size = {1, 1.25, 2}, .rings = {1, 1, 1}}},
    {"{boundary: shear, size: [1, 1.5, 1], ghosts: [2, 1, 0], omega: 1.7}",
     "sei",
     {.size = {1, 1.5, 1}, .omega = 1.7, .rings = {1, 1, 0}},
     {.size = {1, 1.5, 1}, .omega = 1.7, .rings = {2, 1, 0}}},
};

typedef struct sum_case {
    const char *name, *fields;
    double range; /* 0: none; below 0: radii */
    bool nearest, acting, self;
    pair_ref_reach reach;
} sum_case;

static const sum_case sums[] = {
    {"all pairs", "", 0, .nearest = true},
    {"all pairs in every image", "images: acting", 0, .acting = true},
    {"a range", "range: 0.31", 0.31, .reach = PAIR_REF_LARGER},
    {"radii, the larger", "range: radius, self: true", -1, .self = true},
    {"radii, the own", "range: radius, reach: own", -1, .reach = PAIR_REF_OWN},
};

static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Bodies all over a box of about 1, most of them with small radii and a few with large ones. */
static void scatter(oct_bodies *b)
{
    uint64_t seed = 11;
    for (size_t i = 0; i < b->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            b->position[3 * i + k] = 0.999 * (random_number(&seed) - 0.5);
            b->velocity[3 * i + k] = random_number(&seed) - 0.5;
        }
        b->mass[i] = random_number(&seed) + 0.1;
        b->radius[i] = 0.02 + (i % 17 == 0 ? 0.4 : 0.15) * random_number(&seed);
    }
}

static void write_law(char path[512])
{
    char name[128], folder[256];
    scratch_path(name, "law.cl");
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(law_text, file);
    fclose(file);
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(path, 512, "%s/%s", folder, name);
}

static oct_sim *start(const box_case *box, const sum_case *sum, oct_precision precision)
{
    char path[512];
    oct_bodies b = {0};
    write_law(path);
    oct_sim *sim = ref_sim(precision,
                           "units: nbody\nbox: %s\nmodels: [plummer: {n: %d}]\n"
                           "gravity: {method: none}\n"
                           "forces: [pair: {source: %s, parameters: {soft: %g, odd: %g, drag: %g}"
                           "%s%s}]\nintegrator: {method: %s, dt: %g}\nrun: {until: 1}\n",
                           box->text, BODIES, path, soft, odd_factor, drag,
                           *sum->fields ? ", " : "", sum->fields, box->integrator, DT);
    ref_ok(oct_sim_bodies(&b, sim));
    scatter(&b);
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

/* The largest error of an acceleration, in parts of the mean one. */
static double worst_error(const oct_bodies *b, const double *exact)
{
    double worst = 0, mean = 0;
    for (size_t i = 0; i < b->n; i++) {
        double d2 = 0, a2 = 0;
        for (size_t k = 0; k < 3; k++) {
            d2 += pow(b->acceleration[3 * i + k] - exact[4 * i + k], 2);
            a2 += pow(exact[4 * i + k], 2);
        }
        worst = fmax(worst, sqrt(d2));
        mean += sqrt(a2) / (double)b->n;
    }
    return worst / mean;
}

static void compare(const box_case *box, const sum_case *sum, oct_precision precision)
{
    static double exact[4 * BODIES];
    double energy = 0, tolerance = precision == OCT_PRECISION_SINGLE ? 2e-5 : 1e-12;
    oct_bodies b = {0};
    oct_sim *sim = start(box, sum, precision);
    ref_ok(oct_sim_step(sim, STEPS)); /* so that images have moved */
    ref_ok(oct_sim_bodies(&b, sim));
    ref_ok(oct_sim_set_bodies(sim, &b)); /* a step's forces are those of velocities within it */
    ref_ok(oct_sim_bodies(&b, sim));
    double ranges[BODIES];
    for (size_t i = 0; i < b.n; i++)
        ranges[i] = sum->range > 0 ? sum->range : b.radius[i];
    pair_ref ref = {.box = sum->acting ? box->acting : box->around,
                    .range = sum->range != 0 ? ranges : NULL,
                    .reach = sum->reach,
                    .nearest = sum->nearest,
                    .self = sum->self,
                    .law = law};
    ref.box.time = oct_sim_time(sim);
    pair_ref_sum(exact, 4, &b, &ref);
    for (size_t i = 0; i < b.n; i++)
        energy += b.mass[i] * exact[4 * i + 3] / 2;
    double error = worst_error(&b, exact);
    double energy_error = fabs(ref_measure(sim, "potential") - energy) / fabs(energy);
    print_message("%s, %s, precision %d: %.1e, energy %.1e\n", box->text, sum->name, (int)precision,
                  error, energy_error);
    /* Seen: 1.3e-6 and 2.6e-8 in single, 4e-15 and 8e-16 in the others. */
    assert_true(error < tolerance);
    assert_true(energy_error < tolerance / 10);
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++)
        for (size_t p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
            for (size_t m = 0; m < sizeof boxes / sizeof boxes[0]; m++)
                compare(&boxes[m], &sums[k], (oct_precision)p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failed;
}
