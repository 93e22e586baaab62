// R2 to R4: rows are begins and ends of what the host does, in us of a steady
// clock; a span is a begin with its end. How long a program of the NPU, or in R4
// of the host, runs is not logged: it is derived, from the begin of its start to
// the end of the wait that follows.
//
// Read in a row, not in parts (base/parts.h): a begin waits for its end, and elapsed times count
// on from the row before.

#include <stdlib.h>

#include "base/memory.h"
#include "base/unread.h"
#include "hal_calls.h"
#include "lanes.h"
#include "pairing.h"
#include "readers.h"
#include "row_order.h"
#include "runs.h"

enum phase { PHASE_BEGIN, PHASE_END, PHASE_ONCE };

// Programs of one kind, of which only starts and waits are in the file.
struct programs {
    uint32_t start, wait; // names of events
    uint32_t name;        // of the derived spans and their lane
    const struct torq_engine *engine;
    uint32_t lane;          // 0: not made yet
    struct pairing started; // those that nobody waited for yet
    struct pairing ended;   // waits whose starts were not read yet
};

enum { PROGRAM_KINDS = 2 };

static const char HAL_CALL[] = "HAL_CALL";
static const char HAL_CALL_AROUND[] = "AROUND HAL_CALL"; // the lane of those that say nothing new

struct runtime_reader {
    struct rows rows;
    struct runs runs;       // R2, R3: event and location; R4: dispatch and invocation
    struct runs events;     // R4
    struct runs dispatches; // R4: `kind` is the operator
    struct lanes lanes;
    struct split_texts texts;
    struct bytes values;
    struct pairing open;
    struct pairing ended; // ends whose begins were not read yet; `start` is when they end
    struct torq_halves *halves;
    struct view previous; // the row before
    struct unread unread; // rows that are lost, which may be halves of others
    struct programs programs[PROGRAM_KINDS];
    uint32_t action_key, invocation_key, dispatch_key, wait_key;
    struct hal_calls hal;
    bool located; // R2, R3: an earlier row has the column
    bool first_known;
    uint64_t first_timestamp;
    uint64_t previous_timestamp;
    bool elapsed_settled; // there is nothing more to say, or to compare with
};

// A row with all that is looked up for it.
struct occurrence {
    enum phase phase;
    uint32_t lane;
    uint32_t name;
    uint32_t call;
    uint32_t dispatch; // string id; 0: none
    struct pairing_key key;
    uint64_t timestamp;
};

// Events ---------------------------------------------------------------------

static bool take_suffix(struct view *event, const char *suffix)
{
    const size_t size = strlen(suffix);
    if (event->size <= size || !view_ends_with(*event, suffix))
        return false;
    event->size -= size;
    return true;
}

// What is left in `*event` is the name of the event without its phase.
static enum phase runtime_reader_take_phase(enum torq_form form, struct view *event)
{
    // R2 and R3 write this begin without a suffix; its end is NSS_START_END.
    if (form != TORQ_R4 && view_is(*event, "NSS_START"))
        return PHASE_BEGIN;
    if (take_suffix(event, "_BEGIN") || (form != TORQ_R4 && take_suffix(event, "_START")))
        return PHASE_BEGIN;
    return take_suffix(event, "_END") ? PHASE_END : PHASE_ONCE;
}

static const struct torq_engine *runtime_reader_engine_of(struct view event)
{
    if (view_is(event, "HOST_COPY"))
        return &TORQ_HOST_COPY;
    if (view_is(event, "HOST_PROGRAM") || view_is(event, "HOST_START") ||
        view_is(event, "HOST_WAIT"))
        return &TORQ_HOST;
    return view_starts_with(event, "HAL_") ? &TORQ_HAL : NULL;
}

// Fills in name, phase and lane.
static void describe_event(struct runtime_reader *reader, struct view event, struct torq_run *run)
{
    run->kind = runtime_reader_take_phase(reader->rows.form, &event);
    run->name = profile_string(reader->rows.profile, event);
    run->index =
        lanes_named(&reader->lanes, event, runtime_reader_engine_of(event), 0, LANES_OTHER);
}

