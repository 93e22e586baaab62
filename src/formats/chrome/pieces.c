#include "pieces.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parts.h"
#include "scan.h"

enum {
    PIECE_BYTES = 64 << 10,
    PIECE_MEMBERS = 4096,
    PIECE_AHEAD = 4 * PIECE_BYTES, // what is there of a growing input when a piece is cut
    LINE_MOST = 16 << 10,          // before no lines are looked for
    MISSES_FREE = 16,              // wrong guesses that do not count
};

struct piece {
    struct piece *next_free;
    struct chrome_parser parser;
    const char *from;
    const char *to; // an item at or after it is of the next piece
    const char *at; // the first item that is not of this one, or no event
    struct chrome_event *events;
    size_t count, capacity;
    struct arena texts;
    struct chrome_joints joints; // kept from piece to piece, as are
    struct chrome_seen_texts seen;
    struct chrome_member members[PIECE_MEMBERS];
};

struct pieces {
    struct parts *parts;
    struct chrome_parser *parser;
    struct piece *free_pieces;
    const char *next; // where the next piece starts
    size_t column;    // of the first item in its line; SIZE_MAX: in no line of its own
    size_t taken;
    size_t misses;
};

// A piece --------------------------------------------------------------------------

// Where the next event goes: all zero at first.
static struct chrome_event *piece_room(struct piece *piece)
{
    if (piece->count == piece->capacity) {
        const size_t before = piece->capacity;
        piece->events =
            memory_grow(piece->events, piece->count, &piece->capacity, sizeof *piece->events);
        memset(piece->events + before, 0, (piece->capacity - before) * sizeof *piece->events);
    }
    return &piece->events[piece->count];
}

static void piece_parse(void *part)
{
    struct piece *piece = part;
    struct chrome_parser *parser = &piece->parser;
    const char *at = piece->from;
    parser->members = piece->members;
    parser->member_room = PIECE_MEMBERS;
    parser->joints = &piece->joints;
    parser->seen = &piece->seen;
    chrome_joints_refresh(&piece->joints);
    chrome_seen_texts_refresh(&piece->seen);
    for (;;) {
        piece->at = at = chrome_parser_next_item(parser, at);
        parser->event = piece_room(piece);
        if (at >= piece->to || !chrome_parser_event(parser, &at))
            return;
        parser->members += parser->event->member_count;
        parser->member_room -= parser->event->member_count;
        piece->count++;
    }
}

static void piece_clear(struct piece *piece)
{
    piece->count = 0;
    if (piece->texts.chunks != NULL) {
        arena_free(&piece->texts);
        piece->texts = (struct arena){0};
    }
}

static void piece_free(struct piece *piece)
{
    arena_free(&piece->texts);
    free(piece->events);
    free(piece);
}

// Cutting --------------------------------------------------------------------------

// Where, in an array that is one line, an object follows another one after a comma.
static const char *guess_in_line(const char *at, const char *end)
{
    while (at < end && (at = memchr(at, '}', (size_t)(end - at))) != NULL) {
        const char *comma = scan_blanks(++at, end);
        if (comma == end || *comma != ',')
            continue;
        const char *open = scan_blanks(comma + 1, end);
        if (open < end && *open == '{')
            return open;
    }
    return end;
}

// `at` and PIECE_BYTES after it are there, LINE_MOST more unless the input ends before.
static const char *guess_start(const struct pieces *pieces, const char *at)
{
    const char *end = pieces->parser->end;
    if (end - at <= PIECE_BYTES)
        return end;
    at += PIECE_BYTES;
    const char *near = end - at > LINE_MOST ? at + LINE_MOST : end;
    if (pieces->column != SIZE_MAX) {
        const char *line = chrome_parser_next_line(at, near, pieces->column);
        if (line < near)
            return line;
    }
    return guess_in_line(at, end);
}

static uint64_t piece_offset(const struct pieces *pieces, const char *at)
{
    return (uint64_t)(at - pieces->parser->start);
}

// The same of an input that may still grow: nothing that comes later would change it.
static const char *piece_end(struct pieces *pieces)
{
    struct chrome_parser *parser = pieces->parser;
    for (uint64_t ahead = PIECE_AHEAD;; ahead *= 2) {
        chrome_parser_reach(parser, piece_offset(pieces, pieces->next) + ahead);
        const char *to = guess_start(pieces, pieces->next);
        if (parser->growing == NULL || parser->end - to > PIECE_BYTES)
            return to;
    }
}

