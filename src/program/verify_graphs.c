#include "verify_graphs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "verify_task.h"

enum { GRAPHS_DEEP_MOST = 64 };

// A value that the graphs inside a node take from outside.
struct captured {
    uint32_t value;
    uint32_t next; // of the same node; PROGRAM_NONE
};

struct scopes {
    const struct program *program;
    uint32_t *home;  // by node: its graph; PROGRAM_NONE: none
    uint32_t *user;  // by graph: the node that it is an attribute of; PROGRAM_NONE
    uint32_t *made;  // by value: the graph that makes it; PROGRAM_NONE: none
    uint32_t *place; // by value: how many nodes of the graph come before it
    bool *known;     // by value: something makes or gives it
    uint32_t *first; // by node: in `captured`; PROGRAM_NONE: nothing
    uint32_t *reads; // by value: the last task + 1 with graphs that reads it
    struct captured *captured;
    size_t count, capacity;
};

static status wrong(uint32_t graph, const char *why)
{
    return verify_wrong("graph", graph, why);
}

// Nodes are of one graph or group, or of none.
static status find_homes(const struct scopes *scopes)
{
    const struct program *program = scopes->program;
    for (uint32_t i = 0; i < program->graph_count; i++) {
        const struct program_graph *graph = &program->graphs[i];
        for (uint32_t j = 0; j < graph->node_count; j++) {
            uint32_t *home = &scopes->home[graph->first_node + j];
            if (*home != PROGRAM_NONE)
                return wrong(i, "some of its nodes belong to another graph");
            *home = i;
        }
    }
    for (uint32_t i = 0; i < program->group_count; i++) {
        const struct program_group *group = &program->groups[i];
        for (uint32_t j = 0; j < group->node_count; j++) {
            if (scopes->home[group->first_node + j] != PROGRAM_NONE)
                return wrong(scopes->home[group->first_node + j],
                             "some of its nodes belong to a group");
        }
    }
    return STATUS_OK;
}

static status find_users(const struct scopes *scopes)
{
    const struct program *program = scopes->program;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->nodes[i];
        for (uint32_t j = 0; j < node->attribute_count; j++) {
            const struct program_attribute *attribute =
                &program->attributes[node->first_attribute + j];
            if (attribute->kind != ATTRIBUTE_GRAPH)
                continue;
            if (scopes->user[attribute->data] != PROGRAM_NONE)
                return wrong((uint32_t)attribute->data, "it belongs to more than one operator");
            scopes->user[attribute->data] = i;
        }
    }
    return STATUS_OK;
}

// Each has one graph around it at most: who goes outwards comes to an end, or to a graph that
// contains itself.
static status check_depth(const struct scopes *scopes, uint32_t graph)
{
    uint32_t at = graph;
    for (uint32_t depth = 0; at != PROGRAM_NONE; depth++) {
        if (depth > GRAPHS_DEEP_MOST)
            return wrong(graph, "it contains itself, or lies too deep in others");
        if (scopes->user[at] == PROGRAM_NONE)
            return wrong(at, "it belongs to no operator");
        at = scopes->home[scopes->user[at]];
    }
    return STATUS_OK;
}

// Values ---------------------------------------------------------------------------------

static status make_value(const struct scopes *scopes, uint32_t value, uint32_t graph,
                         uint32_t place)
{
    if (scopes->known[value])
        return verify_wrong("value", value, "it is made more than once");
    scopes->known[value] = true;
    scopes->made[value] = graph;
    scopes->place[value] = place;
    return STATUS_OK;
}

static status verify_graphs_make_outputs(const struct scopes *scopes, uint32_t index,
                                         uint32_t graph, uint32_t place)
{
    const struct program_node *node = &scopes->program->nodes[index];
    const uint32_t *outputs = scopes->program->node_values + node->first_value + node->input_count;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (outputs[i] != PROGRAM_NONE)
            STATUS_TRY(make_value(scopes, outputs[i], graph, place));
    }
    return STATUS_OK;
}

static status make_graph_values(const struct scopes *scopes, uint32_t index)
{
    const struct program_graph *graph = &scopes->program->graphs[index];
    const uint32_t *values = scopes->program->node_values + graph->first_value;
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        if (values[i] == PROGRAM_NONE)
            return wrong(index, "one of its inputs or outputs is none");
        if (i < graph->input_count)
            STATUS_TRY(make_value(scopes, values[i], index, 0));
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        STATUS_TRY(verify_graphs_make_outputs(scopes, graph->first_node + i, index, i + 1));
    return STATUS_OK;
}

static status make_values(const struct scopes *scopes)
{
    const struct program *program = scopes->program;
    for (uint32_t i = 0; i < program->input_count; i++)
        STATUS_TRY(make_value(scopes, program->inputs[i], PROGRAM_NONE, 0));
    for (uint32_t i = 0; i < program->node_count; i++) {
        if (scopes->home[i] == PROGRAM_NONE)
            STATUS_TRY(verify_graphs_make_outputs(scopes, i, PROGRAM_NONE, 0));
    }
    for (uint32_t i = 0; i < program->graph_count; i++)
        STATUS_TRY(make_graph_values(scopes, i));
    return STATUS_OK;
}

