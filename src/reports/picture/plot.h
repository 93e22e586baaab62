// What a picture of a profile shows, however it is drawn: lanes in the order of the tracks,
// each with rows of spans over columns of time.
//
// One pass over the events. A span that is wide enough is kept; all others are added up in the
// columns that they touch: how many begin there and how much of the column they cover. Memory
// is bounded by columns x rows, at most PLOT_LANES_MOST x PLOT_ROWS_MOST rows; lanes beyond
// that are added up in one. Nothing is left out without being counted.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_H

#include "kinds.h"

enum { PLOT_LANES_MOST = 100, PLOT_ROWS_MOST = 8, PLOT_COLUMNS_MOST = 16384 };

struct plot_options {
    uint32_t columns;          // 1 to PLOT_COLUMNS_MOST
    uint32_t wide;             // a span of so many columns is kept as it is
    uint64_t from;             // ns from the start of the profile
    uint64_t to;               // UINT64_MAX: its end
    const char *const *tracks; // parts of names of tracks to show; none: all
    size_t track_count;
};

struct plot_span {
    double x; // columns
    double width;
    uint64_t start; // ns from the start of the profile, not clipped
    uint64_t end;
    uint32_t name; // text id
    unsigned kind;
    unsigned shade;
};

// What was too narrow, by column.
struct plot_cell {
    uint64_t covered; // ns
    uint64_t votes;   // of `kind`: that of most of the time
    uint32_t count;   // spans that begin here
    unsigned kind;
};

// Spans of a lane that do not overlap; those inside others are a row below.
struct plot_row {
    struct plot_span *spans;
    size_t count, capacity;
    struct plot_cell *cells; // NULL: none
    uint64_t end;            // of the last span, ns
};

// A counter in a column: the largest value that it has there.
struct plot_level {
    double most;
    bool known;
};

struct plot_lane {
    uint32_t track;  // 0: the lanes that did not fit
    unsigned indent; // how many headings it is under
    bool heading;    // a track with nothing on itself
    unsigned kind;
    uint32_t merged_lanes; // of track 0
    struct plot_row rows[PLOT_ROWS_MOST];
    unsigned row_count;
    uint32_t *instants;        // by column; NULL: none
    struct plot_level *levels; // of a counter; NULL: none
    double least, most;        // of a counter in the time that is shown, and 0
    double last;               // the value that is carried on from `level_column`
    uint32_t level_column;
    // All of the lane, then what became of it; spans = kept + merged + outside.
    uint64_t spans, kept, merged, outside;
    uint64_t instant_count, instants_outside, sample_count;
    uint64_t deeper; // merged into the last row, whatever their width
    uint64_t busy;   // ns of the time that is shown in which some span is open
    uint64_t until;  // the end of what is counted in `busy`
    uint32_t last_track;
    bool has_kind[PICTURE_KINDS];
};

struct plot_total {
    uint64_t busy; // ns, added up over lanes
    uint64_t lanes;
    uint64_t spans;
};

struct plot {
    const struct profile *profile;
    struct plot_options options;
    struct picture_kinds kinds;
    uint64_t start; // of the profile, ns
    uint64_t from;  // what is shown, ns from its start; from < to
    uint64_t to;
    struct plot_lane *lanes;
    size_t lane_count;
    struct plot_total totals[PICTURE_KINDS];
    uint64_t spans, kept, merged, outside, instants, instants_outside, samples, deeper;
    uint32_t empty_tracks;    // without events: not shown
    uint32_t unchosen_tracks; // by the names given
    bool provenances[PROVENANCE_DERIVED + 1];
};

// `profile` must outlive the plot, as must the names in `options`. Fails when no track has
// such a name, or nothing lies in the time.
status plot_create(struct profile *profile, const struct plot_options *options,
                   struct plot **out_plot);
void plot_free(struct plot *plot);

// How much of a column narrow spans cover, 0 to 1.
double plot_cell_cover(const struct plot *plot, const struct plot_lane *lane,
                       const struct plot_row *row, uint32_t column);

// Of the time that is shown.
double plot_percent(const struct plot *plot, uint64_t busy, uint64_t lanes);

#endif
