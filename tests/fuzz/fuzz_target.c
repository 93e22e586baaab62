// Any text as a target: parsed, changed, priced, and compiled for.

#include <stdio.h>
#include <stdlib.h>

#include "compiler/compiler.h"
#include "device/sim.h"
#include "program/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LANES_MOST = 64 }; // more of them cut networks to crumbs, which takes long

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
    return target->lane_count <= LANES_MOST && target->memory_unit_count <= LANES_MOST;
}

// Terms add up to what is charged, on whatever engine.
static void check_prices(const struct target *target)
{
    static const struct cost_request REQUESTS[] = {
        {.kind = COST_TRANSFER, .outputs = 99, .bytes = 1001},
        {.kind = COST_CONVOLUTION,
         .input_bits = 8,
         .weight_bits = 8,
         .outputs = 100,
         .channels = 10,
         .inner = 27,
         .groups = 1,
         .macs = 27000,
         .bytes = 5000},
        {.kind = COST_ELEMENTWISE, .input_bits = 16, .is_float = 1, .outputs = 1000, .inner = 2},
    };
    for (uint32_t engine = 0; engine < target->engine_count && engine < LANES_MOST; engine++) {
        for (size_t i = 0; i < sizeof REQUESTS / sizeof *REQUESTS; i++) {
            struct cost_explanation price;
            uint64_t sum = 0;
            uint64_t largest = 0;
            cost_explain(target, COST_RULES_BEST, engine, &REQUESTS[i], &price);
            for (uint32_t k = 0; k < price.term_count; k++) {
                if (!price.terms[k].alternative)
                    sum += price.terms[k].cycles;
                else if (price.terms[k].cycles > largest)
                    largest = price.terms[k].cycles;
            }
            check(sum + largest == price.engine_cycles && price.cycles > 0);
        }
    }
}

// The text of a target says the same again.
static void check_again(const struct target *target)
{
    struct target *again;
    check(target_parse("again", target->text, &again) == STATUS_OK);
    check(again->memory_count == target->memory_count &&
          again->engine_count == target->engine_count &&
          again->setting_count == target->setting_count && again->clock == target->clock &&
          again->core_count == target->core_count && again->lane_count == target->lane_count &&
          again->port_count == target->port_count && again->queue_count == target->queue_count);
    target_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target *target;
    status failure = target_parse("fuzz", (struct view){(const char *)data, size}, &target);
    if (failure == STATUS_OK) {
        check_again(target);
        check_prices(target);
        if (is_reasonable(target))
            compile(target);
        status_free(target_set(target, "slice.count", "3"));
        status_free(target_set(target, "core.count", "2"));
        status_free(target_set(target, "far.rate", "2 GB/s"));
        status_free(target_set(target, "lram.size", "4 KiB"));
        check_again(target);
        if (is_reasonable(target))
            compile(target);
        target_free(target);
    }
    status_free(failure);
    return 0;
}
