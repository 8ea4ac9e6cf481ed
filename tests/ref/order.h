/* Orders of convergence. */
#ifndef OCT_TESTS_ORDER_H
#define OCT_TESTS_ORDER_H

/* The error that is left with so many steps. */
typedef double (*ref_error)(const char *integrator, double steps, void *context);

/* Slope of log error against log step, least squares over `sizes` numbers of steps from the
 * coarsest on, each twice the one before. */
double ref_order(const char *integrator, double coarsest, int sizes, ref_error error,
                 void *context);

#endif
