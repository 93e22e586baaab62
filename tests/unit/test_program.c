// The file of a program: what was written comes back, and no byte of it may change.

#include "compiler_support.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "program/tables.h"
#include "program/validate.h"

static const char ADD[] =
    "module {\n"
    "  func.func @main(%a: tensor<1x6x5x2xi8>, %b: tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8> {\n"
    "    %0 = tosa.add %a, %b : (tensor<1x6x5x2xi8>, tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>\n"
    "    %1 = tosa.abs %0 : (tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>\n"
    "    return %1 : tensor<1x6x5x2xi8>\n"
    "  }\n"
    "}\n";

static char folder[] = "/tmp/opscope-test-program-XXXXXX";
static char path[64];
static unsigned char *bytes; // of a program's file
static size_t size;

static int write_program(void **state)
{
    (void)state;
    struct compiled compiled;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.opx", folder);
    compile_text(&compiled, ADD, "torq-sl2610", NULL, NULL);
    require_ok(program_write(&compiled.program, path));
    compiled_free(&compiled);
    struct input *input;
    require_ok(input_open(path, &input));
    size = input->bytes.size;
    bytes = malloc(size);
    memcpy(bytes, input->bytes.data, size);
    input_close(input);
    return 0;
}

static int remove_program(void **state)
{
    (void)state;
    free(bytes);
    unlink(path);
    return rmdir(folder);
}

static status read_bytes(const unsigned char *data, size_t length, struct program **out_program)
{
    return program_read(input_over("x.opx", (struct view){(const char *)data, length}),
                        out_program);
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    struct compiled compiled;
    struct program *program;
    compile_text(&compiled, ADD, "torq-sl2610", NULL, NULL);
    require_ok(program_open(path, &program));
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++) {
        const struct program_table *table = &PROGRAM_TABLES[i];
        const uint32_t count = program_table_size(program, table);
        assert_int_equal(count, program_table_size(&compiled.program, table));
        if (count > 0)
            assert_memory_equal(program_table_items(program, table),
                                program_table_items(&compiled.program, table),
                                (size_t)count * table->item_size);
    }
    assert_true(view_equal(program->target_text, compiled.program.target_text));
    assert_true(view_equal(program->source, compiled.program.source));
    assert_true(view_equal(program->texts, compiled.program.texts));
    assert_true(view_equal(program->constants, compiled.program.constants));
    struct verify_counts counts;
    require_ok(program_verify(program, compiled.target, &counts));
    assert_int_equal(counts.tasks, program->task_count);
    program_free(program);
    compiled_free(&compiled);
}

// Constants that are written from where they are stand in the file among those of the section.
static void constants_from_outside_stand_in_their_section(void **state)
{
    (void)state;
    enum { VALUES = 6, LARGE = 70001 };
    static const bool OUTSIDE[VALUES] = {false, true, true, false, false, true};
    unsigned char *data = malloc(LARGE + VALUES);
    for (size_t i = 0; i < LARGE + VALUES; i++)
        data[i] = (unsigned char)(i * 31 + i / 251);
    struct program_builder *builder = program_builder_create(VIEW_LITERAL(""), VIEW_LITERAL("x"));
    for (uint32_t i = 0; i < VALUES; i++) {
        const size_t length = OUTSIDE[i] ? LARGE : 3 + i;
        struct program_value *value = PROGRAM_ADD(builder, values, NULL);
        value->kind = PROGRAM_VALUE_CONSTANT;
        value->element = ELEMENT_U8;
        value->rank = 1;
        value->dims[0] = (int64_t)length;
        value->bytes = length;
        if (!OUTSIDE[i])
            value->data = program_builder_constant(builder, data + i, length);
        program_builder_outside(builder, OUTSIDE[i] ? data + i : NULL);
    }
    program_builder_place_outside(builder);
    struct program made, *read;
    char other[sizeof path + 8];
    snprintf(other, sizeof other, "%s.outside", path);
    program_builder_view(builder, &made);
    require_ok(program_write(&made, other));
    require_ok(program_open(other, &read));
    assert_null(read->outside);
    assert_int_equal(read->value_count, VALUES);
    for (uint32_t i = 0; i < VALUES; i++)
        assert_memory_equal(program_constant(read, i), data + i, read->values[i].bytes);
    program_free(read);
    program_builder_free(builder);
    unlink(other);
    free(data);
}

