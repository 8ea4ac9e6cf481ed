/* On a CPU keys are made sixteen at a time. */
#include "core/keys.h"

#include <stdio.h>

#include "core/lead.h"

oct_status oct_keys_start(oct_keys *keys, oct_domain *domain, oct_buffer **bounds)
{
    const oct_buffer_plan plans[] = {{&keys->of, "keys.of", sizeof(uint64_t), domain->n},
                                     {&keys->order, "keys.order", sizeof(uint32_t), domain->n},
                                     {&keys->unsettled, "keys.unsettled", sizeof(uint32_t), 1}};
    char options[64];
    keys->n = domain->n;
    keys->bodies = (double)oct_domain_all(domain);
    keys->each = oct_device_is_cpu(oct_device_describe(domain->device)) ? 16 : 1;
    snprintf(options, sizeof options, "-D HILBERT -D TALL -D KEYS=%u", keys->each);
    OCT_TRY(oct_buffers_replace(domain->device, plans, sizeof plans / sizeof plans[0]));
    OCT_TRY(oct_domain_build(&keys->program, domain, "tree_keys.cl", options));
    return OCT_KERNEL(&keys->make, keys->program, "tree_keys_make", OCT_BIND_DOMAIN(domain),
                      OCT_BIND_OUT("keys", &keys->of), OCT_BIND_OUT("order", &keys->order),
                      OCT_BIND_IN("bounds", bounds), OCT_BIND_OUT("unsettled", &keys->unsettled),
                      OCT_FIX_UINT("levels", OCT_KEY_LEVELS),
                      OCT_BIND_REAL("bodies", &keys->bodies));
}

void oct_keys_end(oct_keys *keys)
{
    oct_kernel_free(keys->make);
    oct_program_free(keys->program);
    oct_buffer_free(keys->of);
    oct_buffer_free(keys->order);
    oct_buffer_free(keys->unsettled);
    *keys = (oct_keys){0};
}

oct_status oct_keys_make(oct_keys *keys)
{
    return oct_kernel_launch(keys->make, (keys->n + keys->each - 1) / keys->each, 0);
}

oct_status oct_keys_copy(oct_buffer *of, oct_buffer *order, oct_buffer *unsettled, oct_keys *keys)
{
    OCT_TRY(oct_buffer_copy_rows(of, 0, keys->of, 0, keys->n));
    OCT_TRY(oct_buffer_copy_rows(order, 0, keys->order, 0, keys->n));
    return oct_buffer_copy_rows(unsettled, 0, keys->unsettled, 0, 1);
}
