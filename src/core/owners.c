/* Places and counts of bodies that ranks share, in memory and in saved states. */
#include "core/owners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/comm.h"
#include "core/sim.h"
#include "core/system_table.h"
#include "core/trade.h"

/* Arrays of a state: the bodies of each rank, and of each place in the scene the row where its body
 * is, counted through all ranks. */
static const char counts_name[] = "domains.counts", rows_name[] = "domains.rows";
/* Of one rank's bodies, their places. */
static const char places_name[] = "domains.places";

enum { LOOK_EVERY = 64 };

bool oct_owners_several(const oct_sim *sim)
{
    return sim->comm && oct_comm_size(sim->comm) > 1;
}

/* What a rank tells the others of its device. */
typedef struct worker {
    char kind[sizeof((oct_device_info *)0)->kind], driver[sizeof((oct_device_info *)0)->driver];
    uint32_t units;
    bool given; /* it has a share, whatever its device is */
} worker;

/* The compute units of the rank's device where all ranks have such devices, and nobody has a share
 * that is given; else 1. How fast another kind is only clocks tell, and runs would differ by them.
 */
static oct_status units_of(double *out, oct_comm *comm, bool given, const oct_device_info *device)
{
    worker mine = {.units = device->compute_units, .given = given}, *all;
    bool alike = device->compute_units > 0;
    memcpy(mine.kind, device->kind, sizeof mine.kind);
    memcpy(mine.driver, device->driver, sizeof mine.driver);
    OCT_TRY(oct_alloc(&all, comm->size, sizeof *all, "ranks"));
    oct_status status = oct_comm_gather(comm, all, &mine, sizeof mine);
    for (uint32_t r = 0; r < comm->size; r++)
        alike = alike && all[r].units > 0 && !all[r].given &&
                strncmp(all[r].kind, mine.kind, sizeof mine.kind) == 0 &&
                strncmp(all[r].driver, mine.driver, sizeof mine.driver) == 0;
    free(all);
    *out = alike ? (double)device->compute_units : 1;
    return status;
}

oct_status oct_owners_begin(oct_sim *sim, double share, const oct_device_info *device)
{
    oct_owners *owners = &sim->owners;
    uint32_t size = sim->comm ? oct_comm_size(sim->comm) : 1;
    double sum = 0, units = 1;
    owners->every = LOOK_EVERY;
    OCT_CHECK(isfinite(share) && share >= 0, OCT_STATUS_INPUT,
              "%g is no share of the work; expected a number above 0", share);
    if (oct_owners_several(sim))
        OCT_TRY(units_of(&units, sim->comm, share > 0, device));
    share = share > 0 ? share : units;
    OCT_TRY(oct_alloc(&owners->counts, size, sizeof *owners->counts, "ranks"));
    OCT_TRY(oct_alloc(&owners->shares, size, sizeof *owners->shares, "ranks"));
    owners->shares[0] = share;
    if (sim->comm)
        OCT_TRY(oct_comm_gather(sim->comm, owners->shares, &share, sizeof share));
    for (uint32_t r = 0; r < size; r++)
        sum += owners->shares[r];
    for (uint32_t r = 0; r < size; r++)
        owners->shares[r] /= sum;
    return OCT_STATUS_OK;
}

void oct_owners_end(oct_owners *owners)
{
    oct_trader_free(owners->trader);
    free(owners->counts);
    free(owners->shares);
    free(owners->places);
}

uint64_t oct_owners_first(const oct_sim *sim, uint32_t rank)
{
    uint64_t first = 0;
    for (uint32_t r = 0; r < rank; r++)
        first += sim->owners.counts[r];
    return first;
}

/* What this rank has of all, once counts are known. */
static oct_status take_own(oct_sim *sim)
{
    oct_owners *owners = &sim->owners;
    uint32_t rank = sim->comm ? oct_comm_rank(sim->comm) : 0;
    sim->first = oct_owners_first(sim, rank);
    sim->n_own = owners->counts[rank];
    if (!oct_owners_several(sim))
        return OCT_STATUS_OK;
    return oct_realloc(&owners->places, sim->n_own, sizeof *owners->places, "places of bodies");
}

/* Each rank's run ends with the system that its share of the bodies ends in, but none is without.
 */
