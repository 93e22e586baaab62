#include "old_form.h"

#include "base/memory.h"
#include "price.h"

enum kind {
    KIND_DMA_IN,  // from the far memory to the local one
    KIND_DMA_OUT, // and back
    KIND_CDMA,    // between local memories
    KIND_SLICE,
    KIND_CSS,
    KIND_CPU,  // works where values lie and computes everything
    KIND_HOST, // the host of an accelerator: what nothing else can do
    KINDS_MOST,
};

// Keys that any engine might have, whether they meant anything there or not.
static const char *const TORQ_SETTINGS[] = {
    "bytes_per_cycle", "efficiency",       "mtu",
    "setup",           "inputs_per_cycle", "weights_per_cycle",
    "fixed_cycles",    "start_cycles",     "results_per_cycle",
    "steps_per_cycle", "macs_per_cycle",   NULL,
};

static const char *const KIND_NAMES[KINDS_MOST] = {
    [KIND_DMA_IN] = "dma_in", [KIND_DMA_OUT] = "dma_out", [KIND_CDMA] = "cdma",
    [KIND_SLICE] = "slice",   [KIND_CSS] = "css",         [KIND_CPU] = "cpu",
    [KIND_HOST] = "host",
};

static const struct price_kind *const TORQ_PRICES[KINDS_MOST] = {
    [KIND_DMA_IN] = &PRICE_TORQ_TRANSFER, [KIND_DMA_OUT] = &PRICE_TORQ_TRANSFER,
    [KIND_CDMA] = &PRICE_TORQ_TRANSFER,   [KIND_SLICE] = &PRICE_TORQ_SLICE,
    [KIND_CSS] = &PRICE_TORQ_CSS,         [KIND_CPU] = &PRICE_TORQ_HOST,
    [KIND_HOST] = &PRICE_TORQ_HOST,
};

static const char *const ALL[] = {"*", NULL};
static const char *const TYPES[] = {"i8", "u8", "i16", "i32", "bool", "bf16", NULL};
static const char *const SLICE[] = {"elementwise", "convolution", "matmul", "pooling",
                                    "reduction",   "movement",    "view",   NULL};
static const char *const CSS[] = {"gather", "other", "normalization", NULL};
static const struct target_takes TAKES_ALL = {ALL, ALL};
static const struct target_takes TAKES_SLICE = {SLICE, TYPES};
static const struct target_takes TAKES_CSS = {CSS, TYPES};

static const struct target_engine KINDS[KINDS_MOST] = {
    [KIND_DMA_IN] = {.role = TARGET_ROLE_TRANSFER,
                     .label = "DMA IN",
                     .work = "DMA_IN",
                     .row = "DI",
                     .rank = 0,
                     .start_code = 56,
                     .wait_code = 16},
    [KIND_DMA_OUT] = {.role = TARGET_ROLE_TRANSFER,
                      .label = "DMA OUT",
                      .work = "DMA_OUT",
                      .row = "DO",
                      .rank = 1,
                      .start_code = 56,
                      .wait_code = 16},
    [KIND_CDMA] = {.role = TARGET_ROLE_TRANSFER,
                   .label = "CDMA",
                   .work = "CDMA_{FROM}_TO_{TO}",
                   .row = "CDMA_{f}2{t}",
                   .rank = 1 << 20,
                   .start_code = 56,
                   .wait_code = 16},
    [KIND_SLICE] = {.role = TARGET_ROLE_COMPUTE,
                    .takes = &TAKES_SLICE,
                    .take_count = 1,
                    .called = "the slices",
                    .label = "SLICE {lane}",
                    .row = "S",
                    .rank = 2,
                    .start_cycles = 1,
                    .start_code = 24,
                    .wait_code = 20,
                    .program_bytes = 264,
                    .program_room = 5120},
    [KIND_CSS] = {.role = TARGET_ROLE_CONTROL,
                  .takes = &TAKES_CSS,
                  .take_count = 1,
                  .called = "CSS",
                  .label = "CSS",
                  .row = "CSS",
                  .rank = (1 << 20) + 1,
                  .start_cycles = 1,
                  .start_code = 24,
                  .wait_code = 20},
    [KIND_CPU] = {.role = TARGET_ROLE_COMPUTE,
                  .takes = &TAKES_ALL,
                  .take_count = 1,
                  .called = "the processor",
                  .label = "CPU {lane}",
                  .row = "H",
                  .rank = 1 << 21,
                  .start_code = 24,
                  .wait_code = 20},
    [KIND_HOST] = {.role = TARGET_ROLE_HOST,
                   .takes = &TAKES_ALL,
                   .take_count = 1,
                   .called = "the host",
                   .label = "HOST",
                   .row = "H",
                   .rank = (1 << 20) + 2},
};

