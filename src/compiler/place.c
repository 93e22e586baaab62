// Chooses the engine of each group: the first of the target's file that takes all of its
// operators and elements, the host for the rest.

#include "base/bytes.h"
#include "compiler.h"
#include "group.h"
#include "place.h"
#include "program/layouts.h"
#include "program/node_cost.h"

enum { PARAMETER_MOST = 4096 }; // elements of a constant that is part of an engine's program

// What an engine takes ------------------------------------------------------------------

static const char *class_of(const struct network_node *node)
{
    return operator_class_name(node->definition->class);
}

// A product's own constant, one number or one for each channel, that is added to its result.
static bool is_bias(const struct plan *plan, const struct plan_group *group,
                    const struct network_node *node)
{
    const struct network_node *product = group_node(plan, group, group_main(plan, group));
    if (node->definition->sort != SORT_SUM || node->input_count != 2)
        return false;
    const bool last = node->inputs[0] == product->outputs[0]; // else it is subtracted from
    const struct network_value *added = group_value(plan, node->inputs[last ? 1 : 0]);
    if ((!last &&
         (node->inputs[1] != product->outputs[0] || node->definition->function != COMPUTES_ADD)) ||
        added->constant == NULL)
        return false;
    const struct shape *shape = &added->type.shape;
    const uint32_t rank = group_value(plan, product->outputs[0])->type.shape.rank;
    const uint32_t axis = node_cost_channel_axis(product, rank);
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != 1 && i + rank != axis + shape->rank)
            return false;
    }
    return shape->rank <= rank;
}

static bool takes_class(const struct plan *plan, uint32_t engine, const struct network_node *node)
{
    return target_takes(plan->target, engine, class_of(node), NULL);
}

// Whether an engine applies an operator to what it computes for the group.
static bool fuses_node(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                       const struct network_node *node, const char *sort, const char *element)
{
    const struct target *target = plan->target;
    if (target->engines[engine].fuse_count == 0 ||
        !takes_class(plan, engine, group_node(plan, group, group_main(plan, group))))
        return false;
    return (sort != NULL && target_fuses(target, engine, sort, element)) ||
           (target_fuses(target, engine, "bias", element) && is_bias(plan, group, node));
}

// A target's word may also be for a sort of elementwise operators alone.
static bool takes_node(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                       const struct network_node *node, const char *element)
{
    if (target_takes(plan->target, engine, class_of(node), element))
        return true;
    if (node->definition->class != OPERATOR_ELEMENTWISE)
        return false;
    const char *sort = operator_sort_name(node->definition->sort);
    return (sort != NULL && target_takes(plan->target, engine, sort, element)) ||
           fuses_node(plan, group, engine, node, sort, element);
}

// Whether an engine computes an element for a node. Of a node that it does not take at all:
// whether it computes it for anything.
static bool computes(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                     const struct network_node *node, enum element element)
{
    if (!takes_node(plan, group, engine, node, NULL))
        return target_takes(plan->target, engine, NULL, element_name(element));
    return takes_node(plan, group, engine, node, element_name(element));
}

static bool is_half_float(enum element element)
{
    return element_carrier(element) == ELEMENT_BF16 || element == ELEMENT_F16;
}

// Sums of products may be wider than what is multiplied.
static bool computes_sum(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                         const struct network_node *node, enum element element)
{
    const bool product = node->definition->class == OPERATOR_CONVOLUTION ||
                         node->definition->class == OPERATOR_MATMUL;
    const bool floats =
        node->input_count > 0 && is_half_float(group_value(plan, node->inputs[0])->type.element);
    return computes(plan, group, engine, node, element) || (product && element == ELEMENT_I32) ||
           (product && floats && element == ELEMENT_F32);
}

static bool has_scaling(const struct plan *plan, const struct plan_group *group,
                        enum operator_scaling scaling)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        if (group_node(plan, group, i)->definition->scaling == scaling)
            return true;
    }
    return false;
}

