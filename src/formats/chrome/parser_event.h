// The parser of one event of a Chrome trace.

#ifndef OPSCOPE_FORMATS_CHROME_PARSER_EVENT_H
#define OPSCOPE_FORMATS_CHROME_PARSER_EVENT_H

#include "parser.h"

// CUT: the end of the input came first. ENDED: there is none, as what it would be in ends.
enum result { DONE, CUT, MALFORMED, ENDED };

// At a '{'. Leaves `*at` after the '}', or where reading stopped.
enum result chrome_parser_take_event(struct chrome_parser *parser, const char **at,
                                     struct chrome_event *event);

// A value as it is written.
enum result chrome_take_raw(struct chrome_parser *parser, const char **at, struct view *out_value);

// A text without its escapes, which lies with the parser's texts.
struct view chrome_parser_decode(struct chrome_parser *parser, struct view text);

#endif
