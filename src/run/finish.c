/* Writes what is missing of a run's end, and marks it as done. */
#include "run/finish.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/lead.h"
#include "run/table.h"
#include "util/file.h"
#include "util/number.h"

uint64_t oct_finish_snapshot(const oct_schedules *schedules, const oct_clock *clock)
{
    uint64_t count = oct_schedule_count(schedules->snapshots, clock->tick);
    return oct_schedule_due(schedules->snapshots, clock->tick, clock->length) ? count - 1 : count;
}

void oct_finish_mark(char out[160], const char *run, uint64_t step, bool stopped)
{
    snprintf(out, 160, OCT_RUN_META "%s %s at step %" PRIu64 "\">\n", run,
             stopped ? "stopped" : "ended", step);
}

static oct_status has_report(bool *out, const char *folder, const oct_sim *sim)
{
    enum { HEAD = 4096 };
    char path[OCT_FOLDER_PATH], mark[160], head[HEAD + 1];
    FILE *file;
    uint64_t bytes;
    *out = false;
    oct_folder_file(path, folder, "report.html");
    oct_status status = oct_file_open(&file, &bytes, path);
    if (status == OCT_STATUS_MISSING)
        return OCT_STATUS_OK;
    OCT_TRY(status);
    head[fread(head, 1, HEAD, file)] = '\0';
    (void)fclose(file);
    oct_finish_mark(mark, sim->run, oct_sim_steps(sim), false);
    *out = strstr(head, mark) != NULL;
    return OCT_STATUS_OK;
}

oct_status oct_finish_done(bool *out, const char *folder, oct_sim *sim,
                           const oct_schedules *schedules)
{
    oct_rows rows;
    oct_survey survey;
    char name[48];
    *out = true;
    if (!folder)
        return OCT_STATUS_OK;
    OCT_TRY(has_report(out, folder, sim));
    if (!*out)
        return OCT_STATUS_OK;
    OCT_TRY(oct_rows_look(&rows, folder, sim, schedules->diagnostics));
    bool row = rows.reached;
    oct_rows_close(&rows);
    OCT_TRY(oct_survey_make(&survey, folder));
    oct_snapshot_name(name, oct_finish_snapshot(schedules, &sim->clock));
    const oct_found *last = oct_survey_find(&survey, name);
    bool unfinished = false;
    for (size_t i = 0; i < survey.n; i++)
        unfinished = unfinished || survey.files[i].temporary;
    /* Without bodies there is no last snapshot. */
    bool snapshot = last ? strcmp(last->run, sim->run) == 0 : oct_sim_count(sim) == 0;
    *out = row && snapshot && !unfinished;
    oct_survey_clear(&survey);
    return OCT_STATUS_OK;
}

oct_status oct_finish_impacts(oct_folder *folder, oct_sim *sim)
{
    if (!folder->path || !oct_domain_collision(sim->domain)->speeds)
        return OCT_STATUS_OK;
    uint64_t counts[OCT_SPEED_BINS];
    double lowest;
    OCT_TRY(oct_sim_impact_speeds(&lowest, counts, sim));
    size_t first = 0, end = OCT_SPEED_BINS;
    while (end > 0 && counts[end - 1] == 0)
        end--;
    while (first < end && counts[first] == 0)
        first++;
    char path[OCT_FOLDER_PATH], *header;
    static const oct_column columns[] = {
        {.name = "lower", .length = 1, .time = -1},
        {.name = "upper", .length = 1, .time = -1},
        {.name = "count"},
    };
    oct_heading heading = {.run = folder->run};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        oct_heading_add(&heading, &columns[k], "", oct_sim_units(sim));
    OCT_TRY(oct_heading_take(&header, &heading));
    oct_text text = {0};
    oct_text_add(&text, "%s", header);
    oct_text_free(header);
    for (size_t k = first; k < end; k++) {
        char lower[OCT_NUMBER_BYTES], upper[OCT_NUMBER_BYTES];
        oct_number_write(lower, lowest * exp2((double)k / 8));
        oct_number_write(upper, lowest * exp2((double)(k + 1) / 8));
        oct_text_add(&text, "%s,%s,%" PRIu64 "\n", lower, upper, counts[k]);
    }
    oct_folder_file(path, folder->path, "impacts.csv");
    oct_status status = text.failed ? OCT_FAIL(OCT_STATUS_MEMORY, "no memory for %s", path)
                                    : oct_file_write(path, text.data, text.length, false);
    oct_text_clear(&text);
    return status;
}
