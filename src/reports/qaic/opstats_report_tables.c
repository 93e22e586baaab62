// The tables of the page.

#include <math.h>

#include "opstats_report.h"

static const struct opstats_report *report_of(const struct table_query *query)
{
    return query->report;
}

// Ticks of all inferences as nanoseconds of one.
static struct table_cell ns_cell(const struct opstats_report *report, uint64_t ticks)
{
    const uint64_t each = report->inferences;
    return table_whole((uint64_t)((unsigned __int128)ticks * 1000000000 /
                                  ((unsigned __int128)report->frequency * each)));
}

static uint64_t work_of(const struct opstats_part *part)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < NODE_SYNC; i++)
        sum += part->ticks[i];
    return sum;
}

static struct table_cell share_cell(const struct opstats_report *report, uint64_t ticks)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < NODE_SYNC; i++)
        all += report->bounds[i].ticks[i];
    return table_real_if(all > 0, all > 0 ? (double)ticks / (double)all : 0);
}

// Parts ------------------------------------------------------------------------------------

enum part_list { PART_BOUNDS, PART_BLOCKS, PART_NODES };

static const struct opstats_part *part_of(const struct table_query *query)
{
    const struct opstats_report *report = query->report;
    const struct opstats_part *const lists[] = {report->bounds, report->blocks, report->nodes};
    return &lists[query->column->argument][query->row];
}

static struct table_cell part_name_cell(const struct table_query *query)
{
    const struct view name = part_of(query)->name;
    return table_text(name.size > 0 ? name : VIEW_LITERAL("(no path)"));
}

static struct table_cell part_work_cell(const struct table_query *query)
{
    const struct opstats_part *part = part_of(query);
    const bool sync = query->column->argument == PART_BOUNDS && query->row == NODE_SYNC;
    return ns_cell(query->report, sync ? part->ticks[NODE_SYNC] : work_of(part));
}

// What was waited is no part of the work.
static struct table_cell part_share_cell(const struct table_query *query)
{
    if (query->column->argument == PART_BOUNDS && query->row == NODE_SYNC)
        return table_absent();
    return share_cell(query->report, work_of(part_of(query)));
}

static struct table_cell part_sync_cell(const struct table_query *query)
{
    return ns_cell(query->report, part_of(query)->ticks[NODE_SYNC]);
}

// Of a device each, on average.
static struct table_cell part_span_cell(const struct table_query *query)
{
    const struct opstats_part *part = part_of(query);
    const uint64_t frequency = report_of(query)->frequency;
    if (part->spans == 0)
        return table_absent();
    return table_whole((uint64_t)((unsigned __int128)part->span * 1000000000 /
                                  ((unsigned __int128)frequency * part->spans)));
}

static struct table_cell part_nodes_cell(const struct table_query *query)
{
    return table_whole(part_of(query)->nodes);
}

static struct table_cell part_bound_cell(const struct table_query *query)
{
    const char *bound = node_bound(part_of(query)->ticks);
    return bound != NULL ? table_text(view_of(bound)) : table_absent();
}

// Cores ------------------------------------------------------------------------------------

static const struct opstats_core *core_of(const struct table_query *query)
{
    return &report_of(query)->cores[query->row];
}

static struct table_cell core_device_cell(const struct table_query *query)
{
    return table_whole_if(report_of(query)->devices > 1, core_of(query)->device);
}

static struct table_cell core_number_cell(const struct table_query *query)
{
    return table_whole(core_of(query)->number);
}

static struct table_cell core_busy_cell(const struct table_query *query)
{
    return ns_cell(query->report, core_of(query)->most);
}

static struct table_cell core_of_mean_cell(const struct table_query *query)
{
    const struct opstats_report *report = query->report;
    double sum = 0;
    for (size_t i = 0; i < report->core_count; i++)
        sum += (double)report->cores[i].most;
    return table_real_if(
        sum > 0, sum > 0 ? (double)core_of(query)->most * (double)report->core_count / sum : 0);
}

