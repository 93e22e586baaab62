#include "device_pieces.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"
#include "device_names.h"

// Of a piece's own lanes and zones so many are kept for the next one.
enum { PIECE_BYTES = 256 << 10, PIECE_NAMES_MOST = 4096 };

struct piece_row {
    struct device_log_row row;
    uint32_t line;    // in the piece
    uint32_t problem; // of a bad one: where its text starts
    bool bad;
    bool twice; // it is equal to one shortly before it in its piece
    bool terminated;
};

// `numbers` of the whole, by those of the piece: number + 1, 0: not known yet.
struct piece_numbers {
    uint32_t *of;
    size_t count;
};

struct piece {
    struct piece *next_free;
    struct device_log log;
    uint64_t header; // which one it reads by
    struct piece_row *rows;
    size_t count, capacity;
    struct bytes problems; // texts that end with 0
    struct piece_numbers lanes, zones;
    struct device_doubles doubles;
    size_t row_count; // of those that are not bad
    size_t given, rows_given;
};

struct device_pieces {
    struct parts *parts;
    struct piece *free_pieces;
    struct piece *piece; // whose rows are being given
    uint64_t lines;      // before it
    uint64_t header;     // counts them
    bool at_header;
};

// A piece ----------------------------------------------------------------------

// What was read into the row after the last one.
static void piece_add(struct piece *piece, enum device_log_result result)
{
    struct piece_row *row = &piece->rows[piece->count++];
    row->line = (uint32_t)piece->log.line.number;
    row->problem = (uint32_t)piece->problems.size;
    row->bad = result == DEVICE_LOG_BAD;
    row->terminated = piece->log.line.terminated;
    row->twice = !row->bad && device_doubles_take(&piece->doubles, &row->row);
    piece->row_count += !row->bad;
    if (row->bad)
        bytes_append(&piece->problems, piece->log.problem, strlen(piece->log.problem) + 1);
}

static void piece_read(void *part)
{
    struct piece *piece = part;
    for (;;) {
        piece->rows = memory_grow(piece->rows, piece->count, &piece->capacity, sizeof *piece->rows);
        const enum device_log_result result =
            device_log_read_line(&piece->log, &piece->rows[piece->count].row);
        if (result == DEVICE_LOG_END)
            return;
        piece_add(piece, result);
    }
}

static void piece_forget_names(struct piece *piece)
{
    device_log_free(&piece->log);
    free(piece->lanes.of);
    free(piece->zones.of);
    piece->lanes = piece->zones = (struct piece_numbers){0};
    piece->header = 0;
}

static void piece_take_header(struct piece *piece, const struct device_log *log)
{
    if (piece->header != 0)
        piece_forget_names(piece);
    device_log_start_piece(log, &piece->log);
    piece->header = log->pieces->header;
}

static struct piece *piece_next(struct device_log *log)
{
    struct device_pieces *pieces = log->pieces;
    // While there is other work, nobody waits for what is not unpacked yet.
    if (parts_busy(pieces->parts) && !csv_lines_are_there(&log->lines, log->input, PIECE_BYTES))
        return NULL;
    if (!csv_lines_follow(&log->lines, log->input))
        return NULL;
    struct piece *piece = pieces->free_pieces;
    if (piece != NULL)
        pieces->free_pieces = piece->next_free;
    else
        piece = memory_allocate_zeroed(1, sizeof *piece);
    if (piece->header != pieces->header ||
        piece->log.lanes.count + piece->log.zones.count > PIECE_NAMES_MOST)
        piece_take_header(piece, log);
    piece->log.lines = csv_lines_cut_input(&log->lines, log->input, PIECE_BYTES);
    piece->count = piece->given = piece->problems.size = 0;
    piece->row_count = piece->rows_given = 0;
    device_doubles_pass(&piece->doubles, DEVICE_ROWS_KEPT);
    return piece;
}

static void piece_free(struct piece *piece)
{
    if (piece->header != 0)
        piece_forget_names(piece);
    bytes_free(&piece->problems);
    free(piece->rows);
    free(piece);
}

// All of them --------------------------------------------------------------------

static void device_pieces_put_back(struct device_pieces *pieces, struct piece *piece)
{
    piece->next_free = pieces->free_pieces;
    pieces->free_pieces = piece;
}

// What was cut after a header is cut anew.
static void device_pieces_stop(struct device_log *log, const char *at)
{
    struct device_pieces *pieces = log->pieces;
    for (struct piece *piece; (piece = parts_take(pieces->parts)) != NULL;)
        device_pieces_put_back(pieces, piece);
    log->lines.at = at;
    pieces->at_header = true;
}

static void device_pieces_finish(struct device_log *log)
{
    struct device_pieces *pieces = log->pieces;
    struct piece *piece = pieces->piece;
    log->lines.number = pieces->lines + piece->log.lines.number;
    if (piece->log.lines.at < piece->log.lines.end)
        device_pieces_stop(log, piece->log.lines.at);
    device_pieces_put_back(pieces, piece);
    pieces->piece = NULL;
}

