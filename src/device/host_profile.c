#include "host_profile.h"

#include <opscope/record.h>
#include <stdlib.h>

#include "base/memory.h"
#include "describe.h"
#include "program/location.h"
#include "program/print.h"
#include "record/record.h"

enum { VALUES_MOST = 8 };

// What is said about every span of a task or an action, ready to be recorded.
struct prepared {
    uint32_t lane;
    uint32_t name;
    uint32_t group; // PROGRAM_NONE: none
    uint16_t value_count;
    struct opscope_value values[VALUES_MOST];
};

struct host_profile {
    struct describing describing;
    struct prepared *tasks;
    struct prepared *actions;
    uint32_t iterations;
    uint32_t iteration_key;
};

static void add_number(struct prepared *to, uint32_t key, uint64_t number)
{
    to->values[to->value_count++] = (struct opscope_value){key, OPSCOPE_UINT, {.number = number}};
}

static void add_text(struct prepared *to, uint32_t key, uint32_t text)
{
    if (text != 0)
        to->values[to->value_count++] = (struct opscope_value){key, OPSCOPE_TEXT, {.number = text}};
}

static void prepare_task(struct host_profile *profile, uint32_t id, uint32_t lane)
{
    const struct describing *describing = &profile->describing;
    const struct program *program = describing->program;
    const struct program_task *task = &program->tasks[id];
    struct prepared *to = &profile->tasks[id];
    to->lane = lane;
    to->group = program_task_group(program, id);
    to->name = describing_name(describing, id, to->group);
    add_number(to, describing_key(describing, "task"), id);
    if (task->kind == PROGRAM_TASK_TRANSFER)
        add_number(to, describing_key(describing, "bytes"), task->cost.bytes);
    if (to->group == PROGRAM_NONE)
        return;
    const struct program_group *group = &program->groups[to->group];
    add_text(to, describing_key(describing, "operator"), describing_text(describing, group->name));
    add_text(to, describing_key(describing, "group"), describing_text(describing, group->type));
    add_number(to, describing_key(describing, "tile"), task->tile);
}

static void prepare_action(struct host_profile *profile, uint32_t id, uint32_t lane)
{
    const struct describing *describing = &profile->describing;
    const struct program_action *action = &describing->program->actions[id];
    struct prepared *to = &profile->actions[id];
    to->lane = lane;
    to->group = PROGRAM_NONE;
    to->name = describing_key(describing, program_action_kind_name(action->kind));
    add_number(to, describing_key(describing, "action"), action->number);
    if (action->bytes > 0)
        add_number(to, describing_key(describing, "bytes"), action->bytes);
}

static void prepare_tasks(struct host_profile *profile)
{
    const struct program *program = profile->describing.program;
    const struct target *target = profile->describing.target;
    uint32_t lanes[TARGET_ENGINES_MOST][DESCRIBING_LANES_MOST];
    for (uint32_t e = 0; e < target->engine_count; e++) {
        for (uint32_t i = 0; i < target->engines[e].count && i < DESCRIBING_LANES_MOST; i++) {
            const struct track lane = describing_lane(&profile->describing, e, i);
            lanes[e][i] = record_add_lane(&lane);
        }
    }
    for (uint32_t i = 0; i < program->task_count; i++)
        prepare_task(profile, i, lanes[program->tasks[i].engine][program->tasks[i].lane]);
}

static void prepare_actions(struct host_profile *profile)
{
    const struct program *program = profile->describing.program;
    const uint32_t lane =
        record_add_lane(&(struct track){.name = describing_key(&profile->describing, "ACTIONS"),
                                        .kind = TRACK_LANE,
                                        .rank = RANK_CPU + DESCRIBING_LANES_MOST});
    for (uint32_t i = 0; i < program->action_count; i++)
        prepare_action(profile, i, lane);
    const uint32_t key = describing_key(&profile->describing, "dispatch");
    for (uint32_t d = 0; d < program->dispatch_count; d++) {
        const struct program_dispatch *dispatch = &program->dispatches[d];
        const uint32_t name = describing_text(&profile->describing, dispatch->name);
        for (uint32_t i = 0; i < dispatch->action_count; i++)
            add_text(&profile->actions[dispatch->first_action + i], key, name);
    }
}

struct host_profile *host_profile_create(const struct program *program, const struct target *target)
{
    const status failure = describing_check(program, target);
    struct profile *recorded = failure == STATUS_OK ? record_lock() : NULL;
    status_free(failure);
    if (recorded == NULL)
        return NULL;
    struct host_profile *profile = memory_allocate_zeroed(1, sizeof *profile);
    profile->describing =
        (struct describing){.program = program, .target = target, .profile = recorded};
    profile->tasks =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(struct prepared));
    profile->actions =
        memory_allocate_zeroed((size_t)program->action_count + 1, sizeof(struct prepared));
    profile->iteration_key = describing_key(&profile->describing, "iteration");
    profile_fact_add(recorded, "target", view_of(target->name));
    profile_fact_add(recorded, "network", program->source);
    profile_fact_add(recorded, "device", VIEW_LITERAL("host: times are this machine's"));
    describing_start(&profile->describing);
    prepare_tasks(profile);
    prepare_actions(profile);
    record_unlock();
    return profile;
}

void host_profile_free(struct host_profile *profile)
{
    if (profile == NULL)
        return;
    describing_free(&profile->describing);
    free(profile->tasks);
    free(profile->actions);
    free(profile);
}

void host_profile_iteration(struct host_profile *profile)
{
    const struct profile *recorded = record_lock();
    if (recorded == profile->describing.profile)
        describing_calls(&profile->describing, profile->iterations++);
    if (recorded != NULL)
        record_unlock();
}

static void record(const struct host_profile *profile, const struct prepared *item, uint64_t begun)
{
    struct opscope_value values[VALUES_MOST + 1];
    const uint64_t end = opscope_now();
    memcpy(values, item->values, sizeof item->values);
    values[item->value_count] = (struct opscope_value){
        profile->iteration_key, OPSCOPE_UINT, {.number = profile->iterations - 1}};
    opscope_span(item->lane, item->name,
                 item->group != PROGRAM_NONE ? profile->describing.calls[item->group] : 0, begun,
                 end, values, (uint16_t)(item->value_count + 1));
}

void host_profile_task(const struct host_profile *profile, uint32_t task, uint64_t begun)
{
    record(profile, &profile->tasks[task], begun);
}

void host_profile_action(const struct host_profile *profile, uint32_t action, uint64_t begun)
{
    record(profile, &profile->actions[action], begun);
}
