// The parser of Chrome traces: hands events to a visitor as it goes.

#ifndef OPSCOPE_FORMATS_CHROME_PARSER_H
#define OPSCOPE_FORMATS_CHROME_PARSER_H

#include "base/arena.h"
#include "events.h"

struct chrome_parser {
    const char *start;
    const char *end;
    struct chrome_event
        *event;          // where the next event goes, zero at first; a visitor may move it on
    struct arena *texts; // those that hold escapes
    struct chrome_member *members; // where those of the next event go
    size_t member_room;
    uint64_t wasted; // bytes that were read for events that were none
};

// A trace of either form.
void chrome_parser_run(struct chrome_parser *parser, struct chrome_visitor *visitor);

// The items of an array of events, from `at` on. Returns where the array ends, after the bracket
// where it has one.
const char *chrome_parser_items(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor);

#endif
