#include "dump_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dump_reading.h"
#include "dump_writing.h"

enum { CONSTANT_SHOWN_MOST = 1024, PAGE = 4096 };

static const char SPACE[] = "          ";
static const char SLOT[] = "memref<640xi8, #torq_hl<enc mem_space = lram>>";

static const struct program_dispatch *dump_writer_dispatch_of(const struct dump_writing *writing)
{
    return &writing->program->dispatches[writing->dispatch];
}

static const struct program_action *dump_writer_action_of(const struct dump_writing *writing,
                                                          uint32_t index)
{
    return &writing->program->actions[dump_writer_dispatch_of(writing)->first_action + index];
}

// What a dispatch uses -----------------------------------------------------------------

static void use_buffer(struct dump_writing *writing, uint32_t buffer)
{
    if (writing->order[buffer] != PROGRAM_NONE)
        return;
    writing->order[buffer] = writing->used_count;
    writing->used[writing->used_count++] = buffer;
}

static void use_task(struct dump_writing *writing, uint32_t task)
{
    const struct program_task *item = &writing->program->tasks[task];
    for (uint32_t i = 0; i < item->operand_count; i++)
        use_buffer(writing, writing->program->operands[item->first_operand + i].buffer);
}

static void use_action(struct dump_writing *writing, const struct program_action *action)
{
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START: {
        const struct program_job *job = &writing->program->jobs[action->subject];
        for (uint32_t i = 0; i < job->step_count; i++)
            use_task(writing, writing->program->steps[job->first_step + i].task);
        break;
    }
    case PROGRAM_ACTION_HOST_START:
        use_task(writing, action->subject);
        break;
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
    case PROGRAM_ACTION_HOST_COPY:
        use_buffer(writing, action->subject);
        break;
    default:
        break;
    }
}

static void forget_dispatch(struct dump_writing *writing)
{
    for (uint32_t i = 0; i < writing->used_count; i++) {
        writing->order[writing->used[i]] = PROGRAM_NONE;
        writing->outside[writing->used[i]] = PROGRAM_NONE;
    }
    for (size_t i = 0; i < writing->program_count; i++)
        bytes_free(&writing->programs[i].body);
    hash_free(&writing->program_index);
    writing->program_index = (struct hash_index){0};
    writing->program_count = 0;
    writing->used_count = 0;
    writing->values = 0;
    writing->invocations = 0;
}

// The module ---------------------------------------------------------------------------

static void dump_writer_write_head(struct dump_writing *writing)
{
    struct view name = writing->program->source;
    name.size = view_find(name, '.');
    output_text(
        writing->output,
        "#executable_target_torq_fb = #hal.executable.target<\"torq\", \"torq-fb\">\n"
        "#map = affine_map<() -> (0)>\n"
        "#device_target_torq = #hal.device.target<\"torq\", [#executable_target_torq_fb]> : "
        "!hal.device\n");
    output_text(writing->output, "module ");
    dump_append_symbol(name, &writing->text);
    dump_flush(writing, &writing->text);
    output_text(writing->output, " attributes {stream.affinity.default = "
                                 "#hal.device.affinity<@__device_0>} {\n"
                                 "  util.global private @__device_0 = #device_target_torq\n");
}

static void append_contents(const struct dump_writing *writing, const struct program_buffer *buffer,
                            struct bytes *text)
{
    const struct program *program = writing->program;
    const struct program_value *value =
        buffer->value != PROGRAM_NONE ? &program->values[buffer->value] : NULL;
    if (buffer->kind != PROGRAM_BUFFER_CONSTANT) {
        bytes_append_format(text, "uninitialized");
        return;
    }
    if (value == NULL || value->kind != PROGRAM_VALUE_CONSTANT ||
        value->bytes > CONSTANT_SHOWN_MOST || value->bytes == 0) {
        bytes_append_format(text, "dense_resource<__elided__>");
        return;
    }
    const unsigned char *bytes = program_constant(program, buffer->value);
    bytes_append_format(text, "dense<\"0x");
    for (uint64_t i = 0; i < value->bytes; i++)
        bytes_append_format(text, "%02X", bytes[i]);
    bytes_append_format(text, "\">");
}

