// If, Loop, Scan and SequenceMap: they run graphs and put results together.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/copy.h"
#include "kernels/executor.h"
#include "kernels/kernel_tables.h"

static uint32_t onnx_control_graph_of(const struct kernel_call *call, const char *name)
{
    return attribute_find(call->attributes, name, ATTRIBUTE_GRAPH)->graph;
}

static struct datum **datum_list(size_t count)
{
    return memory_allocate_zeroed(count + 1, sizeof(struct datum *));
}

static void datum_list_free(struct datum **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        datum_release(list[i]);
    free(list);
}

static status one_bool(const struct tensor *tensor, bool *out_value)
{
    if (tensor == NULL || tensor->element != ELEMENT_BOOL || tensor_count(tensor) != 1)
        return status_make(STATUS_DATA, "a condition is not one bool");
    *out_value = *(const uint8_t *)tensor->data != 0;
    return STATUS_OK;
}

static status run_if(struct kernel_call *call)
{
    bool condition;
    STATUS_TRY(one_bool(kernel_input(call, 0), &condition));
    const uint32_t branch = onnx_control_graph_of(call, condition ? "then_branch" : "else_branch");
    struct datum **outputs = datum_list(call->output_count);
    const status failure =
        executor_run_graph(call->runner, branch, NULL, 0, outputs, call->output_count);
    for (uint32_t i = 0; failure == STATUS_OK && i < call->output_count; i++)
        kernel_give(call, i, datum_keep(outputs[i]));
    datum_list_free(outputs, call->output_count);
    return failure;
}

// What the iterations of a loop give, to be stacked in the end.
struct stack {
    struct datum **items;
    size_t count;
    size_t capacity;
};

static void stack_add(struct stack *stack, struct datum *datum)
{
    stack->items = memory_grow(stack->items, stack->count, &stack->capacity, sizeof *stack->items);
    stack->items[stack->count++] = datum_keep(datum);
}

static void stacks_free(struct stack *stacks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        datum_list_free(stacks[i].items, stacks[i].count);
    free(stacks);
}

// The type of what a graph stacks, from the network: for a loop without an iteration.
static const struct value_type *body_output_type(const struct kernel_call *call, uint32_t graph,
                                                 uint32_t index)
{
    const struct network *network = executor_network(call->runner);
    return &network_value(network, network_graph(network, graph)->outputs[index])->type;
}

static status stack_nothing(struct kernel_call *call, uint32_t output,
                            const struct value_type *type, uint32_t axis)
{
    struct shape shape = {.rank = 1};
    if (type->ranked && type->shape.rank < SHAPE_RANK_MOST && axis <= type->shape.rank) {
        shape.rank = type->shape.rank + 1;
        for (uint32_t i = 0, from = 0; i < shape.rank; i++)
            shape.dims[i] = i == axis ? 0 : type->shape.dims[from++];
        for (uint32_t i = 0; i < shape.rank; i++)
            shape.dims[i] = shape.dims[i] < 0 ? 0 : shape.dims[i];
    }
    struct tensor *tensor;
    return kernel_make(call, output, type->element != ELEMENT_NONE ? type->element : ELEMENT_F32,
                       &shape, &tensor);
}

static status check_stackable(const struct stack *stack)
{
    const struct datum *first = stack->items[0];
    for (size_t i = 0; i < stack->count; i++) {
        const struct datum *item = stack->items[i];
        if (item->kind != DATUM_TENSOR || item->tensor.element != first->tensor.element ||
            !shape_equal(&item->tensor.shape, &first->tensor.shape))
            return status_make(STATUS_DATA,
                               "iteration %zu gives a scan output of another type or shape", i);
    }
    if (first->tensor.shape.rank >= SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "a scan output of more than %d dimensions",
                           SHAPE_RANK_MOST);
    return STATUS_OK;
}

// Copies one item to its place along `axis` of the stacked tensor.
static void onnx_control_place_item(struct kernel_call *call, uint32_t output,
                                    const struct tensor *item, struct tensor *stacked,
                                    uint32_t axis, uint64_t position)
{
    struct tensor layer = {item->element, stacked->shape, item->data};
    layer.shape.dims[axis] = 1;
    uint64_t at[SHAPE_RANK_MOST] = {0};
    at[axis] = position;
    copy_into(call->parallel, &layer, stacked, at);
    if (item->element != ELEMENT_TEXT)
        return;
    // The texts belong to an item that ends soon.
    struct view *texts = stacked->data;
    const uint64_t inner = shape_count_between(&stacked->shape, axis + 1, stacked->shape.rank);
    const uint64_t outer = shape_count_between(&stacked->shape, 0, axis);
    const uint64_t length = (uint64_t)stacked->shape.dims[axis];
    for (uint64_t i = 0; i < outer; i++) {
        for (uint64_t j = 0; j < inner; j++) {
            struct view *text = &texts[(i * length + position) * inner + j];
            *text = kernel_text(call, output, *text);
        }
    }
}

