// Joins a profile of `opscope run` with the program that ran: spans name tasks and actions
// by their numbers in the program.

#include <inttypes.h>
#include <stdlib.h>

#include "annotate.h"
#include "annotate_jobs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "device/describe.h"
#include "program/location.h"
#include "program/print.h"

// What the profile has of one task or action in one iteration. Times are ns.
struct span {
    uint64_t iteration;
    uint64_t number; // of the task, or of the action within its dispatch
    uint64_t start, end;
    uint32_t event, dispatch, track;
    uint32_t found; // task or action of the program; PROGRAM_NONE
    bool is_task;
};

// What the program says of a task, for every row of it.
struct task_texts {
    uint32_t lane, operators, location, names;
    uint64_t bytes;
};

struct joining {
    struct event_sink sink;
    struct annotation *annotation;
    const char *path;
    struct describing describing;
    struct span *spans;
    size_t count, capacity;
    uint64_t iterations;
    bool has_actions;          // the profile says something of actions
    struct hash_index actions; // of the program, by dispatch and number
    struct hash_index dispatches;
    struct task_texts *texts;      // by task
    const struct span **by_task;   // of the iteration at hand; NULL: nothing
    const struct span **by_action; // the same
    uint32_t task_key, action_key, iteration_key, dispatch_key;
};

// Collecting -------------------------------------------------------------------------

// False for what is neither a task nor an action.
static bool annotate_run_read_values(const struct joining *joining, struct view values,
                                     struct span *span)
{
    struct value_reader reader = value_read(values);
    struct value value;
    bool known = false;
    while (value_next(&reader, &value)) {
        if (value.key == joining->task_key || value.key == joining->action_key) {
            span->number = value.number;
            span->is_task = value.key == joining->task_key;
            known = true;
        } else if (value.key == joining->iteration_key) {
            span->iteration = value.number;
        } else if (value.key == joining->dispatch_key && value.kind == VALUE_STRING) {
            span->dispatch = (uint32_t)value.number;
        }
    }
    return known;
}

static status annotate_run_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct joining *joining = (struct joining *)sink;
    const struct profile *profile = joining->annotation->profile;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(profile, event->track);
        const struct clock_domain *clock = profile_clock(profile, track->clock);
        struct span span = {.event = event->name, .track = event->track, .found = PROGRAM_NONE};
        if (event->kind != EVENT_SPAN || track->provenance == PROVENANCE_DERIVED ||
            !annotate_run_read_values(joining, event_values(batch, event), &span))
            continue;
        span.start = clock_to_ns(clock, event->start);
        span.end = clock_to_ns(clock, event->end);
        joining->has_actions = joining->has_actions || !span.is_task;
        joining->spans =
            memory_grow(joining->spans, joining->count, &joining->capacity, sizeof *joining->spans);
        joining->spans[joining->count++] = span;
    }
    return STATUS_OK;
}

static int by_iteration(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->iteration != b->iteration)
        return sort_compare(a->iteration, b->iteration);
    if (a->start != b->start)
        return sort_compare(a->start, b->start);
    if (a->is_task != b->is_task)
        return a->is_task ? 1 : -1;
    return a->number != b->number ? sort_compare(a->number, b->number)
                                  : sort_compare(a->track, b->track);
}

// Matching ---------------------------------------------------------------------------

static uint64_t action_key(uint32_t dispatch, uint64_t number)
{
    return (uint64_t)dispatch << 32 | (number & UINT32_MAX);
}

static void index_actions(struct joining *joining)
{
    const struct annotation *annotation = joining->annotation;
    const struct program *program = annotation->program;
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        const struct view name = view_of(program_text(program, dispatch->name));
        hash_add(&joining->dispatches, hash_u64(profile_string(annotation->profile, name)), i);
        for (uint32_t k = 0; k < dispatch->action_count; k++) {
            const uint32_t action = dispatch->first_action + k;
            hash_add(&joining->actions, hash_u64(action_key(i, program->actions[action].number)),
                     action);
        }
    }
}

