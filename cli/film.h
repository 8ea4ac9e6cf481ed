/* The film of a run, as the command line asks for it. */
#ifndef OCT_CLI_FILM_H
#define OCT_CLI_FILM_H

#include "picture.h"

#define OCT_OPTIONS_FILM                                                                           \
    {.name = "film", .value = "FILE.mp4", .doc = "make a film of the run"},                        \
        {.name = "film-interval", .value = "T", .doc = "simulated time between its frames"},       \
    {                                                                                              \
        .name = "film-set", .value = "NAME=VALUE", .repeated = true,                               \
        .doc = "an option of `octant render` for it, as in mode=spheres"                           \
    }

typedef struct oct_film_request {
    oct_call call; /* the options in it, as `octant render` would have them */
    char **words;
    oct_picture picture;
    oct_run_film film;
} oct_film_request;

/* Reads these options but for the interval. False after a sentence on standard error; there is
 * nothing to clear then. Where there is no film, film.path is NULL. */
bool oct_film_parse(oct_film_request *out, const oct_call *call);
/* Reads those of them that may carry units, when the simulation's are known. */
bool oct_film_measure(oct_film_request *request, const oct_sim *sim);
void oct_film_clear(oct_film_request *request);

#endif
