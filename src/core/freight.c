/* A parcel has the tags of its rows, then the rows of one column after those of another. */
#include "core/freight.h"

#include <stdlib.h>
#include <string.h>

static const oct_offer offers[] = {OCT_OFFER(oct_freight, "rows", rows),
                                   OCT_OFFER(oct_freight, "index", index),
                                   OCT_OFFER(oct_freight, "count", count),
                                   OCT_OFFER(oct_freight, "width", width),
                                   OCT_OFFER(oct_freight, "column0", column[0]),
                                   OCT_OFFER(oct_freight, "parts0", parts[0]),
                                   OCT_OFFER(oct_freight, "column1", column[1]),
                                   OCT_OFFER(oct_freight, "parts1", parts[1]),
                                   OCT_OFFER(oct_freight, "column2", column[2]),
                                   OCT_OFFER(oct_freight, "parts2", parts[2]),
                                   OCT_OFFER(oct_freight, "column3", column[3]),
                                   OCT_OFFER(oct_freight, "parts3", parts[3]),
                                   OCT_OFFER(oct_freight, "column4", column[4]),
                                   OCT_OFFER(oct_freight, "parts4", parts[4]),
                                   OCT_OFFER(oct_freight, "column5", column[5]),
                                   OCT_OFFER(oct_freight, "parts5", parts[5]),
                                   OCT_OFFER(oct_freight, "column6", column[6]),
                                   OCT_OFFER(oct_freight, "parts6", parts[6]),
                                   OCT_OFFER(oct_freight, "column7", column[7]),
                                   OCT_OFFER(oct_freight, "parts7", parts[7]),
                                   OCT_OFFER(oct_freight, "bytes", bytes),
                                   OCT_OFFER(oct_freight, "bytes_each", bytes_each),
                                   {0}};

oct_status oct_freight_start(oct_freight *freight, oct_domain *domain, size_t tag)
{
    uint32_t size = oct_comm_size(domain->sim->comm);
    *freight = (oct_freight){.domain = domain, .tag = tag, .row = tag};
    OCT_TRY(oct_alloc(&freight->n_out, 2 * (size_t)size, sizeof *freight->n_out, "messages"));
    OCT_TRY(oct_alloc(&freight->out, 2 * (size_t)size, sizeof *freight->out, "messages"));
    freight->n_in = freight->n_out + size;
    freight->in = freight->out + size;
    OCT_TRY(oct_mover_start(&freight->mover, domain));
    OCT_TRY(oct_domain_build(&freight->program, domain, "freight.cl", NULL));
    OCT_TRY(OCT_KERNEL(&freight->pack, freight->program, "freight_pack",
                       OCT_BIND_OFFERS(offers, freight)));
    return OCT_KERNEL(&freight->unpack, freight->program, "freight_unpack",
                      OCT_BIND_OFFERS(offers, freight));
}

void oct_freight_add(oct_freight *freight, oct_buffer *column)
{
    freight->columns[freight->n_columns++] = column;
    freight->row += column->element;
}

static void clear_parcels(oct_freight *freight)
{
    uint32_t size = freight->out ? oct_comm_size(freight->domain->sim->comm) : 0;
    for (uint32_t r = 0; r < 2 * size; r++) {
        free(freight->out[r].data);
        freight->out[r] = (oct_parcel){0};
    }
}

void oct_freight_end(oct_freight *freight)
{
    clear_parcels(freight);
    oct_mover_end(&freight->mover);
    oct_kernel_free(freight->pack);
    oct_kernel_free(freight->unpack);
    oct_program_free(freight->program);
    oct_buffer_free(freight->index);
    oct_buffer_free(freight->rows);
    free(freight->out);
    free(freight->n_out);
    *freight = (oct_freight){0};
}

