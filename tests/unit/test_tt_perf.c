// The performance report on small reports written for the purpose, with
// figures worked out by hand.

#include "tt_perf_support.h"

// Figures --------------------------------------------------------------------

static void the_hand_checked_matmul(void **state)
{
    (void)state;
    struct perf *perf =
        read_text(HEADER "\r\n" MATMUL("{}", "HiFi4", "64", "60893", "32", "1280", "1280",
                                       "BFLOAT16", DRAM, "BFLOAT16", "BFLOAT16", DRAM),
                  &(struct perf_options){0});
    const struct perf_op *op = &perf->ops[0];
    assert_value(op->time, 60.893, 1e-9);
    assert_value(op->dram_speed, 56.50, 0.005);
    assert_value(op->dram_percent, 19.62, 0.005);
    assert_value(op->flops, 1.722, 0.0005);
    assert_value(op->flops_percent, 2.618, 0.0005);
    assert_int_equal(op->bound, PERF_BOUND_SLOW);
    assert_int_equal(op->limit, PERF_LIMIT_NEITHER);
    assert_value(op->total_percent, 100, 1e-9);
    assert_false(op->gap.known);
    assert_true(view_is(op->label, "Matmul 32 x 1280 x 1280"));
    assert_true(view_is(op->fidelity_text, "HiFi4 BF16 x BF16 => BF16"));
    perf_free(perf);
}

// 2 * 1024^3 operations; 64 cores of wormhole peak at 64 * 74/72 TFLOPs in
// HiFi4: 32.646 us.
static void every_fidelity_has_its_peak(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        const char *fidelity;
        double peak_us;
    } cases[] = {
        {"wormhole", "HiFi4", 32.646},  {"wormhole", "HiFi3", 24.485},
        {"wormhole", "HiFi2", 16.323},  {"wormhole", "LoFi", 9.2208},
        {"blackhole", "HiFi4", 24.272}, {"blackhole", "HiFi3", 18.204},
        {"BH20", "LoFi", 6.0681},       {"N1", "HiFi2", 25.206},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n" MATMUL("{}", "%s", "64", "100000", "1024", "1024", "1024",
                                      "BFLOAT8_B", L1, "BFLOAT8_B", "BFLOAT8_B", L1),
                 cases[i].fidelity);
        struct perf *perf = read_text(text, &(struct perf_options){.arch = cases[i].arch});
        assert_value(perf->ops[0].compute_time, cases[i].peak_us, cases[i].peak_us * 1e-3);
        assert_value(perf->ops[0].flops_percent, cases[i].peak_us, cases[i].peak_us * 1e-3);
        assert_int_equal(profile_ledger(perf->account).lost, 0);
        perf_free(perf);
    }
}

static void unknown_peaks_are_absent(void **state)
{
    (void)state;
    static const char *const archs[] = {"grayskull", "quasar", "wormhole"};
    static const char *const fidelities[] = {"HiFi4", "HiFi4", "HiFi9"};
    for (size_t i = 0; i < 3; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n" MATMUL("{}", "%s", "64", "100000", "1024", "1024", "1024",
                                      "BFLOAT16", DRAM, "BFLOAT16", "BFLOAT16", DRAM),
                 fidelities[i]);
        struct perf *perf = read_text(text, &(struct perf_options){.arch = archs[i]});
        assert_true(perf->ops[0].flops.known);
        assert_false(perf->ops[0].flops_percent.known);
        assert_int_equal(perf->ops[0].bound, PERF_BOUND_NONE);
        perf_free(perf);
    }
}

// The same 2 M elements; the time decides. 4 MiB + 2 MiB + 4 MiB of DRAM take
// 36.41 us at 288 GB/s.
static void bounds_start_at_65_percent(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        const char *cores;
        enum perf_bound bound;
        enum perf_limit limit;
    } cases[] = {
        {"55000", "64", PERF_BOUND_DRAM, PERF_LIMIT_MEMORY},  // dram 66 %, flops 59 %
        {"57000", "64", PERF_BOUND_SLOW, PERF_LIMIT_NEITHER}, // 64 %, 57 %
        {"50000", "64", PERF_BOUND_BOTH, PERF_LIMIT_MEMORY},  // 73 %, 65.3 %
        {"80000", "32", PERF_BOUND_FLOP, PERF_LIMIT_COMPUTE}, // 45.5 %, 81.6 %
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n" MATMUL("{}", "HiFi4", "%s", "%s", "2048", "1024", "512", "BFLOAT16",
                                      DRAM, "FLOAT32", "FLOAT32", DRAM),
                 cases[i].cores, cases[i].time);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        assert_value(perf->ops[0].memory_time, 36.41, 0.01);
        assert_value(perf->ops[0].work.flops, 2.0 * 2048 * 1024 * 512, 0);
        assert_int_equal(perf->ops[0].bound, cases[i].bound);
        assert_int_equal(perf->ops[0].limit, cases[i].limit);
        perf_free(perf);
    }
}

