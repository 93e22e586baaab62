// The formats that are read: one table for whoever opens a file without knowing what it is.

#ifndef OPSCOPE_FORMATS_READERS_H
#define OPSCOPE_FORMATS_READERS_H

#include "base/input.h"
#include "profile/profile.h"

struct format_options {
    uint32_t num_slices; // as in torq.h
    uint64_t clock_hz;
    const char *program; // that was run, where a file leaves its names to it; NULL: not given
};

// By what a format is known. Where several recognise the same bytes, the strongest decides; two of
// the same strength never do.
enum format_evidence {
    FORMAT_BY_TAGS,   // bytes that can be read as its messages; a text's can, too: a line feed is a
                      // tag
    FORMAT_BY_ROWS,   // lines of the shape of its rows, with a header or without, after others
    FORMAT_BY_HEADER, // the first line names its columns
    FORMAT_BY_KEYS,   // JSON with its keys; no line of a table opens a bracket
    FORMAT_BY_MAGIC,  // bytes that no other file begins with
};

struct format_reader {
    const char *name; // "perfetto"
    enum format_evidence evidence;
    bool keeps_input; // `read` takes over the input, also on failure, and finishes the profile
    bool (*recognise)(struct view bytes);
    // Whether a file that begins like this is read from front to back, as far as `input_reach` says
    // that it is there (base/input.h); NULL: it is there as a whole when it is read.
    bool (*in_parts)(struct view beginning);
    // Into a fresh profile. The fact `format` says which form of the format it was.
    status (*read)(struct input *input, const struct format_options *options,
                   struct profile *profile);
};

// In order of their evidence, the strongest first. The next one after `reader`, the first one after
// NULL; NULL at the end.
const struct format_reader *format_reader_next(const struct format_reader *reader);

// NULL: of no format that is known.
const struct format_reader *format_reader_find(struct view bytes);

// What input_open_ahead asks for whoever reads profiles: whether a file that begins like this may
// be of a format that is known, and whether that is read in parts.
bool format_reader_may_know(struct view beginning);
bool format_reader_in_parts(struct view beginning);

#endif
