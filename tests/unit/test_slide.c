// Pieces of inputs that slide, against rows that are counted one by one.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/slide.h"

enum { TILES_MOST = 16, AXIS = 2 };

// Tiles of `rows` places each along a dimension of `length` inputs, for windows of `side` places
// that go on by `stride` and are padded by half their side.
static uint32_t make_tiles(struct plan_tile *tiles, struct plan_box *boxes, int64_t length,
                           int64_t rows, int64_t side, int64_t stride)
{
    const int64_t places = (length + side / 2 * 2 - side) / stride + 1;
    uint32_t count = 0;
    for (int64_t at = 0; at < places && count < TILES_MOST; at += rows, count++) {
        const int64_t last = at + rows < places ? at + rows - 1 : places - 1;
        const int64_t from = at * stride - side / 2, to = last * stride - side / 2 + side;
        boxes[count] = (struct plan_box){.rank = 4, .size = {1, 8, 0, 20}};
        boxes[count].from[AXIS] = from > 0 ? from : 0;
        boxes[count].size[AXIS] = (to < length ? to : length) - boxes[count].from[AXIS];
        tiles[count] = (struct plan_tile){.inputs = &boxes[count]};
    }
    return count;
}

// Every row comes with one piece, and the parts that a tile reads are what it needs.
static void check_rows(const struct plan_group *group)
{
    int64_t brought = group->tiles[0].inputs[0].from[AXIS];
    for (uint32_t t = 0; t < group->tile_count; t++) {
        const struct plan_box piece = slide_piece(group, 0, AXIS, t);
        const struct plan_box *box = &group->tiles[t].inputs[0];
        assert_int_equal(piece.from[AXIS], brought);
        brought += piece.size[AXIS];
        int64_t at = box->from[AXIS];
        for (uint32_t p = t > 0 ? t - 1 : 0; p <= t; p++) {
            struct plan_box part;
            if (!slide_part(group, 0, AXIS, t, p, &part))
                continue;
            assert_int_equal(part.from[AXIS], at);
            assert_int_equal(part.size[1], box->size[1]);
            at += part.size[AXIS];
        }
        assert_int_equal(at, box->from[AXIS] + box->size[AXIS]);
    }
}

static void rows_come_once(void **state)
{
    (void)state;
    uint32_t held = 0;
    for (int64_t length = 6; length < 50; length += 3) {
        for (int64_t rows = 1; rows < 9; rows++) {
            for (int64_t side = 1; side < 8; side += 2) {
                for (int64_t stride = 1; stride < 4; stride++) {
                    struct plan_tile tiles[TILES_MOST];
                    struct plan_box boxes[TILES_MOST];
                    const struct plan_group group = {
                        .tiles = tiles,
                        .tile_count = make_tiles(tiles, boxes, length, rows, side, stride)};
                    struct slide slide;
                    uint32_t axis;
                    if (group.tile_count < 2 || !slide_between(&boxes[0], &boxes[1], &axis, &slide))
                        continue;
                    assert_int_equal(axis, AXIS);
                    assert_int_equal(slide_axis(&group, 0), AXIS);
                    if (!slide_holds(&group, 0, slide.rows))
                        continue;
                    assert_false(slide_holds(&group, 0, slide.rows - 1));
                    check_rows(&group);
                    held++;
                }
            }
        }
    }
    assert_true(held > 400);
}

static void what_does_not_slide(void **state)
{
    (void)state;
    struct slide slide;
    uint32_t axis;
    const struct plan_box first = {.rank = 2, .size = {4, 10}};
    const struct plan_box apart = {.rank = 2, .from = {4, 0}, .size = {4, 10}};
    const struct plan_box corner = {.rank = 2, .from = {2, 1}, .size = {4, 9}};
    const struct plan_box little = {.rank = 2, .from = {1, 0}, .size = {4, 10}};
    const struct plan_box good = {.rank = 2, .from = {2, 0}, .size = {4, 10}};
    assert_false(slide_between(&first, &first, &axis, &slide));
    assert_false(slide_between(&first, &apart, &axis, &slide));
    assert_false(slide_between(&first, &corner, &axis, &slide));
    assert_false(slide_between(&first, &little, &axis, &slide)); // reads three pieces
    assert_true(slide_between(&first, &good, &axis, &slide));
    assert_int_equal(slide.rows, 4);
    assert_int_equal(slide.moved, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_once),
        cmocka_unit_test(what_does_not_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
