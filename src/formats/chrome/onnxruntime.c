// ONNX Runtime's profiles. Events named NODE_kernel_time (and, before 1.16, NODE_fence_before and
// NODE_fence_after) of category Node are calls of operators; model_run of category Session is an
// iteration; Kernel events are those of a GPU, after the event of the node that launched them.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"
#include "dialect.h"
#include "json.h"

// Where ONNX Runtime stops recording.
enum { EVENTS_MOST = 1000000 };

enum node_phase { NODE_BEFORE, NODE_KERNEL, NODE_AFTER, NODE_PHASES };

static const char *const SUFFIXES[] = {"_fence_before", "_kernel_time", "_fence_after"};

// One model_run.
struct model_run {
    int64_t start;
    int64_t end;
    uint64_t thread;
};

// An operator and its latest call.
struct node {
    uint32_t name; // string ids
    uint32_t type;
    uint32_t operator_id;
    uint32_t call;
    bool has_kernel; // that call's kernel has come
    bool described;
};

struct onnxruntime {
    struct chrome_dialect dialect; // first: dialects are cast
    struct profile *profile;
    uint64_t events;
    struct spool spool;
    struct model_run *runs; // by start
    size_t run_count;
    bool has_programs;             // WebGPU's, after all nodes
    struct segments program_calls; // struct program_call, where there are programs
    struct hash_index program_index;
    struct segments nodes; // struct node
    struct hash_index index;
    struct bytes values;
    struct bytes text;
    struct bytes scratch;
};

// The latest call of a node in an iteration.
struct program_call {
    uint32_t operator_id;
    uint32_t iteration;
    uint32_t call;
};

// What a GPU did by WebGPU: "NODE&TYPE&PROGRAM", written when all has been run.
static bool is_program(const struct chrome_event *event)
{
    return view_is(event->category, "Api") && chrome_argument_raw(event, "cache_key").size > 0;
}

static bool is_gpu(const struct chrome_event *event)
{
    return view_is(event->category, "Kernel") || is_program(event);
}

bool chrome_onnxruntime_is(const struct chrome_event *event)
{
    if (event->phase != 'X')
        return false;
    if (view_is(event->category, "Session"))
        return view_is(event->name, "session_initialization") ||
               view_is(event->name, "model_run") || view_starts_with(event->name, "model_loading");
    return view_is(event->category, "Node") && view_ends_with(event->name, "_kernel_time") &&
           chrome_argument_raw(event, "op_name").size > 0;
}

// Looking over the trace --------------------------------------------------------

struct run_look {
    struct chrome_visitor visitor;
    struct onnxruntime *reading;
    status failure;
};

static void onnxruntime_look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct run_look *look = (struct run_look *)visitor;
    look->reading->events++;
    look->reading->has_programs |= is_program(event);
    if (look->failure != STATUS_OK || !view_is(event->category, "Session") ||
        !view_is(event->name, "model_run") || !event->has_ts || !event->has_dur)
        return;
    const struct model_run run = {event->ts, event->ts + event->dur, event->tid.number};
    look->failure = spool_append(&look->reading->spool, &run, sizeof run);
}

static bool onnxruntime_runs_before(const void *left, const void *right)
{
    const struct model_run *a = left;
    const struct model_run *b = right;
    return a->start != b->start ? a->start < b->start : a->end > b->end;
}

static status find_runs(const struct input *input, struct onnxruntime *reading)
{
    struct run_look look = {.visitor.event = onnxruntime_look_at, .reading = reading};
    char *data;
    size_t size;
    chrome_events_visit_input(input, &look.visitor);
    STATUS_TRY(look.failure);
    STATUS_TRY(spool_read(&reading->spool, &data, &size));
    reading->runs = (struct model_run *)(void *)data;
    reading->run_count = size / sizeof *reading->runs;
    sort_in_place(reading->runs, reading->run_count, sizeof *reading->runs,
                  onnxruntime_runs_before);
    return STATUS_OK;
}