// Reading --------------------------------------------------------------------------------

static void capture(struct scopes *scopes, uint32_t node, uint32_t value)
{
    scopes->captured =
        memory_grow(scopes->captured, scopes->count, &scopes->capacity, sizeof *scopes->captured);
    scopes->captured[scopes->count] = (struct captured){value, scopes->first[node]};
    scopes->first[node] = (uint32_t)scopes->count++;
}

// A value that is read in a graph after `place` of its nodes, or in a graph inside it there.
static status verify_graphs_read_value(struct scopes *scopes, uint32_t value, uint32_t graph,
                                       uint32_t place)
{
    const struct program *program = scopes->program;
    if (value == PROGRAM_NONE || program->values[value].kind == PROGRAM_VALUE_CONSTANT)
        return STATUS_OK;
    uint32_t user = PROGRAM_NONE;
    for (uint32_t at = graph; at != PROGRAM_NONE; at = scopes->home[user]) {
        if (scopes->made[value] == at)
            return scopes->place[value] <= place
                       ? STATUS_OK
                       : wrong(graph, "it reads a value before it is made");
        user = scopes->user[at];
        if (scopes->home[user] != PROGRAM_NONE)
            place = user - program->graphs[scopes->home[user]].first_node;
    }
    if (scopes->made[value] != PROGRAM_NONE)
        return wrong(graph, "it reads a value of a graph that is not around it");
    capture(scopes, user, value);
    return STATUS_OK;
}

static status read_graph(struct scopes *scopes, uint32_t index)
{
    const struct program *program = scopes->program;
    const struct program_graph *graph = &program->graphs[index];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct program_node *node = &program->nodes[graph->first_node + i];
        for (uint32_t j = 0; j < node->input_count; j++)
            STATUS_TRY(verify_graphs_read_value(scopes, program->node_values[node->first_value + j],
                                                index, i));
    }
    const uint32_t *outputs = program->node_values + graph->first_value + graph->input_count;
    for (uint32_t i = 0; i < graph->output_count; i++)
        STATUS_TRY(verify_graphs_read_value(scopes, outputs[i], index, graph->node_count));
    return STATUS_OK;
}

static status check_captured(const struct scopes *scopes, uint32_t task, uint32_t node)
{
    for (uint32_t i = scopes->first[node]; i != PROGRAM_NONE; i = scopes->captured[i].next) {
        if (scopes->reads[scopes->captured[i].value] != task + 1)
            return verify_wrong("task", task, "a graph inside it reads what it does not");
    }
    return STATUS_OK;
}

static status verify_graphs_check_task(const struct scopes *scopes, uint32_t index)
{
    const struct program *program = scopes->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const uint32_t value = program->buffers[operand->buffer].value;
        if (operand->writes == 0 && value != PROGRAM_NONE)
            scopes->reads[value] = index + 1;
    }
    for (uint32_t i = 0; i < task->call_count; i++)
        STATUS_TRY(check_captured(scopes, index, program->calls[task->first_call + i].node));
    return STATUS_OK;
}

static status verify_graphs_check_all(struct scopes *scopes)
{
    const struct program *program = scopes->program;
    STATUS_TRY(find_homes(scopes));
    STATUS_TRY(find_users(scopes));
    for (uint32_t i = 0; i < program->graph_count; i++)
        STATUS_TRY(check_depth(scopes, i));
    STATUS_TRY(make_values(scopes));
    for (uint32_t i = 0; i < program->graph_count; i++)
        STATUS_TRY(read_graph(scopes, i));
    for (uint32_t i = 0; scopes->count > 0 && i < program->task_count; i++)
        STATUS_TRY(verify_graphs_check_task(scopes, i));
    return STATUS_OK;
}

static uint32_t *all_none(size_t count)
{
    uint32_t *items = memory_allocate_zeroed(count + 1, sizeof *items);
    memset(items, 0xff, (count + 1) * sizeof *items);
    return items;
}

status verify_graphs(const struct program *program)
{
    const size_t values = (size_t)program->value_count + 1;
    struct scopes scopes = {.program = program,
                            .home = all_none(program->node_count),
                            .user = all_none(program->graph_count),
                            .made = all_none(program->value_count),
                            .place = memory_allocate_zeroed(values, sizeof(uint32_t)),
                            .known = memory_allocate_zeroed(values, sizeof(bool)),
                            .first = all_none(program->node_count),
                            .reads = memory_allocate_zeroed(values, sizeof(uint32_t))};
    const status failure = verify_graphs_check_all(&scopes);
    free(scopes.home);
    free(scopes.user);
    free(scopes.made);
    free(scopes.place);
    free(scopes.known);
    free(scopes.first);
    free(scopes.reads);
    free(scopes.captured);
    return failure;
}
