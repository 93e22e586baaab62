#include "verify_space.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "verify_regions.h"
#include "verify_task.h"

enum { NO_USE = -1 };

// The last wait of a stream for a task that used a buffer.
struct use {
    struct verify_point point;
    uint32_t task;
    int64_t next; // NO_USE
};

struct held {
    size_t first_before; // in `before`: the buffers whose bytes it takes
    size_t before_count;
    int64_t uses;  // by its own tasks, in one job
    int64_t guard; // by those of the buffers before it, when it came into use
    uint32_t started;
    uint32_t flying; // tasks that were started and not waited for
};

struct verify_space {
    const struct verify_state *state;
    struct held *held;
    uint32_t *order; // buffers, as they come into use
    size_t count;
    size_t opened;
    uint32_t *before;
    size_t before_count, before_capacity;
    struct use *uses;
    size_t use_count, use_capacity;
};

// Places -------------------------------------------------------------------------------

// Where buffers begin and end, each place once, in order.
struct boundary {
    uint64_t unit; // of all memories
    uint64_t address;
};

struct boundaries {
    struct boundary *items;
    uint32_t count;
    size_t capacity;
    struct hash_index index;
    uint32_t *ranks; // by item: its number in order
};

static uint32_t place_id(struct boundaries *places, struct boundary place)
{
    const uint32_t hash = hash_u64(place.address ^ place.unit << 48);
    uint32_t id;
    for (uint32_t at = hash_first(&places->index, hash);
         (id = hash_next(&places->index, hash, &at)) != HASH_NONE;) {
        if (places->items[id].address == place.address && places->items[id].unit == place.unit)
            return id;
    }
    places->items =
        memory_grow(places->items, places->count, &places->capacity, sizeof *places->items);
    places->items[places->count] = place;
    hash_add(&places->index, hash, places->count);
    return places->count++;
}

static int verify_space_by_place(const void *left, const void *right, void *context)
{
    const struct boundary *items = context;
    const struct boundary *a = &items[*(const uint32_t *)left];
    const struct boundary *b = &items[*(const uint32_t *)right];
    if (a->unit != b->unit)
        return (a->unit > b->unit) - (a->unit < b->unit);
    return (a->address > b->address) - (a->address < b->address);
}

static void rank_places(struct boundaries *places)
{
    uint32_t *sorted = memory_allocate_zeroed((size_t)places->count + 1, sizeof *sorted);
    places->ranks = memory_allocate_zeroed((size_t)places->count + 1, sizeof *places->ranks);
    for (uint32_t i = 0; i < places->count; i++)
        sorted[i] = i;
    qsort_r(sorted, places->count, sizeof *sorted, verify_space_by_place, places->items);
    for (uint32_t i = 0; i < places->count; i++)
        places->ranks[sorted[i]] = i;
    free(sorted);
}

static void places_free(struct boundaries *places)
{
    free(places->items);
    free(places->ranks);
    hash_free(&places->index);
}

// Who follows whom ------------------------------------------------------------------------

static int by_from(const void *left, const void *right, void *context)
{
    const struct program *program = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const uint32_t from_a = program->buffers[a].from;
    const uint32_t from_b = program->buffers[b].from;
    return from_a != from_b ? (from_a > from_b) - (from_a < from_b) : (a > b) - (a < b);
}

// A value between groups that stays near the engines takes no place outside, though it is
// said to have one.
static bool *find_idle(const struct verify_state *state)
{
    const struct program *program = state->program;
    bool *idle = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *idle);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        idle[i] = program->buffers[i].kind == PROGRAM_BUFFER_INNER;
    for (uint32_t i = 0; i < program->operand_count; i++)
        idle[state->roots[program->operands[i].buffer]] = false;
    return idle;
}

static void find_order(struct verify_space *space)
{
    const struct program *program = space->state->program;
    bool *idle = find_idle(space->state);
    bool sorted = true;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (!verify_takes_memory(buffer) || buffer->alias != PROGRAM_NONE || buffer->size == 0 ||
            idle[i])
            continue;
        sorted = sorted && (space->count == 0 ||
                            program->buffers[space->order[space->count - 1]].from <= buffer->from);
        space->order[space->count++] = i;
    }
    if (!sorted)
        qsort_r(space->order, space->count, sizeof *space->order, by_from, (void *)program);
    free(idle);
}

static status verify_space_follow(struct verify_space *space, uint32_t buffer,
                                  const uint32_t *others, size_t count)
{
    const struct program_buffer *buffers = space->state->program->buffers;
    struct held *held = &space->held[buffer];
    held->first_before = space->before_count;
    held->before_count = count;
    for (size_t i = 0; i < count; i++) {
        if (buffers[others[i]].to >= buffers[buffer].from)
            return status_make(STATUS_DATA,
                               "buffers %" PRIu32 " and %" PRIu32
                               " are in use together at the same address",
                               others[i], buffer);
        space->before = memory_grow(space->before, space->before_count, &space->before_capacity,
                                    sizeof *space->before);
        space->before[space->before_count++] = others[i];
    }
    return STATUS_OK;
}

