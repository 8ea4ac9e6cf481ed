/* Lists pairs with a method's search, and resolves them in rounds that equal a serial pass. */
#include "collision/collision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/look.h"
#include "core/units.h"
#include "core/user.h"
#include "tree/tree.h"
#include "util/number.h"

enum { FAULT_WORDS = 2 };
enum { GROUP = 256, SPEED_ROWS = 16 };
/* Words of the list's status, as in kernels/collision.clh. */
enum { STATUS_FOUND, STATUS_MOST, STATUS_PAIRS, STATUS_LEFT, STATUS_BUSY, STATUS_WORDS };
/* Pairs of one body that are put in order by looking through all of them for each. */
enum { LONGEST = 256 };
/* Work-items of a CPU among which pairs are shared out. */
enum { CLIMBERS = 256 };

typedef enum law { LAW_NUMBER, LAW_BRIDGES, LAW_CUSTOM } law;

static oct_status read_law(law *out, double *number, const oct_contact *contact)
{
    const char *text = contact->restitution, *end;
    *number = 0;
    *out = LAW_CUSTOM;
    if (strcmp(text, "bridges") == 0) {
        *out = LAW_BRIDGES;
    } else if (strcmp(text, "custom") != 0) {
        *out = LAW_NUMBER;
        OCT_CHECK(oct_number_read(number, &end, text) && *end == '\0' && *number >= 0 &&
                      *number <= 1,
                  OCT_STATUS_INPUT,
                  "restitution '%.40s' is no law; expected a number from 0 to 1, bridges or custom",
                  text);
    }
    return OCT_STATUS_OK;
}

oct_status oct_collider_check(const void *state, const oct_setup *setup)
{
    (void)state;
    const oct_contact *contact = &setup->contact;
    double number;
    law kind;
    OCT_TRY(read_law(&kind, &number, contact));
    bool given = contact->restitution_file[0] || contact->restitution_code.text[0];
    OCT_CHECK((kind == LAW_CUSTOM) == given, OCT_STATUS_INPUT,
              "restitution: custom and restitution_file or restitution_code belong together; only "
              "one was given");
    if (given)
        OCT_TRY(oct_user_check("restitution_file", contact->restitution_file, "restitution_code",
                               &contact->restitution_code));
    OCT_CHECK(kind == LAW_CUSTOM || contact->restitution_parameters.n == 0, OCT_STATUS_INPUT,
              "restitution_parameters are for restitution: custom alone");
    OCT_CHECK(kind != LAW_BRIDGES || setup->units.physical || contact->bridges_speed > 0,
              OCT_STATUS_INPUT,
              "the Bridges law needs a speed where numbers have no units: "
              "expected bridges_speed above 0");
    return OCT_STATUS_OK;
}

static oct_user_code users_law(const oct_contact *contact)
{
    return (oct_user_code){.path = contact->restitution_file,
                           .code = &contact->restitution_code,
                           .parameters = &contact->restitution_parameters,
                           .what = "restitution",
                           .name = "octant_restitution",
                           .type = "real",
                           .arguments = "real speed, real radius_a, real radius_b"};
}

/* `merged`: what bodies put together of the user's columns, in OpenCL C. */
static oct_status build(oct_collider *c, oct_domain *domain, law kind, const char *merged)
{
    static const char file[] = "collision.cl";
    const oct_contact *contact = &domain->setup->contact;
    bool custom = kind == LAW_CUSTOM;
    char options[192];
    snprintf(options, sizeof options,
             "-D LAW=%d -D SPEED_BINS=%d -D SPEED_ROWS=%d -D SORTERS=%d%s%s%s%s%s%s", (int)kind,
             OCT_SPEED_BINS, SPEED_ROWS, c->group, custom ? " -D CUSTOM" : "",
             contact->outcome == OCT_OUTCOME_MERGE ? " -D MERGE" : "",
             contact->tangential < 1 ? " -D ROUGH" : "", c->lanes ? " -D SEARCH_LANES" : "",
             c->tiles ? " -D SEARCH_TILES" : "", c->home ? " -D SHARED" : "");
    const oct_include includes[] = {{"user_types.clh", "the scene's columns", merged}, {0}};
    const oct_build ours = {
        .file = file, .precision = domain->precision, .options = options, .includes = includes};
    oct_user_code users = users_law(contact);
    users.types = merged;
    return custom ? oct_user_build(&c->program, &c->numbers, domain, &users, file, options)
                  : oct_program_create(&c->program, domain->device, &ours);
}

