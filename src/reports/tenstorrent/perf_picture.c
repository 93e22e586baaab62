#include "perf_picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "wire/drawing.h"

enum {
    SCALE = 2, // points of a letter's dot
    LETTER = (GLYPHS_WIDTH + 1) * SCALE,
    LINE = (GLYPHS_HEIGHT + 2) * SCALE,
    TOP = 3 * LINE,
    BAR_HEIGHT = 1400,
    LEFT = 16 * LETTER, // room for the names of the categories
    ONE_BAR = 84 * LETTER,
    BAR_OF_MANY = 44 * LETTER,
    BARS_MOST = 32,
    SHADES = 12,
    CLASSIC = 20,
    COLOUR_WHITE_POINT = 0,
    COLOUR_BLACK_POINT,
    COLOUR_SHADES, // by category, dark to light
    COLOUR_CLASSIC = COLOUR_SHADES + PERF_CATEGORIES * SHADES,
};

// A piece with less than this share of its bar has no label.
#define LABEL_SHARE 0.02

struct canvas {
    struct png_picture picture;
};

static void perf_picture_rectangle(struct canvas *canvas, uint32_t x, uint32_t y, uint32_t width,
                                   uint32_t height, unsigned colour)
{
    drawing_fill(&canvas->picture, x, y, width, height, colour);
}

// Cuts what does not fit.
static void perf_picture_draw_text(struct canvas *canvas, uint32_t x, uint32_t y, uint32_t width,
                                   const char *text, unsigned colour)
{
    const struct view whole = view_of(text);
    const size_t fits = width / LETTER;
    drawing_text(&canvas->picture, x, y, SCALE,
                 fits < whole.size ? view_slice(whole, 0, fits) : whole, colour);
}

// Colours --------------------------------------------------------------------

static uint32_t blend(uint32_t dark, uint32_t light, unsigned part, unsigned whole)
{
    uint32_t mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        const unsigned a = dark >> shift & 0xff;
        const unsigned b = light >> shift & 0xff;
        mixed |= ((a * (whole - part) + b * part) / whole) << shift;
    }
    return mixed;
}

static void make_colours(struct png_picture *picture)
{
    static const uint32_t ranges[PERF_CATEGORIES][2] = {
        [PERF_COMPUTE] = {0x3f007d, 0xb6b6d8}, [PERF_DM] = {0xc44e0a, 0xfdc692},
        [PERF_TM] = {0x00441b, 0xa3d99c},      [PERF_OTHER] = {0x252525, 0xc8c8c8},
        [PERF_ON_HOST] = {0x7f0000, 0xf4a582},
    };
    static const uint32_t classic[CLASSIC] = {0x1f5fa8, 0xa3c4e8, 0xe0701a, 0xf6bd82, 0x2a8f3a,
                                              0x9ad89a, 0xc22f2f, 0xf59c9a, 0x8457b0, 0xc0aed2,
                                              0x7d4f44, 0xc09a92, 0xd066ae, 0xf2b2cf, 0x6e6e6e,
                                              0xc4c4c4, 0xb0b020, 0xd8d88a, 0x1ab0c0, 0x9cd6e0};
    picture->colours[COLOUR_WHITE_POINT] = 0xffffff;
    picture->colours[COLOUR_BLACK_POINT] = 0x000000;
    for (unsigned category = 0; category < PERF_CATEGORIES; category++) {
        for (unsigned i = 0; i < SHADES; i++)
            picture->colours[COLOUR_SHADES + category * SHADES + i] =
                blend(ranges[category][0], ranges[category][1], i, SHADES - 1);
    }
    for (unsigned i = 0; i < CLASSIC; i++)
        picture->colours[COLOUR_CLASSIC + i] = classic[i];
    picture->colour_count = COLOUR_CLASSIC + CLASSIC;
}

// Black on what is light, white on what is dark.
static unsigned text_colour(const struct png_picture *picture, unsigned background)
{
    const uint32_t colour = picture->colours[background];
    const uint32_t light =
        (colour >> 16) * 299 + (colour >> 8 & 0xff) * 587 + (colour & 0xff) * 114;
    return light > 140000 ? COLOUR_BLACK_POINT : COLOUR_WHITE_POINT;
}

// Pieces ---------------------------------------------------------------------

static int category_rank(enum perf_category category)
{
    static const int ranks[PERF_CATEGORIES] = {
        [PERF_COMPUTE] = 0, [PERF_TM] = 1, [PERF_DM] = 2, [PERF_OTHER] = 3, [PERF_ON_HOST] = 4};
    return ranks[category];
}

// By device, then category, then time.
static int compare_pieces(const void *left, const void *right)
{
    const struct perf_group *a = left;
    const struct perf_group *b = right;
    if (a->device != b->device)
        return (a->device > b->device) - (a->device < b->device);
    const int order = category_rank(a->category) - category_rank(b->category);
    return order != 0 ? order : (a->time < b->time) - (a->time > b->time);
}

static void perf_picture_describe(const struct perf_group *group, char *text, size_t room)
{
    snprintf(text, room, "(%.1f %%) %.*s total=%.1f us; %llu ops", group->percent,
             VIEW_ARGUMENTS(group->name), group->time, (unsigned long long)group->count);
}

static void describe_use(const struct perf_group *group, char *text, size_t room)
{
    snprintf(text, room, " Util [%.1f - %.1f] weighted_mean=%.1f%% (mean=%.1f +- %.1f%%)",
             group->flops_least.value, group->flops_most.value, group->flops_weighted.value,
             group->flops_mean.value, group->flops_deviation.value);
}

struct bar {
    uint32_t x;
    uint32_t width;
    bool classic;
    bool names_categories;
};

