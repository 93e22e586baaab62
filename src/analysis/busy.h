// When one lane was busy: intervals that are merged as they come, and read again as edges in
// order (start, end, start, end ...), each kept as the time since the one before it.
//
// Memory: a fixed window; what goes beyond it spills, but for a mark for each time that it was
// full.

#ifndef OPSCOPE_ANALYSIS_BUSY_H
#define OPSCOPE_ANALYSIS_BUSY_H

#include "base/spool.h"
#include "base/status.h"
#include "intervals.h"

// Where reading may begin in a list: before an interval.
struct edge_mark {
    uint64_t words; // of the list before it
    uint64_t last;  // edge before it
};

struct edge_list {
    struct spool spool;
    uint64_t last;
    struct edge_mark *marks;
    size_t mark_count, mark_capacity;
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
    struct edge_reader edges[2]; // of the two lists (busy_list), once they are complete
};

struct busy busy_empty(void);

// Those that start before the one before. Use `busy_add`.
status busy_add_late(struct busy *busy, struct interval span);

// Stands before an edge that needs 64 bits.
#define EDGE_WIDE UINT32_MAX

// Those that need them, or for which the window has no room. Use `busy_list_add`.
status busy_list_add_far(struct edge_list *list, struct interval span);

static inline status busy_list_add(struct edge_list *list, struct interval span)
{
    const uint64_t start = span.start - list->last;
    const uint64_t end = span.end - span.start;
    uint32_t *words;
    if ((start | end) >= EDGE_WIDE ||
        (words = (uint32_t *)(void *)spool_put(&list->spool, 2 * sizeof *words)) == NULL)
        return busy_list_add_far(list, span);
    words[0] = (uint32_t)start;
    words[1] = (uint32_t)end;
    list->last = span.end;
    return STATUS_OK;
}

static inline status busy_add(struct busy *busy, struct interval span)
{
    const struct interval last = busy->last;
    if (!busy->any || span.start < last.start)
        return busy_add_late(busy, span);
    if (span.end > busy->span.end)
        busy->span.end = span.end;
    if (span.start <= last.end) {
        busy->last.end = span.end > last.end ? span.end : last.end;
        return STATUS_OK;
    }
    busy->last = span;
    return busy_list_add(&busy->in_order, last);
}

// Nothing is added any more: `edges` can be read.
status busy_finish(struct busy *busy);

void busy_free(struct busy *busy);

enum { BUSY_LISTS = 2 };

// Such a list of what is finished.
static inline const struct edge_list *busy_list(const struct busy *busy, unsigned list)
{
    return list == 0 ? &busy->in_order : &busy->late_in_order;
}

// `edges[list]` from a mark on before which all edges lie before `time`.
struct edge_reader busy_edges_near(const struct busy *busy, unsigned list, uint64_t time);

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
