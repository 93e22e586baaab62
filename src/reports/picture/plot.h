// What a picture of a profile shows, however it is drawn: lanes in the order of the tracks,
// each with rows of spans over columns of time.
//
// One pass over the events. A span that is wide enough is kept; all others are added up in the
// columns that they touch: how many begin there and how much of the column they cover. A frame of a
// stack that looks like the one around it is folded into it: so those that enclose all that is
// shown take one row. Memory is bounded by columns x rows,
// at most PLOT_LANES_MOST x the depth asked for. Of more lanes, those of cores are added up by
// engine, and what is still beyond that in one lane. What is
// taken for memory curves and arrows grows with the number of buffers and of flows. Nothing is
// left out without being counted.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_H

#include "kinds.h"

enum {
    PLOT_LANES_MOST = 100,
    PLOT_DEPTH = 8, // rows of a lane, unless told otherwise
    PLOT_DEPTH_MOST = 64,
    PLOT_COLUMNS_MOST = 16384,
    PLOT_FOLDED_NAMED = 4, // names of folded spans that are kept: the outermost, and the innermost
    PLOT_MEMORIES_MOST = 16,
    PLOT_ARROWS_MOST = 600,
};

enum plot_arrows {
    PLOT_NO_ARROWS,
    PLOT_LAUNCHES,   // flows from the host to a device
    PLOT_ALL_ARROWS, // all flows
};

struct plot_options {
    uint32_t columns;          // 1 to PLOT_COLUMNS_MOST
    uint32_t wide;             // a span of so many columns is kept as it is
    uint64_t from;             // ns from the start of the profile
    uint64_t to;               // UINT64_MAX: its end
    const char *const *tracks; // parts of names of tracks to show; none: all
    size_t track_count;
    uint32_t depth; // rows of a lane, to PLOT_DEPTH_MOST; 0: PLOT_DEPTH
    enum plot_arrows arrows;
};

struct plot_span {
    double x; // columns
    double width;
    uint64_t start; // ns from the start of the profile, not clipped
    uint64_t end;
    uint32_t name; // text id
    unsigned kind;
    unsigned shade;
    uint32_t folded;                   // spans in it that look the same
    uint32_t inner[PLOT_FOLDED_NAMED]; // their names (text ids), the last one that of the innermost
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
    bool last_kept;          // the last span is the last of `spans`
};

// A counter in a column: the largest value that it has there.
struct plot_level {
    double most;
    bool known;
};

enum plot_folding {
    PLOT_FOLDS_NOTHING, // work of a device: what overlaps runs side by side
    PLOT_FOLDS_SAME,    // a stack: what begins and ends where the one around it does
    PLOT_FOLDS_ALIKE,   // a stack of the host: what covers nearly all of the one around it
};

struct plot_lane {
    uint32_t track;  // 0: the lanes that did not fit, or a memory
    unsigned indent; // how many headings it is under
    bool heading;    // a track with nothing on itself
    bool is_memory;  // a curve of `memory`, or the heading of such
    bool hidden;     // nothing of it lies in the time that is shown
    enum plot_folding folding;
    uint32_t memory; // its name, text id
    uint32_t device; // whose it is: number + 1; 0: not said
    unsigned kind;
    uint32_t merged_lanes; // of track 0
    uint32_t like;         // of track 0: one of the lanes, where all are of one engine; 0: any
    struct plot_row *rows; // NULL: none yet; as many as the depth
    unsigned row_count;
    uint32_t *instants;        // by column; NULL: none
    struct plot_level *levels; // of a counter; NULL: none
    double least, most;        // of a counter in the time that is shown, and 0
    double last;               // the value that is carried on from `level_column`
    uint32_t level_column;
    // All of the lane, then what became of it; spans = kept + merged + folded + outside.
    uint64_t spans, kept, merged, folded, outside;
    uint64_t instant_count, instants_outside, sample_count;
    uint64_t deeper; // merged into the last row, whatever their width
    uint64_t busy;   // ns of the time that is shown in which some span is open
    uint64_t until;  // the end of what is counted in `busy`
    uint32_t last_track;
    bool has_kind[PICTURE_KINDS];
};

// A flow from one span to another, in columns and rows of lanes.
struct plot_end {
    double x;
    uint32_t lane;
    uint32_t row;
};

struct plot_arrow {
    struct plot_end from, to;
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
    struct plot_arrow *arrows; // those that are drawn
    size_t arrow_count;
    uint64_t arrows_found; // and those that begin and end beside these
    uint64_t spans, kept, merged, folded, outside, instants, instants_outside, samples, deeper;
    uint32_t empty_tracks;     // without events: not shown
    uint32_t hidden_lanes;     // without events in the time that is shown
    uint32_t unshown_counters; // of cores whose lanes are added up
    uint32_t unshown_memories;
    uint32_t unchosen_tracks; // by the names given
    bool provenances[PROVENANCE_DERIVED + 1];
};

// `profile` must outlive the plot, as must the names in `options`. Fails when no track has
// such a name, or nothing lies in the time.
status plot_create(struct profile *profile, const struct plot_options *options,
                   struct plot **out_plot);
void plot_free(struct plot *plot);

// Whether it stands for the lanes that did not fit.
static inline bool plot_lane_is_rest(const struct plot_lane *lane)
{
    return lane->track == 0 && !lane->is_memory;
}

// How much of a column narrow spans cover, 0 to 1.
double plot_cell_cover(const struct plot *plot, const struct plot_lane *lane,
                       const struct plot_row *row, uint32_t column);

// Of the time that is shown.
double plot_percent(const struct plot *plot, uint64_t busy, uint64_t lanes);

#endif
