/* Sizes of the parts of trees that domains send each other, for so many domains that they would not
 * fit into one machine: `simulate_trees DEVICE plummer|disk|cube N DOMAINS EVERY` makes a model of
 * N bodies, cuts the curve through it into runs of equal length, as a simulation does when it
 * begins, and makes the messages of one domain after the other, with the boxes that the others have
 * told (tree/essential.h). Of every EVERY-th domain all that it sends and all that it gets is
 * counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/lineup.h"
#include "spread.h"
#include "timing.h"
#include "tree/essential.h"

/* What a domain has told, and what those that are looked at send and get. */
typedef struct place {
    uint32_t parts;
    size_t bytes;
    char *boxes;
    double sent[3], received[3]; /* bytes, cells, bodies */
    double *from;                /* bytes that each other domain sends; NULL: nobody looks */
} place;

static struct {
    oct_device *device;
    const char *model;
    uint64_t n;
    uint32_t domains, every;
    double (*bodies)[4]; /* position and mass, along the curve */
    double box[2][4];    /* around all of them: domains build their trees in it */
    place *places;
} all;

/* A communicator of one domain: what others say was recorded. Ranks are places in a list. */
typedef struct replay {
    oct_comm base;
    uint32_t self, *list, calls;
    double cell_bytes, body_bytes;
} replay;

static replay *replay_of(oct_comm *comm)
{
    return (replay *)(void *)comm;
}

static oct_status replay_gather(oct_comm *comm, void *out, const void *mine, size_t bytes)
{
    const replay *r = replay_of(comm);
    if (bytes != sizeof(uint32_t))
        return OCT_FAIL(OCT_STATUS_INTERNAL, "expected the number of boxes");
    memcpy(&all.places[r->self].parts, mine, bytes);
    for (uint32_t i = 0; i < comm->size; i++)
        memcpy((char *)out + i * bytes, &all.places[r->list[i]].parts, bytes);
    return OCT_STATUS_OK;
}

static void take_boxes(replay *r, const oct_parcel *out, const oct_parcel *in)
{
    place *own = &all.places[r->self];
    if (!own->boxes) {
        own->bytes = out[r->base.rank].bytes;
        own->boxes = malloc(own->bytes);
        memcpy(own->boxes, out[r->base.rank].data, own->bytes);
    }
    for (uint32_t i = 0; i < r->base.size; i++)
        memcpy(in[i].data, all.places[r->list[i]].boxes, in[i].bytes);
}

static void take_lengths(replay *r, const oct_parcel *out, const oct_parcel *in)
{
    for (uint32_t i = 0; i < r->base.size; i++) {
        oct_essential_length length;
        if (i == r->base.rank)
            continue;
        memcpy(&length, out[i].data, sizeof length);
        memset(in[i].data, 0, in[i].bytes);
        place *to = &all.places[r->list[i]], *from = &all.places[r->self];
        const double sizes[3] = {length.cells * r->cell_bytes + length.bodies * r->body_bytes,
                                 length.cells, length.bodies};
        for (int k = 0; k < 3; k++) {
            from->sent[k] += sizes[k];
            to->received[k] += sizes[k];
        }
        if (to->from)
            to->from[r->self] = sizes[0];
    }
}

/* First boxes, then lengths, then messages, which nobody gets. */
static oct_status replay_start(oct_comm *comm, const oct_parcel *out, const oct_parcel *in)
{
    replay *r = replay_of(comm);
    if (r->calls == 0)
        take_boxes(r, out, in);
    else if (r->calls == 1)
        take_lengths(r, out, in);
    r->calls++;
    return OCT_STATUS_OK;
}

static oct_status replay_wait(oct_comm *comm)
{
    (void)comm;
    return OCT_STATUS_OK;
}

static const oct_transport transport = {
    .name = "replay", .gather = replay_gather, .start = replay_start, .wait = replay_wait};

