// Torq's last dump in text form (NAME.9.executable-targets.mlir), a real one or
// one of dump_writer.h, as a program: docs/formats/torq-dump.md.
//
// Dispatches are executed in the order of the text: each start of an NSS program
// walks its blocks. Slices cost what their loops say (or `slice_profiling`),
// transfers what their bytes cost on the target; buffers are the pieces of memory
// that transfers and slices touch. The dump does not say what depends on what.
//
// Whatever is wrong, or is not known inside an nss_task, is an error that names the
// place. Memory: the text's tree (mlir.h) and some 500 bytes for each step.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_READER_H
#define OPSCOPE_FORMATS_TORQ_DUMP_READER_H

#include "base/input.h"
#include "program/builder.h"

// More starts and waits than this are refused.
enum { TORQ_DUMP_STEPS_MOST = 1 << 20 };

// Whether a text looks like a dump.
bool torq_dump_recognise(struct view text);

// The input and the target must outlive the builder and its program.
status torq_dump_read(const struct input *input, const struct target *target,
                      struct program_builder **out_builder);

// The same, and what the program that a task runs is called in the dump ("" for
// transfers): texts of the program, one for each task, for the caller to free.
status torq_dump_read_names(const struct input *input, const struct target *target,
                            struct program_builder **out_builder, uint32_t **out_names);

#endif
