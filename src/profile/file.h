// The profile's own file form: everything a profile holds, without loss.
// docs/formats/profile.md describes it byte by byte.
//
// A file that is cut off is read up to the cut, a damaged block is skipped;
// both are accounted for in the ledger.

#ifndef OPSCOPE_PROFILE_FILE_H
#define OPSCOPE_PROFILE_FILE_H

#include "profile.h"

enum { PROFILE_FILE_VERSION = 1 };

// `path` may end in .gz or .zst.
status profile_save(struct profile *profile, const char *path);

bool profile_file_recognise(struct view bytes);

// `profile` must be fresh. Takes over `input`, also on failure: events stay in
// its mapped bytes.
status profile_load(struct input *input, struct profile *profile);

#endif
