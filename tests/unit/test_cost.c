// Prices against sums done by hand, and what must hold for any request.

#include "target/cost.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct target *torq(void)
{
    struct target *target;
    assert_int_equal(target_open("torq-sl2610", &target), STATUS_OK);
    return target;
}

static uint64_t price(const struct target *target, const char *engine, struct cost_request request)
{
    return cost_cycles(target, COST_RULES_BEST, target_engine_named(target, engine), &request);
}

static uint64_t transfer(const struct target *target, const char *engine, uint64_t bytes)
{
    return price(target, engine, (struct cost_request){.kind = COST_TRANSFER, .bytes = bytes});
}

// 8 x 0.65 x 16 / 17.5 bytes a cycle, rounded up; the figures are the vendor's.
static void transfers_have_published_prices(void **state)
{
    (void)state;
    struct target *target = torq();
    static const uint64_t PRICES[][2] = {{1, 1},    {2, 1},    {8, 2},         {72, 16},
                                         {188, 40}, {264, 56}, {364, 77},      {75264, 15831},
                                         {0, 1},    {4, 1},    {400000, 84135}};
    for (size_t i = 0; i < sizeof PRICES / sizeof *PRICES; i++) {
        assert_int_equal(transfer(target, "dma_in", PRICES[i][0]), PRICES[i][1]);
        assert_int_equal(transfer(target, "dma_out", PRICES[i][0]), PRICES[i][1]);
    }
    // 16 x 0.36 = 5.76 bytes a cycle.
    assert_int_equal(transfer(target, "cdma", 576), 100);
    assert_int_equal(transfer(target, "cdma", 577), 101);
    target_free(target);
}

static void set_up_is_charged_once_but_by_public_rules(void **state)
{
    (void)state;
    struct target *target = torq();
    assert_int_equal(target_set(target, "dma_in.setup", "30"), STATUS_OK);
    assert_int_equal(transfer(target, "dma_in", 364), 107);
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = 364};
    const uint32_t engine = target_engine_named(target, "dma_in");
    assert_int_equal(cost_cycles(target, COST_RULES_PUBLIC, engine, &request), 77);
    target_free(target);
}

static struct cost_request product(enum cost_kind kind, unsigned input_bits, unsigned weight_bits,
                                   uint64_t outputs, uint64_t channels, uint64_t inner)
{
    return (struct cost_request){.kind = kind,
                                 .input_bits = (uint16_t)input_bits,
                                 .weight_bits = (uint16_t)weight_bits,
                                 .outputs = outputs,
                                 .channels = channels,
                                 .inner = inner,
                                 .macs = outputs * channels * inner};
}

// Products that are not scaled back; what lies behind is in tests/e2e/525_torq_kernels.py.
static void slices_multiply_by_their_kernels(void **state)
{
    (void)state;
    struct target *target = torq();
    // 100 places in two vectors of 64; 10 channels: twice 4, and 2 in a task of their own.
    struct cost_request conv = product(COST_CONVOLUTION, 8, 8, 100, 10, 27);
    conv.output_bits = 8;
    assert_int_equal(price(target, "slice", conv), 2 * 2 * 27 + 2 * 27);
    conv.inner = 5; // results leave 16 at a time
    assert_int_equal(price(target, "slice", conv), 2 * 2 * 16 + 2 * 8);
    // Rows one after the other, columns by 64, 32 and 16 of them.
    struct cost_request matmul = product(COST_MATMUL, 8, 8, 64, 256, 128);
    matmul.output_bits = 32;
    assert_int_equal(price(target, "slice", matmul), 64 * 4 * 128);
    matmul.input_bits = 16;
    assert_int_equal(price(target, "slice", matmul), 64 * 8 * 128);
    matmul.weight_bits = 16;
    assert_int_equal(price(target, "slice", matmul), 64 * 16 * 128);
    matmul.is_float = 1;
    assert_int_equal(price(target, "slice", matmul), 64 * 8 * 128);
    // Scaled back: 64 outputs a pass, 8 where there are 10.
    struct cost_request connected = product(COST_MATMUL, 8, 8, 1, 1000, 1280);
    connected.output_bits = 8;
    assert_int_equal(price(target, "slice", connected), 16 * 1280);
    connected.channels = 10;
    assert_int_equal(price(target, "slice", connected), 2 * 1280);
    connected.variant = COST_FREE; // nothing is known of the weights: one vector of 10
    assert_int_equal(price(target, "slice", connected), 1280);
    // A window of 3x3, four channels at a time: their results take longer than products.
    struct cost_request depthwise = product(COST_DEPTHWISE, 8, 8, 128, 24, 9);
    depthwise.kernel = 9;
    depthwise.window = (struct cost_window){3, 3, 1, COST_WINDOW_CENTRED, 1};
    assert_int_equal(price(target, "slice", depthwise), 2 * 6 * 16);
    target_free(target);
}

