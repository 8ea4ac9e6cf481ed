/* Measures the labels first, so that what surrounds the plot leaves it the shape asked for. */
#include "render/plot_frame.h"

#include <math.h>
#include <stdio.h>

enum { MAX_TICKS = 64 };

/* Ticks along one side: values in the unit shown, and where they are, 0 to 1. */
typedef struct ticks {
    int count;
    double step;
    double value[MAX_TICKS], at[MAX_TICKS];
} ticks;

static const oct_palette *palette_of(const oct_plot_frame *frame)
{
    return oct_theme_palette(frame->theme);
}

static oct_rgb line_colour(const oct_plot_frame *frame)
{
    return oct_rgb_hex(palette_of(frame)->line);
}

static oct_font_style style_of(const oct_plot_frame *frame, double anchor)
{
    return (oct_font_style){.size = frame->font,
                            .anchor = anchor,
                            .colour = oct_rgb_hex(palette_of(frame)->text),
                            .alpha = 1};
}

static oct_font_style dim_style_of(const oct_plot_frame *frame, double anchor)
{
    oct_font_style style = style_of(frame, anchor);
    style.colour = oct_rgb_hex(palette_of(frame)->dim);
    return style;
}

static double width_of(const oct_plot_frame *frame, const char *text, double size)
{
    return oct_face_width(frame->face, text, size);
}

/* Height of a capital letter of a plain label. */
static double capital_of(const oct_plot_frame *frame)
{
    return oct_face_capital(frame->face, frame->font);
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

static oct_label_unit axis_unit(const oct_plot_frame *frame)
{
    return oct_label_length(&frame->units, 0.5 * frame->view.extent);
}

/* Ticks of the horizontal or the vertical axis, in the axis unit. */
static ticks axis_ticks(const oct_plot_frame *frame, bool vertical)
{
    const oct_view *view = &frame->view;
    double unit = axis_unit(frame).size;
    double length = vertical ? view->height : view->width;
    double half = 0.5 * view->extent * length / view->width / unit;
    double centre = view->centre[vertical ? view->along : view->across] / unit;
    return linear_ticks(centre - half, centre + half, fmax(2, length / (5 * frame->font)));
}

static double widest_label(const oct_plot_frame *frame)
{
    ticks t = axis_ticks(frame, true);
    double widest = 0;
    for (int i = 0; i < t.count; i++) {
        char text[OCT_LABEL_BYTES];
        oct_label_number(text, t.value[i], t.step);
        widest = fmax(widest, width_of(frame, text, frame->font));
    }
    return widest;
}

/* Room for labels around a plot. */
typedef struct margins {
    double left, top, right, bottom;
} margins;

static margins margins_of(const oct_plot_frame *frame, double width, bool bar)
{
    const oct_view *view = &frame->view;
    double font = frame->font;
    bool numbered = view->across >= 0, known = view->extent > 0 && view->width > 0;
    double labels = !numbered ? -1.4 * font : known ? widest_label(frame) : 2 * font;
    if (frame->bare || (!numbered && !bar))
        return (margins){0};
    return (margins){.left = round(fmin(labels, 0.25 * width) + 3.2 * font),
                     .top = round(4 * font),
                     .right = (bar ? 7.8 : 1.8) * font,
                     .bottom = (numbered ? 4.1 : 1.8) * font};
}

void oct_plot_frame_layout(oct_plot_frame *frame, int width, int height, bool bar)
{
    oct_view *view = &frame->view;
    double font = fmin(width / 66.0, height / 55.0);
    frame->font = frame->asked > 0 ? frame->asked : fmin(fmax(font, 11), 96);
    frame->width = width;
    margins m = margins_of(frame, width, bar);
    frame->inset = m.top > 0 ? 0 : 1.2 * frame->font;
    view->left = m.left;
    view->top = m.top;
    view->width = round(width - m.left - m.right);
    view->height = round(height - m.top - m.bottom);
    frame->pad[0] = frame->pad[1] = 0;
    if (!(frame->rise > 0) || !(view->extent > 0) || view->width < 1 || view->height < 1)
        return;
    double shape = view->extent / frame->rise, room[2] = {view->width, view->height};
    view->width = fmax(1, fmin(room[0], round(room[1] * shape)));
    view->height = fmax(1, fmin(room[1], round(view->width / shape)));
    frame->pad[0] = floor(0.5 * (room[0] - view->width));
    frame->pad[1] = floor(0.5 * (room[1] - view->height));
    view->left += frame->pad[0];
    view->top += frame->pad[1];
}

void oct_plot_frame_size(oct_plot_frame *frame, int *width, int *height, bool bar)
{
    const double least = 120, most = 7600; /* pixels of a side */
    oct_view *view = &frame->view;
    double shape = view->extent / frame->rise;
    oct_plot_frame own = *frame;
    own.rise = 0;
    oct_plot_frame_layout(&own, *width, *height, bar);
    frame->asked = frame->font = own.font;
    double scale = sqrt(own.view.width * own.view.height);
    scale = fmax(scale, least * fmax(sqrt(shape), sqrt(1 / shape)));
    scale = fmin(scale, most * fmin(sqrt(shape), sqrt(1 / shape)));
    view->width = round(scale * sqrt(shape));
    view->height = round(scale / sqrt(shape));
    margins m = margins_of(frame, view->width, bar);
    /* Even numbers, as films need them. */
    *width = 2 * (int)ceil(0.5 * (view->width + m.left + m.right));
    *height = 2 * (int)ceil(0.5 * (view->height + m.top + m.bottom));
    view->width = view->height = 0;
}

static void draw_ticks(oct_drawing *drawing, const oct_plot_frame *frame)
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
        oct_drawing_line(drawing, x, bottom + 0.5, x, bottom + mark, thick, line_colour(frame));
        oct_label_number(text, across.value[i], across.step);
        oct_drawing_text(drawing, text, x, bottom + 0.9 * font + capital_of(frame), &style);
    }
    style.anchor = 1;
    for (int i = 0; i < along.count; i++) {
        double y = floor(bottom - along.at[i] * view->height) + 0.5;
        oct_drawing_line(drawing, view->left - mark, y, view->left - 0.5, y, thick,
                         line_colour(frame));
        oct_label_number(text, along.value[i], along.step);
        oct_drawing_text(drawing, text, view->left - 0.9 * font, y + 0.5 * capital_of(frame),
                         &style);
    }

    style = style_of(frame, 0.5);
    oct_label_axis(text, names[view->across], &unit);
    oct_drawing_text(drawing, text, view->left + 0.5 * view->width, bottom + 3.3 * font, &style);
    style.upwards = true;
    oct_label_axis(text, names[view->along], &unit);
    oct_drawing_text(drawing, text, frame->pad[0] + 1.5 * font, view->top + 0.5 * view->height,
                     &style);
}

