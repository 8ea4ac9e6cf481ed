/* The motion in the sheet and the wrap at its faces, in one program: neither comes alone. */
#include "boundary_shear.cl"
#include "integrator_sei.cl"