/* How many rows there are on both sides. */
static oct_status tell_counts(oct_freight *freight, oct_comm *comm)
{
    oct_parcel *out, *in;
    OCT_TRY(oct_alloc(&out, 2 * (size_t)comm->size, sizeof *out, "messages"));
    in = out + comm->size;
    for (uint32_t r = 0; r < comm->size; r++) {
        out[r] = (oct_parcel){&freight->n_out[r], sizeof freight->n_out[r]};
        in[r] = (oct_parcel){&freight->n_in[r], sizeof freight->n_in[r]};
    }
    oct_status status = oct_comm_exchange(comm, out, in);
    free(out);
    return status;
}

static oct_status make_parcels(oct_freight *freight, const oct_comm *comm)
{
    clear_parcels(freight);
    freight->leaving = freight->coming = 0;
    for (uint32_t r = 0; r < comm->size; r++) {
        freight->leaving += freight->n_out[r];
        freight->coming += freight->n_in[r];
        freight->out[r].bytes = freight->n_out[r] * freight->row;
        freight->in[r].bytes = freight->n_in[r] * freight->row;
        OCT_TRY(oct_alloc(&freight->out[r].data, freight->n_out[r], freight->row, "rows"));
        OCT_TRY(oct_alloc(&freight->in[r].data, freight->n_in[r], freight->row, "rows"));
    }
    return OCT_STATUS_OK;
}

/* Puts rows, those for one rank after those for another, behind the `at` bytes that each body has
 * already; and takes them out again, where they have come. */
static void pack(oct_freight *freight, const char *rows, size_t element, size_t at)
{
    for (uint32_t r = 0; r < oct_comm_size(freight->domain->sim->comm); r++) {
        uint64_t n = freight->n_out[r];
        if (n > 0)
            memcpy((char *)freight->out[r].data + at * n, rows, element * n);
        rows += element * n;
    }
}

static void unpack(char *rows, const oct_freight *freight, size_t element, size_t at)
{
    for (uint32_t r = 0; r < oct_comm_size(freight->domain->sim->comm); r++) {
        uint64_t n = freight->n_in[r];
        if (n > 0)
            memcpy(rows, (const char *)freight->in[r].data + at * n, element * n);
        rows += element * n;
    }
}

/* Columns that travel between host and device together: a launch and a wait for each would take
 * longer than the rows do, where there are few. */
typedef struct lot {
    uint32_t first, end;                /* columns */
    size_t at[OCT_FREIGHT_COLUMNS + 1]; /* the byte that rows of each begin at */
    size_t words;                       /* of all of them */
} lot;

static size_t words_of(const oct_buffer *column, uint64_t n)
{
    return (size_t)(column->element * n + 3) / 4;
}

/* Places of the rows of a lot, those of bytes last, and what kernels take for it. */
static void load(lot *l, oct_freight *freight, uint64_t n)
{
    uint32_t k = 0;
    freight->width = freight->bytes_each = 0;
    freight->bytes = NULL;
    freight->count = (uint32_t)n;
    memset(freight->column, 0, sizeof freight->column);
    memset(freight->parts, 0, sizeof freight->parts);
    l->words = 0;
    for (int bytes = 0; bytes < 2; bytes++)
        for (uint32_t c = l->first; c < l->end; c++) {
            oct_buffer *column = freight->columns[c];
            if ((column->element % 4 != 0) != bytes)
                continue;
            l->at[c - l->first] = 4 * l->words;
            l->words += words_of(column, n);
            freight->width += bytes ? 1 : (uint32_t)(column->element / 4);
            if (bytes) {
                freight->bytes = column;
                freight->bytes_each = (uint32_t)column->element;
                continue;
            }
            freight->column[k] = column;
            freight->parts[k++] = (uint32_t)(column->element / 4);
        }
}

