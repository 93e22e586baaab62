#include "raw_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/doubles.h"
#include "base/memory.h"
#include "formats/trace/nodes.h"
#include "host_work.h"
#include "qaic_program.h"
#include "raw_stats.h"

enum { SLOT_BARRIER = ROLE_COUNT, SLOTS }; // lanes of a thread: one for each role

struct keys {
    uint32_t kind, name, pcycles, memory, output, operation; // as the vendor's traces call them
};

struct raw_reading {
    const struct input *input;
    struct profile *profile;
    struct qaic_raw_stats stats;
    struct qaic_program container;      // all zero: none was given
    const struct qaic_part *program;    // of it: what was run; NULL: it is not known
    const struct qaic_network *network; // of the device; NULL: the same
    struct nodes nodes;
    struct keys keys;
    uint32_t clock;
    uint32_t process;
    uint32_t *groups;     // track of each core
    uint32_t *lanes;      // [(core * threads + thread) * SLOTS + slot]: track; 0: none yet
    uint32_t *first_flow; // by task: of the flows that leave it, in `flows`
    uint32_t *flows;      // dependencies, by the task that they come from
    struct bytes values;
    struct doubles doubles;
};

static const struct qaic_network *network_of(const struct raw_reading *reading)
{
    return reading->network;
}

static const struct program *program_of(const struct raw_reading *reading)
{
    return reading->program != NULL ? reading->program->program : NULL;
}

// Tracks -----------------------------------------------------------------------------------

static enum provenance provenance_of(const struct raw_reading *reading)
{
    return reading->stats.measured ? PROVENANCE_MEASURED : PROVENANCE_MODELLED;
}

static uint32_t add_track(struct raw_reading *reading, struct track track, const char *name)
{
    track.name = profile_string(reading->profile, view_of(name));
    track.clock = reading->clock;
    track.device = reading->stats.device;
    track.provenance = provenance_of(reading);
    return profile_track_add(reading->profile, &track);
}

static void make_places(struct raw_reading *reading)
{
    char name[320];
    const struct qaic_raw_stats *stats = &reading->stats;
    const struct qaic_network *network = network_of(reading);
    const struct view called = network != NULL ? network->name : VIEW_LITERAL("network");
    reading->clock = profile_clock_find(reading->profile, "UTIMER", stats->frequency);
    snprintf(name, sizeof name, "%.*s inference %" PRIu64, VIEW_ARGUMENTS(called),
             stats->inference);
    reading->process = add_track(reading, (struct track){.kind = TRACK_PROCESS}, name);
    reading->groups = memory_allocate_zeroed((size_t)stats->cores + 1, sizeof *reading->groups);
    reading->lanes = memory_allocate_zeroed((size_t)stats->cores * stats->threads * SLOTS + 1,
                                            sizeof *reading->lanes);
    for (uint32_t i = 0; i < stats->cores; i++) {
        snprintf(name, sizeof name, "core %" PRIu32, i);
        reading->groups[i] = add_track(
            reading,
            (struct track){
                .kind = TRACK_GROUP, .parent = reading->process, .rank = (int32_t)i, .core = i + 1},
            name);
    }
}

// Which of the threads of its group it is.
static uint32_t index_in_group(const struct qaic_network *network, uint32_t thread)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < thread; i++)
        index += network->thread_groups[i] == network->thread_groups[thread];
    return index;
}

