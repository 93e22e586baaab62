#include "collect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "summary.h"

enum { NOWHERE = UINT32_MAX };

// Groups of threads --------------------------------------------------------------------

struct engine_threads {
    uint32_t group; // NOWHERE: the engine is the host's
    uint32_t first; // thread of its first lane
};

struct threads {
    struct engine_threads *engines; // by engine
    const char **names;             // by group
    uint32_t *sizes;                // threads of each
    uint32_t group_count;
    uint32_t thread_count;
};

static bool is_of_the_device(const struct target_engine *engine)
{
    return engine->role != TARGET_ROLE_HOST && engine->stage_count == 0;
}

static uint32_t qaic_collect_find_group(struct threads *threads, const char *name)
{
    for (uint32_t i = 0; i < threads->group_count; i++) {
        if (strcmp(threads->names[i], name) == 0)
            return i;
    }
    threads->names[threads->group_count] = name;
    return threads->group_count++;
}

// The engine that comes next by rank after `last`, in the order of the file where ranks are equal.
static uint32_t qaic_collect_next_engine(const struct target *target, uint32_t last)
{
    uint32_t best = NOWHERE;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const int32_t rank = target->engines[i].rank;
        const bool later = last == NOWHERE || rank > target->engines[last].rank ||
                           (rank == target->engines[last].rank && i > last);
        if (later && (best == NOWHERE || rank < target->engines[best].rank))
            best = i;
    }
    return best;
}

static void threads_find(struct threads *threads, const struct target *target)
{
    const size_t room = (size_t)target->engine_count + 1;
    threads->engines = memory_allocate_zeroed(room, sizeof *threads->engines);
    threads->names = memory_allocate_zeroed(room, sizeof *threads->names);
    threads->sizes = memory_allocate_zeroed(room, sizeof *threads->sizes);
    for (uint32_t i = qaic_collect_next_engine(target, NOWHERE); i != NOWHERE;
         i = qaic_collect_next_engine(target, i)) {
        const struct target_engine *engine = &target->engines[i];
        threads->engines[i].group = NOWHERE;
        if (!is_of_the_device(engine))
            continue;
        const uint32_t group = qaic_collect_find_group(threads, engine->row);
        threads->engines[i].group = group;
        if (threads->sizes[group] < engine->count)
            threads->sizes[group] = engine->count;
    }
    for (uint32_t i = 0; i < target->engine_count; i++) {
        for (uint32_t g = 0; threads->engines[i].group != NOWHERE && g < threads->engines[i].group;
             g++)
            threads->engines[i].first += threads->sizes[g];
    }
    for (uint32_t g = 0; g < threads->group_count; g++)
        threads->thread_count += threads->sizes[g];
}

static void threads_free(struct threads *threads)
{
    free(threads->engines);
    free(threads->names);
    free(threads->sizes);
}

// Operations ---------------------------------------------------------------------------

// Texts of a task, put together in `text`: there are as many as tasks.
struct writing {
    struct arena *arena;
    struct bytes text;
};

static void write_text(struct writing *writing, const char *text)
{
    bytes_append(&writing->text, text, strlen(text));
}

static struct view writing_keep(struct writing *writing)
{
    const struct view kept = arena_copy(writing->arena, bytes_view(&writing->text));
    writing->text.size = 0;
    return kept;
}

static const struct program_operand *operand_of(const struct program *program,
                                                const struct program_task *task, bool writes,
                                                bool local, const struct target *target)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const struct program_buffer *buffer = &program->buffers[operand->buffer];
        if ((operand->writes != 0) == writes && (!local || target->memories[buffer->memory].local))
            return operand;
    }
    return NULL;
}

// Whoever casts from a core's memory works for that core.
static uint32_t qaic_collect_core_of(const struct program *program, const struct target *target,
                                     const struct program_task *task)
{
    if (target->engines[task->engine].per == TARGET_PER_CORE)
        return task->unit;
    const struct program_operand *from = operand_of(program, task, false, true, target);
    if (from == NULL)
        from = operand_of(program, task, true, true, target);
    return from != NULL ? program->buffers[from->buffer].unit : 0;
}

bool qaic_collect_core(const struct program *program, const struct target *target, uint32_t task,
                       uint32_t *out_core)
{
    if (!is_of_the_device(&target->engines[program->tasks[task].engine]))
        return false;
    *out_core = qaic_collect_core_of(program, target, &program->tasks[task]);
    return true;
}

