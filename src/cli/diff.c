// `opscope diff A B`: what changed between two profiles, operator by operator.

#include <stdio.h>

#include "commands.h"
#include "comparing.h"
#include "ledger_text.h"
#include "reports/diff.h"
#include "table_options.h"

enum { TOP_USUAL = 20 };

static void cli_diff_print(const struct comparison *comparison, struct table *table)
{
    struct bytes text = {0};
    comparing_print(comparison, "--a and --b take several");
    diff_append_change(&comparison->total, &text);
    printf("an iteration: %.*s: %s\n", VIEW_ARGUMENTS(bytes_view(&text)),
           comparison_verdict_name(comparison->total.verdict));
    bytes_free(&text);
    table_options_print(table, stdout);
    if (table_count(table) < comparison->count)
        printf("  %zu more: --top 0\n", comparison->count - table_count(table));
}

static status cli_diff_write_json(const struct comparison *comparison, struct table *table)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    comparing_json(&json, comparison);
    comparing_json_row(&json, "total", &comparison->total);
    table_json_rows(table, &json, "changes");
    json_close(&json);
    return output_close(output);
}

// Rows come from a comparison; `options` are read.
static status cli_diff_show(const struct table_options *options,
                            const struct comparison *comparison)
{
    struct table *table = table_create(&DIFF_FORM, comparison, comparison->count);
    status result = table_options_apply(options, &table, 1);
    if (result == STATUS_OK && options->json)
        result = cli_diff_write_json(comparison, table);
    else if (result == STATUS_OK && options->csv)
        result = table_options_write_csv(table);
    else if (result == STATUS_OK)
        cli_diff_print(comparison, table);
    table_free(table);
    return result;
}

// Two words, or the files of --a and --b.
static status read_sides(const struct arguments *arguments, struct comparing *comparing)
{
    static const char *const NAMES[2] = {"a", "b"};
    size_t counts[2], word_count;
    const char *const *words = arguments_words(arguments, &word_count);
    const char *const *files[2];
    for (unsigned side = 0; side < 2; side++)
        files[side] = arguments_values(arguments, NAMES[side], &counts[side]);
    if (word_count == 2 && counts[0] == 0 && counts[1] == 0) {
        STATUS_TRY(comparing_read(comparing, 0, words[0]));
        return comparing_read(comparing, 1, words[1]);
    }
    if (word_count > 0 || counts[0] == 0 || counts[1] == 0)
        return status_make(STATUS_USAGE, "diff: give two files, or the runs of two sides: opscope "
                                         "diff --a a1.prof a2.prof --b b1.prof b2.prof");
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; i < counts[side]; i++)
            STATUS_TRY(comparing_read(comparing, side, files[side][i]));
    }
    return STATUS_OK;
}

static status diff_command(const struct arguments *arguments, int *out_exit)
{
    struct comparing comparing;
    struct comparison comparison;
    struct table_options options;
    STATUS_TRY(table_options_read(arguments, TOP_USUAL, &options));
    STATUS_TRY(comparing_read_options(arguments, &comparing));
    const status result = read_sides(arguments, &comparing);
    if (result != STATUS_OK) {
        comparing_free(&comparing);
        return result;
    }
    *out_exit = comparing.exit;
    comparing_compare(&comparing, &comparison);
    const status shown = cli_diff_show(&options, &comparison);
    comparison_free(&comparison);
    return shown;
}

static const struct option OPTIONS[] = {
    {"a", 0, OPTION_MANY, "FILE", "runs of one side"},
    {"b", 0, OPTION_MANY, "FILE", "runs of the other"},
    COMPARING_OPTIONS,
    TABLE_OPTIONS("as JSON", "as CSV", "how many to list (20; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&DIFF_FORM, NULL};

const struct command COMMAND_DIFF = {
    .name = "diff",
    .usage = "A B [--top N] [--json|--csv], or: --a FILE... --b FILE...",
    .summary = "what changed between two profiles, operator by operator, and how sure that is",
    .details =
        "Finds operators again that were renamed, fused, split or put in another order, also "
        "for another\nmachine. The time of an operator is its share of the time that passed: "
        "a moment in which several\nwork is divided among them, so that rows and idle time "
        "add up to the whole. What is called\nslower or faster is no chance, with the "
        "confidence asked for; several runs of each side, made in\nturn, tell most.",
    .examples = "  opscope diff yesterday.prof today.prof\n"
                "  opscope diff --a a1.prof a2.prof a3.prof --b b1.prof b2.prof b3.prof\n"
                "  opscope diff trace_a.json.gz trace_b.json.gz --time host\n"
                "  opscope diff old.prof new.prof --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = diff_command,
};
