// Lanes of a drawing: their names, spans, counters and instants, and the arrows between them.

#include <stdio.h>

#include "draw_parts.h"
#include "words.h"

enum {
    HEADING = 22,
    COUNTER = 32,
    LEVELS = 12, // heights of what is added up
};

#define LEAST_COVER 0.35 // of a bar: what is there can be seen

enum colours { INSTANT = 0x37414c, LEVEL = 0xb8c4d6, LEVEL_EDGE = 0x6b7f9e, ARROW = 0x37414c };

static bool is_counter(const struct plot_lane *lane)
{
    return lane->levels != NULL || (lane->sample_count > 0 && lane->spans == 0);
}

static double lane_height(const struct plot_lane *lane)
{
    if (lane->hidden)
        return 0;
    if (lane->heading)
        return HEADING;
    if (is_counter(lane))
        return COUNTER + DRAW_LANE_GAP;
    return DRAW_ROW * (lane->row_count > 0 ? lane->row_count : 1) - 1 + DRAW_LANE_GAP;
}

double draw_lanes_height(const struct plot *plot)
{
    double height = 0;
    for (size_t i = 0; i < plot->lane_count; i++)
        height += lane_height(&plot->lanes[i]);
    return height;
}

void draw_stripes(struct drawing *drawing, double y)
{
    bool odd = true;
    for (size_t i = 0; i < drawing->plot->lane_count; i++) {
        const struct plot_lane *lane = &drawing->plot->lanes[i];
        const double height = lane_height(lane);
        if (lane->hidden)
            continue;
        if (!lane->heading && odd)
            draw_rectangle(drawing, DRAW_MARGIN, y, drawing->width - 2 * DRAW_MARGIN, height,
                           DRAW_STRIPE);
        odd = lane->heading ? true : !odd;
        y += height;
    }
}

static double indent_of(const struct plot_lane *lane)
{
    return (lane->indent < 6 ? lane->indent : 6) * 2 * CANVAS_LETTER;
}