// How many runs had begun. Times are whole microseconds, so that an event may begin one before its
// run.
static size_t runs_begun(const struct onnxruntime *reading, int64_t time)
{
    const uint64_t tolerance = 1000;
    size_t from = 0;
    size_t to = reading->run_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int64_t start = reading->runs[middle].start;
        if (start <= time || (uint64_t)start - (uint64_t)time <= tolerance)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// The run that an event lies in: that of its own thread if there is one. What comes after all runs
// is of one that was cut; 0 where there is none.
static uint32_t onnxruntime_iteration_of(const struct onnxruntime *reading,
                                         const struct chrome_event *event)
{
    const size_t from = runs_begun(reading, event->ts);
    uint32_t found = from == reading->run_count ? (uint32_t)from : 0;
    bool inside = false;
    for (size_t i = from; i > 0 && i + 64 > from; i--) {
        const struct model_run *run = &reading->runs[i - 1];
        if (run->end < event->ts)
            continue;
        if (run->thread == event->tid.number)
            return (uint32_t)(i - 1);
        found = inside ? found : (uint32_t)(i - 1);
        inside = true;
    }
    return found;
}

// Operators -----------------------------------------------------------------------

// "64x64xf32, 64xf32" of [{"float":[64,64]},{"float":[64]}]
static void onnxruntime_add_types(struct onnxruntime *reading, const struct chrome_event *event,
                                  const char *argument, const char *name)
{
    struct chrome_members tensors =
        chrome_members_of(chrome_nested_argument(event, argument, &reading->scratch));
    struct view key;
    struct view tensor;
    reading->text.size = 0;
    for (bool first = true; chrome_member_next(&tensors, &key, &tensor); first = false) {
        struct chrome_members types = chrome_members_of(tensor);
        struct view element;
        struct view dims;
        if (!first)
            bytes_append(&reading->text, ", ", 2);
        if (chrome_member_next(&types, &element, &dims))
            chrome_append_type(&reading->text, dims, element);
        else
            bytes_append(&reading->text, "none", 4);
    }
    if (reading->text.size > 0)
        value_add_string(&reading->values, profile_string(reading->profile, view_of(name)),
                         profile_string(reading->profile, bytes_view(&reading->text)));
}

static void onnxruntime_add_numbers(struct onnxruntime *reading, const struct chrome_event *event)
{
    static const struct {
        const char *argument;
        const char *key;
    } NUMBERS[] = {{"node_index", "node_index"},
                   {"parameter_size", "weight_bytes"},
                   {"activation_size", "bytes_read"},
                   {"output_size", "bytes_written"}};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        uint64_t number;
        if (chrome_number_of(chrome_argument_raw(event, NUMBERS[i].argument), &number))
            value_add_uint(&reading->values,
                           profile_string(reading->profile, view_of(NUMBERS[i].key)), number);
    }
}

// A text of the arguments, until the next one.
static struct view onnxruntime_text(struct onnxruntime *reading, const struct chrome_event *event,
                                    const char *key)
{
    reading->scratch.size = 0;
    return chrome_text_of(chrome_argument_raw(event, key), &reading->scratch);
}

static void onnxruntime_describe(struct onnxruntime *reading, struct node *node,
                                 const struct chrome_event *event)
{
    struct profile *profile = reading->profile;
    reading->values.size = 0;
    const struct view provider = onnxruntime_text(reading, event, "provider");
    if (provider.size > 0)
        value_add_string(&reading->values, profile_string(profile, VIEW_LITERAL("provider")),
                         profile_string(profile, provider));
    onnxruntime_add_types(reading, event, "input_type_shape", "inputs");
    onnxruntime_add_types(reading, event, "output_type_shape", "outputs");
    onnxruntime_add_numbers(reading, event);
    struct operator_description *op = profile_operator(profile, node->operator_id);
    op->values = arena_copy(&profile->arena, bytes_view(&reading->values));
    node->described = true;
}

// Nodes without a name are told apart by their number: "Conv#12".
static uint32_t onnxruntime_name_node(struct onnxruntime *reading, struct view name,
                                      struct view type, uint64_t index)
{
    if (name.size > 0)
        return profile_string(reading->profile, name);
    reading->text.size = 0;
    bytes_append_format(&reading->text, "%.*s#%llu", VIEW_ARGUMENTS(type),
                        (unsigned long long)index);
    return profile_string(reading->profile, bytes_view(&reading->text));
}

