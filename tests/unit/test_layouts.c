// Rows and tiles: who needs what, and that a program in which somebody finds values otherwise is
// refused.

#include "compiler_support.h"

#include "program/layouts.h"
#include "program/verify_layouts.h"

static struct shape shape_with(uint32_t rank, int64_t a, int64_t b, int64_t c)
{
    return (struct shape){.rank = rank, .dims = {a, b, c}};
}

static void only_values_with_two_sides_lie_in_two_ways(void **state)
{
    (void)state;
    const struct shape row = shape_with(3, 1, 1, 64);
    const struct shape column = shape_with(3, 1, 64, 1);
    const struct shape matrix = shape_with(2, 2, 64, 0);
    const struct shape scalar = shape_with(0, 0, 0, 0);
    assert_false(layouts_matter(&row));
    assert_false(layouts_matter(&column));
    assert_false(layouts_matter(&scalar));
    assert_true(layouts_matter(&matrix));
}

static void a_view_in_tiles_keeps_its_last_two_sides(void **state)
{
    (void)state;
    const struct shape from = shape_with(3, 1, 8, 64);
    const struct shape same = shape_with(2, 8, 64, 0);
    const struct shape other = shape_with(2, 16, 32, 0);
    const struct shape line = shape_with(1, 512, 0, 0);
    assert_true(layouts_view(&from, &same));
    assert_false(layouts_view(&from, &other));
    assert_false(layouts_view(&from, &line));
}

static void either_names_operators_and_classes(void **state)
{
    static const struct {
        const char *operator;
        bool either;
    } CASES[] = {{"Add", true},     {"tosa.add", true},    {"Softmax", true},
                 {"Concat", true},  {"tosa.concat", true}, {"Transpose", false},
                 {"MatMul", false}, {"Reshape", false}};
    struct target *target;
    (void)state;
    require_ok(target_open("aic100", &target));
    assert_true(target_has_layouts(target));
    uint32_t engine = 0;
    while (target->engines[engine].either == NULL)
        engine++;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct operator_definition *definition =
            operator_find(view_of(""), view_of(CASES[i].operator));
        assert_int_equal(layouts_either(target, engine, definition), CASES[i].either);
    }
    target_free(target);
    require_ok(target_open("wormhole_b0", &target)); // tiles, but nobody who lays out anew
    assert_false(target_has_layouts(target));
    target_free(target);
}

// A product, something elementwise, a turn, a product.
static const char NETWORK[] =
    "module {\n  func.func @main(%a: tensor<1x64x64xf16>) -> tensor<1x64x64xf16> {\n"
    "    %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>\n"
    "    %w = \"tosa.const\"() <{values = dense<0.5> : tensor<1x64x64xf16>}> : () -> "
    "tensor<1x64x64xf16>\n"
    "    %0 = tosa.matmul %a, %w, %z, %z : (tensor<1x64x64xf16>, tensor<1x64x64xf16>, "
    "tensor<1xf16>, tensor<1xf16>) -> tensor<1x64x64xf16>\n"
    "    %1 = tosa.tanh %0 : (tensor<1x64x64xf16>) -> tensor<1x64x64xf16>\n"
    "    %2 = tosa.transpose %1 {perms = array<i32: 0, 2, 1>} : (tensor<1x64x64xf16>) -> "
    "tensor<1x64x64xf16>\n"
    "    %3 = tosa.matmul %2, %w, %z, %z : (tensor<1x64x64xf16>, tensor<1x64x64xf16>, "
    "tensor<1xf16>, tensor<1xf16>) -> tensor<1x64x64xf16>\n"
    "    return %3 : tensor<1x64x64xf16>\n  }\n}\n";

static void values_are_laid_out_where_it_is_due(void **state)
{
    static const char *const GROUPS[] = {"to_tiles",  "matmul",   "tanh",   "from_tiles",
                                         "transpose", "to_tiles", "matmul", "from_tiles"};
    struct compiled compiled;
    (void)state;
    compile_text(&compiled, NETWORK, "aic100", NULL, NULL);
    const struct program *program = &compiled.program;
    assert_int_equal(program->group_count, sizeof GROUPS / sizeof *GROUPS);
    for (uint32_t i = 0; i < program->group_count; i++)
        assert_string_equal(program_text(program, program->groups[i].type), GROUPS[i]);
    require_ok(verify_layouts(program, compiled.target));
    compiled_free(&compiled);
}

