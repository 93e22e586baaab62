// What runs as one piece of work, where, and why.

#include "compiler_support.h"

#include <stdio.h>

#include "compiler/group.h"

// Groups by their types, with blanks between them.
static void assert_groups(const struct compiled *compiled, const char *expected)
{
    char found[1024] = "";
    for (uint32_t i = 0; i < compiled->plan->group_count; i++) {
        strcat(found, i > 0 ? " " : "");
        strcat(found, compiled->plan->groups[i].type);
    }
    assert_string_equal(found, expected);
}

// Every operator of the network is in one group, or was calculated.
static void assert_attributed(const struct compiled *compiled)
{
    const struct program *program = &compiled->program;
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const uint32_t group = program->operators[i].group;
        if (group == PROGRAM_NONE)
            continue;
        bool found = false;
        for (uint32_t j = 0; j < program->groups[group].node_count; j++)
            found |= program->nodes[program->groups[group].first_node + j].operator_id == i;
        assert_true(found);
    }
}

static void check_groups(const char *text, const char *expected)
{
    struct compiled compiled;
    struct verify_counts counts;
    compile_text(&compiled, text, "torq-sl2610", NULL, NULL);
    assert_groups(&compiled, expected);
    assert_attributed(&compiled);
    require_ok(program_verify(&compiled.program, compiled.target, &counts));
    compiled_free(&compiled);
}

#define T "tensor<1x8x8x4xi32>"
#define UNARY(result, operator, value)                                                             \
    "    %" #result " = tosa." #operator" %" #value " : (" T ") -> " T "\n"
#define BINARY(result, operator, a, b)                                                             \
    "    %" #result " = tosa." #operator" %" #a ", %" #b " : (" T ", " T ") -> " T "\n"

static void chains_join(void **state)
{
    (void)state;
    check_groups("module {\n  func.func @main(%a: " T ", %b: " T ") -> " T
                 " {\n" BINARY(0, add, a, b) UNARY(1, abs, 0)
                     UNARY(2, bitwise_not, 1) "    return %2 : " T "\n  }\n}\n",
                 "add_abs_bitwise_not");
}

static void what_two_read_is_kept(void **state)
{
    (void)state;
    check_groups("module {\n  func.func @main(%a: " T ", %b: " T ") -> " T
                 " {\n" BINARY(0, add, a, b) UNARY(1, abs, 0)
                     BINARY(2, sub, 0, 1) "    return %2 : " T "\n  }\n}\n",
                 "add abs_sub");
}

static void an_output_inside_ends_a_group(void **state)
{
    (void)state;
    check_groups("module {\n  func.func @main(%a: " T ", %b: " T ") -> (" T ", " T
                 ") {\n" BINARY(0, add, a, b) UNARY(1, abs, 0) "    return %0, %1 : " T ", " T
                                                               "\n  }\n}\n",
                 "add abs");
}

static void a_value_read_twice_by_one_node_is_kept(void **state)
{
    (void)state;
    check_groups("module {\n  func.func @main(%a: " T ") -> " T " {\n" UNARY(0, abs, a)
                     BINARY(1, add, 0, 0) "    return %1 : " T "\n  }\n}\n",
                 "abs add");
}

static void two_products_stay_apart(void **state)
{
    (void)state;
    check_groups(
        "module {\n  func.func @main(%a: tensor<1x16x16xi8>) -> tensor<1x16x16xi32> {\n"
        "    %zp = \"tosa.const\"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n"
        "    %0 = tosa.matmul %a, %a, %zp, %zp : (tensor<1x16x16xi8>, tensor<1x16x16xi8>, "
        "tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16xi32>\n"
        "    %1 = tosa.cast %0 : (tensor<1x16x16xi32>) -> tensor<1x16x16xi8>\n"
        "    %2 = tosa.matmul %1, %1, %zp, %zp : (tensor<1x16x16xi8>, tensor<1x16x16xi8>, "
        "tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16xi32>\n"
        "    %3 = tosa.abs %2 : (tensor<1x16x16xi32>) -> tensor<1x16x16xi32>\n"
        "    return %3 : tensor<1x16x16xi32>\n  }\n}\n",
        "matmul_cast matmul_abs");
}