// Output `output` of the node from the iterations' results along a new axis,
// which may count from the end.
static status stack_output(struct kernel_call *call, uint32_t output, const struct stack *stack,
                           const struct value_type *type, int64_t axis, bool reversed)
{
    if (!kernel_wants(call, output))
        return STATUS_OK;
    if (stack->count == 0)
        return stack_nothing(call, output, type, axis > 0 ? (uint32_t)axis : 0);
    STATUS_TRY(check_stackable(stack));
    const struct tensor *first = &stack->items[0]->tensor;
    uint32_t at;
    STATUS_TRY(shape_axis(axis, first->shape.rank + 1, &at));
    struct shape shape = {.rank = first->shape.rank + 1};
    for (uint32_t i = 0, from = 0; i < shape.rank; i++)
        shape.dims[i] = i == at ? (int64_t)stack->count : first->shape.dims[from++];
    struct tensor *stacked;
    STATUS_TRY(kernel_make(call, output, first->element, &shape, &stacked));
    for (size_t i = 0; i < stack->count; i++)
        onnx_control_place_item(call, output, &stack->items[i]->tensor, stacked, at,
                                reversed ? stack->count - 1 - i : i);
    return STATUS_OK;
}

static status make_scalar(enum element element, const void *value, struct datum **out_datum)
{
    const struct shape scalar = {0};
    STATUS_TRY(datum_tensor(element, &scalar, out_datum));
    memcpy((*out_datum)->tensor.data, value, element_size(element));
    return STATUS_OK;
}

struct loop {
    uint32_t body;
    uint32_t carried;      // values that one iteration hands to the next
    uint32_t scans;        // values that are stacked
    struct datum **inputs; // of the body: number, condition, carried
    struct datum **outputs;
    struct stack *stacks;
};

static status loop_step(struct kernel_call *call, struct loop *loop, int64_t number,
                        bool *condition)
{
    const uint8_t flag = *condition;
    datum_release(loop->inputs[0]);
    loop->inputs[0] = NULL;
    STATUS_TRY(make_scalar(ELEMENT_I64, &number, &loop->inputs[0]));
    datum_release(loop->inputs[1]);
    loop->inputs[1] = NULL;
    STATUS_TRY(make_scalar(ELEMENT_BOOL, &flag, &loop->inputs[1]));
    STATUS_TRY(executor_run_graph(call->runner, loop->body, loop->inputs, loop->carried + 2,
                                  loop->outputs, (size_t)1 + loop->carried + loop->scans));
    const status failure = one_bool(
        loop->outputs[0]->kind == DATUM_TENSOR ? &loop->outputs[0]->tensor : NULL, condition);
    for (uint32_t i = 0; i < loop->carried; i++) {
        datum_release(loop->inputs[i + 2]);
        loop->inputs[i + 2] = datum_keep(loop->outputs[i + 1]);
    }
    for (uint32_t i = 0; i < loop->scans; i++)
        stack_add(&loop->stacks[i], loop->outputs[1 + loop->carried + i]);
    for (uint32_t i = 0; i < 1 + loop->carried + loop->scans; i++) {
        datum_release(loop->outputs[i]);
        loop->outputs[i] = NULL;
    }
    return failure;
}

static status loop_iterate(struct kernel_call *call, struct loop *loop)
{
    const struct tensor *limit = kernel_input(call, 0);
    const struct tensor *start = kernel_input(call, 1);
    int64_t most = INT64_MAX;
    bool condition = true;
    if (limit != NULL) {
        if (tensor_count(limit) != 1)
            return status_make(STATUS_DATA, "the trip count is not one number");
        most = *(const int64_t *)limit->data;
    }
    if (start != NULL)
        STATUS_TRY(one_bool(start, &condition));
    for (int64_t i = 0; i < most && condition; i++)
        STATUS_TRY(loop_step(call, loop, i, &condition));
    for (uint32_t i = 0; i < loop->carried; i++)
        kernel_give(call, i, datum_keep(loop->inputs[i + 2]));
    for (uint32_t i = 0; i < loop->scans; i++)
        STATUS_TRY(stack_output(call, loop->carried + i, &loop->stacks[i],
                                body_output_type(call, loop->body, 1 + loop->carried + i), 0,
                                false));
    return STATUS_OK;
}

