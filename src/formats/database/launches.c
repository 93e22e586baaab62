#include "launches.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

struct launch_item {
    uint64_t start, end;
    struct launch_key key; // of a call of the runtime
    uint32_t order;
    uint32_t track;
    uint32_t operator_id; // 0: of a call that launches nothing by itself
    uint32_t call;
    bool is_range;
};

_Static_assert(sizeof(struct launch_item) <= SORT_ITEM_MOST, "items are sorted in place");

struct launch_work {
    struct launch_key key;
    uint64_t order;
    uint64_t calls; // that say that they launched it
};

// A number is of one call, or of calls inside one another. In a damaged file all of its calls and
// works may have the same one: each with each would be as many flows as the product of both.
enum { CALLS_OF_WORK_MOST = 8 };

struct launch_link {
    struct launch_key key;
    uint32_t call;
};

// Names of calls are short. What a file says is one may be megabytes long, and each of its rows may
// have it.
static bool call_name_has(struct view name, const char *text)
{
    enum { LOOKED_AT = 256 };
    const struct view head = view_slice(name, 0, name.size < LOOKED_AT ? name.size : LOOKED_AT);
    return view_find_text(head, text) < head.size;
}

bool launches_waits(struct view name)
{
    return call_name_has(name, "Synchronize") || call_name_has(name, "signal_wait");
}

bool launches_graph(struct view name)
{
    return call_name_has(name, "GraphLaunch");
}

void launches_start(struct launches *launches, struct profile *profile)
{
    *launches = (struct launches){
        .profile = profile, .items = SPOOL_EMPTY, .works = SPOOL_EMPTY, .link_spool = SPOOL_EMPTY};
}

void launches_free(struct launches *launches)
{
    spool_free(&launches->items);
    spool_free(&launches->works);
    spool_free(&launches->link_spool);
}

// Adding ---------------------------------------------------------------------------------------

static status add_item(struct launches *launches, struct launch_item item)
{
    if (launches->item_count == UINT32_MAX)
        return status_make(STATUS_LIMIT, "more than 2^32 ranges and calls of a runtime");
    item.order = (uint32_t)launches->item_count++;
    return spool_append(&launches->items, &item, sizeof item);
}

status launches_add_range(struct launches *launches, uint32_t track, uint64_t start, uint64_t end,
                          uint32_t operator_id)
{
    return add_item(launches, (struct launch_item){.start = start,
                                                   .end = end,
                                                   .track = track,
                                                   .operator_id = operator_id,
                                                   .is_range = true});
}

status launches_add_call(struct launches *launches, uint32_t track, uint64_t start, uint64_t end,
                         struct launch_key key, uint32_t operator_id)
{
    return add_item(
        launches,
        (struct launch_item){
            .start = start, .end = end, .track = track, .key = key, .operator_id = operator_id});
}

status launches_add_work(struct launches *launches, struct launch_key key)
{
    const struct launch_work work = {.key = key, .order = launches->work_count++};
    return spool_append(&launches->works, &work, sizeof work);
}

// Calls ----------------------------------------------------------------------------------------

static bool launches_by_place(const void *left, const void *right)
{
    const struct launch_item *a = left;
    const struct launch_item *b = right;
    if (a->track != b->track)
        return a->track < b->track;
    if (a->start != b->start)
        return a->start < b->start;
    if (a->end != b->end)
        return a->end > b->end;
    return a->is_range != b->is_range ? a->is_range : a->order < b->order;
}

static bool launches_by_order(const void *left, const void *right)
{
    return ((const struct launch_item *)left)->order < ((const struct launch_item *)right)->order;
}

static int compare_keys(const struct launch_key *a, const struct launch_key *b)
{
    const int process = sort_compare(a->process, b->process);
    return process != 0 ? process : sort_compare(a->number, b->number);
}

static bool works_by_key(const void *left, const void *right)
{
    const struct launch_work *a = left;
    const struct launch_work *b = right;
    const int order = compare_keys(&a->key, &b->key);
    return order != 0 ? order < 0 : a->order < b->order;
}

static bool links_by_key(const void *left, const void *right)
{
    const struct launch_link *a = left;
    const struct launch_link *b = right;
    const int order = compare_keys(&a->key, &b->key);
    return order != 0 ? order < 0 : a->call < b->call;
}

