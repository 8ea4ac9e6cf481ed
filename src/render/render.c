/* A picture from its options and bodies: plot, key, header, and the file it becomes. */
#include <math.h>
#include <stdio.h>

#include "render/png.h"
#include "render/render.h"
#include "render/sheet.h"
#include "render/shot.h"
#include "util/file.h"
#include "util/sized.h"

static void draw_density(oct_canvas *canvas, const oct_shot *shot)
{
    const oct_view *view = &shot->frame.view;
    const oct_density *density = &shot->density;
    const double *range = shot->options.range;
    double scale = range[1] > 0 ? 1 / log(range[1] / range[0]) : 0;
    for (int y = 0; y < density->height; y++)
        for (int x = 0; x < density->width; x++) {
            double value = density->value[(size_t)y * (size_t)density->width + (size_t)x];
            double t = value > range[0] ? scale * log(value / range[0]) : 0;
            oct_canvas_blend(canvas, (int)view->left + x, (int)view->top + y,
                             oct_colormap_at(&shot->map, t), 1);
        }
}

static void draw_mixture(oct_canvas *canvas, const oct_shot *shot)
{
    const oct_view *view = &shot->frame.view;
    int width = (int)view->width, height = (int)view->height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            oct_canvas_blend(canvas, (int)view->left + x, (int)view->top + y,
                             oct_mixture_at(&shot->mixture, (size_t)y * (size_t)width + (size_t)x,
                                            shot->options.range),
                             1);
}

static oct_status draw_plot(oct_canvas *canvas, const oct_shot *shot)
{
    const oct_view *view = &shot->frame.view;
    double right = view->left + view->width, bottom = view->top + view->height;
    oct_canvas_clip(canvas, view->left, view->top, right, bottom);
    oct_canvas_rectangle(canvas, view->left, view->top, right, bottom,
                         oct_rgb_hex(oct_theme_palette(shot->frame.theme)->plot), 1);
    oct_status status = OCT_STATUS_OK;
    if (shot->particles) {
        oct_particles_style style = oct_shot_style(shot);
        status = oct_particles_draw(canvas, &shot->frame, &shot->shown, &style);
    } else {
        (shot->mixed ? draw_mixture : draw_density)(canvas, shot);
    }
    oct_canvas_clip(canvas, 0, 0, canvas->width, canvas->height);
    return status;
}

static void draw_key(oct_drawing *drawing, const oct_shot *shot, const oct_bodies *bodies)
{
    const oct_plot_frame *frame = &shot->frame;
    if (shot->mixed && shot->mixture.n > 0) {
        oct_plot_frame_legend(drawing, frame, shot->mixture.entries, shot->mixture.n);
        return;
    }
    if (shot->options.map == NULL) {
        oct_plot_frame_entry entries[OCT_PARTICLE_KINDS];
        oct_particles_style style = oct_shot_style(shot);
        size_t count = oct_particles_kinds(entries, bodies, &style);
        if (count > 0 && (count > 1 || frame->inset == 0))
            oct_plot_frame_legend(drawing, frame, entries, count);
        return;
    }
    if (!(shot->options.range[1] > 0))
        return;
    oct_label_unit unit =
        shot->particles
            ? oct_label_speed(&frame->units)
            : oct_label_surface(&frame->units, 0.5 * frame->view.extent, shot->density.counts);
    const char *name = shot->particles ? "speed" : "surface density";
    if (shot->density.counts)
        name = "bodies per area";
    oct_plot_frame_bar bar = {.map = &shot->map,
                              .low = shot->options.range[0] / unit.size,
                              .high = shot->options.range[1] / unit.size,
                              .logarithmic = !shot->particles};
    oct_label_axis(bar.label, name, &unit);
    oct_plot_frame_colour_bar(drawing, frame, &bar);
}

static const char *title_of(const oct_shot *shot, const oct_file_info *info)
{
    const char *given = shot->options.title;
    return given != NULL ? given : info != NULL ? info->title : "";
}

