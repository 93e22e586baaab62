// `opscope targets [NAME]`: the machines that networks are compiled for.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/memory.h"
#include "commands.h"
#include "table_options.h"
#include "target/rules/price.h"
#include "target_explain.h"

// The settings of one engine ------------------------------------------------------

// The key of a setting that belongs to an engine; NULL when it is another's.
static const char *targets_key_of(const struct target_setting *setting,
                                  const struct target_engine *engine)
{
    const size_t size = strlen(engine->name);
    const bool own = strncmp(setting->name, engine->name, size) == 0 && setting->name[size] == '.';
    return own ? setting->name + size + 1 : NULL;
}

// Text --------------------------------------------------------------------------

static const char *per_text(enum target_per per)
{
    return per == TARGET_PER_CORE ? ", per core" : per == TARGET_PER_DEVICE ? ", per device" : "";
}

static const char *targets_memory_name(const struct target *target, uint32_t memory)
{
    return memory != TARGET_NONE ? target->memories[memory].name : "nowhere";
}

static void targets_print_memory(const struct target_memory *memory)
{
    char size[FIGURES_ROOM];
    printf("  memory  %-10s %-9s %s, aligned to %" PRIu64 " B%s\n", memory->name,
           figures_bytes(memory->size, size), memory->local ? "local" : "far", memory->alignment,
           per_text(memory->per));
}

static void targets_print_engine(const struct target *target, const struct target_engine *engine)
{
    enum { WIDTH_MOST = 96 };
    int at = printf("  engine  %-10s %-9s ", engine->name, target_role_name(engine->role));
    if (engine->role == TARGET_ROLE_TRANSFER && engine->from != engine->to)
        at += printf("%s to %s", targets_memory_name(target, engine->from),
                     targets_memory_name(target, engine->to));
    else
        at += printf("in %s", targets_memory_name(target, engine->memory));
    if (engine->count > 1)
        at += printf(" x %u", engine->count);
    at += printf("%s  price %s", per_text(engine->per), engine->price->name);
    for (uint32_t i = 0; i < target->setting_count; i++) {
        const char *key = targets_key_of(&target->settings[i], engine);
        if (key == NULL)
            continue;
        const int size = (int)(strlen(key) + strlen(target->settings[i].text)) + 4;
        if (at + size > WIDTH_MOST)
            at = printf("\n%-31s", "") - 1;
        at += printf("  %s %s", key, target->settings[i].text);
    }
    printf("\n");
}

static void print_cores(const struct target *target)
{
    if (target->device_count > 1)
        printf("  devices %u\n", target->device_count);
    if (target->core_count > 1)
        printf("  cores   %u", target->core_count);
    if (target->core_count > 1 && target->grid[0] > 0)
        printf(", %u x %u", target->grid[0], target->grid[1]);
    if (target->core_count > 1)
        printf("\n");
}

static void print_port(const struct target_port *port)
{
    if (port->rate > 0)
        printf("  port    %-10s %g GB/s, %g GB/s for each user\n", port->name, port->rate / 1e9,
               port->per_user / 1e9);
    else
        printf("  port    %-10s one user at a time\n", port->name);
}

static void print_target(const struct target *target)
{
    printf("%s: %s\n  clock   %g MHz\n", target->name, target->title, (double)target->clock / 1e6);
    print_cores(target);
    for (uint32_t i = 0; i < target->memory_count; i++)
        targets_print_memory(&target->memories[i]);
    for (uint32_t i = 0; i < target->port_count; i++)
        print_port(&target->ports[i]);
    if (target->link.rate > 0)
        printf("  link    %-10s %g GB/s each way\n", "to host", target->link.rate / 1e9);
    for (uint32_t i = 0; i < target->engine_count; i++)
        targets_print_engine(target, &target->engines[i]);
}

