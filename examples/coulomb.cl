/* Charges that repel or attract each other up to the range, where their force ends at 0: with
 * s^2 = r^2 + eps^2 the potential is k q_i q_j / m_i (1/s - 1/S + (s - S)/S^2), S the s at the
 * range (shifted force, Fennell & Gezelter 2006, without damping). It is energy per mass of body i,
 * as the acceleration is force per mass. */
void octant_pair(octant_sum *sum, octant_body i, octant_body j, octant_gap gap,
                 constant octant_parameters *parameters)
{
    real eps2 = parameters->softening * parameters->softening;
    real s = sqrt(gap.r2 + eps2), end = sqrt(gap.range * gap.range + eps2);
    real strength = parameters->k * i.charge * j.charge / i.mass;
    sum->potential += strength * (1 / s - 1 / end + (s - end) / (end * end));
    sum->acceleration += strength * (1 / (end * end) - 1 / (s * s)) / s * gap.d;
}
