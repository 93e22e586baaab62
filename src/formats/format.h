// Reading a file of any format.

#ifndef OPSCOPE_FORMATS_FORMAT_H
#define OPSCOPE_FORMATS_FORMAT_H

#include "readers.h"

// Reads `path` into a fresh profile. Facts `format` and `source` say what it
// was; profiles made from a CSV get one process named after the file. A folder
// is read as the logs of a Tenstorrent capture that it holds.
status format_read(const char *path, const struct format_options *options, struct profile *profile);

// The same for what is open already, or opened ahead by format_reader_in_parts; takes over `input`,
// also on failure. A profile of opscope's own keeps the input open.
status format_read_input(struct input *input, const struct format_options *options,
                         struct profile *profile);

#endif