static uint32_t lane_of(struct raw_reading *reading, uint32_t core, uint32_t thread, unsigned slot)
{
    const struct qaic_network *network = network_of(reading);
    uint32_t *lane =
        &reading->lanes[((size_t)core * reading->stats.threads + thread) * SLOTS + slot];
    if (*lane != 0)
        return *lane;
    const bool waits = slot == ROLE_WAIT || slot == SLOT_BARRIER;
    const enum role role = waits ? ROLE_WAIT : (enum role)slot;
    struct track track = {.kind = TRACK_LANE,
                          .parent = reading->groups[core],
                          .core = core + 1,
                          .rank = (int32_t)(1 + thread * SLOTS + slot)};
    const struct view group = network != NULL ? network->group_names[network->thread_groups[thread]]
                                              : VIEW_LITERAL("thread");
    char engine[64], name[128];
    const char *what = slot == SLOT_BARRIER ? " barrier" : node_role_suffix(role);
    const int size = (int)(group.size < 40 ? group.size : 40);
    snprintf(engine, sizeof engine, "%.*s%s", size, group.data, what);
    snprintf(name, sizeof name, "%.*s t%" PRIu32 "%s", size, group.data, thread, what);
    track.index = network != NULL ? index_in_group(network, thread) : thread;
    profile_track_set_engine(reading->profile, &track, role, engine);
    *lane = add_track(reading, track, name);
    return *lane;
}

// Flows ------------------------------------------------------------------------------------

// The flow of dependency k is k + 1.
static void find_flows(struct raw_reading *reading)
{
    const struct program *program = program_of(reading);
    if (program == NULL)
        return;
    reading->first_flow =
        memory_allocate_zeroed((size_t)program->task_count + 2, sizeof *reading->first_flow);
    reading->flows =
        memory_allocate_zeroed((size_t)program->dependency_count + 1, sizeof *reading->flows);
    for (uint32_t i = 0; i < program->dependency_count; i++)
        reading->first_flow[program->dependencies[i].task + 2]++;
    for (uint32_t i = 2; i < program->task_count + 2; i++)
        reading->first_flow[i] += reading->first_flow[i - 1];
    for (uint32_t i = 0; i < program->dependency_count; i++)
        reading->flows[reading->first_flow[program->dependencies[i].task + 1]++] = i;
}

static void add_flows(struct raw_reading *reading, uint32_t task)
{
    const struct program *program = program_of(reading);
    if (program == NULL || task >= program->task_count)
        return;
    for (uint32_t i = reading->first_flow[task]; i < reading->first_flow[task + 1]; i++)
        value_add_flow(&reading->values, VALUE_FLOW_OUT, (uint64_t)reading->flows[i] + 1);
    const struct program_task *own = &program->tasks[task];
    for (uint32_t i = 0; i < own->dependency_count; i++)
        value_add_flow(&reading->values, VALUE_FLOW_IN, (uint64_t)own->first_dependency + i + 1);
}

// Events -----------------------------------------------------------------------------------

static void add_event(struct raw_reading *reading, const struct event *event)
{
    profile_track(reading->profile, event->track)->ledger.expected++;
    profile_event_add(reading->profile, event, bytes_view(&reading->values));
}

static void add_inference(struct raw_reading *reading, uint32_t core)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    struct event event = {.kind = EVENT_SPAN, .start = UINT64_MAX};
    struct track track = {.kind = TRACK_LANE, .parent = reading->groups[core], .core = core + 1};
    char name[32];
    for (uint32_t i = 0; i < stats->threads; i++) {
        const struct qaic_raw_thread *thread =
            &stats->thread_times[(size_t)core * stats->threads + i];
        event.start = thread->start < event.start ? thread->start : event.start;
        event.end = thread->end > event.end ? thread->end : event.end;
    }
    snprintf(name, sizeof name, "core %" PRIu32, core);
    profile_track_set_engine(reading->profile, &track, ROLE_DEVICE, "core");
    event.track = add_track(reading, track, name);
    event.name = profile_string(reading->profile, VIEW_LITERAL("inference"));
    reading->values.size = 0;
    add_event(reading, &event);
}

static void add_wait(struct raw_reading *reading, const struct qaic_raw_operation *item,
                     unsigned slot, const char *what, uint64_t start, uint32_t ticks)
{
    if (ticks == 0 || start + ticks < start)
        return;
    const struct event event = {.kind = EVENT_SPAN,
                                .track = lane_of(reading, item->core, item->thread, slot),
                                .name = profile_string(reading->profile, view_of(what)),
                                .start = start,
                                .end = start + ticks};
    reading->values.size = 0;
    add_event(reading, &event);
}

