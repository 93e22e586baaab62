// What goes in and out of a program.

#ifndef OPSCOPE_PROGRAM_VERIFY_PORTS_H
#define OPSCOPE_PROGRAM_VERIFY_PORTS_H

#include "program.h"

// The buffer in which an input, output or constant of the network lies for the caller;
// PROGRAM_NONE: there is none.
uint32_t program_port(const struct program *program, uint32_t value);

// That buffers of inputs, constants and outputs hold the whole of such values, that what the
// caller gives are inputs, and that every output is held by a buffer, or a constant. Each has one
// for the caller at most.
status verify_ports(const struct program *program);

#endif
