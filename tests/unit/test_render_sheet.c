/* Pictures as SVG and PDF. */
#include "render/sheet.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A sheet of 60 x 40 with a plot of 20 x 10 in it, one mark of each kind, and odd text. */
typedef struct example {
    oct_canvas canvas;
    oct_colormap map;
    oct_drawing drawing;
    oct_sheet sheet;
} example;

static const char odd[] =
    "a<b>&\"'(\\) 10\xe2\x81\xbb\xe2\x81\xb7 M\xe2\x98\x89/m\xc2\xb2 \xff\x01";

static void example_init(example *e)
{
    const oct_rgb red = oct_rgb_hex(0xff0000);
    const oct_font_style style = {.size = 5, .anchor = 0.5, .colour = red, .alpha = 1};
    *e = (example){0};
    assert_int_equal(oct_canvas_init(&e->canvas, 60, 40, oct_rgb_hex(0x102030)), OCT_STATUS_OK);
    assert_int_equal(oct_colormap_init(&e->map, "ice", OCT_THEME_DARK), OCT_STATUS_OK);
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 60; x++)
            oct_canvas_blend(&e->canvas, x, y, oct_rgb_hex((unsigned)(y * 60 + x) * 97), 1);
    oct_drawing_rectangle(&e->drawing, 1, 2, 3, 4.5, red, 0.8);
    oct_drawing_line(&e->drawing, 0.125, -7, 1e5, 3, 1.5, red);
    oct_drawing_disc(&e->drawing, 5, 6, 2, red);
    oct_drawing_scale(&e->drawing, 50, 5, 52, 35, &e->map);
    oct_drawing_text(&e->drawing, odd, 30, 20, &style);
    e->sheet = (oct_sheet){.canvas = &e->canvas,
                           .plot = {10, 20, 30, 30},
                           .page = oct_rgb_hex(0xffffff),
                           .drawing = &e->drawing,
                           .title = odd};
}

static void example_clear(example *e)
{
    oct_canvas_clear(&e->canvas);
    oct_drawing_clear(&e->drawing);
}

/* The plot of the example is in this PNG file. */
static void check_image(const void *bytes, size_t length)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char rgb[20 * 10 * 3];
    assert_true(png_image_begin_read_from_memory(&image, bytes, length));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, 20);
    assert_int_equal(image.height, 10);
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 20; x++) {
            unsigned colour = (unsigned)((y + 20) * 60 + x + 10) * 97;
            const unsigned char *c = &rgb[3 * (20 * y + x)];
            assert_int_equal(c[0] << 16 | c[1] << 8 | c[2], colour);
        }
}

static void numbers_have_no_exponents(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},         {-0.0001, "0"},  {0.5, "0.5"},         {-12.25, "-12.25"},
                 {1e-9, "0"},      {0.01, "0.01"},  {1234567, "1234567"}, {99.9996, "100"},
                 {0.125, "0.125"}, {-0.04, "-0.04"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        oct_text out = {0};
        oct_sheet_number(&out, cases[i].value);
        assert_string_equal(out.data, cases[i].text);
        oct_text_clear(&out);
    }
}

static unsigned digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    assert_non_null(at);
    return (unsigned)(at - digits);
}

static void an_svg_holds_the_plot_and_the_marks(void **state)
{
    (void)state;
    example e;
    oct_text out = {0};
    example_init(&e);
    assert_int_equal(oct_svg_encode(&out, &e.sheet), OCT_STATUS_OK);
    assert_false(out.failed);
    const char *data = strstr(out.data, "base64,");
    assert_non_null(data);
    size_t length = strcspn(data += 7, "\""), count = 0;
    assert_int_equal(length % 4, 0);
    unsigned char *png = malloc(length);
    assert_non_null(png);
    for (size_t i = 0; i < length; i += 4) {
        unsigned group = 0;
        for (size_t k = 0; k < 4; k++)
            group = group << 6 | (data[i + k] == '=' ? 0 : digit_of(data[i + k]));
        for (size_t k = 0; k < 3; k++)
            if (data[i + k + 1] != '=')
                png[count++] = (unsigned char)(group >> (16 - 8 * k));
    }
    check_image(png, count);
    free(png);
    assert_non_null(strstr(out.data, "<image x=\"10\" y=\"20\" width=\"20\" height=\"10\""));
    assert_non_null(strstr(out.data, "<rect x=\"1\" y=\"2\" width=\"2\" height=\"2.5\" "
                                     "fill=\"#ff0000\" fill-opacity=\"0.8\"/>"));
    assert_non_null(strstr(out.data, "<circle cx=\"5\" cy=\"6\" r=\"2\""));
    assert_non_null(strstr(out.data, "text-anchor=\"middle\""));
    assert_non_null(strstr(out.data, "a&#60;b&#62;&#38;&#34;&#39;(\\) 10<tspan"));
    /* What XML has no place for is the sign for that: a lone byte, a control character. */
    assert_non_null(strstr(out.data, "\xef\xbf\xbd\xef\xbf\xbd</t"));
    assert_null(strchr(out.data, '\x01'));
    oct_text_clear(&out);
    example_clear(&e);
}

/* The place of a text in bytes that may hold zeros; NULL where there is none. */
static const char *find(const oct_text *text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text->length; i++)
        if (memcmp(text->data + i, word, length) == 0)
            return text->data + i;
    return NULL;
}

