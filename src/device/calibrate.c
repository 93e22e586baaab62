#include "calibrate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "base/progress.h"
#include "calibrate_grids.h"
#include "kernels/core/chain.h"
#include "target/rules/table.h"

enum { PASSES = 2, KEY_MOST = 120 };

// What a quick calibration leaves out: most of the time goes to the largest sizes.
enum { QUICK_MACS = 50000000, QUICK_BYTES = 3 << 20, QUICK_SCRUB = 4 << 20 };

// One place of one grid.
struct measured {
    char key[KEY_MOST];
    uint64_t least;
    double spread;
};

struct calibration {
    const struct calibrate_options *options;
    struct probe_budget budget;
    struct calibrate_summary *summary;
    struct measured *points;
    size_t count;
    size_t capacity;
    size_t next;   // of this pass: the passes go over the same places in the same order
    uint64_t done; // places of all passes, of `total`
    uint64_t total;
    double start;     // ns that the least work takes
    double peak_macs; // in a nanosecond
    double peak_bytes;
};

static double now_seconds(void)
{
    return (double)monotonic_ns() * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return left < right ? -1 : left > right;
}

// The best of all passes.
static void calibrate_keep_result(struct calibration *calibration, const char *operator,
                                  const struct probe_result * result)
{
    const struct cost_request *request = &result->request;
    const double ns = (double)result->least;
    if (calibration->next == calibration->count) {
        calibration->points = memory_grow(calibration->points, calibration->count,
                                          &calibration->capacity, sizeof *calibration->points);
        struct measured *point = &calibration->points[calibration->count++];
        *point = (struct measured){.least = UINT64_MAX};
        table_key(view_of(operator), request, point->key, sizeof point->key);
    }
    struct measured *point = &calibration->points[calibration->next++];
    if (result->least < point->least) {
        point->least = result->least;
        point->spread = result->spread;
    }
    if (calibration->start == 0 || ns < calibration->start)
        calibration->start = ns;
    if ((double)request->macs > calibration->peak_macs * ns)
        calibration->peak_macs = (double)request->macs / ns;
    if ((double)request->bytes > calibration->peak_bytes * ns)
        calibration->peak_bytes = (double)request->bytes / ns;
}

static status measure_place(struct calibration *calibration, const struct calibrate_grid *grid,
                            const char *operator, const uint64_t * at)
{
    struct probe probe;
    struct probe_result result;
    status failure = STATUS_OK;
    probe_start(&probe, operator);
    if (grid->build(&probe, grid->element, at)) {
        failure = probe_run(&probe, &calibration->budget, &result);
        if (failure == STATUS_OK && !result.left_out)
            calibrate_keep_result(calibration, operator, & result);
    }
    probe_free(&probe);
    return failure;
}

static uint32_t axis_length(const uint64_t *axis)
{
    uint32_t length = 0;
    while (length < GRID_LENGTH_MOST && axis[length] != 0)
        length++;
    return length;
}

// A quick calibration leaves out every second size between the first and the last.
static bool device_calibrate_is_taken(const struct calibration *calibration, uint32_t index,
                                      uint32_t length)
{
    return !calibration->options->quick || length < 3 || index + 1 == length || index % 2 == 0;
}

static uint64_t count_cells(const struct calibrate_grid *grid)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < GRID_AXES; i++) {
        const uint32_t length = axis_length(grid->axes[i]);
        cells *= length > 0 ? length : 1;
    }
    return cells;
}

// Whether a cell of a grid is measured, and the sizes there.
static bool device_calibrate_find_cell(const struct calibration *calibration,
                                       const struct calibrate_grid *grid, uint64_t cell,
                                       uint64_t at[GRID_AXES])
{
    bool taken = true;
    for (uint32_t i = GRID_AXES; i-- > 0;) {
        const uint32_t length = axis_length(grid->axes[i]);
        at[i] = 1;
        if (length == 0)
            continue;
        const uint32_t index = (uint32_t)(cell % length);
        cell /= length;
        at[i] = grid->axes[i][index];
        taken = taken && device_calibrate_is_taken(calibration, index, length);
    }
    return taken;
}

