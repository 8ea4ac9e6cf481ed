#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/density.h"
#include "render/ghosts.h"
#include "render/particles.h"
#include "render/png.h"
#include "render/render.h"
#include "render/sheet.h"
#include "util/file.h"

enum { MIN_WIDTH = 240, MIN_HEIGHT = 200, MAX_SIDE = 8192 };
enum { MIN_FONT = 6, MAX_FONT = 200, MIN_PLOT = 40, LONGEST = 100 };

/* A picture with every choice made. */
typedef struct picture {
    oct_render_options options;
    oct_frame frame;
    bool particles;      /* or spheres: not density */
    bool patch;          /* of something larger: the bodies are in a box that repeats itself */
    oct_density density; /* unless particles */
    oct_colormap map;
    oct_bodies shown;  /* owned by the caller, or the next */
    oct_bodies ghosts; /* with images */
    unsigned rings;    /* of images around the box */
    bool tiled;        /* the box and its images end at their faces */
    oct_tiles tiles;
} picture;

oct_status oct_render_size(int *width, int *height)
{
    if (*width == 0)
        *width = 1200;
    if (*height == 0)
        *height = 1000;
    OCT_CHECK(*width >= MIN_WIDTH && *width <= MAX_SIDE && *height >= MIN_HEIGHT &&
                  *height <= MAX_SIDE,
              OCT_STATUS_INPUT, "a picture has %d x %d to %d x %d pixels, not %d x %d", MIN_WIDTH,
              MIN_HEIGHT, MAX_SIDE, MAX_SIDE, *width, *height);
    return OCT_STATUS_OK;
}

static oct_status check_options(oct_render_options *options, oct_theme theme)
{
    if (options->width != 0 || options->height != 0)
        OCT_TRY(oct_render_size(&options->width, &options->height));
    if (options->axis == '\0')
        options->axis = 'z';
    if (options->mode == NULL)
        options->mode = "density";
    bool density = strcmp(options->mode, "density") == 0;
    if (options->map == NULL && density)
        options->map = oct_theme_palette(theme)->map;

    OCT_CHECK(
        density || strcmp(options->mode, "particles") == 0 || strcmp(options->mode, "spheres") == 0,
        OCT_STATUS_INPUT, "a picture shows density, particles or spheres, not `%s`", options->mode);
    OCT_CHECK(isfinite(options->extent) && options->extent >= 0 && isfinite(options->extent_up) &&
                  options->extent_up >= 0,
              OCT_STATUS_INPUT, "the extent of a picture is a positive number");
    OCT_CHECK(options->extent_up == 0 || options->extent > 0, OCT_STATUS_INPUT,
              "the height that a picture shows goes with the width that it shows");
    OCT_CHECK(options->extent_up == 0 || (options->extent <= LONGEST * options->extent_up &&
                                          options->extent_up <= LONGEST * options->extent),
              OCT_STATUS_INPUT, "a plot is at most %d times as long on one side as on the other",
              LONGEST);
    OCT_CHECK(options->font == 0 || (options->font >= MIN_FONT && options->font <= MAX_FONT),
              OCT_STATUS_INPUT, "labels are %d to %d pixels high, not %g", MIN_FONT, MAX_FONT,
              options->font);
    for (int k = 0; k < 3; k++)
        OCT_CHECK(!options->centred || isfinite(options->centre[k]), OCT_STATUS_INPUT,
                  "the centre of a picture is three finite numbers");
    OCT_CHECK(!options->lit || (isfinite(options->light[0]) && fabs(options->light[1]) <= 90),
              OCT_STATUS_INPUT,
              "light comes from an azimuth and an elevation of -90 to 90 degrees");
    OCT_CHECK(options->ghosts <= OCT_GHOSTS_MOST, OCT_STATUS_INPUT,
              "at most %d rings of images can be shown around a box, not %u", OCT_GHOSTS_MOST,
              options->ghosts);
    const double *range = options->range;
    bool open = range[0] == 0 && range[1] == 0;
    OCT_CHECK(open || (isfinite(range[1]) && range[1] > range[0] && range[0] >= 0 &&
                       (!density || range[0] > 0)),
              OCT_STATUS_INPUT, "the range of colours goes from a number up to a greater one");
    return OCT_STATUS_OK;
}

static void plan_clear(picture *plan)
{
    oct_density_clear(&plan->density);
    oct_bodies_clear(&plan->ghosts);
}

