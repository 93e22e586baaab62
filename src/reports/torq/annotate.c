#include "annotate.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate_jobs.h"
#include "base/memory.h"
#include "base/sort.h"

// What the profile has of one action, one job or one call of the HAL.
struct span {
    uint64_t invocation;
    uint64_t id;
    uint64_t start, end;
    uint64_t wave;   // among those that start together
    uint32_t repeat; // of R4: runs before it with the same number
    uint32_t dispatch, event, location;
    bool has_id, is_hal, no_start, no_end; // one of its times is not known: both are the other
};

// How often a dispatch ran as a whole, and got to its last action.
struct wholes {
    uint64_t runs, ended;
};

struct joining {
    struct event_sink sink;
    struct annotation *annotation;
    const char *path;
    struct span *spans;
    size_t count, capacity;
    uint32_t action_key, job_key, invocation_key, dispatch_key, dispatch_event;
    struct wholes *wholes; // by dispatch
    char problem[512];     // the first that says that another program ran; "": none
};

// Collecting -------------------------------------------------------------------------

static void torq_annotate_read_values(const struct joining *joining, struct view values,
                                      struct span *span)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == joining->action_key || value.key == joining->job_key) {
            span->id = value.number;
            span->has_id = true;
        } else if (value.key == joining->invocation_key) {
            span->invocation = value.number;
        } else if (value.key == joining->dispatch_key) {
            span->dispatch = (uint32_t)value.number;
        }
    }
}

static void torq_annotate_keep_span(struct joining *joining, const struct span *span)
{
    joining->spans =
        memory_grow(joining->spans, joining->count, &joining->capacity, sizeof *joining->spans);
    joining->spans[joining->count++] = *span;
}

static uint32_t torq_annotate_location_of(const struct profile *profile, uint32_t call)
{
    return profile_operator(profile, profile_call(profile, call)->operator_id)->location;
}

static bool is_hal_scope(const struct profile *profile, uint32_t dispatch)
{
    return view_starts_with(profile_text(profile, dispatch), "__HAL");
}

static status torq_annotate_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct joining *joining = (struct joining *)sink;
    const struct profile *profile = joining->annotation->profile;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind != EVENT_SPAN ||
            profile_track(profile, event->track)->provenance == PROVENANCE_DERIVED)
            continue;
        struct span span = {.start = event->start, .end = event->end, .event = event->name};
        torq_annotate_read_values(joining, event_values(batch, event), &span);
        span.is_hal = is_hal_scope(profile, span.dispatch);
        // R4's dispatches are found even when nothing of their actions is there.
        if (!span.has_id && !span.is_hal && span.event != joining->dispatch_event)
            continue;
        span.location = torq_annotate_location_of(profile, event->call);
        torq_annotate_keep_span(joining, &span);
    }
    return STATUS_OK;
}

// What has one of its two times stays where that is.
static void take_halves(struct joining *joining)
{
    const struct profile *profile = joining->annotation->profile;
    const struct torq_halves *halves = joining->annotation->halves;
    for (size_t i = 0; halves != NULL && i < halves->count; i++) {
        const struct torq_half *half = &halves->items[i];
        const struct span span = {.invocation = half->invocation,
                                  .id = half->action,
                                  .start = half->timestamp,
                                  .end = half->timestamp,
                                  .dispatch = half->dispatch,
                                  .event = half->event,
                                  .location = torq_annotate_location_of(profile, half->call),
                                  .has_id = half->has_action,
                                  .is_hal = is_hal_scope(profile, half->dispatch),
                                  .no_start = half->is_end,
                                  .no_end = !half->is_end};
        if (span.has_id || span.is_hal)
            torq_annotate_keep_span(joining, &span);
    }
}

// HAL last; by time.
static int torq_annotate_by_start(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->is_hal != b->is_hal)
        return a->is_hal ? 1 : -1;
    if (a->start != b->start)
        return sort_compare(a->start, b->start);
    if (a->id != b->id)
        return sort_compare(a->id, b->id);
    return a->end != b->end ? sort_compare(a->end, b->end) : sort_compare(a->event, b->event);
}

static int by_wave(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    return a->wave != b->wave ? sort_compare(a->wave, b->wave) : sort_compare(a->id, b->id);
}

