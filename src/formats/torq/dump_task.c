// What an nss_task does: starts of engines, and waits for them.

#include "dump_ndl.h"
#include "dump_reading.h"

static status add_step(struct dump_reading *reading, enum program_step_kind kind, uint32_t task,
                       uint32_t number)
{
    if (DUMP_COUNT(reading, steps) >= TORQ_DUMP_STEPS_MOST)
        return status_make(STATUS_LIMIT, "%s: more than %d starts and waits",
                           reading->document->name, TORQ_DUMP_STEPS_MOST);
    struct program_step *step = DUMP_ADD(reading, steps, NULL);
    *step = (struct program_step){.kind = kind,
                                  .task = task,
                                  .number = number,
                                  .block = reading->block,
                                  .semaphore = PROGRAM_NONE};
    struct program_job *job = DUMP_GET(reading, jobs, reading->job);
    job->step_count++;
    reading->moment++;
    return STATUS_OK;
}

static status dump_task_start_job(struct dump_reading *reading, uint32_t task, uint32_t number)
{
    struct program_task *item = DUMP_GET(reading, tasks, task);
    item->job = reading->job;
    return add_step(reading, PROGRAM_STEP_START, task, number);
}

static status dump_task_wait_for(struct dump_reading *reading,
                                 const struct mlir_operation *operation, uint32_t task,
                                 uint32_t number)
{
    if (task == PROGRAM_NONE)
        return dump_failure(reading, operation, "waits for what was never started");
    reading->waited = memory_extend(reading->waited, &reading->waited_count, task, sizeof(bool));
    reading->waited[task] = true;
    return add_step(reading, PROGRAM_STEP_WAIT, task, number);
}

// Transfers ----------------------------------------------------------------------

static status read_side(struct dump_reading *reading, const struct mlir_operation *operation,
                        uint32_t index, const char *key, struct dump_value *out_value)
{
    *out_value = dump_operand(&reading->locals, &operation->operands[index]);
    if (index < operation->operand_types.count)
        out_value->type = operation->operand_types.items[index];
    const uint64_t known = out_value->has_address ? out_value->address : 0;
    out_value->has_address = true;
    return dump_number(reading, operation, key, known, &out_value->address);
}

static status set_up(struct dump_reading *reading, const struct mlir_operation *operation, bool in)
{
    struct dump_transfer *transfer = &reading->transfers[in ? 0 : 1];
    if (operation->operand_count < 2)
        return dump_failure(reading, operation, "needs where it reads and where it writes");
    const struct mlir_attribute *ndl = mlir_find(operation, in ? "write_ndl" : "read_ndl");
    if (ndl == NULL || !dump_ndl_bytes(ndl->text, &transfer->bytes))
        return dump_failure(reading, operation,
                            in ? "needs a write_ndl of counts" : "needs a read_ndl of counts");
    transfer->elements = transfer->bytes;
    STATUS_TRY(read_side(reading, operation, 0, "read_address", &transfer->from));
    STATUS_TRY(read_side(reading, operation, 1, "write_address", &transfer->to));
    transfer->operation = operation;
    return STATUS_OK;
}

static status start_transfer(struct dump_reading *reading, const struct mlir_operation *operation,
                             const struct dump_transfer *transfer, enum torq_kind kind,
                             uint32_t *last, uint32_t number)
{
    const struct cost_request cost = {
        .kind = COST_TRANSFER, .bytes = transfer->bytes, .outputs = transfer->elements};
    uint32_t task = 0;
    STATUS_TRY(dump_task(reading, operation, kind, cost, &task));
    STATUS_TRY(dump_touch(reading, operation, task, &transfer->from, transfer->bytes, false));
    STATUS_TRY(dump_touch(reading, operation, task, &transfer->to, transfer->bytes, true));
    *last = task;
    return dump_task_start_job(reading, task, number);
}

static status start_dma(struct dump_reading *reading, const struct mlir_operation *operation,
                        bool in, uint32_t number)
{
    const struct dump_transfer *transfer = &reading->transfers[in ? 0 : 1];
    if (transfer->operation == NULL)
        return dump_failure(reading, operation, "starts what was not set up");
    return start_transfer(reading, operation, transfer, in ? TORQ_KIND_DMA_IN : TORQ_KIND_DMA_OUT,
                          &reading->last[in ? DUMP_LANE_IN : DUMP_LANE_OUT], number);
}

// Three kinds, as the published rules wait for each of them.
static uint32_t cdma_kind(const struct dump_reading *reading, const struct dump_transfer *transfer)
{
    const uint32_t to = dump_memory_of(reading->target, transfer->to.type);
    if (to == target_memory_named(reading->target, "dtcm"))
        return 0;
    return to == target_memory_named(reading->target, "itcm") ? 1 : 2;
}

