/* What is done with whole arrays, in one program: to start a compiler takes longer than to compile
 * one of these. The sort is here where it is one work-item's; GPUs have array_sort.cl. */
#include "array_box.cl"
#include "array_compact.cl"
#include "array_scan.cl"
#if GROUP == 1
#include "array_settle.cl"
#include "array_sort_serial.cl"
#endif
