// Any bytes as a profile: loaded, accounted for, replayed and saved again; and as one that keeps
// Tenstorrent's logs, with their report.

#include <stdlib.h>

#include "base/memory.h"
#include "formats/tenstorrent/logs_kept.h"
#include "profile/file.h"
#include "profile/file_layout.h"
#include "profile/memory.h"
#include "reports/tenstorrent/logs_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

// Right checksums, so that what lies behind them is reached.
static void sign_blocks(char *bytes, size_t size)
{
    size_t at = sizeof(struct file_header);
    while (at <= size && size - at >= sizeof(struct file_block)) {
        struct file_block block;
        memcpy(&block, bytes + at, sizeof block);
        at += sizeof block;
        if (block.size > size - at)
            return;
        block.checksum = file_block_checksum(&block, bytes + at);
        memcpy(bytes + at - sizeof block, &block, sizeof block);
        at += block.size + (8 - block.size % 8) % 8;
    }
}

struct counter {
    struct event_sink sink;
    uint64_t events;
};

static status count(struct event_sink *sink, const struct event_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        check(batch->events[i].start <= batch->events[i].end);
    ((struct counter *)sink)->events += batch->count;
    return STATUS_OK;
}

static void report_operations(struct profile *profile)
{
    struct logs logs = {0};
    struct logs_record record;
    struct profile *ledger = profile_create();
    const status failure = logs_restore(profile, profile->source, &logs, ledger, &record);
    if (failure == STATUS_OK) {
        struct output *output;
        report_free(logs_report_make(&record, REPORT_V21));
        check(output_open("/dev/null", &output) == STATUS_OK);
        if (record.has_device)
            logs_per_core_write(&record, output);
        check(output_close(output) == STATUS_OK);
        logs_record_free(&record);
    }
    status_free(failure);
    profile_free(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = memory_allocate(size);
    if (size > 0)
        memcpy(bytes, data, size);
    sign_blocks(bytes, size);
    struct profile *profile = profile_create();
    const status failure = profile_load(input_over("fuzz", (struct view){bytes, size}), profile);
    if (failure == STATUS_OK) {
        struct counter counter = {.sink.take = count};
        check(profile_replay(profile, &counter.sink) == STATUS_OK);
        uint64_t recorded = 0;
        for (uint32_t i = 0; i < profile->tracks.count; i++)
            recorded += profile_track(profile, i)->ledger.recorded;
        check(counter.events == recorded);
        check(memory_find_lifetimes(profile) == STATUS_OK);
        check(profile_save(profile, "/dev/null") == STATUS_OK);
        report_operations(profile);
    }
    status_free(failure);
    profile_free(profile);
    free(bytes);
    return 0;
}
