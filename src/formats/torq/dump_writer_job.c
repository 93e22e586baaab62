// NSS programs: what the controller does in a job.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dump_reading.h"
#include "dump_writing.h"

static const char SPACE[] = "            ";
static const char SLOT[] = "memref<640xi8, #torq_hl<enc mem_space = lram>>";

// A job while it is written.
struct job_writing {
    struct dump_writing *writing;
    uint32_t job;
    uint32_t *ports; // buffers that the start gives to the program
    uint32_t port_count;
    uint32_t *engine_programs; // as the start gives their invocations to the program
    uint32_t engine_count;
    uint32_t values;      // numbers given out in the program
    uint32_t code;        // buffer that holds the program of a slice; PROGRAM_NONE
    uint32_t css_program; // value of the CSS's memory for its program; PROGRAM_NONE
};

static const struct program_job *job_of(const struct job_writing *job)
{
    return &job->writing->program->jobs[job->job];
}

static const struct program_step *step_of(const struct job_writing *job, uint32_t index)
{
    return &job->writing->program->steps[job_of(job)->first_step + index];
}

static const struct program_task *task_of(const struct job_writing *job, uint32_t step)
{
    return &job->writing->program->tasks[step_of(job, step)->task];
}

static enum torq_kind dump_writer_job_kind_of(const struct job_writing *job, uint32_t step)
{
    return torq_kind_of(job->writing->target, task_of(job, step)->engine);
}

// A Torq has one.
static const struct target_queue *controller_of(const struct job_writing *job)
{
    return &job->writing->target->queues[0];
}

static bool dump_writer_job_is_transfer(enum torq_kind kind)
{
    return kind == TORQ_KIND_DMA_IN || kind == TORQ_KIND_DMA_OUT || kind == TORQ_KIND_CDMA;
}

static const struct program_operand *dump_writer_job_operands_of(const struct job_writing *job,
                                                                 uint32_t step)
{
    return &job->writing->program->operands[task_of(job, step)->first_operand];
}

// What the program is given ------------------------------------------------------------

static void collect_port(struct job_writing *job, uint32_t buffer)
{
    uint32_t *argument = &job->writing->argument[buffer];
    if (*argument != PROGRAM_NONE || !dump_is_port(job->writing, buffer))
        return;
    *argument = 3 + job->port_count;
    job->ports[job->port_count++] = buffer;
}

static void dump_writer_job_collect(struct job_writing *job)
{
    struct dump_writing *writing = job->writing;
    const uint32_t count = job_of(job)->step_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct program_task *task = task_of(job, i);
        for (uint32_t k = 0; k < task->operand_count; k++) {
            const uint32_t buffer = dump_writer_job_operands_of(job, i)[k].buffer;
            collect_port(job, buffer);
            if (writing->program->buffers[buffer].kind == PROGRAM_BUFFER_CODE &&
                dump_writer_job_operands_of(job, i)[k].writes != 0)
                job->code = buffer;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (step_of(job, i)->kind != PROGRAM_STEP_START ||
            dump_writer_job_is_transfer(dump_writer_job_kind_of(job, i)))
            continue;
        const uint32_t id = writing->program_of[step_of(job, i)->task];
        struct dump_written_program *program = &writing->programs[id];
        if (program->job == job->job)
            continue;
        program->job = job->job;
        program->argument = 3 + job->port_count + job->engine_count;
        job->engine_programs[job->engine_count++] = id;
    }
}

static const char *invocation_kind(const struct job_writing *job, uint32_t index)
{
    const struct dump_written_program *program =
        &job->writing->programs[job->engine_programs[index]];
    return program->kind == TORQ_KIND_SLICE ? "slice" : "css";
}