static int by_invocation(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->is_hal != b->is_hal)
        return a->is_hal ? 1 : -1;
    if (a->is_hal)
        return torq_annotate_by_start(left, right);
    if (a->wave != b->wave) // the invocation's first start
        return sort_compare(a->wave, b->wave);
    if (a->invocation != b->invocation)
        return sort_compare(a->invocation, b->invocation);
    if (a->repeat != b->repeat)
        return sort_compare(a->repeat, b->repeat);
    if (a->has_id != b->has_id)
        return a->has_id ? 1 : -1;
    return a->id != b->id ? sort_compare(a->id, b->id) : sort_compare(a->start, b->start);
}

static int torq_annotate_by_number(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    return a->invocation != b->invocation ? sort_compare(a->invocation, b->invocation)
                                          : torq_annotate_by_start(left, right);
}

// Of one number of invocation, in order of their starts. The runtime counts from the same number
// whenever it is started: an action that did not come later than the one before, or another
// dispatch, is of another run.
static void number_repeats(const struct joining *joining, struct span *spans, size_t count)
{
    uint32_t repeat = 0;
    bool has_dispatch = false, has_previous = false;
    uint64_t previous = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_dispatch = !spans[i].has_id && spans[i].event == joining->dispatch_event;
        if ((is_dispatch && has_dispatch) ||
            (spans[i].has_id && has_previous && spans[i].id <= previous)) {
            repeat++;
            has_dispatch = has_previous = false;
        }
        has_dispatch = has_dispatch || is_dispatch;
        if (spans[i].has_id) {
            has_previous = true;
            previous = spans[i].id;
        }
        spans[i].repeat = repeat;
        spans[i].wave = i > 0 && spans[i - 1].repeat == repeat ? spans[i - 1].wave : spans[i].start;
    }
}

// Torq's tool shows a call of the HAL only where its invocation says nothing finer. Returns how
// many spans are left.
static size_t drop_hal_calls(const struct profile *profile, struct span *spans, size_t count)
{
    size_t calls = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        calls += spans[i].is_hal && view_is(profile_text(profile, spans[i].event), "HAL_CALL");
    for (size_t i = 0; i < count; i++) {
        if (calls == count || !spans[i].is_hal ||
            !view_is(profile_text(profile, spans[i].event), "HAL_CALL"))
            spans[kept++] = spans[i];
    }
    return kept;
}

// R4 says which invocation an action belongs to: they are put in order of their starts.
static void order_named(struct joining *joining)
{
    struct span *spans = joining->spans;
    size_t kept = 0;
    sort_items(spans, joining->count, sizeof *spans, torq_annotate_by_number);
    for (size_t from = 0, to; from < joining->count; from = to) {
        for (to = from; to < joining->count && spans[to].invocation == spans[from].invocation;)
            to++;
        number_repeats(joining, spans + from, to - from);
        const size_t left = drop_hal_calls(joining->annotation->profile, spans + from, to - from);
        memmove(spans + kept, spans + from, left * sizeof *spans);
        kept += left;
    }
    joining->count = kept;
    sort_items(spans, joining->count, sizeof *spans, by_invocation);
}

// Rows -------------------------------------------------------------------------------

static void torq_annotate_add_times(struct annotate_row *row, const struct span *span)
{
    row->id = span->id;
    row->has_id = span->has_id;
    row->event = span->event;
    if (span->location != 0)
        row->location = span->location;
    row->timed = !span->no_start && !span->no_end;
    row->begun = !span->no_start;
    row->ended = !span->no_end;
    row->start = span->start;
    row->end = span->end;
}

