#include "dump_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dump_ndl.h"
#include "dump_reading.h"
#include "dump_writing.h"
#include "program/validate.h"

bool torq_dump_recognise(struct view text)
{
    return view_find_text(text, "\"torq-fb\"") < text.size ||
           view_find_text(text, "torq_hl.start_program") < text.size;
}

status dump_failure(const struct dump_reading *reading, const struct mlir_operation *operation,
                    const char *what)
{
    return mlir_failure(reading->document, operation->text.data, "%.*s %s",
                        VIEW_ARGUMENTS(operation->name), what);
}

status dump_number(const struct dump_reading *reading, const struct mlir_operation *operation,
                   const char *key, uint64_t fallback, uint64_t *out_number)
{
    const struct mlir_attribute *attribute = mlir_find(operation, key);
    int64_t number;
    *out_number = fallback;
    if (attribute == NULL)
        return STATUS_OK;
    if (!mlir_integer_of(attribute, &number) || number < 0 || (uint64_t)number > DUMP_AMOUNT_MOST)
        return mlir_failure(reading->document, operation->text.data,
                            "%.*s: '%s' is no number from 0 to %" PRIu64,
                            VIEW_ARGUMENTS(operation->name), key, DUMP_AMOUNT_MOST);
    *out_number = (uint64_t)number;
    return STATUS_OK;
}

// A small number that counts in a dispatch: given, or the next one.
static status dump_reader_read_number(struct dump_reading *reading,
                                      const struct mlir_operation *operation, const char *key,
                                      uint32_t *next, uint32_t *out_number)
{
    uint64_t number = 0;
    STATUS_TRY(dump_number(reading, operation, key, *next, &number));
    if (number > INT32_MAX)
        return dump_failure(reading, operation, "has an id that is too large");
    *out_number = (uint32_t)number;
    *next = (uint32_t)number + 1;
    return STATUS_OK;
}

uint32_t dump_text(struct dump_reading *reading, struct view text)
{
    return program_builder_text(reading->builder, text);
}

// Where the location after an operation starts: at the bracket that its end closes.
static size_t location_start(struct view text)
{
    unsigned depth = 0;
    bool quoted = false;
    for (size_t i = text.size; i-- > 0;) {
        const char byte = text.data[i];
        quoted ^= byte == '"' && (i == 0 || text.data[i - 1] != '\\');
        depth += !quoted && byte == ')';
        depth -= !quoted && byte == '(' && depth > 0;
        if (depth == 0)
            return i;
    }
    return text.size;
}

// As the dump writes it; one with aliases as a name that says where they lead.
uint32_t dump_location(struct dump_reading *reading, const struct mlir_operation *operation)
{
    const struct mlir_location *location = operation->location;
    if (location == NULL || location->kind == MLIR_AT_UNKNOWN)
        return 0;
    struct bytes text = {0};
    const size_t start = location_start(operation->text);
    const struct view written = view_slice(operation->text, start, operation->text.size);
    bytes_append_format(&text, "loc");
    if (view_find(written, '#') == written.size && written.size <= MLIR_LOCATION_MOST) {
        bytes_append(&text, written.data, written.size);
    } else {
        bytes_append_format(&text, "(");
        dump_append_quoted(mlir_location_text(reading->document, location, &reading->arena), &text);
        bytes_append_format(&text, ")");
    }
    const uint32_t id = dump_text(reading, bytes_view(&text));
    bytes_free(&text);
    return id;
}

struct dump_value dump_operand(const struct dump_scope *scope, const struct mlir_operand *operand)
{
    const struct dump_value *value = dump_scope_find(scope, operand->name, operand->number);
    return value != NULL ? *value : (struct dump_value){.label = operand->name};
}

// Programs -------------------------------------------------------------------------