static void dump_writer_job_append_arguments(struct job_writing *job, struct bytes *text)
{
    bytes_append_format(text,
                        "          ^bb0(%%arg0: %s, %%arg1: %s, %%arg2: !torq_hl.invocation<nss>",
                        SLOT, SLOT);
    for (uint32_t i = 0; i < job->port_count; i++) {
        bytes_append_format(text, ", %%arg%" PRIu32 ": ", 3 + i);
        dump_append_type(job->writing, job->ports[i], text);
    }
    for (uint32_t i = 0; i < job->engine_count; i++)
        bytes_append_format(text, ", %%arg%" PRIu32 ": !torq_hl.invocation<%s>",
                            3 + job->port_count + i, invocation_kind(job, i));
    bytes_append_format(text, "):\n");
}

static void append_global(struct job_writing *job, uint32_t buffer, struct bytes *text)
{
    struct dump_writing *writing = job->writing;
    if (writing->argument[buffer] != PROGRAM_NONE || writing->inside[buffer] != PROGRAM_NONE)
        return;
    writing->inside[buffer] = job->values;
    bytes_append_format(text, "%s", SPACE);
    dump_append_get_global(writing, job->values++, buffer, text);
}

static void append_globals(struct job_writing *job, struct bytes *text)
{
    for (uint32_t i = 0; i < job_of(job)->step_count; i++) {
        for (uint32_t k = 0; k < task_of(job, i)->operand_count; k++)
            append_global(job, dump_writer_job_operands_of(job, i)[k].buffer, text);
        if (dump_writer_job_kind_of(job, i) != TORQ_KIND_CSS || job->css_program != PROGRAM_NONE)
            continue;
        job->css_program = job->values;
        job->values += 2;
        bytes_append_format(text,
                            "%s%%%" PRIu32 " = memref.get_global @__css_program : "
                            "memref<8192xi8, #torq_hl<enc mem_space = itcm>>\n",
                            SPACE, job->css_program);
        bytes_append_format(text,
                            "%s%%%" PRIu32 " = memref.get_global @__css_arguments : "
                            "memref<64xi32, #torq_hl<enc mem_space = dtcm>>\n",
                            SPACE, job->css_program + 1);
    }
}

static void append_value(const struct job_writing *job, uint32_t buffer, struct bytes *text)
{
    const struct dump_writing *writing = job->writing;
    if (writing->argument[buffer] != PROGRAM_NONE)
        bytes_append_format(text, "%%arg%" PRIu32, writing->argument[buffer]);
    else
        bytes_append_format(text, "%%%" PRIu32, writing->inside[buffer]);
}

// Tasks ----------------------------------------------------------------------------

// "{a, b}" of those that are there; `space` stands in front of it.
static void append_attributes(const struct job_writing *job, uint32_t step, uint64_t own_cycles,
                              struct bytes *text)
{
    const struct sim_result *times = job->writing->times;
    const bool owns = own_cycles != UINT64_MAX;
    if (times == NULL && !owns)
        return;
    bytes_append_format(text, " {");
    if (owns)
        bytes_append_format(text, "\"" TORQ_DUMP_CYCLES "\" = %" PRIu64 " : i64%s", own_cycles,
                            times != NULL ? ", " : "");
    if (times != NULL) {
        const struct sim_times *time = &times->tasks[step_of(job, step)->task];
        bytes_append_format(text, "\"torq-async-duration-cycles\" = %" PRIu64 " : i64",
                            time->end - time->start);
    }
    bytes_append_format(text, "}");
}

static void append_side(const struct job_writing *job, const char *word, uint32_t buffer,
                        struct bytes *text)
{
    bytes_append_format(text, " %s ", word);
    append_value(job, buffer, text);
    bytes_append_format(text, " : ");
    dump_append_type(job->writing, buffer, text);
}

