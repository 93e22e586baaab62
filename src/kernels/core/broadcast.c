#include "broadcast.h"

#include <stdlib.h>

#include "base/memory.h"

// Elements of one parallel piece.
enum {
    GRAIN = 16384,
    INPUTS_FEW = 4, // so many need no memory of their own
};

// A merged dimension. `strides` are in bytes, one for each input.
struct loop {
    uint64_t length;
    size_t *strides;
};

struct plan {
    struct loop loops[SHAPE_RANK_MOST]; // outermost first
    uint32_t rank;                      // at least 1
    uint32_t input_count;
    char *out;
    size_t out_size;
    const struct broadcast_input *inputs;
    uint8_t *steps; // of the innermost loop, in elements
    broadcast_row row;
    const void *context;
};

// Whether the input moves along dimension `axis` of the output.
static bool moves(const struct broadcast_input *input, const struct shape *out, uint32_t axis)
{
    const uint32_t ahead = out->rank - input->shape.rank;
    return axis >= ahead && input->shape.dims[axis - ahead] != 1;
}

// Whether every input moves along `axis` as it does along the one after it.
static bool mergeable(const struct plan *plan, const struct shape *out, uint32_t axis,
                      uint32_t next)
{
    for (uint32_t i = 0; i < plan->input_count; i++) {
        if (moves(&plan->inputs[i], out, axis) != moves(&plan->inputs[i], out, next))
            return false;
    }
    return true;
}

// Fills the loops innermost first, then turns them round.
static void plan_loops(struct plan *plan, const struct shape *out, size_t *strides)
{
    struct loop inner_first[SHAPE_RANK_MOST];
    uint32_t rank = 0;
    uint32_t previous = 0;
    for (uint32_t axis = out->rank; axis-- > 0;) {
        const uint64_t length = (uint64_t)out->dims[axis];
        if (length == 1)
            continue;
        if (rank > 0 && mergeable(plan, out, axis, previous)) {
            inner_first[rank - 1].length *= length;
        } else {
            inner_first[rank] = (struct loop){length, strides + rank * plan->input_count};
            for (uint32_t i = 0; i < plan->input_count; i++)
                inner_first[rank].strides[i] = moves(&plan->inputs[i], out, axis) ? 1 : 0;
            rank++;
        }
        previous = axis;
    }
    if (rank == 0)
        inner_first[rank++] = (struct loop){1, strides};
    plan->rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        plan->loops[i] = inner_first[rank - 1 - i];
}

// Replaces "moves" (1) by the distance in bytes.
static void plan_strides(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->input_count; i++) {
        size_t distance = plan->inputs[i].size;
        plan->steps[i] = (uint8_t)plan->loops[plan->rank - 1].strides[i];
        for (uint32_t axis = plan->rank; axis-- > 0;) {
            struct loop *loop = &plan->loops[axis];
            if (loop->strides[i] == 0)
                continue;
            loop->strides[i] = distance;
            distance *= loop->length;
        }
    }
}

// Where a piece stands: the index along each loop and each input's address.
struct broadcast_position {
    uint64_t index[SHAPE_RANK_MOST];
    const char **in;
};

static void broadcast_place_at(const struct plan *plan, uint64_t element,
                               struct broadcast_position *place)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        place->in[i] = plan->inputs[i].data;
    for (uint32_t axis = plan->rank; axis-- > 0;) {
        const struct loop *loop = &plan->loops[axis];
        place->index[axis] = element % loop->length;
        element /= loop->length;
        for (uint32_t i = 0; i < plan->input_count; i++)
            place->in[i] += place->index[axis] * loop->strides[i];
    }
}

static void place_forward(const struct plan *plan, struct broadcast_position *place, uint32_t axis,
                          uint64_t count)
{
    place->index[axis] += count;
    for (uint32_t i = 0; i < plan->input_count; i++)
        place->in[i] += count * plan->loops[axis].strides[i];
}

static void place_back_to_start(const struct plan *plan, struct broadcast_position *place,
                                uint32_t axis)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        place->in[i] -= place->index[axis] * plan->loops[axis].strides[i];
    place->index[axis] = 0;
}

// Past the `count` elements of the row just computed.
static void place_advance(const struct plan *plan, struct broadcast_position *place, uint64_t count)
{
    uint32_t axis = plan->rank - 1;
    place_forward(plan, place, axis, count);
    while (axis > 0 && place->index[axis] == plan->loops[axis].length) {
        place_back_to_start(plan, place, axis);
        place_forward(plan, place, --axis, 1);
    }
}

static void broadcast_run_piece(void *context, uint64_t from, uint64_t to)
{
    const struct plan *plan = context;
    const char *few[INPUTS_FEW];
    const uint32_t inputs = plan->input_count;
    const char **many = inputs > INPUTS_FEW ? memory_allocate(inputs * sizeof *many) : NULL;
    struct broadcast_position place = {.in = many != NULL ? many : few};
    broadcast_place_at(plan, from, &place);
    const uint64_t length = plan->loops[plan->rank - 1].length;
    while (from < to) {
        const uint64_t left = length - place.index[plan->rank - 1];
        const uint64_t count = left < to - from ? left : to - from;
        plan->row(plan->context, plan->out + from * plan->out_size, (const void *const *)place.in,
                  plan->steps, count);
        from += count;
        if (from < to)
            place_advance(plan, &place, count);
    }
    free(many);
}

void broadcast_run(struct parallel *parallel, const struct tensor *out,
                   const struct broadcast_input *inputs, uint32_t input_count, broadcast_row row,
                   const void *context)
{
    const uint64_t total = tensor_count(out);
    if (total == 0)
        return;
    struct plan plan = {.input_count = input_count,
                        .out = out->data,
                        .out_size = element_size(out->element),
                        .inputs = inputs,
                        .row = row,
                        .context = context};
    size_t few_strides[INPUTS_FEW * SHAPE_RANK_MOST] = {0};
    uint8_t few_steps[INPUTS_FEW] = {0};
    const bool many = input_count > INPUTS_FEW;
    size_t *strides =
        many ? memory_allocate_zeroed((size_t)input_count * SHAPE_RANK_MOST, sizeof *strides)
             : few_strides;
    plan.steps = many ? memory_allocate_zeroed(input_count, 1) : few_steps;
    plan_loops(&plan, &out->shape, strides);
    plan_strides(&plan);
    parallel_for(parallel, total, GRAIN, broadcast_run_piece, &plan);
    if (many) {
        free(strides);
        free(plan.steps);
    }
}

void broadcast_tensors(struct parallel *parallel, const struct tensor *out,
                       const struct tensor *const *inputs, uint32_t input_count, broadcast_row row,
                       const void *context)
{
    struct broadcast_input *all = memory_allocate_zeroed((size_t)input_count + 1, sizeof *all);
    for (uint32_t i = 0; i < input_count; i++)
        all[i] = broadcast_input(inputs[i]);
    broadcast_run(parallel, out, all, input_count, row, context);
    free(all);
}
