// A plot as lines of letters: how full a column is, in eighths, and the names of spans that
// are wide enough.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "drawers.h"
#include "words.h"

enum { NAME_LEAST = 6, LABEL_MOST = 24, PERCENT = 8, BAR = 20, CHARACTER = 4 };

struct letters {
    char (*cells)[CHARACTER + 1];
    unsigned char *kinds; // 1 + the kind, 0: none
    uint32_t count;
};

struct picture_layout picture_layout_text(const struct profile *profile, uint32_t width)
{
    struct picture_layout layout = {.label =
                                        words_label_length(profile, width < 80 ? 12 : LABEL_MOST)};
    layout.columns = width - (uint32_t)layout.label - PERCENT - 2;
    return layout;
}

static const char *eighths(double cover)
{
    static const char *const BLOCKS[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const int at = (int)(cover * 8 + 0.5) - 1;
    return BLOCKS[at < 0 ? 0 : at > 7 ? 7 : at];
}

static void set(struct letters *line, uint32_t column, const char *text, unsigned kind)
{
    if (column >= line->count)
        return;
    snprintf(line->cells[column], CHARACTER + 1, "%s", text);
    line->kinds[column] = (unsigned char)(1 + kind);
}

static void append_line(struct bytes *text, const struct letters *line, bool coloured)
{
    unsigned kind = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        if (coloured && line->kinds[i] != kind) {
            kind = line->kinds[i];
            if (kind > 0)
                bytes_append_format(text, "\x1b[38;5;%um", picture_kind_terminal_colour(kind - 1));
            else
                bytes_append_format(text, "\x1b[0m");
        }
        bytes_append_format(text, "%s", line->cells[i][0] != '\0' ? line->cells[i] : " ");
    }
    if (kind > 0)
        bytes_append_format(text, "\x1b[0m");
}

static void draw_text_clear(struct letters *line)
{
    memset(line->cells, 0, (size_t)line->count * sizeof *line->cells);
    memset(line->kinds, 0, line->count);
}

// "██ conv2d ████": the name where there is room for it.
static void put_span(const struct plot *plot, struct letters *line, const struct plot_span *span)
{
    const uint32_t from = (uint32_t)(span->x + 0.5);
    const uint32_t to = (uint32_t)(span->x + span->width + 0.5);
    for (uint32_t i = from; i < to; i++)
        set(line, i, "█", span->kind);
    struct bytes name = {0};
    const size_t room = to - from > 4 ? to - from - 4 : 0;
    const bool name_fits = letters_count(profile_text(plot->profile, span->name)) <= room;
    words_span(&name, plot, span, room);
    const struct view text = bytes_view(&name);
    uint32_t at = from + 2;
    if (letters_count(text) >= NAME_LEAST || (name_fits && text.size > 0)) {
        set(line, from + 1, " ", span->kind);
        for (size_t i = 0; i < text.size;) {
            char letter[CHARACTER + 1] = "";
            const size_t size = view_character_size(text, i);
            memcpy(letter, text.data + i, size);
            set(line, at++, letter, span->kind);
            i += size;
        }
        set(line, at, " ", span->kind);
    }
    bytes_free(&name);
}

static void put_row(const struct plot *plot, const struct plot_lane *lane,
                    const struct plot_row *row, struct letters *line)
{
    for (size_t i = 0; i < row->count; i++)
        put_span(plot, line, &row->spans[i]);
    for (uint32_t i = 0; row->cells != NULL && i < line->count; i++) {
        const struct plot_cell *cell = &row->cells[i];
        // A column that a wide span fills to its edge has no room for what begins there.
        if (cell->count + cell->covered > 0 && line->cells[i][0] == '\0')
            set(line, i, eighths(plot_cell_cover(plot, lane, row, i)), cell->kind);
    }
}

static void put_levels(const struct plot_lane *lane, struct letters *line)
{
    const double range = lane->most - lane->least;
    for (uint32_t i = 0; lane->levels != NULL && i < line->count; i++) {
        const double level = lane->levels[i].most - lane->least;
        if (lane->levels[i].known && range > 0 && level > 0)
            set(line, i, eighths(level / range), PICTURE_WAIT);
    }
}

static void append_label(struct bytes *text, struct view name, unsigned indent, size_t room)
{
    const unsigned blanks = indent * 2 < room / 2 ? indent * 2 : (unsigned)room / 2;
    const size_t letters = room - blanks;
    bytes_append_format(text, "%*s", (int)blanks, "");
    letters_append(text, name, letters, LETTERS_CUT_MIDDLE);
    const size_t length = letters_count(name);
    bytes_append_format(text, "%*s", length < letters ? (int)(letters - length) : 0, "");
}

