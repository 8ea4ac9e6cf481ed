/* A line for the device, for steps, for outputs and for the writer: how busy each is over time. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 60, MOST_KERNELS = 12 };

/* The lines of the picture. */
typedef enum line { LINE_DEVICE, LINE_STEPS, LINE_OUTPUTS, LINE_WRITER, LINES } line;

static const char *const line_names[LINES] = {"device", "steps", "outputs", "writer"};

typedef struct picture {
    double start_s, end_s; /* of the run: the host's first span and the last end */
    double busy[LINES][CELLS], total[LINES];
} picture;

static line line_of(const oct_span *span)
{
    if (span->lane == OCT_LANE_DEVICE)
        return LINE_DEVICE;
    if (span->lane == OCT_LANE_WRITER)
        return LINE_WRITER;
    return strcmp(span->name, "steps") == 0 ? LINE_STEPS : LINE_OUTPUTS;
}

static double overlap(double a, double b, double from, double to)
{
    double start = a > from ? a : from, end = b < to ? b : to;
    return end > start ? end - start : 0;
}

/* Shares a span between the cells that it crosses. */
static void add_span(picture *p, const oct_span *span)
{
    double width = (p->end_s - p->start_s) / CELLS;
    line at = line_of(span);
    double first = (span->start_s - p->start_s) / width;
    for (int cell = first > 0 ? (int)first : 0; cell < CELLS; cell++) {
        double from = p->start_s + cell * width;
        if (from >= span->end_s)
            break;
        p->busy[at][cell] += overlap(span->start_s, span->end_s, from, from + width) / width;
    }
    p->total[at] += overlap(span->start_s, span->end_s, p->start_s, p->end_s);
}

/* Where the host has begun with the run; what came before is preparation. */
static bool find_ends(picture *p, const oct_span *spans, size_t n)
{
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        if (spans[i].lane != OCT_LANE_DEVICE && (!found || spans[i].start_s < p->start_s))
            p->start_s = spans[i].start_s;
        found = found || spans[i].lane != OCT_LANE_DEVICE;
        p->end_s = spans[i].end_s > p->end_s ? spans[i].end_s : p->end_s;
    }
    return found && p->end_s > p->start_s;
}

static void print_picture(const picture *p)
{
    static const char shades[] = " .:-=+*#%@";
    const int most = (int)sizeof shades - 2;
    double wall = p->end_s - p->start_s;
    printf("%.3g s, from the first output to the last launch, a column each %.3g s:\n", wall,
           wall / CELLS);
    for (int k = 0; k < LINES; k++) {
        char drawn[CELLS + 1] = {0};
        for (int cell = 0; cell < CELLS; cell++) {
            int shade = (int)(p->busy[k][cell] * most + 0.5);
            /* What is there is seen. */
            shade = shade == 0 && p->busy[k][cell] > 0 ? 1 : shade;
            drawn[cell] = shades[shade < most ? shade : most];
        }
        printf("%-8s|%s| %6.3g s %5.1f %%\n", line_names[k], drawn, p->total[k],
               100 * p->total[k] / wall);
    }
}

static void print_kernels(const oct_kernel_time *times, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += times[i].ms;
    printf("%-28s %9s %10s %9s %7s\n", "kernel", "launches", "ms", "ms each", "share");
    for (size_t i = 0; i < n && i < MOST_KERNELS; i++)
        printf("%-28s %9" PRIu64 " %10.1f %9.4f %5.1f %%\n", times[i].name, times[i].launches,
               times[i].ms, times[i].ms / (double)times[i].launches, 100 * times[i].ms / all);
    double rest = 0;
    for (size_t i = MOST_KERNELS; i < n; i++)
        rest += times[i].ms;
    if (n > MOST_KERNELS)
        printf("%-28s %9s %10.1f %9s %5.1f %%\n", "others", "", rest, "", 100 * rest / all);
}

oct_status oct_timeline_print(oct_device *device)
{
    picture p = {0};
    oct_span *spans;
    oct_kernel_time *times = NULL;
    size_t n, n_times = 0;
    oct_status status = oct_device_spans(&spans, &n, device);
    if (status != OCT_STATUS_OK)
        return status;
    if (find_ends(&p, spans, n)) {
        for (size_t i = 0; i < n; i++)
            add_span(&p, &spans[i]);
        print_picture(&p);
    }
    oct_device_spans_free(spans);
    status = oct_device_times(&times, &n_times, device);
    if (status == OCT_STATUS_OK && n_times > 0)
        print_kernels(times, n_times);
    oct_device_times_free(times);
    return status;
}