static void a_dram_sharded_matmul_runs_beside_the_controllers(void **state)
{
    (void)state;
    static const char text[] = HEADER "\r\n" MATMUL(
        "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig("
        "in0_block_w=4;per_core_M=1)'}",
        "LoFi", "64", "1000", "32", "1024", "1024", "BFLOAT16", L1, "BFLOAT4_B", "BFLOAT16", L1);
    struct perf *perf = read_text(text, &(struct perf_options){0});
    const struct perf_op *op = &perf->ops[0];
    assert_true(op->dram_sharded);
    assert_value(op->cores, 12, 0);
    assert_value(op->work.dram_bytes, 1024 * 1024 / 2, 0);
    assert_value(op->work.l1_bytes, 2 * 32 * 1024 * 2, 0);
    assert_value(op->inner_block, 4, 0);
    perf_free(perf);
}

#define CONVOLUTION(code)                                                                          \
    code ",tt_dnn_device,1,0,{'block_config': 'B(act_block_h_ntiles=8;x=1)'; "                     \
         "'enable_act_double_buffer': 'true'; 'enable_split_reader': 'false'; 'parallelization': " \
         "'P(per_core_out_matrix_height_ntile=3;y=1)'; 'sliding': 'S(input_hw=(8;8); "             \
         "window_hw=(3;3); stride_hw=(1;1))'},HiFi2,20,1,1,0,10000,1,1,200,16,BFLOAT16," L1        \
         ",1,1,160,64,BFLOAT8_B," DRAM ",1,1,1024,64,BFLOAT16," L1 "\r\n"

static void a_convolution_is_measured_against_all_cores(void **state)
{
    (void)state;
    struct perf *perf = read_text(HEADER "\r\n" CONVOLUTION("OptimizedConvNew")
                                      CONVOLUTION("Conv2dDeviceOperation"),
                                  &(struct perf_options){0});
    for (size_t i = 0; i < 2; i++) {
        const struct perf_op *op = &perf->ops[i];
        const double flops = 2.0 * 1024 * (16 * 9) * 64;
        assert_value(op->flops, flops / 10e-6 / 1e12, 1e-9);
        assert_value(op->flops_percent, flops / 10e-6 / 1e12 / (64 * 148.0 / 72) * 100, 1e-9);
        assert_false(op->dram_percent.known);
        assert_int_equal(op->bound, PERF_BOUND_NONE);
    }
    assert_true(view_is(perf->ops[0].label, "OptimizedConvNew 1024 x 144 x 64 [ABH=3|8 ADB]"));
    perf_free(perf);
}

static void halo_shows_its_window(void **state)
{
    (void)state;
    struct perf *perf = read_text(
        HEADER "\r\nHaloDeviceOperation,tt_dnn_device,1,0,{'c': 'S(window_hw=(7;7); "
               "stride_hw=(2;2); padding=((3; 3); (3; 3)); dilation_hw=(1;1); n=1)'; 'm': "
               "'MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;b)'},,20,1,1,0,9"
               ",,,,,,,,,,,,,,,,,,\r\n",
        &(struct perf_options){0});
    assert_true(view_is(perf->ops[0].label, "HaloDeviceOperation w=(7,7) s=(2,2) p=((3, 3), (3, "
                                            "3)) d=(1,1) | HEIGHT_SHARDED"));
    perf_free(perf);
}

