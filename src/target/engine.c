// The sections of a target's text that say what does the work, and where it is ordered.

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "reading.h"
#include "target/rules/old_form.h"

static const char *const ROLES[TARGET_ROLES] = {
    [TARGET_ROLE_COMPUTE] = "compute",
    [TARGET_ROLE_TRANSFER] = "transfer",
    [TARGET_ROLE_COMMUNICATION] = "communication",
    [TARGET_ROLE_CONTROL] = "control",
    [TARGET_ROLE_HOST] = "host",
};

const char *target_role_name(enum target_role role)
{
    return ROLES[role];
}

bool target_is_plural(const char *called)
{
    const struct view text = view_of(called);
    return view_starts_with(text, "the ") && view_ends_with(text, "s");
}

// Keys of engines ---------------------------------------------------------------------

typedef status read_key(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry);

static status read_role(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    for (int i = 0; i < TARGET_ROLES; i++) {
        if (view_is(entry->value, ROLES[i])) {
            engine->role = (enum target_role)i;
            return STATUS_OK;
        }
    }
    return target_text_fail(
        &reading->text, entry->line,
        "a role is compute, transfer, communication, control or host, not '%.*s'",
        VIEW_ARGUMENTS(entry->value));
}

static status read_price(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    engine->price = price_kind_named(entry->value);
    if (engine->price != NULL)
        return STATUS_OK;
    struct bytes names = {0};
    for (size_t i = 0; PRICE_KINDS[i] != NULL; i++)
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "", PRICE_KINDS[i]->name);
    const status failure =
        target_text_fail(&reading->text, entry->line, "there is no price '%.*s': there is %.*s",
                         VIEW_ARGUMENTS(entry->value), VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static status read_per(struct target_reading *reading, struct target_engine *engine,
                       const struct target_entry *entry)
{
    return target_read_per(reading, entry, &engine->per);
}

static status read_lanes(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    uint64_t count;
    STATUS_TRY(
        target_read_count(reading, entry, "a number of engines", 1, TARGET_UNITS_MOST, &count));
    engine->count = (uint32_t)count;
    return STATUS_OK;
}

static status engine_read_memory(struct target_reading *reading, struct target_engine *engine,
                                 const struct target_entry *entry)
{
    return target_read_memory(reading, entry, &engine->memory);
}

static status read_from(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    return target_read_memory(reading, entry, &engine->from);
}

static status read_to(struct target_reading *reading, struct target_engine *engine,
                      const struct target_entry *entry)
{
    return target_read_memory(reading, entry, &engine->to);
}

static status engine_read_port(struct target_reading *reading, struct target_engine *engine,
                               const struct target_entry *entry)
{
    return target_read_name(reading, entry, SECTION_PORT, entry->value, &engine->port);
}

static status read_queue(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    return target_read_name(reading, entry, SECTION_QUEUE, entry->value, &engine->queue);
}

static status engine_read_cast(struct target_reading *reading, struct target_engine *engine,
                               const struct target_entry *entry)
{
    engine->cast = view_is(entry->value, "many");
    if (engine->cast || view_is(entry->value, "one"))
        return STATUS_OK;
    return target_text_fail(&reading->text, entry->line, "cast is one or many, not '%.*s'",
                            VIEW_ARGUMENTS(entry->value));
}

static status engine_read_clock(struct target_reading *reading, struct target_engine *engine,
                                const struct target_entry *entry)
{
    return target_read_clock(reading, entry, &engine->clock);
}

static status read_stages(struct target_reading *reading, struct target_engine *engine,
                          const struct target_entry *entry)
{
    struct view rest = entry->value;
    struct view word;
    uint32_t *stages =
        arena_allocate(&reading->target->arena, (rest.size / 2 + 1) * sizeof *stages);
    engine->stage_count = 0;
    while (target_value_word(&rest, &word))
        STATUS_TRY(
            target_read_name(reading, entry, SECTION_ENGINE, word, &stages[engine->stage_count++]));
    if (engine->stage_count == 0)
        return target_text_fail(&reading->text, entry->line,
                                "stages are the engines that a task runs through, in order");
    engine->stages = stages;
    return STATUS_OK;
}

static status read_ring(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    uint64_t ring;
    STATUS_TRY(target_read_count(reading, entry, "a number of pieces of at least 1", 1, UINT32_MAX,
                                 &ring));
    engine->ring = (uint32_t)ring;
    return STATUS_OK;
}

static status read_rank(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    uint64_t rank;
    STATUS_TRY(
        target_read_count(reading, entry, "a rank of at most 1073741824", 0, 1 << 30, &rank));
    engine->rank = (int32_t)rank;
    return STATUS_OK;
}

static status read_row_engine(struct target_reading *reading, struct target_engine *engine,
                              const struct target_entry *entry)
{
    return target_read_name(reading, entry, SECTION_ENGINE, entry->value, &engine->row_engine);
}

static status read_called(struct target_reading *reading, struct target_engine *engine,
                          const struct target_entry *entry)
{
    return target_read_text(reading, entry, &engine->called);
}

static status engine_read_label(struct target_reading *reading, struct target_engine *engine,
                                const struct target_entry *entry)
{
    return target_read_text(reading, entry, &engine->label);
}

static status read_work(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    return target_read_text(reading, entry, &engine->work);
}

static status engine_read_row(struct target_reading *reading, struct target_engine *engine,
                              const struct target_entry *entry)
{
    return target_read_text(reading, entry, &engine->row);
}

static status read_start(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->start_cycles);
}

