// What a user may have meant by a word that is not known: names that differ from it by a slip of
// the fingers, or begin with it.

#ifndef OPSCOPE_CLI_SUGGEST_H
#define OPSCOPE_CLI_SUGGEST_H

#include <stddef.h>

#include "base/view.h"

enum { SUGGEST_MOST = 2, SUGGEST_ROOM = 160 };

struct suggest {
    struct view word;
    const char *names[SUGGEST_MOST]; // the nearest, in the order in which they came
    size_t count;
    size_t distance; // of all of them
};

struct suggest suggest_for(struct view word);

// Takes a name in when it is near, and nearer than or as near as those before.
void suggest_consider(struct suggest *suggest, const char *name);

// What goes between a message and its next sentence, written to `text`: "; did you mean 'a' or
// 'b'?" with `dashes` in front of each, or ";" alone.
const char *suggest_text(const struct suggest *suggest, const char *dashes,
                         char text[SUGGEST_ROOM]);

#endif
