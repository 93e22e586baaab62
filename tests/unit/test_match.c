// Parts of two runs that are found again, whatever happened to them.

#include "analysis/match.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct plain {
    const char *name, *type, *shape, *location;
};

enum { PARTS_MOST = 64 };

static struct match_side side_of(const struct plain *plain, size_t count, struct match_part *parts)
{
    for (size_t i = 0; i < count; i++)
        parts[i] = (struct match_part){view_of(plain[i].name), view_of(plain[i].type),
                                       view_of(plain[i].shape != NULL ? plain[i].shape : ""),
                                       view_of(plain[i].location != NULL ? plain[i].location : "")};
    return (struct match_side){parts, count};
}

static struct match matched(const struct plain *a, size_t a_count, const struct plain *b,
                            size_t b_count)
{
    struct match_part parts[2][PARTS_MOST];
    struct match match;
    match_sides(side_of(a, a_count, parts[0]), side_of(b, b_count, parts[1]), &match);
    return match;
}

#define MATCHED(a, b) matched((a), sizeof(a) / sizeof *(a), (b), sizeof(b) / sizeof *(b))

// The relation of part `b_index` of b, which must be in one group with part `a_index` of a.
static enum match_relation together(const struct match *match, size_t a_index, size_t b_index)
{
    assert_int_equal(match->groups[0][a_index], match->groups[1][b_index]);
    return match->relations[match->groups[1][b_index]];
}