// What operators of every kind have to do, from their shapes.
static void work_follows_from_the_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        double flops; // 0: not known
        double dram_bytes;
    } cases[] = {
        {"BinaryNgDeviceOperation", 1024, 3 * 2048},
        {"UnaryDeviceOperation", 1024, 3 * 2048},
        {"SoftmaxDeviceOperation", 5 * 1024, 3 * 2048},
        {"LayerNorm", 7 * 1024, 3 * 2048},
        {"Reduce", 1024, 3 * 2048},
        {"TransposeDeviceOperation", 0, 3 * 2048},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n%s,tt_dnn_device,1,0,,HiFi4,64,1,1,0,100,1,1,32,32,BFLOAT16," DRAM
                        ",1,1,32,32,BFLOAT16," DRAM ",1,1,32,32,BFLOAT16," DRAM "\r\n",
                 cases[i].code);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        const struct perf_op *op = &perf->ops[0];
        assert_int_equal(op->work.flops.known, cases[i].flops > 0);
        if (cases[i].flops > 0)
            assert_value(op->work.flops, cases[i].flops, 0);
        assert_value(op->work.dram_bytes, cases[i].dram_bytes, 0);
        assert_value(op->memory_time, cases[i].dram_bytes / 288e3, 1e-9);
        assert_int_equal(op->limit, PERF_LIMIT_NEITHER);
        perf_free(perf);
    }
}

static void a_gap_longer_than_the_operation_limits_it(void **state)
{
    (void)state;
    // Issued at 1, 3 and 13 us; the device waits 8 us twice.
    struct perf *perf = read_text(HEADER "\r\n" PLAIN("A", "0", "0", "0", "2000")
                                      PLAIN("B", "0", "2000", "8000", "2000")
                                          PLAIN("C", "0", "12000", "8000", "2000"),
                                  &(struct perf_options){0});
    assert_int_equal(perf->ops[0].limit, PERF_LIMIT_UNKNOWN);
    assert_int_equal(perf->ops[1].limit, PERF_LIMIT_DISPATCH);
    assert_int_equal(perf->ops[2].limit, PERF_LIMIT_HOST);
    struct perf_limit_sum sums[PERF_LIMITS];
    perf_limits_sum(perf, sums);
    assert_int_equal(sums[PERF_LIMIT_HOST].count, 1);
    assert_true(sums[PERF_LIMIT_DISPATCH].gap.value == 8);
    perf_free(perf);
}

// A fallback of so many ns on the host.
#define FALLBACK(start, duration)                                                                  \
    "(torch) add,python_fallback,1,,,,," start "," duration ",,,,,,,,,,,,,,,,,,,,\r\n"

static void what_the_host_computes_in_a_gap_is_counted_once(void **state)
{
    (void)state;
    // The device waits 9 us for 8 us of the host, then 9 us for 20, then 9 us for nothing.
    static const char text[] = HEADER "\r\n" PLAIN("A", "0", "0", "0", "4000") FALLBACK("1", "5000")
        FALLBACK("2", "3000") PLAIN("B", "0", "3", "9000", "4000") FALLBACK("4", "20000")
            PLAIN("C", "0", "5", "9000", "4000") PLAIN("D", "0", "6", "9000", "4000");
    struct perf_limit_sum sums[PERF_LIMITS];
    struct perf *perf = read_text(text, &(struct perf_options){0});
    assert_ids(perf, "2 3 4 5 6 7 8");
    assert_true(perf->ops[3].host_in_gap == 8 && perf->ops[5].host_in_gap == 9);
    assert_int_equal(perf->ops[3].limit, PERF_LIMIT_UNKNOWN); // no shapes, and hardly a gap
    assert_int_equal(perf->ops[6].limit, PERF_LIMIT_DISPATCH);
    perf_limits_sum(perf, sums);
    assert_int_equal(sums[PERF_LIMIT_HOST].count, 3);
    assert_true(sums[PERF_LIMIT_HOST].time.value == 28 && !sums[PERF_LIMIT_HOST].gap.known);
    assert_true(sums[PERF_LIMIT_UNKNOWN].gap.value == 1);
    assert_true(sums[PERF_LIMIT_DISPATCH].gap.value == 9);
    size_t count;
    const struct perf_op **costliest = perf_costliest(perf, 2, &count);
    assert_int_equal(count, 2);
    assert_int_equal(costliest[0]->id, 6); // the 20 us of the host
    assert_int_equal(costliest[1]->id, 8); // 13 with its gap
    free(costliest);
    perf_free(perf);

    perf = read_text(text, &(struct perf_options){.no_host_ops = true});
    assert_int_equal(perf->ops[2].limit, PERF_LIMIT_HOST); // its gap is in the table as a whole
    perf_limits_sum(perf, sums);
    assert_true(sums[PERF_LIMIT_HOST].gap.value + sums[PERF_LIMIT_DISPATCH].gap.value == 27);
    perf_free(perf);
}

