/* What files say about the bodies of a setup, whatever their kind. */
#include <stdio.h>

#include "io/snapshot.h"

void oct_snapshot_describe(oct_file_info *out, const oct_setup *setup)
{
    const oct_boundary *boundary = oct_setup_boundary(setup);
    *out = (oct_file_info){.size = sizeof *out, .units = setup->units};
    snprintf(out->kind, sizeof out->kind, "snapshot");
    snprintf(out->title, sizeof out->title, "%s", setup->title ? setup->title : "");
    snprintf(out->generator, sizeof out->generator, "octant %s", oct_version());
    oct_setup_component_names(out->components, sizeof out->components, setup);
    out->orbit = oct_setup_orbit(setup);
    out->spins = oct_setup_spins(setup);
    out->periodic = boundary->size && boundary->size(out->box, setup->boundary.state);
}
