#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cost_host.h"
#include "old_form.h"
#include "settings.h"

enum section_kind {
    SECTION_NONE,
    SECTION_TARGET,
    SECTION_MEMORY,
    SECTION_ENGINE,
};

struct parser {
    struct target *target;
    const char *path;
    uint64_t line; // 0: a setting of a command line
    enum section_kind section;
    uint32_t index; // of the section's memory or engine
    struct target_setting *settings;
    size_t setting_count;
    size_t setting_capacity;
    struct hash_index names; // of settings
};

static status fail(const struct parser *parser, const char *what, struct view text)
{
    if (parser->line == 0)
        return status_make(STATUS_USAGE, "setting %s: %s '%.*s'", parser->path, what,
                           VIEW_ARGUMENTS(text));
    return status_at(STATUS_DATA, parser->path, parser->line, "%s '%.*s'", what,
                     VIEW_ARGUMENTS(text));
}

static const char *keep(struct target *target, struct view text)
{
    return arena_copy(&target->arena, text).data;
}

static const struct {
    const char *name;
    double factor;
} UNITS[] = {
    {"", 1},      {"B", 1},     {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"Hz", 1},
    {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9},  {"%", 0.01},      {"yes", 1},          {"no", 0},
};

// A number with a unit behind it, or yes or no.
static bool parse_number(struct view text, double *out_number)
{
    size_t digits = 0;
    while (digits < text.size && strchr("0123456789.eE+-", text.data[digits]) != NULL)
        digits++;
    double number = 1;
    const struct view unit = view_trim(view_slice(text, digits, text.size));
    const bool word = view_is(unit, "yes") || view_is(unit, "no");
    if (word != (digits == 0) || (!word && !view_to_double(view_slice(text, 0, digits), &number)))
        return false;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (view_is(unit, UNITS[i].name)) {
            *out_number = number * UNITS[i].factor;
            return *out_number >= 0 && *out_number < 1e18;
        }
    }
    return false;
}

static const char *const ENGINE_KINDS[TARGET_ENGINE_KINDS] = {
    [TARGET_DMA_IN] = "dma_in", [TARGET_DMA_OUT] = "dma_out", [TARGET_CDMA] = "cdma",
    [TARGET_SLICE] = "slice",   [TARGET_CSS] = "css",         [TARGET_CPU] = "cpu",
    [TARGET_HOST] = "host",
};

static uint32_t engine_named(const struct target *target, struct view name)
{
    uint32_t i = 0;
    while (i < target->engine_count && !view_is(name, target->engines[i].name))
        i++;
    return i;
}

// A section with the name of an earlier one goes on with it.
static bool open_memory(struct parser *parser, struct view name)
{
    struct target *target = parser->target;
    const char *kept = keep(target, name);
    const uint32_t found = target_memory_named(target, kept);
    parser->section = SECTION_MEMORY;
    parser->index = found != TARGET_NONE ? found : target->memory_count;
    if (found != TARGET_NONE)
        return true;
    target->memories = memory_grow(target->memories, target->memory_count, &target->memory_capacity,
                                   sizeof *target->memories);
    target->memories[target->memory_count++] = (struct target_memory){.name = kept, .alignment = 1};
    return true;
}

static bool open_engine(struct parser *parser, struct view name)
{
    struct target *target = parser->target;
    parser->section = SECTION_ENGINE;
    parser->index = engine_named(target, name);
    if (parser->index < target->engine_count)
        return true;
    target->engines = memory_grow(target->engines, target->engine_count, &target->engine_capacity,
                                  sizeof *target->engines);
    target->engines[target->engine_count++] =
        (struct target_engine){.name = keep(target, name), .kind = TARGET_ENGINE_KINDS, .count = 1};
    return true;
}

static status start_section(struct parser *parser, struct view line)
{
    if (line.data[line.size - 1] != ']')
        return fail(parser, "a section that does not end:", line);
    const struct view inside = view_trim(view_slice(line, 1, line.size - 1));
    const size_t blank = view_find(inside, ' ');
    const struct view kind = view_slice(inside, 0, blank);
    const struct view name = view_trim(view_slice(inside, blank, inside.size));
    if (view_is(kind, "target") && name.size == 0)
        parser->section = SECTION_TARGET;
    else if (name.size == 0 || !((view_is(kind, "memory") && open_memory(parser, name)) ||
                                 (view_is(kind, "engine") && open_engine(parser, name))))
        return fail(parser, "there is no such section:", line);
    return STATUS_OK;
}

