/* Reads kernel sources as the compiler sees them: what conditions leave, word by word, with macros
 * that take no arguments in place. */
#ifndef OCT_DEVICE_READER_H
#define OCT_DEVICE_READER_H

#include "util/status.h"

enum { OCT_READER_DEEPEST = 32, OCT_READER_BUCKETS = 256 };

/* Part of a text that outlives the reader. */
typedef struct oct_word {
    const char *start;
    size_t length;
} oct_word;

typedef struct oct_macro {
    oct_word name, body;
    bool defined;
    bool takes_arguments; /* then it is never put in place */
    bool open;            /* being put in place: it does not stand for itself again */
    size_t next;          /* of its bucket, + 1; 0: none */
} oct_macro;

/* Starts from {0}. */
typedef struct oct_reader {
    oct_word text;                   /* what is left of it */
    bool line_begins;                /* nothing but white space since the last newline */
    oct_word file;                   /* as #line has it */
    unsigned line;                   /* in that file */
    unsigned skipped;                /* conditions that are open in what a false one leaves out */
    unsigned n_choices;              /* conditions that are open otherwise */
    bool chosen[OCT_READER_DEEPEST]; /* whether a branch was taken: what follows is left out */
    size_t n_open;                   /* macros being put in place, what is left of each */
    oct_word rest[OCT_READER_DEEPEST];
    size_t open[OCT_READER_DEEPEST];
    size_t n_macros;
    oct_macro *macros;
    size_t buckets[OCT_READER_BUCKETS]; /* index of the first, + 1 */
    oct_status status;                  /* why the words ended early */
} oct_reader;

/* Goes on with another text, which comes after what was read; macros stay. */
void oct_reader_begin(oct_reader *reader, const char *text);
/* The next name, number, string or character; false at the end. */
bool oct_reader_next(oct_word *out, oct_reader *reader);
void oct_reader_clear(oct_reader *reader);

bool oct_word_same(oct_word a, oct_word b);
bool oct_word_is(oct_word word, const char *text);

#endif
