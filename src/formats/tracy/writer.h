// Writes a profile as Tracy's tools save traces (docs/formats/tracy.md): version 0.10.0, which
// tt-metal's fork of Tracy opens, and all that came after.
//
// Memory: the distinct texts, locations and lanes; a row for each event lies in a spool.

#ifndef OPSCOPE_FORMATS_TRACY_WRITER_H
#define OPSCOPE_FORMATS_TRACY_WRITER_H

#include "profile/profile.h"

// All of a stored profile. What Tracy has no place for goes to the profile's ledger.
status tracy_write(struct profile *profile, const char *path);

#endif