// Kinds of prices and the keys that engines have with them.
static status print_prices(void)
{
    for (size_t i = 0; PRICE_KINDS[i] != NULL; i++) {
        const struct price_kind *kind = PRICE_KINDS[i];
        printf("%s%s: %s\n", i > 0 ? "\n" : "", kind->name, kind->summary);
        for (const struct price_key *key = kind->keys; key->name != NULL; key++)
            printf("  %-22s  %s%s%s%s\n", key->name, key->meaning,
                   key->fallback != NULL ? " (" : "", key->fallback != NULL ? key->fallback : "",
                   key->fallback != NULL ? ")" : "");
    }
    return STATUS_OK;
}

// Rows --------------------------------------------------------------------------

static const struct target *target_of(const struct table_query *query)
{
    return ((struct target *const *)query->report)[query->row];
}

static void targets_write_memories(const struct table_query *query, struct json_writer *json)
{
    const struct target *target = target_of(query);
    json_open_array(json, "memories");
    for (uint32_t i = 0; i < target->memory_count; i++) {
        const struct target_memory *memory = &target->memories[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(memory->name));
        json_uint(json, "size", memory->size);
        json_uint(json, "alignment", memory->alignment);
        json_bool(json, "local", memory->local);
        json_uint(json, "units", target_units(target, memory->per));
        json_close(json);
    }
    json_close(json);
}

static void write_setting(struct json_writer *json, const struct target_engine *engine,
                          const char *key, const struct target_setting *setting)
{
    const struct price_key *known = price_key_named(engine->price, view_of(key));
    if (known != NULL && (known->form == PRICE_LIST || known->form == PRICE_SHAPE))
        json_text(json, key, view_of(setting->text));
    else
        json_real(json, key, setting->number);
}

static void write_ports(const struct table_query *query, struct json_writer *json)
{
    const struct target *target = target_of(query);
    json_open_array(json, "ports");
    for (uint32_t i = 0; i < target->port_count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", view_of(target->ports[i].name));
        if (target->ports[i].rate > 0) {
            json_real(json, "bytes_per_second", target->ports[i].rate);
            json_real(json, "per_user", target->ports[i].per_user);
        }
        json_close(json);
    }
    json_close(json);
}