static void torq_annotate_add_unmatched(struct joining *joining, const struct annotate_row *like,
                                        const struct span *span)
{
    struct annotation *annotation = joining->annotation;
    struct annotate_row row = *like;
    torq_annotate_add_times(&row, span);
    annotate_row_add(annotation, &row);
    annotation->unmatched++;
    const struct view event = profile_text(annotation->profile, span->event);
    const struct view name = profile_text(annotation->profile, like->dispatch_name);
    if (joining->problem[0] == '\0')
        snprintf(joining->problem, sizeof joining->problem,
                 "%s %llu (%.*s) of invocation %llu%s%.*s",
                 annotation->form == TORQ_R1 ? "job" : "action", (unsigned long long)span->id,
                 VIEW_ARGUMENTS(event), (unsigned long long)span->invocation,
                 name.size > 0 ? " of " : "", VIEW_ARGUMENTS(name));
    profile_note(annotation->profile, 0, LEDGER_REMARK, 1,
                 "%s: %s %llu (%.*s) of invocation %llu is not in the program%s%.*s", joining->path,
                 annotation->form == TORQ_R1 ? "job" : "action", (unsigned long long)span->id,
                 VIEW_ARGUMENTS(event), (unsigned long long)span->invocation,
                 name.size > 0 ? "'s " : "", VIEW_ARGUMENTS(name));
}

static bool event_fits(const struct annotation *annotation, const struct program_action *action,
                       const struct span *span)
{
    static const char *const EVENTS[][2] = {
        [PROGRAM_ACTION_ALLOC] = {"ALLOC"},
        [PROGRAM_ACTION_DEALLOC] = {"DEALLOC"},
        [PROGRAM_ACTION_HOST_COPY] = {"HOST_COPY"},
        [PROGRAM_ACTION_JOB_START] = {"NSS_START"},
        [PROGRAM_ACTION_JOB_WAIT] = {"NSS_WAIT"},
        [PROGRAM_ACTION_HOST_START] = {"HOST_START", "HOST_PROGRAM"},
        [PROGRAM_ACTION_HOST_WAIT] = {"HOST_WAIT"},
    };
    const struct view event = profile_text(annotation->profile, span->event);
    const char *const *names = EVENTS[action->kind];
    return view_is(event, names[0]) || (names[1] != NULL && view_is(event, names[1]));
}

static void torq_annotate_add_action(struct annotation *annotation, const struct annotate_row *like,
                                     uint32_t id, const struct span *span)
{
    const struct program_action *action = &annotation->program->actions[id];
    struct annotate_row row = *like;
    annotate_row_set_action(annotation, id, &row);
    if (span != NULL)
        torq_annotate_add_times(&row, span);
    // R2 and R3 never log it.
    else if (action->kind != PROGRAM_ACTION_HOST_WAIT || annotation->form == TORQ_R4)
        annotation->missing++;
    annotate_row_add(annotation, &row);
}

// An item of the program: an action or a job.
struct item {
    uint32_t number;
    uint32_t id;
};

static int by_item(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->number != b->number ? sort_compare(a->number, b->number) : sort_compare(a->id, b->id);
}

static void torq_annotate_add_item(struct annotation *annotation, const struct annotate_row *like,
                                   const struct item *item, const struct span *span)
{
    if (annotation->form != TORQ_R1) {
        torq_annotate_add_action(annotation, like, item->id, span);
        return;
    }
    struct annotate_row row = *like;
    row.job = item->id;
    if (span != NULL)
        torq_annotate_add_times(&row, span);
    else
        annotation->missing++;
    row.id = item->number;
    row.has_id = true;
    annotate_job_rows(annotation, &row);
}

static bool torq_annotate_fits(const struct annotation *annotation, const struct item *item,
                               const struct span *span)
{
    return item->number == span->id &&
           (annotation->form == TORQ_R1 ||
            event_fits(annotation, &annotation->program->actions[item->id], span));
}

static bool is_logged(const struct annotation *annotation, const struct item *item)
{
    return annotation->form == TORQ_R1 || annotation->form == TORQ_R4 ||
           annotation->program->actions[item->id].kind != PROGRAM_ACTION_HOST_WAIT;
}

// The items of a dispatch and the spans of one invocation of it, both in order of ids.
static void join_invocation(struct joining *joining, uint32_t dispatch, const struct item *items,
                            size_t item_count, const struct span *spans, size_t span_count,
                            bool whole)
{
    struct annotation *annotation = joining->annotation;
    const struct annotate_row like =
        annotate_row_make(annotation, dispatch, spans[0].dispatch, spans[0].invocation);
    size_t at = 0;
    for (size_t i = 0; i < span_count; i++) {
        if (!spans[i].has_id)
            continue;
        for (; at < item_count && items[at].number < spans[i].id; at++)
            torq_annotate_add_item(annotation, &like, &items[at], NULL);
        if (at < item_count && torq_annotate_fits(annotation, &items[at], &spans[i]))
            torq_annotate_add_item(annotation, &like, &items[at++], &spans[i]);
        else
            torq_annotate_add_unmatched(joining, &like, &spans[i]);
    }
    size_t last = item_count;
    while (last > 0 && !is_logged(annotation, &items[last - 1]))
        last--;
    if (dispatch != PROGRAM_NONE && whole) {
        joining->wholes[dispatch].runs++;
        joining->wholes[dispatch].ended += at >= last;
    }
    for (; at < item_count; at++)
        torq_annotate_add_item(annotation, &like, &items[at], NULL);
}