// A matrix unit adds a bias and clips as results leave it; what else follows a product is for the
// vector threads, which could take the product as well.
static void products_stay_on_the_engine_for_them(void **state)
{
    static const struct {
        const char *element, *groups, *engines;
    } CASES[] = {{"f16", "to_tiles matmul_add_clamp tanh_add from_tiles", "hvx hmx hvx hvx "},
                 {"f32", "matmul_add_clamp_tanh_add", "hvx "}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct compiled compiled;
        char text[2048], engines[64] = "";
        const char *e = CASES[i].element;
        snprintf(
            text, sizeof text,
            "module {\n  func.func @main(%%a: tensor<1x16x16x%s>) -> tensor<1x16x16x%s> {\n"
            "    %%z = \"tosa.const\"() <{values = dense<0.0> : tensor<1x%s>}> : () -> "
            "tensor<1x%s>\n"
            "    %%b = \"tosa.const\"() <{values = dense<1.0> : tensor<1x1x16x%s>}> : () -> "
            "tensor<1x1x16x%s>\n"
            "    %%0 = tosa.matmul %%a, %%a, %%z, %%z : (tensor<1x16x16x%s>, tensor<1x16x16x%s>, "
            "tensor<1x%s>, tensor<1x%s>) -> tensor<1x16x16x%s>\n"
            "    %%1 = tosa.add %%0, %%b : (tensor<1x16x16x%s>, tensor<1x1x16x%s>) -> "
            "tensor<1x16x16x%s>\n"
            "    %%2 = tosa.clamp %%1 {min_val = 0.0 : %s, max_val = 6.0 : %s} : "
            "(tensor<1x16x16x%s>) -> tensor<1x16x16x%s>\n"
            "    %%3 = tosa.tanh %%2 : (tensor<1x16x16x%s>) -> tensor<1x16x16x%s>\n"
            "    %%4 = tosa.add %%3, %%b : (tensor<1x16x16x%s>, tensor<1x1x16x%s>) -> "
            "tensor<1x16x16x%s>\n"
            "    return %%4 : tensor<1x16x16x%s>\n  }\n}\n",
            e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e, e);
        compile_text(&compiled, text, "aic100", NULL, NULL);
        assert_groups(&compiled, CASES[i].groups);
        for (uint32_t j = 0; j < compiled.plan->group_count; j++) {
            strcat(engines, compiled.target->engines[compiled.plan->groups[j].engine].name);
            strcat(engines, " ");
        }
        assert_string_equal(engines, CASES[i].engines);
        compiled_free(&compiled);
    }
}

static void reasons_are_kept(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled,
                 "module {\n  func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> "
                 "(tensor<4xf32>, tensor<4xi32>) {\n"
                 "    %0 = tosa.exp %a : (tensor<4xf32>) -> tensor<4xf32>\n"
                 "    %1 = tosa.abs %b : (tensor<4xi32>) -> tensor<4xi32>\n"
                 "    return %0, %1 : tensor<4xf32>, tensor<4xi32>\n  }\n}\n",
                 "torq-sl2610", NULL, NULL);
    assert_int_equal(compiled.plan->group_count, 2);
    assert_string_equal(compiled.plan->groups[0].reason, "the slices do not compute f32");
    assert_string_equal(compiled.plan->groups[1].reason, "the slices compute it");
    assert_int_equal(compiled.target->engines[compiled.plan->groups[0].engine].role,
                     TARGET_ROLE_HOST);
    assert_int_equal(compiled.plan->groups[1].engine,
                     target_engine_named(compiled.target, "slice"));
    compiled_free(&compiled);
}

// Tiles ----------------------------------------------------------------------------------

static uint64_t tile_bytes(const struct plan *plan, const struct plan_group *group,
                           const struct plan_tile *tile)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < group->input_count; i++)
        bytes +=
            plan_box_bytes(&tile->inputs[i], group_value(plan, group->inputs[i])->type.element);
    for (uint32_t i = 0; i < group->output_count; i++)
        bytes +=
            plan_box_bytes(&tile->outputs[i], group_value(plan, group->outputs[i])->type.element);
    return bytes;
}

