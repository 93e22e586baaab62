// The tables of an explanation.

#include <stdlib.h>
#include <string.h>

#include "analysis/operator_tensors.h"
#include "base/letters.h"
#include "base/memory.h"
#include "explain.h"
#include "names.h"

enum { LABEL_MOST = 80 }; // letters in a sentence

const char *explain_by_name(enum explain_by by)
{
    static const char *const NAMES[EXPLAIN_BY] = {"operator", "role", "track"};
    return NAMES[by];
}

const struct path_shares *explain_path_shares(const struct explain_path *path)
{
    const struct critical_path *found = &path->explanation->path;
    return path->by == EXPLAIN_BY_OPERATOR ? &found->operators
           : path->by == EXPLAIN_BY_ROLE   ? &found->roles
                                           : &found->tracks;
}

static struct view operator_label(const struct profile *profile, uint32_t id)
{
    const struct operator_description *op = profile_operator(profile, id);
    return profile_text(profile, op->name != 0       ? op->name
                                 : op->location != 0 ? op->location
                                                     : op->type);
}

static struct view work_label(const struct profile *profile, uint32_t id, bool is_operator)
{
    return name_or_none(is_operator ? operator_label(profile, id) : profile_text(profile, id));
}

void explain_append_label(const struct profile *profile, uint32_t id, bool is_operator,
                          struct bytes *to)
{
    letters_append(to, work_label(profile, id, is_operator), LABEL_MOST, LETTERS_CUT_MIDDLE);
}

// Critical path ---------------------------------------------------------------------

static const struct explain_path *path_of(const struct table_query *query)
{
    return query->report;
}

static const struct path_share *share_of(const struct table_query *query)
{
    return &explain_path_shares(path_of(query))->rows[query->row];
}

static struct table_cell share_label_cell(const struct table_query *query)
{
    const struct profile *profile = path_of(query)->explanation->profile;
    const struct path_share *share = share_of(query);
    if (path_of(query)->by == EXPLAIN_BY_ROLE)
        return table_text(view_of(role_name((enum role)share->id)));
    if (path_of(query)->by == EXPLAIN_BY_TRACK)
        return table_text(
            name_or_none(profile_text(profile, profile_track(profile, share->id)->name)));
    return table_text(work_label(profile, share->id, share->is_operator));
}

static struct table_cell share_type_cell(const struct table_query *query)
{
    return table_text_if_any(
        profile_text(path_of(query)->explanation->profile, share_of(query)->type));
}

static struct table_cell share_shapes_cell(const struct table_query *query)
{
    const struct path_share *share = share_of(query);
    if (!share->repeats)
        return table_absent();
    return table_text_if_any(
        operator_tensors(path_of(query)->explanation->profile, share->id, "input", query->scratch));
}

// A field of the share.
static struct table_cell share_number_cell(const struct table_query *query)
{
    uint64_t number;
    memcpy(&number, (const char *)share_of(query) + query->column->argument, sizeof number);
    return table_whole(number);
}

static struct table_cell share_ratio_cell(const struct table_query *query)
{
    const uint64_t length = path_of(query)->explanation->path.length;
    const struct path_share *share = share_of(query);
    return table_real_if(length > 0,
                         length == 0 ? 0 : (double)(share->on_path + share->gaps) / (double)length);
}

#define SHARE(name) .argument = offsetof(struct path_share, name), .cell = share_number_cell
#define TIME .type = TABLE_NS, .look = TABLE_SCALED, .width = 8