// By the number of the group, as networks of this compiler have them: vector, matrix, transfers.
static struct table_cell core_group_cell(const struct table_query *query)
{
    const struct opstats_core *core = core_of(query);
    const size_t group = query->column->argument;
    const bool known = group < report_of(query)->network->group_count && core->duration > 0;
    return table_real_if(known, known ? (double)core->busy[group] / (double)core->duration : 0);
}

static struct table_cell core_sync_cell(const struct table_query *query)
{
    return ns_cell(query->report, core_of(query)->sync);
}

static struct table_cell core_straggler_cell(const struct table_query *query)
{
    return core_of(query)->straggler ? table_text(VIEW_LITERAL("straggler")) : table_absent();
}

// Memory -----------------------------------------------------------------------------------

static const struct opstats_figure *figure_of(const struct table_query *query)
{
    return &report_of(query)->figures[query->row];
}

static struct table_cell figure_name_cell(const struct table_query *query)
{
    return table_text(view_of(figure_of(query)->name));
}

static struct table_cell figure_bytes_cell(const struct table_query *query)
{
    return table_whole(figure_of(query)->bytes);
}

static struct table_cell figure_ratio_cell(const struct table_query *query)
{
    const double ratio = figure_of(query)->ratio;
    return table_real_if(!isnan(ratio), ratio);
}

static struct table_cell figure_of_cell(const struct table_query *query)
{
    return table_text_if_any(isnan(figure_of(query)->ratio) ? VIEW_LITERAL("")
                                                            : view_of(figure_of(query)->of));
}

// Forms ------------------------------------------------------------------------------------

// clang-format off
#define PART_COLUMNS(list)                                                                         \
    {.key = "work_ns", .title = "work", .meaning = "of its operations on all threads",             \
     .type = TABLE_NS, .look = TABLE_SCALED, .width = 9, .place = 1, .argument = (list),           \
     .cell = part_work_cell},                                                                      \
    {.key = "share", .meaning = "of the work of all", .type = TABLE_RATIO, .digits = 1,            \
     .flags = TABLE_WITH_UNIT, .width = 7, .place = 2, .argument = (list), .cell = part_share_cell}

static const struct table_column BOUND_COLUMNS[] = {
    {.key = "bound", .meaning = "what time is taken for; sync: waits before operations",
     .place = 4, .argument = PART_BOUNDS, .cell = part_name_cell},
    PART_COLUMNS(PART_BOUNDS),
    {.key = "nodes", .meaning = "that it bounds", .type = TABLE_COUNT, .width = 6, .place = 3,
     .argument = PART_BOUNDS, .cell = part_nodes_cell},
};

#define SPAN_COLUMN(list)                                                                          \
    {.key = "span_ns", .title = "span", .meaning = "from its first operation's start to its last one's end", \
     .type = TABLE_NS, .look = TABLE_SCALED, .width = 9, .place = 3, .argument = (list),           \
     .cell = part_span_cell}

static const struct table_column BLOCK_COLUMNS[] = {
    {.key = "block", .meaning = "path of nodes", .place = 7, .argument = PART_BLOCKS,
     .cell = part_name_cell},
    PART_COLUMNS(PART_BLOCKS),
    SPAN_COLUMN(PART_BLOCKS),
    {.key = "sync_ns", .title = "sync", .meaning = "waits before its operations", .type = TABLE_NS,
     .look = TABLE_SCALED, .width = 9, .place = 4, .argument = PART_BLOCKS, .cell = part_sync_cell},
    {.key = "nodes", .meaning = "under the path", .type = TABLE_COUNT, .width = 6, .place = 5,
     .argument = PART_BLOCKS, .cell = part_nodes_cell},
    {.key = "bound", .meaning = "what has at least half of its time, else mixed", .width = 9,
     .place = 6, .argument = PART_BLOCKS, .cell = part_bound_cell},
};

