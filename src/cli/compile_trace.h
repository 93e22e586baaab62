// The modelled timeline of a compiled network as a file.

#ifndef OPSCOPE_CLI_COMPILE_TRACE_H
#define OPSCOPE_CLI_COMPILE_TRACE_H

#include "compiling.h"
#include "formats/writers.h"

// Leaves no half-written file.
status compile_trace_write(const struct compiling *compiling, const char *path,
                           const struct format_writer *writer);

#endif
