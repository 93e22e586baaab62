// Traces of Cloud AI's qaic-opstats and of its runtime, SDK 1.10 to 1.21: docs/formats/qaic.md.
// Operations say their node, kind and memory in arguments; which core and engine a thread is, its
// name says alone ("QAicGraph_slice01_Core_3_HVX"), or before 1.21 its number. A wait before an
// operation has no length: it is an argument.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dialect.h"
#include "formats/trace/nodes.h"
#include "json.h"

// Before threads had names.
enum { THREADS_HVX = 4, THREAD_HMX = 4, THREAD_DMA = 5, PROCESS_CORES = 2000 };

struct opstats_lane {
    uint64_t pid, tid;
    uint32_t name;         // string id; 0: not given
    uint32_t process_name; // the same
    uint32_t waits;        // string id: what the lane of its waits is called
    uint64_t pending;      // ns that the next operation waited
};

struct opstats_reading {
    struct chrome_dialect dialect; // first: dialects are cast
    struct profile *profile;
    struct nodes nodes;
    struct segments lanes; // struct opstats_lane
    struct hash_index index;
    struct bytes scratch;
};

bool chrome_opstats_is(const struct chrome_event *event)
{
    return event->phase == 'X' && chrome_argument_raw(event, "opKind").size > 0 &&
           (chrome_argument_raw(event, "opUCycle").size > 0 ||
            chrome_argument_raw(event, "opPCycle").size > 0);
}

// Lanes ------------------------------------------------------------------------------------

static struct opstats_lane *opstats_lane_of(struct opstats_reading *reading,
                                            const struct chrome_event *event)
{
    const uint64_t pid = event->pid.number, tid = event->tid.number;
    const uint32_t hash = hash_u64(pid << 32 ^ tid);
    uint32_t id;
    for (uint32_t at = hash_first(&reading->index, hash);
         (id = hash_next(&reading->index, hash, &at)) != HASH_NONE;) {
        struct opstats_lane *lane = segments_get(&reading->lanes, id);
        if (lane->pid == pid && lane->tid == tid)
            return lane;
    }
    struct opstats_lane *lane = segments_add(&reading->lanes);
    *lane = (struct opstats_lane){.pid = pid, .tid = tid};
    hash_add(&reading->index, hash, reading->lanes.count - 1);
    return lane;
}

struct name_look {
    struct chrome_visitor visitor;
    struct opstats_reading *reading;
};

static void opstats_look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct opstats_reading *reading = ((struct name_look *)visitor)->reading;
    const bool thread = view_is(event->name, "thread_name");
    if (event->phase != 'M' || (!thread && !view_is(event->name, "process_name")))
        return;
    struct opstats_lane *lane = opstats_lane_of(reading, event);
    reading->scratch.size = 0;
    const uint32_t name = profile_string(
        reading->profile, chrome_text_of(chrome_argument_raw(event, "name"), &reading->scratch));
    *(thread ? &lane->name : &lane->process_name) = name;
}

// The number after a word, at the word's last place; false: there is none.
static bool number_after(struct view text, const char *word, uint32_t *out_number, size_t *out_end)
{
    for (size_t at = text.size; at-- > 0;) {
        const struct view rest = view_slice(text, at, text.size);
        if (!view_starts_with(rest, word))
            continue;
        size_t end = at + strlen(word);
        uint64_t number = 0;
        const size_t first = end;
        for (; end < text.size && text.data[end] >= '0' && text.data[end] <= '9'; end++)
            number = number < 1000000 ? number * 10 + (uint64_t)(text.data[end] - '0') : number;
        *out_number = (uint32_t)number;
        *out_end = end;
        return end > first;
    }
    return false;
}

static enum role role_of_engine(struct view engine)
{
    if (engine.size == 0)
        return ROLE_DEVICE;
    if (view_ends_with(engine, "_Barrier"))
        return ROLE_WAIT;
    return view_starts_with(engine, "DMA") || view_ends_with(engine, "_DMA") ? ROLE_TRANSFER
                                                                             : ROLE_COMPUTE;
}

// Of a thread without a name of its own, its number says the engine.
static struct view engine_of_number(uint64_t tid)
{
    return tid < THREADS_HVX   ? VIEW_LITERAL("HVX")
           : tid == THREAD_HMX ? VIEW_LITERAL("HMX")
           : tid == THREAD_DMA ? VIEW_LITERAL("DMAIssue")
                               : VIEW_LITERAL("");
}