static void a_pdf_finds_its_objects(void **state)
{
    (void)state;
    example e;
    oct_text out = {0};
    example_init(&e);
    assert_int_equal(oct_pdf_encode(&out, &e.sheet), OCT_STATUS_OK);
    assert_false(out.failed);
    assert_memory_equal(out.data, "%PDF-1.4\n", 9);
    assert_memory_equal(out.data + out.length - 6, "%%EOF\n", 6);
    const char *start = find(&out, "startxref\n");
    assert_non_null(start);
    const char *table = out.data + strtoul(start + 10, NULL, 10);
    int count, used;
    assert_int_equal(sscanf(table, "xref\n0 %d\n%n", &count, &used), 1);
    assert_true(count == 12); /* nine, two of the scale, and the first that is none */
    for (int i = 1; i < count; i++) {
        const char *row = table + used + 20 * i;
        char expected[32];
        assert_memory_equal(row + 10, " 00000 n \n", 10);
        snprintf(expected, sizeof expected, "%d 0 obj\n", i);
        assert_memory_equal(out.data + strtoul(row, NULL, 10), expected, strlen(expected));
    }
    /* A page of 60 x 40 pixels of 3/4 point. */
    assert_non_null(find(&out, "/MediaBox [0 0 45 30 ]"));
    oct_text_clear(&out);
    example_clear(&e);
}

static void every_stream_of_a_pdf_is_as_long_as_it_says(void **state)
{
    (void)state;
    example e;
    oct_text out = {0};
    int streams = 0;
    example_init(&e);
    assert_int_equal(oct_pdf_encode(&out, &e.sheet), OCT_STATUS_OK);
    oct_text rest = out;
    for (const char *at; (at = find(&rest, "/Length ")); streams++) {
        char *end;
        size_t length = strtoul(at + 8, &end, 10);
        assert_memory_equal(end, " >>\nstream\n", 11);
        assert_memory_equal(end + 11 + length, "\nendstream\nendobj\n", 18);
        rest.data = end + 11 + length;
        rest.length = out.length - (size_t)(rest.data - out.data);
    }
    assert_int_equal(streams, 3);
    oct_text_clear(&out);
    example_clear(&e);
}

static void the_image_of_a_pdf_is_the_plot(void **state)
{
    (void)state;
    /* Its data are the chunk of a PNG file whose header says the same as the image's dictionary. */
    example e;
    oct_text out = {0}, png = {0};
    example_init(&e);
    assert_int_equal(oct_pdf_encode(&out, &e.sheet), OCT_STATUS_OK);
    const char *at = find(&out, "/Subtype /Image /Width 20 /Height 10 /ColorSpace /DeviceRGB");
    assert_non_null(at);
    const char *length = strstr(at, "/Length "), *data = strstr(at, "stream\n") + 7;
    static const unsigned char header[] = {0x89, 'P', 'N', 'G', 13,  10, 26, 10, 0,  0, 0,
                                           13,   'I', 'H', 'D', 'R', 0,  0,  0,  20, 0, 0,
                                           0,    10,  8,   2,   0,   0,  0,  0,  0,  0, 0};
    size_t bytes = strtoul(length + 8, NULL, 10);
    unsigned char size[8] = {0,   0,  (unsigned char)(bytes >> 8), (unsigned char)bytes, 'I', 'D',
                             'A', 'T'};
    oct_text_add_bytes(&png, (const char *)header, sizeof header);
    oct_text_add_bytes(&png, (const char *)size, 8);
    oct_text_add_bytes(&png, data, bytes);
    oct_text_add_bytes(&png, "\0\0\0\0\0\0\0\0IEND\0\0\0", 16);
    /* Checksums are not part of PDF: they are put right here. */
    for (size_t chunk = 8; chunk + 12 <= png.length;) {
        unsigned char *c = (unsigned char *)png.data + chunk;
        size_t own = (size_t)c[2] << 8 | c[3];
        uint32_t crc = 0xffffffff;
        for (size_t i = 4; i < own + 8; i++) {
            crc ^= c[i];
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        for (unsigned i = 0; i < 4; i++)
            c[own + 8 + i] = (unsigned char)(~crc >> (24 - 8 * i));
        chunk += own + 12;
    }
    check_image(png.data, png.length);
    oct_text_clear(&out);
    oct_text_clear(&png);
    example_clear(&e);
}

static void text_of_a_pdf_can_be_read(void **state)
{
    (void)state;
    example e;
    oct_text out = {0};
    example_init(&e);
    assert_int_equal(oct_pdf_encode(&out, &e.sheet), OCT_STATUS_OK);
    /* The string in hexadecimal needs no escapes: a < b > & " ' ( \\ ) and 10. */
    assert_non_null(find(&out, "Td <613C623E262227285C29203130> Tj"));
    /* A small raised 7 is a superscript for readers that copy; so is the minus before it. */
    assert_non_null(find(&out, "/ActualText <FEFF2077> >> BDC\nBT /F1 3.1 Tf "));
    assert_non_null(find(&out, "/ActualText <FEFF207B> >> BDC\nBT /F2 3.1 Tf "));
    assert_non_null(find(&out, "/ActualText <FEFF2609> >> BDC\n"));
    /* The title is that of the file. */
    assert_non_null(find(&out, "/Title <FEFF0061003C0062003E"));
    oct_text_clear(&out);
    example_clear(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_no_exponents),
        cmocka_unit_test(an_svg_holds_the_plot_and_the_marks),
        cmocka_unit_test(a_pdf_finds_its_objects),
        cmocka_unit_test(every_stream_of_a_pdf_is_as_long_as_it_says),
        cmocka_unit_test(the_image_of_a_pdf_is_the_plot),
        cmocka_unit_test(text_of_a_pdf_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
