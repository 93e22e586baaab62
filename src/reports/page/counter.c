#include "counter.h"

#include <math.h>

void counter_start(struct counter *counter, uint8_t shift)
{
    *counter = (struct counter){.shift = shift};
}

static void append_real(struct bytes *to, double number)
{
    const float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    unsigned char *at = bytes_reserve(to, sizeof bits);
    for (unsigned i = 0; i < sizeof bits; i++)
        at[i] = (unsigned char)(bits >> 8 * i);
    to->size += sizeof bits;
}

static void put_point(struct counter *counter)
{
    if (!counter->has_pending)
        return;
    const struct counter_point *point = &counter->pending;
    bytes_append_varint(&counter->encoded, point->at - counter->previous);
    append_real(&counter->encoded, point->least);
    append_real(&counter->encoded, point->most);
    append_real(&counter->encoded, point->last);
    counter->previous = point->at;
    counter->points++;
}

void counter_add(struct counter *counter, uint64_t at, double number)
{
    if (!isfinite(number)) {
        counter->no_numbers++;
        return;
    }
    const bool first = counter->points == 0 && !counter->has_pending;
    counter->least = first || number < counter->least ? number : counter->least;
    counter->most = first || number > counter->most ? number : counter->most;
    struct counter_point *point = &counter->pending;
    if (counter->has_pending && point->at >> counter->shift == at >> counter->shift) {
        point->least = number < point->least ? number : point->least;
        point->most = number > point->most ? number : point->most;
        point->last = number;
        return;
    }
    put_point(counter);
    *point = (struct counter_point){at, number, number, number};
    counter->has_pending = true;
}

void counter_finish(struct counter *counter, struct bytes *to)
{
    put_point(counter);
    bytes_append_varint(to, counter->points);
    bytes_append(to, counter->encoded.data, counter->encoded.size);
    bytes_free(&counter->encoded);
}
