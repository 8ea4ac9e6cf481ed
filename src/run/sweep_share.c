/* How many members run at a time, and whether they share launches. */
#include "core/sim.h"
#include "run/sweep.h"

/* A member that takes more keeps a GPU busy by itself. */
static const uint64_t small_bytes = (uint64_t)16 << 20;

/* The most bytes that one of the members takes, as far as a sample tells; seeds change little. */
static uint64_t member_bytes(const oct_sweep *sweep, const oct_device_info *info,
                             const oct_sweep_options *options)
{
    enum { LOOKED_AT = 256 };
    uint64_t bytes = 1;
    size_t combinations = sweep->n / (size_t)sweep->seeds;
    for (size_t i = 0; i < sweep->n; i += (1 + combinations / LOOKED_AT) * (size_t)sweep->seeds) {
        oct_scene *scene = NULL;
        oct_estimate estimate = {.size = sizeof estimate};
        if (oct_sweep_scene(&scene, sweep, i) == OCT_STATUS_OK &&
            oct_scene_estimate(&estimate, scene, info, options->precision) == OCT_STATUS_OK)
            bytes = estimate.bytes_total > bytes ? estimate.bytes_total : bytes;
        oct_scene_free(scene);
    }
    return bytes;
}

static oct_status make_and_free(oct_device *device, const oct_scene *scene,
                                const oct_sweep_options *options)
{
    oct_sim *sim;
    OCT_TRY(oct_sim_create(&sim, device, scene, options->precision));
    oct_sim_free(sim);
    return OCT_STATUS_OK;
}

/* Whether the first member that can be made can be made in a batch: kernels of a program's own may
 * be written in ways that a batch does not know. Then they are compiled, too, before all ask. */
static bool works(oct_batch *batch, const oct_sweep *sweep, const oct_device *device,
                  const oct_sweep_options *options)
{
    bool made = false, alone = false;
    for (size_t i = 0; i < sweep->n && !made && !alone; i++) {
        oct_scene *scene = NULL;
        oct_device *member = NULL, *other = NULL;
        if (oct_sweep_scene(&scene, sweep, i) == OCT_STATUS_OK) {
            made = oct_batch_join(&member, batch) == OCT_STATUS_OK &&
                   make_and_free(member, scene, options) == OCT_STATUS_OK;
            alone = !made && oct_device_share(&other, device) == OCT_STATUS_OK &&
                    make_and_free(other, scene, options) == OCT_STATUS_OK;
        }
        oct_device_free(member);
        oct_device_free(other);
        oct_scene_free(scene);
    }
    return made;
}

static unsigned least(double room, size_t left, unsigned most)
{
    unsigned workers = left < most ? (unsigned)left : most;
    return room < 1 ? (left > 0) : room < workers ? (unsigned)room : workers;
}

oct_status oct_sweep_share_choose(oct_sweep_share *out, const oct_sweep *sweep,
                                  const oct_device *device, const oct_sweep_options *options)
{
    const oct_device_info *info = oct_device_describe(device);
    const double part = 0.8; /* of the memory */
    bool cpu = oct_device_is_cpu(info);
    unsigned asked = options->workers;
    double bytes = (double)member_bytes(sweep, info, options);
    double room = part * (double)info->memory / bytes;
    /* As much again is for what members send and fetch at once. */
    double shared = 0.5 * (double)OCT_BATCH_BYTES / bytes;
    size_t left = 0;
    for (size_t i = 0; i < sweep->n; i++)
        left += sweep->members[i].state != OCT_MEMBER_DONE;
    /* A GPU's driver takes launches from one thread at a time: a second one fills the gaps that
     * outputs leave, and more only wait, unless they share launches. */
    *out = (oct_sweep_share){.workers = asked ? least(asked, left, OCT_SWEEP_WORKERS)
                                              : least(room, left, cpu ? info->compute_units : 2)};
    unsigned together = least(shared < room ? shared : room, left,
                              asked && asked < OCT_SWEEP_WORKERS ? asked : OCT_SWEEP_WORKERS);
    bool chosen = options->batch == OCT_SWEEP_BATCH_ON;
    bool suits = options->batch == OCT_SWEEP_BATCH_AUTO && !cpu && bytes <= small_bytes;
    if (!chosen && !(suits && together > 1))
        return OCT_STATUS_OK;
    OCT_TRY(oct_batch_create(&out->batch, device));
    if (!chosen && !works(out->batch, sweep, device, options)) {
        oct_batch_free(out->batch);
        out->batch = NULL;
        return OCT_STATUS_OK;
    }
    out->workers = together;
    return OCT_STATUS_OK;
}

oct_status oct_sweep_share_open(oct_device **out, const oct_sweep_share *share,
                                const oct_device *device)
{
    return share->batch ? oct_batch_join(out, share->batch) : oct_device_share(out, device);
}
