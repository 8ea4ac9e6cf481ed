/* Cuts a frame on the device and packs its bytes. */
#include "view/frame.h"
#include "core/look.h"
#include "core/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024, LEVELS = 65534 };

typedef enum colour_scale { SCALE_BYTE, SCALE_LINEAR, SCALE_LOG } colour_scale;

const char *const oct_colour_names[OCT_COLOURS] = {"none",   "type",      "speed", "mass",
                                                   "radius", "potential", "id",    "density"};

static const colour_scale scales[OCT_COLOURS] = {SCALE_BYTE, SCALE_BYTE,   SCALE_LINEAR, SCALE_LOG,
                                                 SCALE_LOG,  SCALE_LINEAR, SCALE_BYTE,   SCALE_LOG};

struct oct_cutter {
    oct_program *program;
    oct_kernel *ranges, *cut;
    oct_buffer *rows, *frame, *density;
    oct_sample sample; /* of bodies that several domains have */
    oct_fit fit;
    oct_colour fitted; /* the colour that the fit is for */
    bool own_box;      /* the box shown is the simulation's */
    /* What the next launch takes. */
    oct_domain *domain;
    oct_buffer *ids; /* NULL: they are not shown */
    uint32_t count, stride, colour, scale;
    double step[3], period[3], colour_step, shear;
};

static const oct_offer offers[] = {OCT_OFFER(oct_cutter, "rows", rows),
                                   OCT_OFFER(oct_cutter, "out", frame),
                                   OCT_OFFER(oct_cutter, "density", density),
                                   OCT_OFFER(oct_cutter, "count", count),
                                   OCT_OFFER(oct_cutter, "stride", stride),
                                   OCT_OFFER(oct_cutter, "colour", colour),
                                   OCT_OFFER(oct_cutter, "scale", scale),
                                   OCT_OFFER(oct_cutter, "low_x", fit.low[0]),
                                   OCT_OFFER(oct_cutter, "low_y", fit.low[1]),
                                   OCT_OFFER(oct_cutter, "low_z", fit.low[2]),
                                   OCT_OFFER(oct_cutter, "step_x", step[0]),
                                   OCT_OFFER(oct_cutter, "step_y", step[1]),
                                   OCT_OFFER(oct_cutter, "step_z", step[2]),
                                   OCT_OFFER(oct_cutter, "radius_unit", fit.radius_unit),
                                   OCT_OFFER(oct_cutter, "colour_low", fit.colour_low),
                                   OCT_OFFER(oct_cutter, "colour_step", colour_step),
                                   OCT_OFFER(oct_cutter, "shear", shear),
                                   OCT_OFFER(oct_cutter, "period_x", period[0]),
                                   OCT_OFFER(oct_cutter, "period_y", period[1]),
                                   OCT_OFFER(oct_cutter, "period_z", period[2]),
                                   {0}};

/* A sheet flows with the shear v_y = -(3/2) Omega x; speeds are shown relative to it. */
static double shear_of(const oct_sim *sim)
{
    return 1.5 * oct_setup_omega(sim->setup);
}

static oct_status start(oct_cutter *cutter, oct_sim *sim)
{
    size_t row = OCT_REACH_ROW * oct_real_size(sim->precision);
    OCT_TRY(oct_domain_build(&cutter->program, sim->domain, "view_frame.cl", NULL));
    /* A simulation may move to another domain, and take the place of another one. */
#define ALL OCT_BIND_OFFERS_OF(oct_domain_offers, &cutter->domain), OCT_BIND_OFFERS(offers, cutter)
    cutter->domain = sim->domain;
    OCT_TRY(OCT_KERNEL(&cutter->ranges, cutter->program, "view_frame_ranges", ALL));
    OCT_TRY(OCT_KERNEL(&cutter->cut, cutter->program, "view_frame_cut", ALL,
                       OCT_BIND_IN("id", &cutter->ids)));
#undef ALL
    return oct_buffer_create(&cutter->rows, sim->domain->device, "frame ranges", row, ROWS);
}

oct_status oct_cutter_create(oct_cutter **out, oct_sim *sim)
{
    *out = NULL;
    oct_cutter *cutter;
    OCT_TRY(oct_alloc(&cutter, 1, sizeof *cutter, "frames"));
    oct_status status = start(cutter, sim);
    if (status == OCT_STATUS_OK)
        *out = cutter;
    else
        oct_cutter_free(cutter);
    return status;
}

void oct_cutter_free(oct_cutter *cutter)
{
    if (!cutter)
        return;
    oct_buffer_free(cutter->rows);
    oct_buffer_free(cutter->frame);
    oct_buffer_free(cutter->density);
    oct_kernel_free(cutter->ranges);
    oct_kernel_free(cutter->cut);
    oct_program_free(cutter->program);
    oct_sample_end(&cutter->sample);
    free(cutter);
}

