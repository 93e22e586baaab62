// The report from the logs: worked out by hand, and against the real report.

#include "reports/tenstorrent/logs_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define REAL "../shared/data/tenstorrent/"

struct made {
    struct logs logs;
    struct profile *ledger;
    struct logs_record record;
    struct report *report;
};

static void make(struct made *made)
{
    made->ledger = profile_create();
    assert_null(logs_read(&made->logs, made->ledger, &made->record));
    made->report = logs_report_make(&made->record, REPORT_V1);
}

static void made_free(struct made *made)
{
    report_free(made->report);
    logs_record_free(&made->record);
    profile_free(made->ledger);
    logs_close(&made->logs);
}

static void make_texts(struct made *made, const char *device, const char *data, const char *times)
{
    *made = (struct made){0};
    if (device != NULL)
        made->logs.inputs[LOG_DEVICE] = input_over("profile_log_device.csv", view_of(device));
    if (data != NULL)
        made->logs.inputs[LOG_OPS_DATA] = input_over("tracy_ops_data.csv", view_of(data));
    if (times != NULL)
        made->logs.inputs[LOG_OPS_TIMES] = input_over("tracy_ops_times.csv", view_of(times));
    make(made);
}

// False, having said so, when the file is not there.
static bool open_real(struct logs *logs, enum log_kind kind, const char *path)
{
    const status failure = input_open(path, &logs->inputs[kind]);
    if (failure == STATUS_OK)
        return true;
    print_message("skipped: no %s\n", path);
    status_free(failure);
    return false;
}

static void assert_cell(const struct made *made, size_t row, enum column_kind kind,
                        const char *want)
{
    const struct view got = report_text(made->report, row, kind);
    if (!view_is(got, want))
        fail_msg("row %zu, %s: got '%.*s', want '%s'", row, column_name(kind, REPORT_V1),
                 VIEW_ARGUMENTS(got), want);
}

static uint64_t lost(const struct made *made)
{
    return profile_ledger(made->ledger).lost;
}

// By hand ---------------------------------------------------------------------

#define DEVICE_HEADER                                                                              \
    "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"                                                    \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID,  zone name, type, source line, source file, meta data\n"
#define ROW(core, risc, zone, type, time, id)                                                      \
    "0," core "," risc ",7," time ",0," id "," zone ",ZONE_" type ",1,/b.cc,\n"
#define ZONE(core, risc, zone, from, to, id)                                                       \
    ROW(core, risc, zone, "START", from, id) ROW(core, risc, zone, "END", to, id)

// Two cores: BRISC 1100..1900 and 1150..2450, TRISC_0 1050..1800 on the first.
#define FIRST_OP                                                                                   \
    ZONE("1,1", "BRISC", "BRISC-FW", "1000", "2000", "1024")                                       \
    ZONE("1,1", "BRISC", "BRISC-KERNEL", "1100", "1900", "1024")                                   \
    ZONE("1,1", "TRISC_0", "TRISC-FW", "1010", "1850", "1024")                                     \
    ZONE("1,1", "TRISC_0", "TRISC-KERNEL", "1050", "1800", "1024")                                 \
    ZONE("2,1", "BRISC", "BRISC-FW", "1005", "2500", "1024")                                       \
    ZONE("2,1", "BRISC", "BRISC-KERNEL", "1150", "2450", "1024")
#define SECOND_OP                                                                                  \
    ZONE("1,1", "BRISC", "BRISC-FW", "5000", "6000", "2048")                                       \
    ZONE("1,1", "BRISC", "BRISC-KERNEL", "5100", "5900", "2048")

static void figures_follow_the_rules(void **state)
{
    (void)state;
    struct made made;
    make_texts(&made, DEVICE_HEADER FIRST_OP SECOND_OP, NULL, NULL);
    assert_int_equal(made.report->row_count, 2);
    assert_cell(&made, 0, COLUMN_CALL_COUNT, "1024");
    assert_cell(&made, 0, COLUMN_CORE_COUNT, "2");
    assert_cell(&made, 0, COLUMN_FW_START_CYCLE, "1000");
    assert_cell(&made, 0, COLUMN_FW_END_CYCLE, "2500");
    assert_cell(&made, 0, COLUMN_FW_DURATION, "1500");
    assert_cell(&made, 0, COLUMN_KERNEL_DURATION, "1400");          // 1050 to 2450
    assert_cell(&made, 0, COLUMN_KERNEL_DURATION_DM_START, "1350"); // 1100 to 2450
    assert_cell(&made, 0, COLUMN_PER_CORE_MIN, "850");              // 1050 to 1900
    assert_cell(&made, 0, COLUMN_PER_CORE_MAX, "1300");             // 1150 to 2450
    assert_cell(&made, 0, COLUMN_PER_CORE_AVERAGE, "1075");
    assert_cell(&made, 0, COLUMN_FIRST_TO_LAST_START, "100"); // 1050 to 1150
    assert_cell(&made, 0, COLUMN_BRISC, "1350");              // 1100 to 2450
    assert_cell(&made, 0, COLUMN_NCRISC, "");
    assert_cell(&made, 0, COLUMN_TRISC0, "750");
    assert_cell(&made, 0, COLUMN_OP_TO_OP, "0");
    assert_cell(&made, 1, COLUMN_OP_TO_OP, "2650"); // 2450 to 5100
    assert_cell(&made, 1, COLUMN_OP_TO_OP_DM_START, "2650");
    assert_cell(&made, 1, COLUMN_FIRST_TO_LAST_START, ""); // one start has no last one
    assert_int_equal(lost(&made), 0);
    made_free(&made);
}

