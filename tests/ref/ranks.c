/* mpirun as tests use it: as any user, on any number of cores. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "octant/octant.h"

bool ref_has_mpi(void)
{
    return oct_feature_present("mpi") && system("mpirun --version >/dev/null 2>&1") == 0;
}

int ref_mpirun(char *out, size_t bytes, int ranks, const char *program, const char *mode)
{
    char command[4096];
    size_t n = 0;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    /* MPI does not free all that it has. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    snprintf(command, sizeof command, "mpirun -n %d '%s' '%s' 2>&1", ranks, program, mode);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return -1;
    while (n + 1 < bytes) {
        size_t got = fread(out + n, 1, bytes - 1 - n, pipe);
        if (got == 0)
            break;
        n += got;
    }
    out[n] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double ref_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
