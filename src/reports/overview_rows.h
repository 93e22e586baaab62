// The overview as rows: what `opscope overview` shows (docs/formats/overview.md). A machine whose
// own tools have a table of it gets that; every other one gets the table by role.

#ifndef OPSCOPE_REPORTS_OVERVIEW_ROWS_H
#define OPSCOPE_REPORTS_OVERVIEW_ROWS_H

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

struct overview_row *overview_row_add(struct overview_rows *rows, struct view name);

// Fills in a figure, with its share of the time of all where `share`.
void overview_row_set(struct overview_row *row, const struct overview *overview,
                      struct overview_value value, bool share);

// What `opscope overview` shows, one for each process: what the profile carries, else what
// its spans add up to; with `all` also what is not shown otherwise.
status overview_rows_list(struct profile *profile, bool all, struct overview_rows **out_list,
                          size_t *out_count);

// Whether a row is worth a line in a report of this profile: what is absent is said, but for what
// its machine does not have.
bool overview_row_is_shown(const struct profile *profile, const struct overview_row *row);

// The list and its rows.
void overview_rows_list_free(struct overview_rows *list, size_t count);

void overview_rows_free(struct overview_rows *rows);

#endif
