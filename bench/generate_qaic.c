// Makes statistics buffers of Cloud AI's runner of any size, with the container that they belong
// to.
//
//     generate_qaic FOLDER BYTES OPERATIONS
//
// FOLDER/programqpc.bin has a network of 16 cores with as many operations in all; FOLDER/stats has
// buffers of one inference each, BYTES together. The same arguments give the same bytes.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zlib.h>

#include "formats/qaic/networkdesc.h"
#include "formats/qaic/qpc.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"

enum { CORES = 16, THREADS = 6, GROUPS = 3, KINDS = 24 };

static const uint32_t GROUP_OF[THREADS] = {0, 0, 0, 0, 1, 2};

// splitmix64
static uint64_t next_random(uint64_t *state, uint64_t limit)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
}

static struct qaic_network *make_network(uint32_t operations)
{
    static const char *const NAMES[GROUPS] = {"HVX", "HMX", "DMAIssue"};
    struct qaic_network *network = qaic_network_create(CORES, THREADS, GROUPS);
    uint64_t random = 1;
    network->name = VIEW_LITERAL("QAicGraph");
    network->stats_level = QAIC_LEVEL_OPERATIONS;
    network->stats_batch = 1;
    network->ticks_a_ms = QAIC_TICKS_A_SECOND / 1000;
    for (uint32_t i = 0; i < GROUPS; i++)
        network->group_names[i] = view_of(NAMES[i]);
    for (uint32_t i = 0; i < THREADS; i++)
        network->thread_groups[i] = GROUP_OF[i];
    for (uint32_t i = 0; i < operations; i++) {
        const uint32_t core = i % CORES, group = i / CORES % GROUPS;
        const struct qaic_operation operation = {
            .name = arena_print(&network->arena, "/model/layers.%u/mlp/MatMul_%u/__%u", i / 4096,
                                i / 64 % 64, i),
            .kind =
                arena_print(&network->arena, "aickind%u", (unsigned)next_random(&random, KINDS)),
            .type = VIEW_LITERAL("float16, i8"),
            .memory = group == 2 ? VIEW_LITERAL("DDR") : VIEW_LITERAL("TCM"),
            .shape = VIEW_LITERAL("[1 x 32 x 128]"),
            .output_size = 1024 * (1 + next_random(&random, 256)),
        };
        qaic_operation_add(qaic_network_operations(network, core, group), &operation);
    }
    return network;
}

static uint32_t write_container(const char *folder, const struct qaic_network *network)
{
    struct bytes described = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/programqpc.bin", folder);
    qaic_network_write(network, &described);
    const struct qpc_segment segments[] = {
        {VIEW_LITERAL("network.elf"), VIEW_LITERAL("\177ELF"), 0},
        {VIEW_LITERAL("networkdesc.bin"), bytes_view(&described), 0},
    };
    if (qpc_write(path, segments, 2) != STATUS_OK)
        exit(1);
    const uint32_t checksum = (uint32_t)crc32_z(0, described.data, described.size);
    bytes_free(&described);
    return checksum;
}

// Every operation once, on the threads of its group in turn, one after the other.
static size_t make_operations(const struct qaic_network *network, uint64_t base,
                              struct qaic_raw_operation *items, uint64_t *out_end)
{
    uint64_t random = base;
    size_t count = 0;
    *out_end = base;
    for (uint32_t core = 0; core < CORES; core++) {
        for (uint16_t thread = 0; thread < THREADS; thread++) {
            const uint32_t group = GROUP_OF[thread];
            const size_t listed = qaic_network_operations(network, core, group)->count;
            const size_t step = group == 0 ? 4 : 1;
            uint64_t now = base;
            for (size_t i = group == 0 ? thread : 0; i < listed; i += step) {
                const uint32_t wait = (uint32_t)next_random(&random, 40);
                const uint64_t length = 1 + next_random(&random, 300);
                items[count] = (struct qaic_raw_operation){.core = core,
                                                           .thread = thread,
                                                           .group = (uint16_t)group,
                                                           .ordinal = (uint32_t)i,
                                                           .task = (uint32_t)count,
                                                           .start = now + wait,
                                                           .end = now + wait + length,
                                                           .pcycles = length * 64,
                                                           .sync = wait};
                now = items[count++].end;
            }
            *out_end = now > *out_end ? now : *out_end;
        }
    }
    return count;
}

static uint64_t write_buffer(const char *folder, const struct qaic_network *network,
                             uint32_t checksum, uint64_t inference,
                             struct qaic_raw_operation *items)
{
    struct qaic_raw_thread threads[CORES * THREADS];
    char path[4096];
    uint64_t end;
    const uint64_t base = 1 + inference * 1000000000;
    const size_t count = make_operations(network, base, items, &end);
    for (size_t i = 0; i < CORES * THREADS; i++)
        threads[i] = (struct qaic_raw_thread){base, end, (end - base) * 64, UINT64_MAX};
    const struct qaic_raw_stats stats = {.level = QAIC_LEVEL_OPERATIONS,
                                         .cores = CORES,
                                         .threads = THREADS,
                                         .program = checksum,
                                         .inference = inference,
                                         .frequency = QAIC_TICKS_A_SECOND,
                                         .thread_times = threads,
                                         .operations = items,
                                         .operation_count = count};
    snprintf(path, sizeof path,
             "%s/stats/aic-profiling-program-0-activation-0-inf-%" PRIu64
             "-QAicGraph-aiccyclecounts.bin",
             folder, inference);
    if (qaic_raw_write(path, &stats) != STATUS_OK)
        exit(1);
    return count * sizeof *items;
}

int main(int count, char **words)
{
    char path[4096];
    if (count != 4) {
        fprintf(stderr, "usage: generate_qaic FOLDER BYTES OPERATIONS\n");
        return 2;
    }
    const uint64_t bytes = strtoull(words[2], NULL, 10);
    const uint32_t operations = (uint32_t)strtoul(words[3], NULL, 10);
    struct qaic_network *network = make_network(operations);
    snprintf(path, sizeof path, "%s/stats", words[1]);
    mkdir(path, 0777);
    const uint32_t checksum = write_container(words[1], network);
    struct qaic_raw_operation *items = calloc((size_t)operations + 1, sizeof *items);
    uint64_t written = 0;
    for (uint64_t i = 0; items != NULL && written < bytes; i++)
        written += write_buffer(words[1], network, checksum, i, items);
    free(items);
    qaic_network_free(network);
    return items == NULL;
}