// A value inside a group that some node computes on though the engine cannot. What an
// integer was scaled back to, and is scaled to an integer from, stays one to it.
static const struct network_value *wrong_inside(const struct plan *plan,
                                                const struct plan_group *group, uint32_t engine)
{
    if (has_scaling(plan, group, SCALES_BACK) && has_scaling(plan, group, SCALES_TO_INTEGER))
        return NULL;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (node->definition->function == COMPUTES_CAST)
            continue;
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == NETWORK_NONE)
                continue;
            const struct network_value *value = group_value(plan, node->inputs[j]);
            if (value->constant == NULL && element_is_float(value->type.element) &&
                !computes(plan, group, engine, node, value->type.element))
                return value;
        }
    }
    return NULL;
}

// Whether a value that comes in is of an element that its readers are computed in.
static bool place_is_read(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                          uint32_t value)
{
    const enum element element = group_value(plan, value)->type.element;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == value &&
                !(j < 2 ? computes(plan, group, engine, node, element)
                        : computes_sum(plan, group, engine, node, element)))
                return false;
        }
    }
    return true;
}

static bool is_written(const struct plan *plan, const struct plan_group *group, uint32_t engine,
                       uint32_t value)
{
    const enum element element = group_value(plan, value)->type.element;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (node->outputs[j] == value)
                return computes_sum(plan, group, engine, node, element);
        }
    }
    return false;
}

// What comes into a group or leaves it: numbers that only pass through the engine
// may be wider.
static const struct network_value *wrong_value(const struct plan *plan,
                                               const struct plan_group *group, uint32_t engine)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        const struct network_value *value = group_value(plan, group->inputs[i]);
        // A parameter (an axis, a scale) is part of the engine's program.
        const bool parameter =
            value->constant != NULL && shape_count(&value->type.shape) <= PARAMETER_MOST;
        if (!parameter && !place_is_read(plan, group, engine, group->inputs[i]))
            return value;
    }
    for (uint32_t i = 0; i < group->output_count; i++) {
        if (!is_written(plan, group, engine, group->outputs[i]))
            return group_value(plan, group->outputs[i]);
    }
    return wrong_inside(plan, group, engine);
}

// What an engine that has kernels for such operators says against this one; NULL: nothing.
static const char *refused(const struct plan *plan, const struct plan_group *group, uint32_t engine)
{
    if (!cost_names_kernels(plan->target, engine))
        return NULL;
    const struct cost_request request = group_kernel(plan, group);
    return cost_refusal(plan->target, engine, &request);
}

static const struct network_node *wrong_node(const struct plan *plan,
                                             const struct plan_group *group, uint32_t engine)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (!takes_node(plan, group, engine, node, NULL) || node->definition->random)
            return node;
    }
    return NULL;
}

// Why not -------------------------------------------------------------------------------

static bool place_next_engine(const struct target *target, uint32_t *engine)
{
    while (*engine < target->engine_count && !target_computes(target, *engine))
        (*engine)++;
    return *engine < target->engine_count;
}

static const char *place_bare_name(const struct target *target, uint32_t engine)
{
    const char *called = target->engines[engine].called;
    return strncmp(called, "the ", 4) == 0 ? called + 4 : called;
}

static const char *not_computed(struct plan *plan, uint32_t engine,
                                const struct network_value *value)
{
    const char *called = plan->target->engines[engine].called;
    return plan_text(plan, "%s %s not compute %s", called, target_is_plural(called) ? "do" : "does",
                     element_name(value->type.element));
}

static const char *place_not_taken(struct plan *plan, uint32_t engine,
                                   const struct plan_group *group, const char *refusal)
{
    const char *called = plan->target->engines[engine].called;
    const bool plural = target_is_plural(called);
    if (refusal[0] != '\0')
        return plan_text(plan, "%s %s not take it: %s", called, plural ? "do" : "does", refusal);
    const struct network_node *node = group_node(plan, group, group_main(plan, group));
    return plan_text(plan, "%s %s no %.*s of this form", called, plural ? "have" : "has",
                     VIEW_ARGUMENTS(node->type));
}

static const char *not_had(struct plan *plan, uint32_t engine, const struct network_node *node)
{
    const char *called = plan->target->engines[engine].called;
    return plan_text(plan, "%s %s no %.*s", called, target_is_plural(called) ? "have" : "has",
                     VIEW_ARGUMENTS(node->type));
}

