#include "dump_ndl.h"

const char *const DUMP_NDL_NAMES[DUMP_NDLS] = {
    "dedr", "dewr", "debr", "deqw", "cedw", "cedr", "ceww", "cewr", "cepr", "acbw", "acbr", "acpr",
};

static bool is_memory_loop(enum dump_ndl ndl)
{
    return ndl <= DUMP_DEQW;
}

struct cursor {
    const char *at;
    const char *end;
};

static void dump_ndl_skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n'))
        cursor->at++;
}

static bool dump_ndl_accept_byte(struct cursor *cursor, char byte)
{
    dump_ndl_skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != byte)
        return false;
    cursor->at++;
    return true;
}

static struct view dump_ndl_take_word(struct cursor *cursor)
{
    dump_ndl_skip_blanks(cursor);
    const char *start = cursor->at;
    while (cursor->at < cursor->end && ((*cursor->at | 32) >= 'a' && (*cursor->at | 32) <= 'z'))
        cursor->at++;
    return (struct view){start, (size_t)(cursor->at - start)};
}

static bool take_count(struct cursor *cursor, uint64_t *out_number)
{
    dump_ndl_skip_blanks(cursor);
    const char *start = cursor->at;
    while (cursor->at < cursor->end && (unsigned)(*cursor->at - '0') < 10)
        cursor->at++;
    return view_to_u64((struct view){start, (size_t)(cursor->at - start)}, out_number);
}

static bool dump_ndl_multiply(uint64_t *product, uint64_t by)
{
    return !__builtin_mul_overflow(*product, by, product) && *product <= DUMP_AMOUNT_MOST;
}

// After the ']' that closes a bracket whose '[' is taken.
static bool skip_list(struct cursor *cursor)
{
    unsigned depth = 1;
    while (cursor->at < cursor->end && depth > 0) {
        depth += *cursor->at == '[';
        depth -= *cursor->at == ']';
        cursor->at++;
    }
    return depth == 0;
}

// "TAG(TYPE) [count, stride]", to the end of the list.
static bool read_dims(struct cursor *cursor, uint64_t *out_cycles)
{
    *out_cycles = 1;
    while (!dump_ndl_accept_byte(cursor, ']')) {
        dump_ndl_accept_byte(cursor, ',');
        dump_ndl_take_word(cursor);
        uint64_t count;
        if (!dump_ndl_accept_byte(cursor, '('))
            return false;
        const struct view type = dump_ndl_take_word(cursor);
        if (!dump_ndl_accept_byte(cursor, ')') || !dump_ndl_accept_byte(cursor, '[') ||
            !take_count(cursor, &count) || !skip_list(cursor))
            return false;
        if (view_is(type, "H") && !dump_ndl_multiply(out_cycles, count))
            return false;
    }
    return true;
}

static enum dump_ndl ndl_named(struct view name)
{
    enum dump_ndl ndl = 0;
    while (ndl < DUMP_NDLS && !view_is_ignoring_case(name, DUMP_NDL_NAMES[ndl]))
        ndl++;
    return ndl;
}

// After "{": "NAME dims = [...]", or something else that is of no interest.
static bool read_loop(struct cursor *cursor, uint64_t cycles[DUMP_NDLS])
{
    const enum dump_ndl ndl = ndl_named(dump_ndl_take_word(cursor));
    if (ndl == DUMP_NDLS)
        return true;
    uint64_t product = 1;
    if (view_is(dump_ndl_take_word(cursor), "dims") &&
        (!dump_ndl_accept_byte(cursor, '=') || !dump_ndl_accept_byte(cursor, '[') ||
         !read_dims(cursor, &product)))
        return false;
    cycles[ndl] = is_memory_loop(ndl) ? cycles[ndl] + product : product;
    return cycles[ndl] <= DUMP_AMOUNT_MOST;
}

bool dump_ndl_cycles(struct view slice_task, uint64_t cycles[DUMP_NDLS])
{
    memset(cycles, 0, DUMP_NDLS * sizeof *cycles);
    struct cursor cursor = {slice_task.data, slice_task.data + slice_task.size};
    bool quoted = false;
    while (cursor.at < cursor.end) {
        const char byte = *cursor.at++;
        quoted ^= byte == '"';
        if (byte == '{' && !quoted && !read_loop(&cursor, cycles))
            return false;
    }
    return true;
}

uint64_t dump_ndl_longest(const uint64_t cycles[DUMP_NDLS])
{
    uint64_t longest = 0;
    for (int i = 0; i < DUMP_NDLS; i++)
        longest = cycles[i] > longest ? cycles[i] : longest;
    return longest;
}

bool dump_ndl_bytes(struct view dma_ndl, uint64_t *out_bytes)
{
    const size_t start = view_find(dma_ndl, '[');
    if (start == dma_ndl.size)
        return false;
    struct cursor cursor = {dma_ndl.data + start + 1, dma_ndl.data + dma_ndl.size};
    *out_bytes = 1;
    while (!dump_ndl_accept_byte(&cursor, ']')) {
        dump_ndl_accept_byte(&cursor, ',');
        uint64_t count;
        if (!dump_ndl_accept_byte(&cursor, '[') || !take_count(&cursor, &count) ||
            !skip_list(&cursor) || !dump_ndl_multiply(out_bytes, count))
            return false;
    }
    return true;
}