// Dispatches -------------------------------------------------------------------------

// Actions or jobs of a dispatch, in the order of their numbers.
struct items {
    uint32_t name; // of the dispatch, a text of the profile
    struct item *items;
    size_t count, capacity;
};

static void torq_annotate_list_item(struct items *list, uint32_t number, uint32_t id)
{
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = (struct item){number, id};
}

// One list for each dispatch, for the caller to free.
static struct items *list_items(const struct annotation *annotation)
{
    const struct program *program = annotation->program;
    struct items *lists =
        memory_allocate_zeroed((size_t)program->dispatch_count + 1, sizeof *lists);
    for (uint32_t i = 0; i < program->job_count && annotation->form == TORQ_R1; i++)
        torq_annotate_list_item(&lists[program->jobs[i].dispatch], program->jobs[i].number, i);
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        lists[i].name =
            profile_string(annotation->profile, view_of(program_text(program, dispatch->name)));
        for (uint32_t k = 0; k < dispatch->action_count && annotation->form != TORQ_R1; k++) {
            const uint32_t id = dispatch->first_action + k;
            torq_annotate_list_item(&lists[i], program->actions[id].number, id);
        }
        if (lists[i].count > 1)
            sort_items(lists[i].items, lists[i].count, sizeof *lists[i].items, by_item);
    }
    return lists;
}

static uint32_t torq_annotate_dispatch_named(const struct items *lists, uint32_t count,
                                             uint32_t name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (lists[i].name == name)
            return i;
    }
    return PROGRAM_NONE;
}

// Dispatches without anything that is logged have no part in the count.
static uint32_t next_dispatch(const struct items *lists, uint32_t count, uint32_t previous)
{
    for (uint32_t i = 1; i <= count; i++) {
        const uint32_t at = (previous + i) % count;
        if (lists[at].count > 0)
            return at;
    }
    return PROGRAM_NONE;
}

// Order ------------------------------------------------------------------------------

enum { TOGETHER_MOST = 256 }; // spans that are looked through for the one that comes next

// R1 to R3 do not name invocations: an id that is not above the one before begins another.
struct sequence {
    const struct annotation *annotation;
    const struct items *lists;
    uint32_t dispatch; // of the span before
    bool has_previous;
    uint64_t previous; // its id
    uint64_t invocation;
};

// The first item of a dispatch above the id that is logged; NULL: none.
static const struct item *item_above(const struct sequence *sequence, uint32_t dispatch,
                                     bool has_least, uint64_t least)
{
    const struct items *list = &sequence->lists[dispatch];
    size_t from = 0;
    for (size_t to = list->count; has_least && from < to;) {
        const size_t middle = from + (to - from) / 2;
        if (list->items[middle].number <= least)
            from = middle + 1;
        else
            to = middle;
    }
    while (from < list->count && !is_logged(sequence->annotation, &list->items[from]))
        from++;
    return from < list->count ? &list->items[from] : NULL;
}

static uint32_t dispatch_after(const struct sequence *sequence)
{
    const uint32_t count = sequence->annotation->program->dispatch_count;
    return count > 0 ? next_dispatch(sequence->lists, count, sequence->dispatch) : PROGRAM_NONE;
}

// What the program does next, if nothing is missing; NULL where that cannot be said.
static const struct item *expected(const struct sequence *sequence)
{
    const struct item *item = NULL;
    if (sequence->has_previous && sequence->dispatch != PROGRAM_NONE)
        item = item_above(sequence, sequence->dispatch, true, sequence->previous);
    const uint32_t next = item == NULL ? dispatch_after(sequence) : PROGRAM_NONE;
    return next != PROGRAM_NONE ? item_above(sequence, next, false, 0) : item;
}

