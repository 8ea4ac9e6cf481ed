/* The slope of a line through the errors of several steps. */
#include "order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

double ref_order(const char *integrator, double coarsest, int sizes, ref_error error, void *context)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < sizes; i++) {
        double steps = coarsest * exp2(i), left = error(integrator, steps, context);
        double x = -log(steps), y = log(left);
        print_message("%s, %g steps: %.2e\n", integrator, steps, left);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double order = (sizes * sxy - sx * sy) / (sizes * sxx - sx * sx);
    print_message("%s: order %.3f\n", integrator, order);
    return order;
}
