// `opscope operators PROFILE`: which operators take the time.

#include <stdio.h>

#include "analysis/operator_times.h"
#include "base/figures.h"
#include "commands.h"
#include "formats/format.h"
#include "ledger_text.h"
#include "plain_text.h"

enum { TOP_USUAL = 10, SHAPES_SHOWN = 48 };

struct request {
    struct profile *profile;
    struct operator_times times;
    size_t top;                 // 0: all
    bool sides[OPERATOR_SIDES]; // what the profile has times of
};

static struct view type_of(const struct request *request, const struct operator_time *time)
{
    const struct operator_description *op = profile_operator(request->profile, time->operator_id);
    return profile_text(request->profile, op->type != 0 ? op->type : op->name);
}

static struct view name_of(const struct request *request, const struct operator_time *time)
{
    const struct operator_description *op = profile_operator(request->profile, time->operator_id);
    return profile_text(request->profile, op->name != 0 ? op->name : op->location);
}

// A text among the operator's values; "" when there is none.
static struct view text_value(const struct request *request, const struct operator_time *time,
                              const char *key)
{
    const struct profile *profile = request->profile;
    const uint32_t id = strings_find(&profile->strings, view_of(key));
    struct value_reader reader = value_read(profile_operator(profile, time->operator_id)->values);
    struct value value;
    while (id != HASH_NONE && value_next(&reader, &value)) {
        if (value.key != id)
            continue;
        if (value.kind == VALUE_TEXT)
            return value.text;
        if (value.kind == VALUE_STRING)
            return profile_text(profile, (uint32_t)value.number);
    }
    return VIEW_LITERAL("");
}

static double share_of(const struct request *request, const struct operator_time *time)
{
    enum operator_side side = OPERATOR_DEVICE;
    while (side > 0 && !request->sides[side])
        side--;
    const uint64_t whole = request->times.self[side];
    return whole == 0 ? 0 : 100.0 * (double)time->self[side] / (double)whole;
}

static size_t shown(const struct request *request, size_t count)
{
    return request->top != 0 && request->top < count ? request->top : count;
}

static void print_time(uint64_t ns)
{
    char text[FIGURES_ROOM];
    printf("%9s  ", figures_time(ns, 1000000000, text));
}

static void print_figures(const struct request *request, const struct operator_time *time)
{
    printf("  ");
    for (int side = OPERATOR_SIDES - 1; side >= 0; side--) {
        if (request->sides[side])
            print_time(time->self[side]);
    }
    printf("%5.1f %%  %7llu  %7llu  ", share_of(request, time), (unsigned long long)time->calls,
           (unsigned long long)time->spans);
}

static void print_head(const struct request *request, const char *what)
{
    printf("  ");
    if (request->sides[OPERATOR_DEVICE])
        printf("%9s  ", "device");
    if (request->sides[OPERATOR_HOST])
        printf("%9s  ", "host");
    if (request->sides[OPERATOR_UNKNOWN])
        printf("%9s  ", "unknown");
    printf("  share    calls    spans  %s\n", what);
}

static void print_types(const struct request *request)
{
    print_head(request, "type");
    for (size_t i = 0; i < shown(request, request->times.type_count); i++) {
        print_figures(request, &request->times.types[i]);
        plain_text_print(stdout, type_of(request, &request->times.types[i]), 0);
        printf("\n");
    }
}

static void print_operator(const struct request *request, const struct operator_time *time)
{
    const struct view name = name_of(request, time);
    const struct view type = type_of(request, time);
    const struct view inputs = text_value(request, time, "inputs");
    print_figures(request, time);
    plain_text_print(stdout, name, 0);
    if (!view_equal(name, type)) {
        printf("  ");
        plain_text_print(stdout, type, 0);
    }
    if (inputs.size > 0) {
        const bool cut = inputs.size > SHAPES_SHOWN;
        printf("  (");
        plain_text_print(stdout, cut ? view_slice(inputs, 0, SHAPES_SHOWN) : inputs, 0);
        printf(cut ? " ...)" : ")");
    }
    printf("\n");
}

static void print_left_out(const struct request *request, size_t count)
{
    if (shown(request, count) < count)
        printf("  %zu more: --top 0\n", count - shown(request, count));
}

static void print_report(const struct request *request, const char *path)
{
    const struct operator_times *times = &request->times;
    char number[LEDGER_NUMBER_ROOM];
    printf("%s: %zu operators of %zu types\n", path, times->count, times->type_count);
    if (times->count > 0) {
        print_types(request);
        print_left_out(request, times->type_count);
        printf("\n");
        print_head(request, "operator");
        for (size_t i = 0; i < shown(request, times->count); i++)
            print_operator(request, &times->operators[i]);
        print_left_out(request, times->count);
    }
    if (times->without > 0)
        printf("%s spans belong to no operator\n", ledger_number(times->without, number));
}

// JSON ------------------------------------------------------------------------

