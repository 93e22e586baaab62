#include "device_names.h"

#include <stdio.h>

const char *const DEVICE_LANE_COLUMNS[DEVICE_LANE_COLUMN_COUNT] = {"PCIe slot", "core_x", "core_y",
                                                                   "RISC processor type"};

static const char *const RISC_NAMES[DEVICE_RISCS] = {"BRISC",   "NCRISC",  "TRISC_0",
                                                     "TRISC_1", "TRISC_2", "ERISC"};

// Lanes -----------------------------------------------------------------------

static enum device_risc risc_from_name(struct view name)
{
    for (unsigned i = 0; i < DEVICE_RISCS; i++) {
        if (view_is(name, RISC_NAMES[i]))
            return (enum device_risc)i;
    }
    return DEVICE_RISC_OTHER;
}

static uint32_t device_names_core_of(struct device_log *log, const struct device_lane *lane)
{
    for (uint32_t i = 0; i < log->lanes.count; i++) {
        const struct device_lane *other = segments_get(&log->lanes, i);
        if (other->device == lane->device && other->core_x == lane->core_x &&
            other->core_y == lane->core_y)
            return other->core;
    }
    return log->core_count++;
}

static bool device_names_lane_add(struct device_log *log, struct view text, uint32_t *out_lane)
{
    struct view rest = text;
    uint64_t numbers[3];
    struct device_lane lane = {.text = text};
    for (unsigned i = 0; i < 3; i++) {
        if (!csv_number_take(&rest, ',', &numbers[i]) || numbers[i] > UINT32_MAX ||
            rest.data == NULL) {
            snprintf(log->problem, sizeof log->problem, "column '%s' is not a number",
                     DEVICE_LANE_COLUMNS[i]);
            return false;
        }
    }
    lane.device = (uint32_t)numbers[0];
    lane.core_x = (uint32_t)numbers[1];
    lane.core_y = (uint32_t)numbers[2];
    csv_field_take(&rest, ',', &lane.risc_name);
    if (lane.risc_name.size == 0 || log->lanes.count == DEVICE_LOG_DISTINCT_MOST) {
        snprintf(log->problem, sizeof log->problem, "column 'RISC processor type' is %s",
                 lane.risc_name.size == 0 ? "empty" : "of one processor too many");
        return false;
    }
    lane.risc = risc_from_name(lane.risc_name);
    lane.core = device_names_core_of(log, &lane);
    *out_lane = log->lanes.count;
    *(struct device_lane *)segments_add(&log->lanes) = lane;
    return true;
}

// Rows of a lane come together, so that the last one is nearly always the one.
bool device_lane_take(struct device_log *log, struct view *rest, uint32_t *out_lane)
{
    if (log->lanes.count > 0) {
        const struct device_lane *last = segments_get(&log->lanes, log->last_lane);
        if (rest->size >= last->text.size &&
            memcmp(rest->data, last->text.data, last->text.size) == 0) {
            *rest = view_slice(*rest, last->text.size, rest->size);
            *out_lane = log->last_lane;
            return true;
        }
    }
    size_t size = 0;
    for (unsigned commas = 0; size < rest->size && commas < DEVICE_LANE_COLUMN_COUNT; size++)
        commas += rest->data[size] == ',';
    const struct view text = {rest->data, size};
    const uint32_t hash = hash_bytes(text.data, text.size);
    uint32_t lane;
    for (uint32_t at = hash_first(&log->lane_index, hash);
         (lane = hash_next(&log->lane_index, hash, &at)) != HASH_NONE;) {
        if (view_equal(device_log_lane(log, lane)->text, text))
            break;
    }
    if (lane == HASH_NONE) {
        if (!device_names_lane_add(log, text, &lane))
            return false;
        hash_add(&log->lane_index, hash, lane);
    }
    log->last_lane = *out_lane = lane;
    *rest = view_slice(*rest, size, rest->size);
    return true;
}

// Zones -----------------------------------------------------------------------

static enum device_zone_kind zone_kind(struct view name)
{
    if (view_is(name, "FW"))
        return DEVICE_ZONE_FW;
    if (view_is(name, "KERNEL"))
        return DEVICE_ZONE_KERNEL;
    static const char *const PREFIXES[] = {"BRISC", "NCRISC", "TRISC", "ERISC"};
    for (unsigned i = 0; i < 4; i++) {
        const size_t size = strlen(PREFIXES[i]);
        if (!view_starts_with(name, PREFIXES[i]))
            continue;
        if (view_is(view_slice(name, size, name.size), "-FW"))
            return DEVICE_ZONE_FW;
        if (view_is(view_slice(name, size, name.size), "-KERNEL"))
            return DEVICE_ZONE_KERNEL;
    }
    if (view_is(name, "CB-COMPUTE-WAIT-FRONT"))
        return DEVICE_ZONE_WAIT_FRONT;
    if (view_is(name, "CB-COMPUTE-RESERVE-BACK"))
        return DEVICE_ZONE_RESERVE_BACK;
    const bool dispatches =
        view_starts_with(name, "CQ_DISPATCH_") || view_find_text(name, "CQ-DISPATCH") < name.size;
    return dispatches ? DEVICE_ZONE_DISPATCH : DEVICE_ZONE_OTHER;
}

struct view device_zone_guess(uint64_t timer_id, enum device_marker *marker)
{
    if (timer_id < 1 || timer_id > 4)
        return (struct view){"", 0};
    *marker = timer_id <= 2 ? DEVICE_ZONE_START : DEVICE_ZONE_END;
    return timer_id == 1 || timer_id == 4 ? VIEW_LITERAL("FW") : VIEW_LITERAL("KERNEL");
}

static bool zone_is(const struct device_log *log, uint32_t index, uint64_t timer_id,
                    struct view name)
{
    const struct device_zone *zone = device_log_zone(log, index);
    return zone->timer_id == timer_id && view_equal(zone->name, name);
}

bool device_zone_keep(struct device_log *log, const struct device_zone *zone, uint32_t *out_zone)
{
    const uint64_t timer_id = zone->timer_id;
    const struct view name = zone->name;
    uint32_t *cached = &log->zone_cache[timer_id % DEVICE_ZONES_CACHED];
    if (*cached > 0 && zone_is(log, *cached - 1, timer_id, name)) {
        *out_zone = *cached - 1;
        return true;
    }
    const uint32_t hash = hash_u64(timer_id) ^ hash_bytes(name.data, name.size);
    uint32_t found;
    for (uint32_t at = hash_first(&log->zone_index, hash);
         (found = hash_next(&log->zone_index, hash, &at)) != HASH_NONE;) {
        if (zone_is(log, found, timer_id, name))
            break;
    }
    if (found == HASH_NONE) {
        found = log->zones.count;
        if (found == DEVICE_LOG_DISTINCT_MOST) {
            snprintf(log->problem, sizeof log->problem, "is of one zone too many");
            return false;
        }
        struct device_zone *added = segments_add(&log->zones);
        *added = *zone;
        added->kind = zone_kind(name);
        added->names_firmware = view_find_text(name, "FW") < name.size;
        hash_add(&log->zone_index, hash, found);
    }
    *cached = found + 1;
    *out_zone = found;
    return true;
}
