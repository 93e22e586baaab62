// Where the work of a program comes from, in the text form of MLIR:
// `loc("add.mlir":4:10)`, `loc("conv1"("model.mlir":7:5))` with the line of the listing
// (listing.h) for an operator of ONNX, `loc("conv1")` by name for one whose place has another
// form or none, `loc(fused[...])` for several.

#ifndef OPSCOPE_PROGRAM_LOCATION_H
#define OPSCOPE_PROGRAM_LOCATION_H

#include "base/bytes.h"
#include "program.h"

// Of operators, each place once; `loc(unknown)` where none has a place or a name.
void program_location(const struct program *program, const uint32_t *operators, uint32_t count,
                      struct bytes *out_text);

// The operators that the nodes of a group stand for, each once, in the order of
// the network. There is room for as many as it has nodes. Returns how many.
uint32_t program_group_operators(const struct program *program, uint32_t group, uint32_t *out_ids);

// Of the operators that the nodes of a group stand for.
void program_group_location(const struct program *program, uint32_t group, struct bytes *out_text);

// The group that a task works for: its own, or that of the job whose code it
// brings. PROGRAM_NONE when there is none.
uint32_t program_task_group(const struct program *program, uint32_t task);

// The group whose work an action of the program starts or waits for, or whose code it copies.
// PROGRAM_NONE when there is none.
uint32_t program_action_group(const struct program *program, const struct program_action *action);

// Where the action says it in MLIR's form, that; else that of its group, or what the action
// says in another form; nothing where neither has a place.
void program_action_location(const struct program *program, const struct program_action *action,
                             struct bytes *out_text);

#endif
