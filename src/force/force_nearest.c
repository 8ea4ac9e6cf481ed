/* Reads the least distance that the forces have found, and names the two systems. */
#include "force/force_nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

oct_status oct_nearest_find(uint32_t *system, double *distance, oct_domain *domain,
                            oct_buffer *squares, uint32_t targets)
{
    float *values, least = INFINITY;
    size_t at = 0;
    OCT_TRY(oct_alloc(&values, squares->count, sizeof *values, "distances"));
    oct_status status = oct_buffer_read(values, squares, 0, squares->count);
    for (size_t i = 0; status == OCT_STATUS_OK && i < squares->count; i++)
        if (values[i] < least) {
            least = values[i];
            at = i;
        }
    free(values);
    OCT_TRY(status);
    *distance = sqrt(least) * domain->sim->length_scale;
    *system = (uint32_t)(at % targets);
    return targets == domain->system_table.n
               ? OCT_STATUS_OK
               : oct_buffer_read(system, domain->system_table.of, *system, 1);
}

enum { NAME_BYTES = 40 };

static oct_status name_system(char out[NAME_BYTES], oct_domain *domain, uint32_t system)
{
    uint32_t number, star = domain->system_table.starts[system];
    uint64_t id;
    OCT_TRY(oct_buffer_read(&number, domain->system_table.number, star, 1));
    OCT_TRY(oct_buffer_read(&id, domain->id, star, 1));
    snprintf(out, NAME_BYTES, number ? "system %llu" : "body %llu",
             (unsigned long long)(number ? number : id));
    return OCT_STATUS_OK;
}

/* A real4, as the precision has it. */
static void read_real4(double out[4], const char *from, size_t element)
{
    float narrow[4];
    if (element != sizeof narrow) {
        memcpy(out, from, element);
        return;
    }
    memcpy(narrow, from, element);
    for (int k = 0; k < 4; k++)
        out[k] = narrow[k];
}

/* The distance of b from a, or of the nearest of their images. */
static double apart(const double a[4], const double b[4], const double period[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d = b[k] - a[k];
        d -= period[k] > 0 ? period[k] * rint(d / period[k]) : 0;
        square += d * d;
    }
    return sqrt(square);
}

oct_status oct_nearest_name(char out[OCT_NEAREST_BYTES], uint32_t system, oct_domain *domain,
                            oct_buffer *centre)
{
    uint32_t n = domain->system_table.n, other = system;
    char *centres, a[NAME_BYTES], b[NAME_BYTES];
    double x[4], y[4], period[3], least = INFINITY;
    oct_setup_periods(period, domain->setup);
    for (int k = 0; k < 3; k++) {
        period[k] /= domain->sim->length_scale;
        least = period[k] > 0 ? fmin(least, period[k]) : least;
    }
    OCT_TRY(oct_alloc(&centres, n, centre->element, "centres"));
    oct_status status = oct_buffer_read(centres, centre, 0, n);
    read_real4(x, centres + system * centre->element, centre->element);
    for (uint32_t s = 0; status == OCT_STATUS_OK && s < n; s++) {
        read_real4(y, centres + s * centre->element, centre->element);
        double distance = apart(x, y, period);
        if (s != system && y[3] > 0 && distance < least) {
            least = distance;
            other = s;
        }
    }
    free(centres);
    OCT_TRY(status);
    OCT_TRY(name_system(a, domain, system));
    OCT_TRY(name_system(b, domain, other));
    if (other == system)
        snprintf(b, sizeof b, "its own image");
    snprintf(out, OCT_NEAREST_BYTES, "%s and %s, the nearest two, are %g apart", a, b,
             least * domain->sim->length_scale);
    return OCT_STATUS_OK;
}
