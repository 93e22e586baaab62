// Which engines need values in rows or in tiles: the rules that the compiler keeps and the
// verifier checks. Only targets of which an engine lays values out anew (target_has_layouts) have
// both.

#ifndef OPSCOPE_PROGRAM_LAYOUTS_H
#define OPSCOPE_PROGRAM_LAYOUTS_H

#include "network/operators.h"
#include "program.h"
#include "target/target.h"

// Whether a value of this shape lies otherwise in tiles than in rows: two of its dimensions are
// longer than 1.
bool layouts_matter(const struct shape *shape);

// Whether an engine that has no tiles of its own computes an operator on those of others as well:
// it names the operator, or its class.
bool layouts_either(const struct target *target, uint32_t engine,
                    const struct operator_definition *definition);

// Whether the word is an operator's name as targets write it: "concat" is Concat and tosa.concat.
bool layouts_names(const char *word, const struct operator_definition *definition);

// Whether a value in tiles lies in the same way under another shape: its last two dimensions stay.
bool layouts_view(const struct shape *from, const struct shape *to);

// Whether what a buffer holds is moved packed.
bool layouts_is_packed(const struct program *program, const struct program_buffer *buffer);

#endif
