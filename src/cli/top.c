// `opscope top PROFILE`: which kernels and spans take the time.

#include <stdio.h>

#include "base/figures.h"
#include "commands.h"
#include "ledger_text.h"
#include "opened.h"
#include "reports/top.h"
#include "table_options.h"
#include "units.h"

enum { TOP_USUAL = 20 };

struct top_request {
    struct profile *profile;
    struct span_group_options what;
    struct table_options options;
    struct span_groups groups;
    struct table *table;
    const struct arguments *arguments;
};

// Before the profile is read: a time counts from its first event.
struct top_window {
    bool has_from, has_to;
    uint64_t from, to;
};

static status read_window(const struct arguments *arguments, struct top_window *out_window)
{
    const char *from = arguments_value(arguments, "from");
    const char *to = arguments_value(arguments, "to");
    out_window->has_from = from != NULL;
    out_window->has_to = to != NULL;
    if (from != NULL)
        STATUS_TRY(units_time(from, &out_window->from));
    if (to != NULL)
        STATUS_TRY(units_time(to, &out_window->to));
    if (from != NULL && to != NULL && out_window->to <= out_window->from)
        return status_make(STATUS_USAGE, "top: --to %s is not after --from %s", to, from);
    return STATUS_OK;
}

static status read_what(const struct arguments *arguments, struct span_group_options *out_what)
{
    const char *by = arguments_value(arguments, "by");
    const char *step = arguments_value(arguments, "step");
    const char *filter = arguments_value(arguments, "filter");
    *out_what = (struct span_group_options){.to = UINT64_MAX,
                                            .filter = view_of(filter != NULL ? filter : "")};
    if (by != NULL && !span_key_from_name(view_of(by), &out_what->by))
        return status_make(STATUS_USAGE,
                           "top: --by %s: name, category, track, engine, role, operator, shape, "
                           "step, module or path",
                           by);
    out_what->has_step = step != NULL;
    if (step != NULL && !view_to_u64(view_of(step), &out_what->step))
        return status_make(STATUS_USAGE, "top: --step %s is no number", step);
    return STATUS_OK;
}

// ": none of 1 226 in 12.4 ms fits --filter x --from 9s", where something was asked for.
static void say_why_none(const struct top_request *request)
{
    static const char *const ASKED[] = {"filter", "step", "from", "to"};
    const struct profile *profile = request->profile;
    char number[LEDGER_NUMBER_ROOM], length[FIGURES_ROOM];
    uint64_t spans = 0, first = 0, last = 0;
    bool asked = false;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        spans += track->provenance != PROVENANCE_DERIVED ? track->spans : 0;
    }
    profile_extent(profile, &first, &last);
    for (size_t i = 0; i < sizeof ASKED / sizeof ASKED[0] && spans > 0; i++) {
        const char *text = arguments_value(request->arguments, ASKED[i]);
        if (text == NULL)
            continue;
        if (!asked)
            printf(": none of %s in %s fits", ledger_number(spans, number),
                   figures_time(last - first, 1000000000, length));
        printf(" --%s %s", ASKED[i], text);
        asked = true;
    }
}

static void cli_top_print(const struct top_request *request, const char *path)
{
    const struct span_groups *groups = &request->groups;
    char number[LEDGER_NUMBER_ROOM];
    printf("%s: %s spans by %s", path, ledger_number(groups->spans, number),
           span_key_name(request->what.by));
    if (groups->spans == 0)
        say_why_none(request);
    printf("\n");
    if (groups->count == 0)
        return;
    table_options_print(request->table, stdout);
    if (table_count(request->table) < groups->count)
        printf("  %zu more: --top 0\n", groups->count - table_count(request->table));
}

static status cli_top_write_json(const struct top_request *request, const char *path)
{
    const struct span_groups *groups = &request->groups;
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    json_text(&json, "by", view_of(span_key_name(request->what.by)));
    json_uint(&json, "count", groups->spans);
    json_uint(&json, "device_ns", groups->self[OPERATOR_DEVICE]);
    json_uint(&json, "host_ns", groups->self[OPERATOR_HOST]);
    json_uint(&json, "unknown_ns", groups->self[OPERATOR_UNKNOWN]);
    table_json_rows(request->table, &json, "spans");
    ledger_json(&json, "ledger", request->profile);
    json_close(&json);
    return output_close(output);
}

static status cli_top_show(const struct arguments *arguments, struct top_request *request,
                           const char *path)
{
    const struct format_options options = {0};
    struct top_window window = {0};
    STATUS_TRY(table_options_read(arguments, TOP_USUAL, &request->options));
    STATUS_TRY(read_what(arguments, &request->what));
    STATUS_TRY(read_window(arguments, &window));
    STATUS_TRY(opened_read(path, &options, &request->profile));
    uint64_t first = 0;
    uint64_t last;
    profile_extent(request->profile, &first, &last);
    if (window.has_from)
        request->what.from = first + window.from;
    if (window.has_to)
        request->what.to = first + window.to;
    STATUS_TRY(span_groups_measure(request->profile, &request->what, &request->groups));
    request->table = table_create(&TOP_FORM, &request->groups, request->groups.count);
    STATUS_TRY(table_options_apply(&request->options, &request->table, 1));
    if (request->options.json)
        STATUS_TRY(cli_top_write_json(request, path));
    else if (request->options.csv)
        STATUS_TRY(table_options_write_csv(request->table));
    else
        cli_top_print(request, path);
    ledger_warn(request->profile);
    return STATUS_OK;
}

static status top_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "top: give one file: opscope top trace.json.gz");
    struct top_request request = {.arguments = arguments};
    const status result = cli_top_show(arguments, &request, words[0]);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(request.profile);
    table_free(request.table);
    span_groups_free(&request.groups);
    opened_close(request.profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"by", 0, OPTION_ONE, "KEY", "name (the usual), category, track, engine, role, operator ..."},
    {"filter", 0, OPTION_ONE, "NAMES", "spans whose name has this; with *, whose name is this"},
    {"step", 0, OPTION_ONE, "N", "of this step or iteration alone"},
    {"from", 0, OPTION_ONE, "TIME",
     "after the first event: 1.5ms, 2 (seconds), or a file with one"},
    {"to", 0, OPTION_ONE, "TIME", "up to here; spans are cut off there"},
    TABLE_OPTIONS("as JSON, with the ledger", "as CSV",
                  "how many to list (20; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&TOP_FORM, NULL};

const struct command COMMAND_TOP = {
    .name = "top",
    .usage = "FILE [--by KEY] [--filter NAMES] [--step N] [--from TIME] [--to TIME]",
    .summary = "which kernels and spans take the time, by name or what else they have in common",
    .details = "Adds up the spans of any profile: kernels, copies, operators, calls. Every "
               "nanosecond of a lane\nis in the self time of one row; what belongs to no operator, "
               "step or module is a row, too.\nShares are of the device's time, and of the host's, "
               "each by itself.\n--by is name, category, track, engine, role, operator, shape "
               "(operators with their inputs),\nstep, module or path (all names that a span lies "
               "in).",
    .examples = "  opscope top trace.json.gz\n"
                "  opscope top trace.json.gz --filter '*gemm*'\n"
                "  opscope top trace.json.gz --by module --step 3\n"
                "  opscope top runtime.prof --by engine\n"
                "  opscope top trace.json.gz --by path --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = top_command,
};
