// Nodes of networks by the names of what compilers made of them, and what their time went to.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/trace/nodes.h"

static void a_path_is_without_numbers_of_pieces(void **state)
{
    (void)state;
    assert_true(view_is(node_path(view_of("/a/b/MatMul_3/__312")), "/a/b/MatMul_3"));
    assert_true(view_is(node_path(view_of("/a/__b")), "/a/__b"));
    assert_true(view_is(node_path(view_of("/a/__")), "/a/__"));
    assert_true(view_is(node_path(view_of("conv")), "conv"));
    assert_true(view_is(node_path(view_of("conv/__7")), "conv"));
    assert_true(view_is(node_block(view_of("/a/b/MatMul")), "/a/b"));
    assert_true(view_is(node_block(view_of("conv")), ""));
}

static void kinds_say_what_they_are_for(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *memory;
        enum node_time time;
        enum role role;
    } CASES[] = {
        {"aicconvolutiond32", "TCM", NODE_COMPUTE, ROLE_COMPUTE},
        {"aicconverttod32", "TCM", NODE_LAYOUT, ROLE_COMPUTE},
        {"aicconvertweightstod32", "TCM", NODE_LAYOUT, ROLE_COMPUTE},
        {"convertto", "TCM", NODE_COMPUTE, ROLE_COMPUTE},
        {"aiccopytovtcm", "DDR", NODE_DDR, ROLE_TRANSFER_IN},
        {"aiccopyfromvtcm", "DDR", NODE_DDR, ROLE_TRANSFER_OUT},
        {"aiccopyddr", "DDR", NODE_DDR, ROLE_TRANSFER},
        {"aiccopysamevtcm2d", "TCM", NODE_COMPUTE, ROLE_TRANSFER},
        {"aicmulticastvtcm", "TCM", NODE_MULTICAST, ROLE_COMMUNICATION},
        {"aicgather", "DDR", NODE_COMPUTE, ROLE_COMPUTE},
        {"aicmmap", "CacheableDDR", NODE_DDR, ROLE_CONTROL},
        {"aicoutputsemaphoreinc", "DDR", NODE_SYNC, ROLE_CONTROL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct view kind = view_of(CASES[i].kind), memory = view_of(CASES[i].memory);
        assert_int_equal(node_time_of(kind, memory), CASES[i].time);
        assert_int_equal(node_role_of(kind, memory), CASES[i].role);
    }
}

static void half_of_the_time_is_a_bound(void **state)
{
    (void)state;
    assert_null(node_bound((const uint64_t[NODE_TIMES]){0}));
    assert_string_equal(node_bound((const uint64_t[NODE_TIMES]){[NODE_DDR] = 5, [NODE_SYNC] = 5}),
                        "ddr");
    assert_string_equal(
        node_bound((const uint64_t[NODE_TIMES]){[NODE_COMPUTE] = 4, [NODE_LAYOUT] = 6}), "layout");
    assert_string_equal(node_bound((const uint64_t[NODE_TIMES]){
                            [NODE_COMPUTE] = 4, [NODE_DDR] = 3, [NODE_SYNC] = 3}),
                        "mixed");
}

static void pieces_of_a_node_are_one_operator(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    struct nodes nodes;
    nodes_start(&nodes, profile);
    struct node *first = nodes_find(&nodes, view_of("/a/MatMul_3/__1"));
    assert_ptr_equal(first, nodes_find(&nodes, view_of("/a/MatMul_3/__2")));
    assert_ptr_not_equal(first, nodes_find(&nodes, view_of("/a/MatMul_4/__2")));
    assert_null(nodes_find(&nodes, view_of("")));
    const struct operator_description *op = profile_operator(profile, first->operator_id);
    assert_true(view_is(profile_text(profile, op->name), "/a/MatMul_3"));
    assert_true(view_is(profile_text(profile, op->type), "MatMul"));
    first->ns[NODE_DDR] = 1;
    nodes_finish(&nodes);
    struct value_reader reader = value_read(op->values);
    struct value value;
    assert_true(value_next(&reader, &value));
    assert_true(view_is(profile_text(profile, (uint32_t)value.number), "/a"));
    assert_true(value_next(&reader, &value));
    assert_true(view_is(profile_text(profile, (uint32_t)value.number), "ddr"));
    nodes_free(&nodes);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_without_numbers_of_pieces),
        cmocka_unit_test(kinds_say_what_they_are_for),
        cmocka_unit_test(half_of_the_time_is_a_bound),
        cmocka_unit_test(pieces_of_a_node_are_one_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
