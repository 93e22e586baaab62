#include "describe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "network/operators.h"
#include "base/memory.h"
#include "base/recovery.h"
#include "describe_images.h"
#include "describe_parts.h"
#include "program/location.h"

uint32_t describing_text(const struct describing *describing, uint32_t text)
{
    return profile_string(describing->profile, view_of(program_text(describing->program, text)));
}

uint32_t describing_key(const struct describing *describing, const char *name)
{
    return profile_string(describing->profile, view_of(name));
}

static void describe_add_text(struct describing *describing, const char *name, struct view text)
{
    if (text.size > 0)
        value_add_string(&describing->values, describing_key(describing, name),
                         profile_string(describing->profile, text));
}

// Operators and calls -----------------------------------------------------------

// "1x56x56x24xi8"
static void describe_append_type(struct bytes *to, const struct program_value *value)
{
    if (value->rank == PROGRAM_NONE)
        bytes_append_format(to, "?");
    for (uint32_t i = 0; value->rank != PROGRAM_NONE && i < value->rank; i++) {
        if (value->dims[i] < 0)
            bytes_append_format(to, "?x");
        else
            bytes_append_format(to, "%" PRId64 "x", value->dims[i]);
    }
    bytes_append_format(to, "%s", element_name((enum element)value->element));
}

static void append_value(struct describing *describing, uint32_t value)
{
    if (describing->text.size > 0)
        bytes_append_format(&describing->text, ", ");
    if (value != PROGRAM_NONE)
        describe_append_type(&describing->text, &describing->program->values[value]);
    else
        bytes_append_format(&describing->text, "none");
}

static void describe_add_types(struct describing *describing, const char *name, uint32_t first,
                               uint32_t count)
{
    describing->text.size = 0;
    for (uint32_t i = 0; i < count; i++)
        append_value(describing, describing->program->operator_values[first + i]);
    describe_add_text(describing, name, bytes_view(&describing->text));
}

static void describe_add_work(struct describing *describing, const struct program_work *work)
{
    if (work->known == 0)
        return;
    value_add_uint(&describing->values, describing_key(describing, "macs"), work->macs);
    value_add_uint(&describing->values, describing_key(describing, "flops"), work->flops);
    value_add_uint(&describing->values, describing_key(describing, "bytes_read"), work->bytes_read);
    value_add_uint(&describing->values, describing_key(describing, "bytes_written"),
                   work->bytes_written);
    value_add_uint(&describing->values, describing_key(describing, "weight_bytes"),
                   work->weight_bytes);
}

// Where each of some values lies, if one of them lies in parts.
static void add_memories(struct describing *describing, const char *name, const uint32_t *values,
                         uint32_t count)
{
    const struct target *target = describing->target;
    bool any = false;
    describing->text.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        any = any || describe_parts_of(describing->parts, values[i]) != NULL;
        if (i > 0)
            bytes_append_format(&describing->text, ", ");
        describe_parts_append(target, describe_parts_of(describing->parts, values[i]),
                              &describing->text);
    }
    if (any)
        describe_add_text(describing, name, bytes_view(&describing->text));
}

// Whether a group only lays out anew what its operator takes or gives.
static bool only_lays_out(const struct program *program, const struct program_group *group)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct program_node *node = &program->nodes[group->first_node + i];
        const struct operator_definition *definition =
            operator_find(view_of(program_text(program, node->domain)),
                          view_of(program_text(program, node->type)));
        if (definition == NULL || definition->class != OPERATOR_LAYOUT)
            return false;
    }
    return group->node_count > 0;
}

static bool is_tiled(const struct describing *describing, const struct program_group *group)
{
    const struct target *target = describing->target;
    return group->engine < target->engine_count &&
           target_engine_is_tiled(&target->engines[group->engine]);
}