static void append_dma(const struct job_writing *job, uint32_t step, const char *direction,
                       struct bytes *text)
{
    const struct program_task *task = task_of(job, step);
    const struct program_operand *sides = dump_writer_job_operands_of(job, step);
    bytes_append_format(text, "%s  torq_hw.dma_%s_cfg", SPACE, direction);
    append_side(job, "from", sides[0].buffer, text);
    append_side(job, "to", sides[1].buffer, text);
    bytes_append_format(text, " {read_address = %" PRIu64 " : i32, read_ndl = ",
                        dump_box_address(job->writing, &sides[0]));
    dump_append_ndl(job->writing, &sides[0], task->cost.bytes, text);
    bytes_append_format(text, ", write_address = %" PRIu64 " : i32, write_ndl = ",
                        dump_box_address(job->writing, &sides[1]));
    dump_append_ndl(job->writing, &sides[1], task->cost.bytes, text);
    bytes_append_format(text, "}\n%s  torq_hw.dma_%s_start", SPACE, direction);
    append_attributes(job, step, UINT64_MAX, text);
}

static void append_cdma(const struct job_writing *job, uint32_t step, struct bytes *text)
{
    const struct program_operand *sides = dump_writer_job_operands_of(job, step);
    bytes_append_format(text, "%s  torq_hw.cdma_start", SPACE);
    append_side(job, "from", sides[0].buffer, text);
    append_side(job, "to", sides[1].buffer, text);
    bytes_append_format(text, " {dest_address = %" PRIu64 " : i32, ",
                        dump_box_address(job->writing, &sides[1]));
    const struct program_task *task = task_of(job, step);
    const struct program_buffer *from = &job->writing->program->buffers[sides[0].buffer];
    if (task->cost.outputs * element_size((enum element)from->element) != task->cost.bytes)
        bytes_append_format(text, "\"" TORQ_DUMP_ELEMENTS "\" = %" PRIu64 " : i64, ",
                            task->cost.outputs);
    bytes_append_format(text, "src_address = %" PRIu64 " : i32",
                        dump_box_address(job->writing, &sides[0]));
    if (job->writing->times != NULL) {
        const struct sim_times *time = &job->writing->times->tasks[step_of(job, step)->task];
        bytes_append_format(text, ", \"torq-async-duration-cycles\" = %" PRIu64 " : i64",
                            time->end - time->start);
    }
    bytes_append_format(text, "}");
}

// Operands of a task, what is written first: as values or as types.
static uint32_t append_operands(const struct job_writing *job, uint32_t step, bool types,
                                bool comma, struct bytes *text)
{
    uint32_t written = 0;
    for (int writes = 1; writes >= 0; writes--) {
        for (uint32_t i = 0; i < task_of(job, step)->operand_count; i++) {
            const struct program_operand *operand = &dump_writer_job_operands_of(job, step)[i];
            if ((operand->writes != 0) != (writes != 0))
                continue;
            bytes_append_format(text, comma || written > 0 ? ", " : "");
            written++;
            if (types)
                dump_append_type(job->writing, operand->buffer, text);
            else
                append_value(job, operand->buffer, text);
        }
    }
    return written;
}

static uint32_t argument_of(const struct job_writing *job, uint32_t step)
{
    return job->writing->programs[job->writing->program_of[step_of(job, step)->task]].argument;
}

static void dump_writer_job_append_slice(const struct job_writing *job, uint32_t step,
                                         struct bytes *text)
{
    const bool loaded = job->code != PROGRAM_NONE;
    const struct program_buffer *buffers = job->writing->program->buffers;
    bytes_append_format(text, "%s  \"torq_hw.slice_start\"(%%arg%" PRIu32 ", ", SPACE,
                        argument_of(job, step));
    if (loaded)
        append_value(job, job->code, text);
    else
        bytes_append_format(text, "%%arg1");
    append_operands(job, step, false, true, text);
    bytes_append_format(text, ") <{id = %u : index, program_address = %" PRIu64 " : i32}>",
                        task_of(job, step)->lane,
                        loaded ? buffers[job->code].address : controller_of(job)->code_block);
    append_attributes(job, step, UINT64_MAX, text);
    bytes_append_format(text, " : (!torq_hl.invocation<slice>, ");
    if (loaded)
        dump_append_type(job->writing, job->code, text);
    else
        bytes_append_format(text, "%s", SLOT);
    append_operands(job, step, true, true, text);
    bytes_append_format(text, ") -> ()");
}

