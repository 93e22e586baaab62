#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static const char *const SECTIONS[SECTION_KINDS] = {
    [SECTION_TARGET] = "target", [SECTION_DEVICE] = "device", [SECTION_CORE] = "core",
    [SECTION_PLAN] = "plan",     [SECTION_LINK] = "link",     [SECTION_MEMORY] = "memory",
    [SECTION_PORT] = "port",     [SECTION_QUEUE] = "queue",   [SECTION_ENGINE] = "engine",
};

const char *target_section_word(enum target_section_kind kind)
{
    return SECTIONS[kind];
}

status target_text_fail(const struct target_text *text, uint64_t line, const char *format, ...)
{
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line == 0)
        return status_make(STATUS_USAGE, "setting %s: %s",
                           text->setting != NULL ? text->setting : text->path, what);
    return status_at(STATUS_DATA, text->path, line, "%s", what);
}

// Sections ----------------------------------------------------------------------------

struct target_section *target_text_section(const struct target_text *text,
                                           enum target_section_kind kind, struct view name)
{
    for (size_t i = 0; i < text->count; i++) {
        if (text->sections[i].kind == kind && view_equal(text->sections[i].name, name))
            return &text->sections[i];
    }
    return NULL;
}

struct target_section *target_text_open(struct target_text *text, enum target_section_kind kind,
                                        struct view name, uint64_t line)
{
    struct target_section *found = target_text_section(text, kind, name);
    if (found != NULL)
        return found;
    text->sections =
        memory_grow(text->sections, text->count, &text->capacity, sizeof *text->sections);
    text->sections[text->count] = (struct target_section){.kind = kind, .name = name, .line = line};
    return &text->sections[text->count++];
}

const struct target_entry *target_section_entry(const struct target_section *section,
                                                const char *key)
{
    for (size_t i = section->count; i-- > 0;) {
        if (view_is(section->entries[i].key, key))
            return &section->entries[i];
    }
    return NULL;
}

static void add_entry(struct target_section *section, struct target_entry entry)
{
    section->entries =
        memory_grow(section->entries, section->count, &section->capacity, sizeof *section->entries);
    section->entries[section->count++] = entry;
}

status target_text_set(struct target_text *text, struct target_section *section, struct view key,
                       struct view value)
{
    if (key.size == 0)
        return target_text_fail(text, 0, "expected a key after the dot");
    add_entry(section, (struct target_entry){key, value, 0, UINT64_MAX});
    return STATUS_OK;
}

// Lines -------------------------------------------------------------------------------

static status target_text_read_section(struct target_text *text, struct view line, uint64_t number,
                                       struct target_section **out_section)
{
    if (line.data[line.size - 1] != ']')
        return target_text_fail(text, number, "a section that does not end: '%.*s'",
                                VIEW_ARGUMENTS(line));
    const struct view inside = view_trim(view_slice(line, 1, line.size - 1));
    const size_t blank = view_find(inside, ' ');
    const struct view word = view_slice(inside, 0, blank);
    const struct view name = view_trim(view_slice(inside, blank, inside.size));
    for (int kind = 0; kind < SECTION_KINDS; kind++) {
        if (view_is(word, SECTIONS[kind]) && (name.size > 0) == (kind >= SECTION_MEMORY)) {
            *out_section = target_text_open(text, (enum target_section_kind)kind, name, number);
            (*out_section)->block = number;
            return STATUS_OK;
        }
    }
    return target_text_fail(text, number,
                            "there is no such section: '%.*s' (there are [target], [device], "
                            "[core], [plan], [link], [memory NAME], [port NAME], [queue NAME] and "
                            "[engine NAME])",
                            VIEW_ARGUMENTS(line));
}

static status target_text_read_line(struct target_text *text, struct view line, uint64_t number,
                                    struct target_section **section)
{
    const struct view bare = view_trim(view_slice(line, 0, view_find(line, '#')));
    if (bare.size == 0)
        return STATUS_OK;
    if (memchr(bare.data, '\0', bare.size) != NULL)
        return target_text_fail(text, number, "a zero byte, which no text has");
    if (bare.data[0] == '[')
        return target_text_read_section(text, bare, number, section);
    const size_t equal = view_find(bare, '=');
    if (equal == bare.size)
        return target_text_fail(text, number, "expected 'key = value' instead of '%.*s'",
                                VIEW_ARGUMENTS(bare));
    const struct view key = view_trim(view_slice(bare, 0, equal));
    if (*section == NULL)
        return target_text_fail(text, number, "before the first section: '%.*s'",
                                VIEW_ARGUMENTS(key));
    const struct view value = view_trim(view_slice(bare, equal + 1, bare.size));
    add_entry(*section, (struct target_entry){key, value, number, (*section)->block});
    return STATUS_OK;
}

