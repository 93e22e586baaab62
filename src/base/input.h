// A file, mapped; gzip and zstd files are unpacked first (into a spool).
//
// The bytes stay valid until `input_close`. "-" is the standard input. A
// packed file that is cut off or damaged gives what could be unpacked, with
// `damage` saying what is wrong; readers account for it in their ledger.

#ifndef OPSCOPE_BASE_INPUT_H
#define OPSCOPE_BASE_INPUT_H

#include "spool.h"

struct input {
    char *path;
    struct view bytes;
    const char *damage; // NULL when nothing is wrong
    void *mapping;
    size_t mapped;
    struct spool streamed; // from a pipe
    struct spool unpacked;
};

status input_open(const char *path, struct input **out_input);

// A regular file exactly as it is, packed or not.
status input_map(const char *path, struct input **out_input);

// The same over bytes of the caller's, which must outlive the input.
struct input *input_over(const char *name, struct view bytes);

// The same; packed bytes are unpacked as those of a file are.
status input_open_memory(const char *name, struct view bytes, struct input **out_input);

void input_close(struct input *input);

#endif