static void append_css(const struct job_writing *job, uint32_t step, struct bytes *text)
{
    const struct program_task *task = task_of(job, step);
    const struct target *target = job->writing->target;
    bytes_append_format(text,
                        "%s  torq_hw.css_start %%arg%" PRIu32
                        " : !torq_hl.invocation<css> program %%%" PRIu32 "(%%%" PRIu32,
                        SPACE, argument_of(job, step), job->css_program, job->css_program + 1);
    bytes_append_format(text, task->operand_count > 0 ? " = " : "");
    append_operands(job, step, false, false, text);
    bytes_append_format(text, ")");
    append_attributes(job, step, cost_cycles(target, COST_RULES_BEST, task->engine, &task->cost),
                      text);
    bytes_append_format(text, " : memref<8192xi8, #torq_hl<enc mem_space = itcm>>, "
                              "memref<64xi32, #torq_hl<enc mem_space = dtcm>>");
    append_operands(job, step, true, true, text);
}

static void append_start(const struct job_writing *job, uint32_t step, struct bytes *text)
{
    switch (dump_writer_job_kind_of(job, step)) {
    case TORQ_KIND_DMA_IN:
        append_dma(job, step, "in", text);
        break;
    case TORQ_KIND_DMA_OUT:
        append_dma(job, step, "out", text);
        break;
    case TORQ_KIND_CDMA:
        append_cdma(job, step, text);
        break;
    case TORQ_KIND_SLICE:
        dump_writer_job_append_slice(job, step, text);
        break;
    default:
        append_css(job, step, text);
        break;
    }
    dump_append_group_location(job->writing, task_of(job, step)->group, text);
    bytes_append(text, "\n", 1);
}

static void append_wait(const struct job_writing *job, uint32_t step, struct bytes *text)
{
    static const char *const WAITS[TORQ_KINDS] = {[TORQ_KIND_DMA_IN] = "dma_in",
                                                  [TORQ_KIND_DMA_OUT] = "dma_out",
                                                  [TORQ_KIND_CDMA] = "cdma",
                                                  [TORQ_KIND_CSS] = "css"};
    if (dump_writer_job_kind_of(job, step) == TORQ_KIND_SLICE)
        bytes_append_format(text, "%s  \"torq_hw.slice_wait\"() <{id = %u : index}> : () -> ()\n",
                            SPACE, task_of(job, step)->lane);
    else
        bytes_append_format(text, "%s  torq_hw.%s_wait\n", SPACE,
                            WAITS[dump_writer_job_kind_of(job, step)]);
}

static bool starts_task(const struct job_writing *job, uint32_t step)
{
    return step == 0 || step_of(job, step)->number != step_of(job, step - 1)->number ||
           step_of(job, step)->block != step_of(job, step - 1)->block;
}

static void append_task_head(const struct job_writing *job, uint32_t step, struct bytes *text)
{
    const struct sim_result *times = job->writing->times;
    bytes_append_format(text, "%storq_hw.nss_task {", SPACE);
    if (times != NULL) {
        uint32_t last = step;
        while (last + 1 < job_of(job)->step_count && !starts_task(job, last + 1))
            last++;
        const struct sim_times *steps = &times->steps[job_of(job)->first_step];
        bytes_append_format(text,
                            "\"torq-end-time-cycles\" = %" PRIu64
                            " : i64, \"torq-start-time-cycles\" = %" PRIu64 " : i64, ",
                            steps[last].end, steps[step].start);
    }
    bytes_append_format(text, "\"torq-task-id\" = %" PRIu32 " : i64}() {\n",
                        step_of(job, step)->number);
}