static status start_cdma(struct dump_reading *reading, const struct mlir_operation *operation,
                         uint32_t number)
{
    struct dump_transfer transfer = {.operation = operation};
    if (operation->operand_count < 2 || operation->operand_types.count < 2)
        return dump_failure(reading, operation, "needs where it reads and where it writes");
    STATUS_TRY(read_side(reading, operation, 0, "src_address", &transfer.from));
    STATUS_TRY(read_side(reading, operation, 1, "dest_address", &transfer.to));
    struct dump_size size;
    if (!dump_memory_size(transfer.from.type, &size))
        return dump_failure(reading, operation, "moves memory of a size that is not known");
    transfer.bytes = size.bytes;
    STATUS_TRY(dump_number(reading, operation, TORQ_DUMP_ELEMENTS, size.reach, &transfer.elements));
    return start_transfer(reading, operation, &transfer, TORQ_KIND_CDMA,
                          &reading->last[DUMP_LANE_CDMA + cdma_kind(reading, &transfer)], number);
}

static bool has_waited(const struct dump_reading *reading, uint32_t task)
{
    return task < reading->waited_count && reading->waited[task];
}

static status wait_cdma(struct dump_reading *reading, const struct mlir_operation *operation,
                        uint32_t number)
{
    bool any = false;
    for (int i = DUMP_LANE_CDMA; i < DUMP_LANES; i++) {
        if (reading->last[i] == PROGRAM_NONE)
            continue;
        any = true;
        if (!has_waited(reading, reading->last[i]))
            STATUS_TRY(dump_task_wait_for(reading, operation, reading->last[i], number));
    }
    return any ? STATUS_OK : dump_task_wait_for(reading, operation, PROGRAM_NONE, number);
}

// Programs of slices and of the CSS ---------------------------------------------------

// The invocation that an operation starts; NULL with a failure.
static status dump_task_find_invocation(struct dump_reading *reading,
                                        const struct mlir_operation *operation,
                                        struct dump_program **out_program)
{
    if (operation->operand_count == 0)
        return dump_failure(reading, operation, "needs an invocation");
    const struct dump_value value = dump_operand(&reading->locals, &operation->operands[0]);
    if (value.kind != DUMP_INVOCATION)
        return dump_failure(reading, operation, "starts what is no invocation");
    *out_program = &reading->programs[reading->invocations[value.id].program];
    return STATUS_OK;
}

// The memory that holds the program is no operand of the work.
static status touch_code(struct dump_reading *reading, const struct mlir_operation *operation,
                         const struct dump_value *value)
{
    struct dump_size size;
    if (value->kind != DUMP_MEMORY || !value->has_address || !dump_memory_size(value->type, &size))
        return STATUS_OK;
    const uint32_t memory = dump_memory_of(reading->target, value->type);
    if (memory == TARGET_NONE)
        return dump_failure(reading, operation, "uses a memory that the target does not have");
    const uint32_t id = dump_buffer(reading, value, memory, size.extent, true);
    struct program_buffer *buffer = DUMP_GET(reading, buffers, id);
    buffer->kind = PROGRAM_BUFFER_CODE;
    buffer->to = reading->moment;
    return STATUS_OK;
}

// After the invocation: the program's memory, what is written, what is read.
static status touch_arguments(struct dump_reading *reading, const struct mlir_operation *operation,
                              uint32_t task)
{
    if (operation->operand_count > 1) {
        const struct dump_value code = dump_operand(&reading->locals, &operation->operands[1]);
        STATUS_TRY(touch_code(reading, operation, &code));
    }
    for (uint32_t i = 2; i < operation->operand_count; i++) {
        const struct dump_value value = dump_operand(&reading->locals, &operation->operands[i]);
        struct dump_size size;
        if (value.kind != DUMP_MEMORY || !value.has_address || !dump_memory_size(value.type, &size))
            continue;
        STATUS_TRY(dump_touch(reading, operation, task, &value, size.extent, i == 2));
    }
    return STATUS_OK;
}

// "slice_program_torq_hl.add_0" is an "add".
static struct view type_of_program(struct view name)
{
    const size_t dot = view_find_last(name, '.');
    struct view type = dot < name.size ? view_slice(name, dot + 1, name.size) : name;
    const size_t bar = view_find_last(type, '_');
    uint64_t number;
    if (bar < type.size && view_to_u64(view_slice(type, bar + 1, type.size), &number))
        type.size = bar;
    return type;
}

