// Which groups look the same, and that what is known of one is never told of another.

#include "compiler_support.h"

#include "compiler/alike.h"
#include "compiler/group.h"

// Reductions in a row: groups of one operator each, in this order.
static const char NETWORK[] =
    "func.func @main(%x: tensor<1x64x64xi32>, %y: tensor<1x64x64xi8>, "
    "%s: tensor<1x32x64xi32>) -> "
    "(tensor<1x1x64xi32>, tensor<1x64x1xi32>, tensor<1x32x1xi32>, tensor<1x1x64xi32>, "
    "tensor<1x64x1xi8>, tensor<1x1x1xi32>) {\n"
    "  %a = tosa.reduce_max %x {axis = 1 : i32} : (tensor<1x64x64xi32>) -> tensor<1x1x64xi32>\n"
    "  %b = tosa.reduce_max %x {axis = 2 : i32} : (tensor<1x64x64xi32>) -> tensor<1x64x1xi32>\n"
    "  %c = tosa.reduce_max %s {axis = 2 : i32} : (tensor<1x32x64xi32>) -> tensor<1x32x1xi32>\n"
    "  %d = tosa.reduce_max %x {axis = 1 : i32} : (tensor<1x64x64xi32>) -> tensor<1x1x64xi32>\n"
    "  %e = tosa.reduce_max %y {axis = 2 : i32} : (tensor<1x64x64xi8>) -> tensor<1x64x1xi8>\n"
    "  %f = tosa.reduce_max %d {axis = 2 : i32} : (tensor<1x1x64xi32>) -> tensor<1x1x1xi32>\n"
    "  return %a, %b, %c, %d, %e, %f : tensor<1x1x64xi32>, tensor<1x64x1xi32>, "
    "tensor<1x32x1xi32>, tensor<1x1x64xi32>, tensor<1x64x1xi8>, tensor<1x1x1xi32>\n"
    "}\n";

static uint32_t group_of(const struct compiled *compiled, const char *output)
{
    const struct plan *plan = compiled->plan;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        if (view_is(group_value(plan, plan->groups[g].outputs[0])->name, output))
            return g;
    }
    fail_msg("no group gives %s", output);
    return 0;
}

struct asked {
    struct compiled compiled;
    uint32_t *readers;
    struct alike *alike;
};

static int ask_setup(void **state)
{
    static struct asked asked;
    compile_text(&asked.compiled, NETWORK, "aic100", NULL, NULL);
    asked.readers = group_count_readers(asked.compiled.network);
    asked.alike = alike_create(asked.compiled.plan, asked.readers);
    *state = &asked;
    return 0;
}

static int ask_teardown(void **state)
{
    struct asked *asked = *state;
    alike_free(asked->alike);
    free(asked->readers);
    compiled_free(&asked->compiled);
    return 0;
}

static struct alike_question about(const struct asked *asked, const char *output)
{
    return (struct alike_question){
        .first = group_of(&asked->compiled, output), .count = 1, .split = 1, .room = 1};
}

static const struct alike_answer *ask(struct asked *asked, const char *output)
{
    const struct alike_question question = about(asked, output);
    return alike_find(asked->alike, &question);
}

static void only_groups_that_look_the_same_share_an_answer(void **state)
{
    struct asked *asked = *state;
    static const char *const OTHERS[] = {"b", "c", "e", "f"};
    assert_null(ask(asked, "a"));
    alike_keep(asked->alike, &(struct alike_answer){.found = true, .units = 7});
    assert_int_equal(ask(asked, "a")->units, 7);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        assert_null(ask(asked, OTHERS[i]));
    // %d is the same operator on the same type as %a.
    assert_int_equal(ask(asked, "d")->units, 7);
}

static void an_answer_belongs_to_its_question(void **state)
{
    struct asked *asked = *state;
    struct alike_question question = about(asked, "b");
    assert_null(alike_find(asked->alike, &question));
    alike_keep(asked->alike, &(struct alike_answer){.units = 3});
    assert_int_equal(alike_find(asked->alike, &question)->units, 3);
    question.what = 1;
    assert_null(alike_find(asked->alike, &question));
    question.what = 0;
    question.split = 2;
    assert_null(alike_find(asked->alike, &question));
    question.split = 1;
    question.room = 0.5;
    assert_null(alike_find(asked->alike, &question));
    question.room = 1;
    question.depth_room = 1;
    assert_null(alike_find(asked->alike, &question));
    // An answer that there is no room for any more must be found anew.
    question.depth_room = 2;
    assert_null(alike_find(asked->alike, &question));
    alike_keep(asked->alike, &(struct alike_answer){.tiles = UINT32_MAX});
    assert_null(alike_find(asked->alike, &question));
}

// Of two groups, what the first hands on may be read by others as well, or not.
static void a_chain_whose_values_others_read_is_another(void **state)
{
    struct asked *asked = *state;
    struct alike_question question = about(asked, "b");
    question.what = 9;
    const uint32_t value = asked->compiled.plan->groups[question.first].outputs[0];
    assert_null(alike_find(asked->alike, &question));
    alike_keep(asked->alike, &(struct alike_answer){0});
    assert_non_null(alike_find(asked->alike, &question));
    const uint32_t readers = asked->readers[value];
    asked->readers[value] = 0;
    assert_null(alike_find(asked->alike, &question));
    asked->readers[value] = readers;
    assert_non_null(alike_find(asked->alike, &question));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_groups_that_look_the_same_share_an_answer),
        cmocka_unit_test(an_answer_belongs_to_its_question),
        cmocka_unit_test(a_chain_whose_values_others_read_is_another),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
