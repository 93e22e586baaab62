#include "summary_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/trace/nodes.h"
#include "summary.h"

enum { GROUPS_MOST = 64, THREADS_MOST = 64 }; // lanes of a core, threads of each

// "aicsoftmax HVX TCM (float16)", taken apart.
struct details {
    struct view kind;
    struct view group;
    struct view memory;
    struct view types;
    bool waits; // sync or barrier
};

// Of a role of a group: a lane for each thread that it takes.
struct summary_lane {
    struct view group;
    enum role role;
    uint32_t track; // of the first thread; those of the others come after it
    uint32_t threads;
    uint64_t ends[THREADS_MOST]; // of the last span of each
};

struct summary_reading {
    const struct input *input;
    const struct qaic_summary *summary;
    struct profile *profile;
    uint32_t clock;
    uint32_t process;
    struct summary_lane lanes[GROUPS_MOST];
    size_t lane_count;
    struct hash_index operators; // by details
    struct bytes values;
};

// Details ----------------------------------------------------------------------------------

static struct view take_word(struct view *rest)
{
    *rest = view_trim(*rest);
    const size_t end = view_find(*rest, ' ');
    const struct view word = view_slice(*rest, 0, end);
    *rest = view_slice(*rest, end, rest->size);
    return word;
}

static struct details take_apart(struct view text)
{
    struct details details = {.kind = take_word(&text)};
    details.waits = view_is(details.kind, "sync") || view_is(details.kind, "barrier");
    details.group = take_word(&text);
    details.memory = take_word(&text);
    text = view_trim(text);
    if (text.size >= 2 && text.data[0] == '(' && text.data[text.size - 1] == ')')
        details.types = view_slice(text, 1, text.size - 1);
    return details;
}

static enum role role_of(const struct details *details)
{
    return details->waits ? ROLE_WAIT : node_role_of(details->kind, details->memory);
}

// Operators --------------------------------------------------------------------------------

static void add_text(struct summary_reading *reading, const char *key, struct view text)
{
    if (text.size > 0)
        value_add_string(&reading->values, profile_string(reading->profile, view_of(key)),
                         profile_string(reading->profile, text));
}

static uint32_t operator_of(struct summary_reading *reading, const struct qaic_row *row,
                            const struct details *details)
{
    struct profile *profile = reading->profile;
    const uint32_t name = profile_string(profile, view_trim(row->details));
    const uint32_t hash = hash_u64(name);
    uint32_t id;
    for (uint32_t at = hash_first(&reading->operators, hash);
         (id = hash_next(&reading->operators, hash, &at)) != HASH_NONE;) {
        if (profile_operator(profile, id)->name == name)
            return id;
    }
    reading->values.size = 0;
    add_text(reading, "outputs", details->types);
    add_text(reading, "memory", details->memory);
    uint64_t ns[NODE_TIMES] = {0};
    ns[node_time_of(details->kind, details->memory)] = 1;
    add_text(reading, "bound", view_of(node_bound(ns)));
    const struct operator_description op = {.name = name,
                                            .type = profile_string(profile, details->kind),
                                            .values = bytes_view(&reading->values)};
    id = profile_operator_add(profile, &op);
    hash_add(&reading->operators, hash, id);
    return id;
}

// Lanes ------------------------------------------------------------------------------------

