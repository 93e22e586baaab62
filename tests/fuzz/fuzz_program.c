// Any bytes as a compiled program, with right checksums: opened, printed, proved,
// estimated, and run when it is proved and small. What is invented are mostly fields of
// tables, as a list of bytes would hardly ever be a program.

#include <stdlib.h>

#include <isa-l/crc.h>

#include "base/memory.h"
#include "base/output.h"
#include "device/host.h"
#include "device/sim.h"
#include "network/tensor_random.h"
#include "program/print.h"
#include "program/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
// Of libFuzzer; not there when seeds are replayed.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { HEADER = 32, SECTION = 40, MEMORY_MOST = 16 << 20, SECTIONS_MOST = 64 };

static uint64_t number_at(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    memcpy(&number, bytes, size);
    return number;
}

static void sign(unsigned char *bytes, uint64_t size)
{
    if (size < HEADER)
        return;
    const uint64_t count = number_at(bytes + 12, 4);
    if (count > SECTIONS_MOST || HEADER + count * SECTION > size)
        return;
    memcpy(bytes + 16, &size, sizeof size);
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *section = bytes + HEADER + i * SECTION;
        const uint64_t offset = number_at(section + 16, 8);
        const uint64_t length = number_at(section + 24, 8);
        if (offset > size || length > size - offset)
            continue;
        const uint32_t checksum = crc32_gzip_refl(0, bytes + offset, length);
        memcpy(section + 36, &checksum, sizeof checksum);
    }
    const uint32_t checksum = crc32_gzip_refl(0, bytes + HEADER, count * SECTION);
    memcpy(bytes + 24, &checksum, sizeof checksum);
}

// A section of the file with fields, chosen by `number`; false where there is none.
static bool find_table(const uint8_t *data, size_t size, unsigned number, struct view *out_items,
                       size_t *out_item_size)
{
    const uint64_t count = size >= HEADER ? number_at(data + 12, 4) : 0;
    if (count == 0 || count > SECTIONS_MOST || HEADER + count * SECTION > size)
        return false;
    const uint8_t *section = data + HEADER + number % count * SECTION;
    const uint64_t offset = number_at(section + 16, 8);
    const uint64_t length = number_at(section + 24, 8);
    const uint64_t item = number_at(section + 32, 4);
    if (offset > size || length > size - offset || item < 4 || item > length)
        return false;
    *out_items = (struct view){(const char *)data + offset, length};
    *out_item_size = item;
    return true;
}

// A field becomes the same one of another item, a neighbour of what it is, or something odd.
static void change_field(uint8_t *items, size_t count, size_t item_size, unsigned *seed)
{
    static const uint32_t ODD[] = {0, 1, 2, 3, 4, 7, 8, 64, UINT32_MAX, UINT32_MAX - 1};
    const size_t field = (size_t)rand_r(seed) % (item_size / 4) * 4;
    uint8_t *at = items + (size_t)rand_r(seed) % count * item_size + field;
    uint32_t number = (uint32_t)number_at(at, 4);
    switch (rand_r(seed) % 4) {
    case 0:
        memcpy(&number, items + (size_t)rand_r(seed) % count * item_size + field, sizeof number);
        break;
    case 1:
        number += rand_r(seed) % 2 == 0 ? 1u : UINT32_MAX;
        break;
    case 2:
        number = (uint32_t)rand_r(seed) % 32;
        break;
    default:
        number = ODD[(size_t)rand_r(seed) % (sizeof ODD / sizeof *ODD)];
        break;
    }
    memcpy(at, &number, sizeof number);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (rand_r(&seed) % 16 == 0 && LLVMFuzzerMutate != NULL)
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned changes = 1 + (unsigned)rand_r(&seed) % 3, tries = 0; changes > 0 && tries < 64;
         tries++) {
        struct view items;
        size_t item_size;
        if (!find_table(data, size, (unsigned)rand_r(&seed), &items, &item_size))
            continue;
        change_field(data + (items.data - (const char *)data), items.size / item_size, item_size,
                     &seed);
        changes--;
    }
    return size;
}

static void estimate(const struct program *program, const struct target *target)
{
    for (int rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++) {
        struct sim_result *result;
        const status failure = sim_run(program, target, (enum cost_rules)rules, &result);
        if (failure == STATUS_OK)
            sim_result_free(result);
        status_free(failure);
    }
}

static bool is_small(const struct program *program)
{
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].address + program->buffers[i].size > MEMORY_MOST)
            return false;
    }
    return program->graph_count == 0; // loops may never end
}

static void run_device(struct host_device *device)
{
    datum_limit(MEMORY_MOST);
    const struct network *network = host_device_network(device);
    const struct network_graph *graph = network_graph(network, 0);
    struct datum **inputs = calloc(graph->input_count + 1, sizeof *inputs);
    struct datum **outputs = calloc(graph->output_count + 1, sizeof *outputs);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct network_value *value = network_value(network, graph->inputs[i]);
        if (value->constant != NULL || !value_type_static(&value->type))
            continue;
        status_free(datum_tensor(value->type.element, &value->type.shape, &inputs[i]));
        if (inputs[i] != NULL)
            tensor_random_fill(&inputs[i]->tensor, 1, i);
    }
    const status failure = host_device_run(device, inputs, graph->input_count, outputs);
    status_free(failure);
    for (uint32_t i = 0; i < graph->input_count; i++)
        datum_release(inputs[i]);
    for (uint32_t i = 0; i < graph->output_count; i++)
        datum_release(outputs[i]);
    free(inputs);
    free(outputs);
}

static void run(const struct program *program, const struct target *target)
{
    struct host_device *device;
    if (!is_small(program))
        return;
    const status failure =
        host_device_create(program, target, &(struct host_options){.threads = 1}, &device);
    if (failure == STATUS_OK) {
        run_device(device);
        host_device_free(device);
    }
    status_free(failure);
}

static void use(const struct program *program)
{
    struct target *target;
    struct output *output;
    struct verify_counts counts;
    status failure = target_parse("fuzz", program->target_text, &target);
    if (failure == STATUS_OK) {
        if (output_open("/dev/null", &output) == STATUS_OK) {
            program_print(program, target, PROGRAM_PRINT_ALL, output);
            status_free(output_close(output));
        }
        estimate(program, target);
        failure = program_verify(program, target, &counts);
        if (failure == STATUS_OK)
            run(program, target);
        target_free(target);
    }
    status_free(failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = memory_allocate(size);
    if (size > 0)
        memcpy(bytes, data, size);
    sign(bytes, size);
    struct program *program;
    const status failure =
        program_read(input_over("fuzz", (struct view){(const char *)bytes, size}), &program);
    if (failure == STATUS_OK) {
        use(program);
        program_free(program);
    }
    status_free(failure);
    free(bytes);
    return 0;
}