static void draw_header(oct_drawing *drawing, const oct_shot *shot, const oct_bodies *bodies,
                        const oct_file_info *info)
{
    const oct_render_options *options = &shot->options;
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
    oct_plot_frame_header(drawing, &shot->frame, title_of(shot, info), subtitle, time);
}

/* A picture in two parts: the plot in pixels, on the ground of the page, and what is drawn around
 * and over it. */
typedef struct parts {
    oct_shot shot;
    oct_canvas canvas;
    oct_drawing drawing;
} parts;

static void parts_clear(parts *made)
{
    oct_shot_clear(&made->shot);
    oct_canvas_clear(&made->canvas);
    oct_drawing_clear(&made->drawing);
}

/* On failure nothing is left to clear. */
static oct_status parts_init(parts *made, const oct_bodies *bodies, const oct_file_info *info,
                             const oct_render_options *options, oct_face face)
{
    oct_status status;
    *made = (parts){0};
    oct_shot *shot = &made->shot;
    OCT_TRY(oct_shot_make(shot, bodies, info, options, face));
    const oct_plot_frame *frame = &shot->frame;
    OCT_TRY_DONE(oct_canvas_init(&made->canvas, shot->options.width, shot->options.height,
                                 oct_rgb_hex(oct_theme_palette(frame->theme)->page)));
    OCT_TRY_DONE(draw_plot(&made->canvas, shot));
    if (options->text != NULL)
        oct_plot_frame_caption(&made->drawing, frame, options->text);
    if (!options->bare) {
        oct_plot_frame_axes(&made->drawing, frame);
        oct_plot_frame_scale_bar(&made->drawing, frame);
        draw_key(&made->drawing, shot, bodies);
        draw_header(&made->drawing, shot, bodies, info);
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
    const oct_view *view = &made.shot.frame.view;
    const oct_sheet sheet = {.canvas = &made.canvas,
                             .plot = {(int)view->left, (int)view->top,
                                      (int)(view->left + view->width),
                                      (int)(view->top + view->height)},
                             .page = oct_rgb_hex(oct_theme_palette(made.shot.frame.theme)->page),
                             .drawing = &made.drawing,
                             .title = title_of(&made.shot, info)};
    oct_status status = (pdf ? oct_pdf_encode : oct_svg_encode)(&file, &sheet);
    if (status == OCT_STATUS_OK && file.failed)
        status = OCT_FAIL(OCT_STATUS_MEMORY, "no memory for '%s'", path);
    if (status == OCT_STATUS_OK)
        status = oct_file_write(path, file.data, file.length, false);
    oct_text_clear(&file);
    parts_clear(&made);
    return status;
}

oct_status oct_render_take(oct_render_options *options, oct_file_info *info,
                           const oct_render_options *options_given,
                           const oct_file_info **info_given)
{
    OCT_TRY(OCT_SIZED_TAKE(oct_render_options, follow, options, options_given));
    if (!*info_given)
        return OCT_STATUS_OK;
    OCT_TRY(OCT_SIZED_TAKE(oct_file_info, run, info, *info_given));
    *info_given = info;
    return OCT_STATUS_OK;
}

oct_status oct_render(const oct_bodies *bodies, const oct_file_info *info,
                      const oct_render_options *given, const char *path)
{
    oct_render_options own, *const options = &own;
    oct_file_info about;
    bool pdf = oct_file_ends(path, ".pdf");
    OCT_TRY(oct_render_take(&own, &about, given, &info));
    OCT_TRY(oct_feature_require("png")); /* the plot of the others is one too */
    if (pdf || oct_file_ends(path, ".svg"))
        return render_vectors(bodies, info, options, path, pdf);
    oct_canvas canvas;
    oct_status status = oct_render_draw(&canvas, bodies, info, options);
    if (status == OCT_STATUS_OK)
        status = oct_png_write(&canvas, path);
    oct_canvas_clear(&canvas);
    return status;
}
