/* Which parts of the self-tests a device has passed: a file with a line each, which processes
 * share. A part that a process is at is locked in it, so that no other begins it too. */
#ifndef OCT_SELFTEST_RECORD_H
#define OCT_SELFTEST_RECORD_H

#include "selftest/selftest.h"

typedef struct oct_selftest_record {
    oct_device *device;
    char path[4096]; /* "": there is no file, and the device remembers */
    char *passed;    /* the file's text when it was last read; may be NULL */
    int file;        /* open for what is added; -1: not open */
} oct_selftest_record;

/* What has passed on the device so far. */
oct_status oct_selftest_record_read(oct_selftest_record *out, oct_device *device);
void oct_selftest_record_clear(oct_selftest_record *record);

bool oct_selftest_record_has(const oct_selftest_record *record, const char *part);
/* Opens the file for what will pass. It is no failure where it cannot be written. */
void oct_selftest_record_open(oct_selftest_record *record);
/* Reads again what other processes may have added. */
void oct_selftest_record_refresh(oct_selftest_record *record);
/* Notes that a part has passed. */
void oct_selftest_record_add(oct_selftest_record *record, const char *part);

/* Locks a part; false where another process has it. Where there are no locks it is free. */
bool oct_selftest_record_lock(oct_selftest_record *record, const char *part);
void oct_selftest_record_unlock(oct_selftest_record *record, const char *part);

#endif
