/* Bodies as balls of their true radius where that can be seen, else as dots, the nearest in
 * front. */
#ifndef OCT_RENDER_PARTICLES_H
#define OCT_RENDER_PARTICLES_H

#include "render/plot_frame.h"

typedef struct oct_particles_style {
    const oct_colormap *speed; /* colours by speed; NULL: by type */
    double low, high;          /* speeds at the ends of the map */
    bool spheres;              /* all bodies with a radius are drawn in their true size */
    double light[3];           /* unit vector towards it along right, up and towards; 0: usual */
    oct_theme theme;
    bool ice; /* bodies without a colour by speed look like those of a ring */
} oct_particles_style;

/* Unit vector towards the light, along right, up and towards. */
void oct_particles_light(double out[3], const oct_particles_style *style);
oct_status oct_particles_draw(oct_canvas *canvas, const oct_plot_frame *frame,
                              const oct_bodies *bodies, const oct_particles_style *style);
/* The kinds of bodies that are there, with their colours; returns how many. */
size_t oct_particles_kinds(oct_plot_frame_entry out[OCT_PARTICLE_KINDS], const oct_bodies *bodies,
                           const oct_particles_style *style);
/* The speeds that the colours should begin and end with, in units of the bodies. */
oct_status oct_particles_speeds(double *low, double *high, const oct_bodies *bodies);

#endif
