/* The scene reference, from the same tables that the loader reads. */
#ifndef OCT_IO_REFERENCE_H
#define OCT_IO_REFERENCE_H

#include "io/scene_bind.h"

oct_status oct_reference_json(char **out);

#endif
