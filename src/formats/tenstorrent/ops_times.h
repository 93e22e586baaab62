// Tenstorrent's tracy_ops_times.csv: the zones of the host, as csvexport -u
// prints them, with or without the column `value`.
//
// File and zone names are not escaped there: a row is taken from both ends.
// Nothing is copied: texts are views into the input.
//
// Read in a row, not in parts (base/parts.h): it has a row or two for each operation, of which the
// log of the device has hundreds.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_OPS_TIMES_H
#define OPSCOPE_FORMATS_TENSTORRENT_OPS_TIMES_H

#include "base/doubles.h"
#include "wire/csv.h"

struct ops_time {
    struct view name;
    struct view source; // "file,line"
    struct view zone_name;
    struct view zone_text; // "id:12"
    uint64_t start;        // ns since the capture began
    uint64_t duration;     // ns
    uint64_t thread;
    bool has_parent; // it ran inside the zone of an operation
    uint64_t parent; // call count
    bool has_call;   // it is the zone of an operation
    uint64_t call;
};

// `ops_times_of` makes one.
struct ops_times {
    struct csv_lines lines;
    struct csv_line line;
    bool has_value;
    struct doubles doubles;
    const char *problem; // with OPS_TIMES_BAD, static
};

bool ops_times_recognise(struct view bytes);

struct ops_times ops_times_of(struct view bytes);

// A copy is a row that stands there before, word for word: no zone begins twice at once.
enum ops_times_result { OPS_TIMES_ROW, OPS_TIMES_BAD, OPS_TIMES_COPY, OPS_TIMES_END };

enum ops_times_result ops_times_next(struct ops_times *times, struct ops_time *out_time);

#endif
