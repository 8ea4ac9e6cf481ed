/* From the bodies of the box to the series of what all images beyond the acting ones add:
 *   boundary_lattice_moments  moments sum_j m_j T_a(x_j) T_b(y_j) T_c(z_j) of a chunk of bodies
 *   boundary_lattice_fold     the same of all bodies
 *   boundary_lattice_apply    the matrix of the lattice times the moments
 * Coordinates run from -1 to 1 in the box. A work-item has the moments with ROWS pairs (a, b);
 * work-groups of WORKERS for the first kernel, any size for the others. The order of all sums is
 * fixed. The kernel that adds the series is part of the program. */
#include "precision.clh"
#include "boundary_expansion.cl"

#define TILE  64
#define TERMS (TERMS_X * TERMS_Y * TERMS_Z)

/* T_0 to T_terms-1 at x. */
static inline void fill_basis(local real *t, real x, uint terms)
{
    t[0] = 1;
    if (terms > 1)
        t[1] = x;
    for (uint k = 2; k < terms; k++)
        t[k] = 2 * x * t[k - 1] - t[k - 2];
}

kernel __attribute__((reqd_work_group_size(WORKERS, 1, 1))) void
boundary_lattice_moments(global sum *partials, global const real4 *position, real to_x, real to_y,
                         real to_z, real mass_scale, uint n, uint chunk, uint blocks)
{
    local real x[TILE * TERMS_X], y[TILE * TERMS_Y], z[TILE * TERMS_Z], m[TILE];
    uint worker = (uint)get_local_id(0), group = (uint)get_group_id(0);
    uint begin = group / blocks * chunk, end = min(begin + chunk, n);
    uint row = (group % blocks * WORKERS + worker) * ROWS;
    sum total[ROWS * TERMS_Z];
    for (uint k = 0; k < ROWS * TERMS_Z; k++)
        total[k] = sum_zero();
    for (uint base = begin; base < end; base += TILE) {
        uint count = min(end - base, (uint)TILE);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = worker; j < count; j += WORKERS) {
            real4 p = position[base + j];
            m[j] = (real)(p.w * mass_scale);
            fill_basis(x + j * TERMS_X, (real)(p.x * to_x), TERMS_X);
            fill_basis(y + j * TERMS_Y, (real)(p.y * to_y), TERMS_Y);
            fill_basis(z + j * TERMS_Z, (real)(p.z * to_z), TERMS_Z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < ROWS && row + k < TERMS_X * TERMS_Y; k++) {
            uint a = (row + k) / TERMS_Y, b = (row + k) % TERMS_Y;
            real part[TERMS_Z];
            for (uint c = 0; c < TERMS_Z; c++)
                part[c] = 0;
            for (uint j = 0; j < count; j++) {
                real w = m[j] * x[j * TERMS_X + a] * y[j * TERMS_Y + b];
                for (uint c = 0; c < TERMS_Z; c++)
                    part[c] += w * z[j * TERMS_Z + c];
            }
            for (uint c = 0; c < TERMS_Z; c++)
                total[k * TERMS_Z + c] = sum_add(total[k * TERMS_Z + c], part[c]);
        }
    }
    for (uint k = 0; k < ROWS && row + k < TERMS_X * TERMS_Y; k++)
        for (uint c = 0; c < TERMS_Z; c++)
            partials[(size_t)(group / blocks) * TERMS + (row + k) * TERMS_Z + c] =
                total[k * TERMS_Z + c];
}

kernel void boundary_lattice_fold(global sum *moments, global const sum *partials, uint chunks)
{
    uint term = (uint)get_global_id(0);
    if (term >= TERMS)
        return;
    sum total = partials[term];
    for (uint k = 1; k < chunks; k++)
        total = sum_join(total, partials[(size_t)k * TERMS + term]);
    moments[term] = total;
}

#ifdef OCT_FP64
#define SUM_VALUE(s) ((real)(s))
#else
#define SUM_VALUE(s) ((s).x + (s).y)
#endif

/* The matrix is symmetric, so that neighbours read neighbouring numbers. */
kernel void boundary_lattice_apply(global real *coefficients, global const real *matrix,
                                   global const sum *moments)
{
    uint term = (uint)get_global_id(0);
    if (term >= TERMS)
        return;
    sum total = sum_zero();
    for (uint k = 0; k < TERMS; k++)
        total = sum_add(total, matrix[(size_t)k * TERMS + term] * SUM_VALUE(moments[k]));
    coefficients[term] = SUM_VALUE(total);
}