static const oct_offer offers[] = {OCT_OFFER(oct_collider, "status", status),
                                   OCT_OFFER(oct_collider, "pairs", pairs),
                                   OCT_OFFER(oct_collider, "heads", heads),
                                   OCT_OFFER(oct_collider, "next", next),
                                   OCT_OFFER(oct_collider, "stamps", stamps),
                                   OCT_OFFER(oct_collider, "chain", chain),
                                   OCT_OFFER(oct_collider, "left", left),
                                   OCT_OFFER(oct_collider, "capacity", capacity),
                                   OCT_OFFER(oct_collider, "overlapping", overlapping),
                                   OCT_OFFER(oct_collider, "longest", longest),
                                   OCT_OFFER(oct_collider, "climbs", climbs),
                                   OCT_OFFER(oct_collider, "round", round_now),
                                   OCT_OFFER(oct_collider, "rounds", rounds),
                                   OCT_OFFER(oct_collider, "operation", operation),
                                   OCT_OFFER(oct_collider, "guessed", guessed),
                                   OCT_OFFER(oct_collider, "impacts", impacts),
                                   OCT_OFFER(oct_collider, "energy", energy),
                                   OCT_OFFER(oct_collider, "transport", transport),
                                   OCT_OFFER(oct_collider, "speeds", speeds),
                                   OCT_OFFER(oct_collider, "merged", merged),
                                   OCT_OFFER(oct_collider, "faults", faults),
                                   OCT_OFFER(oct_collider, "omega", omega),
                                   OCT_OFFER(oct_collider, "law_a", law[0]),
                                   OCT_OFFER(oct_collider, "law_b", law[1]),
                                   OCT_OFFER(oct_collider, "lowest_speed", lowest),
                                   OCT_OFFER(oct_collider, "numbers", numbers),
                                   OCT_OFFER(oct_collider, "place_of", place),
                                   OCT_OFFER(oct_collider, "first_guest", first_guest),
                                   OCT_OFFER(oct_collider, "end_guest", end_guest),
                                   OCT_OFFER(oct_collider, "ready", ready),
                                   OCT_OFFER(oct_collider, "going", going),
                                   OCT_OFFER(oct_collider, "n_held", n_held),
                                   OCT_OFFER(oct_collider, "n_going", n_going),
                                   {0}};

static oct_status make_resolving(oct_kernel **out, oct_collider *c, oct_domain *domain,
                                 const char *name, const oct_binding *bindings, size_t n)
{
    OCT_TRY(oct_kernel_create(out, c->program, name));
    return domain->setup->contact.outcome == OCT_OUTCOME_MERGE
               ? oct_user_bind_merged(*out, domain, bindings, n)
               : oct_kernel_bind(*out, bindings, n);
}

