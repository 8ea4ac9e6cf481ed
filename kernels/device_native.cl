/* How good the estimate of a root is here: OpenCL leaves that to the driver. Writes 1 / sqrt(x) of
 * count numbers, in the forms that wide.clh chooses from. Groups of any size. */
#include "rsqrt.clh"

kernel void device_native_rsqrt(global float *plain, global float *refined, global const float *x,
                                const uint count)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    plain[i] = rsqrt_estimate(x[i]);
    refined[i] = rsqrt_refined(x[i]);
}
