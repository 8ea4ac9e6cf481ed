/* Which bodies of solar systems share a work-group. */
#include "force/force_packs.h"

#include <stdlib.h>

/* Runs of bodies: those of as many whole systems as fit in a pack, or of a part of one. Counts
 * only where out is NULL. */
static size_t pack_bodies(uint32_t (*out)[2], const oct_system_table *list, uint32_t first,
                          size_t most, bool grouped)
{
    size_t n = 0;
    uint32_t begin = 0;
    for (uint32_t s = 0; s < first; s++) {
        uint32_t end = list->starts[s + 1];
        bool joined = grouped && s + 1 < first && list->starts[s + 2] - begin <= most;
        while (begin < end && !joined) {
            uint32_t last = end - begin > most ? begin + (uint32_t)most : end;
            if (out) {
                out[n][0] = begin;
                out[n][1] = last;
            }
            n++;
            begin = last;
        }
    }
    return n;
}

oct_status oct_packs_make(oct_buffer **out, oct_domain *domain, const char *name, uint32_t first,
                          size_t most, bool grouped)
{
    uint32_t(*packs)[2];
    const oct_system_table *list = &domain->system_table;
    size_t n = pack_bodies(NULL, list, first, most, grouped);
    OCT_TRY(oct_alloc(&packs, n, sizeof *packs, name));
    pack_bodies(packs, list, first, most, grouped);
    oct_status status = oct_buffer_create(out, domain->device, name, sizeof *packs, n);
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(*out, packs, 0, n);
    free(packs);
    return status;
}
