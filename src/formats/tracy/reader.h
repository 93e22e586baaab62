// Reads .tracy files, what Tracy's tools save: versions 0.9.0 to 0.14.0 (docs/formats/tracy.md).
//
// Zones of threads and devices, messages, frames and plots become events. Locks, memory, call
// stacks, samples and pictures are not read: a remark of the ledger says so. The format has no
// tags and no lengths: after what is damaged nothing can be read, and the ledger says where; nor
// can it be cut into parts (base/parts.h).
//
// Memory: the tables of the file (texts, locations, threads) and what lies around the deepest
// zone; the unpacked file lies in a spool.

#ifndef OPSCOPE_FORMATS_TRACY_READER_H
#define OPSCOPE_FORMATS_TRACY_READER_H

#include "base/input.h"
#include "profile/profile.h"

bool tracy_recognise(struct view bytes);

// Into a fresh profile.
status tracy_read(struct input *input, struct profile *profile);

// The same of what is packed in such a file; `damage` says what is wrong after it, NULL: nothing.
status tracy_read_content(const char *path, struct view content, const char *damage,
                          struct profile *profile);

#endif
