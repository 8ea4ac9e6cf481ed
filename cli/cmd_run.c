/* octant run: a scene from its start, or a run that is resumed, to its end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "command.h"
#include "film.h"
#include "first_use.h"
#include "interrupt.h"
#include "progress.h"
#include "ranks.h"
#include "timeline.h"
#include "watch.h"

static const oct_option options[] = {
    OCT_OPTION_SET,
    {.name = "steps", .value = "N", .doc = "end at step N, whatever run.until says"},
    {.name = "until", .value = "T", .doc = "end at this time instead of run.until"},
    {.name = "average", .value = "T", .doc = "report means over the time T up to each record"},
    {.name = "device",
     .value = "DEVICE",
     .words = "cpu gpu all",
     .doc = "index or part of a name, cpu, gpu; 0,1: both; all; cpu/4: in four parts"},
    OCT_OPTION_DOMAINS,
    OCT_OPTION_SHARES,
    OCT_OPTION_PRECISION,
    {.name = "out",
     .value = "DIR",
     .doc = "folder for the results; `none` writes none (default: octant-SCENE)"},
    {.name = "force", .doc = "replace a run that is in the folder already"},
    {.name = "resume",
     .value = "FILE",
     .value_optional = true,
     .doc = "go on from DIR/checkpoint.hdf5 or FILE; SCENE and --set may change it"},
    {.name = "view",
     .value = "PORT",
     .value_optional = true,
     .value_number = true,
     .doc = "show the run in a browser; without PORT at a free one"},
    OCT_OPTION_BIND,
    OCT_OPTIONS_FILM,
    {.name = "profile",
     .value = "FILE",
     .doc = "write what device and host did when, a Chrome trace, and show it"},
    {.name = "json", .doc = "print JSON Lines, a record a diagnostics interval"},
    {.name = "quiet", .doc = "print nothing but failures"},
    {0}};

enum { PATH_BYTES = 4096 };

/* What the command line asks for. */
typedef struct run_request {
    const oct_call *call;
    char out[PATH_BYTES], checkpoint[PATH_BYTES];
    bool writes, resume;
    oct_precision precision;
    oct_run_options options;
    oct_film_request film;
    unsigned port; /* of a viewer */
    oct_ranks ranks;
    int result; /* the exit status of a run that has not failed */
} run_request;

/* "octant-" and the scene's name without folder and ending. */
static void default_folder(char out[PATH_BYTES], const char *scene)
{
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    snprintf(out, PATH_BYTES, "octant-%.*s", (int)(length < 200 ? length : 200), name);
}

static void folder_of(char out[PATH_BYTES], const char *file)
{
    const char *slash = strrchr(file, '/');
    if (slash == file)
        snprintf(out, PATH_BYTES, "/");
    else if (slash)
        snprintf(out, PATH_BYTES, "%.*s", (int)(slash - file), file);
    else
        snprintf(out, PATH_BYTES, ".");
}

/* Finds out where results go and where a checkpoint is. */
static bool request_paths(run_request *request)
{
    const oct_call *call = request->call;
    const char *scene = call->n_arguments ? call->arguments[0] : NULL;
    const char *out = oct_call_option(call, "out"), *file = oct_call_option(call, "resume");
    request->resume = file != NULL;
    request->writes = !out || strcmp(out, "none") != 0;
    bool named = file && *file;
    if (!scene && !request->resume) {
        oct_report_usage("`run` needs SCENE: try `%s`", call->command->example);
        return false;
    }
    if (!named && ((!scene && !out) || !request->writes) && request->resume) {
        oct_report_usage("--resume needs the folder of the run: --out DIR");
        return false;
    }
    if ((out && strlen(out) >= PATH_BYTES - 64) || (named && strlen(file) >= PATH_BYTES - 64)) {
        oct_report_usage("--%s is too long for a path", named ? "resume" : "out");
        return false;
    }
    if (out)
        snprintf(request->out, sizeof request->out, "%s", out);
    else if (named)
        folder_of(request->out, file);
    else
        default_folder(request->out, scene);
    if (named)
        snprintf(request->checkpoint, sizeof request->checkpoint, "%s", file);
    else
        snprintf(request->checkpoint, sizeof request->checkpoint, "%.*s/checkpoint.hdf5",
                 PATH_BYTES - 32, request->out);
    return true;
}

static bool make_request(run_request *request, const oct_call *call)
{
    bool bad = false;
    *request = (run_request){.call = call};
    if (!request_paths(request))
        return false;
    if (request->resume && oct_call_option(call, "force")) {
        oct_report_usage("--resume goes on with a run and --force replaces it: choose one");
        return false;
    }
    request->precision = oct_call_precision(call, &bad);
    oct_run_options *run = &request->options;
    run->size = sizeof *run;
    run->out = request->writes ? request->out : NULL;
    run->existing = request->resume                  ? OCT_RUN_CONTINUE
                    : oct_call_option(call, "force") ? OCT_RUN_REPLACE
                                                     : OCT_RUN_REFUSE;
    if (!bad)
        run->steps = oct_call_count(call, "steps", 0, &bad);
    if (!bad)
        request->port = oct_watch_port(call, "view", &bad);
    return !bad && oct_ranks_parse(&request->ranks, call) && oct_film_parse(&request->film, call);
}