void oct_plot_frame_axes(oct_drawing *drawing, const oct_plot_frame *frame)
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
        oct_drawing_line(drawing, border[i].x, border[i].y, border[i + 1].x, border[i + 1].y,
                         fmax(1, frame->font / 16), line_colour(frame));
    if (view->across >= 0)
        draw_ticks(drawing, frame);
}

/* The plot's ground, so that what is written inside the plot can be read on any colour. */
static void panel(oct_drawing *drawing, const oct_plot_frame *frame, double left, double top,
                  double right, double bottom)
{
    oct_drawing_rectangle(drawing, round(left), round(top), round(right), round(bottom),
                          oct_rgb_hex(palette_of(frame)->plot), 0.8);
}

void oct_plot_frame_scale_bar(oct_drawing *drawing, const oct_plot_frame *frame)
{
    const oct_view *view = &frame->view;
    double font = frame->font, capital = capital_of(frame);
    oct_label_unit unit = axis_unit(frame);
    double length = oct_label_below(0.25 * view->extent / unit.size);
    double pixels = length * unit.size / oct_view_pixel(view);
    char number[OCT_LABEL_BYTES], text[OCT_LABEL_BYTES + 40];
    oct_label_number(number, length, length);
    bool power = unit.name[0] == '1'; /* "10³ km" is a factor, "km" a unit */
    snprintf(text, sizeof text, "%s%s%s", number, power ? " \xc3\x97 " : " ", unit.name);

    double width = fmax(pixels, width_of(frame, text, font));
    double left = view->left + 1.6 * font, bottom = view->top + view->height - 1.6 * font;
    panel(drawing, frame, left - 0.8 * font, bottom - capital - 1.4 * font,
          left + width + 0.8 * font, bottom + 0.8 * font);
    oct_font_style style = style_of(frame, 0.5);
    oct_rgb colour = style.colour;
    double x0 = left + 0.5 * (width - pixels), x1 = x0 + pixels, y = floor(bottom) + 0.5;
    double end = 0.3 * font, thick = fmax(1.5, font / 9);
    oct_drawing_line(drawing, x0, y, x1, y, thick, colour);
    oct_drawing_line(drawing, x0, y - end, x0, y + end, thick, colour);
    oct_drawing_line(drawing, x1, y - end, x1, y + end, thick, colour);
    oct_drawing_text(drawing, text, left + 0.5 * width, bottom - 0.7 * font, &style);
}

