// What engines take: classes of operators, and elements.

#include "reading.h"

static const char *const ALL[] = {"*", NULL};

// The words of a list, which ends with NULL. A list with * in it is all of them.
const char *const *target_words(struct target *target, struct view text)
{
    struct view word;
    const char **words = arena_allocate(&target->arena, (text.size / 2 + 2) * sizeof *words);
    uint32_t count = 0;
    while (target_value_word(&text, &word)) {
        if (view_is(word, "*"))
            return ALL;
        words[count++] = target_keep(target, word);
    }
    words[count] = NULL;
    return words;
}

static uint32_t clauses_of(struct view text)
{
    uint32_t count = 1;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == ';';
    return count;
}

static status wrong_takes(const struct target_reading *reading, const struct target_entry *entry)
{
    return target_text_fail(&reading->text, entry->line,
                            "expected classes of operators and elements, like 'convolution matmul "
                            ": i8 f16 ; elementwise : *', not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status takes_read(struct target_reading *reading, const struct target_entry *entry,
                         const struct target_takes **out_takes, uint32_t *out_count)
{
    struct target *target = reading->target;
    struct view rest = entry->value;
    struct target_takes *takes = arena_allocate(&target->arena, clauses_of(rest) * sizeof *takes);
    uint32_t count = 0;
    while (rest.size > 0) {
        const size_t end = view_find(rest, ';');
        const struct view clause = view_slice(rest, 0, end);
        const size_t colon = view_find(clause, ':');
        takes[count].classes = target_words(target, view_slice(clause, 0, colon));
        takes[count].elements =
            colon < clause.size ? target_words(target, view_slice(clause, colon + 1, clause.size))
                                : ALL;
        if (takes[count].classes[0] == NULL || takes[count].elements[0] == NULL)
            return wrong_takes(reading, entry);
        count++;
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    if (count == 0)
        return wrong_takes(reading, entry);
    *out_takes = takes;
    *out_count = count;
    return STATUS_OK;
}

status target_read_takes(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    return takes_read(reading, entry, &engine->takes, &engine->take_count);
}

status target_read_fuses(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    return takes_read(reading, entry, &engine->fuses, &engine->fuse_count);
}

// Asking ------------------------------------------------------------------------------

static bool takes_has_word(const char *const *words, const char *word)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (words[i][0] == '*' || word == NULL || strcmp(words[i], word) == 0)
            return true;
    }
    return false;
}

static bool takes_any(const struct target_takes *takes, uint32_t count, const char *class,
                      const char *element)
{
    for (uint32_t i = 0; i < count; i++) {
        if (takes_has_word(takes[i].classes, class) && takes_has_word(takes[i].elements, element))
            return true;
    }
    return false;
}

bool target_takes(const struct target *target, uint32_t engine, const char *class,
                  const char *element)
{
    const struct target_engine *own = &target->engines[engine];
    return takes_any(own->takes, own->take_count, class, element);
}

bool target_fuses(const struct target *target, uint32_t engine, const char *sort,
                  const char *element)
{
    const struct target_engine *own = &target->engines[engine];
    return takes_any(own->fuses, own->fuse_count, sort, element);
}

bool target_is_stage(const struct target *target, uint32_t engine)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        for (uint32_t j = 0; j < target->engines[i].stage_count; j++) {
            if (target->engines[i].stages[j] == engine)
                return true;
        }
    }
    return false;
}

bool target_computes(const struct target *target, uint32_t engine)
{
    const enum target_role role = target->engines[engine].role;
    return (role == TARGET_ROLE_COMPUTE || role == TARGET_ROLE_CONTROL) &&
           target->engines[engine].take_count > 0;
}

bool target_takes_all(const struct target *target, uint32_t engine)
{
    const struct target_engine *own = &target->engines[engine];
    for (uint32_t i = 0; i < own->take_count; i++) {
        if (own->takes[i].classes[0][0] == '*' && own->takes[i].elements[0][0] == '*')
            return true;
    }
    return false;
}