status dump_price(struct dump_reading *reading, struct dump_program *program)
{
    uint64_t profiled = 0, looped = 0;
    bool has_profile = false;
    if (program->priced)
        return STATUS_OK;
    const struct mlir_operation *operation = program->operation;
    const bool has_body = operation->region_count > 0 && operation->regions[0].count > 0;
    for (uint32_t i = 0; has_body && i < operation->regions[0].blocks[0].operation_count; i++) {
        const struct mlir_operation *item = &operation->regions[0].blocks[0].operations[i];
        uint64_t cycles[DUMP_NDLS];
        if (view_is(item->name, "torq_hw.slice_profiling")) {
            int64_t most;
            if (item->literal_count < 3 || !mlir_integer_of(&item->literals[2], &most) ||
                most < 0 || (uint64_t)most > DUMP_AMOUNT_MOST)
                return dump_failure(reading, item, "needs memory, memory_info and max_cycle");
            has_profile = true;
            profiled += (uint64_t)most;
        } else if (view_is(item->name, "torq_hw.slice_task")) {
            if (!dump_ndl_cycles(item->text, cycles))
                return dump_failure(reading, item, "has loops that cannot be read");
            looped += dump_ndl_longest(cycles);
        }
        if (profiled > DUMP_AMOUNT_MOST || looped > DUMP_AMOUNT_MOST)
            return dump_failure(reading, item, "takes too many cycles");
    }
    program->cycles = has_profile ? profiled : looped;
    program->priced = true;
    return STATUS_OK;
}

static struct view dump_reader_first_text(struct dump_reading *reading,
                                          const struct mlir_operation *operation)
{
    for (uint32_t i = 0; i < operation->literal_count; i++) {
        if (operation->literals[i].kind == MLIR_TEXT)
            return mlir_unescape(operation->literals[i].text, &reading->arena);
    }
    return operation->symbol;
}

static void define_program(struct dump_reading *reading, const struct mlir_operation *operation)
{
    if (operation->result_count == 0)
        return;
    reading->programs = memory_grow(reading->programs, reading->program_count,
                                    &reading->program_capacity, sizeof *reading->programs);
    reading->programs[reading->program_count] = (struct dump_program){
        .operation = operation, .name = dump_reader_first_text(reading, operation)};
    dump_scope_add(&reading->values, (struct dump_value){.name = operation->results[0].name,
                                                         .kind = DUMP_PROGRAM,
                                                         .id = (uint32_t)reading->program_count++});
}

static status define_invocation(struct dump_reading *reading,
                                const struct mlir_operation *operation)
{
    if (operation->result_count == 0 || operation->operand_count == 0)
        return dump_failure(reading, operation, "needs a program and a name");
    const struct dump_value program = dump_operand(&reading->values, &operation->operands[0]);
    if (program.kind != DUMP_PROGRAM)
        return dump_failure(reading, operation, "is of what is no program");
    struct dump_invocation invocation = {
        .program = program.id, .job = PROGRAM_NONE, .task = PROGRAM_NONE};
    if (mlir_find(operation, "torq-job-id") != NULL)
        STATUS_TRY(dump_reader_read_number(reading, operation, "torq-job-id", &reading->jobs,
                                           &invocation.number));
    else
        invocation.number = PROGRAM_NONE;
    reading->invocations = memory_grow(reading->invocations, reading->invocation_count,
                                       &reading->invocation_capacity, sizeof *reading->invocations);
    reading->invocations[reading->invocation_count] = invocation;
    dump_scope_add(&reading->values,
                   (struct dump_value){.name = operation->results[0].name,
                                       .kind = DUMP_INVOCATION,
                                       .id = (uint32_t)reading->invocation_count++});
    return STATUS_OK;
}

// Walking an NSS program ---------------------------------------------------------------

static status dump_reader_run_task(struct dump_reading *reading,
                                   const struct mlir_operation *operation)
{
    uint32_t number = 0;
    STATUS_TRY(
        dump_reader_read_number(reading, operation, "torq-task-id", &reading->numbers, &number));
    if (operation->region_count == 0 || operation->regions[0].count == 0)
        return STATUS_OK;
    const struct mlir_block *body = &operation->regions[0].blocks[0];
    for (uint32_t i = 0; i < body->operation_count; i++)
        STATUS_TRY(dump_execute(reading, &body->operations[i], number));
    return STATUS_OK;
}