static const struct torq_run *find_located_event(struct runtime_reader *reader, struct view bytes,
                                                 struct split_problem *out_problem)
{
    struct profile *profile = reader->rows.profile;
    const uint32_t hash = hash_bytes(bytes.data, bytes.size);
    const struct torq_run *known = runs_find(&reader->runs, bytes, hash);
    if (known != NULL)
        return known;
    if (!split_run_event(bytes, &reader->texts, out_problem))
        return NULL;
    struct torq_run run = {0};
    describe_event(reader, reader->texts.type, &run);
    if (reader->texts.location.size > 0)
        run.call = runs_call(&reader->runs, profile, run.name,
                             profile_string(profile, reader->texts.location));
    return runs_add(&reader->runs, bytes, hash, &run);
}

static const struct torq_run *find_event(struct runtime_reader *reader, struct view event)
{
    const uint32_t hash = hash_bytes(event.data, event.size);
    const struct torq_run *known = runs_find(&reader->events, event, hash);
    if (known != NULL)
        return known;
    struct torq_run run = {0};
    describe_event(reader, split_text(event, &reader->texts.type_scratch), &run);
    return runs_add(&reader->events, event, hash, &run);
}

static uint32_t operator_of_dispatch(struct runtime_reader *reader, uint32_t name)
{
    struct profile *profile = reader->rows.profile;
    const struct view text = profile_text(profile, name);
    const uint32_t hash = hash_bytes(text.data, text.size);
    const struct torq_run *known = runs_find(&reader->dispatches, text, hash);
    if (known != NULL)
        return known->kind;
    const struct operator_description op = {.name = name};
    const struct torq_run run = {.kind = profile_operator_add(profile, &op)};
    return runs_add(&reader->dispatches, text, hash, &run)->kind;
}

static const struct torq_run *runtime_reader_find_invocation(struct runtime_reader *reader,
                                                             const struct split_action *row)
{
    struct profile *profile = reader->rows.profile;
    const uint32_t hash = hash_bytes(row->run.data, row->run.size);
    const struct torq_run *known = runs_find(&reader->runs, row->run, hash);
    if (known != NULL)
        return known;
    split_run_r4(row->run, &reader->texts);
    struct torq_run run = {.name = profile_string(profile, reader->texts.type)};
    const struct call call = {.operator_id = operator_of_dispatch(reader, run.name),
                              .invocation =
                                  row->invocation <= UINT32_MAX ? (uint32_t)row->invocation : 0,
                              .domain = reader->invocation_key,
                              .key = row->invocation};
    run.call = profile_call_add(profile, &call);
    return runs_add(&reader->runs, row->run, hash, &run);
}

// Spans ----------------------------------------------------------------------

static void runtime_reader_add_values(struct runtime_reader *reader, const struct occurrence *at)
{
    struct bytes *values = &reader->values;
    values->size = 0;
    if (at->key.action != PAIRING_NONE)
        value_add_uint(values, reader->action_key, at->key.action);
    if (reader->rows.form != TORQ_R4)
        return;
    value_add_uint(values, reader->invocation_key, at->key.invocation);
    if (at->dispatch != 0)
        value_add_string(values, reader->dispatch_key, at->dispatch);
}

static void runtime_reader_add_event(struct runtime_reader *reader, const struct occurrence *at,
                                     enum event_kind kind, uint64_t start, uint32_t call)
{
    struct profile *profile = reader->rows.profile;
    const struct event event = {.kind = kind,
                                .start = start,
                                .end = at->timestamp,
                                .track = at->lane,
                                .name = at->name,
                                .call = call};
    runtime_reader_add_values(reader, at);
    rows_expect(profile_track(profile, at->lane));
    profile_event_add(profile, &event, bytes_view(&reader->values));
}

static struct pairing_begin half_of(const struct runtime_reader *reader,
                                    const struct occurrence *at)
{
    return (struct pairing_begin){.key = at->key,
                                  .lane = at->lane,
                                  .call = at->call,
                                  .dispatch = at->dispatch,
                                  .start = at->timestamp,
                                  .line = reader->rows.line.number};
}

// Calls of the HAL -------------------------------------------------------------

// The lane of an event that lies on `lane` as long as nothing finer is known.
static uint32_t runtime_reader_lane_of(struct runtime_reader *reader, uint32_t lane,
                                       struct pairing_key key)
{
    return key.event == reader->hal.name && hal_calls_are_detailed(&reader->hal, key.invocation)
               ? lanes_named(&reader->lanes, view_of(HAL_CALL_AROUND), NULL, 0, LANES_OTHER)
               : lane;
}