static void draw_labels(struct canvas *canvas, const struct bar *bar, uint32_t y, uint32_t height,
                        const struct perf_group *group, unsigned colour)
{
    char text[256];
    const unsigned ink = text_colour(&canvas->picture, colour);
    const bool two = group->flops_mean.known && height >= 2 * LINE;
    const uint32_t first = y + (height - (two ? 2 * LINE : LINE)) / 2 + SCALE;
    perf_picture_describe(group, text, sizeof text);
    perf_picture_draw_text(canvas, bar->x + LETTER, first, bar->width - LETTER, text, ink);
    if (!two)
        return;
    describe_use(group, text, sizeof text);
    perf_picture_draw_text(canvas, bar->x + LETTER, first + LINE, bar->width - LETTER, text, ink);
}

static double category_percent(const struct perf_group *pieces, size_t count, size_t from)
{
    double percent = 0;
    for (size_t i = from; i < count && pieces[i].category == pieces[from].category; i++)
        percent += pieces[i].percent;
    return percent;
}

static void draw_bar(struct canvas *canvas, const struct bar *bar, const struct perf_group *pieces,
                     size_t count)
{
    double below = 0;
    unsigned shade = 0;
    for (size_t i = 0; i < count; i++) {
        const bool starts = i == 0 || pieces[i].category != pieces[i - 1].category;
        shade = starts ? 0 : (shade + 1) % SHADES;
        const unsigned colour = bar->classic
                                    ? COLOUR_CLASSIC + (unsigned)(i % CLASSIC)
                                    : COLOUR_SHADES + (unsigned)pieces[i].category * SHADES + shade;
        const uint32_t from = (uint32_t)(below / 100 * BAR_HEIGHT);
        below += pieces[i].percent;
        const uint32_t to = (uint32_t)(below / 100 * BAR_HEIGHT);
        perf_picture_rectangle(canvas, bar->x, TOP + from, bar->width, to - from, colour);
        if (starts && i > 0)
            perf_picture_rectangle(canvas, bar->x, TOP + from, bar->width, SCALE,
                                   COLOUR_BLACK_POINT);
        if (pieces[i].percent >= 100 * LABEL_SHARE && to - from >= LINE)
            draw_labels(canvas, bar, TOP + from, to - from, &pieces[i], colour);
        if (starts && bar->names_categories && pieces[i].percent > 0) {
            char text[64];
            snprintf(text, sizeof text, "%s(%.1f%%)", perf_category_name(pieces[i].category),
                     category_percent(pieces, count, i));
            perf_picture_draw_text(canvas, LETTER, TOP + from, LEFT - LETTER, text,
                                   COLOUR_BLACK_POINT);
        }
    }
}

// One bar for all, or one for each device; those that do not fit are left out.
static size_t count_bars(const struct perf_group *pieces, size_t count)
{
    size_t bars = 0;
    for (size_t i = 0; i < count; i++)
        bars += i == 0 || pieces[i].device != pieces[i - 1].device;
    return bars < BARS_MOST ? bars : BARS_MOST;
}

static void perf_picture_draw_title(struct canvas *canvas, const struct perf_group *pieces,
                                    size_t count, bool by_device)
{
    char title[128] = "Stacked Device Time per Device (100% per device)";
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += pieces[i].time;
    if (!by_device)
        snprintf(title, sizeof title, "Stacked Device Time (Total: %.1f us)", total);
    perf_picture_draw_text(canvas, LEFT, LINE / 2, canvas->picture.width - LEFT, title,
                           COLOUR_BLACK_POINT);
}

static void draw(struct canvas *canvas, const struct perf_group *pieces, size_t count,
                 bool by_device, bool classic, uint32_t width)
{
    struct bar bar = {LEFT, width, classic, !by_device && !classic};
    perf_picture_draw_title(canvas, pieces, count, by_device);
    for (size_t from = 0; from < count && bar.x + width <= canvas->picture.width;) {
        size_t to = from;
        while (to < count && pieces[to].device == pieces[from].device)
            to++;
        char name[48];
        snprintf(name, sizeof name, "Dev %llu", (unsigned long long)pieces[from].device);
        if (by_device)
            perf_picture_draw_text(canvas, bar.x, TOP - LINE, width, name, COLOUR_BLACK_POINT);
        draw_bar(canvas, &bar, pieces + from, to - from);
        bar.x += width + 2 * LETTER;
        from = to;
    }
}

static status perf_picture_save(const struct canvas *canvas, const char *path)
{
    struct output *output;
    struct bytes file = {0};
    STATUS_TRY(output_open(path, &output));
    const status result = png_append(&file, &canvas->picture);
    output_write(output, file.data, file.size);
    bytes_free(&file);
    return output_finish(output, result);
}

status perf_picture_write(struct perf *perf, enum perf_grouping grouping, bool by_device,
                          bool classic, const char *path)
{
    struct perf_group *pieces;
    size_t count;
    perf_stack(perf, grouping, by_device, &pieces, &count);
    if (by_device)
        perf_stack_order_devices(pieces, count);
    if (count > 0 && !classic)
        sort_items(pieces, count, sizeof *pieces, compare_pieces);
    const size_t bars = count_bars(pieces, count);
    const uint32_t width = bars > 1 ? BAR_OF_MANY : ONE_BAR;
    struct canvas canvas = {
        .picture = {.width = LEFT + (uint32_t)(bars > 0 ? bars : 1) * (width + 2 * LETTER),
                    .height = TOP + BAR_HEIGHT + LINE}};
    canvas.picture.pixels = memory_allocate_zeroed(canvas.picture.width, canvas.picture.height);
    make_colours(&canvas.picture);
    draw(&canvas, pieces, count, by_device, classic, width);
    const status result = perf_picture_save(&canvas, path);
    free(canvas.picture.pixels);
    free(pieces);
    return result;
}
