/* Encodes through libpng into memory. */
#include "render/png.h"

#include <png.h>
#include <stdlib.h>

#include "util/file.h"

static void append(png_structp png, png_bytep bytes, size_t count)
{
    oct_text *file = png_get_io_ptr(png);
    oct_text_add_bytes(file, (const char *)bytes, count);
    if (file->failed)
        png_error(png, "memory");
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* In place of libpng's own, which prints. */
static _Noreturn void leave(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void stay_silent(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* libpng leaves by longjmp when something fails: nothing in here may own memory. */
static bool encode(png_structp png, png_infop info, unsigned char *row, const oct_canvas *canvas,
                   const int box[4])
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_IHDR(png, info, (png_uint_32)(box[2] - box[0]), (png_uint_32)(box[3] - box[1]), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = box[1]; y < box[3]; y++) {
        oct_canvas_row(row, canvas, y);
        png_write_row(png, row + 3 * (size_t)box[0]);
    }
    png_write_end(png, NULL);
    return true;
}

oct_status oct_png_encode(oct_text *out, const oct_canvas *canvas, const int box[4])
{
    unsigned char *row = NULL;
    png_infop info = NULL;
    oct_status status = OCT_STATUS_OK;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, stay_silent);
    OCT_CHECK(png != NULL, OCT_STATUS_MEMORY, "there is no memory for a PNG file");

    info = png_create_info_struct(png);
    OCT_CHECK_DONE(info != NULL, OCT_STATUS_MEMORY, "there is no memory for a PNG file");
    OCT_TRY_DONE(oct_alloc(&row, (size_t)canvas->width, 3, "a row of a picture"));
    png_set_write_fn(png, out, append, flush_nothing);
    OCT_CHECK_DONE(encode(png, info, row, canvas, box), OCT_STATUS_MEMORY,
                   "there is no memory for a PNG file");
done:
    png_destroy_write_struct(&png, &info);
    free(row);
    return status;
}

oct_status oct_png_write(const oct_canvas *canvas, const char *path)
{
    oct_text file = {0};
    oct_status status =
        oct_png_encode(&file, canvas, (const int[4]){0, 0, canvas->width, canvas->height});
    if (status == OCT_STATUS_OK)
        status = oct_file_write(path, file.data, file.length, false);
    oct_text_clear(&file);
    return status;
}
