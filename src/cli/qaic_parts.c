#include "qaic_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/qaic/collect.h"
#include "formats/qaic/qaic_program.h"
#include "network_input.h"

// What -convert-to-fp16 and -mxfp6-matmul do: inputs and outputs stay f32 to the user. NULL:
// nothing.
static const char *conversion_asked(const struct arguments *arguments)
{
    const bool halves = arguments_flag(arguments, "convert-to-fp16");
    if (arguments_flag(arguments, "mxfp6-matmul"))
        return halves ? "f32=f16,weights=mxfp6" : "weights=mxfp6";
    return halves ? "f32=f16" : NULL;
}

// Networks -----------------------------------------------------------------------------

static status read_choices(struct qaic_parts *parts)
{
    const char *path = arguments_value(parts->arguments, "network-specialization-config");
    struct input *input;
    parts->count = 1;
    if (path == NULL)
        return STATUS_OK;
    STATUS_TRY(input_open(path, &input));
    const status result = qaic_specializations_read(path, input->bytes, &parts->choices);
    input_close(input);
    if (result == STATUS_OK)
        parts->count = parts->choices.count;
    return result;
}

// A single partition without names is everything, on all its devices.
static status read_partitions(struct qaic_parts *parts)
{
    const char *path = arguments_value(parts->arguments, "mdp-load-partition-config");
    struct qaic_partitions *partitions = &parts->partitions;
    if (path == NULL)
        return STATUS_OK;
    STATUS_TRY(input_open(path, &parts->partition_text));
    STATUS_TRY(qaic_partitions_read(path, parts->partition_text->bytes, partitions));
    parts->placed = memory_allocate_zeroed(partitions->count + 1, sizeof *parts->placed);
    for (size_t i = 0; i < partitions->count; i++) {
        const struct qaic_partition *from = &partitions->items[i];
        parts->placed[i] = (struct compile_partition){.first_device = from->first_device,
                                                      .device_count = from->device_count,
                                                      .nodes = from->nodes,
                                                      .node_count = from->node_count};
    }
    return STATUS_OK;
}

// -custom-IO-list-file
static status read_ports(struct qaic_parts *parts)
{
    const char *path = arguments_value(parts->arguments, "custom-IO-list-file");
    if (path == NULL)
        return STATUS_OK;
    STATUS_TRY(input_open(path, &parts->port_text));
    return qaic_io_list_read(path, parts->port_text->bytes, &parts->ports);
}

status qaic_parts_open(struct qaic_parts *parts)
{
    STATUS_TRY(read_choices(parts));
    STATUS_TRY(read_partitions(parts));
    STATUS_TRY(read_ports(parts));
    parts->items = memory_allocate_zeroed(parts->count, sizeof *parts->items);
    for (size_t i = 0; i < parts->count; i++) {
        parts->items[i].command = arguments_command(parts->arguments);
        parts->items[i].partitions = parts->placed;
        parts->items[i].partition_count = parts->partitions.count;
        STATUS_TRY(qaic_settings_open_target(parts->arguments, &parts->partitions,
                                             &parts->items[i].target));
    }
    return STATUS_OK;
}

void qaic_parts_free(struct qaic_parts *parts)
{
    for (size_t i = 0; parts->items != NULL && i < parts->count; i++)
        compiling_free(&parts->items[i]);
    free(parts->items);
    free(parts->placed);
    qaic_partitions_free(&parts->partitions);
    if (parts->partition_text != NULL)
        input_close(parts->partition_text);
    qaic_io_list_free(&parts->ports);
    if (parts->port_text != NULL)
        input_close(parts->port_text);
    qaic_specializations_free(&parts->choices);
}

