/* In place of what needs libpng, in a build without. */
#include "render/png.h"

oct_status oct_png_encode(oct_text *out, const oct_canvas *canvas, const int box[4])
{
    (void)out, (void)canvas, (void)box;
    return oct_feature_require("png");
}

oct_status oct_png_write(const oct_canvas *canvas, const char *path)
{
    (void)canvas, (void)path;
    return oct_feature_require("png");
}
