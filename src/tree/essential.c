/* Describes bodies by boxes, and sends what others need of the tree. */
#include "tree/essential.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"

const oct_offer oct_essential_offers[] = {OCT_OFFER(oct_essential, "source", source),
                                          OCT_OFFER(oct_essential, "source_soft", source_soft),
                                          OCT_OFFER(oct_essential, "group_boxes", group_boxes),
                                          {0}};

/* What kernels of this file take beside the domain and the tree. */
static const oct_offer offers[] = {OCT_OFFER(oct_essential, "group_boxes", group_boxes),
                                   OCT_OFFER(oct_essential, "parts", parts),
                                   OCT_OFFER(oct_essential, "boxes_each", boxes_each),
                                   OCT_OFFER(oct_essential, "all_parts", all_parts),
                                   OCT_OFFER(oct_essential, "first_lot", now.first_lot),
                                   OCT_OFFER(oct_essential, "n_lots", now.n_lots),
                                   OCT_OFFER(oct_essential, "opened", opened),
                                   OCT_OFFER(oct_essential, "marks", marks),
                                   OCT_OFFER(oct_essential, "n_marks", n_marks),
                                   OCT_OFFER(oct_essential, "sent", sent),
                                   OCT_OFFER(oct_essential, "words_at", now.words_at),
                                   OCT_OFFER(oct_essential, "words", out.words),
                                   OCT_OFFER(oct_essential, "room", out.device_room),
                                   {0}};

static size_t box_bytes(const oct_essential *e)
{
    return 8 * oct_real_size(e->domain->precision);
}

oct_status oct_essential_mail_host(oct_essential_mail *mail, size_t words)
{
    if (words <= mail->room)
        return OCT_STATUS_OK;
    size_t room = words + words / 4;
    OCT_TRY(oct_realloc(&mail->host, room, sizeof *mail->host, "parts of trees"));
    mail->room = room;
    return OCT_STATUS_OK;
}

oct_status oct_essential_mail_device(oct_essential_mail *mail, oct_device *device, uint64_t words)
{
    uint64_t room = words + words / 4;
    if (words <= mail->device_room)
        return OCT_STATUS_OK;
    OCT_CHECK(words < UINT32_MAX, OCT_STATUS_SPACE,
              "%llu bytes are too many to be sent from one domain to others: expected fewer than "
              "2^34",
              (unsigned long long)(4 * words));
    room = room < UINT32_MAX ? room : UINT32_MAX - 1;
    const oct_buffer_plan plan = {&mail->words, "tree.words", sizeof(uint32_t), (size_t)room};
    OCT_TRY(oct_buffers_replace(device, &plan, 1));
    mail->device_room = (uint32_t)room;
    return OCT_STATUS_OK;
}

/* Boxes that a group walks with, as in kernels/force_tree.clh, and work-items that join those of a
 * part, as in kernels/tree_parts.cl. */
enum { BOXES = 4, JOINERS = 32 };

/* Boxes to a part: so many that there are no more parts than there may be. */
static oct_status make_parts(oct_essential *e, const oct_essential_goal *goal, const char *options)
{
    oct_domain *domain = e->domain;
    e->n_boxes = BOXES * oct_tree_groups(domain->n);
    e->boxes_each = (e->n_boxes + OCT_ESSENTIAL_PARTS - 1) / OCT_ESSENTIAL_PARTS;
    e->n_parts = (e->n_boxes + e->boxes_each - 1) / e->boxes_each;
    const oct_buffer_plan plans[] = {
        {&e->group_boxes, "tree.group_boxes", box_bytes(e), e->n_boxes},
        {&e->parts, "tree.parts", box_bytes(e), e->n_parts},
    };
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_domain_build(&e->part_program, domain, "tree_parts.cl", options));
    OCT_TRY(OCT_KERNEL(&e->box_groups, e->part_program, "tree_parts_groups",
                       OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, e->tree),
                       OCT_BIND_OFFERS(offers, e), OCT_BIND_IN("before", goal->before),
                       OCT_BIND_REAL("alpha", goal->alpha),
                       OCT_BIND_REAL("least_acceleration", goal->least_acceleration)));
    return OCT_KERNEL(&e->join_parts, e->part_program, "tree_parts_join",
                      OCT_BIND_OFFERS(offers, e), OCT_BIND_UINT("n_boxes", &e->n_boxes));
}

