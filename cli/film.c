/* Reads --film and what belongs to it, and measures the film before the run begins. */
#include "film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const oct_option options[] = {OCT_OPTIONS_PICTURE, {0}};
static const oct_command command = {.name = "render", .options = options};

/* Every NAME=VALUE as the word that `octant render` would be given. */
static int make_words(char ***out, const oct_call *call)
{
    int count = 0;
    while (oct_call_option_at(call, "film-set", count))
        count++;
    char **words = calloc((size_t)count + 1, sizeof *words);
    bool complete = words != NULL;
    for (int i = 0; complete && i < count; i++) {
        const char *text = oct_call_option_at(call, "film-set", i);
        size_t bytes = strlen(text) + sizeof "--";
        words[i] = malloc(bytes);
        complete = words[i] != NULL;
        if (complete)
            snprintf(words[i], bytes, "--%s", text);
    }
    *out = words;
    return complete ? count : -1;
}

bool oct_film_parse(oct_film_request *out, const oct_call *call)
{
    *out = (oct_film_request){
        .film = {.size = sizeof out->film, .path = oct_call_option(call, "film")}};
    if (!out->film.path) {
        bool stray = oct_call_option(call, "film-set") || oct_call_option(call, "film-interval");
        return !stray ||
               oct_report_usage("--film-%s goes with --film FILE.mp4",
                                oct_call_option(call, "film-set") ? "set" : "interval") == 0;
    }
    int count = make_words(&out->words, call);
    bool good = count >= 0 && oct_call_parse(&out->call, &command, count, out->words) &&
                oct_picture_parse(&out->picture, &out->call);
    if (count < 0)
        oct_report_usage("no memory for the options of the film");
    if (!good) {
        oct_film_clear(out);
        return false;
    }
    out->film.fps = out->picture.fps;
    out->film.picture = &out->picture.options;
    out->film.camera = out->picture.path;
    return true;
}

bool oct_film_measure(oct_film_request *request, const oct_sim *sim)
{
    if (!request->film.path)
        return true;
    return oct_picture_measure(&request->picture, &request->call, oct_sim_units(sim), false);
}

void oct_film_clear(oct_film_request *request)
{
    oct_picture_clear(&request->picture);
    oct_call_clear(&request->call);
    for (int i = 0; request->words && request->words[i]; i++)
        free(request->words[i]);
    free(request->words);
    *request = (oct_film_request){0};
}
