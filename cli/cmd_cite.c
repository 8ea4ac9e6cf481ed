/* octant cite: the papers behind the methods, as text, BibTeX or JSON. */
#include <stdio.h>
#include <string.h>

#include "command.h"

static const oct_option options[] = {
    {.name = "bibtex", .doc = "print BibTeX entries"}, OCT_OPTION_JSON, {0}};

typedef struct cited_work {
    const char *key, *kind, *author, *title, *where, *year, *doi;
    const char *why;
} cited_work;

static const cited_work works[] = {
    {.key = "brown-deer2010",
     .kind = "misc",
     .author = "{Brown Deer Technology}",
     .title = "OpenCL Tutorial: N-Body Simulation",
     .year = "2010",
     .why = "all-pairs forces in tiles, bursts of steps"},
    {.key = "nakasato2012",
     .kind = "article",
     .author = "Nakasato, N.",
     .title = "Implementation of a parallel tree method on a GPU",
     .where = "Journal of Computational Science 3, 132-141",
     .year = "2012",
     .doi = "10.1016/j.jocs.2011.01.006",
     .why = "brute force with potential, the walk without a stack"},
    {.key = "bedorf2012",
     .kind = "article",
     .author = "B{\\'e}dorf, J. and Gaburov, E. and Portegies Zwart, S.",
     .title = "A sparse octree gravitational N-body code that runs entirely on the GPU processor",
     .where = "Journal of Computational Physics 231, 2825-2839",
     .year = "2012",
     .doi = "10.1016/j.jcp.2011.12.024",
     .why = "the octree on the device, its acceptance criterion"},
    {.key = "vincent2014",
     .kind = "misc",
     .author = "Vincent, T.",
     .title = "OCCLUDE: An OpenCL N-body code for collisional dynamics",
     .where = "Project report, University of Toronto",
     .year = "2014",
     .why = "rings on the device: the sheet, gravity and collisions by one octree"},
    {.key = "rein2011",
     .kind = "article",
     .author = "Rein, H. and Tremaine, S.",
     .title = "Symplectic integrators in the shearing sheet",
     .where = "Monthly Notices of the Royal Astronomical Society 415, 3168-3176",
     .year = "2011",
     .doi = "10.1111/j.1365-2966.2011.18939.x",
     .why = "the integrator sei"},
    {.key = "wisdom1988",
     .kind = "article",
     .author = "Wisdom, J. and Tremaine, S.",
     .title = "Local simulations of planetary rings",
     .where = "Astronomical Journal 95, 925-940",
     .year = "1988",
     .why = "colliding spheres in a sheared box, their viscosity"},
    {.key = "bridges1984",
     .kind = "article",
     .author = "Bridges, F. G. and Hatzes, A. and Lin, D. N. C.",
     .title = "Structure, stability and evolution of Saturn's rings",
     .where = "Nature 309, 333-335",
     .year = "1984",
     .doi = "10.1038/309333a0",
     .why = "restitution: bridges"},
    {.key = "salo1992",
     .kind = "article",
     .author = "Salo, H.",
     .title = "Gravitational wakes in Saturn's rings",
     .where = "Nature 359, 619-621",
     .year = "1992",
     .doi = "10.1038/359619a0",
     .why = "wakes"},
    {.key = "skilling2004",
     .kind = "article",
     .author = "Skilling, J.",
     .title = "Programming the Hilbert curve",
     .where = "AIP Conference Proceedings 707, 381-387",
     .year = "2004",
     .doi = "10.1063/1.1751381",
     .why = "Hilbert keys"},
    {.key = "hommeland2015",
     .kind = "mastersthesis",
     .author = "Hommeland, J.",
     .title = "Procedural generation of multiple stable, small-scale solar systems using 3D "
              "N-Body simulation",
     .where = "Norwegian University of Science and Technology, Trondheim",
     .year = "2015",
     .why = "solar systems, Euler integrators"},
    {.key = "aarseth1974",
     .kind = "article",
     .author = "Aarseth, S. J. and H{\\'e}non, M. and Wielen, R.",
     .title = "A comparison of numerical methods for the study of star cluster dynamics",
     .where = "Astronomy and Astrophysics 37, 183-187",
     .year = "1974",
     .why = "the model plummer"},
    {.key = "hernquist1990",
     .kind = "article",
     .author = "Hernquist, L.",
     .title = "An analytical model for spherical galaxies and bulges",
     .where = "Astrophysical Journal 356, 359-364",
     .year = "1990",
     .doi = "10.1086/168845",
     .why = "the model hernquist"},
    {.key = "salmon2011",
     .kind = "inproceedings",
     .author = "Salmon, J. K. and Moraes, M. A. and Dror, R. O. and Shaw, D. E.",
     .title = "Parallel random numbers: as easy as 1, 2, 3",
     .where = "Proceedings of SC11",
     .year = "2011",
     .doi = "10.1145/2063384.2063405",
     .why = "random numbers of every model"},
};
enum { WORKS = sizeof works / sizeof works[0] };