static struct node *known_node(struct onnxruntime *reading, uint32_t name, uint32_t type,
                               uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&reading->index, hash);
         (id = hash_next(&reading->index, hash, &at)) != HASH_NONE;) {
        struct node *node = segments_get(&reading->nodes, id);
        if (node->name == name && node->type == type)
            return node;
    }
    return NULL;
}

// Fences do not say their provider, nor kernels of a GPU their node's index: a name and a type
// are enough.
static struct node *find_node(struct onnxruntime *reading, struct view name, struct view type,
                              const struct chrome_event *event, bool make)
{
    uint64_t index = 0;
    chrome_number_of(chrome_argument_raw(event, "node_index"), &index);
    const uint32_t name_id = onnxruntime_name_node(reading, name, type, index);
    const uint32_t type_id = profile_string(reading->profile, type);
    const uint32_t hash = hash_u64((uint64_t)name_id << 32 | type_id);
    struct node *node = known_node(reading, name_id, type_id, hash);
    if (node != NULL || !make)
        return node;
    node = segments_add(&reading->nodes);
    const struct operator_description op = {.name = name_id, .type = type_id};
    *node = (struct node){.name = name_id, .type = type_id};
    node->operator_id = profile_operator_add(reading->profile, &op);
    hash_add(&reading->index, hash, reading->nodes.count - 1);
    return node;
}

// Calls ---------------------------------------------------------------------------

static struct program_call *find_program_call(struct onnxruntime *reading, uint32_t operator_id,
                                              uint32_t iteration)
{
    const uint32_t hash = hash_u64((uint64_t)operator_id << 32 | iteration);
    uint32_t id;
    for (uint32_t at = hash_first(&reading->program_index, hash);
         (id = hash_next(&reading->program_index, hash, &at)) != HASH_NONE;) {
        struct program_call *known = segments_get(&reading->program_calls, id);
        if (known->operator_id == operator_id && known->iteration == iteration)
            return known;
    }
    return NULL;
}

static void keep_program_call(struct onnxruntime *reading, const struct call *call, uint32_t id)
{
    struct program_call *known = find_program_call(reading, call->operator_id, call->iteration);
    if (known == NULL) {
        known = segments_add(&reading->program_calls);
        hash_add(&reading->program_index,
                 hash_u64((uint64_t)call->operator_id << 32 | call->iteration),
                 reading->program_calls.count - 1);
    }
    *known = (struct program_call){call->operator_id, call->iteration, id};
}

static void start_call(struct onnxruntime *reading, struct node *node, uint32_t iteration)
{
    const struct call *before = profile_call(reading->profile, node->call);
    struct call call = {.operator_id = node->operator_id, .iteration = iteration};
    if (node->call != 0 && before->iteration == iteration)
        call.invocation = before->invocation + 1;
    node->call = profile_call_add(reading->profile, &call);
    node->has_kernel = false;
    if (reading->has_programs)
        keep_program_call(reading, &call, node->call);
}

static uint32_t call_of_node(struct onnxruntime *reading, const struct chrome_event *event,
                             enum node_phase phase)
{
    const struct view name = view_slice(event->name, 0, event->name.size - strlen(SUFFIXES[phase]));
    const struct view type = onnxruntime_text(reading, event, "op_name");
    struct node *node = find_node(reading, name, type, event, true);
    const uint32_t iteration = onnxruntime_iteration_of(reading, event);
    const bool same =
        node->call != 0 && profile_call(reading->profile, node->call)->iteration == iteration;
    if (phase == NODE_BEFORE || !same || (phase == NODE_KERNEL && node->has_kernel))
        start_call(reading, node, iteration);
    if (phase == NODE_KERNEL && !node->described)
        onnxruntime_describe(reading, node, event);
    node->has_kernel |= phase == NODE_KERNEL;
    return node->call;
}

static uint32_t call_of_kernel(struct onnxruntime *reading, const struct chrome_event *event)
{
    reading->text.size = 0;
    struct view parent = chrome_text_of(chrome_argument_raw(event, "parent_name"), &reading->text);
    if (view_ends_with(parent, SUFFIXES[NODE_KERNEL]))
        parent.size -= strlen(SUFFIXES[NODE_KERNEL]);
    const struct view type = onnxruntime_text(reading, event, "op_name");
    const struct node *node = find_node(reading, parent, type, event, false);
    return node == NULL ? 0 : node->call;
}

