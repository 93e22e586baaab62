// Advice and the stacked report on small reports written for the purpose.

#include "tt_perf_support.h"

// Advice ---------------------------------------------------------------------

static void fidelity_is_judged_by_the_types(void **state)
{
    (void)state;
    static const struct {
        const char *in0, *in1, *out, *fidelity;
        enum perf_judgement judgement;
    } cases[] = {
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT16", "HiFi4", PERF_SUFFICIENT},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT16", "HiFi3", PERF_SUFFICIENT},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT16", "HiFi2", PERF_TOO_LOW},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT16", "LoFi", PERF_TOO_LOW},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "HiFi4", PERF_TOO_HIGH},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "HiFi2", PERF_SUFFICIENT},
        {"BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "LoFi", PERF_TOO_LOW},
        {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B", "HiFi4", PERF_TOO_HIGH},
        {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B", "HiFi3", PERF_TOO_HIGH},
        {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B", "HiFi2", PERF_SUFFICIENT},
        {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B", "LoFi", PERF_TOO_LOW},
        {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT4_B", "HiFi2", PERF_SUFFICIENT},
        {"BFLOAT8_B", "BFLOAT4_B", "BFLOAT8_B", "LoFi", PERF_SUFFICIENT},
        {"BFLOAT8_B", "BFLOAT4_B", "BFLOAT8_B", "HiFi2", PERF_TOO_HIGH},
        {"FLOAT32", "FLOAT32", "FLOAT32", "HiFi4", PERF_TOO_HIGH},
        {"UINT32", "BFLOAT16", "BFLOAT16", "HiFi4", PERF_NOT_APPLICABLE},
        {"BFLOAT16", "BFLOAT16", "BFLOAT16", "HiFi7", PERF_NOT_APPLICABLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n" MATMUL("{}", "%s", "64", "1000", "32", "32", "32", "%s", L1, "%s",
                                      "%s", L1),
                 cases[i].fidelity, cases[i].in0, cases[i].in1, cases[i].out);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        const char *advice;
        assert_int_equal(perf_fidelity_judge(&perf->ops[0], &advice), cases[i].judgement);
        perf_free(perf);
    }
}

static void a_matmul_is_advised_by_its_bound(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *time, *cores, *memory;
        const char *advice[4]; // beginnings
    } cases[] = {
        // dram-bound, too_high fidelity
        {"{}", "55000", "64", DRAM, {"Try a DRAM-sharded program config", "HiFi2 is sufficient"}},
        // flop-bound
        {"{}",
         "80000",
         "32",
         DRAM,
         {"Increase grid size (currently using 32)", "HiFi2 is sufficient"}},
        // slow
        {"{}",
         "900000",
         "64",
         DRAM,
         {"If possible place input 0 in L1 (currently in " DRAM ")",
          "No program_config specified"}},
        {"{'program_config': 'P(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)'}",
         "900000",
         "64",
         L1,
         {"in0_block_w=1 is small", "Output subblock 1x1 is small", "HiFi2 is sufficient"}},
        {"{'program_config': 'P(in0_block_w=4;out_subblock_h=1;out_subblock_w=4)'}",
         "900000",
         "64",
         L1,
         {"in0_block_w=4 and output subblock 1x4 look good", "HiFi2 is sufficient"}},
        {"{'program_config': 'P(in0_block_w=4)'}",
         "900000",
         "64",
         L1,
         {"No output subblock size found", "HiFi2 is sufficient"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 HEADER "\r\n" MATMUL("%s", "HiFi4", "%s", "%s", "2048", "1024", "512", "FLOAT32",
                                      "%s", "BFLOAT16", "BFLOAT8_B", DRAM),
                 cases[i].attributes, cases[i].cores, cases[i].time, cases[i].memory);
        struct perf *perf = read_text(text, &(struct perf_options){0});
        struct perf_advice advice;
        perf_matmul_advise(perf, &perf->ops[0], &advice);
        size_t count = 0;
        while (count < 4 && cases[i].advice[count] != NULL)
            count++;
        assert_int_equal(advice.count, count);
        for (size_t k = 0; k < count; k++)
            assert_true(view_starts_with(advice.lines[k], cases[i].advice[k]));
        perf_free(perf);
    }
}

static void gaps_above_six_and_a_half_could_be_six(void **state)
{
    (void)state;
    struct perf *perf = read_text(
        HEADER "\r\n" PLAIN("A", "0", "1", "0", "10000") PLAIN("B", "0", "2", "6500", "1000")
            PLAIN("C", "0", "3", "6501", "1000") PLAIN("D", "0", "4", "16000", "1000"),
        &(struct perf_options){0});
    const struct perf_gap_gain gain = perf_gap_gain(perf);
    assert_int_equal(gain.count, 2);
    assert_true(fabs(gain.saved - 10.501) < 1e-9);
    assert_true(fabs(gain.percent - 10.501 / 42.001 * 100) < 1e-9);
    perf_free(perf);
}

// Stacked report -------------------------------------------------------------

static void operations_stack_by_code_memory_and_category(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "\r\n" MATMUL("{}", "HiFi4", "64", "30000", "1024", "1024", "1024", "BFLOAT16", L1,
                             "BFLOAT16", "BFLOAT16", L1)
            MATMUL("{}", "HiFi4", "64", "10000", "32", "1024", "1024", "BFLOAT16", DRAM, "BFLOAT16",
                   "BFLOAT16", L1) MATMUL("{}", "HiFi4", "64", "50000", "1024", "1024", "1024",
                                          "BFLOAT16", L1, "BFLOAT16", "BFLOAT16", L1)
                PLAIN("Untilize", "0", "9", "0", "10000") TORCH("numel", "10");
    struct perf *perf = read_text(text, &(struct perf_options){0});
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, PERF_BY_MEMORY, false, &groups, &count);
    assert_int_equal(count, 4);
    assert_true(view_is(groups[0].name, "Matmul (in0:block_sharded)"));
    assert_true(groups[0].time == 80 && groups[0].percent == 80);
    assert_int_equal(groups[0].count, 2);
    // 32.646 us at the peak: 108.82 % and 65.29 %.
    assert_value(groups[0].flops_least, 65.29, 0.01);
    assert_value(groups[0].flops_most, 108.82, 0.01);
    assert_value(groups[0].flops_mean, 87.06, 0.01);
    assert_value(groups[0].flops_deviation, 30.78, 0.01);
    assert_value(groups[0].flops_weighted, 81.61, 0.01);
    assert_false(groups[1].flops_deviation.known);
    assert_true(view_is(groups[3].name, "(torch)"));
    free(groups);

    perf_stack(perf, PERF_BY_OP, false, &groups, &count);
    assert_int_equal(count, 3);
    assert_true(view_is(groups[0].name, "Matmul") && groups[0].count == 3);
    free(groups);

    perf_stack(perf, PERF_BY_CATEGORY, false, &groups, &count);
    assert_int_equal(count, 3);
    assert_true(view_is(groups[0].name, "Compute") && groups[0].time == 90);
    assert_true(view_is(groups[1].name, "TM") && groups[1].time == 10);
    assert_true(view_is(groups[2].name, "Host"));
    free(groups);
    perf_free(perf);
}

static void devices_stack_apart(void **state)
{
    (void)state;
    struct perf *perf = read_text(DEVICES, &(struct perf_options){.no_merge_devices = true});
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, PERF_BY_OP, true, &groups, &count);
    assert_int_equal(count, 4);
    assert_true(groups[0].time >= groups[1].time && groups[1].time >= groups[2].time);
    perf_stack_order_devices(groups, count);
    assert_int_equal(groups[0].device, 0);
    assert_int_equal(groups[3].device, 1);
    assert_true(groups[0].percent == 50);
    free(groups);
    perf_free(perf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fidelity_is_judged_by_the_types),
        cmocka_unit_test(a_matmul_is_advised_by_its_bound),
        cmocka_unit_test(gaps_above_six_and_a_half_could_be_six),
        cmocka_unit_test(operations_stack_by_code_memory_and_category),
        cmocka_unit_test(devices_stack_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
