/* Makes one tree of those that others have sent. */
#include "tree/essential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/softening.h"

/* As in kernels: a cell without parent, bodies that nobody takes, children that a row may have. */
enum { SHUT = 3, CHILDREN = 8, ROW_SLOT = 16, SOFT_SLOT = 20, BEHIND_ROWS = 8 };
static const uint32_t no_cell = UINT32_MAX;
/* What a word of a walk can name. */
static const uint64_t most_cells = (uint64_t)1 << 28;

static const oct_offer offers[] = {OCT_OFFER(oct_essential, "source", source),
                                   OCT_OFFER(oct_essential, "source_soft", source_soft),
                                   OCT_OFFER(oct_essential, "words", in.words),
                                   OCT_OFFER(oct_essential, "trees", trees),
                                   OCT_OFFER(oct_essential, "n_trees", n_trees),
                                   OCT_OFFER(oct_essential, "n_cells", n_cells),
                                   {0}};

oct_status oct_forest_start(oct_essential *e, const char *options)
{
    oct_tree *tree = e->tree, *forest = &e->forest;
    forest->options = tree->options;
    OCT_TRY(oct_domain_build(&e->forest_program, e->domain, "tree_forest.cl", options));
#define ALL    OCT_BIND_OFFERS(oct_tree_offers, forest)
#define COPIES ALL, OCT_BIND_UINT("capacity", &forest->capacity)
    OCT_TRY(OCT_KERNEL(&e->place, e->forest_program, "tree_forest_place", ALL,
                       OCT_BIND_OFFERS(offers, e)));
    if (tree->options.rows) {
        OCT_TRY(OCT_KERNEL(&e->take_rows, e->forest_program, "tree_forest_rows", ALL,
                           OCT_BIND_OFFERS(offers, e)));
        OCT_TRY(OCT_KERNEL(&e->write_rows, tree->program, "tree_rows_write", COPIES));
    }
    if (!tree->options.records)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_KERNEL(&e->rank, tree->program, "tree_records_rank", COPIES,
                       OCT_BIND_OUT("later", &e->later)));
    return OCT_KERNEL(&e->record, tree->program, "tree_records_make", COPIES,
                      OCT_BIND_IN("later", &e->later));
#undef COPIES
#undef ALL
}

void oct_forest_free(oct_essential *e)
{
    oct_tree *forest = &e->forest;
    oct_kernel *const kernels[] = {e->place, e->take_rows, e->write_rows, e->rank, e->record};
    oct_buffer *const buffers[] = {forest->links, forest->mass, forest->quad,   forest->box,
                                   forest->soft,  forest->rows, forest->row_of, forest->row_end,
                                   forest->place, forest->test, forest->total,  e->later,
                                   e->trees,      e->source,    e->source_soft};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    oct_program_free(e->forest_program);
    free(e->tree_table);
}

/* Cells for so many. */
static oct_status make_cells(oct_essential *e, uint64_t cells)
{
    oct_tree *forest = &e->forest;
    const oct_tree_options *o = &e->tree->options;
    size_t real = oct_real_size(e->domain->precision), force = oct_force_size(e->domain->precision);
    size_t room = (size_t)(cells + cells / 4 + 64), slots = o->rows ? room + BEHIND_ROWS : 0;
    size_t slot = o->criterion == OCT_CRITERION_MIN_DISTANCE ? 2 * ROW_SLOT
                  : o->softened                              ? SOFT_SLOT
                                                             : ROW_SLOT;
    size_t records = o->records ? room : 0;
    const oct_buffer_plan plans[] = {
        {&forest->links, "forest.links", 16, room},
        {&forest->mass, "forest.mass", 4 * real, room},
        {&forest->quad, "forest.quad", 8 * force, room},
        {&forest->box, "forest.box", 8 * force, room},
        {&forest->soft, "forest.soft", 2 * force, o->softened ? room : 0},
        {&forest->row_of, "forest.row_of", sizeof(uint32_t), slots},
        {&forest->rows, "forest.rows", force, slots * slot},
        {&forest->place, "forest.place", 4 * real, records},
        {&forest->test, "forest.test", 16, records},
        {&e->later, "forest.later", sizeof(uint32_t), records},
        {&forest->row_end, "forest.row_end", sizeof(uint32_t), 1},
        {&forest->total, "forest.total", sizeof(uint32_t), 1},
    };
    if (cells <= forest->capacity)
        return OCT_STATUS_OK;
    OCT_CHECK(room < most_cells, OCT_STATUS_SPACE,
              "the parts of trees that other domains have sent have %llu cells: expected fewer "
              "than 2^28; use more particles a leaf",
              (unsigned long long)cells);
    OCT_TRY(oct_buffers_replace(e->domain->device, plans, sizeof plans / sizeof plans[0]));
    forest->capacity = (uint32_t)room;
    forest->walked = forest->mass;
    forest->walked_quad = forest->quad;
    return OCT_STATUS_OK;
}

