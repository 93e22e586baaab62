#include "networkdesc.h"

#include <stdlib.h>

#include "base/memory.h"
#include "wire/protobuf.h"

// Fields of the descriptor, of its statistics, and of an operation.
enum {
    MAJOR_VERSION = 1,
    MINOR_VERSION = 2,
    NETWORK_NAME = 3,
    INPUTS = 4,
    OUTPUTS = 5,
    DMA_BUFFERS = 6,
    NUM_CORES = 7,
    NUM_THREADS = 8,
    NUM_HVX_THREADS = 9,
    THREAD_GROUPS = 10,
    ISSUE_COUNT = 11,
    STATS = 12,
    GROUP_NAMES = 13,
    BATCH_SIZE = 14,
    CLUSTER_OFFSETS = 17,
    STATS_BUFFER = 1,
    STATS_PRINT = 2,
    STATS_LEVEL = 3,
    STATS_PRINT_OPERATIONS = 5,
    STATS_OPERATIONS_LEVEL = 6,
    STATS_BATCH = 7,
    STATS_DDR = 8,
    STATS_TICKS = 9,
    STATS_PMU_EVENTS = 10,
    STATS_COUNTS = 11,
    STATS_OPERATIONS = 12,
    OPERATION_NAME = 1,
    OPERATION_KIND = 2,
    OPERATION_TYPE = 3,
    OPERATION_MEMORY = 4,
    OPERATION_SHAPE = 5,
    OPERATION_SIZE = 7,
    OPERATION_ATTRIBUTES = 8,
    BINDING_NAME = 1,
    BINDING_INITIAL = 2,
    IO_TYPE = 1,
    IO_SCALE = 2,
    IO_OFFSET = 3,
    IO_DIMS = 4,
    VERSION = 9,
    LEVEL_OF_OPERATIONS = 70,
    CORES_MOST = 4096,
    THREADS_MOST = 64,
};

struct qaic_network *qaic_network_create(uint32_t cores, uint32_t threads, uint32_t groups)
{
    struct qaic_network *network = memory_allocate_zeroed(1, sizeof *network);
    network->cores = cores;
    network->threads = threads;
    network->group_count = groups;
    network->thread_groups = memory_allocate_zeroed((size_t)threads + 1, sizeof(uint32_t));
    network->group_names = memory_allocate_zeroed((size_t)groups + 1, sizeof(struct view));
    network->operations =
        memory_allocate_zeroed((size_t)cores * groups + 1, sizeof *network->operations);
    return network;
}

void qaic_network_free(struct qaic_network *network)
{
    if (network == NULL)
        return;
    for (size_t i = 0; i < (size_t)network->cores * network->group_count; i++)
        free(network->operations[i].items);
    free(network->operations);
    free(network->thread_groups);
    free(network->group_names);
    free(network->inputs);
    free(network->outputs);
    free(network->pmu_events);
    arena_free(&network->arena);
    free(network);
}

struct qaic_operations *qaic_network_operations(const struct qaic_network *network, uint32_t core,
                                                uint32_t group)
{
    return &network->operations[(size_t)core * network->group_count + group];
}

void qaic_operation_add(struct qaic_operations *list, const struct qaic_operation *operation)
{
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *operation;
}

struct qaic_network *qaic_network_slice(const struct qaic_network *network, uint32_t device,
                                        uint32_t cores)
{
    struct qaic_network *slice = memory_allocate_zeroed(1, sizeof *slice);
    *slice = *network;
    slice->arena = (struct arena){0};
    slice->name =
        arena_print(&slice->arena, "%.*s_slice%02u", VIEW_ARGUMENTS(network->name), device);
    slice->cores = cores;
    slice->operations = &network->operations[(size_t)device * cores * network->group_count];
    return slice;
}

void qaic_network_slice_free(struct qaic_network *slice)
{
    if (slice == NULL)
        return;
    arena_free(&slice->arena);
    free(slice);
}

// Writing ------------------------------------------------------------------------------

static void networkdesc_put_number(struct bytes *to, uint32_t field, uint64_t number)
{
    unsigned char *at = bytes_reserve(to, PROTOBUF_TAG_MOST + VARINT_MOST);
    to->size += (size_t)(protobuf_put_varint(at, field, number) - at);
}

static void networkdesc_put_bytes(struct bytes *to, uint32_t field, struct view bytes)
{
    unsigned char *at = bytes_reserve(to, PROTOBUF_HEADER_MOST + bytes.size);
    to->size += (size_t)(protobuf_put_bytes(at, field, bytes) - at);
}

static void networkdesc_put_text(struct bytes *to, uint32_t field, struct view text)
{
    if (text.size > 0)
        networkdesc_put_bytes(to, field, text);
}

