// `opscope gate BASE NEW`: whether something became slower than it may.

#include <stdio.h>
#include <stdlib.h>

#include "base/letters.h"
#include "commands.h"
#include "comparing.h"
#include "reports/gate.h"

// "3%", "3", "0.5 %": percent.
static status read_limit(const struct arguments *arguments, double *out_limit)
{
    const char *text = arguments_value(arguments, "max-regress");
    char *end = NULL;
    const double percent = text != NULL ? strtod(text, &end) : 3;
    while (end != NULL && (*end == ' ' || *end == '%'))
        end++;
    if (end != NULL && (end == text || *end != '\0' || !(percent > 0 && percent <= 1000)))
        return status_make(STATUS_USAGE, "gate: --max-regress %s: percent, above 0: 3%%", text);
    *out_limit = percent / 100;
    return STATUS_OK;
}

static status write_text(const char *path, const struct bytes *text)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    output_write(output, text->data, text->size);
    return output_close(output);
}

static status cli_gate_write_json(const struct gate_report *report)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "outcome", view_of(gate_outcome_name(report->outcome)));
    json_real(&json, "max_regress", report->limit);
    comparing_json(&json, report->comparison);
    json_open_array(&json, "judged");
    for (size_t i = 0; i < report->count; i++) {
        const struct gate_row *row = &report->rows[i];
        json_open_object(&json, NULL);
        json_text(&json, "name", gate_row_name(row));
        json_text(&json, "outcome", view_of(gate_outcome_name(row->decision.outcome)));
        if (row->decision.outcome == GATE_UNDECIDED)
            json_uint(&json, "runs_needed", row->decision.needed);
        comparing_json_row(&json, "compared", row->row);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    return output_close(output);
}

static void cli_gate_print(const struct gate_report *report)
{
    comparing_print(report->comparison, "give several of each");
    for (size_t i = 0; i < report->count; i++) {
        const struct gate_row *row = &report->rows[i];
        struct bytes text = {0};
        struct bytes name = {0};
        if (i > 0 && row->decision.outcome == GATE_PASSED)
            continue;
        gate_row_append(report, row, &text);
        letters_append(&name, gate_row_name(row), 60, LETTERS_CUT_MIDDLE);
        printf("%s: %.*s: %.*s\n", gate_outcome_name(row->decision.outcome),
               VIEW_ARGUMENTS(bytes_view(&name)), VIEW_ARGUMENTS(bytes_view(&text)));
        bytes_free(&text);
        bytes_free(&name);
    }
}

static status write_reports(const struct arguments *arguments, const struct gate_report *report)
{
    const char *markdown = arguments_value(arguments, "markdown");
    const char *junit = arguments_value(arguments, "junit");
    struct bytes text = {0};
    status result = STATUS_OK;
    if (markdown != NULL) {
        gate_append_markdown(report, &text);
        result = write_text(markdown, &text);
        text.size = 0;
    }
    if (junit != NULL && result == STATUS_OK) {
        gate_append_junit(report, &text);
        result = write_text(junit, &text);
    }
    bytes_free(&text);
    if (result == STATUS_OK && arguments_flag(arguments, "json"))
        return cli_gate_write_json(report);
    if (result == STATUS_OK)
        cli_gate_print(report);
    return result;
}

static int exit_of(const struct arguments *arguments, enum gate_outcome outcome, int loss)
{
    if (outcome == GATE_FAILED)
        return EXIT_REGRESSED;
    if (outcome == GATE_UNDECIDED && arguments_flag(arguments, "strict"))
        return EXIT_UNDECIDED;
    return loss;
}

static status judge_runs(const struct arguments *arguments, struct comparing *comparing,
                         double limit, int *out_exit)
{
    struct comparison comparison;
    struct gate_report report;
    comparing_compare(comparing, &comparison);
    gate_report_make(&comparison, limit, arguments_flag(arguments, "operators"), &report);
    const status result = write_reports(arguments, &report);
    *out_exit = exit_of(arguments, report.outcome, comparing->exit);
    gate_report_free(&report);
    comparison_free(&comparison);
    return result;
}

// All words are runs that are kept.
static status save_runs(struct comparing *comparing, const char *const *words, size_t count,
                        const char *path)
{
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(comparing_read(comparing, 0, words[i]));
    STATUS_TRY(kept_runs_write(&comparing->runs[0], path));
    fprintf(stderr, "%s: %zu run%s kept\n", path, comparing->runs[0].count,
            comparing->runs[0].count == 1 ? "" : "s");
    return STATUS_OK;
}

