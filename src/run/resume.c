/* From a checkpoint to a simulation, with the scene that it holds or one that has changed since. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/diagnose.h"
#include "core/lead.h"
#include "core/look.h"
#include "core/sim.h"
#include "io/checkpoint.h"
#include "io/scene.h"
#include "run/parts.h"
#include "run/resume.h"
#include "run/schedule.h"
#include "selftest/selftest.h"
#include "util/number.h"
#include "util/sized.h"
#include "util/text.h"

/* What a change does to a state. */
typedef enum fate {
    LOST,    /* it does not survive */
    SAME,    /* nothing */
    ONWARD,  /* the steps from here on are others */
    ENERGY,  /* and so is the energy that it has */
    NOTHING, /* it would have no effect any more */
} fate;

/* The first rule whose key begins a changed one holds. */
static const struct rule {
    const char *key;
    fate fate;
    bool files; /* what a run has written follows from it */
} rules[] = {
    {"title", SAME, false},
    {"G", ENERGY, false},
    {"box.beyond", ENERGY, false},
    {"box.ghosts", ENERGY, false},
    {"box.omega_z", ENERGY, false},
    {"box.removal_radius", ONWARD, false},
    {"gravity.method", ENERGY, false},
    {"gravity.softenings", NOTHING, false},
    {"gravity.softening", ENERGY, false},
    {"gravity.", ONWARD, false},
    {"collisions.relax", NOTHING, false},
    {"collisions.", ONWARD, false},
    {"forces", ENERGY, false},
    {"integrator.dt", ONWARD, true},
    {"integrator.", ONWARD, false},
    {"run.", SAME, true},
    {"output.", SAME, true},
    {"", LOST, false},
};

static const struct rule *rule_of(const char *key)
{
    const struct rule *rule = rules;
    while (strncmp(key, rule->key, strlen(rule->key)) != 0)
        rule++;
    return rule;
}

/* Whether a key is of a measurement that compares with the start of the run and is wanted now: it
 * can be ended, but begun with the bodies of the start alone. */
static bool begins_late(const char *key, const oct_setup *after)
{
    static const char section[] = "output.";
    const oct_choice *choice;
    if (strncmp(key, section, strlen(section)) != 0)
        return false;
    for (size_t i = 0; (choice = oct_setup_diag(after, i)) != NULL; i++) {
        const oct_diag *diag = (const oct_diag *)choice->module;
        if (diag->from_start && oct_field_in(diag->fields, key + strlen(section)))
            return true;
    }
    return false;
}

bool oct_resume_allows(const char *key, bool results)
{
    const struct rule *rule = rule_of(key);
    return rule->fate != LOST && rule->fate != NOTHING && !(results && rule->files);
}

/* A state and what becomes of its scene. */
typedef struct resumption {
    const oct_resumption *way;
    oct_state state;
    oct_setup *before, *after;
    oct_text changes; /* a comment a line */
    bool onward, energy;
    bool within; /* bodies are in the middle of steps of their own */
} resumption;

/* Values may be long, and a comment is one line. */
static const char *shorten(char out[48], const char *value)
{
    size_t n = 0;
    for (const char *c = value; *c && n < 40; c++)
        out[n++] = (unsigned char)*c < ' ' ? ' ' : *c;
    strcpy(out + n, value[n] ? "..." : "");
    return out;
}

static oct_status note_change(void *context, const char *key, const char *before, const char *after)
{
    resumption *r = context;
    char number[OCT_NUMBER_BYTES], now[48], then[48];
    const struct rule *rule = rule_of(key);
    const char *is = after ? shorten(now, after) : "not there";
    const char *was = before ? shorten(then, before) : "not there";
    OCT_CHECK(rule->fate != LOST && !begins_late(key, r->after), OCT_STATUS_INPUT,
              "%s is %s in the scene and %s in %s, whose state does not survive that change: leave "
              "it as it was, or begin a run of its own",
              key, is, was, r->way->where);
    OCT_CHECK(rule->fate != NOTHING || !before || !after, OCT_STATUS_INPUT,
              "%s is %s in the scene and %s in %s, and changes nothing after the start", key, is,
              was, r->way->where);
    OCT_CHECK(
        !(r->way->results && rule->files), OCT_STATUS_INPUT,
        "%s is %s in the scene and %s in %s, and what the run has written follows from it: it "
        "cannot be changed in a run with results",
        key, is, was, r->way->where);
    OCT_CHECK(
        strncmp(key, "integrator.", strlen("integrator.")) != 0 || !r->within, OCT_STATUS_INPUT,
        "%s is %s in the scene and %s in %s, where bodies are in the middle of steps of their "
        "own, at time %.17g: go on as it was to the next multiple of dt",
        key, is, was, r->way->where, r->state.clock.time);
    r->onward = r->onward || rule->fate == ONWARD || rule->fate == ENERGY;
    r->energy = r->energy || rule->fate == ENERGY;
    /* Other keys come with another method, which is a change of its own. */
    if ((!before || !after) && strncmp(key, "forces", strlen("forces")) != 0)
        return OCT_STATUS_OK;
    oct_number_write(number, r->state.clock.time);
    oct_text_add(&r->changes, "# since step %llu, time %s: %s is %s, not %s\n",
                 (unsigned long long)r->state.clock.step, number, key, is, was);
    return OCT_STATUS_OK;
}