static bool is_action(const struct joining *joining, const struct span *span, uint32_t dispatch,
                      uint32_t action)
{
    const struct program *program = joining->annotation->program;
    const struct profile *profile = joining->annotation->profile;
    const struct program_dispatch *item = &program->dispatches[dispatch];
    return action >= item->first_action && action - item->first_action < item->action_count &&
           program->actions[action].number == span->number &&
           view_is(profile_text(profile, span->event),
                   program_action_kind_name(program->actions[action].kind)) &&
           view_is(profile_text(profile, span->dispatch), program_text(program, item->name));
}

static uint32_t find_action(const struct joining *joining, const struct span *span)
{
    uint32_t dispatch;
    const uint32_t dispatch_hash = hash_u64(span->dispatch);
    for (uint32_t at = hash_first(&joining->dispatches, dispatch_hash);
         (dispatch = hash_next(&joining->dispatches, dispatch_hash, &at)) != HASH_NONE;) {
        const uint32_t hash = hash_u64(action_key(dispatch, span->number));
        uint32_t action;
        for (uint32_t to = hash_first(&joining->actions, hash);
             (action = hash_next(&joining->actions, hash, &to)) != HASH_NONE;) {
            if (joining->by_action[action] == NULL && is_action(joining, span, dispatch, action))
                return action;
        }
    }
    return PROGRAM_NONE;
}

// A task of this number, on this lane, that has no span yet.
static uint32_t find_task(const struct joining *joining, const struct span *span)
{
    const struct program *program = joining->annotation->program;
    if (span->number >= program->task_count || joining->by_task[span->number] != NULL)
        return PROGRAM_NONE;
    const struct track *track = profile_track(joining->annotation->profile, span->track);
    return track->name == joining->texts[span->number].lane ? (uint32_t)span->number : PROGRAM_NONE;
}

static void annotate_run_match(struct joining *joining, struct span *spans, size_t count)
{
    const struct program *program = joining->annotation->program;
    memset(joining->by_task, 0, program->task_count * sizeof *joining->by_task);
    memset(joining->by_action, 0, program->action_count * sizeof *joining->by_action);
    for (size_t i = 0; i < count; i++) {
        struct span *span = &spans[i];
        span->found = span->is_task ? find_task(joining, span) : find_action(joining, span);
        if (span->found != PROGRAM_NONE)
            (span->is_task ? joining->by_task : joining->by_action)[span->found] = span;
    }
}

// What the program says --------------------------------------------------------------

// Of a transfer what it carries, of kernels what they read and write.
static uint64_t annotate_run_bytes_of(const struct program *program,
                                      const struct program_task *task)
{
    uint64_t sum = 0;
    if (task->kind == PROGRAM_TASK_TRANSFER)
        return task->cost.bytes;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const struct program_buffer *buffer = &program->buffers[operand->buffer];
        uint64_t bytes = element_size((enum element)buffer->element);
        if (buffer->kind == PROGRAM_BUFFER_DYNAMIC || buffer->element == ELEMENT_NONE)
            return ANNOTATE_NOT_SAID; // its shape is known only when it runs
        for (uint32_t k = 0; k < operand->rank; k++)
            bytes *= (uint64_t)operand->size[k];
        sum += bytes;
    }
    return sum;
}

// "conv1, relu1"; the type of one without a name.
static void annotate_run_append_operators(const struct program *program, uint32_t group,
                                          struct bytes *to)
{
    uint32_t *ids =
        memory_allocate_zeroed((size_t)program->groups[group].node_count + 1, sizeof *ids);
    const uint32_t count = program_group_operators(program, group, ids);
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &program->operators[ids[i]];
        const char *name = program_text(program, op->name);
        bytes_append_format(to, "%s%s", i > 0 ? ", " : "",
                            name[0] != '\0' ? name : program_text(program, op->type));
    }
    free(ids);
}

// Texts of groups are made once for all their tasks.
static void describe_tasks(struct joining *joining)
{
    const struct program *program = joining->annotation->program;
    struct profile *profile = joining->annotation->profile;
    struct task_texts *groups =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *groups);
    struct bytes text = {0};
    for (uint32_t i = 0; i < program->group_count; i++) {
        text.size = 0;
        program_group_location(program, i, &text);
        groups[i].location = profile_string(profile, bytes_view(&text));
        text.size = 0;
        annotate_run_append_operators(program, i, &text);
        groups[i].operators = profile_string(profile, bytes_view(&text));
        groups[i].names =
            profile_string(profile, view_of(program_text(program, program->groups[i].type)));
    }
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const uint32_t group = program_task_group(program, i);
        if (group != PROGRAM_NONE)
            joining->texts[i] = groups[group];
        if (task->kind == PROGRAM_TASK_TRANSFER)
            joining->texts[i].names = 0;
        joining->texts[i].lane =
            describing_lane(&joining->describing, task->engine, task->unit, task->lane).name;
        joining->texts[i].bytes = annotate_run_bytes_of(program, task);
    }
    bytes_free(&text);
    free(groups);
}