// The block that a jump leads to gets what is written after the code's place.
static status jump(struct dump_reading *reading, const struct mlir_region *region,
                   const struct mlir_operation *next, uint32_t from, uint32_t *out_block)
{
    for (uint32_t i = 0; next->successor_count > 0 && i < region->count; i++) {
        const struct mlir_block *block = &region->blocks[i];
        if (!view_equal(block->label, next->successors[0]))
            continue;
        if (i <= from)
            return dump_failure(reading, next, "leads back");
        for (uint32_t k = 0; k < block->argument_count && k + 1 < next->operand_count; k++) {
            struct dump_value value = dump_operand(&reading->locals, &next->operands[k + 1]);
            value.name = block->arguments[k].name;
            value.number = 0;
            dump_scope_add(&reading->locals, value);
        }
        *out_block = i;
        return STATUS_OK;
    }
    return dump_failure(reading, next, "leads to a block that is not there");
}

static status walk_program(struct dump_reading *reading, const struct dump_program *program)
{
    const struct mlir_region *region = &program->operation->regions[0];
    uint32_t at = 0;
    while (at != PROGRAM_NONE) {
        const struct mlir_block *block = &region->blocks[at];
        uint32_t to = PROGRAM_NONE;
        for (uint32_t i = 0; i < block->operation_count; i++) {
            const struct mlir_operation *operation = &block->operations[i];
            if (view_is(operation->name, "torq_hw.nss_task"))
                STATUS_TRY(dump_reader_run_task(reading, operation));
            else if (view_is(operation->name, "torq_hl.next"))
                STATUS_TRY(jump(reading, region, operation, at, &to));
            else if (view_is(operation->name, "torq_hl.return"))
                break;
            else if (view_starts_with(operation->name, "torq_hw."))
                return dump_failure(reading, operation, "is not known outside of an nss_task");
            else
                dump_scope_define(&reading->locals, &reading->globals, operation);
        }
        at = to;
        reading->block++;
    }
    return STATUS_OK;
}

// The values that a start gives to the program's first block.
static status bind_arguments(struct dump_reading *reading, const struct mlir_operation *start,
                             const struct mlir_operation *program)
{
    dump_scope_free(&reading->locals);
    reading->locals = (struct dump_scope){0};
    const struct mlir_block *block = &program->regions[0].blocks[0];
    if (start->operand_count < block->argument_count + 1)
        return dump_failure(reading, start, "gives too few arguments");
    for (uint32_t i = 0; i < block->argument_count; i++) {
        struct dump_value value = dump_operand(&reading->values, &start->operands[i + 1]);
        value.name = block->arguments[i].name;
        value.number = 0;
        if (value.kind == DUMP_OTHER && block->arguments[i].type->kind == MLIR_MEMREF)
            value.kind = DUMP_MEMORY;
        if (value.kind == DUMP_MEMORY)
            value.type = block->arguments[i].type;
        dump_scope_add(&reading->locals, value);
    }
    return STATUS_OK;
}

static status dump_reader_start_job(struct dump_reading *reading,
                                    const struct mlir_operation *operation,
                                    struct dump_invocation *invocation)
{
    const struct dump_program *program = &reading->programs[invocation->program];
    if (program->operation->region_count == 0 || program->operation->regions[0].count == 0)
        return dump_failure(reading, operation, "starts a program without a body");
    STATUS_TRY(bind_arguments(reading, operation, program->operation));
    const uint32_t number =
        invocation->number != PROGRAM_NONE ? invocation->number : reading->jobs++;
    const uint32_t name = dump_text(reading, program->name);
    if (DUMP_COUNT(reading, streams) == 0)
        DUMP_ADD(reading, streams, NULL); // there is one controller
    struct program_job *job = DUMP_ADD(reading, jobs, &reading->job);
    *job = (struct program_job){.name = name,
                                .dispatch = reading->dispatch,
                                .number = number,
                                .first_step = DUMP_COUNT(reading, steps)};
    invocation->job = reading->job;
    reading->block = 0;
    return walk_program(reading, program);
}

// Actions --------------------------------------------------------------------------

static status dump_reader_add_action(struct dump_reading *reading,
                                     const struct mlir_operation *operation,
                                     enum program_action_kind kind, uint32_t subject,
                                     uint64_t bytes)
{
    uint32_t number = 0;
    if (DUMP_COUNT(reading, actions) >= TORQ_DUMP_STEPS_MOST)
        return status_make(STATUS_LIMIT, "%s: more than %d actions", reading->document->name,
                           TORQ_DUMP_STEPS_MOST);
    STATUS_TRY(
        dump_reader_read_number(reading, operation, "torq-action-id", &reading->actions, &number));
    const uint32_t location = dump_location(reading, operation);
    struct program_action *action = DUMP_ADD(reading, actions, NULL);
    *action = (struct program_action){kind, number, subject, location, bytes};
    struct program_dispatch *dispatch = DUMP_GET(reading, dispatches, reading->dispatch);
    dispatch->action_count++;
    reading->moment++;
    return STATUS_OK;
}

