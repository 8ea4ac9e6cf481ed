/* Trees of bodies that ranks share: each builds one of its own bodies and sends every other rank
 * the part that is needed there, as they see it from the boxes around theirs and by the criterion
 * (kernels/tree_essential.cl). What has come is a tree too, `forest`, that bodies walk after their
 * own. Whom a rank has is nobody's concern; where its bodies are close together little is sent. */
#ifndef OCT_TREE_ESSENTIAL_H
#define OCT_TREE_ESSENTIAL_H

#include "tree/tree.h"

/* Parts that a rank describes its bodies by, at most. */
enum { OCT_ESSENTIAL_PARTS = 256 };

/* By what the relative criterion goes: as kernels of walks take it. */
typedef struct oct_essential_goal {
    oct_buffer *const *before;
    const double *alpha, *least_acceleration;
} oct_essential_goal;

/* A message on the host, and on the device. */
typedef struct oct_essential_mail {
    uint32_t *host;
    size_t n, room; /* words on the host */
    oct_buffer *words;
    uint32_t device_room;
} oct_essential_mail;

/* What came from a rank, or goes there. */
typedef struct oct_essential_length {
    uint32_t cells, bodies;
} oct_essential_length;

typedef struct oct_essential {
    oct_tree *tree;
    oct_domain *domain;
    oct_comm *comm;
    bool near; /* all ranks have one context: messages are copied from device memory there */
    size_t cell_words, body_words; /* in a message */

    oct_program *part_program, *program, *forest_program;
    oct_kernel *box_groups, *join_parts;
    oct_kernel *open, *keep, *write;
    oct_kernel *place, *take_rows, *write_rows, *rank, *record; /* the last three as the tree has */

    /* Boxes that groups walk with, and around runs of those. */
    oct_buffer *group_boxes, *parts;
    uint32_t boxes_each, n_boxes, n_parts;

    /* Those of all ranks, behind a table for kernels/tree_essential.cl; firsts[r] is the box around
     * all of rank r, its parts follow, some and some behind a box around these. */
    oct_buffer *all_parts;
    uint32_t *firsts;
    char *described;

    /* What is sent; `now` is what the next launch takes. */
    oct_buffer *opened, *marks, *n_marks, *sent;
    oct_essential_mail out, in;
    oct_essential_length *lengths; /* of what goes to each rank, then of what comes */
    struct {
        uint32_t first_lot, n_lots; /* of other ranks, in order */
        uint32_t words_at;          /* in `sent`: words of all before these */
    } now;
    uint32_t most_lots;   /* ranks that messages are made for at once */
    uint32_t opened_each; /* cells of a work-item */

    /* What has come. Of the tree itself are those who walk: order, sorted, groups, lists. */
    oct_tree forest;
    oct_buffer *later, *trees, *source, *source_soft;
    uint32_t n_cells, n_trees, source_room;
    uint32_t *tree_table; /* on the host, as kernels/tree_forest.cl has it */
} oct_essential;

/* For walks, beside the offers of `forest`: source, source_soft and group_boxes. */
extern const oct_offer oct_essential_offers[];

/* The tree is one with cells. */
oct_status oct_essential_create(oct_essential **out, oct_tree *tree, oct_domain *domain,
                                const oct_essential_goal *goal);
void oct_essential_free(oct_essential *e);
/* Sends the others what they need of the tree, which has been built, on its way. Waits for the
 * device three times; what is launched afterwards runs while it travels. */
oct_status oct_essential_send(oct_essential *e);
/* Waits for what the others have sent, and makes the forest of it. *any: it has cells. */
oct_status oct_essential_receive(bool *any, oct_essential *e);

/* For tree/essential.c: the forest's kernels; its buffers. */
oct_status oct_forest_start(oct_essential *e, const char *options);
void oct_forest_free(oct_essential *e);
/* Finds out where everything goes, once it is known how long the messages are: then they can come,
 * that of rank r to the word at[r]. */
oct_status oct_forest_plan(oct_essential *e, uint64_t *at);
oct_status oct_forest_make(oct_essential *e);
/* Makes room on the host, which keeps what it had, or on the device. */
oct_status oct_essential_mail_host(oct_essential_mail *mail, size_t words);
oct_status oct_essential_mail_device(oct_essential_mail *mail, oct_device *device, uint64_t words);

#endif
