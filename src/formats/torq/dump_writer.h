// Prints a program in Torq's own text form (NAME.9.executable-targets.mlir), so that
// dump_reader.h reads the same tasks, steps, jobs, actions, ids, bytes and cycles:
// docs/formats/torq-dump.md says what the form has no place for.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_WRITER_H
#define OPSCOPE_FORMATS_TORQ_DUMP_WRITER_H

#include "base/output.h"
#include "device/sim.h"
#include "program/program.h"

// `times` NULL: without profiling. `locations`: with loc(...) after operations.
// Memory: the names of one dispatch.
status torq_dump_write(const struct program *program, const struct target *target,
                       const struct sim_result *times, bool locations, struct output *output);

#endif
