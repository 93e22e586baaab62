// A file that is written as it comes: plain, or packed by its extension (.gz
// or .zst). "-" is the standard output.
//
// The first failure (a full disk, say) is kept: later writes do nothing and
// `output_close` returns it. What was written before it stays in the file.

#ifndef OPSCOPE_BASE_OUTPUT_H
#define OPSCOPE_BASE_OUTPUT_H

#include "status.h"
#include "view.h"

struct output;

status output_open(const char *path, struct output **out_output);

// The same after what the file already holds.
status output_append(const char *path, struct output **out_output);
void output_write(struct output *output, const void *data, size_t size);
void output_text(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Bytes given so far, before packing.
uint64_t output_size(const struct output *output);

// Writes what is still buffered; false when something could not be written. What is
// packed may stay behind until the output is closed.
bool output_flush(struct output *output);

status output_close(struct output *output);

#endif
