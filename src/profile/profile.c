#include "profile.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/queue.h"
#include "base/recovery.h"
#include "store.h"

// From its STORED_ALONE-th batch on the store has a thread of its own, too.
enum { PIPE_BATCHES = 6, STORED_ALONE = 16 };

// Carries full batches to the sink's thread and empty ones back.
struct profile_pipe {
    struct queue full;
    struct queue empty;
    struct recovery_thread thread;
    atomic_bool stopped; // what is left is nobody's
    struct event_sink *sink;
    status failure;
};

struct profile *profile_create(void)
{
    struct profile *profile = memory_allocate_zeroed(1, sizeof *profile);
    strings_start(&profile->strings);
    segments_start(&profile->clocks, sizeof(struct clock_domain));
    segments_start(&profile->tracks, sizeof(struct track));
    segments_start(&profile->operators, sizeof(struct operator_description));
    segments_start(&profile->calls, sizeof(struct call));
    segments_start(&profile->buffers, sizeof(struct buffer_lifetime));
    segments_start(&profile->facts, sizeof(struct profile_fact));
    segments_start(&profile->notes, sizeof(struct ledger_note));
    profile->store = store_create();
    profile->batch = event_batch_create();
    profile_clock_add(profile, "ns", 1000000000, 0, 0);
    profile_track_add(profile, &(struct track){.kind = TRACK_GROUP});
    segments_add(&profile->operators);
    segments_add(&profile->calls);
    return profile;
}

void profile_keep_input(struct profile *profile, struct input *input)
{
    profile->inputs = memory_grow(profile->inputs, profile->input_count, &profile->input_capacity,
                                  sizeof *profile->inputs);
    profile->inputs[profile->input_count++] = input;
}

uint32_t profile_clock_add(struct profile *profile, const char *name, uint64_t frequency,
                           uint64_t base_ticks, uint64_t base_ns)
{
    struct clock_domain *domain = segments_add(&profile->clocks);
    *domain = (struct clock_domain){.name = profile_string(profile, view_of(name)),
                                    .frequency = frequency,
                                    .base_ticks = base_ticks,
                                    .base_ns = base_ns};
    clock_prepare(domain);
    return profile->clocks.count - 1;
}

uint32_t profile_clock_find(struct profile *profile, const char *name, uint64_t frequency)
{
    for (uint32_t i = 0; i < profile->clocks.count; i++) {
        const struct clock_domain *domain = profile_clock(profile, i);
        if (domain->frequency == frequency && clock_is_plain(domain) &&
            view_is(profile_text(profile, domain->name), name))
            return i;
    }
    return profile_clock_add(profile, name, frequency, 0, 0);
}

static struct view profile_keep_values(struct profile *profile, struct view values)
{
    return values.size == 0 ? VIEW_LITERAL("") : arena_copy(&profile->arena, values);
}

void profile_track_set_engine(struct profile *profile, struct track *track, enum role role,
                              const char *engine)
{
    track->role = role;
    track->engine = profile_string(profile, view_of(engine));
}

uint32_t profile_track_add(struct profile *profile, const struct track *track)
{
    struct track *added = segments_add(&profile->tracks);
    *added = (struct track){.parent = track->parent,
                            .name = track->name,
                            .clock = track->clock,
                            .kind = track->kind,
                            .role = track->role,
                            .engine = track->engine,
                            .index = track->index,
                            .device = track->device,
                            .core = track->core,
                            .queue = track->queue,
                            .by_name = track->by_name,
                            .provenance = track->provenance,
                            .rank = track->rank,
                            .nests = track->nests,
                            .unit = track->unit,
                            .values = profile_keep_values(profile, track->values),
                            .ledger = track->ledger,
                            .first = UINT64_MAX};
    return profile->tracks.count - 1;
}

uint32_t profile_operator_add(struct profile *profile, const struct operator_description *op)
{
    struct operator_description *added = segments_add(&profile->operators);
    *added = *op;
    added->values = profile_keep_values(profile, op->values);
    return profile->operators.count - 1;
}

uint32_t profile_call_add(struct profile *profile, const struct call *call)
{
    struct call *added = segments_add(&profile->calls);
    *added = *call;
    added->values = profile_keep_values(profile, call->values);
    return profile->calls.count - 1;
}