static oct_status make_sources(oct_essential *e, uint64_t bodies)
{
    oct_precision precision = e->domain->precision;
    size_t room = (size_t)(bodies + bodies / 4 + 64);
    const oct_buffer_plan plans[] = {
        {&e->source, "forest.source", 4 * oct_real_size(precision), room},
        {&e->source_soft, "forest.source_soft", oct_force_size(precision),
         e->tree->options.softened ? room : 0},
    };
    if (bodies <= e->source_room)
        return OCT_STATUS_OK;
    OCT_CHECK(room < UINT32_MAX, OCT_STATUS_SPACE,
              "other domains have sent %llu bodies: expected fewer than 2^32",
              (unsigned long long)bodies);
    OCT_TRY(oct_buffers_replace(e->domain->device, plans, sizeof plans / sizeof plans[0]));
    e->source_room = (uint32_t)room;
    return OCT_STATUS_OK;
}

/* An entry of the table of trees. */
enum { CELL, CELL_WORD, BODY_WORD, BODY, PARENT, ENTRY = 8 };

/* Trees that have come, while they are put one behind the other. */
typedef struct planner {
    oct_essential *e;
    uint32_t *ranks; /* that have sent any cells */
    uint64_t *words; /* where their messages are, by rank */
    uint64_t cells, bodies;
} planner;

static uint32_t *add_entry(planner *p, uint64_t cell_word, uint32_t parent)
{
    uint32_t *entry = p->e->tree_table + ENTRY * (size_t)p->e->n_trees++;
    entry[CELL] = (uint32_t)p->cells;
    entry[CELL_WORD] = (uint32_t)cell_word;
    entry[PARENT] = parent;
    return entry;
}

/* A cell that is always opened, `cells` with all below it: beyond any reach. */
static void write_super(const oct_essential *e, uint32_t *words, uint64_t cells)
{
    size_t real = oct_real_size(e->domain->precision), force = oct_force_size(e->domain->precision);
    char *reach = (char *)words + 4 * real + 6 * force;
    uint32_t link[4] = {(uint32_t)cells, 0, 0, no_cell};
    memset(words, 0, e->cell_words * sizeof *words);
    for (int k = 0; k < 2; k++) {
        double number = INFINITY;
        float single = INFINITY;
        memcpy(reach + (size_t)k * force, force == sizeof number ? (void *)&number : &single,
               force);
    }
    memcpy((char *)words + 4 * real + 8 * force, link, sizeof link);
}

/* Puts trees [first, first + n) under a parent, in depth-first order. */
static void plan_trees(planner *p, size_t first, size_t n, uint32_t parent)
{
    oct_essential *e = p->e;
    if (n == 1) {
        uint32_t rank = p->ranks[first];
        const oct_essential_length *length = &e->lengths[e->comm->size + rank];
        uint32_t *entry = add_entry(p, p->words[rank], parent);
        entry[BODY_WORD] = (uint32_t)(p->words[rank] + length->cells * e->cell_words);
        entry[BODY] = (uint32_t)p->bodies;
        p->cells += length->cells;
        p->bodies += length->bodies;
        return;
    }
    uint64_t cell = p->cells;
    /* There are fewer than two entries a rank: each has room at the beginning of the words. */
    uint64_t word = (uint64_t)e->n_trees * e->cell_words;
    size_t each = (n + CHILDREN - 1) / CHILDREN;
    add_entry(p, word, parent);
    p->cells++;
    for (size_t at = 0; at < n; at += each)
        plan_trees(p, first + at, n - at < each ? n - at : each, (uint32_t)cell);
    write_super(e, e->in.host + word, p->cells - cell);
}

