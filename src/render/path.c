/* A camera that moves: each of its numbers is a curve of its own through the key frames that name
 * it, a monotone cubic (Fritsch & Butland 1984). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/view.h"
#include "util/number.h"
#include "util/sized.h"

enum { AZIMUTH, ELEVATION, ROLL, FOV, EXTENT, CENTRE, TRACKS = CENTRE + 3 };

static const char *const names[] = {"azimuth", "elevation", "roll", "fov", "extent", "centre"};
enum { NAMES = sizeof names / sizeof names[0] };

typedef struct key {
    double t, value;
} key;

typedef struct track {
    size_t count;
    key *keys; /* in the order of t */
} track;

struct oct_path {
    track tracks[TRACKS];
    double turn; /* degrees, from start to end */
};

oct_status oct_path_create(oct_path **out)
{
    return oct_alloc(out, 1, sizeof **out, "the path of a camera");
}

void oct_path_free(oct_path *path)
{
    for (int k = 0; path && k < TRACKS; k++)
        free(path->tracks[k].keys);
    free(path);
}

/* Makes room for a key that is not there yet. */
static oct_status make_room(track *curve, const char *name, double t)
{
    for (size_t k = 0; k < curve->count; k++)
        OCT_CHECK(curve->keys[k].t != t, OCT_STATUS_INPUT,
                  "the camera has two values of %s at t=%g", name, t);
    return oct_realloc(&curve->keys, curve->count + 1, sizeof *curve->keys, "the path of a camera");
}

static void insert(track *curve, double t, double value)
{
    size_t at = curve->count;
    while (at > 0 && curve->keys[at - 1].t > t)
        at--;
    memmove(&curve->keys[at + 1], &curve->keys[at], (curve->count - at) * sizeof *curve->keys);
    curve->keys[at] = (key){t, value};
    curve->count++;
}

/* What a key frame says. */
typedef struct moment {
    double t, turn, values[TRACKS];
    bool timed, turned, set[TRACKS];
} moment;

static oct_status check_value(int which, double value)
{
    static const double limits[TRACKS][2] = {
        [AZIMUTH] = {-1e6, 1e6},        [ELEVATION] = {-90, 90},
        [ROLL] = {-1e6, 1e6},           [FOV] = {0, 150},
        [EXTENT] = {1e-100, 1e100},     [CENTRE] = {-1e100, 1e100},
        [CENTRE + 1] = {-1e100, 1e100}, [CENTRE + 2] = {-1e100, 1e100}};
    OCT_CHECK(value >= limits[which][0] && value <= limits[which][1], OCT_STATUS_INPUT,
              "the %s of a camera is a number from %g to %g, not %g",
              names[which < CENTRE ? which : CENTRE], limits[which][0], limits[which][1], value);
    return OCT_STATUS_OK;
}

/* Reads "name=1.5" or "centre=1,2,3". */
static oct_status parse_word(moment *out, const char **text)
{
    size_t length = strcspn(*text, "= \t");
    const char *word = *text, *at = word + length;
    double values[3];
    int which = 0, count = 1, read = 0;
    while (which < NAMES &&
           (strlen(names[which]) != length || strncmp(word, names[which], length) != 0))
        which++;
    bool t = length == 1 && word[0] == 't', turn = length == 4 && strncmp(word, "turn", 4) == 0;
    OCT_CHECK(t || turn || which < NAMES, OCT_STATUS_INPUT,
              "a camera has t, azimuth, elevation, roll, fov, extent, centre or turn, not `%.*s`",
              (int)length, word);
    count = which == CENTRE ? 3 : 1;
    while (read < count && *at == (read == 0 ? '=' : ',') &&
           oct_number_read(&values[read], &at, at + 1) && isfinite(values[read]))
        read++;
    OCT_CHECK(read == count && (*at == '\0' || *at == ' ' || *at == '\t'), OCT_STATUS_INPUT,
              "a camera's `%.*s` needs %s", (int)strcspn(word, " \t"), word,
              count > 1 ? "three numbers, as in centre=0,0,1.5" : "a number, as in azimuth=30");
    if (t)
        out->timed = true, out->t = values[0];
    if (turn)
        out->turned = true, out->turn = values[0];
    for (int k = 0; k < count && which < NAMES; k++) {
        OCT_TRY(check_value(which + k, values[k]));
        out->set[which + k] = true;
        out->values[which + k] = values[k];
    }
    *text = at;
    return OCT_STATUS_OK;
}