static void hal_add_calls(struct runtime_reader *reader)
{
    for (size_t i = 0; i < reader->hal.count; i++) {
        const struct hal_call *call = &reader->hal.items[i];
        const struct occurrence at = {.lane = runtime_reader_lane_of(reader, call->lane, call->key),
                                      .name = reader->hal.name,
                                      .dispatch = call->dispatch,
                                      .key = call->key,
                                      .timestamp = call->end};
        runtime_reader_add_event(reader, &at, EVENT_SPAN, call->start, call->call);
    }
}

// Pairs ------------------------------------------------------------------------

static void runtime_reader_add_span(struct runtime_reader *reader, const struct occurrence *at,
                                    uint64_t start, uint32_t call)
{
    if (at->name == reader->hal.name)
        hal_calls_keep(&reader->hal, &(struct hal_call){.key = at->key,
                                                        .lane = at->lane,
                                                        .call = call,
                                                        .dispatch = at->dispatch,
                                                        .start = start,
                                                        .end = at->timestamp});
    else
        runtime_reader_add_event(reader, at, EVENT_SPAN, start, call);
}

// `explained`: what is missing is counted already.
static void lose_half(struct runtime_reader *reader, const struct pairing_begin *half, bool is_end,
                      bool explained)
{
    struct torq_halves *halves = reader->halves;
    if (!explained)
        rows_lose_event(&reader->rows, runtime_reader_lane_of(reader, half->lane, half->key),
                        half->line, is_end ? "ends and did not begin" : "begins and does not end");
    if (halves == NULL)
        return;
    halves->items =
        memory_grow(halves->items, halves->count, &halves->capacity, sizeof *halves->items);
    halves->items[halves->count++] =
        (struct torq_half){.invocation = half->key.invocation,
                           .action = half->key.action,
                           .timestamp = half->start,
                           .event = half->key.event,
                           .dispatch = half->dispatch,
                           .call = half->call,
                           .has_action = half->key.action != PAIRING_NONE,
                           .is_end = is_end};
}

// What ends when it begins: its end may come first.
static void runtime_reader_begin_span(struct runtime_reader *reader, const struct occurrence *at)
{
    struct pairing_begin end;
    const bool ended = pairing_take(&reader->ended, at->key, &end);
    if (ended && end.start >= at->timestamp) {
        struct occurrence whole = *at;
        whole.timestamp = end.start;
        runtime_reader_add_span(reader, &whole, at->timestamp, at->call);
        return;
    }
    if (ended)
        pairing_add_first(&reader->ended, &end);
    const struct pairing_begin begin = half_of(reader, at);
    pairing_add_first(&reader->open, &begin);
}

static void runtime_reader_end_span(struct runtime_reader *reader, const struct occurrence *at)
{
    struct pairing_begin begin;
    if (pairing_take(&reader->open, at->key, &begin)) { // in order of time
        runtime_reader_add_span(reader, at, begin.start, begin.call);
        return;
    }
    const struct pairing_begin end = half_of(reader, at);
    pairing_add_first(&reader->ended, &end);
}

// Programs -------------------------------------------------------------------

static uint32_t program_lane(struct runtime_reader *reader, struct programs *programs)
{
    if (programs->lane != 0)
        return programs->lane;
    struct track lane = reader->lanes.like;
    lane.name = programs->name;
    lane.kind = TRACK_LANE;
    torq_engine_set(reader->rows.profile, &lane, programs->engine, 0);
    lane.provenance = PROVENANCE_DERIVED;
    lane.rank = LANES_OTHER + LANES_MOST + 1;
    programs->lane = profile_track_add(reader->rows.profile, &lane);
    return programs->lane;
}

// The ledger counts what the file has rows for, so this span stays out of it.
static void runtime_reader_add_program(struct runtime_reader *reader, struct programs *programs,
                                       const struct pairing_begin *begin,
                                       const struct occurrence *wait)
{
    struct profile *profile = reader->rows.profile;
    const struct event event = {.kind = EVENT_SPAN,
                                .start = begin->start,
                                .end = wait->timestamp,
                                .track = program_lane(reader, programs),
                                .name = programs->name,
                                .call = begin->call};
    struct occurrence start = *wait;
    start.key.action = begin->action;
    runtime_reader_add_values(reader, &start);
    if (wait->key.action != PAIRING_NONE)
        value_add_uint(&reader->values, reader->wait_key, wait->key.action);
    struct ledger *account = &profile_track(profile, event.track)->ledger;
    const struct ledger before = *account;
    profile_event_add(profile, &event, bytes_view(&reader->values));
    *account = before;
}