// The node of an operation, with its time added up.
static struct node *node_of(struct raw_reading *reading, const struct qaic_operation *operation,
                            const struct qaic_raw_operation *item)
{
    struct node *node = nodes_find(&reading->nodes, operation->name);
    const struct clock_domain *clock = profile_clock(reading->profile, reading->clock);
    if (node == NULL)
        return NULL;
    nodes_spend(&reading->nodes, node, operation->kind, operation->memory,
                clock_duration(clock, item->end - item->start));
    node->ns[NODE_SYNC] += clock_duration(clock, item->sync);
    if (node->call == 0) {
        const struct call call = {.operator_id = node->operator_id,
                                  .iteration = (uint32_t)reading->stats.inference};
        node->call = profile_call_add(reading->profile, &call);
    }
    return node;
}

static void add_named(struct raw_reading *reading, const struct qaic_raw_operation *item)
{
    const struct qaic_operation *operation =
        &qaic_network_operations(network_of(reading), item->core, item->group)
             ->items[item->ordinal];
    const struct node *node = node_of(reading, operation, item);
    const enum role role = node_role_of(operation->kind, operation->memory);
    struct profile *profile = reading->profile;
    reading->values.size = 0;
    value_add_uint(&reading->values, reading->keys.operation, item->task);
    value_add_string(&reading->values, reading->keys.kind,
                     profile_string(profile, view_trim(operation->kind)));
    value_add_string(&reading->values, reading->keys.name,
                     profile_string(profile, operation->name));
    value_add_uint(&reading->values, reading->keys.pcycles, item->pcycles);
    value_add_string(&reading->values, reading->keys.memory,
                     profile_string(profile, operation->memory));
    value_add_uint(&reading->values, reading->keys.output, operation->output_size);
    add_flows(reading, item->task);
    const struct event event = {.kind = EVENT_SPAN,
                                .track = lane_of(reading, item->core, item->thread, role),
                                .name = profile_string(profile, view_trim(operation->kind)),
                                .start = item->start,
                                .end = item->end,
                                .call = node != NULL ? node->call : 0};
    add_event(reading, &event);
}

static void add_nameless(struct raw_reading *reading, const struct qaic_raw_operation *item)
{
    char name[64];
    snprintf(name, sizeof name, "group %u operation %" PRIu32, (unsigned)item->group,
             item->ordinal);
    reading->values.size = 0;
    value_add_uint(&reading->values, reading->keys.operation, item->task);
    value_add_uint(&reading->values, reading->keys.pcycles, item->pcycles);
    const struct event event = {.kind = EVENT_SPAN,
                                .track = lane_of(reading, item->core, item->thread, ROLE_DEVICE),
                                .name = profile_string(reading->profile, view_of(name)),
                                .start = item->start,
                                .end = item->end};
    add_event(reading, &event);
}

// Why a record cannot be true; NULL: it can.
static const char *fault_of(struct raw_reading *reading, const struct qaic_raw_operation *item)
{
    const struct qaic_network *network = network_of(reading);
    const struct view bytes = {(const char *)item, sizeof *item};
    if (item->core >= reading->stats.cores || item->thread >= reading->stats.threads)
        return "is of a thread that is not there";
    if (item->end < item->start)
        return "ends before it starts";
    if (network != NULL &&
        (item->group >= network->group_count ||
         item->ordinal >= qaic_network_operations(network, item->core, item->group)->count))
        return "is none of the program's";
    return doubles_find(&reading->doubles, bytes) ? "is there twice" : NULL;
}

static void add_operation(struct raw_reading *reading, size_t index)
{
    const struct qaic_raw_operation *item = &reading->stats.operations[index];
    const char *fault = fault_of(reading, item);
    if (fault != NULL) {
        profile_track(reading->profile, 0)->ledger.expected++;
        profile_note(reading->profile, 0, LEDGER_IMPOSSIBLE, 1, "%s: operation %zu %s",
                     reading->input->path, index, fault);
        return;
    }
    if (item->sync <= item->start)
        add_wait(reading, item, ROLE_WAIT, "sync", item->start - item->sync, item->sync);
    if (network_of(reading) != NULL)
        add_named(reading, item);
    else
        add_nameless(reading, item);
    add_wait(reading, item, SLOT_BARRIER, "barrier", item->end, item->barrier);
}