// Absent where the profile has no times of that side.
static void write_side(struct json_writer *json, const struct request *request, const char *key,
                       enum operator_side side, uint64_t ns)
{
    if (request->sides[side])
        json_uint(json, key, ns);
    else
        json_null(json, key);
}

static void write_times(struct json_writer *json, const struct request *request,
                        const struct operator_time *time)
{
    json_uint(json, "calls", time->calls);
    json_uint(json, "spans", time->spans);
    json_real(json, "share", share_of(request, time) / 100);
    write_side(json, request, "host_ns", OPERATOR_HOST, time->self[OPERATOR_HOST]);
    write_side(json, request, "host_total_ns", OPERATOR_HOST, time->total[OPERATOR_HOST]);
    write_side(json, request, "device_ns", OPERATOR_DEVICE, time->self[OPERATOR_DEVICE]);
    write_side(json, request, "device_total_ns", OPERATOR_DEVICE, time->total[OPERATOR_DEVICE]);
    if (request->sides[OPERATOR_UNKNOWN])
        json_uint(json, "unknown_ns", time->self[OPERATOR_UNKNOWN]);
}

static void write_operator(struct json_writer *json, const struct request *request,
                           const struct operator_time *time)
{
    static const char *const KEYS[] = {"inputs", "outputs", "provider"};
    const struct operator_description *op = profile_operator(request->profile, time->operator_id);
    json_open_object(json, NULL);
    json_text(json, "name", name_of(request, time));
    json_text(json, "type", type_of(request, time));
    if (op->location != 0)
        json_text(json, "location", profile_text(request->profile, op->location));
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const struct view text = text_value(request, time, KEYS[i]);
        if (text.size > 0)
            json_text(json, KEYS[i], text);
    }
    write_times(json, request, time);
    json_close(json);
}

static status write_report(const struct request *request, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    write_side(&json, request, "host_ns", OPERATOR_HOST, request->times.self[OPERATOR_HOST]);
    write_side(&json, request, "device_ns", OPERATOR_DEVICE, request->times.self[OPERATOR_DEVICE]);
    json_uint(&json, "spans_without_operator", request->times.without);
    json_open_array(&json, "types");
    for (size_t i = 0; i < shown(request, request->times.type_count); i++) {
        json_open_object(&json, NULL);
        json_text(&json, "type", type_of(request, &request->times.types[i]));
        write_times(&json, request, &request->times.types[i]);
        json_close(&json);
    }
    json_close(&json);
    json_open_array(&json, "operators");
    for (size_t i = 0; i < shown(request, request->times.count); i++)
        write_operator(&json, request, &request->times.operators[i]);
    json_close(&json);
    ledger_json(&json, "ledger", request->profile);
    json_close(&json);
    return output_close(output);
}

// -----------------------------------------------------------------------------

static status read_top(const struct arguments *arguments, size_t *out_top)
{
    const char *text = arguments_value(arguments, "top");
    uint64_t number = arguments_flag(arguments, "json") ? 0 : TOP_USUAL;
    if (text != NULL && !view_to_u64(view_of(text), &number))
        return status_make(STATUS_USAGE, "operators: --top '%s': expected a number, 0 for all",
                           text);
    *out_top = (size_t)number;
    return STATUS_OK;
}

static status show(const struct arguments *arguments, struct request *request, const char *path)
{
    const struct format_options options = {0};
    STATUS_TRY(read_top(arguments, &request->top));
    STATUS_TRY(format_read(path, &options, request->profile));
    STATUS_TRY(operator_times_measure(request->profile, &request->times));
    for (unsigned side = 0; side < OPERATOR_SIDES; side++)
        request->sides[side] = request->times.self[side] > 0;
    if (request->times.count == 0)
        profile_note(request->profile, 0, LEDGER_REMARK, 1, "%s: its events name no operators",
                     path);
    if (arguments_flag(arguments, "json"))
        STATUS_TRY(write_report(request, path));
    else
        print_report(request, path);
    ledger_warn(request->profile);
    return STATUS_OK;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE,
                           "operators: give one file: opscope operators runtime.prof");
    struct request request = {.profile = profile_create()};
    const status result = show(arguments, &request, words[0]);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(request.profile);
    operator_times_free(&request.times);
    profile_free(request.profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"top", 0, OPTION_ONE, "N", "how many to list (10; 0: all); as JSON, all"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON, with the ledger"},
    {0},
};

const struct command COMMAND_OPERATORS = {
    .name = "operators",
    .usage = "FILE [--top N] [--json]",
    .summary = "which operators take the time, by type and one by one",
    .details = "Adds up the spans of each operator's calls, on the device's engines and on the "
               "host.\nWhat an operator inside another took counts for the inner one alone. Takes "
               "whatever\n'convert' reads: ONNX Runtime's and PyTorch's profiles, too.",
    .examples = "  opscope operators runtime.prof\n"
                "  opscope operators timeline.csv --top 3\n"
                "  opscope operators timeline.csv --json",
    .options = OPTIONS,
    .run = run,
};
