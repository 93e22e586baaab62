// Programs of slices, of the CSS and of the host.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dump_ndl.h"
#include "dump_writing.h"

static const char SPACE[] = "            "; // in front of what a program does

static enum torq_kind dump_writer_slice_kind_of(const struct dump_writing *writing, uint32_t task)
{
    return torq_kind_of(writing->target, writing->program->tasks[task].engine);
}

static const struct program_operand *dump_writer_slice_operand(const struct dump_writing *writing,
                                                               uint32_t task, uint32_t index)
{
    return &writing->program->operands[writing->program->tasks[task].first_operand + index];
}

// What is written comes first.
static void dump_writer_slice_append_arguments(const struct dump_writing *writing, uint32_t task,
                                               struct bytes *to)
{
    const uint32_t count = writing->program->tasks[task].operand_count;
    uint32_t number = 0;
    bytes_append_format(to, "          ^bb0(");
    for (uint32_t writes = 1; writes < 2; writes--) {
        for (uint32_t i = 0; i < count; i++) {
            if ((dump_writer_slice_operand(writing, task, i)->writes != 0) != (writes != 0))
                continue;
            bytes_append_format(to, "%s%%arg%" PRIu32 ": ", number > 0 ? ", " : "", number);
            dump_append_type(writing, dump_writer_slice_operand(writing, task, i)->buffer, to);
            number++;
        }
    }
    bytes_append_format(to, "):\n");
}

// Slices -----------------------------------------------------------------------------

static bool dump_writer_slice_has_weights(const struct program_task *task)
{
    return task->cost.kind == COST_CONVOLUTION || task->cost.kind == COST_DEPTHWISE ||
           task->cost.kind == COST_MATMUL;
}

// Which bus an input takes: weights and biases of products have their own.
static char bus_of(const struct program_task *task, uint32_t input)
{
    return !dump_writer_slice_has_weights(task) || input == 0 ? 'D' : input == 1 ? 'W' : 'B';
}

static uint32_t count_written(const struct dump_writing *writing, uint32_t task)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < writing->program->tasks[task].operand_count; i++)
        count += dump_writer_slice_operand(writing, task, i)->writes != 0;
    return count;
}

// " D %arg1, %arg2 : T, T"
static uint32_t append_bus(const struct dump_writing *writing, uint32_t task, char bus,
                           struct bytes *to)
{
    const struct program_task *item = &writing->program->tasks[task];
    const uint32_t written = count_written(writing, task);
    struct bytes types = {0};
    uint32_t count = 0, input = 0, output = 0;
    for (uint32_t i = 0; i < item->operand_count; i++) {
        const bool writes = dump_writer_slice_operand(writing, task, i)->writes != 0;
        const uint32_t number = writes ? output++ : written + input;
        if ((writes ? 'Q' : bus_of(item, input)) == bus) {
            if (count == 0)
                bytes_append_format(to, "%s %c ", SPACE, bus);
            bytes_append_format(to, "%s%%arg%" PRIu32, count > 0 ? ", " : "", number);
            bytes_append_format(&types, count > 0 ? ", " : "");
            dump_append_type(writing, dump_writer_slice_operand(writing, task, i)->buffer, &types);
            count++;
        }
        input += !writes;
    }
    if (count > 0) {
        bytes_append_format(to, " : ");
        bytes_append(to, types.data, types.size);
        bytes_append(to, "\n", 1);
    }
    bytes_free(&types);
    return count;
}