static oct_status divide_systems(oct_sim *sim, uint64_t n, const uint32_t *system)
{
    oct_owners *owners = &sim->owners;
    uint32_t size = oct_comm_size(sim->comm), rank = 0;
    uint64_t left = 0, begin = 0;
    double part = owners->shares[0];
    for (uint64_t i = 0; i < n; i++)
        left += oct_system_begins(system, i);
    OCT_CHECK(left >= size, OCT_STATUS_INPUT,
              "%llu solar systems cannot be shared among %u domains, which have whole ones",
              (unsigned long long)left, (unsigned)size);
    owners->whole = true;
    for (uint64_t i = 0; i < n && rank + 1 < size; i++) {
        if (!oct_system_begins(system, i))
            continue;
        bool ends = i > begin && ((double)i >= part * (double)n || left + rank + 1 <= size);
        left--;
        if (!ends)
            continue;
        owners->counts[rank++] = i - begin;
        part += owners->shares[rank];
        begin = i;
    }
    owners->counts[rank] = n - begin;
    return OCT_STATUS_OK;
}

oct_status oct_owners_divide(oct_sim *sim, uint64_t n, const uint32_t *system)
{
    oct_owners *owners = &sim->owners;
    uint32_t size = sim->comm ? oct_comm_size(sim->comm) : 1;
    OCT_CHECK(n >= size, OCT_STATUS_INPUT, "%llu bodies cannot be shared among %u domains",
              (unsigned long long)n, (unsigned)size);
    sim->n_all = n;
    for (uint32_t r = 0; r < size; r++)
        owners->counts[r] = n * (r + 1) / size - n * r / size;
    if (size > 1 && oct_systems_any(system, n))
        OCT_TRY(divide_systems(sim, n, system));
    OCT_TRY(take_own(sim));
    for (uint64_t i = 0; owners->places && i < sim->n_own; i++)
        owners->places[i] = (uint32_t)(sim->first + i);
    return OCT_STATUS_OK;
}

/* Whether counts give each rank some of n, and each row is one body's. */
static oct_status check_rows(bool *out, const uint64_t *counts, uint32_t size, const uint32_t *rows,
                             uint64_t n)
{
    bool *seen;
    uint64_t sum = 0;
    *out = true;
    OCT_TRY(oct_alloc(&seen, n, sizeof *seen, "rows"));
    for (uint32_t r = 0; r < size; r++) {
        *out = *out && counts[r] > 0 && counts[r] <= n;
        sum += counts[r];
    }
    for (uint64_t i = 0; i < n; i++) {
        *out = *out && rows[i] < n && !seen[rows[i]];
        if (rows[i] < n)
            seen[rows[i]] = true;
    }
    *out = *out && sum == n;
    free(seen);
    return OCT_STATUS_OK;
}

oct_status oct_owners_restore(oct_sim *sim, const oct_state *state)
{
    oct_owners *owners = &sim->owners;
    const oct_state_array *counts = oct_state_find(state, counts_name),
                          *rows = oct_state_find(state, rows_name);
    if (!oct_owners_several(sim) || !counts || !rows || counts->count != oct_comm_size(sim->comm) ||
        counts->element != sizeof *owners->counts || rows->count != sim->n_all ||
        rows->element != sizeof(uint32_t))
        return OCT_STATUS_OK;
    const uint32_t *row = rows->data;
    OCT_TRY(check_rows(&owners->restored, counts->data, (uint32_t)counts->count, row, sim->n_all));
    if (!owners->restored)
        return OCT_STATUS_OK;
    memcpy(owners->counts, counts->data, counts->count * counts->element);
    OCT_TRY(take_own(sim));
    for (uint64_t place = 0; place < sim->n_all; place++)
        if (row[place] - sim->first < sim->n_own)
            owners->places[row[place] - sim->first] = (uint32_t)place;
    return OCT_STATUS_OK;
}

