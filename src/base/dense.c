#include "dense.h"

static uint64_t dense_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void dense_add_any(struct dense *dense, uint64_t number)
{
    if (dense->count++ == 0) {
        dense->least = dense->most = number;
        return;
    }
    if (dense->step != 1)
        dense->step = dense_common_divisor(
            dense->step, number > dense->least ? number - dense->least : dense->least - number);
    if (number < dense->least)
        dense->least = number;
    if (number > dense->most)
        dense->most = number;
}

void dense_join(struct dense *dense, const struct dense *other)
{
    const uint64_t count = dense->count + other->count;
    if (other->count == 0)
        return;
    dense_add(dense, other->least);
    if (dense->step != 1)
        dense->step = dense_common_divisor(dense->step, other->step);
    dense_add(dense, other->most);
    dense->count = count;
}

// Numbers from the least to the most, less one: that many fit 64 bits.
static uint64_t dense_steps(const struct dense *dense)
{
    return dense->step == 0 ? 0 : (dense->most - dense->least) / dense->step;
}

uint64_t dense_missing(const struct dense *dense)
{
    return dense->count != 0 && dense_steps(dense) >= dense->count
               ? dense_steps(dense) - dense->count + 1
               : 0;
}

uint64_t dense_repeated(const struct dense *dense)
{
    return dense->count != 0 && dense->count - 1 > dense_steps(dense)
               ? dense->count - 1 - dense_steps(dense)
               : 0;
}

bool dense_is_series(const struct dense *dense)
{
    return dense_missing(dense) < dense->count && dense_repeated(dense) <= dense->count / 2;
}
