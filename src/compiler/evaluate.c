#include "evaluate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "device/sim.h"
#include "emit_stream.h"
#include "emit_task.h"

struct evaluation {
    struct emitter emitter;
};

struct evaluation *evaluation_create(struct plan *plan)
{
    const size_t values = plan->network->values.count;
    struct evaluation *evaluation = memory_allocate_zeroed(1, sizeof *evaluation);
    struct emitter *emitter = &evaluation->emitter;
    emitter->plan = plan;
    emitter->builder = program_builder_create(plan->target->text, (struct view){0});
    emitter->times_only = true;
    emitter->far_memory = target_far_memory(plan->target);
    emitter->values = memory_allocate_zeroed(values + 1, sizeof *emitter->values);
    for (uint32_t i = 0; i < values; i++)
        emitter->values[i] = i;
    emitter->far = memory_allocate_zeroed(values + 1, sizeof *emitter->far);
    emitter->writers = memory_allocate_zeroed(values + 1, sizeof *emitter->writers);
    return evaluation;
}

void evaluation_free(struct evaluation *evaluation)
{
    struct emitter *emitter = &evaluation->emitter;
    for (size_t i = 0; i < emitter->plan->network->values.count; i++)
        free(emitter->writers[i].items);
    program_builder_free(emitter->builder);
    free(emitter->values);
    free(emitter->far);
    free(emitter->writers);
    free(emitter->started);
    free(emitter->depended);
    free(evaluation);
}

// A value in the far memory, as if nothing else was there.
static void evaluate_add_value(struct emitter *emitter, uint32_t value)
{
    const struct plan_box box = plan_box_whole(&group_value(emitter->plan, value)->type.shape);
    emitter->far[value] = emit_buffer(emitter, "", value, PROGRAM_BUFFER_INNER,
                                      (struct emit_place){.memory = emitter->far_memory}, &box);
    emitter->writers[value].count = 0;
}

static uint64_t evaluate_end_of(struct program_builder *builder, const struct target *target)
{
    struct program program;
    program_builder_view(builder, &program);
    struct sim_result *result;
    const status failure = sim_run(&program, target, COST_RULES_BEST, &result);
    if (failure != STATUS_OK) {
        status_free(failure);
        return UINT64_MAX;
    }
    const uint64_t end = result->end;
    sim_result_free(result);
    return end;
}

uint64_t evaluate_job(struct evaluation *evaluation, uint32_t id)
{
    struct emitter *emitter = &evaluation->emitter;
    const struct plan_group *group = &emitter->plan->groups[id];
    const struct plan_group *whole = group->chain != NULL ? &group->chain->whole : group;
    program_builder_clear(emitter->builder);
    emitter->actions = emitter->jobs = emitter->numbers = emitter->moment = 0;
    EMIT_ADD(emitter, dispatches, &emitter->dispatch);
    emit_streams_create(emitter);
    for (uint32_t i = 0; i < whole->input_count; i++)
        evaluate_add_value(emitter, whole->inputs[i]);
    for (uint32_t i = 0; i < whole->output_count; i++)
        evaluate_add_value(emitter, whole->outputs[i]);
    emit_local_job(emitter, id);
    emit_streams_free(emitter);
    return evaluate_end_of(emitter->builder, emitter->plan->target);
}

uint64_t evaluate_plan(struct plan *plan)
{
    struct program_builder *builder = program_builder_create(plan->target->text, (struct view){0});
    const status failure = pass_emit(plan, builder);
    const uint64_t end = failure == STATUS_OK ? evaluate_end_of(builder, plan->target) : UINT64_MAX;
    status_free(failure);
    program_builder_free(builder);
    return end;
}