/* An entry of the table that parts begin with: a uint4. */
enum { LOT_WORDS = 4, MOST_LOTS = 8 };
/* Sums over the cells and bodies that messages of several ranks have are words of 32 bits. */
static const uint32_t most_bodies = UINT32_MAX / MOST_LOTS / 4;

/* The table in boxes. */
static uint32_t table_boxes(const oct_essential *e)
{
    size_t bytes = (e->comm->size - 1) * LOT_WORDS * sizeof(uint32_t);
    return (uint32_t)((bytes + box_bytes(e) - 1) / box_bytes(e));
}

/* Parts that have a box around them, as in kernels/tree_essential.cl. */
enum { SPAN = 16 };

static oct_status make_export(oct_essential *e, const char *options)
{
    oct_domain *domain = e->domain;
    size_t ranks = e->comm->size, spans = OCT_ESSENTIAL_PARTS / SPAN;
    size_t boxes = table_boxes(e) + ranks * (1 + spans + OCT_ESSENTIAL_PARTS);
    e->most_lots = domain->n > most_bodies ? 1
                   : ranks - 1 < MOST_LOTS ? (uint32_t)ranks - 1
                                           : MOST_LOTS;
    const oct_buffer_plan plans[] = {
        {&e->all_parts, "tree.all_parts", box_bytes(e), boxes},
        {&e->n_marks, "tree.n_marks", sizeof(uint32_t), 1},
        {&e->sent, "tree.sent", sizeof(uint32_t), 3 * ranks},
    };
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_alloc(&e->firsts, ranks + 1, sizeof *e->firsts, "ranks"));
    OCT_TRY(oct_alloc(&e->described, boxes, box_bytes(e), "boxes"));
    OCT_TRY(oct_buffer_fill(e->sent, 0));
    e->firsts[0] = table_boxes(e);
    OCT_TRY(oct_alloc(&e->lengths, 2 * ranks, sizeof *e->lengths, "ranks"));
    OCT_TRY(oct_domain_build(&e->program, domain, "tree_essential.cl", options));
#define ALL                                                                                        \
    OCT_BIND_DOMAIN(domain), OCT_BIND_OFFERS(oct_tree_offers, e->tree), OCT_BIND_OFFERS(offers, e)
#define OF_CELLS ALL, OCT_BIND_UINT("capacity", &e->tree->capacity)
    OCT_TRY(OCT_KERNEL(&e->open, e->program, "tree_essential_open", OF_CELLS));
    OCT_TRY(OCT_KERNEL(&e->keep, e->program, "tree_essential_keep", OF_CELLS));
    return OCT_KERNEL(&e->write, e->program, "tree_essential_write", OF_CELLS);
#undef OF_CELLS
#undef ALL
}

/* Words of cells and bodies, as in kernels/tree_message.clh. */
static void count_words(oct_essential *e)
{
    size_t real = oct_real_size(e->domain->precision) / 4;
    size_t force = oct_force_size(e->domain->precision) / 4;
    bool soft = e->tree->options.softened;
    bool boxes = e->tree->options.criterion == OCT_CRITERION_MIN_DISTANCE;
    e->cell_words = 4 * real + 8 * force + 4 + (soft ? 2 * force : 0) + (boxes ? 8 * force : 0);
    e->body_words = 4 * real + (soft ? 2 : 0);
}

/* Whether what one rank has on its device can be copied on another's. */
static oct_status look_near(oct_essential *e)
{
    oct_device_handles handles = {.size = sizeof handles};
    void **all;
    if (!oct_comm_is_near(e->comm))
        return OCT_STATUS_OK;
    OCT_TRY(oct_device_get_handles(&handles, e->domain->device));
    OCT_TRY(oct_alloc(&all, e->comm->size, sizeof *all, "ranks"));
    oct_status status = oct_comm_gather(e->comm, all, &handles.context, sizeof *all);
    e->near = true;
    for (uint32_t r = 0; r < e->comm->size; r++)
        e->near = e->near && all[r] == handles.context;
    free(all);
    return status;
}