static status read_start_code(struct target_reading *reading, struct target_engine *engine,
                              const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->start_code);
}

static status read_wait_code(struct target_reading *reading, struct target_engine *engine,
                             const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->wait_code);
}

static status read_loop(struct target_reading *reading, struct target_engine *engine,
                        const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->loop);
}

static status read_loops(struct target_reading *reading, struct target_engine *engine,
                         const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->loops);
}

static status read_program_bytes(struct target_reading *reading, struct target_engine *engine,
                                 const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->program_bytes);
}

static status read_program_room(struct target_reading *reading, struct target_engine *engine,
                                const struct target_entry *entry)
{
    return target_read_amount(reading, entry, &engine->program_room);
}

static status read_program_tables(struct target_reading *reading, struct target_engine *engine,
                                  const struct target_entry *entry)
{
    struct target *target = reading->target;
    struct view rest = entry->value;
    struct view word;
    uint64_t *tables = arena_allocate(&target->arena, (rest.size / 2 + 1) * sizeof *tables);
    engine->program_tables = tables;
    engine->program_table_count = 0;
    while (target_value_word(&rest, &word)) {
        const struct target_entry one = {.key = entry->key, .value = word, .line = entry->line};
        STATUS_TRY(target_read_count(reading, &one, "bytes", 1, UINT32_MAX,
                                     &tables[engine->program_table_count++]));
    }
    return STATUS_OK;
}

static const struct {
    const char *name;
    read_key *read;
} KEYS[] = {
    {"role", read_role},
    {"per", read_per},
    {"lanes", read_lanes},
    {"count", read_lanes},
    {"memory", engine_read_memory},
    {"from", read_from},
    {"to", read_to},
    {"port", engine_read_port},
    {"queue", read_queue},
    {"cast", engine_read_cast},
    {"clock", engine_read_clock},
    {"takes", target_read_takes},
    {"fuses", target_read_fuses},
    {"price", read_price},
    {"stages", read_stages},
    {"ring", read_ring},
    {"called", read_called},
    {"label", engine_read_label},
    {"work", read_work},
    {"row", engine_read_row},
    {"row_engine", read_row_engine},
    {"rank", read_rank},
    {"start", read_start},
    {"start_code", read_start_code},
    {"wait_code", read_wait_code},
    {"loop", read_loop},
    {"tile", target_read_tile},
    {"depth", target_read_depth},
    {"either", target_read_either},
    {"loops", read_loops},
    {"program_bytes", read_program_bytes},
    {"program_room", read_program_room},
    {"program_tables", read_program_tables},
};