// Ends a message that was put together in `inner`, which is empty then.
static void put_message(struct bytes *to, uint32_t field, struct bytes *inner)
{
    networkdesc_put_bytes(to, field, bytes_view(inner));
    inner->size = 0;
}

static void put_operation(struct bytes *to, const struct qaic_operation *operation)
{
    networkdesc_put_text(to, OPERATION_NAME, operation->name);
    networkdesc_put_text(to, OPERATION_KIND, operation->kind);
    networkdesc_put_text(to, OPERATION_TYPE, operation->type);
    networkdesc_put_text(to, OPERATION_MEMORY, operation->memory);
    networkdesc_put_text(to, OPERATION_SHAPE, operation->shape);
    networkdesc_put_number(to, OPERATION_SIZE, operation->output_size);
    networkdesc_put_text(to, OPERATION_ATTRIBUTES, operation->attributes);
}

static size_t message_size(size_t size)
{
    return 1 + varint_size(size) + size;
}

static size_t text_size(struct view text)
{
    return text.size > 0 ? message_size(text.size) : 0;
}

static size_t operation_size(const struct qaic_operation *operation)
{
    return text_size(operation->name) + text_size(operation->kind) + text_size(operation->type) +
           text_size(operation->memory) + text_size(operation->shape) + 1 +
           varint_size(operation->output_size) + text_size(operation->attributes);
}

// What follows is `size` bytes of a message.
static void put_message_start(struct bytes *to, uint32_t field, size_t size)
{
    unsigned char *at = bytes_reserve(to, PROTOBUF_HEADER_MOST + size);
    to->size += (size_t)(protobuf_put_header(at, field, size) - at);
}

// Lengths stand ahead of what they are of: they are worked out first, for there are many operations
// to be copied otherwise, from message to message.
static size_t group_size(const struct qaic_operations *list)
{
    size_t size = 0;
    for (size_t i = 0; i < list->count; i++)
        size += message_size(operation_size(&list->items[i]));
    return size;
}

static void put_core(struct bytes *to, const struct qaic_network *network, uint32_t core)
{
    size_t size = 0;
    for (uint32_t g = 0; g < network->group_count; g++)
        size += message_size(group_size(qaic_network_operations(network, core, g)));
    put_message_start(to, STATS_OPERATIONS, size);
    for (uint32_t g = 0; g < network->group_count; g++) {
        const struct qaic_operations *list = qaic_network_operations(network, core, g);
        put_message_start(to, 1, group_size(list));
        for (size_t i = 0; i < list->count; i++) {
            put_message_start(to, 1, operation_size(&list->items[i]));
            put_operation(to, &list->items[i]);
        }
    }
}

static void put_stats(struct bytes *to, const struct qaic_network *network)
{
    struct bytes stats = {0};
    networkdesc_put_number(&stats, STATS_BUFFER, network->stats_buffer);
    networkdesc_put_number(&stats, STATS_PRINT, 1);
    networkdesc_put_number(&stats, STATS_LEVEL, (uint64_t)(int64_t)network->stats_level);
    networkdesc_put_number(&stats, STATS_PRINT_OPERATIONS,
                           network->stats_level >= LEVEL_OF_OPERATIONS);
    networkdesc_put_number(&stats, STATS_OPERATIONS_LEVEL,
                           network->stats_level >= LEVEL_OF_OPERATIONS);
    networkdesc_put_number(&stats, STATS_BATCH, (uint64_t)(int64_t)network->stats_batch);
    networkdesc_put_number(&stats, STATS_DDR, network->ddr_stats);
    networkdesc_put_number(&stats, STATS_TICKS, network->ticks_a_ms);
    for (size_t i = 0; i < network->pmu_count; i++)
        networkdesc_put_number(&stats, STATS_PMU_EVENTS, (uint64_t)(int64_t)network->pmu_events[i]);
    for (uint32_t c = 0; c < network->cores; c++) {
        uint64_t count = 0;
        for (uint32_t g = 0; g < network->group_count; g++)
            count += qaic_network_operations(network, c, g)->count;
        networkdesc_put_number(&stats, STATS_COUNTS, count);
    }
    for (uint32_t c = 0; c < network->cores; c++)
        put_core(&stats, network, c);
    put_message(to, STATS, &stats);
    bytes_free(&stats);
}

static void put_binding(struct bytes *to, uint32_t field, const struct qaic_binding *binding)
{
    struct bytes whole = {0}, initial = {0};
    networkdesc_put_text(&whole, BINDING_NAME, binding->name);
    networkdesc_put_number(&initial, IO_TYPE, binding->type);
    if (binding->scale != 0) {
        unsigned char *at = bytes_reserve(&initial, PROTOBUF_TAG_MOST + sizeof(float));
        uint32_t bits;
        memcpy(&bits, &binding->scale, sizeof bits);
        initial.size += (size_t)(protobuf_put_fixed32(at, IO_SCALE, bits) - at);
        networkdesc_put_number(&initial, IO_OFFSET, (uint64_t)(int64_t)binding->offset);
    }
    for (uint32_t i = 0; i < binding->rank; i++)
        networkdesc_put_number(&initial, IO_DIMS, (uint64_t)(int64_t)binding->dims[i]);
    put_message(&whole, BINDING_INITIAL, &initial);
    put_message(to, field, &whole);
    bytes_free(&initial);
    bytes_free(&whole);
}

