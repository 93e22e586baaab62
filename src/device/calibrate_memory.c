#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "calibrate.h"
#include "kernels/parallel.h"

#define CACHES "/sys/devices/system/cpu/cpu0/cache"

// scanf of a small file; true when all of the first field was there.
__attribute__((format(scanf, 2, 3))) static bool read_fields(const char *path, const char *format,
                                                             ...)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    va_list fields;
    va_start(fields, format);
    const int count = vfscanf(file, format, fields);
    va_end(fields);
    fclose(file);
    return count > 0;
}

// Arrays of one thread's own, gone over again and again: waking threads is not what
// is measured.
struct triad {
    float *data;
    uint64_t count; // of each of three arrays of each thread
    uint64_t rounds;
};

static void go_over(float *restrict a, const float *restrict b, const float *restrict c,
                    uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        a[i] = b[i] + 0.5f * c[i];
}

static void triad_piece(void *context, uint64_t from, uint64_t to)
{
    const struct triad *triad = context;
    for (uint64_t piece = from; piece < to; piece++) {
        float *data = triad->data + piece * 3 * triad->count;
        for (uint64_t i = 0; i < triad->rounds; i++)
            go_over(data, data + triad->count, data + 2 * triad->count, triad->count);
    }
}

static double time_triad(struct parallel *parallel, struct triad *triad)
{
    const uint64_t start = monotonic_ns();
    parallel_for(parallel, parallel_threads(parallel), 1, triad_piece, triad);
    return (double)(monotonic_ns() - start);
}

// Bytes a nanosecond over a working set for each thread, the best of several tries.
static double calibrate_memory_measure(struct parallel *parallel, uint64_t working_set,
                                       double ns_each)
{
    const uint64_t threads = parallel_threads(parallel);
    struct triad triad = {.count = working_set / (3 * sizeof(float)), .rounds = 1};
    triad.data = memory_allocate_zeroed(threads * 3 * triad.count + 1, sizeof *triad.data);
    for (double spent = 0; spent < ns_each; triad.rounds *= 2)
        spent = time_triad(parallel, &triad);
    double best = 0;
    for (int i = 0; i < 5; i++) {
        const double bytes = (double)(triad.rounds * threads * 3 * triad.count * sizeof(float));
        const double rate = bytes / time_triad(parallel, &triad);
        best = rate > best ? rate : best;
    }
    free(triad.data);
    return best;
}

// "32K" or "1024K" of the level-th cache of data; 0: the system does not say.
static uint64_t cache_size(unsigned level)
{
    for (unsigned index = 0; index < 8; index++) {
        char path[80];
        unsigned found = 0;
        unsigned long long size = 0;
        char unit = 'K';
        char type[16] = "";
        snprintf(path, sizeof path, CACHES "/index%u/level", index);
        read_fields(path, "%u", &found);
        snprintf(path, sizeof path, CACHES "/index%u/type", index);
        read_fields(path, "%15s", type);
        snprintf(path, sizeof path, CACHES "/index%u/size", index);
        if (found == level && strcmp(type, "Instruction") != 0 &&
            read_fields(path, "%llu%c", &size, &unit))
            return size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
    }
    return 0;
}

void calibrate_measure_memory(unsigned threads, bool quick, struct calibrate_memory *out_memory)
{
    *out_memory = (struct calibrate_memory){
        .caches = {cache_size(1), cache_size(2), cache_size(3)},
        .total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
    };
    struct parallel *parallel = parallel_create(threads);
    const double ns_each = quick ? 2e6 : 1e7;
    const unsigned workers = parallel_threads(parallel);
    uint64_t largest = 1 << 20;
    for (int i = 0; i < 3; i++) {
        const uint64_t size = out_memory->caches[i];
        largest = size > largest ? size : largest;
        // The last cache is shared.
        out_memory->bandwidths[i] =
            size > 0
                ? calibrate_memory_measure(parallel, size / 2 / (i == 2 ? workers : 1), ns_each)
                : 0;
    }
    out_memory->bandwidths[3] = calibrate_memory_measure(parallel, 4 * largest / workers, ns_each);
    parallel_free(parallel);
}
