#include "top.h"

static const struct span_groups *top_groups(const struct table_query *query)
{
    return query->report;
}

static const struct span_group *top_group(const struct table_query *query)
{
    return &top_groups(query)->groups[query->row];
}

static struct table_cell label_cell(const struct table_query *query)
{
    span_group_label(top_groups(query), top_group(query), query->scratch);
    return table_text(bytes_view(query->scratch));
}

static struct table_cell where_cell(const struct table_query *query)
{
    static const char *const NAMES[OPERATOR_SIDES] = {"unknown", "host", "device"};
    return table_text(view_of(NAMES[top_group(query)->side]));
}

// A field of the group.
static struct table_cell number_cell(const struct table_query *query)
{
    uint64_t number;
    memcpy(&number, (const char *)top_group(query) + query->column->argument, sizeof number);
    return table_whole(number);
}

static struct table_cell top_share_cell(const struct table_query *query)
{
    const struct span_group *group = top_group(query);
    const uint64_t whole = top_groups(query)->self[group->side];
    return table_real(whole == 0 ? 0 : (double)group->self / (double)whole);
}

static struct table_cell bytes_cell(const struct table_query *query)
{
    const struct span_group *group = top_group(query);
    return table_whole_if(group->byte_time > 0, group->bytes);
}

static struct table_cell top_backward_cell(const struct table_query *query)
{
    return table_whole_if(top_groups(query)->has_backward, top_group(query)->backward);
}

// Bytes in a nanosecond are gigabytes in a second.
static struct table_cell rate_cell(const struct table_query *query)
{
    const struct span_group *group = top_group(query);
    return table_real_if(group->byte_time > 0,
                         group->byte_time == 0 ? 0
                                               : (double)group->bytes / (double)group->byte_time);
}

#define TIME(name, at, lost, words)                                                                \
    .key = #name "_ns", .title = #name, .type = TABLE_NS, .look = TABLE_SCALED, .width = 8,        \
    .place = (at), .loss = (lost), .argument = offsetof(struct span_group, name),                  \
    .cell = number_cell, .meaning = (words)

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "label", .title = "what", .meaning = "what its spans have in common (--by)",
     .place = 13, .cell = label_cell},
    {.key = "where", .meaning = "device, host, or unknown where nobody said", .place = 1,
     .width = 6, .cell = where_cell},
    {.key = "count", .meaning = "spans", .type = TABLE_COUNT, .width = 7, .place = 4,
     .argument = offsetof(struct span_group, count), .cell = number_cell},
    {TIME(self, 2, 0, "without spans inside it")},
    {.key = "share", .meaning = "of the self time of all on the same side", .type = TABLE_RATIO,
     .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7, .place = 3, .cell = top_share_cell},
    {TIME(total, 5, 5, "with spans inside; what lies in one of its own kind counts once")},
    {.key = "backward_ns", .title = "backward", .type = TABLE_NS, .look = TABLE_SCALED, .width = 8,
     .flags = TABLE_HIDE_EMPTY | TABLE_OPTIONAL | TABLE_NOT_CSV, .place = 12, .loss = 8,
     .cell = top_backward_cell,
     .meaning = "of the self time, in the backward pass (by module)"},
    {TIME(least, 6, 4, "of the shortest span")},
    {TIME(median, 7, 1, "of the spans")},
    {TIME(p90, 8, 2, "nine of ten spans take at most this")},
    {TIME(most, 9, 3, "of the longest span")},
    {.key = "bytes", .meaning = "that the spans say they moved", .type = TABLE_BYTES,
     .look = TABLE_SCALED, .flags = TABLE_HIDE_EMPTY, .width = 8, .place = 10, .loss = 6,
     .cell = bytes_cell},
    {.key = "gb_per_s", .title = "GB/s", .meaning = "bytes over the time of the spans that say them",
     .type = TABLE_REAL, .digits = 2, .flags = TABLE_HIDE_EMPTY, .width = 7, .place = 11,
     .loss = 7, .cell = rate_cell},
};
// clang-format on

const struct table_form TOP_FORM = {
    .name = "spans",
    .about = "a row for the spans that have something in common, the device's first, the slowest "
             "first",
    .indent = 2,
    .absent = "",
    TABLE_COLUMNS(COLUMNS),
};
