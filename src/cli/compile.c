// `opscope compile MODEL`: a network as a program for a target, with its modelled time.

#include <stdio.h>

#include "commands.h"
#include "compile_summary.h"
#include "compile_trace.h"
#include "network_input.h"
#include "table_options.h"
#include "units.h"

enum { TOP_SHOWN = 3 };

// "engine.key=value"
static status apply_setting(struct target *target, const char *text)
{
    const struct view whole = view_of(text);
    const size_t equal = view_find(whole, '=');
    char name[128];
    if (equal == whole.size || equal == 0 || equal >= sizeof name)
        return status_make(STATUS_USAGE,
                           "compile: --set '%s': expected engine.key=value, such as slice.count=1",
                           text);
    memcpy(name, text, equal);
    name[equal] = '\0';
    return status_within(target_set(target, name, text + equal + 1), "compile: --set %s", text);
}

static status cli_compile_open_target(const struct arguments *arguments,
                                      struct compiling *compiling)
{
    const char *name = arguments_value(arguments, "target");
    size_t count;
    const char *const *settings = arguments_values(arguments, "set", &count);
    if (name == NULL)
        return status_make(STATUS_USAGE, "compile: say what for: --target NAME ('opscope targets' "
                                         "lists them)");
    STATUS_TRY(status_within(target_open(name, &compiling->target), "compile"));
    STATUS_TRY(compiling_follow_rules(compiling));
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(apply_setting(compiling->target, settings[i]));
    return STATUS_OK;
}

static status cli_compile_report(const struct arguments *arguments,
                                 const struct compiling *compiling,
                                 const struct table_options *options, const char *output)
{
    const struct groups_report report = compile_summary_groups(compiling);
    struct table *groups = table_create(&GROUPS_FORM, &report, compiling->modelled->group_count);
    status result = table_options_apply(options, &groups, 1);
    if (result == STATUS_OK && options->json)
        result = compile_summary_json(compiling, groups, output);
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(groups);
    else if (result == STATUS_OK)
        compile_summary_print(compiling, groups);
    if (result == STATUS_OK && !options->json && !options->csv &&
        arguments_flag(arguments, "perf-warnings"))
        compile_summary_warnings(compiling);
    table_free(groups);
    return result;
}

// Before anything is compiled: are there such columns?
static status cli_compile_check_columns(const struct table_options *options)
{
    struct table *groups = table_create(&GROUPS_FORM, NULL, 0);
    const status result = table_options_check(options, &groups, 1);
    table_free(groups);
    return result;
}

static status compile_command_network(const struct arguments *arguments,
                                      struct compiling *compiling)
{
    const char *output = arguments_value(arguments, "output");
    const char *trace = arguments_value(arguments, "trace");
    const struct format_writer *writer = NULL;
    struct table_options options;
    if (output == NULL)
        return status_make(STATUS_USAGE, "compile: say where the program goes: -o FILE.opx");
    STATUS_TRY(table_options_read(arguments, TOP_SHOWN, &options));
    STATUS_TRY(cli_compile_check_columns(&options));
    STATUS_TRY(units_rules(arguments, "rules", &compiling->rules));
    STATUS_TRY(cli_compile_open_target(arguments, compiling));
    STATUS_TRY(compiling_open(compiling, arguments));
    STATUS_TRY(compiling_check_output(compiling, output));
    if (trace != NULL && strcmp(trace, output) == 0)
        return status_make(STATUS_USAGE, "compile: --trace and -o cannot both be '%s'", output);
    if (trace != NULL) {
        STATUS_TRY(compiling_check_output(compiling, trace));
        STATUS_TRY(status_within(format_writer_find(NULL, trace, &writer), "compile: --trace"));
    }
    STATUS_TRY(compiling_run(compiling, NULL));
    STATUS_TRY(compiling_price(compiling));
    if (trace != NULL)
        STATUS_TRY(compile_trace_write(compiling, trace, writer));
    STATUS_TRY(program_write(&compiling->program, output));
    return cli_compile_report(arguments, compiling, &options, output);
}

static status compile_command(const struct arguments *arguments, int *out_exit)
{
    struct compiling compiling = {.command = "compile"};
    (void)out_exit;
    const status result = compile_command_network(arguments, &compiling);
    compiling_free(&compiling);
    return result;
}

static const struct option OPTIONS[] = {
    {"target", 't', OPTION_ONE, "NAME", "what it is compiled for; or the path of a .target file"},
    {"output", 'o', OPTION_ONE, "FILE", "the program (.opx)"},
    NETWORK_INPUT_OPTIONS,
    {"set", 0, OPTION_EACH, "engine.key=VALUE",
     "changes the target: slice.count=1, lram.size=1MiB"},
    {"trace", 0, OPTION_ONE, "FILE", "the modelled timeline: .pb (Perfetto), .csv, .prof"},
    {"rules", 0, OPTION_ONE, "best|public",
     "how tasks are priced and values kept (best); public: as published"},
    {"perf-warnings", 0, OPTION_FLAG, NULL, "what costs time and could be avoided"},
    TABLE_OPTIONS("all of it as JSON, with exact figures", "the groups as CSV",
                  "how many of the slowest groups are shown (3; 0: all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&GROUPS_FORM, NULL};

const struct command COMMAND_COMPILE = {
    .name = "compile",
    .usage = "MODEL --target NAME -o FILE [--shape NAME=DIMS] [--top N] [--json|--csv]",
    .summary = "compile a network for a target, and model its time",
    .details = "Nothing is measured: the times are what the cost rules of the target say of the\n"
               "program. The program is proved before it is written ('opscope verify').",
    .examples =
        "  opscope compile model.onnx --target torq-sl2610 -o model.opx\n"
        "  opscope compile dynamic.onnx --define-symbol batch,1 -t torq-sl2610 -o m.opx\n"
        "  opscope compile model.onnx -t aic100 -o half.opx --convert f32=f16\n"
        "  opscope compile conv.mlir -t torq-sl2610 -o conv.opx --set slice.count=1 --top 10",
    .options = OPTIONS,
    .tables = TABLES,
    .run = compile_command,
};
