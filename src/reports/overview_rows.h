// The overview as rows: what `opscope overview` shows (docs/formats/overview.md).

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

void overview_rows_free(struct overview_rows *rows);

#endif