oct_status oct_essential_create(oct_essential **out, oct_tree *tree, oct_domain *domain,
                                const oct_essential_goal *goal)
{
    char options[128];
    oct_essential *e;
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "parts of trees"));
    e = *out;
    e->tree = tree;
    e->domain = domain;
    e->comm = domain->sim->comm;
    count_words(e);
    OCT_TRY(look_near(e));
    e->opened_each = oct_device_is_cpu(oct_device_describe(domain->device)) ? 256 : 1;
    snprintf(options, sizeof options,
             "-D CRITERION=%d -D CELL_WORDS=%zu -D BODY_WORDS=%zu -D OPENED_EACH=%u%s",
             (int)tree->options.criterion, e->cell_words, e->body_words, e->opened_each,
             tree->options.softened ? " -D SOFTENED -D SOFTENINGS" : "");
    OCT_TRY(make_parts(e, goal, options));
    OCT_TRY(make_export(e, options));
    return oct_forest_start(e, options);
}

void oct_essential_free(oct_essential *e)
{
    if (!e)
        return;
    oct_forest_free(e);
    oct_kernel *const kernels[] = {e->box_groups, e->join_parts, e->open, e->keep, e->write};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        oct_kernel_free(kernels[i]);
    oct_program_free(e->part_program);
    oct_program_free(e->program);
    oct_buffer *const buffers[] = {e->group_boxes, e->parts, e->all_parts, e->opened,  e->marks,
                                   e->n_marks,     e->sent,  e->out.words, e->in.words};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    free(e->firsts);
    free(e->described);
    free(e->lengths);
    free(e->out.host);
    free(e->in.host);
    free(e);
}

/* Number k of a box: four of its low corner, four of its high one. */
static double box_number(const oct_essential *e, const char *box, size_t k)
{
    float single;
    double number;
    if (e->domain->precision == OCT_PRECISION_SINGLE) {
        memcpy(&single, box + k * sizeof single, sizeof single);
        return (double)single;
    }
    memcpy(&number, box + k * sizeof number, sizeof number);
    return number;
}

static void set_box_number(const oct_essential *e, char *box, size_t k, double number)
{
    float single = (float)number;
    if (e->domain->precision == OCT_PRECISION_SINGLE)
        memcpy(box + k * sizeof single, &single, sizeof single);
    else
        memcpy(box + k * sizeof number, &number, sizeof number);
}

/* The box around n boxes: least of all low numbers, greatest of all high ones. Empty boxes are
 * inside out and change nothing. */
static void join_boxes(const oct_essential *e, char *out, const char *boxes, size_t n)
{
    for (size_t k = 0; k < 8; k++) {
        double all = k < 4 ? INFINITY : k < 7 ? -INFINITY : 0;
        for (size_t i = 0; i < n; i++) {
            double number = box_number(e, boxes + i * box_bytes(e), k);
            all = k < 4 ? fmin(all, number) : fmax(all, number);
        }
        set_box_number(e, out, k, all);
    }
}

/* Which parts are whose, for all but this rank. */
static void write_table(oct_essential *e)
{
    char *to = e->described;
    for (uint32_t r = 0; r < e->comm->size; r++) {
        const uint32_t lot[LOT_WORDS] = {e->firsts[r], e->firsts[r + 1], r};
        if (r == e->comm->rank)
            continue;
        memcpy(to, lot, sizeof lot);
        to += sizeof lot;
    }
}

/* Puts parts of a rank behind each other, a box around each SPAN of them before these, and one
 * around all before all. Returns how many boxes that makes. */
static uint32_t span_parts(const oct_essential *e, char *out, const char *parts, uint32_t n)
{
    size_t box = box_bytes(e);
    char *to = out + box;
    join_boxes(e, out, parts, n);
    for (uint32_t first = 0; first < n; first += SPAN) {
        uint32_t count = n - first < SPAN ? n - first : SPAN;
        join_boxes(e, to, parts + first * box, count);
        memcpy(to + box, parts + first * box, count * box);
        to += (1 + count) * box;
    }
    return (uint32_t)((size_t)(to - out) / box);
}

