// One line that says what the numbers of a track are, for formats that have room for a text:
// "modelled, 800000000 Hz cycles".

#ifndef OPSCOPE_FORMATS_TRACK_SOURCE_H
#define OPSCOPE_FORMATS_TRACK_SOURCE_H

#include "profile/profile.h"

// How many bytes of `text` were filled; 0 when there is nothing to say.
size_t track_source_describe(const struct profile *profile, const struct track *track, char *text,
                             size_t room);

// The word that the line starts with; PROVENANCE_ABSENT when it is none.
enum provenance track_source_provenance(struct view line);

// The clock that the line names, 0 for none. Ticks of a clock above 1 GHz cannot be told from
// nanoseconds: there the times stay as they are.
uint32_t track_source_clock(struct profile *profile, struct view line);

#endif