/* Refuses rows that have parts of a system: its other bodies are another rank's. */
static oct_status check_whole(oct_sim *sim, const uint32_t *system)
{
    enum { FIRST, LAST, ANY, NUMBERS };
    uint32_t size = oct_comm_size(sim->comm), mine[NUMBERS] = {0}, *all;
    bool whole = true;
    if (oct_systems_any(system, sim->n_own)) {
        mine[FIRST] = system[0];
        mine[LAST] = system[sim->n_own - 1];
        mine[ANY] = 1;
    }
    OCT_TRY(oct_alloc(&all, NUMBERS * (size_t)size, sizeof *all, "ranks"));
    oct_status status = oct_comm_gather(sim->comm, all, mine, sizeof mine);
    for (uint32_t r = 0; r < size; r++) {
        uint32_t first = all[NUMBERS * r + FIRST], before = r ? all[NUMBERS * (r - 1) + LAST] : 0;
        whole = whole && (first == 0 || first != before);
        sim->owners.whole = sim->owners.whole || all[NUMBERS * r + ANY];
    }
    free(all);
    OCT_TRY(status);
    OCT_CHECK(whole, OCT_STATUS_INPUT,
              "the checkpoint's parts have whole solar systems for as many domains as wrote them: "
              "expected that number, or a checkpoint without output.parts");
    return OCT_STATUS_OK;
}

oct_status oct_owners_take(oct_sim *sim, const oct_state *state, const uint32_t *system)
{
    oct_owners *owners = &sim->owners;
    const oct_state_array *places = oct_state_find(state, places_name);
    uint64_t mine = places ? places->count : 0, sum = 0;
    OCT_CHECK(places && places->element == sizeof *owners->places && mine > 0, OCT_STATUS_INPUT,
              "the checkpoint does not say which bodies its parts have");
    sim->n_all = state->n_all;
    OCT_TRY(oct_comm_gather(sim->comm, owners->counts, &mine, sizeof mine));
    for (uint32_t r = 0; r < oct_comm_size(sim->comm); r++)
        sum += owners->counts[r];
    OCT_CHECK(sum == sim->n_all, OCT_STATUS_INPUT,
              "the checkpoint's parts have %llu bodies, not %llu", (unsigned long long)sum,
              (unsigned long long)sim->n_all);
    OCT_TRY(take_own(sim));
    memcpy(owners->places, places->data, mine * sizeof *owners->places);
    for (uint64_t i = 0; i < mine; i++)
        OCT_CHECK(owners->places[i] < sim->n_all, OCT_STATUS_INPUT,
                  "the checkpoint's parts have a body %u of %llu", (unsigned)owners->places[i],
                  (unsigned long long)sim->n_all);
    owners->restored = state->as_saved;
    return check_whole(sim, system);
}

