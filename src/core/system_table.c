/* Runs of bodies with the same star are found on the host and put on the device. */
#include "core/system_table.h"

#include <stdlib.h>

#include "core/sim.h"

bool oct_system_begins(const uint32_t *number, size_t i)
{
    return i == 0 || number[i] == 0 || number[i] != number[i - 1];
}

bool oct_systems_any(const uint32_t *number, size_t n)
{
    size_t i = 0;
    while (number && i < n && number[i] == 0)
        i++;
    return number && i < n;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

oct_status oct_system_table_renumber(uint32_t *count, uint32_t *number, size_t n)
{
    uint32_t *seen, first = *count, given = 0;
    OCT_TRY(oct_alloc(&seen, n, sizeof *seen, "systems"));
    for (size_t i = 0; i < n; i++) {
        bool begins_here = number[i] != 0 && number[i] != given;
        given = number[i];
        if (begins_here)
            seen[(*count)++ - first] = given;
        number[i] = given == 0 ? 0 : *count;
    }
    oct_status status = OCT_STATUS_OK;
    qsort(seen, *count - first, sizeof *seen, by_value);
    for (uint32_t s = 1; s < *count - first && status == OCT_STATUS_OK; s++)
        if (seen[s] == seen[s - 1])
            status =
                OCT_FAIL(OCT_STATUS_INPUT, "the bodies of system %lu are not one after another",
                         (unsigned long)seen[s]);
    free(seen);
    return status;
}

/* systems->starts and the system of each body. */
static oct_status divide(oct_system_table *systems, uint32_t *of, const uint32_t *number,
                         uint32_t n)
{
    OCT_TRY(oct_alloc(&systems->starts, (size_t)n + 1, sizeof *systems->starts, "systems"));
    for (uint32_t i = 0; i < n; i++) {
        if (oct_system_begins(number, i))
            systems->starts[systems->n++] = i;
        of[i] = systems->n - 1;
    }
    systems->starts[systems->n] = n;
    for (uint32_t s = 0; s < systems->n; s++) {
        uint32_t bodies = systems->starts[s + 1] - systems->starts[s];
        if (bodies > systems->largest)
            systems->largest = bodies;
    }
    return OCT_STATUS_OK;
}

static oct_status make_array(oct_buffer **out, oct_domain *domain, const char *name,
                             const uint32_t *values, size_t count)
{
    OCT_TRY(oct_buffer_create(out, domain->device, name, sizeof *values, count));
    return oct_buffer_write(*out, values, 0, count);
}

oct_status oct_system_table_start(oct_domain *domain, const uint32_t *number)
{
    oct_system_table *systems = &domain->system_table;
    uint32_t *of;
    if (!oct_systems_any(number, domain->n) && !(number && domain->sim->owners.whole))
        return OCT_STATUS_OK;
    OCT_TRY(oct_alloc(&of, domain->n, sizeof *of, "systems"));
    oct_status status = divide(systems, of, number, domain->n);
    if (status == OCT_STATUS_OK)
        status = make_array(&systems->of, domain, "system_of", of, domain->n);
    if (status == OCT_STATUS_OK)
        status = oct_domain_add_column(domain, oct_column_find("system"));
    if (status == OCT_STATUS_OK)
        status = oct_buffer_write(systems->number, number, 0, domain->n);
    if (status == OCT_STATUS_OK)
        status = make_array(&systems->first, domain, "system_first", systems->starts,
                            (size_t)systems->n + 1);
    free(of);
    return status;
}

void oct_system_table_end(oct_domain *domain)
{
    free(domain->system_table.starts);
    oct_buffer_free(domain->system_table.first);
    oct_buffer_free(domain->system_table.of);
}
