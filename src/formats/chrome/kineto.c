// PyTorch's profiles (Kineto). Every cpu_op is a call of an operator, the operator being its name
// with the types and shapes of its inputs. What a GPU did belongs to the innermost cpu_op around
// the runtime's call that launched it, found by `correlation`; where that call is not in the
// trace, to the cpu_op with the same `External id`. A graph that is launched outside of every
// cpu_op is an operator itself: its kernels belong to the launch.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"
#include "dialect.h"
#include "formats/trace/backward.h"
#include "json.h"
#include "kineto_index.h"
#include "kineto_kinds.h"
#include "kineto_memory.h"
#include "kineto_steps.h"

enum { DEVICES_MOST = 1024 };

enum item_kind { ITEM_OPERATOR, ITEM_LAUNCH };

// A cpu_op, or a call of the GPU's runtime.
struct item {
    uint64_t offset;
    uint64_t process;
    uint64_t thread;
    int64_t start;
    int64_t end;
    uint64_t id;             // External id of a cpu_op, correlation of a launch
    uint32_t operator_id;    // of a launch: 0, unless it launches a graph
    uint32_t call;           // a launch: of the cpu_op around it
    uint32_t forward_thread; // that a cpu_op of the backward names; 0: it is none
    uint32_t sequence;       // number + 1 of what autograd keeps of a cpu_op; 0: none
    enum item_kind kind;
};

_Static_assert(sizeof(struct item) <= SORT_ITEM_MOST, "items are sorted in place");

// A key with a call: sorted by the key and the time.
struct link {
    uint64_t id;
    int64_t start;
    uint32_t call;
};

// What a device is called ("GPU 0"), and its process here.
struct device {
    uint64_t pid;
    uint32_t label; // string id
    uint32_t track; // 0: it did nothing
};

// Items or links: kept in a spool, then sorted in place.
struct list {
    struct spool spool;
    void *data;
    size_t count;
};

struct known_operator {
    uint32_t name; // string ids
    uint32_t inputs;
    uint32_t operator_id;
};

struct kineto {
    struct chrome_dialect dialect; // first: dialects are cast
    struct profile *profile;
    struct list items;     // struct item, in order of the file
    struct list launches;  // struct link, by correlation
    struct list externals; // struct link, by External id
    struct kineto_steps steps;
    struct backward backward;
    struct kineto_memory memory;
    struct kineto_index numbers;
    struct chrome_event beside; // the last one that lies beside a stream: its place
    const char *beside_name;    // NULL: the last event does not
    size_t next;                // item that comes next in the file
    struct segments devices;    // struct device
    struct segments known;      // struct known_operator
    struct hash_index index;
    struct bytes text;
    struct bytes dims;
    struct bytes types;
    struct bytes values;
};

// Lists -------------------------------------------------------------------------------

static status kineto_list_add(struct list *list, const void *item, size_t size)
{
    list->count++;
    return spool_append(&list->spool, item, size);
}

static status list_finish(struct list *list)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&list->spool, &data, &size));
    list->data = data;
    return STATUS_OK;
}

static bool kineto_by_place(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->process != b->process)
        return a->process < b->process;
    if (a->thread != b->thread)
        return a->thread < b->thread;
    if (a->start != b->start)
        return a->start < b->start;
    if (a->end != b->end)
        return a->end > b->end;
    // Around what takes as long lies the operator, and of two the one written first.
    if (a->kind != b->kind)
        return a->kind == ITEM_OPERATOR;
    return a->offset < b->offset;
}

static bool by_offset(const void *left, const void *right)
{
    return ((const struct item *)left)->offset < ((const struct item *)right)->offset;
}

static bool by_id(const void *left, const void *right)
{
    const struct link *a = left;
    const struct link *b = right;
    if (a->id != b->id)
        return a->id < b->id;
    return a->start != b->start ? a->start < b->start : a->call < b->call;
}

// Operators ---------------------------------------------------------------------------

