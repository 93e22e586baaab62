#include "verify_regions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "program.h"

enum { LEVELS_MOST = 6, WORD_BITS = 64 };

// Parts begin where a bit is set. A bit of a higher level says that the word below it has
// one, so that the next and the last one are found without a look at all words between.
struct verify_regions {
    size_t count;
    uint32_t *owners; // of the part that begins at a place
    uint64_t *levels[LEVELS_MOST];
    size_t level_count;
    uint32_t *found;
    size_t found_count, found_capacity;
};

static void set_bit(struct verify_regions *regions, size_t place)
{
    for (size_t i = 0; i < regions->level_count; i++, place /= WORD_BITS)
        regions->levels[i][place / WORD_BITS] |= (uint64_t)1 << place % WORD_BITS;
}

static void clear_bit(struct verify_regions *regions, size_t place)
{
    for (size_t i = 0; i < regions->level_count; i++, place /= WORD_BITS) {
        uint64_t *word = &regions->levels[i][place / WORD_BITS];
        *word &= ~((uint64_t)1 << place % WORD_BITS);
        if (*word != 0)
            return;
    }
}

static bool has_bit(const struct verify_regions *regions, size_t place)
{
    return (regions->levels[0][place / WORD_BITS] >> place % WORD_BITS & 1) != 0;
}

// The last part that begins at `place` or before; the first begins at 0.
static size_t last_until(const struct verify_regions *regions, size_t place)
{
    size_t level = 0;
    uint64_t word =
        regions->levels[0][place / WORD_BITS] & (UINT64_MAX >> (63 - place % WORD_BITS));
    while (word == 0) {
        place /= WORD_BITS;
        level++;
        word = regions->levels[level][place / WORD_BITS] & (((uint64_t)1 << place % WORD_BITS) - 1);
    }
    place = place / WORD_BITS * WORD_BITS + (size_t)(63 - __builtin_clzll(word));
    for (; level > 0; level--)
        place =
            place * WORD_BITS + (size_t)(63 - __builtin_clzll(regions->levels[level - 1][place]));
    return place;
}

// The first part that begins after `place`; `count` when there is none.
static size_t first_after(const struct verify_regions *regions, size_t place)
{
    size_t level = 0;
    uint64_t word = 0;
    for (; level < regions->level_count; level++, place /= WORD_BITS) {
        const uint64_t above = place % WORD_BITS == 63 ? 0 : UINT64_MAX << (place % WORD_BITS + 1);
        word = regions->levels[level][place / WORD_BITS] & above;
        if (word != 0)
            break;
    }
    if (word == 0)
        return regions->count;
    place = place / WORD_BITS * WORD_BITS + (size_t)__builtin_ctzll(word);
    for (; level > 0; level--)
        place = place * WORD_BITS + (size_t)__builtin_ctzll(regions->levels[level - 1][place]);
    return place;
}

struct verify_regions *verify_regions_create(size_t count)
{
    struct verify_regions *regions = memory_allocate_zeroed(1, sizeof *regions);
    regions->count = count > 0 ? count : 1;
    regions->owners = memory_allocate_zeroed(regions->count, sizeof *regions->owners);
    size_t bits = regions->count;
    do {
        bits = (bits + WORD_BITS - 1) / WORD_BITS;
        regions->levels[regions->level_count++] = memory_allocate_zeroed(bits, sizeof(uint64_t));
    } while (bits > 1);
    regions->owners[0] = PROGRAM_NONE;
    set_bit(regions, 0);
    return regions;
}

void verify_regions_free(struct verify_regions *regions)
{
    if (regions == NULL)
        return;
    for (size_t i = 0; i < regions->level_count; i++)
        free(regions->levels[i]);
    free(regions->owners);
    free(regions->found);
    free(regions);
}

static void verify_regions_split(struct verify_regions *regions, size_t place)
{
    if (place >= regions->count || has_bit(regions, place))
        return;
    regions->owners[place] = regions->owners[last_until(regions, place)];
    set_bit(regions, place);
}

const uint32_t *verify_regions_take(struct verify_regions *regions, size_t first, size_t end,
                                    uint32_t owner, size_t *out_count)
{
    regions->found_count = 0;
    verify_regions_split(regions, first);
    verify_regions_split(regions, end);
    for (size_t at = first; at < end; at = first_after(regions, at)) {
        if (at != first)
            clear_bit(regions, at);
        if (regions->owners[at] == PROGRAM_NONE)
            continue;
        regions->found = memory_grow(regions->found, regions->found_count, &regions->found_capacity,
                                     sizeof *regions->found);
        regions->found[regions->found_count++] = regions->owners[at];
    }
    regions->owners[first] = owner;
    *out_count = regions->found_count;
    return regions->found;
}
