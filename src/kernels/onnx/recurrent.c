#include <inttypes.h>
#include <stdlib.h>

#include "kernels/core/matrix.h"
#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"
#include "recurrent_cells.h"

enum { INPUT_X, INPUT_W, INPUT_R, INPUT_B, INPUT_LENGTHS, INPUT_H, INPUT_C, INPUT_P, INPUTS };
enum { OUTPUT_Y, OUTPUT_H, OUTPUT_C, OUTPUTS };

// A GRU multiplies in the middle of a step.
enum phase {
    PHASE_WHOLE,
    PHASE_GATES,
    PHASE_FINISH,
};

// Everything in the element that is computed in.
struct run {
    struct kernel_call *call;
    struct recurrent recurrent;
    enum element element; // f32 or f64
    size_t size;          // of an element
    uint64_t steps;
    uint64_t batch;
    uint64_t width;
    uint64_t hidden;
    const void *inputs[INPUTS]; // NULL where left out
    void *outputs[OUTPUTS];     // NULL where nothing reads them
    const int32_t *lengths;     // of the items of the batch; NULL: all steps
    // Of the direction at hand:
    uint32_t direction;
    bool backwards;
    uint64_t step;
    enum phase phase;
    void *gates;     // products of all inputs: steps x batch rows of gates x hidden
    void *recurring; // batch x gates x hidden
    void *fresh;     // GRU: products of the reset numbers, batch x hidden
    void *reset;     // batch x hidden
    void *state;     // batch x hidden
    void *cells;     // batch x hidden
};

static void *at(const struct run *run, const void *base, uint64_t index)
{
    return base != NULL ? (char *)(uintptr_t)base + index * run->size : NULL;
}

static uint64_t row_width(const struct run *run)
{
    return run->recurrent.gates * run->hidden;
}

static uint64_t length_of(const struct run *run, uint64_t item)
{
    return run->lengths != NULL ? (uint64_t)run->lengths[item] : run->steps;
}

// Where the numbers of an item lie in the states that go in and out.
static uint64_t state_place(const struct run *run, uint64_t item)
{
    const uint64_t row = run->recurrent.batch_first
                             ? item * run->recurrent.directions + run->direction
                             : run->direction * run->batch + item;
    return row * run->hidden;
}

static uint64_t output_place(const struct run *run, uint64_t time, uint64_t item)
{
    const uint64_t directions = run->recurrent.directions;
    const uint64_t row = run->recurrent.batch_first
                             ? (item * run->steps + time) * directions + run->direction
                             : (time * directions + run->direction) * run->batch + item;
    return row * run->hidden;
}

// C = A x B^T, where B has `columns` rows of `depth`.
static void multiply(const struct run *run, const void *a, const void *b, void *c, uint64_t rows,
                     uint64_t columns, uint64_t depth)
{
    struct matrix_product product = matrix_product_dense(rows, columns, depth);
    product.b_transposed = true;
    product.b_stride = depth;
    matrix_multiply(&product, run->element, a, b, c, run->call->parallel);
}

// The bias of the inputs and the recurring one to all gates of a row; but a GRU that is linear
// before the reset adds the last recurring one later.
#define DEFINE_ADD_BIAS(type, suffix)                                                              \
    static void add_bias_##suffix(void *context, uint64_t from, uint64_t to)                       \
    {                                                                                              \
        const struct run *run = context;                                                           \
        const uint64_t width = row_width(run);                                                     \
        const uint64_t recurring =                                                                 \
            run->recurrent.kind == RECURRENT_GRU && run->recurrent.linear_before_reset             \
                ? 2 * run->hidden                                                                  \
                : width;                                                                           \
        const type *bias = (const type *)run->inputs[INPUT_B] + run->direction * 2 * width;        \
        for (uint64_t row = from; row < to; row++) {                                               \
            type *gates = (type *)run->gates + row * width;                                        \
            for (uint64_t i = 0; i < recurring; i++)                                               \
                gates[i] += bias[i] + bias[width + i];                                             \
            for (uint64_t i = recurring; i < width; i++)                                           \
                gates[i] += bias[i];                                                               \
        }                                                                                          \
    }

DEFINE_ADD_BIAS(float, f32)
DEFINE_ADD_BIAS(double, f64)

static struct recurrent_cell cell_of(const struct run *run, uint64_t item, uint64_t time)
{
    const uint64_t width = row_width(run);
    const uint64_t row =
        run->recurrent.batch_first ? item * run->steps + time : time * run->batch + item;
    return (struct recurrent_cell){
        .recurrent = &run->recurrent,
        .functions = run->recurrent.functions[run->direction],
        .hidden = run->hidden,
        .gates = at(run, run->gates, row * width),
        .recurring = at(run, run->recurring, item * width),
        .bias = at(run, run->inputs[INPUT_B], run->direction * 2 * width + width + 2 * run->hidden),
        .peepholes = at(run, run->inputs[INPUT_P], run->direction * 3 * run->hidden),
        .hidden_state = at(run, run->state, item * run->hidden),
        .cell_state = at(run, run->cells, item * run->hidden),
        .reset = at(run, run->reset, item * run->hidden),
    };
}