// Two products; no part of the first fits a core: its rows and columns are too long.
static const char LONG_NETWORK[] =
    "module {\n  func.func @main(%a: tensor<1x64x140000xf16>, %b: tensor<1x140000x64xf16>) -> "
    "tensor<1x64x64xf16> {\n"
    "    %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>\n"
    "    %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x64x140000xf16>, tensor<1x140000x64xf16>, "
    "tensor<1xf16>, tensor<1xf16>) -> tensor<1x64x64xf16>\n"
    "    %1 = tosa.matmul %0, %0, %z, %z : (tensor<1x64x64xf16>, tensor<1x64x64xf16>, "
    "tensor<1xf16>, tensor<1xf16>) -> tensor<1x64x64xf16>\n"
    "    return %1 : tensor<1x64x64xf16>\n  }\n}\n";

static void what_goes_to_the_host_lies_in_rows(void **state)
{
    static const struct {
        const char *type, *engine;
    } GROUPS[] = {
        {"matmul", "host"}, {"to_tiles", "hvx"}, {"matmul", "hmx"}, {"from_tiles", "hvx"}};
    struct compiled compiled;
    (void)state;
    compile_text(&compiled, LONG_NETWORK, "aic100", NULL, NULL);
    const struct program *program = &compiled.program;
    assert_int_equal(program->group_count, sizeof GROUPS / sizeof *GROUPS);
    for (uint32_t i = 0; i < program->group_count; i++) {
        const struct program_group *group = &program->groups[i];
        assert_string_equal(program_text(program, group->type), GROUPS[i].type);
        assert_string_equal(compiled.target->engines[group->engine].name, GROUPS[i].engine);
    }
    require_ok(verify_layouts(program, compiled.target));
    compiled_free(&compiled);
}

static void any_value_that_lies_otherwise_is_refused(void **state)
{
    struct compiled compiled;
    struct verify_counts counts;
    uint32_t in_tiles = 0;
    (void)state;
    compile_text(&compiled, NETWORK, "aic100", NULL, NULL);
    require_ok(program_verify(&compiled.program, compiled.target, &counts));
    struct program_value *values = (struct program_value *)(uintptr_t)compiled.program.values;
    for (uint32_t i = 0; i < compiled.program.value_count; i++) {
        in_tiles += values[i].layout == PROGRAM_TILES;
        values[i].layout = !values[i].layout;
        const status failure = verify_layouts(&compiled.program, compiled.target);
        assert_non_null(failure);
        status_free(failure);
        values[i].layout = !values[i].layout;
    }
    assert_int_equal(in_tiles, 6); // a, w, both products, tanh, the turn
    compiled_free(&compiled);
}

// The matrix unit has no tiles, so that nothing is laid out: that is refused where it has.
static void the_engine_decides(void **state)
{
    struct compiled plain, tiled;
    (void)state;
    compile_text(&plain, NETWORK, "aic100", "hmx.tile", "1x1");
    compile_text(&tiled, NETWORK, "aic100", NULL, NULL);
    require_ok(verify_layouts(&plain.program, plain.target));
    require_refused(verify_layouts(&plain.program, tiled.target), "needs values in tiles");
    require_refused(verify_layouts(&tiled.program, plain.target), "needs values in rows");
    compiled_free(&plain);
    compiled_free(&tiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_values_with_two_sides_lie_in_two_ways),
        cmocka_unit_test(a_view_in_tiles_keeps_its_last_two_sides),
        cmocka_unit_test(either_names_operators_and_classes),
        cmocka_unit_test(values_are_laid_out_where_it_is_due),
        cmocka_unit_test(what_goes_to_the_host_lies_in_rows),
        cmocka_unit_test(any_value_that_lies_otherwise_is_refused),
        cmocka_unit_test(the_engine_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