bool qaic_collect_writes_near(const struct program *program, const struct target *target,
                              const struct program_task *task)
{
    return operand_of(program, task, true, true, target) != NULL;
}

static uint64_t written_bytes(const struct program *program, const struct program_task *task)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (operand->writes == 0)
            continue;
        uint64_t elements = 1;
        for (uint32_t d = 0; d < operand->rank; d++)
            elements *= (uint64_t)operand->size[d];
        bytes += elements * element_size((enum element)program->buffers[operand->buffer].element);
    }
    return bytes;
}

// Which makes reals of weights, rather than to lay them out.
static const char UNPACKS[] = "blockdequantize_mxfp6";

// As the vendor's tools call what lays values out anew; NULL: it does something else.
static const char *layout_kind(const char *type)
{
    static const char *const KINDS[][2] = {{"to_tiles", "aicconverttod32"},
                                           {"weights_to_tiles", "aicconvertweightstod32"},
                                           {"from_tiles", "aicconvertfromd32"},
                                           {"from_mxfp6", UNPACKS}};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(type, KINDS[i][0]) == 0)
            return KINDS[i][1];
    }
    return NULL;
}

bool qaic_collect_lays_out(const struct program *program, uint32_t task)
{
    const uint32_t group = program->tasks[task].group;
    if (program->tasks[task].kind != PROGRAM_TASK_COMPUTE || group == PROGRAM_NONE)
        return false;
    const char *kind = layout_kind(program_text(program, program->groups[group].type));
    return kind != NULL && kind != UNPACKS;
}

static struct view qaic_collect_kind_of(struct writing *writing, const struct program *program,
                                        const struct target *target,
                                        const struct program_task *task)
{
    const struct target_engine *engine = &target->engines[task->engine];
    if (engine->role == TARGET_ROLE_COMMUNICATION)
        return VIEW_LITERAL("aicmulticastvtcm");
    if (task->kind == PROGRAM_TASK_TRANSFER)
        return qaic_collect_writes_near(program, target, task) ? VIEW_LITERAL("aiccopytovtcm")
                                                               : VIEW_LITERAL("aiccopyfromvtcm");
    const char *type = task->group == PROGRAM_NONE
                           ? "code"
                           : program_text(program, program->groups[task->group].type);
    if (layout_kind(type) != NULL)
        return view_of(layout_kind(type));
    write_text(writing, "aic");
    write_text(writing, type);
    for (size_t i = 0; i < writing->text.size; i++)
        writing->text.data[i] = (unsigned char)tolower(writing->text.data[i]);
    return writing_keep(writing);
}

// As the vendor's tools call elements.
static const char *qaic_collect_type_name(enum element element)
{
    switch (element) {
    case ELEMENT_F16:
        return "float16";
    case ELEMENT_F32:
        return "float";
    case ELEMENT_U8:
        return "ui8";
    case ELEMENT_I32:
        return "index32";
    case ELEMENT_I64:
        return "index64";
    default:
        return element_name(element);
    }
}

static struct view shape_text_of(struct writing *writing, const struct program_operand *operand)
{
    write_text(writing, "[");
    for (uint32_t d = 0; d < operand->rank; d++) {
        write_text(writing, d > 0 ? " x " : "");
        bytes_append_number(&writing->text, (uint64_t)operand->size[d]);
    }
    write_text(writing, "]");
    return writing_keep(writing);
}

static struct view name_text_of(struct writing *writing, const struct program *program,
                                uint32_t group, uint32_t index)
{
    write_text(writing,
               group == PROGRAM_NONE ? "code" : program_text(program, program->groups[group].name));
    write_text(writing, "/__");
    bytes_append_number(&writing->text, index);
    return writing_keep(writing);
}

static struct view attributes_text_of(struct writing *writing, uint32_t thread, uint32_t tile)
{
    write_text(writing, "{Thread: ");
    bytes_append_number(&writing->text, thread);
    write_text(writing, ", Tile: ");
    bytes_append_number(&writing->text, tile);
    write_text(writing, "}");
    return writing_keep(writing);
}

static struct qaic_operation qaic_collect_operation_of(struct writing *writing,
                                                       const struct program *program,
                                                       const struct target *target, uint32_t index)
{
    const struct program_task *task = &program->tasks[index];
    const struct program_operand *out = operand_of(program, task, true, false, target);
    struct qaic_operation operation = {
        .name = name_text_of(writing, program, task->group, index),
        .kind = qaic_collect_kind_of(writing, program, target, task),
        .memory = VIEW_LITERAL("DDR"),
        .output_size = written_bytes(program, task),
    };
    if (out == NULL)
        return operation;
    const struct program_buffer *buffer = &program->buffers[out->buffer];
    operation.type = view_of(qaic_collect_type_name((enum element)buffer->element));
    operation.shape = shape_text_of(writing, out);
    if (target->memories[buffer->memory].local)
        operation.memory = VIEW_LITERAL("TCM");
    return operation;
}

