// Databases of rocprofv3 (rocpd): docs/formats/rocpd.md.
//
// Read in a row, not in parts (base/parts.h): rows come from SQLite one after the other.

#ifndef OPSCOPE_FORMATS_ROCPD_READER_H
#define OPSCOPE_FORMATS_ROCPD_READER_H

#include "base/input.h"
#include "profile/profile.h"

// Whether the bytes are such a database: one with tables rocpd_string... and rocpd_event...
bool rocpd_recognise(struct view bytes);

// Into a fresh profile, all runs that the database holds. Of a damaged one what can be read, the
// rest in the ledger.
status rocpd_read(const struct input *input, struct profile *profile);

#endif
