/* octant scaling: what domains cost and send. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scaling.h"

enum { MOST_COUNTS = 8 };

static const oct_option options[] = {
    {.name = "domains",
     .value = "A,B,...",
     .doc = "numbers of domains to compare (default 1,2); mpirun has its own"},
    {.name = "n",
     .value = "N",
     .doc = "bodies of one domain, for weak scaling, and of all, for strong"},
    {.name = "seconds", .value = "S", .doc = "time to spend on each row and round (default 2)"},
    {.name = "rounds",
     .value = "R",
     .doc = "how often all rows are run; the best count (default 1)"},
    {.name = "device",
     .value = "DEVICE",
     .words = "cpu gpu all",
     .doc = "as for `octant run`; cpu/2: two parts of a CPU's cores"},
    OCT_OPTION_JSON,
    {0},
};

typedef struct request {
    const oct_call *call;
    uint32_t counts[MOST_COUNTS];
    size_t n_counts;
    uint64_t n, rounds;
    double seconds;
    bool json, any; /* any: a row has been printed */
} request;

/* The rows of one case: strong and weak. */
typedef struct rows {
    const oct_scaling_case *what;
    bool weak;
    oct_scaling_result row[MOST_COUNTS];
} rows;

static bool parse_counts(request *r)
{
    const char *list = oct_call_option(r->call, "domains");
    for (list = list ? list : "1,2"; r->n_counts < MOST_COUNTS; list++) {
        char *end;
        unsigned long count = strtoul(list, &end, 10);
        if (end == list || (*end && *end != ',') || count < 1 || count > 256)
            break;
        r->counts[r->n_counts++] = (uint32_t)count;
        if (!*end)
            return true;
        list = end;
    }
    oct_report_usage("--domains is a list of at most %d numbers from 1 to 256, as 1,2,4",
                     MOST_COUNTS);
    return false;
}

static bool make_request(request *r, const oct_call *call)
{
    bool bad = false;
    *r = (request){.call = call, .json = oct_call_option(call, "json") != NULL};
    r->n = oct_call_count(call, "n", 0, &bad);
    if (!bad)
        r->seconds = oct_call_number(call, "seconds", 2, &bad);
    if (!bad)
        r->rounds = oct_call_count(call, "rounds", 1, &bad);
    return !bad && parse_counts(r);
}

/* Where a second round was quicker its times count; what is sent is the same. */
static void keep_better(oct_scaling_result *best, const oct_scaling_result *found, bool first)
{
    double step = best->step_s, processor = best->processor_s, apart = best->apart_s;
    if (first || found->step_s < step)
        *best = *found;
    if (!first) {
        best->step_s = fmin(step, found->step_s);
        best->processor_s = fmin(processor, found->processor_s);
        best->apart_s = fmin(apart, found->apart_s);
    }
}

/* Rows are run one after the other, and all of them again: what else a machine does hits all. */
static oct_status run_rows(rows *out, const request *r, oct_ranks *ranks)
{
    oct_scaling_result found;
    oct_status status = OCT_STATUS_OK;
    uint64_t n = r->n > 0 ? r->n : out->what->n;
    for (uint64_t round = 0; round < r->rounds; round++)
        for (size_t i = 0; i < r->n_counts && status == OCT_STATUS_OK; i++) {
            ranks->domains = ranks->comm ? 1 : r->counts[i];
            status = oct_scaling_run(&found, out->what, n, out->weak, r->seconds, ranks);
            if (status == OCT_STATUS_OK)
                keep_better(&out->row[i], &found, round == 0);
        }
    return status;
}

/* Against the first row: 1 where domains cost nothing. */
static double efficiency(const rows *all, size_t i, bool processor)
{
    const oct_scaling_result *one = &all->row[0], *row = &all->row[i];
    double more = (double)row->domains / one->domains;
    double before = processor ? one->processor_s : one->step_s * one->domains;
    double now = processor ? row->processor_s : row->step_s * row->domains;
    return (all->weak ? more : 1) * before / now;
}

static void print_traffic(const oct_scaling_traffic *k)
{
    if (k->messages == 0)
        return;
    printf("    %-8s %8.1f messages %12.0f bytes, at most %.0f", k->kind, k->messages, k->bytes,
           k->most);
    printf("; waits %.2f ms\n", 1e3 * k->waited_s);
    if (isfinite(k->cut_bytes))
        printf("    %8s %8.1f messages %12.0f bytes while nobody has left its domain\n", "",
               k->cut_messages, k->cut_bytes);
    if (isfinite(k->expected_bytes))
        printf("    %8s %8.1f messages %12.0f bytes expected\n", "", k->expected_messages,
               k->expected_bytes);
}

static void print_rows(const rows *all, size_t n)
{
    printf("%s, %s: %s\n%8s %10s %11s %11s %7s %7s %7s %8s  %s\n", all->what->name,
           all->weak ? "weak" : "strong", all->what->doc, "domains", "n", "ms/step", "cpu ms",
           "eff.", "cpu", "apart", "int/body", "kernels of the first domain, ms a step");
    for (size_t i = 0; i < n; i++) {
        const oct_scaling_result *row = &all->row[i];
        printf("%8u %10" PRIu64 " %11.3f %11.3f %7.3f %7.3f ", (unsigned)row->domains, row->n,
               1e3 * row->step_s, 1e3 * row->processor_s, efficiency(all, i, false),
               efficiency(all, i, true));
        if (isfinite(row->apart_s))
            printf("%7.3f", row->apart_s / row->step_s);
        else
            printf("%7s", "-");
        printf(" %8.0f ", row->interactions);
        for (int p = 0; p < OCT_SCALING_PHASES; p++)
            if (row->phases[p] > 0)
                printf(" %s %.2f", oct_scaling_phases[p], 1e3 * row->phases[p]);
        printf("\n");
        for (size_t k = 0; k < row->n_kinds; k++)
            print_traffic(&row->kinds[k]);
    }
}

