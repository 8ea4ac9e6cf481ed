/* Writes and reads every array of a state bit for bit, with the scene it belongs to. */
#include "io/checkpoint_parts.h"

#include "io/h5.h"
#include "io/seal.h"
#include "util/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything is in one group: numbers as attributes, the scene and the arrays as data sets of
 * bytes as they are in memory, after a known number that shows their order. */
static const char group[] = "Checkpoint";
static const uint64_t byte_order = 0x0102030405060708;

enum { LARGEST_ELEMENT = OCT_CHECKPOINT_ELEMENT, LONGEST_SCENE = 1 << 26 };

static oct_status add_uint(const oct_h5 *h5, const char *name, uint64_t value)
{
    return oct_h5_add_numbers(h5, group, name, H5T_NATIVE_UINT64, &value, 1);
}

static oct_status add_real(const oct_h5 *h5, const char *name, double value)
{
    return oct_h5_add_numbers(h5, group, name, H5T_NATIVE_DOUBLE, &value, 1);
}

static oct_status write_clock(const oct_h5 *h5, const oct_clock *clock)
{
    OCT_TRY(add_uint(h5, "Step", clock->step));
    OCT_TRY(add_real(h5, "Time", clock->time));
    OCT_TRY(add_uint(h5, "Tick", (uint64_t)clock->tick));
    OCT_TRY(add_real(h5, "Quantum", clock->quantum));
    OCT_TRY(add_uint(h5, "LastTicks", (uint64_t)clock->length));
    OCT_TRY(add_uint(h5, "ClockTick", (uint64_t)clock->start.tick));
    OCT_TRY(add_real(h5, "ClockTime", clock->start.time));
    return add_uint(h5, "ClockStep", clock->start.step);
}

/* A state, or what of it is in a file that has parts. */
typedef struct writing {
    const oct_state *state;
    const oct_checkpoint_part *parts;
    uint32_t n_parts;
} writing;

oct_status oct_checkpoint_add_arrays(const oct_h5 *h5, const oct_state *state,
                                     oct_checkpoint_arrays which)
{
    uint64_t n = 0;
    for (size_t i = 0; i < state->n_arrays; i++) {
        const oct_state_array *array = &state->arrays[i];
        char object[64];
        if (which != OCT_CHECKPOINT_ALL && array->rows != (which == OCT_CHECKPOINT_ROWS))
            continue;
        snprintf(object, sizeof object, "Checkpoint/Array%llu", (unsigned long long)n++);
        OCT_TRY(oct_h5_add_data(h5, object, H5T_NATIVE_UINT8, array->data, array->count,
                                array->element));
        OCT_TRY(oct_h5_add_text(h5, object, "Name", array->name));
    }
    return OCT_STATUS_OK;
}

static uint64_t count_arrays(const writing *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->state->n_arrays; i++)
        n += !w->parts || !w->state->arrays[i].rows;
    return n;
}

static oct_status write_parts(const oct_h5 *h5, const writing *w)
{
    for (uint32_t p = 0; p < w->n_parts; p++) {
        char object[64];
        snprintf(object, sizeof object, "Checkpoint/Part%u", (unsigned)p);
        OCT_TRY(oct_h5_add_group(h5, object));
        OCT_TRY(oct_h5_add_text(h5, object, "File", w->parts[p].file));
        OCT_TRY(oct_h5_add_text(h5, object, "Hash", w->parts[p].hash));
        OCT_TRY(oct_h5_add_numbers(h5, object, "Rows", H5T_NATIVE_UINT64, &w->parts[p].rows, 1));
    }
    return OCT_STATUS_OK;
}

static oct_status write_state(const oct_h5 *h5, void *context)
{
    const writing *w = context;
    const oct_state *state = w->state;
    OCT_TRY(oct_h5_add_group(h5, group));
    OCT_TRY(oct_h5_add_text(h5, group, "Generator", oct_version()));
    OCT_TRY(add_uint(h5, "Precision", state->precision));
    OCT_TRY(write_clock(h5, &state->clock));
    OCT_TRY(add_uint(h5, "OutputTick", (uint64_t)state->origin.tick));
    OCT_TRY(add_real(h5, "OutputTime", state->origin.time));
    OCT_TRY(add_uint(h5, "OutputSnapshots", state->origin.snapshots));
    OCT_TRY(add_uint(h5, "ForcesFresh", state->forces_fresh));
    OCT_TRY(add_real(h5, "EnergyStart", state->energy_start));
    OCT_TRY(add_real(h5, "EnergyWorst", state->energy_worst));
    OCT_TRY(add_uint(h5, "Arrays", count_arrays(w)));
    OCT_TRY(oct_h5_add_data(h5, "Checkpoint/ByteOrder", H5T_NATIVE_UINT8, &byte_order,
                            sizeof byte_order, 1));
    OCT_TRY(oct_h5_add_data(h5, "Checkpoint/Scene", H5T_NATIVE_UINT8, state->scene,
                            strlen(state->scene), 1));
    OCT_TRY(oct_checkpoint_add_arrays(h5, state,
                                      w->parts ? OCT_CHECKPOINT_OTHERS : OCT_CHECKPOINT_ALL));
    return write_parts(h5, w);
}