static status dump_reader_find_invocation(struct dump_reading *reading,
                                          const struct mlir_operation *operation,
                                          struct dump_invocation **out_invocation,
                                          struct view *out_kind)
{
    const struct dump_value value = operation->operand_count > 0
                                        ? dump_operand(&reading->values, &operation->operands[0])
                                        : (struct dump_value){0};
    if (value.kind != DUMP_INVOCATION || operation->operand_types.count == 0)
        return dump_failure(reading, operation, "needs an invocation and its type");
    *out_invocation = &reading->invocations[value.id];
    *out_kind = operation->operand_types.items[0]->body;
    return STATUS_OK;
}

// Bytes of the memory that the host is given.
static uint64_t bytes_given(const struct dump_reading *reading,
                            const struct mlir_operation *operation)
{
    uint64_t bytes = 0;
    for (uint32_t i = 1; i < operation->operand_count; i++) {
        const struct dump_value value = dump_operand(&reading->values, &operation->operands[i]);
        struct dump_size size;
        if (value.kind == DUMP_MEMORY && dump_memory_size(value.type, &size))
            bytes += size.bytes;
    }
    return bytes;
}

static status touch_given(struct dump_reading *reading, const struct mlir_operation *operation,
                          uint32_t task)
{
    for (uint32_t i = 1; i < operation->operand_count; i++) {
        const struct dump_value value = dump_operand(&reading->values, &operation->operands[i]);
        struct dump_size size;
        if (value.kind == DUMP_MEMORY && value.has_address && dump_memory_size(value.type, &size))
            STATUS_TRY(dump_touch(reading, operation, task, &value, size.extent, false));
    }
    return STATUS_OK;
}

// Without a word in the dump the host moves the memory that it is given.
static status start_host(struct dump_reading *reading, const struct mlir_operation *operation,
                         struct dump_invocation *invocation)
{
    struct cost_request cost = {.kind = COST_MOVEMENT, .bytes = bytes_given(reading, operation)};
    if (cost.bytes > DUMP_AMOUNT_MOST)
        return dump_failure(reading, operation, "is given too much memory");
    if (mlir_find(operation, TORQ_DUMP_CYCLES) != NULL) {
        cost.kind = COST_FIXED;
        STATUS_TRY(dump_number(reading, operation, TORQ_DUMP_CYCLES, 0, &cost.cycles));
    }
    uint32_t task = 0;
    STATUS_TRY(dump_task(reading, operation, TORQ_KIND_HOST, cost, &task));
    STATUS_TRY(touch_given(reading, operation, task));
    dump_attribute(reading, &reading->programs[invocation->program], operation, task);
    invocation->task = task;
    return dump_reader_add_action(reading, operation, PROGRAM_ACTION_HOST_START, task, 0);
}

static status start_program(struct dump_reading *reading, const struct mlir_operation *operation)
{
    struct dump_invocation *invocation = NULL;
    struct view kind = {"", 0};
    STATUS_TRY(dump_reader_find_invocation(reading, operation, &invocation, &kind));
    if (view_is(kind, "host"))
        return start_host(reading, operation, invocation);
    if (!view_is(kind, "nss"))
        return dump_failure(reading, operation, "starts what is neither NSS nor host");
    const uint32_t job = DUMP_COUNT(reading, jobs);
    STATUS_TRY(dump_reader_add_action(reading, operation, PROGRAM_ACTION_JOB_START, job, 0));
    return dump_reader_start_job(reading, operation, invocation);
}