static void make_model(char *text, size_t bytes)
{
    unsigned long long n = all.n;
    if (strcmp(all.model, "plummer") == 0)
        snprintf(text, bytes, "units: nbody\nmodels: [plummer: {n: %llu, truncation: 20}]\n", n);
    else if (strcmp(all.model, "cube") == 0)
        snprintf(text, bytes, "units: nbody\nmodels: [uniform-cube: {n: %llu}]\n", n);
    else
        snprintf(text, bytes,
                 "units: nbody\nmodels: [disk-galaxy: {\n"
                 "  disk: {n: %llu, mass: 8, scale: 3, height: 0.1, toomre: 2},\n"
                 "  bulge: {n: %llu, mass: 2, scale: 0.6},\n"
                 "  halo: {n: %llu, mass: 300, scale: 15, truncation: 6}}]\n",
                 n * 3 / 10, n * 3 / 40, n - n * 3 / 10 - n * 3 / 40);
    strcat(text, "gravity: {method: none}\nintegrator: {dt: 0.001}\nrun: {until: 1}\n");
}

static void find_box(void)
{
    for (int k = 0; k < 4; k++) {
        all.box[0][k] = all.box[1][k] = all.bodies[0][k];
        for (uint64_t i = 1; i < all.n; i++) {
            all.box[0][k] = fmin(all.box[0][k], all.bodies[i][k]);
            all.box[1][k] = fmax(all.box[1][k], all.bodies[i][k]);
        }
    }
}

/* All bodies, in the order of the curve. */
static oct_status line_up(oct_comm *comm, void *context)
{
    char text[1024];
    oct_scene *scene;
    oct_sim *sim;
    oct_lineup lineup;
    double(*rows)[4];
    const oct_sim_options options = {
        .size = sizeof options, .precision = OCT_PRECISION_MIXED, .unmeasured = true, .comm = comm};
    (void)context;
    make_model(text, sizeof text);
    ok(oct_scene_parse(&scene, text, strlen(text), "simulate_trees"));
    ok(oct_sim_create_with(&sim, all.device, scene, &options));
    oct_scene_free(scene);
    ok(oct_realloc(&sim->owners.places, all.n, sizeof *sim->owners.places, "places"));
    for (uint32_t i = 0; i < all.n; i++)
        sim->owners.places[i] = i;
    ok(oct_lineup_make(&lineup, sim));
    ok(oct_alloc(&rows, all.n, sizeof *rows, "bodies"));
    ok(oct_alloc(&all.bodies, all.n, sizeof *all.bodies, "bodies"));
    ok(oct_buffer_read(rows, sim->domain->position, 0, all.n));
    for (uint32_t i = 0; i < lineup.n; i++)
        memcpy(all.bodies[i], rows[lineup.row[i]], sizeof *rows);
    find_box();
    free(rows);
    oct_lineup_clear(&lineup);
    oct_sim_free(sim);
    return OCT_STATUS_OK;
}

static oct_sim *make_domain(uint32_t domain)
{
    static const char text[] =
        "units: nbody\ngravity: {method: tree, theta: 0.5, softening: 0.01}\n"
        "integrator: {dt: 0.001}\nrun: {until: 1}\n";
    oct_bodies bodies = {0};
    oct_scene *scene;
    oct_sim *sim;
    uint64_t first = all.n * domain / all.domains, end = all.n * (domain + 1) / all.domains;
    ok(oct_bodies_resize(&bodies, end - first));
    for (uint64_t i = first; i < end; i++) {
        memcpy(bodies.position + 3 * (i - first), all.bodies[i], 3 * sizeof(double));
        bodies.mass[i - first] = all.bodies[i][3];
        bodies.id[i - first] = i + 1;
    }
    const oct_sim_options options = {.size = sizeof options,
                                     .precision = OCT_PRECISION_MIXED,
                                     .bodies = &bodies,
                                     .unmeasured = true};
    ok(oct_scene_parse(&scene, text, strlen(text), "simulate_trees"));
    ok(oct_sim_create_with(&sim, all.device, scene, &options));
    oct_scene_free(scene);
    oct_bodies_clear(&bodies);
    return sim;
}

