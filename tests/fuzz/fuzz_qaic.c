// Files of Cloud AI's tools: containers with a network's description, statistics buffers,
// summaries, specializations and lists of inferences and ports. Any bytes give an error or
// something that can be walked through.

#include <stdlib.h>

#include "formats/qaic/batch.h"
#include "formats/qaic/io_list.h"
#include "formats/qaic/networkdesc.h"
#include "formats/qaic/partitions.h"
#include "formats/qaic/qpc.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/specializations.h"
#include "formats/qaic/summary.h"
#include "reports/qaic/opstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reads every byte that it is given views of.
static void try_container(struct view bytes)
{
    struct qpc *qpc;
    struct qaic_network *network;
    status failure = qpc_read(input_over("fuzz.bin", bytes), &qpc);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    const struct qpc_segment *described = qpc_find(qpc, "networkdesc.bin");
    if (described != NULL) {
        failure = qaic_network_read("fuzz", described->bytes, &network);
        if (failure == STATUS_OK) {
            struct bytes again = {0};
            qaic_network_write(network, &again);
            bytes_free(&again);
            qaic_network_free(network);
        }
        status_free(failure);
    }
    qpc_free(qpc);
}

static void try_buffer(struct view bytes)
{
    struct qaic_raw_stats stats;
    struct input *input = input_over("fuzz.bin", bytes);
    status failure = qaic_raw_read(input, &stats);
    if (failure == STATUS_OK) {
        struct qaic_network *network = qaic_network_create(stats.cores, stats.threads, 1);
        const struct qaic_operation operation = {.kind = VIEW_LITERAL("aicadd"),
                                                 .output_size = 1024};
        network->group_names[0] = VIEW_LITERAL("HVX");
        for (uint32_t i = 0; i < stats.cores; i++)
            qaic_operation_add(qaic_network_operations(network, i, 0), &operation);
        const struct opstats opstats = {.network = network, .stats = &stats};
        failure = opstats_check(&opstats, "fuzz");
        if (failure == STATUS_OK)
            qaic_summary_free(opstats_summarise(&opstats));
        qaic_network_free(network);
    }
    status_free(failure);
    input_close(input);
}

static void try_summary(struct view bytes)
{
    struct qaic_summary *summary;
    struct input *input = input_over("fuzz.txt", bytes);
    const status failure = qaic_summary_read(input, &summary);
    if (failure == STATUS_OK)
        qaic_summary_free(summary);
    status_free(failure);
    input_close(input);
}

static void try_lists(struct view bytes)
{
    struct qaic_specializations specializations;
    struct qaic_batch batch;
    status failure = qaic_specializations_read("fuzz.json", bytes, &specializations);
    if (failure == STATUS_OK) {
        for (size_t i = 0; i < specializations.count; i++)
            qaic_specialization_text(&specializations.items[i], &specializations.arena);
        qaic_specializations_free(&specializations);
    }
    status_free(failure);
    struct qaic_partitions partitions;
    failure = qaic_partitions_read("fuzz.json", bytes, &partitions);
    if (failure == STATUS_OK)
        qaic_partitions_free(&partitions);
    status_free(failure);
    failure = qaic_batch_read("fuzz.json", bytes, &batch);
    if (failure == STATUS_OK)
        qaic_batch_free(&batch);
    status_free(failure);
}

static void try_ports(struct view bytes)
{
    struct qaic_io_list list;
    const status failure = qaic_io_list_read("fuzz.yaml", bytes, &list);
    if (failure == STATUS_OK)
        qaic_io_list_free(&list);
    status_free(failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    if (qpc_recognise(bytes))
        try_container(bytes);
    else if (qaic_raw_recognise(bytes) && (uintptr_t)data % 8 == 0)
        try_buffer(bytes);
    else if (qaic_summary_recognise(bytes))
        try_summary(bytes);
    else if (size > 0 && data[0] == '{')
        try_lists(bytes);
    else
        try_ports(bytes);
    return 0;
}
