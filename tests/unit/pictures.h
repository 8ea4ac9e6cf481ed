/* Pictures for tests: drawn into the scratch folder and read back. */
#ifndef OCT_TESTS_PICTURES_H
#define OCT_TESTS_PICTURES_H

#include "files.h"

#include <png.h>

static const oct_units si = {"si", true, 1, 1, 1, 6.6743e-11};

static inline oct_file_info si_info(void)
{
    return (oct_file_info){
        .size = sizeof(oct_file_info), .title = "A test", .time = 3600, .units = si};
}

static inline oct_bodies one_body(double x, double y, double z)
{
    oct_bodies bodies = {0};
    assert_int_equal(oct_bodies_resize(&bodies, 1), OCT_STATUS_OK);
    bodies.position[0] = x;
    bodies.position[1] = y;
    bodies.position[2] = z;
    bodies.mass[0] = 1;
    bodies.type[0] = OCT_TYPE_BODY;
    return bodies;
}

typedef struct picture {
    int width, height;
    unsigned char *rgb;
} picture;

static inline picture decode(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    picture out = {(int)image.width, (int)image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(out.rgb);
    assert_true(png_image_finish_read(&image, NULL, out.rgb, 0, NULL));
    return out;
}

static inline picture render(const oct_bodies *bodies, const oct_file_info *info,
                             const oct_render_options *options)
{
    char path[128];
    scratch_path(path, "picture.png");
    oct_status status = oct_render(bodies, info, options, path);
    if (status != OCT_STATUS_OK)
        fail_msg("%s", oct_last_error());
    return decode(path);
}

#endif
