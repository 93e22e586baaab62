// Kinds of prices against sums done by hand, and what must hold for any request.

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "npu_target.h"
#include "target/rules/price.h"

static struct target *npu(void)
{
    struct target *target = NULL;
    const status failure = target_parse("npu", view_of(NPU_TARGET), &target);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return target;
}

static uint64_t price(const struct target *target, const char *engine, struct cost_request request)
{
    return cost_cycles(target, COST_RULES_BEST, target_engine_named(target, engine), &request);
}

static struct cost_request move(uint64_t bytes)
{
    return (struct cost_request){.kind = COST_TRANSFER, .bytes = bytes};
}

static void linear_is_setup_and_bytes(void **state)
{
    (void)state;
    struct target *target = npu();
    // 12 GB/s for one user at 900 MHz: 13 1/3 bytes a cycle.
    assert_int_equal(price(target, "load", move(4000)), 20 + 300);
    assert_int_equal(price(target, "store", move(160)), 10);
    assert_int_equal(price(target, "store", move(161)), 11);
    assert_int_equal(price(target, "spread", move(1000)), 10); // 90 GB/s: 100 bytes a cycle
    assert_int_equal(price(target, "store", move(0)), 1);
    const struct cost_request request = move(161);
    assert_int_equal(cost_bound(target, target_engine_named(target, "store"), &request), 10);
    target_free(target);
}

static struct cost_request product(enum cost_kind kind, unsigned bits, uint64_t outputs,
                                   uint64_t channels, uint64_t inner)
{
    return (struct cost_request){.kind = kind,
                                 .input_bits = (uint16_t)bits,
                                 .outputs = outputs,
                                 .channels = channels,
                                 .inner = inner,
                                 .groups = 1,
                                 .macs = outputs * channels * inner};
}

// The array runs at twice the target's clock: its cycles are halved, rounded up.
static void an_array_works_on_blocks(void **state)
{
    (void)state;
    struct target *target = npu();
    // 4 x 2 x 4 blocks of 32x32x8 at 4096 MACs: 64 cycles, and 56 around them.
    const struct cost_request convolution = product(COST_CONVOLUTION, 8, 100, 40, 27);
    assert_int_equal(price(target, "matrix", convolution), (64 + 56) / 2);
    // 108000 MACs at 4096 a cycle are 26 cycles of its own.
    const uint32_t matrix = target_engine_named(target, "matrix");
    assert_int_equal(cost_bound(target, matrix, &convolution), 13);
    // Half the rate for f16; what is not listed goes at the slowest.
    struct cost_request half = product(COST_CONVOLUTION, 16, 100, 40, 27);
    half.is_float = 1;
    assert_int_equal(price(target, "matrix", half), (128 + 56) / 2);
    assert_int_equal(price(target, "matrix", product(COST_CONVOLUTION, 32, 100, 40, 27)),
                     (128 + 56) / 2);
    // Each channel by itself: 2 x 10 x 2 blocks.
    assert_int_equal(price(target, "matrix", product(COST_DEPTHWISE, 8, 64, 10, 9)), (80 + 56) / 2);
    // 4 products of 16 rows: a block each; 2048 results leave in 32 cycles.
    struct cost_request batch = product(COST_MATMUL, 8, 64, 32, 8);
    batch.groups = 4;
    assert_int_equal(price(target, "matrix", batch), (32 + 56) / 2);
    // 1000 steps leave in 16 cycles.
    const struct cost_request steps = {.kind = COST_ELEMENTWISE, .outputs = 1000, .inner = 1};
    assert_int_equal(price(target, "matrix", steps), (16 + 56) / 2);
    assert_int_equal(target_set(target, "matrix.drain", "7"), STATUS_OK);
    assert_int_equal(price(target, "matrix", steps), 37); // 73 cycles of its own
    target_free(target);
}

static struct cost_request function(const char *name, uint64_t elements)
{
    return (struct cost_request){.kind = COST_ELEMENTWISE,
                                 .function = cost_function(view_of(name)),
                                 .outputs = elements,
                                 .inner = 1};
}

static void lanes_have_rates_by_function(void **state)
{
    (void)state;
    struct target *target = npu();
    assert_int_equal(price(target, "vector", function("Add", 640)), 3 + 10);
    assert_int_equal(price(target, "vector", function("tosa.add", 641)), 3 + 11);
    assert_int_equal(price(target, "vector", function("Exp", 640)), 3 + 80);
    assert_int_equal(price(target, "vector", function("Tanh", 640)), 3 + 40);
    const struct cost_request sums = {.kind = COST_REDUCTION, .outputs = 10, .inner = 64};
    assert_int_equal(price(target, "vector", sums), 3 + 160);
    struct cost_request wide = function("Add", 640);
    wide.bytes = 12800; // 128 a cycle
    assert_int_equal(price(target, "vector", wide), 3 + 100);
    const uint32_t vector = target_engine_named(target, "vector");
    assert_int_equal(cost_bound(target, vector, &sums), 10);
    target_free(target);
}

static void fixed_is_the_same_for_all(void **state)
{
    (void)state;
    struct target *target = npu();
    assert_int_equal(price(target, "pool", function("MaxPool", 1)), 500);
    assert_int_equal(price(target, "pool", function("MaxPool", 1000000)), 500);
    const struct cost_request given = {.kind = COST_FIXED, .cycles = 77};
    assert_int_equal(price(target, "pool", given), 77);
    assert_int_equal(price(target, "matrix", given), 77); // of the target's clock
    target_free(target);
}

