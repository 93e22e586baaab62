#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "describe.h"

// What it is in the record -----------------------------------------------------------

// In and out are seen from the memories near the engines.
static enum role role_of_transfer(const struct target *target, const struct target_engine *engine)
{
    const bool known = engine->from < target->memory_count && engine->to < target->memory_count;
    const bool from_near = known && target->memories[engine->from].local;
    const bool to_near = known && target->memories[engine->to].local;
    if (from_near == to_near)
        return ROLE_TRANSFER;
    return to_near ? ROLE_TRANSFER_IN : ROLE_TRANSFER_OUT;
}

static enum role describe_lanes_role_of(const struct target *target,
                                        const struct target_engine *engine)
{
    switch (engine->role) {
    case TARGET_ROLE_COMPUTE:
        return target_is_processor(target) ? ROLE_HOST : ROLE_COMPUTE;
    case TARGET_ROLE_TRANSFER:
        return role_of_transfer(target, engine);
    case TARGET_ROLE_COMMUNICATION:
        return ROLE_COMMUNICATION;
    case TARGET_ROLE_CONTROL:
        return ROLE_CONTROL;
    case TARGET_ROLE_HOST:
        return ROLE_HOST;
    default:
        return ROLE_NONE;
    }
}

// "dma in"; a processor is the host itself.
static uint32_t describe_lanes_engine_of(const struct describing *describing,
                                         const struct target_engine *engine)
{
    if (describe_lanes_role_of(describing->target, engine) == ROLE_HOST)
        return describing_key(describing, "host");
    struct bytes name = {0};
    bytes_append(&name, engine->name, strlen(engine->name));
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '_')
            name.data[i] = ' ';
    }
    const uint32_t id = profile_string(describing->profile, bytes_view(&name));
    bytes_free(&name);
    return id;
}

void describing_place(const struct target *target, enum target_per per, uint32_t unit,
                      uint32_t *out_device, uint32_t *out_core)
{
    const bool by_core = per == TARGET_PER_CORE;
    const uint32_t device = by_core ? unit / target->core_count : unit;
    *out_device = per != TARGET_PER_MACHINE && target->device_count > 1 ? device + 1 : 0;
    *out_core = by_core && target->core_count > 1 ? unit % target->core_count + 1 : 0;
}

// Texts of a target ---------------------------------------------------------------

// What the words in braces stand for. Memories: TARGET_NONE where they are not known.
struct words {
    const struct target *target;
    uint32_t core, device, lane;
    uint32_t from, to;
};

static void append_memory(struct bytes *to, const struct words *words, uint32_t memory,
                          struct view like)
{
    const struct view name = view_of(words->target->memories[memory].name);
    const bool raised = like.size == 1 || isupper((unsigned char)like.data[0]) != 0;
    for (size_t i = 0; i < name.size && (i == 0 || like.size > 1); i++) {
        const int letter = (unsigned char)name.data[i];
        bytes_append_format(to, "%c", raised ? toupper(letter) : letter);
    }
}

// False for a word that nothing is known for.
static bool append_word(struct bytes *to, const struct words *words, struct view word)
{
    const bool is_from = view_is(word, "FROM") || view_is(word, "from") || view_is(word, "f");
    const bool is_to = view_is(word, "TO") || view_is(word, "to") || view_is(word, "t");
    const uint32_t memory = is_from ? words->from : is_to ? words->to : TARGET_NONE;
    if (view_is(word, "lane"))
        bytes_append_format(to, "%u", words->lane);
    else if (view_is(word, "core"))
        bytes_append_format(to, "%u", words->core);
    else if (view_is(word, "device"))
        bytes_append_format(to, "%u", words->device);
    else if (memory != TARGET_NONE)
        append_memory(to, words, memory, word);
    else
        return false;
    return true;
}

// Up to the first word that nothing is known for.
static void describe_lanes_append_text(struct bytes *to, const struct words *words,
                                       struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        size_t end = i;
        while (text.data[i] == '{' && end < text.size && text.data[end] != '}')
            end++;
        if (end == i || end == text.size)
            bytes_append_format(to, "%c", text.data[i]);
        else if (!append_word(to, words, (struct view){text.data + i + 1, end - i - 1}))
            return;
        else
            i = end;
    }
}

