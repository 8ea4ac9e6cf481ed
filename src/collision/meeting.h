/* Where bodies of several ranks meet: a domain with all of a rank's own bodies, in their rows, and
 * behind them the guests, those that others have lent because they may touch some of its own. Its
 * own bodies are searched at home, by the tree that is there, and guests look for them in it. */
#ifndef OCT_COLLISION_MEETING_H
#define OCT_COLLISION_MEETING_H

#include "collision/collision.h"
#include "collision/collision_lend.h"
#include "core/freight.h"

typedef struct oct_meeting {
    oct_domain *domain;     /* NULL: there were no guests yet */
    oct_collider *collider; /* of this domain */
    oct_set *own;           /* in it */
    bool moves;             /* whether it is made for bodies that move */
    bool seated;            /* its own bodies have come, */
    oct_edition placed;     /* which are these */
    uint64_t traded;        /* after so many trades */
    oct_lender lender;
    /* Columns that take part, here and in the rank's domain. */
    uint32_t n_columns;
    oct_buffer *columns[OCT_DOMAIN_COLUMNS], *home[OCT_DOMAIN_COLUMNS];
    oct_freight lent; /* rows of the rank's domain; a tag is a place */
    oct_freight news; /* rows of the meeting's that change in it; a tag is a pair */
    uint32_t n_own, n_guests;
    uint32_t *place; /* of guests */
    uint32_t *host;  /* their ranks */
    /* Rows of guests as they last came, by column of `news`. */
    char *rows[OCT_DOMAIN_COLUMNS];
} oct_meeting;

/* Brings the bodies together. All ranks call it. */
oct_status oct_meeting_gather(oct_collider *c, oct_domain *domain);
/* Writes the guests' rows of `news`, as they last came. */
oct_status oct_meeting_seat(oct_meeting *m);
/* Brings what was not needed to find so many pairs. */
oct_status oct_meeting_join(oct_meeting *m, uint32_t n_pairs);
/* Takes what has become of the rank's own bodies, in so many pairs, back to its domain. */
oct_status oct_meeting_part(oct_meeting *m, oct_domain *domain, uint32_t n_pairs);
/* Whether bodies move where they meet, and change in all columns. */
bool oct_meeting_moves(const oct_collider *c, const oct_domain *domain);

#endif
