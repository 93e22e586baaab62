// Networks compiled in the tests, from TOSA text.

#ifndef OPSCOPE_TESTS_COMPILER_SUPPORT_H
#define OPSCOPE_TESTS_COMPILER_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/compiler.h"
#include "kernels/executor.h"
#include "program/verify.h"

struct compiled {
    struct network *network;
    struct target *target;
    struct plan *plan;
    struct program_builder *builder;
    struct program program;
};

static inline void require_ok(status result)
{
    if (result != STATUS_OK)
        fail_msg("%s", status_message(result));
}

static inline void require_refused(status result, const char *why)
{
    assert_non_null(result);
    if (strstr(status_message(result), why) == NULL)
        fail_msg("'%s' does not say '%s'", status_message(result), why);
    status_free(result);
}

// `setting` NULL, or a setting of the target and its value.
static inline void compile_text(struct compiled *compiled, const char *text, const char *target,
                                const char *setting, const char *value)
{
    executor_fold_constants();
    require_ok(target_open(target, &compiled->target));
    if (setting != NULL)
        require_ok(target_set(compiled->target, setting, value));
    require_ok(network_read(input_over("test.mlir", view_of(text)), NULL, &compiled->network));
    compiled->plan = plan_create(compiled->network, compiled->target);
    compiled->builder = program_builder_create(compiled->target->text, VIEW_LITERAL("test.mlir"));
    require_ok(compile_network(compiled->plan, &(struct compile_options){0}, compiled->builder));
    program_builder_view(compiled->builder, &compiled->program);
}

static inline void compiled_free(struct compiled *compiled)
{
    program_builder_free(compiled->builder);
    plan_free(compiled->plan);
    network_free(compiled->network);
    target_free(compiled->target);
}

#endif
