// `opscope check DIR...`: runs ONNX-style test folders and compares.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "isolate.h"
#include "compiler/session.h"
#include "kernels/test_case.h"
#include "wire/json.h"

// What the ONNX project's own runner allows.
static const double RTOL = 1e-3;
static const double ATOL = 1e-7;

enum { TIMEOUT_SECONDS = 60, STATUS_KINDS = 4 };

struct checking {
    struct test_case_options options;
    double timeout;
    bool in_process;
    bool json;
    bool verbose;
    size_t counts[STATUS_KINDS]; // by test_case_status
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

static void run_isolated(const struct checking *checking, const char *folder,
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

// A line of its own, written at once: what was found survives whatever comes.
static status print_json(const char *folder, const struct test_case_result *result)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write_lines(output);
    json_open_object(&json, NULL);
    json_text(&json, "case", view_of(folder));
    json_text(&json, "status", view_of(test_case_status_name(result->status)));
    if (result->reason[0] != '\0')
        json_text(&json, "reason", view_of(result->reason));
    else
        json_null(&json, "reason");
    if (result->compared) {
        json_real(&json, "max_abs", result->max_abs);
        json_real(&json, "max_rel", result->max_rel);
    } else {
        json_null(&json, "max_abs");
        json_null(&json, "max_rel");
    }
    json_uint(&json, "data_sets", result->data_sets);
    json_close(&json);
    return output_close(output);
}

static void print_text(const char *folder, const struct test_case_result *result)
{
    printf("%-5s %s", test_case_status_name(result->status), folder);
    if (result->status == TEST_CASE_PASS)
        printf("  (largest difference %.3g, relative %.3g)", result->max_abs, result->max_rel);
    else
        printf("\n      %s", result->reason);
    printf("\n");
    fflush(stdout);
}

static status check_case(struct checking *checking, const char *folder)
{
    struct test_case_result result = {0};
    if (checking->in_process)
        test_case_run(folder, &checking->options, &result);
    else
        run_isolated(checking, folder, &result);
    checking->counts[result.status]++;
    if (checking->json)
        return print_json(folder, &result);
    if (checking->verbose || result.status != TEST_CASE_PASS)
        print_text(folder, &result);
    return STATUS_OK;
}

static status check_cases(struct checking *checking, const struct test_case_list *list,
                          int *out_exit)
{
    for (size_t i = 0; i < list->count; i++)
        STATUS_TRY(check_case(checking, list->paths[i]));
    const size_t *counts = checking->counts;
    const size_t passed = counts[TEST_CASE_PASS];
    if (passed < list->count)
        *out_exit = EXIT_FAILED;
    // JSON readers count for themselves.
    if (!checking->json)
        printf("%zu of %zu cases pass; %zu fail, %zu errors, %zu skipped\n", passed, list->count,
               counts[TEST_CASE_FAIL], counts[TEST_CASE_ERROR], counts[TEST_CASE_SKIP]);
    return STATUS_OK;
}

static status read_real(const struct arguments *arguments, const char *name, double fallback,
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

static status open_session(struct network *network, unsigned threads, void **out_context)
{
    *out_context = session_create(network, &(struct session_options){.threads = threads});
    return STATUS_OK;
}

static status run_session(void *context, struct datum *const *inputs, size_t input_count,
                          struct datum **out_outputs)
{
    return session_run(context, inputs, input_count, out_outputs);
}

static void close_session(void *context)
{
    session_free(context);
}

// As `opscope infer` does.
static const struct test_case_engine SESSION = {open_session, run_session, close_session};

static status read_options(const struct arguments *arguments, struct checking *checking)
{
    STATUS_TRY(read_real(arguments, "rtol", RTOL, &checking->options.tolerance.rtol));
    STATUS_TRY(read_real(arguments, "atol", ATOL, &checking->options.tolerance.atol));
    STATUS_TRY(read_real(arguments, "timeout", TIMEOUT_SECONDS, &checking->timeout));
    if (!(checking->timeout > 0) || checking->timeout > 1e6)
        return status_make(STATUS_USAGE, "check: --timeout: more than 0, at most 1000000 seconds");
    STATUS_TRY(arguments_number(arguments, "threads", 0, &checking->options.threads));
    checking->in_process = arguments_flag(arguments, "in-process");
    checking->json = arguments_flag(arguments, "json");
    checking->options.engine = arguments_flag(arguments, "plain") ? NULL : &SESSION;
    checking->verbose = arguments_flag(arguments, "verbose");
    return STATUS_OK;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    struct checking checking = {0};
    size_t count;
    const char *const *folders = arguments_words(arguments, &count);
    STATUS_TRY(read_options(arguments, &checking));
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
        result = check_cases(&checking, &list, out_exit);
    test_case_list_free(&list);
    return result;
}

static const struct option OPTIONS[] = {
    {"json", 0, OPTION_FLAG, NULL, "one JSON object a line for each case"},
    {"verbose", 'v', OPTION_FLAG, NULL, "list the cases that pass as well"},
    {"rtol", 0, OPTION_ONE, "X", "relative tolerance (1e-3)"},
    {"atol", 0, OPTION_ONE, "X", "absolute tolerance (1e-7)"},
    {"threads", 0, OPTION_ONE, "N", "threads (one for each CPU)"},
    {"plain", 0, OPTION_FLAG, NULL, "operator by operator, as the network is written"},
    {"timeout", 0, OPTION_ONE, "SECONDS", "for each case (60)"},
    {"in-process", 0, OPTION_FLAG, NULL, "no process of its own for each case, and no timeout"},
    {0},
};

const struct command COMMAND_CHECK = {
    .name = "check",
    .usage = "DIR... [--json] [--rtol X] [--atol X]",
    .summary = "run test folders of networks and compare with their outputs",
    .details =
        "A test is a folder with model.onnx and test_data_set_N/{input_K,output_K}.pb, as in the\n"
        "ONNX project; folders are searched for them. A number passes when it differs from the\n"
        "expected one by at most atol + rtol * |expected|; integers, bools and texts must be\n"
        "equal. Each test runs in a process of its own: a crash is an error of that test. Exit 1\n"
        "unless all pass.",
    .examples = "  opscope check models/squeezenet\n"
                "  opscope check /usr/share/libonnx-testdata/data/node --json",
    .options = OPTIONS,
    .run = run,
};
