#include "tosa.h"

#include <stdlib.h>

#include "base/memory.h"

// What TOSA's operators are compared with: ONNX's newest operator set.
enum { NEWEST = 21 };

status tosa_run_as(struct kernel_call *call, const char *name, uint32_t input_count)
{
    const struct operator_definition *definition = operator_find(view_of(""), view_of(name));
    const kernel_function run = definition != NULL ? kernel_find(definition) : NULL;
    if (run == NULL)
        return status_make(STATUS_UNSUPPORTED, "there is no kernel '%s'", name);
    struct tensor *tensors = memory_allocate_zeroed((size_t)input_count + 1, sizeof *tensors);
    const struct tensor **inputs = memory_allocate_zeroed((size_t)input_count + 1, sizeof *inputs);
    for (uint32_t i = 0; i < input_count; i++) {
        tensors[i] = tosa_view(call->inputs[i], false);
        inputs[i] = &tensors[i];
    }
    struct kernel_call same = *call;
    same.version = NEWEST;
    same.inputs = inputs;
    same.input_count = input_count;
    const status failure = run(&same);
    free(tensors);
    free(inputs);
    return failure;
}

static struct constant constant_over(const struct tensor *tensor)
{
    return (struct constant){.tensor = *tensor, .bytes = tensor_bytes(tensor)};
}

int64_t tosa_integer(const struct tensor *tensor, uint64_t index)
{
    const struct constant constant = constant_over(tensor);
    return constant_integer(&constant, index);
}

double tosa_real(const struct tensor *tensor, uint64_t index)
{
    const struct constant constant = constant_over(tensor);
    return constant_real(&constant, index);
}

enum element tosa_element(enum element element, bool is_unsigned)
{
    switch (element) {
    case ELEMENT_I48:
        return ELEMENT_I64;
    case ELEMENT_I8:
        return is_unsigned ? ELEMENT_U8 : element;
    case ELEMENT_I16:
        return is_unsigned ? ELEMENT_U16 : element;
    case ELEMENT_I32:
        return is_unsigned ? ELEMENT_U32 : element;
    default:
        return element;
    }
}

struct tensor tosa_view(const struct tensor *tensor, bool is_unsigned)
{
    return (struct tensor){tosa_element(tensor->element, is_unsigned), tensor->shape, tensor->data};
}

bool tosa_ignores_nan(const struct kernel_call *call)
{
    return view_is(attribute_text(call->attributes, "nan_mode", "PROPAGATE"), "IGNORE");
}

enum element tosa_accumulator(const struct kernel_call *call)
{
    const struct attribute *attribute =
        attribute_find(call->attributes, "acc_type", ATTRIBUTE_TYPE);
    return attribute != NULL ? attribute->type->element : ELEMENT_F32;
}
