// `opscope targets [NAME]`: the machines that networks are compiled for.

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "figures.h"
#include "target/target.h"
#include "wire/json.h"

// The settings of one engine ------------------------------------------------------

// The key of a setting that belongs to an engine; NULL when it is another's.
static const char *key_of(const struct target_setting *setting, const struct target_engine *engine)
{
    const size_t size = strlen(engine->name);
    const bool own = strncmp(setting->name, engine->name, size) == 0 && setting->name[size] == '.';
    return own ? setting->name + size + 1 : NULL;
}

// Text --------------------------------------------------------------------------

static void print_memory(const struct target_memory *memory)
{
    char size[FIGURES_ROOM];
    printf("  memory  %-10s %-9s %s, aligned to %" PRIu64 " B\n", memory->name,
           figures_bytes(memory->size, size), memory->local ? "local" : "far", memory->alignment);
}

static void print_engine(const struct target *target, const struct target_engine *engine)
{
    enum { WIDTH_MOST = 96 };
    int at = printf("  engine  %-10s %-9s in %s", engine->name,
                    target_engine_kind_name(engine->kind), target->memories[engine->memory].name);
    if (engine->count > 1)
        at += printf(" x %u", engine->count);
    for (uint32_t i = 0; i < target->setting_count; i++) {
        const char *key = key_of(&target->settings[i], engine);
        if (key == NULL)
            continue;
        const int size = (int)(strlen(key) + strlen(target->settings[i].text)) + 4;
        if (at + size > WIDTH_MOST)
            at = printf("\n%-31s", "") - 1;
        at += printf("  %s %s", key, target->settings[i].text);
    }
    printf("\n");
}

static void print_target(const struct target *target)
{
    printf("%s: %s\n  clock   %g MHz\n", target->name, target->title, (double)target->clock / 1e6);
    for (uint32_t i = 0; i < target->memory_count; i++)
        print_memory(&target->memories[i]);
    for (uint32_t i = 0; i < target->engine_count; i++)
        print_engine(target, &target->engines[i]);
}

static void print_line(const struct target *target)
{
    printf("%-16s %4g MHz  %s\n", target->name, (double)target->clock / 1e6, target->title);
}

// JSON --------------------------------------------------------------------------

static void write_memories(struct json_writer *json, const struct target *target)
{
    json_open_array(json, "memories");
    for (uint32_t i = 0; i < target->memory_count; i++) {
        const struct target_memory *memory = &target->memories[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(memory->name));
        json_uint(json, "size", memory->size);
        json_uint(json, "alignment", memory->alignment);
        json_bool(json, "local", memory->local);
        json_close(json);
    }
    json_close(json);
}

static void write_engines(struct json_writer *json, const struct target *target)
{
    json_open_array(json, "engines");
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(engine->name));
        json_text(json, "kind", view_of(target_engine_kind_name(engine->kind)));
        json_uint(json, "count", engine->count);
        json_text(json, "memory", view_of(target->memories[engine->memory].name));
        json_open_object(json, "settings");
        for (uint32_t k = 0; k < target->setting_count; k++) {
            const char *key = key_of(&target->settings[k], engine);
            if (key != NULL)
                json_real(json, key, target->settings[k].number);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void write_target(struct json_writer *json, const struct target *target)
{
    json_open_object(json, NULL);
    json_text(json, "name", view_of(target->name));
    json_text(json, "title", view_of(target->title));
    json_uint(json, "clock_hz", target->clock);
    write_memories(json, target);
    write_engines(json, target);
    json_close(json);
}

// Running -------------------------------------------------------------------------

static status list_json(const char *const *names, size_t count)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    status failure = STATUS_OK;
    json_open_array(&json, NULL);
    for (size_t i = 0; i < count && failure == STATUS_OK; i++) {
        struct target *target;
        failure = target_open(names[i], &target);
        if (failure != STATUS_OK)
            break;
        write_target(&json, target);
        target_free(target);
    }
    json_close(&json);
    return status_first(failure, output_close(output));
}

static status list_text(const char *const *names, size_t count,
                        void (*print)(const struct target *))
{
    for (size_t i = 0; i < count; i++) {
        struct target *target;
        STATUS_TRY(target_open(names[i], &target));
        print(target);
        target_free(target);
    }
    return STATUS_OK;
}

static void print_file(const struct target *target)
{
    fwrite(target->text.data, 1, target->text.size, stdout);
}

static status run(const struct arguments *arguments, int *out_exit)
{
    size_t given;
    const char *const *words = arguments_words(arguments, &given);
    const bool json = arguments_flag(arguments, "json");
    const bool file = arguments_flag(arguments, "file");
    (void)out_exit;
    if (json && file)
        return status_make(STATUS_USAGE, "targets: give only one of --json and --file");
    if (file && given == 0)
        return status_make(STATUS_USAGE, "targets: --file needs a target: opscope targets NAME "
                                         "--file");
    size_t count = given;
    char **names = given == 0 ? target_names(&count) : NULL;
    const char *const *shown = given == 0 ? (const char *const *)names : words;
    const status result = json ? list_json(shown, count)
                               : list_text(shown, count,
                                           file         ? print_file
                                           : given == 0 ? print_line
                                                        : print_target);
    if (names != NULL)
        target_names_free(names, count);
    return result;
}

static const struct option OPTIONS[] = {
    {"file", 0, OPTION_FLAG, NULL, "the target's file as it is, to copy and change"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON, numbers in bytes, Hz and cycles"},
    {0},
};

const struct command COMMAND_TARGETS = {
    .name = "targets",
    .usage = "[NAME...] [--file] [--json]",
    .summary = "list the targets, or show one",
    .details = "Targets are text files (docs/formats/target.md): those built in, NAME.target in a\n"
               "folder of OPSCOPE_TARGETS or in ~/.config/opscope/targets, or any path.",
    .examples = "  opscope targets\n"
                "  opscope targets torq-sl2610\n"
                "  opscope targets torq-sl2610 --file > my.target",
    .options = OPTIONS,
    .run = run,
};
