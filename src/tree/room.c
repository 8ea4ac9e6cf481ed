/* Which arrays a tree has, and in which stages each of them is in use. */
#include "tree/room.h"

#include "core/look.h"
#include "core/softening.h"
#include "device/pool.h"
#include "tree/keep.h"

/* What happens to a tree, in this order. Walks are all that comes after it was built. */
typedef enum stage { SORT, LEAVES, CELLS, MOMENTS, COPIES, MOVES, WALK } stage;

/* What an array has an element for. */
typedef enum unit { BODY, CELL, SLOT, WORD } unit;

/* Which trees have it: all, those with rows, with records, with softenings, with third moments,
 * with lists, those with records that are kept, and those with records that are built in memory of
 * others. */
typedef enum kind { PLAIN, ROWS, RECORDS, SOFT, THIRDS, LISTS, KEPT, MOVED } kind;

typedef struct array {
    size_t offset; /* of the buffer in the tree */
    const char *name;
    size_t fixed, reals, forces; /* in an element */
    unit unit;
    kind kind;
    stage first, last; /* unless cells stay for walks: see last_use */
} array;

/* Forces that a slot of a row takes, more with softenings, with boxes or third moments, or both;
 * slots that may be read behind the last, and how many a word can name (kernels/tree_rows.clh). */
enum { ROW_SLOT = 16, SOFT_SLOT = 20, WIDE_SLOT = 32, WIDEST_SLOT = 40 };
enum { BEHIND_ROWS = 8, MOST_SLOTS = 1 << 28 };

#define AT(member) offsetof(oct_tree, member), "tree." #member
static const array arrays[] = {
    {AT(sort_keys), 8, 0, 0, BODY, PLAIN, SORT, SORT},
    {AT(sort_order), 4, 0, 0, BODY, PLAIN, SORT, SORT},
    {AT(own_keys), 8, 0, 0, BODY, PLAIN, SORT, CELLS},
    {AT(own_order), 4, 0, 0, BODY, PLAIN, SORT, WALK},
    {AT(sorted), 0, 4, 0, BODY, PLAIN, LEAVES, WALK},
    {AT(sorted_soft), 0, 0, 1, BODY, SOFT, LEAVES, WALK},
    {AT(places), 4, 0, 0, BODY, PLAIN, LEAVES, CELLS},
    {AT(leaf_level), 1, 0, 0, BODY, PLAIN, LEAVES, CELLS},
    {AT(links), 16, 0, 0, CELL, PLAIN, CELLS, COPIES},
    {AT(level_of), 1, 0, 0, CELL, PLAIN, CELLS, MOMENTS},
    {AT(arrived), 4, 0, 0, CELL, PLAIN, CELLS, COPIES},
    {AT(mass), 0, 4, 0, CELL, PLAIN, MOMENTS, COPIES},
    {AT(quad), 0, 0, 8, CELL, PLAIN, MOMENTS, COPIES},
    {AT(box), 0, 0, 8, CELL, PLAIN, MOMENTS, COPIES},
    {AT(soft), 0, 0, 2, CELL, SOFT, MOMENTS, WALK},
    {AT(third), 0, 0, 12, CELL, THIRDS, MOMENTS, WALK},
    {AT(row_of), 4, 0, 0, SLOT, ROWS, MOMENTS, COPIES},
    {AT(rows), 0, 0, ROW_SLOT, SLOT, ROWS, COPIES, WALK},
    {AT(place), 0, 4, 0, CELL, RECORDS, COPIES, WALK},
    {AT(test), 16, 0, 0, CELL, RECORDS, COPIES, WALK},
    {AT(moved), 0, 0, 8, CELL, MOVED, MOVES, WALK},
    {AT(seat), 16, 0, 0, CELL, KEPT, COPIES, WALK},
    {AT(came), 4, 0, 0, CELL, KEPT, COPIES, WALK},
    {AT(begin), 4, 0, 0, WORD, LISTS, WALK, WALK},
};
#undef AT
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

/* What a tree is made for. */
typedef struct demand {
    oct_tree_options options;
    oct_precision precision;
    uint64_t n, capacity;
} demand;

static bool is_wanted(const array *a, const oct_tree_options *o)
{
    const bool wanted[] = {[PLAIN] = true,
                           [ROWS] = o->rows,
                           [RECORDS] = o->records,
                           [SOFT] = o->softened,
                           [THIRDS] = o->thirds,
                           [LISTS] = o->lists > 0,
                           [KEPT] = o->kept && o->records,
                           [MOVED] = o->lent && o->records};
    return wanted[a->kind];
}

/* Walks of records take moments from where they were found, those of rows only links; boxes belong
 * to one criterion. */
