// What could make the operations faster.

#include <stdarg.h>

#include "perf.h"

#define GRID_CORES 64  // a grid with fewer can be larger
#define GAP_HIGH 6.5   // us
#define GAP_TRACED 6.0 // what remains of a gap in a trace

// Fidelity -------------------------------------------------------------------

// Bits of the mantissa; 0: not a type that the matrix engine takes apart.
static int mantissa_bits(struct view type)
{
    static const struct {
        const char *type;
        int bits;
    } types[] = {{"FLOAT32", 23}, {"BFLOAT16", 8}, {"BFLOAT8_B", 7}, {"BFLOAT4_B", 3}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (view_is(type, types[i].type))
            return types[i].bits;
    }
    return 0;
}

struct judgement {
    enum perf_judgement judgement;
    const char *advice;
};

// One row per case of types, one column per fidelity.
enum types_case {
    BF16_TO_BFP8, // BF16 activations, result of 7 bits or more
    BF16_TO_BFP4,
    BFP8_TO_BFP8, // weights of 7 bits or more
    BFP8_TO_BFP4,
    BFP4_WEIGHTS,
    TYPES_CASES,
};

// HiFi3, which the vendor's tool does not take, is judged as HiFi4.
#define ABOVE_HIFI2(judgement, text)                                                               \
    [FIDELITY_HIFI3] = {(judgement), text "1.5x the throughput of HiFi3"},                         \
    [FIDELITY_HIFI4] = {(judgement), text "2x the throughput of HiFi4"}
#define BFP8_ENOUGH                                                                                \
    ABOVE_HIFI2(PERF_TOO_HIGH, "HiFi2 is sufficient for BFP8 multiplication and has ")
#define BFP4_OUTPUT                                                                                \
    {                                                                                              \
        PERF_SUFFICIENT, "LoFi might also be sufficient with BFP4 output and has almost 2x the "   \
                         "throughput of HiFi2"                                                     \
    }
#define BFP4_ENOUGH                                                                                \
    {                                                                                              \
        PERF_TOO_HIGH, "LoFi is sufficient with BFP4 weights, use it for much higher throughput"   \
    }

static const struct judgement JUDGEMENTS[TYPES_CASES][FIDELITIES] = {
    [BF16_TO_BFP8] =
        {[FIDELITY_LOFI] = {PERF_TOO_LOW,
                            "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy"},
         [FIDELITY_HIFI2] = {PERF_TOO_LOW, "If your matmuls are not FLOP-bound use HiFi4 with BF16 "
                                           "activations for full accuracy"},
         ABOVE_HIFI2(PERF_SUFFICIENT, "HiFi2 may also work, it discards the lowest bit of the "
                                      "activations and has ")},
    [BF16_TO_BFP4] = {[FIDELITY_LOFI] = {PERF_TOO_LOW,
                                         "HiFi2 may give better accuracy for large matmuls with "
                                         "many intermediate accumulations"},
                      [FIDELITY_HIFI2] = BFP4_OUTPUT,
                      ABOVE_HIFI2(PERF_TOO_HIGH,
                                  "HiFi2 is very likely to work for BFP8 output; it discards the "
                                  "lowest bit of the activations and has ")},
    [BFP8_TO_BFP8] = {[FIDELITY_LOFI] = {PERF_TOO_LOW,
                                         "HiFi2 is recommended for accuracy; LoFi discards the "
                                         "lowest 2 bits of the weights"},
                      [FIDELITY_HIFI2] = {PERF_SUFFICIENT, NULL},
                      BFP8_ENOUGH},
    [BFP8_TO_BFP4] = {[FIDELITY_LOFI] = {PERF_TOO_LOW,
                                         "HiFi2 may give slightly better accuracy for large "
                                         "matmuls with many intermediate accumulations"},
                      [FIDELITY_HIFI2] = BFP4_OUTPUT,
                      BFP8_ENOUGH},
    [BFP4_WEIGHTS] = {[FIDELITY_LOFI] = {PERF_SUFFICIENT, NULL},
                      [FIDELITY_HIFI2] = BFP4_ENOUGH,
                      [FIDELITY_HIFI3] = BFP4_ENOUGH,
                      [FIDELITY_HIFI4] = BFP4_ENOUGH},
};