oct_status oct_path_add(oct_path *path, const char *text)
{
    moment said = {0};
    int count = 0;
    for (const char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t"))
        OCT_TRY(parse_word(&said, &at));
    for (int k = 0; k < TRACKS; k++)
        count += said.set[k];
    OCT_CHECK(count > 0 || said.turned, OCT_STATUS_INPUT, "a camera's key frame says nothing: `%s`",
              text);
    OCT_CHECK(count == 0 || (said.timed && said.t >= 0 && said.t <= 1), OCT_STATUS_INPUT,
              "a camera's key frame needs a t from 0, the first frame, to 1, the last one: `%s`",
              text);
    for (int k = 0; k < TRACKS; k++)
        if (said.set[k])
            OCT_TRY(make_room(&path->tracks[k], names[k < CENTRE ? k : CENTRE], said.t));
    if (said.turned)
        path->turn = said.turn;
    for (int k = 0; k < TRACKS; k++)
        if (said.set[k])
            insert(&path->tracks[k], said.t, k == EXTENT ? log(said.values[k]) : said.values[k]);
    return OCT_STATUS_OK;
}

/* The slope at a key: the weighted harmonic mean of those on both sides, 0 at turning points and at
 * both ends, where the camera rests. */
static double slope_at(const track *curve, size_t i)
{
    const key *k = &curve->keys[i];
    if (i == 0 || i + 1 == curve->count)
        return 0;
    double before = k[0].t - k[-1].t, after = k[1].t - k[0].t;
    double in = (k[0].value - k[-1].value) / before, out = (k[1].value - k[0].value) / after;
    if (in * out <= 0)
        return 0;
    return 3 * (before + after) / ((2 * after + before) / in + (after + 2 * before) / out);
}

static double value_at(const track *curve, double t)
{
    const key *keys = curve->keys;
    size_t i = 0;
    while (i < curve->count && keys[i].t <= t)
        i++;
    if (i == 0 || i == curve->count)
        return keys[i == 0 ? 0 : i - 1].value;
    double span = keys[i].t - keys[i - 1].t, u = (t - keys[i - 1].t) / span;
    double rise = keys[i].value - keys[i - 1].value;
    double in = slope_at(curve, i - 1) * span, out = slope_at(curve, i) * span;
    return keys[i - 1].value + u * (in + u * (3 * rise - 2 * in - out + u * (in + out - 2 * rise)));
}

void oct_path_apply(oct_render_options *given, const oct_path *path, double t)
{
    oct_render_options own, *const options = &own;
    if (OCT_SIZED_TAKE(oct_render_options, follow, options, given) != OCT_STATUS_OK)
        return;
    double *const targets[TRACKS] = {[AZIMUTH] = &options->azimuth,
                                     [ELEVATION] = &options->elevation,
                                     [ROLL] = &options->roll,
                                     [FOV] = &options->fov,
                                     [EXTENT] = &options->extent,
                                     [CENTRE] = &options->centre[0],
                                     [CENTRE + 1] = &options->centre[1],
                                     [CENTRE + 2] = &options->centre[2]};
    oct_view_angles(options);
    for (int k = 0; k < TRACKS; k++)
        if (path->tracks[k].count > 0)
            *targets[k] = value_at(&path->tracks[k], t);
    if (path->tracks[EXTENT].count > 0)
        options->extent = exp(options->extent);
    options->centred = options->centred || path->tracks[CENTRE].count > 0;
    options->azimuth += path->turn * t;
    oct_sized_give(given, options, sizeof *options);
}