static status wait_program(struct dump_reading *reading, const struct mlir_operation *operation)
{
    struct dump_invocation *invocation = NULL;
    struct view kind = {"", 0};
    STATUS_TRY(dump_reader_find_invocation(reading, operation, &invocation, &kind));
    dump_scope_define(&reading->values, &reading->globals, operation);
    const bool host = view_is(kind, "host");
    const uint32_t subject = host ? invocation->task : invocation->job;
    if (subject == PROGRAM_NONE)
        return dump_failure(reading, operation, "waits for what was never started");
    return dump_reader_add_action(
        reading, operation, host ? PROGRAM_ACTION_HOST_WAIT : PROGRAM_ACTION_JOB_WAIT, subject, 0);
}

// Of the value that an action is about: its buffer and bytes.
static status add_memory_action(struct dump_reading *reading,
                                const struct mlir_operation *operation,
                                enum program_action_kind kind, struct dump_value value,
                                uint64_t bytes)
{
    const uint32_t memory = dump_memory_of(reading->target, value.type);
    if (memory == TARGET_NONE)
        return dump_failure(reading, operation, "uses a memory that the target does not have");
    const uint32_t buffer = dump_buffer(reading, &value, memory, bytes, true);
    struct program_buffer *item = DUMP_GET(reading, buffers, buffer);
    item->to = reading->moment;
    return dump_reader_add_action(reading, operation, kind, buffer, bytes);
}

static status dump_reader_allocate(struct dump_reading *reading,
                                   const struct mlir_operation *operation, bool frees)
{
    struct dump_value value = {0};
    struct dump_size size = {0};
    if (!frees)
        dump_scope_define(&reading->values, &reading->globals, operation);
    if (!frees && operation->result_count > 0)
        value = dump_operand(&reading->values,
                             &(struct mlir_operand){.name = operation->results[0].name});
    else if (operation->operand_count > 0)
        value = dump_operand(&reading->values, &operation->operands[0]);
    if (mlir_find(operation, "torq-action-id") == NULL)
        return STATUS_OK;
    if (!dump_memory_size(value.type, &size))
        size.extent = 0;
    return add_memory_action(reading, operation,
                             frees ? PROGRAM_ACTION_DEALLOC : PROGRAM_ACTION_ALLOC, value,
                             size.extent);
}

static status host_copy(struct dump_reading *reading, const struct mlir_operation *operation)
{
    uint64_t bytes = 0;
    if (operation->operand_count < 2)
        return dump_failure(reading, operation, "needs where it reads and where it writes");
    STATUS_TRY(dump_number(reading, operation, "element_size_bytes", 0, &bytes));
    const struct mlir_attribute *shape = mlir_find(operation, "shape");
    struct view rest =
        shape != NULL && shape->kind == MLIR_NUMBERS ? view_trim(shape->body) : VIEW_LITERAL("");
    while (rest.size > 0) {
        const size_t comma = view_find(rest, ',');
        uint64_t count;
        if (!view_to_u64(view_trim(view_slice(rest, 0, comma)), &count) ||
            __builtin_mul_overflow(bytes, count, &bytes) || bytes > DUMP_AMOUNT_MOST)
            return dump_failure(reading, operation, "has a shape that cannot be");
        rest = comma < rest.size ? view_slice(rest, comma + 1, rest.size) : VIEW_LITERAL("");
    }
    const struct dump_value value = dump_operand(&reading->values, &operation->operands[1]);
    return add_memory_action(reading, operation, PROGRAM_ACTION_HOST_COPY, value, bytes);
}

static status run_operation(struct dump_reading *reading, const struct mlir_operation *operation)
{
    const struct view name = operation->name;
    if (view_is(name, "torq_hl.program") || view_is(name, "torq_hl.import_program")) {
        define_program(reading, operation);
        return STATUS_OK;
    }
    if (view_is(name, "torq_hl.descriptor") || view_is(name, "torq_hl.create_invocation"))
        return define_invocation(reading, operation);
    if (view_is(name, "torq_hl.start_program"))
        return start_program(reading, operation);
    if (view_is(name, "torq_hl.wait_program"))
        return wait_program(reading, operation);
    if (view_is(name, "torq_hl.host_copy"))
        return host_copy(reading, operation);
    if (view_is(name, "memref.alloc") || view_is(name, "memref.dealloc"))
        return dump_reader_allocate(reading, operation, view_is(name, "memref.dealloc"));
    if (mlir_find(operation, "torq-action-id") != NULL)
        return dump_failure(reading, operation, "is an action that is not known");
    dump_scope_define(&reading->values, &reading->globals, operation);
    return STATUS_OK;
}

