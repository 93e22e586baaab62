// The overview as Torq's tools show it: rows of text (the Host Profile
// Overview), and tracks of a trace whose events carry the figures in their
// names. docs/formats/overview.md has both.

#ifndef OPSCOPE_FORMATS_TORQ_OVERVIEW_ROWS_H
#define OPSCOPE_FORMATS_TORQ_OVERVIEW_ROWS_H

#include "analysis/overview.h"

struct overview_row {
    char name[64]; // "Dma Only"
    bool present;  // absent rows have no figure
    uint64_t ns;
    bool has_percent;
    double percent;
};

struct overview_rows {
    char *model;
    enum provenance provenance; // of what the figures were computed from
    struct overview_row *rows;  // OVERALL first
    size_t count;
    size_t capacity;
};

enum { OVERVIEW_DURATION_ROOM = 40 };

// 0 to "0ns", 453000 to "453.000\u00b5s", 12845000 to "12.845ms" ...
void overview_format_duration(uint64_t ns, char text[OVERVIEW_DURATION_ROOM]);

// The inverse, also with "us"; false when the text is no duration.
bool overview_parse_duration(struct view text, uint64_t *out_ns);

// The rows that the document shows, and those that it does not with `all`.
void overview_rows_of(const struct overview *overview, bool all, struct overview_rows *out_rows);

// The overviews that a trace carries in the names of its events, one for each
// process that holds some; `*out_count` is 0 when there is none.
status overview_rows_read(struct profile *profile, struct overview_rows **out_list,
                          size_t *out_count);

// What `opscope overview` shows, one for each process: what the profile carries, else what
// its spans add up to.
status overview_rows_list(struct profile *profile, bool all, struct overview_rows **out_list,
                          size_t *out_count);

// The list and its rows.
void overview_rows_list_free(struct overview_rows *list, size_t count);

void overview_rows_free(struct overview_rows *rows);

// Adds "<name> Overview" with its sixteen tracks to the profile.
void overview_tracks_add(struct profile *profile, const char *name, const struct overview *overview,
                         int32_t rank);

#endif