static status run_loop(struct kernel_call *call)
{
    struct loop loop = {.body = onnx_control_graph_of(call, "body")};
    loop.carried = call->input_count > 2 ? call->input_count - 2 : 0;
    loop.scans = call->output_count - loop.carried;
    loop.inputs = datum_list(loop.carried + 2);
    loop.outputs = datum_list(call->output_count + 1);
    loop.stacks = memory_allocate_zeroed((size_t)loop.scans + 1, sizeof *loop.stacks);
    for (uint32_t i = 0; i < loop.carried; i++)
        loop.inputs[i + 2] = datum_keep(call->data[i + 2]);
    const status failure = loop_iterate(call, &loop);
    datum_list_free(loop.inputs, loop.carried + 2);
    datum_list_free(loop.outputs, call->output_count + 1);
    stacks_free(loop.stacks, loop.scans);
    return failure;
}

struct scan {
    uint32_t body;
    uint32_t states;
    uint32_t scans;
    uint32_t given;        // scan outputs
    uint32_t first;        // of the node's inputs that go to the body
    struct datum **inputs; // of the body
    struct datum **outputs;
    struct stack *stacks;
};

static int64_t onnx_control_list_item(const struct kernel_call *call, const char *name,
                                      uint32_t index)
{
    const int64_t *items;
    const uint32_t count = attribute_integers(call->attributes, name, &items);
    return index < count ? items[index] : 0;
}

// Element `position` of a tensor along `axis`.
static status cut(struct kernel_call *call, const struct tensor *tensor, uint32_t axis,
                  uint64_t position, struct datum **out_datum)
{
    struct shape kept = {.rank = tensor->shape.rank - 1};
    for (uint32_t i = 0, to = 0; i < tensor->shape.rank; i++) {
        if (i != axis)
            kept.dims[to++] = tensor->shape.dims[i];
    }
    STATUS_TRY(datum_tensor(tensor->element, &kept, out_datum));
    struct tensor layer = {tensor->element, tensor->shape, (*out_datum)->tensor.data};
    layer.shape.dims[axis] = 1;
    uint64_t at[SHAPE_RANK_MOST] = {0};
    at[axis] = position;
    copy_from(call->parallel, tensor, &layer, at);
    return STATUS_OK;
}

// The direction attributes: version 8 has one list for the inputs.
static bool is_reversed(const struct kernel_call *call, const char *name, uint32_t index)
{
    return onnx_control_list_item(call, call->version < 9 ? "directions" : name, index) == 1;
}

// One run of the body, number `step` of `length`, with the scan inputs in `items`.
static status scan_step(struct kernel_call *call, struct scan *scan,
                        const struct tensor *const *items, uint64_t step, uint64_t length)
{
    for (uint32_t i = 0; i < scan->scans; i++) {
        uint32_t axis = 0;
        if (call->version >= 9)
            STATUS_TRY(shape_axis(onnx_control_list_item(call, "scan_input_axes", i),
                                  items[i]->shape.rank, &axis));
        datum_release(scan->inputs[scan->states + i]);
        scan->inputs[scan->states + i] = NULL;
        const bool back = is_reversed(call, "scan_input_directions", i);
        STATUS_TRY(cut(call, items[i], axis, back ? length - 1 - step : step,
                       &scan->inputs[scan->states + i]));
    }
    STATUS_TRY(executor_run_graph(call->runner, scan->body, scan->inputs,
                                  scan->states + scan->scans, scan->outputs,
                                  (size_t)scan->states + scan->given));
    for (uint32_t i = 0; i < scan->states; i++) {
        datum_release(scan->inputs[i]);
        scan->inputs[i] = datum_keep(scan->outputs[i]);
    }
    for (uint32_t i = 0; i < scan->given; i++)
        stack_add(&scan->stacks[i], scan->outputs[scan->states + i]);
    for (uint32_t i = 0; i < scan->states + scan->given; i++) {
        datum_release(scan->outputs[i]);
        scan->outputs[i] = NULL;
    }
    return STATUS_OK;
}

