/* Rows of a domain's columns on their way to other ranks: gathered on the device, packed,
 * exchanged. Each begins with a tag, some bytes of the sender's that say whose it is. */
#ifndef OCT_CORE_FREIGHT_H
#define OCT_CORE_FREIGHT_H

#include "cluster/comm.h"
#include "core/sim.h"

/* Columns of words that kernels take at once. */
enum { OCT_FREIGHT_COLUMNS = 8 };

typedef struct oct_freight {
    oct_domain *domain;
    oct_mover mover;
    uint32_t n_columns;
    oct_buffer *columns[OCT_DOMAIN_COLUMNS + 1]; /* that rows are taken from; one is no column */
    size_t tag, row;                             /* bytes of a tag; of a row with it */
    uint64_t *n_out, *n_in;                      /* rows for each rank, and from each */
    uint64_t leaving, coming;                    /* their sums */
    oct_parcel *out, *in;

    /* Rows on the device, as many as there had to be; what the next launch takes. */
    oct_program *program;
    oct_kernel *pack, *unpack;
    oct_buffer *index, *rows, *column[OCT_FREIGHT_COLUMNS], *bytes;
    uint32_t count, width, parts[OCT_FREIGHT_COLUMNS], bytes_each;
} oct_freight;

oct_status oct_freight_start(oct_freight *freight, oct_domain *domain, size_t tag);
/* From now on rows have this column too; columns are the same in all ranks. */
void oct_freight_add(oct_freight *freight, oct_buffer *column);
void oct_freight_end(oct_freight *freight);

/* Sends rows of the domain, with their tags, those for one rank after those for another: n_out[r]
 * for rank r. All ranks call it. */
oct_status oct_freight_send(oct_freight *freight, const uint64_t *n_out, const uint32_t *rows,
                            const void *tags);
/* What has come, in the order of ranks: tags, and rows of the c-th column. */
void oct_freight_tags(void *out, const oct_freight *freight);
void oct_freight_rows(void *out, const oct_freight *freight, uint32_t c);
/* Puts what has come into the rows of those who have left, in the order in which these were sent:
 * there are as many. */
oct_status oct_freight_replace(oct_freight *freight);

#endif