/* What all ranks say of their bodies. */
static oct_status describe(oct_essential *e)
{
    size_t box = box_bytes(e), ranks = e->comm->size;
    size_t *bytes;
    char *own = NULL, *all = NULL;
    uint32_t *counts = NULL;
    oct_status status;
    OCT_TRY(oct_kernel_launch(e->box_groups, e->n_boxes / BOXES, 0));
    OCT_TRY(oct_kernel_launch(e->join_parts, JOINERS * (size_t)e->n_parts, JOINERS));
    OCT_TRY(oct_alloc(&bytes, ranks, sizeof *bytes, "ranks"));
    OCT_TRY_DONE(oct_alloc(&counts, ranks, sizeof *counts, "ranks"));
    OCT_TRY_DONE(oct_alloc(&own, e->n_parts, box, "boxes"));
    OCT_TRY_DONE(oct_alloc(&all, ranks * OCT_ESSENTIAL_PARTS, box, "boxes"));
    OCT_TRY_DONE(oct_buffer_read(own, e->parts, 0, e->n_parts));
    OCT_TRY_DONE(oct_comm_gather(e->comm, counts, &e->n_parts, sizeof e->n_parts));
    for (size_t r = 0; r < ranks; r++)
        bytes[r] = counts[r] * box;
    OCT_TRY_DONE(oct_comm_gather_varied(e->comm, all, own, bytes));
    const char *from = all;
    for (size_t r = 0; r < ranks; from += bytes[r], r++) {
        char *to = e->described + e->firsts[r] * box;
        e->firsts[r + 1] = e->firsts[r] + span_parts(e, to, from, counts[r]);
    }
    write_table(e);
    status = oct_buffer_post(e->all_parts, e->described, 0, e->firsts[ranks]);
done:
    free(bytes);
    free(counts);
    free(own);
    free(all);
    return status;
}

static oct_status make_marks(oct_essential *e)
{
    size_t cells = e->tree->capacity, lists = e->most_lots * cells;
    if (e->opened && e->opened->count >= cells)
        return OCT_STATUS_OK;
    const oct_buffer_plan plans[] = {
        {&e->opened, "tree.opened", sizeof(uint32_t), cells},
        {&e->marks, "tree.marks", sizeof(uint32_t), 2 * lists},
    };
    return oct_buffers_replace(e->domain->device, plans, sizeof plans / sizeof plans[0]);
}

/* Writes the messages to all others, one behind the other, and finds out how long they are. Those
 * of several ranks at once: on GPUs launches take longer than what they launch. */
static oct_status write_messages(uint32_t *sent, oct_essential *e)
{
    uint32_t ranks = e->comm->size, others = ranks - 1;
    size_t cells = e->tree->capacity;
    oct_primitives *primitives = e->tree->primitives;
    OCT_TRY(make_marks(e));
    for (uint32_t first = 0; first < others; first += e->most_lots) {
        size_t lots = others - first < e->most_lots ? others - first : e->most_lots;
        e->now.first_lot = first;
        e->now.n_lots = (uint32_t)lots;
        e->now.words_at = 2 * ranks + first / e->most_lots;
        OCT_TRY(oct_kernel_launch(e->open, (cells + e->opened_each - 1) / e->opened_each, 0));
        OCT_TRY(oct_kernel_launch(e->keep, cells, 0));
        OCT_TRY(oct_array_scan(primitives, e->marks, e->n_marks, e->marks, 2 * lots * cells));
        OCT_TRY(oct_kernel_launch(e->write, lots * cells, 0));
    }
    return oct_buffer_read(sent, e->sent, 0, e->now.words_at + 2);
}

/* The same with room for all of them. */
static oct_status fill_mail(oct_essential *e)
{
    uint32_t *sent;
    oct_essential_mail *out = &e->out;
    OCT_TRY(oct_alloc(&sent, 3 * (size_t)e->comm->size, sizeof *sent, "ranks"));
    oct_status status = oct_essential_mail_device(out, e->domain->device, 1);
    if (status == OCT_STATUS_OK)
        status = write_messages(sent, e);
    uint32_t *words = sent + e->now.words_at + 1;
    if (status == OCT_STATUS_OK && *words > out->device_room) {
        status = oct_essential_mail_device(out, e->domain->device, *words);
        if (status == OCT_STATUS_OK)
            status = write_messages(sent, e);
    }
    if (status == OCT_STATUS_OK) {
        out->n = e->near ? 0 : *words;
        memcpy(e->lengths, sent, e->comm->size * sizeof *e->lengths);
        status = oct_essential_mail_host(out, out->n);
    }
    if (status == OCT_STATUS_OK && out->n > 0)
        status = oct_buffer_read(out->host, out->words, 0, out->n);
    free(sent);
    return status;
}