// "8x64xf32, i64" of [[8,64],[]] and ["float","Scalar"].
static void append_inputs(struct kineto *kineto, const struct chrome_event *event)
{
    struct bytes *text = &kineto->text;
    struct view dims_of = chrome_nested_argument(event, "Input Dims", &kineto->dims);
    const struct view types_of = chrome_nested_argument(event, "Input type", &kineto->types);
    if (dims_of.size == 0)
        dims_of = chrome_nested_argument(event, "Input dims", &kineto->dims);
    struct chrome_members dims = chrome_members_of(dims_of);
    struct chrome_members types = chrome_members_of(types_of);
    struct view key;
    struct view dim;
    struct view type;
    for (bool first = true; chrome_member_next(&dims, &key, &dim); first = false) {
        const bool typed = chrome_member_next(&types, &key, &type);
        if (!first)
            bytes_append(text, ", ", 2);
        chrome_append_type(text, dim,
                           typed && chrome_is_text(type) ? view_slice(type, 1, type.size - 1)
                                                         : VIEW_LITERAL("?"));
    }
}

static uint32_t kineto_find_operator(struct kineto *kineto, const struct chrome_event *event)
{
    struct profile *profile = kineto->profile;
    kineto->text.size = 0;
    append_inputs(kineto, event);
    const uint32_t name = profile_string(profile, event->name);
    const uint32_t inputs = profile_string(profile, bytes_view(&kineto->text));
    const uint32_t hash = hash_u64((uint64_t)name << 32 | inputs);
    uint32_t id;
    for (uint32_t at = hash_first(&kineto->index, hash);
         (id = hash_next(&kineto->index, hash, &at)) != HASH_NONE;) {
        const struct known_operator *known = segments_get(&kineto->known, id);
        if (known->name == name && known->inputs == inputs)
            return known->operator_id;
    }
    kineto->values.size = 0;
    if (inputs != 0)
        value_add_string(&kineto->values, profile_string(profile, VIEW_LITERAL("inputs")), inputs);
    const struct operator_description op = {
        .name = name, .type = name, .values = bytes_view(&kineto->values)};
    struct known_operator *known = segments_add(&kineto->known);
    *known = (struct known_operator){name, inputs, profile_operator_add(profile, &op)};
    hash_add(&kineto->index, hash, kineto->known.count - 1);
    return known->operator_id;
}

// Looking over the trace --------------------------------------------------------------

struct kineto_look {
    struct chrome_visitor visitor;
    struct kineto *kineto;
    status failure;
};

static uint64_t number_argument(const struct chrome_event *event, const char *key,
                                const char *old_key)
{
    uint64_t number = 0;
    if (!chrome_number_of(chrome_argument_raw(event, key), &number))
        chrome_number_of(chrome_argument_raw(event, old_key), &number);
    return number;
}

// Host and devices have the same process name, and differ by their labels.
static void look_at_label(struct kineto *kineto, const struct chrome_event *event)
{
    if (kineto->devices.count == DEVICES_MOST || event->pid.kind != CHROME_NUMBER)
        return;
    struct device *device = segments_add(&kineto->devices);
    *device =
        (struct device){.pid = event->pid.number,
                        .label = profile_string(kineto->profile, chrome_argument(event, "labels"))};
}

// The number that autograd gave to an operator, which its backward has again.
static void look_at_sequence(const struct chrome_event *event, struct item *item)
{
    uint64_t number;
    if (!chrome_number_of(chrome_argument_raw(event, "Sequence number"), &number) ||
        number >= UINT32_MAX)
        return;
    item->sequence = (uint32_t)number + 1;
    if (chrome_number_of(chrome_argument_raw(event, "Fwd thread id"), &number) &&
        number < UINT32_MAX)
        item->forward_thread = (uint32_t)number;
}