/* Pairs are listed with the step that begins, and resolved with the one that ends. */
static oct_status make_kernels(oct_collider *c, oct_domain *domain)
{
    const oct_contact *contact = &domain->setup->contact;
#define ALL OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(offers, c)
#define RESOLVE                                                                                    \
    ALL, OCT_BIND_ULONG("step", &c->step), OCT_BIND_REAL("tangential", &contact->tangential),      \
        OCT_BIND_REAL("minimum_speed", &contact->minimum_speed)
    oct_domain *own = c->home ? c->home : domain;
    OCT_TRY(OCT_KERNEL(&c->find, c->program, c->kernel, OCT_BIND_DOMAIN(own),
                       OCT_BIND_OFFERS(offers, c), OCT_BIND_TREE(own)));
    if (c->home)
        OCT_TRY(OCT_KERNEL(&c->find_guests, c->program, c->kernel_guests, ALL, OCT_BIND_TREE(own)));
    else if (c->kernel_set)
        OCT_TRY(OCT_KERNEL(&c->find_set, c->program, c->kernel_set, ALL, OCT_BIND_TREE(domain)));
    const oct_binding resolve[] = {RESOLVE};
    const size_t n = sizeof resolve / sizeof resolve[0];
    OCT_TRY(OCT_KERNEL(&c->link, c->program, "collision_resolve_link", ALL));
    OCT_TRY(make_resolving(&c->climb, c, domain, "collision_resolve_climb", resolve, n));
    OCT_TRY(make_resolving(&c->round, c, domain, "collision_resolve_round", resolve, n));
    OCT_TRY(make_resolving(&c->finish, c, domain, "collision_resolve_finish", resolve, n));
    if (c->home) {
        OCT_TRY(OCT_KERNEL(&c->find_ready, c->program, "collision_shared_ready", ALL));
        OCT_TRY(make_resolving(&c->go, c, domain, "collision_shared_go", resolve, n));
        OCT_TRY(OCT_KERNEL(&c->copy, c->program, "collision_shared_copy", ALL,
                           OCT_BIND_OUT("to", &c->copied.to), OCT_BIND_IN("from", &c->copied.from),
                           OCT_BIND_UINT("words", &c->copied.words),
                           OCT_BIND_UINT("n_copied", &c->copied.n)));
    }
    OCT_TRY(oct_collider_moves(c, domain, contact->outcome == OCT_OUTCOME_MERGE));
    return OCT_KERNEL(&c->sum, c->program, "collision_resolve_sum", ALL,
                      OCT_BIND_OUT("partials", &domain->readback.partials));
#undef ALL
#undef RESOLVE
}

oct_status oct_collider_moves(oct_collider *c, oct_domain *domain, bool moves)
{
    c->moves = moves;
    const oct_binding position = moves ? OCT_BIND_OUT("position", &domain->position)
                                       : OCT_BIND_UNCHANGED("position", &domain->position);
    if (c->go)
        OCT_TRY(OCT_BIND(c->go, position));
    OCT_TRY(OCT_BIND(c->climb, position));
    OCT_TRY(OCT_BIND(c->round, position));
    return OCT_BIND(c->finish, position);
}

static oct_status make_program(oct_collider *c, oct_domain *domain)
{
    const oct_contact *contact = &domain->setup->contact;
    law kind;
    OCT_TRY(read_law(&kind, &c->law[0], contact));
    if (kind == LAW_BRIDGES) {
        double usual = 0.0077e-2 * oct_units_from_si(&domain->setup->units, OCT_SPEED);
        c->law[0] = contact->bridges_speed > 0 ? contact->bridges_speed : usual;
        c->law[1] = contact->bridges_exponent;
    }
    char *merged = NULL;
    if (contact->outcome == OCT_OUTCOME_MERGE)
        OCT_TRY(oct_user_merged(&merged, domain));
    oct_status status = build(c, domain, kind, merged ? merged : "\n");
    oct_text_free(merged);
    OCT_TRY(status);
    return make_kernels(c, domain);
}

static oct_status make_list(oct_collider *c, oct_domain *domain, uint64_t capacity)
{
    OCT_CHECK(capacity < UINT32_MAX / 2, OCT_STATUS_SPACE,
              "%llu pairs of particles touch at once: are radii in the right unit?",
              (unsigned long long)capacity);
    const oct_buffer_plan plans[] = {
        {&c->pairs, "collision.pairs", 16, capacity},  {&c->next, "collision.next", 8, capacity},
        {&c->stamps, "collision.stamps", 4, capacity}, {&c->chain, "collision.chain", 8, capacity},
        {&c->left, "collision.left", 4, capacity},     {&c->ready, "collision.ready", 1, capacity},
        {&c->going, "collision.going", 4, capacity}};
    const size_t all = sizeof plans / sizeof plans[0], alone = all - 2;
    OCT_TRY(oct_buffers_replace(domain->device, plans, c->home ? all : alone));
    c->capacity = (uint32_t)capacity;
    return OCT_STATUS_OK;
}

