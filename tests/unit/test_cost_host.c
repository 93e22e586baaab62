// Prices of a processor from a small table of measured times, worked out by hand.

#include "target/rules/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "[target]\nname = host\nrules = host\nclock = 1 GHz\n[memory dram]\nsize = 1 GiB\n"            \
    "[engine cpu]\nkind = cpu\nmemory = dram\n"

static struct target *parse(const char *lines)
{
    char text[2000];
    struct target *target;
    snprintf(text, sizeof text, HEAD "%s", lines);
    assert_int_equal(target_parse("test.target", view_of(text), &target), STATUS_OK);
    return target;
}

static uint64_t price(const struct target *target, struct cost_request request)
{
    return cost_cycles(target, COST_RULES_BEST, target_engine_named(target, "cpu"), &request);
}

static struct cost_request relu(uint64_t elements)
{
    return (struct cost_request){.kind = COST_ELEMENTWISE,
                                 .function = cost_function(view_of("Relu")),
                                 .input_bits = 32,
                                 .is_float = 1,
                                 .outputs = elements,
                                 .inner = 1,
                                 .run = 1};
}

static void measured_times_are_given_back(void **state)
{
    (void)state;
    struct target *target = parse("time.Relu.f32.100x1 = 50\ntime.Relu.f32.10000x1 = 5000\n");
    assert_int_equal(price(target, relu(100)), 50);
    assert_int_equal(price(target, relu(10000)), 5000);
    target_free(target);
}

// Ten times the elements are half the way in logarithms: ten times the time.
static void between_them_logarithms_go_straight(void **state)
{
    (void)state;
    struct target *target = parse("time.Relu.f32.100x1 = 50\ntime.Relu.f32.10000x1 = 5000\n");
    assert_in_range(price(target, relu(1000)), 500, 501);
    // Beyond the last one it goes on as before; below the first one too.
    assert_in_range(price(target, relu(100000)), 50000, 50001);
    assert_in_range(price(target, relu(10)), 5, 6);
    target_free(target);
}

static void a_larger_size_never_takes_less_outside(void **state)
{
    (void)state;
    struct target *target = parse("time.Relu.f32.100x1 = 80\ntime.Relu.f32.200x1 = 40\n");
    assert_int_equal(price(target, relu(100)), 80);
    assert_int_equal(price(target, relu(1000000)), 40);
    assert_int_equal(price(target, relu(1)), 80);
    target_free(target);
}

static struct cost_request conv(uint64_t places, uint64_t channels, uint64_t inputs,
                                uint32_t kernel)
{
    return (struct cost_request){.kind = COST_CONVOLUTION,
                                 .function = cost_function(view_of("Conv")),
                                 .input_bits = 32,
                                 .is_float = 1,
                                 .outputs = places,
                                 .channels = channels,
                                 .inner = inputs * kernel,
                                 .kernel = kernel,
                                 .macs = places * channels * inputs * kernel};
}

// What was too large to be measured goes on at the rate of its neighbour.
static void cells_left_out_follow_their_neighbour(void **state)
{
    (void)state;
    struct target *target = parse("time.Conv.f32.10x8x4x1 = 100\ntime.Conv.f32.10x8x4x9 = 900\n"
                                  "time.Conv.f32.10x16x4x1 = 200\n");
    assert_int_equal(price(target, conv(10, 8, 4, 9)), 900);
    assert_in_range(price(target, conv(10, 16, 4, 9)), 1800, 1801);
    target_free(target);
}

static void others_of_the_kind_stand_in(void **state)
{
    (void)state;
    struct target *target = parse("time.Add.f32.100x1 = 50\ntime.Add.f32.10000x1 = 5000\n");
    struct cost_request request = relu(100);
    assert_int_equal(price(target, request), 50);
    request.inner = 4; // steps
    assert_int_equal(price(target, request), 200);
    request.variant = COST_ROW; // not measured: as if plain
    assert_int_equal(price(target, request), 200);
    target_free(target);
}

