#include "merge_report.h"

#include <inttypes.h>

#include "ledger_text.h"
#include "plain_text.h"
#include "reports/overview_rows.h"

enum { NAMES_SHOWN = 5, NAMES_LISTED = 100, TIME_ROOM = OVERVIEW_DURATION_ROOM + 1 };

static const char *signed_time(int64_t ns, char text[TIME_ROOM])
{
    text[0] = ns < 0 ? '-' : '+';
    overview_format_duration(ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns, text + 1);
    return text;
}

static void print_anchors(const struct merge *merge, const struct merge_source *source)
{
    fprintf(stderr, ", by %zu of %zu %s", source->used, source->found,
            merge_method_name(source->method));
    if (source->reference != 0)
        fprintf(stderr, " with %s", merge->sources[source->reference].name);
    size_t shown = 0;
    for (size_t i = 0; i < source->anchor_count && merge_anchors_have_labels(source); i++) {
        if (!source->anchors[i].used)
            continue;
        if (shown == NAMES_SHOWN) {
            fprintf(stderr, " ...");
            break;
        }
        fprintf(stderr, "%s ", shown == 0 ? ":" : ",");
        plain_text_print(stderr, merge_anchor_label(merge, source, &source->anchors[i]), 0);
        shown++;
    }
}

static void print_advice(const struct merge_source *source)
{
    if (source->refused_drift != 0)
        fprintf(stderr,
                "    %s: what it shares would need a drift of %.0f ppm, more than clocks have: are "
                "these the\n    same moments? Only an offset was fitted\n",
                source->name, (double)source->refused_drift / 1000);
    else if (source->used == 1 && source->method != MERGE_START && !source->has_drift)
        fprintf(stderr, "    %s: one moment shows no drift: the error is that at this moment\n",
                source->name);
    if (source->method == MERGE_FLOWS_ONE_WAY || source->method == MERGE_CORRELATIONS)
        fprintf(stderr,
                "    %s: how long what joins them was under way is not known, and not part of the "
                "error\n",
                source->name);
    if (source->method == MERGE_START)
        fprintf(stderr,
                "    %s: shares nothing with the others, so it starts when they do; say what you "
                "know with\n    --offset %s=0s (keep its times) or --align 'NAME:EVENT=%s:EVENT'\n",
                source->name, source->name, source->name);
}

static void print_source(const struct merge *merge, const struct merge_source *source)
{
    char text[TIME_ROOM];
    fprintf(stderr, "  %-16s ", source->name);
    if (source->method == MERGE_REFERENCE || source->method == MERGE_EMPTY) {
        fprintf(stderr, "%s\n", merge_method_name(source->method));
        return;
    }
    fprintf(stderr, "%s", signed_time(merge_offset_of(source), text));
    if (source->map.drift_ppb != 0)
        fprintf(stderr, ", drift %+.3f ppm", (double)source->map.drift_ppb / 1000);
    if (source->has_error) {
        overview_format_duration(source->error_ns, text);
        fprintf(stderr, ", within %s", text);
    } else {
        fprintf(stderr, ", error unknown");
    }
    if (source->anchor_count > 0 && source->used > 0)
        print_anchors(merge, source);
    else
        fprintf(stderr, ", by %s", merge_method_name(source->method));
    fprintf(stderr, "\n");
}

void merge_report_print(const struct merge *merge, const char *out, const struct profile *merged)
{
    char text[TIME_ROOM];
    char number[LEDGER_NUMBER_ROOM];
    fprintf(stderr, "%s: %zu profiles, %s events\n", out, merge->count,
            ledger_number(profile_ledger(merged).recorded, number));
    for (size_t i = 0; i < merge->count; i++)
        print_source(merge, &merge->sources[i]);
    if (merge->shift != 0)
        fprintf(stderr, "  all times %s, so that none is negative\n",
                signed_time(merge->shift, text));
    for (size_t i = 0; i < merge->count; i++)
        print_advice(&merge->sources[i]);
}

// Rows ------------------------------------------------------------------------

static const struct merge_source *merge_report_source_of(const struct table_query *query)
{
    return &((const struct merge *)query->report)->sources[query->row];
}

static struct table_cell merge_report_name_cell(const struct table_query *query)
{
    return table_text(view_of(merge_report_source_of(query)->name));
}

static struct table_cell merge_report_file_cell(const struct table_query *query)
{
    return table_text(view_of(merge_report_source_of(query)->path));
}