static void torq_annotate_follow(struct sequence *sequence, struct span *span)
{
    if (!sequence->has_previous || span->id <= sequence->previous) {
        sequence->invocation += sequence->has_previous;
        sequence->dispatch = dispatch_after(sequence);
        if (sequence->dispatch == PROGRAM_NONE)
            sequence->dispatch = 0;
    }
    sequence->has_previous = true;
    sequence->previous = span->id;
    span->invocation = sequence->invocation;
}

// Brings the span that the program does next to the front; false when it is not there.
static bool bring_expected(const struct sequence *sequence, struct span *spans, size_t count)
{
    const struct item *item = count <= TOGETHER_MOST ? expected(sequence) : NULL;
    size_t at = 0;
    while (item != NULL && at < count &&
           !torq_annotate_fits(sequence->annotation, item, &spans[at]))
        at++;
    if (item == NULL || at == count)
        return false;
    const struct span found = spans[at];
    memmove(spans + 1, spans, at * sizeof *spans);
    spans[0] = found;
    return true;
}

// Spans that start in the same microsecond, where the program does not tell: first those
// that go on, then those of further invocations, each id once in each of them.
static void order_together(const struct sequence *sequence, struct span *spans, size_t count)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank = i > 0 && spans[i].id == spans[i - 1].id ? rank + 1 : 0;
        spans[i].wave = rank + (sequence->has_previous && spans[i].id <= sequence->previous);
    }
    sort_items(spans, count, sizeof *spans, by_wave);
}

static void order_counted(struct joining *joining, const struct items *lists)
{
    struct span *spans = joining->spans;
    const uint32_t dispatches = joining->annotation->program->dispatch_count;
    struct sequence sequence = {.annotation = joining->annotation,
                                .lists = lists,
                                .dispatch = dispatches > 0 ? dispatches - 1 : 0};
    sort_items(spans, joining->count, sizeof *spans, torq_annotate_by_start);
    for (size_t from = 0, to; from < joining->count; from = to) {
        for (to = from; to < joining->count && spans[to].start == spans[from].start;)
            to++;
        size_t at = from;
        while (at < to && bring_expected(&sequence, spans + at, to - at))
            torq_annotate_follow(&sequence, &spans[at++]);
        order_together(&sequence, spans + at, to - at);
        for (; at < to; at++)
            torq_annotate_follow(&sequence, &spans[at]);
    }
}

// Joining ----------------------------------------------------------------------------

static size_t invocation_end(const struct joining *joining, size_t from)
{
    size_t to = from;
    while (to < joining->count && !joining->spans[to].is_hal &&
           joining->spans[to].invocation == joining->spans[from].invocation &&
           joining->spans[to].repeat == joining->spans[from].repeat)
        to++;
    return to;
}

// R4 has an event for a dispatch that ran; of the others, another run comes after it.
static bool torq_annotate_is_whole(const struct joining *joining, size_t from, size_t to)
{
    if (joining->annotation->form != TORQ_R4)
        return to < joining->count;
    return !joining->spans[from].has_id && joining->spans[from].event == joining->dispatch_event;
}

static struct view without_underscores(struct view text)
{
    size_t from = 0, to = text.size;
    while (from < to && text.data[from] == '_')
        from++;
    while (to > from && text.data[to - 1] == '_')
        to--;
    return view_slice(text, from, to);
}

static void add_hal(struct joining *joining, const struct span *span)
{
    struct profile *profile = joining->annotation->profile;
    struct annotate_row row =
        annotate_row_make(joining->annotation, PROGRAM_NONE, span->dispatch, span->invocation);
    const struct view scope = profile_text(profile, span->dispatch);
    const struct view event = profile_text(profile, span->event);
    struct bytes operation = {0};
    bytes_append(&operation, scope.data, scope.size);
    bytes_append(&operation, ".", 1);
    bytes_append(&operation, event.data, event.size);
    torq_annotate_add_times(&row, span);
    const struct view outer = view_is(event, "HAL_CALL") ? scope : event;
    row.location = profile_string(profile, without_underscores(outer));
    row.event = profile_string(profile, bytes_view(&operation));
    bytes_free(&operation);
    annotate_row_add(joining->annotation, &row);
}