// What values lie in, on a machine with tiles.
static void add_tile(struct describing *describing, const struct program_group *group)
{
    if (!is_tiled(describing, group))
        return;
    const struct target_engine *engine = &describing->target->engines[group->engine];
    const bool image = describing->images[group - describing->program->groups];
    const struct target *target = describing->target;
    describing->text.size = 0;
    bytes_append_format(&describing->text, "%ux%u", image ? 1 : engine->tile[0],
                        image ? 1 : engine->tile[1]);
    describe_add_text(describing, "tile", bytes_view(&describing->text));
    describe_add_text(describing, "target", view_of(target->name));
    const uint32_t far = target_far_memory(target);
    if (far != TARGET_NONE)
        describe_add_text(describing, "memory", view_of(target->memories[far].name));
}

static void add_placement(struct describing *describing, uint32_t id)
{
    if (id == PROGRAM_NONE) {
        describe_add_text(describing, "engine", VIEW_LITERAL("none: calculated while compiling"));
        return;
    }
    const struct program_group *group = &describing->program->groups[id];
    if (group->engine < describing->target->engine_count) {
        const struct target_engine *engine = &describing->target->engines[group->engine];
        describe_add_text(describing, "engine", view_of(engine->name));
        add_tile(describing, group);
    }
    describe_add_text(describing, "group", view_of(program_text(describing->program, group->type)));
    describe_add_text(describing, "reason",
                      view_of(program_text(describing->program, group->reason)));
}

static bool is_mlir(struct view location)
{
    return location.size == 0 || view_starts_with(location, "loc(");
}

static uint32_t describe_location_of(struct describing *describing, const uint32_t *operators,
                                     uint32_t count)
{
    describing->text.size = 0;
    program_location(describing->program, operators, count, &describing->text);
    return profile_string(describing->profile, bytes_view(&describing->text));
}

static void describe_add_operators(struct describing *describing)
{
    const struct program *program = describing->program;
    describing->operators =
        memory_allocate_zeroed((size_t)program->operator_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < program->operator_count; i++) {
        const struct program_operator *op = &program->operators[i];
        const uint32_t *values = &program->operator_values[op->first_input];
        describing->values.size = 0;
        describe_add_types(describing, "inputs", op->first_input, op->input_count);
        describe_add_types(describing, "outputs", op->first_input + op->input_count,
                           op->output_count);
        add_memories(describing, "input_memories", values, op->input_count);
        add_memories(describing, "output_memories", values + op->input_count, op->output_count);
        describe_add_work(describing, &op->work);
        add_placement(describing, op->group);
        const struct view source = view_of(program_text(program, op->location));
        if (!is_mlir(source))
            describe_add_text(describing, "source", source);
        const struct operator_description description = {
            .name = describing_text(describing, op->name),
            .type = describing_text(describing, op->type),
            .location = describe_location_of(describing, &i, 1),
            .values = bytes_view(&describing->values)};
        describing->operators[i] = profile_operator_add(describing->profile, &description);
    }
}

static struct describing_members members_of(const struct program *program)
{
    const size_t most = (size_t)program->node_count + program->operator_count + 1;
    struct describing_members members = {
        .first = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t)),
        .operators = memory_allocate_zeroed(most, sizeof(uint32_t))};
    // How many operators name each group, then where theirs begin.
    uint32_t *named = memory_allocate_zeroed((size_t)program->group_count + 2, sizeof *named);
    uint32_t *by_group =
        memory_allocate_zeroed((size_t)program->operator_count + 1, sizeof *by_group);
    for (uint32_t i = 0; i < program->operator_count; i++) {
        if (program->operators[i].group != PROGRAM_NONE)
            named[program->operators[i].group + 2]++;
    }
    for (uint32_t i = 2; i <= program->group_count + 1; i++)
        named[i] += named[i - 1];
    for (uint32_t i = 0; i < program->operator_count; i++) {
        if (program->operators[i].group != PROGRAM_NONE)
            by_group[named[program->operators[i].group + 1]++] = i;
    }
    uint32_t count = 0;
    for (uint32_t g = 0; g < program->group_count; g++) {
        members.first[g] = count;
        if (program->groups[g].node_count > 0) {
            count += program_group_operators(program, g, &members.operators[count]);
            continue;
        }
        const uint32_t size = named[g + 1] - named[g];
        memcpy(&members.operators[count], &by_group[named[g]], size * sizeof *by_group);
        count += size;
    }
    members.first[program->group_count] = count;
    free(named);
    free(by_group);
    return members;
}