static void slices_do_other_work_by_its_sort(void **state)
{
    (void)state;
    struct target *target = torq();
    struct cost_request request = {.kind = COST_ELEMENTWISE,
                                   .input_bits = 8,
                                   .output_bits = 8,
                                   .outputs = 1000,
                                   .kernel = COST_SORT_SUM};
    assert_int_equal(price(target, "slice", request), 32 * 4); // 32 at a time
    request.variant = COST_ROW;                                // spread first, 16 at a time
    assert_int_equal(price(target, "slice", request), 32 * 4 + 63);
    request.variant = COST_SCALAR;
    assert_int_equal(price(target, "slice", request), 16 * 4);
    request.cycles = 80; // of a kernel more
    assert_int_equal(price(target, "slice", request), 16 * 4 + 10);
    request = (struct cost_request){.kind = COST_TABLE, .input_bits = 8, .outputs = 640};
    assert_int_equal(price(target, "slice", request), 320);
    const uint32_t slice = target_engine_named(target, "slice");
    assert_string_equal(cost_kernel(target, slice, &request), "table");
    assert_null(cost_kernel(target, target_engine_named(target, "css"), &request));
    target_free(target);
}

static void processors_take_steps(void **state)
{
    (void)state;
    struct target *target = torq();
    const struct cost_request steps = {.kind = COST_OTHER, .outputs = 100, .inner = 3};
    assert_int_equal(price(target, "css", steps), 1000 + 300 * 4);
    assert_int_equal(price(target, "host", steps), 8000 + 150);
    const struct cost_request macs = {.kind = COST_MATMUL, .outputs = 9, .macs = 8001, .bytes = 8};
    assert_int_equal(price(target, "host", macs), 8000 + 1001);
    const struct cost_request copy = {.kind = COST_MOVEMENT, .outputs = 9, .bytes = 4001};
    assert_int_equal(price(target, "host", copy), 8000 + 1001);
    target_free(target);
}

static void public_rules_are_flat(void **state)
{
    (void)state;
    struct target *target = torq();
    const struct cost_request steps = {.kind = COST_OTHER, .outputs = 100, .inner = 3};
    const uint32_t css = target_engine_named(target, "css");
    const uint32_t host = target_engine_named(target, "host");
    assert_int_equal(cost_cycles(target, COST_RULES_PUBLIC, css, &steps), 8000);
    assert_int_equal(cost_cycles(target, COST_RULES_PUBLIC, host, &steps), 0);
    target_free(target);
}

static void fixed_work_costs_what_it_says(void **state)
{
    (void)state;
    struct target *target = torq();
    const struct cost_request fixed = {.kind = COST_FIXED, .cycles = 12345678901ull};
    assert_int_equal(price(target, "slice", fixed), 12345678901ull);
    assert_int_equal(price(target, "slice", (struct cost_request){.kind = COST_NOTHING}), 0);
    target_free(target);
}

static void enormous_work_does_not_wrap(void **state)
{
    (void)state;
    struct target *target = torq();
    const struct cost_request steps = {.kind = COST_OTHER, .outputs = UINT64_MAX / 2, .inner = 1};
    assert_true(price(target, "css", steps) >= UINT64_MAX / 2);
    assert_true(transfer(target, "dma_in", UINT64_MAX) > UINT64_MAX / 8);
    target_free(target);
}

// Any request -------------------------------------------------------------------

static uint64_t up_to(unsigned *seed, uint64_t most)
{
    const uint64_t shift = (uint64_t)rand_r(seed) % 24;
    return 1 + (((uint64_t)rand_r(seed) << 16 ^ (uint64_t)rand_r(seed)) % most >> shift);
}

