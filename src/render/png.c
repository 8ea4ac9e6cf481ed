#include "render/png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

typedef struct byte_list {
    unsigned char *data;
    size_t length, capacity;
} byte_list;

static void append(png_structp png, png_bytep bytes, size_t count)
{
    byte_list *list = png_get_io_ptr(png);
    if (count > list->capacity - list->length) {
        size_t capacity = 2 * (list->length + count);
        if (oct_realloc(&list->data, capacity, 1, "a PNG file") != OCT_STATUS_OK)
            png_error(png, "memory");
        list->capacity = capacity;
    }
    memcpy(list->data + list->length, bytes, count);
    list->length += count;
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void stay_silent(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* libpng leaves by longjmp when something fails: nothing in here may own memory. */
static bool encode(png_structp png, png_infop info, unsigned char *row, const oct_canvas *canvas)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < canvas->height; y++) {
        oct_canvas_row(row, canvas, y);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
    return true;
}

oct_status oct_png_write(const oct_canvas *canvas, const char *path)
{
    byte_list file = {0};
    unsigned char *row = NULL;
    png_infop info = NULL;
    oct_status status = OCT_STATUS_OK;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, stay_silent);
    OCT_CHECK(png != NULL, OCT_STATUS_MEMORY, "there is no memory for a PNG file");

    info = png_create_info_struct(png);
    OCT_CHECK_DONE(info != NULL, OCT_STATUS_MEMORY, "there is no memory for a PNG file");
    OCT_TRY_DONE(oct_alloc(&row, (size_t)canvas->width, 3, "a row of a picture"));
    png_set_write_fn(png, &file, append, flush_nothing);
    OCT_CHECK_DONE(encode(png, info, row, canvas), OCT_STATUS_INTERNAL,
                   "%s: the picture could not be encoded as PNG", path);
    OCT_TRY_DONE(oct_file_write(path, file.data, file.length, false));
done:
    png_destroy_write_struct(&png, &info);
    free(row);
    free(file.data);
    return status;
}