static status measure_grid(struct calibration *calibration, const struct calibrate_grid *grid,
                           const char *operator)
{
    const uint64_t cells = count_cells(grid);
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint64_t at[GRID_AXES];
        if (!device_calibrate_find_cell(calibration, grid, cell, at))
            continue;
        STATUS_TRY(measure_place(calibration, grid, operator, at));
        progress_report(++calibration->done, calibration->total);
    }
    return STATUS_OK;
}

// How often a pass measures.
static uint64_t count_places(const struct calibration *calibration)
{
    uint64_t count = 0;
    for (size_t i = 0; i < CALIBRATE_GRID_COUNT; i++) {
        const struct calibrate_grid *grid = &CALIBRATE_GRIDS[i];
        const uint64_t cells = count_cells(grid);
        uint64_t taken = 0;
        for (uint64_t cell = 0; cell < cells; cell++)
            taken += device_calibrate_find_cell(calibration, grid, cell, (uint64_t[GRID_AXES]){0});
        for (size_t j = 0; grid->operators[j] != NULL; j++)
            count += taken;
    }
    return count;
}

// Steps a nanosecond of a chain of elementwise operators (sigmoid, product, rounding to
// integers and back: 4, 1, 5 and 2 steps, as the operators count them) over what the caches hold.
static double measure_fused(unsigned threads)
{
    enum { PLACES = 1 << 16, STEPS = 12, ROUNDS = 200 };
    struct chain chain = {.result = ELEMENT_F32};
    chain_add_input(&chain, ELEMENT_F32, 0);
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_READ});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_SIGMOID});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_MULTIPLY, .right = 1});
    chain_add_step(
        &chain, (struct chain_step){
                    .operation = CHAIN_QUANTIZE, .left = 2, .a = 0.01f, .low = -128, .high = 127});
    chain_add_step(&chain, (struct chain_step){.operation = CHAIN_LINEAR, .left = 3, .a = 0.01f});
    chain_finish(&chain);
    float *numbers = memory_allocate_zeroed(2 * PLACES, sizeof *numbers);
    for (uint32_t i = 0; i < PLACES; i++)
        numbers[i] = (float)(i % 997) * 0.01f - 5;
    struct parallel *parallel = parallel_create(threads);
    double least = 1;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now_seconds();
        chain_run_all(&chain, (const void *const[]){numbers}, numbers + PLACES, PLACES, parallel);
        const double took = now_seconds() - start;
        least = took < least ? took : least;
    }
    parallel_free(parallel);
    free(numbers);
    return (double)PLACES * STEPS / (least * 1e9);
}

// `program`: what jobs are called, as for the processor that was not measured.
static void device_calibrate_write_head(const struct calibration *calibration,
                                        const struct calibrate_memory *memory, const char *program,
                                        struct bytes *text)
{
    static const char *const LEVELS[] = {"l1", "l2", "l3"};
    const struct calibrate_summary *summary = calibration->summary;
    bytes_append_format(
        text,
        "# This machine's processor, measured by 'opscope calibrate'.\n"
        "# docs/formats/target.md explains every key. A cycle is a nanosecond.\n\n"
        "[target]\nname = host\ntitle = this machine's processor, %u threads\n"
        "clock = 1 GHz\n\n[plan]\ntiles = estimated\nkeep = no\ncast = no\n\n"
        "[memory dram]\nsize = %" PRIu64 "\nalignment = 64\n\n"
        "[queue cpu]\nprogram = %s\ncode_block = 640\ncode_slots = 2\ncode_next = 4\n\n"
        "[engine cpu]\nrole = compute\nmemory = dram\ntakes = *\nprice = table\nqueue = cpu\n"
        "start_code = 24\nwait_code = 20\ncalled = the processor\nlabel = CPU {lane}\nrow = H\n"
        "rank = 2097152\nthreads = %u\nspread = %.3f\n",
        summary->threads, memory->total, program, summary->threads, summary->spread);
    for (int i = 0; i < 3; i++) {
        if (memory->caches[i] > 0)
            bytes_append_format(text, "cache_%s = %" PRIu64 "\nbandwidth_%s = %.2f\n", LEVELS[i],
                                memory->caches[i], LEVELS[i], memory->bandwidths[i]);
    }
    double peak_bytes = calibration->peak_bytes;
    for (int i = 0; i < 4; i++)
        peak_bytes = memory->bandwidths[i] > peak_bytes ? memory->bandwidths[i] : peak_bytes;
    // Where nothing was measured: a quarter of the best.
    bytes_append_format(
        text,
        "bandwidth_dram = %.2f\nbytes_per_cycle = %.2f\nstart_cycles = %.0f\n"
        "macs_per_cycle = %.3f\ninteger_macs_per_cycle = %.3f\n"
        "steps_per_cycle = 0.25\nfused_steps_per_cycle = %.2f\npeak_macs_per_cycle = %.2f\n"
        "peak_bytes_per_cycle = %.2f\n\n",
        memory->bandwidths[3], memory->bandwidths[3], calibration->start,
        calibration->peak_macs / 4, calibration->peak_macs / 16,
        measure_fused(calibration->options->threads), calibration->peak_macs, peak_bytes);
}

