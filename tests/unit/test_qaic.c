// Containers, descriptions, statistics and summaries of Cloud AI's tools: what is written is read
// again, and the published summary is printed to the byte.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/qaic/networkdesc.h"
#include "formats/qaic/qpc.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"
#include "reports/qaic/opstats.h"

#define PUBLISHED "../shared/data/qaic/summary-sdk-1.10.txt"

static char folder[] = "/tmp/opscope-qaic-XXXXXX";

static void make_path(char *path, size_t room, const char *name)
{
    snprintf(path, room, "%s/%s", folder, name);
}

static struct view printed(const struct qaic_summary *summary, struct input **out_input)
{
    char path[256];
    struct output *output;
    make_path(path, sizeof path, "summary.txt");
    assert_ptr_equal(output_open(path, &output), STATUS_OK);
    qaic_summary_write(summary, output);
    assert_ptr_equal(output_close(output), STATUS_OK);
    assert_ptr_equal(input_open(path, out_input), STATUS_OK);
    return (*out_input)->bytes;
}

static void check_printed_again(const char *path)
{
    struct input *given, *again;
    struct qaic_summary *summary;
    assert_ptr_equal(input_open(path, &given), STATUS_OK);
    assert_true(qaic_summary_recognise(given->bytes));
    assert_ptr_equal(qaic_summary_read(given, &summary), STATUS_OK);
    assert_int_equal(summary->unread, 0);
    const struct view bytes = printed(summary, &again);
    assert_int_equal(bytes.size, given->bytes.size);
    assert_memory_equal(bytes.data, given->bytes.data, bytes.size);
    input_close(again);
    qaic_summary_free(summary);
    input_close(given);
}

static void the_published_summary_is_printed_to_the_byte(void **state)
{
    (void)state;
    if (access(PUBLISHED, R_OK) != 0)
        skip();
    check_printed_again(PUBLISHED);
}

// Two cores of two groups; one operation runs on both threads of its group.
static struct qaic_network *make_network(void)
{
    struct qaic_network *network = qaic_network_create(2, 3, 2);
    const struct qaic_operation products = {.name = VIEW_LITERAL("/a/__1"),
                                            .kind = VIEW_LITERAL("aicconv"),
                                            .type = VIEW_LITERAL("float16"),
                                            .memory = VIEW_LITERAL("TCM"),
                                            .output_size = 2048};
    const struct qaic_operation copy = {.name = VIEW_LITERAL("/b/__2"),
                                        .kind = VIEW_LITERAL("aiccopytovtcm"),
                                        .memory = VIEW_LITERAL("DDR"),
                                        .output_size = 1024};
    network->name = VIEW_LITERAL("QAicGraph");
    network->group_names[0] = VIEW_LITERAL("HVX");
    network->group_names[1] = VIEW_LITERAL("DMAIssue");
    network->thread_groups[2] = 1;
    network->stats_level = 70;
    network->stats_batch = 8;
    network->ticks_a_ms = 19200;
    for (uint32_t core = 0; core < 2; core++) {
        qaic_operation_add(qaic_network_operations(network, core, 0), &products);
        qaic_operation_add(qaic_network_operations(network, core, 1), &copy);
        qaic_operation_add(qaic_network_operations(network, core, 1), &copy);
    }
    return network;
}

static const struct qaic_raw_thread THREADS[6] = {
    {100, 1100, 50000, UINT64_MAX}, {100, 1100, 50000, UINT64_MAX}, {101, 1101, 52000, 77},
    {100, 1100, 50000, UINT64_MAX}, {100, 1100, 50000, UINT64_MAX}, {100, 1090, 49000, 77},
};

static const struct qaic_raw_operation OPERATIONS[] = {
    {.core = 0,
     .thread = 0,
     .group = 0,
     .ordinal = 0,
     .start = 200,
     .end = 500,
     .pcycles = 15000,
     .sync = 90},
    {.core = 0,
     .thread = 1,
     .group = 0,
     .ordinal = 0,
     .start = 200,
     .end = 600,
     .pcycles = 20000,
     .sync = 100},
    {.core = 0, .thread = 2, .group = 1, .ordinal = 0, .start = 110, .end = 150, .pcycles = 261},
    {.core = 0,
     .thread = 2,
     .group = 1,
     .ordinal = 1,
     .start = 150,
     .end = 190,
     .pcycles = 279,
     .barrier = 5},
};