/* Where the lines above the plot begin and end. Beside a narrow plot they may reach over what
 * stands on its sides. */
static void header_ends(double out[2], const oct_plot_frame *frame, double wanted)
{
    const oct_view *view = &frame->view;
    double free[2] = {frame->pad[0] + 0.8 * frame->font,
                      frame->width - frame->pad[0] - 0.8 * frame->font};
    out[0] = view->left + frame->inset;
    out[1] = view->left + view->width - frame->inset;
    if (!(frame->rise > 0) || frame->inset > 0)
        return;
    out[1] = fmax(out[1], fmin(free[1], out[0] + wanted));
    out[0] = fmin(out[0], fmax(free[0], out[1] - wanted));
}

void oct_plot_frame_header(oct_drawing *drawing, const oct_plot_frame *frame, const char *title,
                           const char *subtitle, const char *time)
{
    double font = frame->font, inset = frame->inset, ends[2];
    double first = frame->pad[1] + 1.8 * font + 0.5 * inset;
    oct_font_style large = style_of(frame, 0), small = dim_style_of(frame, 0);
    large.size = 1.25 * font;
    char name[256], below[256];

    double beside = width_of(frame, time, large.size) + 2 * font;
    header_ends(ends, frame, width_of(frame, title, large.size) + beside);
    double left = ends[0], right = ends[1], wide = right - left;
    oct_face_shorten(name, sizeof name, frame->face, title, large.size, wide - beside);
    oct_face_shorten(below, sizeof below, frame->face, subtitle, small.size, wide);
    if (inset > 0) {
        double top = first - 1.6 * font, pad = 0.7 * font;
        double end = fmax(width_of(frame, name, large.size), width_of(frame, below, small.size));
        panel(drawing, frame, left - pad, top, left + end + pad, first + 1.5 * font + pad);
        if (*time != '\0')
            panel(drawing, frame, right - beside + 2 * font - pad, top, right + pad, first + pad);
    }
    oct_drawing_text(drawing, name, left, first, &large);
    oct_drawing_text(drawing, below, left, first + 1.5 * font, &small);
    large.anchor = 1;
    oct_drawing_text(drawing, time, right, first, &large);
}

void oct_plot_frame_caption(oct_drawing *drawing, const oct_plot_frame *frame, const char *text)
{
    const oct_view *view = &frame->view;
    double font = frame->font, capital = capital_of(frame), pad = 0.8 * font;
    char fitted[256];
    oct_face_shorten(fitted, sizeof fitted, frame->face, text, font, 0.6 * view->width);
    double right = view->left + view->width - 1.6 * font;
    double bottom = view->top + view->height - 1.6 * font;
    panel(drawing, frame, right - width_of(frame, fitted, font) - pad, bottom - capital - pad,
          right + pad, bottom + pad);
    oct_font_style style = style_of(frame, 1);
    oct_drawing_text(drawing, fitted, right, bottom, &style);
}

/* A tick of the colour bar, with a label where there is text. */
static void bar_mark(oct_drawing *drawing, const oct_plot_frame *frame, double x, double at,
                     double mark, const char *text)
{
    const oct_view *view = &frame->view;
    double font = frame->font, y = floor(view->top + (1 - at) * view->height) + 0.5;
    oct_font_style style = style_of(frame, 0);
    oct_drawing_line(drawing, x, y, x + mark * font, y, fmax(1, font / 16), line_colour(frame));
    if (*text)
        oct_drawing_text(drawing, text, x + 0.8 * font, y + 0.5 * capital_of(frame), &style);
}

/* How many of 1, 2 and 5 times powers of ten a range holds, given as logarithms. */
static int count_round(double low, double high)
{
    const double digits[3] = {0, log10(2), log10(5)};
    int count = 0;
    for (int power = (int)floor(low); power <= (int)ceil(high); power++)
        for (int k = 0; k < 3; k++)
            count += power + digits[k] >= low - 1e-9 && power + digits[k] <= high + 1e-9;
    return count;
}