static enum provenance provenance_of(const struct summary_reading *reading)
{
    return reading->summary->modelled ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

static uint32_t add_track(struct summary_reading *reading, struct track track, const char *name)
{
    track.name = profile_string(reading->profile, view_of(name));
    track.clock = reading->clock;
    track.provenance = provenance_of(reading);
    return profile_track_add(reading->profile, &track);
}

// Of how many threads the rows of a role are the sum, at least: none is busy for longer than the
// inference.
static uint32_t threads_of(const struct qaic_core *core, struct view group, enum role role)
{
    double sum = 0;
    for (size_t i = 0; i < core->row_count; i++) {
        const struct details details = take_apart(core->rows[i].details);
        if (view_equal(details.group, group) && role_of(&details) == role &&
            core->rows[i].ucycles > 0)
            sum += core->rows[i].ucycles;
    }
    const double threads = core->ucycles > 0 ? ceil(sum / (double)core->ucycles) : 1;
    return threads < 1 ? 1 : threads < THREADS_MOST ? (uint32_t)threads : THREADS_MOST;
}

static void add_lanes(struct summary_reading *reading, struct summary_lane *lane,
                      struct track track, uint64_t start)
{
    char engine[64], name[160];
    snprintf(engine, sizeof engine, "%.*s%s", (int)(lane->group.size < 48 ? lane->group.size : 48),
             lane->group.data, node_role_suffix(lane->role));
    profile_track_set_engine(reading->profile, &track, lane->role, engine);
    for (uint32_t i = 0; i < lane->threads; i++) {
        snprintf(name, sizeof name, "%s totals", engine);
        if (lane->threads > 1)
            snprintf(name, sizeof name, "%s totals, thread %" PRIu32 " of %" PRIu32, engine, i + 1,
                     lane->threads);
        track.index = i;
        lane->ends[i] = start;
        const uint32_t made = add_track(reading, track, name);
        lane->track = i == 0 ? made : lane->track;
    }
}

// NULL: a core has no more than GROUPS_MOST.
static struct summary_lane *lane_of(struct summary_reading *reading, const struct qaic_core *core,
                                    uint32_t parent, uint64_t start, struct view group,
                                    enum role role)
{
    for (size_t i = 0; i < reading->lane_count; i++) {
        struct summary_lane *lane = &reading->lanes[i];
        if (lane->role == role && view_equal(lane->group, group))
            return lane;
    }
    if (reading->lane_count == GROUPS_MOST)
        return NULL;
    const struct track track = {.kind = TRACK_LANE,
                                .parent = parent,
                                .core = core->number + 1,
                                .rank = (int32_t)reading->lane_count + 1};
    struct summary_lane *lane = &reading->lanes[reading->lane_count++];
    *lane = (struct summary_lane){
        .group = group, .role = role, .threads = threads_of(core, group, role)};
    add_lanes(reading, lane, track, start);
    return lane;
}

// Rows -------------------------------------------------------------------------------------

static void add_number(struct summary_reading *reading, const char *key, double number)
{
    if (isnan(number))
        return;
    const struct value value = {.key = profile_string(reading->profile, view_of(key)),
                                .kind = VALUE_REAL,
                                .provenance = provenance_of(reading),
                                .real = number};
    value_add(&reading->values, &value);
}

static void add_figures(struct summary_reading *reading, const struct qaic_row *row)
{
    reading->values.size = 0;
    add_number(reading, "count", row->count);
    add_number(reading, "ucycles_percent", row->ucycles_percent);
    add_number(reading, "pcycles", row->pcycles);
    add_number(reading, "pcycles_percent", row->pcycles_percent);
    add_number(reading, "out_kb", row->out_kb);
    add_number(reading, "pcycles_per_kb", row->pcycles_per_kb);
    add_number(reading, "stddev_pcycles_per_kb", row->deviation);
}

static bool is_double(const struct qaic_core *core, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (view_equal(core->rows[i].details, core->rows[index].details))
            return true;
    }
    return false;
}

static void summary_profile_lose(struct summary_reading *reading, const struct qaic_core *core,
                                 const struct qaic_row *row, enum ledger_note_kind kind,
                                 const char *why)
{
    profile_track(reading->profile, 0)->ledger.expected++;
    profile_note(reading->profile, 0, kind, 1, "%s: c%" PRIu32 " %.*s: %s", reading->input->path,
                 core->number, VIEW_ARGUMENTS(row->details), why);
}

// What a thread has of a row, which says what all of the group took together: an equal part, so
// that they take no longer than the inference. What the row says besides stands with the first.
static void add_share(struct summary_reading *reading, struct summary_lane *lane, uint32_t thread,
                      uint64_t ucycles, struct view kind, uint32_t call)
{
    const uint64_t part = ucycles / lane->threads + (thread < ucycles % lane->threads ? 1 : 0);
    const struct event event = {.kind = EVENT_SPAN,
                                .track = lane->track + thread,
                                .name = profile_string(reading->profile, kind),
                                .start = lane->ends[thread],
                                .end = lane->ends[thread] + part,
                                .call = call};
    if (thread > 0 && part == 0)
        return;
    lane->ends[thread] = event.end;
    profile_track(reading->profile, event.track)->ledger.expected++;
    profile_event_add(reading->profile, &event,
                      thread == 0 ? bytes_view(&reading->values) : VIEW_LITERAL(""));
}

static void add_row(struct summary_reading *reading, const struct qaic_core *core, size_t index,
                    uint32_t parent, uint64_t start)
{
    const struct qaic_row *row = &core->rows[index];
    const struct details details = take_apart(row->details);
    if (is_double(core, index)) {
        summary_profile_lose(reading, core, row, LEDGER_IMPOSSIBLE, "the row is there twice");
        return;
    }
    const enum role role = role_of(&details);
    struct summary_lane *lane = lane_of(reading, core, parent, start, details.group, role);
    if (lane == NULL || !(row->ucycles >= 0 && row->ucycles < 0x1p62)) {
        summary_profile_lose(reading, core, row, LEDGER_LOST, "has no number of ucycles");
        return;
    }
    uint32_t call_id = 0;
    if (!details.waits) {
        const struct call call = {.operator_id = operator_of(reading, row, &details)};
        call_id = profile_call_add(reading->profile, &call);
    }
    add_figures(reading, row);
    for (uint32_t i = 0; i < lane->threads; i++)
        add_share(reading, lane, i, (uint64_t)row->ucycles, details.kind, call_id);
}