/* Cells above the messages: fewer than two a rank, with those that are none. */
static size_t above_words(const oct_essential *e)
{
    return 2 * (size_t)e->comm->size * e->cell_words;
}

/* Where the messages of the ranks will be, and which of them have any cells. */
static oct_status plan_words(planner *p, size_t *n)
{
    oct_essential *e = p->e;
    size_t ranks = e->comm->size;
    uint64_t words = above_words(e);
    *n = 0;
    for (size_t r = 0; r < ranks; r++) {
        const oct_essential_length *length = &e->lengths[ranks + r];
        p->words[r] = words;
        words += length->cells * e->cell_words + length->bodies * e->body_words;
        if (length->cells > 0)
            p->ranks[(*n)++] = (uint32_t)r;
    }
    OCT_TRY(oct_essential_mail_device(&e->in, e->domain->device, words));
    /* Of messages that are copied on the device the host has no more than the cells above them. */
    e->in.n = e->near ? above_words(e) : (size_t)words;
    return oct_essential_mail_host(&e->in, e->in.n);
}

static oct_status plan(planner *p)
{
    oct_essential *e = p->e;
    size_t n, ranks = e->comm->size;
    const oct_buffer_plan trees = {&e->trees, "forest.trees", ENTRY * sizeof(uint32_t), 2 * ranks};
    OCT_TRY(plan_words(p, &n));
    if (!e->trees) {
        OCT_TRY(oct_alloc(&e->tree_table, ENTRY * 2 * ranks, sizeof *e->tree_table, "ranks"));
        OCT_TRY(oct_buffers_replace(e->domain->device, &trees, 1));
    }
    if (n > 0)
        plan_trees(p, 0, n, no_cell);
    OCT_TRY(make_cells(e, p->cells));
    OCT_TRY(make_sources(e, p->bodies));
    e->n_cells = (uint32_t)p->cells;
    return OCT_STATUS_OK;
}

oct_status oct_forest_plan(oct_essential *e, uint64_t *at)
{
    planner p = {.e = e, .words = at, .bodies = SHUT};
    e->n_trees = 0;
    OCT_TRY(oct_alloc(&p.ranks, e->comm->size, sizeof *p.ranks, "ranks"));
    oct_status status = plan(&p);
    free(p.ranks);
    return status;
}

oct_status oct_forest_make(oct_essential *e)
{
    oct_tree *tree = e->tree, *forest = &e->forest;
    forest->order = tree->order;
    forest->sorted = tree->sorted;
    forest->sorted_soft = tree->sorted_soft;
    forest->begin = tree->begin;
    forest->groups = tree->groups;
    forest->n_groups = tree->n_groups;
    if (e->near)
        OCT_TRY(oct_buffer_post(e->in.words, e->in.host, 0, e->in.n));
    else
        OCT_TRY(oct_buffer_write(e->in.words, e->in.host, 0, e->in.n));
    OCT_TRY(oct_buffer_post(e->trees, e->tree_table, 0, e->n_trees));
    OCT_TRY(oct_kernel_launch(e->place, e->n_cells, 0));
    if (e->take_rows) {
        OCT_TRY(oct_kernel_launch(e->take_rows, e->n_cells, 0));
        OCT_TRY(oct_kernel_launch(e->write_rows, e->n_cells, 0));
    }
    if (!e->rank)
        return OCT_STATUS_OK;
    OCT_TRY(oct_kernel_launch(e->rank, e->n_cells, 0));
    return oct_kernel_launch(e->record, e->n_cells, 0);
}