// The loops say how many cycles the slice takes, and no more: this compiler does not
// make the registers' settings.
static void append_task(const struct dump_writing *writing, uint32_t task, uint64_t cycles,
                        struct bytes *to)
{
    const struct program_task *item = &writing->program->tasks[task];
    const char *type =
        item->group != PROGRAM_NONE
            ? program_text(writing->program, writing->program->groups[item->group].type)
            : "unknown";
    bytes_append_format(to, "%storq_hw.slice_task{\n%sop : ", SPACE, SPACE);
    dump_append_quoted(view_of(type), to);
    bytes_append(to, "\n", 1);
    append_bus(writing, task, 'D', to);
    const uint32_t weights = append_bus(writing, task, 'W', to);
    const uint32_t biases = append_bus(writing, task, 'B', to);
    append_bus(writing, task, 'Q', to);
    bytes_append_format(to,
                        "%s CFG {alu_op0_mode = [], alu_op1_mode = [], alu_d_unsigned = 0, "
                        "alu_w_unsigned = 0, act_mode = ACT,}\n",
                        SPACE);
    bytes_append_format(to,
                        "%s [%s%s{DEDR dims = [ A(H) [1, #map]]}, {DEQW dims = [ A(H) [1, "
                        "#map]]}, {REF dims = []}]\n",
                        SPACE, weights > 0 ? "{DEWR dims = [ G(H) [1, #map]]}, " : "",
                        biases > 0 ? "{DEBR dims = [ G(H) [1, #map]]}, " : "");
    bytes_append_format(
        to, "%s [{CEDW dims = [ T(H) [1, 0]]}, {CEDR dims = [ T(H) [%" PRIu64 ", 0]]}, ", SPACE,
        cycles);
    if (weights > 0)
        bytes_append_format(to, "{CEWR dims = [ T(H) [%" PRIu64 ", 0]]}, ", cycles);
    bytes_append_format(
        to, "{CEPR dims = [ T(H) [%" PRIu64 ", 0]]}, {ACPR dims = [ T(H) [1, 0]]}]\n%s}", cycles,
        SPACE);
}

static void append_shapes(const struct dump_writing *writing, uint32_t task, struct bytes *to)
{
    for (uint32_t i = 0; i < writing->program->tasks[task].operand_count; i++) {
        const struct program_buffer *buffer =
            &writing->program->buffers[dump_writer_slice_operand(writing, task, i)->buffer];
        bytes_append_format(to, i > 0 ? "+" : "");
        for (uint32_t k = 0; k < buffer->rank && buffer->rank <= SHAPE_RANK_MOST; k++)
            bytes_append_format(to, "%s%" PRId64, k > 0 ? "x" : "", buffer->dims[k]);
    }
}

static void append_profile(const struct dump_writing *writing, uint32_t task,
                           struct view slice_task, struct bytes *to)
{
    uint64_t cycles[DUMP_NDLS];
    uint64_t memory = 0;
    if (!dump_ndl_cycles(slice_task, cycles))
        return;
    for (uint32_t i = 0; i < writing->program->tasks[task].operand_count; i++)
        memory +=
            writing->program->buffers[dump_writer_slice_operand(writing, task, i)->buffer].size;
    bytes_append_format(to, "%storq_hw.slice_profiling\n%s memory : %" PRIu64 " bytes\n", SPACE,
                        SPACE, memory);
    bytes_append_format(to, "%s memory_info : \"", SPACE);
    append_shapes(writing, task, to);
    bytes_append_format(to, "\"\n%s max_cycle : %" PRIu64 "\n%s ndl_cycles :", SPACE,
                        dump_ndl_longest(cycles), SPACE);
    for (int i = 0; i < DUMP_NDLS; i++)
        bytes_append_format(to, " %s(%" PRIu64 ")", DUMP_NDL_NAMES[i], cycles[i]);
    bytes_append(to, "\n", 1);
}

static void dump_writer_slice_append_slice(const struct dump_writing *writing, uint32_t task,
                                           struct bytes *to)
{
    const struct program_task *item = &writing->program->tasks[task];
    const uint64_t cycles =
        cost_cycles(writing->target, COST_RULES_BEST, item->engine, &item->cost);
    struct bytes slice_task = {0};
    if (cycles == 0)
        return; // a real dump's program without any task
    append_task(writing, task, cycles, &slice_task);
    if (writing->times != NULL)
        append_profile(writing, task, bytes_view(&slice_task), to);
    bytes_append(to, slice_task.data, slice_task.size);
    bytes_append(to, "\n", 1);
    bytes_free(&slice_task);
}

