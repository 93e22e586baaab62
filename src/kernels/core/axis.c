#include "axis.h"

#include <stdlib.h>

#include "base/memory.h"

// Elements of one parallel piece.
enum { GRAIN = 4096 };

struct axis axis_of(const struct shape *shape, uint32_t dimension)
{
    const uint64_t inner = shape_count_between(shape, dimension + 1, shape->rank);
    const uint64_t outer = shape_count_between(shape, 0, dimension);
    return (struct axis){(uint64_t)shape->dims[dimension], inner, outer * inner};
}

struct walk {
    const struct axis *axis;
    uint64_t most;
    size_t scratch;
    axis_lines lines;
    void *context;
};

static void walk_piece(void *context, uint64_t from, uint64_t to)
{
    const struct walk *walk = context;
    const uint64_t inner = walk->axis->inner;
    void *scratch = walk->scratch > 0 ? memory_allocate(walk->scratch) : NULL;
    while (from < to) {
        const uint64_t place = from % inner;
        uint64_t count = inner - place < to - from ? inner - place : to - from;
        count = count < walk->most ? count : walk->most;
        walk->lines(walk->context, (from - place) * walk->axis->length + place, from, count,
                    scratch);
        from += count;
    }
    free(scratch);
}

void axis_for(struct parallel *parallel, const struct axis *axis, uint64_t most, size_t scratch,
              axis_lines lines, void *context)
{
    struct walk walk = {axis, most, scratch, lines, context};
    const uint64_t length = axis->length > 0 ? axis->length : 1;
    parallel_for(parallel, axis->lines, length < GRAIN ? GRAIN / length : 1, walk_piece, &walk);
}