// What is counted --------------------------------------------------------------------------

// One figure of an inference, at its end.
static void add_figure(struct raw_reading *reading, uint32_t parent, uint32_t core,
                       const char *name, const char *unit, uint64_t figure)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    const uint64_t end =
        stats->thread_times[(size_t)core * stats->threads].end; // threads end together
    struct track track = {.kind = TRACK_COUNTER, .parent = parent, .core = core + 1};
    track.unit = profile_string(reading->profile, view_of(unit));
    const struct value value = {.kind = VALUE_UINT, .number = figure};
    reading->values.size = 0;
    value_add(&reading->values, &value);
    const struct event event = {
        .kind = EVENT_COUNTER, .track = add_track(reading, track, name), .start = end, .end = end};
    add_event(reading, &event);
}

static void add_figures(struct raw_reading *reading)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    char name[64];
    for (uint32_t i = 0; stats->traffic != NULL && i < stats->cores; i++) {
        add_figure(reading, reading->groups[i], i, "DDR read", "bytes", stats->traffic[i].read);
        add_figure(reading, reading->groups[i], i, "DDR written", "bytes",
                   stats->traffic[i].written);
    }
    for (size_t i = 0; i < stats->counter_count; i++) {
        const struct qaic_raw_counter *counter = &stats->counters[i];
        snprintf(name, sizeof name, "t%" PRIu32 " %s", counter->thread, counter->name);
        add_figure(reading, reading->groups[counter->core], counter->core, name, "",
                   counter->value);
    }
    for (size_t i = 0; stats->ports != NULL && i < (size_t)stats->cores * stats->threads; i++) {
        const uint32_t core = (uint32_t)(i / stats->threads);
        const uint64_t waits[2] = {stats->ports[i].input_wait, stats->ports[i].output_wait};
        for (uint32_t k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "t%" PRIu32 " wait for port %d",
                     (uint32_t)(i % stats->threads), QAIC_PORT_INPUT + (int)k);
            add_figure(reading, reading->groups[core], core, name, "ticks", waits[k]);
        }
    }
}

// Inputs that came from the host.
static void add_doorbells(struct raw_reading *reading)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    struct track track = {.kind = TRACK_LANE, .parent = reading->process};
    uint32_t lane = 0;
    char name[32];
    for (size_t i = 0; i < stats->doorbell_count; i++) {
        const struct qaic_raw_doorbell *bell = &stats->doorbells[i];
        if (lane == 0) {
            snprintf(name, sizeof name, "port %" PRIu32, bell->port);
            profile_track_set_engine(reading->profile, &track, ROLE_CONTROL, name);
            lane = add_track(reading, track, name);
        }
        snprintf(name, sizeof name, "input %" PRIu32, bell->index);
        const struct event event = {.kind = EVENT_INSTANT,
                                    .track = lane,
                                    .name = profile_string(reading->profile, view_of(name)),
                                    .start = bell->time,
                                    .end = bell->time};
        reading->values.size = 0;
        add_event(reading, &event);
    }
}

// All --------------------------------------------------------------------------------------

static void say_facts(struct raw_reading *reading)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    struct profile *profile = reading->profile;
    char text[64];
    profile_fact_add(profile, "format", VIEW_LITERAL("qaic-raw-stats"));
    snprintf(text, sizeof text, "%" PRIu32, stats->level);
    profile_fact_add(profile, "stats_level", view_of(text));
    snprintf(text, sizeof text, "%" PRIu64, stats->inference);
    profile_fact_add(profile, "inference", view_of(text));
    profile_fact_add(profile, "times",
                     stats->measured ? VIEW_LITERAL("measured") : VIEW_LITERAL("modelled"));
}

