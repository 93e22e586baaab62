// The parser of Chrome traces: hands events to a visitor as it goes.

#ifndef OPSCOPE_FORMATS_CHROME_PARSER_H
#define OPSCOPE_FORMATS_CHROME_PARSER_H

#include "base/arena.h"
#include "base/input.h"
#include "events.h"
#include "joints.h"
#include "text_cache.h"

struct chrome_parser {
    const char *start;
    const char *end; // of what is there
    struct chrome_event
        *event;          // where the next event goes, zero at first; a visitor may move it on
    struct arena *texts; // those that hold escapes
    struct chrome_member *members; // where those of the next event go
    size_t member_room;
    struct chrome_joints *joints;   // that were seen; refreshed by the owner
    struct chrome_seen_texts *seen; // names and categories; so, too; NULL: none is kept
    uint64_t wasted;                // bytes that were read for events that were none
    const char *line_end;           // of the line of the last damage
    const struct input *growing;    // an input of which more will be there; NULL: all is
    // Takes the place of chrome_parser_items, and has all of a growing input there when it returns;
    // NULL: nothing does.
    const char *(*items)(struct chrome_parser *parser, const char *at,
                         struct chrome_visitor *visitor);
};

// A trace of either form.
void chrome_parser_run(struct chrome_parser *parser, struct chrome_visitor *visitor);

// The items of an array of events, from `at` on. Returns where the array ends, after the bracket
// where it has one.
const char *chrome_parser_items(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor);

// Of a growing input: waits until so many bytes from the start are there, if there are as many.
void chrome_parser_reach(struct chrome_parser *parser, uint64_t size);

// The parts of this. After blanks and commas: where an item, the bracket or the end is.
const char *chrome_parser_next_item(const struct chrome_parser *parser, const char *at);

// An event where one is, complete, and `*at` after it. Else false: nothing is said of what it is.
bool chrome_parser_event(struct chrome_parser *parser, const char **at);

// At an item: `*at` is what follows it afterwards. What it is depends on nothing before it while
// nothing was `wasted`.
void chrome_parser_item(struct chrome_parser *parser, const char **at,
                        struct chrome_visitor *visitor);

// How far inside its line `at` is, where only blanks and commas stand before it; else SIZE_MAX.
size_t chrome_parser_column(const struct chrome_parser *parser, const char *at);

// Where a line after `at` starts with an object, at most `column` bytes inside of it; `end` when
// none does.
const char *chrome_parser_next_line(const char *at, const char *end, size_t column);

#endif
