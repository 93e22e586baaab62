// `opscope operators PROFILE`: which operators take the time.

#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "ledger_text.h"
#include "opened.h"
#include "reports/operators.h"
#include "table_options.h"

enum { TOP_USUAL = 10 };

struct request {
    struct profile *profile;
    struct operator_times times;
    struct table_options options;
    struct operator_time *blocks;
    size_t block_count;
    struct operators_report types, operators, by_block;
    struct table *tables[3]; // of these
};

static void print_table(struct table *table, size_t count)
{
    table_options_print(table, stdout);
    if (table_count(table) < count)
        printf("  %zu more: --top 0\n", count - table_count(table));
}

static void cli_operators_print_report(const struct request *request, const char *path)
{
    const struct operator_times *times = &request->times;
    char number[LEDGER_NUMBER_ROOM];
    const bool nobodys = times->nobodys;
    printf("%s: %zu operators of %zu types\n", path, times->count - nobodys,
           times->type_count - nobodys);
    if (times->count > 0) {
        print_table(request->tables[0], times->type_count);
        printf("\n");
        print_table(request->tables[1], times->count);
        if (request->block_count > 0) {
            printf("\n");
            print_table(request->tables[2], request->block_count);
        }
    }
    if (times->has_kernel)
        printf("device: from the firmware's start to its end; kernel: the kernels inside it\n");
    if (times->without == 0)
        return;
    const uint64_t shown = nobodys ? times->operators[times->count - 1].spans : 0;
    printf("%s spans belong to no operator", ledger_number(times->without, number));
    if (shown < times->without)
        printf(", of these %s in no row: others have their time, or they wait",
               ledger_number(times->without - shown, number));
    printf("\n");
}

// Absent where the profile has no times of that side.
static void write_side(struct json_writer *json, const struct request *request, const char *key,
                       enum operator_side side)
{
    if (request->operators.sides[side])
        json_uint(json, key, request->times.self[side]);
    else
        json_null(json, key);
}

static status cli_operators_write_report(const struct request *request, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    write_side(&json, request, "host_ns", OPERATOR_HOST);
    write_side(&json, request, "device_ns", OPERATOR_DEVICE);
    json_uint(&json, "spans_without_operator", request->times.without);
    table_json_rows(request->tables[0], &json, "types");
    table_json_rows(request->tables[1], &json, "operators");
    if (request->block_count > 0)
        table_json_rows(request->tables[2], &json, "blocks");
    ledger_json(&json, "ledger", request->profile);
    json_close(&json);
    return output_close(output);
}

static status make_tables(struct request *request)
{
    const struct operator_times *times = &request->times;
    request->types = operators_report_of(request->profile, times, times->types);
    request->operators = operators_report_of(request->profile, times, times->operators);
    request->tables[0] = table_create(&OPERATOR_TYPES_FORM, &request->types, times->type_count);
    request->tables[1] = table_create(&OPERATORS_FORM, &request->operators, times->count);
    request->block_count =
        operator_times_by_value(request->profile, times, "block", &request->blocks);
    request->by_block = operators_report_of(request->profile, times, request->blocks);
    request->tables[2] =
        table_create(&OPERATOR_BLOCKS_FORM, &request->by_block, request->block_count);
    return table_options_apply(&request->options, request->tables, 3);
}

static status cli_operators_show(const struct arguments *arguments, struct request *request,
                                 const char *path)
{
    const struct format_options options = {.program = arguments_value(arguments, "qpc")};
    STATUS_TRY(table_options_read(arguments, TOP_USUAL, &request->options));
    STATUS_TRY(opened_read(path, &options, &request->profile));
    STATUS_TRY(operator_times_measure(request->profile, &request->times));
    STATUS_TRY(make_tables(request));
    if (request->times.count == request->times.nobodys)
        profile_note(request->profile, 0, LEDGER_REMARK, 1, "%s: its events name no operators",
                     path);
    if (request->options.json)
        STATUS_TRY(cli_operators_write_report(request, path));
    else if (request->options.csv)
        STATUS_TRY(table_options_write_csv(request->tables[1]));
    else
        cli_operators_print_report(request, path);
    ledger_warn(request->profile);
    return STATUS_OK;
}

static status operators_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE,
                           "operators: give one file: opscope operators runtime.prof");
    struct request request = {0};
    const status result = cli_operators_show(arguments, &request, words[0]);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(request.profile);
    for (size_t i = 0; i < 3; i++)
        table_free(request.tables[i]);
    free(request.blocks);
    operator_times_free(&request.times);
    opened_close(request.profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"qpc", 0, OPTION_ONE, "FILE", "Cloud AI's statistics: the programqpc.bin that was run"},
    TABLE_OPTIONS("as JSON, with the ledger", "the operators as CSV",
                  "how many to list (10; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&OPERATORS_FORM, &OPERATOR_TYPES_FORM,
                                                  &OPERATOR_BLOCKS_FORM, NULL};

const struct command COMMAND_OPERATORS = {
    .name = "operators",
    .usage = "FILE [--top N] [--json|--csv]",
    .summary = "which operators take the time, by type and one by one",
    .details = "Adds up the spans of each operator's calls, on the device's engines and on the "
               "host.\nWhat an operator inside another took counts for the inner one alone. What "
               "lanes of\nunknown role did is kept apart; where only a device's processors were "
               "recorded, its\noperations count. Takes "
               "whatever 'convert' reads: ONNX Runtime's and PyTorch's\nprofiles, too.",
    .examples =
        "  opscope operators runtime.prof\n"
        "  opscope operators timeline.csv --top 3\n"
        "  opscope operators timeline.csv --columns name,device_ns,calls --sort calls:desc\n"
        "  opscope operators timeline.csv --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = operators_command,
};
