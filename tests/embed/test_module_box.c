/* Modules of a program: a boundary and a collision method, each made of one kernel. */
#include "files.h"

#include "octant/module.h"
#include "scene_sim.h"

#include <math.h>

/* A boundary: a cube with walls that bodies bounce off --------------------------------------------
 */

typedef struct walls {
    double side;

    double half;
    oct_program *program;
    oct_kernel *reflect;
} walls;

static const oct_field walls_fields[] = {{.name = "side",
                                          .type = OCT_FIELD_REAL,
                                          .offset = offsetof(walls, side),
                                          .unit = {1, 0, 0},
                                          .above_min = true,
                                          .max = 1e300,
                                          .doc = "length of a side, around the origin"},
                                         {0}};

static const char walls_source[] =
    "#include \"precision.clh\"\n"
    "kernel void walls_reflect(global real4 *position, global real4 *velocity, real half_side,\n"
    "                          uint n)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    real4 x = position[i], v = velocity[i];\n"
    "    v.xyz = select(v.xyz, -v.xyz, fabs(x.xyz) > half_side);\n"
    "    position[i].xyz = select(x.xyz, copysign(2 * half_side, x.xyz) - x.xyz,\n"
    "                             fabs(x.xyz) > half_side);\n"
    "    velocity[i] = v;\n"
    "}\n";

static oct_status walls_init(void *state, oct_domain *domain)
{
    walls *self = state;
    self->half = self->side / 2;
    OCT_TRY(oct_domain_compile(&self->program, domain, "walls.cl", walls_source, NULL));
    return OCT_KERNEL(&self->reflect, self->program, "walls_reflect", oct_domain_offer(domain),
                      OCT_BIND_REAL("half_side", &self->half));
}

static oct_status walls_apply(void *state, oct_domain *domain)
{
    walls *self = state;
    return oct_kernel_launch(self->reflect, oct_domain_count(domain), 0);
}

static bool walls_size(double out[3], const void *state)
{
    const walls *self = state;
    out[0] = out[1] = out[2] = self->side;
    return true;
}

static void walls_free(void *state)
{
    walls *self = state;
    oct_kernel_free(self->reflect);
    oct_program_free(self->program);
}

static const oct_boundary walls_boundary = {.version = OCT_MODULE_VERSION,
                                            .name = "walls",
                                            .doc = "A cube that bodies bounce about in.",
                                            .state_size = sizeof(walls),
                                            .fields = walls_fields,
                                            .init = walls_init,
                                            .apply = walls_apply,
                                            .size = walls_size,
                                            .free = walls_free};

/* Collisions: all pairs, one after the other ------------------------------------------------------
 */

typedef struct serial {
    double elasticity;

    oct_program *program;
    oct_kernel *bounce;
    oct_buffer *tally; /* pairs, and the energy that they lost */
} serial;

static const oct_field serial_fields[] = {{.name = "elasticity",
                                           .type = OCT_FIELD_REAL,
                                           .offset = offsetof(serial, elasticity),
                                           .initial = "1",
                                           .max = 1,
                                           .doc = "speed of parting over that of approach"},
                                          {0}};

static const char serial_source[] =
    "#include \"precision.clh\"\n"
    "kernel void serial_bounce(global real4 *velocity, global real *tally,\n"
    "                          global const real4 *position, real elasticity, uint n)\n"
    "{\n"
    "    if (get_global_id(0) > 0)\n"
    "        return;\n"
    "    for (uint i = 0; i < n; i++)\n"
    "        for (uint j = i + 1; j < n; j++) {\n"
    "            real3 d = position[j].xyz - position[i].xyz;\n"
    "            real r = length(d), mi = position[i].w, mj = position[j].w;\n"
    "            real w = dot(velocity[j].xyz - velocity[i].xyz, d) / r;\n"
    "            if (r > velocity[i].w + velocity[j].w || w >= 0)\n"
    "                continue;\n"
    "            real m = mi * mj / (mi + mj);\n"
    "            real3 kick = d * ((1 + elasticity) * m * w / r);\n"
    "            velocity[i].xyz += kick / mi;\n"
    "            velocity[j].xyz -= kick / mj;\n"
    "            tally[0] += 1;\n"
    "            tally[1] += (1 - elasticity * elasticity) * m * w * w / 2;\n"
    "        }\n"
    "}\n";

