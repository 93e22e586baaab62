#include "call_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCKS_EACH = 64, BLOCKS_ALL = 2 << 20 };

struct call_blocks call_blocks_make(const uint64_t *calls, size_t part_count)
{
    const size_t share = part_count > 0 ? BLOCKS_ALL / part_count : 0;
    const size_t most = share < BLOCKS_EACH ? share : BLOCKS_EACH;
    struct call_blocks blocks = {
        .part_count = part_count,
        .calls = memory_allocate_zeroed(part_count + 1, sizeof *blocks.calls),
        .begins = memory_allocate_zeroed(part_count + 1, sizeof *blocks.begins),
    };
    for (size_t i = 0; i < part_count; i++) {
        blocks.calls[i] = calls[i];
        blocks.begins[i + 1] = blocks.begins[i] + (calls[i] < most ? (size_t)calls[i] : most);
    }
    blocks.ns = memory_allocate_zeroed(blocks.begins[part_count] + 1, sizeof *blocks.ns);
    return blocks;
}

void call_blocks_free(struct call_blocks *blocks)
{
    free(blocks->calls);
    free(blocks->begins);
    free(blocks->ns);
    *blocks = (struct call_blocks){0};
}

size_t call_blocks_count(const struct call_blocks *blocks, size_t part)
{
    return blocks->begins[part + 1] - blocks->begins[part];
}

// The first call of a block: calls are dealt out as evenly as can be.
static uint64_t first_of(uint64_t block, uint64_t calls, uint64_t count)
{
    return block * (calls / count) + (block * (calls % count) + count - 1) / count;
}

void call_blocks_add(struct call_blocks *blocks, size_t part, uint64_t turn, double ns)
{
    const uint64_t calls = blocks->calls[part];
    const uint64_t count = call_blocks_count(blocks, part);
    if (count == 0 || turn >= calls)
        return;
    const uint64_t block = turn * count / calls; // count is small
    const uint64_t many = (block + 1 < count ? first_of(block + 1, calls, count) : calls) -
                          first_of(block, calls, count);
    blocks->ns[blocks->begins[part] + block] += ns / (double)many;
}