status qaic_parts_open_network(struct qaic_parts *parts, size_t index)
{
    struct compiling *compiling = &parts->items[index];
    const struct qaic_settings *settings = &parts->settings;
    struct network_options options = {.batch = settings->batch,
                                      .batch_may_miss = !settings->batch_given};
    size_t given;
    const char *const *symbols = arguments_values(parts->arguments, "onnx-define-symbol", &given);
    const struct qaic_specialization *own =
        parts->choices.count > 0 ? &parts->choices.items[index] : NULL;
    const size_t count = own != NULL ? own->symbol_count : 0;
    const char **all = memory_allocate_zeroed(given + count + 1, sizeof *all);
    for (size_t i = 0; i < given; i++)
        all[options.symbol_count++] = symbols[i];
    for (size_t i = 0; i < count; i++)
        all[options.symbol_count++] = own->symbols[i];
    options.symbols = all;
    options.conversion = conversion_asked(parts->arguments);
    compiling->path = arguments_value(parts->arguments, "model");
    status result = network_open(compiling->path, &options, &compiling->network);
    free(all);
    if (result == STATUS_OK && arguments_flag(parts->arguments, "mxfp6-matmul"))
        printf("-mxfp6-matmul: weights of %llu products are rounded to MXFP6; they come from the "
               "DDR in 6.25 bits each, and vector threads make reals of them\n",
               (unsigned long long)compiling->network->conversion.weights);
    if (result == STATUS_OK)
        result = status_within(
            network_cast_ports(compiling->network, parts->ports.items, parts->ports.count), "%s",
            arguments_value(parts->arguments, "custom-IO-list-file"));
    if (result == STATUS_OK)
        result =
            status_within(network_input_check_symbols(compiling->network, "-onnx-define-symbol"),
                          "%s", compiling->command);
    if (result == STATUS_OK)
        compiling->operators = network_graph(compiling->network, 0)->node_count;
    return own == NULL ? result : status_within(result, "specialization %zu", index);
}

// What stays on the device -------------------------------------------------------------

static struct network_value value_of(const struct program *program, uint32_t value)
{
    const struct program_value *item = &program->values[value];
    struct shape shape = {.rank = item->rank};
    for (uint32_t i = 0; i < item->rank; i++)
        shape.dims[i] = item->dims[i];
    return (struct network_value){
        .name = view_of(program_text(program, item->name)),
        .type = value_type_tensor((enum element)item->element, &shape),
    };
}

static status check_part(const struct program *program, struct device_state *state)
{
    struct device_pair *pairs;
    size_t count;
    STATUS_TRY(qaic_retained_find(program, &pairs, &count));
    status result =
        count > 0 ? STATUS_OK
                  : status_make(STATUS_USAGE, "no output is called NAME_RetainedState: there is "
                                              "nothing to keep");
    for (size_t i = 0; i < count && result == STATUS_OK; i++) {
        uint32_t place;
        const struct network_value value = value_of(program, program->inputs[pairs[i].input]);
        result = device_state_find(state, &value, &place);
    }
    free(pairs);
    return result;
}

// One program takes what another has left.
static status check_retained(const struct qaic_parts *parts)
{
    struct device_state *state = device_state_create();
    status result = STATUS_OK;
    for (size_t i = 0; i < parts->count && result == STATUS_OK; i++)
        result = check_part(&parts->items[i].program, state);
    device_state_free(state);
    return status_within(result, "%s: -retained-state", parts->items[0].command);
}

// The program --------------------------------------------------------------------------

// What the descriptor calls elements; 0 is f32.
enum {
    TYPE_FLOAT16 = 1,
    TYPE_INT8Q = 2,
    TYPE_UINT8Q = 3,
    TYPE_INT16Q = 4,
    TYPE_INT32I = 6,
    TYPE_INT64I = 7,
    TYPE_INT8 = 8,
};

static struct qaic_binding binding_of(const struct program *program, uint32_t value,
                                      const struct qaic_io_list *ports)
{
    const struct program_value *item = &program->values[value];
    struct qaic_binding binding = {.name = view_of(program_text(program, item->name)),
                                   .rank = item->rank};
    static const struct {
        enum element element;
        uint32_t type;
    } TYPES[] = {{ELEMENT_F16, TYPE_FLOAT16}, {ELEMENT_I8, TYPE_INT8},   {ELEMENT_U8, TYPE_UINT8Q},
                 {ELEMENT_I16, TYPE_INT16Q},  {ELEMENT_BOOL, TYPE_INT8}, {ELEMENT_I32, TYPE_INT32I},
                 {ELEMENT_I64, TYPE_INT64I}};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (item->element == (uint32_t)TYPES[i].element)
            binding.type = TYPES[i].type;
    }
    for (uint32_t i = 0; i < item->rank; i++)
        binding.dims[i] = (int32_t)item->dims[i];
    for (size_t i = 0; i < ports->count; i++) {
        if (ports->items[i].scale == 0 || !view_equal(ports->items[i].name, binding.name))
            continue;
        binding.type = ports->items[i].element == ELEMENT_I8 ? TYPE_INT8Q : TYPE_UINT8Q;
        binding.scale = (float)ports->items[i].scale;
        binding.offset = (int32_t)ports->items[i].offset;
    }
    return binding;
}