bool old_form_has_rules(struct view name)
{
    return view_is(name, "torq") || view_is(name, "host");
}

bool old_form_is(const struct target_reading *reading)
{
    for (size_t i = 0; i < reading->text.count; i++) {
        const struct target_section *section = &reading->text.sections[i];
        const char *key = section->kind == SECTION_TARGET   ? "rules"
                          : section->kind == SECTION_ENGINE ? "kind"
                                                            : NULL;
        if (key != NULL && target_section_entry(section, key) != NULL)
            return true;
    }
    return false;
}

static bool old_form_is_measured(const struct target_reading *reading)
{
    const struct target_section *section =
        target_text_section(&reading->text, SECTION_TARGET, (struct view){0});
    const struct target_entry *rules =
        section != NULL ? target_section_entry(section, "rules") : NULL;
    return rules != NULL && view_is(rules->value, "host");
}

// Settings ----------------------------------------------------------------------------

static bool old_form_is_known(const struct target_engine *engine, struct view key)
{
    if (engine->price == &PRICE_TABLE)
        return price_key_named(engine->price, key) != NULL || engine->price->is_key(key);
    for (size_t i = 0; TORQ_SETTINGS[i] != NULL; i++) {
        if (view_is(key, TORQ_SETTINGS[i]))
            return true;
    }
    return false;
}

// A rate of nothing would mean that work never ends.
static bool is_rate(struct view key)
{
    return view_is(key, "efficiency") || view_ends_with(key, "_per_cycle");
}

static status old_form_fail(const struct target_reading *reading, const struct target_entry *entry,
                            const char *what, struct view text)
{
    return target_text_fail(&reading->text, entry->line, "%s '%.*s'", what, VIEW_ARGUMENTS(text));
}

static status read_setting(struct target_reading *reading, const struct target_engine *engine,
                           const struct target_entry *entry)
{
    double number;
    if (!old_form_is_known(engine, entry->key))
        return old_form_fail(reading, entry, "these rules know no", entry->key);
    if (!target_value_number(entry->value, UNIT_ANY, &number))
        return old_form_fail(reading, entry, "not a number:", entry->value);
    if (engine->price != &PRICE_TABLE && is_rate(entry->key) && number <= 0)
        return old_form_fail(reading, entry, "a rate is more than 0, not", entry->value);
    if (view_is(entry->key, "efficiency") && number > 1)
        return old_form_fail(reading, entry, "an efficiency is at most 1, not", entry->value);
    target_keep_setting(reading, engine->name, entry->key, number, entry->value);
    return STATUS_OK;
}

// Engines -----------------------------------------------------------------------------

static status old_form_read_kind(const struct target_reading *reading,
                                 const struct target_entry *entry, enum kind *out_kind)
{
    for (int i = 0; i < KINDS_MOST; i++) {
        if (view_is(entry->value, KIND_NAMES[i])) {
            *out_kind = (enum kind)i;
            return STATUS_OK;
        }
    }
    return old_form_fail(reading, entry, "there is no engine of kind", entry->value);
}

static status old_form_read_key(struct target_reading *reading, struct target_engine *engine,
                                const struct target_entry *entry)
{
    uint64_t count;
    if (view_is(entry->key, "kind"))
        return STATUS_OK;
    if (view_is(entry->key, "memory"))
        return target_read_memory(reading, entry, &engine->memory);
    if (!view_is(entry->key, "count"))
        return read_setting(reading, engine, entry);
    STATUS_TRY(target_read_count(reading, entry, "a number of engines", 1, 255, &count));
    engine->count = (uint32_t)count;
    return STATUS_OK;
}