static bool is_made_inside(const struct program *program, const uint32_t *operators, uint32_t count,
                           uint32_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &program->operators[operators[i]];
        const uint32_t *outputs = &program->operator_values[op->first_input + op->input_count];
        for (uint32_t k = 0; k < op->output_count; k++) {
            if (outputs[k] == value)
                return true;
        }
    }
    return false;
}

// Biases, zero points and factors: constants of a column at most.
static bool is_parameter(const struct program_value *value)
{
    return value->kind == PROGRAM_VALUE_CONSTANT && value->rank < 2;
}

struct value_list {
    uint32_t *values;
    size_t count, capacity;
};

static void list_value(struct value_list *list, uint32_t value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->values[i] == value)
            return;
    }
    list->values = memory_grow(list->values, list->count, &list->capacity, sizeof *list->values);
    list->values[list->count++] = value;
}

// What comes into fused operators but for their parameters; what several of them take, once.
static struct value_list inputs_of_fused(const struct program *program, const uint32_t *operators,
                                         uint32_t count)
{
    struct value_list list = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &program->operators[operators[i]];
        for (uint32_t k = 0; k < op->input_count; k++) {
            const uint32_t value = program->operator_values[op->first_input + k];
            if (value != PROGRAM_NONE && !is_parameter(&program->values[value]) &&
                !is_made_inside(program, operators, count, value))
                list_value(&list, value);
        }
    }
    return list;
}

// What all of them do, which on a machine with tiles is told of the whole.
static void add_fused_work(struct describing *describing, const uint32_t *operators, uint32_t count)
{
    struct program_work work = {.known = 1};
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &describing->program->operators[operators[i]];
        work.macs += op->work.macs;
        work.flops += op->work.flops;
        work.known = work.known != 0 && op->work.known != 0;
    }
    if (work.known != 0) {
        value_add_uint(&describing->values, describing_key(describing, "macs"), work.macs);
        value_add_uint(&describing->values, describing_key(describing, "flops"), work.flops);
    }
}

// What comes into fused operators, and what the last one gives.
static void add_fused_values(struct describing *describing, const uint32_t *operators,
                             uint32_t count)
{
    const struct program *program = describing->program;
    const struct program_operator *last = &program->operators[operators[count - 1]];
    struct value_list inputs = inputs_of_fused(program, operators, count);
    describing->text.size = 0;
    for (size_t i = 0; i < inputs.count; i++)
        append_value(describing, inputs.values[i]);
    describe_add_text(describing, "inputs", bytes_view(&describing->text));
    describe_add_types(describing, "outputs", last->first_input + last->input_count,
                       last->output_count);
    add_memories(describing, "input_memories", inputs.values, (uint32_t)inputs.count);
    add_memories(describing, "output_memories",
                 &program->operator_values[last->first_input + last->input_count],
                 last->output_count);
    free(inputs.values);
}

// An operator with the name and the type of a group, and with the values that were gathered for it.
static uint32_t add_placed(struct describing *describing, uint32_t group, uint32_t location)
{
    const struct program_group *item = &describing->program->groups[group];
    add_placement(describing, group);
    const struct operator_description description = {
        .name = describing_text(describing, item->name),
        .type = describing_text(describing, item->type),
        .location = location,
        .values = bytes_view(&describing->values)};
    return profile_operator_add(describing->profile, &description);
}