// What begins at the same address is written once, as long as the longest of them, whichever of
// the values comes first.
static void constants_that_share_memory_stand_once(void **state)
{
    (void)state;
    enum { VALUES = 7, LARGE = 70001 };
    static const struct {
        size_t from, length;
    } PARTS[VALUES] = {{0, 5000}, {64, 100}, {0, LARGE}, {0, 4096}, {64, 100}, {128, 8000}, {0, 1}};
    unsigned char *data = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        data[i] = (unsigned char)(i * 31 + i / 251);
    struct program_builder *builder = program_builder_create(VIEW_LITERAL(""), VIEW_LITERAL("x"));
    for (uint32_t i = 0; i < VALUES; i++) {
        struct program_value *value = PROGRAM_ADD(builder, values, NULL);
        value->kind = PROGRAM_VALUE_CONSTANT;
        value->element = ELEMENT_U8;
        value->rank = 1;
        value->dims[0] = (int64_t)PARTS[i].length;
        value->bytes = PARTS[i].length;
        program_builder_outside(builder, data + PARTS[i].from);
    }
    program_builder_place_outside(builder);
    struct program made, *read;
    char other[sizeof path + 8];
    snprintf(other, sizeof other, "%s.shared", path);
    program_builder_view(builder, &made);
    require_ok(program_write(&made, other));
    require_ok(program_open(other, &read));
    assert_int_equal(read->constants.size, 70016 + 128 + 8000);
    for (uint32_t i = 0; i < VALUES; i++)
        assert_memory_equal(program_constant(read, i), data + PARTS[i].from, PARTS[i].length);
    program_free(read);
    program_builder_free(builder);
    unlink(other);
    free(data);
}

static void no_byte_may_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < size; i++) {
        struct program *program;
        bytes[i] ^= (unsigned char)(1 << i % 8);
        const status failure = read_bytes(bytes, size, &program);
        if (failure == STATUS_OK)
            fail_msg("byte %zu of %zu may change", i, size);
        assert_non_null(strstr(status_message(failure), "x.opx: "));
        status_free(failure);
        bytes[i] ^= (unsigned char)(1 << i % 8);
    }
}

static void no_part_is_a_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < size; i++) {
        struct program *program;
        unsigned char *part = malloc(i + 1); // so that a read past it is seen
        memcpy(part, bytes, i);
        const status failure = read_bytes(part, i, &program);
        assert_non_null(failure);
        status_free(failure);
        free(part);
    }
}

static void other_versions_are_named(void **state)
{
    (void)state;
    struct program *program;
    bytes[8] = 9;
    require_refused(read_bytes(bytes, size, &program), "version 9");
    bytes[8] = 0;
    require_refused(read_bytes(bytes, size, &program), "version 0");
    bytes[8] = 1;
    require_refused(read_bytes(bytes, size, &program), "the number of sections is wrong");
    bytes[8] = 2;
}

static void a_failed_write_leaves_nothing(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled, ADD, "torq-sl2610", NULL, NULL);
    const status failure = program_write(&compiled.program, "/nowhere/at/all.opx");
    assert_non_null(failure);
    status_free(failure);
    compiled_free(&compiled);
}

// Every number that names something else -------------------------------------------------

// A field of an item of a table; all of them are u32.
struct field {
    const char *table;
    size_t offset;
};

#define FIELD(table, record, name)                                                                 \
    {                                                                                              \
#table, offsetof(struct program_##record, name)                                            \
    }

