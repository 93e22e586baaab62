// Command lines that users write as one text, with names in braces for what differs from one
// network to the next:
//
//     cc {model} -o {program} "--note=as {target}"
//
// Words are divided as a shell divides them (blanks, '..', "..", \), and nothing else is done that
// a shell does: no process but the command itself sees a word. A word that is one name with
// several values becomes as many words; {{ and }} are braces.

#ifndef OPSCOPE_SUITE_COMMAND_H
#define OPSCOPE_SUITE_COMMAND_H

#include "base/bytes.h"
#include "base/status.h"

struct command_value {
    const char *name;
    const char *const *texts;
    size_t count;
};

// Ends with a NULL, for exec.
struct command_words {
    char **words;
    size_t count;
    size_t capacity;
};

// Fails for a text that is no command: a quote that is not closed, a name that is not known.
status command_expand(const char *text, const struct command_value *values, size_t count,
                      struct command_words *out_words);

void command_words_add(struct command_words *words, const char *word);
void command_words_free(struct command_words *words);

// A text for a shell, each word quoted where it needs it.
void command_append_quoted(struct bytes *to, const char *word);
void command_words_quote(const struct command_words *words, struct bytes *to);

#endif