static void markers_without_an_operation_are_left_out(void **state)
{
    (void)state;
    struct made made;
    make_texts(&made,
               DEVICE_HEADER ZONE("1,1", "BRISC", "BRISC-FW", "1", "9", "0") SECOND_OP
               "0,1,1,BRISC,0,3,0,3072,BRISC-FW,ZONE_START,1,/b.cc,\n",
               NULL, NULL);
    assert_int_equal(made.report->row_count, 1);
    assert_cell(&made, 0, COLUMN_CALL_COUNT, "2048");
    made_free(&made);
}

static void an_id_that_comes_again_is_a_further_run(void **state)
{
    (void)state;
    struct made made;
    make_texts(&made,
               DEVICE_HEADER SECOND_OP ZONE("1,1", "BRISC", "BRISC-FW", "9000", "9500", "2048")
                   ZONE("1,1", "BRISC", "BRISC-KERNEL", "9100", "9400", "2048"),
               NULL, NULL);
    assert_int_equal(made.report->row_count, 2);
    assert_cell(&made, 0, COLUMN_BRISC, "800");
    assert_cell(&made, 1, COLUMN_BRISC, "300");
    assert_cell(&made, 1, COLUMN_OP_TO_OP, "3200"); // 5900 to 9100
    made_free(&made);
}

#define DISPATCH(risc, type, time, zone, meta)                                                     \
    "0,9,9," risc ",6," time ",0,0," zone "," type ",1,/d.cc," meta "\n"
#define COMMAND(risc, from, to, meta)                                                              \
    DISPATCH(risc, "ZONE_START", from, risc "-CQ-DISPATCH", "")                                    \
    DISPATCH(risc, "TS_DATA", from, "", meta)                                                      \
    DISPATCH(risc, "ZONE_END", to, risc "-CQ-DISPATCH", "")

// BRISC prepares 1024 from 4000 to 4350 and 2048 from 4400 to 4500; NCRISC sends
// the first go signal in 30 cycles, the second in 40. The replay of 1024 does
// not count.
static void dispatch_cores_tell_how_long_commands_took(void **state)
{
    (void)state;
    struct made made;
    make_texts(
        &made,
        DEVICE_HEADER FIRST_OP SECOND_OP COMMAND(
            "BRISC", "4000", "4100",
            "{\"workers_runtime_id\": 1024; \"dispatch_command_type\": \"CQ_DISPATCH_CMD_WRITE\"}")
            COMMAND("BRISC", "4200", "4350",
                    "{\"dispatch_command_type\": \"CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL\"}")
                COMMAND("BRISC", "4400", "4500",
                        "{\"workers_runtime_id\": 2048; \"dispatch_command_type\": "
                        "\"CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL\"}")
                    COMMAND("BRISC", "8000", "9000",
                            "{\"workers_runtime_id\": 1024; \"dispatch_command_type\": "
                            "\"CQ_DISPATCH_CMD_WRITE\"}")
                        COMMAND("NCRISC", "4360", "4390",
                                "{\"dispatch_command_type\": \"CQ_DISPATCH_CMD_SEND_GO_SIGNAL\"}")
                            COMMAND("NCRISC", "4510", "4550",
                                    "{\"dispatch_command_type\": "
                                    "\"CQ_DISPATCH_CMD_SEND_GO_SIGNAL\"}"),
        NULL, NULL);
    assert_int_equal(made.report->row_count, 2);
    assert_cell(&made, 0, COLUMN_DISPATCH_TOTAL, "350");
    assert_cell(&made, 0, COLUMN_GO_SEND_WAIT, "30");
    assert_cell(&made, 1, COLUMN_DISPATCH_TOTAL, "100");
    assert_cell(&made, 1, COLUMN_GO_SEND_WAIT, "40");
    made_free(&made);
}

