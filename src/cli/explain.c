// `opscope explain FILE`: what limits a recorded run.

#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "dependence_text.h"
#include "ledger_text.h"
#include "opened.h"
#include "peaks.h"
#include "plain_text.h"
#include "reports/explain.h"
#include "table_options.h"

enum { TOP_USUAL = 5, SENTENCE_WIDTH = 98 };

enum { TABLE_OPERATORS, TABLE_ROLES, TABLE_ROOFLINE, TABLE_MEMORY, TABLES_MOST };

struct explain_request {
    struct profile *profile;
    struct peaks peaks;
    struct explanation explanation;
    struct table_options options;
    enum explain_by by;
    struct explain_path paths[2]; // what --by says, and by role
    struct explain_holders holders;
    struct table *tables[TABLES_MOST];
};

static status read_by(const struct arguments *arguments, enum explain_by *out_by)
{
    const char *by = arguments_value(arguments, "by");
    for (unsigned i = 0; by != NULL && i < EXPLAIN_BY; i++) {
        if (view_is(view_of(by), explain_by_name(i))) {
            *out_by = i;
            return STATUS_OK;
        }
    }
    *out_by = EXPLAIN_BY_OPERATOR;
    return by == NULL ? STATUS_OK
                      : status_make(STATUS_USAGE, "explain: --by %s: operator, role or track", by);
}

static void make_tables(struct explain_request *request)
{
    const struct explanation *explanation = &request->explanation;
    request->paths[0] = (struct explain_path){explanation, request->by};
    request->paths[1] = (struct explain_path){explanation, EXPLAIN_BY_ROLE};
    request->holders = explain_holders(explanation);
    request->tables[TABLE_OPERATORS] = table_create(&EXPLAIN_PATH_FORM, &request->paths[0],
                                                    explain_path_shares(&request->paths[0])->count);
    request->tables[TABLE_ROLES] = table_create(&EXPLAIN_PATH_FORM, &request->paths[1],
                                                explain_path_shares(&request->paths[1])->count);
    request->tables[TABLE_ROOFLINE] =
        table_create(&EXPLAIN_ROOFLINE_FORM, explanation, explanation->roofline.count);
    request->tables[TABLE_MEMORY] =
        table_create(&EXPLAIN_MEMORY_FORM, &request->holders, request->holders.count);
}

static void print_table(struct table *table, size_t all)
{
    if (all == 0)
        return;
    printf("\n");
    table_options_print(table, stdout);
    if (table_count(table) < all)
        printf("  %zu more: --top 0\n", all - table_count(table));
}

// Wrapped between words.
static void print_sentences(struct view text)
{
    size_t column = 0;
    while (text.size > 0) {
        size_t length = 0;
        while (length < text.size && text.data[length] != ' ' && text.data[length] != '\n')
            length++;
        if (column > 0 && column + 1 + length > SENTENCE_WIDTH) {
            printf("\n");
            column = 0;
        }
        printf("%s", column > 0 ? " " : "");
        plain_text_put((struct view){text.data, length});
        column += length + (column > 0);
        if (length < text.size && text.data[length] == '\n') {
            printf("\n");
            column = 0;
        }
        length += length < text.size;
        text = (struct view){text.data + length, text.size - length};
    }
}

static void cli_explain_print(const struct explain_request *request, const char *path)
{
    const struct explanation *explanation = &request->explanation;
    struct bytes text = {0};
    plain_text_put(view_of(path));
    printf("\n");
    explanation_sentences(explanation, &text);
    print_sentences(bytes_view(&text));
    bytes_free(&text);
    if (explanation->path.last == DEPENDENCE_NONE)
        return;
    print_table(request->tables[TABLE_OPERATORS], explain_path_shares(&request->paths[0])->count);
    if (request->by != EXPLAIN_BY_ROLE)
        print_table(request->tables[TABLE_ROLES], explain_path_shares(&request->paths[1])->count);
    print_table(request->tables[TABLE_ROOFLINE], explanation->roofline.count);
    if (explanation->roofline.count > 0 && request->peaks.from != NULL)
        printf("  peaks: %s\n", request->peaks.from);
    print_table(request->tables[TABLE_MEMORY], request->holders.count);
    printf("\n");
    dependence_print(&explanation->dependence);
}

static void write_gaps(struct json_writer *json, const struct critical_path *path)
{
    json_open_object(json, "gaps");
    for (unsigned i = 0; i <= DEPENDENCE_KINDS; i++) {
        json_open_object(json, i < DEPENDENCE_KINDS ? dependence_kind_name(i) : "nothing");
        json_uint(json, "ns", path->gaps[i]);
        json_uint(json, "pieces", path->waits[i]);
        json_close(json);
    }
    json_close(json);
}

