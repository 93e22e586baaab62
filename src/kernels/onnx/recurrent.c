#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/matrix.h"
#include "kernels/core/panels_kept.h"
#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"
#include "recurrent_cells.h"

enum { INPUT_X, INPUT_W, INPUT_R, INPUT_B, INPUT_LENGTHS, INPUT_H, INPUT_C, INPUT_P, INPUTS };
enum { OUTPUT_Y, OUTPUT_H, OUTPUT_C, OUTPUTS };

// Items of the batch that run together, so that they share the loads of the weights.
enum { LANE_ITEMS = 8 };

// Everything in the element that is computed in.
struct recurrence {
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
    uint64_t parts;             // of the recurring weights of a direction
    uint64_t part_rows;         // of a part
    // Of f32, arranged: the weights of the inputs by direction (NULL: as they lie), and the
    // recurring ones by direction and part.
    const struct panels_kept *input_weights;
    const struct panels_kept *recurring_weights;
    void *gates; // products of all inputs: directions, steps x batch rows of gates x hidden
    void *items; // directions, batch rows of `item_width`: what a step works on
    uint64_t item_width;
    uint32_t direction; // whose bias is added
};

// Where an item's numbers begin: products of its state, reset numbers, state, cells.
static uint64_t reset_place(const struct recurrence *run)
{
    return run->recurrent.gates * run->hidden;
}

static uint64_t hidden_place(const struct recurrence *run)
{
    return reset_place(run) + run->hidden;
}

static uint64_t onnx_recurrent_cell_place(const struct recurrence *run)
{
    return hidden_place(run) + run->hidden;
}

// A direction of some items, which does all its steps on one thread.
struct lane {
    const struct recurrence *run;
    uint32_t direction;
    bool backwards;
    uint64_t first;
    uint64_t count;
    uint64_t step;
};

static void *at(const struct recurrence *run, const void *base, uint64_t index)
{
    return base != NULL ? (char *)(uintptr_t)base + index * run->size : NULL;
}

static uint64_t row_width(const struct recurrence *run)
{
    return run->recurrent.gates * run->hidden;
}

static void *gates_of(const struct recurrence *run, uint32_t direction)
{
    return at(run, run->gates, direction * run->steps * run->batch * row_width(run));
}

static void *item_at(const struct lane *lane, uint64_t item, uint64_t place)
{
    const struct recurrence *run = lane->run;
    return at(run, run->items, (lane->direction * run->batch + item) * run->item_width + place);
}

static uint64_t onnx_recurrent_length_of(const struct recurrence *run, uint64_t item)
{
    return run->lengths != NULL ? (uint64_t)run->lengths[item] : run->steps;
}

// Where the numbers of an item lie in the states that go in and out.
static uint64_t state_place(const struct lane *lane, uint64_t item)
{
    const struct recurrence *run = lane->run;
    const uint64_t row = run->recurrent.batch_first
                             ? item * run->recurrent.directions + lane->direction
                             : lane->direction * run->batch + item;
    return row * run->hidden;
}

static uint64_t output_place(const struct lane *lane, uint64_t time, uint64_t item)
{
    const struct recurrence *run = lane->run;
    const uint64_t directions = run->recurrent.directions;
    const uint64_t row = run->recurrent.batch_first
                             ? (item * run->steps + time) * directions + lane->direction
                             : (time * directions + lane->direction) * run->batch + item;
    return row * run->hidden;
}

// The bias of the inputs and the recurring one to all gates of a row; but a GRU that is linear
// before the reset adds the last recurring one later.
#define DEFINE_ADD_BIAS(name, type)                                                                \
    static void name(void *context, uint64_t from, uint64_t to)                                    \
    {                                                                                              \
        const struct recurrence *run = context;                                                    \
        const uint64_t width = row_width(run);                                                     \
        const uint64_t recurring =                                                                 \
            run->recurrent.kind == RECURRENT_GRU && run->recurrent.linear_before_reset             \
                ? 2 * run->hidden                                                                  \
                : width;                                                                           \
        const type *bias = (const type *)run->inputs[INPUT_B] + run->direction * 2 * width;        \
        type *all = gates_of(run, run->direction);                                                 \
        for (uint64_t row = from; row < to; row++) {                                               \
            type *gates = all + row * width;                                                       \
            for (uint64_t i = 0; i < recurring; i++)                                               \
                gates[i] += bias[i] + bias[width + i];                                             \
            for (uint64_t i = recurring; i < width; i++)                                           \
                gates[i] += bias[i];                                                               \
        }                                                                                          \
    }

