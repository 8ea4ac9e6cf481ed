/* The motion in the sheet, the wrap at its faces and the field beyond them, in one program: none
 * comes alone. The field is first, since the others are about where products may be contracted. */
#include "sheet_terms.clh"
#define TERMS_X SHEET_TERMS_X
#define TERMS_Y SHEET_TERMS_Y
#define TERMS_Z SHEET_TERMS_Z
#define SYMMETRIC
#include "boundary_expansion.cl"
#include "boundary_shear.cl"
#include "integrator_sei.cl"
