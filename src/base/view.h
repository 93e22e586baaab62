// A piece of text or bytes that somebody else owns. Not NUL-terminated.

#ifndef OPSCOPE_BASE_VIEW_H
#define OPSCOPE_BASE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct view {
    const char *data;
    size_t size;
};

// For printf: "%.*s" with VIEW_ARGUMENTS(v).
#define VIEW_ARGUMENTS(v) (int)((v).size < 1000 ? (v).size : 1000), (v).data

#define VIEW_LITERAL(text) ((struct view){(text), sizeof(text) - 1})

static inline struct view view_of(const char *text)
{
    return (struct view){text, strlen(text)};
}

static inline struct view view_slice(struct view v, size_t from, size_t to)
{
    return (struct view){from > 0 ? v.data + from : v.data,
                         to - from}; // of nothing, there may be none
}

static inline bool view_equal(struct view a, struct view b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool view_is(struct view v, const char *text)
{
    return view_equal(v, view_of(text));
}

// Ignores the case of ASCII letters.
bool view_is_ignoring_case(struct view v, const char *text);

static inline bool view_starts_with(struct view v, const char *prefix)
{
    const size_t size = strlen(prefix);
    return v.size >= size && memcmp(v.data, prefix, size) == 0;
}

bool view_ends_with(struct view v, const char *suffix);

// Whether a file name has this extension, in any case.
bool view_has_extension(struct view name, const char *extension);

// Position of the first (last) `byte`, or `v.size` when there is none.
size_t view_find(struct view v, char byte);
size_t view_find_last(struct view v, char byte);

// Position of the first `text`, or `v.size` when there is none.
size_t view_find_text(struct view v, const char *text);

// The beginning of at most `most` bytes that cuts no UTF-8 character in two.
static inline struct view view_shortened(struct view v, size_t most)
{
    if (v.size <= most)
        return v;
    while (most > 0 && ((unsigned char)v.data[most] & 0xc0) == 0x80)
        most--;
    return (struct view){v.data, most};
}

// Without blanks and tabs at both ends.
struct view view_trim(struct view v);

// A decimal number that fills the whole view; false when it is anything else
// or does not fit.
bool view_to_u64(struct view v, uint64_t *out_number);
bool view_to_i64(struct view v, int64_t *out_number);
bool view_to_double(struct view v, double *out_number);

// How many bytes at `at`, which is inside, are one valid UTF-8 character; 0: none.
size_t view_character_size(struct view v, size_t at);

// A NUL-terminated copy for the caller to free.
char *view_copy(struct view v);

#endif
