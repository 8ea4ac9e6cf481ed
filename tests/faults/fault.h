/* Makes calls of Octant to the C library and to OpenCL fail, one at a time.
 *
 * libfault.so rewrites the tables through which Octant's objects, and the libraries that read and
 * write files for it, reach other libraries. It is linked to a test program, which then uses the
 * functions below, or preloaded into the binary, which then obeys its environment:
 *   OCTANT_FAULT=KIND:K[:MODE[:ERRNO]]  the K-th call of the kind, counted from 1; 0 only counts
 *   OCTANT_FAULT_LOG=PATH               gets the counts when the process ends by itself
 *   OCTANT_FAULT_SITES=PATH             gets 4 bytes a call: a number for the chain of its callers
 * KIND is malloc, hdf5 (memory for HDF5 itself), open, read, write, print (to standard output),
 * stat, fsync, lock, rename, unlink, link, mkdir, mmap, thread, spawn, socket, cl (any OpenCL
 * call), or the name of one function such as clEnqueueNDRangeKernel. MODE is fail  the call fails
 * once (the default) stay  that call and all later ones fail: a full disk, no memory kill  the
 * process is killed before the call cut   half of a write is done, and then the process is killed
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

/* The k-th call of the kind from now on fails; 0: calls are only counted. */
void fault_arm(const char *kind, long k);
/* As OCTANT_FAULT has it; false where the words make no sense, and nothing is armed. */
bool fault_arm_words(const char *words);
/* Nothing fails any more; calls of the kind seen since it was armed. */
long fault_disarm(void);
/* Whether the fault happened since it was armed. */
bool fault_struck(void);
/* OpenCL objects created and not yet released, events included. */
long fault_objects(void);
/* Calls whose entries were found and rewritten; 0 means that nothing can fail. */
long fault_entries(void);

#endif