/* Elements of so many numbers each, as doubles. */
static oct_status read_reals(double *out, oct_buffer *buffer, size_t elements, size_t each)
{
    OCT_TRY(oct_buffer_read(out, buffer, 0, elements));
    if (buffer->element == each * sizeof(double))
        return OCT_STATUS_OK;
    const char *narrow = (const char *)out;
    for (size_t i = elements * each; i-- > 0;) {
        float value;
        memcpy(&value, narrow + i * sizeof value, sizeof value);
        out[i] = (double)value;
    }
    return OCT_STATUS_OK;
}

/* Of bodies that several domains have those of the frame come to this one. */
static oct_status aim(oct_cutter *cutter, oct_sim *sim, const oct_cut *cut)
{
    oct_sample *sample = &cutter->sample;
    uint32_t n = (uint32_t)oct_domain_all(sim->domain);
    cutter->count = oct_frame_count(&cutter->stride, n, cut->most);
    cutter->domain = sim->domain;
    cutter->colour = cut->colour;
    cutter->scale = scales[cut->colour];
    cutter->shear = shear_of(sim);
    if (!oct_owners_several(sim))
        return OCT_STATUS_OK;
    sample->stride = cutter->stride;
    sample->n = cutter->count;
    OCT_TRY(oct_sample_take(sample, sim));
    cutter->domain = sample->domain;
    cutter->stride = 1;
    return OCT_STATUS_OK;
}

/* With potentials as they were last looked at, if they still are those; a sample has them so. */
static oct_status launch(oct_kernel *kernel, const oct_cutter *cutter, oct_sim *sim, size_t items)
{
    if (cutter->domain != sim->domain)
        return oct_kernel_launch(kernel, items, 0);
    OCT_TRY(oct_look_open(sim->domain));
    oct_status status = oct_kernel_launch(kernel, items, 0);
    oct_look_close(sim->domain);
    return status;
}

static oct_status find_reach(oct_reach *out, oct_cutter *cutter, oct_sim *sim, const oct_cut *cut)
{
    double pivot[4], *rows;
    OCT_TRY(aim(cutter, sim, cut));
    OCT_TRY(launch(cutter->ranges, cutter, sim, ROWS));
    OCT_TRY(read_reals(pivot, cutter->domain->position, 1, 4));
    OCT_TRY(oct_alloc(&rows, (size_t)ROWS * OCT_REACH_ROW, sizeof *rows, "frame ranges"));
    oct_status status = read_reals(rows, cutter->rows, ROWS, OCT_REACH_ROW);
    if (status == OCT_STATUS_OK)
        oct_reach_join(out, rows, ROWS, pivot);
    free(rows);
    return status;
}

oct_status oct_cutter_fit(oct_cutter *cutter, oct_sim *sim, const oct_cut *cut)
{
    oct_reach reach;
    double size[3];
    oct_fit *fit = &cutter->fit;
    OCT_TRY(find_reach(&reach, cutter, sim, cut));
    oct_fit_radius(fit, &reach);
    if (cutter->fitted != cut->colour)
        fit->colour_low = fit->colour_high = 0;
    cutter->fitted = cut->colour;
    oct_fit_colour(fit, &reach);
    const oct_boundary *boundary = oct_setup_boundary(sim->setup);
    cutter->own_box = cut->box == OCT_BOX_AUTO && boundary->size &&
                      boundary->size(size, sim->domain->boundary.state);
    if (!cutter->own_box && cut->box != OCT_BOX_GIVEN)
        oct_fit_box(fit, &reach);
    for (int k = 0; k < 3; k++) {
        if (cutter->own_box) {
            fit->low[k] = -size[k] / 2;
            fit->high[k] = size[k] / 2;
        } else if (cut->box == OCT_BOX_GIVEN) {
            fit->low[k] = cut->low[k];
            fit->high[k] = cut->high[k];
        }
    }
    return OCT_STATUS_OK;
}

/* From the order of oct_sim_bodies, which has no removed ones, to that of the slots. */
static oct_status upload_density(oct_cutter *cutter, oct_sim *sim, const double *found)
{
    oct_status status;
    uint8_t *types = NULL;
    float *density = NULL;
    OCT_TRY_DONE(oct_alloc(&types, sim->domain->n, sizeof *types, "types"));
    OCT_TRY_DONE(oct_alloc(&density, sim->domain->n, sizeof *density, "densities"));
    OCT_TRY_DONE(oct_buffer_read(types, sim->domain->type, 0, sim->domain->n));
    for (uint32_t i = 0; i < sim->domain->n; i++)
        density[i] = types[i] == OCT_TYPE_REMOVED ? 0 : (float)*found++;
    if (!cutter->density)
        OCT_TRY_DONE(oct_buffer_create(&cutter->density, sim->domain->device, "shown densities",
                                       sizeof *density, sim->domain->n));
    status = oct_buffer_write(cutter->density, density, 0, sim->domain->n);
done:
    free(types);
    free(density);
    return status;
}