static struct pairing_key program_key(const struct occurrence *at)
{
    return (struct pairing_key){.invocation = at->key.invocation, .action = PAIRING_NONE};
}

static struct pairing_begin program_half(const struct occurrence *at)
{
    return (struct pairing_begin){.key = program_key(at),
                                  .call = at->call,
                                  .dispatch = at->dispatch,
                                  .start = at->timestamp,
                                  .action = at->key.action};
}

static void runtime_reader_start_program(struct runtime_reader *reader, struct programs *programs,
                                         const struct occurrence *at)
{
    const struct pairing_begin begin = program_half(at);
    struct pairing_begin end;
    if (!pairing_take(&programs->ended, begin.key, &end)) {
        pairing_add_last(&programs->started, &begin);
        return;
    }
    if (end.start < begin.start) { // of another
        pairing_add_first(&programs->ended, &end);
        pairing_add_last(&programs->started, &begin);
        return;
    }
    struct occurrence wait = *at;
    wait.key.action = end.action;
    wait.timestamp = end.start;
    runtime_reader_add_program(reader, programs, &begin, &wait);
}

static void end_program(struct runtime_reader *reader, struct programs *programs,
                        const struct occurrence *at)
{
    struct pairing_begin begin;
    const struct pairing_begin end = program_half(at);
    const bool started = pairing_take(&programs->started, end.key, &begin);
    if (started && begin.start <= at->timestamp) {
        runtime_reader_add_program(reader, programs, &begin, at);
        return;
    }
    if (started)
        pairing_add_first(&programs->started, &begin);
    pairing_add_last(&programs->ended, &end);
}

static void follow_program(struct runtime_reader *reader, struct programs *programs,
                           const struct occurrence *at)
{
    if (at->name == programs->start && at->phase == PHASE_BEGIN)
        runtime_reader_start_program(reader, programs, at);
    else if (at->name == programs->wait && at->phase == PHASE_END)
        end_program(reader, programs, at);
}

static void remark_programs(struct runtime_reader *reader, const struct programs *programs)
{
    const struct {
        uint64_t count;
        const char *what;
    } remarks[] = {
        {programs->ended.waiting, "wait for a program that nobody started"},
        {programs->started.waiting, "start a program that nobody waits for"},
    };
    const struct view lane = profile_text(reader->rows.profile, programs->name);
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
        if (remarks[i].count > 0)
            profile_note(reader->rows.profile, 0, LEDGER_REMARK, remarks[i].count,
                         "%s: %llu actions %s; they have no span on %.*s", reader->rows.input->path,
                         (unsigned long long)remarks[i].count, remarks[i].what,
                         VIEW_ARGUMENTS(lane));
    }
}

// Rows -----------------------------------------------------------------------

// R2's elapsed time is since the first event, or since the previous one where
// the documents were believed. Only the timestamps are used.
static void check_elapsed(struct runtime_reader *reader, const struct split_action *row)
{
    if (!reader->first_known) {
        reader->first_known = true;
        reader->first_timestamp = row->timestamp;
        reader->previous_timestamp = row->timestamp - row->elapsed;
    }
    const uint64_t since_first = row->timestamp - reader->first_timestamp;
    const uint64_t since_previous = row->timestamp - reader->previous_timestamp;
    reader->previous_timestamp = row->timestamp;
    if (row->elapsed == since_first || row->elapsed == since_previous || reader->elapsed_settled)
        return;
    reader->elapsed_settled = true;
    profile_note(reader->rows.profile, 0, LEDGER_REMARK, 1,
                 "%s:%llu: column 'elapsed_time(us)': %llu is neither the time since the first "
                 "row nor since the row before; only timestamp(us) is used",
                 reader->rows.input->path, (unsigned long long)reader->rows.line.number,
                 (unsigned long long)row->elapsed);
}

static bool look_up_r2(struct runtime_reader *reader, const struct split_action *row,
                       struct occurrence *out, struct split_problem *out_problem)
{
    const struct torq_run *run = find_located_event(reader, row->run, out_problem);
    if (run == NULL)
        return false;
    *out = (struct occurrence){
        .phase = (enum phase)run->kind, .lane = run->index, .name = run->name, .call = run->call};
    return true;
}