/* Of 100 bodies in a ring of optical depth 2, 74 pairs touch in a step. */
static uint64_t first_capacity(uint64_t n)
{
    return 3 * n / 4 + 1024;
}

oct_status oct_collider_shrink(oct_collider *c, oct_domain *domain)
{
    uint64_t usual = first_capacity(domain->n);
    return c->capacity > usual ? make_list(c, domain, usual) : OCT_STATUS_OK;
}

/* What is counted for each body: impacts, energy and transport; the step and the id of a merger. */
static const oct_column_spec counted[] = {
    {.name = "collision.impacts", .type = OCT_COLUMN_UINT, .width = 1, .flags = OCT_COLUMN_STATE},
    {.name = "collision.energy", .type = OCT_COLUMN_ULONG, .width = 1, .flags = OCT_COLUMN_STATE},
    {.name = "collision.transport",
     .type = OCT_COLUMN_ULONG,
     .width = 1,
     .flags = OCT_COLUMN_STATE},
    {.name = "collision.merged", .type = OCT_COLUMN_ULONG, .width = 2, .flags = OCT_COLUMN_STATE}};

static oct_status make_columns(oct_collider *c, oct_domain *domain)
{
    OCT_TRY(oct_domain_add_array(&c->impacts, domain, &counted[0]));
    OCT_TRY(oct_domain_add_array(&c->energy, domain, &counted[1]));
    return oct_domain_add_array(&c->transport, domain, &counted[2]);
}

static oct_status make_buffers(oct_collider *c, oct_domain *domain)
{
    bool merges = domain->setup->contact.outcome == OCT_OUTCOME_MERGE;
    const oct_buffer_plan rows[] = {
        {&c->status, "collision.status", 4, STATUS_WORDS},
        {&c->heads, "collision.heads", 4, domain->n},
        {&c->gone, "collision.gone", sizeof(oct_impacts), 1},
        {&c->speeds, "collision.speeds", 4, SPEED_ROWS * OCT_SPEED_BINS},
        {&c->faults, "collision.faults", 4, FAULT_WORDS}};
    OCT_TRY(make_columns(c, domain));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OCT_TRY(oct_buffer_create(rows[i].at, domain->device, rows[i].name, rows[i].element,
                                  rows[i].count));
        OCT_TRY(oct_buffer_fill(*rows[i].at, 0));
    }
    OCT_TRY(oct_buffer_fill(c->heads, 0xff));
    OCT_TRY(oct_domain_add_total(domain, c->gone, OCT_TOTAL_DOUBLES));
    OCT_TRY(oct_domain_add_total(domain, c->speeds, OCT_TOTAL_WORDS));
    if (merges)
        OCT_TRY(oct_domain_add_array(&c->merged, domain, &counted[3]));
    domain->removes = domain->removes || merges;
    OCT_TRY(oct_buffer_fill(c->faults, 0xff));
    if (c->home)
        OCT_TRY(oct_buffer_create(&c->place, domain->device, "collision.place", 4, domain->n));
    return make_list(c, domain, first_capacity(domain->n));
}

oct_status oct_collider_init(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    const oct_device_info *info = oct_device_describe(domain->device);
    bool cpu = oct_device_is_cpu(info);
    c->longest = c->home ? UINT32_MAX : LONGEST;
    c->climbs = cpu || oct_device_is_nvidia(info);
    c->most_rounds = UINT32_MAX;
    c->group = cpu ? 1 : GROUP;
    c->climbers = cpu ? CLIMBERS : 0;
    OCT_TRY(make_program(c, domain));
    return make_buffers(c, domain);
}

