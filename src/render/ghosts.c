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
    const double *cast; /* how far shadows fall; NULL: there are none */
} scenery;

/* Whether any part of the image can be seen, or of its shadow between here and its end. */
static bool is_shown(const scenery *from, const double position[3], double radius)
{
    const oct_view *view = from->view;
    oct_view_place place, end;
    if (!oct_view_project(&place, view, position))
        return false;
    double reach = 2 + 2 * radius * place.scale / oct_view_pixel(view);
    double far[3];
    for (int k = 0; k < 3; k++)
        far[k] = position[k] + (from->cast ? from->cast[k] : 0);
    if (!oct_view_project(&end, view, far))
        end = place;
    double left = fmin(place.x, end.x) - view->left, right = fmax(place.x, end.x) - view->left;
    double top = fmin(place.y, end.y) - view->top, bottom = fmax(place.y, end.y) - view->top;
    return right > -reach && left < view->width + reach && bottom > -reach &&
           top < view->height + reach;
}

/* Appends the images of all bodies in one box; with out->position NULL they are only counted. */
static void add_images(oct_bodies *out, size_t *count, const scenery *from, const image *at)
{
    const oct_bodies *bodies = from->bodies;
    for (size_t i = 0; i < bodies->n; i++) {
        double p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = bodies->position[3 * i + k] + at->shift[k];
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

static size_t add_boxes(oct_bodies *out, const scenery *from, int rings)
{
    size_t count = 0;
    int high = from->info->orbit > 0 ? 0 : rings;
    for (int z = -high; z <= high; z++)
        for (int y = -rings; y <= rings; y++)
            for (int x = -rings; x <= rings; x++) {
                image at = image_of(from->info, (const int[3]){x, y, z});
                add_images(out, &count, from, &at);
            }
    return count;
}

oct_status oct_ghosts_make(oct_bodies *out, const oct_view *view, const oct_bodies *bodies,
                           const oct_file_info *info, unsigned rings, const double cast[3])
{
    const scenery from = {view, bodies, info, cast};
    *out = (oct_bodies){0};
    OCT_TRY(oct_bodies_resize(out, add_boxes(out, &from, (int)rings)));
    add_boxes(out, &from, (int)rings);
    return OCT_STATUS_OK;
}