// All of them ------------------------------------------------------------------------

static const char *short_name(enum torq_kind kind)
{
    return kind == TORQ_KIND_SLICE ? "slice" : kind == TORQ_KIND_CSS ? "css" : "host";
}

void dump_append_program_name(const struct dump_writing *writing,
                              const struct dump_written_program *program, struct bytes *to)
{
    struct bytes name = {0};
    const char *type =
        program->group != PROGRAM_NONE
            ? program_text(writing->program, writing->program->groups[program->group].type)
            : "unknown";
    bytes_append_format(&name, "%s_program_torq_hl.%s_%" PRIu32, short_name(program->kind), type,
                        program->number);
    dump_append_quoted(bytes_view(&name), to);
    bytes_free(&name);
}

static void append_body(const struct dump_writing *writing, uint32_t task, struct bytes *to)
{
    const enum torq_kind kind = dump_writer_slice_kind_of(writing, task);
    bytes_append_format(to, " : !torq_hl.program<%s> {\n", short_name(kind));
    dump_writer_slice_append_arguments(writing, task, to);
    if (kind == TORQ_KIND_SLICE)
        dump_writer_slice_append_slice(writing, task, to);
    bytes_append_format(to, "%storq_hl.return\n          }", SPACE);
    dump_append_group_location(writing, writing->program->tasks[task].group, to);
    bytes_append(to, "\n", 1);
}

static uint32_t dump_slice_find_body(const struct dump_writing *writing, struct view body,
                                     uint32_t group, uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&writing->program_index, hash);
         (id = hash_next(&writing->program_index, hash, &at)) != HASH_NONE;) {
        const struct dump_written_program *known = &writing->programs[id];
        if (known->group == group && view_equal(bytes_view(&known->body), body))
            return id;
    }
    return PROGRAM_NONE;
}

static void dump_writer_slice_write_program(struct dump_writing *writing,
                                            struct dump_written_program *program)
{
    struct bytes *text = &writing->text;
    const uint32_t value = writing->values++;
    program->invocation = writing->invocations++;
    bytes_append_format(text, "          %%%" PRIu32 " = torq_hl.program ", value);
    dump_append_program_name(writing, program, text);
    bytes_append(text, program->body.data, program->body.size);
    bytes_append_format(text, "          %%invocation_%" PRIu32 " = torq_hl.descriptor ",
                        program->invocation);
    dump_append_program_name(writing, program, text);
    bytes_append_format(text,
                        " on 0 program %%%" PRIu32 " : <%s> code [] : !torq_hl.invocation<%s>\n",
                        value, short_name(program->kind), short_name(program->kind));
    dump_flush(writing, text);
}

void dump_write_engine_program(struct dump_writing *writing, uint32_t task)
{
    struct bytes body = {0};
    append_body(writing, task, &body);
    const uint32_t group = writing->program->tasks[task].group;
    const uint32_t hash = hash_bytes(body.data, body.size) ^ group;
    // Each program of the host is waited for by itself.
    const bool alone = dump_writer_slice_kind_of(writing, task) == TORQ_KIND_HOST;
    uint32_t id =
        alone ? PROGRAM_NONE : dump_slice_find_body(writing, bytes_view(&body), group, hash);
    if (id == PROGRAM_NONE) {
        writing->programs = memory_grow(writing->programs, writing->program_count,
                                        &writing->program_capacity, sizeof *writing->programs);
        id = (uint32_t)writing->program_count++;
        writing->programs[id] =
            (struct dump_written_program){.body = body,
                                          .number = id,
                                          .kind = dump_writer_slice_kind_of(writing, task),
                                          .group = group,
                                          .job = PROGRAM_NONE};
        hash_add(&writing->program_index, hash, id);
        dump_writer_slice_write_program(writing, &writing->programs[id]);
    } else {
        bytes_free(&body);
    }
    writing->program_of[task] = id;
}