// Rows -------------------------------------------------------------------------------

static void annotate_run_add_times(struct annotate_row *row, const struct span *span)
{
    row->event = span->event;
    row->timed = row->begun = row->ended = true;
    row->start = span->start;
    row->end = span->end;
}

static void annotate_run_add_task(struct joining *joining, const struct annotate_row *like,
                                  uint32_t task, uint32_t order)
{
    struct annotate_row row = *like;
    const struct task_texts *texts = &joining->texts[task];
    const struct span *span = joining->by_task[task];
    row.action = PROGRAM_NONE;
    row.task = task;
    row.task_number = task;
    row.order = order;
    row.lane = texts->lane;
    row.operators = texts->operators;
    row.location = texts->location;
    row.names = texts->names;
    row.bytes = texts->bytes;
    row.timed = row.begun = row.ended = false;
    if (span != NULL)
        annotate_run_add_times(&row, span);
    else
        joining->annotation->missing++;
    annotate_row_add(joining->annotation, &row);
}

static void annotate_run_add_job(struct joining *joining, const struct annotate_row *like)
{
    const struct program *program = joining->annotation->program;
    const struct program_job *job = &program->jobs[like->job];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            annotate_run_add_task(joining, like, step->task, i + 1);
    }
}

// The row of an action, and after one that starts something those of its tasks.
static void annotate_run_add_action(struct joining *joining, const struct annotate_row *like,
                                    uint32_t id)
{
    struct annotation *annotation = joining->annotation;
    const struct program_action *action = &annotation->program->actions[id];
    const struct span *span = joining->by_action[id];
    struct annotate_row row = *like;
    annotate_row_set_action(annotation, id, &row);
    if (action->bytes > 0)
        row.bytes = action->bytes;
    if (span != NULL)
        annotate_run_add_times(&row, span);
    else if (joining->has_actions)
        annotation->missing++;
    annotate_row_add(annotation, &row);
    row.location = 0;
    if (action->kind == PROGRAM_ACTION_JOB_START)
        annotate_run_add_job(joining, &row);
    else if (action->kind == PROGRAM_ACTION_HOST_START)
        annotate_run_add_task(joining, &row, action->subject, 1);
}

static void annotate_run_add_unmatched(struct joining *joining, const struct span *span)
{
    struct annotation *annotation = joining->annotation;
    struct profile *profile = annotation->profile;
    struct annotate_row row =
        annotate_row_make(annotation, PROGRAM_NONE, span->dispatch, span->iteration);
    const struct view event = profile_text(profile, span->event);
    row.has_id = !span->is_task;
    row.id = row.has_id ? span->number : 0;
    row.order = (uint32_t)span->number;
    row.task_number = span->is_task ? span->number : ANNOTATE_NOT_SAID;
    row.lane = profile_track(profile, span->track)->name;
    annotate_run_add_times(&row, span);
    annotate_row_add(annotation, &row);
    annotation->unmatched++;
    profile_note(profile, 0, LEDGER_REMARK, 1,
                 "%s: %s %" PRIu64 " (%.*s) of iteration %" PRIu64 " is not in the program%s",
                 joining->path, span->is_task ? "task" : "action", span->number,
                 VIEW_ARGUMENTS(event), span->iteration,
                 span->is_task ? ", or on another lane" : "");
}

static void join_iteration(struct joining *joining, struct span *spans, size_t count)
{
    struct annotation *annotation = joining->annotation;
    const struct program *program = annotation->program;
    annotate_run_match(joining, spans, count);
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        const struct annotate_row row = annotate_row_make(annotation, i, 0, spans[0].iteration);
        for (uint32_t k = 0; k < dispatch->action_count; k++)
            annotate_run_add_action(joining, &row, dispatch->first_action + k);
    }
    for (size_t i = 0; i < count; i++) {
        if (spans[i].found == PROGRAM_NONE)
            annotate_run_add_unmatched(joining, &spans[i]);
    }
}