static void choose_case(int in0, int in1, int out, enum types_case *out_case)
{
    if (in0 == 8 && out >= 7)
        *out_case = BF16_TO_BFP8;
    else if (in0 == 8)
        *out_case = BF16_TO_BFP4;
    else if (in1 >= 7 && out >= 7)
        *out_case = BFP8_TO_BFP8;
    else if (in1 >= 7)
        *out_case = BFP8_TO_BFP4;
    else
        *out_case = BFP4_WEIGHTS;
}

static struct view perf_advice_type_of(const struct perf_op *op, bool output, uint32_t tensor)
{
    return report_tensor_text(op->report, op->row, output, tensor, COLUMN_TENSOR_DATATYPE);
}

static bool is_integer(struct view type)
{
    return view_is(type, "UINT8") || view_is(type, "UINT16") || view_is(type, "INT32") ||
           view_is(type, "UINT32");
}

// The first type that the table of mantissas lacks; none: all are there.
static bool unknown_type(const struct perf_op *op, struct view *out_type)
{
    const struct view types[] = {perf_advice_type_of(op, false, 0),
                                 perf_advice_type_of(op, false, 1),
                                 perf_advice_type_of(op, true, 0)};
    for (size_t i = 0; i < 3; i++) {
        *out_type = types[i].size > 0 ? types[i] : VIEW_LITERAL("nan");
        if (mantissa_bits(types[i]) == 0)
            return true;
    }
    return false;
}

enum perf_judgement perf_fidelity_judge(const struct perf_op *op, const char **out_advice)
{
    enum types_case types;
    struct view unknown;
    *out_advice = NULL;
    if (op->fidelity == FIDELITY_UNKNOWN || unknown_type(op, &unknown))
        return PERF_NOT_APPLICABLE;
    choose_case(mantissa_bits(perf_advice_type_of(op, false, 0)),
                mantissa_bits(perf_advice_type_of(op, false, 1)),
                mantissa_bits(perf_advice_type_of(op, true, 0)), &types);
    *out_advice = JUDGEMENTS[types][op->fidelity].advice;
    return JUDGEMENTS[types][op->fidelity].judgement;
}

// Matrix multiplications -----------------------------------------------------

__attribute__((format(printf, 3, 4))) static void
advise(struct perf *perf, struct perf_advice *advice, const char *format, ...)
{
    if (advice->count == PERF_ADVICE_MOST)
        return;
    va_list list;
    va_start(list, format);
    advice->lines[advice->count++] = arena_format(&perf->arena, format, list);
    va_end(list);
}

static void advise_memory(struct perf *perf, const struct perf_op *op, struct perf_advice *advice)
{
    const char *text;
    const enum perf_judgement judgement = perf_fidelity_judge(op, &text);
    if (!op->dram_sharded)
        advise(perf, advice,
               "Try a DRAM-sharded program config "
               "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to improve throughput "
               "further");
    const bool room = judgement == PERF_TOO_LOW && op->flops_percent.value < 40;
    if (text != NULL && (room || judgement == PERF_TOO_HIGH))
        advise(perf, advice, "%s", text);
}

static void advise_compute(struct perf *perf, const struct perf_op *op, struct perf_advice *advice)
{
    const char *text;
    const enum perf_judgement judgement = perf_fidelity_judge(op, &text);
    // There is no larger grid than all cores.
    if (op->cores.known && op->cores.value < GRID_CORES &&
        op->cores.value < (double)op->worker_cores)
        advise(perf, advice, "Increase grid size (currently using %.0f%s)", op->cores.value,
               perf->real_cores && !op->dram_sharded ? ".0" : "");
    if (text != NULL && judgement == PERF_TOO_HIGH)
        advise(perf, advice, "%s", text);
}