static void join_all(struct joining *joining, const struct items *lists)
{
    struct annotation *annotation = joining->annotation;
    const uint32_t count = annotation->program->dispatch_count;
    uint32_t dispatch = count - 1;
    size_t from = 0;
    for (size_t to; (to = invocation_end(joining, from)) > from; from = to) {
        const struct span *first = &joining->spans[from];
        if (annotation->form == TORQ_R4)
            dispatch = torq_annotate_dispatch_named(lists, count, first->dispatch);
        else
            dispatch = count > 0 ? next_dispatch(lists, count, dispatch) : PROGRAM_NONE;
        const struct items *list = dispatch != PROGRAM_NONE ? &lists[dispatch] : NULL;
        join_invocation(joining, dispatch, list != NULL ? list->items : NULL,
                        list != NULL ? list->count : 0, first, to - from,
                        torq_annotate_is_whole(joining, from, to));
        if (dispatch == PROGRAM_NONE)
            dispatch = count - 1;
    }
    for (; from < joining->count; from++)
        add_hal(joining, &joining->spans[from]);
}

// Torq's tool ends with what it does not find, too.
static status check_program(const struct joining *joining)
{
    const struct annotation *annotation = joining->annotation;
    const struct program *program = annotation->program;
    const char *const advice = "the program is not the one that ran; --keep-unmatched shows the "
                               "rows all the same";
    if (annotation->keep_unmatched)
        return STATUS_OK;
    if (joining->problem[0] != '\0')
        return status_make(STATUS_DATA, "%s: %s is not in the program (%llu such): %s",
                           joining->path, joining->problem,
                           (unsigned long long)annotation->unmatched, advice);
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct wholes *wholes = &joining->wholes[i];
        if (wholes->runs > 0 && wholes->ended == 0)
            return status_make(STATUS_DATA, "%s: none of %llu runs of %s gets to its last %s: %s",
                               joining->path, (unsigned long long)wholes->runs,
                               program_text(program, program->dispatches[i].name),
                               annotation->form == TORQ_R1 ? "job" : "action", advice);
    }
    return STATUS_OK;
}

static void annotate_join_spans(struct joining *joining)
{
    struct annotation *annotation = joining->annotation;
    const uint32_t count = annotation->program->dispatch_count;
    struct items *lists = list_items(annotation);
    if (annotation->form == TORQ_R4)
        order_named(joining);
    else
        order_counted(joining, lists);
    annotation->origin = joining->count > 0 ? joining->spans[0].start : 0;
    join_all(joining, lists);
    for (uint32_t i = 0; i < count; i++)
        free(lists[i].items);
    free(lists);
    if (annotation->missing > 0)
        profile_note(annotation->profile, 0, LEDGER_REMARK, annotation->missing,
                     "%s: nothing is there of %llu %s of the program; their rows have no times",
                     joining->path, (unsigned long long)annotation->missing,
                     annotation->form == TORQ_R1 ? "jobs" : "actions");
}

status annotate_join(struct annotation *annotation, const char *runtime_path)
{
    struct profile *profile = annotation->profile;
    struct joining joining = {
        .sink.take = torq_annotate_take_batch,
        .annotation = annotation,
        .path = runtime_path,
        .action_key = profile_string(profile, VIEW_LITERAL("action")),
        .job_key = profile_string(profile, VIEW_LITERAL("job")),
        .invocation_key = profile_string(profile, VIEW_LITERAL("invocation")),
        .dispatch_key = profile_string(profile, VIEW_LITERAL("dispatch")),
        .dispatch_event = profile_string(profile, VIEW_LITERAL("DISPATCH")),
        .wholes = memory_allocate_zeroed((size_t)annotation->program->dispatch_count + 1,
                                         sizeof *joining.wholes),
    };
    annotate_describe(annotation);
    status result = profile_replay(profile, &joining.sink);
    if (result == STATUS_OK) {
        take_halves(&joining);
        annotate_join_spans(&joining);
        result = check_program(&joining);
    }
    free(joining.spans);
    free(joining.wholes);
    return result;
}

void annotate_free(struct annotation *annotation)
{
    free(annotation->jobs);
    free(annotation->locations);
    free(annotation->rows);
}