static void write_global(struct dump_writing *writing, uint32_t buffer)
{
    struct bytes *text = &writing->text;
    const struct program_buffer *item = &writing->program->buffers[buffer];
    const bool constant = item->kind == PROGRAM_BUFFER_CONSTANT;
    bytes_append_format(text, "        memref.global \"private\" %s", constant ? "constant " : "");
    dump_append_global(writing, buffer, text);
    bytes_append_format(text, " : ");
    dump_append_type(writing, buffer, text);
    bytes_append_format(text, " = ");
    append_contents(writing, item, text);
    bytes_append_format(text, " {%s_address = %" PRIu64 " : i64}\n",
                        writing->target->memories[item->memory].name, item->address);
    dump_flush(writing, text);
}

static void write_globals(struct dump_writing *writing)
{
    for (int i = 0; i < 2; i++)
        output_format(writing->output,
                      "        memref.global \"private\" @__program_slot%d : %s = uninitialized "
                      "{lram_address = %d : i64}\n",
                      i, SLOT, i * 640);
    if (writing->has_css)
        output_text(writing->output,
                    "        memref.global \"private\" @__css_program : memref<8192xi8, "
                    "#torq_hl<enc mem_space = itcm>> = uninitialized\n"
                    "        memref.global \"private\" @__css_arguments : memref<64xi32, "
                    "#torq_hl<enc mem_space = dtcm>> = uninitialized\n");
    for (uint32_t i = 0; i < writing->used_count; i++) {
        if (!dump_is_port(writing, writing->used[i]))
            write_global(writing, writing->used[i]);
    }
}

// The function ---------------------------------------------------------------------------

void dump_append_action_attributes(const struct dump_writing *writing, uint32_t action,
                                   struct bytes *to)
{
    bytes_append_format(to, "\"torq-action-id\" = %" PRIu32 " : i32",
                        writing->program->actions[action].number);
    if (writing->times == NULL)
        return;
    const struct sim_times *time = &writing->times->actions[action];
    bytes_append_format(to,
                        ", \"torq-end-time-cycles\" = %" PRIu64
                        " : i64, \"torq-start-time-cycles\" = %" PRIu64 " : i64",
                        time->end, time->start);
}

static void write_binding(struct dump_writing *writing, uint32_t buffer, uint32_t index)
{
    struct bytes *text = &writing->text;
    const struct program_buffer *item = &writing->program->buffers[buffer];
    writing->outside[buffer] = writing->values;
    bytes_append_format(text,
                        "%s%%%" PRIu32 " = \"torq_hl.map_binding\"() <{binding_index = %" PRIu32
                        " : index, is_read_only = %s, is_write_only = false, offset = 0 : index}> "
                        "{xram_address = %" PRIu64 " : i64} : () -> ",
                        SPACE, writing->values++, index,
                        item->kind == PROGRAM_BUFFER_INPUT ? "true" : "false", item->address);
    dump_append_type(writing, buffer, text);
    bytes_append(text, "\n", 1);
    dump_flush(writing, text);
}

static void write_bindings(struct dump_writing *writing)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < writing->used_count; i++) {
        if (dump_is_port(writing, writing->used[i]))
            write_binding(writing, writing->used[i], index++);
    }
}

// The value of a buffer in the function.
static void need_value(struct dump_writing *writing, uint32_t buffer)
{
    struct bytes *text = &writing->text;
    if (writing->outside[buffer] != PROGRAM_NONE)
        return;
    writing->outside[buffer] = writing->values;
    bytes_append_format(text, "%s", SPACE);
    dump_append_get_global(writing, writing->values++, buffer, text);
    dump_flush(writing, text);
}

static void end_action(struct dump_writing *writing, uint32_t action)
{
    struct bytes *text = &writing->text;
    dump_append_action_location(writing, &writing->program->actions[action], text);
    bytes_append(text, "\n", 1);
    dump_flush(writing, text);
}

static void write_job_wait(struct dump_writing *writing, uint32_t job, uint32_t action)
{
    struct bytes *text = &writing->text;
    const uint32_t value = writing->values++;
    bytes_append_format(text,
                        "%s%%%" PRIu32 ":2 = torq_hl.wait_program %%invocation_%" PRIu32
                        " : !torq_hl.invocation<nss> {result_addresses = array<i64: 0, 640>, ",
                        SPACE, value, writing->invocation[job]);
    dump_append_action_attributes(writing, action, text);
    bytes_append_format(text, "} : %s, %s", SLOT, SLOT);
    for (int i = 0; i < 2; i++)
        snprintf(writing->slots[i], sizeof writing->slots[i], "%%%" PRIu32 "#%d", value, i);
    end_action(writing, action);
}