// The step of an item: false behind its end.
static bool time_of(const struct run *run, uint64_t item, uint64_t *out_time)
{
    const uint64_t length = length_of(run, item);
    if (run->step >= length)
        return false;
    *out_time = run->backwards ? length - 1 - run->step : run->step;
    return true;
}

static void store_step(const struct run *run, uint64_t item, uint64_t time)
{
    if (run->outputs[OUTPUT_Y] != NULL)
        memcpy(at(run, run->outputs[OUTPUT_Y], output_place(run, time, item)),
               at(run, run->state, item * run->hidden), run->hidden * run->size);
}

static void finish_gru(const struct run *run, const struct recurrent_cell *cell, uint64_t item)
{
    const void *recurring = run->recurrent.linear_before_reset
                                ? at(run, run->recurring, item * row_width(run) + 2 * run->hidden)
                                : at(run, run->fresh, item * run->hidden);
    recurrent_cell_finish(run->element, cell, recurring);
}

static void run_items(void *context, uint64_t from, uint64_t to)
{
    const struct run *run = context;
    for (uint64_t item = from; item < to; item++) {
        uint64_t time;
        if (!time_of(run, item, &time))
            continue;
        const struct recurrent_cell cell = cell_of(run, item, time);
        if (run->phase == PHASE_GATES)
            recurrent_cell_gates(run->element, &cell);
        else if (run->phase == PHASE_FINISH)
            finish_gru(run, &cell, item);
        else
            recurrent_cell_step(run->element, &cell);
        if (run->phase != PHASE_GATES)
            store_step(run, item, time);
    }
}

static void run_phase(struct run *run, enum phase phase)
{
    run->phase = phase;
    parallel_for(run->call->parallel, run->batch, 1 + 2048 / (row_width(run) + 1), run_items, run);
}

static void run_step(struct run *run)
{
    const uint64_t width = row_width(run);
    const uint64_t hidden = run->hidden;
    const void *weights = at(run, run->inputs[INPUT_R], run->direction * width * hidden);
    multiply(run, run->state, weights, run->recurring, run->batch, width, hidden);
    if (run->recurrent.kind != RECURRENT_GRU) {
        run_phase(run, PHASE_WHOLE);
        return;
    }
    run_phase(run, PHASE_GATES);
    if (!run->recurrent.linear_before_reset)
        multiply(run, run->reset, at(run, weights, 2 * hidden * hidden), run->fresh, run->batch,
                 hidden, hidden);
    run_phase(run, PHASE_FINISH);
}

// Between a state of the network and our own: batch x hidden.
static void load_state(const struct run *run, uint32_t input, void *state)
{
    for (uint64_t item = 0; item < run->batch; item++) {
        void *row = at(run, state, item * run->hidden);
        if (run->inputs[input] != NULL)
            memcpy(row, at(run, run->inputs[input], state_place(run, item)),
                   run->hidden * run->size);
        else
            memset(row, 0, run->hidden * run->size);
    }
}

static void store_state(const struct run *run, uint32_t output, const void *state)
{
    for (uint64_t item = 0; item < run->batch && run->outputs[output] != NULL; item++)
        memcpy(at(run, run->outputs[output], state_place(run, item)),
               at(run, state, item * run->hidden), run->hidden * run->size);
}

static void run_direction(struct run *run, uint32_t direction)
{
    const uint64_t rows = run->steps * run->batch;
    const uint64_t width = row_width(run);
    run->direction = direction;
    run->backwards = run->recurrent.reverse || direction == 1;
    multiply(run, run->inputs[INPUT_X],
             at(run, run->inputs[INPUT_W], direction * width * run->width), run->gates, rows, width,
             run->width);
    if (run->inputs[INPUT_B] != NULL)
        parallel_for(run->call->parallel, rows, 1 + 16384 / (width + 1),
                     run->element == ELEMENT_F64 ? add_bias_f64 : add_bias_f32, run);
    load_state(run, INPUT_H, run->state);
    load_state(run, INPUT_C, run->cells);
    for (run->step = 0; run->step < run->steps; run->step++)
        run_step(run);
    store_state(run, OUTPUT_H, run->state);
    store_state(run, OUTPUT_C, run->cells);
}