static void append_end(struct bytes *text, const struct plot *plot, const struct plot_lane *lane)
{
    if (lane->sample_count > 0 && lane->spans == 0) {
        bytes_append_format(text, " ");
        words_most(text, plot, lane);
    } else if (lane->spans > 0) {
        char percent[WORDS_TIME_ROOM];
        words_percent(plot, lane->busy, plot_lane_is_rest(lane) ? lane->merged_lanes : 1, percent);
        bytes_append_format(text, " %7s", percent);
    }
    while (text->size > 0 && text->data[text->size - 1] == ' ')
        text->size--;
    bytes_append_format(text, "\n");
}

static void append_lane(struct bytes *text, const struct plot *plot, const struct plot_lane *lane,
                        const struct picture_options *options, size_t label, struct letters *line)
{
    struct bytes room = {0};
    const struct view name = words_lane(plot, lane, &room);
    if (lane->heading) {
        append_label(text, name, lane->indent, options->width);
        append_end(text, plot, lane);
    }
    const unsigned rows = lane->heading ? 0 : lane->row_count > 0 ? lane->row_count : 1;
    for (unsigned i = 0; i < rows; i++) {
        draw_text_clear(line);
        if (lane->sample_count > 0 && lane->spans == 0)
            put_levels(lane, line);
        else if (lane->rows != NULL)
            put_row(plot, lane, &lane->rows[i], line);
        for (uint32_t k = 0; i == 0 && lane->instants != NULL && k < line->count; k++) {
            if (lane->instants[k] > 0)
                set(line, k, "♦", lane->kind);
        }
        append_label(text, i == 0 ? name : VIEW_LITERAL(""), lane->indent, label);
        bytes_append_format(text, " ");
        append_line(text, line, options->coloured);
        append_end(text, plot, i == 0 ? lane : &(struct plot_lane){0});
    }
    bytes_free(&room);
}

static void append_axis(struct bytes *text, const struct plot *plot, size_t label)
{
    const struct words_axis axis = words_axis(plot, plot->options.columns);
    const double scale = plot->options.columns / (double)(plot->to - plot->from);
    bytes_append_format(text, "%*s", (int)label + 1, "");
    size_t column = 0;
    for (uint64_t ns = axis.first; ns <= plot->to && ns >= axis.first; ns += axis.step) {
        char mark[WORDS_TIME_ROOM];
        words_mark(&axis, ns, mark);
        const size_t at = (size_t)((double)(ns - plot->from) * scale);
        if (at < column || at + strlen(mark) + 1 > plot->options.columns + PERCENT)
            continue;
        bytes_append_format(text, "%*s|%s", (int)(at - column), "", mark);
        column = at + 1 + strlen(mark);
    }
    bytes_append_format(text, "\n");
}

static void append_totals(struct bytes *text, const struct plot *plot, bool coloured)
{
    int widest = 0;
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++) {
        const int length = (int)strlen(plot->kinds.names[kind]);
        widest = plot->totals[kind].spans > 0 && length > widest ? length : widest;
    }
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++) {
        const struct plot_total *total = &plot->totals[kind];
        if (total->spans == 0)
            continue;
        const double share = plot_percent(plot, total->busy, total->lanes) / 100 * BAR;
        bytes_append_format(text, "%-*s ", widest, plot->kinds.names[kind]);
        if (coloured)
            bytes_append_format(text, "\x1b[38;5;%um", picture_kind_terminal_colour(kind));
        for (int i = 0; i < BAR; i++)
            bytes_append_format(text, "%s",
                                i + 0.5 <= share      ? "█"
                                : i < share || i == 0 ? "▌"
                                                      : " ");
        bytes_append_format(text, coloured ? "\x1b[0m " : " ");
        words_total(text, plot, kind);
        bytes_append_format(text, "\n");
    }
}

void picture_draw_text(const struct plot *plot, const struct picture_options *options,
                       const struct picture_layout *layout, struct bytes *text)
{
    struct bytes title = {0};
    if (options->title != NULL)
        bytes_append_format(&title, "%s", options->title);
    else
        words_title(&title, plot->profile, options->source);
    letters_append(text, bytes_view(&title), options->width - 24, LETTERS_CUT_MIDDLE);
    bytes_append_format(text, ", %s\n", words_provenance(plot));
    words_subtitle(text, plot);
    bytes_append_format(text, "\n\n");
    append_totals(text, plot, options->coloured);
    bytes_append_format(text, "\n");
    append_axis(text, plot, layout->label);
    struct letters line = {.count = plot->options.columns};
    line.cells = memory_allocate_zeroed(line.count, sizeof *line.cells);
    line.kinds = memory_allocate_zeroed(line.count, 1);
    for (size_t i = 0; i < plot->lane_count; i++) {
        if (!plot->lanes[i].hidden)
            append_lane(text, plot, &plot->lanes[i], options, layout->label, &line);
    }
    for (unsigned i = 0; words_note(&title, plot, i); i++)
        bytes_append_format(text, "%s%.*s\n", i == 0 ? "\n" : "",
                            VIEW_ARGUMENTS(bytes_view(&title)));
    bytes_free(&title);
    free(line.cells);
    free(line.kinds);
}