static bool device_pieces_take(struct device_log *log)
{
    struct device_pieces *pieces = log->pieces;
    struct piece *piece;
    while (!pieces->at_header && parts_room(pieces->parts) && (piece = piece_next(log)) != NULL)
        parts_put(pieces->parts, piece);
    pieces->piece = parts_take(pieces->parts);
    pieces->lines = log->lines.number;
    return pieces->piece != NULL;
}

// The lines themselves, up to the first row or problem: how many they are, nobody knows.
static enum device_log_result device_pieces_read_header(struct device_log *log,
                                                        struct device_log_row *out_row)
{
    input_reach(log->input, UINT64_MAX);
    log->lines.end = log->input->bytes.data + log->input->bytes.size;
    const enum device_log_result result = device_log_read_line(log, out_row);
    log->pieces->at_header = result == DEVICE_LOG_SESSION;
    log->pieces->header++;
    if (result == DEVICE_LOG_SESSION)
        device_doubles_pass(&log->doubles, DEVICE_ROWS_KEPT);
    if (result == DEVICE_LOG_ROW && device_doubles_take(&log->doubles, out_row))
        return DEVICE_LOG_DOUBLE;
    return result;
}

// Rows in order --------------------------------------------------------------------

static bool device_pieces_lane(struct device_log *log, struct piece *piece, uint32_t *lane)
{
    struct piece_numbers *numbers = &piece->lanes;
    if (*lane >= numbers->count || numbers->of[*lane] == 0) {
        struct view text = device_log_lane(&piece->log, *lane)->text;
        uint32_t found;
        if (!device_lane_take(log, &text, &found))
            return false;
        numbers->of = memory_extend(numbers->of, &numbers->count, *lane, sizeof *numbers->of);
        numbers->of[*lane] = found + 1;
    }
    *lane = numbers->of[*lane] - 1;
    return true;
}

static bool device_pieces_zone(struct device_log *log, struct piece *piece, uint32_t *zone)
{
    struct piece_numbers *numbers = &piece->zones;
    if (*zone >= numbers->count || numbers->of[*zone] == 0) {
        uint32_t found;
        if (!device_zone_keep(log, device_log_zone(&piece->log, *zone), &found))
            return false;
        numbers->of = memory_extend(numbers->of, &numbers->count, *zone, sizeof *numbers->of);
        numbers->of[*zone] = found + 1;
    }
    *zone = numbers->of[*zone] - 1;
    return true;
}

// The piece has compared its rows with one another: those near its ends are compared here with
// those of its neighbours.
static bool device_pieces_twice(struct device_log *log, struct piece *piece, bool twice,
                                const struct device_log_row *row)
{
    const size_t number = piece->rows_given++;
    if (number >= DEVICE_ROWS_KEPT && number + DEVICE_ROWS_KEPT < piece->row_count) {
        device_doubles_pass(&log->doubles, 1);
        return twice;
    }
    return device_doubles_take(&log->doubles, row) || twice;
}

static enum device_log_result device_pieces_give(struct device_log *log,
                                                 struct device_log_row *out_row)
{
    struct device_pieces *pieces = log->pieces;
    struct piece *piece = pieces->piece;
    const struct piece_row *row = &piece->rows[piece->given++];
    *out_row = row->row;
    log->line.number = pieces->lines + row->line;
    log->line.terminated = row->terminated;
    if (row->row.lane != DEVICE_LANE_NONE && !device_pieces_lane(log, piece, &out_row->lane))
        return DEVICE_LOG_BAD;
    if (row->bad) {
        snprintf(log->problem, sizeof log->problem, "%s",
                 (const char *)piece->problems.data + row->problem);
        return DEVICE_LOG_BAD;
    }
    if (!device_pieces_zone(log, piece, &out_row->zone))
        return DEVICE_LOG_BAD;
    return device_pieces_twice(log, piece, row->twice, out_row) ? DEVICE_LOG_DOUBLE
                                                                : DEVICE_LOG_ROW;
}

static void device_pieces_start(struct device_log *log)
{
    log->pieces = memory_allocate_zeroed(1, sizeof *log->pieces);
    log->pieces->parts = parts_open(piece_read);
    log->pieces->header = 1;
}

enum device_log_result device_log_next(struct device_log *log, struct device_log_row *out_row)
{
    if (log->pieces == NULL)
        device_pieces_start(log);
    for (;;) {
        const struct piece *piece = log->pieces->piece;
        if (piece == NULL && !device_pieces_take(log)) {
            if (!log->pieces->at_header)
                return DEVICE_LOG_END;
            return device_pieces_read_header(log, out_row);
        }
        piece = log->pieces->piece;
        if (piece->given < piece->count)
            return device_pieces_give(log, out_row);
        device_pieces_finish(log);
    }
}

void device_pieces_free(struct device_pieces *pieces)
{
    struct piece *piece;
    if (pieces == NULL)
        return;
    while ((piece = parts_take(pieces->parts)) != NULL)
        piece_free(piece);
    parts_close(pieces->parts);
    if (pieces->piece != NULL)
        piece_free(pieces->piece);
    while ((piece = pieces->free_pieces) != NULL) {
        pieces->free_pieces = piece->next_free;
        piece_free(piece);
    }
    free(pieces);
}
