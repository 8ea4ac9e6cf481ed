/* What clients may ask the simulation for, and the answers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/burst.h"
#include "util/number.h"
#include "view/viewer.h"

#define ACT(name)                                                                                  \
    static oct_status name(oct_viewer *viewer, oct_sim *sim, const oct_form *form, oct_text *reply)

enum { MOST_STEPS = 1000000 };

static oct_status take_nothing(const oct_form *form)
{
    return oct_form_check(form, (const char *const[]){NULL});
}

ACT(pause_run)
{
    (void)sim;
    (void)reply;
    OCT_TRY(take_nothing(form));
    viewer->paused = true;
    viewer->owed = 0;
    return OCT_STATUS_OK;
}

ACT(resume_run)
{
    (void)sim;
    (void)reply;
    OCT_TRY(take_nothing(form));
    OCT_TRY(oct_viewer_check(viewer));
    viewer->paused = false;
    viewer->owed = 0;
    return OCT_STATUS_OK;
}

/* Who asked is answered when the steps are taken. */
ACT(take_steps)
{
    uint64_t steps = 1;
    (void)sim;
    (void)reply;
    OCT_TRY(oct_form_check(form, (const char *const[]){"steps", NULL}));
    OCT_TRY(oct_form_count(&steps, form, "steps", 1, MOST_STEPS));
    OCT_TRY(oct_viewer_check(viewer));
    OCT_CHECK(!viewer->stepping, OCT_STATUS_INPUT, "steps are being taken already");
    viewer->paused = true;
    viewer->owed = steps;
    return OCT_STATUS_OK;
}

ACT(limit_speed)
{
    (void)sim;
    (void)reply;
    OCT_TRY(oct_form_check(form, (const char *const[]){"limit", NULL}));
    return oct_form_number(&viewer->speed, form, "limit", 0, 1e9);
}

/* Files --------------------------------------------------------------------------------------- */

ACT(first_file)
{
    (void)reply;
    OCT_TRY(take_nothing(form));
    return oct_files_show_from(viewer, sim, 0);
}

ACT(next_file)
{
    (void)reply;
    uint64_t steps = 1;
    OCT_TRY(oct_form_check(form, (const char *const[]){"steps", NULL}));
    OCT_TRY(oct_form_count(&steps, form, "steps", 1, MOST_STEPS));
    size_t last = viewer->files.n - 1, index = viewer->files.index + (size_t)steps;
    OCT_TRY(oct_files_show_from(viewer, sim, index < last ? index : last));
    viewer->paused = true;
    return OCT_STATUS_OK;
}

ACT(seek_file)
{
    (void)reply;
    uint64_t index = UINT64_MAX;
    OCT_TRY(oct_form_check(form, (const char *const[]){"index", NULL}));
    OCT_TRY(oct_form_count(&index, form, "index", 0, viewer->files.n - 1));
    OCT_CHECK(index != UINT64_MAX, OCT_STATUS_INPUT, "which one? Expected index=K");
    return oct_files_show(viewer, sim, (size_t)index);
}

/* Frames -------------------------------------------------------------------------------------- */