DEFINE_ADD_BIAS(add_bias_f32, float)
DEFINE_ADD_BIAS(add_bias_f64, double)

// The products of all inputs of a direction.
static void multiply_inputs(struct recurrence *run, uint32_t direction)
{
    const uint64_t width = row_width(run);
    const uint64_t rows = run->steps * run->batch;
    struct matrix_product product = matrix_product_dense(rows, width, run->width);
    product.b_transposed = true;
    product.b_stride = run->width;
    if (run->input_weights != NULL)
        product.panels = panels_of(run->input_weights, direction);
    matrix_multiply(&product, run->element, run->inputs[INPUT_X],
                    at(run, run->inputs[INPUT_W], direction * width * run->width),
                    gates_of(run, direction), run->call->parallel);
    run->direction = direction;
    if (run->inputs[INPUT_B] != NULL)
        parallel_for(run->call->parallel, rows, 1 + 16384 / (width + 1),
                     run->element == ELEMENT_F64 ? add_bias_f64 : add_bias_f32, run);
}

// The products of a part of the recurring weights with the numbers at `place` of every item.
static void multiply_part(const struct lane *lane, uint64_t part, uint64_t place)
{
    const struct recurrence *run = lane->run;
    const uint64_t rows = run->part_rows;
    const uint64_t index = lane->direction * run->parts + part;
    const void *x = item_at(lane, lane->first, place);
    void *y = item_at(lane, lane->first, part * rows);
    if (run->element == ELEMENT_F32) {
        const struct panels_product product = {
            .panels = panels_of(run->recurring_weights, index),
            .rows = rows,
            .depth = run->hidden,
            .x_stride = run->item_width,
            .y_stride = run->item_width,
        };
        panels_multiply(&product, x, lane->count, y);
        return;
    }
    struct matrix_product product = matrix_product_dense(lane->count, rows, run->hidden);
    product.a_stride = run->item_width;
    product.b_transposed = true;
    product.b_stride = run->hidden;
    product.c_stride = run->item_width;
    matrix_multiply_here(&product, run->element, x,
                         at(run, run->inputs[INPUT_R], index * rows * run->hidden), y);
}

// The step of an item: false after its end.
static bool onnx_recurrent_time_of(const struct lane *lane, uint64_t item, uint64_t *out_time)
{
    const uint64_t length = onnx_recurrent_length_of(lane->run, item);
    if (lane->step >= length)
        return false;
    *out_time = lane->backwards ? length - 1 - lane->step : lane->step;
    return true;
}

static struct recurrent_cell cell_of(const struct lane *lane, uint64_t item, uint64_t time)
{
    const struct recurrence *run = lane->run;
    const uint64_t width = row_width(run);
    const uint64_t row =
        run->recurrent.batch_first ? item * run->steps + time : time * run->batch + item;
    const uint64_t bias = lane->direction * 2 * width + width + 2 * run->hidden;
    return (struct recurrent_cell){
        .recurrent = &run->recurrent,
        .functions = run->recurrent.functions[lane->direction],
        .hidden = run->hidden,
        .gates = at(run, gates_of(run, lane->direction), row * width),
        .recurring = item_at(lane, item, 0),
        .bias = at(run, run->inputs[INPUT_B], bias),
        .peepholes = at(run, run->inputs[INPUT_P], lane->direction * 3 * run->hidden),
        .hidden_state = item_at(lane, item, hidden_place(run)),
        .cell_state = item_at(lane, item, onnx_recurrent_cell_place(run)),
        .reset = item_at(lane, item, reset_place(run)),
    };
}

static void store_step(const struct lane *lane, uint64_t item, uint64_t time)
{
    const struct recurrence *run = lane->run;
    if (run->outputs[OUTPUT_Y] != NULL)
        memcpy(at(run, run->outputs[OUTPUT_Y], output_place(lane, time, item)),
               item_at(lane, item, hidden_place(run)), run->hidden * run->size);
}

static void run_gates(const struct lane *lane)
{
    for (uint64_t item = lane->first; item < lane->first + lane->count; item++) {
        uint64_t time;
        if (!onnx_recurrent_time_of(lane, item, &time))
            continue;
        const struct recurrent_cell cell = cell_of(lane, item, time);
        recurrent_cell_gates(lane->run->element, &cell);
    }
}

