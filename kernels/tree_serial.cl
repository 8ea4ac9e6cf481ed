/* Sort and scan as CPUs do them, in one program: to start a compiler takes longer than to compile
 * one of these. */
#include "tree_scan.cl"
#include "tree_sort_serial.cl"