// One block for all that a direction needs.
static status run_directions(struct run *run)
{
    const uint64_t width = row_width(run);
    const uint64_t own = run->batch * run->hidden;
    uint64_t gates;
    uint64_t total;
    if (__builtin_mul_overflow(run->steps, run->batch, &gates) ||
        __builtin_mul_overflow(gates, width, &gates) ||
        __builtin_add_overflow(gates, run->batch * width + 4 * own, &total) ||
        total > (UINT64_C(1) << 58))
        return status_make(STATUS_LIMIT, "too many gates");
    void *room;
    if (posix_memalign(&room, TENSOR_ALIGNMENT, total * run->size + TENSOR_ALIGNMENT) != 0)
        return status_make(STATUS_LIMIT, "no memory for the gates");
    run->gates = room;
    run->recurring = at(run, room, gates);
    run->fresh = at(run, run->recurring, run->batch * width);
    run->reset = at(run, run->fresh, own);
    run->state = at(run, run->reset, own);
    run->cells = at(run, run->state, own);
    // Steps behind the end of an item are 0.
    if (run->outputs[OUTPUT_Y] != NULL && run->lengths != NULL)
        memset(run->outputs[OUTPUT_Y], 0, run->steps * run->recurrent.directions * own * run->size);
    for (uint32_t direction = 0; direction < run->recurrent.directions; direction++)
        run_direction(run, direction);
    free(room);
    return STATUS_OK;
}

static status check_lengths(const struct run *run)
{
    for (uint64_t item = 0; run->lengths != NULL && item < run->batch; item++) {
        if (run->lengths[item] < 0 || (uint64_t)run->lengths[item] > run->steps)
            return status_make(STATUS_DATA, "item %" PRIu64 " has %" PRId32 " steps of %" PRIu64,
                               item, run->lengths[item], run->steps);
    }
    return STATUS_OK;
}

// Runs with all tensors in the element that is computed in.
static status run_widened(struct run *run, struct widened *inputs, struct widened *outputs)
{
    struct kernel_call *call = run->call;
    for (uint32_t i = 0; i < INPUTS; i++) {
        const struct tensor *tensor = kernel_input(call, i);
        if (tensor == NULL || i == INPUT_LENGTHS)
            continue;
        if (run->element != ELEMENT_F64)
            STATUS_TRY(widened_input(tensor, call->parallel, &inputs[i]));
        run->inputs[i] = run->element == ELEMENT_F64 ? tensor->data : inputs[i].data;
    }
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        struct tensor *tensor = kernel_output(call, i);
        if (tensor == NULL)
            continue;
        if (run->element != ELEMENT_F64)
            STATUS_TRY(widened_output(tensor, &outputs[i]));
        run->outputs[i] = run->element == ELEMENT_F64 ? tensor->data : outputs[i].data;
    }
    STATUS_TRY(run_directions(run));
    for (uint32_t i = 0; i < OUTPUTS; i++)
        widened_finish(&outputs[i], call->parallel);
    return STATUS_OK;
}

static status run_recurrent(struct kernel_call *call)
{
    const struct tensor *x = call->inputs[INPUT_X];
    const struct tensor *lengths = kernel_input(call, INPUT_LENGTHS);
    struct run run = {.call = call, .element = ELEMENT_F32};
    STATUS_TRY(
        recurrent_parse(recurrent_kind_of(call->node->type), call->attributes, &run.recurrent));
    if (x->element == ELEMENT_F64)
        run.element = ELEMENT_F64;
    run.size = element_size(run.element);
    run.steps = (uint64_t)x->shape.dims[run.recurrent.batch_first ? 1 : 0];
    run.batch = (uint64_t)x->shape.dims[run.recurrent.batch_first ? 0 : 1];
    run.width = (uint64_t)x->shape.dims[2];
    run.hidden = (uint64_t)call->inputs[INPUT_R]->shape.dims[2];
    run.lengths = lengths != NULL ? lengths->data : NULL;
    STATUS_TRY(check_lengths(&run));
    if (run.batch == 0 || run.hidden == 0)
        return STATUS_OK; // nothing comes out, however many steps there are
    struct widened inputs[INPUTS] = {{0}};
    struct widened outputs[OUTPUTS] = {{0}};
    const status failure = run_widened(&run, inputs, outputs);
    for (uint32_t i = 0; i < INPUTS; i++)
        widened_free(&inputs[i]);
    for (uint32_t i = 0; i < OUTPUTS; i++)
        widened_free(&outputs[i]);
    return failure;
}

static const struct kernel KERNELS[] = {
    {"RNN", run_recurrent},
    {"GRU", run_recurrent},
    {"LSTM", run_recurrent},
};

const struct kernel_table ONNX_RECURRENT_KERNELS = KERNEL_TABLE(KERNELS);