/* Marks at 1 to 9 times each power of ten; labels at the powers, of which a range may hold few. */
static void logarithmic_marks(oct_drawing *drawing, const oct_plot_frame *frame,
                              const oct_plot_frame_bar *bar, double x)
{
    double low = log10(bar->low), high = log10(bar->high), span = high - low;
    double most = frame->view.height / (3 * frame->font);
    int every = (int)ceil(span / fmax(2, most));
    bool powers = floor(high + 1e-9) - ceil(low - 1e-9) >= 1;
    if (!powers && count_round(low, high) < 2) {
        ticks t = linear_ticks(bar->low, bar->high, fmax(2, most));
        for (int i = 0; i < t.count; i++) {
            char text[OCT_LABEL_BYTES];
            oct_label_value(text, t.value[i], t.step);
            bar_mark(drawing, frame, x, (log10(t.value[i]) - low) / span, 0.4, text);
        }
        return;
    }
    for (int power = (int)floor(low); power <= (int)ceil(high); power++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = (power + log10(digit) - low) / span;
            if (at < -1e-9 || at > 1 + 1e-9 || (digit > 1 && span > 8))
                continue;
            char text[OCT_LABEL_BYTES] = "";
            if (digit == 1 && power % every == 0)
                oct_label_power(text, power);
            else if (!powers && (digit == 2 || digit == 5))
                oct_label_value(text, digit * pow(10, power), pow(10, power));
            bar_mark(drawing, frame, x, at, digit == 1 || *text ? 0.4 : 0.2, text);
        }
}

static void linear_marks(oct_drawing *drawing, const oct_plot_frame *frame,
                         const oct_plot_frame_bar *bar, double x)
{
    ticks t = linear_ticks(bar->low, bar->high, fmax(2, frame->view.height / (4 * frame->font)));
    for (int i = 0; i < t.count; i++) {
        char text[OCT_LABEL_BYTES];
        oct_label_number(text, t.value[i], t.step);
        bar_mark(drawing, frame, x, t.at[i], 0.4, text);
    }
}

void oct_plot_frame_colour_bar(oct_drawing *drawing, const oct_plot_frame *frame,
                               const oct_plot_frame_bar *bar)
{
    const oct_view *view = &frame->view;
    double font = frame->font, left = round(view->left + view->width + font);
    double right = left + round(0.9 * font);
    oct_drawing_scale(drawing, left, view->top, right, view->top + view->height, bar->map);
    (bar->logarithmic ? logarithmic_marks : linear_marks)(drawing, frame, bar, right + 0.5);
    oct_font_style style = style_of(frame, 0.5);
    style.upwards = true;
    oct_drawing_text(drawing, bar->label, frame->width - frame->pad[0] - 0.8 * font,
                     view->top + 0.5 * view->height, &style);
}

void oct_plot_frame_legend(oct_drawing *drawing, const oct_plot_frame *frame,
                           const oct_plot_frame_entry *entries, size_t count)
{
    const oct_view *view = &frame->view;
    double font = frame->font, widest = 0;
    char text[OCT_LABEL_BYTES + 32], number[OCT_LABEL_BYTES];
    for (size_t i = 0; i < count; i++) {
        oct_label_count(number, entries[i].count);
        snprintf(text, sizeof text, "%.20s %s", entries[i].name, number);
        widest = fmax(widest, width_of(frame, text, font));
    }
    double right = view->left + view->width - 0.8 * font,
           top = view->top + 0.8 * font + 2 * frame->inset;
    double left = right - widest - 3.2 * font;
    panel(drawing, frame, left, top, right, top + (1.6 * (double)count + 0.6) * font);
    oct_font_style style = style_of(frame, 0);
    for (size_t i = 0; i < count; i++) {
        double y = top + (1.6 * (double)i + 1.1) * font;
        oct_drawing_disc(drawing, left + 1.2 * font, y, 0.35 * font, entries[i].colour);
        oct_label_count(number, entries[i].count);
        snprintf(text, sizeof text, "%.20s %s", entries[i].name, number);
        oct_drawing_text(drawing, text, left + 2.2 * font, y + 0.5 * capital_of(frame), &style);
    }
}