static oct_status read_colour(oct_cut *cut, const char *name)
{
    for (int i = 0; i < OCT_COLOURS; i++)
        if (strcmp(name, oct_colour_names[i]) == 0) {
            cut->colour = (oct_colour)i;
            return OCT_STATUS_OK;
        }
    const char *nearest = oct_text_nearest(name, oct_colour_names, OCT_COLOURS);
    return OCT_FAIL(OCT_STATUS_INPUT, "there is no colour '%.40s'%s%s%s", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static oct_status read_box(oct_cut *cut, const char *text)
{
    double sides[6];
    const char *at = text;
    if (strcmp(text, "auto") == 0 || strcmp(text, "fit") == 0) {
        cut->box = text[0] == 'a' ? OCT_BOX_AUTO : OCT_BOX_FIT;
        return OCT_STATUS_OK;
    }
    for (int i = 0; i < 6; i++) {
        at += strspn(at, " ");
        OCT_CHECK(oct_number_read(&sides[i], &at, at) && (*at == ' ' || *at == '\0'),
                  OCT_STATUS_INPUT,
                  "box is '%.60s': expected auto, fit or six numbers x0 y0 z0 x1 y1 z1", text);
    }
    for (int k = 0; k < 3; k++)
        OCT_CHECK(sides[k] < sides[k + 3] && sides[k + 3] - sides[k] < 1e300 && !*at,
                  OCT_STATUS_INPUT, "box is '%.60s': its second corner is not above its first",
                  text);
    memcpy(cut->low, sides, sizeof cut->low);
    memcpy(cut->high, sides + 3, sizeof cut->high);
    cut->box = OCT_BOX_GIVEN;
    return OCT_STATUS_OK;
}

ACT(cut_frames)
{
    oct_cut cut = viewer->cut;
    uint64_t most = cut.most;
    double rate = viewer->rate, share = viewer->share;
    const char *colour = oct_form_get(form, "colour"), *box = oct_form_get(form, "box");
    (void)reply;
    OCT_TRY(oct_form_check(form,
                           (const char *const[]){"colour", "most", "box", "rate", "share", NULL}));
    OCT_TRY(oct_form_count(&most, form, "most", 1, INT32_MAX));
    OCT_TRY(oct_form_number(&rate, form, "rate", 1, 60));
    OCT_TRY(oct_form_number(&share, form, "share", 0.001, 1));
    if (colour)
        OCT_TRY(read_colour(&cut, colour));
    OCT_CHECK(oct_cutter_has(sim, cut.colour), OCT_STATUS_INPUT,
              "colours by %s are not found where the simulation has more than one domain",
              oct_colour_names[cut.colour]);
    if (box)
        OCT_TRY(read_box(&cut, box));
    cut.most = (uint32_t)most;
    viewer->cut = cut;
    viewer->rate = rate;
    viewer->share = share;
    viewer->stale = viewer->unfit = true;
    return OCT_STATUS_OK;
}

ACT(quit)
{
    (void)sim;
    (void)reply;
    OCT_TRY(take_nothing(form));
    viewer->quit = true;
    return OCT_STATUS_OK;
}

/* The table ----------------------------------------------------------------------------------- */

enum { LIVE = OCT_VIEW_SCENE | OCT_VIEW_RUN, ALL = LIVE | OCT_VIEW_FILES };

const oct_verb oct_verbs[] = {
    {.name = "pause", .modes = ALL, .act = pause_run},
    {.name = "resume", .modes = ALL, .act = resume_run},
    {.name = "step", .modes = LIVE, .act = take_steps},
    {.name = "step", .modes = OCT_VIEW_FILES, .act = next_file},
    {.name = "reset", .modes = OCT_VIEW_SCENE, .act = oct_change_reset},
    {.name = "reset", .modes = OCT_VIEW_FILES, .act = first_file},
    {.name = "speed", .modes = ALL, .act = limit_speed},
    {.name = "set", .modes = LIVE, .alone = true, .act = oct_change_set},
    {.name = "scene", .modes = OCT_VIEW_SCENE, .act = oct_change_scene},
    {.name = "add", .modes = OCT_VIEW_SCENE, .act = oct_population_add},
    {.name = "remove", .modes = OCT_VIEW_SCENE, .act = oct_population_remove},
    {.name = "frame", .modes = ALL, .act = cut_frames},
    {.name = "profile", .modes = LIVE, .act = oct_timing_begin},
    {.name = "seek", .modes = OCT_VIEW_FILES, .act = seek_file},
    {.name = "snapshot", .modes = LIVE, .act = oct_save_snapshot},
    {.name = "checkpoint", .modes = LIVE, .act = oct_save_checkpoint},
    {.name = "quit", .modes = ALL, .act = quit},
    {.name = "body", .get = true, .modes = ALL, .act = oct_body_find},
    {0}};

const oct_verb *oct_verb_find(const char *name)
{
    for (const oct_verb *verb = oct_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static const oct_verb *verb_here(const char *name, oct_view_mode mode)
{
    for (const oct_verb *verb = oct_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0 && verb->modes & mode)
            return verb;
    return NULL;
}

/* Answers ------------------------------------------------------------------------------------- */

static void answer_refusal(oct_viewer *viewer, oct_ask *ask, unsigned code, const char *sentence)
{
    oct_text text = {0};
    char *reply = NULL;
    oct_text_add(&text, "{\"error\": ");
    oct_text_add_json(&text, sentence);
    oct_text_add(&text, "}\n");
    (void)oct_text_take(&reply, &text);
    oct_shared_answer(&viewer->shared, ask, code, reply);
}

static void post_state(oct_viewer *viewer, const oct_sim *sim)
{
    char *state;
    if (oct_viewer_write_state(&state, viewer, sim) == OCT_STATUS_OK)
        oct_shared_post(&viewer->shared, &viewer->shared.state, state);
}

/* Closes the object that a verb has begun and sends it. */
static void answer(oct_viewer *viewer, const oct_sim *sim, oct_ask *ask, oct_text *reply)
{
    char *text = NULL;
    /* Whoever reads the state after this answer finds what has changed. */
    post_state(viewer, sim);
    oct_text_add(reply, ", \"step\": %" PRIu64 ", \"time\": ", oct_sim_steps(sim));
    oct_text_add_number(reply, oct_sim_time(sim));
    oct_text_add(reply, ", \"generation\": %" PRIu32 ", \"paused\": %s, \"ms\": %.3f}\n",
                 viewer->generation, viewer->paused ? "true" : "false",
                 1e3 * (oct_burst_clock() - ask->since));
    (void)oct_text_take(&text, reply);
    oct_shared_answer(&viewer->shared, ask, 200, text);
}

static unsigned code_of(oct_status status)
{
    if (status == OCT_STATUS_MISSING)
        return 404;
    return status > 0 ? 400 : 500;
}

/* Says why not. Whoever reads the state after this answer finds that the simulation has failed,
 * where it can no longer go on; that failure is returned. */
static oct_status refuse(oct_viewer *viewer, oct_sim *sim, oct_ask *ask, oct_status status)
{
    char sentence[4096];
    snprintf(sentence, sizeof sentence, "%s", oct_last_error());
    oct_status lost = status < 0 && !*viewer->error ? oct_sim_wait(sim) : OCT_STATUS_OK;
    if (lost != OCT_STATUS_OK)
        oct_viewer_fail(viewer, sim, oct_last_error());
    answer_refusal(viewer, ask, code_of(status), sentence);
    return lost;
}

/* Does what was asked for. */
static oct_status obey(oct_viewer *viewer, oct_sim *sim, oct_ask *ask)
{
    oct_status lost = OCT_STATUS_OK;
    const oct_verb *verb = verb_here(ask->verb, viewer->mode);
    oct_text reply = {0};
    oct_form form;
    ask->since = oct_burst_clock();
    if (!verb) {
        answer_refusal(viewer, ask, 409,
                       viewer->mode == OCT_VIEW_RUN
                           ? "this is a run with results: use `octant view` to do that"
                           : "this is not possible here");
        return OCT_STATUS_OK;
    }
    oct_text_add(&reply, "{\"ok\": true");
    oct_status status = oct_form_read(&form, ask->text);
    if (status == OCT_STATUS_OK)
        status = verb->act(viewer, sim, &form, &reply);
    if (status != OCT_STATUS_OK)
        lost = refuse(viewer, sim, ask, status);
    else if (verb->act == take_steps)
        viewer->stepping = ask;
    else
        answer(viewer, sim, ask, &reply);
    oct_text_clear(&reply);
    return lost;
}

oct_status oct_viewer_serve(oct_viewer *viewer, oct_sim *sim, double seconds)
{
    oct_ask *ask = NULL;
    while ((ask = oct_shared_next(&viewer->shared, seconds))) {
        OCT_TRY(obey(viewer, sim, ask));
        seconds = 0;
        /* The next one may be about a simulation that the run does not know yet. */
        if (viewer->replaced || viewer->quit)
            break;
    }
    if (viewer->stepping && (viewer->owed == 0 || viewer->quit)) {
        oct_text reply = {0};
        oct_text_add(&reply, "{\"ok\": true");
        ask = viewer->stepping;
        viewer->stepping = NULL;
        answer(viewer, sim, ask, &reply);
    }
    return OCT_STATUS_OK;
}

void oct_viewer_fail(oct_viewer *viewer, const oct_sim *sim, const char *sentence)
{
    snprintf(viewer->error, sizeof viewer->error, "%s", sentence);
    viewer->paused = true;
    viewer->owed = 0;
    viewer->stale = true;
    post_state(viewer, sim);
    if (viewer->stepping)
        answer_refusal(viewer, viewer->stepping, 500, viewer->error);
    viewer->stepping = NULL;
}