static const struct field FIELDS[] = {
    FIELD(operators, operator, name),
    FIELD(operators, operator, type),
    FIELD(operators, operator, location),
    FIELD(operators, operator, document),
    FIELD(operators, operator, group),
    FIELD(operators, operator, first_input),
    FIELD(operators, operator, input_count),
    FIELD(operators, operator, output_count),
    FIELD(values, value, name),
    FIELD(values, value, rank),
    FIELD(groups, group, name),
    FIELD(groups, group, type),
    FIELD(groups, group, reason),
    FIELD(groups, group, first_node),
    FIELD(groups, group, node_count),
    FIELD(nodes, node, operator_id),
    FIELD(nodes, node, type),
    FIELD(nodes, node, domain),
    FIELD(nodes, node, first_value),
    FIELD(nodes, node, input_count),
    FIELD(nodes, node, output_count),
    FIELD(nodes, node, first_attribute),
    FIELD(nodes, node, attribute_count),
    FIELD(buffers, buffer, name),
    FIELD(buffers, buffer, value),
    FIELD(buffers, buffer, rank),
    FIELD(buffers, buffer, alias),
    FIELD(tasks, task, group),
    FIELD(tasks, task, job),
    FIELD(tasks, task, first_unit),
    FIELD(tasks, task, unit_count),
    FIELD(tasks, task, first_stage),
    FIELD(tasks, task, stage_count),
    FIELD(tasks, task, reserved),
    FIELD(tasks, task, first_operand),
    FIELD(tasks, task, operand_count),
    FIELD(tasks, task, first_call),
    FIELD(tasks, task, call_count),
    FIELD(tasks, task, first_dependency),
    FIELD(tasks, task, dependency_count),
    FIELD(operands, operand, buffer),
    FIELD(operands, operand, rank),
    FIELD(calls, call, node),
    FIELD(calls, call, first_buffer),
    FIELD(calls, call, first_attribute),
    FIELD(calls, call, attribute_count),
    FIELD(dependencies, dependency, task),
    FIELD(steps, step, task),
    FIELD(steps, step, kind),
    FIELD(steps, step, stream),
    FIELD(steps, step, semaphore),
    FIELD(steps, step, count),
    FIELD(steps, step, reserved),
    FIELD(streams, stream, name),
    FIELD(streams, stream, reserved),
    FIELD(jobs, job, name),
    FIELD(jobs, job, dispatch),
    FIELD(jobs, job, first_step),
    FIELD(jobs, job, step_count),
    FIELD(actions, action, kind),
    FIELD(actions, action, subject),
    FIELD(actions, action, location),
    FIELD(dispatches, dispatch, name),
    FIELD(dispatches, dispatch, first_action),
    FIELD(dispatches, dispatch, action_count),
    {"inputs", 0},
    {"outputs", 0},
    {"operator_values", 0},
    {"node_values", 0},
    {"call_buffers", 0},
};

static const struct program_table *table_named(const char *name)
{
    size_t i = 0;
    while (strcmp(PROGRAM_TABLES[i].name, name) != 0)
        i++;
    return &PROGRAM_TABLES[i];
}

static void no_index_may_lie_outside(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_text(&compiled, ADD, "torq-sl2610", NULL, NULL);
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        const struct program_table *table = table_named(FIELDS[i].table);
        const uint32_t count = program_table_size(&compiled.program, table);
        assert_true(count > 0);
        for (uint32_t item = 0; item<count; item += count> 1 ? count - 1 : 1) {
            unsigned char *at = (unsigned char *)program_table_items(&compiled.program, table) +
                                (size_t)item * table->item_size + FIELDS[i].offset;
            uint32_t before;
            const uint32_t outside = UINT32_MAX - 1;
            memcpy(&before, at, sizeof before);
            memcpy(at, &outside, sizeof outside);
            const status failure = program_validate(&compiled.program);
            if (failure == STATUS_OK)
                fail_msg("%s, offset %zu: anything goes", FIELDS[i].table, FIELDS[i].offset);
            assert_non_null(strstr(status_message(failure), "damaged program"));
            status_free(failure);
            memcpy(at, &before, sizeof before);
        }
    }
    require_ok(program_validate(&compiled.program));
    compiled_free(&compiled);
}

// A field that was forgotten would be neither checked nor changed by what attacks programs.
static void every_byte_of_an_item_is_a_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROGRAM_TABLE_COUNT; i++) {
        const struct program_table *table = &PROGRAM_TABLES[i];
        uint32_t end = 0;
        for (uint32_t j = 0; j < table->field_count; j++) {
            const struct program_field *field = &table->fields[j];
            if (field->offset != end)
                fail_msg("%s: %s does not follow what is before it", table->name, field->name);
            assert_true(j + field->lengths < table->field_count);
            end += field->size * field->count;
        }
        if (end != table->item_size)
            fail_msg("%s: the last bytes are no field", table->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(constants_from_outside_stand_in_their_section),
        cmocka_unit_test(constants_that_share_memory_stand_once),
        cmocka_unit_test(no_byte_may_change),
        cmocka_unit_test(no_part_is_a_program),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(a_failed_write_leaves_nothing),
        cmocka_unit_test(no_index_may_lie_outside),
        cmocka_unit_test(every_byte_of_an_item_is_a_field),
    };
    return cmocka_run_group_tests(tests, write_program, remove_program);
}