void profile_buffer_add(struct profile *profile, const struct buffer_lifetime *buffer)
{
    *(struct buffer_lifetime *)segments_add(&profile->buffers) = *buffer;
}

void profile_fact_add(struct profile *profile, const char *key, struct view text)
{
    const struct profile_fact fact = {profile_string(profile, view_of(key)),
                                      profile_string(profile, text)};
    *(struct profile_fact *)segments_add(&profile->facts) = fact;
}

struct view profile_fact(const struct profile *profile, const char *key)
{
    const uint32_t id = strings_find(&profile->strings, view_of(key));
    for (uint32_t i = 0; id != HASH_NONE && i < profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&profile->facts, i);
        if (fact->key == id)
            return profile_text(profile, fact->text);
    }
    return VIEW_LITERAL("");
}

uint32_t profile_process_of(const struct profile *profile, uint32_t track)
{
    while (track != 0 && profile_track(profile, track)->kind != TRACK_PROCESS)
        track = profile_track(profile, track)->parent;
    return track;
}

// Events ----------------------------------------------------------------------

static void *pipe_run(void *argument)
{
    struct profile_pipe *pipe = argument;
    struct event_batch *batch;
    while ((batch = queue_take(&pipe->full)) != NULL) {
        if (pipe->failure == STATUS_OK && !pipe->stopped)
            pipe->failure = pipe->sink->take(pipe->sink, batch);
        batch->count = 0;
        batch->values.size = 0;
        queue_put(&pipe->empty, batch);
    }
    return NULL;
}

// Takes what comes, so that nobody waits.
static void pipe_give_up(void *argument)
{
    struct profile_pipe *pipe = argument;
    pipe->failure = status_first(pipe->failure, status_out_of_memory());
    pipe_run(pipe);
}

static void pipe_stop(void *argument)
{
    struct profile_pipe *pipe = argument;
    pipe->stopped = true;
    queue_close(&pipe->full);
}

static void pipe_free(struct profile_pipe *pipe)
{
    struct event_batch *batch;
    queue_close(&pipe->empty);
    while ((batch = queue_take(&pipe->empty)) != NULL)
        event_batch_free(batch);
    queue_free(&pipe->full);
    queue_free(&pipe->empty);
    free(pipe);
}

// False when there is no thread for it.
static bool pipe_open(struct profile *profile, struct event_sink *sink)
{
    struct profile_pipe *pipe = memory_allocate_zeroed(1, sizeof *pipe);
    queue_start(&pipe->full, PIPE_BATCHES);
    queue_start(&pipe->empty, PIPE_BATCHES);
    for (int i = 0; i + 1 < PIPE_BATCHES; i++)
        queue_put(&pipe->empty, event_batch_create());
    pipe->sink = sink;
    pipe->thread = (struct recovery_thread){
        .run = pipe_run, .give_up = pipe_give_up, .stop = pipe_stop, .context = pipe};
    if (recovery_thread_start(&pipe->thread) != 0) {
        pipe_free(pipe);
        return false;
    }
    profile->pipe = pipe;
    return true;
}

static status pipe_close(struct profile *profile)
{
    struct profile_pipe *pipe = profile->pipe;
    if (pipe == NULL)
        return STATUS_OK;
    queue_close(&pipe->full);
    recovery_thread_join(&pipe->thread);
    const status failure = pipe->failure;
    pipe_free(pipe);
    profile->pipe = NULL;
    return failure;
}

static status stream_batch(struct profile *profile, struct event_sink *sink)
{
    if (profile->pipe == NULL && !pipe_open(profile, sink))
        return sink->take(sink, profile->batch);
    struct event_batch *full = profile->batch;
    profile->batch = queue_take(&profile->pipe->empty);
    queue_put(&profile->pipe->full, full);
    return STATUS_OK;
}

static void profile_profile_hand_on(struct profile *profile)
{
    status result = STATUS_OK;
    profile->batch->keys = profile->keys;
    if (profile->failure == STATUS_OK && profile->sink != NULL)
        result = stream_batch(profile, profile->sink);
    else if (profile->failure == STATUS_OK && profile->handed_on++ >= STORED_ALONE)
        result = stream_batch(profile, store_sink(profile->store));
    else if (profile->failure == STATUS_OK)
        result = store_add(profile->store, profile->batch);
    profile->failure = status_first(profile->failure, result);
    profile->batch->count = 0;
    profile->batch->values.size = 0;
}