static void rates_serve_where_nothing_was_measured(void **state)
{
    (void)state;
    struct target *target = parse("start_cycles = 10\nmacs_per_cycle = 4\nsteps_per_cycle = 0.5\n"
                                  "bytes_per_cycle = 2\ncache_l1 = 1 KiB\nbandwidth_l1 = 8\n");
    assert_int_equal(price(target, conv(10, 8, 4, 9)), 10 + 10 * 8 * 4 * 9 / 4);
    assert_int_equal(price(target, relu(100)), 10 + 200);
    struct cost_request request = relu(10);
    request.bytes = 800;
    assert_int_equal(price(target, request), 10 + 100);
    request.bytes = 8000;
    assert_int_equal(price(target, request), 10 + 4000);
    target_free(target);
}

static void nothing_is_faster_than_the_peak(void **state)
{
    (void)state;
    struct target *target = parse("time.Conv.f32.10x8x4x9 = 3\npeak_macs_per_cycle = 64\n"
                                  "peak_bytes_per_cycle = 16\nstart_cycles = 2\n");
    struct cost_request request = conv(10, 8, 4, 9);
    const uint32_t engine = target_engine_named(target, "cpu");
    assert_int_equal(cost_bound(target, engine, &request), 2880 / 64);
    assert_int_equal(price(target, request), 2880 / 64);
    request.bytes = 1600;
    assert_int_equal(cost_bound(target, engine, &request), 100);
    assert_int_equal(price(target, request), 100);
    target_free(target);
}

static void keys_are_read_as_they_are_written(void **state)
{
    (void)state;
    char key[100];
    struct cost_request request = conv(784, 64, 16, 9);
    table_key(view_of("tosa.conv2d"), &request, key, sizeof key);
    assert_string_equal(key, "time.tosa.conv2d.f32.784x64x16x9");
    request.variant = COST_SPREAD;
    table_key(view_of("Conv"), &request, key, sizeof key);
    assert_string_equal(key, "time.Conv.f32.spread.784x64x16x9");
    assert_true(table_is_time(view_of(key)));
    static const char *const WRONG[] = {"time",
                                        "time.Conv",
                                        "time.Conv.f32",
                                        "time.f32.1x1",
                                        "time.Conv.f32.0x1",
                                        "time..f32.1",
                                        "time.Add.f32.x",
                                        "time.Add.f32.1x1x1x1x1"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_false(table_is_time(view_of(WRONG[i])));
}

static void settings_changed_later_count(void **state)
{
    (void)state;
    struct target *target = parse("time.Relu.f32.100x1 = 50\n");
    assert_int_equal(target_set(target, "cpu.time.Relu.f32.100x1", "70"), STATUS_OK);
    assert_int_equal(price(target, relu(100)), 70);
    const status failure = target_set(target, "cpu.colour", "1");
    assert_int_not_equal(failure, STATUS_OK);
    status_free(failure);
    target_free(target);
}

// The built-in description is one of rates alone.
static void the_built_in_host_prices_everything(void **state)
{
    (void)state;
    struct target *target;
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    unsetenv("OPSCOPE_TARGETS");
    assert_int_equal(target_open("host", &target), STATUS_OK);
    const uint32_t engine = target_engine_named(target, "cpu");
    for (uint32_t kind = COST_TRANSFER; kind < COST_KINDS; kind++) {
        struct cost_request request = conv(784, 64, 16, 9);
        request.kind = kind;
        request.bytes = 300000;
        assert_true(price(target, request) >= cost_bound(target, engine, &request));
        assert_true(price(target, request) > 0);
    }
    target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_times_are_given_back),
        cmocka_unit_test(between_them_logarithms_go_straight),
        cmocka_unit_test(a_larger_size_never_takes_less_outside),
        cmocka_unit_test(cells_left_out_follow_their_neighbour),
        cmocka_unit_test(others_of_the_kind_stand_in),
        cmocka_unit_test(rates_serve_where_nothing_was_measured),
        cmocka_unit_test(nothing_is_faster_than_the_peak),
        cmocka_unit_test(keys_are_read_as_they_are_written),
        cmocka_unit_test(settings_changed_later_count),
        cmocka_unit_test(the_built_in_host_prices_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