static status scan_whole(struct kernel_call *call, struct scan *scan)
{
    const struct tensor *const *items = call->inputs + scan->states;
    uint32_t axis;
    STATUS_TRY(shape_axis(onnx_control_list_item(call, "scan_input_axes", 0), items[0]->shape.rank,
                          &axis));
    const uint64_t length = (uint64_t)items[0]->shape.dims[axis];
    for (uint32_t i = 0; i < scan->states; i++)
        scan->inputs[i] = datum_keep(call->data[i]);
    for (uint64_t i = 0; i < length; i++)
        STATUS_TRY(scan_step(call, scan, items, i, length));
    for (uint32_t i = 0; i < scan->states; i++)
        kernel_give(call, i, datum_keep(scan->inputs[i]));
    for (uint32_t i = 0; i < scan->given; i++)
        STATUS_TRY(stack_output(call, scan->states + i, &scan->stacks[i],
                                body_output_type(call, scan->body, scan->states + i),
                                onnx_control_list_item(call, "scan_output_axes", i),
                                is_reversed(call, "scan_output_directions", i)));
    return STATUS_OK;
}

// What one item of the batch gave, kept until all items are there.
static status keep_item(struct kernel_call *call, struct scan *scan, struct stack *results)
{
    for (uint32_t i = 0; i < scan->states; i++)
        stack_add(&results[i], scan->inputs[i]);
    for (uint32_t i = 0; i < scan->given; i++) {
        struct stack *stack = &scan->stacks[i];
        STATUS_TRY(stack_output(call, scan->states + i, stack,
                                body_output_type(call, scan->body, scan->states + i), 0, false));
        if (kernel_wants(call, scan->states + i)) {
            stack_add(&results[scan->states + i], call->outputs[scan->states + i]);
            kernel_give(call, scan->states + i, NULL);
        }
        for (size_t j = 0; j < stack->count; j++)
            datum_release(stack->items[j]);
        stack->count = 0;
    }
    return STATUS_OK;
}

// Zeros after what a sequence shorter than the others gave.
static status stack_pad(struct stack *stack, uint64_t count)
{
    if (stack->count == 0 || stack->count >= count || stack->items[0]->kind != DATUM_TENSOR)
        return STATUS_OK;
    const struct tensor *like = &stack->items[0]->tensor;
    struct datum *zeros;
    STATUS_TRY(datum_tensor(like->element, &like->shape, &zeros));
    const uint64_t bytes = tensor_bytes(&zeros->tensor);
    if (bytes > 0)
        memset(zeros->tensor.data, 0, bytes);
    while (stack->count < count)
        stack_add(stack, zeros);
    datum_release(zeros);
    return STATUS_OK;
}

// Of version 8: one item of the batch, whose sequence may be shorter.
static status scan_item(struct kernel_call *call, struct scan *scan, uint64_t item,
                        struct datum **sequences, const struct tensor **items)
{
    for (uint32_t i = 0; i < scan->states; i++) {
        datum_release(scan->inputs[i]);
        scan->inputs[i] = NULL;
        STATUS_TRY(cut(call, call->inputs[scan->first + i], 0, item, &scan->inputs[i]));
    }
    for (uint32_t i = 0; i < scan->scans; i++) {
        datum_release(sequences[i]);
        sequences[i] = NULL;
        STATUS_TRY(cut(call, call->inputs[scan->first + scan->states + i], 0, item, &sequences[i]));
        items[i] = &sequences[i]->tensor;
    }
    uint64_t length = (uint64_t)items[0]->shape.dims[0];
    const struct tensor *lengths = kernel_input(call, 0);
    if (lengths != NULL) {
        if (item >= tensor_count(lengths) || ((const int64_t *)lengths->data)[item] < 0 ||
            ((const int64_t *)lengths->data)[item] > (int64_t)length)
            return status_make(STATUS_DATA, "sequence %" PRIu64 " has no valid length", item);
        length = (uint64_t)((const int64_t *)lengths->data)[item];
    }
    for (uint64_t i = 0; i < length; i++)
        STATUS_TRY(scan_step(call, scan, items, i, length));
    for (uint32_t i = 0; i < scan->given; i++)
        STATUS_TRY(stack_pad(&scan->stacks[i], (uint64_t)items[0]->shape.dims[0]));
    return STATUS_OK;
}