// Field by field: most events were just put together, and a processor that copies several fields at
// once waits until all of them have reached its cache.
static inline void profile_copy_event(struct event *to, const volatile struct event *event)
{
    to->start = event->start;
    to->end = event->end;
    to->track = event->track;
    to->name = event->name;
    to->call = event->call;
    to->kind = event->kind;
}

void profile_event_add(struct profile *profile, const struct event *event, struct view values)
{
    struct track *track = profile_track(profile, event->track);
    if (event->end < event->start) {
        track->ledger.impossible++;
        profile->note_counts[LEDGER_IMPOSSIBLE]++;
        return;
    }
    track_count_event(track, event);

    struct event_batch *batch = profile->batch;
    if (batch->capacity < EVENT_BATCH)
        event_batch_room(batch, EVENT_BATCH);
    struct event *added = &batch->events[batch->count++];
    profile_copy_event(added, event);
    added->values_at = (uint32_t)batch->values.size;
    added->values_size = (uint32_t)values.size;
    bytes_append(&batch->values, values.data, values.size);
    if (batch->count == EVENT_BATCH || batch->values.size > (1u << 30))
        profile_profile_hand_on(profile);
}

void profile_batch_end(struct profile *profile)
{
    if (profile->batch->count > 0)
        profile_profile_hand_on(profile);
}

void profile_keys_tell(struct profile *profile, uint64_t keys)
{
    profile_batch_end(profile);
    profile->keys = keys;
}

struct event_batch *profile_batch_add(struct profile *profile, struct event_batch *batch)
{
    profile_batch_end(profile);
    struct event_batch *own = profile->batch;
    profile->batch = batch;
    profile_profile_hand_on(profile);
    batch = profile->batch;
    profile->batch = own;
    return batch;
}

void track_count_events(struct track *track, const struct track_events *events)
{
    const struct track *counted = &events->counted;
    const bool unsorted = track->unsorted || counted->unsorted;
    // As if the first one came after those before it, which were counted with it.
    struct track joined = *track;
    track_count_event(&joined, &events->first);
    track->unsorted = unsorted || joined.unsorted;
    track->ledger.recorded += counted->ledger.recorded;
    track->first = counted->first < track->first ? counted->first : track->first;
    track->last = counted->last > track->last ? counted->last : track->last;
    track->previous_start = counted->previous_start;
    track->previous_end = counted->previous_end;
    track->spans += counted->spans;
    track->instants += counted->instants;
    track->samples += counted->samples;
}

static struct ledger_note *note_of(const struct profile *profile, uint32_t index)
{
    return segments_get(&profile->notes, index);
}

// Takes the last note of a kind out.
static void drop_last_note(struct profile *profile, enum ledger_note_kind kind)
{
    uint32_t at = profile->notes.count;
    while (at > 0 && note_of(profile, at - 1)->kind != kind)
        at--;
    for (; at < profile->notes.count; at++)
        *note_of(profile, at - 1) = *note_of(profile, at);
    profile->notes.count--;
}

static uint32_t notes_kept(const struct profile *profile, enum ledger_note_kind kind)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < profile->notes.count; i++)
        kept += note_of(profile, i)->kind == kind;
    return kept;
}

static void account_for(struct profile *profile, uint32_t track, enum ledger_note_kind kind,
                        uint64_t count)
{
    struct ledger *ledger = &profile_track(profile, track)->ledger;
    if (kind == LEDGER_LOST)
        ledger->lost += count;
    else if (kind == LEDGER_IMPOSSIBLE)
        ledger->impossible += count;
    profile->note_counts[kind] += count;
}

static void add_note(struct profile *profile, enum ledger_note_kind kind, uint64_t count,
                     const char *format, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    // A note is a line, whatever the file has in it.
    for (char *at = strpbrk(text, "\r\n"); at != NULL; at = strpbrk(at, "\r\n"))
        *at = ' ';
    const struct ledger_note note = {kind, profile_string(profile, view_trim(view_of(text))),
                                     count};
    *(struct ledger_note *)segments_add(&profile->notes) = note;
}