oct_status oct_cutter_density(oct_cutter *cutter, oct_sim *sim)
{
    double *found;
    OCT_TRY(oct_alloc(&found, sim->domain->n, sizeof *found, "densities"));
    oct_status status = oct_densities(found, sim, OCT_FRAME_NEIGHBOURS);
    if (status == OCT_STATUS_OK)
        status = upload_density(cutter, sim, found);
    free(found);
    return status;
}

bool oct_cutter_has(const oct_sim *sim, oct_colour colour)
{
    return colour != OCT_COLOUR_DENSITY || !oct_owners_several(sim);
}

uint32_t oct_frame_count(uint32_t *stride, uint32_t n, uint32_t most)
{
    *stride = n > most ? (uint32_t)(((uint64_t)n + most - 1) / most) : 1;
    return (uint32_t)(((uint64_t)n + *stride - 1) / *stride);
}

static size_t payload_bytes(uint32_t count)
{
    return ((size_t)9 * count + 7) / 8 * 8;
}

size_t oct_frame_bytes(uint32_t count)
{
    return OCT_FRAME_HEADER + payload_bytes(count);
}

/* Little-endian, whatever the machine is. */
static void put(char *out, size_t offset, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes; i++)
        out[offset + i] = (char)(value >> 8 * i & 0xFF);
}

static void put_real(char *out, size_t offset, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, offset, sizeof bits, bits);
}

static void write_header(char *out, const oct_cutter *cutter, const oct_sim *sim, oct_colour colour,
                         const oct_frame_mark *mark)
{
    const oct_fit *fit = &cutter->fit;
    memset(out, 0, OCT_FRAME_HEADER);
    memcpy(out, "OCTF", 4);
    put(out, 4, 2, 1);
    put(out, 6, 2, OCT_FRAME_HEADER);
    put(out, 8, 8, mark->sequence);
    put(out, 16, 8, oct_sim_steps(sim));
    put_real(out, 24, oct_sim_time(sim));
    put(out, 40, 8, oct_sim_count(sim));
    oct_image image = {0};
    const oct_boundary *boundary = oct_setup_boundary(sim->setup);
    if (boundary->image)
        image = boundary->image(sim->domain->boundary.state, (const int32_t[]){1, 0, 0},
                                oct_sim_time(sim));
    for (size_t k = 0; k < 3; k++) {
        put_real(out, 48 + 8 * k, fit->low[k]);
        put_real(out, 72 + 8 * k, fit->high[k]);
        put_real(out, 136 + 8 * k, image.shift[k]);
    }
    bool logarithmic = scales[colour] == SCALE_LOG, byte = scales[colour] == SCALE_BYTE;
    put_real(out, 96, fit->radius_unit);
    put_real(out, 104, byte ? 0 : logarithmic ? exp(fit->colour_low) : fit->colour_low);
    put_real(out, 112, byte ? 255 : logarithmic ? exp(fit->colour_high) : fit->colour_high);
    put(out, 120, 1, colour);
    put(out, 121, 1, scales[colour]);
    put(out, 122, 1, (uint64_t)mark->paused | (uint64_t)cutter->own_box << 1);
    put(out, 128, 4, mark->generation);
}

oct_status oct_cutter_cut(char *out, oct_cutter *cutter, oct_sim *sim, const oct_cut *cut,
                          const oct_frame_mark *mark)
{
    const oct_fit *fit = &cutter->fit;
    uint32_t stride, n = (uint32_t)oct_domain_all(sim->domain);
    uint32_t count = oct_frame_count(&stride, n, cut->most);
    size_t payload = payload_bytes(count), bytes = (size_t)9 * count;
    OCT_TRY(aim(cutter, sim, cut));
    oct_setup_periods(cutter->period, sim->setup);
    for (int k = 0; k < 3; k++)
        cutter->step[k] = (fit->high[k] - fit->low[k]) / LEVELS;
    cutter->colour_step = (fit->colour_high - fit->colour_low) / 255;
    if (!cutter->frame || cutter->frame->count != payload) {
        oct_buffer_free(cutter->frame);
        OCT_TRY(oct_buffer_create(&cutter->frame, sim->domain->device, "frame", 1, payload));
    }
    cutter->ids = cut->colour == OCT_COLOUR_ID ? cutter->domain->id : NULL;
    OCT_TRY(launch(cutter->cut, cutter, sim, count));
    write_header(out, cutter, sim, cut->colour, mark);
    put(out, 32, 4, count);
    put(out, 36, 4, stride);
    put(out, 124, 4, payload);
    memset(out + OCT_FRAME_HEADER + bytes, 0, payload - bytes);
    return oct_buffer_read(out + OCT_FRAME_HEADER, cutter->frame, 0, bytes);
}
