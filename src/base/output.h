// A file that is written as it comes: plain, or packed by its extension (.gz
// or .zst). "-" is the standard output.
//
// A plain file is there as a whole or not at all: it is written beside its place and moved there
// when it is closed and nothing failed (base/replace.h). Until then the old one stays. Pipes and
// devices are written as they are.
//
// The first failure (a full disk, say) is kept: later writes do nothing and `output_close`
// returns it.

#ifndef OPSCOPE_BASE_OUTPUT_H
#define OPSCOPE_BASE_OUTPUT_H

#include "bytes.h"
#include "status.h"
#include "view.h"

struct output;

status output_open(const char *path, struct output **out_output);

// The same after what the file already holds.
status output_append(const char *path, struct output **out_output);

// The same, straight into its place: for what must not be lost when the process dies.
status output_open_growing(const char *path, struct output **out_output);

// The same into memory, plain: appends to `to`, which the caller frees after the output is closed.
void output_open_bytes(struct bytes *to, struct output **out_output);

void output_write(struct output *output, const void *data, size_t size);
void output_text(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// What is written from now on is for people: what would steer a terminal is shown as '?'. A
// character must not be cut in two between calls.
void output_for_people(struct output *output);

// Whether what is written from now on is JSON inside a page: what could end its script or start
// another one (< > & and the line ends U+2028 and U+2029) is written as \uXXXX, which means the
// same in a text of JSON. A character must not be cut in two between calls.
void output_inside_page(struct output *output, bool inside);

// Bytes given so far, before packing.
uint64_t output_size(const struct output *output);

// Writes what is still buffered; false when something could not be written. What is
// packed may stay behind until the output is closed.
bool output_flush(struct output *output);

status output_close(struct output *output);

// The same for one whose content may not be whole: if it was not `written`, nothing takes the
// place of the old file. Returns the first failure.
status output_finish(struct output *output, status written);

#endif
