// One line that says what the numbers of a track are, for formats that have room for a text:
// "modelled, 800000000 Hz cycles", and of a lane whose name does not tell what works there
// also "; role=transfer in; engine=fetch; lane=0; core=2; queue=fetch", and "; flat=1" where spans
// of a lane are no call stack.

#ifndef OPSCOPE_FORMATS_TRACE_TRACK_SOURCE_H
#define OPSCOPE_FORMATS_TRACE_TRACK_SOURCE_H

#include "profile/profile.h"

// How many bytes of `text` were filled; 0 when there is nothing to say.
size_t track_source_describe(const struct profile *profile, const struct track *track, char *text,
                             size_t room);

// Adds to a line that says what works there, of `size` bytes, that the track is a further lane of
// another, for spans that overlap; how many bytes there are then.
size_t track_source_lane(char *text, size_t size, size_t room, uint64_t first);

// The other; 0: it is none.
uint64_t track_source_lane_of(struct view line);

// The word that the line starts with; PROVENANCE_ABSENT when it is none.
enum provenance track_source_provenance(struct view line);

// Role, engine and place of a lane, where the line says them; false where it does not.
bool track_source_place(struct profile *profile, struct view line, struct track *track);

// What the line says besides.
struct view track_source_head(struct view line);

// The clock that the line names, 0 for none. Ticks of a clock above 1 GHz cannot be told from
// nanoseconds: there the times stay as they are.
uint32_t track_source_clock(struct profile *profile, struct view line);

#endif
