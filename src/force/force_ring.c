/* Messages between the host's copies; the device computes meanwhile. */
#include "force/force_ring.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/lead.h"

const oct_offer oct_ring_offers[] = {OCT_OFFER(oct_ring, "position", position),
                                     OCT_OFFER(oct_ring, "softenings", softening),
                                     OCT_OFFER(oct_ring, "sources", list),
                                     OCT_OFFER(oct_ring, "n_sources", n_list),
                                     OCT_OFFER(oct_ring, "n", room),
                                     OCT_OFFER(oct_ring, "high", high),
                                     OCT_OFFER(oct_ring, "low", low),
                                     OCT_OFFER(oct_ring, "soft", soft),
                                     {0}};

static size_t row_bytes(const oct_domain *domain)
{
    size_t softening = domain->softening ? domain->softening->element : 0;
    return domain->position->element + softening;
}

/* The rank whose bodies are here after so many turns. */
static uint32_t owner(const oct_comm *comm, uint32_t turn)
{
    return (comm->rank + comm->size - turn % comm->size) % comm->size;
}

static oct_status make_room(oct_ring *ring, oct_domain *domain, uint32_t room)
{
    size_t position = domain->position->element;
    size_t softening = domain->softening ? domain->softening->element : position;
    size_t n_softenings = domain->softening ? room + 1 : 0;
    size_t force = oct_force_size(domain->precision);
    bool split = domain->precision == OCT_PRECISION_MIXED;
    const oct_buffer_plan plans[] = {
        {&ring->position, "ring.position", position, room + 1},
        {&ring->softening, "ring.softening", softening, n_softenings},
        {&ring->list, "ring.list", sizeof(uint32_t), room},
        {&ring->n_list, "ring.n_list", sizeof(uint32_t), 1},
        {&ring->strangers, "ring.strangers", sizeof(uint32_t), room},
        {&ring->high, "ring.high", 4 * force, room},
        {&ring->low, "ring.low", 4 * force, split ? room : 0},
        {&ring->soft, "ring.soft", force, domain->softening ? room : 0},
    };
    enum { NOBODY = 0x7f }; /* in each byte of a number that is above those of all bodies */
    uint32_t *list;
    OCT_TRY(oct_realloc(&ring->held, room, row_bytes(domain), "sources"));
    OCT_TRY(oct_realloc(&ring->coming, room, row_bytes(domain), "sources"));
    OCT_TRY(oct_realloc(&ring->origin, 1, position, "sources"));
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_buffer_fill(ring->strangers, NOBODY));
    OCT_TRY(oct_alloc(&list, room, sizeof *list, "sources"));
    for (uint32_t i = 0; i < room; i++)
        list[i] = i + 1;
    oct_status status = oct_buffer_write(ring->list, list, 0, room);
    free(list);
    if (status == OCT_STATUS_OK)
        ring->room = room;
    return status;
}

/* Sends what is held to the next rank, and receives what the one before has. */
static oct_status send_on(oct_ring *ring, oct_comm *comm, size_t row)
{
    uint32_t to = (comm->rank + 1) % comm->size, from = owner(comm, 1);
    oct_parcel *out, *in;
    OCT_TRY(oct_alloc(&out, 2 * (size_t)comm->size, sizeof *out, "messages"));
    in = out + comm->size;
    out[to] = (oct_parcel){ring->held, ring->counts[owner(comm, ring->turn)] * row};
    in[from] = (oct_parcel){ring->coming, ring->counts[owner(comm, ring->turn + 1)] * row};
    oct_traffic_kind before = oct_comm_about(comm, OCT_TRAFFIC_SOURCES);
    oct_status status = oct_comm_start(comm, out, in);
    oct_comm_about(comm, before);
    free(out);
    return status;
}

oct_status oct_ring_begin(oct_ring *ring, oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    uint64_t mine = domain->n, most = 0;
    if (!ring->counts)
        OCT_TRY(oct_alloc(&ring->counts, comm->size, sizeof *ring->counts, "ranks"));
    OCT_TRY(oct_comm_gather(comm, ring->counts, &mine, sizeof mine));
    for (uint32_t r = 0; r < comm->size; r++)
        most = ring->counts[r] > most ? ring->counts[r] : most;
    if (most > ring->room)
        OCT_TRY(make_room(ring, domain, (uint32_t)most));
    ring->turn = 0;
    OCT_TRY(oct_buffer_read(ring->held, domain->position, 0, domain->n));
    if (domain->softening)
        OCT_TRY(oct_buffer_read(ring->held + domain->n * domain->position->element,
                                domain->softening, 0, domain->n));
    memcpy(ring->origin, ring->held, domain->position->element);
    return comm->size > 1 ? send_on(ring, comm, row_bytes(domain)) : OCT_STATUS_OK;
}

static oct_status put_on_device(oct_ring *ring, oct_domain *domain, uint32_t n)
{
    OCT_TRY(oct_buffer_write(ring->position, ring->origin, 0, 1));
    OCT_TRY(oct_buffer_write(ring->position, ring->held, 1, n));
    if (domain->softening)
        OCT_TRY(
            oct_buffer_write(ring->softening, ring->held + n * domain->position->element, 1, n));
    return oct_buffer_write(ring->n_list, &n, 0, 1);
}

oct_status oct_ring_next(bool *more, oct_ring *ring, oct_domain *domain)
{
    oct_comm *comm = domain->sim->comm;
    *more = ring->turn + 1 < comm->size;
    if (!*more)
        return OCT_STATUS_OK;
    OCT_TRY(oct_comm_wait(comm));
    char *sent = ring->held;
    ring->held = ring->coming;
    ring->coming = sent;
    ring->turn++;
    if (ring->turn + 1 < comm->size)
        OCT_TRY(send_on(ring, comm, row_bytes(domain)));
    return put_on_device(ring, domain, (uint32_t)ring->counts[owner(comm, ring->turn)]);
}

void oct_ring_end(oct_ring *ring)
{
    oct_buffer *const buffers[] = {ring->position,  ring->softening, ring->list, ring->n_list,
                                   ring->strangers, ring->high,      ring->low,  ring->soft};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        oct_buffer_free(buffers[i]);
    free(ring->counts);
    free(ring->held);
    free(ring->coming);
    free(ring->origin);
}
