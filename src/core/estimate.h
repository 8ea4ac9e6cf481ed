/* What takes the memory that a setup is estimated to take. */
#ifndef OCT_CORE_ESTIMATE_H
#define OCT_CORE_ESTIMATE_H

#include "core/setup.h"

enum { OCT_LEDGER_PARTS = 96 };

typedef struct oct_ledger_part {
    char name[64];
    uint64_t bytes;
    double bytes_per_particle;
} oct_ledger_part;

typedef struct oct_ledger {
    size_t n;
    oct_ledger_part parts[OCT_LEDGER_PARTS]; /* in the order that they are made in */
    uint64_t counted;                        /* while it is made: bytes of those before */
} oct_ledger;

void oct_setup_ledger(oct_ledger *out, const oct_setup *setup, uint64_t n,
                      const oct_device_info *device, oct_precision precision);

#endif