static stage last_use(const array *a, const oct_tree_options *o)
{
    bool moments = a->offset == offsetof(oct_tree, mass) || a->offset == offsetof(oct_tree, quad);
    bool box = a->offset == offsetof(oct_tree, box), links = a->offset == offsetof(oct_tree, links);
    bool cell = a->unit == CELL && a->kind == PLAIN && a->offset != offsetof(oct_tree, arrived);
    if (o->apart || (o->cells && cell))
        return WALK;
    if (o->lent && o->records && a->offset == offsetof(oct_tree, quad))
        return MOVES;
    if ((moments && o->records && !o->lent) || (links && o->rows))
        return WALK;
    if (box && o->records)
        return o->criterion == OCT_CRITERION_MIN_DISTANCE ? WALK : o->rows ? COPIES : MOMENTS;
    return a->last;
}

static size_t count_elements(const array *a, const demand *d)
{
    const uint64_t counts[] = {[BODY] = d->n,
                               [CELL] = d->capacity,
                               [SLOT] = d->capacity + BEHIND_ROWS,
                               [WORD] = d->options.lists};
    return (size_t)counts[a->unit];
}

/* A row is an array of forces, so many a slot. */
static oct_pooled describe(const array *a, const demand *d)
{
    oct_pooled out = {.name = a->name,
                      .element = a->fixed + a->reals * oct_real_size(d->precision) +
                                 a->forces * oct_force_size(d->precision),
                      .count = count_elements(a, d),
                      .first = d->options.apart ? SORT : a->first,
                      .last = last_use(a, &d->options)};
    if (a->offset == offsetof(oct_tree, rows)) {
        bool boxes = d->options.criterion == OCT_CRITERION_MIN_DISTANCE, thirds = d->options.thirds;
        out.element = oct_force_size(d->precision);
        out.count *= (size_t)(boxes && thirds       ? WIDEST_SLOT
                              : boxes || thirds     ? WIDE_SLOT
                              : d->options.softened ? SOFT_SLOT
                                                    : ROW_SLOT);
    }
    return out;
}

static oct_buffer **buffer_of(oct_tree *tree, const array *a)
{
    return (oct_buffer **)(void *)((char *)tree + a->offset);
}

static size_t describe_all(oct_pooled *out, oct_tree *tree, const demand *d)
{
    size_t n = 0;
    for (const array *a = arrays; a < arrays + ARRAYS; a++) {
        if (!is_wanted(a, &d->options))
            continue;
        out[n] = describe(a, d);
        if (tree)
            out[n].at = buffer_of(tree, a);
        n++;
    }
    return n;
}

/* A fifth more, less of very many: how many cells there are changes little there. */
static uint64_t spare(uint64_t cells)
{
    uint64_t fifth = cells / 5, less = ((uint64_t)1 << 20) + cells / 20;
    return (fifth < less ? fifth : less) + 64;
}

/* Few particles take many steps before the host looks again, and room costs them little: they get
 * half a cell each. */
uint64_t oct_tree_room_for(uint64_t cells, uint64_t n)
{
    enum { PLENTY = 100000 };
    uint64_t room = cells + spare(cells), half = n / 2 < PLENTY ? n / 2 : PLENTY;
    return room > half ? room : half;
}

bool oct_tree_room_is_low(uint64_t cells, uint64_t capacity)
{
    return cells + spare(cells) / 2 > capacity;
}

uint32_t oct_tree_lent_from(const oct_device_info *device)
{
    enum { MANY = 1 << 22 };
    return oct_device_is_cpu(device) ? 0 : MANY;
}

/* Whether a tree is built in the memory of accelerations: gravity alone has it built, and finds
 * those of all bodies right after that. Boxes, softenings and third moments of cells do not move to
 * records. */
static bool is_lent(const oct_tree_options *o, const oct_setup *setup, bool sets)
{
    bool walked = o->rows || o->records, stays = o->cells || o->kept || o->apart;
    return walked && !stays && !sets && !o->softened && !o->thirds && !oct_looks_apart(setup) &&
           o->criterion != OCT_CRITERION_MIN_DISTANCE;
}

static oct_pool_loan loan_of(const demand *d)
{
    uint64_t bytes = d->options.lent ? 4 * oct_real_size(d->precision) * d->n : 0;
    return (oct_pool_loan){.bytes = bytes, .last = MOVES};
}

static oct_status make_pool(oct_pool **out, oct_tree *tree, uint64_t capacity, bool lent)
{
    oct_pooled buffers[ARRAYS];
    oct_domain *domain = tree->domain;
    demand d = {tree->options, domain->precision, domain->n, capacity};
    d.options.lent = lent;
    size_t n = describe_all(buffers, tree, &d);
    oct_pool_loan loan = loan_of(&d);
    loan.from = domain->acceleration;
    return oct_pool_create(out, domain->device, "tree", &loan, buffers, n);
}

static void set_pool(oct_tree *tree, oct_pool *pool, uint64_t capacity, bool lent)
{
    tree->pool = pool;
    tree->capacity = (uint32_t)capacity;
    tree->keys = tree->own_keys;
    tree->order = tree->own_order;
    tree->options.lent = lent;
    if (!lent)
        tree->moved = NULL;
    tree->walked = tree->moved ? tree->place : tree->mass;
    tree->walked_quad = tree->moved ? tree->moved : tree->quad;
    tree->domain->lends = pool && lent && !tree->options.apart;
    tree->built = (oct_made){0};
    oct_tree_keeper_lost(tree->keeper);
}