static void finish_step(const struct lane *lane)
{
    const struct recurrence *run = lane->run;
    for (uint64_t item = lane->first; item < lane->first + lane->count; item++) {
        uint64_t time;
        if (!onnx_recurrent_time_of(lane, item, &time))
            continue;
        const struct recurrent_cell cell = cell_of(lane, item, time);
        if (run->recurrent.kind == RECURRENT_GRU)
            recurrent_cell_finish(run->element, &cell, item_at(lane, item, 2 * run->hidden));
        else
            recurrent_cell_step(run->element, &cell);
        store_step(lane, item, time);
    }
}

static void onnx_recurrent_run_step(const struct lane *lane)
{
    const struct recurrence *run = lane->run;
    multiply_part(lane, 0, hidden_place(run));
    if (run->recurrent.kind == RECURRENT_GRU) {
        const bool before = run->recurrent.linear_before_reset;
        multiply_part(lane, 1, hidden_place(run));
        run_gates(lane);
        multiply_part(lane, 2, before ? hidden_place(run) : reset_place(run));
    }
    finish_step(lane);
}

// Between a state of the network and our own.
static void load_state(const struct lane *lane, uint32_t input, uint64_t place)
{
    const struct recurrence *run = lane->run;
    for (uint64_t item = lane->first; item < lane->first + lane->count; item++) {
        void *row = item_at(lane, item, place);
        if (run->inputs[input] != NULL)
            memcpy(row, at(run, run->inputs[input], state_place(lane, item)),
                   run->hidden * run->size);
        else
            memset(row, 0, run->hidden * run->size);
    }
}

static void store_state(const struct lane *lane, uint32_t output, uint64_t place)
{
    const struct recurrence *run = lane->run;
    for (uint64_t i = 0; i < lane->count && run->outputs[output] != NULL; i++) {
        const uint64_t item = lane->first + i;
        memcpy(at(run, run->outputs[output], state_place(lane, item)), item_at(lane, item, place),
               run->hidden * run->size);
    }
}

static uint64_t lanes_of_direction(const struct recurrence *run)
{
    return (run->batch + LANE_ITEMS - 1) / LANE_ITEMS;
}

static void run_lanes(void *context, uint64_t from, uint64_t to)
{
    const struct recurrence *run = context;
    for (uint64_t i = from; i < to; i++) {
        struct lane lane = {.run = run, .direction = (uint32_t)(i / lanes_of_direction(run))};
        lane.backwards = run->recurrent.reverse || lane.direction == 1;
        lane.first = i % lanes_of_direction(run) * LANE_ITEMS;
        lane.count = run->batch - lane.first < LANE_ITEMS ? run->batch - lane.first : LANE_ITEMS;
        load_state(&lane, INPUT_H, hidden_place(run));
        load_state(&lane, INPUT_C, onnx_recurrent_cell_place(run));
        for (lane.step = 0; lane.step < run->steps; lane.step++)
            onnx_recurrent_run_step(&lane);
        store_state(&lane, OUTPUT_H, hidden_place(run));
        store_state(&lane, OUTPUT_C, onnx_recurrent_cell_place(run));
    }
}

// A GRU multiplies its last gate's weights in the middle of a step, so its gates are parts.
static void plan_parts(struct recurrence *run)
{
    run->parts = run->recurrent.kind == RECURRENT_GRU ? run->recurrent.gates : 1;
    run->part_rows = row_width(run) / run->parts;
    run->item_width = onnx_recurrent_cell_place(run) + run->hidden;
}

// One block for all that the directions need.
static status recurrent_allocate(struct recurrence *run, void **out_room)
{
    const uint64_t directions = run->recurrent.directions;
    uint64_t gates;
    uint64_t items;
    uint64_t total;
    if (__builtin_mul_overflow(run->steps, run->batch, &gates) ||
        __builtin_mul_overflow(gates, row_width(run) * directions, &gates) ||
        __builtin_mul_overflow(run->batch, run->item_width * directions, &items) ||
        __builtin_add_overflow(gates, items, &total) || total > (UINT64_C(1) << 58))
        return status_make(STATUS_LIMIT, "the gates of all steps exceed 2^58 elements: use fewer "
                                         "steps, or a smaller batch or hidden size");
    *out_room = memory_take(total * run->size);
    if (*out_room == NULL)
        return status_no_memory("the gates of a recurrent operator");
    run->items = *out_room;
    run->gates = at(run, *out_room, items);
    return STATUS_OK;
}