// clang-format off
static const struct table_column PATH_COLUMNS[] = {
    {.key = "label", .title = "critical path", .place = 8, .cell = share_label_cell,
     .meaning = "the operator, or spans of a name that belong to none; role; track"},
    {.key = "shapes", .place = 9, .most = 48, .loss = 6, .flags = TABLE_HIDE_EMPTY,
     .cell = share_shapes_cell, .meaning = "of its inputs, where others have its name, too"},
    {.key = "type", .place = 7, .loss = 5, .flags = TABLE_HIDE_EMPTY, .cell = share_type_cell,
     .meaning = "of the operator"},
    {.key = "on_path_ns", .title = "on path", TIME, .place = 1, SHARE(on_path),
     .meaning = "of its work that is on the critical path"},
    {.key = "gaps_ns", .title = "gaps", TIME, .place = 2, .loss = 1, SHARE(gaps),
     .meaning = "on the path before its work, while nothing was done that it waited for"},
    {.key = "share", .type = TABLE_RATIO, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7,
     .place = 3, .cell = share_ratio_cell, .meaning = "of the path, gaps included"},
    {.key = "total_ns", .title = "total", TIME, .place = 4, .loss = 2, SHARE(total),
     .meaning = "of all its work, added up over all lanes"},
    {.key = "slack_ns", .title = "slack", TIME, .place = 5, .loss = 3, SHARE(slack),
     .meaning = "by which its most urgent piece could be later without any effect"},
    {.key = "pieces", .type = TABLE_COUNT, .width = 7, .place = 6, .loss = 4, SHARE(pieces),
     .meaning = "of work"},
};
// clang-format on

const struct table_form EXPLAIN_PATH_FORM = {
    .name = "critical_path",
    .about = "what the critical path is made of, by operator, role or track; most of it first",
    .indent = 2,
    .absent = "",
    TABLE_COLUMNS(PATH_COLUMNS),
};

// Roofline --------------------------------------------------------------------------

static const struct explanation *roofline_explanation(const struct table_query *query)
{
    return query->report;
}

static const struct roofline_row *roof_row(const struct table_query *query)
{
    return &roofline_explanation(query)->roofline.rows[query->row];
}

static struct table_cell roof_label_cell(const struct table_query *query)
{
    return table_text(
        operator_label(roofline_explanation(query)->profile, roof_row(query)->operator_id));
}

static struct table_cell roof_type_cell(const struct table_query *query)
{
    const struct profile *profile = roofline_explanation(query)->profile;
    return table_text_if_any(
        profile_text(profile, profile_operator(profile, roof_row(query)->operator_id)->type));
}

static struct table_cell roof_calls_cell(const struct table_query *query)
{
    return table_whole(roof_row(query)->calls);
}

static struct table_cell roof_time_cell(const struct table_query *query)
{
    return table_whole((uint64_t)(roof_row(query)->time + 0.5));
}

static struct table_cell roof_least_cell(const struct table_query *query)
{
    return table_whole_if(roof_row(query)->least > 0, (uint64_t)(roof_row(query)->least + 0.5));
}

static struct table_cell roof_reached_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return table_real_if(row->least > 0 && row->time > 0,
                         row->time > 0 ? row->least / row->time : 0);
}

static struct table_cell roof_bound_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return row->bound == ROOFLINE_UNKNOWN ? table_absent()
                                          : table_text(view_of(roofline_bound_name(row->bound)));
}

static struct table_cell roof_macs_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return table_real_if(row->macs > 0 && row->time > 0, row->time > 0 ? row->macs / row->time : 0);
}

static struct table_cell roof_rate_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return table_real_if((row->bytes > 0 || row->moved) && row->time > 0,
                         row->time > 0 ? row->bytes / row->time : 0);
}

static struct table_cell roof_intensity_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return table_real_if(row->bytes > 0 && row->macs > 0,
                         row->bytes > 0 ? row->macs / row->bytes : 0);
}

static struct table_cell roof_peak_cell(const struct table_query *query)
{
    const struct roofline_row *row = roof_row(query);
    return table_real_if(row->peak > 0, row->peak / 1e9);
}

static struct table_cell roof_moved_cell(const struct table_query *query)
{
    return table_flag(roof_row(query)->moved);
}

