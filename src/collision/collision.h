/* What the collision methods share: listing pairs and resolving them. A method only finds them. */
#ifndef OCT_COLLISION_COLLISION_H
#define OCT_COLLISION_COLLISION_H

#include "core/sim.h"

/* What the state of a method begins with. */
typedef struct oct_collider {
    /* Launches the search, which lists pairs; waits, or halts the device where it has no room. */
    oct_status (*search)(void *state, oct_domain *domain, bool wait);
    const char *kernel;        /* that does it, of kernels/collision.cl */
    const char *kernel_set;    /* that does it for a set; NULL: the same */
    const char *kernel_guests; /* that does it for bodies of other ranks */
    bool lanes;                /* built for vector lanes */
    bool tiles;                /* built for groups of work-items */
    oct_program *program;
    oct_kernel *find, *find_set, *link, *climb, *round, *finish, *sum;
    /* The list of pairs, as kernels/collision.clh has it. */
    oct_buffer *status, *pairs, *heads, *next, *stamps, *chain, *left;
    uint32_t capacity;
    unsigned group;       /* work-items that sort what is left */
    uint32_t overlapping; /* 1: list pairs that overlap, approaching or not */
    uint32_t longest;     /* list of a body's pairs that is not left to be resolved one by one */
    uint32_t climbs;      /* 1: chains of pairs are resolved in one launch, else in rounds */
    uint32_t climbers;    /* work-items for that; 0: one a pair */
    uint32_t most_rounds;
    oct_edition placed; /* the bodies for which it was last seen that there was room */
    /* Totals of each particle, and how often each speed occurred. */
    oct_buffer *impacts, *energy, *transport, *speeds;
    oct_buffer *gone; /* an oct_impacts: totals of bodies that have left */
    struct {
        oct_impacts known;     /* what is in `gone`, */
        uint64_t version;      /* as of this version of it */
        uint64_t row, impacts; /* whose sums were launched ahead, of which version of impacts */
        uint32_t place;
    } totals;
    oct_buffer *merged, *faults;
    oct_buffer *numbers; /* the parameters of the user's law; NULL: none */
    double law[2];
    /* What the next launch takes: the round and how many there are, the operation of the
     * simulation that this is, the step that ends. */
    uint32_t round_now, rounds, operation;
    uint32_t guessed; /* 1: the host goes on as if nobody merged */
    uint32_t busy;    /* searches whose pairs were resolved, at the last wait */
    bool moves;       /* resolving makes new positions, as far as the host knows */
    uint64_t step;
    double omega, lowest;
    uint64_t counted; /* removed bodies at the last wait */
    /* Where ranks share the bodies: collision_shared.c. In the domain where bodies of several meet
     * `home` is that of the rank, in which its own bodies are searched; it is set before the method
     * is started. */
    oct_domain *home;
    oct_buffer *place; /* of each body in the whole state */
    oct_buffer *ready,
        *going; /* pairs of two domains, which are the first: marks, a list of some */
    uint32_t first_guest, end_guest, n_held, n_going;
    bool by_tree; /* guests look for the rank's own bodies in its tree */
    oct_kernel *find_guests, *find_ready, *go, *copy;
    struct {
        oct_buffer *to, *from;
        uint32_t words, n; /* of a row, pairs */
    } copied;
    struct oct_meeting *meeting; /* NULL: none yet */
} oct_collider;

/* Says whether resolving moves bodies now: only then are there new positions. */
oct_status oct_collider_moves(oct_collider *c, oct_domain *domain, bool moves);
/* Lists all pairs that collide, or overlap. The host waits to see how many there are, and the list
 * grows until it holds them. */
oct_status oct_collider_find(uint32_t *n_pairs, oct_collider *c, oct_domain *domain);
/* Resolves the pairs that are listed: the list is empty then. */
oct_status oct_collider_resolve(oct_collider *c, oct_domain *domain);
/* For the methods: launches the search for so many work-items, those of `guests` first, where
 * bodies of several ranks meet. */
oct_status oct_collider_launch_search(oct_collider *c, const oct_domain *domain, size_t items,
                                      size_t guests, size_t local);
/* Empties the list. */
oct_status oct_collider_forget(oct_collider *c);

/* The first part of resolving: finds who waits for whom. */
oct_status oct_collider_link(oct_collider *c, oct_domain *domain);
/* The second, where chains are resolved in one launch. */
oct_status oct_collider_climb(oct_collider *c);
/* Refuses what a law of the user's has returned. */
oct_status oct_collider_check_law(oct_collider *c, oct_domain *domain);
/* Pairs that were found, with those of bodies that other ranks have, and where: in the domain
 * itself, or where bodies of several meet, whose first rows are the domain's. */
typedef struct oct_found {
    oct_collider *collider;
    oct_domain *domain;
    uint32_t n_pairs;
} oct_found;
/* Finds them, and resolves those that were found. All ranks call it. */
oct_status oct_collider_meet(oct_found *out, oct_collider *c, oct_domain *domain);
oct_status oct_collider_settle(const oct_found *found, oct_collider *c, oct_domain *domain);
void oct_meeting_free(struct oct_meeting *meeting);

/* Gives back the room that an uncommon number of pairs has taken. */
oct_status oct_collider_shrink(oct_collider *c, oct_domain *domain);

oct_status oct_collider_init(void *state, oct_domain *domain);
void oct_collider_clear(void *state);

/* The functions of the module table, as they are for every method. */
oct_status oct_collider_check(const void *state, const oct_setup *setup);
oct_status oct_collider_start(void *state, oct_domain *domain);
oct_status oct_collider_collide(void *state, oct_domain *domain, double dt);
oct_status oct_collider_waited(void *state, oct_domain *domain);
void oct_collider_memory(oct_needs *needs, const void *state);
oct_status oct_collider_left(void *state, oct_domain *domain, const oct_impacts *before);
oct_status oct_collider_launch(void *state, oct_domain *domain);
oct_status oct_collider_impacts(oct_impacts *out, void *state, oct_domain *domain);
oct_status oct_collider_speeds(double *lowest, uint64_t counts[OCT_SPEED_BINS], void *state,
                               oct_domain *domain);
#define OCT_COLLIDER_TABLE                                                                         \
    .repeats = true, .check = oct_collider_check, .start = oct_collider_start,                     \
    .collide = oct_collider_collide, .left = oct_collider_left, .impacts = oct_collider_impacts,   \
    .launch = oct_collider_launch, .speeds = oct_collider_speeds, .shared = true

#endif