// Dispatches ---------------------------------------------------------------------------

static void reset(struct dump_reading *reading)
{
    dump_scope_free(&reading->values);
    reading->values = (struct dump_scope){0};
    memset(reading->last, 0xff, sizeof reading->last);
    memset(reading->last_slice, 0xff, sizeof reading->last_slice);
    memset(reading->transfers, 0, sizeof reading->transfers);
    reading->jobs = 0;
    reading->numbers = 0;
    reading->actions = 0;
}

static status read_function(struct dump_reading *reading, const struct mlir_operation *function)
{
    reset(reading);
    const uint32_t name = dump_text(reading, function->symbol);
    struct program_dispatch *dispatch = DUMP_ADD(reading, dispatches, &reading->dispatch);
    *dispatch =
        (struct program_dispatch){.name = name, .first_action = DUMP_COUNT(reading, actions)};
    if (function->region_count == 0 || function->regions[0].count == 0)
        return STATUS_OK;
    const struct mlir_block *body = &function->regions[0].blocks[0];
    for (uint32_t i = 0; i < body->operation_count; i++)
        STATUS_TRY(run_operation(reading, &body->operations[i]));
    return STATUS_OK;
}

static bool is_around_functions(struct view name)
{
    return view_is(name, "module") || view_is(name, "builtin.module") ||
           view_is(name, "hal.executable") || view_is(name, "hal.executable.variant");
}

static status dump_reader_read_block(struct dump_reading *reading, const struct mlir_block *block)
{
    for (uint32_t i = 0; i < block->operation_count; i++) {
        const struct mlir_operation *operation = &block->operations[i];
        if (view_is(operation->name, "memref.global"))
            dump_scope_define_global(&reading->globals, operation);
        else if (view_is(operation->name, "func.func"))
            STATUS_TRY(read_function(reading, operation));
        else if (is_around_functions(operation->name) && operation->region_count > 0 &&
                 operation->regions[0].count > 0)
            STATUS_TRY(dump_reader_read_block(reading, &operation->regions[0].blocks[0]));
    }
    return STATUS_OK;
}

static status read_document(struct dump_reading *reading)
{
    STATUS_TRY(dump_reader_read_block(reading, &reading->document->top));
    if (DUMP_COUNT(reading, dispatches) == 0 && !torq_dump_recognise(reading->document->text))
        return status_make(STATUS_DATA, "%s: has no func.func of a dispatch",
                           reading->document->name);
    struct program program;
    program_builder_view(reading->builder, &program);
    return program_validate(&program);
}

static uint32_t *take_names(struct dump_reading *reading)
{
    const size_t count = DUMP_COUNT(reading, tasks);
    reading->names =
        memory_extend(reading->names, &reading->name_count, count, sizeof *reading->names);
    uint32_t *names = reading->names;
    reading->names = NULL;
    return names;
}

status torq_dump_read_names(const struct input *input, const struct target *target,
                            struct program_builder **out_builder, uint32_t **out_names)
{
    struct mlir_document *document;
    STATUS_TRY(mlir_read(input->path, input->bytes, &document));
    const char *slash = strrchr(input->path, '/');
    struct dump_reading reading = {.document = document, .target = target};
    reading.builder =
        program_builder_create(target->text, view_of(slash != NULL ? slash + 1 : input->path));
    const status result = read_document(&reading);
    if (result == STATUS_OK) {
        *out_builder = reading.builder;
        *out_names = take_names(&reading);
    } else {
        program_builder_free(reading.builder);
    }
    dump_scope_free(&reading.globals);
    dump_scope_free(&reading.values);
    dump_scope_free(&reading.locals);
    hash_free(&reading.buffers);
    hash_free(&reading.groups);
    free(reading.programs);
    free(reading.invocations);
    free(reading.waited);
    free(reading.names);
    arena_free(&reading.arena);
    mlir_free(document);
    return result;
}

status torq_dump_read(const struct input *input, const struct target *target,
                      struct program_builder **out_builder)
{
    uint32_t *names = NULL;
    const status result = torq_dump_read_names(input, target, out_builder, &names);
    free(names);
    return result;
}
