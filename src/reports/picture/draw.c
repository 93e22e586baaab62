// Lays a plot out in points and draws it on a canvas.

#include <stdio.h>

#include "canvas.h"
#include "drawers.h"
#include "words.h"

enum {
    MARGIN = 16,
    TITLE_LINE = 34, // from the top
    SUBTITLE_LINE = 54,
    LEGEND_TOP = 68,
    LEGEND_ROW = 16,
    LEGEND_COLUMN = 380, // at least
    LEGEND_NAME = 84,    // from the swatch to the bar
    LEGEND_BAR = 100,
    AXIS_HEIGHT = 26,
    HEADING = 22,
    LANE_GAP = 6,
    ROW = 13,
    BAR = 12,
    COUNTER = 32,
    NOTE = 14,
    PERCENT = 48,    // right of the plot
    LABEL_MOST = 30, // letters
    LEVELS = 12,     // heights of what is added up
};

#define LEAST_COVER 0.2 // of a bar: what is there can be seen

enum colours {
    PAPER = 0xffffff,
    STRIPE = 0xf6f8fa,
    GRID = 0xe4e8ec,
    RULE = 0xc9d1d9,
    INK = 0x1f2933,
    SOFT_INK = 0x5b6673,
    WARNING = 0xb3261e,
    INSTANT = 0x37414c,
    LEVEL = 0xb8c4d6,
    LEVEL_EDGE = 0x6b7f9e,
    TROUGH = 0xebeef2,
};

struct drawing {
    const struct plot *plot;
    struct canvas *canvas;
    double width;
    double left; // of the plot
    size_t label;
    double y;
    struct bytes text;  // for one text
    struct bytes title; // for one title
};

struct picture_layout picture_layout_drawn(const struct profile *profile, uint32_t width)
{
    const size_t most = width < 600 ? LABEL_MOST / 2 : LABEL_MOST;
    struct picture_layout layout = {.label = words_label_length(profile, most)};
    const double left = 2 * MARGIN + (double)layout.label * CANVAS_LETTER + PERCENT + 8;
    layout.columns = (uint32_t)((double)width - left);
    return layout;
}

// Pieces -------------------------------------------------------------------------------

static void draw_rectangle(struct drawing *drawing, double x, double y, double width, double height,
                           uint32_t colour)
{
    drawing->canvas->rectangle(drawing->canvas, x, y, width, height, colour, VIEW_LITERAL(""));
}

// Shortens what is longer than `width` points.
static void draw_write_text(struct drawing *drawing, double x, double y, double size, double width,
                            uint32_t colour, struct view text)
{
    struct bytes shortened = {0};
    letters_append(&shortened, text, width > 0 ? (size_t)(width / (size * CANVAS_LETTER)) : 0,
                   LETTERS_CUT_MIDDLE);
    if (shortened.size > 0)
        drawing->canvas->text(drawing->canvas, x, y, size, colour, bytes_view(&shortened));
    bytes_free(&shortened);
}

static void write_right(struct drawing *drawing, double right, double y, uint32_t colour,
                        struct view text)
{
    const double width = (double)letters_count(text) * CANVAS_LETTER;
    draw_write_text(drawing, right - width, y, 1, width + 1, colour, text);
}

// Title and legend ---------------------------------------------------------------------

static void draw_badge(struct drawing *drawing)
{
    const char *word = words_provenance(drawing->plot);
    const bool measured = strcmp(word, "measured") == 0;
    const double width = (double)strlen(word) * CANVAS_LETTER + 16;
    const double x = drawing->width - MARGIN - width;
    draw_rectangle(drawing, x, TITLE_LINE - 14, width, 18, measured ? 0xdff0e4 : 0xfdeccd);
    draw_write_text(drawing, x + 8, TITLE_LINE - 1.5, 1, width, measured ? 0x1d5c34 : 0x7a4a00,
                    view_of(word));
}

static void draw_title(struct drawing *drawing, const struct picture_options *options)
{
    const double room = drawing->width - 2 * MARGIN;
    const double badge = (double)strlen(words_provenance(drawing->plot)) * CANVAS_LETTER + 32;
    drawing->text.size = 0;
    if (options->title != NULL)
        bytes_append_format(&drawing->text, "%s", options->title);
    else
        words_title(&drawing->text, drawing->plot, options->source);
    draw_write_text(drawing, MARGIN, TITLE_LINE, 2, room - badge, INK, bytes_view(&drawing->text));
    drawing->text.size = 0;
    words_subtitle(&drawing->text, drawing->plot);
    draw_write_text(drawing, MARGIN, SUBTITLE_LINE, 1, room, SOFT_INK, bytes_view(&drawing->text));
    draw_badge(drawing);
}

