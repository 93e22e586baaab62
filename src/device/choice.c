#include "choice.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "network/tensor_text.h"

struct choice_device {
    struct device base;
    struct device_kind kind; // of this device: what its programs are loaded by, as far as it counts
    struct device_state *state;
    const struct choice_program *programs;
    struct device **devices; // by program
    size_t count;
};

static struct choice_device *choice_of(struct device *device)
{
    return (struct choice_device *)device;
}

static void choice_free(struct device *device)
{
    struct choice_device *choice = choice_of(device);
    for (size_t i = 0; i < choice->count; i++)
        device_free(choice->devices[i]);
    device_state_free(choice->state);
    free(choice->devices);
    free(choice);
}

// Choosing -------------------------------------------------------------------------------

static bool is_kept(const struct choice_program *program, uint32_t input)
{
    for (size_t i = 0; i < program->kept_count; i++) {
        if (program->kept[i].input == input)
            return true;
    }
    return false;
}

static bool takes_input(const struct choice_program *program, const struct network_value *value,
                        uint32_t index, const struct datum *datum)
{
    const struct value_type *type = &value->type;
    if (datum == NULL)
        return value->constant != NULL || is_kept(program, index);
    if (type->kind != VALUE_TENSOR || !value_type_static(type))
        return true;
    return datum->kind == DATUM_TENSOR && datum->tensor.element == type->element &&
           shape_equal(&datum->tensor.shape, &type->shape);
}

static bool takes_all(const struct choice_device *choice, size_t index, struct datum *const *inputs,
                      size_t input_count)
{
    const struct network *network = device_network(choice->devices[index]);
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (!takes_input(&choice->programs[index], network_value(network, graph->inputs[i]), i,
                         i < input_count ? inputs[i] : NULL))
            return false;
    }
    return true;
}

// "input_ids 1x8xi64, position_ids 1x8xi64"
static void describe_inputs(const struct choice_device *choice, size_t index, struct bytes *text)
{
    const struct network *network = device_network(choice->devices[index]);
    const struct network_graph *graph = network_graph(network, 0);
    bool some = false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (value->constant != NULL || is_kept(&choice->programs[index], i))
            continue;
        bytes_append_format(text, "%s%.*s ", some ? ", " : "", VIEW_ARGUMENTS(value->name));
        tensor_text_append_value_type(text, &value->type);
        some = true;
    }
}

status choice_device_find(const struct device *device, struct datum *const *inputs,
                          size_t input_count, size_t *out_index)
{
    const struct choice_device *choice = (const struct choice_device *)device;
    for (size_t i = 0; i < choice->count; i++) {
        *out_index = i;
        if (takes_all(choice, i, inputs, input_count))
            return STATUS_OK;
    }
    struct bytes text = {0};
    for (size_t i = 0; i < choice->count; i++) {
        bytes_append_format(&text, "%s", i > 0 ? "; or " : "");
        describe_inputs(choice, i, &text);
    }
    const status failure =
        status_make(STATUS_DATA, "no program takes inputs of these shapes; there is: %.*s",
                    VIEW_ARGUMENTS(bytes_view(&text)));
    bytes_free(&text);
    return failure;
}

struct device *choice_device_part(const struct device *device, size_t index)
{
    return ((const struct choice_device *)device)->devices[index];
}

const struct network *choice_device_network(const struct device *device, size_t index)
{
    return device_network(((const struct choice_device *)device)->devices[index]);
}

// The interface --------------------------------------------------------------------------

static const struct network *choice_network(const struct device *device)
{
    return choice_device_network(device, 0);
}

static void choice_profile(struct device *device, struct recorder *recorder)
{
    struct choice_device *choice = choice_of(device);
    for (size_t i = 0; i < choice->count; i++)
        device_profile(choice->devices[i], recorder);
}

static status choice_run(struct device *device, struct datum *const *inputs, size_t input_count,
                         struct datum **out_outputs)
{
    struct choice_device *choice = choice_of(device);
    size_t index = 0;
    if (choice->count > 1)
        STATUS_TRY(choice_device_find(device, inputs, input_count, &index));
    return device_run(choice->devices[index], inputs, input_count, out_outputs);
}

static status load_all(struct choice_device *choice, const struct device_kind *kind,
                       const struct target *target, const struct device_options *options)
{
    for (size_t i = 0; i < choice->count; i++) {
        struct device_options own = *options;
        own.state = choice->state;
        own.kept = choice->programs[i].kept;
        own.kept_count = choice->programs[i].kept_count;
        STATUS_TRY(
            device_load(kind, choice->programs[i].program, target, &own, &choice->devices[i]));
    }
    return STATUS_OK;
}

status choice_device_load(const struct device_kind *kind, const struct choice_program *programs,
                          size_t count, const struct target *target,
                          const struct device_options *options, struct device **out_device)
{
    struct choice_device *choice = memory_allocate_zeroed(1, sizeof *choice);
    choice->kind = (struct device_kind){.name = kind->name,
                                        .measures = kind->measures,
                                        .free = choice_free,
                                        .network = choice_network,
                                        .profile = choice_profile,
                                        .run = choice_run};
    choice->base.kind = &choice->kind;
    choice->programs = programs;
    choice->count = count;
    choice->state = device_state_create();
    choice->devices = memory_allocate_zeroed(count + 1, sizeof(struct device *));
    const status failure = load_all(choice, kind, target, options);
    if (failure != STATUS_OK) {
        choice_free(&choice->base);
        return failure;
    }
    *out_device = &choice->base;
    return STATUS_OK;
}