// While there is other work, nobody waits for what is not unpacked yet.
static bool piece_would_wait(const struct pieces *pieces)
{
    const struct input *growing = pieces->parser->growing;
    return growing != NULL && parts_busy(pieces->parts) &&
           !input_is_there(growing, piece_offset(pieces, pieces->next) + PIECE_AHEAD);
}

static struct piece *piece_next(struct pieces *pieces)
{
    struct piece *piece = pieces->free_pieces;
    if (piece_would_wait(pieces))
        return NULL;
    chrome_parser_reach(pieces->parser, piece_offset(pieces, pieces->next) + 1);
    if (pieces->next == pieces->parser->end)
        return NULL;
    if (piece != NULL)
        pieces->free_pieces = piece->next_free;
    else
        piece = memory_allocate_zeroed(1, sizeof *piece);
    piece->from = pieces->next;
    piece->to = piece_end(pieces);
    const char *end = pieces->parser->end;
    // A start that is none must not be read to the end of the input.
    const char *most = end - piece->to > PIECE_BYTES ? piece->to + PIECE_BYTES : end;
    piece->parser =
        (struct chrome_parser){.start = pieces->parser->start, .end = most, .texts = &piece->texts};
    pieces->next = piece->to;
    return piece;
}

static void pieces_put_back(struct pieces *pieces, struct piece *piece)
{
    piece_clear(piece);
    piece->next_free = pieces->free_pieces;
    pieces->free_pieces = piece;
}

static void pieces_restart(struct pieces *pieces, const char *at)
{
    struct piece *piece;
    while ((piece = parts_take(pieces->parts)) != NULL)
        pieces_put_back(pieces, piece);
    pieces->next = at;
}

static struct piece *pieces_take(struct pieces *pieces)
{
    struct piece *piece;
    while (parts_room(pieces->parts) && (piece = piece_next(pieces)) != NULL)
        parts_put(pieces->parts, piece);
    return parts_take(pieces->parts);
}

// Taking ---------------------------------------------------------------------------

// Gives the events of a piece and returns the place after them.
static const char *pieces_give(struct pieces *pieces, struct piece *piece,
                               struct chrome_visitor *visitor)
{
    const char *at = piece->at;
    const bool whole = at == piece->to;
    for (size_t i = 0; i < piece->count; i++)
        visitor->event(visitor, &piece->events[i]);
    pieces->taken++;
    pieces->misses += at > piece->to;
    pieces_put_back(pieces, piece);
    if (!whole)
        pieces_restart(pieces, at);
    return at;
}

static bool pieces_are_useful(const struct pieces *pieces)
{
    return pieces->parser->wasted == 0 &&
           (pieces->misses < MISSES_FREE || pieces->misses < pieces->taken / 8);
}

static const char *pieces_run(struct pieces *pieces, const char *at, struct chrome_visitor *visitor)
{
    struct chrome_parser *parser = pieces->parser;
    struct piece *piece;
    while (pieces_are_useful(pieces) && (piece = pieces_take(pieces)) != NULL) {
        const bool ahead = piece->at >= piece->to;
        at = pieces_give(pieces, piece, visitor);
        if (ahead)
            continue;
        // A bracket, the end, what is no event, or one that is too long for a piece.
        chrome_parser_reach(parser, UINT64_MAX);
        if (at == parser->end || *at == ']')
            break;
        chrome_parser_item(parser, &at, visitor);
        pieces->next = at;
    }
    pieces_restart(pieces, at);
    chrome_parser_reach(parser, UINT64_MAX);
    return chrome_parser_items(parser, at, visitor);
}

const char *chrome_pieces_items(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor)
{
    const char *first = chrome_parser_next_item(parser, at);
    if (first == parser->end) {
        chrome_parser_reach(parser, UINT64_MAX);
        first = chrome_parser_next_item(parser, first);
    }
    struct pieces pieces = {.parts = parts_open(piece_parse),
                            .parser = parser,
                            .next = first,
                            .column = chrome_parser_column(parser, first)};
    const char *stop = pieces_run(&pieces, first, visitor);
    parts_close(pieces.parts);
    for (struct piece *piece; (piece = pieces.free_pieces) != NULL;) {
        pieces.free_pieces = piece->next_free;
        piece_free(piece);
    }
    return stop;
}