static struct cost_request any_request(unsigned *seed)
{
    static const uint16_t BITS[] = {4, 8, 16, 32, 48};
    struct cost_request request = {
        .kind = COST_TRANSFER + (uint32_t)rand_r(seed) % (COST_KINDS - COST_TRANSFER),
        .input_bits = BITS[rand_r(seed) % 5],
        .weight_bits = BITS[rand_r(seed) % 5],
        .output_bits = BITS[rand_r(seed) % 5],
        .is_float = (uint16_t)(rand_r(seed) % 2),
        .outputs = up_to(seed, 1 << 20),
        .channels = up_to(seed, 1 << 12),
        .inner = up_to(seed, 1 << 12),
        .groups = 1,
        .bytes = up_to(seed, 1 << 30),
    };
    if (request.kind == COST_CONVOLUTION || request.kind == COST_DEPTHWISE ||
        request.kind == COST_MATMUL || request.kind == COST_RECURRENT)
        request.macs = request.outputs * request.channels * request.inner;
    return request;
}

static void no_price_is_below_what_physics_allows(void **state)
{
    (void)state;
    struct target *target = torq();
    unsigned seed = 5;
    for (unsigned round = 0; round < 20000; round++) {
        const struct cost_request request = any_request(&seed);
        for (uint32_t engine = 0; engine < target->engine_count; engine++) {
            assert_true(cost_cycles(target, COST_RULES_BEST, engine, &request) >=
                        cost_bound(target, engine, &request));
        }
    }
    target_free(target);
}

static bool is_rate(const char *name)
{
    static const char *const RATES[] = {
        ".bytes_per_cycle",  ".efficiency",        ".mtu",
        ".inputs_per_cycle", ".weights_per_cycle", ".results_per_cycle",
        ".steps_per_cycle",  ".macs_per_cycle"};
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        if (view_ends_with(view_of(name), RATES[i]))
            return true;
    }
    return false;
}

// Twice the rate; an efficiency goes no further than 1.
static double faster_rate(const struct target_setting *setting)
{
    const double twice = 2 * setting->number;
    return view_ends_with(view_of(setting->name), ".efficiency") && twice > 1 ? 1 : twice;
}

// The target with one rate doubled; NULL when setting `index` is no rate.
static struct target *doubled(const struct target *target, uint32_t index)
{
    const struct target_setting *setting = &target->settings[index];
    if (!is_rate(setting->name))
        return NULL;
    char value[64];
    snprintf(value, sizeof value, "%.17g", faster_rate(setting));
    struct target *faster = torq();
    assert_int_equal(target_set(faster, setting->name, value), STATUS_OK);
    assert_true(target_number(faster, setting->name, 0) == faster_rate(setting));
    return faster;
}

static void no_price_rises_with_a_rate(void **state)
{
    (void)state;
    struct target *target = torq();
    unsigned rates = 0;
    for (uint32_t i = 0; i < target->setting_count; i++) {
        struct target *faster = doubled(target, i);
        if (faster == NULL)
            continue;
        rates++;
        unsigned seed = i;
        for (unsigned round = 0; round < 2000; round++) {
            const struct cost_request request = any_request(&seed);
            for (uint32_t engine = 0; engine < target->engine_count; engine++)
                assert_true(cost_cycles(faster, COST_RULES_BEST, engine, &request) <=
                            cost_cycles(target, COST_RULES_BEST, engine, &request));
        }
        target_free(faster);
    }
    assert_true(rates >= 12);
    target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_have_published_prices),
        cmocka_unit_test(set_up_is_charged_once_but_by_public_rules),
        cmocka_unit_test(slices_multiply_by_their_kernels),
        cmocka_unit_test(slices_do_other_work_by_its_sort),
        cmocka_unit_test(processors_take_steps),
        cmocka_unit_test(public_rules_are_flat),
        cmocka_unit_test(fixed_work_costs_what_it_says),
        cmocka_unit_test(enormous_work_does_not_wrap),
        cmocka_unit_test(no_price_is_below_what_physics_allows),
        cmocka_unit_test(no_price_rises_with_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
