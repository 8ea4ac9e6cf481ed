/* The columns of catalogues, and catalogues as tables. */
#include "io/catalogue.h"

#include "core/units.h"
#include "util/file.h"
#include "util/number.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(oct_group, member)

const oct_catalogue_column oct_catalogue_columns[] = {
    {"n", "GroupLen", true, 1, AT(n), {0, 0, 0}, "Members"},
    {"mass", "GroupMass", false, 1, AT(mass), {0, 1, 0}, "Masses"},
    {"position", "GroupPos", false, 3, AT(position), {1, 0, 0}, "Centres of mass"},
    {"velocity", "GroupVel", false, 3, AT(velocity), {1, 0, -1}, "Velocities of these"},
    {"radius", "GroupRadius", false, 1, AT(radius), {1, 0, 0}, "Radii of the farthest members"},
    {"half_radius",
     "GroupHalfRadius",
     false,
     1,
     AT(half_radius),
     {1, 0, 0},
     "Radii that hold half of the masses"},
    {"dispersion",
     "GroupDispersion",
     false,
     1,
     AT(dispersion),
     {1, 0, -1},
     "Velocity dispersions along a line"},
    {"angular_momentum",
     "GroupAngularMomentum",
     false,
     3,
     AT(angular_momentum),
     {2, 1, -1},
     "Angular momenta about the centres of mass"},
    {"heaviest", "GroupHeaviest", true, 1, AT(heaviest), {0, 0, 0}, "Ids of the heaviest members"},
    {"most_bound",
     "GroupMostBound",
     true,
     1,
     AT(most_bound),
     {0, 0, 0},
     "Ids of the members with the least energies"},
    {0}};

/* A table's two lines before the rows. */
static void add_heading(oct_text *out, const oct_file_info *info)
{
    static const char *const endings[] = {"_x", "_y", "_z"};
    oct_text units = {0};
    oct_text_add(out, "group");
    oct_text_add(&units, "# units: 1");
    for (const oct_catalogue_column *c = oct_catalogue_columns; c->name; c++)
        for (size_t k = 0; k < c->width; k++) {
            char unit[64];
            oct_units_describe(unit, sizeof unit, &info->units, c->unit);
            oct_text_add(out, ",%s%s", c->name, c->width == 3 ? endings[k] : "");
            oct_text_add(&units, ",%s", *unit ? unit : "1");
        }
    oct_text_add(out, "\n%s\n", units.data ? units.data : "");
    out->failed = out->failed || units.failed;
    oct_text_clear(&units);
}

static void add_row(oct_text *out, size_t index, const oct_group *group)
{
    oct_text_add(out, "%zu", index + 1);
    for (const oct_catalogue_column *c = oct_catalogue_columns; c->name; c++) {
        const char *at = (const char *)group + c->offset;
        uint64_t whole;
        double real;
        char number[OCT_NUMBER_BYTES];
        for (size_t k = 0; k < c->width; k++) {
            memcpy(&whole, at + k * sizeof whole, sizeof whole);
            memcpy(&real, at + k * sizeof real, sizeof real);
            oct_number_write(number, real);
            if (c->whole)
                oct_text_add(out, ",%" PRIu64, whole);
            else
                oct_text_add(out, ",%s", number);
        }
    }
    oct_text_add(out, "\n");
}

oct_status oct_groups_write(const oct_groups *groups, const oct_file_info *info, const char *path)
{
    oct_text text = {0};
    char *table;
    if (oct_file_ends(path, ".hdf5") || oct_file_ends(path, ".h5"))
        return oct_catalogue_save(groups, info, path);
    OCT_CHECK(oct_file_ends(path, ".csv"), OCT_STATUS_INPUT,
              "cannot tell what kind of catalogue '%s' should be: its name must end in .csv, "
              ".hdf5 or .h5",
              path);
    add_heading(&text, info);
    for (size_t g = 0; g < groups->n; g++)
        add_row(&text, g, &groups->groups[g]);
    OCT_TRY(oct_text_take(&table, &text));
    oct_status status = oct_file_write(path, table, strlen(table), true);
    free(table);
    return status;
}