static read_key *key_named(struct view name)
{
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (view_is(name, KEYS[i].name))
            return KEYS[i].read;
    }
    return NULL;
}

// Keys of prices ----------------------------------------------------------------------

static status engine_unknown_key(const struct target_reading *reading,
                                 const struct target_engine *engine,
                                 const struct target_entry *entry)
{
    struct bytes names = {0};
    for (const struct price_key *key = engine->price->keys; key->name != NULL; key++)
        bytes_append_format(&names, "%s%s", names.size > 0 ? ", " : "", key->name);
    const status failure = target_text_fail(
        &reading->text, entry->line, "these rules know no '%.*s': price %s has %.*s%s",
        VIEW_ARGUMENTS(entry->key), engine->price->name, VIEW_ARGUMENTS(bytes_view(&names)),
        engine->price->is_key != NULL ? ", and measured times" : "");
    bytes_free(&names);
    return failure;
}

static status engine_read_list(const struct target_reading *reading,
                               const struct target_entry *entry)
{
    struct view rest = entry->value;
    struct view word;
    struct view name;
    double number;
    uint32_t count = 0;
    for (; target_value_word(&rest, &word); count++) {
        if (!target_value_pair(word, &name, &number))
            return target_text_fail(&reading->text, entry->line,
                                    "expected NAME:NUMBER, like i8:4096, not '%.*s'",
                                    VIEW_ARGUMENTS(word));
    }
    return count > 0 ? STATUS_OK
                     : target_text_fail(&reading->text, entry->line,
                                        "%.*s is a list like i8:4096 f16:2048",
                                        VIEW_ARGUMENTS(entry->key));
}

static status wrong_number(const struct target_reading *reading, const struct target_entry *entry,
                           const char *what)
{
    return target_text_fail(&reading->text, entry->line, "%s '%.*s'", what,
                            VIEW_ARGUMENTS(entry->value));
}

static status read_price_number(const struct target_reading *reading, enum price_form form,
                                const struct target_entry *entry, double *out_number)
{
    const enum target_unit unit = form == PRICE_BYTES       ? UNIT_BYTES
                                  : form == PRICE_BANDWIDTH ? UNIT_BYTES_A_SECOND
                                                            : UNIT_NONE;
    if (!target_value_number(entry->value, unit, out_number))
        return wrong_number(reading, entry,
                            form == PRICE_BANDWIDTH ? "not a rate like 10 GB/s:" : "not a number:");
    const bool rate = form == PRICE_RATE || form == PRICE_SHARE || form == PRICE_BANDWIDTH;
    if (rate && *out_number <= 0)
        return wrong_number(reading, entry, "a rate is more than 0, not");
    if (form == PRICE_SHARE && *out_number > 1)
        return wrong_number(reading, entry, "an efficiency is at most 1, not");
    return STATUS_OK;
}

static status read_price_key(struct target_reading *reading, const struct target_engine *engine,
                             const struct target_entry *entry)
{
    const struct price_key *key = price_key_named(engine->price, entry->key);
    const bool further =
        key == NULL && engine->price->is_key != NULL && engine->price->is_key(entry->key);
    if (key == NULL && !further)
        return engine_unknown_key(reading, engine, entry);
    const enum price_form form = key != NULL ? key->form : PRICE_NUMBER;
    double number = 0;
    uint64_t shape[3];
    if (form == PRICE_LIST)
        STATUS_TRY(engine_read_list(reading, entry));
    else if (form != PRICE_SHAPE)
        STATUS_TRY(read_price_number(reading, form, entry, &number));
    else if (target_value_shape(entry->value, shape, 3) != 3)
        return wrong_number(reading, entry, "not three numbers like 32x32x8:");
    target_keep_setting(reading, engine->name, entry->key, number, entry->value);
    return STATUS_OK;
}

