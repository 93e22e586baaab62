#include "tt_perf_cells.h"

#include <stdio.h>

static const char *const ESCAPES[] = {
    [COLOUR_NONE] = "",
    [COLOUR_GREY] = "\033[38;5;8m",
    [COLOUR_RED] = "\033[38;5;9m",
    [COLOUR_GREEN] = "\033[38;5;10m",
    [COLOUR_YELLOW] = "\033[38;5;11m",
    [COLOUR_BLUE] = "\033[38;5;12m",
    [COLOUR_MAGENTA] = "\033[38;5;13m",
    [COLOUR_ORANGE] = "\033[38;5;208m",
    [COLOUR_CYAN] = "\033[38;5;14m",
    [COLOUR_WHITE] = "\033[38;5;15m",
};

static size_t characters(struct view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

// Puts commas between groups of three digits in front of the point.
static size_t group_digits(const char *plain, char *grouped, size_t room)
{
    const size_t sign = plain[0] == '-';
    const size_t whole = strcspn(plain + sign, ".");
    size_t size = 0;
    for (size_t i = 0; plain[i] != '\0' && size + 2 < room; i++) {
        const bool inside = i > sign && i < sign + whole;
        if (inside && (sign + whole - i) % 3 == 0)
            grouped[size++] = ',';
        grouped[size++] = plain[i];
    }
    grouped[size] = '\0';
    return size;
}

void cell_set_number(struct cell *cell, struct perf_value number, int decimals, const char *unit)
{
    char plain[CELLS_TEXT_ROOM];
    cell->text = (struct view){"", 0};
    cell->unit = NULL;
    if (!number.known)
        return;
    const int size = snprintf(plain, sizeof plain, "%.*f", decimals, number.value);
    if (size < 0 || (size_t)size >= sizeof plain)
        snprintf(plain, sizeof plain, "%.3g", number.value);
    cell->text.size = group_digits(plain, cell->room, sizeof cell->room);
    cell->text.data = cell->room;
    cell->unit = unit;
}

void cell_set_text(struct cell *cell, struct view text)
{
    cell->text = text;
    cell->unit = NULL;
}

size_t cell_width(const struct cell *cell)
{
    return characters(cell->text) + (cell->unit != NULL ? 1 + characters(view_of(cell->unit)) : 0);
}

void text_append_coloured(struct bytes *line, struct view text, enum colour colour, bool colours)
{
    const bool coloured = colours && colour != COLOUR_NONE && text.size > 0;
    if (coloured)
        bytes_append(line, ESCAPES[colour], strlen(ESCAPES[colour]));
    bytes_append(line, text.data, text.size);
    if (coloured)
        bytes_append(line, "\033[0m", 4);
}

static void tt_perf_cells_append_blanks(struct bytes *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_append(line, " ", 1);
}

void cell_append(struct bytes *line, const struct cell *cell, size_t width, bool left, bool colours)
{
    const size_t own = cell_width(cell);
    const size_t padding = width > own ? width - own : 0;
    if (!left)
        tt_perf_cells_append_blanks(line, padding);
    text_append_coloured(line, cell->text, cell->colour, colours);
    if (cell->unit != NULL) {
        bytes_append(line, " ", 1);
        text_append_coloured(line, view_of(cell->unit), cell->colour, colours);
    }
    if (left)
        tt_perf_cells_append_blanks(line, padding);
}

void line_print(struct bytes *line)
{
    while (line->size > 0 && line->data[line->size - 1] == ' ')
        line->size--;
    fwrite(line->data, 1, line->size, stdout);
    putchar('\n');
    line->size = 0;
}
