#include "target.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "reading.h"

const char *target_keep(struct target *target, struct view text)
{
    return arena_copy(&target->arena, text).data;
}

// Settings of prices ------------------------------------------------------------------

static const char *setting_name(struct target *target, const char *engine, struct view key)
{
    const size_t size = strlen(engine);
    char *name = arena_allocate(&target->arena, size + key.size + 2);
    memcpy(name, engine, size);
    name[size] = '.';
    memcpy(name + size + 1, key.data, key.size);
    name[size + 1 + key.size] = '\0';
    return name;
}

void target_keep_setting(struct target_reading *reading, const char *engine, struct view key,
                         double number, struct view value)
{
    struct target *target = reading->target;
    const struct target_setting setting = {setting_name(target, engine, key), number,
                                           target_keep(target, value)};
    const uint32_t hash = hash_bytes(setting.name, strlen(setting.name));
    uint32_t id;
    for (uint32_t at = hash_first(&reading->names, hash);
         (id = hash_next(&reading->names, hash, &at)) != HASH_NONE;) {
        if (strcmp(reading->settings[id].name, setting.name) == 0) {
            reading->settings[id] = setting;
            return;
        }
    }
    reading->settings = memory_grow(reading->settings, reading->setting_count,
                                    &reading->setting_capacity, sizeof *reading->settings);
    hash_add(&reading->names, hash, (uint32_t)reading->setting_count);
    reading->settings[reading->setting_count++] = setting;
}

// Hands the settings over to the target.
static void take_settings(struct target_reading *reading)
{
    struct target *target = reading->target;
    struct target_setting *settings =
        arena_allocate(&target->arena, reading->setting_count * sizeof *settings + 1);
    if (reading->setting_count > 0)
        memcpy(settings, reading->settings, reading->setting_count * sizeof *settings);
    target->settings = settings;
    target->setting_count = (uint32_t)reading->setting_count;
}

// Numbers are looked up once, not for each price.
static status prepare_prices(struct target_reading *reading)
{
    struct target *target = reading->target;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        struct target_engine *engine = &target->engines[i];
        // A task of several stages is priced by them.
        if (engine->price == NULL)
            engine->price = &PRICE_FIXED;
        STATUS_TRY(status_within(engine->price->prepare(target, engine, &engine->rates), "%s",
                                 reading->text.path));
    }
    return STATUS_OK;
}

// Reading -----------------------------------------------------------------------------

status target_check_whole(const struct target_reading *reading)
{
    const struct target *target = reading->target;
    if (target->name == NULL || target->clock == 0 || target->memory_count == 0 ||
        target->engine_count == 0)
        return status_make(STATUS_DATA, "%s: a target has a name, a clock, a memory and an engine",
                           reading->text.path);
    return STATUS_OK;
}

// A further line after those of the file.
struct setting {
    struct view owner;
    struct view key;
    struct view value;
};

static struct target_section *find_owner(struct target_text *text, const struct setting *setting)
{
    static const enum target_section_kind KINDS[] = {SECTION_MEMORY, SECTION_PORT, SECTION_QUEUE,
                                                     SECTION_ENGINE};
    const size_t blank = view_find(setting->owner, ' ');
    struct target_section *found = NULL;
    for (int kind = 0; kind < SECTION_MEMORY; kind++) {
        const char *word = target_section_word((enum target_section_kind)kind);
        if (view_is(setting->owner, word))
            return target_text_open(text, (enum target_section_kind)kind, (struct view){0}, 0);
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const bool named =
            view_is(view_slice(setting->owner, 0, blank), target_section_word(KINDS[i]));
        struct view name = setting->owner;
        if (blank < name.size && !named)
            continue;
        if (blank < name.size)
            name = view_trim(view_slice(name, blank, name.size));
        struct target_section *section = target_text_section(text, KINDS[i], name);
        if (section != NULL && target_section_has_key(KINDS[i], setting->key))
            return section;
        found = found == NULL ? section : found;
    }
    return found;
}

// Puts "section, key = value" after the text of the target.
static void target_append_text(struct target *target, const struct target_section *section,
                               const struct setting *setting)
{
    struct bytes text = {0};
    bytes_append(&text, target->text.data, target->text.size);
    bytes_append_format(&text, "\n[%s%s%.*s]\n%.*s = %.*s\n", target_section_word(section->kind),
                        section->name.size > 0 ? " " : "", VIEW_ARGUMENTS(section->name),
                        VIEW_ARGUMENTS(setting->key), VIEW_ARGUMENTS(setting->value));
    target->text = arena_copy(&target->arena, bytes_view(&text));
    bytes_free(&text);
}

static status target_apply_setting(struct target_reading *reading, const struct setting *setting)
{
    struct target *target = reading->target;
    struct target_section *section = find_owner(&reading->text, setting);
    if (section == NULL)
        return status_make(STATUS_USAGE,
                           "target %s has no setting '%s': 'opscope targets %s' shows them",
                           reading->text.path, reading->text.setting, reading->text.path);
    STATUS_TRY(target_text_set(&reading->text, section, setting->key, setting->value));
    target_append_text(target, section, setting);
    return STATUS_OK;
}

