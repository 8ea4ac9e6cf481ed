/* Writes HTML with everything foreign escaped. */
#include "run/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "render/label.h"
#include "run/plot.h"
#include "run/survey.h"
#include "util/file.h"

enum { DIGITS = 6, WHOLE_DIGITS = 15, TIME_DIGITS = 10 };

static const char style[] =
    ":root { color-scheme: light dark; --page: #fff; --ink: #1c2126; --soft: #626b75;\n"
    "  --rule: #e1e4e8; --line-0: #0b66b8; --line-1: #c2570c; --line-2: #2f8540;\n"
    "  --line-3: #8e44ad; --line-4: #b8860b; --line-5: #0f8b8d; --line-6: #c0275d;\n"
    "  --line-7: #6b7280; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --page: #14181c; --ink: #e4e7ea; --soft: #98a1ab; --rule: #2c333a;\n"
    "    --line-0: #62b0f4; --line-1: #f39c55; --line-2: #76c987;\n"
    "    --line-3: #c792e8; --line-4: #e3c04f; --line-5: #5fd0d0; --line-6: #f2789f;\n"
    "    --line-7: #9aa3af; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; max-width: 84rem; padding: 2.5rem 2rem; background: var(--page);\n"
    "  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }\n"
    "h1 { margin: 0 0 1.25rem; font-size: 1.7rem; font-weight: 600; line-height: 1.25; }\n"
    "h2 { margin: 2.75rem 0 0; padding-bottom: .3rem; border-bottom: 1px solid var(--rule);\n"
    "  font-size: 1.15rem; font-weight: 600; }\n"
    "h2::first-letter { text-transform: uppercase; }\n"
    "sup { line-height: 0; }\n"
    "p { margin: .5rem 0 0; color: var(--soft); }\n"
    "b, td { color: var(--ink); }\n"
    "table { border-collapse: collapse; }\n"
    "h2 + table { margin-top: .75rem; }\n"
    "th, td { padding: .15rem 2rem .15rem 0; text-align: left; vertical-align: top;\n"
    "  font-variant-numeric: tabular-nums; }\n"
    "th { color: var(--soft); font-weight: 400; }\n"
    ".plots { display: grid; gap: 1.5rem 2.5rem; margin-top: 1.25rem;\n"
    "  grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }\n"
    "figure { display: flex; flex-direction: column; justify-content: space-between; margin: 0;\n"
    "  break-inside: avoid; }\n"
    "figcaption { color: var(--soft); }\n"
    "figcaption span { display: block; font-variant-numeric: tabular-nums; }\n"
    ".plot { display: block; width: 100%; margin-top: .4rem; }\n"
    ".plot text { font-size: 125px; fill: var(--ink); }\n"
    ".plot .tick { fill: var(--soft); }\n"
    ".plot path { fill: none; vector-effect: non-scaling-stroke; }\n"
    ".plot .grid { stroke: var(--rule); }\n"
    ".plot .frame { stroke: var(--soft); }\n"
    ".plot .line { stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".line-0 { stroke: var(--line-0); }\n"
    ".line-1 { stroke: var(--line-1); }\n"
    ".line-2 { stroke: var(--line-2); }\n"
    ".line-3 { stroke: var(--line-3); }\n"
    ".line-4 { stroke: var(--line-4); }\n"
    ".line-5 { stroke: var(--line-5); }\n"
    ".line-6 { stroke: var(--line-6); }\n"
    ".line-7 { stroke: var(--line-7); }\n"
    ".plot .bar { fill: var(--line-0); }\n"
    "pre { margin: 1rem 0 0; overflow-x: auto; white-space: pre-wrap;\n"
    "  font: 13px/1.45 ui-monospace, monospace; }\n"
    "@media print { body { padding: 0; font-size: 11px; }\n"
    "  .plots { grid-template-columns: 1fr 1fr; } h2 { break-after: avoid; } }\n";