static status look_at_event(struct kineto *kineto, const struct chrome_event *event)
{
    if (event->phase == 'M' && view_is(event->name, "process_labels"))
        look_at_label(kineto, event);
    STATUS_TRY(kineto_memory_see(&kineto->memory, event));
    STATUS_TRY(kineto_index_see(&kineto->numbers, event));
    struct item item = {.offset = event->offset,
                        .process = event->pid.number,
                        .thread = event->tid.number,
                        .start = event->ts,
                        .end = event->ts + event->dur};
    if (event->phase != 'X' || !event->has_ts || !event->has_dur || event->dur < 0)
        return STATUS_OK;
    uint32_t step;
    if (kineto_step_is(event, &step))
        return kineto_steps_add(&kineto->steps, event);
    if (kineto_is_operator(event)) {
        item.kind = ITEM_OPERATOR;
        item.id = number_argument(event, "External id", "external id");
        item.operator_id = kineto_find_operator(kineto, event);
        look_at_sequence(event, &item);
    } else if (kineto_is_launch(event)) {
        item.kind = ITEM_LAUNCH;
        item.id = number_argument(event, "correlation", "Correlation");
        if (view_find_text(event->name, "GraphLaunch") < event->name.size)
            item.operator_id = kineto_find_operator(kineto, event);
    } else {
        return STATUS_OK;
    }
    return kineto_list_add(&kineto->items, &item, sizeof item);
}

static void kineto_look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct kineto_look *look = (struct kineto_look *)visitor;
    if (look->failure == STATUS_OK)
        look->failure = look_at_event(look->kineto, event);
}

static void look_at_member(struct chrome_visitor *visitor, struct view key, struct view value)
{
    uint64_t base;
    struct kineto *kineto = ((struct kineto_look *)visitor)->kineto;
    if (view_is(key, "baseTimeNanoseconds") && chrome_number_of(value, &base) && base < INT64_MAX)
        kineto->dialect.base = (int64_t)base;
}

// Calls -------------------------------------------------------------------------------

// The operators that are open on the thread at hand.
struct call_stack {
    const struct item **items;
    size_t depth;
    size_t capacity;
};

static void kineto_add_call(struct kineto *kineto, struct item *item, const struct item *outer)
{
    const struct call call = {.operator_id = item->operator_id,
                              .parent = outer == NULL ? 0 : outer->call,
                              .iteration = kineto_steps_at(&kineto->steps, item->start),
                              .domain =
                                  profile_string(kineto->profile, VIEW_LITERAL("External id")),
                              .key = item->id};
    item->call = profile_call_add(kineto->profile, &call);
}

static bool same_thread(const struct item *a, const struct item *b)
{
    return a->process == b->process && a->thread == b->thread;
}

// What a backward calls has its number, too.
static status add_to_backward(struct kineto *kineto, const struct item *item,
                              const struct item *outer)
{
    const bool is_backward = item->forward_thread != 0;
    if (item->sequence == 0 || (is_backward && outer != NULL && outer->sequence == item->sequence))
        return STATUS_OK;
    const struct backward_call call = {.process = item->process,
                                       .sequence = item->sequence,
                                       .thread = is_backward ? item->forward_thread : item->thread,
                                       .start = item->start,
                                       .call = item->call};
    return is_backward ? backward_add(&kineto->backward, &call)
                       : backward_add_forward(&kineto->backward, &call);
}

static status kineto_place_item(struct kineto *kineto, struct call_stack *stack, struct item *item)
{
    while (stack->depth > 0) {
        const struct item *top = stack->items[stack->depth - 1];
        if (same_thread(top, item) && top->end >= item->end && top->end > item->start)
            break;
        stack->depth--;
    }
    const struct item *outer = stack->depth > 0 ? stack->items[stack->depth - 1] : NULL;
    if (item->kind == ITEM_LAUNCH) {
        if (outer != NULL)
            item->call = outer->call;
        else if (item->operator_id != 0)
            kineto_add_call(kineto, item, NULL);
        return STATUS_OK;
    }
    kineto_add_call(kineto, item, outer);
    stack->items = memory_grow(stack->items, stack->depth, &stack->capacity, sizeof *stack->items);
    stack->items[stack->depth++] = item;
    return add_to_backward(kineto, item, outer);
}

// Thread by thread, in order of time: `order` has all items so.
static status kineto_place_items(struct kineto *kineto, const void *const *order)
{
    struct call_stack stack = {0};
    struct item *items = kineto->items.data;
    status result = STATUS_OK;
    for (size_t i = 0; i < kineto->items.count && result == STATUS_OK; i++)
        result = kineto_place_item(kineto, &stack, &items[(const struct item *)order[i] - items]);
    free(stack.items);
    return result;
}