static struct words words_of(const struct target *target, const struct target_engine *engine,
                             uint32_t unit, uint32_t lane)
{
    struct words words = {.target = target, .lane = lane, .from = TARGET_NONE, .to = TARGET_NONE};
    if (engine->per == TARGET_PER_CORE) {
        words.core = unit;
        words.device = unit / target->core_count;
    } else if (engine->per == TARGET_PER_DEVICE) {
        words.device = unit;
    }
    return words;
}

// The memories of a transfer are those of what it moves.
static struct words words_of_task(const struct describing *describing,
                                  const struct program_task *task, uint32_t engine)
{
    const struct program *program = describing->program;
    const struct target *target = describing->target;
    const struct target_engine *item = &target->engines[engine];
    struct words words = words_of(target, item, task->unit, task->lane);
    if (engine != task->engine) {
        words.from = item->from < target->memory_count ? item->from : TARGET_NONE;
        words.to = item->to < target->memory_count ? item->to : TARGET_NONE;
    } else if (task->operand_count >= 2) {
        const struct program_operand *operands = &program->operands[task->first_operand];
        const uint32_t from = program->buffers[operands[0].buffer].memory;
        const uint32_t to = program->buffers[operands[1].buffer].memory;
        const bool known = from < target->memory_count && to < target->memory_count;
        words.from = known ? from : TARGET_NONE;
        words.to = known ? to : TARGET_NONE;
    }
    return words;
}

// Tracks --------------------------------------------------------------------------

struct adding {
    const struct describing *describing;
    struct describing_tracks *tracks;
    describing_add *add;
    void *context;
};

static uint32_t describe_lanes_add_group(const struct adding *adding, uint32_t parent,
                                         const char *what, uint32_t number)
{
    struct bytes name = {0};
    bytes_append_format(&name, "%s %u", what, number);
    const struct track group = {.parent = parent,
                                .name =
                                    profile_string(adding->describing->profile, bytes_view(&name)),
                                .kind = TRACK_GROUP,
                                .rank = RANK_CORE + (int32_t)number};
    bytes_free(&name);
    return adding->add(adding->context, &group);
}

static void describe_lanes_add_groups(const struct adding *adding)
{
    const struct target *target = adding->describing->target;
    struct describing_tracks *tracks = adding->tracks;
    const uint32_t devices = target_units(target, TARGET_PER_DEVICE);
    const uint32_t cores = target_units(target, TARGET_PER_CORE);
    tracks->devices = memory_allocate_zeroed((size_t)devices + 1, sizeof *tracks->devices);
    tracks->cores = memory_allocate_zeroed((size_t)cores + 1, sizeof *tracks->cores);
    for (uint32_t i = 0; i < devices; i++)
        tracks->devices[i] = devices > 1
                                 ? describe_lanes_add_group(adding, tracks->process, "device", i)
                                 : tracks->process;
    for (uint32_t i = 0; i < cores; i++) {
        const uint32_t parent = tracks->devices[i / target->core_count];
        tracks->cores[i] = cores > 1 ? describe_lanes_add_group(adding, parent, "core", i) : parent;
    }
}

// One queue that orders everything is not worth a word.
static bool names_queues(const struct target *target)
{
    return target->queue_count > 1;
}

struct track describing_lane(const struct describing *describing, uint32_t engine, uint32_t unit,
                             uint32_t lane)
{
    const struct target_engine *item = &describing->target->engines[engine];
    const struct words words = words_of(describing->target, item, unit, lane);
    struct bytes name = {0};
    describe_lanes_append_text(&name, &words,
                               view_of(item->label != NULL ? item->label : item->name));
    struct track track = {.name = profile_string(describing->profile, bytes_view(&name)),
                          .kind = TRACK_LANE,
                          .role = describe_lanes_role_of(describing->target, item),
                          .engine = describe_lanes_engine_of(describing, item),
                          .index = lane,
                          .rank = item->rank + (int32_t)lane};
    describing_place(describing->target, item->per, unit, &track.device, &track.core);
    if (item->queue < describing->target->queue_count && names_queues(describing->target))
        track.queue = describing_key(describing, describing->target->queues[item->queue].name);
    bytes_free(&name);
    return track;
}