static void draw_label(struct drawing *drawing, const struct plot_lane *lane, double line)
{
    const double indent = indent_of(lane);
    const struct view name = words_lane(drawing->plot, lane, &drawing->text);
    const double end = lane->heading ? drawing->width - DRAW_MARGIN : drawing->left - 8;
    const struct canvas_ink ink = {1, lane->heading ? DRAW_INK : DRAW_SOFT_INK,
                                   lane->heading && indent == 0 ? CANVAS_BOLD : CANVAS_REGULAR};
    draw_write_text(drawing, DRAW_MARGIN + indent, line, end - DRAW_MARGIN - indent, &ink, name);
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
    const double height = DRAW_BAR * cover;
    drawing->title.size = 0;
    bytes_append_format(&drawing->title, "%s: %llu span%s, %.0f %% of the time",
                        drawing->plot->kinds.names[run->kind], (unsigned long long)run->count,
                        run->count == 1 ? "" : "s", 100 * run->covered / (to - run->from));
    drawing->canvas->rectangle(drawing->canvas, drawing->left + run->from, y + DRAW_BAR - height,
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
    const double x = drawing->left + span->x;
    char time[WORDS_TIME_ROOM], start[WORDS_TIME_ROOM];
    words_time(span->end - span->start, time);
    words_time(span->start, start);
    drawing->title.size = 0;
    words_span_whole(&drawing->title, drawing->plot, span);
    bytes_append_format(&drawing->title, ": %s, at %s", time, start);
    drawing->canvas->rectangle(drawing->canvas, x, y, span->width - 0.5, DRAW_BAR, colour,
                               bytes_view(&drawing->title));
    const double room = span->width - 6;
    const size_t letters = room > 0 ? (size_t)(room / CANVAS_LETTER) : 0;
    drawing->text.size = 0;
    words_span(&drawing->text, drawing->plot, span, letters);
    // Four letters and two dots say something, fewer do not.
    if (letters >= 6 ||
        view_equal(bytes_view(&drawing->text), profile_text(drawing->plot->profile, span->name)))
        draw_write(drawing, x + 3, y + 9.5, room, picture_ink(colour), bytes_view(&drawing->text));
}

// On a lane with spans they stand at its upper edge, so that names can be read.
static void draw_instants(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    const double height = lane->row_count > 0 ? 5 : DRAW_BAR + 2;
    for (uint32_t i = 0; i < drawing->plot->options.columns; i++) {
        if (lane->instants[i] == 0)
            continue;
        drawing->title.size = 0;
        bytes_append_format(&drawing->title, "%u instant%s", (unsigned)lane->instants[i],
                            lane->instants[i] == 1 ? "" : "s");
        drawing->canvas->rectangle(drawing->canvas, drawing->left + i, y - 2, 1, height, INSTANT,
                                   bytes_view(&drawing->title));
        draw_rectangle(drawing, drawing->left + i - 1, y - 2, 3, 2, INSTANT);
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
        if (lane->is_memory)
            words_bytes(level.most, number);
        else
            words_number(level.most, number);
        drawing->canvas->rectangle(drawing->canvas, drawing->left + from, edge < zero ? edge : zero,
                                   to - from, edge < zero ? zero - edge : edge - zero, LEVEL,
                                   view_of(number));
        draw_rectangle(drawing, drawing->left + from, edge - 0.5, to - from, 1, LEVEL_EDGE);
    }
}

static void draw_counter(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    if (lane->levels != NULL)
        draw_levels(drawing, lane, y);
    drawing->text.size = 0;
    words_most(&drawing->text, drawing->plot, lane);
    draw_write(drawing, DRAW_MARGIN + indent_of(lane), y + 24, drawing->left - 2 * DRAW_MARGIN,
               DRAW_SOFT_INK, bytes_view(&drawing->text));
}

static void draw_spans(struct drawing *drawing, const struct plot_lane *lane, double y)
{
    for (unsigned i = 0; i < lane->row_count; i++) {
        const struct plot_row *row = &lane->rows[i];
        if (row->cells != NULL)
            draw_merged(drawing, lane, row, y + i * DRAW_ROW);
        for (size_t k = 0; k < row->count; k++)
            draw_span(drawing, &row->spans[k], y + i * DRAW_ROW);
    }
    if (lane->instants != NULL)
        draw_instants(drawing, lane, y);
    if (lane->spans == 0)
        return;
    char percent[WORDS_TIME_ROOM];
    const uint64_t lanes = plot_lane_is_rest(lane) ? lane->merged_lanes : 1;
    words_percent(drawing->plot, lane->busy, lanes, percent);
    const double width = (double)strlen(percent) * CANVAS_LETTER;
    draw_write(drawing, drawing->width - DRAW_MARGIN - width, y + 9.5, width + 1, DRAW_SOFT_INK,
               view_of(percent));
}

static void draw_lane(struct drawing *drawing, const struct plot_lane *lane)
{
    const double y = drawing->y + DRAW_LANE_GAP / 2;
    if (lane->heading) {
        draw_label(drawing, lane, drawing->y + 15);
        draw_rectangle(drawing, DRAW_MARGIN, drawing->y + HEADING - 3,
                       drawing->width - 2 * DRAW_MARGIN, 1, DRAW_RULE);
    } else {
        draw_label(drawing, lane, y + 9.5);
        if (is_counter(lane))
            draw_counter(drawing, lane, y);
        else
            draw_spans(drawing, lane, y);
    }
}

void draw_lanes(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->plot->lane_count; i++) {
        const struct plot_lane *lane = &drawing->plot->lanes[i];
        drawing->tops[i] = drawing->y + DRAW_LANE_GAP / 2;
        if (!lane->hidden)
            draw_lane(drawing, lane);
        drawing->y += lane_height(lane);
    }
}

static double edge_of(const struct drawing *drawing, const struct plot_end *end, bool lower)
{
    return drawing->tops[end->lane] + end->row * DRAW_ROW + (lower ? DRAW_BAR : 0);
}

void draw_arrows(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->plot->arrow_count; i++) {
        const struct plot_arrow *arrow = &drawing->plot->arrows[i];
        const bool down =
            edge_of(drawing, &arrow->to, false) > edge_of(drawing, &arrow->from, false);
        drawing->canvas->arrow(drawing->canvas, drawing->left + arrow->from.x,
                               edge_of(drawing, &arrow->from, down), drawing->left + arrow->to.x,
                               edge_of(drawing, &arrow->to, !down), ARROW);
    }
}