// Profilers write what happened on a thread in order, but for a few kinds one after the other: then
// pointers are sorted. Where that is not so, these would lead all over the memory.
static status kineto_place_sorted(struct kineto *kineto, const void **order)
{
    struct item *items = kineto->items.data;
    const size_t count = kineto->items.count;
    const bool in_runs = sort_in_runs(items, count, sizeof *items, kineto_by_place);
    for (size_t i = 0; i < count; i++)
        order[i] = &items[i];
    if (in_runs)
        return kineto_place_items(kineto,
                                  sort_pointers(order, order + count, count, kineto_by_place));
    sort_in_place(items, count, sizeof *items, kineto_by_place);
    const status result = kineto_place_items(kineto, order);
    sort_in_place(items, count, sizeof *items, by_offset);
    return result;
}

// In order of the file, which is that of the numbers as a rule.
static status link_items(struct kineto *kineto)
{
    const struct item *items = kineto->items.data;
    for (size_t i = 0; i < kineto->items.count; i++) {
        const struct link link = {items[i].id, items[i].start, items[i].call};
        struct list *list = items[i].kind == ITEM_LAUNCH ? &kineto->launches : &kineto->externals;
        if (link.id != 0)
            STATUS_TRY(kineto_list_add(list, &link, sizeof link));
    }
    return STATUS_OK;
}

static status make_calls(struct kineto *kineto)
{
    struct spool room = SPOOL_EMPTY;
    char *data;
    const size_t count = kineto->items.count;
    status result = spool_make_room(&room, 2 * count * sizeof(void *), &data);
    if (result == STATUS_OK)
        result = kineto_place_sorted(kineto, (const void **)(void *)data);
    spool_free(&room);
    return status_first(result, result == STATUS_OK ? link_items(kineto) : STATUS_OK);
}

// What stands there twice is called once.
static void drop_copies(struct kineto *kineto)
{
    struct item *items = kineto->items.data;
    size_t kept = 0;
    for (size_t i = 0; i < kineto->items.count; i++) {
        if (!kineto_index_is_copy(&kineto->numbers, items[i].offset))
            items[kept++] = items[i];
    }
    kineto->items.count = kept;
    kineto->numbers.next = 0;
}

static status look_over(const struct input *input, struct kineto *kineto)
{
    struct kineto_look look = {.visitor = {.event = kineto_look_at, .member = look_at_member},
                               .kineto = kineto};
    chrome_events_visit_input(input, &look.visitor);
    STATUS_TRY(look.failure);
    STATUS_TRY(list_finish(&kineto->items));
    STATUS_TRY(kineto_steps_finish(&kineto->steps));
    STATUS_TRY(kineto_index_finish(&kineto->numbers, input->bytes));
    drop_copies(kineto);
    STATUS_TRY(make_calls(kineto));
    STATUS_TRY(backward_finish(&kineto->backward, kineto->profile));
    STATUS_TRY(kineto_memory_finish(&kineto->memory, kineto->profile, kineto->dialect.base));
    STATUS_TRY(list_finish(&kineto->launches));
    STATUS_TRY(list_finish(&kineto->externals));
    sort_where_needed(kineto->launches.data, kineto->launches.count, sizeof(struct link), by_id);
    sort_where_needed(kineto->externals.data, kineto->externals.count, sizeof(struct link), by_id);
    return STATUS_OK;
}

// Telling -----------------------------------------------------------------------------

// Of those with the number the last one that began by then: ranks in one file number alike.
static uint32_t kineto_find_call(const struct list *list, uint64_t id, int64_t time)
{
    const struct link *links = list->data;
    size_t from = 0;
    size_t to = list->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (links[middle].id < id || (links[middle].id == id && links[middle].start <= time))
            from = middle + 1;
        else
            to = middle;
    }
    if (id == 0)
        return 0;
    if (from > 0 && links[from - 1].id == id)
        return links[from - 1].call;
    return from < list->count && links[from].id == id ? links[from].call : 0;
}