// The buffer has nothing of them but the waits.
static void note_host_work(struct raw_reading *reading)
{
    struct qaic_host_work *items;
    if (reading->stats.level < QAIC_LEVEL_OPERATIONS)
        return;
    const size_t count =
        qaic_host_work_find(program_of(reading), reading->container.target, &items);
    for (size_t i = 0; i < count; i++)
        profile_note(reading->profile, 0, LEDGER_REMARK, 1,
                     "%s: '%.*s' is computed by the host, %.3f us by the model: the card waits, "
                     "and has no times of it",
                     reading->input->path, VIEW_ARGUMENTS(items[i].name), items[i].us);
    free(items);
}

static void note_account(struct raw_reading *reading)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    const char *path = reading->input->path;
    struct profile *profile = reading->profile;
    if (stats->cut > 0) {
        profile_track(profile, 0)->ledger.expected += stats->cut;
        profile_note(profile, 0, LEDGER_LOST, stats->cut,
                     "%s: is cut off: %" PRIu64 " operations are not there", path, stats->cut);
    }
    if (stats->added > 0)
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: holds %" PRIu64 " operations more than it says", path, stats->added);
    if (stats->level < QAIC_LEVEL_OPERATIONS)
        profile_note(
            profile, 0, LEDGER_REMARK, 1,
            "%s: was recorded at level %" PRIu32
            ", which has no cycles of operators: compile with -stats-level=%d and run again",
            path, stats->level, QAIC_LEVEL_OPERATIONS);
    if (network_of(reading) == NULL)
        profile_note(profile, 0, LEDGER_REMARK, 1,
                     "%s: names, kinds, sizes and dependencies of its operations are in the "
                     "programqpc.bin that was run: give it with --qpc to info, operators, overview "
                     "or convert, whose .prof all commands take",
                     path);
    note_host_work(reading);
}

static status raw_profile_build(struct raw_reading *reading)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    struct profile *profile = reading->profile;
    reading->keys = (struct keys){profile_string(profile, VIEW_LITERAL("opKind")),
                                  profile_string(profile, VIEW_LITERAL("opName")),
                                  profile_string(profile, VIEW_LITERAL("opPCycle")),
                                  profile_string(profile, VIEW_LITERAL("opMemory")),
                                  profile_string(profile, VIEW_LITERAL("opOutputSize")),
                                  profile_string(profile, VIEW_LITERAL("oc"))};
    say_facts(reading);
    make_places(reading);
    nodes_start(&reading->nodes, profile);
    find_flows(reading);
    for (uint32_t i = 0; stats->thread_times != NULL && stats->threads > 0 && i < stats->cores; i++)
        add_inference(reading, i);
    if (stats->thread_times != NULL && stats->threads > 0)
        add_figures(reading);
    add_doorbells(reading);
    for (size_t i = 0; i < stats->operation_count; i++)
        add_operation(reading, i);
    nodes_finish(&reading->nodes);
    note_account(reading);
    return STATUS_OK;
}

static status read_container(struct raw_reading *reading, const char *container)
{
    const struct qaic_raw_stats *stats = &reading->stats;
    if (container == NULL)
        return STATUS_OK;
    STATUS_TRY(qaic_program_open(container, &reading->container));
    reading->program = qaic_program_find(&reading->container, stats->program);
    if (reading->program != NULL)
        reading->network = qaic_part_network(reading->program, stats->device);
    if (reading->network == NULL || stats->cores != reading->network->cores ||
        stats->threads != reading->network->threads)
        return status_make(STATUS_DATA,
                           "%s: belongs to another program than %s: give the programqpc.bin that "
                           "was run",
                           reading->input->path, container);
    return STATUS_OK;
}

status qaic_raw_profile_read(const struct input *input, const char *container,
                             struct profile *profile)
{
    struct raw_reading reading = {.input = input, .profile = profile};
    status result = qaic_raw_read(input, &reading.stats);
    if (result == STATUS_OK)
        result = read_container(&reading, container);
    if (result == STATUS_OK)
        result = raw_profile_build(&reading);
    nodes_free(&reading.nodes);
    free(reading.groups);
    free(reading.lanes);
    free(reading.first_flow);
    free(reading.flows);
    bytes_free(&reading.values);
    qaic_program_free(&reading.container);
    return result;
}
