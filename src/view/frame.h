/* Frames: what a viewer needs of a simulation at one moment, cut on the device. docs/viewer.md
 * says what is in them. Cutting one reads the state and changes nothing. */
#ifndef OCT_VIEW_FRAME_H
#define OCT_VIEW_FRAME_H

#include "core/sim.h"
#include "view/fit.h"

enum { OCT_FRAME_HEADER = 192, OCT_FRAME_NEIGHBOURS = 16 };

typedef enum oct_colour {
    OCT_COLOUR_NONE,
    OCT_COLOUR_TYPE,
    OCT_COLOUR_SPEED,
    OCT_COLOUR_MASS,
    OCT_COLOUR_RADIUS,
    OCT_COLOUR_POTENTIAL,
    OCT_COLOUR_ID,
    OCT_COLOUR_DENSITY,
    OCT_COLOURS
} oct_colour;

/* Their names in requests. */
extern const char *const oct_colour_names[OCT_COLOURS];

typedef enum oct_shown_box { OCT_BOX_AUTO, OCT_BOX_FIT, OCT_BOX_GIVEN } oct_shown_box;

/* How frames are cut. */
typedef struct oct_cut {
    oct_colour colour;
    uint32_t most; /* bodies in a frame */
    oct_shown_box box;
    double low[3], high[3]; /* of the box that is given */
} oct_cut;

/* What the header says that the simulation does not know. */
typedef struct oct_frame_mark {
    uint64_t sequence;
    uint32_t generation;
    bool paused;
} oct_frame_mark;

/* Cuts frames of one simulation. */
typedef struct oct_cutter oct_cutter;

oct_status oct_cutter_create(oct_cutter **out, oct_sim *sim);
void oct_cutter_free(oct_cutter *cutter);
/* Looks how far bodies and colours reach and chooses what is shown; before the first frame, and
 * whenever the cut has changed. */
oct_status oct_cutter_fit(oct_cutter *cutter, oct_sim *sim, const oct_cut *cut);
/* Finds the densities around all bodies, for colours by density. */
oct_status oct_cutter_density(oct_cutter *cutter, oct_sim *sim);

/* Whether frames can show a colour: densities are found in one domain alone. */
bool oct_cutter_has(const oct_sim *sim, oct_colour colour);

/* How many bodies a frame of n has, and the stride between them. */
uint32_t oct_frame_count(uint32_t *stride, uint32_t n, uint32_t most);
/* Bytes of a frame with so many bodies. */
size_t oct_frame_bytes(uint32_t count);
/* Writes the frame, oct_frame_bytes of it. */
oct_status oct_cutter_cut(char *out, oct_cutter *cutter, oct_sim *sim, const oct_cut *cut,
                          const oct_frame_mark *mark);

#endif