static uint32_t call_of_device(const struct kineto *kineto, const struct chrome_event *event)
{
    uint32_t call = kineto_find_call(
        &kineto->launches, number_argument(event, "correlation", "Correlation"), event->ts);
    if (call == 0)
        call = kineto_find_call(&kineto->externals,
                                number_argument(event, "External id", "external id"), event->ts);
    uint64_t device;
    if (call != 0 && chrome_number_of(chrome_argument_raw(event, "device"), &device) &&
        device <= UINT32_MAX)
        profile_call(kineto->profile, call)->device = (uint32_t)device;
    return call;
}

// The item that was seen at this place.
static uint32_t call_of_item(struct kineto *kineto, const struct chrome_event *event)
{
    const struct item *items = kineto->items.data;
    while (kineto->next < kineto->items.count && items[kineto->next].offset < event->offset)
        kineto->next++;
    if (kineto->next == kineto->items.count || items[kineto->next].offset != event->offset)
        return 0;
    return items[kineto->next].call;
}

static void find_device(struct kineto *kineto, const struct chrome_event *event, uint32_t track)
{
    uint64_t number;
    if (chrome_number_of(chrome_argument_raw(event, "device"), &number) && number < UINT32_MAX)
        profile_track(kineto->profile, track)->device = (uint32_t)number + 1;
    for (uint32_t i = 0; i < kineto->devices.count; i++) {
        struct device *device = segments_get(&kineto->devices, i);
        if (device->pid == event->pid.number)
            device->track = profile_track(kineto->profile, track)->parent;
    }
}

static uint32_t call_of(struct chrome_dialect *dialect, const struct chrome_event *event,
                        uint32_t track)
{
    struct kineto *kineto = (struct kineto *)dialect;
    if (kineto_is_device(event)) {
        if (profile_track(kineto->profile, track)->role == ROLE_NONE)
            find_device(kineto, event, track);
        chrome_mark_track(kineto->profile, track, ROLE_DEVICE);
        return call_of_device(kineto, event);
    }
    if (!kineto_is_host(event))
        return 0;
    uint32_t step;
    chrome_mark_track(kineto->profile, track, ROLE_HOST);
    if (kineto_step_is(event, &step) && event->has_dur)
        return chrome_step_call(kineto->profile, step);
    return call_of_item(kineto, event);
}

// Texts are gone when the next event is read; versions that wait had only numbers.
static bool is_after_beside(const struct kineto *kineto, const struct chrome_event *event)
{
    const struct chrome_event *last = &kineto->beside;
    return last->pid.kind == CHROME_NUMBER && event->pid.kind == CHROME_NUMBER &&
           last->tid.kind == CHROME_NUMBER && event->tid.kind == CHROME_NUMBER &&
           last->pid.number == event->pid.number && last->tid.number == event->tid.number &&
           last->ts == event->ts;
}

// What is no work has a track of its own beside the stream's, and so have the ends of its arrows,
// which are written after it.
static void kineto_place(struct chrome_dialect *dialect, struct chrome_event *event)
{
    struct kineto *kineto = (struct kineto *)dialect;
    if (event->phase == 'X')
        kineto->beside_name = kineto_beside(event);
    else if (!is_after_beside(kineto, event))
        return;
    if (kineto->beside_name == NULL)
        return;
    if (event->phase == 'X')
        kineto->beside =
            (struct chrome_event){.ts = event->ts, .pid = event->pid, .tid = event->tid};
    kineto->text.size = 0;
    if (event->tid.kind == CHROME_TEXT) // "stream 7", as older versions wrote it
        bytes_append_format(&kineto->text, "%.*s %s", VIEW_ARGUMENTS(event->tid.text),
                            kineto->beside_name);
    else
        bytes_append_format(&kineto->text, "stream %llu %s", (unsigned long long)event->tid.number,
                            kineto->beside_name);
    event->beside = bytes_view(&kineto->text);
}

// What is nested is kept as it is written.
static bool member(struct chrome_dialect *dialect, struct view key, struct view value)
{
    struct kineto *kineto = (struct kineto *)dialect;
    if (value.size == 0 || (value.data[0] != '{' && value.data[0] != '['))
        return false;
    char *name = view_copy(key);
    profile_fact_add(kineto->profile, name, value);
    free(name);
    return true;
}

static bool kineto_is_copy(struct chrome_dialect *dialect, const struct chrome_event *event)
{
    return kineto_index_is_copy(&((struct kineto *)dialect)->numbers, event->offset);
}