static void a_trace_saves_nothing_of_what_the_host_computes(void **state)
{
    (void)state;
    struct perf *perf =
        read_text(HEADER "\r\n" PLAIN("A", "0", "0", "0", "1000") FALLBACK("1", "200000")
                      PLAIN("B", "0", "2", "201000", "1000") PLAIN("C", "0", "3", "10000", "1000"),
                  &(struct perf_options){0});
    const struct perf_gap_gain gain = perf_gap_gain(perf);
    assert_int_equal(gain.count, 2);
    assert_true(gain.saved == 195 + 4); // as the vendor's tool counts
    assert_true(gain.host == 200 && gain.open == 4);
    assert_true(fabs(gain.open_percent - 4.0 / 214 * 100) < 1e-9);
    perf_free(perf);
}

static void sub_devices_have_their_own_cores(void **state)
{
    (void)state;
    struct perf *perf = read_text("OP CODE,OP TYPE,DEVICE ID,SUB DEVICE ID,DEVICE ARCH,CORE COUNT,"
                                  "AVAILABLE WORKER CORE COUNT,DEVICE KERNEL DURATION [ns]\r\n"
                                  "A,tt_dnn_device,0,1,wormhole_b0,8,8,10\r\n"
                                  "B,tt_dnn_device,0,0,wormhole_b0,8,56,10\r\n"
                                  "C,tt_dnn_device,0,,wormhole_b0,8,,10\r\n",
                                  &(struct perf_options){0});
    assert_string_equal(perf->arch->name, "wormhole");
    assert_int_equal(perf->worker_cores, 8); // the first
    assert_int_equal(perf->ops[0].worker_cores, 8);
    assert_int_equal(perf->ops[1].worker_cores, 56);
    assert_int_equal(perf->ops[2].worker_cores, 8);
    assert_true(view_is(perf->ops[0].sub_device, "1"));
    perf_free(perf);
}

static void batches_are_in_the_label(void **state)
{
    (void)state;
    struct perf *perf = read_text(
        HEADER "\r\nMatmul,tt_dnn_device,1,0,,HiFi4,64,1,1,0,9000,2,3,32,64,BFLOAT16," DRAM
               ",1,5,64,96,BFLOAT16," DRAM ",2,5,32,96,BFLOAT16," DRAM "\r\n",
        &(struct perf_options){0});
    assert_true(view_is(perf->ops[0].label, "Matmul b={10} x 32 x 64 x 96"));
    assert_value(perf->ops[0].work.flops, 2.0 * 32 * 64 * 96 * 10, 0);
    perf_free(perf);
}

// A tensor of y x 1024 elements of two bytes, in DRAM.
#define TENSOR(y) "1,1," y ",1024,BFLOAT16," DRAM
#define MOVES(code, time, in0, in1, out)                                                           \
    code ",tt_dnn_device,1,0,,,64,1,1,0," time                                                     \
         "," TENSOR(in0) "," TENSOR(in1) "," TENSOR(out) "\r\n"

// 2 KiB a row; what is written into a part of a tensor moves no more than it has.
static void parts_count_what_moves(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        double rows;
    } cases[] = {
        {MOVES("SliceWriteDeviceOperation", "900000", "32", "1024", "1024"), 64},
        {MOVES("ShardedToInterleavedPartial", "900000", "32", "1024", "1024"), 64},
        {MOVES("PagedUpdateCacheDeviceOperation", "900000", "32", "32", "1024"), 64},
        {MOVES("SliceDeviceOperation", "900000", "1024", "32", "32"), 96},
        {MOVES("BinaryNgDeviceOperation", "900000", "1024", "32", "1024"), 2080},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, HEADER "\r\n%s", cases[i].row);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        assert_value(perf->ops[0].work.dram_bytes, cases[i].rows * 2048, 0);
        perf_free(perf);
    }
}

