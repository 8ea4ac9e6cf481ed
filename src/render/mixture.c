/* Sorts bodies into components, spreads each by itself, and mixes their colours by mass. */
#include "render/mixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NONE = -1, TYPES = 6 };

/* By type, and by the numbers of names, the last of which are all others. */
static const char *const type_names[TYPES] = {"other", "halo",  "disk",
                                              "bulge", "stars", "black holes"};
static const unsigned type_colours[2][TYPES] = {
    [OCT_THEME_DARK] = {0x83d9a9, 0x8a7cff, 0x6fb1ff, 0xffa552, 0xffd98a, 0xff5fa2},
    [OCT_THEME_LIGHT] = {0x2b8a57, 0x5a4bd1, 0x1f6fc4, 0xc25e00, 0x8c6a00, 0xc2185b}};
static const unsigned number_colours[2][OCT_MIXTURE_MOST] = {
    [OCT_THEME_DARK] = {0x9aa3af, 0x6fb1ff, 0xff9d4d, 0x83d9a9, 0xff5fa2, 0xe3c04f, 0xc792e8,
                        0x5fd0d0},
    [OCT_THEME_LIGHT] = {0x6b7280, 0x1f6fc4, 0xc25e00, 0x2b8a57, 0xc2185b, 0x8c6a00, 0x7d3c98,
                         0x0f8b8d}};

/* What a number stands for: the one of the names that has it, if there are as many. */
static void name_number(char out[OCT_PLOT_FRAME_NAME], const char *names, int number)
{
    const char *at = names ? names : "";
    for (int i = 1; i < number && *at; i++) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    if (number == 0 || number == OCT_MIXTURE_MOST - 1)
        snprintf(out, OCT_PLOT_FRAME_NAME, number == 0 ? "no component" : "others");
    else if (*at)
        snprintf(out, OCT_PLOT_FRAME_NAME, "%.*s", (int)strcspn(at, " "), at);
    else
        snprintf(out, OCT_PLOT_FRAME_NAME, "component %d", number);
}

static unsigned type_of(const oct_bodies *bodies, size_t i)
{
    unsigned type = bodies->type[i] & OCT_TYPE_MASK;
    return type < TYPES ? type : 0;
}

/* The numbers of names; NULL where all bodies have the same. */
static const double *numbers_of(const oct_bodies *bodies)
{
    const oct_user_column *column = oct_bodies_column(bodies, "component");
    bool differ = false;
    if (!column || column->width != 1 || !column->integer)
        return NULL;
    for (size_t i = 1; i < bodies->n; i++)
        differ = differ || column->data[i] != column->data[0];
    return differ ? column->data : NULL;
}

static unsigned group_of(const oct_bodies *bodies, const double *numbers, size_t i)
{
    if (!numbers)
        return type_of(bodies, i);
    return numbers[i] >= 0 && numbers[i] < OCT_MIXTURE_MOST - 1 ? (unsigned)numbers[i]
                                                                : OCT_MIXTURE_MOST - 1;
}

/* The bodies that are shown of a group; NONE: of all. */
static oct_status choose(oct_bodies *out, const oct_bodies *bodies, const double *numbers,
                         bool haloes, int group)
{
    size_t n = 0;
    OCT_TRY(oct_bodies_resize(out, bodies->n));
    for (size_t i = 0; i < bodies->n; i++) {
        bool shown = haloes || type_of(bodies, i) != OCT_TYPE_BODY;
        if (!shown || (group != NONE && group_of(bodies, numbers, i) != (unsigned)group))
            continue;
        memcpy(out->position + 3 * n, bodies->position + 3 * i, 3 * sizeof *out->position);
        out->id[n] = bodies->id[i];
        out->mass[n++] = bodies->mass[i];
    }
    return oct_bodies_resize(out, n);
}