static void set_place(struct opstats_reading *reading, const struct opstats_lane *lane,
                      struct track *track, enum role role, struct view engine)
{
    const size_t line = view_find(engine, '_');
    const struct view word = engine.size > 0 ? view_slice(engine, 0, line) : VIEW_LITERAL("core");
    const bool barrier = view_ends_with(engine, "_Barrier");
    char text[64];
    uint32_t thread;
    size_t end;
    snprintf(text, sizeof text, "%.*s%s", (int)(word.size < 40 ? word.size : 40), word.data,
             barrier                                              ? " barrier"
             : view_starts_with(word, "DMA") && role != ROLE_WAIT ? ""
                                                                  : node_role_suffix(role));
    profile_track_set_engine(reading->profile, track, role, text);
    if (number_after(engine, "_t", &thread, &end))
        track->index = thread;
    else if (lane->name == 0 && lane->tid < THREADS_HVX)
        track->index = (uint32_t)lane->tid;
}

// Says what a lane's track is, the first time.
static void opstats_mark(struct opstats_reading *reading, struct opstats_lane *lane, uint32_t track,
                         bool waits)
{
    const struct profile *profile = reading->profile;
    const struct view own = profile_text(profile, lane->name);
    const struct chrome_event process = {.pid.number = lane->pid};
    const struct view called =
        profile_text(profile, opstats_lane_of(reading, &process)->process_name);
    struct track *made = profile_track(profile, track);
    uint32_t core = 0, device = 0;
    size_t end;
    made->nests = false; // operations of a lane may be under way together
    if (made->role != ROLE_NONE)
        return;
    const struct view text = number_after(own, "_Core_", &core, &end) ? own : called;
    const bool found = number_after(text, "_Core_", &core, &end);
    if (!found && lane->pid < PROCESS_CORES && view_starts_with(called, "HOST")) {
        profile_track_set_engine(reading->profile, made, ROLE_HOST, "host");
        return;
    }
    struct view engine = found && view_equal(text, own) ? view_slice(text, end, text.size)
                                                        : engine_of_number(lane->tid);
    if (engine.size > 0 && engine.data[0] == '_')
        engine = view_slice(engine, 1, engine.size);
    if (!found)
        core = (uint32_t)(lane->pid >= PROCESS_CORES ? lane->pid - PROCESS_CORES : lane->pid);
    set_place(reading, lane, made, waits ? ROLE_WAIT : role_of_engine(engine), engine);
    made->core = core < UINT32_MAX ? core + 1 : 0;
    made->device = number_after(text, "_slice", &device, &end) ? device + 1 : 0;
}

// Events -----------------------------------------------------------------------------------

static bool is_wait(const struct chrome_event *event)
{
    return view_starts_with(event->name, "sync ") || view_starts_with(event->name, "barrier ");
}

static bool us_of(struct view text, int64_t *out_ns)
{
    double us;
    if (!view_to_double(text, &us) || !(us >= 0 && us < 1e12))
        return false;
    *out_ns = (int64_t)(us * 1e3 + 0.5);
    return true;
}

// Where waits of a thread lie: beside its operations.
static struct view waits_of(struct opstats_reading *reading, struct opstats_lane *lane)
{
    struct bytes text = {0};
    const struct view name = profile_text(reading->profile, lane->name);
    if (lane->waits == 0) {
        bytes_append(&text, name.data, name.size);
        if (name.size == 0)
            bytes_append_format(&text, "Thread %llu", (unsigned long long)lane->tid);
        bytes_append_format(&text, " sync");
        lane->waits = profile_string(reading->profile, bytes_view(&text));
        bytes_free(&text);
    }
    return profile_text(reading->profile, lane->waits);
}

// "aicsoftmax-Inf-3", "aicsoftmax-3": by its kind alone, as later versions call it.
static void opstats_place(struct chrome_dialect *dialect, struct chrome_event *event)
{
    struct opstats_reading *reading = (struct opstats_reading *)dialect;
    const struct view kind = chrome_argument(event, "opKind");
    if (event->phase != 'X')
        return;
    if (kind.size > 0) {
        event->name = view_trim(kind);
        event->name_id = NULL;
        return;
    }
    if (!is_wait(event))
        return;
    struct opstats_lane *lane = opstats_lane_of(reading, event);
    if (event->dur == 0)
        us_of(chrome_argument(event, "opSyncDurUs"), &event->dur);
    lane->pending = event->dur > 0 ? (uint64_t)event->dur : 0;
    if (view_ends_with(profile_text(reading->profile, lane->name), "_Barrier"))
        return;
    event->tid = (struct chrome_scalar){.kind = CHROME_TEXT, .text = waits_of(reading, lane)};
}

// The inference that an event of older versions names at its end.
static uint32_t opstats_iteration_of(const struct chrome_event *event)
{
    const struct view written = chrome_find(event->object, "name");
    const struct view name =
        chrome_is_text(written) ? view_slice(written, 1, written.size - 1) : written;
    uint32_t number = 0;
    size_t end;
    return number_after(name, "-", &number, &end) && end == name.size ? number : 0;
}