static void write_steps(struct job_writing *job, struct bytes *text)
{
    const uint32_t count = job_of(job)->step_count;
    uint32_t block = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && step_of(job, i)->block != step_of(job, i - 1)->block) {
            bytes_append_format(text,
                                "%storq_hl.next lram_area(%%arg%u : %s) to ^bb%" PRIu32
                                " {lramAddress = %" PRIu64 " : i64}\n          ^bb%" PRIu32
                                ":  // pred: ^bb%" PRIu32 "\n",
                                SPACE, (block + 1) % 2, SLOT, block + 1,
                                (block + 1) % 2 * controller_of(job)->code_block, block + 1, block);
            block++;
        }
        if (starts_task(job, i))
            append_task_head(job, i, text);
        if (step_of(job, i)->kind == PROGRAM_STEP_START)
            append_start(job, i, text);
        else
            append_wait(job, i, text);
        if (i + 1 == count || starts_task(job, i + 1))
            bytes_append_format(text, "%s}\n", SPACE);
        dump_flush(job->writing, text);
    }
    bytes_append_format(text, "%storq_hl.return %%arg0, %%arg1 : %s, %s\n          }\n", SPACE,
                        SLOT, SLOT);
}

// Code ------------------------------------------------------------------------------

static uint64_t dump_writer_job_code_of(const struct job_writing *job, uint32_t step)
{
    const struct target_engine *engine = &job->writing->target->engines[task_of(job, step)->engine];
    return step_of(job, step)->kind == PROGRAM_STEP_START ? engine->start_code : engine->wait_code;
}

// Bytes of the block that starts at `step`, and where the next one starts.
static uint64_t block_bytes(const struct job_writing *job, uint32_t *step)
{
    const uint32_t count = job_of(job)->step_count;
    const uint32_t block = *step < count ? step_of(job, *step)->block : 0;
    uint64_t bytes = 0;
    for (; *step < count && step_of(job, *step)->block == block; (*step)++)
        bytes += dump_writer_job_code_of(job, *step);
    return bytes + (*step < count ? controller_of(job)->code_next : 0);
}

// One item for each block: `format` takes its bytes, `first` that of the first one.
static uint32_t append_blocks(const struct job_writing *job, const char *separator,
                              const char *format, uint64_t base, bool addresses, struct bytes *text)
{
    uint32_t blocks = 0;
    uint64_t address = base;
    for (uint32_t step = 0; blocks == 0 || step < job_of(job)->step_count; blocks++) {
        const uint64_t bytes = block_bytes(job, &step);
        if (blocks > 0)
            bytes_append_format(text, "%s", separator);
        bytes_append_format(text, "%s%" PRIu64 "%s", format, addresses ? address : bytes,
                            format[0] != '\0' ? "xi8>" : "");
        address += bytes;
    }
    return blocks;
}

static void write_descriptor(struct job_writing *job, uint32_t program, const char *name,
                             struct bytes *text)
{
    struct dump_writing *writing = job->writing;
    struct bytes types = {0};
    const uint32_t invocation = writing->invocations++;
    const uint32_t blocks = append_blocks(job, ", ", "memref<", 0, false, &types);
    writing->invocation[job->job] = invocation;
    bytes_append_format(text, "          %%invocation_%" PRIu32 ", %%code_sections_%" PRIu32,
                        invocation, invocation);
    if (blocks > 1)
        bytes_append_format(text, ":%" PRIu32, blocks);
    bytes_append_format(text, " = torq_hl.descriptor ");
    dump_append_quoted(view_of(name), text);
    bytes_append_format(
        text,
        " on 0 program %%%" PRIu32
        " : <nss> code [] {executor_code_addresses = array<i64: 0>, \"torq-job-id\" "
        "= %" PRIu32 " : i32, xram_code_addresses = array<i64: ",
        program, job_of(job)->number);
    append_blocks(job, ", ", "", writing->code, true, text);
    bytes_append_format(text, ">} : !torq_hl.invocation<nss>, ");
    bytes_append(text, types.data, types.size);
    bytes_append(text, "\n", 1);
    bytes_free(&types);
    writing->code += dump_job_code(writing, job->job);
}

