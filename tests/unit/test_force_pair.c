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
    {"{boundary: periodic, size: [1, 1.25, 1.1]}",
     "leapfrog",
     {.size = {1, 1.25, 1.1}, .rings = {1, 1, 1}},
     {.size = {1, 1.25, 1.1}, .rings = {1, 1, 1}}},
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

static void write_text(char path[512], const char *name, const char *text)
{
    char place[128], folder[256];
    scratch_path(place, name);
    FILE *file = fopen(place, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(path, 512, "%s/%s", folder, place);
}

static oct_sim *start(const box_case *box, const sum_case *sum, oct_precision precision)
{
    char path[512];
    oct_bodies b = {0};
    write_text(path, "law.cl", law_text);
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
    /* Seen: 3.4e-6 and 4.0e-8 in single, 1.5e-14 and 3e-16 in the others. */
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

/* Two passes over columns of every kind, the second of which reads what the first wrote: the mass
 * around a body, and a vector and a rate from that. */
static const char weight_text[] =
    "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"
    "{\n"
    "    sum->weight += j.mass * (real)j.kind * (1 - gap.r2 / (gap.range * gap.range));\n"
    "}\n";
static const char turn_text[] =
    "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"
    "{\n"
    "    real edge = 1 - gap.r2 / (gap.range * gap.range);\n"
    "    sum->swirl += j.weight * edge * cross(i.axis, gap.d);\n"
    "    sum->axis_rate += edge * j.axis * dot(gap.v, gap.v);\n"
    "    sum->heat_rate += i.weight * edge * dot(gap.v, gap.d);\n"
    "}\n";

typedef struct columns {
    const double *axis, *kind, *weight;
} columns;

static void weight_law(double *sum, const oct_bodies *b, size_t i, size_t j,
                       const pair_ref_gap *gap, const void *context)
{
    const columns *c = context;
    (void)i;
    sum[0] += b->mass[j] * c->kind[j] * (1 - gap->r2 / (gap->range * gap->range));
}

static void turn_law(double *sum, const oct_bodies *b, size_t i, size_t j, const pair_ref_gap *gap,
                     const void *context)
{
    const columns *c = context;
    const double *a = c->axis + 3 * i, *d = gap->d, *v = gap->v;
    double edge = 1 - gap->r2 / (gap->range * gap->range);
    const double across[3] = {a[1] * d[2] - a[2] * d[1], a[2] * d[0] - a[0] * d[2],
                              a[0] * d[1] - a[1] * d[0]};
    (void)b;
    for (size_t k = 0; k < 3; k++) {
        sum[k] += c->weight[j] * edge * across[k];
        sum[3 + k] += edge * c->axis[3 * j + k] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    sum[6] += c->weight[i] * edge * (v[0] * d[0] + v[1] * d[1] + v[2] * d[2]);
}

/* The largest error of a column's numbers in parts of their mean size. */
static double column_error(const double *got, const double *exact, size_t width, size_t stride,
                           size_t n)
{
    double worst = 0, mean = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < width; k++) {
            worst = fmax(worst, fabs(got[i * width + k] - exact[i * stride + k]));
            mean += fabs(exact[i * stride + k]) / (double)(n * width);
        }
    return worst / mean;
}

static double *column(const oct_bodies *b, const char *name)
{
    oct_user_column *c = oct_bodies_column(b, name);
    assert_non_null(c);
    return c->data;
}

static oct_sim *start_passes(oct_precision precision, const char *box, const char *integrator)
{
    char weight[512], turn[512];
    uint64_t seed = 3;
    oct_bodies b = {0};
    write_text(weight, "weight.cl", weight_text);
    write_text(turn, "turn.cl", turn_text);
    oct_sim *sim =
        ref_sim(precision,
                "units: nbody\nbox: %s\ncolumns: {kind: {type: integer}, axis: {width: 3}, weight: "
                "{}, swirl: {width: 3}, heat: {default: 1}, reach: {}}\n"
                "models: [plummer: {n: %d}]\ngravity: {method: none}\nforces:\n"
                "  - pair: {source: %s, range: reach, self: true, writes: [weight]}\n"
                "  - pair: {source: %s, range: reach, reach: own, writes: [swirl], rates: [axis, "
                "heat]}\n"
                "integrator: {method: %s, dt: %g}\nrun: {until: 1}\n",
                box, BODIES, weight, turn, integrator, DT);
    ref_ok(oct_sim_bodies(&b, sim));
    scatter(&b);
    for (size_t i = 0; i < b.n; i++) {
        column(&b, "kind")[i] = (double)(i % 5) - 1;
        column(&b, "reach")[i] = b.radius[i];
        for (size_t k = 0; k < 3; k++)
            column(&b, "axis")[3 * i + k] = random_number(&seed) - 0.5;
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    oct_bodies_clear(&b);
    return sim;
}

/* What the bodies of a box have in a pass, by plain loops. */
static void sum_passes(double *weights, double *turns, const oct_bodies *b, const pair_ref_box *box)
{
    columns c = {column(b, "axis"), column(b, "kind"), weights};
    pair_ref ref = {
        .box = *box, .range = column(b, "reach"), .self = true, .law = weight_law, .context = &c};
    pair_ref_sum(weights, 1, b, &ref);
    ref.reach = PAIR_REF_OWN;
    ref.self = false;
    ref.law = turn_law;
    pair_ref_sum(turns, 7, b, &ref);
}

static void passes_follow_one_another(void **state)
{
    static double weights[BODIES], turns[7 * BODIES], change[4 * BODIES], seen[4 * BODIES];
    (void)state;
    for (int p = OCT_PRECISION_SINGLE; p <= OCT_PRECISION_DOUBLE; p++)
        for (size_t m = 0; m < sizeof boxes / sizeof boxes[0]; m++) {
            oct_bodies b = {0}, next = {0};
            bool single = p == OCT_PRECISION_SINGLE, sei = strcmp(boxes[m].integrator, "sei") == 0;
            oct_sim *sim =
                start_passes((oct_precision)p, boxes[m].text, sei ? "sei" : "symplectic-euler");
            pair_ref_box box = boxes[m].around;
            ref_ok(oct_sim_bodies(&b, sim));
            sum_passes(weights, turns, &b, &box);
            double error = fmax(column_error(column(&b, "weight"), weights, 1, 1, b.n),
                                column_error(column(&b, "swirl"), turns, 3, 7, b.n));
            assert_true(error < (single ? 1e-4 : 1e-11)); /* seen: 1.6e-5, 2.4e-14 */
            /* A step later columns have changed by dt times their rates, here at its start. */
            if (!sei) {
                ref_ok(oct_sim_step(sim, 1));
                ref_ok(oct_sim_bodies(&next, sim));
                for (size_t i = 0; i < b.n; i++) {
                    for (size_t k = 0; k < 3; k++)
                        seen[4 * i + k] =
                            (column(&next, "axis")[3 * i + k] - column(&b, "axis")[3 * i + k]) / DT;
                    seen[4 * i + 3] = (column(&next, "heat")[i] - column(&b, "heat")[i]) / DT;
                    memcpy(change + 4 * i, turns + 7 * i + 3, 4 * sizeof *change);
                }
                double rates = column_error(seen, change, 4, 4, b.n);
                print_message("precision %d, %s: %.1e, rates %.1e\n", p, boxes[m].text, error,
                              rates);
                assert_true(rates < (single ? 1e-3 : 1e-11)); /* seen: 7.4e-5, 1.2e-13 */
            }
            oct_bodies_clear(&b);
            oct_bodies_clear(&next);
            oct_sim_free(sim);
        }
}

/* In single precision, far from the origin and with ranges that are small against the box: what j
 * does to i, i does to j, or momentum would not be kept. */
static void both_bodies_of_a_pair_find_it(void **state)
{
    char path[512];
    uint64_t seed = 17;
    oct_bodies b = {0};
    (void)state;
    write_text(path, "unit.cl",
               "void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap)\n"
               "{ sum->acceleration += gap.d; sum->count += 1; }\n");
    oct_sim *sim = ref_sim(OCT_PRECISION_SINGLE,
                           "units: nbody\nbox: {boundary: periodic, size: [1000, 1000, 1000]}\n"
                           "columns: {count: {}}\nmodels: [plummer: {n: 3000}]\n"
                           "gravity: {method: none}\nforces: [pair: {source: %s, range: 0.0005, "
                           "writes: [acceleration, count]}]\n"
                           "integrator: {dt: 1}\nrun: {until: 1}\n",
                           path);
    ref_ok(oct_sim_bodies(&b, sim));
    /* A sheet on the faces of the box, which many pairs reach through; a float has steps of 6e-5
     * there. */
    for (size_t i = 0; i < b.n; i++) {
        b.position[3 * i] = (i % 2 ? 500 : -500) + 0.002 * (random_number(&seed) - 0.5);
        for (size_t k = 1; k < 3; k++)
            b.position[3 * i + k] = 499 + 0.004 * random_number(&seed);
    }
    ref_ok(oct_sim_set_bodies(sim, &b));
    ref_ok(oct_sim_bodies(&b, sim));
    double total[3] = {0}, size = 0, pairs = 0;
    for (size_t i = 0; i < b.n; i++) {
        pairs += column(&b, "count")[i];
        for (size_t k = 0; k < 3; k++) {
            total[k] += b.acceleration[3 * i + k];
            size += fabs(b.acceleration[3 * i + k]);
        }
    }
    print_message("%g pairs, %g %g %g of %g\n", pairs, total[0], total[1], total[2], size);
    assert_true(pairs > 3000);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(total[k]) < 1e-7 * size); /* seen: 0 */
    oct_bodies_clear(&b);
    oct_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(passes_follow_one_another),
        cmocka_unit_test(both_bodies_of_a_pair_find_it),
    };
    int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    ref_device_close();
    return failed;
}
