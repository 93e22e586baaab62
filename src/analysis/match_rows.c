#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "match_parts.h"

enum { ROW_MOST = 16 }; // parts that are looked at as a whole

static uint32_t hash_text(struct view text)
{
    return hash_bytes(text.data, text.size);
}

static bool is_described(const struct match_part *part)
{
    return part->type.size > 0;
}

static bool describe_the_same(const struct match_part *a, const struct match_part *b)
{
    return is_described(a) && view_equal(a->type, b->type) && view_equal(a->shape, b->shape);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 29)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 32);
}

// What a part looks like to its neighbours: one that has a counterpart is that group, others are
// what they do.
static uint64_t look_of(struct matcher *matcher, uint32_t id)
{
    const struct match_part *part = match_part_at(matcher, id);
    if (matcher->matched[id])
        return mix(1, match_group_of(matcher, id));
    uint64_t macs;
    memcpy(&macs, &part->macs, sizeof macs);
    const uint64_t texts = (uint64_t)hash_text(part->type) << 32 | hash_text(part->shape);
    return is_described(part) ? mix(texts, macs) : 0;
}

struct row_of_parts {
    uint64_t looks;
    uint32_t part;
};

static int by_looks(const void *left, const void *right)
{
    const struct row_of_parts *a = left, *b = right;
    return a->looks != b->looks ? sort_compare(a->looks, b->looks) : sort_compare(a->part, b->part);
}

// Of each part of a side without a counterpart: how it and those after it look, or those before it,
// `length` in all.
static struct row_of_parts *look_at_rows(struct matcher *matcher, unsigned side, size_t length,
                                         bool after, size_t *out_count)
{
    const uint32_t from = side == 0 ? 0 : (uint32_t)matcher->sides[0].count;
    const size_t count = matcher->sides[side].count;
    uint64_t *looks = memory_allocate_zeroed(count + 1, sizeof *looks);
    struct row_of_parts *rows = memory_allocate_zeroed(count + 1, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        looks[after ? i : count - 1 - i] = look_of(matcher, from + i);
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = after ? i : count - 1 - i;
        if (matcher->matched[from + i] || !is_described(match_part_at(matcher, from + i)))
            continue;
        uint64_t row = looks[at];
        for (size_t k = 1; k < length; k++) // what is past the end looks like nothing
            row = mix(row, at + k < count ? looks[at + k] : k);
        rows[kept++] = (struct row_of_parts){row, from + i};
    }
    free(looks);
    sort_items(rows, kept, sizeof *rows, by_looks);
    *out_count = kept;
    return rows;
}

static size_t same_looks(const struct row_of_parts *rows, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && rows[to].looks == rows[from].looks)
        to++;
    return to;
}

// What begins or ends a row that each side has once.
static void match_rows_of(struct matcher *matcher, size_t length, bool after)
{
    size_t a_count, b_count;
    struct row_of_parts *a = look_at_rows(matcher, 0, length, after, &a_count);
    struct row_of_parts *b = look_at_rows(matcher, 1, length, after, &b_count);
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        const int order = sort_compare(a[i].looks, b[j].looks);
        const size_t a_end = order <= 0 ? same_looks(a, a_count, i) : i;
        const size_t b_end = order >= 0 ? same_looks(b, b_count, j) : j;
        if (order == 0 && a_end - i == 1 && b_end - j == 1 &&
            describe_the_same(match_part_at(matcher, a[i].part), match_part_at(matcher, b[j].part)))
            match_join(matcher, a[i].part, b[j].part);
        i = a_end;
        j = b_end;
    }
    free(a);
    free(b);
}

// What follows counterparts on both sides, or comes before them, and does the same.
static void extend_rows(struct matcher *matcher)
{
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    const uint32_t all = first + (uint32_t)matcher->sides[1].count;
    for (uint32_t id = 0; id + 1 < first; id++) {
        const uint32_t mate = matcher->mate[id];
        if (matcher->matched[id] && !matcher->matched[id + 1] && mate + 1 < all &&
            !matcher->matched[mate + 1] &&
            describe_the_same(match_part_at(matcher, id + 1), match_part_at(matcher, mate + 1)))
            match_join(matcher, id + 1, mate + 1);
    }
    for (uint32_t id = first; id-- > 1;) {
        const uint32_t mate = matcher->mate[id];
        if (matcher->matched[id] && !matcher->matched[id - 1] && mate > first &&
            !matcher->matched[mate - 1] &&
            describe_the_same(match_part_at(matcher, id - 1), match_part_at(matcher, mate - 1)))
            match_join(matcher, id - 1, mate - 1);
    }
}

// Branches that were renamed and put in another order: the longest rows first. Rows that begin in
// one branch and end in the next are others in another order; what they leave out follows
// counterparts.
void match_rows(struct matcher *matcher)
{
    for (size_t length = ROW_MOST; length >= 1; length /= 2) {
        match_rows_of(matcher, length, true);
        match_rows_of(matcher, length, false);
        if (length == 2)
            extend_rows(matcher);
    }
    extend_rows(matcher);
}
