// Chooses the engine of each group: the slices for what their multipliers and
// types can do, the RISC-V core for small irregular work, the host for the rest.

#include "compiler.h"
#include "group.h"

// Types of the slices' data paths.
static bool is_slice_element(enum element element)
{
    switch (element) {
    case ELEMENT_I8:
    case ELEMENT_U8:
    case ELEMENT_I16:
    case ELEMENT_I32:
    case ELEMENT_BOOL:
    case ELEMENT_BF16:
        return true;
    default:
        return false;
    }
}

static bool is_slice_class(const struct network_node *node)
{
    switch (node->definition->class) {
    case OPERATOR_ELEMENTWISE:
    case OPERATOR_CONVOLUTION:
    case OPERATOR_MATMUL:
    case OPERATOR_POOLING:
    case OPERATOR_REDUCTION:
    case OPERATOR_MOVEMENT:
    case OPERATOR_VIEW:
        return true;
    default:
        return false;
    }
}

static bool is_css_class(const struct network_node *node)
{
    return node->definition->class == OPERATOR_GATHER ||
           node->definition->class == OPERATOR_OTHER ||
           node->definition->class == OPERATOR_NORMALIZATION;
}

static bool has_type(const struct plan *plan, const struct plan_group *group, const char *type)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        if (view_is(group_node(plan, group, i)->type, type))
            return true;
    }
    return false;
}

// A value inside a group that some node computes on though the slices cannot. What
// an integer was scaled back to, and is scaled to an integer from, stays one to
// them; sums of products may be wider than what is multiplied.
static const struct network_value *wrong_inside(const struct plan *plan,
                                                const struct plan_group *group)
{
    if (has_type(plan, group, "DequantizeLinear") && has_type(plan, group, "QuantizeLinear"))
        return NULL;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (view_is(node->type, "tosa.cast") || view_is(node->type, "Cast"))
            continue;
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == NETWORK_NONE)
                continue;
            const struct network_value *value = group_value(plan, node->inputs[j]);
            if (value->constant == NULL && element_is_float(value->type.element) &&
                !is_slice_element(value->type.element))
                return value;
        }
    }
    return NULL;
}

// What comes into a group or leaves it: numbers that only pass through the engine
// may be wider.
static const struct network_value *wrong_value(const struct plan *plan,
                                               const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        const struct network_value *value = group_value(plan, group->inputs[i]);
        // A parameter (an axis, a scale) is part of the engine's program.
        if (!is_slice_element(value->type.element) &&
            (value->constant == NULL || shape_count(&value->type.shape) > 4096))
            return value;
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        const struct network_value *value = group_value(plan, group->outputs[i]);
        if (!is_slice_element(value->type.element))
            return value;
    }
    return wrong_inside(plan, group);
}

static const struct network_node *wrong_node(const struct plan *plan,
                                             const struct plan_group *group,
                                             bool (*fits)(const struct network_node *node))
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (!fits(node) || node->definition->random)
            return node;
    }
    return NULL;
}

static void place_on(struct plan_group *group, uint32_t engine, const char *reason)
{
    group->engine = engine;
    group->reason = reason;
}

static bool has_elements(const struct plan *plan, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->input_count + group->output_count; i++) {
        const uint32_t value =
            i < group->input_count ? group->inputs[i] : group->outputs[i - group->input_count];
        if (shape_count(&group_value(plan, value)->type.shape) == 0)
            return false;
    }
    return true;
}

static void place_torq(struct plan *plan, struct plan_group *group)
{
    const uint32_t host = target_engine_of(plan->target, TARGET_HOST);
    const uint32_t slice = target_engine_of(plan->target, TARGET_SLICE);
    const uint32_t css = target_engine_of(plan->target, TARGET_CSS);
    if (!group_is_static(plan, group)) {
        place_on(group, host, "its shapes are known only when it runs");
        return;
    }
    if (group->output_count == 0 || !has_elements(plan, group)) {
        place_on(group, host, "it has nothing to compute");
        return;
    }
    const struct network_value *value = wrong_value(plan, group);
    if (value != NULL) {
        place_on(
            group, host,
            plan_text(plan, "the slices do not compute %s", element_name(value->type.element)));
        return;
    }
    const struct network_node *node = wrong_node(plan, group, is_slice_class);
    if (node == NULL) {
        place_on(group, slice != TARGET_NONE ? slice : host,
                 slice != TARGET_NONE ? "the slices compute it" : "there are no slices");
        return;
    }
    if (css != TARGET_NONE && wrong_node(plan, group, is_css_class) == NULL) {
        place_on(group, css,
                 plan_text(plan, "the slices have no %.*s", VIEW_ARGUMENTS(node->type)));
        return;
    }
    place_on(group, host,
             plan_text(plan, "neither slices nor CSS have %.*s", VIEW_ARGUMENTS(node->type)));
}

status pass_place(struct plan *plan)
{
    const uint32_t cpu = target_engine_of(plan->target, TARGET_CPU);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (cpu != TARGET_NONE)
            place_on(&plan->groups[i], cpu, "the processor computes everything");
        else
            place_torq(plan, &plan->groups[i]);
    }
    return STATUS_OK;
}
