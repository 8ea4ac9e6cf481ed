/* The copy is quick; what takes long needs no simulation any more. */
#include "run/still.h"

#include <stdlib.h>
#include <string.h>

#include "core/ahead.h"
#include "io/csv.h"
#include "util/file.h"
#include "util/text.h"

static oct_status describe(oct_still *out, const oct_sim *sim)
{
    *out = (oct_still){0};
    oct_snapshot_describe(&out->info, sim->setup);
    out->info.time = oct_sim_time(sim);
    out->info.step = oct_sim_steps(sim);
    memcpy(out->info.run, sim->run, sizeof out->info.run);
    oct_setup_periods(out->period, sim->setup);
    OCT_TRY(oct_text_copy(&out->scene, sim->setup->resolved));
    return oct_setup_declare(&out->bodies, sim->setup);
}

oct_status oct_still_take(oct_still *out, oct_sim *sim)
{
    oct_status status = describe(out, sim);
    if (status == OCT_STATUS_OK)
        status = oct_sim_copy_ahead(&out->state, &out->fetch, sim);
    if (status != OCT_STATUS_OK)
        oct_still_clear(out);
    return status;
}

oct_status oct_still_take_ahead(oct_still *out, oct_sim *sim)
{
    oct_status status = describe(out, sim);
    if (status == OCT_STATUS_OK)
        status = oct_ahead_copy(&out->state, &out->fetch, sim);
    if (status != OCT_STATUS_OK)
        oct_still_clear(out);
    return status;
}

oct_status oct_still_develop(oct_still *still)
{
    if (still->fetch)
        OCT_TRY(oct_fetch_finish(still->fetch));
    OCT_TRY(oct_state_bodies(&still->bodies, &still->state));
    oct_state_clear(&still->state);
    oct_bodies_fold(&still->bodies, still->period);
    return OCT_STATUS_OK;
}

oct_status oct_still_write(const oct_still *still, const char *path, oct_snapshot_mold **mold)
{
    return oct_file_ends(path, ".csv")
               ? oct_csv_write(&still->bodies, &still->info, path)
               : oct_snapshot_write_again(mold, &still->bodies, &still->info, still->scene, path);
}

void oct_still_clear(oct_still *still)
{
    oct_fetch_free(still->fetch);
    oct_state_clear(&still->state);
    oct_bodies_clear(&still->bodies);
    free(still->scene);
    *still = (oct_still){0};
}
