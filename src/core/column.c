/* The table of columns, and the columns that a scene or a program adds. */
#include "core/column.h"

#include "core/sim.h"
#include "util/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(oct_bodies, member)
#define FILLED     (OCT_COLUMN_STATE | OCT_COLUMN_SHOWN | OCT_COLUMN_FROM_OUTSIDE)
#define FORCES     (OCT_COLUMN_STATE | OCT_COLUMN_DERIVED | OCT_COLUMN_SHOWN | OCT_COLUMN_OF_FORCES)

static const char *const xyz[] = {"x", "y", "z"}, *const vxyz[] = {"vx", "vy", "vz"},
                         *const wxyz[] = {"wx", "wy", "wz"}, *const id_heading[] = {"id"},
                         *const type_heading[] = {"type"}, *const system_heading[] = {"system"},
                         *const mass_heading[] = {"mass"}, *const radius_heading[] = {"radius"},
                         *const softening_heading[] = {"softening"};

const oct_column_spec oct_columns[] = {
    {.name = "position",
     .width = 3,
     .lanes = 4,
     .flags = FILLED | OCT_COLUMN_TURNS,
     .unit = {1, 0, 0},
     .host = AT(position),
     .headings = xyz,
     .data_set = "Coordinates",
     .doc = "Positions, moved by Header/Shift into the box"},
    {.name = "velocity",
     .width = 3,
     .lanes = 4,
     .flags = FILLED | OCT_COLUMN_TURNS,
     .unit = {1, 0, -1},
     .host = AT(velocity),
     .headings = vxyz,
     .data_set = "Velocities",
     .doc = "Velocities"},
    {.name = "acceleration",
     .width = 3,
     .lanes = 4,
     .flags = FORCES,
     .unit = {1, 0, -2},
     .host = AT(acceleration),
     .doc = "Accelerations"},
    {.name = "id",
     .type = OCT_COLUMN_ULONG,
     .width = 1,
     .flags = FILLED,
     .host = AT(id),
     .headings = id_heading,
     .data_set = "ParticleIDs",
     .doc = "Unique ids"},
    {.name = "type",
     .type = OCT_COLUMN_BYTE,
     .width = 1,
     .flags = FILLED,
     .host = AT(type),
     .headings = type_heading,
     .doc = "Particle types"},
    {.name = "position_low",
     .width = 3,
     .flags = OCT_COLUMN_STATE | OCT_COLUMN_SINGLE,
     .doc = "What single precision rounds off positions"},
    {.name = "velocity_low",
     .width = 3,
     .flags = OCT_COLUMN_STATE | OCT_COLUMN_SINGLE,
     .doc = "What single precision rounds off velocities"},
    {.name = "system",
     .type = OCT_COLUMN_UINT,
     .width = 1,
     .flags = FILLED | OCT_COLUMN_WHERE_USED | OCT_COLUMN_WITH_DOMAIN,
     .host = AT(system),
     .headings = system_heading,
     .doc = "Solar systems, counted from 1; 0: none"},
    {.name = "spin",
     .width = 3,
     .lanes = 4,
     .flags = FILLED | OCT_COLUMN_WHERE_USED | OCT_COLUMN_TURNS,
     .unit = {0, 0, -1},
     .host = AT(spin),
     .headings = wxyz,
     .data_set = "Spins",
     .doc = "Angular velocities in the inertial frame, along the axes of the box"},
    {.name = "softening",
     .width = 1,
     .flags = FILLED | OCT_COLUMN_WHERE_USED | OCT_COLUMN_FROM_START | OCT_COLUMN_NOT_NEGATIVE,
     .unit = {1, 0, 0},
     .host = AT(softening),
     .headings = softening_heading,
     .data_set = "Softenings",
     .doc = "Plummer softening lengths; 0: that of the scene's gravity"},
    {.name = "mass",
     .width = 1,
     .lanes = 4,
     .within = "position",
     .flags = FILLED | OCT_COLUMN_NOT_NEGATIVE,
     .unit = {0, 1, 0},
     .host = AT(mass),
     .headings = mass_heading,
     .data_set = "Masses",
     .doc = "Masses"},
    {.name = "radius",
     .width = 1,
     .lanes = 4,
     .within = "velocity",
     .flags = FILLED | OCT_COLUMN_NOT_NEGATIVE,
     .unit = {1, 0, 0},
     .host = AT(radius),
     .headings = radius_heading,
     .data_set = "Radii",
     .doc = "Physical radii of the bodies"},
    {.name = "potential",
     .width = 1,
     .lanes = 4,
     .within = "acceleration",
     .flags = FORCES,
     .unit = {2, 0, -2},
     .host = AT(potential),
     .data_set = "Potentials",
     .doc = "Gravitational potentials"},
    {0}};

