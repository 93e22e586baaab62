// The modelled timeline of a compiled network as a file.

#ifndef OPSCOPE_CLI_COMPILE_TRACE_H
#define OPSCOPE_CLI_COMPILE_TRACE_H

#include "compiling.h"
#include "formats/torq/torq.h"

// By the name of the file: .csv, a compile profile of Torq in `form`; .pb, a Perfetto
// trace; .prof, opscope's own. Other names get the CSV, as Torq's compiler does. Leaves
// no half-written file.
status compile_trace_write(const struct compiling *compiling, const char *path,
                           enum torq_form form);

#endif