static const struct qaic_raw_stats STATS = {.level = 70,
                                            .cores = 2,
                                            .threads = 3,
                                            .frequency = QAIC_TICKS_A_SECOND,
                                            .thread_times = THREADS,
                                            .operations = OPERATIONS,
                                            .operation_count = 4};

static void rows_add_up(void **state)
{
    (void)state;
    struct qaic_network *network = make_network();
    const struct opstats opstats = {.network = network, .stats = &STATS};
    assert_ptr_equal(opstats_check(&opstats, "x"), STATUS_OK);
    struct qaic_summary *summary = opstats_summarise(&opstats);
    assert_int_equal(summary->core_count, 2);
    const struct qaic_core *core = &summary->cores[0];
    assert_int_equal(core->row_count, 4);
    // The longest of the threads that an operation ran on, once.
    assert_true(view_is(core->rows[0].details, "aicconv HVX TCM (float16)"));
    assert_float_equal(core->rows[0].ucycles, 400, 0);
    assert_float_equal(core->rows[0].ucycles_percent, 40, 1e-9);
    assert_float_equal(core->rows[0].pcycles, 20000, 0);
    assert_float_equal(core->rows[0].count, 1, 0);
    assert_float_equal(core->rows[0].out_kb, 2, 0);
    assert_float_equal(core->rows[0].pcycles_per_kb, 10000, 1e-9);
    assert_true(view_is(core->rows[1].details, "sync HVX"));
    assert_float_equal(core->rows[1].ucycles, 100, 0);
    assert_true(isnan(core->rows[1].pcycles));
    // 261 and 279 a KB: 9 from their mean.
    assert_true(view_is(core->rows[2].details, "aiccopytovtcm DMAIssue DDR "));
    assert_float_equal(core->rows[2].deviation, 9, 1e-6);
    assert_true(view_is(core->rows[3].details, "barrier DMAIssue"));
    assert_int_equal(core->pcycles, 52000);
    assert_float_equal(core->threads[1].utilization, 40, 1e-9);
    assert_float_equal(core->frequency, 52000.0 / 1001 * 19.2, 1e-6);
    assert_int_equal(summary->start, 100);
    assert_int_equal(summary->end, 1101);
    qaic_summary_free(summary);
    qaic_network_free(network);
}

static void what_is_printed_is_read_again(void **state)
{
    (void)state;
    struct qaic_network *network = make_network();
    const struct opstats opstats = {.network = network, .stats = &STATS};
    struct qaic_summary *summary = opstats_summarise(&opstats);
    struct input *input;
    char path[256];
    printed(summary, &input);
    input_close(input);
    make_path(path, sizeof path, "summary.txt");
    check_printed_again(path);
    qaic_summary_free(summary);
    qaic_network_free(network);
}

static void a_buffer_comes_back(void **state)
{
    (void)state;
    char path[256];
    struct input *input;
    struct qaic_raw_stats back;
    make_path(path, sizeof path, "raw.bin");
    assert_ptr_equal(qaic_raw_write(path, &STATS), STATUS_OK);
    assert_ptr_equal(input_open(path, &input), STATUS_OK);
    assert_true(qaic_raw_recognise(input->bytes));
    assert_ptr_equal(qaic_raw_read(input, &back), STATUS_OK);
    assert_int_equal(back.operation_count, 4);
    assert_memory_equal(back.operations, OPERATIONS, sizeof OPERATIONS);
    assert_memory_equal(back.thread_times, THREADS, sizeof THREADS);
    assert_null(back.ports);
    assert_null(back.traffic);
    // Cut off at any byte: an error, or what is there and how many are lost.
    for (size_t size = 0; size < input->bytes.size; size++) {
        struct input *cut = input_over("cut", view_slice(input->bytes, 0, size));
        const status failure = qaic_raw_read(cut, &back);
        if (failure == STATUS_OK)
            assert_int_equal(back.operation_count + back.cut, 4);
        status_free(failure);
        input_close(cut);
    }
    input_close(input);
}