oct_status oct_owners_settle(oct_state *state)
{
    oct_state_array *places = NULL;
    bool good = false;
    for (uint64_t i = 0; i < state->n_arrays; i++)
        if (strcmp(state->arrays[i].name, places_name) == 0)
            places = &state->arrays[i];
    uint64_t n = places ? places->count : 0;
    if (places && places->element == sizeof(uint32_t))
        OCT_TRY(check_rows(&good, &n, 1, places->data, n));
    OCT_CHECK(places && n > 0 && good, OCT_STATUS_INPUT,
              "the checkpoint does not say which bodies its parts have");
    for (uint64_t i = 0; i < state->n_arrays; i++)
        if (state->arrays[i].rows && &state->arrays[i] != places)
            OCT_TRY(
                oct_owners_sort(state->arrays[i].data, state->arrays[i].element, places->data, n));
    free(places->data);
    *places = state->arrays[--state->n_arrays];
    return OCT_STATUS_OK;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The places that are gone, of all ranks, in order. */
static oct_status list_gone(uint32_t **out, size_t *n_out, const oct_sim *sim,
                            const uint64_t *counts, const uint32_t *stay, uint32_t n)
{
    uint32_t size = oct_comm_size(sim->comm), *mine = NULL, gone = 0;
    size_t *bytes = NULL;
    oct_status status;
    *out = NULL;
    *n_out = 0;
    OCT_TRY_DONE(oct_alloc(&mine, sim->n_own, sizeof *mine, "removed bodies"));
    OCT_TRY_DONE(oct_alloc(&bytes, size, sizeof *bytes, "ranks"));
    for (uint32_t i = 0, k = 0; i < sim->n_own; i++) {
        if (k < n && stay[k] == i)
            k++;
        else
            mine[gone++] = sim->owners.places[i];
    }
    for (uint32_t r = 0; r < size; r++) {
        bytes[r] = (size_t)(sim->owners.counts[r] - counts[r]) * sizeof *mine;
        *n_out += bytes[r] / sizeof *mine;
    }
    OCT_TRY_DONE(oct_alloc(out, *n_out, sizeof **out, "removed bodies"));
    OCT_TRY_DONE(oct_comm_gather_varied(sim->comm, *out, mine, bytes));
    qsort(*out, *n_out, sizeof **out, by_value);
done:
    free(mine);
    free(bytes);
    return status;
}

/* How many of a list in order are before a place. */
static uint32_t count_before(const uint32_t *list, size_t n, uint32_t place)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

oct_status oct_owners_close(bool *closed, oct_sim *sim, const uint32_t *stay, uint32_t n)
{
    oct_owners *owners = &sim->owners;
    uint32_t size = oct_comm_size(sim->comm), *gone = NULL;
    uint64_t *counts = NULL, mine = n;
    size_t n_gone = 0;
    oct_status status;
    *closed = true;
    OCT_TRY_DONE(oct_alloc(&counts, size, sizeof *counts, "ranks"));
    OCT_TRY_DONE(oct_comm_gather(sim->comm, counts, &mine, sizeof mine));
    for (uint32_t r = 0; r < size; r++)
        *closed = *closed && counts[r] > 0;
    if (!*closed)
        goto done;
    if (owners->places)
        OCT_TRY_DONE(list_gone(&gone, &n_gone, sim, counts, stay, n));
    for (uint32_t i = 0; owners->places && i < n; i++) {
        uint32_t place = owners->places[stay[i]];
        owners->places[i] = place - count_before(gone, n_gone, place);
    }
    memcpy(owners->counts, counts, size * sizeof *counts);
    sim->n_all = oct_owners_first(sim, size);
    sim->n_own = n;
    sim->first = oct_owners_first(sim, oct_comm_rank(sim->comm));
done:
    free(counts);
    free(gone);
    return status;
}

oct_status oct_owners_gather(uint32_t **out, oct_sim *sim)
{
    oct_parcel *to, *from;
    uint32_t size, rank;
    *out = NULL;
    if (!oct_owners_several(sim))
        return OCT_STATUS_OK;
    size = oct_comm_size(sim->comm);
    rank = oct_comm_rank(sim->comm);
    OCT_TRY(oct_alloc(&to, 2 * (size_t)size, sizeof *to, "messages"));
    from = to + size;
    oct_status status =
        rank == 0 ? oct_alloc(out, sim->n_all, sizeof **out, "places of bodies") : OCT_STATUS_OK;
    to[0] = (oct_parcel){sim->owners.places, sim->n_own * sizeof **out};
    for (uint32_t r = 0; *out && r < size; r++)
        from[r] =
            (oct_parcel){*out + oct_owners_first(sim, r), sim->owners.counts[r] * sizeof **out};
    oct_traffic_kind before = oct_comm_about(sim->comm, OCT_TRAFFIC_FILES);
    if (status == OCT_STATUS_OK)
        status = oct_comm_exchange(sim->comm, to, from);
    oct_comm_about(sim->comm, before);
    free(to);
    if (status != OCT_STATUS_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

oct_status oct_owners_sort(void *rows, size_t element, const uint32_t *places, uint64_t n)
{
    char *before, *after = rows;
    OCT_TRY(oct_alloc(&before, n, element, "rows"));
    memcpy(before, rows, n * element);
    for (uint64_t i = 0; i < n; i++)
        memcpy(after + places[i] * element, before + i * element, element);
    free(before);
    return OCT_STATUS_OK;
}

oct_status oct_owners_export(oct_state *out, const oct_sim *sim, const uint32_t *places)
{
    uint32_t *rows;
    if (sim->apart) {
        OCT_TRY(oct_state_add(out, places_name, sim->owners.places, sizeof *rows, sim->n_own));
        out->arrays[out->n_arrays - 1].rows = true;
    }
    if (!places)
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&rows, sim->n_all, sizeof *rows, "rows"));
    for (uint64_t i = 0; i < sim->n_all; i++)
        rows[places[i]] = (uint32_t)i;
    oct_status status = oct_state_add(out, rows_name, rows, sizeof *rows, sim->n_all);
    free(rows);
    OCT_TRY(status);
    return oct_state_add(out, counts_name, sim->owners.counts, sizeof *sim->owners.counts,
                         oct_comm_size(sim->comm));
}

bool oct_owners_array(const char *name)
{
    return strcmp(name, counts_name) == 0 || strcmp(name, rows_name) == 0;
}
