// Writes that are found by stretches, against a look at all of them.

#include "program/verify_writes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPERANDS = 120, BUFFERS = 3, SIDE = 24 };

struct invented {
    struct program program;
    struct program_buffer buffers[BUFFERS];
    struct program_operand operands[OPERANDS];
    uint32_t roots[BUFFERS];
    uint32_t rank;
    unsigned seed;
};

static int64_t pick(struct invented *invented, int64_t most)
{
    return rand_r(&invented->seed) % most;
}

static void invent_box(struct invented *invented, struct program_operand *operand)
{
    // Thin along one axis at most: some span many stretches, some few.
    for (uint32_t i = 0; i < invented->rank; i++) {
        operand->from[i] = pick(invented, SIDE);
        operand->size[i] = 1 + pick(invented, pick(invented, 3) == 0 ? SIDE : 3);
        if (operand->from[i] + operand->size[i] > SIDE)
            operand->size[i] = SIDE - operand->from[i];
    }
}

// Buffer 1 shows buffer 0.
static void invent(struct invented *invented, unsigned seed)
{
    *invented = (struct invented){.seed = seed, .rank = seed % 4, .roots = {0, 0, 2}};
    for (uint32_t i = 0; i < BUFFERS; i++)
        invented->buffers[i].rank = invented->rank;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        invented->operands[i].buffer = (uint32_t)pick(invented, BUFFERS);
        invented->operands[i].writes = 1;
        invented->operands[i].rank = invented->rank;
        invent_box(invented, &invented->operands[i]);
    }
    invented->program.buffers = invented->buffers;
    invented->program.buffer_count = BUFFERS;
    invented->program.operands = invented->operands;
    invented->program.operand_count = OPERANDS;
}

static uint64_t shared(const struct invented *invented, uint32_t operand, uint32_t root,
                       const struct verify_box *box)
{
    const struct program_operand *item = &invented->operands[operand];
    if (invented->roots[item->buffer] != root)
        return 0;
    return box != NULL ? verify_shared_volume(verify_box_of(item), *box)
                       : verify_volume(item->size, item->rank);
}

// What is found is exactly what a look at all of them finds; task = operand + 1000.
static void check_found(struct invented *invented, struct verify_writes *writes, const bool *added,
                        uint32_t root, const struct verify_box *box)
{
    size_t count;
    const struct verify_write *found = verify_writes_find(writes, root, box, &count);
    uint64_t seen[OPERANDS] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].task, found[i].operand + 1000);
        assert_int_equal(seen[found[i].operand], 0);
        seen[found[i].operand] = found[i].shared;
    }
    for (uint32_t i = 0; i < OPERANDS; i++)
        assert_int_equal(seen[i], added[i] ? shared(invented, i, root, box) : 0);
}

static bool overlaps(const struct invented *invented, const bool *added, uint32_t operand)
{
    const struct verify_box box = verify_box_of(&invented->operands[operand]);
    const uint32_t root = invented->roots[invented->operands[operand].buffer];
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (added[i] && shared(invented, i, root, &box) > 0)
            return true;
    }
    return false;
}

static void writes_are_those_that_a_look_at_all_finds(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 200; seed++) {
        struct invented invented;
        invent(&invented, seed);
        struct verify_writes *writes = verify_writes_create(&invented.program, invented.roots);
        bool added[OPERANDS] = {0};
        uint64_t volumes[BUFFERS] = {0};
        for (uint32_t i = 0; i < OPERANDS; i++) {
            const struct program_operand *item = &invented.operands[i];
            const bool fits = !overlaps(&invented, added, i);
            assert_int_equal(verify_writes_add(writes, i, i + 1000), fits);
            added[i] = fits;
            if (fits)
                volumes[invented.roots[item->buffer]] += verify_volume(item->size, item->rank);
            struct program_operand asked = {.rank = invented.rank};
            invent_box(&invented, &asked);
            const struct verify_box box = verify_box_of(&asked);
            check_found(&invented, writes, added, i % BUFFERS, &box);
            check_found(&invented, writes, added, i % BUFFERS, NULL);
        }
        for (uint32_t i = 0; i < BUFFERS; i++)
            assert_int_equal(verify_writes_volume(writes, i), volumes[i]);
        verify_writes_free(writes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_those_that_a_look_at_all_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