static const char *const choices[] = {"real", "integer", NULL};
static const char *const merges[] = {"keep", "sum", "mean", NULL};

const oct_field oct_column_fields[] = {
    {.name = "unit",
     .type = OCT_FIELD_TEXT,
     .offset = offsetof(oct_column_plan, unit),
     .initial = "",
     .doc = "what its numbers are in, any text; they are never converted"},
    {.name = "width",
     .type = OCT_FIELD_INT,
     .offset = offsetof(oct_column_plan, width),
     .initial = "1",
     .min = 1,
     .max = 3,
     .doc = "1, or 3 for a vector, which turns with the model that it comes from"},
    {.name = "type",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(oct_column_plan, type),
     .initial = "real",
     .choices = choices,
     .doc = "real numbers, or integers of up to 53 bits"},
    {.name = "default",
     .type = OCT_FIELD_NUMBERS,
     .offset = offsetof(oct_column_plan, initial),
     .initial = "0",
     .doc = "of bodies whose model or file does not say another: a number, for each of the three "
            "of a vector, or a list of them"},
    {.name = "merge",
     .type = OCT_FIELD_CHOICE,
     .offset = offsetof(oct_column_plan, merge),
     .initial = "keep",
     .choices = merges,
     .doc = "what bodies have that merge: what the one that stays had, the sum, or the mean by "
            "their masses"},
    {0}};

const oct_column_spec *oct_column_find(const char *name)
{
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return spec;
    return NULL;
}

const oct_column_spec *oct_column_within(const oct_column_spec *spec)
{
    for (const oct_column_spec *in = oct_columns; in->name; in++)
        if (in->within && strcmp(in->within, spec->name) == 0)
            return in;
    return NULL;
}

oct_column_spec oct_column_user(char label[OCT_COLUMN_LABEL], const oct_user_column *column)
{
    oct_column_spec spec = {.name = label,
                            .type = column->integer ? OCT_COLUMN_LONG : OCT_COLUMN_REAL,
                            .width = (unsigned)column->width,
                            .lanes = column->width == 3 ? 4 : 1,
                            .flags = FILLED | OCT_COLUMN_USER,
                            .unit_text = column->unit,
                            .data_set = column->name,
                            .doc = column->name};
    snprintf(label, OCT_COLUMN_LABEL, "column.%s", column->name);
    memcpy(spec.initial, column->initial, sizeof spec.initial);
    return spec;
}

bool oct_column_kept(const oct_column_spec *spec, oct_precision precision)
{
    return !(spec->flags & OCT_COLUMN_SINGLE) || precision == OCT_PRECISION_SINGLE;
}

size_t oct_column_element(const oct_column_spec *spec, oct_precision precision)
{
    static const size_t sizes[] = {[OCT_COLUMN_LONG] = sizeof(int64_t),
                                   [OCT_COLUMN_ULONG] = sizeof(uint64_t),
                                   [OCT_COLUMN_UINT] = sizeof(uint32_t),
                                   [OCT_COLUMN_BYTE] = sizeof(uint8_t)};
    size_t number = spec->type == OCT_COLUMN_REAL ? oct_real_size(precision) : sizes[spec->type];
    return number * (spec->lanes ? spec->lanes : spec->width);
}

size_t oct_column_host_bytes(const oct_column_spec *spec)
{
    /* Reals are double there, as they are on a device in double precision. */
    oct_column_spec plain = *spec;
    plain.lanes = 0;
    return oct_column_element(&plain, OCT_PRECISION_DOUBLE);
}

void *oct_column_host(const oct_bodies *bodies, const oct_column_spec *spec)
{
    void *array;
    memcpy(&array, (const char *)bodies + spec->host, sizeof array);
    return array;
}

