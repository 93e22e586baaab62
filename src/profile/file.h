// The profile's own file form: everything a profile holds, without loss.
// docs/formats/profile.md describes it byte by byte.
//
// A file that is cut off is read up to the cut, a damaged block is skipped;
// both are accounted for in the ledger. Blocks are taken as they lie in the mapped file, so that
// there is nothing to be done in parts (base/parts.h).

#ifndef OPSCOPE_PROFILE_FILE_H
#define OPSCOPE_PROFILE_FILE_H

#include "profile.h"

enum { PROFILE_FILE_VERSION = 2 };

// `path` may end in .gz or .zst.
status profile_save(struct profile *profile, const char *path);

// The same file while events come: what was flushed can be read, whatever happens next.
// From the opening on, events of `profile` are no longer kept in it. `path` should not be
// packed: what is packed may come late.
struct profile_stream;

status profile_stream_open(struct profile *profile, const char *path,
                           struct profile_stream **out_stream);

// Writes what is new. Fails when something could not be written, now or before.
status profile_stream_flush(struct profile_stream *stream);

// Flushes, ends the file and frees the stream.
status profile_stream_close(struct profile_stream *stream);

bool profile_file_recognise(struct view bytes);

// `profile` must be fresh. Takes over `input`, also on failure: events stay in
// its mapped bytes.
status profile_load(struct input *input, struct profile *profile);

#endif