/* Where the body is that the picture follows. Once it is gone the camera stays where it was. */
static oct_status find_followed(oct_render_options *options, const oct_bodies *bodies)
{
    size_t i;
    if (oct_bodies_find(&i, bodies, options->follow) && oct_view_finite(&bodies->position[3 * i])) {
        memcpy(options->centre, &bodies->position[3 * i], sizeof options->centre);
        options->centred = true;
    }
    OCT_CHECK(options->centred, OCT_STATUS_MISSING,
              "there is no body with the id %" PRIu64 " to follow", options->follow);
    return OCT_STATUS_OK;
}

static oct_status fit_centre(oct_render_options *options, const oct_bodies *bodies,
                             const double box[3])
{
    if (options->follows)
        OCT_TRY(find_followed(options, bodies));
    else if (!options->centred && box != NULL)
        oct_view_box_centre(options->centre, box, bodies);
    else if (!options->centred)
        OCT_TRY(oct_view_fit_centre(options->centre, bodies));
    options->centred = true;
    return OCT_STATUS_OK;
}

/* Chooses the size of the picture where that is open, and the room for the plot in it. */
static oct_status fit_size(picture *plan, bool bar)
{
    oct_render_options *options = &plan->options;
    oct_frame *frame = &plan->frame;
    bool open = options->width == 0;
    frame->asked = options->font;
    frame->rise = options->extent_up;
    OCT_TRY(oct_render_size(&options->width, &options->height));
    if (open && frame->rise > 0) {
        frame->view.extent = options->extent;
        oct_frame_size(frame, &options->width, &options->height, bar);
        options->font = frame->asked;
        options->width = options->width < MIN_WIDTH ? MIN_WIDTH : options->width;
        options->height = options->height < MIN_HEIGHT ? MIN_HEIGHT : options->height;
    }
    oct_frame_layout(frame, options->width, options->height, bar);
    return OCT_STATUS_OK;
}

static oct_status fit_frame(picture *plan, const oct_bodies *bodies, const double box[3])
{
    oct_render_options *options = &plan->options;
    oct_view *view = &plan->frame.view;
    bool bar = options->map != NULL && !options->bare;
    plan->frame.bare = options->bare;
    if (options->fov > 0)
        oct_view_angles(options);
    OCT_TRY(options->aimed ? oct_view_aim(view, options->azimuth, options->elevation, options->roll,
                                          options->fov)
                           : oct_view_init(view, options->axis));
    OCT_TRY(fit_centre(options, bodies, box));
    memcpy(view->centre, options->centre, sizeof view->centre);
    if (options->extent == 0 && box != NULL && !options->aimed) {
        double sides[2];
        oct_view_box_sides(sides, view, box, bodies);
        options->extent = fmax(sides[0], sides[1] / LONGEST);
        options->extent_up = fmax(sides[1], sides[0] / LONGEST);
    }

    OCT_TRY(fit_size(plan, bar));
    if (options->extent == 0 && box != NULL)
        options->extent = oct_view_box_extent(view, box, bodies);
    else if (options->extent == 0)
        OCT_TRY(oct_view_fit_extent(&options->extent, view, bodies, 0.98));
    view->extent = options->extent;
    oct_frame_layout(&plan->frame, options->width, options->height, bar);
    OCT_CHECK(view->width >= MIN_PLOT && view->height >= MIN_PLOT, OCT_STATUS_INPUT,
              "labels of %g pixels leave no room for a plot in %d x %d", plan->frame.font,
              options->width, options->height);
    return OCT_STATUS_OK;
}

static oct_status plan_colours(picture *plan)
{
    double *range = plan->options.range;
    bool open = range[1] == 0;
    if (plan->particles)
        return open && plan->options.map != NULL
                   ? oct_particles_speeds(&range[0], &range[1], &plan->shown)
                   : OCT_STATUS_OK;
    OCT_TRY(oct_density_init(&plan->density, &plan->frame.view, &plan->shown,
                             plan->tiled ? &plan->tiles : NULL));
    if (open) {
        range[0] = plan->density.lowest;
        range[1] = plan->density.highest;
    }
    return OCT_STATUS_OK;
}

static oct_particles_style style_of(const picture *plan)
{
    const oct_render_options *options = &plan->options;
    oct_particles_style style = {.speed = options->map != NULL ? &plan->map : NULL,
                                 .low = options->range[0],
                                 .high = options->range[1],
                                 .spheres = strcmp(options->mode, "spheres") == 0,
                                 .theme = plan->frame.theme,
                                 .ice = plan->patch};
    if (options->lit)
        oct_view_direction(style.light, &plan->frame.view, options->light[0], options->light[1]);
    return style;
}

