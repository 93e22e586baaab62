// What a job takes at least: sums by hand, and never more than the evaluator says.

#include "compiler_support.h"

#include "compiler/least_time.h"
#include "device/sim.h"

// Three tiles of one member on the matrix unit; the cores share 107 GB/s.
static void sums_are_those_of_the_busiest_core(void **state)
{
    uint64_t cycles[] = {100, 200, 400}, shortest[] = {100};
    uint64_t in[] = {0, 0, 0}, out[] = {0, 0, 0};
    struct target *target;
    (void)state;
    require_ok(target_open("aic100", &target));
    const uint32_t memory = target_memory_named(target, "vtcm");
    const uint32_t engines[] = {target_engine_named(target, "hmx")};
    struct least_time least = {.count = 3,
                               .cycles = cycles,
                               .shortest = shortest,
                               .in = in,
                               .out = out,
                               .carried = true,
                               .engines = engines,
                               .member_count = 1};
    assert_true(plan_find_way(target, memory, &least.way));
    assert_int_equal(least_time(&least, target, 1), 700);
    assert_int_equal(least_time(&least, target, 2), 500); // the first and the third
    assert_int_equal(least_time(&least, target, 3), 400);
    // Whatever is loaded last, a tile is computed after that.
    in[0] = in[1] = in[2] = 1000;
    assert_int_equal(least_time(&least, target, 3), 1100);
    least.staying = 500; // by one core, which casts it
    assert_int_equal(least_time(&least, target, 3), 1600);
    least.staying = 0;
    least.own = 500; // by each
    assert_int_equal(least_time(&least, target, 1), 3600);
    // Nothing is computed before it is loaded, nor stored before it is computed.
    least.before = 1000;
    least.own_before = 500;
    assert_int_equal(least_time(&least, target, 3), 400 + 1500);
    least.staying_before = 300; // by the first core, for all
    assert_int_equal(least_time(&least, target, 3), 400 + 1500);
    cycles[0] = 400;
    assert_int_equal(least_time(&least, target, 3), 400 + 1800);
    least.after = 20;
    assert_int_equal(least_time(&least, target, 3), 400 + 1820);
    out[1] = 9000;
    assert_int_equal(least_time(&least, target, 3), 1500 + 100 + 9000);
    least.bytes = 3000000;
    least.own_bytes = 1000000;
    assert_int_equal(least_time(&least, target, 3), (uint64_t)(6e6 * 1450e6 / 107e9));
    target_free(target);
}

static const char NETWORK[] =
    "module {\n  func.func @main(%a: tensor<1x256x192xf16>) -> tensor<1x256x192xf16> {\n"
    "    %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>\n"
    "    %w = \"tosa.const\"() <{values = dense<0.5> : tensor<1x192x192xf16>}> : () -> "
    "tensor<1x192x192xf16>\n"
    "    %0 = tosa.matmul %a, %w, %z, %z : (tensor<1x256x192xf16>, tensor<1x192x192xf16>, "
    "tensor<1xf16>, tensor<1xf16>) -> tensor<1x256x192xf16>\n"
    "    %1 = tosa.tanh %0 : (tensor<1x256x192xf16>) -> tensor<1x256x192xf16>\n"
    "    return %1 : tensor<1x256x192xf16>\n  }\n}\n";

static void it_is_never_more_than_the_evaluator_says(void **state)
{
    static const char *const CORES[] = {"1", "2", "3", "7", "14"};
    (void)state;
    for (size_t i = 0; i < sizeof CORES / sizeof *CORES; i++) {
        struct compiled compiled;
        struct sim_result *result;
        struct arena arena = {0};
        uint64_t sum = 0;
        compile_text(&compiled, NETWORK, "aic100", "core.count", CORES[i]);
        const struct sim_options options = {.rules = COST_RULES_BEST, .unlinked = true};
        require_ok(sim_run_with(&compiled.program, compiled.target, &options, &result));
        for (uint32_t g = 0; g < compiled.plan->group_count; g++) {
            const struct plan_group *head = &compiled.plan->groups[g];
            const struct plan_group *whole = head->chain != NULL ? &head->chain->whole : head;
            const uint32_t count = head->chain != NULL ? head->chain->count : 1;
            struct plan_tile *tiles[TARGET_DEPTH_MOST + 1] = {whole->tiles};
            for (uint32_t m = 0; m < count; m++)
                tiles[m + 1] = head[m].tiles;
            struct least_time least;
            least_time_prepare(&least, compiled.plan, &arena, whole, head, count, tiles,
                               whole->stays, whole->tile_count);
            const uint64_t time =
                least_time(&least, compiled.target, whole->unit_count > 0 ? whole->unit_count : 1);
            assert_true(time > 0);
            sum += time;
            g += count - 1;
        }
        assert_true(sum <= result->end);
        sim_result_free(result);
        arena_free(&arena);
        compiled_free(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_busiest_core),
        cmocka_unit_test(it_is_never_more_than_the_evaluator_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