void oct_collider_clear(void *state)
{
    oct_collider *c = state;
    oct_meeting_free(c->meeting);
    oct_kernel *const kernels[] = {c->find,       c->find_set, c->find_guests, c->link,
                                   c->climb,      c->round,    c->finish,      c->sum,
                                   c->find_ready, c->go,       c->copy};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(c->program);
    oct_buffer *const buffers[] = {c->status,  c->heads, c->gone,  c->speeds, c->faults,
                                   c->numbers, c->pairs, c->next,  c->stamps, c->chain,
                                   c->left,    c->place, c->ready, c->going};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
}

void oct_collider_memory(oct_needs *needs, const void *state)
{
    /* Heads and what is counted, then what pairs take. */
    const uint64_t elements[] = {4, 4, 8, 8}, pair[] = {16, 8, 4, 8, 4}, n = needs->n;
    const oct_contact *contact = &needs->setup->contact;
    (void)state;
    needs->ids = true;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        oct_needs_add(needs, elements[i], n);
    if (contact->outcome == OCT_OUTCOME_MERGE)
        oct_needs_add(needs, 16, n);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        oct_needs_add(needs, pair[i], first_capacity(n));
    oct_needs_add(needs, 4, STATUS_WORDS);
    oct_needs_add(needs, sizeof(oct_impacts), 1);
    oct_needs_add(needs, 4, SPEED_ROWS * OCT_SPEED_BINS);
    oct_needs_add(needs, 4, FAULT_WORDS);
    oct_user_memory(needs, &contact->restitution_parameters);
}

oct_status oct_collider_forget(oct_collider *c)
{
    c->busy = 0;
    OCT_TRY(oct_buffer_fill(c->status, 0));
    return oct_buffer_fill(c->heads, 0xff);
}

/* Room for half as many again as were found. */
static oct_status make_room(oct_collider *c, oct_domain *domain, uint32_t found)
{
    return make_list(c, domain, found + (uint64_t)found / 2);
}

/* Pairs with bodies of other ranks come first in the list, and are counted in the place of those
 * that are left, of which there are none there. */
oct_status oct_collider_launch_search(oct_collider *c, const oct_domain *domain, size_t items,
                                      size_t guests, size_t local)
{
    if (c->home && guests > 0)
        OCT_TRY(oct_kernel_launch(c->find_guests, guests, local));
    if (c->home)
        OCT_TRY(oct_buffer_copy_rows(c->status, STATUS_LEFT, c->status, STATUS_PAIRS, 1));
    return oct_kernel_launch(domain->set && c->find_set ? c->find_set : c->find, items, local);
}

oct_status oct_collider_find(uint32_t *n_pairs, oct_collider *c, oct_domain *domain)
{
    uint32_t status[STATUS_WORDS];
    for (;;) {
        OCT_TRY(c->search(c, domain, true));
        OCT_TRY(oct_buffer_read(status, c->status, 0, STATUS_WORDS));
        *n_pairs = status[STATUS_PAIRS];
        c->n_held = status[STATUS_LEFT];
        if (*n_pairs <= c->capacity)
            return OCT_STATUS_OK;
        OCT_TRY(make_room(c, domain, *n_pairs));
        OCT_TRY(oct_collider_forget(c));
    }
}

/* Speeds below this are counted with it: 32 octaves around those that cross a body in many
 * steps. */
static double lowest_speed(const oct_domain *domain)
{
    return ldexp(domain->sim->length_scale / oct_sim_dt(domain->sim), -36);
}

/* Chains of pairs that wait for each other get longer with the logarithm of their number. */
static uint32_t rounds_for(const oct_collider *c)
{
    uint32_t rounds = 3;
    for (uint32_t pairs = c->capacity; pairs > 1; pairs /= 3)
        rounds++;
    return rounds < c->most_rounds ? rounds : c->most_rounds;
}

