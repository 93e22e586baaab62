// What is collected of a profile before a .tracy file is written: tables come first in it, and a
// zone begins with how many are inside, so nothing can be written as it comes.
//
// Memory: as of writer_tables.h and writer_places.h; a row for each event, in spools.

#ifndef OPSCOPE_FORMATS_TRACY_WRITER_ROWS_H
#define OPSCOPE_FORMATS_TRACY_WRITER_ROWS_H

#include "writer_places.h"
#include "writer_tables.h"

struct zone_row {
    uint64_t start; // ns
    uint64_t end;
    uint64_t order; // in which they came
    uint32_t lane;
    uint32_t inside; // how many zones are directly inside
    uint32_t extra;
    int16_t location;
};

struct message_row {
    uint64_t time;
    uint64_t order; // in which they came; then, by time
    uint32_t lane;
    uint32_t text;
};

struct sample_row {
    uint64_t time;
    double value;
};

struct frame_row {
    uint64_t start;
    uint64_t end;
};

// The samples or frames of a track.
struct row_group {
    uint32_t track;
    uint32_t name; // text id
    uint64_t first;
    uint64_t count;
    bool continuous; // frames: each begins where the one before ends
    double least, most, sum;
};

struct tracy_rows {
    struct profile *profile;
    struct writer_tables tables;
    struct tracy_places places;
    struct spool zones, messages, samples, frames;
    struct segments plots;      // struct row_group
    struct segments frame_sets; // struct row_group
    uint64_t zone_count, message_count, sample_count, frame_count;
    uint64_t base; // ns that is 0 in the file
    uint64_t last; // time
    bool sorted;   // zones came lane by lane
    uint64_t too_late, too_many, nameless, without_values, flows, not_finite;
    uint32_t text_key, zone_key, function_key, source_key, message_key, location_key, operation_key;
    struct bytes text; // under construction
};

status tracy_rows_collect(struct tracy_rows *rows, struct profile *profile);
void tracy_rows_free(struct tracy_rows *rows);

// What has no place in a file of Tracy's goes to the ledger.
void tracy_rows_account(struct tracy_rows *rows);

#endif