// clang-format off
static const struct table_column ROOFLINE_COLUMNS[] = {
    {.key = "operator", .title = "roofline", .place = 9, .cell = roof_label_cell,
     .meaning = "name of the operator"},
    {.key = "type", .place = 8, .loss = 5, .flags = TABLE_HIDE_EMPTY, .cell = roof_type_cell,
     .meaning = "what it computes"},
    {.key = "calls", .type = TABLE_COUNT, .width = 5, .cell = roof_calls_cell,
     .meaning = "that were recorded"},
    {.key = "time_ns", .title = "time", TIME, .place = 1, .cell = roof_time_cell,
     .meaning = "its share of the time that passed, of all calls"},
    {.key = "least_ns", .title = "least", TIME, .place = 2, .cell = roof_least_cell,
     .meaning = "that the peaks allow"},
    {.key = "reached", .type = TABLE_RATIO, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7,
     .place = 3, .cell = roof_reached_cell, .meaning = "least over time"},
    {.key = "bound", .place = 4, .width = 7, .cell = roof_bound_cell,
     .meaning = "what the least comes from: compute or memory"},
    {.key = "gmacs_per_s", .title = "GMAC/s", .type = TABLE_REAL, .digits = 2, .width = 8,
     .place = 5, .loss = 2, .cell = roof_macs_cell, .meaning = "multiply-adds, 1e9 a second"},
    {.key = "peak_gmacs_per_s", .title = "peak", .type = TABLE_REAL, .digits = 0, .width = 6,
     .cell = roof_peak_cell, .meaning = "GMAC/s of all units of its engine, for its elements"},
    {.key = "gb_per_s", .title = "GB/s", .type = TABLE_REAL, .digits = 2, .width = 7, .place = 6,
     .loss = 1, .cell = roof_rate_cell, .meaning = "bytes over time"},
    {.key = "macs_per_byte", .title = "MAC/B", .type = TABLE_REAL, .digits = 1, .width = 6,
     .place = 7, .loss = 3, .cell = roof_intensity_cell, .meaning = "multiply-adds for each byte"},
    {.key = "bytes_moved", .type = TABLE_FLAG, .cell = roof_moved_cell,
     .meaning = "bytes are those that transfers moved, which may be none"},
};
// clang-format on

const struct table_form EXPLAIN_ROOFLINE_FORM = {
    .name = "roofline",
    .about = "operators whose work is known against what the machine can do; what could gain most "
             "first",
    .indent = 2,
    .absent = "",
    TABLE_COLUMNS(ROOFLINE_COLUMNS),
};

// Memory ----------------------------------------------------------------------------

struct explain_holders explain_holders(const struct explanation *explanation)
{
    const struct memory_peaks *memory = &explanation->memory;
    struct explain_holders holders = {.explanation = explanation};
    holders.rows =
        memory_allocate_zeroed(memory->count * MEMORY_HOLDERS_MOST + 1, sizeof *holders.rows);
    for (size_t i = 0; i < memory->count; i++) {
        for (size_t k = 0; k < memory->peaks[i].holder_count; k++)
            holders.rows[holders.count++] =
                (struct explain_holder){&memory->peaks[i], &memory->peaks[i].holders[k]};
    }
    return holders;
}

static const struct explain_holder *holder_of(const struct table_query *query)
{
    return &((const struct explain_holders *)query->report)->rows[query->row];
}

static const struct profile *holder_profile(const struct table_query *query)
{
    return ((const struct explain_holders *)query->report)->explanation->profile;
}

static const struct buffer_lifetime *buffer_of(const struct table_query *query)
{
    return segments_get(&holder_profile(query)->buffers, holder_of(query)->holder->buffer);
}

static uint64_t holder_start(const struct table_query *query)
{
    uint64_t first = 0, last;
    profile_extent(holder_profile(query), &first, &last);
    return first;
}

static struct table_cell memory_cell(const struct table_query *query)
{
    return table_text(profile_text(holder_profile(query), holder_of(query)->peak->memory));
}