/* Where the shadow of a sphere may fall, from there: through all of the bodies above each other,
 * but no farther than the box is wide. */
static void find_cast(double out[3], const oct_view *view, const oct_particles_style *style,
                      const oct_bodies *bodies, double side)
{
    double light[3], to[3], low = INFINITY, high = -INFINITY;
    oct_particles_light(light, style);
    for (int k = 0; k < 3; k++)
        to[k] = light[0] * view->right[k] + light[1] * view->up[k] + light[2] * view->towards[k];
    for (size_t i = 0; i < bodies->n; i++) {
        low = fmin(low, bodies->position[3 * i + 2]);
        high = fmax(high, bodies->position[3 * i + 2]);
    }
    double length = high - low < fabs(to[2]) * side ? (high - low) / fabs(to[2]) : side;
    for (int k = 0; k < 3; k++)
        out[k] = -length * to[k];
}

/* Images of the box. A map of density needs some even where none are shown: the spots of bodies
 * near a face reach into the box from the other side. Along x the boxes of a patch of a disk do not
 * end at one place, so that their outermost faces stay as they are. */
static oct_status plan_ghosts(picture *plan, const oct_bodies *bodies, const oct_file_info *info)
{
    const oct_view *view = &plan->frame.view;
    const oct_particles_style style = style_of(plan);
    oct_ghosts which = {0};
    double cast[3];
    oct_ghosts_rings(which.rings, info, plan->rings);
    if (style.spheres) {
        find_cast(cast, view, &style, bodies, fmax(info->box[0], info->box[1]));
        which.cast = cast;
    }
    if (!plan->particles)
        which.margin = oct_density_margin(view);
    plan->tiled = !plan->particles && view->across >= 0 &&
                  (plan->rings == 0 || view->across == 0 || !(info->orbit > 0));
    if (plan->tiled) {
        int more[3];
        plan->tiles = (oct_tiles){.info = info, .rings = (int)plan->rings};
        oct_view_box_centre(plan->tiles.centre, info->box, bodies);
        which.home = plan->tiles.centre;
        oct_ghosts_rings(more, info, 1);
        which.rings[view->across] += more[view->across];
        which.rings[view->along] += more[view->along];
    }
    OCT_TRY(oct_ghosts_make(&plan->ghosts, view, bodies, info, &which));
    plan->shown = plan->ghosts;
    return OCT_STATUS_OK;
}

/* Whether the plot shows no more than the box, to a pixel or so. */
static bool is_filled(const oct_view *view, const oct_bodies *bodies, const oct_file_info *info)
{
    double centre[3], half[3] = {0};
    int repeated[3];
    if (view->across < 0)
        return false;
    oct_view_box_centre(centre, info->box, bodies);
    oct_ghosts_rings(repeated, info, 1);
    half[view->across] = 0.5 * view->extent;
    half[view->along] = 0.5 * view->height * oct_view_pixel(view);
    for (int k = 0; k < 3; k++)
        if (half[k] > 0 && repeated[k] &&
            fabs(view->centre[k] - centre[k]) + half[k] > 0.502 * info->box[k])
            return false;
    return true;
}

/* Rings of images of bodies that are drawn. Around a body that is followed there is no face; and
 * where the plot ends with the box, what reaches through a face is seen on both sides. */
static unsigned rings_of(const picture *plan, const oct_bodies *bodies, const oct_file_info *info)
{
    const oct_render_options *options = &plan->options;
    if (options->ghosts > 0)
        return options->ghosts;
    return options->follows || (plan->particles && is_filled(&plan->frame.view, bodies, info));
}

/* Makes the choices that the options leave open. On failure nothing is left to clear. */
static oct_status plan_init(picture *plan, const oct_bodies *bodies, const oct_file_info *info,
                            const oct_render_options *options, oct_face face)
{
    static const oct_units none = {.name = "nbody", .length = 1, .mass = 1, .time = 1, .G = 1};
    *plan = (struct picture){.options = *options, .frame.face = face};
    oct_render_options *chosen = &plan->options;
    OCT_TRY(oct_theme_find(&plan->frame.theme, chosen->theme));
    OCT_TRY(check_options(chosen, plan->frame.theme));
    if (chosen->map != NULL)
        OCT_TRY(oct_colormap_init(&plan->map, chosen->map, plan->frame.theme));
    plan->particles = strcmp(chosen->mode, "density") != 0;
    /* The colours of a map that are next to the ground would be lost on it. */
    if (plan->particles && chosen->map != NULL && !oct_colormap_diverging(chosen->map))
        oct_colormap_trim(&plan->map, 0.3);
    plan->frame.units = info != NULL ? info->units : none;
    plan->patch = info != NULL && info->periodic && oct_view_is_box(info->box);
    OCT_TRY(fit_frame(plan, bodies, plan->patch ? info->box : NULL));
    plan->shown = *bodies;
    plan->rings = plan->patch ? rings_of(plan, bodies, info) : 0;
    if (plan->rings > 0 || (plan->patch && !plan->particles))
        OCT_TRY(plan_ghosts(plan, bodies, info));
    oct_status status = plan_colours(plan);
    if (status != OCT_STATUS_OK)
        plan_clear(plan);
    return status;
}