static void advise_blocks(struct perf *perf, const struct perf_op *op, struct perf_advice *advice)
{
    const double height = op->subblock_height.value;
    const double width = op->subblock_width.value;
    const bool has_subblock = op->subblock_height.known && op->subblock_width.known;
    const size_t before = advice->count;
    if (!op->inner_block.known)
        advise(perf, advice, "No inner dim block size found");
    else if (op->inner_block.value < 2)
        advise(perf, advice, "in0_block_w=%.0f is small, try in0_block_w=2 or above",
               op->inner_block.value);
    if (!has_subblock)
        advise(perf, advice, "No output subblock size found");
    else if (height * width < 2)
        advise(perf, advice,
               "Output subblock %.0fx%.0f is small, try out_subblock_h * out_subblock_w >= 2 "
               "if possible",
               height, width);
    if (advice->count == before)
        advise(perf, advice, "in0_block_w=%.0f and output subblock %.0fx%.0f look good 🤷",
               op->inner_block.value, height, width);
}

// What the judgement says, or why there is none.
static void advise_fidelity(struct perf *perf, const struct perf_op *op, struct perf_advice *advice)
{
    const char *text;
    struct view unknown;
    perf_fidelity_judge(op, &text);
    if (is_integer(perf_advice_type_of(op, false, 0)) ||
        is_integer(perf_advice_type_of(op, false, 1)) ||
        is_integer(perf_advice_type_of(op, true, 0)))
        advise(perf, advice,
               "Fidelity evaluation is not applicable for integer datatypes (UINT8, UINT16, "
               "INT32, UINT32).");
    else if (unknown_type(op, &unknown))
        advise(perf, advice, "Datatype %.*s is not supported for fidelity evaluation.",
               VIEW_ARGUMENTS(unknown));
    else if (text != NULL)
        advise(perf, advice, "%s", text);
}

static void advise_slow(struct perf *perf, const struct perf_op *op, struct perf_advice *advice)
{
    const struct view memory =
        report_tensor_text(op->report, op->row, false, 0, COLUMN_TENSOR_MEMORY);
    if (memory.size > 0 && view_find_text(memory, "L1") == memory.size)
        advise(perf, advice, "If possible place input 0 in L1 (currently in %.*s)",
               VIEW_ARGUMENTS(memory));
    if (!op->inner_block.known && !op->subblock_height.known && !op->subblock_width.known) {
        advise(perf, advice,
               "No program_config specified, try using one to override in0_block_w "
               "and out_subblock_h/w");
        return;
    }
    advise_blocks(perf, op, advice);
    advise_fidelity(perf, op, advice);
}

void perf_matmul_advise(struct perf *perf, const struct perf_op *op, struct perf_advice *out_advice)
{
    out_advice->count = 0;
    if (op->bound == PERF_BOUND_DRAM || op->bound == PERF_BOUND_BOTH)
        advise_memory(perf, op, out_advice);
    else if (op->bound == PERF_BOUND_FLOP)
        advise_compute(perf, op, out_advice);
    else if (op->bound == PERF_BOUND_SLOW)
        advise_slow(perf, op, out_advice);
}

// Gaps -----------------------------------------------------------------------

bool perf_gap_is_high(const struct perf_op *op)
{
    return op->gap.known && op->gap.value > GAP_HIGH;
}

static double traced_gain(double gap)
{
    return gap > GAP_HIGH ? gap - GAP_TRACED : 0;
}

struct perf_gap_gain perf_gap_gain(const struct perf *perf)
{
    struct perf_gap_gain gain = {0};
    double time = 0;
    double gaps = 0;
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        time += op->time.value;
        gaps += op->gap.value;
        if (perf_gap_is_high(op)) {
            gain.count++;
            gain.saved += op->gap.value - GAP_TRACED;
            gain.host += op->host_in_gap;
            gain.open += traced_gain(op->gap.value - op->host_in_gap);
        }
    }
    gain.percent = time + gaps != 0 ? gain.saved / (time + gaps) * 100 : 0;
    gain.open_percent = time + gaps != 0 ? gain.open / (time + gaps) * 100 : 0;
    return gain;
}
