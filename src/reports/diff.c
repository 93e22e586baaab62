#include "diff.h"

#include <math.h>

#include "base/figures.h"
#include "names.h"

static const struct comparison_row *diff_row(const struct table_query *query)
{
    const struct comparison *comparison = query->report;
    return &comparison->rows[query->row];
}

static struct view part_name(const struct comparison_half *half)
{
    return half->part != NULL ? half->part->name : VIEW_LITERAL("");
}

static void append_more(struct bytes *to, const char *what, double a, double b)
{
    char times[FIGURES_ROOM];
    bytes_append_format(to, "%s%s %s (%s)", to->size > 0 ? ", " : "", b > a ? "more" : "less", what,
                        figures_times(b / a, times));
}

static void append_change(struct bytes *to, const char *what, struct view a, struct view b)
{
    bytes_append_format(to, "%s%s (%.*s -> %.*s)", to->size > 0 ? ", " : "", what,
                        VIEW_ARGUMENTS(a), VIEW_ARGUMENTS(b));
}

void diff_append_reason(const struct comparison_row *row, struct bytes *to)
{
    const struct comparison_half *a = &row->a, *b = &row->b;
    if ((row->changes & CHANGED_CALLS) != 0)
        append_more(to, "calls", a->calls, b->calls);
    if ((row->changes & CHANGED_WORK) != 0)
        append_more(to, "work", a->macs, b->macs);
    if ((row->changes & CHANGED_BYTES) != 0)
        append_more(to, "bytes", a->bytes, b->bytes);
    if ((row->changes & CHANGED_WAITING) != 0)
        bytes_append_format(to, "%s%s waiting", to->size > 0 ? ", " : "",
                            b->waited > a->waited ? "more" : "less");
    if ((row->changes & CHANGED_SHAPES) != 0)
        append_change(to, "other shapes", a->part->shape, b->part->shape);
    if ((row->changes & CHANGED_KERNELS) != 0)
        append_change(to, "other kernel", a->part->kernel, b->part->kernel);
    if (row->relation == MATCH_SAME && a->parts != b->parts && !comparison_is_idle(row))
        bytes_append_format(to, "%sin %zu part%s (%zu)", to->size > 0 ? ", " : "", b->parts,
                            b->parts == 1 ? "" : "s", a->parts);
    if (to->size > 0 || comparison_is_idle(row))
        return;
    if (row->verdict == VERDICT_SLOWER)
        bytes_append_format(to, "the same at a lower rate");
    else if (row->verdict == VERDICT_FASTER)
        bytes_append_format(to, "the same at a higher rate");
}

void diff_append_percent(double factor, struct bytes *to)
{
    if (!(factor > 0)) {
        bytes_append_format(to, "no change known");
        return;
    }
    char times[FIGURES_ROOM];
    if (factor >= 10 || factor < 0.1)
        bytes_append_format(to, "%s", figures_times(factor, times));
    else
        bytes_append_format(to, "%+.1f %%", (factor - 1) * 100);
}

void diff_append_change(const struct comparison_row *row, struct bytes *to)
{
    char a[FIGURES_ROOM], b[FIGURES_ROOM];
    bytes_append_format(to, "%s -> %s, ", figures_time((uint64_t)row->a.ns, 1000000000, a),
                        figures_time((uint64_t)row->b.ns, 1000000000, b));
    diff_append_percent(row->shift.factor, to);
    if (!row->shift.known || row->shift.low == row->shift.high)
        return;
    bytes_append_format(to, " (");
    diff_append_percent(row->shift.low, to);
    bytes_append_format(to, " to ");
    diff_append_percent(row->shift.high, to);
    bytes_append_format(to, ")");
}

// Cells -----------------------------------------------------------------------

static struct table_cell verdict_cell(const struct table_query *query)
{
    return table_text(view_of(comparison_verdict_name(diff_row(query)->verdict)));
}

static struct table_cell relation_cell(const struct table_query *query)
{
    if (comparison_is_idle(diff_row(query)))
        return table_absent();
    return table_text(view_of(match_relation_name(diff_row(query)->relation)));
}

// `argument` is 0 for a and 1 for b.
static const struct comparison_half *half_of(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    return query->column->argument == 0 ? &row->a : &row->b;
}

static struct table_cell ns_cell(const struct table_query *query)
{
    const struct comparison_half *half = half_of(query);
    return table_real_if(half->there, half->ns);
}

static struct table_cell difference_cell(const struct table_query *query)
{
    return table_real(diff_row(query)->difference);
}

static struct table_cell change_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    return table_real_if(row->shift.factor > 0, row->shift.factor - 1);
}

static struct table_cell low_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    return table_real_if(row->shift.known, row->shift.low - 1);
}

static struct table_cell high_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    return table_real_if(row->shift.known, row->shift.high - 1);
}