/* Where rows are a part of the run, a later end must not change when they are due. */
static oct_status keep_rows(resumption *r, oct_scene *scene)
{
    char assignment[OCT_NUMBER_BYTES + 32] = "output.diagnostics=";
    if (r->after->output.diagnostics > 0 || r->before->output.diagnostics > 0 ||
        r->after->run.until == r->before->run.until)
        return OCT_STATUS_OK;
    oct_number_write(assignment + strlen(assignment), oct_schedule_rows(r->before));
    OCT_TRY(oct_scene_set(scene, assignment));
    oct_setup_free(r->after);
    r->after = NULL;
    return oct_scene_setup_open(&r->after, scene);
}

static oct_status setup_of(oct_setup **out, const char *text, const char *label,
                           const oct_scene *like)
{
    static const oct_added none = {0};
    oct_scene *scene = NULL;
    OCT_TRY(oct_scene_parse_with(&scene, text, label, like ? oct_scene_added(like) : &none));
    oct_status status = oct_scene_setup_open(out, scene);
    oct_scene_free(scene);
    return status;
}

/* The new setup, from a scene that stays the caller's. */
static oct_status setup_after(resumption *r, const oct_scene *scene)
{
    char *text = NULL;
    oct_scene *copy = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_scene_resolve(&text, scene));
    OCT_TRY_DONE(oct_scene_parse_with(&copy, text, "the scene", oct_scene_added(scene)));
    OCT_TRY_DONE(oct_scene_setup_open(&r->after, copy));
    status = keep_rows(r, copy);
done:
    oct_scene_free(copy);
    oct_text_free(text);
    return status;
}

static oct_status check_end(const resumption *r)
{
    const oct_clock *clock = &r->state.clock;
    oct_schedules after;
    OCT_TRY(oct_schedules_from(&after, r->after, clock, &r->state.origin, 0));
    OCT_CHECK(r->before->run.until == r->after->run.until || after.end >= clock->tick,
              OCT_STATUS_INPUT,
              "the run is at time %g already, and is to end at %g: that is in the past",
              clock->time, r->after->run.until);
    return OCT_STATUS_OK;
}

/* The comments that a scene begins with, earlier changes, stay with it. */
static oct_status keep_comments(resumption *r)
{
    oct_text text = {0};
    const char *line = r->state.scene;
    for (; *line == '#'; line += strcspn(line, "\n"), line += *line == '\n')
        oct_text_add_bytes(&text, line, strcspn(line, "\n") + 1);
    if (r->changes.data)
        oct_text_add(&text, "%s", r->changes.data);
    oct_text_add(&text, "%s", r->after->resolved);
    OCT_CHECK(!r->changes.failed, OCT_STATUS_MEMORY, "no memory for a scene");
    oct_text_free(r->after->resolved);
    r->after->resolved = NULL;
    return oct_text_take(&r->after->resolved, &text);
}

static oct_status start(oct_sim **out, oct_device *device, resumption *r)
{
    oct_state *state = &r->state;
    OCT_TRY(keep_comments(r));
    if (r->onward) {
        state->forces_fresh = false;
        state->partial = true;
    }
    if (r->energy)
        state->energy_start = NAN;
    oct_setup *taken = r->after;
    r->after = NULL;
    OCT_TRY(oct_sim_start(
        out, device, taken, state->precision,
        &(oct_sim_origin){.state = state, .comm = r->way->comm, .share = r->way->share}));
    (*out)->write_parts = oct_parts_follow;
    (*out)->changes = r->changes.data;
    r->changes = (oct_text){0};
    oct_status status = oct_sim_trust(*out, r->way->watch);
    /* The error of an energy that is another one counts from here. */
    if (status == OCT_STATUS_OK && r->energy)
        status = oct_diagnose_first(*out);
    if (status == OCT_STATUS_OK)
        return status;
    oct_sim_free(*out);
    *out = NULL;
    return status;
}