static status set_target(struct parser *parser, struct view key, struct view value)
{
    struct target *target = parser->target;
    double number;
    if (view_is(key, "name"))
        target->name = keep(target, value);
    else if (view_is(key, "title"))
        target->title = keep(target, value);
    else if (view_is(key, "rules") && view_is(value, "torq"))
        target->rules = TARGET_RULES_TORQ;
    else if (view_is(key, "rules") && view_is(value, "host"))
        target->rules = TARGET_RULES_HOST;
    else if (view_is(key, "clock")) {
        if (!parse_number(value, &number) || number < 1)
            return fail(parser, "not a clock of at least 1 Hz:", value);
        target->clock = (uint64_t)number;
    } else
        return view_is(key, "rules") ? fail(parser, "there are no rules", value)
                                     : fail(parser, "no target has", key);
    return STATUS_OK;
}

static status set_memory(struct parser *parser, struct view key, struct view value)
{
    struct target_memory *memory = &parser->target->memories[parser->index];
    double number;
    if (!parse_number(value, &number))
        return fail(parser, "not a number:", value);
    if (view_is(key, "size"))
        memory->size = (uint64_t)number;
    else if (view_is(key, "alignment")) {
        if (number < 1)
            return fail(parser, "not an alignment of at least 1:", value);
        memory->alignment = (uint64_t)number;
    } else if (view_is(key, "local"))
        memory->local = number != 0;
    else
        return fail(parser, "no memory has", key);
    return STATUS_OK;
}

static bool is_known(const struct target *target, struct view key)
{
    const char *const *names =
        target->rules == TARGET_RULES_TORQ ? COST_TORQ_SETTINGS : COST_HOST_SETTINGS;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (view_is(key, names[i]))
            return true;
    }
    return target->rules == TARGET_RULES_HOST && cost_host_is_time(key);
}

// In the place of the one of the same name, or behind all others.
static void keep_setting(struct parser *parser, struct target_setting setting)
{
    const uint32_t hash = hash_bytes(setting.name, strlen(setting.name));
    uint32_t id;
    for (uint32_t at = hash_first(&parser->names, hash);
         (id = hash_next(&parser->names, hash, &at)) != HASH_NONE;) {
        if (strcmp(parser->settings[id].name, setting.name) == 0) {
            parser->settings[id] = setting;
            return;
        }
    }
    parser->settings = memory_grow(parser->settings, parser->setting_count,
                                   &parser->setting_capacity, sizeof *parser->settings);
    hash_add(&parser->names, hash, (uint32_t)parser->setting_count);
    parser->settings[parser->setting_count++] = setting;
}

// A rate of nothing would mean that work never ends.
static bool is_rate(struct view key)
{
    return view_is(key, "efficiency") || view_ends_with(key, "_per_cycle");
}

static status add_setting(struct parser *parser, const char *owner, struct view key,
                          struct view value)
{
    double number;
    if (!is_known(parser->target, key))
        return fail(parser, "these rules know no", key);
    if (!parse_number(value, &number))
        return fail(parser, "not a number:", value);
    if (parser->target->rules == TARGET_RULES_TORQ && is_rate(key) && number <= 0)
        return fail(parser, "a rate is more than 0, not", value);
    if (view_is(key, "efficiency") && number > 1)
        return fail(parser, "an efficiency is at most 1, not", value);
    const size_t owner_size = strlen(owner);
    char *name = arena_allocate(&parser->target->arena, owner_size + key.size + 2);
    memcpy(name, owner, owner_size);
    name[owner_size] = '.';
    memcpy(name + owner_size + 1, key.data, key.size);
    name[owner_size + 1 + key.size] = '\0';
    const struct target_setting setting = {name, number, keep(parser->target, value)};
    keep_setting(parser, setting);
    return STATUS_OK;
}

