/* Asks the boundary how fast its frame turns. */
#include "diag/diag_patch.h"

bool oct_patch_rotates(const oct_setup *setup)
{
    return oct_setup_boundary(setup)->rotation != NULL;
}

bool oct_patch_attracts(const oct_setup *setup)
{
    return oct_patch_rotates(setup) && oct_setup_has_gravity(setup);
}

oct_patch oct_patch_of(const oct_domain *domain)
{
    oct_patch frame = {0};
    oct_setup_boundary(domain->setup)->size(frame.size, domain->boundary.state);
    frame.omega = oct_setup_omega(domain->setup);
    frame.area = frame.size[0] * frame.size[1];
    return frame;
}
