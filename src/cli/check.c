// `opscope check DIR...`: runs ONNX-style test folders and compares.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "commands.h"
#include "limits.h"
#include "compiler/session.h"
#include "isolate.h"
#include "kernels/test_case.h"
#include "table_options.h"

// What the ONNX project's own runner allows.
static const double RTOL = 1e-3;
static const double ATOL = 1e-7;

enum { TIMEOUT_SECONDS = 60, STATUS_KINDS = 4 };

struct checking {
    struct test_case_options options;
    double timeout;
    bool in_process;
    bool verbose;
    struct table_options table_options;
    const struct test_case_list *list;
    struct test_case_result *results; // of the list
    size_t counts[STATUS_KINDS];      // by test_case_status
};

struct one_case {
    const char *folder;
    const struct test_case_options *options;
};

static void run_case(const void *context, void *result)
{
    const struct one_case *one = context;
    test_case_run(one->folder, one->options, result);
}

static void check_run_isolated(const struct checking *checking, const char *folder,
                               struct test_case_result *out_result)
{
    const struct one_case one = {folder, &checking->options};
    const status failure =
        isolate_run(run_case, &one, out_result, sizeof *out_result, checking->timeout);
    if (failure == STATUS_OK)
        return;
    *out_result = (struct test_case_result){.status = TEST_CASE_ERROR};
    snprintf(out_result->reason, sizeof out_result->reason, "%s", status_message(failure));
    status_free(failure);
}

// Rows -------------------------------------------------------------------------

static const struct test_case_result *check_result_of(const struct table_query *query)
{
    return &((const struct checking *)query->report)->results[query->row];
}

static struct table_cell case_cell(const struct table_query *query)
{
    return table_text(view_of(((const struct checking *)query->report)->list->paths[query->row]));
}

static struct table_cell check_status_cell(const struct table_query *query)
{
    return table_text(view_of(test_case_status_name(check_result_of(query)->status)));
}

static struct table_cell check_reason_cell(const struct table_query *query)
{
    return table_text_if_any(view_of(check_result_of(query)->reason));
}

static struct table_cell absolute_cell(const struct table_query *query)
{
    return table_real_if(check_result_of(query)->compared, check_result_of(query)->max_abs);
}

static struct table_cell relative_cell(const struct table_query *query)
{
    return table_real_if(check_result_of(query)->compared, check_result_of(query)->max_rel);
}

static struct table_cell sets_cell(const struct table_query *query)
{
    return table_whole(check_result_of(query)->data_sets);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "case", .meaning = "the folder", .place = 2, .cell = case_cell},
    {.key = "status", .meaning = "pass, fail, error or skip", .place = 1, .cell = check_status_cell},
    {.key = "reason", .meaning = "why it does not pass", .place = 3, .cell = check_reason_cell},
    {.key = "max_abs", .meaning = "largest difference of a number", .type = TABLE_REAL,
     .digits = TABLE_AS_NEEDED, .place = 4, .cell = absolute_cell},
    {.key = "max_rel", .meaning = "largest difference over what was expected", .type = TABLE_REAL,
     .digits = TABLE_AS_NEEDED, .place = 5, .cell = relative_cell},
    {.key = "data_sets", .meaning = "that were compared", .type = TABLE_COUNT, .place = 6,
     .cell = sets_cell},
};
// clang-format on

static const struct table_form CHECK_FORM = {
    .name = "cases",
    .about = "a row for each test folder",
    TABLE_COLUMNS(COLUMNS),
};

// A line of its own, written at once: what was found survives whatever comes.
static status check_write_json(struct table *table, size_t index)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write_lines(output);
    json_open_object(&json, NULL);
    table_json_members(table, &json, index);
    json_close(&json);
    return output_close(output);
}

static void check_print_text(const char *folder, const struct test_case_result *result)
{
    printf("%-5s %s", test_case_status_name(result->status), folder);
    if (result->status == TEST_CASE_PASS)
        printf("  (largest difference %.3g, relative %.3g)", result->max_abs, result->max_rel);
    else
        printf("\n      %s", result->reason);
    printf("\n");
    fflush(stdout);
}

static void check_case(struct checking *checking, size_t index)
{
    const char *folder = checking->list->paths[index];
    struct test_case_result *result = &checking->results[index];
    if (checking->in_process)
        test_case_run(folder, &checking->options, result);
    else
        check_run_isolated(checking, folder, result);
    checking->counts[result->status]++;
}

