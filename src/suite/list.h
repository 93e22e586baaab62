// The networks of a session, one after the other: patterns are looked up, and each network gets a
// name of its own.

#ifndef OPSCOPE_SUITE_LIST_H
#define OPSCOPE_SUITE_LIST_H

#include "trial.h"

struct trial_list {
    struct trial *trials;
    size_t count;
    size_t capacity;
};

// What the plan leaves open.
struct list_defaults {
    const char *target;
    double timeout;     // seconds
    const char *folder; // of the results
    const struct trial_kind *(*kind_of)(const char *target);
};

// Adds a trial for each file and each target. Patterns begin in the folder `from` ("" is where
// the program runs). One that finds nothing is a failure. `networks` must outlive the list.
status trial_list_add(struct trial_list *list, const struct plan_networks *networks,
                      struct view from, const struct list_defaults *defaults);

void trial_list_free(struct trial_list *list);

#endif