static void describe_lanes_add_lanes(const struct adding *adding, uint32_t engine)
{
    const struct target *target = adding->describing->target;
    const struct target_engine *item = &target->engines[engine];
    for (uint32_t unit = 0; unit < target_units(target, item->per); unit++) {
        for (uint32_t i = 0; i < item->count; i++) {
            struct track lane = describing_lane(adding->describing, engine, unit, i);
            lane.parent = describing_parent(adding->tracks, item->per, unit);
            adding->tracks->lanes[target_lane(target, engine, unit, i)] =
                adding->add(adding->context, &lane);
        }
    }
}

void describing_tracks_add(const struct describing *describing, struct describing_tracks *tracks,
                           describing_add *add, void *context)
{
    const struct target *target = describing->target;
    const struct adding adding = {describing, tracks, add, context};
    describe_lanes_add_groups(&adding);
    tracks->lanes = memory_allocate_zeroed((size_t)target->lane_count + 1, sizeof *tracks->lanes);
    for (uint32_t i = 0; i < target->engine_count; i++)
        describe_lanes_add_lanes(&adding, i);
}

void describing_tracks_free(struct describing_tracks *tracks)
{
    free(tracks->devices);
    free(tracks->cores);
    free(tracks->lanes);
}

uint32_t describing_parent(const struct describing_tracks *tracks, enum target_per per,
                           uint32_t unit)
{
    switch (per) {
    case TARGET_PER_CORE:
        return tracks->cores[unit];
    case TARGET_PER_DEVICE:
        return tracks->devices[unit];
    default:
        return tracks->process;
    }
}

uint32_t describing_stage_lane(const struct target *target, const struct program_task *task,
                               uint32_t engine)
{
    const struct target_engine *item = &target->engines[engine];
    const uint32_t unit = task->unit < target_units(target, item->per) ? task->unit : 0;
    return target_lane(target, engine, unit, task->lane < item->count ? task->lane : 0);
}

// Names ---------------------------------------------------------------------------

uint32_t describing_name(const struct describing *describing, uint32_t id, uint32_t engine,
                         uint32_t group)
{
    const struct program *program = describing->program;
    const char *work = describing->target->engines[engine].work;
    if (work == NULL) {
        const struct view type = view_of(
            group != PROGRAM_NONE ? program_text(program, program->groups[group].type) : "");
        return profile_string(describing->profile, type.size > 0 ? type : VIEW_LITERAL("unknown"));
    }
    const struct words words = words_of_task(describing, &program->tasks[id], engine);
    struct bytes text = {0};
    describe_lanes_append_text(&text, &words, view_of(work));
    // Without the names of memories that are not known.
    if (text.size > 0 && text.data[text.size - 1] == '_')
        text.size--;
    const uint32_t name = profile_string(describing->profile, bytes_view(&text));
    bytes_free(&text);
    return name;
}

void describing_row(const struct describing *describing, uint32_t id, uint32_t engine,
                    struct bytes *out_text)
{
    const struct target_engine *item = &describing->target->engines[engine];
    const struct words words = words_of_task(describing, &describing->program->tasks[id], engine);
    describe_lanes_append_text(out_text, &words,
                               view_of(item->row != NULL ? item->row : item->name));
}

status describing_check(const struct program *program, const struct target *target)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        bool fits = task->engine < target->engine_count &&
                    task->lane < target->engines[task->engine].count &&
                    task->unit < target_units(target, target->engines[task->engine].per);
        for (uint32_t k = 0; k < task->stage_count; k++)
            fits = fits && program->stages[task->first_stage + k].engine < target->engine_count;
        if (!fits)
            return status_make(STATUS_DATA, "task %u uses an engine that %s does not have", i,
                               target->name);
    }
    return STATUS_OK;
}
