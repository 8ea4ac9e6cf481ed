/* Programs that were built since a device was opened: simulations that follow one another share
 * them, and threads of a self-test do not build the same one twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cl.h"
#include "util/text.h"

oct_status oct_shelf_create(oct_shelf **out)
{
    OCT_TRY(oct_alloc(out, 1, sizeof **out, "programs"));
    pthread_mutex_init(&(*out)->lock, NULL);
    pthread_cond_init(&(*out)->changed, NULL);
    return OCT_STATUS_OK;
}

void oct_shelf_free(oct_shelf *shelf)
{
    if (!shelf)
        return;
    for (size_t i = 0; i < shelf->n; i++)
        clReleaseProgram(shelf->built[i].program);
    free(shelf->built);
    for (size_t i = 0; i < shelf->n_noted; i++)
        free(shelf->noted[i]);
    free(shelf->noted);
    pthread_mutex_destroy(&shelf->lock);
    pthread_cond_destroy(&shelf->changed);
    free(shelf);
}

static oct_built *find(const oct_shelf *shelf, const char *key)
{
    for (size_t i = 0; i < shelf->n; i++)
        if (strcmp(shelf->built[i].key, key) == 0)
            return &shelf->built[i];
    return NULL;
}

oct_status oct_shelf_take(cl_program *out, oct_shelf *shelf, const char *key)
{
    oct_status status = OCT_STATUS_OK;
    oct_built *built;
    pthread_mutex_lock(&shelf->lock);
    while ((built = find(shelf, key)) != NULL && !built->program)
        pthread_cond_wait(&shelf->changed, &shelf->lock);
    *out = built ? built->program : NULL;
    if (!built)
        status = oct_realloc(&shelf->built, shelf->n + 1, sizeof *shelf->built, "programs");
    if (!built && status == OCT_STATUS_OK) {
        built = &shelf->built[shelf->n++];
        *built = (oct_built){.program = NULL};
        snprintf(built->key, sizeof built->key, "%s", key);
    }
    pthread_mutex_unlock(&shelf->lock);
    return status;
}

void oct_shelf_give(oct_shelf *shelf, const char *key, cl_program program)
{
    pthread_mutex_lock(&shelf->lock);
    oct_built *built = find(shelf, key);
    built->program = program;
    if (!program)
        *built = shelf->built[--shelf->n];
    pthread_cond_broadcast(&shelf->changed);
    pthread_mutex_unlock(&shelf->lock);
}

static bool is_noted(const oct_shelf *shelf, const char *what)
{
    for (size_t i = 0; i < shelf->n_noted; i++)
        if (strcmp(shelf->noted[i], what) == 0)
            return true;
    return false;
}

bool oct_device_recalls(const oct_device *device, const char *what)
{
    oct_shelf *shelf = device->shelf;
    pthread_mutex_lock(&shelf->lock);
    bool noted = is_noted(shelf, what);
    pthread_mutex_unlock(&shelf->lock);
    return noted;
}

void oct_device_note(oct_device *device, const char *what)
{
    oct_shelf *shelf = device->shelf;
    char *copy = NULL;
    pthread_mutex_lock(&shelf->lock);
    bool known = is_noted(shelf, what) || oct_text_copy(&copy, what) != OCT_STATUS_OK ||
                 oct_realloc(&shelf->noted, shelf->n_noted + 1, sizeof *shelf->noted, "notes") !=
                     OCT_STATUS_OK;
    if (!known)
        shelf->noted[shelf->n_noted++] = copy;
    else
        free(copy);
    pthread_mutex_unlock(&shelf->lock);
}
