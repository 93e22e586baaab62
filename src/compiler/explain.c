#include "explain.h"

#include "compiler.h"
#include "group.h"

static struct plan_box *boxes_of(struct plan *plan, const uint32_t *values, uint32_t count)
{
    struct plan_box *boxes = arena_allocate(&plan->arena, (count + 1) * sizeof *boxes);
    for (uint32_t i = 0; i < count; i++)
        boxes[i] = values[i] != NETWORK_NONE
                       ? plan_box_whole(&group_value(plan, values[i])->type.shape)
                       : (struct plan_box){0};
    return boxes;
}

// All of a group of one node at once.
static struct plan_tile whole_tile(struct plan *plan, const struct plan_group *group)
{
    const struct network_node *node = group_node(plan, group, 0);
    return (struct plan_tile){
        .inputs = boxes_of(plan, group->inputs, group->input_count),
        .outputs = boxes_of(plan, group->outputs, group->output_count),
        .inner = boxes_of(plan, node->outputs, node->output_count),
    };
}

static uint64_t explain_bytes_of(const struct plan *plan, const uint32_t *values, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct value_type *type = &group_value(plan, values[i])->type;
        const struct plan_box box = plan_box_whole(&type->shape);
        bytes += plan_box_bytes(&box, type->element);
    }
    return bytes;
}

static struct explained_transfer transfer_of(const struct target *target, enum cost_rules rules,
                                             uint32_t from, uint32_t to, uint64_t bytes)
{
    struct explained_transfer transfer = {.engine = TARGET_NONE, .bytes = bytes};
    if (from == to || from == TARGET_NONE || bytes == 0)
        return transfer;
    transfer.engine = target_engine_between(target, from, to);
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    if (transfer.engine != TARGET_NONE)
        transfer.cycles = cost_cycles(target, rules, transfer.engine, &request);
    return transfer;
}

// The stages of a task each have a price of their own.
static void explain_stages(const struct target *target, enum cost_rules rules,
                           const struct target_engine *engine, const struct explained *whole,
                           struct cost_explanation *out)
{
    *out = (struct cost_explanation){.price = "stages"};
    for (uint32_t i = 0; i < engine->stage_count; i++) {
        const struct target_engine *stage = &target->engines[engine->stages[i]];
        const bool moves = stage->role != TARGET_ROLE_COMPUTE;
        const bool in = stage->to == engine->memory;
        const struct cost_request moved = {.kind = COST_TRANSFER,
                                           .bytes = in ? whole->in.bytes : whole->out.bytes};
        const struct cost_request *request = moves ? &moved : &whole->request;
        const uint64_t cycles = cost_cycles(target, rules, engine->stages[i], request);
        const uint64_t bound = cost_bound(target, engine->stages[i], request);
        if (out->term_count < COST_TERMS_MOST) {
            struct cost_term *term = &out->terms[out->term_count++];
            *term = (struct cost_term){.cycles = cycles, .alternative = true};
            memcpy(term->name, "stage", sizeof "stage");
            strncpy(term->how, stage->name, sizeof term->how - 1);
        }
        out->cycles = cycles > out->cycles ? cycles : out->cycles;
        out->bound = bound > out->bound ? bound : out->bound;
    }
    out->engine_cycles = out->cycles;
}

static void explain_group(struct plan *plan, const struct plan_group *group, enum cost_rules rules,
                          struct explained *out)
{
    const struct target *target = plan->target;
    const struct plan_tile tile = whole_tile(plan, group);
    const struct target_engine *engine = &target->engines[group->engine];
    const uint32_t far = target_far_memory(target);
    out->request = group_cost(plan, group, &tile);
    out->in = transfer_of(target, rules, far, engine->memory,
                          explain_bytes_of(plan, group->inputs, group->input_count));
    out->out = transfer_of(target, rules, engine->memory, far,
                           explain_bytes_of(plan, group->outputs, group->output_count));
    if (engine->stage_count > 0)
        explain_stages(target, rules, engine, out, &out->price);
    else
        cost_explain(target, rules, group->engine, &out->request, &out->price);
}

status explain_plan(struct plan *plan, enum cost_rules rules, struct explained *out)
{
    STATUS_TRY(pass_fuse(plan));
    STATUS_TRY(pass_place(plan));
    *out = (struct explained){.engine = TARGET_NONE, .reason = "it has nothing to compute"};
    if (plan->group_count == 0)
        return STATUS_OK;
    const struct plan_group *group = &plan->groups[0];
    out->engine = group->engine;
    out->reason = group->reason;
    if (group->engine != TARGET_NONE)
        explain_group(plan, group, rules, out);
    return STATUS_OK;
}