void oct_page_begin(oct_text *out, const char *title, const char *meta)
{
    oct_text_add(out,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width\">\n%s<title>",
                 meta);
    oct_text_add_html(out, title);
    oct_text_add(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    oct_text_add_html(out, title);
    oct_text_add(out, "</h1>\n");
}

void oct_page_end(oct_text *out)
{
    oct_text_add(out, "</body>\n</html>\n");
}

oct_status oct_page_write(const oct_text *page, const char *folder)
{
    char path[OCT_FOLDER_PATH];
    oct_folder_file(path, folder, "report.html");
    OCT_CHECK(!page->failed, OCT_STATUS_MEMORY, "no memory for %s", path);
    return oct_file_write(path, page->data, page->length, false);
}

void oct_page_row_begin(oct_text *out, const char *name)
{
    oct_text_add(out, "<tr><th scope=\"row\">%s</th><td>", name);
}

void oct_page_row_next(oct_text *out)
{
    oct_text_add(out, "</td><td>");
}

void oct_page_row_end(oct_text *out)
{
    oct_text_add(out, "</td></tr>\n");
}

void oct_page_row(oct_text *out, const char *name, const char *value)
{
    oct_page_row_begin(out, name);
    oct_text_add_html(out, value);
    oct_page_row_end(out);
}

void oct_page_unit(char out[OCT_PAGE_UNIT], const oct_units *units, oct_dimension d)
{
    out[0] = '\0';
    if (units->physical && (d.length || d.mass || d.time))
        oct_units_describe(out, OCT_PAGE_UNIT, units, d);
}

void oct_page_axis(char out[OCT_PAGE_AXIS], const char *name, const char *unit)
{
    snprintf(out, OCT_PAGE_AXIS, "%s%s%s%s", name, *unit ? " [" : "", unit, *unit ? "]" : "");
}

void oct_page_add_unit(oct_text *out, const char *unit)
{
    for (const char *c = unit; *c;) {
        if (*c != '^') {
            oct_text_add_html(out, (char[]){*c++, '\0'});
            continue;
        }
        int digits = (int)strspn(++c, "0123456789");
        oct_text_add(out, "<sup>%.*s</sup>", digits, c);
        c += digits;
    }
}

void oct_page_add_caption(oct_text *out, const char *name, const char *unit, const char *doc)
{
    oct_text_add(out, "<b>");
    oct_text_add_html(out, name);
    oct_text_add(out, *unit ? "</b> [" : "</b>");
    oct_page_add_unit(out, unit);
    oct_text_add(out, *unit ? "]: " : ": ");
    oct_text_add_html(out, doc);
}

void oct_page_add_count(oct_text *out, uint64_t count)
{
    char label[OCT_LABEL_BYTES];
    oct_label_count(label, count);
    oct_text_add(out, "%s", label);
}

void oct_page_add_value(oct_text *out, double value)
{
    bool whole = value == floor(value); /* a count, to its last digit */
    oct_plot_number(out, value, whole ? WHOLE_DIGITS : DIGITS);
}

oct_page_time oct_page_time_of(const oct_sim *sim)
{
    oct_page_time shown = {0};
    oct_page_unit(shown.own, oct_sim_units(sim), OCT_TIME);
    shown.column = oct_sim_calendar(&shown.size, sim);
    if (shown.column) {
        bool orbits = strcmp(shown.column, "orbits") == 0;
        snprintf(shown.unit, sizeof shown.unit, "%s", orbits ? "orbit" : "yr");
    } else {
        shown.size = 1;
        memcpy(shown.unit, shown.own, sizeof shown.unit);
    }
    oct_page_axis(shown.axis, "time", shown.unit);
    return shown;
}

static void add_quantity(oct_text *out, double value, const char *unit)
{
    oct_plot_number(out, value, TIME_DIGITS);
    oct_text_add(out, *unit ? " " : "");
    oct_page_add_unit(out, unit);
}

void oct_page_add_time(oct_text *out, const oct_page_time *shown, double time)
{
    add_quantity(out, time / shown->size, shown->unit);
}

void oct_page_add_both_times(oct_text *out, const oct_page_time *shown, double time)
{
    add_quantity(out, time, shown->own);
    if (!shown->column)
        return;
    oct_text_add(out, " (");
    oct_page_add_time(out, shown, time);
    oct_text_add(out, ")");
}
