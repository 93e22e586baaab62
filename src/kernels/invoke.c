#include "invoke.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/block.h"

// Lists of a call ----------------------------------------------------------------------------

static size_t list_bytes(size_t count, size_t size)
{
    const size_t step = alignof(max_align_t);
    return (count * size + step - 1) / step * step;
}

static void lists_start(struct invoke_lists *lists, size_t bytes)
{
    lists->used = 0;
    lists->block = bytes > sizeof lists->few ? memory_allocate_zeroed(1, bytes) : NULL;
    if (lists->block == NULL)
        memset(lists->few, 0, bytes);
}

static void *lists_take(struct invoke_lists *lists, size_t count, size_t size)
{
    char *from = lists->block != NULL ? lists->block : lists->few;
    void *list = from + lists->used;
    lists->used += list_bytes(count, size);
    return list;
}

void invoke_frame_start(struct invoke_frame *frame, const struct network_node *node)
{
    const size_t inputs = (size_t)node->input_count + 1;
    const size_t outputs = (size_t)node->output_count + 1;
    struct invoke_lists *lists = &frame->lists;
    lists_start(
        lists,
        list_bytes(inputs, sizeof *frame->inputs) + list_bytes(outputs, sizeof *frame->outputs) +
            list_bytes(outputs, sizeof *frame->places) + list_bytes(outputs, sizeof *frame->sizes) +
            list_bytes(outputs, sizeof *frame->wanted) + list_bytes(inputs, sizeof *frame->fixed));
    frame->inputs = lists_take(lists, inputs, sizeof *frame->inputs);
    frame->outputs = lists_take(lists, outputs, sizeof *frame->outputs);
    frame->places = lists_take(lists, outputs, sizeof *frame->places);
    frame->sizes = lists_take(lists, outputs, sizeof *frame->sizes);
    frame->wanted = lists_take(lists, outputs, sizeof *frame->wanted);
    frame->fixed = lists_take(lists, inputs, sizeof *frame->fixed);
}

void invoke_frame_free(struct invoke_frame *frame)
{
    free(frame->lists.block);
}

// What the types of one call are found with.
struct frame {
    const struct tensor **tensors;
    struct value_type *types;
    const struct value_type **type_pointers;
    struct constant *constants;
    const struct constant **known;
    struct value_type *results;
    struct invoke_lists lists;
};

static void frame_allocate(struct frame *frame, uint32_t input_count, uint32_t output_count)
{
    const size_t inputs = (size_t)input_count + 1;
    const size_t outputs = (size_t)output_count + 1;
    struct invoke_lists *lists = &frame->lists;
    lists_start(lists, list_bytes(inputs, sizeof *frame->tensors) +
                           list_bytes(inputs, sizeof *frame->types) +
                           list_bytes(inputs, sizeof *frame->type_pointers) +
                           list_bytes(inputs, sizeof *frame->constants) +
                           list_bytes(inputs, sizeof *frame->known) +
                           list_bytes(outputs, sizeof *frame->results));
    frame->tensors = lists_take(lists, inputs, sizeof *frame->tensors);
    frame->types = lists_take(lists, inputs, sizeof *frame->types);
    frame->type_pointers = lists_take(lists, inputs, sizeof *frame->type_pointers);
    frame->constants = lists_take(lists, inputs, sizeof *frame->constants);
    frame->known = lists_take(lists, inputs, sizeof *frame->known);
    frame->results = lists_take(lists, outputs, sizeof *frame->results);
}

static void frame_free(struct frame *frame)
{
    free(frame->lists.block);
}

// Calls ---------------------------------------------------------------------------------------

static struct value_type type_of_sequence(const struct datum *datum)
{
    struct value_type type = {.kind = VALUE_SEQUENCE};
    if (datum->count > 0 && datum->items[0]->kind == DATUM_TENSOR)
        type.element = datum->items[0]->tensor.element;
    return type;
}