// "node (+3 more)"; of a that has another name in b: "old -> new".
static struct table_cell diff_name_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    const struct comparison_half *first = row->a.there ? &row->a : &row->b;
    const struct view name = name_or_none(part_name(first));
    bytes_append_format(query->scratch, "%.*s", VIEW_ARGUMENTS(name));
    if (first->parts > 1)
        bytes_append_format(query->scratch, " (+%zu more)", first->parts - 1);
    if (row->a.there && row->b.there && row->relation != MATCH_SAME) {
        bytes_append_format(query->scratch, " -> %.*s",
                            VIEW_ARGUMENTS(name_or_none(part_name(&row->b))));
        if (row->b.parts > 1)
            bytes_append_format(query->scratch, " (+%zu more)", row->b.parts - 1);
    }
    return table_text(bytes_view(query->scratch));
}

static struct table_cell side_name_cell(const struct table_query *query)
{
    return table_text_if_any(comparison_is_idle(diff_row(query)) ? VIEW_LITERAL("")
                                                                 : part_name(half_of(query)));
}

static struct table_cell diff_type_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    const struct work_part *part = row->b.part != NULL ? row->b.part : row->a.part;
    return table_text_if_any(part != NULL ? part->type : VIEW_LITERAL(""));
}

static struct table_cell diff_shapes_cell(const struct table_query *query)
{
    const struct comparison_row *row = diff_row(query);
    const struct comparison_half *first = row->a.there ? &row->a : &row->b;
    const bool shown = first->part != NULL && (row->a.repeats || row->b.repeats);
    return table_text_if_any(shown ? first->part->shape : VIEW_LITERAL(""));
}

static struct table_cell parts_cell(const struct table_query *query)
{
    const struct comparison_half *half = half_of(query);
    return table_whole_if(half->part != NULL && !comparison_is_idle(diff_row(query)), half->parts);
}

static struct table_cell why_cell(const struct table_query *query)
{
    diff_append_reason(diff_row(query), query->scratch);
    return table_text_if_any(bytes_view(query->scratch));
}

#define PERCENT(name, word, at, lost, cell_of, words)                                              \
    .key = (name), .title = (word), .type = TABLE_RATIO, .look = TABLE_CHANGE, .digits = 1,        \
    .flags = TABLE_WITH_UNIT | TABLE_WITH_SIGN, .width = 8, .place = (at), .loss = (lost),         \
    .cell = (cell_of), .meaning = (words)

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "name", .title = "what", .meaning = "operator, or spans by their name; old -> new",
     .place = 11, .cell = diff_name_cell},
    {.key = "verdict", .meaning = "slower, faster, even (it may be chance), unsure, new, gone",
     .width = 6, .place = 1, .cell = verdict_cell},
    {.key = "a_ns", .title = "a", .meaning = "of an iteration of a", .type = TABLE_NS,
     .look = TABLE_SCALED, .width = 8, .place = 2, .argument = 0, .cell = ns_cell},
    {.key = "b_ns", .title = "b", .meaning = "of an iteration of b", .type = TABLE_NS,
     .look = TABLE_SCALED, .width = 8, .place = 3, .argument = 1, .cell = ns_cell},
    {.key = "difference_ns", .title = "b - a", .meaning = "what it adds to an iteration, or takes",
     .type = TABLE_NS, .look = TABLE_SCALED, .flags = TABLE_WITH_SIGN, .width = 9, .place = 4,
     .cell = difference_cell},
    {PERCENT("change", "change", 5, 0, change_cell, "b over a, less 1: the median of all quotients")},
    {PERCENT("low", "from", 6, 2, low_cell, "the least that it is, with the confidence asked for")},
    {PERCENT("high", "to", 7, 1, high_cell, "the most that it is")},
    {.key = "relation", .meaning = "same, renamed, fused, split, regrouped, new, gone", .width = 7,
     .place = 8, .loss = 4, .cell = relation_cell},
    {.key = "shapes", .meaning = "of its inputs, where others have its name, too", .place = 12,
     .most = 48, .loss = 3, .flags = TABLE_HIDE_EMPTY, .cell = diff_shapes_cell},
    {.key = "type", .meaning = "of the operator", .cell = diff_type_cell},
    {.key = "a_name", .meaning = "in a, of several the first", .argument = 0, .cell = side_name_cell},
    {.key = "b_name", .meaning = "in b, of several the first", .argument = 1, .cell = side_name_cell},
    {.key = "a_parts", .meaning = "how many in a", .type = TABLE_COUNT, .argument = 0, .cell = parts_cell},
    {.key = "b_parts", .meaning = "how many in b", .type = TABLE_COUNT, .argument = 1, .cell = parts_cell},
    {.key = "why", .meaning = "what else changed, as far as the profiles tell", .place = 13,
     .most = 60, .loss = 5, .flags = TABLE_HIDE_EMPTY, .cell = why_cell},
};
// clang-format on

const struct table_form DIFF_FORM = {
    .name = "changes",
    .about = "a row for what is the same in a and b, by how much it adds to an iteration or takes",
    .indent = 2,
    .absent = "",
    TABLE_COLUMNS(COLUMNS),
};