static void write_engines(const struct table_query *query, struct json_writer *json)
{
    const struct target *target = target_of(query);
    json_open_array(json, "engines");
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(engine->name));
        json_text(json, "role", view_of(target_role_name(engine->role)));
        json_uint(json, "count", engine->count);
        json_uint(json, "units", target_units(target, engine->per));
        json_text(json, "memory", view_of(targets_memory_name(target, engine->memory)));
        if (engine->role == TARGET_ROLE_TRANSFER && engine->from != engine->to) {
            json_text(json, "from", view_of(targets_memory_name(target, engine->from)));
            json_text(json, "to", view_of(targets_memory_name(target, engine->to)));
        }
        json_uint(json, "clock_hz", engine->clock);
        json_text(json, "price", view_of(engine->price->name));
        json_open_object(json, "settings");
        for (uint32_t k = 0; k < target->setting_count; k++) {
            const char *key = targets_key_of(&target->settings[k], engine);
            if (key != NULL)
                write_setting(json, engine, key, &target->settings[k]);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static struct table_cell targets_name_cell(const struct table_query *query)
{
    return table_text(view_of(target_of(query)->name));
}

static struct table_cell title_cell(const struct table_query *query)
{
    return table_text(view_of(target_of(query)->title));
}

static struct table_cell clock_cell(const struct table_query *query)
{
    return table_whole(target_of(query)->clock);
}

static struct table_cell megahertz_cell(const struct table_query *query)
{
    return table_real((double)target_of(query)->clock / 1e6);
}

static struct table_cell devices_cell(const struct table_query *query)
{
    return table_whole(target_of(query)->device_count);
}

static struct table_cell cores_cell(const struct table_query *query)
{
    return table_whole(target_of(query)->core_count);
}

static void targets_append_name(struct bytes *text, const char *name)
{
    bytes_append_format(text, "%s%s", text->size > 0 ? "; " : "", name);
}

static struct table_cell memories_cell(const struct table_query *query)
{
    for (uint32_t i = 0; i < target_of(query)->memory_count; i++)
        targets_append_name(query->scratch, target_of(query)->memories[i].name);
    return table_text(bytes_view(query->scratch));
}

static struct table_cell ports_cell(const struct table_query *query)
{
    for (uint32_t i = 0; i < target_of(query)->port_count; i++)
        targets_append_name(query->scratch, target_of(query)->ports[i].name);
    return table_text(bytes_view(query->scratch));
}

static struct table_cell engines_cell(const struct table_query *query)
{
    for (uint32_t i = 0; i < target_of(query)->engine_count; i++)
        targets_append_name(query->scratch, target_of(query)->engines[i].name);
    return table_text(bytes_view(query->scratch));
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "name", .meaning = "by which commands take it", .width = 16, .place = 1,
     .cell = targets_name_cell},
    {.key = "title", .meaning = "what it is", .place = 3, .cell = title_cell},
    {.key = "clock_hz", .meaning = "of the target's clock", .type = TABLE_HZ, .cell = clock_cell},
    {.key = "clock", .meaning = "the same, for people", .type = TABLE_REAL, .unit = "MHz",
     .digits = TABLE_AS_NEEDED, .width = 8, .gap = 1, .place = 2,
     .flags = TABLE_WITH_UNIT | TABLE_NOT_CSV | TABLE_NOT_JSON, .cell = megahertz_cell},
    {.key = "devices", .meaning = "of the machine", .type = TABLE_COUNT, .cell = devices_cell},
    {.key = "cores", .meaning = "of a device", .type = TABLE_COUNT, .cell = cores_cell},
    {.key = "memories", .meaning = "their names; in JSON with sizes", .cell = memories_cell,
     .json = targets_write_memories},
    {.key = "ports", .meaning = "their names; in JSON with rates", .cell = ports_cell,
     .json = write_ports},
    {.key = "engines", .meaning = "their names; in JSON with what they do and cost",
     .cell = engines_cell, .json = write_engines},
};
// clang-format on

static const struct table_form TARGETS_FORM = {
    .name = "targets",
    .about = "a row for each target",
    .headless = true,
    TABLE_COLUMNS(COLUMNS),
};

// Running -------------------------------------------------------------------------

static status targets_write_json(struct table *table)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    table_json_rows(table, &json, NULL);
    return output_close(output);
}

static status list_table(const struct table_options *options, struct target *const *targets,
                         size_t count)
{
    struct table *table = table_create(&TARGETS_FORM, targets, count);
    status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && options->json)
        result = targets_write_json(table);
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(table);
    else if (result == STATUS_OK)
        table_options_print(table, stdout);
    table_free(table);
    return result;
}

static void targets_print_file(const struct target *target)
{
    fwrite(target->text.data, 1, target->text.size, stdout);
}

// Those before the first that cannot be read are shown all the same.
static status targets_list(const struct table_options *options, const char *const *names,
                           size_t count, void (*print)(const struct target *))
{
    struct target **targets = memory_allocate_zeroed(count + 1, sizeof *targets);
    status failure = STATUS_OK;
    size_t opened = 0;
    while (opened < count && failure == STATUS_OK) {
        failure = target_open(names[opened], &targets[opened]);
        opened += failure == STATUS_OK;
    }
    status result = STATUS_OK;
    if (print == NULL)
        result = list_table(options, targets, opened);
    for (size_t i = 0; i < opened; i++) {
        if (print != NULL)
            print(targets[i]);
        target_free(targets[i]);
    }
    free(targets);
    return status_first(failure, result);
}