static status set_engine(struct parser *parser, struct view key, struct view value)
{
    struct target *target = parser->target;
    struct target_engine *engine = &target->engines[parser->index];
    double number;
    if (view_is(key, "kind")) {
        for (int i = 0; i < TARGET_ENGINE_KINDS; i++) {
            if (view_is(value, ENGINE_KINDS[i]))
                engine->kind = (enum target_engine_kind)i;
        }
        return engine->kind < TARGET_ENGINE_KINDS
                   ? STATUS_OK
                   : fail(parser, "there is no engine of kind", value);
    }
    if (view_is(key, "memory")) {
        engine->memory = target_memory_named(target, keep(target, value));
        return engine->memory != TARGET_NONE ? STATUS_OK
                                             : fail(parser, "there is no memory", value);
    }
    if (view_is(key, "count")) {
        if (!parse_number(value, &number) || number < 1 || number > 255)
            return fail(parser, "not a number of engines:", value);
        engine->count = (uint32_t)number;
        return STATUS_OK;
    }
    return add_setting(parser, engine->name, key, value);
}

static status parse_line(struct parser *parser, struct view line)
{
    const struct view text = view_trim(view_slice(line, 0, view_find(line, '#')));
    if (text.size == 0)
        return STATUS_OK;
    if (text.data[0] == '[')
        return start_section(parser, text);
    const size_t equal = view_find(text, '=');
    if (equal == text.size)
        return fail(parser, "expected 'key = value' instead of", text);
    const struct view key = view_trim(view_slice(text, 0, equal));
    const struct view value = view_trim(view_slice(text, equal + 1, text.size));
    switch (parser->section) {
    case SECTION_TARGET:
        return set_target(parser, key, value);
    case SECTION_MEMORY:
        return set_memory(parser, key, value);
    case SECTION_ENGINE:
        return set_engine(parser, key, value);
    default:
        return fail(parser, "before the first section:", key);
    }
}

static status check_whole(struct parser *parser)
{
    struct target *target = parser->target;
    if (target->name == NULL || target->clock == 0 || target->memory_count == 0 ||
        target->engine_count == 0)
        return status_make(STATUS_DATA, "%s: a target has a name, a clock, a memory and an engine",
                           parser->path);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].kind == TARGET_ENGINE_KINDS)
            return status_make(STATUS_DATA, "%s: engine '%s' has no kind", parser->path,
                               target->engines[i].name);
    }
    if (target->title == NULL)
        target->title = target->name;
    target_fill(target);
    return STATUS_OK;
}

static status parse_lines(struct parser *parser, struct view text)
{
    while (text.size > 0) {
        const size_t end = view_find(text, '\n');
        parser->line++;
        STATUS_TRY(parse_line(parser, view_slice(text, 0, end)));
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
    }
    return check_whole(parser);
}

// Hands the parser's settings over to the target.
static void take_settings(struct parser *parser)
{
    struct target *target = parser->target;
    struct target_setting *settings =
        arena_allocate(&target->arena, parser->setting_count * sizeof *settings + 1);
    if (parser->setting_count > 0)
        memcpy(settings, parser->settings, parser->setting_count * sizeof *settings);
    target->settings = settings;
    target->setting_count = (uint32_t)parser->setting_count;
    free(parser->settings);
    hash_free(&parser->names);
    cost_host_model_free(target->model);
    target->model = target->rules == TARGET_RULES_HOST ? cost_host_model_make(target) : NULL;
}

status target_parse(const char *path, struct view text, struct target **out_target)
{
    struct parser parser = {.target = memory_allocate_zeroed(1, sizeof *parser.target),
                            .path = path};
    struct target *target = parser.target;
    target->text = arena_copy(&target->arena, text);
    const status failure = parse_lines(&parser, text);
    take_settings(&parser);
    if (failure != STATUS_OK) {
        target_free(target);
        return failure;
    }
    *out_target = target;
    return STATUS_OK;
}

void target_free(struct target *target)
{
    if (target == NULL)
        return;
    cost_host_model_free(target->model);
    arena_free(&target->arena);
    free(target->memories);
    free(target->ports);
    free(target->engines);
    free(target->queues);
    free(target);
}

const char *target_engine_kind_name(enum target_engine_kind kind)
{
    return ENGINE_KINDS[kind];
}

uint32_t target_memory_named(const struct target *target, const char *name)
{
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (strcmp(target->memories[i].name, name) == 0)
            return (uint32_t)i;
    }
    return TARGET_NONE;
}

uint32_t target_far_memory(const struct target *target)
{
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (!target->memories[i].local)
            return (uint32_t)i;
    }
    return TARGET_NONE;
}