static oct_status spread(oct_density *out, uint64_t *count, const oct_view *view,
                         const oct_tiles *tiles, const oct_bodies *bodies, const double *numbers,
                         bool haloes, int group)
{
    oct_bodies chosen = {0};
    oct_status status = choose(&chosen, bodies, numbers, haloes, group);
    *count = chosen.n;
    if (status == OCT_STATUS_OK && chosen.n > 0)
        status = oct_density_init(out, view, &chosen, tiles);
    oct_bodies_clear(&chosen);
    return status;
}

/* Whether nothing but haloes is there. */
static bool only_haloes(const oct_bodies *bodies)
{
    bool haloes = true;
    for (size_t i = 0; i < bodies->n; i++)
        haloes = haloes && type_of(bodies, i) == OCT_TYPE_BODY;
    return haloes;
}

oct_status oct_mixture_shown(oct_bodies *out, const oct_bodies *bodies)
{
    *out = (oct_bodies){0};
    oct_status status = choose(out, bodies, NULL, only_haloes(bodies), NONE);
    if (status != OCT_STATUS_OK)
        oct_bodies_clear(out);
    return status;
}

oct_status oct_mixture_init(oct_mixture *out, const oct_view *view, const oct_bodies *bodies,
                            const oct_tiles *tiles, const char *names, oct_theme theme)
{
    const double *numbers = numbers_of(bodies);
    bool haloes = only_haloes(bodies);
    uint64_t count;
    *out = (oct_mixture){.ground = oct_rgb_hex(oct_theme_palette(theme)->plot)};
    oct_status status = spread(&out->all, &count, view, tiles, bodies, numbers, haloes, NONE);
    for (int k = 0; k < (numbers ? OCT_MIXTURE_MOST : TYPES) && status == OCT_STATUS_OK; k++) {
        oct_plot_frame_entry *entry = &out->entries[out->n];
        status = spread(&out->parts[out->n], &count, view, tiles, bodies, numbers, haloes, k);
        if (status != OCT_STATUS_OK || count == 0)
            continue;
        *entry = (oct_plot_frame_entry){
            .colour = oct_rgb_hex(numbers ? number_colours[theme][k] : type_colours[theme][k]),
            .count = count};
        if (numbers)
            name_number(entry->name, names, k);
        else
            snprintf(entry->name, sizeof entry->name, "%s", type_names[k]);
        out->n++;
    }
    if (status != OCT_STATUS_OK)
        oct_mixture_clear(out);
    return status;
}

static float towards(float from, float to, double part)
{
    return from + (to - from) * (float)part;
}

static oct_rgb blend(oct_rgb from, oct_rgb to, double part)
{
    return (oct_rgb){towards(from.r, to.r, part), towards(from.g, to.g, part),
                     towards(from.b, to.b, part)};
}

oct_rgb oct_mixture_at(const oct_mixture *mixture, size_t pixel, const double range[2])
{
    double value = mixture->all.value ? mixture->all.value[pixel] : 0, sum = 0;
    oct_rgb mixed = {0};
    if (!(value > range[0]) || !(range[1] > range[0]))
        return mixture->ground;
    for (size_t k = 0; k < mixture->n; k++) {
        double part = mixture->parts[k].value[pixel];
        sum += part;
        mixed = sum > 0 ? blend(mixed, mixture->entries[k].colour, part / sum) : mixed;
    }
    double t = fmin(1, log(value / range[0]) / log(range[1] / range[0]));
    /* Lightness changes evenly where light goes as its power of 2.2; the densest places glow. */
    bool dark = mixture->ground.r < 0.5F;
    oct_rgb colour = blend(mixture->ground, mixed, dark ? pow(t, 2.2) : 1 - pow(1 - t, 2.2));
    double glow = dark && t > 0.7 ? pow((t - 0.7) / 0.3, 2) : 0;
    return blend(colour, (oct_rgb){1, 1, 1}, 0.6 * glow);
}

void oct_mixture_clear(oct_mixture *mixture)
{
    for (size_t k = 0; k < OCT_MIXTURE_MOST; k++)
        oct_density_clear(&mixture->parts[k]);
    oct_density_clear(&mixture->all);
    mixture->n = 0;
}