static void write_host_start(struct dump_writing *writing, uint32_t task, uint32_t action)
{
    struct bytes *text = &writing->text;
    const struct program *program = writing->program;
    const struct program_task *item = &program->tasks[task];
    const uint32_t first = item->first_operand;
    for (uint32_t i = 0; i < item->operand_count; i++)
        need_value(writing, program->operands[first + i].buffer);
    dump_write_engine_program(writing, task);
    bytes_append_format(
        text, "%storq_hl.start_program %%invocation_%" PRIu32 " : !torq_hl.invocation<host> args(",
        SPACE, writing->programs[writing->program_of[task]].invocation);
    for (uint32_t i = 0; i < item->operand_count; i++)
        bytes_append_format(text, "%s%%%" PRIu32, i > 0 ? ", " : "",
                            writing->outside[program->operands[first + i].buffer]);
    bytes_append_format(text, item->operand_count > 0 ? " : " : "");
    for (uint32_t i = 0; i < item->operand_count; i++) {
        bytes_append_format(text, i > 0 ? ", " : "");
        dump_append_type(writing, program->operands[first + i].buffer, text);
    }
    bytes_append_format(text, ") {\"" TORQ_DUMP_CYCLES "\" = %" PRIu64 " : i64, ",
                        cost_cycles(writing->target, COST_RULES_BEST, item->engine, &item->cost));
    dump_append_action_attributes(writing, action, text);
    bytes_append_format(text, "}");
    end_action(writing, action);
}

static void write_host_wait(struct dump_writing *writing, uint32_t task, uint32_t action)
{
    struct bytes *text = &writing->text;
    bytes_append_format(
        text, "%storq_hl.wait_program %%invocation_%" PRIu32 " : !torq_hl.invocation<host> {",
        SPACE, writing->programs[writing->program_of[task]].invocation);
    dump_append_action_attributes(writing, action, text);
    bytes_append_format(text, "}");
    end_action(writing, action);
}

static void write_host_copy(struct dump_writing *writing, uint32_t action)
{
    struct bytes *text = &writing->text;
    const struct program_action *item = &writing->program->actions[action];
    const uint32_t buffer = item->subject;
    need_value(writing, buffer);
    bytes_append_format(text, "%storq_hl.host_copy ", SPACE);
    for (int i = 0; i < 2; i++) {
        bytes_append_format(text, "%s%%%" PRIu32 " : ", i > 0 ? " to " : "",
                            writing->outside[buffer]);
        dump_append_type(writing, buffer, text);
    }
    bytes_append_format(text,
                        " {element_size_bytes = %" PRIu64
                        " : i64, input_strides_bytes = array<i64>, output_strides_bytes = "
                        "array<i64>, shape = array<i64>, ",
                        item->bytes);
    dump_append_action_attributes(writing, action, text);
    bytes_append_format(text, "}");
    end_action(writing, action);
}

static void write_allocation(struct dump_writing *writing, uint32_t action)
{
    struct bytes *text = &writing->text;
    const struct program_action *item = &writing->program->actions[action];
    const struct program_buffer *buffer = &writing->program->buffers[item->subject];
    if (item->kind == PROGRAM_ACTION_ALLOC) {
        writing->outside[item->subject] = writing->values;
        bytes_append_format(text, "%s%%%" PRIu32 " = memref.alloc() {", SPACE, writing->values++);
    } else {
        need_value(writing, item->subject);
        bytes_append_format(text, "%smemref.dealloc %%%" PRIu32 " {", SPACE,
                            writing->outside[item->subject]);
    }
    dump_append_action_attributes(writing, action, text);
    if (item->kind == PROGRAM_ACTION_ALLOC)
        bytes_append_format(text, ", %s_address = %" PRIu64 " : i64",
                            writing->target->memories[buffer->memory].name, buffer->address);
    bytes_append_format(text, "} : ");
    dump_append_type(writing, item->subject, text);
    end_action(writing, action);
}