static void frame_take_input(struct frame *frame, uint32_t index, struct datum *datum)
{
    frame->type_pointers[index] = &frame->types[index];
    switch (datum->kind) {
    case DATUM_TENSOR:
        frame->tensors[index] = &datum->tensor;
        frame->types[index] = value_type_tensor(datum->tensor.element, &datum->tensor.shape);
        frame->constants[index] =
            (struct constant){.tensor = datum->tensor, .bytes = tensor_bytes(&datum->tensor)};
        frame->known[index] = &frame->constants[index];
        break;
    case DATUM_SEQUENCE:
        frame->types[index] = type_of_sequence(datum);
        break;
    case DATUM_NOTHING:
        frame->types[index].optional = true;
        break;
    }
}

static status infer_outputs(const struct invocation *invocation, struct frame *frame)
{
    const struct network_node *node = invocation->node;
    struct inference inference = {
        .network = invocation->network,
        .node = node,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .inputs = frame->type_pointers,
        .known = frame->known,
        .outputs = frame->results,
    };
    return inference_run(&inference);
}

static status make_output(const struct invocation *invocation, uint32_t index,
                          const struct value_type *type, struct datum **out_datum)
{
    uint64_t count;
    STATUS_TRY(shape_elements(&type->shape, &count));
    void *place = invocation->places != NULL ? invocation->places[index] : NULL;
    if (place == NULL || type->element == ELEMENT_TEXT ||
        count > invocation->sizes[index] / element_size(type->element))
        return datum_tensor(type->element, &type->shape, out_datum);
    *out_datum = datum_over(&(struct tensor){type->element, type->shape, place});
    return STATUS_OK;
}

static status invoke_make_outputs(const struct invocation *invocation, const struct frame *frame,
                                  struct datum **outputs)
{
    for (uint32_t i = 0; i < invocation->node->output_count; i++) {
        if (invocation->wanted[i] && value_type_static(&frame->results[i]))
            STATUS_TRY(make_output(invocation, i, &frame->results[i], &outputs[i]));
    }
    return STATUS_OK;
}

static status invoke_check_outputs(const struct invocation *invocation,
                                   struct datum *const *outputs)
{
    for (uint32_t i = 0; i < invocation->node->output_count; i++) {
        if (invocation->wanted[i] && outputs[i] == NULL)
            return status_make(STATUS_UNSUPPORTED, "output %" PRIu32 " cannot be computed", i);
    }
    return STATUS_OK;
}

// Whether all outputs are there and have no elements. Kernels need not look at
// such shapes, whose other dimensions may be of any length.
static bool nothing_to_compute(const struct invocation *invocation, struct datum *const *outputs)
{
    bool wanted = false;
    for (uint32_t i = 0; i < invocation->node->output_count; i++) {
        if (!invocation->wanted[i])
            continue;
        wanted = true;
        if (outputs[i] == NULL || tensor_count(&outputs[i]->tensor) > 0)
            return false;
    }
    return wanted && invocation->node->definition->class != OPERATOR_CONTROL;
}

// Block formats ---------------------------------------------------------------------------

// Floats become numbers of a block format in one step.
static bool cast_to_blocks(const struct invocation *invocation, const struct frame *frame,
                           struct datum *const *outputs)
{
    const struct network_node *node = invocation->node;
    if (node->definition->function != COMPUTES_CAST || outputs[0] == NULL ||
        !element_is_block(outputs[0]->tensor.element) || frame->tensors[0] == NULL ||
        frame->tensors[0]->element != ELEMENT_F32)
        return false;
    const struct tensor *to = &outputs[0]->tensor;
    block_round_floats(to->element, &to->shape, frame->tensors[0]->data, to->data);
    return true;
}