#define TIMES_HEADER                                                                               \
    "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"               \
    "special_parent_text\n"

static void fall_back_operations_and_python_texts(void **state)
{
    (void)state;
    struct made made;
    make_texts(
        &made, NULL,
        "MessageName;total_ns\n"
        "`TT_DNN_FALL_BACK_OP:\"(torch) numel\" ->\n{\"attributes\": null, \"op_code\": "
        "\"(torch) numel\", \"global_call_count\": 4, \"op_type\": \"python_fallback\", "
        "\"input_tensors\": []}`;50\n"
        "`TT_DNN_DEVICE_OP: \"A\", 9, 0, 5 ->\n{\"attributes\": {\"a\": \"it's, \\\"so\\\"\","
        " \"b\": [1, 2.50, true]}, \"op_type\": \"tt_dnn_device\"}`;60\n",
        TIMES_HEADER "TT_DNN_FALL_BACK_OP,/a.py,1,,\"id:4\",100,7,1,\n"
                     "TT_DNN_DEVICE_OP,/a.hpp,1,,\"id:5\",90,8,1,\n");
    assert_int_equal(made.report->row_count, 2);
    assert_cell(&made, 0, COLUMN_OP_CODE, "A");
    assert_cell(&made, 0, COLUMN_ATTRIBUTES, "{'a': 'it\\'s; \"so\"'; 'b': [1; 2.5; True]}");
    assert_cell(&made, 1, COLUMN_OP_CODE, "(torch) numel");
    assert_cell(&made, 1, COLUMN_OP_TYPE, "python_fallback");
    assert_cell(&made, 1, COLUMN_ATTRIBUTES, "None");
    assert_cell(&made, 1, COLUMN_DEVICE_ID, "");
    assert_cell(&made, 1, COLUMN_HOST_END, "107");
    made_free(&made);
}

static void locations_hold_until_the_next(void **state)
{
    (void)state;
    struct made made;
    make_texts(&made, NULL,
               "MessageName;total_ns\n"
               "`TT_DNN_DEVICE_OP: \"A\", 9, 0, 1 ->\n{}`;1\n"
               "MLIR_OP_LOCATION;loc(\"m.mlir\":17:14, \"a;b\");2\n"
               "MLIR_CONST_EVAL_OP;true;3\n"
               "MLIR_PROGRAM_METADATA;;4\n"
               "`TT_DNN_DEVICE_OP: \"A\", 9, 0, 2`;5\n"
               "MLIR_OP_LOCATION;loc(unknown2);6\n"
               "`TT_DNN_DEVICE_OP: \"A\", 9, 0, 3`;7\n",
               NULL);
    static const char *const LOCATIONS[] = {"loc(unknown)", "loc(\"m.mlir\":17:14, \"a;b\")",
                                            "loc(unknown2)"};
    for (size_t i = 0; i < 3; i++) {
        assert_cell(&made, i, COLUMN_LOC, LOCATIONS[i]);
        assert_cell(&made, i, COLUMN_CONST_EVAL_OP, i == 0 ? "false" : "true");
        assert_cell(&made, i, COLUMN_PROGRAM_METADATA, i == 0 ? "{}" : "");
    }
    made_free(&made);
}

// Real files ------------------------------------------------------------------

// Operations 2048 and 4096 of device 0 ran on one core, the one that is in the log.
static void the_n300_log_agrees_with_its_report(void **state)
{
    (void)state;
    struct made made = {0};
    struct input *input;
    struct report *report;
    if (!open_real(&made.logs, LOG_DEVICE, REAL "n300_profile_log_device.csv"))
        skip();
    make(&made);
    assert_null(input_open(REAL "n300_ops_perf_results.csv", &input));
    assert_null(report_read(input, &report));
    unsigned compared = 0;
    for (size_t i = 0; i < made.report->row_count; i++) {
        const struct view count = report_text(made.report, i, COLUMN_CALL_COUNT);
        if (!view_is(count, "2048") && !view_is(count, "4096"))
            continue;
        for (size_t k = 0; k < report->row_count; k++) {
            static const enum column_kind SAME[] = {COLUMN_BRISC, COLUMN_FW_START_CYCLE,
                                                    COLUMN_FW_END_CYCLE, COLUMN_FW_DURATION,
                                                    COLUMN_CORE_COUNT};
            if (!view_equal(report_text(report, k, COLUMN_CALL_COUNT), count))
                continue;
            for (unsigned c = 0; c < sizeof SAME / sizeof SAME[0]; c++)
                assert_true(view_equal(report_text(made.report, i, SAME[c]),
                                       report_text(report, k, SAME[c])));
            compared++;
        }
    }
    assert_int_equal(compared, 2);
    // Operation 5120 starts and the log ends: two ends are lost.
    assert_int_equal(made.report->row_count, 5);
    assert_cell(&made, 4, COLUMN_FW_START_CYCLE, "2171916009844");
    assert_cell(&made, 4, COLUMN_FW_DURATION, "");
    assert_int_equal(lost(&made), 2);
    report_free(report);
    input_close(input);
    made_free(&made);
}