// The ranges that are open on the track at hand.
struct range_stack {
    struct launch_item **items;
    size_t depth, capacity;
};

static struct launch_item *range_around(struct range_stack *stack, const struct launch_item *item)
{
    while (stack->depth > 0) {
        struct launch_item *top = stack->items[stack->depth - 1];
        if (top->track == item->track && top->end >= item->end && top->end > item->start)
            return top;
        stack->depth--;
    }
    return NULL;
}

static status make_call(struct launches *launches, struct range_stack *stack,
                        struct launch_item *item)
{
    const struct launch_item *outer = range_around(stack, item);
    const struct call call = {.operator_id = item->operator_id,
                              .parent = outer == NULL ? 0 : outer->call};
    if (item->is_range || (outer == NULL && item->operator_id != 0))
        item->call = profile_call_add(launches->profile, &call);
    else
        item->call = outer == NULL ? 0 : outer->call;
    if (item->is_range) {
        stack->items =
            memory_grow(stack->items, stack->depth, &stack->capacity, sizeof *stack->items);
        stack->items[stack->depth++] = item;
        return STATUS_OK;
    }
    const struct launch_link link = {item->key, item->call};
    launches->link_count += item->key.number != 0;
    return item->key.number == 0 ? STATUS_OK
                                 : spool_append(&launches->link_spool, &link, sizeof link);
}

static status launches_read(struct spool *spool, void *out_items)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(spool, &data, &size));
    memcpy(out_items, &data, sizeof data);
    return STATUS_OK;
}

static status make_all(struct launches *launches)
{
    struct range_stack stack = {0};
    status result = STATUS_OK;
    for (uint64_t i = 0; i < launches->item_count && result == STATUS_OK; i++)
        result = make_call(launches, &stack, &launches->item[i]);
    free(stack.items);
    return result;
}

status launches_finish(struct launches *launches)
{
    STATUS_TRY(launches_read(&launches->items, &launches->item));
    STATUS_TRY(launches_read(&launches->works, &launches->work));
    sort_in_place(launches->item, launches->item_count, sizeof *launches->item, launches_by_place);
    STATUS_TRY(make_all(launches));
    STATUS_TRY(launches_read(&launches->link_spool, &launches->links));
    sort_in_place(launches->item, launches->item_count, sizeof *launches->item, launches_by_order);
    sort_in_place(launches->work, launches->work_count, sizeof *launches->work, works_by_key);
    sort_in_place(launches->links, launches->link_count, sizeof *launches->links, links_by_key);
    launches->next = launches->item;
    return STATUS_OK;
}

// Telling --------------------------------------------------------------------------------------

// The first piece of work with the key, or where it would be.
static uint64_t first_work(const struct launches *launches, const struct launch_key *key)
{
    uint64_t from = 0;
    uint64_t to = launches->work_count;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (compare_keys(&launches->work[middle].key, key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static const struct launch_link *find_link(const struct launches *launches,
                                           const struct launch_key *key)
{
    uint64_t from = 0;
    uint64_t to = launches->link_count;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (compare_keys(&launches->links[middle].key, key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const bool found = from < launches->link_count && key->number != 0 &&
                       compare_keys(&launches->links[from].key, key) == 0;
    return found ? &launches->links[from] : NULL;
}

uint32_t launches_next_call(struct launches *launches, struct bytes *values)
{
    if (launches->next == launches->item + launches->item_count)
        return 0; // the file was changed meanwhile
    const struct launch_item *item = launches->next++;
    if (item->is_range || item->key.number == 0)
        return item->call;
    for (uint64_t i = first_work(launches, &item->key);
         i < launches->work_count && compare_keys(&launches->work[i].key, &item->key) == 0; i++) {
        if (launches->work[i].calls == CALLS_OF_WORK_MOST)
            break;
        launches->work[i].calls++;
        value_add_flow(values, VALUE_FLOW_OUT, launches->first_flow + launches->work[i].order + 1);
    }
    return item->call;
}

uint32_t launches_next_work(struct launches *launches, struct launch_key key, struct bytes *values)
{
    const struct launch_link *link = find_link(launches, &key);
    const uint64_t order = launches->next_work++;
    if (link == NULL)
        return 0;
    value_add_flow(values, VALUE_FLOW_IN, launches->first_flow + order + 1);
    return link->call;
}
