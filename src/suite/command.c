#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void command_words_add(struct command_words *words, const char *word)
{
    // Room for this one and for the NULL after it.
    words->words =
        memory_grow(words->words, words->count + 1, &words->capacity, sizeof *words->words);
    words->words[words->count++] = view_copy(view_of(word));
    words->words[words->count] = NULL;
}

void command_words_free(struct command_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
    free(words->words);
    *words = (struct command_words){0};
}

// Expanding -----------------------------------------------------------------------------

struct expansion {
    const char *text;
    const struct command_value *values;
    size_t count;
    struct command_words *words;
    struct bytes word;
    bool open; // a word has begun, though it may be empty
    // The word is one name so far, and nothing else.
    const struct command_value *only;
};

static const struct command_value *command_find_value(const struct expansion *expansion,
                                                      struct view name)
{
    for (size_t i = 0; i < expansion->count; i++) {
        if (view_is(name, expansion->values[i].name))
            return &expansion->values[i];
    }
    return NULL;
}

static status command_refuse_name(const struct expansion *expansion, struct view name)
{
    struct bytes known = {0};
    for (size_t i = 0; i < expansion->count; i++)
        bytes_append_format(&known, "%s{%s}", i > 0 ? ", " : "", expansion->values[i].name);
    const status failure =
        status_make(STATUS_USAGE, "command '%s': '{%.*s}' is none of %.*s", expansion->text,
                    VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(bytes_view(&known)));
    bytes_free(&known);
    return failure;
}

static void end_word(struct expansion *expansion)
{
    const struct command_value *only = expansion->only;
    for (size_t i = 0; only != NULL && i < only->count; i++)
        command_words_add(expansion->words, only->texts[i]);
    if (only == NULL && expansion->open) {
        bytes_append(&expansion->word, "", 1);
        command_words_add(expansion->words, (const char *)expansion->word.data);
    }
    expansion->word.size = 0;
    expansion->open = false;
    expansion->only = NULL;
}

// What stood alone so far has company now.
static void command_join(struct expansion *expansion)
{
    const struct command_value *only = expansion->only;
    for (size_t i = 0; only != NULL && i < only->count; i++)
        bytes_append_format(&expansion->word, "%s%s", i > 0 ? " " : "", only->texts[i]);
    expansion->only = NULL;
    expansion->open = true;
}

static void command_append(struct expansion *expansion, char byte)
{
    command_join(expansion);
    bytes_append(&expansion->word, &byte, 1);
}

// At a brace; `*at` is moved to its last character.
static status expand_name(struct expansion *expansion, const char **at, bool quoted)
{
    const char *from = *at;
    if (from[0] == from[1]) {
        command_append(expansion, from[0]);
        *at = from + 1;
        return STATUS_OK;
    }
    const char *end = from[0] == '{' ? strchr(from, '}') : NULL;
    if (end == NULL)
        return status_make(STATUS_USAGE,
                           "command '%s': a lone '%c'; a brace itself is written twice",
                           expansion->text, from[0]);
    const struct view name = {from + 1, (size_t)(end - from) - 1};
    const struct command_value *value = command_find_value(expansion, name);
    if (value == NULL)
        return command_refuse_name(expansion, name);
    const bool alone = !expansion->open && !quoted && expansion->only == NULL;
    if (!alone)
        command_join(expansion);
    expansion->only = value;
    if (!alone)
        command_join(expansion);
    *at = end;
    return STATUS_OK;
}

static status expand_all(struct expansion *expansion)
{
    char quote = '\0';
    const char *at = expansion->text;
    for (; *at != '\0'; at++) {
        if (quote == '\0' && strchr(" \t\n", *at) != NULL) {
            end_word(expansion);
        } else if (*at == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*at == '\'' || *at == '"')) {
            quote = *at;
            command_join(expansion);
        } else if (*at == '\\' && quote != '\'' && at[1] != '\0') {
            command_append(expansion, *++at);
        } else if (*at == '{' || *at == '}') {
            STATUS_TRY(expand_name(expansion, &at, quote != '\0'));
        } else {
            command_append(expansion, *at);
        }
    }
    if (quote != '\0')
        return status_make(STATUS_USAGE, "command '%s': a %c that is not closed", expansion->text,
                           quote);
    end_word(expansion);
    if (expansion->words->count == 0)
        return status_make(STATUS_USAGE, "command '%s': there is no word in it", expansion->text);
    return STATUS_OK;
}

status command_expand(const char *text, const struct command_value *values, size_t count,
                      struct command_words *out_words)
{
    *out_words = (struct command_words){0};
    struct expansion expansion = {
        .text = text, .values = values, .count = count, .words = out_words};
    const status result = expand_all(&expansion);
    bytes_free(&expansion.word);
    if (result != STATUS_OK)
        command_words_free(out_words);
    return result;
}

// Quoting -------------------------------------------------------------------------------

void command_append_quoted(struct bytes *to, const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./:,@%";
    if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0') {
        bytes_append(to, word, strlen(word));
        return;
    }
    bytes_append(to, "'", 1);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            bytes_append(to, "'\\''", 4);
        else
            bytes_append(to, word, 1);
    }
    bytes_append(to, "'", 1);
}

void command_words_quote(const struct command_words *words, struct bytes *to)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            bytes_append(to, " ", 1);
        command_append_quoted(to, words->words[i]);
    }
}
