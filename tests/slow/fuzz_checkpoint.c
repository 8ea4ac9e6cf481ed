/* libFuzzer target: checkpoints that are sealed well and hold anything. The input changes bytes of
 * a real one: three of a place among those that are not zero, one of a count, and as many bytes as
 * the count says (eight at most); or it is an HDF5 file itself. What can be read is resumed and
 * takes a step. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/seal.h"
#include "octant/octant.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 20 };

static oct_device *device;
static char whole[OCT_SEAL_BYTES + LARGEST]; /* a real one, */
static size_t whole_bytes;
static size_t places[LARGEST], n_places;       /* of its bytes that are not zero */
static char changed[OCT_SEAL_BYTES + LARGEST]; /* and what becomes of it */

static void finish(void)
{
    oct_device_free(device);
}

static void start(void)
{
    static const char text[] =
        "units: solar\nmodels: [solar-system: {planets: [earth, mars]}]\n"
        "box: {boundary: open, removal_radius: 1000}\n"
        "gravity: {method: direct, softening: 0.001}\n"
        "collisions: {method: direct}\n"
        "integrator: {method: leapfrog, dt: 1}\nrun: {until: 10}\noutput: {diagnostics: 5}\n";
    oct_scene *scene = NULL;
    oct_sim *sim = NULL;
    const char *path = scratch_path("checkpoint.hdf5");
    if (oct_device_open(&device, NULL) != OCT_STATUS_OK ||
        oct_scene_parse(&scene, text, strlen(text), "fuzz") != OCT_STATUS_OK ||
        oct_sim_create(&sim, device, scene, OCT_PRECISION_SINGLE) != OCT_STATUS_OK ||
        oct_sim_step(sim, 3) != OCT_STATUS_OK || oct_sim_checkpoint(sim, path) != OCT_STATUS_OK) {
        fprintf(stderr, "%s\n", oct_last_error());
        abort();
    }
    oct_sim_free(sim);
    oct_scene_free(scene);
    FILE *file = fopen(path, "rb");
    whole_bytes = file ? fread(whole, 1, sizeof whole, file) : 0;
    for (size_t i = OCT_SEAL_BYTES; i < whole_bytes; i++)
        if (whole[i] != 0)
            places[n_places++] = i;
    if (n_places == 0 || fclose(file) != 0 || atexit(finish) != 0)
        abort();
}

/* Fills `changed`; returns its bytes, 0 where the input is too long. */
static size_t make(const uint8_t *data, size_t size)
{
    enum { HEAD = 4, MOST = 8 };
    if (size > LARGEST)
        return 0;
    if (size > 4 && memcmp(data, "\x89HDF", 4) == 0) {
        memcpy(changed + OCT_SEAL_BYTES, data, size);
        return OCT_SEAL_BYTES + size;
    }
    memcpy(changed, whole, whole_bytes);
    while (size > HEAD) {
        size_t number = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
        size_t place = places[number % n_places];
        size_t count = data[3] % MOST + 1;
        count = count < size - HEAD ? count : size - HEAD;
        count = count < whole_bytes - place ? count : whole_bytes - place;
        memcpy(changed + place, data + HEAD, count);
        data += HEAD + count;
        size -= HEAD + count;
    }
    return whole_bytes;
}

/* Any end is good but a crash, or a failure without a sentence. */
static void check(oct_status status)
{
    if (status != OCT_STATUS_OK && oct_last_error()[0] == '\0')
        abort();
}

static void resume(const char *path)
{
    oct_sim *sim = NULL;
    oct_bodies bodies = {0};
    oct_status status = oct_sim_resume(&sim, device, path, NULL);
    check(status);
    if (status == OCT_STATUS_OK) {
        status = oct_sim_step(sim, 1);
        check(status);
        if (status == OCT_STATUS_OK)
            check(oct_sim_bodies(&bodies, sim));
        oct_bodies_clear(&bodies);
        oct_sim_free(sim);
    } else if (sim) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oct_scene *scene = NULL;
    oct_bodies bodies = {0};
    scratch_keep_handlers();
    if (!device)
        start();
    size_t bytes = make(data, size);
    if (bytes == 0)
        return 0;
    oct_seal_add(changed, bytes, "checkpoint", "");
    const char *path = scratch_write("checkpoint.hdf5", changed, bytes);
    oct_status status = oct_bodies_read(&bodies, NULL, path, NULL);
    check(status);
    oct_bodies_clear(&bodies);
    if (status == OCT_STATUS_OK) {
        check(oct_scene_restore(&scene, path));
        oct_scene_free(scene);
        resume(path);
    }
    return 0;
}