static status target_read_all(struct target_reading *reading, struct view bytes,
                              const struct setting *setting)
{
    struct target *target = reading->target;
    target->text = arena_copy(&target->arena, bytes);
    STATUS_TRY(target_text_read(&reading->text, target->text));
    if (setting != NULL)
        STATUS_TRY(target_apply_setting(reading, setting));
    STATUS_TRY(target_read_machine(reading));
    STATUS_TRY(target_read_engines(reading));
    STATUS_TRY(target_check_whole(reading));
    if (target->title == NULL)
        target->title = target->name;
    take_settings(reading);
    return prepare_prices(reading);
}

static status target_make_from_text(const char *path, struct view bytes, const char *name,
                                    const struct setting *setting, struct target **out_target)
{
    struct target_reading reading = {.target = memory_allocate_zeroed(1, sizeof *reading.target),
                                     .text = {.path = path, .setting = name}};
    const status failure = target_read_all(&reading, bytes, setting);
    target_text_free(&reading.text);
    free(reading.settings);
    hash_free(&reading.names);
    if (failure != STATUS_OK)
        target_free(reading.target);
    else
        *out_target = reading.target;
    return failure;
}

status target_parse(const char *path, struct view text, struct target **out_target)
{
    return target_make_from_text(path, text, NULL, NULL, out_target);
}

status target_set(struct target *target, const char *name, const char *value)
{
    const struct view whole = view_of(name);
    const size_t dot = view_find(whole, '.');
    const struct view line = view_of(value);
    if (dot == whole.size)
        return status_make(STATUS_USAGE,
                           "target %s has no setting '%s': 'opscope targets %s' shows them",
                           target->name, name, target->name);
    if (view_find(line, '\n') < line.size)
        return status_make(STATUS_USAGE, "setting %s: a value is one line", name);
    const struct setting setting = {
        .owner = view_trim(view_slice(whole, 0, dot)),
        .key = view_trim(view_slice(whole, dot + 1, whole.size)),
        .value = view_trim(view_slice(line, 0, view_find(line, '#'))),
    };
    struct target *changed = NULL;
    STATUS_TRY(target_make_from_text(target->name, target->text, name, &setting, &changed));
    const struct target old = *target;
    *target = *changed;
    *changed = old;
    target_free(changed);
    return STATUS_OK;
}

void target_free(struct target *target)
{
    if (target == NULL)
        return;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        if (engine->price != NULL && engine->price->release != NULL)
            engine->price->release(engine->rates);
    }
    arena_free(&target->arena);
    free(target->memories);
    free(target->ports);
    free(target->engines);
    free(target->queues);
    free(target);
}

// Asking ------------------------------------------------------------------------------

uint32_t target_memory_named(const struct target *target, const char *name)
{
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (strcmp(target->memories[i].name, name) == 0)
            return i;
    }
    return TARGET_NONE;
}

uint32_t target_far_memory(const struct target *target)
{
    for (uint32_t i = 0; i < target->memory_count; i++) {
        if (!target->memories[i].local)
            return i;
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

static bool target_is_local(const struct target *target, uint32_t memory)
{
    return memory < target->memory_count && target->memories[memory].local;
}

bool target_engine_carries(const struct target *target, uint32_t engine, uint32_t from, uint32_t to)
{
    const struct target_engine *own = &target->engines[engine];
    if (own->role != TARGET_ROLE_TRANSFER && own->role != TARGET_ROLE_COMMUNICATION)
        return false;
    if (own->from != own->to || own->role == TARGET_ROLE_COMMUNICATION)
        return own->from == from && own->to == to;
    return target_is_local(target, from) && target_is_local(target, to) &&
           (from == own->memory || to == own->memory);
}

uint32_t target_engine_between(const struct target *target, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].role == TARGET_ROLE_TRANSFER &&
            target_engine_carries(target, i, from, to))
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
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (strcmp(target->engines[i].name, name) == 0)
            return i;
    }
    return TARGET_NONE;
}

bool target_is_processor(const struct target *target)
{
    const uint32_t compute = target_engine_with(target, TARGET_ROLE_COMPUTE);
    return compute != TARGET_NONE && !target->memories[target->engines[compute].memory].local &&
           target_takes_all(target, compute);
}

// "engine.key" of this engine, the key being a measured time.
static bool target_is_measured(const struct target_engine *engine,
                               const struct target_setting *setting)
{
    const size_t size = strlen(engine->name);
    return strncmp(setting->name, engine->name, size) == 0 && setting->name[size] == '.' &&
           engine->price->is_key(view_of(setting->name + size + 1));
}

bool target_is_guess(const struct target *target)
{
    if (!target_is_processor(target))
        return false;
    const struct target_engine *engine =
        &target->engines[target_engine_with(target, TARGET_ROLE_COMPUTE)];
    if (engine->price->is_key == NULL)
        return false;
    for (uint32_t i = 0; i < target->setting_count; i++) {
        if (target_is_measured(engine, &target->settings[i]))
            return false;
    }
    return true;
}

double target_number(const struct target *target, const char *name, double fallback)
{
    for (uint32_t i = 0; i < target->setting_count; i++) {
        if (strcmp(target->settings[i].name, name) == 0)
            return target->settings[i].number;
    }
    return fallback;
}