/* Round after round, where a device has no fence that reaches all work-groups. */
static oct_status resolve_rounds(oct_collider *c)
{
    c->rounds = rounds_for(c);
    for (c->round_now = 1; c->round_now <= c->rounds; c->round_now++)
        OCT_TRY(oct_kernel_launch(c->round, c->capacity, 0));
    return oct_buffer_fill(c->heads, 0xff);
}

oct_status oct_collider_link(oct_collider *c, oct_domain *domain)
{
    c->step = oct_sim_steps(domain->sim) + 1;
    c->operation = domain->sim->operation - 1;
    c->omega = oct_setup_omega(domain->setup);
    c->lowest = lowest_speed(domain);
    return oct_kernel_launch(c->link, c->capacity, 0);
}

oct_status oct_collider_climb(oct_collider *c)
{
    return c->climbers > 0 ? oct_kernel_launch(c->climb, c->climbers, 1)
                           : oct_kernel_launch(c->climb, c->capacity, 0);
}

/* Launches are for as many pairs as there is room for: nobody waits to see how many there are. */
oct_status oct_collider_resolve(oct_collider *c, oct_domain *domain)
{
    OCT_TRY(oct_collider_link(c, domain));
    OCT_TRY(c->climbs ? oct_collider_climb(c) : resolve_rounds(c));
    return oct_kernel_launch(c->finish, c->group, c->group);
}

/* New bodies may touch in any number of pairs. Where the host has waited and there are none,
 * nothing has moved: accelerations stay fresh. */
oct_status oct_collider_collide(void *state, oct_domain *domain, double dt)
{
    oct_collider *c = state;
    oct_found found = {.collider = c, .domain = domain, .n_pairs = 1};
    bool ahead = oct_sim_runs_ahead(domain->sim) && oct_edition_same(c->placed, domain->placed);
    bool guessed =
        ahead && oct_sim_guesses(domain->sim) && domain->sim->guess.way == OCT_GUESS_NONE;
    bool moves = domain->setup->contact.outcome == OCT_OUTCOME_MERGE && !guessed;
    (void)dt;
    c->guessed = guessed;
    if (c->moves != moves)
        OCT_TRY(oct_collider_moves(c, domain, moves));
    if (ahead)
        OCT_TRY(c->search(c, domain, false));
    else
        OCT_TRY(oct_collider_meet(&found, c, domain));
    c->placed = domain->placed;
    return oct_collider_settle(&found, c, domain);
}

static oct_status note_merged(oct_collider *c, oct_domain *domain)
{
    uint64_t(*merged)[2], id, before = c->counted;
    c->counted = domain->sim->removed;
    if (!c->merged || domain->sim->removed == before)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&merged, domain->n, sizeof *merged, "merged bodies"));
    oct_status status = oct_buffer_read(merged, c->merged, 0, domain->n);
    for (uint32_t i = 0; status == OCT_STATUS_OK && i < domain->n; i++)
        if (merged[i][0] > domain->sim->waited_before) {
            status = oct_buffer_read(&id, domain->id, i, 1);
            oct_sim_note(domain->sim, "particle %llu was merged into %llu in step %llu",
                         (unsigned long long)id, (unsigned long long)merged[i][1],
                         (unsigned long long)merged[i][0]);
        }
    free(merged);
    return status;
}

/* A list that is nearly full gets more room before one step has to be taken again for it. */
static oct_status look_after_list(oct_collider *c, oct_domain *domain)
{
    uint32_t words[STATUS_WORDS];
    OCT_TRY(oct_buffer_read(words, c->status, 0, STATUS_WORDS));
    uint32_t most = words[STATUS_MOST];
    oct_guess_learn(domain->sim, words[STATUS_BUSY] - c->busy);
    c->busy = words[STATUS_BUSY];
    /* What a state says of its forces must not depend on what was guessed. */
    if (words[STATUS_FOUND] == 0)
        oct_forces_still(domain);
    if ((uint64_t)10 * most <= (uint64_t)9 * c->capacity)
        return OCT_STATUS_OK;
    oct_status status = make_room(c, domain, most);
    /* What there is has been enough: that there is no more is no failure yet. */
    return status == OCT_STATUS_SPACE && most <= c->capacity ? OCT_STATUS_OK : status;
}

