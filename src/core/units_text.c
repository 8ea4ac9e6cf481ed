/* Units as text: what a file, a scene or a command says that numbers are in. */
#include "core/units.h"
#include "util/number.h"
#include "util/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r"

const oct_units oct_units_unknown = {"unknown", false, 1, 1, 1, 1};

oct_units oct_units_make(double length, double mass, double time)
{
    double G = oct_units_find("si")->G * mass * time * time / (length * length * length);
    return (oct_units){"file", true, length, mass, time, G};
}

/* What a statement of units may say the size of. */
enum { LENGTH, MASS, TIME, SPEED, SIZES };
enum { LONGEST_PART = 64 };

typedef struct statement {
    double size[SIZES]; /* SI; 0: not said */
    double G;           /* 0: not said */
} statement;

static const char units_expected[] =
    "; expected si, nbody, solar, galactic, or sizes such as 'AU, Msun, yr'";

/* One of the sizes: "AU" or "1.5e11 m". */
static oct_status read_size(statement *s, const char *part, const char *text)
{
    static const oct_dimension dimensions[SIZES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, -1}};
    static const char *const names[SIZES] = {"length", "mass", "time", "speed"};
    char quantity[LONGEST_PART + 2];
    const char *end;
    double value;
    bool number = oct_number_read(&value, &end, part);
    OCT_CHECK(!number || *end, OCT_STATUS_INPUT, "'%.40s' has no unit%s", part, units_expected);
    snprintf(quantity, sizeof quantity, "%s%s", number ? "" : "1 ", part);
    size_t k = 0;
    while (k < SIZES && oct_units_parse(&value, quantity, dimensions[k], oct_units_find("si"), 0))
        k++;
    OCT_CHECK(k < SIZES, OCT_STATUS_INPUT, "'%.40s' is no length, mass, time or speed%s", part,
              units_expected);
    OCT_CHECK(isnormal(value) && value > 0, OCT_STATUS_INPUT, "'%.40s' is no size of a unit%s",
              part, units_expected);
    OCT_CHECK(s->size[k] == 0, OCT_STATUS_INPUT, "the units '%.80s' say the %s twice", text,
              names[k]);
    s->size[k] = value;
    return OCT_STATUS_OK;
}

static oct_status read_part(oct_units *out, statement *s, bool first, const char *part,
                            const char *text)
{
    const oct_units *known = first ? oct_units_find(part) : NULL;
    const char *end;
    if (known) {
        *out = *known;
        return OCT_STATUS_OK;
    }
    if (!first && part[0] == 'G' && (part[1] == ' ' || part[1] == '=')) {
        bool number =
            oct_number_read(&s->G, &end, part + 2 + strspn(part + 2, BLANKS)) && *end == '\0';
        OCT_CHECK(number && isnormal(s->G) && s->G > 0, OCT_STATUS_INPUT,
                  "'%.40s' is no number above 0 for G", part);
        return OCT_STATUS_OK;
    }
    OCT_CHECK(!out->name, OCT_STATUS_INPUT,
              "'%.40s' follows units that have a name; expected 'G NUMBER' there", part);
    /* A single word is a misspelled name rather than a unit of its own. */
    if (first && !strchr(text, ',')) {
        size_t n = 0;
        while (oct_units_names()[n])
            n++;
        const char *nearest = oct_text_nearest(part, oct_units_names(), n);
        return OCT_FAIL(OCT_STATUS_INPUT, "there are no units '%.40s'%s%s%s", part,
                        nearest ? "; did you mean '" : units_expected, nearest ? nearest : "",
                        nearest ? "'?" : "");
    }
    return read_size(s, part, text);
}

oct_status oct_units_from_text(oct_units *out, const char *text)
{
    oct_units units = {0};
    statement s = {0};
    const char *c = text;
    for (bool first = true;; first = false) {
        char part[LONGEST_PART];
        c += strspn(c, BLANKS);
        size_t length = strcspn(c, ","), used = length;
        while (used > 0 && strchr(BLANKS, c[used - 1]))
            used--;
        OCT_CHECK(used > 0 && used < sizeof part, OCT_STATUS_INPUT, "'%.80s' are no units%s", text,
                  units_expected);
        memcpy(part, c, used);
        part[used] = '\0';
        OCT_TRY(read_part(&units, &s, first, part, text));
        c += length;
        if (*c++ == '\0')
            break;
    }
    if (!units.name) {
        double time = s.size[TIME];
        if (s.size[SPEED] > 0)
            time = s.size[LENGTH] / s.size[SPEED];
        OCT_CHECK(s.size[LENGTH] > 0 && s.size[MASS] > 0 && isnormal(time), OCT_STATUS_INPUT,
                  "the units '%.80s' do not say a length, a mass and a time or a speed%s", text,
                  units_expected);
        OCT_CHECK(s.size[TIME] == 0 || s.size[SPEED] == 0, OCT_STATUS_INPUT,
                  "the units '%.80s' say both a time and a speed", text);
        units = oct_units_make(s.size[LENGTH], s.size[MASS], time);
    }
    if (s.G > 0)
        units.G = s.G;
    *out = units;
    return OCT_STATUS_OK;
}

bool oct_units_same(const oct_units *a, const oct_units *b)
{
    const double tolerance = 1e-9; /* files round their units */
    const double ratios[] = {a->length / b->length, a->mass / b->mass, a->time / b->time};
    bool same = a->physical == b->physical;
    for (int i = 0; a->physical && i < 3; i++)
        same = same && fabs(ratios[i] - 1) < tolerance;
    return same;
}

void oct_units_to_text(char *out, size_t bytes, const oct_units *units)
{
    char number[3][OCT_NUMBER_BYTES], G[OCT_NUMBER_BYTES];
    const oct_units *known = units->name ? oct_units_find(units->name) : NULL;
    oct_units made = oct_units_make(units->length, units->mass, units->time);
    if (!units->physical)
        known = oct_units_find("nbody");
    if (known && known->length == units->length && known->mass == units->mass &&
        known->time == units->time) {
        snprintf(out, bytes, "%s", known->name);
    } else {
        oct_number_write(number[0], units->length);
        oct_number_write(number[1], units->mass);
        oct_number_write(number[2], units->time);
        snprintf(out, bytes, "%s m, %s kg, %s s", number[0], number[1], number[2]);
        known = &made;
    }
    oct_number_write(G, units->G);
    if (units->G != known->G) {
        size_t used = strlen(out);
        snprintf(out + used, bytes - used, ", G %s", G);
    }
}
