// Reads Chrome traces (JSON) of any writer. docs/formats/chrome.md says what becomes of what.
//
// One pass over the mapped file; a second look at the beginnings and ends of threads where there
// are any, to see in which order to pair them. Memory: what is distinct (names, keys, threads),
// the spans that are open at once, two batches of events, and the windows of three spools (flows,
// and what has to be put in order, lie in temporary files): 32 MiB and 256 bytes a thread for
// traces with up to a hundred thousand distinct names, whatever their size, on a few threads; each
// has two pieces of the file under way (pieces.h).
//
// Malformed, cut off and contradictory traces are read as far as they go; the profile's ledger
// says what is missing and why.

#ifndef OPSCOPE_FORMATS_CHROME_READER_H
#define OPSCOPE_FORMATS_CHROME_READER_H

#include "base/input.h"
#include "profile/profile.h"

// Fills `profile`, which must be new. Fails where the system does (no room for temporary data)
// and on traces of more than 2^20 threads.
status chrome_read(struct input *input, struct profile *profile);

#endif