static void look_up_r4(struct runtime_reader *reader, const struct split_action *row,
                       struct occurrence *out)
{
    const struct torq_run *event = find_event(reader, row->event);
    const struct torq_run *invocation = runtime_reader_find_invocation(reader, row);
    *out = (struct occurrence){.phase = (enum phase)event->kind,
                               .lane = event->index,
                               .name = event->name,
                               .call = invocation->call,
                               .dispatch = invocation->name};
    if (out->name != reader->hal.name && view_starts_with(row->event, "HAL_"))
        hal_calls_add_detailed(&reader->hal, row->invocation);
}

static void add_once(struct runtime_reader *reader, const struct occurrence *at)
{
    struct occurrence once = *at;
    once.lane = runtime_reader_lane_of(reader, at->lane, at->key);
    runtime_reader_add_event(reader, &once, EVENT_INSTANT, at->timestamp, at->call);
}

static void runtime_reader_take_event(struct runtime_reader *reader, const struct occurrence *at)
{
    switch (at->phase) {
    case PHASE_BEGIN:
        runtime_reader_begin_span(reader, at);
        break;
    case PHASE_END:
        runtime_reader_end_span(reader, at);
        break;
    case PHASE_ONCE:
        add_once(reader, at);
        break;
    }
    for (size_t i = 0; i < PROGRAM_KINDS; i++)
        follow_program(reader, &reader->programs[i], at);
}

// A row that lacks what every row has; the last one without a newline may lack it for certain.
static bool runtime_reader_is_cut(const struct runtime_reader *reader,
                                  const struct split_action *row)
{
    const bool last = !reader->rows.line.terminated;
    struct view event = row->event;
    return reader->rows.form == TORQ_R4
               ? last && runtime_reader_take_phase(TORQ_R4, &event) == PHASE_ONCE
               : !row->has_location && (last || reader->located);
}

// An action may be over within a microsecond and begin again, but it does not begin twice in a row.
static bool is_copy(struct runtime_reader *reader, const struct occurrence *at)
{
    const struct view text = reader->rows.line.text;
    const bool same = view_equal(text, reader->previous);
    reader->previous = text;
    return same && at->phase != PHASE_ONCE && at->key.action != PAIRING_NONE;
}

static void runtime_reader_read_row(struct runtime_reader *reader)
{
    struct rows *rows = &reader->rows;
    struct split_action row;
    struct split_problem problem;
    struct occurrence at;
    const bool whole = rows->form == TORQ_R4 ? split_r4(rows->line.text, &row, &problem)
                                             : split_r2(rows->line.text, &row, &problem);
    if (whole && runtime_reader_is_cut(reader, &row)) {
        problem = (struct split_problem){"location", VIEW_LITERAL(""), "is missing"};
        if (rows->line.terminated)
            rows_lose(rows, &problem);
        else
            rows_lose_cut(rows);
        unread_add(&reader->unread, rows->line.number);
        return;
    }
    if (!whole || (rows->form != TORQ_R4 && !look_up_r2(reader, &row, &at, &problem))) {
        reader->elapsed_settled = true;
        rows_lose(rows, &problem);
        unread_add(&reader->unread, rows->line.number);
        return;
    }
    reader->located |= row.has_location;
    if (rows->form == TORQ_R4)
        look_up_r4(reader, &row, &at);
    else
        check_elapsed(reader, &row);
    at.timestamp = row.timestamp;
    at.key = (struct pairing_key){.invocation = row.invocation,
                                  .action = row.has_action ? row.action : PAIRING_NONE,
                                  .event = at.name};
    if (is_copy(reader, &at)) {
        rows_refuse_copy(rows, at.lane);
        return;
    }
    runtime_reader_take_event(reader, &at);
}

// A begin and, further down in the file, an end that is earlier contradict each other.
static bool refuse_pair(struct runtime_reader *reader, const struct pairing_begin *begin)
{
    struct pairing_begin end;
    if (!pairing_take(&reader->ended, begin->key, &end))
        return false;
    if (end.line < begin->line) {
        pairing_add_first(&reader->ended, &end);
        return false;
    }
    reader->rows.line.number = end.line;
    rows_refuse(&reader->rows, runtime_reader_lane_of(reader, end.lane, end.key), begin->start,
                end.start);
    return true;
}