static void what_is_the_same_is_found_in_any_order(void **state)
{
    (void)state;
    const struct plain a[] = {{"conv1", "Conv"}, {"relu1", "Relu"}, {"conv2", "Conv"}};
    const struct plain b[] = {{"conv2", "Conv"}, {"conv1", "Conv"}, {"relu1", "Relu"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 3);
    assert_int_equal(together(&match, 0, 1), MATCH_SAME);
    assert_int_equal(together(&match, 1, 2), MATCH_SAME);
    assert_int_equal(together(&match, 2, 0), MATCH_SAME);
    match_free(&match);
}

static void a_name_that_each_side_has_once_is_the_same(void **state)
{
    (void)state;
    const struct plain a[] = {
        {"conv", "Conv", "1x8", "loc(fused[\"dq\"(\"n\":1:1), \"conv\"(\"n\":2:1)])"},
        {"add", "Add", "1x8", "loc(\"add\"(\"n\":3:1))"}};
    const struct plain b[] = {
        {"add", "vector_add", "8", "loc(fused[\"dq\"(\"n\":1:1), \"add\"(\"n\":3:1)])"},
        {"conv", "to_tiles", "", "loc(\"conv\"(\"n\":2:1))"},
        {"conv", "Conv", "1x8", "loc(\"conv\"(\"n\":2:1))"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 2); // not one, though "dq" is a part of both
    assert_int_equal(together(&match, 0, 2), MATCH_SAME);
    assert_int_equal(together(&match, 0, 1), MATCH_SAME); // its change of layout
    assert_int_equal(together(&match, 1, 0), MATCH_SAME);
    match_free(&match);
}

static void other_shapes_of_one_name_are_others(void **state)
{
    (void)state;
    const struct plain a[] = {{"mm", "mm", "8x8"}, {"mm", "mm", "9x9"}};
    const struct plain b[] = {{"mm", "mm", "8x8"}, {"mm", "mm", "9x9"}, {"mm", "mm", "7x7"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 3);
    assert_int_equal(together(&match, 0, 0), MATCH_SAME);
    assert_int_equal(together(&match, 1, 1), MATCH_SAME);
    assert_int_equal(match.relations[match.groups[1][2]], MATCH_NEW);
    match_free(&match);
}

static void what_was_renamed_is_found_between_its_neighbours(void **state)
{
    (void)state;
    const struct plain a[] = {{"in", "Cast"},
                              {"x1", "Conv", "1x8"},
                              {"x2", "Relu"},
                              {"x3", "Conv", "1x16"},
                              {"out", "Cast"}};
    const struct plain b[] = {{"in", "Cast"},
                              {"y1", "Conv", "1x8"},
                              {"y2", "Relu"},
                              {"y3", "Conv", "1x16"},
                              {"out", "Cast"}};
    struct match match = MATCHED(a, b);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(together(&match, i, i), MATCH_RENAMED);
    match_free(&match);
}

static void all_renamed_in_another_order(void **state)
{
    (void)state;
    const struct plain a[] = {{"a", "Conv", "1"}, {"b", "Conv", "2"}, {"c", "MatMul", "3"}};
    const struct plain b[] = {{"z", "MatMul", "3"}, {"y", "Conv", "2"}, {"x", "Conv", "1"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(together(&match, 0, 2), MATCH_RENAMED);
    assert_int_equal(together(&match, 1, 1), MATCH_RENAMED);
    assert_int_equal(together(&match, 2, 0), MATCH_RENAMED);
    match_free(&match);
}

static const char *type_of(char letter)
{
    static const char LETTERS[] = "crsm";
    static const char *const TYPES[] = {"Conv", "Relu", "Sigmoid", "MaxPool"};
    return TYPES[strchr(LETTERS, tolower((unsigned char)letter)) - LETTERS];
}

// Branches of things that occur in others as well, no name kept: rows tell what single ones do not.
static void branches_renamed_and_in_another_order(void **state)
{
    (void)state;
    static const char *const BRANCHES[] = {"cRsCr", "CsmRc", "rcSMr", "MCsmS", "SRcmC", "mrMSR"};
    enum { COUNT = 6, LENGTH = 5 };
    unsigned seed = 17;
    for (unsigned round = 0; round < 200; round++) {
        struct plain sides[2][PARTS_MOST];
        size_t places[COUNT], counts[2] = {0};
        for (size_t i = 0; i < COUNT; i++)
            places[i] = i;
        for (size_t i = COUNT; i-- > 1;) {
            const size_t k = (unsigned)rand_r(&seed) % (i + 1), kept = places[i];
            places[i] = places[k];
            places[k] = kept;
        }
        static char names[2][COUNT * LENGTH][8];
        for (unsigned side = 0; side < 2; side++) {
            for (size_t i = 0; i < COUNT; i++) {
                const char *types = BRANCHES[side == 0 ? i : places[i]];
                for (size_t k = 0; k < LENGTH; k++) {
                    const size_t at = counts[side]++;
                    snprintf(names[side][at], sizeof names[side][at], "%c%zu",
                             side == 0 ? 'a' : 'b', at);
                    sides[side][at] = (struct plain){
                        names[side][at], type_of(types[k]),
                        isupper((unsigned char)types[k]) ? "1x16x8x8xf32" : "1x8x16x16xf32"};
                }
            }
        }
        struct match match = matched(sides[0], counts[0], sides[1], counts[1]);
        size_t right = 0;
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t k = 0; k < LENGTH; k++)
                right += match.groups[1][i * LENGTH + k] == match.groups[0][places[i] * LENGTH + k];
        }
        assert_int_equal(match.count, COUNT * LENGTH);
        assert_true(right >= COUNT * LENGTH - 2); // what begins a row may be at the end of another

        match_free(&match);
    }
}

static void fused_by_the_names_of_its_nodes(void **state)
{
    (void)state;
    const struct plain a[] = {{"m", "MatMul"}, {"bias", "Add"}, {"act", "Relu"}, {"n", "MatMul"}};
    const struct plain b[] = {
        {"m", "MatMul_Add_Relu", NULL,
         "loc(fused[\"m\"(\"x.mlir\":1:2), \"bias\"(\"x.mlir\":2:2), \"act\"(\"x.mlir\":3:2)])"},
        {"n", "MatMul"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 2);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(together(&match, i, 0), MATCH_FUSED);
    assert_int_equal(together(&match, 3, 1), MATCH_SAME);
    match_free(&match);
    match = MATCHED(b, a);
    assert_int_equal(together(&match, 0, 1), MATCH_SPLIT);
    match_free(&match);
}

static void fused_without_a_word(void **state)
{
    (void)state;
    const struct plain a[] = {
        {"first", "Cast"}, {"m", "MatMul", "4x4"}, {"bias", "Add", "4"}, {"last", "Cast"}};
    const struct plain b[] = {{"first", "Cast"}, {"m", "MatMul_Add", "4x4"}, {"last", "Cast"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(together(&match, 1, 1), MATCH_FUSED);
    assert_int_equal(together(&match, 2, 1), MATCH_FUSED);
    match_free(&match);
}

static void what_is_on_one_side_only(void **state)
{
    (void)state;
    const struct plain a[] = {{"x", "Conv"}, {"old", "Softmax"}};
    const struct plain b[] = {{"x", "Conv"}, {"new", "Gelu"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 3);
    assert_int_equal(match.relations[match.groups[0][1]], MATCH_GONE);
    assert_int_equal(match.relations[match.groups[1][1]], MATCH_NEW);
    match_free(&match);
}

static void one_name_with_other_shapes(void **state)
{
    (void)state;
    const struct plain a[] = {{"aten::mm", "", "8x8"}, {"aten::mm", "", "16x16"}};
    const struct plain b[] = {{"aten::mm", "", "8x8"}, {"aten::mm", "", "32x32"}};
    struct match match = MATCHED(a, b);
    assert_int_equal(match.count, 2);
    assert_int_equal(together(&match, 0, 0), MATCH_SAME);
    assert_int_equal(together(&match, 1, 1), MATCH_SAME);
    match_free(&match);
}

// Every part is in one group, and nothing is lost, whatever the parts are.
static void anything_at_all(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"", "a", "b", "Add", "MatMul_Add", "Add_Add"};
    static const char *const PLACES[] = {"", "loc(fused[\"a\"(\"f\":1:1), \"b\"(\"f\":2:1)])",
                                         "loc(\"", "\"b\"(", "loc(\"x.mlir\":1:2)"};
    unsigned seed = 3;
    for (unsigned round = 0; round < 3000; round++) {
        struct plain sides[2][PARTS_MOST];
        size_t counts[2];
        for (unsigned side = 0; side < 2; side++) {
            counts[side] = (unsigned)rand_r(&seed) % 12;
            for (size_t i = 0; i < counts[side]; i++)
                sides[side][i] =
                    (struct plain){TEXTS[rand_r(&seed) % 6], TEXTS[rand_r(&seed) % 6],
                                   TEXTS[rand_r(&seed) % 3], PLACES[rand_r(&seed) % 5]};
        }
        struct match match = matched(sides[0], counts[0], sides[1], counts[1]);
        size_t found[2][2 * PARTS_MOST] = {{0}};
        for (unsigned side = 0; side < 2; side++) {
            for (size_t i = 0; i < counts[side]; i++) {
                assert_true(match.groups[side][i] < match.count);
                found[side][match.groups[side][i]]++;
            }
        }
        for (size_t i = 0; i < match.count; i++) {
            assert_true(found[0][i] + found[1][i] > 0);
            assert_int_equal(match.relations[i] == MATCH_NEW, found[0][i] == 0);
            assert_int_equal(match.relations[i] == MATCH_GONE, found[1][i] == 0);
        }
        match_free(&match);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_is_found_in_any_order),
        cmocka_unit_test(a_name_that_each_side_has_once_is_the_same),
        cmocka_unit_test(other_shapes_of_one_name_are_others),
        cmocka_unit_test(what_was_renamed_is_found_between_its_neighbours),
        cmocka_unit_test(all_renamed_in_another_order),
        cmocka_unit_test(branches_renamed_and_in_another_order),
        cmocka_unit_test(fused_by_the_names_of_its_nodes),
        cmocka_unit_test(fused_without_a_word),
        cmocka_unit_test(what_is_on_one_side_only),
        cmocka_unit_test(one_name_with_other_shapes),
        cmocka_unit_test(anything_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
