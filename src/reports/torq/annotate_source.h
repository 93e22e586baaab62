// The operators of a network's text that a location points at.
//
// A file is looked for under the path that the location has, then beside the dump; one
// that is given by the user stands for every file of its name. A file that is not there
// gives no operators. Memory: files are mapped, 8 bytes for each of their lines.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_SOURCE_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_SOURCE_H

#include "base/bytes.h"

struct annotate_source;

// `given` may be NULL. Both paths must outlive the source.
struct annotate_source *annotate_source_create(const char *dump, const char *given);
void annotate_source_free(struct annotate_source *source);

// The text that stands for a file of this name; it must outlive the source.
void annotate_source_add(struct annotate_source *source, struct view name, struct view text);

// "tosa.add@L4 tosa.mul@L7", each once, in the order of the location. Valid until the
// next call. Nothing is read anew for a location that is the one before.
struct view annotate_source_operators(struct annotate_source *source, struct view location);

// A location in short, as Torq's tool prints it: "@L4C10", of a call that of what is called, of
// several joined by '+', of a name without a place the name; else as it is.
void annotate_source_place(struct view location, struct bytes *to);

// A place in a file that a location names. Valid during the call that it is handed to.
struct annotate_place {
    struct view file;
    uint64_t line, column;
    struct view op; // "tosa.add"; "" where the file or its line has none
};

typedef void annotate_source_take(void *context, const struct annotate_place *place);

// Hands over each place of a location, in its order: of a call what is called, then the caller.
void annotate_source_places(struct annotate_source *source, struct view location,
                            annotate_source_take *take, void *context);

// The operator that a line of MLIR text has: of `%0 = tosa.add ...`, of `"tosa.add"(...)`
// and of `torch.operator "onnx.Add"`. "" when there is none.
struct view annotate_source_operator(struct view line);

#endif