/* Names as people write them: BibTeX's braces and accents are left out. */
static void print_plain(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strncmp(c, "{\\'e}", 5) == 0) {
            printf("\xc3\xa9");
            c += 4;
        } else if (strncmp(c, " and ", 5) == 0) {
            printf(", ");
            c += 4;
        } else if (*c != '{' && *c != '}') {
            putchar(*c);
        }
    }
}

static void print_text(void)
{
    printf("Octant %s, an N-body simulator for any OpenCL device.\n"
           "Please name the version, and cite what your run made use of:\n",
           oct_version());
    for (size_t i = 0; i < WORKS; i++) {
        const cited_work *work = &works[i];
        printf("\n%s:\n  ", work->why);
        print_plain(work->author);
        printf(" (%s). %s.", work->year, work->title);
        if (work->where)
            printf(" %s.", work->where);
        printf("%s%s\n", work->doi ? " doi:" : "", work->doi ? work->doi : "");
    }
}

static const char *where_field(const char *kind)
{
    return strcmp(kind, "article") == 0         ? "journal"
           : strcmp(kind, "mastersthesis") == 0 ? "school"
           : strcmp(kind, "misc") == 0          ? "howpublished"
                                                : "booktitle";
}

static void print_bibtex(void)
{
    printf("@misc{octant,\n  title = {Octant %s: N-body simulation on any OpenCL device}\n}\n",
           oct_version());
    for (size_t i = 0; i < WORKS; i++) {
        const cited_work *work = &works[i];
        printf("\n@%s{%s,\n  author = {%s},\n  title = {%s},\n", work->kind, work->key,
               work->author, work->title);
        if (work->where)
            printf("  %s = {%s},\n", where_field(work->kind), work->where);
        if (work->doi)
            printf("  doi = {%s},\n", work->doi);
        printf("  year = {%s}\n}\n", work->year);
    }
}

static void print_json(void)
{
    printf("[");
    for (size_t i = 0; i < WORKS; i++) {
        const char *const names[] = {"key", "author", "title", "where", "year", "doi", "why"};
        const char *const values[] = {works[i].key,   works[i].author, works[i].title,
                                      works[i].where, works[i].year,   works[i].doi,
                                      works[i].why};
        printf("%s\n  {", i ? "," : "");
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            printf("%s\"%s\": ", k ? ", " : "", names[k]);
            if (values[k])
                oct_json_text(values[k]);
            else
                printf("null");
        }
        printf("}");
    }
    printf("\n]\n");
}

static int run(const oct_call *call)
{
    if (oct_call_option(call, "bibtex"))
        print_bibtex();
    else if (oct_call_option(call, "json"))
        print_json();
    else
        print_text();
    return 0;
}

const oct_command oct_cmd_cite = {
    .name = "cite",
    .arguments = "",
    .doc = "say what to cite",
    .example = "octant cite --bibtex",
    .options = options,
    .run = run,
};