// What is not said --------------------------------------------------------------------

static const char *capitals(struct target *target, const char *name)
{
    char *text = arena_allocate(&target->arena, strlen(name) + 1);
    size_t i = 0;
    for (; name[i] != '\0'; i++)
        text[i] = (char)toupper((unsigned char)name[i]);
    text[i] = '\0';
    return text;
}

static const char *default_label(struct target *target, const struct target_engine *engine)
{
    const char *name = capitals(target, engine->name);
    if (engine->count == 1)
        return name;
    struct bytes label = {0};
    bytes_append_format(&label, "%s {lane}", name);
    const char *kept = target_keep(target, bytes_view(&label));
    bytes_free(&label);
    return kept;
}

static bool is_moving(const struct target_engine *engine)
{
    return engine->role == TARGET_ROLE_TRANSFER || engine->role == TARGET_ROLE_COMMUNICATION;
}

static void fill_words(struct target *target, struct target_engine *engine)
{
    if (engine->called == NULL)
        engine->called = engine->name;
    if (engine->label == NULL)
        engine->label = default_label(target, engine);
    if (engine->work == NULL && is_moving(engine))
        engine->work = capitals(target, engine->name);
    if (engine->row == NULL)
        engine->row = capitals(target, engine->name);
    if (engine->row_engine == TARGET_NONE)
        engine->row_engine = (uint32_t)(engine - target->engines);
    if (engine->rank < 0)
        engine->rank = (int32_t)engine->first_lane;
}

// The first local memory that is there as often as the engine, else one that is there once,
// else the far one.
static uint32_t default_memory(const struct target *target, const struct target_engine *engine)
{
    const uint32_t far = target_far_memory(target);
    uint32_t shared = TARGET_NONE;
    const bool computes =
        engine->role == TARGET_ROLE_COMPUTE || engine->role == TARGET_ROLE_CONTROL;
    for (uint32_t i = 0; i < target->memory_count && computes; i++) {
        if (!target->memories[i].local)
            continue;
        if (target->memories[i].per == engine->per)
            return i;
        if (target->memories[i].per == TARGET_PER_MACHINE && shared == TARGET_NONE)
            shared = i;
    }
    return shared != TARGET_NONE ? shared : far != TARGET_NONE ? far : 0;
}

// The first memory that is not local, other than the one at the other end.
static uint32_t other_far_memory(const struct target *target, uint32_t end)
{
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (!target->memories[i].local && i != end)
            return i;
    }
    return TARGET_NONE;
}

// A transfer with two ends goes one way; the far memory is the end that is not said. One
// with nothing but a memory goes between it and the other local ones, both ways.
static status fill_transfer(const struct target_reading *reading, struct target_engine *engine,
                            uint64_t line)
{
    const struct target *target = reading->target;
    if (engine->from == TARGET_NONE && engine->to == TARGET_NONE) {
        if (engine->memory == TARGET_NONE || !target->memories[engine->memory].local)
            return target_text_fail(&reading->text, line,
                                    "engine '%s' moves data: say from, to, or both (or memory: a "
                                    "local one, that it moves to and from others)",
                                    engine->name);
        engine->from = engine->to = engine->memory;
        return STATUS_OK;
    }
    if (engine->from != TARGET_NONE && engine->from == engine->to)
        return target_text_fail(&reading->text, line,
                                "engine '%s' moves from %s to itself: role = communication goes "
                                "between the units of a memory",
                                engine->name, target->memories[engine->from].name);
    if (engine->from == TARGET_NONE)
        engine->from = other_far_memory(target, engine->to);
    if (engine->to == TARGET_NONE)
        engine->to = other_far_memory(target, engine->from);
    if (engine->memory == TARGET_NONE)
        engine->memory = engine->to != TARGET_NONE && target->memories[engine->to].local
                             ? engine->to
                             : engine->from;
    if (engine->memory == TARGET_NONE)
        engine->memory = engine->to;
    return STATUS_OK;
}