// "neither arrays nor lanes have Loop"
static const char *none_has(struct plan *plan, uint32_t first, const struct network_node *node)
{
    const struct target *target = plan->target;
    struct bytes text = {0};
    uint32_t last = first;
    for (uint32_t i = first + 1; place_next_engine(target, &i); i++)
        last = i;
    if (last == first)
        return not_had(plan, first, node);
    bytes_append_format(&text, "neither %s", place_bare_name(target, first));
    for (uint32_t i = first + 1; place_next_engine(target, &i); i++)
        bytes_append_format(&text, "%s %s", i == last ? " nor" : ",", place_bare_name(target, i));
    const char *reason = plan_text(plan, "%.*s have %.*s", VIEW_ARGUMENTS(bytes_view(&text)),
                                   VIEW_ARGUMENTS(node->type));
    bytes_free(&text);
    return reason;
}

// Placing -------------------------------------------------------------------------------

uint32_t place_find(const struct plan *plan, const struct plan_group *group)
{
    uint32_t engine = 0;
    for (; place_next_engine(plan->target, &engine); engine++) {
        if (wrong_value(plan, group, engine) == NULL && wrong_node(plan, group, engine) == NULL &&
            refused(plan, group, engine) == NULL)
            return engine;
    }
    return engine;
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

// What the first engine lacks is the reason for any other.
static void place_by_takes(struct plan *plan, struct plan_group *group, uint32_t host)
{
    const struct target *target = plan->target;
    uint32_t first = TARGET_NONE;
    const struct network_value *value = NULL;
    const struct network_node *node = NULL;
    const char *refusal = NULL;
    for (uint32_t i = 0; place_next_engine(target, &i); i++) {
        const struct network_value *own_value = wrong_value(plan, group, i);
        const struct network_node *own_node = wrong_node(plan, group, i);
        const bool takes = own_value == NULL && own_node == NULL;
        const char *own_refusal = takes ? refused(plan, group, i) : NULL;
        if (takes && own_refusal == NULL) {
            const char *called = target->engines[i].called;
            place_on(group, i,
                     value != NULL  ? not_computed(plan, first, value)
                     : node != NULL ? not_had(plan, first, node)
                     : refusal != NULL
                         ? place_not_taken(plan, first, group, refusal)
                         : plan_text(plan, "%s %s it", called,
                                     target_is_plural(called) ? "compute" : "computes"));
            return;
        }
        if (first != TARGET_NONE)
            continue;
        first = i;
        value = own_value;
        node = own_node;
        refusal = own_refusal;
    }
    place_on(group, host,
             first == TARGET_NONE ? "nothing else computes"
             : value != NULL      ? not_computed(plan, first, value)
             : refusal != NULL    ? place_not_taken(plan, first, group, refusal)
                                  : none_has(plan, first, node));
}

void place_group(struct plan *plan, struct plan_group *group)
{
    const uint32_t host = target_engine_with(plan->target, TARGET_ROLE_HOST);
    if (!group_is_static(plan, group))
        place_on(group, host, "its shapes are known only when it runs");
    else if (group->output_count == 0 || !has_elements(plan, group))
        place_on(group, host, "it has nothing to compute");
    else
        place_by_takes(plan, group, host);
}

// The target's words --------------------------------------------------------------------

static status wrong_class(const struct target *target, const struct target_engine *engine,
                          const char *word)
{
    struct bytes names = {0};
    for (int i = 0; i < OPERATOR_CLASSES; i++)
        bytes_append_format(&names, "%s%s", i > 0 ? ", " : "",
                            operator_class_name((enum operator_class)i));
    const status failure =
        status_make(STATUS_DATA,
                    "target %s: engine '%s' takes '%s', which is no class of operators: there is "
                    "%.*s, and * for all",
                    target->name, engine->name, word, VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static bool is_sort(const char *word)
{
    for (int i = 0; i < OPERATOR_SORTS; i++) {
        const char *name = operator_sort_name((enum operator_sort)i);
        if (name != NULL && strcmp(name, word) == 0)
            return true;
    }
    return false;
}

static bool is_class(const char *word)
{
    if (is_sort(word))
        return true;
    for (int i = 0; i < OPERATOR_CLASSES; i++) {
        if (strcmp(operator_class_name((enum operator_class)i), word) == 0)
            return true;
    }
    return word[0] == '*';
}

static status wrong_sort(const struct target *target, const struct target_engine *engine,
                         const char *word)
{
    struct bytes names = {0};
    for (int i = 0; i < OPERATOR_SORTS; i++) {
        const char *name = operator_sort_name((enum operator_sort)i);
        if (name != NULL)
            bytes_append_format(&names, "%s, ", name);
    }
    const status failure =
        status_make(STATUS_DATA,
                    "target %s: engine '%s' fuses '%s', which is no sort of elementwise operators: "
                    "there is %.*sand bias",
                    target->name, engine->name, word, VIEW_ARGUMENTS(bytes_view(&names)));
    bytes_free(&names);
    return failure;
}

static status check_elements(const struct target *target, const struct target_engine *engine,
                             const struct target_takes *takes)
{
    for (size_t i = 0; takes->elements[i] != NULL; i++) {
        const char *word = takes->elements[i];
        const enum element element = element_of_machine(view_of(word));
        if (word[0] == '*' || (element != ELEMENT_NONE && strcmp(element_name(element), word) == 0))
            continue;
        return status_make(STATUS_DATA,
                           "target %s: engine '%s' takes '%s', which is no element: write it like "
                           "%s",
                           target->name, engine->name, word,
                           element != ELEMENT_NONE ? element_name(element) : "i8, u8, i32 or bf16");
    }
    return STATUS_OK;
}

static status check_takes(const struct target *target, const struct target_engine *engine,
                          const struct target_takes *takes)
{
    for (size_t i = 0; takes->classes[i] != NULL; i++) {
        if (!is_class(takes->classes[i]))
            return wrong_class(target, engine, takes->classes[i]);
    }
    return check_elements(target, engine, takes);
}

static status check_fuses(const struct target *target, const struct target_engine *engine,
                          const struct target_takes *fuses)
{
    for (size_t i = 0; fuses->classes[i] != NULL; i++) {
        if (!is_sort(fuses->classes[i]) && strcmp(fuses->classes[i], "bias") != 0)
            return wrong_sort(target, engine, fuses->classes[i]);
    }
    return check_elements(target, engine, fuses);
}

static bool names_operator(const char *word)
{
    for (size_t i = 0; i < operator_count(); i++) {
        if (layouts_names(word, operator_at(i)))
            return true;
    }
    return false;
}

static status check_either(const struct target *target, const struct target_engine *engine)
{
    for (size_t i = 0; engine->either != NULL && engine->either[i] != NULL; i++) {
        const char *word = engine->either[i];
        if (is_sort(word) || (!is_class(word) && !names_operator(word)))
            return wrong_class(target, engine, word);
    }
    return STATUS_OK;
}

// Where values are laid out anew there is one kind of tiles, and images lie in it too.
static status check_tiles(const struct target *target)
{
    const struct target_engine *first = NULL;
    for (uint32_t i = 0; target_has_layouts(target) && i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        if (!target_engine_is_tiled(engine))
            continue;
        first = first == NULL ? engine : first;
        if (engine->depth == 0 || engine->depth != first->depth ||
            memcmp(engine->tile, first->tile, sizeof engine->tile) != 0)
            return status_make(STATUS_UNSUPPORTED,
                               "target %s: engine '%s' needs the 'depth' of its tiles, and all "
                               "tiles and depths must be the same where an engine takes 'layout'",
                               target->name, engine->name);
    }
    return STATUS_OK;
}

static status place_check_words(const struct target *target)
{
    STATUS_TRY(check_tiles(target));
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        for (uint32_t j = 0; j < engine->take_count; j++)
            STATUS_TRY(check_takes(target, engine, &engine->takes[j]));
        STATUS_TRY(check_either(target, engine));
        for (uint32_t j = 0; j < engine->fuse_count; j++)
            STATUS_TRY(check_fuses(target, engine, &engine->fuses[j]));
    }
    return STATUS_OK;
}

status pass_place(struct plan *plan)
{
    const struct target *target = plan->target;
    const uint32_t processor =
        target_is_processor(target) ? target_engine_with(target, TARGET_ROLE_COMPUTE) : TARGET_NONE;
    STATUS_TRY(place_check_words(target));
    plan_find_images(plan);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (processor != TARGET_NONE)
            place_on(&plan->groups[i], processor,
                     plan_text(plan, "%s computes everything", target->engines[processor].called));
        else
            place_group(plan, &plan->groups[i]);
    }
    return STATUS_OK;
}