static status check_use(const struct arguments *arguments, const struct table_options *options,
                        size_t given)
{
    size_t attributes;
    const bool file = arguments_flag(arguments, "file");
    arguments_values(arguments, "attribute", &attributes);
    if (attributes > 0 || arguments_value(arguments, "rules") != NULL)
        return status_make(STATUS_USAGE, "targets: --attribute and --rules go with --explain");
    if ((options->json || options->csv) && file)
        return status_make(STATUS_USAGE, "targets: give only one of --%s and --file",
                           options->json ? "json" : "csv");
    if (file && given == 0)
        return status_make(STATUS_USAGE, "targets: --file needs a target: opscope targets NAME "
                                         "--file");
    return STATUS_OK;
}

static status targets_command(const struct arguments *arguments, int *out_exit)
{
    size_t given;
    const char *const *words = arguments_words(arguments, &given);
    const bool file = arguments_flag(arguments, "file");
    struct table_options options;
    (void)out_exit;
    STATUS_TRY(table_options_read(arguments, 0, &options));
    if (arguments_value(arguments, "explain") != NULL && options.csv)
        return status_make(STATUS_USAGE, "targets: give only one of --explain and --csv");
    if (arguments_value(arguments, "explain") != NULL)
        return file ? status_make(STATUS_USAGE, "targets: give only one of --explain and --file")
                    : target_explain(arguments);
    if (arguments_flag(arguments, "prices"))
        return given > 0 || options.json || options.csv || file
                   ? status_make(STATUS_USAGE, "targets: --prices goes with nothing else")
                   : print_prices();
    STATUS_TRY(check_use(arguments, &options, given));
    const bool table = given == 0 || options.json || options.csv || options.columns != NULL;
    size_t count = given;
    char **names = given == 0 ? target_names(&count) : NULL;
    const char *const *shown = given == 0 ? (const char *const *)names : words;
    const status result = targets_list(&options, shown, count,
                                       file    ? targets_print_file
                                       : table ? NULL
                                               : print_target);
    if (names != NULL)
        target_names_free(names, count);
    return result;
}

static const struct option OPTIONS[] = {
    {"explain", 0, OPTION_ONE, "OPERATOR",
     "what it costs with these inputs, where, and why, term by term"},
    {"attribute", 'a', OPTION_EACH, "NAME=VALUE", "of that operator, such as strides=2,2"},
    {"rules", 0, OPTION_ONE, "RULES", "best (the target's own) or public (the vendor's published)"},
    {"file", 0, OPTION_FLAG, NULL, "the target's file as it is, to copy and change"},
    {"prices", 0, OPTION_FLAG, NULL, "the kinds of prices that engines may have, and their keys"},
    TABLE_OPTIONS("as JSON, numbers in bytes, Hz and cycles", "a row for each target",
                  "how many targets (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&TARGETS_FORM, NULL};

const struct command COMMAND_TARGETS = {
    .name = "targets",
    .usage = "[NAME...] [--file] [--json|--csv] | --prices | NAME --explain OPERATOR INPUTS",
    .summary = "list the targets, show one, or explain a price",
    .details =
        "Targets are text files (docs/formats/target.md): those built in, NAME.target in a\n"
        "folder of OPSCOPE_TARGETS or in ~/.config/opscope/targets, or any path.\n"
        "\n"
        "--explain takes an operator of ONNX (Conv) or TOSA (tosa.conv2d) and its inputs, with\n"
        "commas between them: dimensions and element (1x3x224x224xi8), numbers ([1,64]) or\n"
        "nothing. It prints the terms of the price: those with + are added up, of those with\n"
        "max the largest counts.",
    .examples =
        "  opscope targets\n"
        "  opscope targets torq-sl2610\n"
        "  opscope targets torq-sl2610 --file > my.target\n"
        "  opscope targets torq-sl2610 --explain tosa.conv2d 1x56x56x64xi8,64x3x3x64xi8,64xi32\n"
        "  opscope targets host --explain Conv 1x64x56x56,64x64x3x3 -a pads=1,1,1,1",
    .options = OPTIONS,
    .tables = TABLES,
    .run = targets_command,
};
