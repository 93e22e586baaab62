// Which values are images, in networks of both kinds, and what that makes of tiles.

#include "compiler_support.h"

#include "compiler/images.h"
#include "compiler/plan.h"

static const char NETWORK[] =
    "module {\n"
    "  func.func @main(%x: tensor<1x7x7x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>,\n"
    "                  %m: tensor<1x7x16xi32>) -> (tensor<1x7x7x16xi32>, tensor<1x7x16xi32>) {\n"
    "    %0 = tosa.conv2d %x, %w, %b {dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,\n"
    "      quantization_info = #tosa.conv_quant<input_zp = 0, weight_zp = 0>,\n"
    "      stride = array<i64: 1, 1>}\n"
    "      : (tensor<1x7x7x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>) -> tensor<1x7x7x16xi32>\n"
    "    %1 = tosa.abs %0 : (tensor<1x7x7x16xi32>) -> tensor<1x7x7x16xi32>\n"
    "    %2 = tosa.abs %m : (tensor<1x7x16xi32>) -> tensor<1x7x16xi32>\n"
    "    return %1, %2 : tensor<1x7x7x16xi32>, tensor<1x7x16xi32>\n"
    "  }\n"
    "}\n";

static void convolutions_and_what_follows_them(void **state)
{
    (void)state;
    struct network *network;
    require_ok(network_read(input_over("test.mlir", view_of(NETWORK)), NULL, &network));
    bool *images = images_find(network);
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct network_node *node = network_node(network, i);
        const bool matrix = network_value(network, node->outputs[0])->type.shape.rank == 3;
        assert_int_equal(images[node->outputs[0]], !matrix);
        assert_int_equal(images[node->inputs[0]], !matrix);
    }
    free(images);
    network_free(network);
}

// A matrix of 7 x 16 lies in one tile of 32 x 32; an image takes what it has.
static void images_are_not_padded(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled, NETWORK, "wormhole_b0", NULL, NULL);
    const struct plan *plan = compiled.plan;
    const struct target_engine engine = {.tile = {32, 32}};
    unsigned seen = 0;
    for (uint32_t i = 0; i < plan->network->nodes.count; i++) {
        const uint32_t value = network_node(plan->network, i)->outputs[0];
        const struct shape *shape = &network_value(plan->network, value)->type.shape;
        struct plan_box box = {.rank = shape->rank};
        memcpy(box.size, shape->dims, sizeof shape->dims);
        const uint64_t bytes = plan_box_stored(plan, &engine, value, &box);
        if (shape->rank != 3 && shape->rank != 4)
            continue;
        assert_int_equal(bytes, shape->rank == 3 ? 32 * 32 * 4 : 7 * 7 * 16 * 4);
        seen |= 1u << shape->rank;
    }
    assert_int_equal(seen, 1u << 3 | 1u << 4);
    compiled_free(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_and_what_follows_them),
        cmocka_unit_test(images_are_not_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
