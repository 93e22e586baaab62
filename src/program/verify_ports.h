// What goes in and out of a program.

#ifndef OPSCOPE_PROGRAM_VERIFY_PORTS_H
#define OPSCOPE_PROGRAM_VERIFY_PORTS_H

#include "program.h"

// That buffers of inputs, constants and outputs hold the whole of such values, that what the
// caller gives are inputs, and that every output is held by a buffer, or a constant.
status verify_ports(const struct program *program);

#endif
