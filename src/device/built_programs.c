/* Programs that were built since a device was opened: simulations that follow one another share
 * them, and threads of a self-test do not build the same one twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "util/text.h"

oct_status oct_built_programs_create(oct_built_programs **out)
{
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "programs"));
    pthread_mutex_init(&(*out)->lock, NULL);
    pthread_cond_init(&(*out)->changed, NULL);
    return OCT_STATUS_OK;
}

void oct_built_programs_free(oct_built_programs *programs)
{
    if (!programs)
        return;
    for (size_t i = 0; i < programs->n; i++) {
        clReleaseProgram(programs->built[i].program);
        oct_signatures_clear(&programs->built[i].signatures);
    }
    free(programs->built);
    for (size_t i = 0; i < programs->n_noted; i++)
        free(programs->noted[i]);
    free(programs->noted);
    pthread_mutex_destroy(&programs->lock);
    pthread_cond_destroy(&programs->changed);
    free(programs);
}

static oct_built *find(const oct_built_programs *programs, const char *key)
{
    for (size_t i = 0; i < programs->n; i++)
        if (strcmp(programs->built[i].key, key) == 0)
            return &programs->built[i];
    return NULL;
}

oct_status oct_built_programs_take(oct_built *out, oct_built_programs *programs, const char *key)
{
    oct_status status = OCT_STATUS_OK;
    oct_built *built;
    pthread_mutex_lock(&programs->lock);
    while ((built = find(programs, key)) != NULL && !built->program)
        pthread_cond_wait(&programs->changed, &programs->lock);
    *out = built ? *built : (oct_built){.program = NULL};
    snprintf(out->key, sizeof out->key, "%s", key);
    if (!built)
        status =
            oct_realloc(&programs->built, programs->n + 1, sizeof *programs->built, "programs");
    if (!built && status == OCT_STATUS_OK)
        programs->built[programs->n++] = *out;
    pthread_mutex_unlock(&programs->lock);
    return status;
}

void oct_built_programs_give(oct_built_programs *programs, const oct_built *given)
{
    pthread_mutex_lock(&programs->lock);
    oct_built *built = find(programs, given->key);
    *built = *given;
    if (!given->program)
        *built = programs->built[--programs->n];
    pthread_cond_broadcast(&programs->changed);
    pthread_mutex_unlock(&programs->lock);
}

static bool is_noted(const oct_built_programs *programs, const char *what)
{
    for (size_t i = 0; i < programs->n_noted; i++)
        if (strcmp(programs->noted[i], what) == 0)
            return true;
    return false;
}

bool oct_device_recalls(const oct_device *device, const char *what)
{
    oct_built_programs *programs = device->programs;
    pthread_mutex_lock(&programs->lock);
    bool noted = is_noted(programs, what);
    pthread_mutex_unlock(&programs->lock);
    return noted;
}

void oct_device_note(oct_device *device, const char *what)
{
    oct_built_programs *programs = device->programs;
    char *copy = NULL;
    pthread_mutex_lock(&programs->lock);
    bool known = is_noted(programs, what) || oct_text_copy(&copy, what) != OCT_STATUS_OK ||
                 oct_realloc(&programs->noted, programs->n_noted + 1, sizeof *programs->noted,
                             "notes") != OCT_STATUS_OK;
    if (!known)
        programs->noted[programs->n_noted++] = copy;
    else
        free(copy);
    pthread_mutex_unlock(&programs->lock);
}