static struct table_cell method_cell(const struct table_query *query)
{
    return table_text(view_of(merge_method_name(merge_report_source_of(query)->method)));
}

static struct table_cell reference_cell(const struct table_query *query)
{
    const struct merge *merge = query->report;
    return table_text(view_of(merge->sources[merge_report_source_of(query)->reference].name));
}

static struct table_cell offset_cell(const struct table_query *query)
{
    return table_signed(merge_offset_of(merge_report_source_of(query)));
}

static struct table_cell drift_cell(const struct table_query *query)
{
    return table_signed(merge_report_source_of(query)->map.drift_ppb);
}

static struct table_cell fitted_cell(const struct table_query *query)
{
    return table_flag(merge_report_source_of(query)->fitted_drift);
}

static struct table_cell merge_report_error_cell(const struct table_query *query)
{
    return table_whole_if(merge_report_source_of(query)->has_error,
                          merge_report_source_of(query)->error_ns);
}

static struct table_cell found_cell(const struct table_query *query)
{
    return table_whole(merge_report_source_of(query)->found);
}

static struct table_cell used_cell(const struct table_query *query)
{
    return table_whole(merge_report_source_of(query)->used);
}

static struct table_cell merge_report_absent_cell(const struct table_query *query)
{
    (void)query;
    return table_absent();
}

static void write_anchors(const struct table_query *query, struct json_writer *json)
{
    const struct merge_source *source = merge_report_source_of(query);
    json_open_array(json, query->column->key);
    size_t listed = 0;
    for (size_t i = 0; i < source->anchor_count && listed < NAMES_LISTED; i++) {
        const struct align_anchor *anchor = &source->anchors[i];
        if (!anchor->used)
            continue;
        listed++;
        if (merge_anchors_have_labels(source))
            json_text(json, NULL, merge_anchor_label(query->report, source, anchor));
        else
            json_uint(json, NULL, anchor->label);
    }
    json_close(json);
}

static void write_ledger(const struct table_query *query, struct json_writer *json)
{
    ledger_json(json, query->column->key, merge_report_source_of(query)->profile);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "name", .meaning = "of the process that it became", .place = 1, .cell = merge_report_name_cell},
    {.key = "file", .meaning = "as it was given", .cell = merge_report_file_cell},
    {.key = "placed_by", .meaning = "what says how its clock lies", .place = 4,
     .cell = method_cell},
    {.key = "placed_on", .meaning = "the profile that it was placed beside", .place = 5,
     .cell = reference_cell},
    {.key = "offset_ns", .meaning = "added to its times", .type = TABLE_NS,
     .flags = TABLE_WITH_SIGN, .place = 2, .cell = offset_cell},
    {.key = "drift_ppb", .meaning = "by which its seconds are too short", .type = TABLE_COUNT,
     .unit = "ppb", .flags = TABLE_WITH_SIGN, .place = 3, .cell = drift_cell},
    {.key = "drift_fitted", .meaning = "from what they share", .type = TABLE_FLAG,
     .cell = fitted_cell},
    {.key = "error_ns", .meaning = "by which times may be wrong", .type = TABLE_NS, .place = 6,
     .cell = merge_report_error_cell},
    {.key = "anchors_found", .meaning = "moments that they share", .type = TABLE_COUNT,
     .cell = found_cell},
    {.key = "anchors_used", .meaning = "of them, that the clock was placed by",
     .type = TABLE_COUNT, .cell = used_cell},
    {.key = "anchors", .meaning = "the first of these, only in JSON", .flags = TABLE_NOT_CSV,
     .cell = merge_report_absent_cell, .json = write_anchors},
    {.key = "ledger", .meaning = "what the profile lacks, only in JSON", .flags = TABLE_NOT_CSV,
     .cell = merge_report_absent_cell, .json = write_ledger},
};
// clang-format on

const struct table_form MERGE_FORM = {
    .name = "sources",
    .about = "a row for each profile that was merged",
    TABLE_COLUMNS(COLUMNS),
};

void merge_report_json(struct json_writer *json, const struct merge *merge, struct table *table,
                       const char *out, const struct profile *merged)
{
    char shift[32];
    snprintf(shift, sizeof shift, "%" PRId64, merge->shift);
    json_open_object(json, NULL);
    json_text(json, "file", view_of(out));
    json_raw(json, "shift_ns", view_of(shift));
    table_json_rows(table, json, "sources");
    ledger_json(json, "ledger", merged);
    json_close(json);
}