/* The scene that is named, or the one that comes with the checkpoint, with what is set. */
static oct_status load_scene(oct_scene **out, const run_request *request)
{
    const oct_call *call = request->call;
    if (call->n_arguments > 0) {
        oct_status status = oct_call_scene(out, call);
        return status == OCT_STATUS_OK ? oct_call_until(*out, call) : status;
    }
    oct_status status = oct_scene_restore(out, request->checkpoint);
    if (status == OCT_STATUS_OK)
        status = oct_call_set(*out, call, "set");
    return status == OCT_STATUS_OK ? oct_call_until(*out, call) : status;
}

static oct_status resume_sim(oct_sim **out, oct_device *device, oct_comm *comm,
                             const run_request *request)
{
    const oct_call *call = request->call;
    oct_scene *scene = NULL;
    oct_first_use use = {.quiet = oct_call_option(call, "quiet") != NULL};
    bool same =
        call->n_arguments == 0 && !oct_call_option(call, "set") && !oct_call_option(call, "until");
    oct_status status = same ? OCT_STATUS_OK : load_scene(&scene, request);
    const oct_sim_options shared = {
        .size = sizeof shared, .comm = comm, .share = oct_ranks_share(&request->ranks, comm)};
    if (status == OCT_STATUS_OK && comm)
        status = oct_sim_resume_with(out, device, request->checkpoint, scene, &shared);
    else if (status == OCT_STATUS_OK)
        status = oct_first_use_resume(out, &use, device, request->checkpoint, scene);
    oct_scene_free(scene);
    return status;
}

/* Whether files are this rank's business. */
static bool is_first(const oct_comm *comm)
{
    return !comm || oct_comm_rank(comm) == 0;
}

static oct_status make_sim(oct_sim **out, oct_device *device, oct_comm *comm,
                           const run_request *request)
{
    oct_scene *scene = NULL;
    oct_plan plan = {.size = sizeof plan};
    const oct_sim_options shared = {.size = sizeof shared,
                                    .precision = request->precision,
                                    .comm = comm,
                                    .share = oct_ranks_share(&request->ranks, comm)};
    /* A checkpoint may have to come back from where another run has moved it, and a folder that
     * somebody writes into is better refused before bodies are made. */
    oct_status status = request->writes && *request->out && is_first(comm)
                            ? oct_run_recover(request->out)
                            : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK && comm)
        status = oct_comm_barrier(comm);
    if (status != OCT_STATUS_OK)
        return status;
    if (request->resume)
        return resume_sim(out, device, comm, request);
    oct_first_use use = {.quiet = oct_call_option(request->call, "quiet") != NULL};
    status = load_scene(&scene, request);
    /* A bad scene is refused before the device is tested, which may take a while; the end that it
     * names does not matter to --steps. */
    if (status == OCT_STATUS_OK && request->options.steps == 0)
        status = oct_scene_plan(&plan, scene);
    if (status == OCT_STATUS_OK && !comm)
        status = oct_first_use_trust(&use, device, scene, request->precision);
    if (status == OCT_STATUS_OK && comm)
        status = oct_sim_create_with(out, device, scene, &shared);
    else if (status == OCT_STATUS_OK)
        status = oct_sim_create(out, device, scene, request->precision);
    oct_scene_free(scene);
    return status;
}

/* The options that only make sense for a certain scene. */
static bool finish_request(run_request *request, const oct_sim *sim)
{
    const oct_call *call = request->call;
    oct_precision kept = oct_sim_precision(sim);
    if (request->resume && request->precision != OCT_PRECISION_AUTO && request->precision != kept) {
        oct_report_usage("the checkpoint is in %s precision, which --precision %s cannot change",
                         oct_precision_name(kept), oct_precision_name(request->precision));
        return false;
    }
    oct_run_film *film = &request->film.film;
    request->options.film = film->path ? film : NULL;
    return oct_call_time(&request->options.average, call, "average", sim) &&
           oct_call_time(&film->interval, call, "film-interval", sim) &&
           oct_film_measure(&request->film, sim);
}

static void print_stop(FILE *to, const run_request *request, const oct_progress *progress)
{
    fprintf(to, "stopped at step %" PRIu64 " of %" PRIu64 "; ", progress->step, progress->steps);
    if (request->writes && !oct_feature_present("hdf5"))
        fprintf(to, "there is no checkpoint to go on from\n");
    else if (request->writes)
        fprintf(to, "to go on: octant run --resume --out %s\n", OCT_SHOW(request->out));
    else
        fprintf(to, "nothing was written\n");
}