void qaic_network_write(const struct qaic_network *network, struct bytes *out_bytes)
{
    networkdesc_put_number(out_bytes, MAJOR_VERSION, VERSION);
    networkdesc_put_number(out_bytes, MINOR_VERSION, 0);
    networkdesc_put_text(out_bytes, NETWORK_NAME, network->name);
    for (size_t i = 0; i < network->input_count; i++)
        put_binding(out_bytes, INPUTS, &network->inputs[i]);
    for (size_t i = 0; i < network->output_count; i++)
        put_binding(out_bytes, OUTPUTS, &network->outputs[i]);
    networkdesc_put_number(out_bytes, NUM_CORES, network->cores);
    networkdesc_put_number(out_bytes, NUM_THREADS, network->threads);
    networkdesc_put_number(out_bytes, NUM_HVX_THREADS, network->hvx_threads);
    for (uint32_t i = 0; i < network->threads; i++)
        networkdesc_put_number(out_bytes, THREAD_GROUPS, network->thread_groups[i]);
    networkdesc_put_number(out_bytes, ISSUE_COUNT, network->group_count);
    put_stats(out_bytes, network);
    for (uint32_t i = 0; i < network->group_count; i++)
        networkdesc_put_bytes(out_bytes, GROUP_NAMES, network->group_names[i]);
    networkdesc_put_number(out_bytes, BATCH_SIZE, (uint64_t)(int64_t)network->batch_size);
    networkdesc_put_number(out_bytes, CLUSTER_OFFSETS, 0);
}

// Reading ------------------------------------------------------------------------------

// Numbers first, so that lists have their sizes when they are read.
static void read_sizes(struct view bytes, uint32_t sizes[3])
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        const bool number = field.type == PROTOBUF_VARINT;
        if (field.number == NUM_CORES && number)
            sizes[0] = field.value <= CORES_MOST ? (uint32_t)field.value : UINT32_MAX;
        else if (field.number == NUM_THREADS && number)
            sizes[1] = field.value <= THREADS_MOST ? (uint32_t)field.value : UINT32_MAX;
        else if (field.number == GROUP_NAMES && field.type == PROTOBUF_BYTES)
            sizes[2]++;
    }
}

static void networkdesc_read_operation(struct view bytes, struct qaic_operation *out_operation)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        if (field.number == OPERATION_SIZE && field.type == PROTOBUF_VARINT)
            out_operation->output_size = field.value;
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == OPERATION_NAME)
            out_operation->name = field.bytes;
        else if (field.number == OPERATION_KIND)
            out_operation->kind = field.bytes;
        else if (field.number == OPERATION_TYPE)
            out_operation->type = field.bytes;
        else if (field.number == OPERATION_MEMORY)
            out_operation->memory = field.bytes;
        else if (field.number == OPERATION_SHAPE)
            out_operation->shape = field.bytes;
        else if (field.number == OPERATION_ATTRIBUTES)
            out_operation->attributes = field.bytes;
    }
}

// Messages of field 1, one after the other. False when there is no further one.
static bool networkdesc_next_part(struct protobuf_reader *reader, struct view *out_part)
{
    struct protobuf_field field;
    while (protobuf_next(reader, &field)) {
        if (field.number == 1 && field.type == PROTOBUF_BYTES) {
            *out_part = field.bytes;
            return true;
        }
    }
    return false;
}

static void networkdesc_read_core(struct qaic_network *network, uint32_t core, struct view bytes)
{
    struct protobuf_reader groups = protobuf_read(bytes);
    struct view group, one;
    for (uint32_t g = 0; g < network->group_count && networkdesc_next_part(&groups, &group); g++) {
        struct protobuf_reader operations = protobuf_read(group);
        while (networkdesc_next_part(&operations, &one)) {
            struct qaic_operation operation = {0};
            networkdesc_read_operation(one, &operation);
            qaic_operation_add(qaic_network_operations(network, core, g), &operation);
        }
    }
}

static void read_pmu_events(struct qaic_network *network, const struct protobuf_field *field)
{
    struct view rest = {0};
    uint64_t number;
    while (protobuf_next_varint(field, &rest, &number)) {
        network->pmu_events =
            memory_resize(network->pmu_events, (network->pmu_count + 1) * sizeof(int32_t));
        network->pmu_events[network->pmu_count++] = (int32_t)number;
    }
}

