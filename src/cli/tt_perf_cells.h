// Cells of text tables with units and colours.

#ifndef OPSCOPE_CLI_TT_PERF_CELLS_H
#define OPSCOPE_CLI_TT_PERF_CELLS_H

#include "base/bytes.h"
#include "reports/tenstorrent/perf.h"

enum colour {
    COLOUR_NONE,
    COLOUR_GREY,
    COLOUR_RED,
    COLOUR_GREEN,
    COLOUR_YELLOW,
    COLOUR_BLUE,
    COLOUR_MAGENTA,
    COLOUR_ORANGE,
    COLOUR_CYAN,
    COLOUR_WHITE,
};

enum { CELLS_TEXT_ROOM = 64 };

// `text` is the cell's own `room` unless it is as long as an operation's label.
struct cell {
    struct view text; // "" for an absent value
    const char *unit; // NULL: none
    enum colour colour;
    char room[CELLS_TEXT_ROOM];
};

// 1234567.8 with 1 decimal as 1,234,567.8; "" when it is not known.
void cell_set_number(struct cell *cell, struct perf_value number, int decimals, const char *unit);
void cell_set_text(struct cell *cell, struct view text);

// In characters, with the unit.
size_t cell_width(const struct cell *cell);

// Pads to `width`; colours only where `colours` is set.
void cell_append(struct bytes *line, const struct cell *cell, size_t width, bool left,
                 bool colours);

void text_append_coloured(struct bytes *line, struct view text, enum colour colour, bool colours);

// Prints the line without blanks at its end, and empties it.
void line_print(struct bytes *line);

#endif