static size_t iteration_end(const struct joining *joining, size_t from)
{
    size_t to = from;
    while (to < joining->count && joining->spans[to].iteration == joining->spans[from].iteration)
        to++;
    return to;
}

// Every iteration has a row for all that the program does: a profile of many iterations
// with next to nothing in each would have far more rows than spans.
static status annotate_run_check_size(const struct joining *joining)
{
    const struct program *program = joining->annotation->program;
    uint64_t iterations = 0;
    for (size_t from = 0; from < joining->count; from = iteration_end(joining, from))
        iterations++;
    const uint64_t rows = (uint64_t)program->task_count + program->action_count;
    if (iterations * rows <= 16 * (uint64_t)joining->count + 16 * rows)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "%s: %" PRIu64 " iterations with %zu spans, but the program has %" PRIu64
                       " tasks and actions: it is of another program",
                       joining->path, iterations, joining->count, rows);
}

static void note_others(const struct joining *joining)
{
    const struct annotation *annotation = joining->annotation;
    struct profile *profile = annotation->profile;
    const struct view network = profile_fact(profile, "network");
    if (network.size > 0 && !view_equal(network, annotation->program->source))
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: the profile is of network '%.*s', the program of '%.*s'", joining->path,
                     VIEW_ARGUMENTS(network), VIEW_ARGUMENTS(annotation->program->source));
    if (annotation->missing > 0)
        profile_note(profile, 0, LEDGER_REMARK, annotation->missing,
                     "%s: nothing is there of %" PRIu64
                     " tasks or actions of the program; their rows have no times",
                     joining->path, annotation->missing);
}

// A run of a program that has nothing to do, or one that ended before its first task.
static status join_nothing(struct joining *joining)
{
    struct annotation *annotation = joining->annotation;
    if (profile_fact(annotation->profile, "device").size == 0)
        return status_make(STATUS_DATA,
                           "%s: nothing in it names tasks of a program; 'opscope run PROGRAM "
                           "--profile FILE' records some",
                           joining->path);
    annotation->missing =
        (uint64_t)annotation->program->task_count + annotation->program->action_count;
    note_others(joining);
    return STATUS_OK;
}

static status annotate_run_join_spans(struct joining *joining)
{
    if (joining->count == 0)
        return join_nothing(joining);
    sort_items(joining->spans, joining->count, sizeof *joining->spans, by_iteration);
    STATUS_TRY(annotate_run_check_size(joining));
    describe_tasks(joining);
    index_actions(joining);
    joining->annotation->origin = joining->spans[0].start;
    for (size_t from = 0, to; from < joining->count; from = to) {
        to = iteration_end(joining, from);
        join_iteration(joining, joining->spans + from, to - from);
    }
    note_others(joining);
    return STATUS_OK;
}

status annotate_join_run(struct annotation *annotation, const char *profile_path)
{
    struct profile *profile = annotation->profile;
    const struct program *program = annotation->program;
    STATUS_TRY(describing_check(program, annotation->target));
    struct joining joining = {
        .sink.take = annotate_run_take_batch,
        .annotation = annotation,
        .path = profile_path,
        .describing = {.program = program, .target = annotation->target, .profile = profile},
        .texts = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *joining.texts),
        .by_task = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(void *)),
        .by_action = memory_allocate_zeroed((size_t)program->action_count + 1, sizeof(void *)),
        .task_key = profile_string(profile, VIEW_LITERAL("program_task")),
        .action_key = profile_string(profile, VIEW_LITERAL("action")),
        .iteration_key = profile_string(profile, VIEW_LITERAL("iteration")),
        .dispatch_key = profile_string(profile, VIEW_LITERAL("dispatch")),
    };
    annotate_describe(annotation);
    status result = profile_replay(profile, &joining.sink);
    if (result == STATUS_OK)
        result = annotate_run_join_spans(&joining);
    hash_free(&joining.actions);
    hash_free(&joining.dispatches);
    free(joining.spans);
    free(joining.texts);
    free(joining.by_task);
    free(joining.by_action);
    return result;
}
