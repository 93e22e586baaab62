// The lanes and zones that a device log names, each kept once.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_NAMES_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_NAMES_H

#include "device_log.h"

// The columns that every row starts with, and that name its lane.
enum { DEVICE_LANE_COLUMN_COUNT = 4 };
extern const char *const DEVICE_LANE_COLUMNS[DEVICE_LANE_COLUMN_COUNT];

// Takes these columns. False, with the log's `problem` set, when they name no
// lane.
bool device_lane_take(struct device_log *log, struct view *rest, uint32_t *out_lane);

// The zone of this name and timer id, added as it is (but for what its name says) if it is new.
// False, with the log's `problem` set, when there are too many.
bool device_zone_keep(struct device_log *log, const struct device_zone *zone, uint32_t *out_zone);

// Before zones had names, the timer ids 1 to 4 were firmware start, kernel
// start, kernel end and firmware end: the name that such an id stands for, ""
// for others, whose marker stays as it is.
struct view device_zone_guess(uint64_t timer_id, enum device_marker *marker);

#endif
