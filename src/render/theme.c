/* The palettes of the two themes. */
#include "render/theme.h"

#include <string.h>

static const oct_palette palettes[] = {
    [OCT_THEME_DARK] = {.page = 0x0c0f15,
                        .plot = 0x05070b,
                        .line = 0x5d6878,
                        .text = 0xccd3dd,
                        .dim = 0x8d98a8,
                        .kinds = {0x86bdf5, 0xffc861, 0xff5fa2, 0x83d9a9},
                        /* Water ice with a little of something else, as in Saturn's rings. */
                        .ice = 0xf4e6cd,
                        .map = "dusk"},
    /* On white the same hues are darker, ice too: its lit side would be lost. */
    [OCT_THEME_LIGHT] = {.page = 0xffffff,
                         .plot = 0xffffff,
                         .line = 0x33383f,
                         .text = 0x14171b,
                         .dim = 0x565d66,
                         .kinds = {0x2a6db0, 0xc07a00, 0xc2185b, 0x2b8a57},
                         .ice = 0xc4ab86,
                         .map = "nebula"},
};

oct_status oct_theme_find(oct_theme *out, const char *name)
{
    bool light = name && strcmp(name, "light") == 0;
    OCT_CHECK(light || !name || strcmp(name, "dark") == 0, OCT_STATUS_INPUT,
              "the theme of a picture is dark or light, not `%s`", name);
    *out = light ? OCT_THEME_LIGHT : OCT_THEME_DARK;
    return OCT_STATUS_OK;
}

const oct_palette *oct_theme_palette(oct_theme theme)
{
    return &palettes[theme];
}