// Wormhole's 288 GB/s: the rows that the report claims would take 21.8 us.
static void more_than_the_peak_is_doubted(void **state)
{
    (void)state;
    struct perf *perf =
        read_text(HEADER "\r\n" MOVES("A", "99000", "32", "32", "32")
                      MOVES("BinaryNgDeviceOperation", "2000", "1024", "1024", "1024")
                          MOVES("C", "99000", "32", "32", "2048")
                              MOVES("BinaryNgDeviceOperation", "2000", "1024", "1024", "1024")
                                  MOVES("BinaryNgDeviceOperation", "99000", "1024", "1024", "1024"),
                  &(struct perf_options){0});
    assert_int_equal(perf->ops[0].doubt, PERF_DOUBT_NONE);
    assert_int_equal(perf->ops[1].doubt, PERF_DOUBT_STALE_SHAPES);
    assert_value(perf->ops[1].work.dram_bytes, 3 * 32 * 2048, 0);
    assert_true(perf->ops[1].memory_time.value < perf->ops[1].time.value);
    assert_int_equal(perf->ops[3].doubt, PERF_DOUBT_ABOVE_PEAK);
    assert_value(perf->ops[3].work.dram_bytes, 3 * 1024 * 2048, 0);
    assert_int_equal(perf->ops[4].doubt, PERF_DOUBT_NONE);
    perf_free(perf);
}

static void the_clock_tells_the_arch(void **state)
{
    (void)state;
    static const struct {
        const char *cycles; // of 1000 ns
        const char *cores;
        const char *arch;
    } cases[] = {{"1000", "64", "wormhole"},   {"1350", "110", "blackhole"},
                 {"1350", "20", "bh20"},       {"650", "20", "n1"},
                 {"1200", "108", "grayskull"}, {"1234", "64", "wormhole"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "OP CODE,OP TYPE,DEVICE ID,CORE COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE,"
                 "DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]\r\n"
                 "A,tt_dnn_device,0,%s,0,%s,1000,900\r\n",
                 cases[i].cores, cases[i].cycles);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        assert_string_equal(perf->arch->name, cases[i].arch);
        perf_free(perf);
    }
}

// Windows --------------------------------------------------------------------

#define WINDOWS                                                                                    \
    HEADER "\r\n" PLAIN("A", "0", "10", "0", "1000") SIGNPOST("start", "20")                       \
        PLAIN("B", "0", "30", "5000", "1000") SIGNPOST("mark", "40")                               \
            PLAIN("C", "0", "50", "5000", "1000") SIGNPOST("mark", "60")                           \
                PLAIN("D", "0", "70", "5000", "1000")

