// The overview as Torq's tools show it: rows of text (the Host Profile
// Overview), and tracks of a trace whose events carry the figures in their
// names. docs/formats/overview.md has both.

#ifndef OPSCOPE_REPORTS_TORQ_OVERVIEW_ROWS_H
#define OPSCOPE_REPORTS_TORQ_OVERVIEW_ROWS_H

#include "reports/overview_rows.h"

extern const struct overview_part TORQ_OVERVIEW_PARTS[];
extern const size_t TORQ_OVERVIEW_PART_COUNT;

// Whether the table has a place for such a lane; one of which nothing is known needs none.
bool torq_overview_knows(const struct profile *profile, enum role role, uint32_t engine);

// Whether a lane is called as Torq's tools call one.
bool torq_overview_names(const struct profile *profile, const struct track *track);

// Of an overview that was computed with these parts: the rows that the document shows, and those
// that it does not with `all`.
void torq_overview_rows(const struct overview *overview, bool all, struct overview_rows *out_rows);

// The overviews that a trace carries in the names of its events, one for each
// process that holds some; `*out_count` is 0 when there is none.
status torq_overview_read(struct profile *profile, struct overview_rows **out_list,
                          size_t *out_count);

// Adds "<name> Overview" with its sixteen tracks to the profile.
void torq_overview_tracks_add(struct profile *profile, const char *name,
                              const struct overview *overview, int32_t rank);

#endif
