// The sections of a target's text that say where work is ordered.

#include "base/bytes.h"
#include "base/memory.h"
#include "reading.h"

// Names of others ---------------------------------------------------------------------

static status wrong_name(const struct target_reading *reading, const struct target_entry *entry,
                         enum target_section_kind kind, struct view name)
{
    struct bytes names = {0};
    for (size_t i = 0; i < reading->text.count; i++) {
        const struct target_section *section = &reading->text.sections[i];
        if (section->kind == kind)
            bytes_append_format(&names, "%s%.*s", names.size > 0 ? ", " : "",
                                VIEW_ARGUMENTS(section->name));
    }
    const status failure =
        target_text_fail(&reading->text, entry->line, "there is no %s '%.*s': there is %.*s",
                         target_section_word(kind), VIEW_ARGUMENTS(name),
                         VIEW_ARGUMENTS(names.size > 0 ? bytes_view(&names) : view_of("none")));
    bytes_free(&names);
    return failure;
}

// The index of a section among those of its kind, which is that of its record.
status target_read_name(const struct target_reading *reading, const struct target_entry *entry,
                        enum target_section_kind kind, struct view name, uint32_t *out_index)
{
    uint32_t index = 0;
    for (size_t i = 0; i < reading->text.count; i++) {
        const struct target_section *section = &reading->text.sections[i];
        if (section->kind != kind)
            continue;
        if (view_equal(section->name, name)) {
            *out_index = index;
            return STATUS_OK;
        }
        index++;
    }
    return wrong_name(reading, entry, kind, name);
}

// Keys --------------------------------------------------------------------------------

static struct target_queue *add_queue(struct target *target, const char *name)
{
    target->queues = memory_grow(target->queues, target->queue_count, &target->queue_capacity,
                                 sizeof *target->queues);
    struct target_queue *queue = &target->queues[target->queue_count++];
    *queue = (struct target_queue){.name = name, .program = name};
    return queue;
}

static status read_drives(struct target_reading *reading, uint32_t queue,
                          const struct target_entry *entry)
{
    struct target *target = reading->target;
    struct view rest = entry->value;
    struct view word;
    while (target_value_word(&rest, &word)) {
        uint32_t index;
        STATUS_TRY(target_read_name(reading, entry, SECTION_ENGINE, word, &index));
        struct target_engine *engine = &target->engines[index];
        if (engine->queue != TARGET_NONE && engine->queue != queue)
            return target_text_fail(&reading->text, entry->line,
                                    "two queues drive engine '%s'; one does", engine->name);
        engine->queue = queue;
    }
    return STATUS_OK;
}

static bool is_queue_key(struct view key)
{
    static const char *const NAMES[] = {"per",        "drives",     "program",
                                        "code_block", "code_slots", "code_next"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (view_is(key, NAMES[i]))
            return true;
    }
    return false;
}

static status read_queue_key(struct target_reading *reading, uint32_t index,
                             const struct target_entry *entry)
{
    struct target_queue *queue = &reading->target->queues[index];
    if (view_is(entry->key, "per"))
        return target_read_per(reading, entry, &queue->per);
    if (view_is(entry->key, "drives"))
        return read_drives(reading, index, entry);
    if (view_is(entry->key, "program"))
        return target_read_text(reading, entry, &queue->program);
    if (view_is(entry->key, "code_block"))
        return target_read_amount(reading, entry, &queue->code_block);
    if (view_is(entry->key, "code_slots"))
        return target_read_amount(reading, entry, &queue->code_slots);
    if (view_is(entry->key, "code_next"))
        return target_read_amount(reading, entry, &queue->code_next);
    return target_text_fail(&reading->text, entry->line,
                            "no queue has '%.*s': there is per, drives, program, code_block, "
                            "code_slots, code_next",
                            VIEW_ARGUMENTS(entry->key));
}

status target_read_queues(struct target_reading *reading)
{
    struct target *target = reading->target;
    for (size_t i = 0; i < reading->text.count; i++) {
        const struct target_section *section = &reading->text.sections[i];
        if (section->kind != SECTION_QUEUE)
            continue;
        add_queue(target, target_keep(target, section->name));
        for (size_t j = 0; j < section->count; j++)
            STATUS_TRY(read_queue_key(reading, target->queue_count - 1, &section->entries[j]));
    }
    // What no queue drives is ordered by itself; the host orders its own work.
    for (uint32_t i = 0; i < target->engine_count; i++) {
        struct target_engine *engine = &target->engines[i];
        if (engine->role == TARGET_ROLE_HOST && engine->queue != TARGET_NONE)
            return status_make(STATUS_DATA,
                               "%s: engine '%s' is the host, which no queue drives: leave out its "
                               "queue",
                               reading->text.path, engine->name);
        if (engine->role == TARGET_ROLE_HOST || engine->queue != TARGET_NONE)
            continue;
        engine->queue = target->queue_count;
        add_queue(target, engine->name)->per = engine->per;
    }
    return STATUS_OK;
}

bool target_section_has_key(enum target_section_kind kind, struct view key)
{
    if (kind == SECTION_QUEUE)
        return is_queue_key(key);
    return kind == SECTION_ENGINE || target_machine_has_key(kind, key);
}
