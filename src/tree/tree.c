/* Launches what makes a tree, and makes room for its cells before they outgrow it. */
#include "tree/keep.h"

#include "core/softening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which trees have an array of cells: all, those with rows, with records, with softenings. */
typedef enum cell_kind { PLAIN, ROWS, RECORDS, SOFT } cell_kind;

/* Bytes of a cell in each of its arrays. */
typedef struct cell_array {
    size_t offset; /* of the buffer in the tree */
    const char *name;
    size_t fixed, reals, forces;
    size_t slots; /* elements a cell of arrays with rows, which have some behind the last; else 0 */
    cell_kind kind;
} cell_array;

/* Forces that a slot of a row takes, more with softenings, twice as many with boxes; slots that may
 * be read behind the last, and how many a word can name (kernels/tree_rows.clh). */
enum { ROW_SLOT = 16, SOFT_SLOT = 20, BEHIND_ROWS = 8, MOST_SLOTS = 1 << 28 };

static const cell_array cell_arrays[] = {
    {offsetof(oct_tree, links), "tree.links", 16, 0, 0, 0, PLAIN},
    {offsetof(oct_tree, level_of), "tree.level", 1, 0, 0, 0, PLAIN},
    {offsetof(oct_tree, arrived), "tree.arrived", 4, 0, 0, 0, PLAIN},
    {offsetof(oct_tree, mass), "tree.mass", 0, 4, 0, 0, PLAIN},
    {offsetof(oct_tree, quad), "tree.quad", 0, 0, 8, 0, PLAIN},
    {offsetof(oct_tree, box), "tree.box", 0, 0, 8, 0, PLAIN},
    {offsetof(oct_tree, rows), "tree.rows", 0, 0, 1, ROW_SLOT, ROWS},
    {offsetof(oct_tree, row_of), "tree.row_of", 4, 0, 0, 1, ROWS},
    {offsetof(oct_tree, place), "tree.place", 0, 4, 0, 0, RECORDS},
    {offsetof(oct_tree, test), "tree.test", 16, 0, 0, 0, RECORDS},
    {offsetof(oct_tree, soft), "tree.soft", 0, 0, 2, 0, SOFT},
};
enum { CELL_ARRAYS = sizeof cell_arrays / sizeof cell_arrays[0] };

static size_t cell_bytes(const cell_array *array, oct_precision precision)
{
    return array->fixed + array->reals * oct_real_size(precision) +
           array->forces * oct_force_size(precision);
}

static size_t cell_count(const cell_array *array, uint64_t capacity, oct_criterion criterion,
                         bool softened)
{
    size_t each = array->slots;
    if (each > 1)
        each = criterion == OCT_CRITERION_MIN_DISTANCE ? 2 * each : softened ? SOFT_SLOT : each;
    return (size_t)(each ? each * (capacity + BEHIND_ROWS) : capacity);
}

static oct_buffer **cell_buffer(oct_tree *tree, const cell_array *array)
{
    return (oct_buffer **)(void *)((char *)tree + array->offset);
}

/* Cells are made anew with every tree, so growing need not copy them. */
static oct_status make_cells(oct_tree *tree, oct_domain *domain, uint64_t capacity)
{
    oct_buffer_plan plans[CELL_ARRAYS];
    OCT_CHECK(
        !tree->options.rows || capacity < MOST_SLOTS, OCT_STATUS_SPACE,
        "the octree has %llu cells, too many to be walked in vector lanes: expected fewer than "
        "%d; use more particles a leaf",
        (unsigned long long)capacity, MOST_SLOTS);
    const bool wanted[] = {[PLAIN] = true,
                           [ROWS] = tree->options.rows,
                           [RECORDS] = tree->options.records,
                           [SOFT] = tree->options.softened};
    size_t n = 0;
    for (const cell_array *array = cell_arrays; array < cell_arrays + CELL_ARRAYS; array++)
        if (wanted[array->kind])
            plans[n++] = (oct_buffer_plan){
                cell_buffer(tree, array), array->name, cell_bytes(array, domain->precision),
                cell_count(array, capacity, tree->options.criterion, tree->options.softened)};
    OCT_TRY(oct_buffers_replace(domain->device, plans, n));
    tree->capacity = (uint32_t)capacity;
    tree->built = (oct_made){0};
    oct_tree_keeper_lost(tree->keeper);
    return OCT_STATUS_OK;
}