// What was fused is an operator of its own; its calls have one for each of the
// original operators inside.
static uint32_t add_fused(struct describing *describing, uint32_t group, const uint32_t *operators,
                          uint32_t count)
{
    const struct program_group *item = &describing->program->groups[group];
    const uint32_t location = describe_location_of(describing, operators, count);
    describing->values.size = 0;
    describing->text.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct program_operator *op = &describing->program->operators[operators[i]];
        const char *name = program_text(describing->program, op->name);
        bytes_append_format(&describing->text, "%s%s", i > 0 ? ", " : "",
                            name[0] != '\0' ? name : program_text(describing->program, op->type));
    }
    describe_add_text(describing, "fused", bytes_view(&describing->text));
    if (count > 0)
        add_fused_values(describing, operators, count);
    if (count > 0 && is_tiled(describing, item))
        add_fused_work(describing, operators, count);
    return add_placed(describing, group, location);
}

// A change of layout bears the name of the operator that it is for; it does none of its work.
static uint32_t add_layout(struct describing *describing, uint32_t group, const uint32_t *operators,
                           uint32_t count)
{
    const uint32_t location = describe_location_of(describing, operators, count);
    describing->values.size = 0;
    return add_placed(describing, group, location);
}

static void add_owners(struct describing *describing)
{
    const struct program *program = describing->program;
    describing->members = members_of(program);
    describing->owners = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t));
    describing->calls = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof(uint32_t));
    for (uint32_t g = 0; g < program->group_count; g++) {
        const uint32_t first = describing->members.first[g];
        const uint32_t *operators = &describing->members.operators[first];
        const uint32_t count = describing->members.first[g + 1] - first;
        if (only_lays_out(program, &program->groups[g]))
            describing->owners[g] = add_layout(describing, g, operators, count);
        else
            describing->owners[g] = count == 1 ? describing->operators[operators[0]]
                                               : add_fused(describing, g, operators, count);
    }
}

void describing_start(struct describing *describing)
{
    describing->parts = describe_parts_find(describing->program);
    describing->images = describe_images_find(describing->program);
    describe_add_operators(describing);
    add_owners(describing);
}

void describing_keep(const struct describing *describing)
{
    recovery_keep_block(describing->parts);
    recovery_keep_block(describing->images);
    recovery_keep_block(describing->operators);
    recovery_keep_block(describing->owners);
    recovery_keep_block(describing->calls);
    recovery_keep_block(describing->members.first);
    recovery_keep_block(describing->members.operators);
    recovery_keep_block(describing->values.data);
    recovery_keep_block(describing->text.data);
}

void describing_free(struct describing *describing)
{
    free(describing->parts);
    free(describing->images);
    free(describing->operators);
    free(describing->owners);
    free(describing->calls);
    free(describing->members.first);
    free(describing->members.operators);
    bytes_free(&describing->values);
    bytes_free(&describing->text);
}

void describing_calls(struct describing *describing, uint32_t iteration)
{
    const struct program *program = describing->program;
    for (uint32_t g = 0; g < program->group_count; g++) {
        const uint32_t first = describing->members.first[g];
        const uint32_t *operators = &describing->members.operators[first];
        const uint32_t count = describing->members.first[g + 1] - first;
        const struct call call = {.operator_id = describing->owners[g], .iteration = iteration};
        describing->calls[g] = profile_call_add(describing->profile, &call);
        for (uint32_t i = 0; i < count && count > 1; i++) {
            const struct call inner = {.operator_id = describing->operators[operators[i]],
                                       .parent = describing->calls[g],
                                       .iteration = iteration};
            profile_call_add(describing->profile, &inner);
        }
    }
}

struct describing_flows describing_flows(const struct program *program)
{
    uint32_t *first = memory_allocate_zeroed((size_t)program->task_count + 2, sizeof *first);
    uint32_t *outs = memory_allocate_zeroed((size_t)program->dependency_count + 1, sizeof *outs);
    for (uint32_t i = 0; i < program->dependency_count; i++) {
        if (program->dependencies[i].is_true != 0)
            first[program->dependencies[i].task + 2]++;
    }
    for (uint32_t i = 2; i <= program->task_count + 1; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < program->dependency_count; i++) {
        if (program->dependencies[i].is_true != 0)
            outs[first[program->dependencies[i].task + 1]++] = i + 1;
    }
    return (struct describing_flows){first, outs};
}