static void the_six_operations_of_the_host(void **state)
{
    (void)state;
    struct made made = {0};
    if (!open_real(&made.logs, LOG_OPS_DATA, REAL "tracy_ops_data.csv") ||
        !open_real(&made.logs, LOG_OPS_TIMES, REAL "tracy_ops_times.csv"))
        skip();
    make(&made);
    // Start, duration and compile time stand in tracy_ops_times.csv.
    static const struct {
        const char *code, *count, *start, *end, *duration, *compile, *fidelity, *ideal, *x;
    } WANTED[] = {
        {"Matmul", "1", "1902162596", "2416970611", "514808015", "513973677", "HiFi2", "1478",
         "800"},
        {"BinaryDeviceOperation", "2", "2446606640", "2958889590", "512282950", "511493602",
         "HiFi4", "118", "256"},
        {"UnaryDeviceOperation", "3", "2961230577", "3431814529", "470583952", "469950071", "HiFi4",
         "1", "256"},
        {"Matmul", "4", "3434388843", "3922933770", "488544927", "488017874", "HiFi4", "118",
         "256"},
        {"BinaryDeviceOperation", "5", "3925347165", "3926192893", "845728", NULL, "HiFi4", "118",
         "256"},
        {"Softmax", "6", "3928845756", "4662103250", "733257494", NULL, "HiFi4", "14", "32"},
    };
    const uint32_t compile =
        report_named_column(made.report, VIEW_LITERAL("CompileProgram_TT_HOST_FUNC [ns]"));
    assert_int_equal(made.report->row_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_cell(&made, i, COLUMN_OP_CODE, WANTED[i].code);
        assert_cell(&made, i, COLUMN_OP_TYPE, "tt_dnn_device");
        assert_cell(&made, i, COLUMN_CALL_COUNT, WANTED[i].count);
        assert_cell(&made, i, COLUMN_DEVICE_ID, "0");
        assert_cell(&made, i, COLUMN_HOST_START, WANTED[i].start);
        assert_cell(&made, i, COLUMN_HOST_END, WANTED[i].end);
        assert_cell(&made, i, COLUMN_HOST_DURATION, WANTED[i].duration);
        assert_cell(&made, i, COLUMN_MATH_FIDELITY, WANTED[i].fidelity);
        assert_cell(&made, i, COLUMN_PM_IDEAL, WANTED[i].ideal);
        assert_cell(&made, i, COLUMN_LOC, "loc(unknown)");
        assert_true(
            view_is(report_tensor_text(made.report, i, false, 0, COLUMN_TENSOR_X), WANTED[i].x));
        assert_true(view_is(report_tensor_text(made.report, i, false, 0, COLUMN_TENSOR_MEMORY),
                            "DEV_0_DRAM_INTERLEAVED"));
        if (WANTED[i].compile != NULL)
            assert_true(view_is(report_cell(made.report, i, compile), WANTED[i].compile));
    }
    // The fifth is cached: its description is the second's.
    assert_true(view_equal(report_text(made.report, 4, COLUMN_ATTRIBUTES),
                           report_text(made.report, 1, COLUMN_ATTRIBUTES)));
    assert_cell(&made, 1, COLUMN_PM_INPUT_BANDWIDTH, "[277.6949157714844; 277.6949157714844]");
    assert_cell(&made, 5, COLUMN_COMPUTE_HASH, "['softmax/4474976801606875068/']");
    assert_cell(&made, 5, COLUMN_SIZE_COMPUTE1, "2668");
    assert_int_equal(lost(&made), 0);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_follow_the_rules),
        cmocka_unit_test(markers_without_an_operation_are_left_out),
        cmocka_unit_test(an_id_that_comes_again_is_a_further_run),
        cmocka_unit_test(dispatch_cores_tell_how_long_commands_took),
        cmocka_unit_test(fall_back_operations_and_python_texts),
        cmocka_unit_test(locations_hold_until_the_next),
        cmocka_unit_test(the_n300_log_agrees_with_its_report),
        cmocka_unit_test(the_six_operations_of_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