oct_status oct_render_fit(oct_render_options *options, const oct_bodies *bodies,
                          const oct_file_info *info)
{
    picture plan;
    OCT_TRY(plan_init(&plan, bodies, info, options, OCT_FACE_STROKES));
    *options = plan.options;
    plan_clear(&plan);
    return OCT_STATUS_OK;
}

static void draw_density(oct_canvas *canvas, const picture *plan)
{
    const oct_view *view = &plan->frame.view;
    const oct_density *density = &plan->density;
    const double *range = plan->options.range;
    double scale = range[1] > 0 ? 1 / log(range[1] / range[0]) : 0;
    for (int y = 0; y < density->height; y++)
        for (int x = 0; x < density->width; x++) {
            double value = density->value[(size_t)y * (size_t)density->width + (size_t)x];
            double t = value > range[0] ? scale * log(value / range[0]) : 0;
            oct_canvas_blend(canvas, (int)view->left + x, (int)view->top + y,
                             oct_colormap_at(&plan->map, t), 1);
        }
}

static oct_status draw_plot(oct_canvas *canvas, const picture *plan)
{
    const oct_view *view = &plan->frame.view;
    double right = view->left + view->width, bottom = view->top + view->height;
    oct_canvas_clip(canvas, view->left, view->top, right, bottom);
    oct_canvas_rectangle(canvas, view->left, view->top, right, bottom,
                         oct_rgb_hex(oct_theme_palette(plan->frame.theme)->plot), 1);
    oct_status status = OCT_STATUS_OK;
    if (plan->particles) {
        oct_particles_style style = style_of(plan);
        status = oct_particles_draw(canvas, &plan->frame, &plan->shown, &style);
    } else {
        draw_density(canvas, plan);
    }
    oct_canvas_clip(canvas, 0, 0, canvas->width, canvas->height);
    return status;
}

static void draw_key(oct_drawing *drawing, const picture *plan, const oct_bodies *bodies)
{
    const oct_frame *frame = &plan->frame;
    if (plan->options.map == NULL) {
        oct_frame_entry entries[OCT_PARTICLE_KINDS];
        oct_particles_style style = style_of(plan);
        size_t count = oct_particles_kinds(entries, bodies, &style);
        if (count > 0 && (count > 1 || frame->inset == 0))
            oct_frame_legend(drawing, frame, entries, count);
        return;
    }
    if (!(plan->options.range[1] > 0))
        return;
    oct_label_unit unit =
        plan->particles
            ? oct_label_speed(&frame->units)
            : oct_label_surface(&frame->units, 0.5 * frame->view.extent, plan->density.counts);
    const char *name = plan->particles ? "speed" : "surface density";
    if (plan->density.counts)
        name = "bodies per area";
    oct_frame_bar bar = {.map = &plan->map,
                         .low = plan->options.range[0] / unit.size,
                         .high = plan->options.range[1] / unit.size,
                         .logarithmic = !plan->particles};
    oct_label_axis(bar.label, name, &unit);
    oct_frame_colour_bar(drawing, frame, &bar);
}

static const char *title_of(const picture *plan, const oct_file_info *info)
{
    const char *given = plan->options.title;
    return given != NULL ? given : info != NULL ? info->title : "";
}

