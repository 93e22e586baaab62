// Rows of a device log that are equal to one of the DEVICE_ROWS_KEPT before them, to the cycle:
// they were written twice.
//
// Whether a row is one depends on the rows before it alone, so that pieces of a log find their own,
// and whoever puts them together looks at the first rows of each again.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_DOUBLES_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_DOUBLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/view.h"

enum device_marker {
    DEVICE_ZONE_START,
    DEVICE_ZONE_END,
    DEVICE_ZONE_TOTAL, // `data` is a sum of cycles
    DEVICE_DATA,       // `data` is whatever the kernel wrote
    DEVICE_EVENT,
    DEVICE_MARKER_OTHER,
};

enum { DEVICE_LANE_NONE = 0xffffffff };

struct device_log_row {
    uint32_t lane; // DEVICE_LANE_NONE: of a bad row that does not say it
    uint32_t zone;
    uint64_t time; // cycles since reset
    uint64_t data;
    uint64_t run_host_id; // of the operation; 0: none
    enum device_marker marker;
    bool traced; // it has the two below
    uint64_t trace_id;
    uint64_t trace_counter;
    struct view meta;
};

enum { DEVICE_ROWS_KEPT = 64, DEVICE_DOUBLES_BITS = 11 };

// All zero: no row was there.
struct device_doubles {
    uint32_t count; // of rows so far, also of those that nobody looked at; modulo 2^32
    uint32_t last[1 << DEVICE_DOUBLES_BITS]; // number of the last row that looks alike; 0: none
    uint32_t numbers[DEVICE_ROWS_KEPT];      // of the rows that are kept; likewise
    struct device_log_row rows[DEVICE_ROWS_KEPT];
};

// Whether the next row is equal to one before it, as far as those were looked at.
bool device_doubles_take(struct device_doubles *doubles, const struct device_log_row *row);

// So many rows come next that nobody looks at.
void device_doubles_pass(struct device_doubles *doubles, uint32_t count);

#endif