static void keys_have_meanings(void **state)
{
    (void)state;
    for (size_t i = 0; PRICE_KINDS[i] != NULL; i++) {
        assert_ptr_equal(price_kind_named(view_of(PRICE_KINDS[i]->name)), PRICE_KINDS[i]);
        assert_non_null(PRICE_KINDS[i]->summary);
        for (const struct price_key *key = PRICE_KINDS[i]->keys; key->name != NULL; key++)
            assert_true(key->meaning != NULL && key->meaning[0] != '\0');
    }
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
    static const char *const NAMES[] = {"Add", "Exp", "Tanh", "Conv", "tosa.matmul"};
    struct cost_request request = {
        .kind = COST_TRANSFER + (uint32_t)rand_r(seed) % (COST_KINDS - COST_TRANSFER),
        .input_bits = BITS[rand_r(seed) % 5],
        .weight_bits = BITS[rand_r(seed) % 5],
        .is_float = (uint16_t)(rand_r(seed) % 2),
        .function = cost_function(view_of(NAMES[rand_r(seed) % 5])),
        .outputs = up_to(seed, 1 << 20),
        .channels = up_to(seed, 1 << 12),
        .inner = up_to(seed, 1 << 12),
        .groups = up_to(seed, 4),
        .bytes = up_to(seed, 1 << 30),
        .cycles = up_to(seed, 1 << 20),
        .variant = (uint32_t)rand_r(seed) % COST_VARIANTS,
        .kernel = 1,
        .run = 1,
    };
    if (request.kind == COST_CONVOLUTION || request.kind == COST_DEPTHWISE ||
        request.kind == COST_MATMUL || request.kind == COST_RECURRENT)
        request.macs = request.outputs * request.channels * request.inner;
    return request;
}

static struct target *any_target(unsigned number)
{
    struct target *target = NULL;
    if (number == 2)
        return npu();
    assert_null(target_open_shipped(number == 0 ? "torq-sl2610" : "host", &target));
    if (number == 1)
        assert_null(target_set(target, "cpu.time.Conv.f32.784x64x16x9", "91234"));
    return target;
}

static uint64_t sum_of(const struct cost_explanation *explanation)
{
    uint64_t sum = 0;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < explanation->term_count; i++) {
        const struct cost_term *term = &explanation->terms[i];
        assert_true(term->name[0] != '\0' && term->how[0] != '\0');
        if (term->alternative)
            largest = term->cycles > largest ? term->cycles : largest;
        else
            sum += term->cycles;
    }
    return sum + largest;
}

static void check_request(const struct target *target, uint32_t engine,
                          const struct cost_request *request)
{
    struct cost_explanation explanation;
    for (int rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++) {
        cost_explain(target, (enum cost_rules)rules, engine, request, &explanation);
        assert_int_equal(sum_of(&explanation), explanation.engine_cycles);
        assert_int_equal(explanation.cycles,
                         cost_cycles(target, (enum cost_rules)rules, engine, request));
        if (rules == COST_RULES_BEST && explanation.cycles < explanation.bound)
            fail_msg("%s: %" PRIu64 " cycles are less than %" PRIu64, target->engines[engine].name,
                     explanation.cycles, explanation.bound);
    }
}

static void terms_add_up_and_bounds_hold(void **state)
{
    (void)state;
    unsigned seed = 11;
    for (unsigned number = 0; number < 3; number++) {
        struct target *target = any_target(number);
        for (unsigned round = 0; round < 5000; round++) {
            const struct cost_request request = any_request(&seed);
            for (uint32_t engine = 0; engine < target->engine_count; engine++)
                check_request(target, engine, &request);
        }
        target_free(target);
    }
}

static void nothing_gets_slower_with_a_rate(void **state)
{
    (void)state;
    static const char *const FASTER[][2] = {
        {"bus.rate", "120 GB/s"},
        {"bus.per_user", "13 GB/s"},
        {"store.bytes_per_cycle", "17"},
        {"spread.rate", "91 GB/s"},
        {"matrix.macs", "i8:5000 f16:2048"},
        {"matrix.macs", "i8:4096 f16:3000"},
        {"matrix.results_per_cycle", "65"},
        {"vector.rate", "add:65 exp:8 reduction:4 default:16"},
        {"vector.rate", "add:64 exp:9 reduction:4 default:16"},
        {"vector.rate", "add:64 exp:8 reduction:5 default:16"},
        {"vector.rate", "add:64 exp:8 reduction:4 default:17"},
        {"vector.bytes_per_cycle", "150"},
        {"matrix.setup", "39"},
        {"load.setup", "0"},
        {"pool.cycles", "499"},
        {"host.start_cycles", "1"},
        {"host.macs_per_cycle", "2"},
        {"host.bytes_per_cycle", "5"},
    };
    struct target *target = npu();
    for (size_t i = 0; i < sizeof FASTER / sizeof *FASTER; i++) {
        struct target *faster = npu();
        unsigned seed = (unsigned)i;
        assert_null(target_set(faster, FASTER[i][0], FASTER[i][1]));
        for (unsigned round = 0; round < 2000; round++) {
            const struct cost_request request = any_request(&seed);
            for (uint32_t engine = 0; engine < target->engine_count; engine++)
                assert_true(cost_cycles(faster, COST_RULES_BEST, engine, &request) <=
                            cost_cycles(target, COST_RULES_BEST, engine, &request));
        }
        target_free(faster);
    }
    target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_setup_and_bytes),
        cmocka_unit_test(an_array_works_on_blocks),
        cmocka_unit_test(lanes_have_rates_by_function),
        cmocka_unit_test(fixed_is_the_same_for_all),
        cmocka_unit_test(keys_have_meanings),
        cmocka_unit_test(terms_add_up_and_bounds_hold),
        cmocka_unit_test(nothing_gets_slower_with_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
