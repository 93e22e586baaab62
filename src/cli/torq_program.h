// A program that ran, or will run, on a Torq: a dump of torq-compile, Synaptics' own or ours, the
// folder that it lies in, or what was compiled.

#ifndef OPSCOPE_CLI_TORQ_PROGRAM_H
#define OPSCOPE_CLI_TORQ_PROGRAM_H

#include "reports/torq/annotate_source.h"
#include "formats/torq/dump_reader.h"

struct torq_program {
    const char *path; // as it was found
    struct program program;
    struct target *target;
    uint32_t *names;        // of a dump: what its tasks run, by task; else NULL
    struct program *opened; // of what was compiled; else NULL
    // What they lie in:
    char *found_path; // of a dump in a folder
    struct input *dump;
    struct program_builder *builder;
    struct bytes listing; // of the program's operators
};

// Free it also when it failed.
status torq_program_open(const char *path, struct torq_program *out_program);
void torq_program_free(struct torq_program *program);

// What locations of the program name, where `given` (may be NULL) stands for files of its name.
// For the caller to free, before the program.
struct annotate_source *torq_program_source(struct torq_program *program, const char *given);

#endif