static void draw_header(oct_drawing *drawing, const picture *plan, const oct_bodies *bodies,
                        const oct_file_info *info)
{
    const oct_render_options *options = &plan->options;
    char count[OCT_LABEL_BYTES], lost[OCT_LABEL_BYTES], subtitle[4 * OCT_LABEL_BYTES],
        time[OCT_LABEL_BYTES] = "";
    uint64_t missing = 0;
    for (size_t i = 0; i < bodies->n; i++)
        missing += !oct_view_finite(&bodies->position[3 * i]);
    oct_label_count(count, bodies->n);
    oct_label_count(lost, missing);
    int used = options->aimed ? snprintf(subtitle, sizeof subtitle, "N = %s", count)
                              : snprintf(subtitle, sizeof subtitle, "N = %s  \xc2\xb7  along %c",
                                         count, options->axis);
    if (missing > 0)
        snprintf(subtitle + used, sizeof subtitle - (size_t)used,
                 "  \xc2\xb7  %s without a finite position", lost);
    if (info != NULL)
        oct_label_time(time, &info->units, info->orbit, info->time);
    oct_frame_header(drawing, &plan->frame, title_of(plan, info), subtitle, time);
}

/* A picture in two parts: the plot in pixels, on the ground of the page, and what is drawn around
 * and over it. */
typedef struct parts {
    picture plan;
    oct_canvas canvas;
    oct_drawing drawing;
} parts;

static void parts_clear(parts *made)
{
    plan_clear(&made->plan);
    oct_canvas_clear(&made->canvas);
    oct_drawing_clear(&made->drawing);
}

/* On failure nothing is left to clear. */
static oct_status parts_init(parts *made, const oct_bodies *bodies, const oct_file_info *info,
                             const oct_render_options *options, oct_face face)
{
    oct_status status;
    *made = (parts){0};
    picture *plan = &made->plan;
    OCT_TRY(plan_init(plan, bodies, info, options, face));
    const oct_frame *frame = &plan->frame;
    OCT_TRY_DONE(oct_canvas_init(&made->canvas, plan->options.width, plan->options.height,
                                 oct_rgb_hex(oct_theme_palette(frame->theme)->page)));
    OCT_TRY_DONE(draw_plot(&made->canvas, plan));
    if (options->text != NULL)
        oct_frame_caption(&made->drawing, frame, options->text);
    if (!options->bare) {
        oct_frame_axes(&made->drawing, frame);
        oct_frame_scale_bar(&made->drawing, frame);
        draw_key(&made->drawing, plan, bodies);
        draw_header(&made->drawing, plan, bodies, info);
    }
    OCT_CHECK_DONE(!made->drawing.failed, OCT_STATUS_MEMORY,
                   "no memory for the labels of a picture");
done:
    if (status != OCT_STATUS_OK)
        parts_clear(made);
    return status;
}

oct_status oct_render_draw(oct_canvas *out, const oct_bodies *bodies, const oct_file_info *info,
                           const oct_render_options *options)
{
    parts made;
    *out = (oct_canvas){0};
    OCT_TRY(parts_init(&made, bodies, info, options, OCT_FACE_STROKES));
    oct_drawing_paint(&made.canvas, &made.drawing);
    *out = made.canvas;
    made.canvas = (oct_canvas){0};
    parts_clear(&made);
    return OCT_STATUS_OK;
}

static oct_status render_vectors(const oct_bodies *bodies, const oct_file_info *info,
                                 const oct_render_options *options, const char *path, bool pdf)
{
    parts made;
    oct_text file = {0};
    OCT_TRY(parts_init(&made, bodies, info, options, OCT_FACE_TYPE));
    const oct_view *view = &made.plan.frame.view;
    const oct_sheet sheet = {.canvas = &made.canvas,
                             .plot = {(int)view->left, (int)view->top,
                                      (int)(view->left + view->width),
                                      (int)(view->top + view->height)},
                             .page = oct_rgb_hex(oct_theme_palette(made.plan.frame.theme)->page),
                             .drawing = &made.drawing,
                             .title = title_of(&made.plan, info)};
    oct_status status = (pdf ? oct_pdf_encode : oct_svg_encode)(&file, &sheet);
    if (status == OCT_STATUS_OK && file.failed)
        status = OCT_FAIL(OCT_STATUS_MEMORY, "no memory for '%s'", path);
    if (status == OCT_STATUS_OK)
        status = oct_file_write(path, file.data, file.length, false);
    oct_text_clear(&file);
    parts_clear(&made);
    return status;
}

oct_status oct_render(const oct_bodies *bodies, const oct_file_info *info,
                      const oct_render_options *options, const char *path)
{
    bool pdf = oct_file_ends(path, ".pdf");
    if (pdf || oct_file_ends(path, ".svg"))
        return render_vectors(bodies, info, options, path, pdf);
    oct_canvas canvas;
    oct_status status = oct_render_draw(&canvas, bodies, info, options);
    if (status == OCT_STATUS_OK)
        status = oct_png_write(&canvas, path);
    oct_canvas_clear(&canvas);
    return status;
}
