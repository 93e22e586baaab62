// Databases that Nsight Systems exports (nsys export --type sqlite): docs/formats/nsys.md.
//
// Read in a row, not in parts (base/parts.h): rows come from SQLite one after the other.

#ifndef OPSCOPE_FORMATS_NSYS_READER_H
#define OPSCOPE_FORMATS_NSYS_READER_H

#include "base/input.h"
#include "profile/profile.h"

// Whether the bytes are such a database: one with a table of texts and one of events.
bool nsys_recognise(struct view bytes);

// Into a fresh profile. Of a damaged database what can be read, the rest in the ledger.
status nsys_read(const struct input *input, struct profile *profile);

#endif