static uint32_t opstats_call_of(struct chrome_dialect *dialect, const struct chrome_event *event,
                                uint32_t track)
{
    struct opstats_reading *reading = (struct opstats_reading *)dialect;
    const bool moved = event->tid.kind == CHROME_TEXT;
    struct chrome_event written = *event;
    uint64_t tid;
    if (moved && chrome_number_of(chrome_find(event->object, "tid"), &tid))
        written.tid.number = tid;
    struct opstats_lane *lane = opstats_lane_of(reading, &written);
    opstats_mark(reading, lane, track, moved);
    const struct view kind = chrome_argument(event, "opKind");
    if (kind.size == 0)
        return 0;
    reading->scratch.size = 0;
    struct node *node = nodes_find(
        &reading->nodes, chrome_text_of(chrome_argument_raw(event, "opName"), &reading->scratch));
    const uint64_t waited = lane->pending;
    lane->pending = 0;
    if (node == NULL)
        return 0;
    nodes_spend(&reading->nodes, node, kind, chrome_argument(event, "opMemory"),
                (uint64_t)event->dur);
    node->ns[NODE_SYNC] += waited;
    const uint32_t iteration = opstats_iteration_of(event);
    if (node->call == 0 || profile_call(reading->profile, node->call)->iteration != iteration) {
        const struct call call = {.operator_id = node->operator_id, .iteration = iteration};
        node->call = profile_call_add(reading->profile, &call);
    }
    return node->call;
}

// A DMA moves data in and out by the same lane; of those that compute, some only rearrange.
static enum role opstats_role_of(const struct chrome_event *event)
{
    const struct view kind = chrome_argument(event, "opKind");
    const enum role role =
        kind.size == 0 ? ROLE_NONE : node_role_of(kind, chrome_argument(event, "opMemory"));
    return role == ROLE_COMPUTE ? ROLE_NONE : role;
}

// Said by what wrote the trace: qaic-opstats, or a simulated card's runtime.
static bool is_modelled(const struct profile *profile)
{
    return view_starts_with(profile_fact(profile, "times"), "modelled") ||
           view_starts_with(profile_fact(profile, "device"), "modelled");
}

static bool is_of_host(const struct profile *profile, uint32_t track)
{
    const uint32_t process = profile_process_of(profile, track);
    const uint32_t name = profile_track(profile, process)->name;
    return profile_track(profile, track)->role == ROLE_HOST ||
           view_starts_with(profile_text(profile, name), "HOST");
}

// "139 operations: the buffer was cut off".
static void lose_what_is_said(struct profile *profile, const char *path)
{
    const struct view text = profile_fact(profile, "lost");
    uint64_t count;
    if (!view_to_u64(view_slice(text, 0, view_find(text, ' ')), &count) || count == 0)
        return;
    struct ledger *account = &profile_track(profile, 0)->ledger;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected += count;
    profile_note(profile, 0, LEDGER_LOST, count, "%s: made without %.*s", path,
                 VIEW_ARGUMENTS(text));
}

static void opstats_finish(struct chrome_dialect *dialect, const char *path, uint64_t unread)
{
    struct opstats_reading *reading = (struct opstats_reading *)dialect;
    struct profile *profile = reading->profile;
    const bool modelled = is_modelled(profile);
    (void)unread;
    lose_what_is_said(profile, path);
    for (uint32_t i = 1; modelled && i < profile->tracks.count; i++) {
        if (!is_of_host(profile, i))
            profile_track(profile, i)->provenance = PROVENANCE_MODELLED;
    }
    nodes_finish(&reading->nodes);
}

static void opstats_release(struct chrome_dialect *dialect)
{
    struct opstats_reading *reading = (struct opstats_reading *)dialect;
    nodes_free(&reading->nodes);
    segments_free(&reading->lanes);
    hash_free(&reading->index);
    bytes_free(&reading->scratch);
    free(reading);
}

status chrome_opstats_open(const struct input *input, struct profile *profile,
                           struct chrome_dialect **out_dialect)
{
    struct opstats_reading *reading = memory_allocate_zeroed(1, sizeof *reading);
    struct name_look look = {.visitor.event = opstats_look_at, .reading = reading};
    reading->dialect = (struct chrome_dialect){.format = "qaic-trace",
                                               .place = opstats_place,
                                               .call_of = opstats_call_of,
                                               .role_of = opstats_role_of,
                                               .finish = opstats_finish,
                                               .free = opstats_release};
    reading->profile = profile;
    nodes_start(&reading->nodes, profile);
    segments_start(&reading->lanes, sizeof(struct opstats_lane));
    chrome_events_visit_input(input, &look.visitor);
    *out_dialect = &reading->dialect;
    return STATUS_OK;
}