// Nothing is judged where runs are kept.
static status check_saving(const struct arguments *arguments)
{
    static const char *const JUDGING[] = {"max-regress", "markdown", "junit"};
    bool judging = arguments_flag(arguments, "json") || arguments_flag(arguments, "operators") ||
                   arguments_flag(arguments, "strict");
    for (size_t i = 0; i < sizeof JUDGING / sizeof *JUDGING; i++)
        judging = judging || arguments_value(arguments, JUDGING[i]) != NULL;
    if (judging && arguments_value(arguments, "save") != NULL)
        return status_make(STATUS_USAGE, "gate: --save keeps runs and judges nothing: keep them "
                                         "first, then gate without it");
    return STATUS_OK;
}

static status read_and_judge(const struct arguments *arguments, struct comparing *comparing,
                             int *out_exit)
{
    size_t count, base_count;
    const char *const *words = arguments_words(arguments, &count);
    const char *const *bases = arguments_values(arguments, "base", &base_count);
    const char *save = arguments_value(arguments, "save");
    double limit;
    STATUS_TRY(read_limit(arguments, &limit));
    STATUS_TRY(check_saving(arguments));
    if (save != NULL && count > 0 && base_count == 0) {
        STATUS_TRY(save_runs(comparing, words, count, save));
        *out_exit = comparing->exit;
        return STATUS_OK;
    }
    const size_t first = base_count == 0; // of the new ones
    if (save != NULL || count < first + 1)
        return status_make(STATUS_USAGE,
                           "gate: give a base and what is new: opscope gate base.json new1.prof "
                           "new2.prof ..., or new1.prof new2.prof --base old1.prof old2.prof; or "
                           "runs to keep: opscope gate --save base.json run1.prof ...");
    for (size_t i = 0; i < base_count; i++)
        STATUS_TRY(comparing_read(comparing, 0, bases[i]));
    if (first == 1)
        STATUS_TRY(comparing_read(comparing, 0, words[0]));
    for (size_t i = first; i < count; i++)
        STATUS_TRY(comparing_read(comparing, 1, words[i]));
    return judge_runs(arguments, comparing, limit, out_exit);
}

static status gate_command(const struct arguments *arguments, int *out_exit)
{
    struct comparing comparing;
    STATUS_TRY(comparing_read_options(arguments, &comparing));
    const status result = read_and_judge(arguments, &comparing, out_exit);
    comparing_free(&comparing);
    return result;
}

static const struct option OPTIONS[] = {
    {"max-regress", 0, OPTION_ONE, "PERCENT", "how much slower it may become (3%)"},
    {"base", 0, OPTION_MANY, "FILE", "runs of the base, where they are several files"},
    {"save", 0, OPTION_ONE, "FILE", "keeps the runs that are given, as a base for later"},
    {"operators", 0, OPTION_FLAG, NULL, "judges each operator of 1 % of the time, too"},
    {"strict", 0, OPTION_FLAG, NULL, "exit 5 where nobody can tell, instead of 0"},
    {"markdown", 0, OPTION_ONE, "FILE", "writes it for a pull request"},
    {"junit", 0, OPTION_ONE, "FILE", "writes it as JUnit's XML"},
    COMPARING_OPTIONS,
    {"json", 0, OPTION_FLAG, NULL, "as JSON"},
    {0},
};

const struct command COMMAND_GATE = {
    .name = "gate",
    .usage = "BASE NEW... [--max-regress 3%], or: --save BASE RUN...",
    .summary = "whether something became slower than it may, beyond noise; for CI",
    .details =
        "It fails (exit 4) when the slowdown is no chance and is not shown to keep to the limit; "
        "it "
        "passes\nwhen it is shown to keep to it. Where nobody can tell, it says how many runs "
        "would; "
        "that is exit 0,\nor 5 with --strict. A profile is a run, of which the quick iterations "
        "count (--statistic); both\nsides need several, at best made in turn (base, new, base, new "
        "...): what a machine does besides\nthen meets both. Modelled times need one.",
    .examples =
        "  opscope gate --save base.json run1.prof run2.prof run3.prof run4.prof run5.prof\n"
        "  opscope gate base.json new1.prof new2.prof new3.prof new4.prof new5.prof\n"
        "  opscope gate base.json new*.prof --max-regress 1% --junit gate.xml\n"
        "  opscope gate old.prof new.prof --operators --markdown comment.md",
    .exits = "4 slower than it may become, 5 nobody can tell (--strict)",
    .options = OPTIONS,
    .run = gate_command,
};
