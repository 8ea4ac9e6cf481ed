/* The bodies of checkpoints. */
#include "io/checkpoint.h"
#include "io/format.h"
#include "io/scene.h"
#include "io/snapshot.h"

#include <stdio.h>
#include <string.h>

static bool recognise(const oct_format_head *head)
{
    return strcmp(head->sealed, "checkpoint") == 0;
}

/* What a checkpoint says beside its arrays is in its scene: columns, units, the box. */
static oct_status take_state(oct_bodies *out, oct_file_info *info, const oct_state *state,
                             const char *path)
{
    double period[3];
    oct_scene *scene = NULL;
    oct_setup *setup = NULL;
    oct_status status;
    OCT_TRY_DONE(oct_scene_parse(&scene, state->scene, strlen(state->scene), path));
    OCT_TRY_DONE(oct_scene_setup_open(&setup, scene));
    OCT_TRY_DONE(oct_setup_declare(out, setup));
    OCT_TRY_DONE(oct_state_bodies(out, state));
    oct_snapshot_describe(info, setup);
    oct_setup_periods(period, setup);
    oct_bodies_fold(out, period);
    snprintf(info->kind, sizeof info->kind, "checkpoint");
    info->time = state->clock.time;
    info->step = state->clock.step;
    memcpy(info->run, state->run, sizeof info->run);
done:
    oct_setup_free(setup);
    oct_scene_free(scene);
    return status;
}

static oct_status read_checkpoint(oct_bodies *out, oct_file_info *info, const char *path)
{
    oct_state state = {0};
    OCT_TRY(oct_checkpoint_read(&state, path));
    oct_status status = take_state(out, info, &state, path);
    oct_state_clear(&state);
    return status;
}

const oct_format oct_format_checkpoint = {
    .about = {.name = "checkpoint", .doc = "the exact state of a run", .says_units = true},
    .recognise = recognise,
    .read = read_checkpoint,
};