static void collect_tasks(struct qaic_collected *collected, const struct threads *threads,
                          const struct program *program, const struct target *target)
{
    struct writing writing = {.arena = &collected->network->arena};
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const struct engine_threads *own = &threads->engines[task->engine];
        struct qaic_place *place = &collected->places[i];
        place->core = NOWHERE;
        if (own->group == NOWHERE)
            continue;
        place->core = qaic_collect_core_of(program, target, task);
        place->group = (uint16_t)own->group;
        place->thread = (uint16_t)(own->first + task->lane);
        struct qaic_operations *list =
            qaic_network_operations(collected->network, place->core, own->group);
        struct qaic_operation operation = qaic_collect_operation_of(&writing, program, target, i);
        operation.attributes = attributes_text_of(&writing, place->thread, task->tile);
        place->ordinal = (uint32_t)list->count;
        qaic_operation_add(list, &operation);
    }
    bytes_free(&writing.text);
}

// Raising a semaphore is the last operation of its core's list, and of no node of the network.
static void collect_increments(struct qaic_collected *collected)
{
    struct qaic_network *network = collected->network;
    for (size_t i = 0; i < collected->increments.count; i++) {
        struct qaic_increment *own = &collected->increments.items[i];
        struct qaic_operations *list =
            qaic_network_operations(network, own->place.core, own->place.group);
        const char *side = own->output ? "output" : "input";
        const struct qaic_operation operation = {
            .kind = arena_print(&network->arena, "aic%ssemaphoreinc", side),
            .type = VIEW_LITERAL("i8"),
            .memory = VIEW_LITERAL("TCM"),
            .attributes = arena_print(&network->arena, "{Thread: %u, Tile: 0}", own->place.thread),
            .output_size = own->bytes,
        };
        own->place.ordinal = (uint32_t)list->count;
        qaic_operation_add(list, &operation);
    }
}

static uint32_t qaic_collect_count_cores(const struct program *program, const struct target *target)
{
    uint32_t cores = 1;
    if (target->plan.devices && target->device_count > 1)
        return target->device_count * target->core_count;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (is_of_the_device(&target->engines[task->engine]) &&
            qaic_collect_core_of(program, target, task) >= cores)
            cores = qaic_collect_core_of(program, target, task) + 1;
    }
    return cores;
}

status qaic_collect(const struct program *program, const struct target *target,
                    const struct device_pair *kept, size_t kept_count,
                    struct qaic_collected *out_collected)
{
    struct threads threads = {0};
    threads_find(&threads, target);
    const uint32_t cores = qaic_collect_count_cores(program, target);
    struct qaic_network *network =
        qaic_network_create(cores, threads.thread_count, threads.group_count);
    *out_collected =
        (struct qaic_collected){.network = network,
                                .cores = cores,
                                .devices = target->plan.devices ? target->device_count : 1,
                                .places = memory_allocate_zeroed((size_t)program->task_count + 1,
                                                                 sizeof *out_collected->places)};
    for (uint32_t g = 0, thread = 0; g < threads.group_count; g++) {
        network->group_names[g] = arena_copy(&network->arena, view_of(threads.names[g]));
        for (uint32_t i = 0; i < threads.sizes[g]; i++)
            network->thread_groups[thread++] = g;
    }
    network->hvx_threads = threads.group_count > 0 ? threads.sizes[0] : 0;
    network->name = VIEW_LITERAL(QAIC_NETWORK_NAME);
    network->batch_size = 1;
    network->stats_batch = 1;
    network->ticks_a_ms = QAIC_TICKS_A_SECOND / 1000;
    collect_tasks(out_collected, &threads, program, target);
    qaic_increments_find(program, target, kept, kept_count, out_collected->places, cores,
                         &out_collected->increments);
    collect_increments(out_collected);
    out_collected->inputs = qaic_inputs_by_buffer(program, kept, kept_count);
    threads_free(&threads);
    return STATUS_OK;
}

void qaic_collected_free(struct qaic_collected *collected)
{
    qaic_network_free(collected->network);
    qaic_increments_free(&collected->increments);
    free(collected->inputs);
    free(collected->places);
}
