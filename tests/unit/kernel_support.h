// Runs single operators of ONNX on tensors made here.

#ifndef OPSCOPE_TESTS_KERNEL_SUPPORT_H
#define OPSCOPE_TESTS_KERNEL_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/invoke.h"

enum { TRIAL_INPUTS = 6, TRIAL_OUTPUTS = 4, TRIAL_ATTRIBUTES = 6 };

// All zero is an empty one.
struct trial {
    struct attribute attributes[TRIAL_ATTRIBUTES];
    uint32_t attribute_count;
    struct datum *inputs[TRIAL_INPUTS];
    uint32_t input_count;
    struct datum *outputs[TRIAL_OUTPUTS];
    uint32_t output_count; // to be set
};

static inline struct attribute *trial_attribute(struct trial *trial, const char *name,
                                                enum attribute_kind kind)
{
    struct attribute *attribute = &trial->attributes[trial->attribute_count++];
    *attribute = (struct attribute){.name = view_of(name), .kind = kind};
    return attribute;
}

static inline void trial_integer(struct trial *trial, const char *name, int64_t value)
{
    trial_attribute(trial, name, ATTRIBUTE_INTEGER)->integer = value;
}

static inline void trial_text(struct trial *trial, const char *name, const char *value)
{
    trial_attribute(trial, name, ATTRIBUTE_TEXT)->text = view_of(value);
}

// One more input, its bytes undefined.
static inline void *trial_input(struct trial *trial, enum element element, struct shape shape)
{
    struct datum **datum = &trial->inputs[trial->input_count++];
    assert_null(datum_tensor(element, &shape, datum));
    return (*datum)->tensor.data;
}

static inline void trial_list(struct trial *trial, const int64_t *items, uint32_t count)
{
    int64_t *data = trial_input(trial, ELEMENT_I64, (struct shape){1, {count}});
    if (count > 0)
        memcpy(data, items, count * sizeof *items);
}

static inline status trial_try(struct trial *trial, const char *name, uint32_t version)
{
    static const uint32_t IDS[TRIAL_INPUTS + TRIAL_OUTPUTS];
    static const bool WANTED[] = {true, true, true, true};
    struct network network = {0};
    struct parallel *parallel = parallel_create(1);
    struct kernel_state *state = NULL;
    struct network_node node = {.definition = operator_find(view_of(""), view_of(name)),
                                .version = version,
                                .type = view_of(name),
                                .inputs = IDS,
                                .outputs = IDS,
                                .input_count = trial->input_count,
                                .output_count = trial->output_count,
                                .attributes = {trial->attributes, trial->attribute_count}};
    const struct invocation invocation = {.network = &network,
                                          .node = &node,
                                          .run = kernel_find(node.definition),
                                          .inputs = trial->inputs,
                                          .wanted = WANTED,
                                          .parallel = parallel,
                                          .state = &state};
    const status failure = invoke(&invocation, trial->outputs);
    parallel_free(parallel);
    return failure;
}

static inline void trial_run(struct trial *trial, const char *name, uint32_t version)
{
    const status failure = trial_try(trial, name, version);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", name, status_message(failure));
}

// Fails the test unless the operator refuses, with `why` in its message.
static inline void trial_refused(struct trial *trial, const char *name, uint32_t version,
                                 const char *why)
{
    const status failure = trial_try(trial, name, version);
    assert_non_null(failure);
    if (strstr(status_message(failure), why) == NULL)
        fail_msg("'%s' does not say '%s'", status_message(failure), why);
    status_free(failure);
}

static inline const struct tensor *trial_output(const struct trial *trial, uint32_t index)
{
    return &trial->outputs[index]->tensor;
}

static inline void trial_free(struct trial *trial)
{
    for (uint32_t i = 0; i < trial->input_count; i++)
        datum_release(trial->inputs[i]);
    for (uint32_t i = 0; i < trial->output_count; i++)
        datum_release(trial->outputs[i]);
    *trial = (struct trial){0};
}

#endif