// Each case as soon as it is known, where nothing that comes later can change it.
static bool shows_at_once(const struct table_options *options)
{
    return !options->csv && options->sort == NULL && options->top == 0 &&
           (options->json || options->columns == NULL);
}

static status show_case(const struct checking *checking, struct table *table, size_t index)
{
    const struct test_case_result *result = &checking->results[index];
    if (checking->table_options.json)
        return check_write_json(table, index);
    if (checking->verbose || result->status != TEST_CASE_PASS)
        check_print_text(checking->list->paths[index], result);
    return STATUS_OK;
}

static void keep_failing(const struct checking *checking, struct table *table)
{
    uint32_t *kept = memory_allocate_zeroed(checking->list->count + 1, sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < checking->list->count; i++) {
        if (checking->results[i].status != TEST_CASE_PASS)
            kept[count++] = (uint32_t)i;
    }
    table_order(table, kept, count);
    free(kept);
}

static status show_cases(const struct checking *checking, struct table *table)
{
    const struct table_options *options = &checking->table_options;
    if (!options->json && !options->csv && !checking->verbose)
        keep_failing(checking, table);
    STATUS_TRY(table_options_apply(options, &table, 1));
    if (options->csv)
        return table_options_write_csv(table);
    for (size_t i = 0; options->json && i < table_count(table); i++)
        STATUS_TRY(check_write_json(table, i));
    if (!options->json)
        table_options_print(table, stdout);
    return STATUS_OK;
}

static status check_cases(struct checking *checking, struct table *table)
{
    const bool at_once = shows_at_once(&checking->table_options);
    const size_t count = checking->list->count;
    if (at_once)
        STATUS_TRY(table_options_apply(&checking->table_options, &table, 1));
    for (size_t i = 0; i < count; i++) {
        check_case(checking, i);
        if (at_once)
            STATUS_TRY(show_case(checking, table, i));
    }
    if (!at_once)
        STATUS_TRY(show_cases(checking, table));
    const size_t *counts = checking->counts;
    // JSON and CSV readers count for themselves.
    if (!checking->table_options.json && !checking->table_options.csv)
        printf("%zu of %zu cases pass; %zu fail, %zu errors, %zu skipped\n", counts[TEST_CASE_PASS],
               count, counts[TEST_CASE_FAIL], counts[TEST_CASE_ERROR], counts[TEST_CASE_SKIP]);
    return STATUS_OK;
}

static status check_list(struct checking *checking, const struct test_case_list *list,
                         int *out_exit)
{
    checking->list = list;
    checking->results = memory_allocate_zeroed(list->count + 1, sizeof *checking->results);
    struct table *table = table_create(&CHECK_FORM, checking, list->count);
    // Wrong use is said before the first test runs.
    status result = table_options_check(&checking->table_options, &table, 1);
    if (result == STATUS_OK)
        result = check_cases(checking, table);
    if (checking->counts[TEST_CASE_PASS] < list->count)
        *out_exit = EXIT_FAILED;
    table_free(table);
    free(checking->results);
    return result;
}

static status check_read_real(const struct arguments *arguments, const char *name, double fallback,
                              double *out_number)
{
    const char *text = arguments_value(arguments, name);
    *out_number = fallback;
    if (text != NULL &&
        (!view_to_double(view_of(text), out_number) || !(*out_number >= 0) || isinf(*out_number)))
        return status_make(STATUS_USAGE, "check: --%s: '%s' is not a number of at least 0", name,
                           text);
    return STATUS_OK;
}

static status check_open_session(struct network *network, unsigned threads, void **out_context)
{
    *out_context = session_create(network, &(struct session_options){.threads = threads});
    return STATUS_OK;
}

static status check_run_session(void *context, struct datum *const *inputs, size_t input_count,
                                struct datum **out_outputs)
{
    return session_run(context, inputs, input_count, out_outputs);
}

static void check_close_session(void *context)
{
    session_free(context);
}

// As `opscope infer` does.
static const struct test_case_engine SESSION = {check_open_session, check_run_session,
                                                check_close_session};

