#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

enum { LETTERS_MOST = 64 };

// '-' and '_' are one and the same, and so are small and capital letters.
static char plain(char letter)
{
    return letter == '_' ? '-' : (char)tolower((unsigned char)letter);
}

static size_t suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Letters to put in, leave out, change or swap with the next one. None is counted for words
// that are too long to be names.
static size_t suggest_distance(struct view word, struct view name)
{
    size_t rows[3][LETTERS_MOST + 1]; // by letters of `name`: this one and the two before
    if (word.size > LETTERS_MOST || name.size > LETTERS_MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= name.size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= word.size; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *twice = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= name.size; j++) {
            const char a = plain(word.data[i - 1]);
            const char b = plain(name.data[j - 1]);
            row[j] =
                suggest_least(before[j - 1] + (a != b), suggest_least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a == plain(name.data[j - 2]) && plain(word.data[i - 2]) == b)
                row[j] = suggest_least(row[j], twice[j - 2] + 1);
        }
    }
    return rows[word.size % 3][name.size];
}

struct suggest suggest_for(struct view word)
{
    return (struct suggest){.word = word, .distance = SIZE_MAX};
}

static bool suggest_is_prefix(struct view word, struct view name)
{
    enum { LETTERS_LEAST = 3 };
    return word.size >= LETTERS_LEAST && word.size < name.size &&
           suggest_distance(word, view_slice(name, 0, word.size)) == 0;
}

void suggest_consider(struct suggest *suggest, const char *name)
{
    const struct view candidate = view_of(name);
    const size_t letters = suggest_least(suggest->word.size, candidate.size);
    const size_t near = letters < 2 ? 0 : letters < 6 ? 1 : letters / 3;
    size_t far = suggest_distance(suggest->word, candidate);
    if (far > 1 && suggest_is_prefix(suggest->word, candidate))
        far = 1;
    if (far > near || far > suggest->distance)
        return;
    if (far < suggest->distance)
        suggest->count = 0;
    suggest->distance = far;
    if (suggest->count < SUGGEST_MOST)
        suggest->names[suggest->count++] = name;
}

const char *suggest_text(const struct suggest *suggest, const char *dashes, char text[SUGGEST_ROOM])
{
    snprintf(text, SUGGEST_ROOM, ";");
    if (suggest->count == 1)
        snprintf(text, SUGGEST_ROOM, "; did you mean '%s%s'?", dashes, suggest->names[0]);
    else if (suggest->count > 1)
        snprintf(text, SUGGEST_ROOM, "; did you mean '%s%s' or '%s%s'?", dashes, suggest->names[0],
                 dashes, suggest->names[1]);
    return text;
}