static status fill_communication(const struct target_reading *reading, struct target_engine *engine,
                                 uint64_t line)
{
    const struct target *target = reading->target;
    if (engine->memory == TARGET_NONE)
        engine->memory = engine->from != TARGET_NONE ? engine->from : engine->to;
    for (uint32_t i = 0; engine->memory == TARGET_NONE && i < target->memory_count; i++)
        engine->memory = target->memories[i].per != TARGET_PER_MACHINE ? i : TARGET_NONE;
    const uint32_t memory = engine->memory;
    if (memory == TARGET_NONE || target->memories[memory].per == TARGET_PER_MACHINE ||
        (engine->from != TARGET_NONE && engine->from != memory) ||
        (engine->to != TARGET_NONE && engine->to != memory))
        return target_text_fail(&reading->text, line,
                                "engine '%s' goes from core to core: give it one memory that is "
                                "there per core or per device",
                                engine->name);
    engine->from = engine->to = memory;
    return STATUS_OK;
}

static status fill_compute(const struct target_reading *reading, struct target_engine *engine,
                           uint64_t line)
{
    static const char *const ALL[] = {"*", NULL};
    static const struct target_takes EVERYTHING = {ALL, ALL};
    const struct target *target = reading->target;
    if (engine->memory == TARGET_NONE)
        engine->memory = default_memory(target, engine);
    engine->from = engine->to = engine->memory;
    const enum target_per per = target->memories[engine->memory].per;
    if (per != TARGET_PER_MACHINE && per != engine->per)
        return target_text_fail(&reading->text, line,
                                "engine '%s' is not there as often as its memory %s: give it per = "
                                "%s",
                                engine->name, target->memories[engine->memory].name,
                                per == TARGET_PER_CORE ? "core" : "device");
    if (engine->take_count > 0 || engine->role == TARGET_ROLE_CONTROL ||
        target_is_stage(target, (uint32_t)(engine - target->engines)))
        return STATUS_OK;
    if (engine->role == TARGET_ROLE_COMPUTE)
        return target_text_fail(&reading->text, line,
                                "engine '%s' computes: say what it takes, like takes = convolution "
                                "matmul : i8",
                                engine->name);
    engine->takes = &EVERYTHING;
    engine->take_count = 1;
    return STATUS_OK;
}

static status fill_price(const struct target_reading *reading, struct target_engine *engine,
                         uint64_t line)
{
    if (engine->price != NULL)
        return STATUS_OK;
    engine->price = is_moving(engine) ? &PRICE_LINEAR : &PRICE_FIXED;
    if (engine->stage_count > 0 || engine->role == TARGET_ROLE_CONTROL || is_moving(engine))
        return STATUS_OK;
    return target_text_fail(&reading->text, line,
                            "engine '%s' has no price: say how work is priced, like price = lanes",
                            engine->name);
}

static status engine_fill_engine(const struct target_reading *reading, struct target_engine *engine,
                                 uint64_t line)
{
    if (engine->role == TARGET_ROLE_TRANSFER)
        STATUS_TRY(fill_transfer(reading, engine, line));
    else if (engine->role == TARGET_ROLE_COMMUNICATION)
        STATUS_TRY(fill_communication(reading, engine, line));
    else
        STATUS_TRY(fill_compute(reading, engine, line));
    fill_words(reading->target, engine);
    return STATUS_OK;
}

// Engines -----------------------------------------------------------------------------

