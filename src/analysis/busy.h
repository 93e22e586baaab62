// When one lane was busy: intervals that are merged as they come, and read again as edges in
// order (start, end, start, end ...), each kept as the time since the one before it.
//
// Memory: a fixed window; what goes beyond it spills.

#ifndef OPSCOPE_ANALYSIS_BUSY_H
#define OPSCOPE_ANALYSIS_BUSY_H

#include "base/spool.h"
#include "base/status.h"
#include "intervals.h"

struct edge_list {
    struct spool spool;
    uint64_t last;
};

struct edge_reader {
    const uint32_t *at;
    const uint32_t *end;
    uint64_t last;
};

// Intervals that start before an earlier one are set aside, and put in order at the end.
struct busy {
    struct interval last; // not yet in the list
    bool any;
    bool has_spans;       // any was added
    struct interval span; // of all
    struct edge_list in_order;
    struct spool late; // struct interval
    struct edge_list late_in_order;
    struct edge_reader edges[2]; // of the two lists, once they are complete
};

struct busy busy_empty(void);
status busy_add(struct busy *busy, struct interval span);

// Nothing is added any more: `edges` can be read.
status busy_finish(struct busy *busy);

void busy_free(struct busy *busy);

// Stands before an edge that needs 64 bits.
#define EDGE_WIDE UINT32_MAX

// UINT64_MAX at the end.
static inline uint64_t edge_next(struct edge_reader *reader)
{
    if (reader->at == reader->end)
        return UINT64_MAX;
    uint64_t delta = *reader->at++;
    if (delta == EDGE_WIDE) {
        delta = reader->at[0] | (uint64_t)reader->at[1] << 32;
        reader->at += 2;
    }
    return reader->last += delta;
}

#endif
