#include "device_doubles.h"

static bool device_doubles_equal(const struct device_log_row *a, const struct device_log_row *b)
{
    return a->time == b->time && a->lane == b->lane && a->zone == b->zone && a->data == b->data &&
           a->run_host_id == b->run_host_id && a->marker == b->marker && a->traced == b->traced &&
           a->trace_id == b->trace_id && a->trace_counter == b->trace_counter &&
           view_equal(a->meta, b->meta);
}

// Rows that differ mostly do in these.
static uint32_t device_doubles_place(const struct device_log_row *row)
{
    const uint64_t names = (uint64_t)row->lane << 32 ^ (uint64_t)row->zone << 3 ^ row->marker;
    const uint64_t mixed = (row->time ^ names) * 0x9e3779b97f4a7c15 + row->data;
    return (uint32_t)(mixed * 0x9e3779b97f4a7c15 >> (64 - DEVICE_DOUBLES_BITS));
}

// Whether a row of this number is one of those before the row at hand.
static inline bool device_doubles_near(const struct device_doubles *doubles, uint32_t number)
{
    return number > 0 && doubles->count - number <= DEVICE_ROWS_KEPT;
}

static bool device_doubles_search(const struct device_doubles *doubles,
                                  const struct device_log_row *row)
{
    for (unsigned i = 0; i < DEVICE_ROWS_KEPT; i++) {
        if (doubles->rows[i].time == row->time &&
            device_doubles_near(doubles, doubles->numbers[i]) &&
            device_doubles_equal(&doubles->rows[i], row))
            return true;
    }
    return false;
}

bool device_doubles_take(struct device_doubles *doubles, const struct device_log_row *row)
{
    const uint32_t number = ++doubles->count;
    uint32_t *last = &doubles->last[device_doubles_place(row)];
    const bool found = device_doubles_near(doubles, *last) && device_doubles_search(doubles, row);
    *last = number;
    doubles->numbers[number % DEVICE_ROWS_KEPT] = number;
    doubles->rows[number % DEVICE_ROWS_KEPT] = *row;
    return found;
}

void device_doubles_pass(struct device_doubles *doubles, uint32_t count)
{
    doubles->count += count;
}