static void summarize(struct calibration *calibration, double started)
{
    struct calibrate_summary *summary = calibration->summary;
    const size_t count = calibration->count;
    double *spreads = memory_allocate_zeroed(count + 1, sizeof *spreads);
    for (size_t i = 0; i < count; i++)
        spreads[i] = calibration->points[i].spread;
    sort_items(spreads, count, sizeof *spreads, compare_doubles);
    summary->points = (uint32_t)count;
    summary->spread = spreads[count / 2];
    summary->spread_worst = spreads[count * 9 / 10];
    summary->seconds = now_seconds() - started;
    free(spreads);
}

static void write_times(const struct calibration *calibration, struct bytes *text)
{
    for (size_t i = 0; i < calibration->count; i++)
        bytes_append_format(text, "%s = %" PRIu64 "\n", calibration->points[i].key,
                            calibration->points[i].least);
}

// In two passes, so that what disturbs the machine for a while disturbs one of them.
static status measure_all(struct calibration *calibration)
{
    const unsigned passes = calibration->options->quick ? 1 : PASSES;
    calibration->total = passes * count_places(calibration);
    for (unsigned pass = 0; pass < passes; pass++) {
        calibration->next = 0;
        calibration->summary->kernels = 0;
        for (size_t i = 0; i < CALIBRATE_GRID_COUNT; i++) {
            const struct calibrate_grid *grid = &CALIBRATE_GRIDS[i];
            for (size_t j = 0; grid->operators[j] != NULL; j++) {
                STATUS_TRY(measure_grid(calibration, grid, grid->operators[j]));
                calibration->summary->kernels++;
            }
        }
    }
    return STATUS_OK;
}

status calibrate(const struct calibrate_options *options, struct bytes *out_text,
                 struct calibrate_summary *out_summary)
{
    const double started = now_seconds();
    struct calibrate_memory memory;
    struct parallel *parallel = parallel_create(options->threads);
    *out_summary = (struct calibrate_summary){.threads = parallel_threads(parallel)};
    parallel_free(parallel);
    calibrate_measure_memory(options->threads, options->quick, &memory);
    const uint64_t near = memory.caches[1] > 0 ? memory.caches[1] : 1 << 20;
    const uint64_t far = memory.caches[2] > near ? memory.caches[2] : 4 * near;
    struct calibration calibration = {
        .options = options,
        .summary = out_summary,
        .budget = {.engine = options->engine,
                   .threads = options->threads,
                   .runs_least = 3,
                   .runs_most = options->quick ? 5 : 12,
                   .ns = options->quick ? 500000 : 1500000,
                   .macs_most = options->quick ? QUICK_MACS : 300000000,
                   .bytes_most = options->quick ? QUICK_BYTES : UINT64_MAX,
                   .scrub_least = memory.caches[0],
                   .scrub_most = options->quick && far > QUICK_SCRUB ? QUICK_SCRUB : far},
    };
    calibration.budget.scrub = memory_allocate_zeroed(calibration.budget.scrub_most, 1);
    status failure = measure_all(&calibration);
    struct target *shipped = NULL;
    if (failure == STATUS_OK)
        failure = target_open_shipped("host", &shipped);
    if (failure == STATUS_OK) {
        summarize(&calibration, started);
        device_calibrate_write_head(&calibration, &memory, shipped->queues[0].program, out_text);
        write_times(&calibration, out_text);
    }
    target_free(shipped);
    free(calibration.budget.scrub);
    free(calibration.points);
    return failure;
}
