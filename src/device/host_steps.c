#include "host_steps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "host_build.h"
#include "host_layout.h"
#include "kernels/core/panels.h"

struct host_steps {
    const struct host_machine *machine;
    struct host_step_list *tasks; // by task
    bool *prepared;               // by task
    struct datum *scratch;
    struct scratch_pool *rooms;
    struct blocks *blocks;        // of packed weights
    struct scratch_pool *packing; // rooms for it
    // Weights of the convolution at hand, the first time that it is computed; room for any.
    float *passing;
    size_t passing_bytes;
};

static status make_scratch(struct host_steps *steps)
{
    const struct program *program = steps->machine->program;
    uint64_t most = TENSOR_ALIGNMENT;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const uint64_t bytes = host_build_scratch(steps->machine, &program->tasks[i]);
        most = bytes > most ? bytes : most;
    }
    const struct shape bytes = {1, {(int64_t)most}};
    return datum_tensor(ELEMENT_U8, &bytes, &steps->scratch);
}

struct building {
    struct host_steps *steps;
    const struct host_recipe *recipes; // by task
    struct host_build build;
};

static void build_some(void *context, uint64_t from, uint64_t to)
{
    const struct building *building = context;
    struct host_steps *steps = building->steps;
    for (uint64_t i = from; i < to; i++)
        steps->prepared[i] = host_build_task(&building->build, &steps->machine->program->tasks[i],
                                             &building->recipes[i], &steps->tasks[i]);
}

// What was found to be preparable must be: others rely on the layout of its values.
static status take_built(struct host_steps *steps, const struct host_recipe *recipes)
{
    const struct program *program = steps->machine->program;
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (!steps->prepared[i] && recipes[i].kind != HOST_RECIPE_NONE)
            return status_make(STATUS_LIMIT, "task %u needs more memory than was planned", i);
        for (size_t j = 0; j < steps->tasks[i].count; j++) {
            struct host_step *step = &steps->tasks[i].items[j];
            if (step->convolution == NULL)
                continue;
            scratch_pool_reserve(steps->rooms, fused_convolution_room(step->convolution));
            const size_t weights = fused_convolution_weights(step->convolution);
            step->settled = weights == 0;
            steps->passing_bytes = weights > steps->passing_bytes ? weights : steps->passing_bytes;
        }
    }
    return STATUS_OK;
}

// Generating code takes long: side by side.
static status build_tasks(struct host_steps *steps, const struct host_recipe *recipes,
                          bool loose_ports, struct parallel *parallel)
{
    bool *last = host_layout_find(steps->machine, recipes, loose_ports);
    struct building building = {steps,
                                recipes,
                                {steps->machine, last, steps->scratch->tensor.data,
                                 tensor_bytes(&steps->scratch->tensor), steps->blocks}};
    parallel_for(parallel, steps->machine->program->task_count, 1, build_some, &building);
    free(last);
    return take_built(steps, recipes);
}

// Weights ---------------------------------------------------------------------------------

static status keep_weights(struct host_steps *steps, struct host_step *step,
                           struct parallel *parallel)
{
    void *place = blocks_take(steps->blocks, fused_convolution_weights(step->convolution));
    if (place == NULL)
        return status_no_memory("the packed weights of a network");
    fused_convolution_arrange(step->convolution, place, steps->packing, parallel);
    step->settled = true;
    free(steps->passing);
    steps->passing = NULL;
    return STATUS_OK;
}

// In memory that the next convolution takes as well: what is computed once needs no other, and
// most of the time that it takes to keep weights goes to memory that is touched for the first time.
static status pass_weights(struct host_steps *steps, struct host_step *step,
                           struct parallel *parallel)
{
    if (steps->passing == NULL)
        steps->passing = memory_take(steps->passing_bytes);
    if (steps->passing == NULL)
        return status_no_memory("the packed weights of a network");
    fused_convolution_arrange(step->convolution, steps->passing, steps->packing, parallel);
    return STATUS_OK;
}

// Weights are packed for good when a convolution is computed for the second time.
static status place_weights(struct host_steps *steps, struct host_step *step,
                            struct parallel *parallel)
{
    if (step->settled)
        return STATUS_OK;
    if (step->computed)
        return keep_weights(steps, step, parallel);
    step->computed = true;
    return pass_weights(steps, step, parallel);
}

