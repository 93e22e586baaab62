#include "extreme.h"

#include "axis.h"
#include "convert.h"

enum { LANES = 256 };

struct search {
    const struct tensor *in;
    const struct tensor *out;
    struct axis axis;
    bool largest;
    bool last;
};

// Integers in the order of the elements: the larger the better.
static void load_keys(const struct search *search, uint64_t at, uint64_t count, int64_t *keys)
{
    const enum element element = search->in->element;
    const char *from = (const char *)search->in->data + at * element_size(element);
    if (element_is_float(element)) {
        double reals[LANES];
        convert_row(element, from, ELEMENT_F64, reals, count, true);
        for (uint64_t i = 0; i < count; i++) {
            const double real = (search->largest ? reals[i] : -reals[i]) + 0.0; // one zero
            int64_t bits;
            memcpy(&bits, &real, sizeof bits);
            const int64_t ordered = bits < 0 ? bits ^ INT64_MAX : bits;
            keys[i] = real != real ? INT64_MAX : ordered;
        }
        return;
    }
    convert_row(element, from, ELEMENT_I64, keys, count, true);
    const int64_t turn =
        (element == ELEMENT_U64 ? INT64_MIN : 0) ^ (search->largest ? 0 : (int64_t)-1);
    for (uint64_t i = 0; i < count; i++)
        keys[i] ^= turn;
}

static void store_index(const struct search *search, uint64_t at, const int64_t *indices,
                        uint64_t count)
{
    const enum element element = search->out->element;
    convert_row(ELEMENT_I64, indices, element,
                (char *)search->out->data + at * element_size(element), count, true);
}

static inline bool better(int64_t key, int64_t best, bool last)
{
    return key > best || (last && key == best);
}

// One line whose elements lie in a row.
static void search_run(const struct search *search, uint64_t base, uint64_t line)
{
    int64_t keys[LANES];
    int64_t best = 0;
    int64_t index = 0;
    const uint64_t length = search->axis.length;
    for (uint64_t at = 0; at < length; at += LANES) {
        const uint64_t part = length - at < LANES ? length - at : LANES;
        load_keys(search, base + at, part, keys);
        if (at == 0)
            best = keys[0];
        for (uint64_t i = 0; i < part; i++) {
            if (better(keys[i], best, search->last)) {
                best = keys[i];
                index = (int64_t)(at + i);
            }
        }
    }
    store_index(search, line, &index, 1);
}

static void search_lines(void *context, uint64_t base, uint64_t first, uint64_t count,
                         void *scratch)
{
    const struct search *search = context;
    (void)scratch;
    if (search->axis.inner == 1) {
        search_run(search, base, first);
        return;
    }
    int64_t keys[LANES], best[LANES], index[LANES] = {0};
    load_keys(search, base, count, best);
    for (uint64_t k = 1; k < search->axis.length; k++) {
        load_keys(search, base + k * search->axis.inner, count, keys);
        for (uint64_t i = 0; i < count; i++) {
            const bool wins = better(keys[i], best[i], search->last);
            best[i] = wins ? keys[i] : best[i];
            index[i] = wins ? (int64_t)k : index[i];
        }
    }
    store_index(search, first, index, count);
}

void extreme_find(struct parallel *parallel, const struct tensor *in, uint32_t axis, bool largest,
                  bool last, const struct tensor *out)
{
    struct search search = {in, out, axis_of(&in->shape, axis), largest, last};
    axis_for(parallel, &search.axis, LANES, 0, search_lines, &search);
}