static struct target_engine *add_engine(struct target *target, struct view name)
{
    target->engines = memory_grow(target->engines, target->engine_count, &target->engine_capacity,
                                  sizeof *target->engines);
    struct target_engine *engine = &target->engines[target->engine_count++];
    *engine = (struct target_engine){
        .name = target_keep(target, name),
        .role = TARGET_ROLES,
        .count = 1,
        .memory = TARGET_NONE,
        .from = TARGET_NONE,
        .to = TARGET_NONE,
        .port = TARGET_NONE,
        .queue = TARGET_NONE,
        .clock = target->clock,
        .ring = 2,
        .tile = {1, 1},
        .row_engine = TARGET_NONE,
        .rank = -1,
    };
    return engine;
}

static status engine_read_engine(struct target_reading *reading,
                                 const struct target_section *section)
{
    struct target_engine *engine = add_engine(reading->target, section->name);
    // Both decide what the other keys mean.
    const struct target_entry *role = target_section_entry(section, "role");
    const struct target_entry *price = target_section_entry(section, "price");
    if (role == NULL)
        return target_text_fail(&reading->text, section->line,
                                "engine '%s' has no role: compute, transfer, communication, "
                                "control or host",
                                engine->name);
    STATUS_TRY(read_role(reading, engine, role));
    if (price != NULL)
        STATUS_TRY(read_price(reading, engine, price));
    engine->stage_count = target_section_entry(section, "stages") != NULL;
    STATUS_TRY(fill_price(reading, engine, section->line));
    for (size_t i = 0; i < section->count; i++) {
        const struct target_entry *entry = &section->entries[i];
        read_key *read = key_named(entry->key);
        STATUS_TRY(read != NULL ? read(reading, engine, entry)
                                : read_price_key(reading, engine, entry));
    }
    return STATUS_OK;
}

static status engine_check_stages(const struct target_reading *reading,
                                  const struct target_engine *engine, uint64_t line)
{
    const struct target *target = reading->target;
    for (uint32_t i = 0; i < engine->stage_count; i++) {
        const struct target_engine *stage = &target->engines[engine->stages[i]];
        if (stage->stage_count > 0 || stage->per != engine->per)
            return target_text_fail(&reading->text, line, "engine '%s' runs through '%s', which %s",
                                    engine->name, stage->name,
                                    stage->stage_count > 0 ? "has stages of its own"
                                                           : "is not there as often as it is");
    }
    return STATUS_OK;
}

status target_number_lanes(const struct target_reading *reading)
{
    struct target *target = reading->target;
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        struct target_engine *engine = &target->engines[i];
        engine->first_lane = (uint32_t)lanes;
        lanes += (uint64_t)engine->count * target_units(target, engine->per);
        if (lanes > TARGET_UNITS_MOST)
            return status_make(STATUS_DATA, "%s: a target has at most %d lanes", reading->text.path,
                               TARGET_UNITS_MOST);
    }
    target->lane_count = (uint32_t)lanes;
    return STATUS_OK;
}

// All of them -------------------------------------------------------------------------

static status engine_read_all(struct target_reading *reading)
{
    struct target *target = reading->target;
    const struct target_text *text = &reading->text;
    for (size_t i = 0; i < text->count; i++) {
        if (text->sections[i].kind == SECTION_ENGINE)
            STATUS_TRY(engine_read_engine(reading, &text->sections[i]));
    }
    STATUS_TRY(target_check_whole(reading));
    STATUS_TRY(target_number_lanes(reading));
    for (size_t i = 0, engine = 0; i < text->count; i++) {
        if (text->sections[i].kind != SECTION_ENGINE)
            continue;
        STATUS_TRY(engine_fill_engine(reading, &target->engines[engine], text->sections[i].line));
        STATUS_TRY(
            engine_check_stages(reading, &target->engines[engine++], text->sections[i].line));
    }
    return target_read_queues(reading);
}

status target_read_engines(struct target_reading *reading)
{
    if (old_form_is(reading))
        return old_form_read(reading);
    return engine_read_all(reading);
}
