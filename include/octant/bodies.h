/* A part of octant.h: bodies on the host, their units and their files. */
#ifndef OCTANT_BODIES_H
#define OCTANT_BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The particle types of snapshot files, which are GADGET's: a halo's particles are bodies. */
enum {
    OCT_TYPE_BODY = 1,
    OCT_TYPE_DISK = 2,
    OCT_TYPE_BULGE = 3,
    OCT_TYPE_STAR = 4,
    OCT_TYPE_BLACK_HOLE = 5
};
/* Added to a type: forces do not move this body, collisions do. The mask gives the type back. */
enum { OCT_TYPE_HELD = 16, OCT_TYPE_MASK = 15 };
/* What oct_sim_read says of a body that has left or merged, until its place is closed up. */
enum { OCT_TYPE_REMOVED = 255 };

/* The most characters that the name and the unit of a column have, with the zero at their end; and
 * the most columns of the user's. */
enum { OCT_COLUMN_NAME = 24, OCT_COLUMN_UNIT = 32, OCT_USER_COLUMNS = 16 };

/* A column of the user's own: what a scene or a program says that bodies have beside the rest. Its
 * numbers are in its own unit, whatever the units of the scene or file are. */
typedef struct oct_user_column {
    char name[OCT_COLUMN_NAME]; /* a name that OpenCL C takes */
    char unit[OCT_COLUMN_UNIT]; /* any text of one line; "": a number */
    size_t width;               /* 1, or 3 for a vector */
    bool integer;               /* whole numbers, of up to 53 bits */
    double initial[3];          /* of new bodies */
    double *data;               /* width n */
} oct_user_column;

/* Bodies on the host, in the user's order, in the units of the scene or file they belong to.
 * The arrays are owned by the struct; vectors are stored x, y, z for each body in turn. */
typedef struct oct_bodies {
    size_t n;
    double *position; /* 3 n */
    double *velocity; /* 3 n */
    double *mass;
    double *radius;
    double *acceleration; /* 3 n; zero where it is not known */
    double *potential;    /* zero where it is not known */
    uint64_t *id;
    uint8_t *type;
    /* The solar system that each belongs to, counted from 1; 0: none. The bodies of a system come
     * one after another, its star first. */
    uint32_t *system;
    /* 3 n: angular velocities in the inertial frame, along the axes of the box as it is turned at
     * the moment; bodies are homogeneous spheres, of which each has 2/5 m r^2. */
    double *spin;
    size_t n_columns;
    oct_user_column *columns;
    double *softening; /* Plummer softening lengths; 0: that of the scene's gravity */
} oct_bodies;

/* Sets the number of bodies; those there are kept, new ones are zero, and have the defaults of the
 * user's columns. Start from {0}. */
oct_status oct_bodies_resize(oct_bodies *bodies, size_t n);
/* Gives back all that it holds: no bodies and no columns are left. */
void oct_bodies_clear(oct_bodies *bodies);
/* The index of the body with this id; false where there is none. */
bool oct_bodies_find(size_t *index, const oct_bodies *bodies, uint64_t id);

/* Adds a column, filled with its default: `initial` is NULL for zeros, else has `width` numbers. Of
 * one that is there the rest must be the same. */
oct_status oct_bodies_add_column(oct_bodies *bodies, const char *name, const char *unit,
                                 size_t width, bool integer, const double *initial);
/* A column of the user's; NULL where there is none of that name. */
oct_user_column *oct_bodies_column(const oct_bodies *bodies, const char *name);

/* A system of units: the value of one unit of length, mass and time in SI, and G in them.
 * With physical false (units: nbody) the three are 1 and stand for nothing in particular. */
typedef struct oct_units {
    const char *name;
    bool physical;
    double length, mass, time, G;
} oct_units;

/* The system named si, nbody, solar or galactic; NULL for any other name. */
const oct_units *oct_units_find(const char *name);
/* All names, NULL-terminated. */
const char *const *oct_units_names(void);
/* Reads a quantity as scenes write them, "200 m" or "400 kg/m^2", or a plain number, which is in
 * `units`. The dimension is given by its powers of length, mass and time. */
oct_status oct_units_read(double *out, const char *text, const oct_units *units, int length,
                          int mass, int time);

/* What a file of bodies says beside the bodies themselves. */
typedef struct oct_file_info {
    size_t size;
    char kind[16]; /* the name of an oct_file_kind */
    char title[128];
    char generator[64];
    double time;
    uint64_t step;
    double box[3]; /* 0 where the file has none */
    bool periodic;
    double orbit; /* length of the orbit of a box that is a patch of a disk; 0 of others */
    oct_units units;
    bool spins;           /* bodies can spin; files have spins then, or where any is not 0 */
    char run[33];         /* the run that wrote it, as oct_sim_identity says; "" where none did */
    char components[256]; /* names of the numbers in the column `component`, from 1 on, with blanks
                             between them; those that there is room for */
} oct_file_info;

/* Units from their name, or from the sizes of a unit of length, of mass, and of time or speed, such
 * as "AU, Msun, yr" or "1 kpc, 1e10 Msun, 1 km/s"; where G is not the real one, ", G 1.5" follows.
 */
oct_status oct_units_from_text(oct_units *out, const char *text);

/* A kind of file that bodies are in. What a file is that is read is seen in it, not in its name. */
typedef struct oct_file_kind {
    const char *name, *doc;
    const char *endings; /* of paths that mean it where files are written: ".hdf5 .h5"; or NULL */
    const char *lost;    /* what bodies have and it has no place for; NULL: nothing */
    bool written;        /* Octant writes it, too */
    bool says_units;
} oct_file_kind;
/* The kinds by index, which belong to the library; NULL past the last. */
const oct_file_kind *oct_file_kind_at(size_t index);
/* The kind that a file is to have: of that name, or where it is NULL as the path ends. Refuses what
 * is not written. */
oct_status oct_file_kind_for(const oct_file_kind **out, const char *name, const char *path);

/* Reads bodies from a file of any kind, with the user's columns that it says it has; and those that
 * `out` has, where it holds data of their names.
 * Numbers are converted to the units `into`; pass NULL to keep the file's own. A file that does not
 * say what its units are is in these already (named "unknown" without them). info may be NULL. */
oct_status oct_bodies_read(oct_bodies *out, oct_file_info *info, const char *path,
                           const oct_units *into);
/* The same for a file that does not say its units, or in nbody units, whose numbers are in the
 * units `from`; one that says otherwise is refused. Both units may be NULL. */
oct_status oct_bodies_read_from(oct_bodies *out, oct_file_info *info, const char *path,
                                const oct_units *from, const oct_units *into);
/* Writes a file of the kind that the ending stands for, such as .hdf5 or .csv. info tells the units
 * and must be there. */
oct_status oct_bodies_write(const oct_bodies *bodies, const oct_file_info *info, const char *path);
/* The same in the kind of that name, whatever the ending; NULL: by the ending. */
oct_status oct_bodies_write_as(const oct_bodies *bodies, const oct_file_info *info,
                               const char *path, const char *kind);

#ifdef __cplusplus
}
#endif
#endif