oct_status oct_resume_trust(oct_device *device, const oct_setup *setup, oct_precision precision,
                            const oct_trust_watch *watch, oct_comm *comm)
{
    if (!comm)
        return oct_setup_trust(device, setup, precision, false, watch);
    bool first = oct_comm_rank(comm) == 0, shared = oct_comm_size(comm) > 1;
    OCT_TRY(oct_comm_fail(comm, oct_lead_check(setup, comm)));
    if (first)
        OCT_TRY(oct_comm_fail(comm, oct_setup_trust(device, setup, precision, shared, watch)));
    OCT_TRY(oct_comm_barrier(comm));
    return first ? OCT_STATUS_OK
                 : oct_comm_fail(comm, oct_setup_trust(device, setup, precision, shared, watch));
}

oct_status oct_resume_state(oct_sim **out, oct_device *device, oct_state *state,
                            const oct_resumption *way)
{
    resumption r = {.way = way, .state = *state};
    oct_status status;
    *state = (oct_state){0};
    *out = NULL;
    OCT_TRY_DONE(
        setup_of(way->scene ? &r.before : &r.after, r.state.scene, way->where, way->scene));
    if (way->scene) {
        OCT_TRY_DONE(setup_after(&r, way->scene));
        r.within = oct_steps_differ(r.before, &r.state.clock);
        OCT_TRY_DONE(oct_schedules_change(&r.state, r.before, r.after));
        OCT_TRY_DONE(oct_scene_differences(r.before->resolved, r.after->resolved, note_change, &r));
        OCT_TRY_DONE(check_end(&r));
    }
    OCT_TRY_DONE(oct_resume_trust(device, r.after, r.state.precision, way->watch, way->comm));
    status = start(out, device, &r);
done:
    oct_text_clear(&r.changes);
    oct_setup_free(r.before);
    oct_setup_free(r.after);
    oct_state_clear(&r.state);
    return status;
}

static oct_status resume_file(oct_sim **out, oct_device *device, const char *checkpoint,
                              const oct_resumption *way)
{
    oct_state state = {0};
    struct stat about = {0};
    (void)stat(checkpoint, &about); /* reading it says what is wrong */
    oct_checkpoint_share share = {0, 1};
    if (way->comm)
        share = (oct_checkpoint_share){oct_comm_rank(way->comm), oct_comm_size(way->comm)};
    OCT_TRY(oct_checkpoint_read_share(&state, checkpoint, share));
    OCT_TRY(oct_resume_state(out, device, &state, way));
    (*out)->checkpoint[0] = (uint64_t)about.st_dev;
    (*out)->checkpoint[1] = (uint64_t)about.st_ino;
    oct_status status = oct_text_copy(&(*out)->resumed_from, checkpoint);
    if (status != OCT_STATUS_OK) {
        oct_sim_free(*out);
        *out = NULL;
    }
    return status;
}

oct_status oct_sim_resume_watched(oct_sim **out, oct_device *device, const char *checkpoint,
                                  const oct_scene *scene, const oct_trust_watch *watch)
{
    oct_trust_watch own = {0};
    const oct_resumption way = {.where = "the checkpoint", .scene = scene, .watch = &own};
    *out = NULL;
    if (watch)
        OCT_TRY(OCT_SIZED_TAKE(oct_trust_watch, context, &own, watch));
    return resume_file(out, device, checkpoint, &way);
}

oct_status oct_sim_resume_with(oct_sim **out, oct_device *device, const char *checkpoint,
                               const oct_scene *scene, const oct_sim_options *options)
{
    oct_sim_options o = {0};
    *out = NULL;
    if (options)
        OCT_TRY(OCT_SIZED_TAKE(oct_sim_options, progress, &o, options));
    OCT_CHECK(!o.bodies, OCT_STATUS_INPUT, "bodies are given for a checkpoint, which has its own");
    const oct_trust_watch watch = {.log = o.log, .progress = o.progress, .context = o.log_context};
    const oct_resumption way = {.where = "the checkpoint",
                                .scene = scene,
                                .watch = &watch,
                                .comm = o.comm,
                                .share = o.share};
    OCT_TRY(resume_file(out, device, checkpoint, &way));
    oct_sim_set_log(*out, o.log, o.log_context);
    return OCT_STATUS_OK;
}

oct_status oct_sim_resume(oct_sim **out, oct_device *device, const char *checkpoint,
                          const oct_scene *scene)
{
    return oct_sim_resume_watched(out, device, checkpoint, scene, NULL);
}

oct_status oct_sim_restore(oct_sim **out, oct_device *device, const char *checkpoint)
{
    return oct_sim_resume(out, device, checkpoint, NULL);
}
