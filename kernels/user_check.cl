/* What the user wrote and nothing else: compiled to tell a mistake in it from a call that it does
 * not fit. It stands last, so that what is missing at its end is missing there. */
#include "precision.clh"
#include "user_parameters.clh"
#include "user_types.clh"

kernel void user_check(global real *out)
{
    out[get_global_id(0)] = 0;
}

#include "user.clh"