/* The messages of a domain to those of a list, itself among them. */
static void send(oct_sim *sim, uint32_t self, uint32_t *list, uint32_t n)
{
    replay r = {.base = {.transport = &transport, .size = n}, .self = self, .list = list};
    oct_buffer *before = NULL;
    const double zero = 0;
    const oct_essential_goal goal = {&before, &zero, &zero};
    oct_essential *e;
    oct_tree *tree;
    while (list[r.base.rank] != self)
        r.base.rank++;
    ok(oct_tree_share(&tree, sim->domain, &(oct_tree_options){.cells = true}));
    tree->options.bounded = true;
    ok(oct_buffer_write(tree->bounds, all.box, 0, 2));
    ok(oct_tree_update(tree, sim->domain));
    sim->comm = &r.base;
    ok(oct_essential_create(&e, tree, sim->domain, &goal));
    r.cell_bytes = 4.0 * (double)e->cell_words;
    r.body_bytes = 4.0 * (double)e->body_words;
    ok(oct_essential_send(e));
    oct_essential_free(e);
    sim->comm = NULL;
    oct_tree_free(tree);
}

/* Those that are looked at get from all; others send to them alone. */
static uint32_t list_receivers(uint32_t *list, uint32_t self)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < all.domains; d++)
        if (self % all.every == 0 || d % all.every == 0 || d == self)
            list[n++] = d;
    return n;
}

static void print_results(void)
{
    static const char *const names[] = {"bytes", "cells", "bodies"};
    double *values = calloc(all.domains, sizeof *values);
    char what[64];
    uint32_t n;
    print_spread_head("of each domain, a force");
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            n = 0;
            for (uint32_t d = 0; d < all.domains; d += all.every)
                values[n++] = side ? all.places[d].received[k] : all.places[d].sent[k];
            snprintf(what, sizeof what, "trees: %s %s", names[k], side ? "received" : "sent");
            print_spread(what, values, n);
        }
    n = 0;
    for (uint32_t d = 0; d < all.domains; d += all.every)
        values[n++] = count_most(all.places[d].from, all.domains);
    print_spread("trees: 90 % come from", values, n);
    n = 0;
    for (uint32_t d = 0; d < all.domains; d += all.every)
        values[n++] = (double)all.places[d].bytes * (all.domains - 1);
    print_spread("boxes: bytes sent", values, n);
    free(values);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: simulate_trees DEVICE plummer|disk|cube N DOMAINS EVERY\n");
        return 2;
    }
    all.model = argv[2];
    all.n = strtoull(argv[3], NULL, 10);
    all.domains = (uint32_t)strtoul(argv[4], NULL, 10);
    all.every = (uint32_t)strtoul(argv[5], NULL, 10);
    if (all.domains < 1 || all.every < 1 || all.n < all.domains || all.n > INT32_MAX)
        return 2;
    ok(oct_device_open(&all.device, argv[1]));
    all.places = calloc(all.domains, sizeof *all.places);
    double start = now();
    ok(oct_comm_threads(1, line_up, NULL));
    uint32_t *list = calloc(all.domains, sizeof *list);
    for (uint32_t d = 0; d < all.domains; d++) {
        oct_sim *sim = make_domain(d);
        if (d % all.every == 0)
            all.places[d].from = calloc(all.domains, sizeof *all.places[d].from);
        send(sim, d, &d, 1);
        oct_sim_free(sim);
    }
    for (uint32_t d = 0; d < all.domains; d++) {
        oct_sim *sim = make_domain(d);
        send(sim, d, list, list_receivers(list, d));
        oct_sim_free(sim);
    }
    printf("%llu bodies, %u domains, every %u. looked at, %.0f s\n", (unsigned long long)all.n,
           (unsigned)all.domains, (unsigned)all.every, now() - start);
    print_results();
    for (uint32_t d = 0; d < all.domains; d++) {
        free(all.places[d].boxes);
        free(all.places[d].from);
    }
    free(all.places);
    free(list);
    free(all.bodies);
    oct_device_free(all.device);
    return 0;
}
