// Any text as a target: parsed, changed, priced, and compiled for.

#include <stdio.h>
#include <stdlib.h>

#include "compiler/compiler.h"
#include "device/sim.h"
#include "program/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LANES_MOST = 8 }; // more of them cut networks to crumbs, which takes long

static const char NETWORK[] = "module {\n"
                              "  func.func @main(%a: tensor<1x9x8x4xi8>) -> tensor<1x9x8x4xi8> {\n"
                              "    %0 = tosa.abs %a : (tensor<1x9x8x4xi8>) -> tensor<1x9x8x4xi8>\n"
                              "    return %0 : tensor<1x9x8x4xi8>\n"
                              "  }\n"
                              "}\n";

static void check(bool holds)
{
    if (!holds)
        abort();
}

// What is compiled is right, whatever the target is.
static void check_program(const struct program_builder *builder, const struct target *target)
{
    struct program program;
    struct verify_counts counts;
    struct sim_result *result;
    program_builder_view(builder, &program);
    const status wrong = program_verify(&program, target, &counts);
    if (wrong != STATUS_OK)
        fputs(status_message(wrong), stderr);
    check(wrong == STATUS_OK);
    check(sim_run(&program, target, COST_RULES_BEST, &result) == STATUS_OK);
    sim_result_free(result);
}

static void compile(const struct target *target)
{
    struct network *network;
    check(network_read(input_over("fuzz", view_of(NETWORK)), NULL, &network) == STATUS_OK);
    struct plan *plan = plan_create(network, target);
    struct program_builder *builder = program_builder_create(target->text, view_of("fuzz"));
    const status failure = compile_network(plan, &(struct compile_options){0}, builder);
    if (failure == STATUS_OK)
        check_program(builder, target);
    status_free(failure);
    program_builder_free(builder);
    plan_free(plan);
    network_free(network);
}

static bool is_reasonable(const struct target *target)
{
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target->engines[i].count > LANES_MOST)
            return false;
    }
    return true;
}

// The text of a target says the same again.
static void check_again(const struct target *target)
{
    struct target *again;
    check(target_parse("again", target->text, &again) == STATUS_OK);
    check(again->memory_count == target->memory_count &&
          again->engine_count == target->engine_count &&
          again->setting_count == target->setting_count && again->clock == target->clock);
    target_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target *target;
    status failure = target_parse("fuzz", (struct view){(const char *)data, size}, &target);
    if (failure == STATUS_OK) {
        check_again(target);
        if (is_reasonable(target))
            compile(target);
        status_free(target_set(target, "slice.count", "3"));
        status_free(target_set(target, "lram.size", "4 KiB"));
        check_again(target);
        if (is_reasonable(target))
            compile(target);
        target_free(target);
    }
    status_free(failure);
    return 0;
}