static void lose_waiting(struct runtime_reader *reader)
{
    const size_t begin_count = reader->open.waiting;
    size_t lost = 0;
    struct pairing_begin *begins = memory_allocate(begin_count * sizeof *begins);
    pairing_list(&reader->open, begins);
    for (size_t i = 0; i < begin_count; i++) {
        if (!refuse_pair(reader, &begins[i]))
            begins[lost++] = begins[i];
    }
    const size_t end_count = reader->ended.waiting;
    struct pairing_begin *ends = memory_allocate(end_count * sizeof *ends);
    pairing_list(&reader->ended, ends);
    for (size_t i = 0; i < end_count; i++)
        lose_half(reader, &ends[i], true, unread_explains_end(&reader->unread, ends[i].line));
    for (size_t i = lost; i > 0; i--)
        begins[i - 1].explained = unread_explains_begin(&reader->unread, begins[i - 1].line);
    for (size_t i = 0; i < lost; i++)
        lose_half(reader, &begins[i], false, begins[i].explained);
    free(begins);
    free(ends);
}

static void remark_halves(const struct runtime_reader *reader)
{
    const uint64_t halves = reader->unread.explained;
    if (halves > 0)
        profile_note(reader->rows.profile, 0, LEDGER_REMARK, halves,
                     "%s: %llu begins or ends may have their other half in a row that could not "
                     "be read, and are not counted as lost again",
                     reader->rows.input->path, (unsigned long long)halves);
}

static void free_reader(struct runtime_reader *reader)
{
    runs_free(&reader->runs);
    runs_free(&reader->events);
    runs_free(&reader->dispatches);
    lanes_free(&reader->lanes);
    split_texts_free(&reader->texts);
    bytes_free(&reader->values);
    pairing_free(&reader->open);
    pairing_free(&reader->ended);
    unread_free(&reader->unread);
    hal_calls_free(&reader->hal);
    for (size_t i = 0; i < PROGRAM_KINDS; i++) {
        pairing_free(&reader->programs[i].started);
        pairing_free(&reader->programs[i].ended);
    }
}

static void runtime_reader_read_rows(struct runtime_reader *reader)
{
    struct row_order order = row_order_find(&reader->rows);
    // Elapsed times follow the order of the file.
    reader->elapsed_settled = order.rows != NULL;
    for (size_t i = 0; i < order.count; i++) {
        reader->rows.line = order.rows[i].line;
        runtime_reader_read_row(reader);
    }
    while (order.rows == NULL && rows_next(&reader->rows))
        runtime_reader_read_row(reader);
    row_order_free(&order);
}

void runtime_reader_run(const struct input *input, enum torq_form form,
                        const struct torq_options *options, struct profile *profile)
{
    struct runtime_reader reader = {
        .rows = rows_start(input, form, profile),
        .runs = RUNS_EMPTY,
        .events = RUNS_EMPTY,
        .dispatches = RUNS_EMPTY,
        .lanes = {.profile = profile,
                  .like = {.parent = options->parent,
                           .clock = profile_clock_add(profile, "us", TORQ_MICROSECOND_HZ, 0, 0),
                           .provenance = PROVENANCE_MEASURED,
                           .nests = form == TORQ_R4}},
        .action_key = profile_string(profile, VIEW_LITERAL("action")),
        .invocation_key = profile_string(profile, VIEW_LITERAL("invocation")),
        .dispatch_key = profile_string(profile, VIEW_LITERAL("dispatch")),
        .wait_key = profile_string(profile, VIEW_LITERAL("wait_action")),
        .halves = options->halves,
        .hal.name = profile_string(profile, view_of(HAL_CALL)),
        .programs = {{.start = profile_string(profile, VIEW_LITERAL("NSS_START")),
                      .wait = profile_string(profile, VIEW_LITERAL("NSS_WAIT")),
                      .name = profile_string(profile, VIEW_LITERAL("NSS PROGRAM")),
                      .engine = &TORQ_NPU},
                     {.start = profile_string(profile, VIEW_LITERAL("HOST_START")),
                      .wait = profile_string(profile, VIEW_LITERAL("HOST_WAIT")),
                      .name = profile_string(profile, VIEW_LITERAL("HOST PROGRAM")),
                      .engine = &TORQ_HOST}},
    };
    runtime_reader_read_rows(&reader);
    hal_add_calls(&reader);
    lose_waiting(&reader);
    remark_halves(&reader);
    for (size_t i = 0; i < PROGRAM_KINDS; i++)
        remark_programs(&reader, &reader.programs[i]);
    rows_finish(&reader.rows);
    free_reader(&reader);
}
