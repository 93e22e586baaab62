// The lines of a target's file: sections, and what each key is given.
//
// Nothing is understood here but the form. Lines keep their number, so that whoever reads
// a value can say where it stands; a setting of a command line has none.

#ifndef OPSCOPE_TARGET_TEXT_H
#define OPSCOPE_TARGET_TEXT_H

#include "base/status.h"
#include "base/view.h"

enum target_section_kind {
    SECTION_TARGET,
    SECTION_DEVICE,
    SECTION_CORE,
    SECTION_PLAN,
    SECTION_LINK,
    SECTION_MEMORY, // from here on with a name
    SECTION_PORT,
    SECTION_QUEUE,
    SECTION_ENGINE,
    SECTION_KINDS,
};

struct target_entry {
    struct view key;
    struct view value;
    uint64_t line;  // 0: of a command line
    uint64_t block; // the line of the section's head above it; UINT64_MAX of a command line
};

struct target_section {
    enum target_section_kind kind;
    struct view name;
    uint64_t line;  // where it begins
    uint64_t block; // where it began last
    struct target_entry *entries;
    size_t count;
    size_t capacity;
};

struct target_text {
    const char *path;
    const char *setting; // the name of what a command line gave; NULL: nothing
    struct target_section *sections;
    size_t count;
    size_t capacity;
};

// Views into `text`, which must outlive it. On failure too it is to be freed.
status target_text_read(struct target_text *text, struct view bytes);
void target_text_free(struct target_text *text);

// One more line of a section that the file has, or that has no name.
status target_text_set(struct target_text *text, struct target_section *section, struct view key,
                       struct view value);

const char *target_section_word(enum target_section_kind kind);

// NULL: the file has none.
struct target_section *target_text_section(const struct target_text *text,
                                           enum target_section_kind kind, struct view name);
// Made where there is none.
struct target_section *target_text_open(struct target_text *text, enum target_section_kind kind,
                                        struct view name, uint64_t line);

// The last one of that key; NULL.
const struct target_entry *target_section_entry(const struct target_section *section,
                                                const char *key);

// "path:12: ...", or "setting matrix.lanes: ..." for line 0.
status target_text_fail(const struct target_text *text, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4), returns_nonnull));

// Values ------------------------------------------------------------------------------

enum target_unit {
    UNIT_NONE,
    UNIT_BYTES,
    UNIT_HERTZ,
    UNIT_BYTES_A_SECOND,
    UNIT_SHARE,  // %
    UNIT_ANSWER, // yes, no
    UNIT_ANY,    // whatever it is
};

// A number that is not negative and less than 10^18, in its base unit. A unit is not needed;
// one of something else is refused.
bool target_value_number(struct view value, enum target_unit unit, double *out_number);

// The next word of a list (blanks and commas lie between words); false at the end.
bool target_value_word(struct view *rest, struct view *out_word);

// "32x32x8": up to `most` numbers of at least 1, how many there are; 0: it is none.
uint32_t target_value_shape(struct view value, uint64_t *out_numbers, uint32_t most);

// "i8:4096": a name and a number; false when it is none.
bool target_value_pair(struct view word, struct view *out_name, double *out_number);

#endif