static status run_directions(struct recurrence *run)
{
    const uint32_t directions = run->recurrent.directions;
    void *room;
    STATUS_TRY(recurrent_allocate(run, &room));
    // Steps after the end of an item are 0.
    if (run->outputs[OUTPUT_Y] != NULL && run->lengths != NULL)
        memset(run->outputs[OUTPUT_Y], 0,
               run->steps * directions * run->batch * run->hidden * run->size);
    for (uint32_t direction = 0; direction < directions; direction++)
        multiply_inputs(run, direction);
    parallel_for(run->call->parallel, directions * lanes_of_direction(run), 1, run_lanes, run);
    free(room);
    return STATUS_OK;
}

// What a node keeps: two sets of arranged weights.
struct kept {
    struct kernel_state base;
    struct kernel_state *input, *recurring;
};

static void onnx_recurrent_kept_free(struct kernel_state *state)
{
    struct kept *kept = (struct kept *)state;
    if (kept->input != NULL)
        kept->input->free(kept->input);
    if (kept->recurring != NULL)
        kept->recurring->free(kept->recurring);
    free(kept);
}

// NULL where nothing is kept.
static struct kept *onnx_recurrent_find_kept(const struct kernel_call *call)
{
    if (call->state == NULL)
        return NULL;
    if (*call->state != NULL && (*call->state)->free != onnx_recurrent_kept_free) {
        (*call->state)->free(*call->state);
        *call->state = NULL;
    }
    if (*call->state == NULL) {
        struct kept *kept = memory_allocate_zeroed(1, sizeof *kept);
        kept->base.free = onnx_recurrent_kept_free;
        *call->state = &kept->base;
    }
    return (struct kept *)*call->state;
}

static status run_arranged(struct recurrence *run)
{
    struct kept *kept = onnx_recurrent_find_kept(run->call);
    struct kernel_call input = *run->call, recurring = *run->call;
    input.state = kept != NULL ? &kept->input : NULL;
    recurring.state = kept != NULL ? &kept->recurring : NULL;
    const uint64_t directions = run->recurrent.directions;
    struct panels_kept *input_weights = NULL, *recurring_weights = NULL;
    const struct panels_source inputs = {run->inputs[INPUT_W], row_width(run), run->width,
                                         run->width, 1};
    const struct panels_source parts = {run->inputs[INPUT_R], run->part_rows, run->hidden,
                                        run->hidden, 1};
    status failure =
        panels_take(&recurring, INPUT_R, &parts, directions * run->parts, &recurring_weights);
    if (failure == STATUS_OK && run->width > 0 && panels_are_fast())
        failure = panels_take(&input, INPUT_W, &inputs, directions, &input_weights);
    run->input_weights = input_weights;
    run->recurring_weights = recurring_weights;
    if (failure == STATUS_OK)
        failure = run_directions(run);
    panels_release(input_weights, &input, INPUT_W);
    panels_release(recurring_weights, &recurring, INPUT_R);
    return failure;
}

static status onnx_recurrent_check_lengths(const struct recurrence *run)
{
    for (uint64_t item = 0; run->lengths != NULL && item < run->batch; item++) {
        if (run->lengths[item] < 0 || (uint64_t)run->lengths[item] > run->steps)
            return status_make(STATUS_DATA, "item %" PRIu64 " has %" PRId32 " steps of %" PRIu64,
                               item, run->lengths[item], run->steps);
    }
    return STATUS_OK;
}

// Runs with all tensors in the element that is computed in.
static status onnx_recurrent_run_widened(struct recurrence *run, struct widened *inputs,
                                         struct widened *outputs)
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
    plan_parts(run);
    STATUS_TRY(run->element == ELEMENT_F32 ? run_arranged(run) : run_directions(run));
    for (uint32_t i = 0; i < OUTPUTS; i++)
        widened_finish(&outputs[i], call->parallel);
    return STATUS_OK;
}

static status run_recurrent(struct kernel_call *call)
{
    const struct tensor *x = call->inputs[INPUT_X];
    const struct tensor *lengths = kernel_input(call, INPUT_LENGTHS);
    struct recurrence run = {.call = call, .element = ELEMENT_F32};
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
    STATUS_TRY(onnx_recurrent_check_lengths(&run));
    if (run.batch == 0 || run.hidden == 0)
        return STATUS_OK; // nothing comes out, however many steps there are
    struct widened inputs[INPUTS] = {{0}};
    struct widened outputs[OUTPUTS] = {{0}};
    const status failure = onnx_recurrent_run_widened(&run, inputs, outputs);
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
