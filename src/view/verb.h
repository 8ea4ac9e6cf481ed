/* The commands of the interface, and what each kind of viewer can do. */
#ifndef OCT_VIEW_VERB_H
#define OCT_VIEW_VERB_H

#include "core/sim.h"
#include "util/text.h"
#include "view/form.h"

/* What is shown; several of them in a mask. */
typedef enum oct_view_mode {
    OCT_VIEW_SCENE = 1, /* a scene that clients may change as they like */
    OCT_VIEW_RUN = 2,   /* a run with results */
    OCT_VIEW_FILES = 4
} oct_view_mode;

struct oct_viewer;

typedef struct oct_verb {
    const char *name;
    bool get;       /* a question: GET, not POST */
    unsigned modes; /* where it is possible */
    bool alone;     /* with one domain only */
    /* Does it and adds to the reply, a JSON object that is open. */
    oct_status (*act)(struct oct_viewer *viewer, oct_sim *sim, const oct_form *form,
                      oct_text *reply);
} oct_verb;

/* Ends with one without name. */
extern const oct_verb oct_verbs[];

/* The verb of that name; NULL where there is none. */
const oct_verb *oct_verb_find(const char *name);

#endif