static void a_container_and_its_description_come_back(void **state)
{
    (void)state;
    struct qaic_network *network = make_network(), *again;
    struct bytes described = {0};
    struct qpc *qpc;
    char path[256];
    make_path(path, sizeof path, "programqpc.bin");
    qaic_network_write(network, &described);
    const struct qpc_segment segments[] = {
        {VIEW_LITERAL("network.elf"), VIEW_LITERAL("code"), 0},
        {VIEW_LITERAL("networkdesc.bin"), bytes_view(&described), 0},
        {VIEW_LITERAL("constants.bin"), VIEW_LITERAL("12345678"), 4},
    };
    status failure = qpc_write(path, segments + 1, 2);
    assert_ptr_not_equal(failure, STATUS_OK); // no network.elf
    status_free(failure);
    assert_ptr_equal(qpc_write(path, segments, 3), STATUS_OK);
    assert_ptr_equal(qpc_open(path, &qpc), STATUS_OK);
    assert_int_equal(qpc->count, 3);
    assert_int_equal(qpc_find(qpc, "constants.bin")->offset, 4);
    assert_null(qpc_find(qpc, "nothing"));
    const struct qpc_segment *found = qpc_find(qpc, "networkdesc.bin");
    assert_ptr_equal(qaic_network_read("x", found->bytes, &again), STATUS_OK);
    assert_true(view_is(again->name, "QAicGraph"));
    assert_int_equal(again->cores, 2);
    assert_int_equal(again->stats_level, 70);
    assert_int_equal(again->stats_batch, 8);
    assert_true(view_is(again->group_names[1], "DMAIssue"));
    assert_int_equal(again->thread_groups[2], 1);
    assert_int_equal(qaic_network_operations(again, 1, 1)->count, 2);
    assert_true(view_is(qaic_network_operations(again, 1, 0)->items[0].kind, "aicconv"));
    qaic_network_free(again);
    for (size_t size = 0; size < qpc->input->bytes.size; size++) {
        struct qpc *cut;
        failure = qpc_read(input_over("cut", view_slice(qpc->input->bytes, 0, size)), &cut);
        assert_ptr_not_equal(failure, STATUS_OK);
        status_free(failure);
    }
    qpc_free(qpc);
    bytes_free(&described);
    qaic_network_free(network);
}

static void write_four(const void *context, size_t segment, struct output *output)
{
    (void)context;
    assert_int_equal(segment, 1);
    output_write(output, "1234", 4);
}

static status disagree(const void *context)
{
    (void)context;
    return status_make(STATUS_DATA, "not proved");
}

static void a_container_that_is_not_agreed_to_leaves_nothing(void **state)
{
    (void)state;
    char own[256], path[512];
    const struct qpc_source source = {NULL, write_four, disagree};
    const struct qpc_segment segments[] = {{VIEW_LITERAL("network.elf"), VIEW_LITERAL("code"), 0},
                                           {VIEW_LITERAL("program"), {NULL, 4}, 0}};
    make_path(own, sizeof own, "refused");
    assert_int_equal(mkdir(own, 0700), 0);
    snprintf(path, sizeof path, "%s/programqpc.bin", own);
    status failure = qpc_write_from(path, segments, 2, &source);
    assert_ptr_not_equal(failure, STATUS_OK);
    assert_string_equal(status_message(failure), "not proved");
    status_free(failure);
    assert_int_equal(rmdir(own), 0); // it is empty
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_summary_is_printed_to_the_byte),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(what_is_printed_is_read_again),
        cmocka_unit_test(a_buffer_comes_back),
        cmocka_unit_test(a_container_and_its_description_come_back),
        cmocka_unit_test(a_container_that_is_not_agreed_to_leaves_nothing),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 ? 1 : failed;
}