status target_text_read(struct target_text *text, struct view bytes)
{
    struct target_section *section = NULL;
    for (uint64_t line = 1; bytes.size > 0; line++) {
        const size_t end = view_find(bytes, '\n');
        STATUS_TRY(target_text_read_line(text, view_slice(bytes, 0, end), line, &section));
        bytes = view_slice(bytes, end < bytes.size ? end + 1 : end, bytes.size);
    }
    return STATUS_OK;
}

void target_text_free(struct target_text *text)
{
    for (size_t i = 0; i < text->count; i++)
        free(text->sections[i].entries);
    free(text->sections);
}

// Values ------------------------------------------------------------------------------

static const struct {
    const char *name;
    enum target_unit unit;
    double factor;
} UNITS[] = {
    {"", UNIT_NONE, 1},
    {"B", UNIT_BYTES, 1},
    {"KiB", UNIT_BYTES, 1024},
    {"MiB", UNIT_BYTES, 1048576},
    {"GiB", UNIT_BYTES, 1073741824},
    {"Hz", UNIT_HERTZ, 1},
    {"kHz", UNIT_HERTZ, 1e3},
    {"MHz", UNIT_HERTZ, 1e6},
    {"GHz", UNIT_HERTZ, 1e9},
    {"B/s", UNIT_BYTES_A_SECOND, 1},
    {"kB/s", UNIT_BYTES_A_SECOND, 1e3},
    {"MB/s", UNIT_BYTES_A_SECOND, 1e6},
    {"GB/s", UNIT_BYTES_A_SECOND, 1e9},
    {"KiB/s", UNIT_BYTES_A_SECOND, 1024},
    {"MiB/s", UNIT_BYTES_A_SECOND, 1048576},
    {"GiB/s", UNIT_BYTES_A_SECOND, 1073741824},
    {"%", UNIT_SHARE, 0.01},
    {"yes", UNIT_ANSWER, 1},
    {"no", UNIT_ANSWER, 0},
};

// A number with a unit after it, or yes or no.
bool target_value_number(struct view value, enum target_unit unit, double *out_number)
{
    size_t digits = 0;
    while (digits < value.size && value.data[digits] != '\0' &&
           strchr("0123456789.eE+-", value.data[digits]) != NULL)
        digits++;
    double number = 1;
    const struct view after = view_trim(view_slice(value, digits, value.size));
    const bool word = view_is(after, "yes") || view_is(after, "no");
    if (word != (digits == 0) || (!word && !view_to_double(view_slice(value, 0, digits), &number)))
        return false;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (!view_is(after, UNITS[i].name))
            continue;
        *out_number = number * UNITS[i].factor;
        const bool fits = unit == UNIT_ANY || UNITS[i].unit == UNIT_NONE || UNITS[i].unit == unit ||
                          (UNITS[i].unit == UNIT_SHARE && unit == UNIT_NONE);
        return fits && *out_number >= 0 && *out_number < 1e18;
    }
    return false;
}

static bool is_between(char byte)
{
    return byte == ' ' || byte == '\t' || byte == ',' || byte == '\r';
}

bool target_value_word(struct view *rest, struct view *out_word)
{
    size_t from = 0;
    while (from < rest->size && is_between(rest->data[from]))
        from++;
    size_t to = from;
    while (to < rest->size && !is_between(rest->data[to]))
        to++;
    *out_word = view_slice(*rest, from, to);
    *rest = view_slice(*rest, to, rest->size);
    return out_word->size > 0;
}

uint32_t target_value_shape(struct view value, uint64_t *out_numbers, uint32_t most)
{
    uint32_t count = 0;
    while (value.size > 0) {
        const size_t end = view_find(value, 'x');
        if (count == most ||
            !view_to_u64(view_trim(view_slice(value, 0, end)), &out_numbers[count]) ||
            out_numbers[count] == 0)
            return 0;
        count++;
        if (end + 1 == value.size)
            return 0;
        value = view_slice(value, end < value.size ? end + 1 : end, value.size);
    }
    return count;
}

bool target_value_pair(struct view word, struct view *out_name, double *out_number)
{
    const size_t colon = view_find(word, ':');
    if (colon == 0 || colon == word.size)
        return false;
    *out_name = view_slice(word, 0, colon);
    return view_to_double(view_slice(word, colon + 1, word.size), out_number) && *out_number > 0 &&
           *out_number < 1e18;
}
