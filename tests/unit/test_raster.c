// Pictures of pixels: nothing is drawn beyond the edges, letters stay in their cells, and arrows
// go from where they begin to where they end, in one line.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "wire/font.h"
#include "wire/raster.h"

enum { WIDTH = 120, HEIGHT = 90, WHITE = 0xffffff };

static uint32_t colour_at(const struct raster *raster, uint32_t x, uint32_t y)
{
    const unsigned char *pixel =
        raster->rows + y * (1 + 3 * (size_t)raster->width) + 1 + 3 * (size_t)x;
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static struct raster open_raster(void)
{
    struct raster raster;
    assert_null(raster_open(WIDTH, HEIGHT, &raster));
    return raster;
}

static size_t count_drawn(const struct raster *raster)
{
    size_t count = 0;
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++)
            count += colour_at(raster, x, y) != WHITE;
    }
    return count;
}

static void what_lies_outside_is_cut(void **state)
{
    (void)state;
    static const uint32_t PLACES[] = {0, 1, 60, 119, 120, 5000, UINT32_MAX};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        for (size_t k = 0; k < sizeof PLACES / sizeof *PLACES; k++) {
            struct raster raster = open_raster();
            raster_text(&raster, PLACES[i], PLACES[k], 12, FONT_REGULAR,
                        VIEW_LITERAL("Wgj|_\xff\xe4"), 0);
            const struct raster_arrow arrow = {PLACES[i], PLACES[k], PLACES[k], PLACES[i]};
            raster_arrow(&raster, &arrow, 2, 0xff0000);
            raster_close(&raster);
        }
    }
    struct raster raster = open_raster();
    raster_fill(&raster, WIDTH - 2, HEIGHT - 3, 100, 100, 0x123456);
    assert_int_equal(count_drawn(&raster), 6);
    assert_int_equal(colour_at(&raster, WIDTH - 1, HEIGHT - 1), 0x123456);
    raster_close(&raster);
}

static void letters_stay_in_their_cells(void **state)
{
    (void)state;
    static const uint32_t CELLS[] = {1, 6, 12, 21, FONT_CELL_MOST};
    struct font *font = font_open();
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
        for (uint32_t character = 0; character < 0x3100; character += character < 300 ? 1 : 61) {
            const uint32_t cell = CELLS[i];
            const struct font_glyph *glyph =
                font_glyph(font, character, cell, character % 2 == 0 ? FONT_BOLD : FONT_REGULAR);
            assert_true(glyph->width == 0 || glyph->height == 0 || glyph->coverage != NULL);
            if (cell < 6 || character > 126 || character < 32)
                continue;
            assert_true(glyph->left >= -2 - (int)cell / 8);
            assert_true(glyph->left + (int)glyph->width <= (int)(cell + 2 + cell / 8));
            assert_true(glyph->height <= 3 * cell);
        }
    }
    font_close(font);
}

static void letters_are_told_apart(void **state)
{
    (void)state;
    struct raster raster = open_raster();
    raster_text(&raster, 10, 40, 12, FONT_REGULAR, VIEW_LITERAL("A B"), 0x102030);
    size_t inked[3] = {0};
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 10; x < 46; x++)
            inked[(x - 10) / 12] += colour_at(&raster, x, y) != WHITE;
    }
    assert_true(inked[0] > 20 && inked[2] > 20);
    assert_true(inked[1] < 6); // what the neighbours reach over with
    raster_close(&raster);
}

// A line in each row, from one end to the other, on its way all the time.
static void arrows_are_whole(void **state)
{
    (void)state;
    static const struct raster_arrow ARROWS[] = {
        {10, 5, 100, 80}, {100, 5, 10, 80}, {10, 80, 100, 5}, {50, 10, 50.5, 70}, {0, 89, 119, 1}};
    for (size_t i = 0; i < sizeof ARROWS / sizeof *ARROWS; i++) {
        struct raster raster = open_raster();
        raster_arrow(&raster, &ARROWS[i], 2, 0);
        const double top = ARROWS[i].from_y < ARROWS[i].to_y ? ARROWS[i].from_y : ARROWS[i].to_y;
        const double end = ARROWS[i].from_y + ARROWS[i].to_y - top;
        for (uint32_t y = 0; y < HEIGHT; y++) {
            size_t count = 0;
            for (uint32_t x = 0; x < WIDTH; x++)
                count += colour_at(&raster, x, y) != WHITE;
            assert_int_equal(count > 0, y >= top && y < end);
        }
        const uint32_t row = (uint32_t)(ARROWS[i].to_y == end ? end - 3 : top + 3);
        assert_true(colour_at(&raster, (uint32_t)ARROWS[i].to_x, row) != WHITE);
        raster_close(&raster);
    }
}

static void many_colours_are_written_as_they_are(void **state)
{
    (void)state;
    for (uint32_t colours = 250; colours < 260; colours += 3) {
        struct raster raster = open_raster();
        struct bytes file = {0};
        for (uint32_t i = 0; i < colours - 1; i++)
            raster_fill(&raster, i % WIDTH, i / WIDTH, 1, 1, i * 4099);
        assert_null(raster_append_png(&raster, &file));
        assert_int_equal(file.data[25],
                         colours <= 256 ? 3 : 2); // by palette, or red, green and blue
        bytes_free(&file);
        raster_close(&raster);
    }
}

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    static const uint32_t SIDES[][2] = {{0, 1}, {1, 0}, {1, PNG_SIDE_MOST + 1}, {UINT32_MAX, 1}};
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++) {
        struct raster raster;
        const status failure = raster_open(SIDES[i][0], SIDES[i][1], &raster);
        assert_non_null(failure);
        status_free(failure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_outside_is_cut),
        cmocka_unit_test(letters_stay_in_their_cells),
        cmocka_unit_test(letters_are_told_apart),
        cmocka_unit_test(arrows_are_whole),
        cmocka_unit_test(many_colours_are_written_as_they_are),
        cmocka_unit_test(what_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