static size_t real_bytes(const oct_domain *domain)
{
    return oct_domain_precision(domain) == OCT_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

static oct_status serial_init(void *state, oct_domain *domain)
{
    serial *self = state;
    OCT_TRY(oct_buffer_create(&self->tally, oct_domain_device(domain), "serial_tally",
                              real_bytes(domain), 2));
    OCT_TRY(oct_buffer_fill(self->tally, 0));
    OCT_TRY(oct_domain_add_state(domain, self->tally));
    OCT_TRY(oct_domain_compile(&self->program, domain, "serial.cl", serial_source, NULL));
    return OCT_KERNEL(&self->bounce, self->program, "serial_bounce", oct_domain_offer(domain),
                      OCT_BIND_OUT("tally", &self->tally),
                      OCT_BIND_REAL("elasticity", &self->elasticity));
}

static oct_status serial_collide(void *state, oct_domain *domain, double dt)
{
    serial *self = state;
    (void)domain;
    (void)dt;
    return oct_kernel_launch(self->bounce, 1, 1);
}

static oct_status serial_impacts(oct_impacts *out, void *state, oct_domain *domain)
{
    serial *self = state;
    float singles[2];
    double tally[2];
    if (real_bytes(domain) == sizeof(float)) {
        OCT_TRY(oct_buffer_read(singles, self->tally, 0, 2));
        tally[0] = (double)singles[0];
        tally[1] = (double)singles[1];
    } else {
        OCT_TRY(oct_buffer_read(tally, self->tally, 0, 2));
    }
    *out = (oct_impacts){.pairs = tally[0], .energy = tally[1]};
    return OCT_STATUS_OK;
}

static void serial_free(void *state)
{
    serial *self = state;
    oct_kernel_free(self->bounce);
    oct_program_free(self->program);
    oct_buffer_free(self->tally);
}

static const oct_collision serial_collision = {.version = OCT_MODULE_VERSION,
                                               .name = "serial",
                                               .doc = "Bounces pair after pair.",
                                               .state_size = sizeof(serial),
                                               .fields = serial_fields,
                                               .init = serial_init,
                                               .collide = serial_collide,
                                               .impacts = serial_impacts,
                                               .free = serial_free,
                                               .all_pairs = true};

/* Tests ------------------------------------------------------------------------------------------
 */

static void add_both(oct_scene *scene)
{
    ref_ok(oct_scene_add_module(scene, OCT_FAMILY_BOUNDARY, &walls_boundary, OCT_MODULE_VERSION));
    ref_ok(
        oct_scene_add_module(scene, OCT_FAMILY_COLLISION, &serial_collision, OCT_MODULE_VERSION));
}

static oct_sim *make(const char *settings, const oct_bodies *bodies)
{
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    char text[300];
    int length =
        snprintf(text, sizeof text,
                 "units: nbody\ngravity: {method: none}\nintegrator: {dt: 0.01}\n%s\n", settings);
    ref_ok(oct_scene_parse(&scene, text, (size_t)length, "box"));
    add_both(scene);
    ref_ok(oct_sim_create_with(&sim, ref_device(), scene,
                               &(oct_sim_options){.size = sizeof(oct_sim_options),
                                                  .precision = OCT_PRECISION_DOUBLE,
                                                  .bodies = bodies}));
    oct_scene_free(scene);
    return sim;
}

/* Where a straight way of that length ends between walls at -half and half. */
static double folded(double way, double half)
{
    double x = fmod(way + half, 4 * half);
    x += x < 0 ? 4 * half : 0;
    return (x < 2 * half ? x : 4 * half - x) - half;
}

static void bodies_bounce_off_walls(void **state)
{
    double position[] = {0.1, -0.2, 0.3, 0, 0, 0, 0.4, 0.4, -0.4};
    double velocity[] = {0.7, -1.1, 0.2, 0, 0, 0, 3, 0, -0.1};
    const oct_bodies three = {.n = 3, .position = position, .velocity = velocity};
    oct_sim *sim = make("box: {boundary: walls, side: 1}", &three), *free_sim = make("", &three);
    double x[9], outside[9], off = 0;
    (void)state;
    ref_ok(oct_sim_step(sim, 700));
    ref_ok(oct_sim_step(free_sim, 700));
    ref_ok(oct_sim_read(x, OCT_ELEMENT_DOUBLE, sim, "position", NULL));
    ref_ok(oct_sim_read(outside, OCT_ELEMENT_DOUBLE, free_sim, "position", NULL));
    for (size_t i = 0; i < 9; i++)
        off = fmax(off, fabs(x[i] - folded(position[i] + 7 * velocity[i], 0.5)));
    assert_true(off < 1e-13); /* seen: 9e-15 */
    assert_true(outside[0] > 4 && outside[6] > 20);
    oct_sim_free(sim);
    oct_sim_free(free_sim);
}

/* Five spheres in a row, of which the first comes flying: a cradle. */
static oct_sim *cradle(const char *elasticity)
{
    double position[15] = {-2}, velocity[15] = {1}, mass[5], radius[5];
    char settings[100];
    for (size_t i = 0; i < 5; i++) {
        mass[i] = 1;
        radius[i] = 0.1;
        position[3 * i] += 0.25 * (double)i;
    }
    snprintf(settings, sizeof settings, "collisions: {method: serial, elasticity: %s}", elasticity);
    return make(
        settings,
        &(oct_bodies){
            .n = 5, .position = position, .velocity = velocity, .mass = mass, .radius = radius});
}

static void spheres_hand_their_motion_on(void **state)
{
    oct_sim *sim = cradle("1");
    double v[15];
    (void)state;
    ref_ok(oct_sim_step(sim, 300));
    ref_ok(oct_sim_read(v, OCT_ELEMENT_DOUBLE, sim, "velocity", NULL));
    for (size_t i = 0; i < 15; i++)
        assert_true(v[i] == (i == 12 ? 1 : 0)); /* a swap of equal masses is exact */
    assert_true(ref_measure(sim, "energy_lost") == 0);
    oct_sim_free(sim);
}

/* With e = 0.5 each hands 3/4 of its speed on, and half of the motion against each other stays. */
static void what_they_lose_is_told_and_kept(void **state)
{
    char path[128];
    oct_sim *sim = cradle("0.5"), *resumed = NULL;
    oct_scene *scene = NULL;
    double v[15], energy = 0, lost;
    uint64_t last = 5;
    (void)state;
    scratch_path(path, "checkpoint.hdf5");
    ref_ok(oct_sim_step(sim, 60));
    ref_ok(oct_sim_checkpoint(sim, path));
    ref_ok(oct_scene_restore(&scene, path));
    add_both(scene);
    ref_ok(oct_sim_resume(&resumed, ref_device(), path, scene));
    ref_ok(oct_sim_step(sim, 340));
    ref_ok(oct_sim_step(resumed, 340));
    assert_true(ref_hash(sim) == ref_hash(resumed));
    ref_ok(oct_sim_read(v, OCT_ELEMENT_DOUBLE, sim, "velocity", NULL));
    for (size_t i = 0; i < 15; i++)
        energy += 0.5 * v[i] * v[i];
    lost = ref_measure(sim, "energy_lost");
    assert_true(lost > 0.1 && fabs(0.5 - energy - lost) < 1e-14); /* seen: 1.1e-16 */
    assert_true(ref_measure(resumed, "energy_lost") == lost);
    assert_true(fabs(v[12] - pow(0.75, 4)) < 1e-14);
    /* What was lost stays lost when settings and bodies change. */
    ref_ok(oct_sim_set(sim, "collisions.elasticity=0.25"));
    assert_true(ref_measure(sim, "energy_lost") == lost);
    ref_ok(oct_sim_remove(sim, &last, 1));
    assert_true(ref_measure(sim, "energy_lost") == lost);
    oct_scene_free(scene);
    oct_sim_free(sim);
    oct_sim_free(resumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_bounce_off_walls),
        cmocka_unit_test(spheres_hand_their_motion_on),
        cmocka_unit_test_setup_teardown(what_they_lose_is_told_and_kept, scratch_make,
                                        scratch_remove),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ref_device_close();
    return failed;
}
