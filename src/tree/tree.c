/* Launches what makes a tree, and makes room for its cells before they outgrow it. */
#include "tree/keep.h"
#include "tree/room.h"

#include "core/keys.h"
#include "core/lead.h"
#include "core/softening.h"
#include "core/trade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static oct_status make_buffers(oct_tree *tree, oct_domain *domain)
{
    size_t real4 = 4 * oct_real_size(domain->precision);
    const struct {
        oct_buffer **buffer;
        const char *name;
        size_t element, count;
    } rows[] = {{&tree->bounds, "tree.bounds", real4, 2},
                {&tree->total, "tree.total", 4, 1},
                {&tree->unsettled, "tree.unsettled", 4, 1},
                {&tree->peak, "tree.peak", 4, 2},
                {&tree->row_end, "tree.row_end", 4, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        OCT_TRY(oct_buffer_create(rows[i].buffer, domain->device, rows[i].name, rows[i].element,
                                  rows[i].count));
    tree->around = tree->bounds;
    if (tree->options.shifted) {
        tree->around = NULL;
        OCT_TRY(oct_buffer_create(&tree->around, domain->device, "tree.around", real4, 2));
    }
    return oct_buffer_fill(tree->peak, 0);
}

const oct_offer oct_tree_offers[] = {OCT_OFFER(oct_tree, "keys", keys),
                                     OCT_OFFER(oct_tree, "order", order),
                                     OCT_OFFER(oct_tree, "sorted", sorted),
                                     OCT_OFFER(oct_tree, "links", links),
                                     OCT_OFFER(oct_tree, "level_of", level_of),
                                     OCT_OFFER(oct_tree, "mass", mass),
                                     OCT_OFFER(oct_tree, "quad", quad),
                                     OCT_OFFER(oct_tree, "third", third),
                                     OCT_OFFER(oct_tree, "box", box),
                                     OCT_OFFER(oct_tree, "place", place),
                                     OCT_OFFER(oct_tree, "test", test),
                                     OCT_OFFER(oct_tree, "moved", moved),
                                     OCT_OFFER(oct_tree, "seat", seat),
                                     OCT_OFFER(oct_tree, "came", came),
                                     OCT_OFFER(oct_tree, "begin", begin),
                                     OCT_OFFER(oct_tree, "total", total),
                                     OCT_OFFER(oct_tree, "unsettled", unsettled),
                                     OCT_OFFER(oct_tree, "bounds", bounds),
                                     OCT_OFFER(oct_tree, "rows", rows),
                                     OCT_OFFER(oct_tree, "row_of", row_of),
                                     OCT_OFFER(oct_tree, "row_end", row_end),
                                     OCT_OFFER(oct_tree, "groups", groups),
                                     OCT_OFFER(oct_tree, "n_groups", n_groups),
                                     OCT_OFFER(oct_tree, "active_places", active_places),
                                     OCT_OFFER(oct_tree, "n_places", n_places),
                                     OCT_OFFER(oct_tree, "soft", soft),
                                     OCT_OFFER(oct_tree, "sorted_soft", sorted_soft),
                                     {0}};
/* What leaves are built with where softenings differ. */
static const oct_offer soft_offers[] = {OCT_OFFER(oct_tree, "softening2", softening2), {0}};

oct_status oct_tree_moments_create(oct_tree_moments *out, oct_tree *tree, oct_program *program)
{
    const oct_device_info *info = oct_device_describe(tree->domain->device);
#define MOMENTS                                                                                    \
    OCT_BIND_DOMAIN(tree->domain), OCT_BIND_OFFERS(oct_tree_offers, tree),                         \
        OCT_BIND_OUT("arrived", &tree->arrived), OCT_BIND_UINT("capacity", &tree->capacity),       \
        OCT_BIND_IN("velocity", &tree->radii),                                                     \
        OCT_BIND_REAL("inverse_theta", &tree->inverse_theta)
    /* Climbing takes a fence that reaches all work-groups. */
    if (!tree->options.portable && (oct_device_is_cpu(info) || oct_device_is_nvidia(info)))
        return OCT_KERNEL(&out->climb, program, "tree_moments_climb", MOMENTS);
    return OCT_KERNEL(&out->level, program, "tree_moments_level", MOMENTS,
                      OCT_BIND_UINT("level", &tree->level_now));
#undef MOMENTS
}

void oct_tree_moments_free(oct_tree_moments *moments)
{
    oct_kernel_free(moments->climb);
    oct_kernel_free(moments->level);
}

static oct_status make_programs(oct_tree *tree, oct_domain *domain)
{
    /* Many cells keep a GPU busy while some wait; fewer wait for the longest climb. */
    enum { FEW = 1 << 19 };
    char options[128];
    bool hilbert = tree->options.curve == OCT_CURVE_HILBERT;
    const oct_device_info *info = oct_device_describe(domain->device);
    bool cpu = oct_device_is_cpu(info);
    tree->children_first = cpu || domain->n < FEW;
    bool scanned = tree->options.scanned || oct_tree_scans(info);
    tree->keys_each = cpu ? 16 : 1;
    /* On a CPU trees with rows and without are one program, on others those with records. */
    snprintf(
        options, sizeof options, "-D CRITERION=%d -D KEYS=%u%s%s%s%s%s%s%s",
        (int)tree->options.criterion, tree->keys_each, tree->options.shifted ? " -D SHIFTED" : "",
        hilbert ? " -D HILBERT" : "", tree->options.records || !cpu ? " -D RECORDS" : "",
        tree->options.softened ? " -D SOFTENINGS" : "", tree->options.thirds ? " -D OCTUPOLE" : "",
        tree->children_first ? " -D CHILDREN_FIRST" : "", scanned ? " -D SCANNED" : "");
    OCT_TRY(oct_domain_build(&tree->program, domain, "tree_octree.cl", options));
#define ALL OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, tree)
    OCT_TRY(OCT_KERNEL(&tree->make_keys, tree->program, "tree_keys_make", ALL,
                       OCT_FIX_UINT("levels", OCT_TREE_LEVELS),
                       OCT_BIND_REAL("bodies", &tree->bodies)));
    if (tree->options.shifted)
        OCT_TRY(OCT_KERNEL(&tree->shift, tree->program, "tree_shift", ALL,
                           OCT_BIND_IN("around", &tree->around)));
    OCT_TRY(OCT_KERNEL(
        &tree->leaves, tree->program, "tree_build_leaves", ALL, OCT_BIND_OFFERS(soft_offers, tree),
        OCT_BIND_OUT("places", &tree->places), OCT_BIND_OUT("leaf_level", &tree->leaf_level),
        OCT_FIX_INT("levels", OCT_TREE_LEVELS), OCT_BIND_UINT("leaf", &tree->options.leaf)));
    if (scanned) {
        OCT_TRY(OCT_KERNEL(
            &tree->scanned, tree->program, "tree_build_scanned", ALL,
            OCT_BIND_OFFERS(soft_offers, tree), OCT_BIND_OUT("places", &tree->places),
            OCT_BIND_OUT("leaf_level", &tree->leaf_level), OCT_BIND_OUT("sums", &tree->sums),
            OCT_BIND_OUT("begun", &tree->begun), OCT_FIX_INT("levels", OCT_TREE_LEVELS),
            OCT_BIND_UINT("leaf", &tree->options.leaf), OCT_BIND_UINT("chunk", &tree->chunk),
            OCT_BIND_UINT("turn", &tree->turn)));
        OCT_TRY(
            oct_buffer_create(&tree->sums, domain->device, "tree.sums", 8, OCT_TREE_SCAN_BLOCKS));
        OCT_TRY(oct_buffer_create(&tree->begun, domain->device, "tree.begun", 4, 1));
        OCT_TRY(oct_buffer_fill(tree->sums, 0));
        OCT_TRY(oct_buffer_fill(tree->begun, 0));
    }
    OCT_TRY(OCT_KERNEL(
        &tree->cells, tree->program, "tree_build_cells", ALL,
        OCT_BIND_OUT("arrived", &tree->arrived), OCT_BIND_OUT("peak", &tree->peak),
        OCT_BIND_IN("places", &tree->places), OCT_BIND_IN("leaf_level", &tree->leaf_level),
        OCT_FIX_INT("levels", OCT_TREE_LEVELS), OCT_BIND_UINT("capacity", &tree->capacity),
        OCT_BIND_UINT("operation", &tree->operation)));
    OCT_TRY(oct_tree_moments_create(&tree->moments, tree, tree->program));
#define COPIES ALL, OCT_BIND_UINT("capacity", &tree->capacity)
    if (tree->options.rows)
        OCT_TRY(OCT_KERNEL(&tree->write_rows, tree->program, "tree_rows_write", COPIES));
    if (tree->options.records) {
        OCT_TRY(OCT_KERNEL(&tree->rank, tree->program, "tree_records_rank", COPIES,
                           OCT_BIND_OUT("later", &tree->arrived)));
        OCT_TRY(OCT_KERNEL(&tree->record, tree->program, "tree_records_make", COPIES,
                           OCT_BIND_IN("later", &tree->arrived)));
        OCT_TRY(OCT_KERNEL(&tree->move, tree->program, "tree_records_move", COPIES));
    }
#undef ALL
#undef COPIES
    OCT_TRY(oct_sort_create_bare(&tree->sort, domain->device, domain->n, domain->precision,
                                 OCT_VARIANT_AUTO));
    return oct_primitives_create(&tree->primitives, domain->device, domain->precision,
                                 OCT_VARIANT_AUTO);
}

oct_status oct_tree_share(oct_tree **out, oct_domain *domain, const oct_tree_options *options)
{
    oct_tree *tree = domain->tree;
    *out = tree;
    if (tree) {
        if (options->cells)
            OCT_TRY(oct_tree_let_stay(tree));
        tree->holders++;
        return OCT_STATUS_OK;
    }
    OCT_TRY(oct_alloc(&tree, 1, sizeof *tree, "tree"));
    tree->options = *options;
    tree->domain = domain;
    tree->holders = 1;
    tree->lent_from = oct_tree_lent_from(oct_device_describe(domain->device));
    oct_status status = make_buffers(tree, domain);
    if (status == OCT_STATUS_OK)
        status = make_programs(tree, domain);
    if (status != OCT_STATUS_OK) {
        oct_tree_free(tree);
        return status;
    }
    *out = domain->tree = tree;
    return OCT_STATUS_OK;
}

void oct_tree_free(oct_tree *tree)
{
    if (!tree || --tree->holders > 0)
        return;
    tree->domain->tree = NULL;
    oct_tree_lose_room(tree);
    if (tree->around != tree->bounds)
        oct_buffer_free(tree->around);
    oct_buffer *const buffers[] = {tree->bounds,  tree->total, tree->unsettled, tree->peak,
                                   tree->row_end, tree->sums,  tree->begun};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_kernel *const kernels[] = {tree->shift, tree->make_keys, tree->leaves,
                                   tree->cells, tree->scanned,   tree->write_rows,
                                   tree->rank,  tree->record,    tree->move};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_tree_moments_free(&tree->moments);
    oct_tree_active_free(tree->active);
    oct_tree_keeper_free(tree->keeper);
    oct_program_free(tree->program);
    oct_sort_free(tree->sort);
    oct_primitives_free(tree->primitives);
    free(tree);
}

enum { KEY_BITS = 3 * OCT_TREE_LEVELS };
/* As in kernels/tree.clh. */
static const uint32_t unsorted = 0x7fffffff;

/* Bits that tell nearly all bodies apart, unless more were found to be wanted before. A sheet of n
 * has a body a cell where n^(1/2) cells are along a side, two levels below most are alone, and
 * clusters are no worse. On a GPU a digit less costs more than some that agree in what is left:
 * what tells bodies of a full cube apart comes first, and who waits is told whether it is enough.
 */
static void choose_bits(oct_tree *tree, uint32_t n)
{
    enum { VERY_FEW = 1 << 14 };
    bool cpu = oct_device_is_cpu(oct_device_describe(tree->domain->device));
    unsigned levels = !cpu && n <= VERY_FEW ? 1 : 2;
    for (uint64_t cells = 1; cells < n; cells *= cpu ? 4 : 8)
        levels++;
    unsigned least = oct_sort_whole_digits(tree->sort, 3 * levels, KEY_BITS);
    tree->bits = tree->bits > least ? tree->bits : least;
}

/* One digit more, where too many bodies agreed in these. */
static void add_bits(oct_tree *tree)
{
    tree->bits = oct_sort_whole_digits(tree->sort, tree->bits + 1, KEY_BITS);
}

/* Sorting moves pairs to and fro between the tree's buffers and the scratch, whose memory is for
 * others afterwards: they begin where they have to, to end in the tree's. */
static void begin_sort(oct_tree *tree, uint32_t n)
{
    unsigned first = KEY_BITS - tree->bits;
    unsigned moves = oct_sort_moves(tree->sort, n, first, KEY_BITS) + (first > 0);
    bool odd = moves % 2;
    tree->keys = odd ? tree->sort_keys : tree->own_keys;
    tree->order = odd ? tree->sort_order : tree->own_order;
    oct_sort_lend(tree->sort, odd ? tree->own_keys : tree->sort_keys,
                  odd ? tree->own_order : tree->sort_order);
}

static oct_status sort_keys(oct_tree *tree, uint32_t n)
{
    unsigned first = KEY_BITS - tree->bits;
    OCT_TRY(oct_sort_run(tree->sort, &tree->keys, &tree->order, n, first, KEY_BITS));
    return first == 0 ? OCT_STATUS_OK
                      : oct_sort_settle(tree->sort, &tree->keys, &tree->order, tree->unsettled, n,
                                        first, KEY_BITS);
}

static oct_status make_leaves(oct_tree *tree, uint32_t n)
{
    enum { SCAN_GROUP = 256 }; /* as in kernels/array_group.clh */
    if (!tree->scanned) {
        OCT_TRY(oct_kernel_launch(tree->leaves, n, 0));
        return oct_array_scan(tree->primitives, tree->places, tree->total, tree->places, n);
    }
    uint32_t groups = (n + SCAN_GROUP - 1) / SCAN_GROUP;
    tree->chunk = (groups + OCT_TREE_SCAN_BLOCKS - 1) / OCT_TREE_SCAN_BLOCKS * SCAN_GROUP;
    tree->turn++;
    return oct_kernel_launch(tree->scanned,
                             (size_t)(n + tree->chunk - 1) / tree->chunk * SCAN_GROUP, SCAN_GROUP);
}

/* Those that others have made for these positions, along the same curve through the same box. */
static oct_keys *known_keys(const oct_tree *tree, const oct_domain *domain)
{
    const oct_tree_options *o = &tree->options;
    bool same = o->bounded && o->curve == OCT_CURVE_HILBERT && !o->shifted &&
                o->criterion != OCT_CRITERION_GEOMETRIC;
    return same && oct_trade_found(domain) ? domain->sim->owners.keys : NULL;
}

static oct_status make_keys(oct_tree *tree, oct_domain *domain)
{
    oct_keys *known = known_keys(tree, domain);
    tree->bodies = (double)oct_domain_all(domain);
    if (known)
        return oct_keys_copy(tree->keys, tree->order, tree->unsettled, known);
    return oct_kernel_launch(tree->make_keys, (domain->n + tree->keys_each - 1) / tree->keys_each,
                             0);
}

/* Sorts the particles and counts the cells. */
static oct_status sort_particles(oct_tree *tree, oct_domain *domain)
{
    uint32_t n = domain->n;
    if (tree->bits == 0)
        choose_bits(tree, n);
    begin_sort(tree, n);
    if (!tree->options.bounded)
        OCT_TRY(oct_array_box(tree->primitives, tree->around, domain->position, domain->type, n));
    if (tree->shift)
        OCT_TRY(oct_kernel_launch(tree->shift, 1, 1));
    OCT_TRY(make_keys(tree, domain));
    OCT_TRY(sort_keys(tree, n));
    return make_leaves(tree, n);
}

static oct_status find_moments(oct_tree *tree, const oct_tree_moments *moments)
{
    tree->inverse_theta = 1 / tree->options.theta;
    /* Who asks how large bodies are walks by links. */
    tree->radii = tree->options.cells ? tree->domain->velocity : NULL;
    if (moments->climb)
        return oct_kernel_launch(moments->climb, tree->capacity, 0);
    for (tree->level_now = OCT_TREE_LEVELS + 1; tree->level_now-- > 0;)
        OCT_TRY(oct_kernel_launch(moments->level, tree->capacity, 0));
    return OCT_STATUS_OK;
}

/* Counts of arrivals have been used up: later siblings take their place, counted by those who
 * climbed or now. */
static oct_status make_records(oct_tree *tree, const oct_tree_moments *moments)
{
    if (!tree->options.records)
        return OCT_STATUS_OK;
    if (!moments->climb || !tree->children_first)
        OCT_TRY(oct_kernel_launch(tree->rank, tree->capacity, 0));
    OCT_TRY(oct_kernel_launch(tree->record, tree->capacity, 0));
    return tree->moved ? oct_kernel_launch(tree->move, tree->capacity, 0) : OCT_STATUS_OK;
}

/* Waits to see whether bodies are in order and how many cells there are. */
static oct_status make_room(oct_tree *tree, oct_domain *domain)
{
    uint32_t cells;
    OCT_TRY(oct_buffer_read(&cells, tree->total, 0, 1));
    while (cells == unsorted) {
        add_bits(tree);
        OCT_TRY(sort_particles(tree, domain));
        OCT_TRY(oct_buffer_read(&cells, tree->total, 0, 1));
    }
    tree->placed = domain->placed;
    if (cells <= tree->capacity)
        return OCT_STATUS_OK;
    OCT_TRY(oct_tree_make_room(tree, oct_tree_room_for(cells, domain->n), true));
    return sort_particles(tree, domain);
}

oct_status oct_tree_find_moments(oct_tree *tree, const oct_tree_moments *moments)
{
    OCT_TRY(find_moments(tree, moments));
    if (tree->write_rows)
        OCT_TRY(oct_kernel_launch(tree->write_rows, tree->capacity, 0));
    return make_records(tree, moments);
}

oct_status oct_tree_build(oct_tree *tree, oct_domain *domain, bool wait)
{
    bool others = !oct_edition_same(tree->placed, domain->placed), first = !tree->pool;
    if (first)
        OCT_TRY(oct_tree_make_first_room(tree));
    if (others)
        choose_bits(tree, domain->n);
    double softening = oct_setup_softening(domain->setup) * domain->sim->per_length;
    tree->softening2 = softening * softening;
    OCT_TRY(sort_particles(tree, domain));
    if (wait || first || others)
        OCT_TRY(make_room(tree, domain));
    /* A row that finds no room leaves all operations before it done. */
    tree->operation = domain->sim->operation - !domain->sim->ahead.launching;
    OCT_TRY(oct_kernel_launch(tree->cells, domain->n, 0));
    return oct_tree_find_moments(tree, &tree->moments);
}

static oct_made made_from(const oct_tree *tree, const oct_domain *domain)
{
    return OCT_MADE(domain->position, tree->options.softened ? domain->softening : NULL);
}

static oct_status bring_up(oct_tree *tree, oct_domain *domain, bool wait)
{
    oct_made now = made_from(tree, domain);
    bool renewed = false;
    if (oct_made_fresh(&tree->built, &now))
        return OCT_STATUS_OK;
    tree->built = (oct_made){0};
    if (tree->keeper)
        OCT_TRY(oct_tree_renew(&renewed, tree, domain));
    /* From here on accelerations of some bodies may have to stay. */
    if (domain->lends && domain->has_sets)
        OCT_TRY(oct_tree_make_room(tree, tree->capacity, true));
    if (!renewed)
        OCT_TRY(oct_tree_build(tree, domain, wait));
    if (!renewed && tree->keeper)
        OCT_TRY(oct_tree_keeper_built(tree, domain));
    tree->built = now;
    return OCT_STATUS_OK;
}

oct_status oct_tree_update(oct_tree *tree, oct_domain *domain)
{
    return bring_up(tree, domain, !domain->sim->ahead.launching);
}

oct_status oct_tree_update_alone(oct_tree *tree, oct_domain *domain)
{
    oct_made now = made_from(tree, domain);
    if (!tree->options.bounded || oct_made_fresh(&tree->built, &now))
        return oct_tree_update(tree, domain);
    tree->built = (oct_made){0};
    oct_tree_keeper_lost(tree->keeper);
    OCT_TRY(
        oct_array_box(tree->primitives, tree->around, domain->position, domain->type, domain->n));
    return oct_tree_build(tree, domain, true);
}

oct_status oct_tree_enqueue(oct_tree *tree, oct_domain *domain)
{
    return bring_up(tree, domain, false);
}

oct_status oct_tree_waited(oct_tree *tree, oct_domain *domain)
{
    uint32_t peak[2]; /* and whether bodies were not in order */
    if (tree->capacity == 0 || tree->looked == tree->peak->version)
        return OCT_STATUS_OK;
    OCT_TRY(oct_buffer_read(peak, tree->peak, 0, 2));
    if (peak[1]) {
        add_bits(tree);
        tree->built = (oct_made){0};
        oct_tree_keeper_lost(tree->keeper);
        OCT_TRY(oct_buffer_write(tree->peak, &(uint32_t){0}, 1, 1));
    }
    tree->looked = tree->peak->version;
    if (!oct_tree_room_is_low(peak[0], tree->capacity))
        return OCT_STATUS_OK;
    /* What there is may have been enough: that there is no more is no failure yet. */
    bool enough = peak[0] <= tree->capacity;
    oct_status status = oct_tree_make_room(tree, oct_tree_room_for(peak[0], domain->n), !enough);
    return status == OCT_STATUS_SPACE && enough ? OCT_STATUS_OK : status;
}
