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
    struct search_answer last;
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

static struct search_question about(const struct asked *asked, const char *output)
{
    return (struct search_question){
        .first = group_of(&asked->compiled, output), .count = 1, .split = 1, .room = 1};
}

// Whether the question is a new one, which is answered then.
static bool is_new(struct asked *asked, const struct search_question *question,
                   const struct search_answer *answer)
{
    const uint32_t number = alike_ask(asked->alike, question);
    const uint32_t open = alike_open_count(asked->alike);
    assert_true(open <= 1);
    if (open == 1)
        alike_keep(asked->alike, 0, answer);
    alike_close(asked->alike);
    asked->last = alike_answer(asked->alike, number, question->limit);
    return open == 1;
}

static void only_groups_that_look_the_same_share_an_answer(void **state)
{
    struct asked *asked = *state;
    static const char *const OTHERS[] = {"b", "c", "e", "f"};
    struct search_question question = about(asked, "a");
    assert_true(is_new(asked, &question, &(struct search_answer){.found = true, .units = 7}));
    assert_false(is_new(asked, &question, NULL));
    assert_int_equal(asked->last.units, 7);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        question = about(asked, OTHERS[i]);
        assert_true(is_new(asked, &question, &(struct search_answer){0}));
    }
    // %d is the same operator on the same type as %a.
    question = about(asked, "d");
    assert_false(is_new(asked, &question, NULL));
    assert_int_equal(asked->last.units, 7);
}

static void an_answer_belongs_to_its_question(void **state)
{
    struct asked *asked = *state;
    struct search_question question = about(asked, "b");
    const struct search_answer three = {.found = true, .units = 3};
    question.depth_room = 5;
    assert_true(is_new(asked, &question, &three));
    assert_false(is_new(asked, &question, NULL));
    assert_int_equal(asked->last.units, 3);
    question.split = 2;
    assert_true(is_new(asked, &question, &three));
    question.split = 1;
    question.room = 0.5;
    assert_true(is_new(asked, &question, &three));
    question.room = 1;
    question.depth_room = 1;
    assert_true(is_new(asked, &question, &three));
    // An answer that there is no room for any more must be found anew.
    question.depth_room = 2;
    assert_true(is_new(asked, &question, &(struct search_answer){.tiles = UINT32_MAX}));
    assert_true(is_new(asked, &question, &three));
}

// What takes the least time does so within any limit that leaves it as much; that there is nothing
// within a limit says nothing of larger ones.
static void what_was_found_within_a_limit_is_known_of_others(void **state)
{
    struct asked *asked = *state;
    struct search_question question = about(asked, "c");
    question.depth_room = 7;
    question.limit = 10;
    assert_true(is_new(asked, &question, &(struct search_answer){0}));
    question.limit = 8;
    assert_false(is_new(asked, &question, NULL));
    assert_false(asked->last.found);
    question.limit = 20;
    assert_true(is_new(asked, &question, &(struct search_answer){.found = true, .time = 15}));
    assert_true(asked->last.found);
    question.limit = 15;
    assert_false(is_new(asked, &question, NULL));
    assert_true(asked->last.found);
    question.limit = 14;
    assert_false(is_new(asked, &question, NULL));
    assert_false(asked->last.found);
}

// Asked before the first answer is there, they share it: it holds for the largest limit.
static void questions_that_are_open_are_answered_once(void **state)
{
    struct asked *asked = *state;
    struct search_question question = about(asked, "e");
    question.depth_room = 7;
    question.limit = 5;
    const uint32_t first = alike_ask(asked->alike, &question);
    question.limit = 9;
    assert_int_equal(alike_ask(asked->alike, &question), first);
    question.limit = 3;
    assert_int_equal(alike_ask(asked->alike, &question), first);
    assert_int_equal(alike_open_count(asked->alike), 1);
    assert_int_equal(alike_open(asked->alike, 0)->limit, 9);
    alike_keep(asked->alike, 0, &(struct search_answer){.found = true, .time = 4});
    alike_close(asked->alike);
    assert_true(alike_answer(asked->alike, first, 5).found);
    assert_false(alike_answer(asked->alike, first, 3).found);
}

// Of two groups, what the first hands on may be read by others as well, or not.
static void a_chain_whose_values_others_read_is_another(void **state)
{
    struct asked *asked = *state;
    struct search_question question = about(asked, "b");
    question.depth_room = 9;
    const uint32_t value = asked->compiled.plan->groups[question.first].outputs[0];
    assert_true(is_new(asked, &question, &(struct search_answer){0}));
    assert_false(is_new(asked, &question, NULL));
    const uint32_t readers = asked->readers[value];
    asked->readers[value] = 0;
    assert_true(is_new(asked, &question, &(struct search_answer){0}));
    asked->readers[value] = readers;
    assert_false(is_new(asked, &question, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_groups_that_look_the_same_share_an_answer),
        cmocka_unit_test(an_answer_belongs_to_its_question),
        cmocka_unit_test(what_was_found_within_a_limit_is_known_of_others),
        cmocka_unit_test(questions_that_are_open_are_answered_once),
        cmocka_unit_test(a_chain_whose_values_others_read_is_another),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