uint32_t target_engine_of(const struct target *target, enum target_engine_kind kind)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].kind == kind)
            return (uint32_t)i;
    }
    return TARGET_NONE;
}

uint32_t target_units(const struct target *target, enum target_per per)
{
    switch (per) {
    case TARGET_PER_CORE:
        return target->device_count * target->core_count;
    case TARGET_PER_DEVICE:
        return target->device_count;
    default:
        return 1;
    }
}

uint32_t target_engine_between(const struct target *target, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        // One that begins and ends in the same memory connects it with every other local one.
        const bool hub = engine->from == engine->to && from != to &&
                         (from == engine->from || to == engine->from) &&
                         target->memories[from].local && target->memories[to].local;
        if (engine->role == TARGET_ROLE_TRANSFER &&
            (hub || (engine->from == from && engine->to == to)))
            return i;
    }
    return TARGET_NONE;
}

uint32_t target_engine_with(const struct target *target, enum target_role role)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].role == role)
            return i;
    }
    return TARGET_NONE;
}

uint32_t target_engine_named(const struct target *target, const char *name)
{
    const uint32_t index = engine_named(target, view_of(name));
    return index < target->engine_count ? index : TARGET_NONE;
}

bool target_is_processor(const struct target *target)
{
    const uint32_t compute = target_engine_with(target, TARGET_ROLE_COMPUTE);
    return compute != TARGET_NONE && !target->memories[target->engines[compute].memory].local &&
           target->engines[compute].take_count == 1 &&
           target->engines[compute].takes[0].classes[0][0] == '*';
}

static const struct target_setting *find_setting(const struct target *target, const char *name)
{
    for (uint32_t i = 0; i < target->setting_count; i++) {
        if (strcmp(target->settings[i].name, name) == 0)
            return &target->settings[i];
    }
    return NULL;
}

double target_number(const struct target *target, const char *name, double fallback)
{
    const struct target_setting *setting = find_setting(target, name);
    return setting != NULL ? setting->number : fallback;
}

// The section that a setting belongs to: "[engine slice]" of "slice".
static struct view section_of(struct target *target, struct view owner)
{
    char text[256];
    const char *kind = NULL;
    if (engine_named(target, owner) < target->engine_count)
        kind = "engine ";
    else if (target_memory_named(target, keep(target, owner)) != TARGET_NONE)
        kind = "memory ";
    else if (view_is(owner, "target"))
        kind = "";
    if (kind == NULL)
        return (struct view){0};
    snprintf(text, sizeof text, "[%s%.*s]", kind, VIEW_ARGUMENTS(owner));
    return arena_copy(&target->arena, view_of(text));
}

// Puts "section, key = value" behind the text of the target.
static void append_text(struct target *target, struct view section, struct view key,
                        struct view value)
{
    struct bytes text = {0};
    bytes_append(&text, target->text.data, target->text.size);
    bytes_append_format(&text, "\n%.*s\n%.*s = %.*s\n", VIEW_ARGUMENTS(section),
                        VIEW_ARGUMENTS(key), VIEW_ARGUMENTS(value));
    target->text = arena_copy(&target->arena, bytes_view(&text));
    bytes_free(&text);
}

static struct parser parser_of(struct target *target, const char *name)
{
    struct parser parser = {.target = target, .path = name};
    for (uint32_t i = 0; i < target->setting_count; i++)
        keep_setting(&parser, target->settings[i]);
    return parser;
}

status target_set(struct target *target, const char *name, const char *value)
{
    const struct view whole = view_of(name);
    const size_t dot = view_find(whole, '.');
    const struct view section = section_of(target, view_slice(whole, 0, dot));
    if (dot == whole.size || section.size == 0)
        return status_make(STATUS_USAGE,
                           "target %s has no setting '%s': 'opscope targets %s' shows them",
                           target->name, name, target->name);
    const struct view key = view_slice(whole, dot + 1, whole.size);
    struct bytes line = {0};
    bytes_append_format(&line, "%.*s = %s", VIEW_ARGUMENTS(key), value);
    struct parser parser = parser_of(target, name);
    status failure = parse_line(&parser, section);
    if (failure == STATUS_OK)
        failure = parse_line(&parser, bytes_view(&line));
    bytes_free(&line);
    take_settings(&parser);
    target_fill(target);
    if (failure == STATUS_OK)
        append_text(target, section, key, view_trim(view_of(value)));
    return failure;
}
