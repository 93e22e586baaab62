// Lays a plot out in points and draws it on a canvas: title, legend, axis, lanes, notes.

#include <stdlib.h>

#include "base/memory.h"
#include "draw_parts.h"
#include "drawers.h"
#include "words.h"

enum {
    TITLE_LINE = 32, // from the top
    SUBTITLE_LINE = 52,
    LEGEND_TOP = 68,
    LEGEND_ROW = 16,
    LEGEND_SWATCH = 18, // from the swatch to the name
    LEGEND_BAR = 90,
    LEGEND_GAP = 28, // between columns
    AXIS_HEIGHT = 26,
    NOTE = 14,
    PERCENT = 48,    // right of the plot
    LABEL_MOST = 30, // letters
};

#define TITLE_SIZE 1.75

struct picture_layout picture_layout_drawn(const struct profile *profile, uint32_t width)
{
    const size_t most = width < 600 ? LABEL_MOST / 2 : LABEL_MOST;
    struct picture_layout layout = {.label = words_label_length(profile, most)};
    const double left = 2 * DRAW_MARGIN + (double)layout.label * CANVAS_LETTER + PERCENT + 8;
    layout.columns = (uint32_t)((double)width - left);
    return layout;
}

// Pieces -------------------------------------------------------------------------------

void draw_rectangle(struct drawing *drawing, double x, double y, double width, double height,
                    uint32_t colour)
{
    drawing->canvas->rectangle(drawing->canvas, x, y, width, height, colour, VIEW_LITERAL(""));
}

void draw_write_text(struct drawing *drawing, double x, double y, double width,
                     const struct canvas_ink *ink, struct view text)
{
    struct bytes shortened = {0};
    letters_append(&shortened, text, width > 0 ? (size_t)(width / (ink->size * CANVAS_LETTER)) : 0,
                   LETTERS_CUT_MIDDLE);
    if (shortened.size > 0)
        drawing->canvas->text(drawing->canvas, x, y, ink, bytes_view(&shortened));
    bytes_free(&shortened);
}

void draw_write(struct drawing *drawing, double x, double y, double width, uint32_t colour,
                struct view text)
{
    draw_write_text(drawing, x, y, width, &(struct canvas_ink){.size = 1, .colour = colour}, text);
}

// Title and legend ---------------------------------------------------------------------

static void draw_badge(struct drawing *drawing)
{
    const char *word = words_provenance(drawing->plot);
    const bool measured = strcmp(word, "measured") == 0;
    const double width = (double)strlen(word) * CANVAS_LETTER + 16;
    const double x = drawing->width - DRAW_MARGIN - width;
    draw_rectangle(drawing, x, TITLE_LINE - 14, width, 18, measured ? 0xdff0e4 : 0xfdeccd);
    draw_write(drawing, x + 8, TITLE_LINE - 1.5, width, measured ? 0x1d5c34 : 0x7a4a00,
               view_of(word));
}

static void draw_title(struct drawing *drawing, const struct picture_options *options)
{
    const double room = drawing->width - 2 * DRAW_MARGIN;
    const double badge = (double)strlen(words_provenance(drawing->plot)) * CANVAS_LETTER + 32;
    drawing->text.size = 0;
    if (options->title != NULL)
        bytes_append_format(&drawing->text, "%s", options->title);
    else
        words_title(&drawing->text, drawing->plot->profile, options->source);
    const struct canvas_ink ink = {TITLE_SIZE, DRAW_INK, CANVAS_BOLD};
    draw_write_text(drawing, DRAW_MARGIN, TITLE_LINE, room - badge, &ink,
                    bytes_view(&drawing->text));
    drawing->text.size = 0;
    words_subtitle(&drawing->text, drawing->plot);
    draw_write(drawing, DRAW_MARGIN, SUBTITLE_LINE, room, DRAW_SOFT_INK,
               bytes_view(&drawing->text));
    draw_badge(drawing);
}

// How the legend is laid out: numbers have all the room that they need, then names, then bars.
struct legend {
    unsigned columns, rows;
    double column;
    double name, bar, numbers; // of each, points
};

static struct legend legend_of(const struct plot *plot, double width)
{
    struct legend legend = {.bar = LEGEND_BAR};
    struct bytes text = {0};
    unsigned kinds = 0;
    for (unsigned i = 0; i < PICTURE_KINDS; i++) {
        if (plot->totals[i].spans == 0)
            continue;
        kinds++;
        text.size = 0;
        words_total(&text, plot, i);
        const double numbers = (double)letters_count(bytes_view(&text)) * CANVAS_LETTER;
        const double name = (double)letters_count(view_of(plot->kinds.names[i])) * CANVAS_LETTER;
        legend.numbers = numbers > legend.numbers ? numbers : legend.numbers;
        legend.name = name > legend.name ? name : legend.name;
    }
    bytes_free(&text);
    const double room = width - 2 * DRAW_MARGIN;
    const double fixed = LEGEND_SWATCH + 2 * CANVAS_LETTER + legend.numbers;
    if (fixed + legend.name + legend.bar > room)
        legend.bar = room - fixed - legend.name > 0 ? room - fixed - legend.name : 0;
    if (fixed + legend.name > room)
        legend.name = room > fixed ? room - fixed : 0;
    legend.column = fixed + legend.name + legend.bar + LEGEND_GAP;
    legend.columns = (unsigned)((room + LEGEND_GAP) / legend.column);
    legend.columns = legend.columns > 0 ? legend.columns : 1;
    legend.rows = (kinds + legend.columns - 1) / legend.columns;
    return legend;
}