// Everything is covered once and fits; returns the number of tiles.
static uint32_t check_tiles(const char *shape, const char *lram)
{
    struct compiled compiled;
    struct verify_counts counts;
    char text[1024];
    snprintf(text, sizeof text,
             "module {\n  func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
             "    %%0 = tosa.add %%a, %%b : (tensor<%s>, tensor<%s>) -> tensor<%s>\n"
             "    return %%0 : tensor<%s>\n  }\n}\n",
             shape, shape, shape, shape, shape, shape, shape);
    compile_text(&compiled, text, "torq-sl2610", "lram.size", lram);
    require_ok(program_verify(&compiled.program, compiled.target, &counts));
    assert_int_equal(compiled.plan->group_count, 1);
    const struct plan_group *group = &compiled.plan->groups[0];
    const uint64_t room = compiled.target->memories[0].size;
    uint64_t covered = 0;
    const bool slice = group->engine == target_engine_named(compiled.target, "slice");
    for (uint32_t i = 0; i < group->tile_count; i++) {
        covered += plan_box_bytes(&group->tiles[i].outputs[0], ELEMENT_I8);
        if (slice)
            assert_true(tile_bytes(compiled.plan, group, &group->tiles[i]) <= room);
    }
    const struct network_value *output = group_value(compiled.plan, group->outputs[0]);
    assert_int_equal(covered, shape_count(&output->type.shape));
    const uint32_t tiles = slice ? group->tile_count : 0;
    compiled_free(&compiled);
    return tiles;
}

static void tiles_cover_and_fit(void **state)
{
    (void)state;
    assert_int_equal(check_tiles("1x1x1x1xi8", "512 KiB"), 1);
    assert_int_equal(check_tiles("i8", "512 KiB"), 1);         // rank 0
    assert_int_equal(check_tiles("0x4xi8", "512 KiB"), 0);     // nothing to compute: the host's
    assert_true(check_tiles("1x64x64x16xi8", "512 KiB") >= 2); // so that both slices work
    assert_true(check_tiles("1x64x64x16xi8", "40 KiB") > check_tiles("1x64x64x16xi8", "512 KiB"));
    assert_true(check_tiles("1x997xi8", "8 KiB") >= 2);
    assert_true(check_tiles("3x5x7x11x13xi8", "10 KiB") >= 15);
    assert_int_equal(check_tiles("100x100xi8", "1 KiB"), 0); // less than code takes: the host's
}

// While a tile is computed the next one is loaded.
static void loads_overlap_computing(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled,
                 "module {\n  func.func @main(%a: tensor<64x4096xi8>) -> tensor<64x4096xi8> {\n"
                 "    %0 = tosa.abs %a : (tensor<64x4096xi8>) -> tensor<64x4096xi8>\n"
                 "    return %0 : tensor<64x4096xi8>\n  }\n}\n",
                 "torq-sl2610", "lram.size", "64 KiB");
    const struct program *program = &compiled.program;
    bool computing = false;
    uint32_t overlapping = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct program_step *step = &program->steps[i];
        const struct program_task *task = &program->tasks[step->task];
        const bool computes = task->kind == PROGRAM_TASK_COMPUTE;
        if (computes)
            computing = step->kind == PROGRAM_STEP_START;
        const bool loads = task->engine == target_engine_named(compiled.target, "dma_in");
        overlapping += computing && loads && step->kind == PROGRAM_STEP_START;
    }
    assert_true(compiled.plan->groups[0].tile_count >= 8);
    assert_true(overlapping >= compiled.plan->groups[0].tile_count / 2);
    compiled_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_join),
        cmocka_unit_test(products_stay_on_the_engine_for_them),
        cmocka_unit_test(what_two_read_is_kept),
        cmocka_unit_test(an_output_inside_ends_a_group),
        cmocka_unit_test(a_value_read_twice_by_one_node_is_kept),
        cmocka_unit_test(two_products_stay_apart),
        cmocka_unit_test(reasons_are_kept),
        cmocka_unit_test(tiles_cover_and_fit),
        cmocka_unit_test(loads_overlap_computing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