static void signposts_cut_a_window(void **state)
{
    (void)state;
    static const struct {
        struct perf_options options;
        const char *ids;
    } cases[] = {
        {{0}, "6 8"}, // behind the first that is called as the last one
        {{.ignore_signposts = true}, "2 3 4 5 6 7 8"},
        {{.start_signpost = "start"}, "4 6 8"},
        {{.end_signpost = "mark"}, "2 4"},
        {{.start_signpost = "start", .end_signpost = "mark"}, "4"},
        {{.start_signpost = "mark", .end_signpost = "mark"}, "6"},
        {{.start_signpost = "start", .print_signposts = true}, "4 5 6 7 8"},
        {{.start_signpost = "nowhere"}, "6 8"},
        {{.start_signpost = "mark", .end_signpost = "start"}, ""},
        {{.start_signpost = "start", .end_signpost = "start"}, "4 6 8"},
        {{.start_signpost = "start", .end_signpost = "nowhere"}, "4 6 8"},
        {{.ignore_signposts = true, .has_first_id = true, .first_id = 6}, "6 7 8"},
        {{.ignore_signposts = true, .has_last_id = true, .last_id = 3}, "2 3"},
        {{.has_first_id = true, .first_id = 100}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct perf *perf = read_text(WINDOWS, &cases[i].options);
        assert_ids(perf, cases[i].ids);
        if (perf->count > 0)
            assert_false(perf->ops[0].gap.known);
        perf_free(perf);
    }
}

static void shares_are_of_the_window(void **state)
{
    (void)state;
    struct perf *perf = read_text(WINDOWS, &(struct perf_options){.start_signpost = "start"});
    // 1 + (5 + 1) + (5 + 1) us
    assert_value(perf->ops[0].total_percent, 100.0 / 13, 1e-9);
    assert_value(perf->ops[1].total_percent, 600.0 / 13, 1e-9);
    assert_int_equal(perf->device_ops, 3);
    perf_free(perf);
}

static void id_ranges_have_three_forms(void **state)
{
    (void)state;
    struct perf_options options = {0};
    assert_null(perf_id_range("5-10", &options));
    assert_true(options.has_first_id && options.has_last_id);
    assert_int_equal(options.first_id, 5);
    assert_int_equal(options.last_id, 10);
    assert_null(perf_id_range("1,500-12,000", &options));
    assert_int_equal(options.first_id, 1500);
    assert_int_equal(options.last_id, 12000);
    assert_null(perf_id_range("31-", &options));
    assert_true(options.has_first_id && !options.has_last_id);
    assert_null(perf_id_range("-12", &options));
    assert_true(!options.has_first_id && options.has_last_id);
    static const char *const wrong[] = {"5", "a-b", "1-2-3", "5-x", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const status failure = perf_id_range(wrong[i], &options);
        assert_int_equal(status_code_of(failure), STATUS_USAGE);
        status_free(failure);
    }
}

static void rows_are_sorted_by_the_host_unless_traced(void **state)
{
    (void)state;
    static const char text[] = HEADER "\r\n" PLAIN("B", "0", "20", "0", "1")
        PLAIN("A", "0", "10", "0", "1") SIGNPOST("s", "15");
    struct perf *perf = read_text(text, &(struct perf_options){0});
    assert_ids(perf, "2");
    perf_free(perf);
    perf = read_text(text, &(struct perf_options){.tracing_mode = true});
    assert_ids(perf, "");
    perf_free(perf);
}

static void host_operations_are_marked_and_can_be_left_out(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "\r\n" TORCH("numel", "1") PLAIN("A", "0", "2", "0", "1") TORCH("add", "3");
    struct perf *perf = read_text(text, &(struct perf_options){0});
    assert_ids(perf, "2 3 4");
    assert_int_equal(perf->ops[0].bound, PERF_BOUND_HOST);
    assert_int_equal(perf->ops[0].limit, PERF_LIMIT_HOST);
    assert_int_equal(perf->ops[0].category, PERF_ON_HOST);
    assert_int_equal(perf->host_ops, 2);
    assert_int_equal(profile_ledger(perf->account).lost, 0);
    perf_free(perf);
    perf = read_text(text, &(struct perf_options){.no_host_ops = true});
    assert_ids(perf, "3");
    assert_int_equal(perf->host_ops, 2); // counted before they are left out
    perf_free(perf);
}

// Devices --------------------------------------------------------------------

static void devices_merge_to_the_slowest_or_the_mean(void **state)
{
    (void)state;
    struct perf *perf = read_text(DEVICES, &(struct perf_options){0});
    assert_ids(perf, "3 4");
    assert_value(perf->ops[0].time, 3, 0);
    assert_int_equal(perf->ops[0].device, 1);
    assert_value(perf->ops[1].time, 2, 0);
    assert_int_equal(perf->ops[1].device, 0);
    perf_free(perf);
    perf = read_text(DEVICES, &(struct perf_options){.no_merge_devices = true});
    assert_ids(perf, "2 3 4 5");
    perf_free(perf);
}

static void a_device_that_misses_an_operation_is_in_the_ledger(void **state)
{
    (void)state;
    struct perf *perf =
        read_text(HEADER "\r\n" PLAIN("A", "0", "10", "0", "1000")
                      PLAIN("B", "0", "11", "0", "1000") PLAIN("B", "1", "12", "0", "2000"),
                  &(struct perf_options){0});
    assert_int_equal(perf->count, 2);
    assert_value(perf->ops[1].time, 2, 0);
    assert_int_equal(profile_ledger(perf->account).lost, 1);
    perf_free(perf);
}

static void several_files_are_several_hosts(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    add_file(&fixture, DEVICES);
    add_file(&fixture, DEVICES);
    assert_null(read_files(&fixture, &(struct perf_options){.no_merge_devices = true}));
    assert_ids(fixture.perf, "2 6 3 7 4 8 5 9");
    assert_int_equal(fixture.perf->ops[1].device, 2);
    assert_int_equal(fixture.perf->ops[3].device, 3);
    perf_free(fixture.perf);

    struct fixture other = {0};
    add_file(&other, DEVICES);
    add_file(&other, HEADER "\r\n" PLAIN("A", "0", "10", "0", "1000"));
    const status failure = read_files(&other, &(struct perf_options){0});
    assert_int_equal(status_code_of(failure), STATUS_DATA);
    assert_non_null(strstr(status_message(failure), "the highest DEVICE ID is 0, expected 1"));
    status_free(failure);
}

// Bad input ------------------------------------------------------------------

static void bad_reports_are_errors_or_in_the_ledger(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message; // NULL: read, with `lost` rows
        uint64_t lost;
        size_t count;
    } cases[] = {
        {"", "is empty", 0, 0},
        {"a,b\n", "expected the header of an operations report", 0, 0},
        {"OP CODE,DEVICE KERNEL DURATION [ns]\nA,1\n", "column 'DEVICE ID' is missing", 0, 0},
        {HEADER "\r\n", NULL, 0, 0},
        {HEADER "\r\n" PLAIN("A", "0", "1", "0", ""), NULL, 1, 1},
        {HEADER "\r\n" PLAIN("A", "0", "1", "0", "5") "Matmul,tt_dnn_dev", NULL, 1, 2},
        {HEADER "\r\n" SIGNPOST("only", "1"), NULL, 0, 0},
        {HEADER "\r\n" TORCH("only", "1"), NULL, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture = {0};
        add_file(&fixture, cases[i].text);
        const status failure = read_files(&fixture, &(struct perf_options){0});
        if (cases[i].message != NULL) {
            assert_non_null(failure);
            assert_non_null(strstr(status_message(failure), cases[i].message));
            status_free(failure);
            continue;
        }
        assert_null(failure);
        assert_int_equal(profile_ledger(fixture.perf->account).lost, cases[i].lost);
        assert_int_equal(fixture.perf->count, cases[i].count);
        perf_free(fixture.perf);
    }
}

// A report of unary operations only has no INPUT_1 columns.
static void a_report_without_second_inputs_is_read(void **state)
{
    (void)state;
    struct perf *perf = read_text("OP CODE,OP TYPE,DEVICE ID,CORE COUNT,OP TO OP LATENCY [ns],"
                                  "DEVICE KERNEL DURATION [ns],INPUT_0_W,INPUT_0_Z,INPUT_0_Y,"
                                  "INPUT_0_X,INPUT_0_DATATYPE,INPUT_0_MEMORY\n"
                                  "UnaryDeviceOperation,tt_dnn_device,0,64,0,100,1,1,32,32,"
                                  "BFLOAT16," DRAM "\n"
                                  "Matmul,tt_dnn_device,0,64,0,100,1,1,32,32,BFLOAT16," DRAM "\n",
                                  &(struct perf_options){0});
    assert_int_equal(perf->count, 2);
    assert_value(perf->ops[0].work.dram_bytes, 2048, 0);
    assert_false(perf->ops[1].flops.known);
    assert_true(view_is(perf->ops[1].label, "Matmul"));
    perf_free(perf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hand_checked_matmul),
        cmocka_unit_test(every_fidelity_has_its_peak),
        cmocka_unit_test(unknown_peaks_are_absent),
        cmocka_unit_test(bounds_start_at_65_percent),
        cmocka_unit_test(a_dram_sharded_matmul_runs_beside_the_controllers),
        cmocka_unit_test(a_convolution_is_measured_against_all_cores),
        cmocka_unit_test(halo_shows_its_window),
        cmocka_unit_test(work_follows_from_the_shapes),
        cmocka_unit_test(a_gap_longer_than_the_operation_limits_it),
        cmocka_unit_test(what_the_host_computes_in_a_gap_is_counted_once),
        cmocka_unit_test(a_trace_saves_nothing_of_what_the_host_computes),
        cmocka_unit_test(sub_devices_have_their_own_cores),
        cmocka_unit_test(batches_are_in_the_label),
        cmocka_unit_test(parts_count_what_moves),
        cmocka_unit_test(more_than_the_peak_is_doubted),
        cmocka_unit_test(the_clock_tells_the_arch),
        cmocka_unit_test(signposts_cut_a_window),
        cmocka_unit_test(shares_are_of_the_window),
        cmocka_unit_test(id_ranges_have_three_forms),
        cmocka_unit_test(rows_are_sorted_by_the_host_unless_traced),
        cmocka_unit_test(host_operations_are_marked_and_can_be_left_out),
        cmocka_unit_test(devices_merge_to_the_slowest_or_the_mean),
        cmocka_unit_test(a_device_that_misses_an_operation_is_in_the_ledger),
        cmocka_unit_test(several_files_are_several_hosts),
        cmocka_unit_test(bad_reports_are_errors_or_in_the_ledger),
        cmocka_unit_test(a_report_without_second_inputs_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