// Cores ------------------------------------------------------------------------------------

static void add_inference(struct summary_reading *reading, const struct qaic_core *core,
                          uint32_t parent, uint64_t start, uint64_t end)
{
    struct track track = {.kind = TRACK_LANE, .parent = parent, .core = core->number + 1};
    profile_track_set_engine(reading->profile, &track, ROLE_DEVICE, "core");
    char name[32];
    snprintf(name, sizeof name, "core %" PRIu32, core->number);
    const struct event event = {.kind = EVENT_SPAN,
                                .track = add_track(reading, track, name),
                                .name = profile_string(reading->profile, VIEW_LITERAL("inference")),
                                .start = start,
                                .end = end};
    reading->values.size = 0;
    add_number(reading, "pcycles", (double)core->pcycles);
    if (core->has_inference)
        add_number(reading, "effective_mhz", core->frequency);
    profile_track(reading->profile, event.track)->ledger.expected++;
    profile_event_add(reading->profile, &event, bytes_view(&reading->values));
}

static void add_core(struct summary_reading *reading, const struct qaic_core *core)
{
    uint64_t start = UINT64_MAX, end = 0;
    char name[32];
    snprintf(name, sizeof name, "core %" PRIu32, core->number);
    const struct track track = {.kind = TRACK_GROUP,
                                .parent = reading->process,
                                .rank = (int32_t)core->number,
                                .core = core->number + 1};
    const uint32_t parent = add_track(reading, track, name);
    reading->lane_count = 0;
    for (size_t i = 0; i < core->thread_count; i++) {
        const struct qaic_thread *thread = &core->threads[i];
        if (thread->end == 0)
            continue; // its line is not there
        start = thread->start < start ? thread->start : start;
        end = thread->end > end ? thread->end : end;
    }
    if (start <= end)
        add_inference(reading, core, parent, start, end);
    else
        start = reading->summary->start;
    for (size_t i = 0; i < core->row_count; i++)
        add_row(reading, core, i, parent, start);
}

static void note_lines(struct summary_reading *reading)
{
    const struct qaic_summary *summary = reading->summary;
    struct profile *profile = reading->profile;
    profile_note(profile, 0, LEDGER_REMARK, 1,
                 "%s: a summary has sums: when things happened, and what was done at the same "
                 "time, is not in it",
                 reading->input->path);
    if (summary->cut > 0) {
        profile_track(profile, 0)->ledger.expected += summary->cut;
        profile_note(profile, 0, LEDGER_LOST, summary->cut,
                     "%s: made of a buffer that was cut off: operations are missing in the sums",
                     reading->input->path);
    }
    if (summary->unread == 0)
        return;
    profile_track(profile, 0)->ledger.expected += summary->unread;
    profile_note(profile, 0, LEDGER_LOST, summary->unread,
                 "%s:%zu: the first of %" PRIu64 " lines that say nothing known",
                 reading->input->path, summary->first_unread, summary->unread);
}

static void summary_profile_build(struct summary_reading *reading)
{
    const struct qaic_summary *summary = reading->summary;
    struct profile *profile = reading->profile;
    const struct view called =
        summary->specialization.size > 0 ? summary->specialization : summary->network;
    const struct track process = {
        .kind = TRACK_PROCESS,
        .provenance = provenance_of(reading),
        .name = profile_string(profile, called.size > 0 ? called : VIEW_LITERAL("network"))};
    profile_fact_add(profile, "format", VIEW_LITERAL("qaic-summary"));
    profile_fact_add(profile, "placement", VIEW_LITERAL("totals"));
    if (summary->network.size > 0)
        profile_fact_add(profile, "network", summary->network);
    if (summary->inference_rate.size > 0)
        profile_fact_add(profile, "inferences_a_second", summary->inference_rate);
    reading->clock = profile_clock_find(profile, "UTIMER", QAIC_TICKS_A_SECOND);
    reading->process = profile_track_add(profile, &process);
    for (size_t i = 0; i < summary->core_count; i++)
        add_core(reading, &summary->cores[i]);
    note_lines(reading);
}

status qaic_summary_profile_read(const struct input *input, struct profile *profile)
{
    struct qaic_summary *summary;
    STATUS_TRY(qaic_summary_read(input, &summary));
    struct summary_reading *reading = memory_allocate_zeroed(1, sizeof *reading);
    reading->input = input;
    reading->summary = summary;
    reading->profile = profile;
    summary_profile_build(reading);
    hash_free(&reading->operators);
    bytes_free(&reading->values);
    free(reading);
    qaic_summary_free(summary);
    return STATUS_OK;
}
