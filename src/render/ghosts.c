/* Copies bodies into the images that can be seen, folded as the boundary folds them. */
#include "render/ghosts.h"

#include <math.h>

/* Where the images of a box are, and how fast. */
typedef struct image {
    double shift[3], speed;
} image;

/* In a patch of a disk the box outward lags behind by (3/2) Omega Lx t (Wisdom & Tremaine 1988,
 * section 2), which is cut down by whole boxes. */
static image image_of(const oct_file_info *info, const int cell[3])
{
    double omega = info->orbit > 0 ? 2 * acos(-1.0) / info->orbit : 0;
    double speed = -1.5 * omega * info->box[0] * cell[0];
    image out = {.speed = speed};
    for (int k = 0; k < 3; k++)
        out.shift[k] = cell[k] * info->box[k];
    out.shift[1] += remainder(speed * info->time, info->box[1]);
    return out;
}

/* What a picture of images shows. */
typedef struct scenery {
    const oct_view *view;
    const oct_bodies *bodies;
    const oct_file_info *info;
    const oct_ghosts *which;
} scenery;

/* Whether any part of the image can be seen, or of its shadow between here and its end. */
static bool is_shown(const scenery *from, const double position[3], double radius)
{
    const oct_view *view = from->view;
    oct_view_place place, end;
    if (!oct_view_project(&place, view, position))
        return false;
    const double *cast = from->which->cast;
    double reach = from->which->margin + 2 + 2 * radius * place.scale / oct_view_pixel(view);
    double far[3];
    for (int k = 0; k < 3; k++)
        far[k] = position[k] + (cast ? cast[k] : 0);
    if (!oct_view_project(&end, view, far))
        end = place;
    double left = fmin(place.x, end.x) - view->left, right = fmax(place.x, end.x) - view->left;
    double top = fmin(place.y, end.y) - view->top, bottom = fmax(place.y, end.y) - view->top;
    return right > -reach && left < view->width + reach && bottom > -reach &&
           top < view->height + reach;
}

static bool repeats(const oct_file_info *info, int k)
{
    return k < 2 || !(info->orbit > 0);
}

/* Moves a place into the box around `home`; one too far away to be counted in boxes stays. */
static void fold(double position[3], const oct_file_info *info, const double home[3])
{
    for (int k = 0; k < 3; k++) {
        double cell = repeats(info, k) ? floor((position[k] - home[k]) / info->box[k] + 0.5) : 0;
        if (cell == 0 || !(fabs(cell) < 1e6))
            continue;
        int back[3] = {0};
        back[k] = -(int)cell;
        image at = image_of(info, back);
        for (int i = 0; i < 3; i++)
            position[i] += at.shift[i];
    }
}

/* Appends the images of all bodies in one box; with out->position NULL they are only counted. */
static void add_images(oct_bodies *out, size_t *count, const scenery *from, const image *at)
{
    const oct_bodies *bodies = from->bodies;
    for (size_t i = 0; i < bodies->n; i++) {
        double p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = bodies->position[3 * i + k];
        if (from->which->home)
            fold(p, from->info, from->which->home);
        for (size_t k = 0; k < 3; k++)
            p[k] += at->shift[k];
        if (!is_shown(from, p, bodies->radius[i]))
            continue;
        size_t to = (*count)++;
        if (!out->position)
            continue;
        for (size_t k = 0; k < 3; k++) {
            out->position[3 * to + k] = p[k];
            out->velocity[3 * to + k] = bodies->velocity[3 * i + k] + (k == 1 ? at->speed : 0);
        }
        out->mass[to] = bodies->mass[i];
        out->radius[to] = bodies->radius[i];
        out->type[to] = bodies->type[i];
    }
}

static size_t add_boxes(oct_bodies *out, const scenery *from)
{
    size_t count = 0;
    const int *rings = from->which->rings;
    for (int z = -rings[2]; z <= rings[2]; z++)
        for (int y = -rings[1]; y <= rings[1]; y++)
            for (int x = -rings[0]; x <= rings[0]; x++) {
                image at = image_of(from->info, (const int[3]){x, y, z});
                add_images(out, &count, from, &at);
            }
    return count;
}

void oct_ghosts_rings(int out[3], const oct_file_info *info, unsigned rings)
{
    for (int k = 0; k < 3; k++)
        out[k] = repeats(info, k) ? (int)rings : 0;
}

oct_status oct_ghosts_make(oct_bodies *out, const oct_view *view, const oct_bodies *bodies,
                           const oct_file_info *info, const oct_ghosts *which)
{
    const scenery from = {view, bodies, info, which};
    *out = (oct_bodies){0};
    OCT_TRY(oct_bodies_resize(out, add_boxes(out, &from)));
    add_boxes(out, &from);
    return OCT_STATUS_OK;
}

bool oct_tiles_hold(const oct_tiles *tiles, const oct_view *view, const double position[3])
{
    const oct_file_info *info = tiles->info;
    int cell[3] = {0};
    for (int k = 0; k < 3; k++) {
        if ((k != view->across && k != view->along) || !repeats(info, k))
            continue;
        /* Along y the boxes to the left and right have slid: the first of `cell` is known here. */
        double from = tiles->centre[k] + image_of(info, cell).shift[k];
        double count = floor((position[k] - from) / info->box[k] + 0.5);
        if (!(fabs(count) <= tiles->rings))
            return false;
        cell[k] = (int)count;
    }
    return true;
}