static void read_stats(struct qaic_network *network, struct view bytes)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    uint32_t core = 0;
    while (protobuf_next(&reader, &field)) {
        const bool number = field.type == PROTOBUF_VARINT;
        if (field.number == STATS_OPERATIONS && field.type == PROTOBUF_BYTES) {
            if (core < network->cores)
                networkdesc_read_core(network, core++, field.bytes);
        } else if (field.number == STATS_PMU_EVENTS) {
            read_pmu_events(network, &field);
        } else if (number && field.number == STATS_BUFFER) {
            network->stats_buffer = (uint32_t)field.value;
        } else if (number && field.number == STATS_LEVEL) {
            network->stats_level = (int32_t)field.value;
        } else if (number && field.number == STATS_BATCH) {
            network->stats_batch = (int32_t)field.value;
        } else if (number && field.number == STATS_DDR) {
            network->ddr_stats = field.value != 0;
        } else if (number && field.number == STATS_TICKS) {
            network->ticks_a_ms = (uint32_t)field.value;
        }
    }
}

static void read_shape(struct view bytes, struct qaic_binding *binding)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        struct view rest = {0};
        uint64_t number;
        if (field.number == IO_TYPE && field.type == PROTOBUF_VARINT)
            binding->type = (uint32_t)field.value;
        else if (field.number == IO_OFFSET && field.type == PROTOBUF_VARINT)
            binding->offset = (int32_t)field.value;
        else if (field.number == IO_SCALE && field.type == PROTOBUF_FIXED32)
            memcpy(&binding->scale, &(uint32_t){(uint32_t)field.value}, sizeof binding->scale);
        while (field.number == IO_DIMS && binding->rank < 16 &&
               protobuf_next_varint(&field, &rest, &number))
            binding->dims[binding->rank++] = (int32_t)number;
    }
}

static void read_binding(struct view bytes, struct qaic_binding **list, size_t *count)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    struct qaic_binding binding = {0};
    while (protobuf_next(&reader, &field)) {
        if (field.type == PROTOBUF_BYTES && field.number == BINDING_NAME)
            binding.name = field.bytes;
        else if (field.type == PROTOBUF_BYTES && field.number == BINDING_INITIAL)
            read_shape(field.bytes, &binding);
    }
    *list = memory_resize(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = binding;
}

static void networkdesc_read_lists(struct qaic_network *network, const struct protobuf_field *field,
                                   uint32_t *thread, uint32_t *group)
{
    struct view rest = {0};
    uint64_t number;
    if (field->number == INPUTS && field->type == PROTOBUF_BYTES)
        read_binding(field->bytes, &network->inputs, &network->input_count);
    else if (field->number == OUTPUTS && field->type == PROTOBUF_BYTES)
        read_binding(field->bytes, &network->outputs, &network->output_count);
    else if (field->number == STATS && field->type == PROTOBUF_BYTES)
        read_stats(network, field->bytes);
    else if (field->number == GROUP_NAMES && field->type == PROTOBUF_BYTES)
        network->group_names[(*group)++] = field->bytes;
    while (field->number == THREAD_GROUPS && *thread < network->threads &&
           protobuf_next_varint(field, &rest, &number))
        network->thread_groups[(*thread)++] = number < network->group_count ? (uint32_t)number : 0;
}

status qaic_network_read(const char *name, struct view bytes, struct qaic_network **out_network)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    uint32_t sizes[3] = {0, 0, 0}, thread = 0, group = 0;
    read_sizes(bytes, sizes);
    if (sizes[0] == UINT32_MAX || sizes[1] == UINT32_MAX || sizes[2] > THREADS_MOST)
        return status_make(STATUS_LIMIT,
                           "%s: describes more than %d cores, or %d threads of a core", name,
                           CORES_MOST, THREADS_MOST);
    struct qaic_network *network = qaic_network_create(sizes[0], sizes[1], sizes[2]);
    while (protobuf_next(&reader, &field)) {
        if (field.number == NETWORK_NAME && field.type == PROTOBUF_BYTES)
            network->name = field.bytes;
        else if (field.number == NUM_HVX_THREADS && field.type == PROTOBUF_VARINT)
            network->hvx_threads = (uint32_t)field.value;
        else if (field.number == BATCH_SIZE && field.type == PROTOBUF_VARINT)
            network->batch_size = (int32_t)field.value;
        else
            networkdesc_read_lists(network, &field, &thread, &group);
    }
    if (reader.ending != PROTOBUF_WHOLE) {
        qaic_network_free(network);
        return status_make(STATUS_DATA, "%s: the network's description is cut off or damaged",
                           name);
    }
    *out_network = network;
    return STATUS_OK;
}