static oct_status make_buffers(oct_tree *tree, oct_domain *domain)
{
    size_t real4 = 4 * oct_real_size(domain->precision), n = domain->n;
    const struct {
        oct_buffer **buffer;
        const char *name;
        size_t element, count;
    } rows[] = {
        {&tree->bounds, "tree.bounds", real4, 2},     {&tree->keys, "tree.keys", 8, n},
        {&tree->order, "tree.order", 4, n},           {&tree->sorted, "tree.sorted", real4, n},
        {&tree->starts, "tree.starts", 4, n},         {&tree->places, "tree.places", 4, n},
        {&tree->leaf_level, "tree.leaf_level", 1, n}, {&tree->total, "tree.total", 4, 1},
        {&tree->unsettled, "tree.unsettled", 4, 1},   {&tree->peak, "tree.peak", 4, 2},
        {&tree->row_end, "tree.row_end", 4, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        OCT_TRY(oct_buffer_create(rows[i].buffer, domain->device, rows[i].name, rows[i].element,
                                  rows[i].count));
    if (tree->options.softened)
        OCT_TRY(oct_buffer_create(&tree->sorted_soft, domain->device, "tree.sorted_soft",
                                  oct_force_size(domain->precision), n));
    return oct_buffer_fill(tree->peak, 0);
}

const oct_offer oct_tree_offers[] = {OCT_OFFER(oct_tree, "keys", keys),
                                     OCT_OFFER(oct_tree, "order", order),
                                     OCT_OFFER(oct_tree, "sorted", sorted),
                                     OCT_OFFER(oct_tree, "links", links),
                                     OCT_OFFER(oct_tree, "level_of", level_of),
                                     OCT_OFFER(oct_tree, "mass", mass),
                                     OCT_OFFER(oct_tree, "quad", quad),
                                     OCT_OFFER(oct_tree, "box", box),
                                     OCT_OFFER(oct_tree, "place", place),
                                     OCT_OFFER(oct_tree, "test", test),
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

static oct_status make_programs(oct_tree *tree, oct_domain *domain)
{
    char options[96];
    bool hilbert = tree->options.curve == OCT_CURVE_HILBERT;
    const oct_device_info *info = oct_device_describe(domain->device);
    bool cpu = oct_device_is_cpu(info);
    tree->keys_each = cpu ? 16 : 1;
    /* On a CPU trees with rows and without are one program, on others those with records. */
    snprintf(options, sizeof options, "-D CRITERION=%d -D KEYS=%u%s%s%s",
             (int)tree->options.criterion, tree->keys_each, hilbert ? " -D HILBERT" : "",
             tree->options.records || !cpu ? " -D RECORDS" : "",
             tree->options.softened ? " -D SOFTENINGS" : "");
    OCT_TRY(oct_domain_build(&tree->program, domain, "tree_octree.cl", options));
#define ALL OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, tree)
    OCT_TRY(OCT_KERNEL(&tree->make_keys, tree->program, "tree_keys_make", ALL,
                       OCT_FIX_UINT("levels", OCT_TREE_LEVELS)));
    OCT_TRY(OCT_KERNEL(
        &tree->leaves, tree->program, "tree_build_leaves", ALL, OCT_BIND_OFFERS(soft_offers, tree),
        OCT_BIND_OUT("starts", &tree->starts), OCT_BIND_OUT("leaf_level", &tree->leaf_level),
        OCT_FIX_INT("levels", OCT_TREE_LEVELS), OCT_BIND_UINT("leaf", &tree->options.leaf)));
    OCT_TRY(OCT_KERNEL(
        &tree->cells, tree->program, "tree_build_cells", ALL,
        OCT_BIND_OUT("arrived", &tree->arrived), OCT_BIND_OUT("peak", &tree->peak),
        OCT_BIND_IN("starts", &tree->starts), OCT_BIND_IN("places", &tree->places),
        OCT_BIND_IN("leaf_level", &tree->leaf_level), OCT_FIX_INT("levels", OCT_TREE_LEVELS),
        OCT_BIND_UINT("capacity", &tree->capacity), OCT_BIND_UINT("operation", &tree->operation)));
    /* Climbing takes a fence that reaches all work-groups. */
    bool climbs = !tree->options.portable && (cpu || oct_device_is_nvidia(info));
#define MOMENTS                                                                                    \
    ALL, OCT_BIND_OUT("arrived", &tree->arrived), OCT_BIND_UINT("capacity", &tree->capacity),      \
        OCT_BIND_REAL("inverse_theta", &tree->inverse_theta)
    if (climbs)
        OCT_TRY(OCT_KERNEL(&tree->climb, tree->program, "tree_moments_climb", MOMENTS));
    else
        OCT_TRY(OCT_KERNEL(&tree->level, tree->program, "tree_moments_level", MOMENTS,
                           OCT_BIND_UINT("level", &tree->level_now)));
#define COPIES ALL, OCT_BIND_UINT("capacity", &tree->capacity)
    if (tree->options.rows)
        OCT_TRY(OCT_KERNEL(&tree->write_rows, tree->program, "tree_rows_write", COPIES));
    if (tree->options.records) {
        OCT_TRY(OCT_KERNEL(&tree->rank, tree->program, "tree_records_rank", COPIES,
                           OCT_BIND_OUT("later", &tree->arrived)));
        OCT_TRY(OCT_KERNEL(&tree->record, tree->program, "tree_records_make", COPIES,
                           OCT_BIND_IN("later", &tree->arrived)));
    }
#undef ALL
#undef MOMENTS
#undef COPIES
    OCT_TRY(oct_sort_create(&tree->sort, domain->device, domain->n, domain->precision,
                            OCT_VARIANT_AUTO));
    return oct_primitives_create(&tree->primitives, domain->device, domain->precision,
                                 OCT_VARIANT_AUTO);
}

oct_status oct_tree_share(oct_tree **out, oct_domain *domain, const oct_tree_options *options)
{
    oct_tree *tree = domain->tree;
    *out = tree;
    if (tree) {
        tree->holders++;
        return OCT_STATUS_OK;
    }
    OCT_TRY(oct_alloc(&tree, 1, sizeof *tree, "tree"));
    tree->options = *options;
    tree->domain = domain;
    tree->holders = 1;
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
    for (size_t i = 0; i < CELL_ARRAYS; i++)
        oct_buffer_free(*cell_buffer(tree, &cell_arrays[i]));
    oct_buffer *const buffers[] = {tree->bounds,     tree->keys,    tree->order,
                                   tree->sorted,     tree->starts,  tree->places,
                                   tree->leaf_level, tree->total,   tree->unsettled,
                                   tree->peak,       tree->row_end, tree->sorted_soft};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_kernel *const kernels[] = {tree->make_keys, tree->leaves,     tree->cells, tree->climb,
                                   tree->level,     tree->write_rows, tree->rank,  tree->record};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
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

/* Bits that tell nearly all bodies apart. A sheet of n has a body a cell where n^(1/2) cells are
 * along a side, two levels below most are alone, and clusters are no worse. */
static void choose_bits(oct_tree *tree, uint32_t n)
{
    unsigned levels = 2;
    for (uint64_t cells = 1; cells < n; cells *= 4)
        levels++;
    tree->bits = oct_sort_whole_digits(tree->sort, 3 * levels, KEY_BITS);
}

/* One digit more, where too many bodies agreed in these. */
static void add_bits(oct_tree *tree)
{
    tree->bits = oct_sort_whole_digits(tree->sort, tree->bits + 1, KEY_BITS);
}

static oct_status sort_keys(oct_tree *tree, uint32_t n)
{
    unsigned first = KEY_BITS - tree->bits;
    OCT_TRY(oct_sort_run(tree->sort, &tree->keys, &tree->order, n, first, KEY_BITS));
    return first == 0 ? OCT_STATUS_OK
                      : oct_sort_settle(tree->sort, &tree->keys, &tree->order, tree->unsettled, n,
                                        first, KEY_BITS);
}

/* Sorts the particles and counts the cells. */
static oct_status sort_particles(oct_tree *tree, oct_domain *domain)
{
    uint32_t n = domain->n;
    if (tree->bits == 0)
        choose_bits(tree, n);
    OCT_TRY(oct_array_box(tree->primitives, tree->bounds, domain->position, domain->type, n));
    OCT_TRY(oct_kernel_launch(tree->make_keys, (n + tree->keys_each - 1) / tree->keys_each, 0));
    OCT_TRY(sort_keys(tree, n));
    OCT_TRY(oct_kernel_launch(tree->leaves, n, 0));
    return oct_array_scan(tree->primitives, tree->places, tree->total, tree->starts, n);
}

/* Room for a fifth more than there are now. Few particles take many steps before the host looks
 * again, and room costs them little: they get half a cell each. */
static uint64_t room_for(uint64_t cells, uint64_t n)
{
    enum { PLENTY = 100000 };
    uint64_t room = cells + cells / 5 + 64, half = n / 2 < PLENTY ? n / 2 : PLENTY;
    return room > half ? room : half;
}

static oct_status grow(oct_tree *tree, oct_domain *domain, uint32_t cells)
{
    return make_cells(tree, domain, room_for(cells, domain->n));
}

static oct_status find_moments(oct_tree *tree)
{
    tree->inverse_theta = 1 / tree->options.theta;
    if (tree->climb)
        return oct_kernel_launch(tree->climb, tree->capacity, 0);
    for (tree->level_now = OCT_TREE_LEVELS + 1; tree->level_now-- > 0;)
        OCT_TRY(oct_kernel_launch(tree->level, tree->capacity, 0));
    return OCT_STATUS_OK;
}

/* Counts of arrivals have been used up: later siblings take their place. */
static oct_status make_records(oct_tree *tree)
{
    if (!tree->options.records)
        return OCT_STATUS_OK;
    OCT_TRY(oct_kernel_launch(tree->rank, tree->capacity, 0));
    return oct_kernel_launch(tree->record, tree->capacity, 0);
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
    return cells > tree->capacity ? grow(tree, domain, cells) : OCT_STATUS_OK;
}

oct_status oct_tree_find_moments(oct_tree *tree)
{
    OCT_TRY(find_moments(tree));
    if (tree->write_rows)
        OCT_TRY(oct_kernel_launch(tree->write_rows, tree->capacity, 0));
    return make_records(tree);
}

oct_status oct_tree_build(oct_tree *tree, oct_domain *domain, bool wait)
{
    bool others = !oct_edition_same(tree->placed, domain->placed);
    if (others)
        choose_bits(tree, domain->n);
    double softening = oct_setup_softening(domain->setup) * domain->sim->per_length;
    tree->softening2 = softening * softening;
    OCT_TRY(sort_particles(tree, domain));
    if (wait || tree->capacity == 0 || others)
        OCT_TRY(make_room(tree, domain));
    tree->operation = domain->sim->operation - 1;
    OCT_TRY(oct_kernel_launch(tree->cells, domain->n, 0));
    return oct_tree_find_moments(tree);
}

static oct_status bring_up(oct_tree *tree, oct_domain *domain, bool wait)
{
    oct_made now = OCT_MADE(domain->position, tree->options.softened ? domain->softening : NULL);
    bool renewed = false;
    if (oct_made_fresh(&tree->built, &now))
        return OCT_STATUS_OK;
    tree->built = (oct_made){0};
    if (tree->keeper)
        OCT_TRY(oct_tree_renew(&renewed, tree, domain));
    if (!renewed)
        OCT_TRY(oct_tree_build(tree, domain, wait));
    if (!renewed && tree->keeper)
        OCT_TRY(oct_tree_keeper_built(tree, domain));
    tree->built = now;
    return OCT_STATUS_OK;
}

oct_status oct_tree_update(oct_tree *tree, oct_domain *domain)
{
    return bring_up(tree, domain, true);
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
        OCT_TRY(oct_buffer_write(tree->peak, &(uint32_t){0}, 1, 1));
    }
    tree->looked = tree->peak->version;
    if ((uint64_t)10 * peak[0] <= (uint64_t)9 * tree->capacity)
        return OCT_STATUS_OK;
    oct_status status = grow(tree, domain, peak[0]);
    /* What there is has been enough: that there is no more is no failure yet. */
    return status == OCT_STATUS_SPACE && peak[0] <= tree->capacity ? OCT_STATUS_OK : status;
}

/* With leaves of 16 a Plummer sphere has 0.23 cells a particle. */
static void cell_memory(oct_needs *needs, cell_kind kind, oct_criterion criterion)
{
    bool softened = oct_setup_softens(needs->setup);
    uint64_t room = room_for(1 + 23 * needs->n / 100, needs->n);
    for (size_t i = 0; i < CELL_ARRAYS; i++)
        if (cell_arrays[i].kind == kind)
            oct_needs_add(needs, cell_bytes(&cell_arrays[i], needs->precision),
                          cell_count(&cell_arrays[i], room, criterion, softened));
}

void oct_tree_rows_memory(oct_needs *needs, oct_criterion criterion)
{
    cell_memory(needs, ROWS, criterion);
}

void oct_tree_records_memory(oct_needs *needs)
{
    cell_memory(needs, RECORDS, OCT_CRITERION_OFFSET);
}

void oct_tree_soft_memory(oct_needs *needs)
{
    if (!oct_setup_softens(needs->setup))
        return;
    oct_needs_add(needs, oct_force_size(needs->precision), needs->n);
    cell_memory(needs, SOFT, OCT_CRITERION_OFFSET);
}

void oct_tree_memory(oct_needs *needs)
{
    const uint64_t elements[] = {8, 4, 4 * oct_real_size(needs->precision), 4, 4, 1};
    uint64_t n = needs->n;
    if (needs->tree)
        return;
    needs->tree = true;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        oct_needs_add(needs, elements[i], n);
    oct_needs_add(needs, 4 * oct_real_size(needs->precision), 2);
    for (uint64_t words = 1; words <= 2; words++)
        oct_needs_add(needs, 4, words);
    for (int i = 0; i < 2; i++)
        oct_needs_add(needs, 4, 1);
    cell_memory(needs, PLAIN, OCT_CRITERION_OFFSET);
    oct_primitives_memory(&needs->memory, needs->device, needs->precision);
    oct_sort_memory(&needs->memory, n);
    if (needs->keeps)
        oct_tree_keep_memory(needs);
}
