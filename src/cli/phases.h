// The phases of a compilation as files, or on the standard error, as the flags of
// MLIR's compilers ask for them.

#ifndef OPSCOPE_CLI_PHASES_H
#define OPSCOPE_CLI_PHASES_H

#include "compiling.h"

struct phases {
    const struct compiling *compiling;
    const char *folder; // --dump-compilation-phases-to: MODEL.N.PHASE.mlir; NULL: none
    const char *tree;   // --mlir-print-ir-tree-dir: a file for each pass; NULL: none
    bool print;         // --mlir-print-ir-after-all: on the standard error
};

// Makes the folders. `phases` must outlive the observer.
status phases_start(struct phases *phases, struct compile_observer *out_observer);

// mkdir -p; `command` is for the message.
status phases_make_folder(const char *command, const char *path);

#endif
