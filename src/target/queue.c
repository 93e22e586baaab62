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
    *queue = (struct target_queue){.name = name, .program = name, .code_fetch = TARGET_NONE};
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
    static const char *const NAMES[] = {"per",        "drives",    "program",     "code_block",
                                        "code_slots", "code_next", "code_tasks",  "code_fetch",
                                        "code_whole", "signal",    "signal_next", "begin",
                                        "end"};
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
    if (view_is(entry->key, "code_tasks"))
        return target_read_amount(reading, entry, &queue->code_tasks);
    if (view_is(entry->key, "code_fetch"))
        return target_read_name(reading, entry, SECTION_ENGINE, entry->value, &queue->code_fetch);
    if (view_is(entry->key, "code_whole"))
        return target_read_answer(reading, entry, &queue->code_whole);
    if (view_is(entry->key, "signal"))
        return target_read_amount(reading, entry, &queue->signal);
    if (view_is(entry->key, "signal_next"))
        return target_read_amount(reading, entry, &queue->signal_next);
    if (view_is(entry->key, "begin"))
        return target_read_amount(reading, entry, &queue->begin);
    if (view_is(entry->key, "end"))
        return target_read_amount(reading, entry, &queue->end);
    return target_text_fail(&reading->text, entry->line,
                            "no queue has '%.*s': there is per, drives, program, code_block, "
                            "code_slots, code_next, code_tasks, code_fetch, code_whole, signal, "
                            "signal_next, begin, end",
                            VIEW_ARGUMENTS(entry->key));
}

// Code is brought to where a queue's one stream runs, by an engine that it drives itself, one
// block while another one runs. What the block at hand needs for that is its last room.
static status check_fetch(const struct target_reading *reading, uint32_t index)
{
    const struct target *target = reading->target;
    const struct target_queue *queue = &target->queues[index];
    if (queue->code_fetch == TARGET_NONE)
        return STATUS_OK;
    const struct target_engine *engine = &target->engines[queue->code_fetch];
    const char *wrong = NULL;
    if (target->queue_count > 1 || queue->per != TARGET_PER_MACHINE)
        wrong = "only the one queue of a machine fetches its code";
    else if (engine->queue != index || engine->role != TARGET_ROLE_TRANSFER)
        wrong = "the engine that fetches code is a transfer that the queue drives";
    else if (engine->to == TARGET_NONE || !target->memories[engine->to].local ||
             engine->from != target_far_memory(target))
        wrong = "code is fetched from the far memory to a local one";
    else if (queue->code_slots < 2)
        wrong = "code is fetched to one slot while that of another runs: code_slots is at least 2";
    else if (queue->code_block < target_code_least(target, index))
        wrong = "a block has no room for a start, a wait and the fetch of the next one";
    return wrong == NULL ? STATUS_OK
                         : status_make(STATUS_DATA, "%s: queue '%s': %s", reading->text.path,
                                       queue->name, wrong);
}

uint64_t target_code_closing(const struct target *target, uint32_t queue)
{
    const struct target_queue *own = &target->queues[queue];
    if (own->code_fetch == TARGET_NONE)
        return own->code_next;
    const struct target_engine *engine = &target->engines[own->code_fetch];
    return engine->start_code + 2 * engine->wait_code + own->code_next;
}

uint64_t target_code_least(const struct target *target, uint32_t queue)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        const uint64_t step =
            engine->start_code > engine->wait_code ? engine->start_code : engine->wait_code;
        if (engine->queue == queue && step > most)
            most = step;
    }
    return most + target_code_closing(target, queue);
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
    for (uint32_t i = 0; i < target->queue_count; i++)
        STATUS_TRY(check_fetch(reading, i));
    return STATUS_OK;
}

bool target_section_has_key(enum target_section_kind kind, struct view key)
{
    if (kind == SECTION_QUEUE)
        return is_queue_key(key);
    return kind == SECTION_ENGINE || target_machine_has_key(kind, key);
}
