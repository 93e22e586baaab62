// Arranging a matrix in panels: where rows lie one after another, by squares of as many rows and
// numbers as a vector has, turned in registers, so that lines are read and written as a whole.

#include <string.h>

#include "base/input.h"
#include "isa.h"
#include "panels.h"

// What is brought of columns at a time, so that it stays in the cache until it is arranged.
enum { PANELS_COLUMNS_ROOM = 512 << 10 };

// Where the numbers of a row go in their panel, in the order in which they lie.
struct places {
    uint64_t channels, taps;
    uint64_t channel, tap; // of the next one
};

static struct places start_places(const struct panels_source *source)
{
    const uint64_t taps = source->taps > 0 ? source->taps : 1;
    return (struct places){.channels = source->depth / taps, .taps = taps};
}

static float *next_line(struct places *places, float *panel)
{
    float *line = panel + (places->tap * places->channels + places->channel) * PANELS_WIDTH;
    if (++places->tap == places->taps) {
        places->tap = 0;
        places->channel++;
    }
    return line;
}

static float scale_of(const struct panels_source *source, uint64_t row)
{
    return source->scales != NULL ? source->scales[row] : 1;
}

#if defined(__x86_64__)
// Two rows `apart` from each other change numbers that are as far apart: those after the first
// half of each `2 * apart` of one with those before of the other. Done for 1, 2, 4 ... this turns
// a square.
#define CHANGE(rows, lanes, apart, ...)                                                            \
    _Pragma("GCC unroll 16") for (uint64_t i = 0; i < (lanes); i++)                                \
    {                                                                                              \
        if ((i & (apart)) != 0)                                                                    \
            continue;                                                                              \
        const line a = rows[i], b = rows[i + (apart)];                                             \
        rows[i] = __builtin_shufflevector(a, b, FIRST_##lanes##_##apart);                          \
        rows[i + (apart)] = __builtin_shufflevector(a, b, SECOND_##lanes##_##apart);               \
    }

#define FIRST_8_1 0, 8, 2, 10, 4, 12, 6, 14
#define SECOND_8_1 1, 9, 3, 11, 5, 13, 7, 15
#define FIRST_8_2 0, 1, 8, 9, 4, 5, 12, 13
#define SECOND_8_2 2, 3, 10, 11, 6, 7, 14, 15
#define FIRST_8_4 0, 1, 2, 3, 8, 9, 10, 11
#define SECOND_8_4 4, 5, 6, 7, 12, 13, 14, 15
#define TURN_8(rows) CHANGE(rows, 8, 1) CHANGE(rows, 8, 2) CHANGE(rows, 8, 4)

#define FIRST_16_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define SECOND_16_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define FIRST_16_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SECOND_16_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define FIRST_16_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define SECOND_16_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define FIRST_16_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define SECOND_16_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define TURN_16(rows)                                                                              \
    CHANGE(rows, 16, 1) CHANGE(rows, 16, 2) CHANGE(rows, 16, 4) CHANGE(rows, 16, 8)

// A whole panel, from `first` on, as far as squares go; returns how many numbers of each row.
#define DEFINE_SQUARES(suffix, attributes, lanes)                                                  \
    attributes static uint64_t squares_##suffix(const struct panels_source *source,                \
                                                uint64_t first, float *panel)                      \
    {                                                                                              \
        typedef float line                                                                         \
            __attribute__((vector_size((lanes) * sizeof(float)), aligned(4), may_alias));          \
        typedef float loose_line                                                                   \
            __attribute__((vector_size((lanes) * sizeof(float)), aligned(1), may_alias));          \
        const loose_float *from = source->numbers + first * source->row_step;                      \
        const uint64_t step = source->row_step;                                                    \
        struct places places = start_places(source);                                               \
        float scales[PANELS_WIDTH];                                                                \
        for (uint64_t i = 0; i < PANELS_WIDTH; i++)                                                \
            scales[i] = scale_of(source, first + i);                                               \
        uint64_t at = 0;                                                                           \
        for (; at + (lanes) <= source->depth; at += (lanes)) {                                     \
            float *lines[lanes];                                                                   \
            for (uint64_t i = 0; i < (lanes); i++)                                                 \
                lines[i] = next_line(&places, panel);                                              \
            for (uint64_t row = 0; row < PANELS_WIDTH; row += (lanes)) {                           \
                line rows[lanes];                                                                  \
                _Pragma("GCC unroll 16") for (uint64_t i = 0; i < (lanes); i++)                    \
                {                                                                                  \
                    rows[i] =                                                                      \
                        *(const loose_line *)(from + (row + i) * step + at) * scales[row + i];     \
                }                                                                                  \
                TURN_##lanes(rows) _Pragma("GCC unroll 16") for (uint64_t i = 0; i < (lanes); i++) \
                {                                                                                  \
                    *(line *)(lines[i] + row) = rows[i];                                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return at;                                                                                 \
    }

DEFINE_SQUARES(avx2, __attribute__((target("avx2"))), 8)
// gcc 12 does not align vectors on the stack that its sanitizer makes up (PR 110027).
DEFINE_SQUARES(avx512, __attribute__((target("avx512f"), no_sanitize("address"))), 16)
#endif

// As many numbers of each row as are arranged quickly: of a whole panel whose rows lie dense.
static uint64_t arrange_squares(const struct panels_source *source, uint64_t first, float *panel)
{
    if (source->depth_step != 1 || source->rows - first < PANELS_WIDTH)
        return 0;
#if defined(__x86_64__)
    if (isa_used() >= ISA_AVX512)
        return squares_avx512(source, first, panel);
    if (isa_used() == ISA_AVX2)
        return squares_avx2(source, first, panel);
#endif
    return 0;
}

// Rows from `first` on, as many as a panel has or are left, and zeros.
static void arrange_panel(const struct panels_source *source, uint64_t first, float *panel)
{
    const uint64_t left = source->rows - first;
    const uint64_t width = left < PANELS_WIDTH ? left : PANELS_WIDTH;
    const loose_float *from = source->numbers + first * source->row_step;
    const bool lies_so = source->row_step == 1 && width == PANELS_WIDTH && source->scales == NULL;
    const uint64_t done = arrange_squares(source, first, panel);
    struct places places = start_places(source);
    for (uint64_t k = 0; k < source->depth; k++) {
        float *line = next_line(&places, panel);
        if (k < done)
            continue;
        if (lies_so) {
            memcpy(line, from + k * source->depth_step, PANELS_WIDTH * sizeof *line);
            continue;
        }
        for (uint64_t i = 0; i < width; i++)
            line[i] =
                from[i * source->row_step + k * source->depth_step] * scale_of(source, first + i);
        for (uint64_t i = width; i < PANELS_WIDTH; i++)
            line[i] = 0;
    }
}

// Where `count` numbers are that lie dense: in `room`, if they could be read there.
static const loose_float *bring(const loose_float *numbers, uint64_t count, void *room)
{
    return input_read_again(numbers, count * sizeof(float), room) ? room : numbers;
}

// Panel by panel, of rows that lie one after another.
static void pack_rows(const struct panels_source *source, float *panels, void *room)
{
    for (uint64_t first = 0; first < source->rows; first += PANELS_WIDTH) {
        struct panels_source part = *source;
        const uint64_t left = source->rows - first;
        part.rows = left < PANELS_WIDTH ? left : PANELS_WIDTH;
        part.scales = source->scales != NULL ? source->scales + first : NULL;
        part.numbers =
            bring(source->numbers + first * source->depth, part.rows * source->depth, room);
        arrange_panel(&part, 0, panels + first * source->depth);
    }
}

// Some numbers of all rows at a time, which lie one after another.
static void pack_columns(const struct panels_source *source, float *panels, void *room)
{
    const uint64_t most = PANELS_COLUMNS_ROOM / sizeof(float) / source->rows;
    for (uint64_t k = 0; k < source->depth; k += most) {
        struct panels_source part = *source;
        part.depth = source->depth - k < most ? source->depth - k : most;
        part.numbers = bring(source->numbers + k * source->rows, part.depth * source->rows, room);
        for (uint64_t first = 0; first < source->rows; first += PANELS_WIDTH)
            arrange_panel(&part, first, panels + first * source->depth + k * PANELS_WIDTH);
    }
}

void panels_pack(const struct panels_source *source, float *panels)
{
    void *room = source->rooms != NULL ? scratch_pool_take(source->rooms) : NULL;
    const uint64_t row = source->depth * sizeof(float), column = source->rows * sizeof(float);
    if (room != NULL && source->depth_step == 1 && source->row_step == source->depth &&
        row <= PANELS_PACK_ROOM / PANELS_WIDTH) {
        pack_rows(source, panels, room);
    } else if (room != NULL && source->row_step == 1 && source->depth_step == source->rows &&
               source->taps <= 1 && column <= PANELS_COLUMNS_ROOM) {
        pack_columns(source, panels, room);
    } else {
        for (uint64_t first = 0; first < source->rows; first += PANELS_WIDTH)
            arrange_panel(source, first, panels + first * source->depth);
    }
    if (room != NULL)
        scratch_pool_give_back(source->rooms, room);
}
