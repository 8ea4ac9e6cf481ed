#include "render/frame.h"

#include <math.h>
#include <stdio.h>

#include "render/font.h"

enum { MAX_TICKS = 64 };

/* Ticks along one side: values in the unit shown, and where they are, 0 to 1. */
typedef struct ticks {
    int count;
    double step;
    double value[MAX_TICKS], at[MAX_TICKS];
} ticks;

oct_rgb oct_frame_background(void)
{
    return oct_rgb_hex(0x0c0f15);
}

oct_rgb oct_frame_plot_background(void)
{
    return oct_rgb_hex(0x05070b);
}

static oct_rgb line_colour(void)
{
    return oct_rgb_hex(0x5d6878);
}

static oct_font_style style_of(const oct_frame *frame, double anchor)
{
    return (oct_font_style){
        .size = frame->font, .anchor = anchor, .colour = oct_rgb_hex(0xccd3dd), .alpha = 1};
}

static oct_font_style dim_style_of(const oct_frame *frame, double anchor)
{
    oct_font_style style = style_of(frame, anchor);
    style.colour = oct_rgb_hex(0x8d98a8);
    return style;
}

static ticks linear_ticks(double low, double high, double most)
{
    ticks out = {.step = oct_label_above((high - low) / most)};
    double first = ceil(low / out.step - 1e-9), last = floor(high / out.step + 1e-9);
    for (double i = first; i <= last && out.count < MAX_TICKS; i++) {
        out.value[out.count] = i * out.step;
        out.at[out.count++] = (i * out.step - low) / (high - low);
    }
    return out;
}

static oct_label_unit axis_unit(const oct_frame *frame)
{
    return oct_label_length(&frame->units, 0.5 * frame->view.extent);
}

/* Ticks of the horizontal or the vertical axis, in the axis unit. */
static ticks axis_ticks(const oct_frame *frame, bool vertical)
{
    const oct_view *view = &frame->view;
    double unit = axis_unit(frame).size;
    double length = vertical ? view->height : view->width;
    double half = 0.5 * view->extent * length / view->width / unit;
    double centre = view->centre[vertical ? view->along : view->across] / unit;
    return linear_ticks(centre - half, centre + half, fmax(2, length / (5 * frame->font)));
}

static double widest_label(const oct_frame *frame)
{
    ticks t = axis_ticks(frame, true);
    double widest = 0;
    for (int i = 0; i < t.count; i++) {
        char text[OCT_LABEL_BYTES];
        oct_label_number(text, t.value[i], t.step);
        widest = fmax(widest, oct_font_width(text, frame->font));
    }
    return widest;
}

void oct_frame_layout(oct_frame *frame, int width, int height, bool bar)
{
    oct_view *view = &frame->view;
    double font = fmin(width / 66.0, height / 55.0);
    frame->font = fmin(fmax(font, 11), 96);
    font = frame->font;
    bool numbered = view->across >= 0, full = frame->bare || (!numbered && !bar);
    bool known = view->extent > 0 && view->width > 0;
    double labels = !numbered ? -1.4 * font : known ? widest_label(frame) : 2 * font;
    frame->inset = full ? 1.2 * font : 0;
    view->left = full ? 0 : round(fmin(labels, 0.25 * width) + 3.2 * font);
    view->top = full ? 0 : round(4 * font);
    view->width = full ? width : round(width - view->left - (bar ? 7.8 : 1.8) * font);
    view->height = full ? height : round(height - view->top - (numbered ? 4.1 : 1.8) * font);
}

static void draw_ticks(oct_canvas *canvas, const oct_frame *frame)
{
    static const char *const names[3] = {"x", "y", "z"};
    const oct_view *view = &frame->view;
    double bottom = view->top + view->height, font = frame->font, mark = 0.4 * font;
    double thick = fmax(1, font / 16);
    oct_label_unit unit = axis_unit(frame);
    char text[OCT_LABEL_BYTES];

    ticks across = axis_ticks(frame, false), along = axis_ticks(frame, true);
    oct_font_style style = style_of(frame, 0.5);
    for (int i = 0; i < across.count; i++) {
        double x = floor(view->left + across.at[i] * view->width) + 0.5;
        oct_canvas_line(canvas, x, bottom + 0.5, x, bottom + mark, thick, line_colour(), 1);
        oct_label_number(text, across.value[i], across.step);
        oct_font_draw(canvas, text, x, bottom + 0.9 * font + oct_font_capital(font), &style);
    }
    style.anchor = 1;
    for (int i = 0; i < along.count; i++) {
        double y = floor(bottom - along.at[i] * view->height) + 0.5;
        oct_canvas_line(canvas, view->left - mark, y, view->left - 0.5, y, thick, line_colour(), 1);
        oct_label_number(text, along.value[i], along.step);
        oct_font_draw(canvas, text, view->left - 0.9 * font, y + 0.5 * oct_font_capital(font),
                      &style);
    }

    style = style_of(frame, 0.5);
    oct_label_axis(text, names[view->across], &unit);
    oct_font_draw(canvas, text, view->left + 0.5 * view->width, bottom + 3.3 * font, &style);
    style.upwards = true;
    oct_label_axis(text, names[view->along], &unit);
    oct_font_draw(canvas, text, 1.5 * font, view->top + 0.5 * view->height, &style);
}