static unsigned legend_columns(double width)
{
    const unsigned columns = (unsigned)((width - 2 * MARGIN) / LEGEND_COLUMN);
    return columns > 0 ? columns : 1;
}

static unsigned legend_rows(const struct plot *plot, double width)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < PICTURE_KINDS; i++)
        kinds += plot->totals[i].spans > 0;
    return (kinds + legend_columns(width) - 1) / legend_columns(width);
}

static void draw_total(struct drawing *drawing, unsigned kind, double x, double y, double width)
{
    const struct plot_total *total = &drawing->plot->totals[kind];
    const double percent = plot_percent(drawing->plot, total->busy, total->lanes);
    draw_rectangle(drawing, x, y, 11, 11, picture_kind_colour(kind, 0));
    draw_write_text(drawing, x + 18, y + 9, 1, LEGEND_NAME - 18, INK,
                    view_of(drawing->plot->kinds.names[kind]));
    draw_rectangle(drawing, x + LEGEND_NAME, y + 2, LEGEND_BAR, 7, TROUGH);
    draw_rectangle(drawing, x + LEGEND_NAME, y + 2, LEGEND_BAR * percent / 100, 7,
                   picture_kind_colour(kind, 0));
    drawing->text.size = 0;
    words_total(&drawing->text, drawing->plot, kind);
    draw_write_text(drawing, x + LEGEND_NAME + LEGEND_BAR + 8, y + 9, 1,
                    width - LEGEND_NAME - LEGEND_BAR - 16, SOFT_INK, bytes_view(&drawing->text));
}

static void draw_legend(struct drawing *drawing)
{
    const unsigned columns = legend_columns(drawing->width);
    const double width = (drawing->width - 2 * MARGIN) / columns;
    unsigned shown = 0;
    for (unsigned i = 0; i < PICTURE_KINDS; i++) {
        if (drawing->plot->totals[i].spans == 0)
            continue;
        draw_total(drawing, i, MARGIN + shown % columns * width,
                   LEGEND_TOP + (double)(shown / columns) * LEGEND_ROW, width);
        shown++;
    }
    drawing->y = LEGEND_TOP + legend_rows(drawing->plot, drawing->width) * LEGEND_ROW;
}

// Lanes --------------------------------------------------------------------------------

static double lane_height(const struct plot_lane *lane)
{
    if (lane->heading)
        return HEADING;
    if (lane->levels != NULL || lane->sample_count > 0)
        return COUNTER + LANE_GAP;
    return ROW * (lane->row_count > 0 ? lane->row_count : 1) - 1 + LANE_GAP;
}

static double lanes_height(const struct plot *plot)
{
    double height = 0;
    for (size_t i = 0; i < plot->lane_count; i++)
        height += lane_height(&plot->lanes[i]);
    return height;
}

static void draw_stripes(struct drawing *drawing)
{
    double y = drawing->y + AXIS_HEIGHT;
    bool odd = true;
    for (size_t i = 0; i < drawing->plot->lane_count; i++) {
        const struct plot_lane *lane = &drawing->plot->lanes[i];
        const double height = lane_height(lane);
        if (!lane->heading && odd)
            draw_rectangle(drawing, MARGIN, y, drawing->width - 2 * MARGIN, height, STRIPE);
        odd = lane->heading ? true : !odd;
        y += height;
    }
}

static void draw_axis(struct drawing *drawing)
{
    const struct plot *plot = drawing->plot;
    const double scale = plot->options.columns / (double)(plot->to - plot->from);
    const struct words_axis axis = words_axis(plot, plot->options.columns / CANVAS_LETTER);
    const double height = lanes_height(plot);
    const double top = drawing->y + AXIS_HEIGHT;
    for (uint64_t ns = axis.first; ns <= plot->to && ns >= axis.first; ns += axis.step) {
        char mark[WORDS_TIME_ROOM];
        const double x = drawing->left + (double)(ns - plot->from) * scale;
        words_mark(&axis, ns, mark);
        const double width = (double)strlen(mark) * CANVAS_LETTER;
        draw_rectangle(drawing, x, top - 4, 1, height + 4, GRID);
        if (x + width / 2 <= drawing->width - MARGIN)
            draw_write_text(drawing, x - width / 2, top - 8, 1, width + 1, SOFT_INK, view_of(mark));
    }
    draw_rectangle(drawing, drawing->left, top - 1, plot->options.columns, 1, RULE);
    drawing->y = top;
}

static void draw_label(struct drawing *drawing, const struct plot_lane *lane, double line)
{
    const double indent = (lane->indent < 6 ? lane->indent : 6) * 2 * CANVAS_LETTER;
    const struct view name = words_lane(drawing->plot, lane, &drawing->text);
    const double end = lane->heading ? drawing->width - MARGIN : drawing->left - 8;
    draw_write_text(drawing, MARGIN + indent, line, 1, end - MARGIN - indent,
                    lane->heading ? INK : SOFT_INK, name);
}