// Work of a slice is at the place of its program; that of others at their own.
void dump_attribute(struct dump_reading *reading, const struct dump_program *program,
                    const struct mlir_operation *operation, uint32_t task)
{
    const struct mlir_operation *at =
        program->operation->location != NULL ? program->operation : operation;
    struct program_task *item = DUMP_GET(reading, tasks, task);
    const uint32_t engine = item->engine;
    const uint32_t group =
        dump_group(reading, type_of_program(program->name), dump_location(reading, at), engine);
    reading->names =
        memory_extend(reading->names, &reading->name_count, task, sizeof *reading->names);
    reading->names[task] = dump_text(reading, program->name);
    item = DUMP_GET(reading, tasks, task);
    item->group = group;
    item->kind = PROGRAM_TASK_COMPUTE;
}

static status start_slice(struct dump_reading *reading, const struct mlir_operation *operation,
                          uint32_t number)
{
    struct dump_program *program = NULL;
    uint64_t id = 0;
    uint32_t task = 0;
    STATUS_TRY(dump_task_find_invocation(reading, operation, &program));
    STATUS_TRY(dump_price(reading, program));
    STATUS_TRY(dump_number(reading, operation, "id", 0, &id));
    const struct cost_request cost = {.kind = COST_FIXED, .cycles = program->cycles};
    STATUS_TRY(dump_task(reading, operation, TORQ_KIND_SLICE, cost, &task));
    struct program_task *item = DUMP_GET(reading, tasks, task);
    if (id >= reading->target->engines[item->engine].count || id > UINT8_MAX)
        return dump_failure(reading, operation, "starts a slice that the target does not have");
    item->lane = (uint32_t)id;
    dump_attribute(reading, program, operation, task);
    STATUS_TRY(touch_arguments(reading, operation, task));
    reading->last_slice[id] = task;
    return dump_task_start_job(reading, task, number);
}

static status wait_slice(struct dump_reading *reading, const struct mlir_operation *operation,
                         uint32_t number)
{
    uint64_t id = 0;
    STATUS_TRY(dump_number(reading, operation, "id", 0, &id));
    return dump_task_wait_for(reading, operation,
                              id <= UINT8_MAX ? reading->last_slice[id] : PROGRAM_NONE, number);
}

// Without a word in the dump it takes what the published compiler charges.
static status start_css(struct dump_reading *reading, const struct mlir_operation *operation,
                        uint32_t number)
{
    struct dump_program *program = NULL;
    STATUS_TRY(dump_task_find_invocation(reading, operation, &program));
    struct cost_request cost = {.kind = COST_FIXED};
    STATUS_TRY(dump_number(reading, operation, TORQ_DUMP_CYCLES,
                           (uint64_t)target_number(reading->target, "css.fixed_cycles", 8000),
                           &cost.cycles));
    uint32_t task = 0;
    STATUS_TRY(dump_task(reading, operation, TORQ_KIND_CSS, cost, &task));
    dump_attribute(reading, program, operation, task);
    STATUS_TRY(touch_arguments(reading, operation, task));
    reading->last[DUMP_LANE_CSS] = task;
    return dump_task_start_job(reading, task, number);
}

status dump_execute(struct dump_reading *reading, const struct mlir_operation *operation,
                    uint32_t number)
{
    const struct view name = operation->name;
    if (view_is(name, "torq_hw.dma_in_cfg") || view_is(name, "torq_hw.dma_out_cfg"))
        return set_up(reading, operation, view_is(name, "torq_hw.dma_in_cfg"));
    if (view_is(name, "torq_hw.dma_in_start") || view_is(name, "torq_hw.dma_out_start"))
        return start_dma(reading, operation, view_is(name, "torq_hw.dma_in_start"), number);
    if (view_is(name, "torq_hw.dma_in_wait"))
        return dump_task_wait_for(reading, operation, reading->last[DUMP_LANE_IN], number);
    if (view_is(name, "torq_hw.dma_out_wait"))
        return dump_task_wait_for(reading, operation, reading->last[DUMP_LANE_OUT], number);
    if (view_is(name, "torq_hw.cdma_start"))
        return start_cdma(reading, operation, number);
    if (view_is(name, "torq_hw.cdma_wait"))
        return wait_cdma(reading, operation, number);
    if (view_is(name, "torq_hw.slice_start"))
        return start_slice(reading, operation, number);
    if (view_is(name, "torq_hw.slice_wait"))
        return wait_slice(reading, operation, number);
    if (view_is(name, "torq_hw.css_start"))
        return start_css(reading, operation, number);
    if (view_is(name, "torq_hw.css_wait"))
        return dump_task_wait_for(reading, operation, reading->last[DUMP_LANE_CSS], number);
    if (!view_starts_with(name, "memref."))
        return dump_failure(reading, operation, "is not known inside an nss_task");
    dump_scope_define(&reading->locals, &reading->globals, operation);
    return STATUS_OK;
}