static struct table_cell core_cell(const struct table_query *query)
{
    const uint32_t core = holder_of(query)->peak->core;
    return table_whole_if(core > 0, core > 0 ? core - 1 : 0);
}

static struct table_cell device_cell(const struct table_query *query)
{
    const uint32_t device = holder_of(query)->peak->device;
    return table_whole_if(device > 0, device > 0 ? device - 1 : 0);
}

static struct table_cell holds_cell(const struct table_query *query)
{
    return table_text_if_any(profile_text(holder_profile(query), buffer_of(query)->name));
}

static struct table_cell owner_cell(const struct table_query *query)
{
    const uint32_t owner = buffer_of(query)->owner;
    return owner == 0 ? table_absent() : table_text(operator_label(holder_profile(query), owner));
}

static struct table_cell size_cell(const struct table_query *query)
{
    return table_whole(buffer_of(query)->size);
}

static struct table_cell peak_cell(const struct table_query *query)
{
    return table_whole(holder_of(query)->peak->bytes);
}

static struct table_cell peak_at_cell(const struct table_query *query)
{
    return table_whole(holder_of(query)->peak->at - holder_start(query));
}

static struct table_cell of_peak_cell(const struct table_query *query)
{
    return table_real((double)buffer_of(query)->size / (double)holder_of(query)->peak->bytes);
}

static struct table_cell held_cell(const struct table_query *query)
{
    return table_whole(holder_of(query)->holder->to - holder_of(query)->holder->from);
}

static struct table_cell idle_cell(const struct table_query *query)
{
    const struct memory_holder *holder = holder_of(query)->holder;
    return table_whole_if(holder->use_known, holder->use_known ? holder->to - holder->last_use : 0);
}

// clang-format off
static const struct table_column MEMORY_COLUMNS[] = {
    {.key = "memory", .title = "memory", .place = 1, .cell = memory_cell, .meaning = "its name"},
    {.key = "device", .type = TABLE_COUNT, .cell = device_cell,
     .meaning = "of the unit that was fullest"},
    {.key = "core", .type = TABLE_COUNT, .width = 4, .place = 2, .loss = 3,
     .flags = TABLE_HIDE_EMPTY, .cell = core_cell, .meaning = "of the unit that was fullest"},
    {.key = "peak_bytes", .type = TABLE_BYTES, .look = TABLE_SCALED, .cell = peak_cell,
     .meaning = "in use in it at the same time"},
    {.key = "peak_at_ns", .title = "at", .type = TABLE_NS, .look = TABLE_SCALED,
     .cell = peak_at_cell, .meaning = "when that was, from the first event on"},
    {.key = "bytes", .title = "held", .type = TABLE_BYTES, .look = TABLE_SCALED, .width = 8,
     .place = 3, .cell = size_cell, .meaning = "of this one"},
    {.key = "share", .type = TABLE_RATIO, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7,
     .place = 4, .cell = of_peak_cell, .meaning = "of the peak"},
    {.key = "held_ns", .title = "for", TIME, .place = 5, .loss = 2, .cell = held_cell,
     .meaning = "how long it was held"},
    {.key = "idle_ns", .title = "unused", TIME, .place = 6, .loss = 1, .flags = TABLE_HIDE_EMPTY,
     .cell = idle_cell,
     .meaning = "from its last known use to its end: it could be given back earlier by as much"},
    {.key = "value", .title = "what", .place = 7, .flags = TABLE_HIDE_EMPTY, .cell = holds_cell,
     .meaning = "what lies there"},
    {.key = "operator", .title = "of", .place = 8, .flags = TABLE_HIDE_EMPTY, .cell = owner_cell,
     .meaning = "whose it is"},
};
// clang-format on

const struct table_form EXPLAIN_MEMORY_FORM = {
    .name = "memory",
    .about = "who held each memory when most of it was in use, the largest first",
    .indent = 2,
    .absent = "",
    TABLE_COLUMNS(MEMORY_COLUMNS),
};