uint64_t dump_job_code(struct dump_writing *writing, uint32_t id)
{
    const struct job_writing job = {.writing = writing, .job = id};
    uint64_t bytes = 0;
    for (uint32_t step = 0; step < job_of(&job)->step_count;)
        bytes += block_bytes(&job, &step);
    return bytes;
}

// The whole job ----------------------------------------------------------------------

static void write_start(const struct job_writing *job, uint32_t action, struct bytes *text)
{
    const struct dump_writing *writing = job->writing;
    const uint32_t invocation = writing->invocation[job->job];
    bytes_append_format(text,
                        "          torq_hl.start_program %%invocation_%" PRIu32
                        " : !torq_hl.invocation<nss> args(%s, %s, %%invocation_%" PRIu32,
                        invocation, writing->slots[0], writing->slots[1], invocation);
    for (uint32_t i = 0; i < job->port_count; i++)
        bytes_append_format(text, ", %%%" PRIu32, writing->outside[job->ports[i]]);
    for (uint32_t i = 0; i < job->engine_count; i++)
        bytes_append_format(text, ", %%invocation_%" PRIu32,
                            writing->programs[job->engine_programs[i]].invocation);
    bytes_append_format(text, " : %s, %s, !torq_hl.invocation<nss>", SLOT, SLOT);
    for (uint32_t i = 0; i < job->port_count; i++) {
        bytes_append_format(text, ", ");
        dump_append_type(writing, job->ports[i], text);
    }
    for (uint32_t i = 0; i < job->engine_count; i++)
        bytes_append_format(text, ", !torq_hl.invocation<%s>", invocation_kind(job, i));
    bytes_append_format(text, ") code(%s : %s) {", writing->slots[0], SLOT);
    dump_append_action_attributes(writing, action, text);
    bytes_append_format(text, "}");
    dump_append_action_location(writing, &writing->program->actions[action], text);
    bytes_append(text, "\n", 1);
}

static void dump_writer_job_forget(struct job_writing *job)
{
    for (uint32_t i = 0; i < job_of(job)->step_count; i++) {
        for (uint32_t k = 0; k < task_of(job, i)->operand_count; k++) {
            job->writing->inside[dump_writer_job_operands_of(job, i)[k].buffer] = PROGRAM_NONE;
            job->writing->argument[dump_writer_job_operands_of(job, i)[k].buffer] = PROGRAM_NONE;
        }
    }
}

void dump_write_job(struct dump_writing *writing, uint32_t id, uint32_t action)
{
    struct job_writing job = {
        .writing = writing, .job = id, .code = PROGRAM_NONE, .css_program = PROGRAM_NONE};
    struct bytes *text = &writing->text;
    const char *name = program_text(writing->program, job_of(&job)->name);
    size_t operands = 0;
    for (uint32_t i = 0; i < job_of(&job)->step_count; i++) {
        operands += task_of(&job, i)->operand_count;
        if (step_of(&job, i)->kind == PROGRAM_STEP_START &&
            !dump_writer_job_is_transfer(dump_writer_job_kind_of(&job, i)))
            dump_write_engine_program(writing, step_of(&job, i)->task);
    }
    job.ports = memory_allocate_zeroed(operands + 1, sizeof *job.ports);
    job.engine_programs =
        memory_allocate_zeroed((size_t)job_of(&job)->step_count + 1, sizeof *job.engine_programs);
    dump_writer_job_collect(&job);
    const uint32_t value = writing->values++;
    bytes_append_format(text, "          %%%" PRIu32 " = torq_hl.program ", value);
    dump_append_quoted(view_of(name), text);
    bytes_append_format(text, " {block_sizes = array<i32: ");
    append_blocks(&job, ", ", "", 0, false, text);
    bytes_append_format(text, ">} : !torq_hl.program<nss> {\n");
    dump_writer_job_append_arguments(&job, text);
    append_globals(&job, text);
    write_steps(&job, text);
    write_descriptor(&job, value, name, text);
    write_start(&job, action, text);
    dump_flush(writing, text);
    dump_writer_job_forget(&job);
    free(job.ports);
    free(job.engine_programs);
}