static void describe(const struct program *program, const struct qaic_parts *parts,
                     struct qaic_network *network)
{
    const struct qaic_settings *settings = &parts->settings;
    network->stats_level = settings->level;
    network->stats_batch = settings->stats_batch;
    network->batch_size = settings->batch;
    network->ddr_stats = settings->ddr;
    network->stats_buffer = program->input_count + program->output_count;
    network->inputs =
        memory_allocate_zeroed((size_t)program->input_count + 1, sizeof *network->inputs);
    network->outputs =
        memory_allocate_zeroed((size_t)program->output_count + 2, sizeof *network->outputs);
    network->pmu_events = memory_allocate_zeroed(QAIC_PMU_EVENTS_MOST, sizeof *network->pmu_events);
    for (uint32_t i = 0; i < program->input_count; i++)
        network->inputs[network->input_count++] =
            binding_of(program, program->inputs[i], &parts->ports);
    for (uint32_t i = 0; i < program->output_count; i++)
        network->outputs[network->output_count++] =
            binding_of(program, program->outputs[i], &parts->ports);
    for (size_t i = 0; i < settings->event_count; i++)
        network->pmu_events[network->pmu_count++] = settings->events[i];
}

void qaic_parts_name(const struct qaic_parts *parts, size_t index, char name[QAIC_PART_NAME_ROOM])
{
    snprintf(name, QAIC_PART_NAME_ROOM, QAIC_NETWORK_NAME);
    if (parts->count > 1)
        snprintf(name, QAIC_PART_NAME_ROOM, QAIC_NETWORK_NAME "_specialization%zu", index);
}

static status collect_part(const struct qaic_parts *parts, const struct compiling *compiling,
                           struct qaic_collected *out_collected)
{
    struct device_pair *kept = NULL;
    size_t kept_count = 0;
    if (arguments_flag(parts->arguments, "retained-state"))
        STATUS_TRY(qaic_retained_find(&compiling->program, &kept, &kept_count));
    const status result =
        qaic_collect(&compiling->program, compiling->target, kept, kept_count, out_collected);
    free(kept);
    return result;
}

static status collect_parts(const struct qaic_parts *parts, struct qaic_collected *collected)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct compiling *compiling = &parts->items[i];
        STATUS_TRY(collect_part(parts, compiling, &collected[i]));
        struct qaic_network *network = collected[i].network;
        describe(&compiling->program, parts, network);
        char name[QAIC_PART_NAME_ROOM];
        qaic_parts_name(parts, i, name);
        network->name = arena_copy(&network->arena, view_of(name));
    }
    return STATUS_OK;
}

// What is written may be wrong until then.
static status all_proved(void *context)
{
    struct qaic_parts *parts = context;
    for (size_t i = 0; i < parts->count; i++)
        STATUS_TRY(compiling_proved(&parts->items[i]));
    return STATUS_OK;
}

static status write_collected(struct qaic_parts *parts, const struct qaic_collected *collected)
{
    struct bytes made_by = {0};
    struct qaic_made_part *items = memory_allocate_zeroed(parts->count + 1, sizeof *items);
    arguments_print(parts->arguments, &made_by);
    for (size_t i = 0; i < parts->count; i++) {
        items[i] = (struct qaic_made_part){.program = &parts->items[i].program,
                                           .network = collected[i].network};
        if (parts->choices.count > 0)
            items[i].symbols =
                qaic_specialization_text(&parts->choices.items[i], &parts->choices.arena);
    }
    const struct qaic_made made = {
        .parts = items,
        .part_count = parts->count,
        .retained = arguments_flag(parts->arguments, "retained-state"),
        .recipe = view_of(parts->settings.recipe != NULL ? parts->settings.recipe : ""),
        .made_by = bytes_view(&made_by),
        .agree = all_proved,
        .context = parts};
    const status result = qaic_program_write(parts->settings.folder, &made);
    bytes_free(&made_by);
    free(items);
    return result;
}

status qaic_parts_write(struct qaic_parts *parts)
{
    if (arguments_flag(parts->arguments, "retained-state"))
        STATUS_TRY(check_retained(parts));
    struct qaic_collected *collected = memory_allocate_zeroed(parts->count + 1, sizeof *collected);
    status result = collect_parts(parts, collected);
    if (result == STATUS_OK)
        result = write_collected(parts, collected);
    for (size_t i = 0; i < parts->count; i++)
        qaic_collected_free(&collected[i]);
    free(collected);
    return result;
}
