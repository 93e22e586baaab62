#include "gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/memory.h"
#include "diff.h"
#include "wire/xml.h"

enum { MARKDOWN_ROWS = 10 };

#define NOTEWORTHY 0.01 // of the whole

static size_t runs_of(const struct comparison *comparison)
{
    const size_t a = comparison->sides[0].run_count, b = comparison->sides[1].run_count;
    return a < b ? a : b;
}

static bool is_noteworthy(const struct comparison *comparison, const struct comparison_row *row)
{
    return row->a.there && row->b.there && !comparison_is_idle(row) &&
           fmax(row->a.ns, row->b.ns) >= NOTEWORTHY * comparison->total.a.ns;
}

static void judge_row(struct gate_report *report, const struct comparison_row *row)
{
    const struct comparison *comparison = report->comparison;
    const double confidence = comparison->options.confidence;
    struct gate_row *judged = &report->rows[report->count++];
    judged->row = row;
    judged->decision = gate_decide(&row->shift, report->limit, runs_of(comparison), confidence);
    // One run of each side, measured: how much runs differ is not known.
    const bool modelled =
        comparison->sides[0].runs[0].modelled && comparison->sides[1].runs[0].modelled;
    if (!comparison->by_runs && !modelled)
        judged->decision = (struct gate_decision){GATE_UNDECIDED, shift_least(confidence)};
    if (judged->decision.outcome == GATE_FAILED ||
        (judged->decision.outcome == GATE_UNDECIDED && report->outcome == GATE_PASSED))
        report->outcome = judged->decision.outcome;
}

void gate_report_make(struct comparison *comparison, double limit, bool operators,
                      struct gate_report *out_report)
{
    *out_report = (struct gate_report){.comparison = comparison, .limit = limit};
    out_report->rows = memory_allocate_zeroed(comparison->count + 1, sizeof *out_report->rows);
    size_t judged = 1;
    for (size_t i = 0; operators && i < comparison->count; i++)
        judged += is_noteworthy(comparison, &comparison->rows[i]);
    if (judged > 1) // Bonferroni's
        comparison_judge(comparison, 1 - (1 - comparison->options.confidence) / (double)judged);
    judge_row(out_report, &comparison->total);
    for (size_t i = 0; operators && i < comparison->count; i++) {
        if (is_noteworthy(comparison, &comparison->rows[i]))
            judge_row(out_report, &comparison->rows[i]);
    }
}

void gate_report_free(struct gate_report *report)
{
    free(report->rows);
}

struct view gate_row_name(const struct gate_row *row)
{
    const struct work_part *part = row->row->b.part;
    return part != NULL ? part->name : VIEW_LITERAL("an iteration");
}

void gate_row_append(const struct gate_report *report, const struct gate_row *row, struct bytes *to)
{
    const struct comparison_row *compared = row->row;
    char a[FIGURES_ROOM], b[FIGURES_ROOM];
    bytes_append_format(to, "%s -> %s, ", figures_time((uint64_t)compared->a.ns, 1000000000, a),
                        figures_time((uint64_t)compared->b.ns, 1000000000, b));
    diff_append_percent(compared->shift.factor, to);
    if (compared->shift.known) {
        bytes_append_format(to, " (");
        diff_append_percent(compared->shift.low, to);
        bytes_append_format(to, " to ");
        diff_append_percent(compared->shift.high, to);
        bytes_append_format(to, ")");
    }
    bytes_append_format(to, ", allowed %+.3g %%", report->limit * 100);
    if (row->decision.outcome == GATE_UNDECIDED)
        bytes_append_format(to, ": cannot tell; about %zu runs of each side, made in turn, would",
                            row->decision.needed);
}

// Markdown --------------------------------------------------------------------

// Names must not end a table's cell or begin a tag.
static void append_cell(struct bytes *to, struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char letter = (unsigned char)text.data[i];
        if (letter == '|' || letter == '`' || letter == '*' || letter == '_' || letter == '\\' ||
            letter == '[')
            bytes_append_format(to, "\\%c", letter);
        else if (letter == '<')
            bytes_append_format(to, "&lt;");
        else if (letter == '&')
            bytes_append_format(to, "&amp;");
        else
            bytes_append_format(to, "%c", letter < 0x20 ? ' ' : letter);
    }
}

static void append_changes(const struct gate_report *report, struct bytes *to)
{
    const struct comparison *comparison = report->comparison;
    bytes_append_format(to, "\n| | a | b | change | what | why |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < comparison->count && i < MARKDOWN_ROWS; i++) {
        const struct comparison_row *row = &comparison->rows[i];
        const struct work_part *part = row->b.part != NULL ? row->b.part : row->a.part;
        char a[FIGURES_ROOM] = "", b[FIGURES_ROOM] = "";
        struct bytes why = {0};
        if (row->a.there)
            figures_time((uint64_t)row->a.ns, 1000000000, a);
        if (row->b.there)
            figures_time((uint64_t)row->b.ns, 1000000000, b);
        bytes_append_format(to, "| %s | %s | %s | ", comparison_verdict_name(row->verdict), a, b);
        if (row->a.there && row->b.there)
            diff_append_percent(row->shift.factor, to);
        bytes_append_format(to, " | ");
        append_cell(to, part->name);
        bytes_append_format(to, " | ");
        diff_append_reason(row, &why);
        append_cell(to, bytes_view(&why));
        bytes_append_format(to, " |\n");
        bytes_free(&why);
    }
}

void gate_append_markdown(const struct gate_report *report, struct bytes *to)
{
    bytes_append_format(to, "### opscope gate: %s\n\n", gate_outcome_name(report->outcome));
    for (size_t i = 0; i < report->count; i++) {
        const struct gate_row *row = &report->rows[i];
        if (i > 0 && row->decision.outcome == GATE_PASSED)
            continue;
        bytes_append_format(to, "- **%s** ", gate_outcome_name(row->decision.outcome));
        append_cell(to, gate_row_name(row));
        bytes_append_format(to, ": ");
        gate_row_append(report, row, to);
        bytes_append_format(to, "\n");
    }
    append_changes(report, to);
}

// JUnit -----------------------------------------------------------------------

static size_t count_of(const struct gate_report *report, enum gate_outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++)
        count += report->rows[i].decision.outcome == outcome;
    return count;
}

void gate_append_junit(const struct gate_report *report, struct bytes *to)
{
    bytes_append_format(to,
                        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                        "<testsuite name=\"opscope gate\" tests=\"%zu\" failures=\"%zu\" "
                        "errors=\"0\" skipped=\"%zu\">\n",
                        report->count, count_of(report, GATE_FAILED),
                        count_of(report, GATE_UNDECIDED));
    for (size_t i = 0; i < report->count; i++) {
        const struct gate_row *row = &report->rows[i];
        struct bytes words = {0};
        gate_row_append(report, row, &words);
        bytes_append_format(to, "  <testcase classname=\"gate\" name=\"");
        xml_append(to, gate_row_name(row));
        bytes_append_format(to, "\" time=\"%.9f\">", row->row->b.ns / 1e9);
        if (row->decision.outcome != GATE_PASSED) {
            bytes_append_format(to, "<%s message=\"",
                                row->decision.outcome == GATE_FAILED ? "failure" : "skipped");
            xml_append(to, bytes_view(&words));
            bytes_append_format(to, "\"/>");
        }
        bytes_append_format(to, "</testcase>\n");
        bytes_free(&words);
    }
    bytes_append_format(to, "</testsuite>\n");
}
