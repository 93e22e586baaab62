// Profiles that commands read. In the program each is read when a command asks for it; a server
// reads those that it is asked about before, and keeps some of them.

#ifndef OPSCOPE_CLI_OPENED_H
#define OPSCOPE_CLI_OPENED_H

#include "formats/readers.h"

// Reads a file of any format (formats/format.h), or gives the profile that is kept of it where
// `options` say nothing. `*out_profile` is NULL on failure.
status opened_read(const char *path, const struct format_options *options,
                   struct profile **out_profile);

// The profile that is kept of a file; NULL: none is.
struct profile *opened_find(const char *path);

// Frees a profile unless it is kept. Accepts NULL.
void opened_close(struct profile *profile);

// Reads a file and keeps its profile, up to `most` of them: what was asked for longest ago goes
// first. One that is kept is read again if the file changed. Folders, and what is no profile, are
// not kept.
void opened_keep(const char *path, size_t most);

#endif