// What was merged: neighbours that look alike are one rectangle.
struct drawn_run {
    uint32_t from;
    uint64_t count;
    double covered;
    unsigned kind;
    unsigned level; // 0: nothing there
};

static unsigned level_of(const struct plot *plot, const struct plot_lane *lane,
                         const struct plot_row *row, uint32_t column)
{
    const struct plot_cell *cell = &row->cells[column];
    if (cell->count == 0 && cell->covered == 0)
        return 0;
    const double cover = plot_cell_cover(plot, lane, row, column);
    return 1 + (unsigned)(cover * (LEVELS - 1) + 0.5);
}

static void draw_run(struct drawing *drawing, const struct drawn_run *run, uint32_t to, double y)
{
    const double cover = LEAST_COVER + (1 - LEAST_COVER) * (double)(run->level - 1) / (LEVELS - 1);
    const double height = BAR * cover;
    drawing->title.size = 0;
    bytes_append_format(&drawing->title, "%s: %llu span%s, %.0f %% of the time",
                        drawing->plot->kinds.names[run->kind], (unsigned long long)run->count,
                        run->count == 1 ? "" : "s", 100 * run->covered / (to - run->from));
    drawing->canvas->rectangle(drawing->canvas, drawing->left + run->from, y + BAR - height,
                               to - run->from, height, picture_kind_colour(run->kind, 0),
                               bytes_view(&drawing->title));
}

static void draw_merged(struct drawing *drawing, const struct plot_lane *lane,
                        const struct plot_row *row, double y)
{
    const struct plot *plot = drawing->plot;
    struct drawn_run run = {0};
    for (uint32_t i = 0; i < plot->options.columns; i++) {
        const unsigned level = level_of(plot, lane, row, i);
        const struct plot_cell *cell = &row->cells[i];
        if (level != run.level || cell->kind != run.kind) {
            if (run.level > 0)
                draw_run(drawing, &run, i, y);
            run = (struct drawn_run){.from = i, .kind = cell->kind, .level = level};
        }
        run.count += cell->count;
        run.covered += plot_cell_cover(plot, lane, row, i);
    }
    if (run.level > 0)
        draw_run(drawing, &run, plot->options.columns, y);
}

static void draw_span(struct drawing *drawing, const struct plot_span *span, double y)
{
    const uint32_t colour = picture_kind_colour(span->kind, span->shade);
    const struct view name = profile_text(drawing->plot->profile, span->name);
    const double x = drawing->left + span->x;
    char time[WORDS_TIME_ROOM], start[WORDS_TIME_ROOM];
    words_time(span->end - span->start, time);
    words_time(span->start, start);
    drawing->title.size = 0;
    letters_append(&drawing->title, name, 200, LETTERS_CUT_MIDDLE);
    bytes_append_format(&drawing->title, ": %s, at %s", time, start);
    drawing->canvas->rectangle(drawing->canvas, x, y, span->width - 0.5, BAR, colour,
                               bytes_view(&drawing->title));
    // Four letters and two dots say something, fewer do not.
    const double room = span->width - 6;
    if (room >= 6 * CANVAS_LETTER || room >= (double)letters_count(name) * CANVAS_LETTER)
        draw_write_text(drawing, x + 3, y + 9.5, 1, room, picture_ink(colour), name);
}

static void draw_instants(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    for (uint32_t i = 0; i < drawing->plot->options.columns; i++) {
        if (lane->instants[i] == 0)
            continue;
        drawing->title.size = 0;
        bytes_append_format(&drawing->title, "%u instant%s", (unsigned)lane->instants[i],
                            lane->instants[i] == 1 ? "" : "s");
        drawing->canvas->rectangle(drawing->canvas, drawing->left + i, y - 1, 1, BAR + 2, INSTANT,
                                   bytes_view(&drawing->title));
        draw_rectangle(drawing, drawing->left + i - 1, y - 2, 3, 3, INSTANT);
    }
}

static void draw_levels(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    const double range = lane->most - lane->least > 0 ? lane->most - lane->least : 1;
    const uint32_t columns = drawing->plot->options.columns;
    const double zero = y + COUNTER * lane->most / range;
    for (uint32_t from = 0, to; from < columns; from = to) {
        const struct plot_level level = lane->levels[from];
        for (to = from + 1; to < columns && lane->levels[to].known == level.known &&
                            lane->levels[to].most == level.most;)
            to++;
        const double edge = y + COUNTER * (lane->most - level.most) / range;
        if (!level.known)
            continue;
        char number[WORDS_TIME_ROOM];
        words_number(level.most, number);
        drawing->canvas->rectangle(drawing->canvas, drawing->left + from, edge < zero ? edge : zero,
                                   to - from, edge < zero ? zero - edge : edge - zero, LEVEL,
                                   view_of(number));
        draw_rectangle(drawing, drawing->left + from, edge - 0.5, to - from, 1, LEVEL_EDGE);
    }
}

