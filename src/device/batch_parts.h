/* Inside of a batch: its memory, the lists of its members, and how they meet. */
#ifndef OCT_DEVICE_BATCH_PARTS_H
#define OCT_DEVICE_BATCH_PARTS_H

#include "device/batch.h"
#include "device/cl.h"

/* The word of a row for a buffer that is none. */
#define OCT_BATCH_NONE UINT64_MAX

/* Memory ------------------------------------------------------------------------------------ */

/* A part of the memory that all buffers of members are in. */
typedef struct oct_piece {
    uint64_t at, bytes;
    const struct oct_mate *owner; /* NULL: nobody's */
    bool given_back;              /* but its owner's list may still need it */
} oct_piece;

typedef struct oct_arena {
    oct_device *device;
    cl_mem memory; /* NULL: none yet */
    uint64_t bytes;
    size_t n;
    oct_piece *pieces; /* without gaps, in the order of their places */
} oct_arena;

/* Whether a piece of that size can be had without growing. */
bool oct_arena_fits(const oct_arena *arena, uint64_t bytes);
/* Takes a piece; the memory is another one where it has to grow, with the same contents. */
oct_status oct_arena_take(uint64_t *at, oct_arena *arena, const struct oct_mate *owner,
                          uint64_t bytes, const char *name);
/* at_once: nothing that is listed uses it. */
void oct_arena_give_back(oct_arena *arena, uint64_t at, bool at_once);
/* Its owner's list has been done: what was given back is nobody's now; `all`: whatever it has. */
void oct_arena_settle(oct_arena *arena, const struct oct_mate *owner, bool all);
void oct_arena_free(oct_arena *arena);

/* Lists ------------------------------------------------------------------------------------- */

/* A kernel that takes the memory, a table and where its rows begin in that, for all members. */
typedef struct oct_batch_kernel {
    cl_program program;
    cl_kernel kernel;
    char name[64];
    size_t words;    /* of a row: the number of groups, then a word an argument */
    bool same_sizes; /* it must not be launched for more groups than a member has */
    oct_gate_width widest;
} oct_batch_kernel;

/* Where the data of a command goes that is no member's buffer. */
typedef enum oct_command_kind {
    OCT_COMMAND_LAUNCH, /* nowhere: it has none */
    OCT_COMMAND_WRITE,  /* from the list's words to the mail, where the second argument is then */
    OCT_COMMAND_READ    /* from the mail, where the first argument is, to `out` */
} oct_command_kind;

/* A launch. */
typedef struct oct_command {
    oct_command_kind kind;
    oct_batch_kernel *kernel;
    size_t group, groups;
    size_t word; /* where its row begins in the list's words, with what is written after it */
    size_t bytes;
    void *out;
} oct_command;

typedef struct oct_command_list {
    size_t n, capacity, done;
    oct_command *commands;
    size_t n_words, most_words;
    uint64_t *words;
} oct_command_list;

/* Adds a command, and room for its words, which begin at command->word. */
oct_status oct_list_add(oct_command_list *list, const oct_command *command, size_t words);
void oct_list_clear(oct_command_list *list);
void oct_list_free(oct_command_list *list);

/* Does what members have listed. Rows go to a table, what is written or read to the mail, a piece
 * of the memory: each in one transfer. */
typedef struct oct_merge {
    oct_device *device;
    cl_mem memory, table;
    uint64_t mail_at;
    size_t table_words, n_rows; /* words there is room for: on the device, and here */
    uint64_t *rows;
    size_t n_mail;
    unsigned char *mail;
} oct_merge;
/* The room that lists take in the mail. */
size_t oct_merge_mail(oct_command_list *const *lists, size_t n);
/* Goes through each list in its order, and waits for all. */
oct_status oct_merge_run(oct_merge *merge, oct_command_list *const *lists, size_t n);
void oct_merge_free(oct_merge *merge);

/* Members ----------------------------------------------------------------------------------- */

/* A member as the batch has it. */
typedef struct oct_mate {
    struct oct_batch *batch;
    oct_command_list list;
    bool waits;      /* for its list to be done */
    bool expected;   /* it has not missed the last meeting */
    uint32_t passed; /* meetings that it was left out of, one after the other */
    oct_status status;
    oct_error error;
} oct_mate;

/* Commands of a member. What is written is copied before the call returns. */
oct_status oct_mate_take(uint64_t *at, oct_mate *mate, uint64_t bytes, const char *name);
void oct_mate_give_back(oct_mate *mate, uint64_t at);
oct_status oct_mate_write(oct_mate *mate, uint64_t to, const void *data, uint64_t bytes);
oct_status oct_mate_read(oct_mate *mate, void *out, uint64_t from, uint64_t bytes);
oct_status oct_mate_copy(oct_mate *mate, uint64_t to, uint64_t from, uint64_t bytes);
oct_status oct_mate_fill(oct_mate *mate, uint64_t to, unsigned char byte, uint64_t bytes);
/* Room for the arguments of a launch, which the caller sets before any other command. */
oct_status oct_mate_launch(uint64_t **arguments, oct_mate *mate, oct_batch_kernel *kernel,
                           size_t groups, size_t group);
/* Waits until all that is listed is done. */
oct_status oct_mate_wait(oct_mate *mate);
void oct_mate_leave(oct_mate *mate);

/* The kernel of that name that all members use. */
oct_status oct_batch_find_kernel(oct_batch_kernel **out, oct_mate *mate, const oct_program *program,
                                 const oct_signature *signature);

/* The text of a program whose kernels take their arguments from a table. *same_sizes: launches that
 * are one must be equally large. It becomes true where kernels ask how large a launch is in a place
 * where they cannot be told that of a member. */
oct_status oct_batch_source(char **out, bool *same_sizes, const char *source,
                            const oct_signatures *signatures);

#endif