// The last buffer that holds a byte is the only one that may still be in use there.
static status find_followers(struct verify_space *space)
{
    const struct verify_state *state = space->state;
    struct boundaries places = {0};
    uint32_t(*ends)[2] = memory_allocate_zeroed(space->count + 1, sizeof *ends);
    for (size_t i = 0; i < space->count; i++) {
        const struct program_buffer *buffer = &state->program->buffers[space->order[i]];
        const uint64_t unit = target_memory_unit(state->target, buffer->memory, buffer->unit);
        ends[i][0] = place_id(&places, (struct boundary){unit, buffer->address});
        ends[i][1] = place_id(&places, (struct boundary){unit, buffer->address + buffer->size});
    }
    rank_places(&places);
    struct verify_regions *regions = verify_regions_create(places.count);
    status failure = STATUS_OK;
    for (size_t i = 0; i < space->count && failure == STATUS_OK; i++) {
        size_t count;
        const uint32_t *others = verify_regions_take(
            regions, places.ranks[ends[i][0]], places.ranks[ends[i][1]], space->order[i], &count);
        failure = verify_space_follow(space, space->order[i], others, count);
    }
    verify_regions_free(regions);
    places_free(&places);
    free(ends);
    return failure;
}

status verify_space_create(const struct verify_state *state, struct verify_space **out_space)
{
    const size_t buffers = state->program->buffer_count;
    struct verify_space *space = memory_allocate_zeroed(1, sizeof *space);
    space->state = state;
    space->held = memory_allocate_zeroed(buffers + 1, sizeof *space->held);
    space->order = memory_allocate_zeroed(buffers + 1, sizeof *space->order);
    for (size_t i = 0; i < buffers; i++)
        space->held[i] = (struct held){.uses = NO_USE, .guard = NO_USE};
    find_order(space);
    *out_space = space;
    return find_followers(space);
}

void verify_space_free(struct verify_space *space)
{
    if (space == NULL)
        return;
    free(space->held);
    free(space->order);
    free(space->before);
    free(space->uses);
    free(space);
}

// The walk ---------------------------------------------------------------------------------

// Notes the later one of two waits of the same stream.
static void note_use(struct verify_space *space, int64_t *list, struct verify_point point,
                     uint32_t task)
{
    // What was waited for in another job is over for all that comes after.
    if (*list != NO_USE && space->uses[*list].point.job != point.job)
        *list = NO_USE;
    for (int64_t at = *list; at != NO_USE; at = space->uses[at].next) {
        struct use *use = &space->uses[at];
        if (use->point.stream != point.stream)
            continue;
        if (use->point.step < point.step) {
            use->point.step = point.step;
            use->task = task;
        }
        return;
    }
    space->uses =
        memory_grow(space->uses, space->use_count, &space->use_capacity, sizeof *space->uses);
    space->uses[space->use_count] = (struct use){point, task, *list};
    *list = (int64_t)space->use_count++;
}

// The first task that uses a buffer and has not been waited for.
static uint32_t find_flying(const struct verify_space *space, uint32_t buffer)
{
    const struct verify_state *state = space->state;
    for (uint32_t i = 0; i < state->program->task_count; i++) {
        const struct program_task *task = &state->program->tasks[i];
        if (state->tasks.stand[i] != VERIFY_STARTED)
            continue;
        for (uint32_t k = 0; k < task->operand_count; k++) {
            if (state->roots[state->program->operands[task->first_operand + k].buffer] == buffer)
                return i;
        }
    }
    return PROGRAM_NONE;
}

static status open_buffer(struct verify_space *space, uint32_t buffer, uint32_t job)
{
    struct held *held = &space->held[buffer];
    for (size_t i = 0; i < held->before_count; i++) {
        const uint32_t index = space->before[held->first_before + i];
        const struct held *other = &space->held[index];
        if (other->flying > 0)
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it uses buffer %" PRIu32 " when buffer %" PRIu32
                               " takes its bytes",
                               find_flying(space, index), index, buffer);
        // One that no task used stands for those that it follows.
        int64_t at = other->started > 0 ? other->uses : other->guard;
        for (; at != NO_USE && space->uses[at].point.job == job; at = space->uses[at].next)
            note_use(space, &held->guard, space->uses[at].point, space->uses[at].task);
    }
    return STATUS_OK;
}

status verify_space_open(struct verify_space *space, uint32_t job)
{
    const struct program *program = space->state->program;
    while (space->opened < space->count &&
           program->buffers[space->order[space->opened]].from <= space->state->moment)
        STATUS_TRY(open_buffer(space, space->order[space->opened++], job));
    return STATUS_OK;
}

static status check_guard(const struct verify_space *space, uint32_t task, uint32_t buffer,
                          struct verify_point now)
{
    for (int64_t at = space->held[buffer].guard; at != NO_USE; at = space->uses[at].next) {
        const struct use *use = &space->uses[at];
        if (!verify_order_before(space->state->order, use->point, now))
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it starts while task %" PRIu32
                               " uses the same bytes, of which buffer %" PRIu32 " is made",
                               task, use->task, buffer);
    }
    return STATUS_OK;
}

status verify_space_start(struct verify_space *space, uint32_t task, struct verify_point now)
{
    const struct verify_state *state = space->state;
    const struct program_task *item = &state->program->tasks[task];
    for (uint32_t i = 0; i < item->operand_count; i++) {
        const uint32_t buffer =
            state->roots[state->program->operands[item->first_operand + i].buffer];
        STATUS_TRY(check_guard(space, task, buffer, now));
        space->held[buffer].started++;
        space->held[buffer].flying++;
    }
    return STATUS_OK;
}

void verify_space_wait(struct verify_space *space, uint32_t task, struct verify_point now)
{
    const struct verify_state *state = space->state;
    const struct program_task *item = &state->program->tasks[task];
    for (uint32_t i = 0; i < item->operand_count; i++) {
        struct held *held =
            &space->held[state->roots[state->program->operands[item->first_operand + i].buffer]];
        note_use(space, &held->uses, now, task);
        held->flying--;
    }
}