static void draw_counter(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    const struct profile *profile = drawing->plot->profile;
    char number[WORDS_TIME_ROOM];
    if (lane->levels != NULL)
        draw_levels(drawing, lane, y);
    words_compact(lane->most, number);
    drawing->text.size = 0;
    bytes_append_format(&drawing->text, "most %s", number);
    if (lane->track != 0)
        bytes_append_format(
            &drawing->text, " %.*s",
            VIEW_ARGUMENTS(profile_text(profile, profile_track(profile, lane->track)->unit)));
    draw_write_text(drawing, MARGIN + (lane->indent < 6 ? lane->indent : 6) * 2 * CANVAS_LETTER,
                    y + 24, 1, drawing->left - 2 * MARGIN, SOFT_INK, bytes_view(&drawing->text));
}

static void draw_spans(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    for (unsigned i = 0; i < lane->row_count; i++) {
        const struct plot_row *row = &lane->rows[i];
        if (row->cells != NULL)
            draw_merged(drawing, lane, row, y + i * ROW);
        for (size_t k = 0; k < row->count; k++)
            draw_span(drawing, &row->spans[k], y + i * ROW);
    }
    if (lane->instants != NULL)
        draw_instants(drawing, lane, y);
    if (lane->spans == 0)
        return;
    char percent[WORDS_TIME_ROOM];
    const uint64_t lanes = lane->track == 0 ? lane->merged_lanes : 1;
    snprintf(percent, sizeof percent, "%.1f %%", plot_percent(drawing->plot, lane->busy, lanes));
    write_right(drawing, drawing->width - MARGIN, y + 9.5, SOFT_INK, view_of(percent));
}

static void draw_lane(struct drawing *drawing, const struct plot_lane *lane)
{
    const double y = drawing->y + LANE_GAP / 2;
    if (lane->heading) {
        draw_label(drawing, lane, drawing->y + 15);
        draw_rectangle(drawing, MARGIN, drawing->y + HEADING - 3, drawing->width - 2 * MARGIN, 1,
                       RULE);
    } else {
        draw_label(drawing, lane, y + 9.5);
        if (lane->levels != NULL || lane->sample_count > 0)
            draw_counter(drawing, lane, y);
        else
            draw_spans(drawing, lane, y);
    }
    drawing->y += lane_height(lane);
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
    return LEGEND_TOP + legend_rows(plot, width) * LEGEND_ROW + AXIS_HEIGHT + lanes_height(plot) +
           12 + count_notes(plot) * NOTE + MARGIN;
}

static void draw_notes(struct drawing *drawing)
{
    draw_rectangle(drawing, drawing->left, drawing->y, drawing->plot->options.columns, 1, RULE);
    drawing->y += 18;
    for (unsigned i = 0; words_note(&drawing->text, drawing->plot, i); i++) {
        const bool warns = view_starts_with(bytes_view(&drawing->text), "ledger");
        draw_write_text(drawing, MARGIN, drawing->y, 1, drawing->width - 2 * MARGIN,
                        warns ? WARNING : SOFT_INK, bytes_view(&drawing->text));
        drawing->y += NOTE;
    }
}

static void draw_all(struct drawing *drawing, const struct picture_options *options, double height)
{
    draw_rectangle(drawing, 0, 0, drawing->width, height, PAPER);
    draw_title(drawing, options);
    draw_legend(drawing);
    draw_stripes(drawing);
    draw_axis(drawing);
    for (size_t i = 0; i < drawing->plot->lane_count; i++)
        draw_lane(drawing, &drawing->plot->lanes[i]);
    draw_notes(drawing);
}

status picture_draw_canvas(const struct plot *plot, const struct picture_options *options,
                           const struct picture_layout *layout, struct bytes *file)
{
    struct drawing drawing = {.plot = plot,
                              .width = options->width,
                              .label = layout->label,
                              .left = MARGIN + (double)layout->label * CANVAS_LETTER + 8};
    const double height = total_height(plot, drawing.width);
    if (options->form == PICTURE_PNG) {
        STATUS_TRY(canvas_png(drawing.width, height, &drawing.canvas));
    } else {
        struct bytes label = {0};
        words_title(&label, plot, options->source);
        drawing.canvas = canvas_svg(drawing.width, height, bytes_view(&label));
        bytes_free(&label);
    }
    draw_all(&drawing, options, height);
    drawing.canvas->finish(drawing.canvas, file);
    bytes_free(&drawing.text);
    bytes_free(&drawing.title);
    return STATUS_OK;
}