static void dump_writer_write_action(struct dump_writing *writing, uint32_t action)
{
    const struct program_action *item = &writing->program->actions[action];
    switch ((enum program_action_kind)item->kind) {
    case PROGRAM_ACTION_JOB_START:
        dump_write_job(writing, item->subject, action);
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        write_job_wait(writing, item->subject, action);
        break;
    case PROGRAM_ACTION_HOST_START:
        write_host_start(writing, item->subject, action);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        write_host_wait(writing, item->subject, action);
        break;
    case PROGRAM_ACTION_HOST_COPY:
        write_host_copy(writing, action);
        break;
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
        write_allocation(writing, action);
        break;
    }
}

// Local memory of the dispatch, and its longest program of a slice.
static void dump_writer_write_profile(struct dump_writing *writing)
{
    const struct program *program = writing->program;
    uint64_t memory = 0, longest = 0;
    for (uint32_t i = 0; i < writing->used_count; i++) {
        const struct program_buffer *buffer = &program->buffers[writing->used[i]];
        if (buffer->kind == PROGRAM_BUFFER_TILE)
            memory += buffer->size;
    }
    for (uint32_t i = 0; i < dump_writer_dispatch_of(writing)->action_count; i++) {
        const struct program_action *action = dump_writer_action_of(writing, i);
        if (action->kind != PROGRAM_ACTION_JOB_START)
            continue;
        const struct program_job *job = &program->jobs[action->subject];
        for (uint32_t k = 0; k < job->step_count; k++) {
            const struct program_task *task =
                &program->tasks[program->steps[job->first_step + k].task];
            if (torq_kind_of(writing->target, task->engine) != TORQ_KIND_SLICE)
                continue;
            const uint64_t cycles =
                cost_cycles(writing->target, COST_RULES_BEST, task->engine, &task->cost);
            longest = cycles > longest ? cycles : longest;
        }
    }
    output_format(writing->output,
                  "%storq_hw.dispatch_profiling\n%s memory : %" PRIu64
                  " bytes\n%s total_cycle : %" PRIu64 "\n",
                  SPACE, SPACE, memory, SPACE, longest);
}

static void write_slots(struct dump_writing *writing)
{
    for (int i = 0; i < 2; i++) {
        snprintf(writing->slots[i], sizeof writing->slots[i], "%%%" PRIu32, writing->values);
        output_format(writing->output,
                      "%s%%%" PRIu32 " = memref.get_global @__program_slot%d : %s\n", SPACE,
                      writing->values++, i, SLOT);
    }
}

// What the dispatch is bound to, and that it runs once.
static void dump_writer_write_layout(struct dump_writing *writing)
{
    bool first = true;
    output_text(writing->output, " ordinal(0) layout(#hal.pipeline.layout<bindings = [");
    for (uint32_t i = 0; i < writing->used_count; i++) {
        const uint32_t buffer = writing->used[i];
        if (!dump_is_port(writing, buffer))
            continue;
        const bool input = writing->program->buffers[buffer].kind == PROGRAM_BUFFER_INPUT;
        output_format(writing->output, "%s#hal.pipeline.binding<storage_buffer, %s>",
                      first ? "" : ", ", input ? "\"ReadOnly|Indirect\"" : "Indirect");
        first = false;
    }
    output_text(writing->output,
                "], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {\n"
                "        %c1 = arith.constant 1 : index\n"
                "        hal.return %c1, %c1, %c1 : index, index, index\n"
                "      }\n      builtin.module {\n");
}

// "main_dispatch_0" of "main_dispatch_0_conv2d"; of a dispatch that is called otherwise,
// its number.
static void append_executable(struct dump_writing *writing, struct view name)
{
    static const char MARK[] = "_dispatch_";
    const char *found = memmem(name.data, name.size, MARK, sizeof MARK - 1);
    size_t end = found != NULL ? (size_t)(found - name.data) + sizeof MARK - 1 : 0;
    const size_t digits = end;
    while (found != NULL && end < name.size && name.data[end] >= '0' && name.data[end] <= '9')
        end++;
    if (end > digits)
        dump_append_symbol(view_slice(name, 0, end), &writing->text);
    else
        bytes_append_format(&writing->text, "@main_dispatch_%" PRIu32, writing->dispatch);
}