static status keep_all_weights(struct host_steps *steps, struct parallel *parallel)
{
    for (uint32_t i = 0; i < steps->machine->program->task_count; i++) {
        for (size_t j = 0; j < steps->tasks[i].count; j++) {
            struct host_step *step = &steps->tasks[i].items[j];
            if (step->convolution != NULL && !step->settled)
                STATUS_TRY(keep_weights(steps, step, parallel));
        }
    }
    return STATUS_OK;
}

static status host_steps_prepare(struct host_steps *steps, bool loose_ports,
                                 struct parallel *parallel)
{
    const struct program *program = steps->machine->program;
    STATUS_TRY(make_scratch(steps));
    struct host_recipe *recipes =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *recipes);
    for (uint32_t i = 0; i < program->task_count; i++)
        recipes[i] = host_recipe_find(steps->machine, &program->tasks[i]);
    const status failure = build_tasks(steps, recipes, loose_ports, parallel);
    free(recipes);
    return failure;
}

status host_steps_create(const struct host_machine *machine, struct parallel *parallel,
                         const struct host_options *options, struct host_steps **out_steps)
{
    const struct program *program = machine->program;
    struct host_steps *steps = memory_allocate_zeroed(1, sizeof *steps);
    steps->machine = machine;
    steps->tasks = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *steps->tasks);
    steps->prepared =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *steps->prepared);
    steps->blocks = blocks_create();
    steps->rooms = scratch_pool_create(parallel_threads(parallel));
    steps->packing = scratch_pool_create(parallel_threads(parallel));
    scratch_pool_reserve(steps->packing, PANELS_PACK_ROOM);
    status failure = host_steps_prepare(steps, options->loose_ports, parallel);
    if (failure == STATUS_OK && !options->first_soon)
        failure = keep_all_weights(steps, parallel);
    if (failure != STATUS_OK) {
        host_steps_free(steps);
        return failure;
    }
    *out_steps = steps;
    return STATUS_OK;
}

void host_steps_free(struct host_steps *steps)
{
    if (steps == NULL)
        return;
    for (uint32_t i = 0; i < steps->machine->program->task_count; i++)
        host_step_list_free(&steps->tasks[i]);
    datum_release(steps->scratch);
    scratch_pool_free(steps->rooms);
    scratch_pool_free(steps->packing);
    free(steps->passing);
    blocks_free(steps->blocks);
    free(steps->tasks);
    free(steps->prepared);
    free(steps);
}

bool host_steps_has(const struct host_steps *steps, uint32_t task)
{
    return steps != NULL && steps->prepared[task];
}

// Running -----------------------------------------------------------------------------------

static status host_steps_run_step(struct host_steps *steps, struct host_step *step,
                                  struct parallel *parallel)
{
    const uint32_t size = (uint32_t)element_size(step->element);
    switch (step->kind) {
    case HOST_STEP_CALL:
        return prepared_run(step->call, parallel);
    case HOST_STEP_CHAIN:
        chain_run_all(step->chain, step->others, step->result, step->count, parallel);
        break;
    case HOST_STEP_CONVOLUTION:
        STATUS_TRY(place_weights(steps, step, parallel));
        return fused_convolution_run(step->convolution, step->source, step->others, step->result,
                                     steps->rooms, parallel);
    case HOST_STEP_POOL_MAX:
        images_pool_max(&step->pool, step->element, step->source, step->result, parallel);
        break;
    case HOST_STEP_POOL_AVERAGE:
        images_pool_average(&step->pool, step->source, step->result, parallel);
        break;
    case HOST_STEP_MEAN:
        images_mean((int64_t)step->batch, (int64_t)step->pixels, (int64_t)step->channels,
                    step->source, step->result, parallel);
        break;
    case HOST_STEP_JOIN:
        image_join_run(step->join, step->result, parallel);
        break;
    case HOST_STEP_SPREAD:
        images_spread(step->rows, step->columns, step->high, step->wide, step->source, step->result,
                      parallel);
        break;
    case HOST_STEP_TO_LAST:
        images_to_last((int64_t)step->batch, (int64_t)step->channels, (int64_t)step->pixels, size,
                       step->source, step->result, parallel);
        break;
    case HOST_STEP_TO_FIRST:
        images_to_first((int64_t)step->batch, (int64_t)step->channels, (int64_t)step->pixels, size,
                        step->source, step->result, parallel);
        break;
    }
    return STATUS_OK;
}

status host_steps_run(struct host_steps *steps, uint32_t task, struct parallel *parallel)
{
    const struct host_step_list *list = &steps->tasks[task];
    for (size_t i = 0; i < list->count; i++)
        STATUS_TRY(host_steps_run_step(steps, &list->items[i], parallel));
    return STATUS_OK;
}