static const struct table_column NODE_COLUMNS[] = {
    {.key = "node", .meaning = "path of the node", .place = 6, .argument = PART_NODES,
     .cell = part_name_cell},
    PART_COLUMNS(PART_NODES),
    SPAN_COLUMN(PART_NODES),
    {.key = "sync_ns", .title = "sync", .meaning = "waits before its operations", .type = TABLE_NS,
     .look = TABLE_SCALED, .width = 9, .place = 4, .argument = PART_NODES, .cell = part_sync_cell},
    {.key = "bound", .meaning = "what has at least half of its time, else mixed", .width = 9,
     .place = 5, .argument = PART_NODES, .cell = part_bound_cell},
};

#define GROUP_COLUMN(name, number, at)                                                             \
    {.key = name, .meaning = "of the time of the core that threads of this group work",            \
     .type = TABLE_RATIO, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7, .place = (at),        \
     .argument = (number), .cell = core_group_cell}

static const struct table_column CORE_COLUMNS[] = {
    {.key = "device", .meaning = "of several", .type = TABLE_COUNT, .flags = TABLE_HIDE_EMPTY,
     .width = 6, .place = 1, .cell = core_device_cell},
    {.key = "core", .meaning = "its number", .type = TABLE_COUNT, .width = 4, .place = 2,
     .cell = core_number_cell},
    {.key = "busy_ns", .title = "busy", .meaning = "of its busiest group of threads",
     .type = TABLE_NS, .look = TABLE_SCALED, .width = 9, .place = 3, .cell = core_busy_cell},
    {.key = "of_mean", .meaning = "of the mean of all cores", .type = TABLE_RATIO, .digits = 1,
     .flags = TABLE_WITH_UNIT, .width = 8, .place = 4, .cell = core_of_mean_cell},
    GROUP_COLUMN("hvx", 0, 5),
    GROUP_COLUMN("hmx", 1, 6),
    GROUP_COLUMN("dma", 2, 7),
    {.key = "sync_ns", .title = "sync", .meaning = "waits of its threads together",
     .type = TABLE_NS, .look = TABLE_SCALED, .width = 9, .place = 8, .cell = core_sync_cell},
    {.key = "straggler", .title = "", .meaning = "more than 1.5 times the mean, and than mean and deviation",
     .flags = TABLE_HIDE_EMPTY | TABLE_EMPTY_ABSENT, .place = 9, .cell = core_straggler_cell},
};

static const struct table_column MEMORY_COLUMNS[] = {
    {.key = "figure", .meaning = "what it is", .width = 24, .place = 1, .cell = figure_name_cell},
    {.key = "bytes", .meaning = "of an inference", .type = TABLE_BYTES, .look = TABLE_SCALED,
     .width = 9, .place = 2, .cell = figure_bytes_cell},
    {.key = "ratio", .meaning = "to what the next column says", .type = TABLE_RATIO, .digits = 1,
     .flags = TABLE_WITH_UNIT | TABLE_EMPTY_ABSENT, .width = 8, .place = 3, .cell = figure_ratio_cell},
    {.key = "of", .meaning = "what it is held against", .flags = TABLE_EMPTY_ABSENT, .place = 4,
     .cell = figure_of_cell},
};
// clang-format on

const struct table_form OPSTATS_BOUNDS_FORM = {
    .name = "bounds",
    .about = "what the time of all operations is taken for",
    .indent = 2,
    TABLE_COLUMNS(BOUND_COLUMNS),
};

const struct table_form OPSTATS_BLOCKS_FORM = {
    .name = "blocks",
    .about = "a row for the nodes under a path, the slowest first",
    .indent = 2,
    TABLE_COLUMNS(BLOCK_COLUMNS),
};

const struct table_form OPSTATS_NODES_FORM = {
    .name = "nodes",
    .about = "a row for each node of the network, the slowest first",
    .indent = 2,
    TABLE_COLUMNS(NODE_COLUMNS),
};

const struct table_form OPSTATS_CORES_FORM = {
    .name = "cores",
    .about = "a row for each core of each device",
    .indent = 2,
    TABLE_COLUMNS(CORE_COLUMNS),
};

const struct table_form OPSTATS_MEMORY_FORM = {
    .name = "memory",
    .about = "what stays near, and DDR traffic against weights",
    .indent = 2,
    TABLE_COLUMNS(MEMORY_COLUMNS),
};