static void dump_writer_write_dispatch(struct dump_writing *writing)
{
    struct bytes *text = &writing->text;
    const uint64_t base = writing->code;
    uint64_t end = base;
    for (uint32_t i = 0; i < dump_writer_dispatch_of(writing)->action_count; i++) {
        if (dump_writer_action_of(writing, i)->kind == PROGRAM_ACTION_JOB_START)
            end += dump_job_code(writing, dump_writer_action_of(writing, i)->subject);
    }
    for (uint32_t i = 0; i < dump_writer_dispatch_of(writing)->action_count; i++)
        use_action(writing, dump_writer_action_of(writing, i));
    const struct view name =
        view_of(program_text(writing->program, dump_writer_dispatch_of(writing)->name));
    bytes_append_format(text, "  hal.executable private ");
    append_executable(writing, name);
    dump_flush(writing, text);
    output_text(writing->output,
                " {\n"
                "    hal.executable.variant public @torq_fb target(#executable_target_torq_fb) {\n"
                "      hal.executable.export public ");
    dump_append_symbol(name, text);
    dump_flush(writing, text);
    dump_writer_write_layout(writing);
    write_globals(writing);
    bytes_append_format(text, "        func.func ");
    dump_append_symbol(name, text);
    dump_flush(writing, text);
    output_format(writing->output,
                  "() attributes {\"torq-next-free-xram-address\" = %" PRIu64
                  " : i64, \"torq-nss-program-base\" = %" PRIu64 " : i64} {\n",
                  (end + PAGE - 1) / PAGE * PAGE, base);
    if (writing->times != NULL)
        dump_writer_write_profile(writing);
    write_slots(writing);
    write_bindings(writing);
    for (uint32_t i = 0; i < dump_writer_dispatch_of(writing)->action_count; i++)
        dump_writer_write_action(writing, dump_writer_dispatch_of(writing)->first_action + i);
    output_text(writing->output, "          return\n        }\n      }\n    }\n  }\n");
    forget_dispatch(writing);
}

// All of it ------------------------------------------------------------------------------

// After all data, in pages.
static uint64_t end_of_far_memory(const struct dump_writing *writing)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < writing->program->buffer_count; i++) {
        const struct program_buffer *buffer = &writing->program->buffers[i];
        if (!writing->target->memories[buffer->memory].local &&
            buffer->address + buffer->size > end)
            end = buffer->address + buffer->size;
    }
    return (end + PAGE - 1) / PAGE * PAGE;
}

static bool uses_css(const struct program *program, const struct target *target)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (torq_kind_of(target, program->tasks[i].engine) == TORQ_KIND_CSS)
            return true;
    }
    return false;
}

static uint32_t *numbers(uint32_t count)
{
    uint32_t *items = memory_allocate(((size_t)count + 1) * sizeof *items);
    memset(items, 0xff, ((size_t)count + 1) * sizeof *items);
    return items;
}

static status check(const struct program *program, const struct target *target)
{
    if (!torq_kind_is_torq(target))
        return status_make(STATUS_UNSUPPORTED,
                           "a dump of executable targets is of programs for Torq, not for %s",
                           target->name);
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (program->tasks[i].engine >= target->engine_count)
            return status_make(STATUS_DATA, "task %u uses an engine that %s does not have", i,
                               target->name);
    }
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].memory >= target->memory_count)
            return status_make(STATUS_DATA, "buffer %u lies in a memory that %s does not have", i,
                               target->name);
    }
    return STATUS_OK;
}

status torq_dump_write(const struct program *program, const struct target *target,
                       const struct sim_result *times, bool locations, struct output *output)
{
    STATUS_TRY(check(program, target));
    struct dump_writing writing = {.program = program,
                                   .target = target,
                                   .times = times,
                                   .locations = locations,
                                   .has_css = uses_css(program, target),
                                   .output = output,
                                   .used = numbers(program->buffer_count),
                                   .order = numbers(program->buffer_count),
                                   .outside = numbers(program->buffer_count),
                                   .inside = numbers(program->buffer_count),
                                   .argument = numbers(program->buffer_count),
                                   .program_of = numbers(program->task_count),
                                   .invocation = numbers(program->job_count)};
    writing.code = end_of_far_memory(&writing);
    dump_writer_write_head(&writing);
    for (; writing.dispatch < program->dispatch_count; writing.dispatch++)
        dump_writer_write_dispatch(&writing);
    output_text(output, "}\n");
    free(writing.used);
    free(writing.order);
    free(writing.outside);
    free(writing.inside);
    free(writing.argument);
    free(writing.program_of);
    free(writing.invocation);
    free(writing.programs);
    bytes_free(&writing.text);
    return STATUS_OK;
}