// Of the run that began last before it: it may end later than that. Where that has no call of the
// node, the last call of all.
static uint32_t call_of_program(struct onnxruntime *reading, const struct chrome_event *event)
{
    const struct view name = event->name;
    const size_t program = view_find_last(name, '&');
    const size_t type = view_find_last(view_slice(name, 0, program), '&');
    if (program == name.size || type == program)
        return 0;
    const struct chrome_event without_arguments = {0};
    const struct node *node =
        find_node(reading, view_slice(name, 0, type), view_slice(name, type + 1, program),
                  &without_arguments, false);
    if (node == NULL)
        return 0;
    const size_t begun = runs_begun(reading, event->ts);
    const struct program_call *call =
        find_program_call(reading, node->operator_id, begun > 0 ? (uint32_t)(begun - 1) : 0);
    return call == NULL ? node->call : call->call;
}

static uint32_t call_of(struct chrome_dialect *dialect, const struct chrome_event *event,
                        uint32_t track)
{
    struct onnxruntime *reading = (struct onnxruntime *)dialect;
    if (is_gpu(event)) {
        chrome_mark_track(reading->profile, track, ROLE_DEVICE);
        return is_program(event) ? call_of_program(reading, event) : call_of_kernel(reading, event);
    }
    chrome_mark_track(reading->profile, track, ROLE_HOST);
    if (view_is(event->category, "Session") && view_is(event->name, "model_run") && event->has_dur)
        return chrome_step_call(reading->profile, onnxruntime_iteration_of(reading, event));
    if (!view_is(event->category, "Node"))
        return 0;
    for (int phase = 0; phase < NODE_PHASES; phase++) {
        if (view_ends_with(event->name, SUFFIXES[phase]))
            return call_of_node(reading, event, (enum node_phase)phase);
    }
    return 0;
}

// Nodes are the host's; a GPU's kernels and copies are one category.
static enum role onnxruntime_role_of(const struct chrome_event *event)
{
    const struct view name = event->name;
    if (!is_gpu(event))
        return ROLE_NONE;
    if (view_find_text(name, "memset") < name.size || view_find_text(name, "Memset") < name.size)
        return ROLE_TRANSFER;
    return view_find_text(name, "memcpy") < name.size || view_find_text(name, "Memcpy") < name.size
               ? chrome_copy_role(name)
               : chrome_kernel_role(name);
}

static void onnxruntime_finish(struct chrome_dialect *dialect, const char *path, uint64_t unread)
{
    (void)unread;
    struct onnxruntime *reading = (struct onnxruntime *)dialect;
    if (reading->events < EVENTS_MOST)
        return;
    profile_note(reading->profile, 0, LEDGER_LOST, 1,
                 "%s: holds %llu events, and ONNX Runtime stops recording at %d: nobody knows how "
                 "many came after; profile fewer runs",
                 path, (unsigned long long)reading->events, EVENTS_MOST);
    profile_track(reading->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

static void onnxruntime_release(struct chrome_dialect *dialect)
{
    struct onnxruntime *reading = (struct onnxruntime *)dialect;
    spool_free(&reading->spool);
    segments_free(&reading->nodes);
    segments_free(&reading->program_calls);
    hash_free(&reading->program_index);
    hash_free(&reading->index);
    bytes_free(&reading->values);
    bytes_free(&reading->text);
    bytes_free(&reading->scratch);
    free(reading);
}

status chrome_onnxruntime_open(const struct input *input, struct profile *profile,
                               struct chrome_dialect **out_dialect)
{
    struct onnxruntime *reading = memory_allocate_zeroed(1, sizeof *reading);
    reading->dialect = (struct chrome_dialect){.format = "onnxruntime-profile",
                                               .call_of = call_of,
                                               .role_of = onnxruntime_role_of,
                                               .finish = onnxruntime_finish,
                                               .free = onnxruntime_release};
    reading->profile = profile;
    reading->spool = SPOOL_EMPTY;
    segments_start(&reading->nodes, sizeof(struct node));
    segments_start(&reading->program_calls, sizeof(struct program_call));
    const status result = find_runs(input, reading);
    if (result != STATUS_OK) {
        onnxruntime_release(&reading->dialect);
        return result;
    }
    *out_dialect = &reading->dialect;
    return STATUS_OK;
}