// Kernels see what carries the numbers.
static void hide_blocks(const struct invocation *invocation, const struct frame *frame,
                        struct datum *const *outputs)
{
    for (uint32_t i = 0; i < invocation->node->input_count; i++) {
        if (frame->tensors[i] == NULL || !element_is_block(frame->tensors[i]->element))
            continue;
        frame->constants[i].tensor.element = element_carrier(frame->tensors[i]->element);
        frame->tensors[i] = &frame->constants[i].tensor;
    }
    for (uint32_t i = 0; i < invocation->node->output_count; i++) {
        if (outputs[i] != NULL && outputs[i]->kind == DATUM_TENSOR)
            outputs[i]->tensor.element = element_carrier(outputs[i]->tensor.element);
    }
}

// What was computed is rounded; what only has another shape keeps its bytes.
static void show_blocks(const struct invocation *invocation, const struct frame *frame,
                        struct datum *const *outputs)
{
    for (uint32_t i = 0; i < invocation->node->output_count; i++) {
        struct datum *datum = outputs[i];
        if (datum == NULL || datum->kind != DATUM_TENSOR || datum->tensor.element != ELEMENT_BF16 ||
            !element_is_block(frame->results[i].element))
            continue;
        datum->tensor.element = frame->results[i].element;
        if (invocation->node->definition->class != OPERATOR_VIEW)
            block_round(&datum->tensor);
    }
}

static status run_kernel(const struct invocation *invocation, const struct frame *frame,
                         struct datum **outputs)
{
    if (cast_to_blocks(invocation, frame, outputs))
        return STATUS_OK;
    if (invocation->node->definition->class != OPERATOR_CONTROL)
        hide_blocks(invocation, frame, outputs);
    const struct network_node *node = invocation->node;
    struct kernel_call call = {
        .network = invocation->network,
        .node = node,
        .attributes = node->attributes,
        .version = node->version,
        .inputs = frame->tensors,
        .data = invocation->inputs,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .fixed = invocation->fixed,
        .outputs = outputs,
        .wanted = invocation->wanted,
        .parallel = invocation->parallel,
        .state = invocation->state,
        .runner = invocation->runner,
    };
    STATUS_TRY(invocation->run(&call));
    show_blocks(invocation, frame, outputs);
    return invoke_check_outputs(invocation, outputs);
}

status invoke(const struct invocation *invocation, struct datum **outputs)
{
    const struct network_node *node = invocation->node;
    struct frame frame;
    frame_allocate(&frame, node->input_count, node->output_count);
    for (uint32_t i = 0; i < node->output_count; i++)
        outputs[i] = NULL;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (invocation->inputs[i] != NULL)
            frame_take_input(&frame, i, invocation->inputs[i]);
    }
    status failure = infer_outputs(invocation, &frame);
    if (failure == STATUS_OK)
        failure = invoke_make_outputs(invocation, &frame, outputs);
    if (failure == STATUS_OK && !nothing_to_compute(invocation, outputs))
        failure = run_kernel(invocation, &frame, outputs);
    for (uint32_t i = 0; failure != STATUS_OK && i < node->output_count; i++) {
        datum_release(outputs[i]);
        outputs[i] = NULL;
    }
    frame_free(&frame);
    return failure;
}

status kernel_make(struct kernel_call *call, uint32_t index, enum element element,
                   const struct shape *shape, struct tensor **out_tensor)
{
    *out_tensor = NULL;
    if (!kernel_wants(call, index))
        return STATUS_OK;
    datum_release(call->outputs[index]);
    call->outputs[index] = NULL;
    STATUS_TRY(datum_tensor(element, shape, &call->outputs[index]));
    *out_tensor = &call->outputs[index]->tensor;
    return STATUS_OK;
}

void kernel_give(struct kernel_call *call, uint32_t index, struct datum *datum)
{
    if (!kernel_wants(call, index)) {
        datum_release(datum);
        return;
    }
    datum_release(call->outputs[index]);
    call->outputs[index] = datum;
}

struct view kernel_text(struct kernel_call *call, uint32_t index, struct view text)
{
    return arena_copy(&call->outputs[index]->texts, text);
}