oct_status oct_collider_check_law(oct_collider *c, oct_domain *domain)
{
    uint32_t faults[FAULT_WORDS];
    uint64_t id = 0;
    /* Who merges does not bounce. */
    if (domain->setup->contact.outcome == OCT_OUTCOME_MERGE)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(faults, c->faults, 0, FAULT_WORDS));
    if (faults[0] == UINT32_MAX)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(&id, domain->id, faults[1], 1));
    const oct_user_code users = users_law(&domain->setup->contact);
    return OCT_FAIL(OCT_STATUS_NUMBER,
                    "the restitution law '%s' returned no number from 0 to 1 for a collision of "
                    "particle %llu",
                    oct_user_label(&users), (unsigned long long)id);
}

oct_status oct_collider_waited(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    OCT_TRY(look_after_list(c, domain));
    OCT_TRY(oct_collider_check_law(c, domain));
    return note_merged(c, domain);
}

enum { IMPACT_SUMS = 3 };

oct_status oct_collider_launch(void *state, oct_domain *domain)
{
    oct_collider *c = state;
    c->totals.row = domain->readback.row;
    c->totals.impacts = c->impacts->version;
    return oct_readback_sum(&c->totals.place, domain, c->sum, IMPACT_SUMS, 0);
}

/* Those of the row, unless there were collisions since. */
static oct_status sum_impacts(double sums[IMPACT_SUMS], oct_collider *c, oct_domain *domain)
{
    bool there = domain->readback.when == OCT_READBACK_THERE;
    if (c->totals.row == domain->readback.row &&
        (there || c->totals.impacts == c->impacts->version))
        return oct_readback_sums(sums, domain, c->totals.place, IMPACT_SUMS);
    OCT_TRY(oct_kernel_launch(c->sum, oct_domain_rows(domain), 0));
    return oct_domain_fold(sums, domain, IMPACT_SUMS);
}

oct_status oct_collider_impacts(oct_impacts *out, void *state, oct_domain *domain)
{
    oct_collider *c = state;
    double sums[IMPACT_SUMS];
    OCT_TRY(sum_impacts(sums, c, domain));
    if (c->totals.version != c->gone->version)
        OCT_TRY(oct_buffer_read(&c->totals.known, c->gone, 0, 1));
    c->totals.version = c->gone->version;
    *out = c->totals.known;
    out->pairs += sums[0];
    out->energy += sums[1];
    out->transport += sums[2];
    return OCT_STATUS_OK;
}

oct_status oct_collider_left(void *state, oct_domain *domain, const oct_impacts *before)
{
    oct_collider *c = state;
    oct_impacts now, gone;
    OCT_TRY(oct_collider_impacts(&now, c, domain));
    OCT_TRY(oct_buffer_read(&gone, c->gone, 0, 1));
    gone.pairs += before->pairs - now.pairs;
    gone.energy += before->energy - now.energy;
    gone.transport += before->transport - now.transport;
    return oct_buffer_write(c->gone, &gone, 0, 1);
}

oct_status oct_collider_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], void *state,
                               oct_domain *domain)
{
    oct_collider *c = state;
    uint32_t rows[SPEED_ROWS][OCT_SPEED_BINS];
    OCT_TRY(oct_buffer_read(rows, c->speeds, 0, c->speeds->count));
    for (size_t i = 0; i < OCT_SPEED_BINS; i++) {
        counts[i] = 0;
        for (size_t row = 0; row < SPEED_ROWS; row++)
            counts[i] += rows[row][i];
    }
    *lowest = lowest_speed(domain);
    return OCT_STATUS_OK;
}