static status scan_batch(struct kernel_call *call, struct scan *scan)
{
    const uint32_t outputs = scan->states + scan->given;
    struct datum **sequences = datum_list(scan->scans);
    const struct tensor **items = memory_allocate_zeroed((size_t)scan->scans + 1, sizeof *items);
    struct stack *results = memory_allocate_zeroed((size_t)outputs + 1, sizeof *results);
    const uint64_t batch = (uint64_t)call->inputs[scan->first]->shape.dims[0];
    status failure = STATUS_OK;
    for (uint64_t i = 0; failure == STATUS_OK && i < batch; i++) {
        failure = scan_item(call, scan, i, sequences, items);
        if (failure == STATUS_OK)
            failure = keep_item(call, scan, results);
    }
    for (uint32_t i = 0; failure == STATUS_OK && i < outputs; i++)
        failure =
            stack_output(call, i, &results[i], body_output_type(call, scan->body, i), 0, false);
    datum_list_free(sequences, scan->scans);
    free(items);
    stacks_free(results, outputs);
    return failure;
}

static status run_scan(struct kernel_call *call)
{
    struct scan scan = {.body = onnx_control_graph_of(call, "body"),
                        .first = call->version < 9 ? 1 : 0};
    scan.scans = (uint32_t)attribute_integer(call->attributes, "num_scan_inputs", 1);
    scan.states = call->input_count - scan.first - scan.scans;
    scan.given = call->output_count - scan.states;
    scan.inputs = datum_list(scan.states + scan.scans);
    scan.outputs = datum_list(call->output_count);
    scan.stacks = memory_allocate_zeroed((size_t)scan.given + 1, sizeof *scan.stacks);
    const status failure = scan.first == 1 ? scan_batch(call, &scan) : scan_whole(call, &scan);
    datum_list_free(scan.inputs, scan.states + scan.scans);
    datum_list_free(scan.outputs, call->output_count);
    stacks_free(scan.stacks, scan.given);
    return failure;
}

static status onnx_control_check_lengths(const struct kernel_call *call)
{
    for (uint32_t i = 0; i < call->input_count; i++) {
        const struct datum *datum = call->data[i];
        if (datum->kind == DATUM_SEQUENCE && datum->count != call->data[0]->count)
            return status_make(STATUS_DATA, "sequences of %zu and %zu items", call->data[0]->count,
                               datum->count);
    }
    return STATUS_OK;
}

static status map_items(struct kernel_call *call, struct stack *results, struct datum **inputs,
                        struct datum **outputs)
{
    const uint32_t body = onnx_control_graph_of(call, "body");
    for (size_t item = 0; item < call->data[0]->count; item++) {
        for (uint32_t i = 0; i < call->input_count; i++) {
            const struct datum *datum = call->data[i];
            inputs[i] = datum->kind == DATUM_SEQUENCE ? datum->items[item] : call->data[i];
        }
        STATUS_TRY(executor_run_graph(call->runner, body, inputs, call->input_count, outputs,
                                      call->output_count));
        for (uint32_t i = 0; i < call->output_count; i++) {
            stack_add(&results[i], outputs[i]);
            datum_release(outputs[i]);
            outputs[i] = NULL;
        }
    }
    return STATUS_OK;
}

static status run_sequence_map(struct kernel_call *call)
{
    if (call->data[0]->kind != DATUM_SEQUENCE)
        return status_make(STATUS_DATA, "input 0 is not a sequence");
    STATUS_TRY(onnx_control_check_lengths(call));
    struct datum **inputs = datum_list(call->input_count);
    struct datum **outputs = datum_list(call->output_count);
    struct stack *results = memory_allocate_zeroed((size_t)call->output_count + 1, sizeof *results);
    const status failure = map_items(call, results, inputs, outputs);
    for (uint32_t i = 0; failure == STATUS_OK && i < call->output_count; i++) {
        kernel_give(call, i, datum_sequence(results[i].items, results[i].count));
        results[i].count = 0;
    }
    free(inputs);
    datum_list_free(outputs, call->output_count);
    stacks_free(results, call->output_count);
    return failure;
}

static const struct kernel KERNELS[] = {
    {"If", run_if},
    {"Loop", run_loop},
    {"Scan", run_scan},
    {"SequenceMap", run_sequence_map},
};

const struct kernel_table ONNX_CONTROL_KERNELS = KERNEL_TABLE(KERNELS);
