// The phases of a compilation as files, or on the standard error, as the flags of
// MLIR's compilers ask for them.

#ifndef OPSCOPE_CLI_PHASES_H
#define OPSCOPE_CLI_PHASES_H

#include "compiling.h"

struct phases {
    const struct compiling *compiling;
    const char *folder;       // --dump-compilation-phases-to: MODEL.N.PHASE.mlir; NULL: none
    const char *tree;         // --mlir-print-ir-tree-dir: a file for each pass; NULL: none
    const char *to, *to_path; // the phase whose text takes the place of the program; NULL: none
    bool print;               // --mlir-print-ir-after-all: on the standard error
    bool profiled;            // --torq-enable-profiling: cycles in the last phase
};

// Makes the folders. `phases` must outlive the observer.
status phases_start(struct phases *phases, struct compile_observer *out_observer);

// The last phase, executable-targets, from the finished program.
status phases_finish(const struct phases *phases);

// The finished program in Torq's own text form as DIR/MODEL.executable-targets.mlir, with
// cycles and locations: what --torq-debug-info asks for.
status phases_write_debug_info(const struct compiling *compiling, const char *folder);

// mkdir -p; `command` is for the message.
status phases_make_folder(const char *command, const char *path);

#endif