static size_t words_of(const oct_essential *e, const oct_essential_length *length)
{
    return length->cells * e->cell_words + length->bodies * e->body_words;
}

/* Copies go where the words of each rank belong. */
typedef struct copying {
    oct_essential *e;
    const uint64_t *at;
} copying;

/* Takes what another rank has for this one, on the device, when all before it is done there. Its
 * kernels have written it, since it knows how long it is; it writes there again when it has been
 * told of this one's bodies, for which this one has waited after the copy. */
static oct_status copy_mail(void *context, uint32_t rank, void *theirs)
{
    const copying *c = context;
    oct_essential *e = c->e, *from = theirs;
    size_t first = 0;
    for (uint32_t r = 0; r < e->comm->rank; r++)
        first += words_of(from, &from->lengths[r]);
    return oct_buffer_copy_rows(e->in.words, (size_t)c->at[rank], from->out.words, first,
                                words_of(e, &e->lengths[e->comm->size + rank]));
}

/* Begins to send what is on the host. */
static oct_status post_mail(oct_essential *e, oct_parcel *out, const uint64_t *at)
{
    size_t ranks = e->comm->size;
    uint32_t *from = e->out.host;
    for (size_t r = 0; r < ranks; r++) {
        size_t words = words_of(e, &e->lengths[r]);
        out[r] = (oct_parcel){from, words * sizeof *from};
        from += words;
        words = words_of(e, &e->lengths[ranks + r]);
        out[ranks + r] = (oct_parcel){e->in.host + at[r], words * sizeof *from};
    }
    return oct_comm_start(e->comm, out, out + ranks);
}

static void count_mail(oct_essential *e)
{
    oct_traffic_log *traffic = &e->comm->traffic;
    oct_traffic_count *sent = &traffic->sent[OCT_TRAFFIC_TREES];
    for (size_t r = 0; r < e->comm->size; r++) {
        traffic->cells += e->lengths[r].cells;
        traffic->bodies += e->lengths[r].bodies;
        if (e->near && e->lengths[r].cells > 0) {
            sent->messages++;
            sent->bytes += words_of(e, &e->lengths[r]) * sizeof(uint32_t);
        }
    }
}

/* Tells the others how much will come, and begins to send it. */
static oct_status start_mail(oct_essential *e)
{
    oct_comm *comm = e->comm;
    oct_parcel *out;
    uint64_t *at;
    size_t ranks = comm->size;
    OCT_TRY(oct_alloc(&out, 2 * ranks, sizeof *out, "messages"));
    oct_status status = oct_alloc(&at, ranks, sizeof *at, "messages");
    for (size_t r = 0; r < ranks; r++) {
        size_t bytes = r == comm->rank ? 0 : sizeof *e->lengths;
        out[r] = (oct_parcel){&e->lengths[r], bytes};
        out[ranks + r] = (oct_parcel){&e->lengths[ranks + r], bytes};
    }
    if (status == OCT_STATUS_OK)
        status = oct_comm_exchange(comm, out, out + ranks);
    if (status == OCT_STATUS_OK)
        status = oct_forest_plan(e, at);
    if (status == OCT_STATUS_OK)
        status =
            e->near ? oct_comm_visit(comm, e, copy_mail, &(copying){e, at}) : post_mail(e, out, at);
    count_mail(e);
    free(at);
    free(out);
    return status;
}

oct_status oct_essential_send(oct_essential *e)
{
    oct_traffic_kind before = oct_comm_about(e->comm, OCT_TRAFFIC_BOXES);
    OCT_TRY(describe(e));
    OCT_TRY(fill_mail(e));
    oct_comm_about(e->comm, OCT_TRAFFIC_TREES);
    OCT_TRY(start_mail(e));
    oct_comm_about(e->comm, before);
    return OCT_STATUS_OK;
}

oct_status oct_essential_receive(bool *any, oct_essential *e)
{
    if (!e->near)
        OCT_TRY(oct_comm_wait(e->comm));
    *any = e->n_cells > 0;
    return *any ? oct_forest_make(e) : OCT_STATUS_OK;
}