// What could not be read may be what is missing, and is lost already.
static void lose_missing(const struct kineto *kineto, const char *path, uint64_t unread)
{
    if (kineto->numbers.missing <= unread)
        return;
    const uint64_t missing = kineto->numbers.missing - unread;
    struct ledger *account = &profile_track(kineto->profile, 0)->ledger;
    if (account->expected != LEDGER_UNKNOWN)
        account->expected += missing;
    profile_note(kineto->profile, 0, LEDGER_LOST, missing,
                 "%s: events are numbered (Ev Idx), and %llu numbers have none", path,
                 (unsigned long long)missing);
}

// "python (GPU 0)"
static void kineto_finish(struct chrome_dialect *dialect, const char *path, uint64_t unread)
{
    struct kineto *kineto = (struct kineto *)dialect;
    struct profile *profile = kineto->profile;
    lose_missing(kineto, path, unread);
    for (uint32_t i = 0; i < kineto->devices.count; i++) {
        const struct device *device = segments_get(&kineto->devices, i);
        struct track *process = profile_track(profile, device->track);
        const struct view name = profile_text(profile, process->name);
        const struct view label = profile_text(profile, device->label);
        if (device->track == 0 || label.size == 0 || view_find_text(name, "(") < name.size)
            continue;
        kineto->text.size = 0;
        bytes_append_format(&kineto->text, "%.*s (%.*s)", VIEW_ARGUMENTS(name),
                            VIEW_ARGUMENTS(label));
        process->name = profile_string(profile, bytes_view(&kineto->text));
    }
}

static void kineto_release(struct chrome_dialect *dialect)
{
    struct kineto *kineto = (struct kineto *)dialect;
    segments_free(&kineto->devices);
    spool_free(&kineto->items.spool);
    spool_free(&kineto->launches.spool);
    spool_free(&kineto->externals.spool);
    spool_free(&kineto->steps.spool);
    backward_free(&kineto->backward);
    spool_free(&kineto->memory.spool);
    spool_free(&kineto->numbers.spool);
    segments_free(&kineto->known);
    hash_free(&kineto->index);
    bytes_free(&kineto->text);
    bytes_free(&kineto->dims);
    bytes_free(&kineto->types);
    bytes_free(&kineto->values);
    free(kineto);
}

// Since 1970, as a rule; then the times of several traces can be compared.
static void kineto_say_clock(struct kineto *kineto)
{
    const int64_t this_century = 1000000000000000000;
    const struct item *items = kineto->items.data;
    if (kineto->items.count > 0 &&
        (kineto->dialect.base > this_century || items[0].start > this_century))
        profile_fact_add(kineto->profile, "clock", VIEW_LITERAL("CLOCK_REALTIME"));
}

status chrome_kineto_open(const struct input *input, struct profile *profile,
                          struct chrome_dialect **out_dialect)
{
    struct kineto *kineto = memory_allocate_zeroed(1, sizeof *kineto);
    kineto->dialect = (struct chrome_dialect){.format = "kineto",
                                              .keeps_spelling = true,
                                              .place = kineto_place,
                                              .call_of = call_of,
                                              .role_of = kineto_role_of,
                                              .waits = kineto_waits,
                                              .member = member,
                                              .is_copy = kineto_is_copy,
                                              .finish = kineto_finish,
                                              .free = kineto_release};
    kineto->profile = profile;
    kineto->items.spool = kineto->launches.spool = SPOOL_EMPTY;
    kineto->externals.spool = kineto->steps.spool = kineto->memory.spool = SPOOL_EMPTY;
    kineto->numbers.spool = SPOOL_EMPTY;
    kineto->backward = (struct backward){SPOOL_EMPTY, SPOOL_EMPTY};
    segments_start(&kineto->known, sizeof(struct known_operator));
    segments_start(&kineto->devices, sizeof(struct device));
    const status result = look_over(input, kineto);
    if (result != STATUS_OK) {
        kineto_release(&kineto->dialect);
        return result;
    }
    kineto_say_clock(kineto);
    *out_dialect = &kineto->dialect;
    return STATUS_OK;
}