static status old_form_read_engine(struct target_reading *reading,
                                   const struct target_section *section)
{
    struct target *target = reading->target;
    const struct target_entry *given = target_section_entry(section, "kind");
    enum kind kind;
    if (given == NULL)
        return status_make(STATUS_DATA, "%s: engine '%.*s' has no kind", reading->text.path,
                           VIEW_ARGUMENTS(section->name));
    STATUS_TRY(old_form_read_kind(reading, given, &kind));
    target->engines = memory_grow(target->engines, target->engine_count, &target->engine_capacity,
                                  sizeof *target->engines);
    struct target_engine *engine = &target->engines[target->engine_count++];
    *engine = KINDS[kind];
    engine->name = target_keep(target, section->name);
    engine->count = 1;
    engine->memory = 0;
    engine->price = old_form_is_measured(reading) ? &PRICE_TABLE : TORQ_PRICES[kind];
    for (size_t i = 0; i < section->count; i++)
        STATUS_TRY(old_form_read_key(reading, engine, &section->entries[i]));
    return STATUS_OK;
}

static void old_form_fill_engine(struct target *target, struct target_engine *engine,
                                 enum kind kind, uint32_t first_in)
{
    const uint32_t far = target_far_memory(target);
    const bool in = kind == KIND_DMA_IN;
    const bool out = kind == KIND_DMA_OUT;
    engine->from = in ? far : engine->memory;
    engine->to = out ? far : engine->memory;
    engine->port = in || out ? 0 : TARGET_NONE;
    engine->queue = kind == KIND_HOST ? TARGET_NONE : 0;
    engine->clock = target->clock;
    engine->row_engine = kind == KIND_CDMA || out ? first_in : (uint32_t)(engine - target->engines);
}

// Twice over the sections: transfers share the count of rows of the first that goes in.
static status fill_engines(const struct target_reading *reading)
{
    struct target *target = reading->target;
    uint32_t first_in = TARGET_NONE;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t engine = 0;
        for (size_t i = 0; i < reading->text.count; i++) {
            const struct target_section *section = &reading->text.sections[i];
            enum kind kind;
            if (section->kind != SECTION_ENGINE)
                continue;
            STATUS_TRY(old_form_read_kind(reading, target_section_entry(section, "kind"), &kind));
            if (pass == 0 && kind == KIND_DMA_IN && first_in == TARGET_NONE)
                first_in = engine;
            if (pass == 1)
                old_form_fill_engine(target, &target->engines[engine], kind, first_in);
            engine++;
        }
    }
    return STATUS_OK;
}

// The port of the far memory, and the controller.
static void add_port_and_queue(struct target *target)
{
    target->ports = memory_grow(target->ports, target->port_count, &target->port_capacity,
                                sizeof *target->ports);
    target->ports[target->port_count++] = (struct target_port){.name = "far"};
    target->queues = memory_grow(target->queues, target->queue_count, &target->queue_capacity,
                                 sizeof *target->queues);
    target->queues[target->queue_count++] = (struct target_queue){.name = "nss",
                                                                  .program = "nss_program",
                                                                  .code_block = 640,
                                                                  .code_slots = 2,
                                                                  .code_next = 4,
                                                                  .code_fetch = TARGET_NONE};
}

status old_form_read(struct target_reading *reading)
{
    struct target *target = reading->target;
    for (size_t i = 0; i < reading->text.count; i++) {
        const struct target_section *section = &reading->text.sections[i];
        if (section->kind == SECTION_ENGINE)
            STATUS_TRY(old_form_read_engine(reading, section));
        else if (section->kind != SECTION_TARGET && section->kind != SECTION_MEMORY)
            return target_text_fail(&reading->text, section->line,
                                    "there is no [%s] in a target whose engines have kinds: give "
                                    "them roles and prices",
                                    target_section_word(section->kind));
    }
    target->plan = (struct target_plan){0};
    add_port_and_queue(target);
    STATUS_TRY(fill_engines(reading));
    return target_number_lanes(reading);
}