void oct_column_pack(void *element, const oct_column_spec *spec, oct_precision precision,
                     const double *own, const double *last)
{
    size_t bytes = oct_column_element(spec, precision);
    double wide[4] = {0};
    float narrow[4];
    int64_t whole[4] = {0};
    memcpy(wide, own, spec->width * sizeof *wide);
    if (last)
        wide[spec->lanes - 1] = *last;
    for (size_t k = 0; k < 4; k++)
        narrow[k] = (float)wide[k];
    for (size_t k = 0; k < spec->width && spec->type == OCT_COLUMN_LONG; k++)
        whole[k] = (int64_t)wide[k];
    if (spec->type == OCT_COLUMN_LONG)
        memcpy(element, whole, bytes);
    else if (precision == OCT_PRECISION_SINGLE)
        memcpy(element, narrow, bytes);
    else
        memcpy(element, wide, bytes);
}

void oct_column_unpack(double out[3], const void *element, const oct_column_spec *spec,
                       oct_precision precision)
{
    size_t lane = spec->within ? spec->lanes - 1 : 0;
    for (size_t k = 0; k < spec->width; k++) {
        if (spec->type == OCT_COLUMN_LONG)
            out[k] = (double)((const int64_t *)element)[k];
        else if (precision == OCT_PRECISION_SINGLE)
            out[k] = (double)((const float *)element)[lane + k];
        else
            out[k] = ((const double *)element)[lane + k];
    }
}

/* What our own columns are called anywhere, and a part of a vector in a CSV file. */
static bool is_taken(const char *name)
{
    size_t length = strlen(name);
    for (const oct_column_spec *spec = oct_columns; spec->name; spec++) {
        bool same =
            strcmp(name, spec->name) == 0 || (spec->data_set && strcmp(name, spec->data_set) == 0);
        for (size_t k = 0; spec->headings && k < spec->width; k++)
            same = same || strcmp(name, spec->headings[k]) == 0;
        if (same)
            return true;
    }
    return length > 2 && name[length - 2] == '_' && strchr("xyz", name[length - 1]);
}

oct_status oct_column_check_number(const char *name, bool integer, double number)
{
    OCT_CHECK(isfinite(number), OCT_STATUS_INPUT,
              "column '%s' has a value of %g; expected a finite number", name, number);
    OCT_CHECK(!integer || (number == trunc(number) && fabs(number) <= ldexp(1, OCT_COLUMN_EXACT)),
              OCT_STATUS_INPUT,
              "column '%s' has a value of %.17g; expected a whole number of at most %d bits", name,
              number, OCT_COLUMN_EXACT);
    return OCT_STATUS_OK;
}

oct_status oct_column_check(const char *name, const char *unit, size_t width, bool integer,
                            const double initial[3])
{
    OCT_CHECK(oct_field_identifier(name), OCT_STATUS_INPUT,
              "'%.40s' is no name for a column; expected a letter, then letters, digits and '_', "
              "and no word of OpenCL C",
              name);
    OCT_CHECK(strlen(name) < OCT_COLUMN_NAME, OCT_STATUS_INPUT,
              "the name of column '%.40s' is too long; expected at most %d characters", name,
              OCT_COLUMN_NAME - 1);
    OCT_CHECK(!is_taken(name), OCT_STATUS_INPUT,
              "a column cannot be called '%s', which stands for something else in files; expected "
              "another name",
              name);
    OCT_CHECK(strlen(unit) < OCT_COLUMN_UNIT, OCT_STATUS_INPUT,
              "the unit of column '%s' is too long; expected at most %d bytes", name,
              OCT_COLUMN_UNIT - 1);
    for (const char *c = unit; *c; c++)
        OCT_CHECK((unsigned char)*c >= ' ', OCT_STATUS_INPUT,
                  "the unit of column '%s' has more than one line; expected a text such as C",
                  name);
    OCT_CHECK(width == 1 || width == 3, OCT_STATUS_INPUT,
              "column '%s' has %zu numbers a body; expected 1, or 3 for a vector", name, width);
    for (size_t k = 0; k < width; k++)
        OCT_TRY(oct_column_check_number(name, integer, initial[k]));
    return OCT_STATUS_OK;
}
