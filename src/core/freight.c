/* A parcel has the tags of its rows, then the rows of one column after those of another. */
#include "core/freight.h"

#include <stdlib.h>
#include <string.h>

oct_status oct_freight_start(oct_freight *freight, oct_domain *domain, size_t tag)
{
    uint32_t size = oct_comm_size(domain->sim->comm);
    *freight = (oct_freight){.domain = domain, .tag = tag, .row = tag};
    OCT_TRY(oct_alloc(&freight->n_out, 2 * (size_t)size, sizeof *freight->n_out, "messages"));
    OCT_TRY(oct_alloc(&freight->out, 2 * (size_t)size, sizeof *freight->out, "messages"));
    freight->n_in = freight->n_out + size;
    freight->in = freight->out + size;
    return oct_mover_start(&freight->mover, domain);
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

static oct_status pack_column(oct_freight *freight, oct_buffer *column, oct_buffer *index,
                              size_t at)
{
    size_t n = freight->leaving;
    oct_buffer *rows = NULL;
    char *host = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_alloc(&host, n, column->element, "rows that leave"));
    OCT_TRY_DONE(
        oct_buffer_create(&rows, freight->domain->device, "rows that leave", column->element, n));
    OCT_TRY_DONE(oct_mover_move(&freight->mover, rows, column, index, (uint32_t)n));
    OCT_TRY_DONE(oct_buffer_read(host, rows, 0, n));
    pack(freight, host, column->element, at);
done:
    oct_buffer_free(rows);
    free(host);
    return status;
}

static oct_status pack_columns(oct_freight *freight, const uint32_t *rows)
{
    oct_buffer *index = NULL;
    size_t at = freight->tag;
    if (freight->leaving == 0)
        return OCT_STATUS_OK;
    oct_status status = oct_buffer_create(&index, freight->domain->device, "leaving", sizeof *rows,
                                          freight->leaving);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(index, rows, 0, freight->leaving);
    for (uint32_t c = 0; c < freight->n_columns && status == OCT_STATUS_OK; c++) {
        status = pack_column(freight, freight->columns[c], index, at);
        at += freight->columns[c]->element;
    }
    oct_buffer_free(index);
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