static void print_numbers(const char *const *names, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf("%s\"%s\": ", i ? ", " : "", names[i]);
        oct_json_number(values[i]);
    }
}

static void print_row_json(const rows *all, size_t i)
{
    const oct_scaling_result *row = &all->row[i];
    static const char *const names[] = {
        "step_s", "processor_s", "efficiency", "processor_efficiency", "apart_s", "interactions"};
    const double values[] = {
        row->step_s,  row->processor_s, efficiency(all, i, false), efficiency(all, i, true),
        row->apart_s, row->interactions};
    static const char *const sent[] = {"messages",          "bytes",         "bytes_most",
                                       "waited_s",          "messages_cut",  "bytes_cut",
                                       "expected_messages", "expected_bytes"};
    printf("{\"case\": \"%s\", \"scaling\": \"%s\", \"domains\": %u, \"n\": %" PRIu64 ", ",
           all->what->name, all->weak ? "weak" : "strong", (unsigned)row->domains, row->n);
    print_numbers(names, values, sizeof names / sizeof names[0]);
    printf(", \"phases\": {");
    print_numbers(oct_scaling_phases, row->phases, OCT_SCALING_PHASES);
    printf("}, \"exchange\": {");
    for (size_t k = 0; k < row->n_kinds; k++) {
        const oct_scaling_traffic *kind = &row->kinds[k];
        const double numbers[] = {kind->messages,          kind->bytes,         kind->most,
                                  kind->waited_s,          kind->cut_messages,  kind->cut_bytes,
                                  kind->expected_messages, kind->expected_bytes};
        printf("%s\"%s\": {", k ? ", " : "", kind->kind);
        print_numbers(sent, numbers, sizeof sent / sizeof sent[0]);
        printf("}");
    }
    printf("}}");
}

static oct_status run_case(request *r, const oct_scaling_case *what, oct_ranks *ranks)
{
    oct_status status = OCT_STATUS_OK;
    rows all = {.what = what};
    for (int weak = 0; weak < 2 && status == OCT_STATUS_OK; weak++) {
        all.weak = weak;
        status = run_rows(&all, r, ranks);
        if (status != OCT_STATUS_OK || (ranks->comm && oct_comm_rank(ranks->comm) > 0))
            continue;
        for (size_t i = 0; r->json && i < r->n_counts; i++) {
            printf("%s\n  ", r->any ? "," : "");
            print_row_json(&all, i);
            r->any = true;
        }
        if (!r->json)
            print_rows(&all, r->n_counts);
        fflush(stdout);
    }
    return status;
}

static const oct_scaling_case *find_case(const char *name)
{
    const oct_scaling_case *c = oct_scaling_cases;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}

static bool wanted(const oct_call *call, const char *name)
{
    for (int i = 0; i < call->n_arguments; i++)
        if (strcmp(call->arguments[i], name) == 0)
            return true;
    return call->n_arguments == 0;
}

static oct_status run_cases(request *r, oct_ranks *ranks)
{
    oct_status status = OCT_STATUS_OK;
    bool speaks = !ranks->comm || oct_comm_rank(ranks->comm) == 0;
    if (ranks->comm) {
        r->counts[0] = oct_comm_size(ranks->comm);
        r->n_counts = 1;
    }
    if (r->json && speaks)
        printf("[");
    for (const oct_scaling_case *c = oct_scaling_cases; c->name && status == OCT_STATUS_OK; c++)
        if (wanted(r->call, c->name))
            status = run_case(r, c, ranks);
    if (r->json && speaks)
        printf("\n]\n");
    return status;
}

static int run(const oct_call *call)
{
    request r;
    oct_ranks ranks = {0};
    int result = 0;
    for (int i = 0; i < call->n_arguments; i++)
        if (!find_case(call->arguments[i]))
            return oct_report_usage("there is no case '%s'; expected tree, ring, cube or direct",
                                    call->arguments[i]);
    if (!make_request(&r, call))
        return 2;
    oct_status status = oct_ranks_open(&ranks, call);
    if (status == OCT_STATUS_OK)
        status = run_cases(&r, &ranks);
    if (status != OCT_STATUS_OK)
        result = oct_ranks_report(&ranks, status);
    oct_ranks_close(&ranks, status);
    return result;
}

static bool case_at(size_t index, const char **name, const char **doc)
{
    *name = oct_scaling_cases[index].name;
    *doc = oct_scaling_cases[index].doc;
    return *name != NULL;
}

const oct_command oct_cmd_scaling = {
    .name = "scaling",
    .arguments = "[CASE...]",
    .doc = "time steps on several numbers of domains, and count what they send",
    .example = "octant scaling tree --domains 1,2 --device cpu/2",
    .options = options,
    .max_arguments = -1,
    .takes = OCT_TAKES_TOPICS,
    .topics = "cases",
    .topic = case_at,
    .run = run,
};