/* How the run ended, for people. */
static void print_end(const run_request *request, const oct_progress *progress, uint64_t start)
{
    bool quiet = progress->json || progress->quiet;
    if (progress->stopped && quiet) {
        fputs("octant: ", stderr);
        print_stop(stderr, request, progress);
    }
    if (quiet)
        return;
    if (progress->stopped)
        print_stop(stdout, request, progress);
    else if (request->resume && progress->step == start)
        printf("the run was at its end already; --until TIME goes on\n");
    else if (request->writes)
        printf("results in %s\n", OCT_SHOW(request->out));
    /* A run that was at its end already makes none. */
    if (request->options.film && access(request->options.film->path, F_OK) == 0)
        printf("film in %s\n", OCT_SHOW(request->options.film->path));
}

/* *stopped: by a signal. */
static oct_status simulate(bool *stopped, run_request *request, oct_sim *sim, oct_device *device)
{
    oct_viewer *viewer = NULL;
    const oct_call *call = request->call;
    oct_progress progress = {
        .sim = sim,
        .device = oct_device_describe(device)->name,
        .json = oct_call_option(call, "json") != NULL,
        .quiet = oct_call_option(call, "quiet") != NULL,
    };
    uint64_t start = oct_sim_steps(sim);
    progress.terminal = !progress.quiet && isatty(STDERR_FILENO) == 1;
    request->options.report = oct_progress_report;
    request->options.context = &progress;
    oct_sim_set_log(sim, oct_progress_note, &progress);
    oct_interrupt_defer();
    oct_status status = oct_watch_run(&viewer, &request->options, call, request->port);
    if (status == OCT_STATUS_OK)
        status = oct_run(sim, &request->options);
    oct_viewer_free(viewer);
    if (status == OCT_STATUS_OK)
        status = progress.status;
    if (status == OCT_STATUS_OK)
        print_end(request, &progress, start);
    else
        oct_progress_clear(&progress);
    *stopped = progress.stopped && *request->options.stop;
    oct_sim_set_log(sim, NULL, NULL);
    return status;
}

/* The run, with all that is said and written of it. */
static oct_status lead(run_request *request, oct_sim *sim, oct_device *device)
{
    const oct_call *call = request->call;
    const char *trace = oct_call_option(call, "profile");
    bool stopped = false, shown = !oct_call_option(call, "quiet") && !oct_call_option(call, "json");
    if (!finish_request(request, sim)) {
        request->result = 2;
        return OCT_STATUS_OK;
    }
    oct_status status = simulate(&stopped, request, sim, device);
    if (status == OCT_STATUS_OK && trace)
        status = oct_device_trace(device, trace);
    if (status == OCT_STATUS_OK && trace && shown)
        status = oct_timeline_print(device);
    if (status == OCT_STATUS_OK && stopped)
        request->result = 128 + *request->options.stop;
    return status;
}

/* A rank of the run: the first leads. */
static oct_status take_part(oct_comm *comm, oct_device *device, void *context)
{
    run_request *request = context;
    oct_sim *sim = NULL;
    oct_status status = OCT_STATUS_OK;
    if (is_first(comm) && oct_call_option(request->call, "profile"))
        status = oct_device_profile(device, true);
    if (status == OCT_STATUS_OK)
        status = make_sim(&sim, device, comm, request);
    if (status == OCT_STATUS_OK)
        status = is_first(comm) ? lead(request, sim, device) : oct_sim_serve(sim);
    oct_sim_free(sim);
    return status;
}

static int run(const oct_call *call)
{
    run_request request;
    if (oct_call_option(call, "profile") && oct_call_option(call, "view"))
        return oct_report_usage(
            "--profile times the whole run: the page of --view does so by itself");
    if (!make_request(&request, call))
        return 2;
    request.options.stop = oct_interrupt_watch();
    if (!request.options.stop) {
        oct_report_usage("signals cannot be watched on this system");
        return 1;
    }
    oct_status status = request.resume ? oct_feature_require("hdf5") : OCT_STATUS_OK;
    if (status == OCT_STATUS_OK && oct_call_option(call, "view"))
        status = oct_feature_require("viewer");
    if (status == OCT_STATUS_OK)
        status = oct_ranks_open(&request.ranks, call);
    /* A signal that ends the run goes to all processes: the first sees to it that all end. */
    if (request.ranks.comm && oct_comm_rank(request.ranks.comm) > 0)
        oct_interrupt_defer();
    bool fits = status != OCT_STATUS_OK || oct_ranks_fit(&request.ranks);
    if (status == OCT_STATUS_OK && fits)
        status = oct_ranks_work(&request.ranks, take_part, &request);
    int result = fits ? request.result : 2;
    if (status != OCT_STATUS_OK)
        result = oct_ranks_report(&request.ranks, status);
    oct_ranks_close(&request.ranks, status);
    oct_film_clear(&request.film);
    return result;
}

const oct_command oct_cmd_run = {
    .name = "run",
    .arguments = "SCENE",
    .doc = "run a scene file or a built-in scene",
    .example = "octant run plummer --set models.0.plummer.n=4096 --out plummer",
    .options = options,
    .min_arguments = 0,
    .max_arguments = 1,
    .takes = OCT_TAKES_SCENES,
    .leaves_files = true,
    .run = run,
};
