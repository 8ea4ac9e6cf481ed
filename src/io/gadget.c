/* Redshifts and types of GADGET's files. */
#include "io/gadget.h"

#include "util/status.h"

#include <math.h>

oct_status oct_gadget_check_time(double time, double redshift, const char *path)
{
    bool expanding = redshift != 0 && fabs(time * (1 + redshift) - 1) < 1e-3;
    OCT_CHECK(!expanding, OCT_STATUS_INPUT,
              "'%s' is of a cosmological run at redshift %.6g, whose comoving numbers Octant does "
              "not read",
              path, redshift);
    return OCT_STATUS_OK;
}

uint8_t oct_gadget_type(size_t type)
{
    return (uint8_t)(type == 0 || type > 6 ? OCT_TYPE_BODY : type);
}