static void draw_total(struct drawing *drawing, const struct legend *legend, unsigned kind,
                       double x, double y)
{
    const struct plot_total *total = &drawing->plot->totals[kind];
    const double percent = plot_percent(drawing->plot, total->busy, total->lanes);
    const double bar = x + LEGEND_SWATCH + legend->name + CANVAS_LETTER;
    draw_rectangle(drawing, x, y, 11, 11, picture_kind_colour(kind, 0));
    draw_write(drawing, x + LEGEND_SWATCH, y + 9, legend->name + 1, DRAW_INK,
               view_of(drawing->plot->kinds.names[kind]));
    if (legend->bar > 0) {
        draw_rectangle(drawing, bar, y + 2, legend->bar, 7, DRAW_TROUGH);
        draw_rectangle(drawing, bar, y + 2, legend->bar * percent / 100, 7,
                       picture_kind_colour(kind, 0));
    }
    drawing->text.size = 0;
    words_total(&drawing->text, drawing->plot, kind);
    draw_write(drawing, bar + legend->bar + CANVAS_LETTER, y + 9, legend->numbers + 1,
               DRAW_SOFT_INK, bytes_view(&drawing->text));
}

static void draw_legend(struct drawing *drawing)
{
    const struct legend legend = legend_of(drawing->plot, drawing->width);
    unsigned shown = 0;
    for (unsigned i = 0; i < PICTURE_KINDS; i++) {
        if (drawing->plot->totals[i].spans == 0)
            continue;
        draw_total(drawing, &legend, i, DRAW_MARGIN + shown % legend.columns * legend.column,
                   LEGEND_TOP + (double)(shown / legend.columns) * LEGEND_ROW);
        shown++;
    }
    drawing->y = LEGEND_TOP + legend.rows * LEGEND_ROW;
}

// The axis -----------------------------------------------------------------------------

static void draw_axis(struct drawing *drawing)
{
    const struct plot *plot = drawing->plot;
    const double scale = plot->options.columns / (double)(plot->to - plot->from);
    const struct words_axis axis = words_axis(plot, plot->options.columns / CANVAS_LETTER);
    const double height = draw_lanes_height(plot);
    const double top = drawing->y + AXIS_HEIGHT;
    for (uint64_t ns = axis.first; ns <= plot->to && ns >= axis.first; ns += axis.step) {
        char mark[WORDS_TIME_ROOM];
        const double x = drawing->left + (double)(ns - plot->from) * scale;
        words_mark(&axis, ns, mark);
        const double width = (double)strlen(mark) * CANVAS_LETTER;
        draw_rectangle(drawing, x, top - 4, 1, height + 4, DRAW_GRID);
        if (x + width / 2 <= drawing->width - DRAW_MARGIN)
            draw_write(drawing, x - width / 2, top - 8, width + 1, DRAW_SOFT_INK, view_of(mark));
    }
    draw_rectangle(drawing, drawing->left, top - 1, plot->options.columns, 1, DRAW_RULE);
    drawing->y = top;
}

// All ----------------------------------------------------------------------------------

static unsigned count_notes(const struct plot *plot)
{
    struct bytes text = {0};
    unsigned count = 0;
    while (words_note(&text, plot, count))
        count++;
    bytes_free(&text);
    return count;
}

static double total_height(const struct plot *plot, double width)
{
    return LEGEND_TOP + legend_of(plot, width).rows * LEGEND_ROW + AXIS_HEIGHT +
           draw_lanes_height(plot) + 12 + count_notes(plot) * NOTE + DRAW_MARGIN;
}

static void draw_notes(struct drawing *drawing)
{
    draw_rectangle(drawing, drawing->left, drawing->y, drawing->plot->options.columns, 1,
                   DRAW_RULE);
    drawing->y += 18;
    for (unsigned i = 0; words_note(&drawing->text, drawing->plot, i); i++) {
        const bool warns = view_starts_with(bytes_view(&drawing->text), "ledger");
        draw_write(drawing, DRAW_MARGIN, drawing->y, drawing->width - 2 * DRAW_MARGIN,
                   warns ? DRAW_WARNING : DRAW_SOFT_INK, bytes_view(&drawing->text));
        drawing->y += NOTE;
    }
}

static void draw_all(struct drawing *drawing, const struct picture_options *options, double height)
{
    draw_rectangle(drawing, 0, 0, drawing->width, height, DRAW_PAPER);
    draw_title(drawing, options);
    draw_legend(drawing);
    draw_stripes(drawing, drawing->y + AXIS_HEIGHT);
    draw_axis(drawing);
    draw_lanes(drawing);
    draw_arrows(drawing);
    draw_notes(drawing);
}

status picture_draw_canvas(const struct plot *plot, const struct picture_options *options,
                           const struct picture_layout *layout, struct bytes *file)
{
    struct drawing drawing = {.plot = plot,
                              .width = options->width,
                              .left = DRAW_MARGIN + (double)layout->label * CANVAS_LETTER + 8};
    const double height = total_height(plot, drawing.width);
    if (options->form == PICTURE_PNG) {
        STATUS_TRY(canvas_png(drawing.width, height, &drawing.canvas));
    } else {
        struct bytes label = {0};
        words_title(&label, plot->profile, options->source);
        drawing.canvas = canvas_svg(drawing.width, height, bytes_view(&label));
        bytes_free(&label);
    }
    drawing.tops = memory_allocate_zeroed(plot->lane_count + 1, sizeof *drawing.tops);
    draw_all(&drawing, options, height);
    const status result = drawing.canvas->finish(drawing.canvas, file);
    free(drawing.tops);
    bytes_free(&drawing.text);
    bytes_free(&drawing.title);
    return result;
}
