// The last two groups of Torq's traces: "Compiler Input Locations", a track for each place of the
// network's text and each kind of work that was done for it, and "Operator Type Totals".
//
// A track is called after the operator at its place ("tosa.conv2d@L7"), or after the place, and
// says how long the work took, each moment counted once, and which engines did it. Work of a
// location with several places counts for each of them.
//
// Memory: 40 bytes for each piece of work and place.

#ifndef OPSCOPE_REPORTS_TORQ_LAYOUT_LOCATIONS_H
#define OPSCOPE_REPORTS_TORQ_LAYOUT_LOCATIONS_H

#include "annotate_source.h"
#include "profile/profile.h"
#include "work_units.h"

struct layout_locations;

// Both must outlive it.
struct layout_locations *layout_locations_create(struct profile *profile,
                                                 struct annotate_source *source);
void layout_locations_free(struct layout_locations *locations);

// Work from `start` to `end`, in ns, on the index-th engine of its kind. `name` is a string of
// the profile.
void layout_locations_add(struct layout_locations *locations, struct view location,
                          enum work_kind kind, uint32_t index, uint32_t name, uint64_t start,
                          uint64_t end);

// Adds the groups with these ranks; totals begin at `start`, in ns.
void layout_locations_finish(struct layout_locations *locations, int32_t rank, int32_t totals_rank,
                             uint64_t start);

#endif