oct_status oct_checkpoint_write(const oct_state *state, const char *path)
{
    writing w = {.state = state};
    return oct_h5_save(path, "checkpoint", state->run, write_state, &w);
}

oct_status oct_checkpoint_write_whole(const oct_state *first, const char *path,
                                      const oct_checkpoint_part *parts, uint32_t n)
{
    writing w = {.state = first, .parts = parts, .n_parts = n};
    return oct_h5_save(path, "checkpoint", first->run, write_state, &w);
}

static oct_status get_number(void *out, const oct_h5 *h5, const char *name, hid_t type)
{
    size_t count;
    OCT_TRY(oct_h5_get_numbers(out, &count, h5, group, name, type, 1));
    OCT_CHECK(count == 1, OCT_STATUS_INPUT, "'%s' is incomplete: it has no %s", h5->path, name);
    return OCT_STATUS_OK;
}

static oct_status read_array(oct_state_array *out, const oct_h5 *h5, size_t index)
{
    char object[64];
    snprintf(object, sizeof object, "Checkpoint/Array%zu", index);
    OCT_TRY(oct_h5_get_text(out->name, sizeof out->name, h5, object, "Name"));
    OCT_TRY(oct_h5_shape(&out->count, &out->element, h5, object));
    OCT_CHECK(out->name[0] && out->element > 0 && out->element <= LARGEST_ELEMENT, OCT_STATUS_INPUT,
              "'%s': %s is no array of a state", h5->path, object);
    OCT_TRY(oct_alloc(&out->data, out->count, out->element, out->name));
    return oct_h5_get_data(out->data, h5, object, H5T_NATIVE_UINT8, out->count, out->element);
}

static oct_status read_scene(char **out, const oct_h5 *h5)
{
    size_t length, columns;
    OCT_TRY(oct_h5_shape(&length, &columns, h5, "Checkpoint/Scene"));
    OCT_CHECK(columns == 1 && length <= LONGEST_SCENE, OCT_STATUS_INPUT,
              "'%s': its scene is too long", h5->path);
    OCT_TRY(oct_alloc(out, length + 1, 1, "characters of a scene"));
    return oct_h5_get_data(*out, h5, "Checkpoint/Scene", H5T_NATIVE_UINT8, length, 1);
}

/* A file from before there were ticks has a step number in its place, of steps of one dt; a number
 * that is too large becomes no tick. */
static oct_status get_tick(int64_t *out, const oct_h5 *h5, const char *name, const char *step)
{
    uint64_t number;
    size_t count;
    OCT_TRY(oct_h5_get_numbers(&number, &count, h5, group, name, H5T_NATIVE_UINT64, 1));
    if (count == 0) {
        OCT_TRY(get_number(&number, h5, step, H5T_NATIVE_UINT64));
        *out = number < INT64_MAX / OCT_CLOCK_DT ? (int64_t)number * OCT_CLOCK_DT : -1;
        return OCT_STATUS_OK;
    }
    *out = number <= INT64_MAX ? (int64_t)number : -1;
    return OCT_STATUS_OK;
}

static oct_status read_clock(oct_clock *out, const oct_h5 *h5)
{
    size_t count;
    OCT_TRY(get_number(&out->step, h5, "Step", H5T_NATIVE_UINT64));
    uint64_t length = out->step > 0 ? OCT_CLOCK_DT : 0;
    OCT_TRY(get_number(&out->time, h5, "Time", H5T_NATIVE_DOUBLE));
    OCT_TRY(get_number(&out->start.step, h5, "ClockStep", H5T_NATIVE_UINT64));
    OCT_TRY(get_number(&out->start.time, h5, "ClockTime", H5T_NATIVE_DOUBLE));
    OCT_TRY(get_tick(&out->tick, h5, "Tick", "Step"));
    OCT_TRY(get_tick(&out->start.tick, h5, "ClockTick", "ClockStep"));
    OCT_TRY(oct_h5_get_numbers(&out->quantum, &count, h5, group, "Quantum", H5T_NATIVE_DOUBLE, 1));
    OCT_TRY(oct_h5_get_numbers(&length, &count, h5, group, "LastTicks", H5T_NATIVE_UINT64, 1));
    out->length = length <= INT64_MAX ? (int64_t)length : -1;
    OCT_CHECK(oct_clock_is_sound(out), OCT_STATUS_INPUT, "'%s' has no clock that can go on",
              h5->path);
    return OCT_STATUS_OK;
}

