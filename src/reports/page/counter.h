// The samples of one counter, as few as a page can show: where several lie in one bucket of
// 2^shift ns, the least and the most of them and the last.
//
// Form: how many points (base/varint.h); of each the time since the one before (ns, the first since
// the start of the profile), then least, most and last as 4 bytes each, little endian reals.
// Samples that are no finite number are left out and counted.

#ifndef OPSCOPE_REPORTS_PAGE_COUNTER_H
#define OPSCOPE_REPORTS_PAGE_COUNTER_H

#include "base/bytes.h"

struct counter_point {
    uint64_t at; // ns
    double least, most, last;
};

struct counter {
    uint8_t shift;
    struct counter_point pending;
    bool has_pending;
    uint64_t previous;
    uint64_t points;
    uint64_t no_numbers;
    double least, most; // of all
    struct bytes encoded;
};

void counter_start(struct counter *counter, uint8_t shift);

// In order of time.
void counter_add(struct counter *counter, uint64_t at, double number);

// Appends the form above; frees what the counter holds.
void counter_finish(struct counter *counter, struct bytes *to);

#endif
