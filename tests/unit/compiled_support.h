// Networks of the project and of what lies beside it, compiled.

#ifndef OPSCOPE_TESTS_UNIT_COMPILED_SUPPORT_H
#define OPSCOPE_TESTS_UNIT_COMPILED_SUPPORT_H

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/compiler.h"
#include "program/verify.h"

// A network and its program.
struct compiled {
    const char *path;
    struct network *network;
    struct target *target;
    struct plan *plan;
    struct program_builder *builder;
    struct program program;
};

static const char *target_name = "torq-sl2610";

static inline struct target *open_target(void)
{
    struct target *target;
    assert_int_equal(target_open(target_name, &target), STATUS_OK);
    return target;
}

static inline void require(status result, const char *path)
{
    if (result != STATUS_OK)
        fail_msg("%s: %s", path, status_message(result));
}

static inline struct compiled compile(const char *path)
{
    struct compiled compiled = {.path = path, .target = open_target()};
    const struct compile_options options = {0};
    struct verify_counts counts;
    require(network_open(path, NULL, &compiled.network), path);
    compiled.plan = plan_create(compiled.network, compiled.target);
    compiled.builder = program_builder_create(compiled.target->text, view_of("a network"));
    require(compile_network(compiled.plan, &options, compiled.builder), path);
    program_builder_view(compiled.builder, &compiled.program);
    require(program_verify(&compiled.program, compiled.target, &counts), path);
    return compiled;
}

static inline void compiled_free(struct compiled *compiled)
{
    program_builder_free(compiled->builder);
    plan_free(compiled->plan);
    network_free(compiled->network);
    target_free(compiled->target);
}

// Every network of the project, and those that lie beside it.
static inline void for_each_network(void (*check)(const char *path))
{
    static const char *const PATTERNS[] = {
        TEST_ROOT "/tests/testdata/tosa_ops/*.mlir",
        TEST_ROOT "/samples/tosa/*.mlir",
        TEST_ROOT "/../shared/data/tosa/*.mlir",
        TEST_ROOT "/../shared/data/models/*/model.onnx",
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof PATTERNS / sizeof *PATTERNS; i++) {
        glob_t found;
        const int failed = glob(PATTERNS[i], 0, NULL, &found);
        for (size_t k = 0; failed == 0 && k < found.gl_pathc; k++)
            check(found.gl_pathv[k]);
        count += failed == 0 ? found.gl_pathc : 0;
        globfree(&found);
    }
    assert_true(count >= 4);
}

#endif