static oct_status read_origin(oct_origin *out, const oct_h5 *h5, const oct_clock *clock)
{
    OCT_TRY(get_tick(&out->tick, h5, "OutputTick", "OutputStep"));
    OCT_TRY(get_number(&out->time, h5, "OutputTime", H5T_NATIVE_DOUBLE));
    OCT_TRY(get_number(&out->snapshots, h5, "OutputSnapshots", H5T_NATIVE_UINT64));
    OCT_CHECK(out->tick >= 0 && out->tick <= clock->tick, OCT_STATUS_INPUT,
              "'%s' counts outputs from after its own time", h5->path);
    return OCT_STATUS_OK;
}

/* A state as it is read, and the parts that have the rest of it. */
typedef struct reading {
    oct_state state;
    oct_checkpoint_part *parts;
    uint32_t n_parts;
} reading;

static oct_status read_state(const oct_h5 *h5, void *context)
{
    reading *r = context;
    oct_state *state = &r->state;
    size_t count;
    uint64_t precision, fresh, arrays, order;
    OCT_TRY(oct_h5_get_data(&order, h5, "Checkpoint/ByteOrder", H5T_NATIVE_UINT8, sizeof order, 1));
    OCT_CHECK(order == byte_order, OCT_STATUS_INPUT,
              "'%s' comes from a machine with another byte order", h5->path);
    OCT_TRY(get_number(&precision, h5, "Precision", H5T_NATIVE_UINT64));
    OCT_TRY(read_clock(&state->clock, h5));
    OCT_TRY(read_origin(&state->origin, h5, &state->clock));
    OCT_TRY(get_number(&fresh, h5, "ForcesFresh", H5T_NATIVE_UINT64));
    OCT_TRY(get_number(&state->energy_start, h5, "EnergyStart", H5T_NATIVE_DOUBLE));
    /* Older files do not say: the largest is that from here on. */
    OCT_TRY(oct_h5_get_numbers(&state->energy_worst, &count, h5, group, "EnergyWorst",
                               H5T_NATIVE_DOUBLE, 1));
    OCT_TRY(get_number(&arrays, h5, "Arrays", H5T_NATIVE_UINT64));
    OCT_CHECK(precision >= OCT_PRECISION_SINGLE && precision <= OCT_PRECISION_DOUBLE,
              OCT_STATUS_INPUT, "'%s': there is no precision %llu", h5->path,
              (unsigned long long)precision);
    OCT_CHECK(arrays <= OCT_STATE_ARRAYS, OCT_STATUS_INPUT,
              "'%s' claims %llu arrays, a state has %d at most", h5->path,
              (unsigned long long)arrays, OCT_STATE_ARRAYS);
    state->precision = (oct_precision)precision;
    state->forces_fresh = fresh != 0;
    OCT_TRY(read_scene(&state->scene, h5));
    while (state->n_arrays < arrays) {
        size_t index = (size_t)state->n_arrays++;
        OCT_TRY(read_array(&state->arrays[index], h5, index));
    }
    return oct_checkpoint_list_parts(&r->parts, &r->n_parts, h5);
}

static oct_status check_kind(const char *path)
{
    char kind[16];
    OCT_TRY(oct_seal_check(kind, path));
    OCT_CHECK(strcmp(kind, "checkpoint") == 0, OCT_STATUS_INPUT,
              strcmp(kind, "snapshot") == 0 ? "'%s' is a snapshot, not a checkpoint"
                                            : "'%s' is not a checkpoint of Octant",
              path);
    return OCT_STATUS_OK;
}

oct_status oct_checkpoint_read_share(oct_state *out, const char *path, oct_checkpoint_share share)
{
    reading r = {.n_parts = 0};
    oct_status status;
    bool sealed;
    OCT_TRY_DONE(check_kind(path));
    OCT_TRY_DONE(oct_h5_load(path, read_state, &r));
    OCT_TRY_DONE(oct_seal_run(r.state.run, &sealed, path));
    if (r.n_parts > 0)
        OCT_TRY_DONE(oct_checkpoint_read_rows(&r.state, path, r.parts, r.n_parts, share));
    *out = r.state;
    r.state = (oct_state){0};
done:
    free(r.parts);
    oct_state_clear(&r.state);
    return status == OCT_STATUS_OK ? status : oct_seal_offer_previous(status, path);
}

oct_status oct_checkpoint_read(oct_state *out, const char *path)
{
    return oct_checkpoint_read_share(out, path, (oct_checkpoint_share){0, 1});
}

static oct_status read_only_scene(const oct_h5 *h5, void *context)
{
    return read_scene(context, h5);
}

oct_status oct_scene_restore(oct_scene **out, const char *checkpoint)
{
    char *text = NULL;
    oct_status status = check_kind(checkpoint);
    if (status == OCT_STATUS_OK)
        status = oct_h5_load(checkpoint, read_only_scene, &text);
    if (status == OCT_STATUS_OK)
        status = oct_scene_parse(out, text, strlen(text), checkpoint);
    oct_text_free(text);
    return status == OCT_STATUS_OK ? status : oct_seal_offer_previous(status, checkpoint);
}
