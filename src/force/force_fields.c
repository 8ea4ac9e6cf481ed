/* The names of the kernels, and the choice between them. */
#include "force/force_fields.h"

#include "device/device.h"

const char *const oct_force_kernels[] = {"auto", "tiles", "lanes", "portable", NULL};

oct_force_kernel oct_force_kernel_choose(int chosen, const oct_device_info *info)
{
    if (chosen != OCT_FORCE_AUTO)
        return (oct_force_kernel)chosen;
    return oct_device_is_cpu(info) ? OCT_FORCE_LANES : OCT_FORCE_TILES;
}
