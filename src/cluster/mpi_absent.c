/* Stands in for mpi.c in a build without MPI. */
#include "cluster/comm.h"

oct_status oct_comm_open(oct_comm **out)
{
    *out = NULL;
    return oct_feature_require("mpi");
}
