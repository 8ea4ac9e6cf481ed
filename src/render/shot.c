/* Checks the options, follows a body, fits the frame and finds the range of colours. */
#include "render/shot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "render/render.h"
#include "util/sized.h"

enum { MIN_WIDTH = 240, MIN_HEIGHT = 200, MAX_SIDE = 8192 };
enum { MIN_FONT = 6, MAX_FONT = 200, MIN_PLOT = 40, LONGEST = 100 };

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
    bool mixed = strcmp(options->mode, "components") == 0;
    bool density = mixed || strcmp(options->mode, "density") == 0;
    OCT_CHECK(!mixed || options->map == NULL, OCT_STATUS_INPUT,
              "components have colours of their own, and no colour map");
    if (options->map == NULL && density && !mixed)
        options->map = oct_theme_palette(theme)->map;

    OCT_CHECK(density || strcmp(options->mode, "particles") == 0 ||
                  strcmp(options->mode, "spheres") == 0,
              OCT_STATUS_INPUT,
              "a picture shows density, components, particles or spheres, not `%s`", options->mode);
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

void oct_shot_clear(oct_shot *shot)
{
    oct_density_clear(&shot->density);
    oct_mixture_clear(&shot->mixture);
    oct_bodies_clear(&shot->ghosts);
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
static oct_status fit_size(oct_shot *shot, bool bar)
{
    oct_render_options *options = &shot->options;
    oct_plot_frame *frame = &shot->frame;
    bool open = options->width == 0;
    frame->asked = options->font;
    frame->rise = options->extent_up;
    OCT_TRY(oct_render_size(&options->width, &options->height));
    if (frame->rise > 0)
        frame->view.extent = options->extent;
    if (open && frame->rise > 0) {
        oct_plot_frame_size(frame, &options->width, &options->height, bar);
        options->font = frame->asked;
        options->width = options->width < MIN_WIDTH ? MIN_WIDTH : options->width;
        options->height = options->height < MIN_HEIGHT ? MIN_HEIGHT : options->height;
    }
    oct_plot_frame_layout(frame, options->width, options->height, bar);
    return OCT_STATUS_OK;
}

static oct_status fit_frame(oct_shot *shot, const oct_bodies *bodies, const double box[3])
{
    oct_render_options *options = &shot->options;
    oct_view *view = &shot->frame.view;
    bool bar = options->map != NULL && !options->bare;
    shot->frame.bare = options->bare;
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

    OCT_TRY(fit_size(shot, bar));
    if (options->extent == 0 && box != NULL)
        options->extent = oct_view_box_extent(view, box, bodies);
    else if (options->extent == 0)
        OCT_TRY(oct_view_fit_extent(&options->extent, view, bodies, 0.98));
    view->extent = options->extent;
    oct_plot_frame_layout(&shot->frame, options->width, options->height, bar);
    OCT_CHECK(view->width >= MIN_PLOT && view->height >= MIN_PLOT, OCT_STATUS_INPUT,
              "labels of %g pixels leave no room for a plot in %d x %d", shot->frame.font,
              options->width, options->height);
    return OCT_STATUS_OK;
}

static oct_status find_colours(oct_shot *shot, const char *components)
{
    double *range = shot->options.range;
    bool open = range[1] == 0;
    if (shot->particles)
        return open && shot->options.map != NULL
                   ? oct_particles_speeds(&range[0], &range[1], &shot->shown)
                   : OCT_STATUS_OK;
    const oct_tiles *tiles = shot->tiled ? &shot->tiles : NULL;
    OCT_TRY(shot->mixed ? oct_mixture_init(&shot->mixture, &shot->frame.view, &shot->shown, tiles,
                                           components, shot->frame.theme)
                        : oct_density_init(&shot->density, &shot->frame.view, &shot->shown, tiles));
    const oct_density *all = shot->mixed ? &shot->mixture.all : &shot->density;
    if (open) {
        range[0] = all->lowest;
        range[1] = all->highest;
    }
    return OCT_STATUS_OK;
}

oct_particles_style oct_shot_style(const oct_shot *shot)
{
    const oct_render_options *options = &shot->options;
    oct_particles_style style = {.speed = options->map != NULL ? &shot->map : NULL,
                                 .low = options->range[0],
                                 .high = options->range[1],
                                 .spheres = strcmp(options->mode, "spheres") == 0,
                                 .theme = shot->frame.theme,
                                 .ice = shot->patch};
    if (options->lit)
        oct_view_direction(style.light, &shot->frame.view, options->light[0], options->light[1]);
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
 * near a face reach into the box from the other side. Those along the line of sight would add to
 * its columns, and stand before bodies where only what reaches through a face is wanted. */
static oct_status find_ghosts(oct_shot *shot, const oct_bodies *bodies, const oct_file_info *info)
{
    const oct_view *view = &shot->frame.view;
    const oct_particles_style style = oct_shot_style(shot);
    oct_ghosts which = {0};
    double cast[3];
    shot->tiled = !shot->particles && view->across >= 0;
    oct_ghosts_rings(which.rings, info, shot->rings + shot->tiled);
    if (view->across >= 0 && (shot->tiled || shot->options.ghosts == 0))
        which.rings[3 - view->across - view->along] = 0;
    if (style.spheres) {
        find_cast(cast, view, &style, bodies, fmax(info->box[0], info->box[1]));
        which.cast = cast;
    }
    if (!shot->particles)
        which.margin = oct_density_margin(view);
    if (shot->tiled) {
        shot->tiles = (oct_tiles){.info = info, .rings = (int)shot->rings};
        oct_view_box_centre(shot->tiles.centre, info->box, bodies);
        which.home = shot->tiles.centre;
    }
    OCT_TRY(oct_ghosts_make(&shot->ghosts, view, bodies, info, &which));
    shot->shown = shot->ghosts;
    return OCT_STATUS_OK;
}

/* Whether the plot ends with the box, to a pixel or so: it reaches a face and shows nothing beyond.
 */
static bool is_filled(const oct_view *view, const oct_bodies *bodies, const oct_file_info *info)
{
    double centre[3], half[3] = {0}, farthest = 0;
    int repeated[3];
    oct_view_box_centre(centre, info->box, bodies);
    oct_ghosts_rings(repeated, info, 1);
    half[view->across] = 0.5 * view->extent;
    half[view->along] = 0.5 * view->height * oct_view_pixel(view);
    for (int k = 0; k < 3; k++)
        if (half[k] > 0 && repeated[k])
            farthest = fmax(farthest,
                            (fabs(view->centre[k] - centre[k]) + half[k]) / (0.5 * info->box[k]));
    return fabs(farthest - 1) < 0.004;
}

/* Rings of images that are shown. Along an axis there is no face around a body that is followed,
 * and where the plot ends with the box, what reaches through a face is seen on both sides. */
static unsigned rings_of(const oct_shot *shot, const oct_bodies *bodies, const oct_file_info *info)
{
    const oct_render_options *options = &shot->options;
    const oct_view *view = &shot->frame.view;
    if (options->ghosts > 0 || view->across < 0)
        return options->ghosts;
    return options->follows || (shot->particles && is_filled(view, bodies, info));
}

oct_status oct_shot_make(oct_shot *shot, const oct_bodies *bodies, const oct_file_info *info,
                         const oct_render_options *options, oct_face face)
{
    static const oct_units none = {.name = "nbody", .length = 1, .mass = 1, .time = 1, .G = 1};
    *shot = (oct_shot){.options = *options, .frame.face = face};
    oct_render_options *chosen = &shot->options;
    OCT_TRY(oct_theme_find(&shot->frame.theme, chosen->theme));
    OCT_TRY(check_options(chosen, shot->frame.theme));
    if (chosen->map != NULL)
        OCT_TRY(oct_colormap_init(&shot->map, chosen->map, shot->frame.theme));
    shot->mixed = strcmp(chosen->mode, "components") == 0;
    shot->particles = !shot->mixed && strcmp(chosen->mode, "density") != 0;
    /* The colours of a map that are next to the ground would be lost on it. */
    if (shot->particles && chosen->map != NULL && !oct_colormap_diverging(chosen->map))
        oct_colormap_trim(&shot->map, 0.3);
    shot->frame.units = info != NULL ? info->units : none;
    shot->patch = info != NULL && info->periodic && oct_view_is_box(info->box);
    oct_bodies fitted = {0};
    if (shot->mixed)
        OCT_TRY(oct_mixture_shown(&fitted, bodies));
    oct_status status =
        fit_frame(shot, shot->mixed ? &fitted : bodies, shot->patch ? info->box : NULL);
    oct_bodies_clear(&fitted);
    OCT_TRY(status);
    shot->shown = *bodies;
    shot->rings = shot->patch ? rings_of(shot, bodies, info) : 0;
    if (shot->rings > 0 || (shot->patch && !shot->particles))
        OCT_TRY(find_ghosts(shot, bodies, info));
    status = find_colours(shot, info != NULL ? info->components : NULL);
    if (status != OCT_STATUS_OK)
        oct_shot_clear(shot);
    return status;
}

oct_status oct_render_fit(oct_render_options *options, const oct_bodies *bodies,
                          const oct_file_info *info)
{
    oct_shot shot;
    oct_render_options own;
    oct_file_info about;
    OCT_TRY(oct_render_take(&own, &about, options, &info));
    OCT_TRY(oct_shot_make(&shot, bodies, info, &own, OCT_FACE_STROKES));
    oct_sized_give(options, &shot.options, sizeof shot.options);
    oct_shot_clear(&shot);
    return OCT_STATUS_OK;
}