/* The next columns: as many as are no more than some bytes, one at least; false: there are none. */
static bool next_lot(lot *l, oct_freight *freight, uint64_t n)
{
    enum { MOST_WORDS = 1 << 16 };
    size_t words = 0;
    uint32_t of_words = 0, of_bytes = 0;
    l->first = l->end;
    for (; l->end < freight->n_columns; l->end++) {
        const oct_buffer *column = freight->columns[l->end];
        *(column->element % 4 == 0 ? &of_words : &of_bytes) += 1;
        words += words_of(column, n);
        if (l->end > l->first &&
            (words > MOST_WORDS || of_words > OCT_FREIGHT_COLUMNS || of_bytes > 1))
            break;
    }
    load(l, freight, n);
    return l->end > l->first;
}

/* Makes room on the device for so many words; what was there is lost. */
static oct_status make_words(oct_buffer **words, const oct_freight *freight, const char *name,
                             size_t count)
{
    if (*words && (*words)->count >= count)
        return OCT_STATUS_OK;
    const oct_buffer_plan plan = {words, name, sizeof(uint32_t), count + count / 4};
    return oct_buffers_replace(freight->domain->device, &plan, 1);
}

static oct_status pack_columns(oct_freight *freight, const uint32_t *rows)
{
    uint64_t n = freight->leaving;
    size_t at = freight->tag;
    char *host = NULL;
    lot l = {0};
    oct_status status;
    if (n == 0)
        return OCT_STATUS_OK;
    OCT_TRY_DONE(make_words(&freight->index, freight, "freight.index", (size_t)n));
    OCT_TRY_DONE(oct_buffer_write(freight->index, rows, 0, (size_t)n));
    while (next_lot(&l, freight, n)) {
        OCT_TRY_DONE(oct_realloc(&host, l.words, 4, "rows that leave"));
        OCT_TRY_DONE(make_words(&freight->rows, freight, "freight.rows", l.words));
        OCT_TRY_DONE(oct_kernel_launch(freight->pack, (size_t)n * freight->width, 0));
        OCT_TRY_DONE(oct_buffer_read(host, freight->rows, 0, l.words));
        for (uint32_t c = l.first; c < l.end; at += freight->columns[c++]->element)
            pack(freight, host + l.at[c - l.first], freight->columns[c]->element, at);
    }
done:
    free(host);
    return status;
}

oct_status oct_freight_replace(oct_freight *freight)
{
    uint64_t n = freight->coming;
    char *host = NULL;
    lot l = {0};
    oct_status status;
    OCT_CHECK(n == freight->leaving, OCT_STATUS_INTERNAL, "bodies were lost between ranks");
    if (n == 0)
        return OCT_STATUS_OK;
    while (next_lot(&l, freight, n)) {
        OCT_TRY_DONE(oct_realloc(&host, l.words, 4, "rows that come"));
        OCT_TRY_DONE(make_words(&freight->rows, freight, "freight.rows", l.words));
        for (uint32_t c = l.first; c < l.end; c++)
            oct_freight_rows(host + l.at[c - l.first], freight, c);
        OCT_TRY_DONE(oct_buffer_write(freight->rows, host, 0, l.words));
        OCT_TRY_DONE(oct_kernel_launch(freight->unpack, (size_t)n * freight->width, 0));
    }
done:
    free(host);
    return status;
}

oct_status oct_freight_send(oct_freight *freight, const uint64_t *n_out, const uint32_t *rows,
                            const void *tags)
{
    oct_comm *comm = freight->domain->sim->comm;
    memcpy(freight->n_out, n_out, comm->size * sizeof *n_out);
    OCT_TRY(tell_counts(freight, comm));
    OCT_TRY(make_parcels(freight, comm));
    pack(freight, tags, freight->tag, 0);
    OCT_TRY(pack_columns(freight, rows));
    return oct_comm_exchange(comm, freight->out, freight->in);
}

void oct_freight_tags(void *out, const oct_freight *freight)
{
    unpack(out, freight, freight->tag, 0);
}

void oct_freight_rows(void *out, const oct_freight *freight, uint32_t c)
{
    size_t at = freight->tag;
    for (uint32_t i = 0; i < c; i++)
        at += freight->columns[i]->element;
    unpack(out, freight, freight->columns[c]->element, at);
}
