// Operations reports: read, written again (the same bytes), written as every
// version, checked, turned into a profile and analysed.

#include "formats/tenstorrent/derive.h"
#include "formats/tenstorrent/report_profile.h"
#include "reports/tenstorrent/perf.h"

#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(const struct report *report, struct view bytes)
{
    static struct memory_file file;
    struct output *output;
    if (output_open(memory_file_path(&file), &output) != STATUS_OK)
        abort();
    report_write(report, output);
    const uint64_t size = output_size(output);
    // The same, and as one other version.
    report_write_as(report, (enum report_version)(REPORT_V0 + size % (REPORT_V21 - REPORT_V0 + 1)),
                    output);
    if (output_close(output) != STATUS_OK || size != bytes.size)
        abort();
    const struct view written = memory_file_bytes(&file);
    if (memcmp(written.data, bytes.data, bytes.size) != 0)
        abort();
    free((char *)(uintptr_t)written.data);
}

static void analyse(struct view bytes, bool merge)
{
    static struct memory_file file;
    const char *path = memory_file_path(&file);
    if (pwrite(file.file, bytes.data, bytes.size, 0) != (ssize_t)bytes.size)
        abort();
    const char *const paths[] = {path};
    const struct perf_options options = {.ignore_signposts = merge, .no_merge_devices = !merge};
    struct perf *perf;
    const status failure = perf_read(paths, 1, &options, &perf);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    for (size_t i = 0; i < perf->count; i++) {
        struct perf_advice advice;
        perf_matmul_advise(perf, &perf->ops[i], &advice);
    }
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, PERF_BY_MEMORY, !merge, &groups, &count);
    free(groups);
    perf_free(perf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    struct input *input = input_over("report.csv", bytes);
    struct report *report;
    const status failure = report_read(input, &report);
    if (failure == STATUS_OK) {
        struct derive_result result;
        write_all(report, bytes);
        derive_check(report, &result);
        report_free(report);

        struct profile *profile = profile_create();
        status_free(report_profile_read(input, profile));
        status_free(profile_finish(profile));
        profile_free(profile);
        analyse(bytes, size % 2 == 0);
    }
    status_free(failure);
    input_close(input);
    return 0;
}