void oct_frame_axes(oct_canvas *canvas, const oct_frame *frame)
{
    const oct_view *view = &frame->view;
    double right = view->left + view->width, bottom = view->top + view->height;
    const oct_stroke_point border[5] = {{view->left - 0.5, view->top - 0.5, true},
                                        {right + 0.5, view->top - 0.5, false},
                                        {right + 0.5, bottom + 0.5, false},
                                        {view->left - 0.5, bottom + 0.5, false},
                                        {view->left - 0.5, view->top - 0.5, false}};
    if (frame->inset > 0)
        return;
    for (int i = 0; i < 4; i++)
        oct_canvas_line(canvas, border[i].x, border[i].y, border[i + 1].x, border[i + 1].y,
                        fmax(1, frame->font / 16), line_colour(), 1);
    if (view->across >= 0)
        draw_ticks(canvas, frame);
}

/* A darker ground, so that what is written inside the plot can be read on any colour. */
static void panel(oct_canvas *canvas, double left, double top, double right, double bottom)
{
    oct_canvas_rectangle(canvas, round(left), round(top), round(right), round(bottom),
                         oct_frame_plot_background(), 0.8);
}

void oct_frame_scale_bar(oct_canvas *canvas, const oct_frame *frame)
{
    const oct_view *view = &frame->view;
    double font = frame->font, capital = oct_font_capital(font);
    oct_label_unit unit = axis_unit(frame);
    double length = oct_label_below(0.25 * view->extent / unit.size);
    double pixels = length * unit.size / oct_view_pixel(view);
    char number[OCT_LABEL_BYTES], text[OCT_LABEL_BYTES + 40];
    oct_label_number(number, length, length);
    bool power = unit.name[0] == '1'; /* "10³ km" is a factor, "km" a unit */
    snprintf(text, sizeof text, "%s%s%s", number, power ? " \xc3\x97 " : " ", unit.name);

    double width = fmax(pixels, oct_font_width(text, font));
    double left = view->left + 1.6 * font, bottom = view->top + view->height - 1.6 * font;
    panel(canvas, left - 0.8 * font, bottom - capital - 1.4 * font, left + width + 0.8 * font,
          bottom + 0.8 * font);
    oct_font_style style = style_of(frame, 0.5);
    oct_rgb colour = style.colour;
    double x0 = left + 0.5 * (width - pixels), x1 = x0 + pixels, y = floor(bottom) + 0.5;
    double end = 0.3 * font, thick = fmax(1.5, font / 9);
    oct_canvas_line(canvas, x0, y, x1, y, thick, colour, 1);
    oct_canvas_line(canvas, x0, y - end, x0, y + end, thick, colour, 1);
    oct_canvas_line(canvas, x1, y - end, x1, y + end, thick, colour, 1);
    oct_font_draw(canvas, text, left + 0.5 * width, bottom - 0.7 * font, &style);
}

void oct_frame_header(oct_canvas *canvas, const oct_frame *frame, const char *title,
                      const char *subtitle, const char *time)
{
    const oct_view *view = &frame->view;
    double font = frame->font, inset = frame->inset, wide = view->width - 2 * inset;
    double left = view->left + inset, right = left + wide, first = 1.8 * font + 0.5 * inset;
    oct_font_style large = style_of(frame, 0), small = dim_style_of(frame, 0);
    large.size = 1.25 * font;
    char name[256], below[256];

    double room = wide - oct_font_width(time, large.size) - 2 * font;
    oct_font_shorten(name, sizeof name, title, large.size, room);
    oct_font_shorten(below, sizeof below, subtitle, small.size, wide);
    if (inset > 0) {
        double top = first - 1.6 * font, pad = 0.7 * font;
        double end = fmax(oct_font_width(name, large.size), oct_font_width(below, small.size));
        panel(canvas, left - pad, top, left + end + pad, first + 1.5 * font + pad);
        if (*time != '\0')
            panel(canvas, right - oct_font_width(time, large.size) - pad, top, right + pad,
                  first + pad);
    }
    oct_font_draw(canvas, name, left, first, &large);
    oct_font_draw(canvas, below, left, first + 1.5 * font, &small);
    large.anchor = 1;
    oct_font_draw(canvas, time, right, first, &large);
}