void profile_note(struct profile *profile, uint32_t track, enum ledger_note_kind kind,
                  uint64_t count, const char *format, ...)
{
    va_list arguments;
    account_for(profile, track, kind, count);
    if (notes_kept(profile, kind) >= LEDGER_NOTES_KEPT)
        return;
    va_start(arguments, format);
    add_note(profile, kind, count, format, arguments);
    va_end(arguments);
}

void profile_note_at(struct profile *profile, uint32_t index, uint32_t track,
                     enum ledger_note_kind kind, uint64_t count, const char *format, ...)
{
    va_list arguments;
    account_for(profile, track, kind, count);
    va_start(arguments, format);
    add_note(profile, kind, count, format, arguments);
    va_end(arguments);
    const struct ledger_note note = *note_of(profile, profile->notes.count - 1);
    for (uint32_t at = profile->notes.count - 1; at > index; at--)
        *note_of(profile, at) = *note_of(profile, at - 1);
    *note_of(profile, index) = note;
    if (notes_kept(profile, kind) > LEDGER_NOTES_KEPT)
        drop_last_note(profile, kind);
}

void profile_notes_rename(struct profile *profile, const char *path, const char *name)
{
    const size_t size = strlen(path);
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        struct ledger_note *note = segments_get(&profile->notes, i);
        const struct view text = profile_text(profile, note->text);
        if (text.size < size + 2 || memcmp(text.data, path, size) != 0 ||
            memcmp(text.data + size, ": ", 2) != 0)
            continue;
        struct bytes renamed = {0};
        if (name[0] != '\0')
            bytes_append_format(&renamed, "%s: ", name);
        bytes_append(&renamed, text.data + size + 2, text.size - size - 2);
        note->text = profile_string(profile, bytes_view(&renamed));
        bytes_free(&renamed);
    }
}

void profile_stream_to(struct profile *profile, struct event_sink *sink)
{
    profile->sink = sink;
}

status profile_finish(struct profile *profile)
{
    profile_batch_end(profile);
    status result = pipe_close(profile);
    result = status_first(profile->failure, result);
    profile->failure = STATUS_OK;
    profile->keys = 0;
    profile->handed_on = 0;
    return status_first(result, store_finish(profile->store));
}

void profile_free(struct profile *profile)
{
    if (profile == NULL)
        return;
    status_free(pipe_close(profile));
    status_free(profile->failure);
    event_batch_free(profile->batch);
    store_free(profile->store);
    segments_free(&profile->clocks);
    segments_free(&profile->tracks);
    segments_free(&profile->operators);
    segments_free(&profile->calls);
    segments_free(&profile->buffers);
    segments_free(&profile->facts);
    segments_free(&profile->notes);
    strings_free(&profile->strings);
    arena_free(&profile->arena);
    for (size_t i = 0; i < profile->input_count; i++)
        input_close(profile->inputs[i]);
    free(profile->inputs);
    input_close(profile->source);
    free(profile);
}

// Reading ---------------------------------------------------------------------

bool profile_has_totals(const struct profile *profile)
{
    return view_is(profile_fact(profile, "placement"), "totals");
}

bool profile_extent(const struct profile *profile, uint64_t *out_first, uint64_t *out_last)
{
    bool any = false;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const struct clock_domain *clock = profile_clock(profile, track->clock);
        if (track->spans + track->instants + track->samples == 0)
            continue;
        const uint64_t first = clock_to_ns(clock, track->first);
        const uint64_t last = clock_to_ns(clock, track->last);
        *out_first = !any || first < *out_first ? first : *out_first;
        *out_last = !any || last > *out_last ? last : *out_last;
        any = true;
    }
    return any;
}

struct ledger profile_ledger(const struct profile *profile)
{
    struct ledger sum = {0};
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->provenance != PROVENANCE_DERIVED)
            sum = ledger_sum(sum, track->ledger);
    }
    return sum;
}

status profile_replay_track(struct profile *profile, uint32_t track, struct event_sink *sink)
{
    return store_replay(profile->store, track, profile_track(profile, track)->unsorted, sink);
}

status profile_replay(struct profile *profile, struct event_sink *sink)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++)
        STATUS_TRY(profile_replay_track(profile, i, sink));
    return STATUS_OK;
}
