// The plan of a test session: which networks, with which inputs, for which targets.
//
//     target = host                 # what stands before the first section holds for all
//
//     [networks]
//     models = nets/*.onnx          # from the plan's folder; several lines are several patterns
//     input = 1x16xf32=1            # the next input
//     timeout = 60                  # seconds
//
// Keys that may stand several times (models, input, target) replace those of the beginning as a
// whole. docs/formats/plan.md

#ifndef OPSCOPE_SUITE_PLAN_H
#define OPSCOPE_SUITE_PLAN_H

#include <stdbool.h>

#include "base/status.h"
#include "base/view.h"

struct plan_texts {
    char **items;
    size_t count;
    size_t capacity;
};

struct plan_networks {
    struct plan_texts models; // patterns of paths
    struct plan_texts inputs;
    struct plan_texts targets;
    double timeout; // seconds; 0: not said
    char *compile;  // commands (suite/command.h); NULL: not said
    char *run;
    uint64_t line; // of the section; 0: of the command line
};

struct suite_plan {
    char *path;
    struct plan_networks common;
    struct plan_networks *networks;
    size_t count;
    size_t capacity;
};

// `path` is for messages. A plan without networks, a key that is not known and a value that makes
// no sense are failures with their line.
status suite_plan_read(const char *path, struct view text, struct suite_plan **out_plan);

// Accepts NULL.
void suite_plan_free(struct suite_plan *plan);

void plan_texts_add(struct plan_texts *texts, struct view text);
void plan_networks_free(struct plan_networks *networks);

// Seconds: a number above 0 and at most a day.
bool plan_seconds(struct view text, double *out_seconds);

#endif