void oct_frame_caption(oct_canvas *canvas, const oct_frame *frame, const char *text)
{
    const oct_view *view = &frame->view;
    double font = frame->font, capital = oct_font_capital(font), pad = 0.8 * font;
    char fitted[256];
    oct_font_shorten(fitted, sizeof fitted, text, font, 0.6 * view->width);
    double right = view->left + view->width - 1.6 * font;
    double bottom = view->top + view->height - 1.6 * font;
    panel(canvas, right - oct_font_width(fitted, font) - pad, bottom - capital - pad, right + pad,
          bottom + pad);
    oct_font_style style = style_of(frame, 1);
    oct_font_draw(canvas, fitted, right, bottom, &style);
}

/* Marks at 2 to 9 times each power of ten, and labels at the powers. */
static void logarithmic_marks(oct_canvas *canvas, const oct_frame *frame, const oct_frame_bar *bar,
                              double x)
{
    const oct_view *view = &frame->view;
    double font = frame->font, low = log10(bar->low), span = log10(bar->high) - low;
    int every = (int)ceil(span / fmax(2, view->height / (3 * font)));
    oct_font_style style = style_of(frame, 0);
    for (int power = (int)floor(low); power <= (int)ceil(low + span); power++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = (power + log10(digit) - low) / span;
            if (at < -1e-9 || at > 1 + 1e-9 || (digit > 1 && span > 8))
                continue;
            double y = floor(view->top + (1 - at) * view->height) + 0.5;
            double mark = (digit == 1 ? 0.4 : 0.2) * font;
            oct_canvas_line(canvas, x, y, x + mark, y, fmax(1, font / 16), line_colour(), 1);
            if (digit > 1 || power % every != 0)
                continue;
            char text[OCT_LABEL_BYTES];
            oct_label_power(text, power);
            oct_font_draw(canvas, text, x + 0.8 * font, y + 0.5 * oct_font_capital(font), &style);
        }
}

static void linear_marks(oct_canvas *canvas, const oct_frame *frame, const oct_frame_bar *bar,
                         double x)
{
    const oct_view *view = &frame->view;
    double font = frame->font;
    ticks t = linear_ticks(bar->low, bar->high, fmax(2, view->height / (4 * font)));
    oct_font_style style = style_of(frame, 0);
    for (int i = 0; i < t.count; i++) {
        double y = floor(view->top + (1 - t.at[i]) * view->height) + 0.5;
        oct_canvas_line(canvas, x, y, x + 0.4 * font, y, fmax(1, font / 16), line_colour(), 1);
        char text[OCT_LABEL_BYTES];
        oct_label_number(text, t.value[i], t.step);
        oct_font_draw(canvas, text, x + 0.8 * font, y + 0.5 * oct_font_capital(font), &style);
    }
}

void oct_frame_colour_bar(oct_canvas *canvas, const oct_frame *frame, const oct_frame_bar *bar)
{
    const oct_view *view = &frame->view;
    double font = frame->font, left = round(view->left + view->width + font);
    double right = left + round(0.9 * font);
    for (int row = 0; row < (int)view->height; row++)
        oct_canvas_rectangle(canvas, left, view->top + row, right, view->top + row + 1,
                             oct_colormap_at(bar->map, 1 - (row + 0.5) / view->height), 1);
    (bar->logarithmic ? logarithmic_marks : linear_marks)(canvas, frame, bar, right + 0.5);
    oct_font_style style = style_of(frame, 0.5);
    style.upwards = true;
    oct_font_draw(canvas, bar->label, canvas->width - 0.8 * font, view->top + 0.5 * view->height,
                  &style);
}

void oct_frame_legend(oct_canvas *canvas, const oct_frame *frame, const oct_frame_entry *entries,
                      size_t count)
{
    const oct_view *view = &frame->view;
    double font = frame->font, widest = 0;
    char text[OCT_LABEL_BYTES + 32], number[OCT_LABEL_BYTES];
    for (size_t i = 0; i < count; i++) {
        oct_label_count(number, entries[i].count);
        snprintf(text, sizeof text, "%.20s %s", entries[i].name, number);
        widest = fmax(widest, oct_font_width(text, font));
    }
    double right = view->left + view->width - 0.8 * font,
           top = view->top + 0.8 * font + 2 * frame->inset;
    double left = right - widest - 3.2 * font;
    panel(canvas, left, top, right, top + (1.6 * (double)count + 0.6) * font);
    oct_font_style style = style_of(frame, 0);
    for (size_t i = 0; i < count; i++) {
        double y = top + (1.6 * (double)i + 1.1) * font;
        oct_canvas_disc(canvas, left + 1.2 * font, y, 0.35 * font, entries[i].colour, 1);
        oct_label_count(number, entries[i].count);
        snprintf(text, sizeof text, "%.20s %s", entries[i].name, number);
        oct_font_draw(canvas, text, left + 2.2 * font, y + 0.5 * oct_font_capital(font), &style);
    }
}