// The tolerance goes with the elements unless the user says another one.
static status read_conversion(const struct arguments *arguments, struct test_case_options *options)
{
    struct conversion conversion;
    options->conversion = arguments_value(arguments, "convert");
    if (options->conversion == NULL)
        return STATUS_OK;
    STATUS_TRY(
        status_within(conversion_parse(options->conversion, &conversion), "check: --convert"));
    if (conversion.ports)
        return status_make(STATUS_USAGE,
                           "check: --convert %s: outputs of other elements cannot be compared",
                           options->conversion);
    if (arguments_value(arguments, "rtol") == NULL && arguments_value(arguments, "atol") == NULL)
        options->tolerance.of_largest = conversion_tolerance(&conversion);
    return STATUS_OK;
}

static status check_read_options(const struct arguments *arguments, struct checking *checking)
{
    STATUS_TRY(table_options_read(arguments, 0, &checking->table_options));
    STATUS_TRY(check_read_real(arguments, "rtol", RTOL, &checking->options.tolerance.rtol));
    STATUS_TRY(check_read_real(arguments, "atol", ATOL, &checking->options.tolerance.atol));
    STATUS_TRY(check_read_real(arguments, "timeout", TIMEOUT_SECONDS, &checking->timeout));
    if (!(checking->timeout > 0) || checking->timeout > 1e6)
        return status_make(STATUS_USAGE, "check: --timeout: more than 0, at most 1000000 seconds");
    STATUS_TRY(arguments_number(arguments, "threads", 0, &checking->options.threads));
    STATUS_TRY(read_conversion(arguments, &checking->options));
    checking->in_process = arguments_flag(arguments, "in-process");
    checking->options.engine = arguments_flag(arguments, "plain") ? NULL : &SESSION;
    checking->verbose = arguments_flag(arguments, "verbose");
    return STATUS_OK;
}

static status check_command(const struct arguments *arguments, int *out_exit)
{
    struct checking checking = {0};
    size_t count;
    const char *const *folders = arguments_words(arguments, &count);
    STATUS_TRY(check_read_options(arguments, &checking));
    if (count == 0)
        return status_make(STATUS_USAGE, "check: give a folder of tests: opscope check DIR");
    struct test_case_list list = {0};
    status result = STATUS_OK;
    for (size_t i = 0; i < count && result == STATUS_OK; i++)
        result = test_case_find(folders[i], &list);
    if (result == STATUS_OK && list.count == 0)
        result = status_make(STATUS_NOT_FOUND,
                             "%s: there is no folder with a model.onnx in it or below", folders[0]);
    if (result == STATUS_OK)
        result = check_list(&checking, &list, out_exit);
    test_case_list_free(&list);
    return result;
}

static const struct option OPTIONS[] = {
    TABLE_OPTIONS("one JSON object a line for each case", "a row for each case",
                  "how many cases to list (all)"),
    {"verbose", 'v', OPTION_FLAG, NULL, "list the cases that pass as well"},
    {"convert", 0, OPTION_ONE, "f32=f16,i64=i32", "elements that the networks are computed in"},
    {"rtol", 0, OPTION_ONE, "X", "relative tolerance (1e-3)"},
    {"atol", 0, OPTION_ONE, "X", "absolute tolerance (1e-7)"},
    {"threads", 0, OPTION_ONE, "N", "threads (one for each CPU)"},
    {"plain", 0, OPTION_FLAG, NULL, "operator by operator, as the network is written"},
    {"timeout", 0, OPTION_ONE, "SECONDS", "for each case (60)"},
    {"in-process", 0, OPTION_FLAG, NULL, "no process of its own for each case, and no timeout"},
    LIMITS_OPTIONS,
    {0},
};

static const struct table_form *const TABLES[] = {&CHECK_FORM, NULL};

const struct command COMMAND_CHECK = {
    .name = "check",
    .usage = "DIR... [--json] [--rtol X] [--atol X]",
    .summary = "run test folders of networks and compare with their outputs",
    .details =
        "A test is a folder with model.onnx and test_data_set_N/{input_K,output_K}.pb, as in the\n"
        "ONNX project; folders are searched for them. A number passes when it differs from the\n"
        "expected one by at most atol + rtol * |expected|; integers, bools and texts must be\n"
        "equal. With --convert they may differ by 2^-8 (f16) or 2^-5 (bf16) of an output's "
        "largest\n"
        "magnitude more, unless --rtol or --atol are given. Each test runs in a process of its "
        "own: a crash is an error of that test. Exit 1\n"
        "unless all pass.",
    .examples = "  opscope check models/squeezenet\n"
                "  opscope check /usr/share/libonnx-testdata/data/node --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = check_command,
};