void oct_tree_lose_room(oct_tree *tree)
{
    oct_pool_free(tree->pool);
    for (const array *a = arrays; a < arrays + ARRAYS; a++)
        *buffer_of(tree, a) = NULL;
    set_pool(tree, NULL, 0, false);
}

oct_status oct_tree_make_room(oct_tree *tree, uint64_t capacity, bool give_up)
{
    oct_pool *made, *old = tree->pool;
    const oct_domain *domain = tree->domain;
    bool lent = tree->options.apart ? tree->options.lent
                                    : domain->n >= tree->lent_from &&
                                          is_lent(&tree->options, domain->setup, domain->has_sets);
    OCT_CHECK(
        !tree->options.rows || capacity < MOST_SLOTS, OCT_STATUS_SPACE,
        "the octree has %llu cells, too many to be walked in vector lanes: expected fewer than "
        "%d; use more particles a leaf",
        (unsigned long long)capacity, MOST_SLOTS);
    oct_status status = make_pool(&made, tree, capacity, lent);
    if (status == OCT_STATUS_SPACE && old && give_up) {
        oct_tree_lose_room(tree);
        old = NULL;
        status = make_pool(&made, tree, capacity, lent);
    }
    OCT_TRY(status);
    oct_pool_free(old);
    set_pool(tree, made, capacity, lent);
    return OCT_STATUS_OK;
}

/* With leaves of 16 a Plummer sphere has 0.23 cells a particle. */
static uint64_t usual_room(uint64_t n)
{
    return oct_tree_room_for(1 + 23 * n / 100, n);
}

oct_status oct_tree_make_first_room(oct_tree *tree)
{
    return oct_tree_make_room(tree, usual_room(tree->domain->n), false);
}

/* Makes room for other arrays than the tree had. */
static oct_status change_options(oct_tree *tree, oct_tree_options options)
{
    oct_tree_options before = tree->options;
    tree->options = options;
    oct_status status = tree->pool ? oct_tree_make_room(tree, tree->capacity, true) : OCT_STATUS_OK;
    if (status != OCT_STATUS_OK)
        tree->options = before;
    return status;
}

oct_status oct_tree_let_stay(oct_tree *tree)
{
    oct_tree_options options = tree->options;
    if (options.cells)
        return OCT_STATUS_OK;
    options.cells = true;
    return change_options(tree, options);
}

oct_status oct_tree_let_keep(oct_tree *tree)
{
    oct_tree_options options = tree->options;
    options.cells = options.kept = true;
    return change_options(tree, options);
}

/* When all have said what they want of it. */
static void count_tree(oct_needs *needs)
{
    oct_pooled buffers[ARRAYS];
    demand d = {.options = {.criterion = (oct_criterion)needs->octree.criterion,
                            .softened = oct_setup_softens(needs->setup),
                            .thirds = needs->octree.thirds,
                            .cells = needs->octree.cells || needs->keeps,
                            .kept = needs->keeps,
                            .rows = needs->octree.rows,
                            .records = needs->octree.records,
                            .lists = (size_t)needs->octree.lists},
                .precision = needs->precision,
                .n = needs->n,
                .capacity = usual_room(needs->n)};
    d.options.lent = needs->n >= oct_tree_lent_from(needs->device) &&
                     is_lent(&d.options, needs->setup, needs->sets);
    const oct_pool_loan loan = loan_of(&d);
    oct_pool_memory(&needs->memory, &loan, buffers, describe_all(buffers, NULL, &d));
}

bool oct_tree_scans(const oct_device_info *info)
{
    return oct_device_is_nvidia(info);
}

/* All but the arrays. */
static void add_tree(oct_needs *needs)
{
    if (needs->tree)
        return;
    needs->tree = true;
    needs->last = count_tree;
    oct_needs_add(needs, 4 * oct_real_size(needs->precision), 2);
    for (uint64_t words = 1; words <= 2; words++)
        oct_needs_add(needs, 4, words);
    for (int i = 0; i < 2; i++)
        oct_needs_add(needs, 4, 1);
    if (oct_tree_scans(needs->device)) {
        oct_needs_add(needs, 8, OCT_TREE_SCAN_BLOCKS);
        oct_needs_add(needs, 4, 1);
    }
    oct_primitives_memory(&needs->memory, needs->device, needs->precision);
    oct_sort_memory(&needs->memory);
    if (needs->keeps)
        oct_tree_keep_memory(needs);
}

void oct_tree_memory(oct_needs *needs)
{
    add_tree(needs);
    needs->octree.cells = true;
}

void oct_tree_rows_memory(oct_needs *needs, oct_criterion criterion)
{
    add_tree(needs);
    needs->octree.rows = true;
    needs->octree.criterion = (int)criterion;
}

void oct_tree_records_memory(oct_needs *needs, oct_criterion criterion, uint64_t lists)
{
    add_tree(needs);
    needs->octree.records = true;
    needs->octree.criterion = (int)criterion;
    needs->octree.lists = lists;
}
