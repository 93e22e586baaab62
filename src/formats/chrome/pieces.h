// The items of a large array of events, parsed in pieces on all threads (base/parts.h).
//
// Where a piece starts is guessed; it is known to be right when the one before it ends there. What
// does not, and what follows anything that is no event, is cut anew. Once bytes were wasted on what
// was no event (parser.h), how events are told apart depends on all that came before: from there on
// the array is parsed on one thread, and so is one in which guesses are wrong too often.
//
// Memory: PARTS_OF_THREAD pieces for each thread, about 500 KiB each.

#ifndef OPSCOPE_FORMATS_CHROME_PIECES_H
#define OPSCOPE_FORMATS_CHROME_PIECES_H

#include "parser.h"

// Like chrome_parser_items; the visitor is called on the caller's thread, in order.
const char *chrome_pieces_items(struct chrome_parser *parser, const char *at,
                                struct chrome_visitor *visitor);

#endif