static status cli_explain_write_json(const struct explain_request *request, const char *path)
{
    const struct explanation *explanation = &request->explanation;
    struct bytes text = {0};
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    explanation_sentences(explanation, &text);
    json_text(&json, "verdict", bytes_view(&text));
    bytes_free(&text);
    json_uint(&json, "length_ns", explanation->path.length);
    json_uint(&json, "work_ns", explanation->path.work);
    json_uint(&json, "path_pieces", explanation->path.nodes);
    write_gaps(&json, &explanation->path);
    json_text(&json, "by", view_of(explain_by_name(request->by)));
    table_json_rows(request->tables[TABLE_OPERATORS], &json, "critical_path");
    table_json_rows(request->tables[TABLE_ROLES], &json, "roles");
    json_text(&json, "peaks", view_of(request->peaks.from != NULL ? request->peaks.from : ""));
    table_json_rows(request->tables[TABLE_ROOFLINE], &json, "roofline");
    table_json_rows(request->tables[TABLE_MEMORY], &json, "memory");
    dependence_json(&json, "dependences", &explanation->dependence);
    ledger_json(&json, "ledger", request->profile);
    json_close(&json);
    return output_close(output);
}

static status cli_explain_show(const struct arguments *arguments, struct explain_request *request,
                               const char *path)
{
    const struct format_options options = {0};
    STATUS_TRY(table_options_read(arguments, TOP_USUAL, &request->options));
    STATUS_TRY(read_by(arguments, &request->by));
    STATUS_TRY(peaks_read_options(arguments, &request->peaks));
    STATUS_TRY(opened_read(path, &options, &request->profile));
    STATUS_TRY(peaks_complete(arguments, request->profile, &request->peaks));
    STATUS_TRY(explanation_make(request->profile, &request->peaks.peaks, &request->explanation));
    make_tables(request);
    STATUS_TRY(table_options_apply(&request->options, request->tables, TABLES_MOST));
    if (request->options.json)
        STATUS_TRY(cli_explain_write_json(request, path));
    else if (request->options.csv)
        STATUS_TRY(table_options_write_csv(request->tables[TABLE_OPERATORS]));
    else
        cli_explain_print(request, path);
    ledger_warn(request->profile);
    return STATUS_OK;
}

static status explain_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "explain: give one file: opscope explain run.prof");
    struct explain_request request = {0};
    const status result = cli_explain_show(arguments, &request, words[0]);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(request.profile);
    for (unsigned i = 0; i < TABLES_MOST; i++)
        table_free(request.tables[i]);
    free(request.holders.rows);
    if (request.explanation.profile != NULL)
        explanation_free(&request.explanation);
    peaks_free(&request.peaks);
    opened_close(request.profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"by", 0, OPTION_ONE, "KEY", "the critical path by operator (the usual), role or track"},
    PEAKS_OPTIONS,
    TABLE_OPTIONS("as JSON, with the ledger", "the critical path as CSV",
                  "how many rows of each table (5; 0: all); as JSON and CSV, all"),
    {0},
};

static const struct table_form *const TABLES[] = {&EXPLAIN_PATH_FORM, &EXPLAIN_ROOFLINE_FORM,
                                                  &EXPLAIN_MEMORY_FORM, NULL};

const struct command COMMAND_EXPLAIN = {
    .name = "explain",
    .usage = "FILE [--by operator|role|track] [--target NAME] [--top N] [--json|--csv]",
    .summary = "what limits a run: critical path, roofline, who held the memory at its peak",
    .details =
        "The critical path is the chain of work and gaps, each waited for by the next, that ends "
        "with what\nended last: only what is on it makes the run shorter, and what is not has "
        "slack. What waits for\nwhat is told by the order of lanes, by flows (launches, "
        "semaphores, results), and where neither\nexplains a start, assumed: it waited for what "
        "ended last before it. The last lines say how often.\nThe roofline sets the time of an "
        "operator against its work at the peaks of the target, or at\nthose given; 'opscope "
        "calibrate' measures those of this machine. 'opscope whatif' tells what a\nchange would "
        "bring.",
    .examples = "  opscope explain run.prof\n"
                "  opscope explain trace.json.gz --by track --top 0\n"
                "  opscope explain run.prof --target host\n"
                "  opscope explain run.prof --peak-macs 8T --peak-bandwidth 107GB/s --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = explain_command,
};
