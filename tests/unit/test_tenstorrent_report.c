// Operations reports as tables: every version by its header, the same bytes
// again, the document's header from rows, numbers as Python writes them. The
// real reports are used where ../shared has them.

#include "formats/tenstorrent/derive.h"
#include "formats/tenstorrent/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct report *read_text(struct input **input, const char *text)
{
    struct report *report;
    *input = input_over("report.csv", view_of(text));
    assert_null(report_read(*input, &report));
    return report;
}

static void finish(struct input *input, struct report *report)
{
    report_free(report);
    input_close(input);
}

// What is written, as a text for the caller to free.
static char *written(const struct report *report, bool as_version, enum report_version version,
                     size_t *out_size)
{
    char path[] = "/tmp/test_tenstorrent_report.XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct output *output;
    assert_null(output_open(path, &output));
    if (as_version)
        report_write_as(report, version, output);
    else
        report_write(report, output);
    assert_null(output_close(output));

    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    char *text = malloc(8 << 20);
    *out_size = fread(text, 1, (8 << 20) - 1, stream);
    text[*out_size] = '\0';
    fclose(stream);
    unlink(path);
    return text;
}

static void assert_written_again(const struct report *report, struct view bytes)
{
    size_t size;
    char *text = written(report, false, REPORT_V1, &size);
    assert_int_equal(size, bytes.size);
    assert_memory_equal(text, bytes.data, size);
    free(text);
}

// Forgets the bytes of the rows, so that they are written from their cells.
static void forget_sources(struct report *report)
{
    for (size_t i = 0; i < report->row_count; i++)
        report->rows[i].source = (struct view){NULL, 0};
}

#define SMALL "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns]"

static void anything_is_written_again_as_it_was(void **state)
{
    (void)state;
    static const char *const files[] = {
        SMALL "\r\nMatmul,tt_dnn_device,1024,10\r\n",
        SMALL "\nMatmul,tt_dnn_device,1024,10\n",
        SMALL "\nMatmul,tt_dnn_device,1024,10",
        "\xef\xbb\xbf" SMALL "\r\nA,,,\r\n",
        SMALL ",MINE\r\n\"A\",\"a \"\"b\"\", c\",1,2, x \r\nB,,,,\r\n",
        SMALL "\r\n\r\nA,,,\r\n\r\n\r\nB,,,\r\n",
        SMALL "\r\nA,,\r\nB,,,,more\r\nC,\"",
        SMALL "\r\n",
        SMALL,
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct input *input;
        struct report *report = read_text(&input, files[i]);
        assert_written_again(report, view_of(files[i]));
        finish(input, report);
    }
}

static void quoting_is_python_s(void **state)
{
    (void)state;
    static const char text[] =
        SMALL ",LOC\r\n Matmul ,tt_dnn_device,1,2,\"loc(\"\"a.py\"\":60:0, x)\"\r\n";
    struct input *input;
    struct report *report = read_text(&input, text);
    assert_true(view_is(report_text(report, 0, COLUMN_LOC), "loc(\"a.py\":60:0, x)"));
    forget_sources(report);
    assert_written_again(report, view_of(text));
    finish(input, report);
}

static void a_changed_cell_changes_its_row_alone(void **state)
{
    (void)state;
    struct input *input;
    struct report *report =
        read_text(&input, SMALL "\n\"A\",tt_dnn_device,1,2\n\"B\",tt_dnn_device,3,4\n");
    report_set_u64(report, 1, COLUMN_KERNEL_DURATION, 99);
    assert_written_again(report,
                         view_of(SMALL "\n\"A\",tt_dnn_device,1,2\nB,tt_dnn_device,3,99\n"));
    report_set(report, 0, COLUMN_ATTRIBUTES, VIEW_LITERAL("{'a', 'b'}"));
    assert_written_again(report, view_of(SMALL ",ATTRIBUTES\nA,tt_dnn_device,1,2,{'a'; 'b'}\n"
                                               "B,tt_dnn_device,3,99,\n"));
    finish(input, report);
}

static void the_header_tells_the_version(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        enum report_version version;
    } cases[] = {
        {SMALL, REPORT_V0},
        {SMALL ",DISPATCH TOTAL CQ CMD OP TIME [ns],INPUT_0_W", REPORT_V1},
        {SMALL ",INPUT_0_W_PAD[LOGICAL]", REPORT_V2},
        {SMALL ",INPUT_0_W_PAD[LOGICAL],DEVICE ARCH", REPORT_V21},
        {SMALL ",AVAILABLE WORKER CORE COUNT", REPORT_V21},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct input *input;
        struct report *report = read_text(&input, cases[i].header);
        assert_int_equal(report->version, cases[i].version);
        finish(input, report);
    }
}

static void renamed_columns_are_the_same_column(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum column_kind kind;
    } cases[] = {
        {"BRISC MAX KERNEL SIZE [B]", COLUMN_SIZE_DM0},
        {"TENSIX DM 0 MAX KERNEL SIZE [B]", COLUMN_SIZE_DM0},
        {"ERISC MAX KERNEL SIZE [B]", COLUMN_SIZE_ETH_DM0},
        {"ACTIVE ETH DM 0 MAX KERNEL SIZE [B]", COLUMN_SIZE_ETH_DM0},
        {"PM IDEAL NS", COLUMN_PM_IDEAL},
        {"COMPUTE KERNEL PATH", COLUMN_COMPUTE_SOURCE},
        {"INPUT_0_X", COLUMN_TENSOR_X},
        {"OUTPUT_12_X_PAD[LOGICAL]", COLUMN_TENSOR_X},
        {"INPUT_0_DATA TYPE", COLUMN_TENSOR_DATATYPE},
        {"SFPU Util Min (%)", COLUMN_OTHER},
        {"INPUT_x_W", COLUMN_OTHER},
        {"INPUT_99999999999_W", COLUMN_OTHER},
        {"INPUT_", COLUMN_OTHER},
        {"", COLUMN_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(column_from_name(view_of(cases[i].name)).kind, cases[i].kind);
    const struct column column = column_from_name(VIEW_LITERAL("OUTPUT_12_X_PAD[LOGICAL]"));
    assert_true(column.output);
    assert_int_equal(column.tensor, 12);
}

static const char *const DOCUMENT[] = {
    "OP CODE",
    "OP TYPE",
    "GLOBAL CALL COUNT",
    "DEVICE ID",
    "ATTRIBUTES",
    "MATH FIDELITY",
    "CORE COUNT",
    "PARALLELIZATION STRATEGY",
    "HOST START TS",
    "HOST END TS",
    "HOST DURATION [ns]",
    "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE",
    "OP TO OP LATENCY [ns]",
    "OP TO OP LATENCY BR/NRISC START [ns]",
    "DEVICE FW DURATION [ns]",
    "DEVICE KERNEL DURATION [ns]",
    "DEVICE KERNEL DURATION DM START [ns]",
    "DEVICE KERNEL DURATION PER CORE MIN [ns]",
    "DEVICE KERNEL DURATION PER CORE MAX [ns]",
    "DEVICE KERNEL DURATION PER CORE AVG [ns]",
    "DEVICE KERNEL FIRST TO LAST START [ns]",
    "DEVICE BRISC KERNEL DURATION [ns]",
    "DEVICE NCRISC KERNEL DURATION [ns]",
    "DEVICE TRISC0 KERNEL DURATION [ns]",
    "DEVICE TRISC1 KERNEL DURATION [ns]",
    "DEVICE TRISC2 KERNEL DURATION [ns]",
    "DEVICE ERISC KERNEL DURATION [ns]",
    "DEVICE COMPUTE CB WAIT FRONT [ns]",
    "DEVICE COMPUTE CB RESERVE BACK [ns]",
    "DISPATCH TOTAL CQ CMD OP TIME [ns]",
    "DISPATCH GO SEND WAIT TIME [ns]",
    "INPUT_0_W",
    "INPUT_0_Z",
    "INPUT_0_Y",
    "INPUT_0_X",
    "INPUT_0_LAYOUT",
    "INPUT_0_DATATYPE",
    "INPUT_0_MEMORY",
    "INPUT_1_W",
    "INPUT_1_Z",
    "INPUT_1_Y",
    "INPUT_1_X",
    "INPUT_1_LAYOUT",
    "INPUT_1_DATATYPE",
    "INPUT_1_MEMORY",
    "OUTPUT_0_W",
    "OUTPUT_0_Z",
    "OUTPUT_0_Y",
    "OUTPUT_0_X",
    "OUTPUT_0_LAYOUT",
    "OUTPUT_0_DATATYPE",
    "OUTPUT_0_MEMORY",
    "METAL TRACE ID",
    "METAL TRACE REPLAY SESSION ID",
    "COMPUTE KERNEL SOURCE",
    "COMPUTE KERNEL HASH",
    "DATA MOVEMENT KERNEL SOURCE",
    "DATA MOVEMENT KERNEL HASH",
    "BRISC MAX KERNEL SIZE [B]",
    "NCRISC MAX KERNEL SIZE [B]",
    "TRISC 0 MAX KERNEL SIZE [B]",
    "TRISC 1 MAX KERNEL SIZE [B]",
    "TRISC 2 MAX KERNEL SIZE [B]",
    "ERISC MAX KERNEL SIZE [B]",
    "PM IDEAL [ns]",
    "PM COMPUTE [ns]",
    "PM BANDWIDTH [ns]",
    "PM REQ I BW",
    "PM REQ O BW",
    "PM FPU UTIL (%)",
    "NOC UTIL (%)",
    "DRAM BW UTIL (%)",
    "NPE CONG IMPACT (%)",
    "LOC",
    "CONST_EVAL_OP",
    "PROGRAM_METADATA",
};
enum { DOCUMENT_COLUMNS = sizeof DOCUMENT / sizeof DOCUMENT[0] };

static struct report *two_inputs_and_an_output(void)
{
    struct report *report = report_create();
    const size_t row = report_row_add(report);
    report_set_tensor(report, row, true, 0, COLUMN_TENSOR_X, VIEW_LITERAL("32[7]"));
    report_set_tensor(report, row, false, 1, COLUMN_TENSOR_X, VIEW_LITERAL("64[64]"));
    report_set(report, row, COLUMN_OP_CODE, VIEW_LITERAL("Matmul"));
    report_set_raw(report, row, COLUMN_LOC, VIEW_LITERAL("loc(a, b)"));
    return report;
}

static void v1_from_rows_has_the_document_s_77_columns(void **state)
{
    (void)state;
    assert_int_equal(DOCUMENT_COLUMNS, 77);
    struct report *report = two_inputs_and_an_output();
    size_t size;
    char *text = written(report, true, REPORT_V1, &size);
    struct bytes want = {0};
    for (size_t i = 0; i < DOCUMENT_COLUMNS; i++)
        bytes_append_format(&want, "%s%s", i > 0 ? "," : "", DOCUMENT[i]);
    bytes_append(&want, "\r\n", 2);
    assert_memory_equal(text, want.data, want.size);
    assert_string_equal(strstr(text, "\"loc"), "\"loc(a, b)\",,\r\n");
    assert_non_null(strstr(text, ",32,")); // V1 has padded shapes only
    bytes_free(&want);
    free(text);
    report_free(report);
}

static void v21_from_rows_has_the_later_names(void **state)
{
    (void)state;
    struct report *report = two_inputs_and_an_output();
    report_set_named(report, 0, VIEW_LITERAL("b_TT_HOST_FUNC [ns]"), VIEW_LITERAL("1"));
    report_set_named(report, 0, VIEW_LITERAL("a_TT_HOST_FUNC [ns]"), VIEW_LITERAL("2"));
    report_set_named(report, 0, VIEW_LITERAL("SFPU Util Min (%)"), VIEW_LITERAL("3"));
    size_t size;
    char *text = written(report, true, REPORT_V21, &size);
    assert_non_null(strstr(text, "DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"
                                 "AVAILABLE WORKER CORE COUNT,PARALLELIZATION STRATEGY"));
    assert_non_null(strstr(text, "INPUT_1_X_PAD[LOGICAL],INPUT_1_LAYOUT"));
    assert_non_null(strstr(text, "HASH,TENSIX DM 0 MAX KERNEL SIZE [B],"));
    assert_non_null(strstr(text, "NPE CONG IMPACT (%),SFPU Util Min (%),a_TT_HOST_FUNC [ns],"
                                 "b_TT_HOST_FUNC [ns],LOC\r\n"));
    assert_non_null(strstr(text, ",32[7],"));
    assert_non_null(strstr(text, ",3,2,1,\"loc(a, b)\"\r\n"));
    free(text);
    report_free(report);
}

static void a_made_report_has_its_own_columns_only(void **state)
{
    (void)state;
    struct report *report = report_create();
    for (unsigned i = 0; i < 2; i++) {
        const size_t row = report_row_add(report);
        report_set_duration(report, row, COLUMN_KERNEL_DURATION, 10.5 + i);
        report_set_u64(report, row, COLUMN_CALL_COUNT, 1024 + i);
    }
    size_t size;
    char *text = written(report, false, REPORT_V1, &size);
    assert_string_equal(text, "GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns]\r\n1024,10\r\n"
                              "1025,12\r\n");
    free(text);
    report_free(report);
}

static void numbers_are_python_s(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } reals[] = {
        {277.6949157714844, "277.6949157714844"},
        {1, "1.0"},
        {0, "0.0"},
        {-0.5, "-0.5"},
        {0.1, "0.1"},
        {1e16, "1e+16"},
        {1e15, "1000000000000000.0"},
        {123456789, "123456789.0"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {1.5e300, "1.5e+300"},
        {5e-324, "5e-324"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
    };
    char text[REPORT_REAL_ROOM];
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        assert_string_equal(report_real_text(reals[i].number, text), reals[i].text);

    static const struct {
        double number;
        int digits;
        const char *text;
    } rounded[] = {
        {0.5, 0, "0"},      {1.5, 0, "2"},           {2.5, 0, "2"},          {-0.3, 0, "0"},
        {-2.5, 0, "-2"},    {0.0169807, 3, "0.017"}, {2.6175, 3, "2.618"},   {100, 3, "100.0"},
        {0.0001, 3, "0.0"}, {2.675, 2, "2.67"},      {12.3456, 3, "12.346"},
    };
    for (size_t i = 0; i < sizeof rounded / sizeof rounded[0]; i++)
        assert_string_equal(report_rounded_text(rounded[i].number, rounded[i].digits, text),
                            rounded[i].text);
}

static void texts_are_quoted_as_python_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"plain", "'plain'"}, {"it's", "\"it's\""},           {"\"a\"", "'\"a\"'"},
        {"'\"", "'\\'\"'"},   {"a\nb\t\\", "'a\\nb\\t\\\\'"}, {"\x01", "'\\x01'"},
        {"", "''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes text = {0};
        report_append_quoted(&text, view_of(cases[i].text));
        assert_true(view_is(bytes_view(&text), cases[i].want));
        bytes_free(&text);
    }
}

static void shapes_have_a_padded_and_a_logical_size(void **state)
{
    (void)state;
    uint64_t number;
    assert_true(report_padded(VIEW_LITERAL("32[7]"), &number) && number == 32);
    assert_true(report_logical(VIEW_LITERAL("32[7]"), &number) && number == 7);
    assert_true(report_logical(VIEW_LITERAL("32"), &number) && number == 32);
    assert_true(report_padded(VIEW_LITERAL("32.0"), &number) && number == 32);
    assert_false(report_padded(VIEW_LITERAL(""), &number));
    assert_false(report_padded(VIEW_LITERAL("[7]"), &number));
    assert_false(report_logical(VIEW_LITERAL("32[7"), &number));
    assert_false(report_logical(VIEW_LITERAL("32]7["), &number));
}

static void rows_say_that_they_were_modelled(void **state)
{
    (void)state;
    static const char *const cells[] = {"{}",
                                        "",
                                        "\"{\"\"provenance\"\":\"\"modelled\"\",\"\"loop\"\":0}\"",
                                        "\"{\"\"provenance\"\": \"\"measured\"\"}\"",
                                        "modelled",
                                        "\"{'a': 'modelled'}\""};
    const size_t count = sizeof cells / sizeof cells[0];
    struct bytes text = {0};
    struct input *input;
    bytes_append_format(&text, SMALL ",PROGRAM_METADATA\n");
    for (size_t i = 0; i < count; i++)
        bytes_append_format(&text, "A,tt_dnn_device,1,2,%s\n", cells[i]);
    bytes_append_format(&text, "here,signpost,,,{}\n%c", '\0');
    struct report *report = read_text(&input, (const char *)text.data);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(report_row_is_modelled(report, i), i == 2);
    assert_int_equal(report_modelled_count(report).operations, count);
    assert_int_equal(report_modelled_count(report).modelled, 1);
    for (size_t i = 0; i < count; i++)
        report_row_set_modelled(report, i);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(report_row_is_modelled(report, i), i < 3);
    assert_true(view_is(report_text(report, 4, COLUMN_PROGRAM_METADATA), "modelled"));
    assert_true(
        view_is(report_text(report, 0, COLUMN_PROGRAM_METADATA), "{\"provenance\": \"modelled\"}"));
    finish(input, report);
    bytes_free(&text);
}

static void damage_names_its_line(void **state)
{
    (void)state;
    struct input *input;
    struct report *report = read_text(&input, SMALL "\r\nA,,\r\nB,,,,more\r\n\"C\r\nD,tt_dnn_dev");
    assert_int_equal(report->row_count, 3);
    assert_int_equal(report->damage_count, 4);
    assert_int_equal(report->damage[0].line, 2);
    assert_string_equal(report->damage[0].what, "has fewer fields than the header");
    assert_int_equal(report->damage[1].line, 3);
    assert_int_equal(report->damage[2].line, 4);
    assert_int_equal(report->damage[3].line, 5);
    assert_string_equal(report->damage[3].what, "the last line is cut off");
    finish(input, report);
}

static void what_is_no_report_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "x.csv: is empty"},
        {"a,b,c\n1,2,3\n", "x.csv:1: expected the header of an operations report ('OP CODE', "
                           "..., 'DEVICE KERNEL DURATION [ns]', ...)"},
        {"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct input *input = input_over("x.csv", view_of(cases[i].text));
        struct report *report;
        const status failure = report_read(input, &report);
        assert_non_null(failure);
        if (cases[i].message != NULL)
            assert_string_equal(status_message(failure), cases[i].message);
        status_free(failure);
        input_close(input);
    }
}

// Derived columns ------------------------------------------------------------

#define DERIVED                                                                                    \
    "OP CODE,DEVICE ID,HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START CYCLE,"        \
    "DEVICE FW END CYCLE,OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns],"              \
    "DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],DEVICE KERNEL DURATION DM START [ns],"    \
    "PM COMPUTE [ns],PM FPU UTIL (%)\n"

static void derived_columns_agree_or_are_named(void **state)
{
    (void)state;
    struct input *input;
    struct report *report = read_text(
        &input, DERIVED "A,0,100,150,50,27000,54000,0,0,20000,19000,18990,19,0.1\n"
                        "B,0,200,260,60,67500,94500,10600,10620,20000,19000,18980,1,0.005\n"
                        "C,0,300,310,11,108000,121500,99,99,10001,9000,9000,1,0.5\n"
                        "D,,,,,,,,,,,,,\n");
    struct derive_result result;
    derive_check(report, &result);
    assert_true(result.clock_mhz == 1350);
    assert_int_equal(result.host_end.equal, 2);
    assert_int_equal(result.host_end.line, 4);
    assert_int_equal(result.fw_duration.equal, 2);
    assert_int_equal(result.fw_duration.different, 1);
    assert_int_equal(result.fpu_util.equal, 2);
    assert_int_equal(result.fpu_util.different, 1);
    assert_int_equal(result.op_to_op.equal, 2);
    assert_int_equal(result.op_to_op.different, 1);
    assert_int_equal(result.op_to_op_dm_start.equal, 2);
    assert_int_equal(result.op_to_op_dm_start.unknown, 1);
    finish(input, report);
}

// Real reports ---------------------------------------------------------------

// Tests run in the project's root.
static bool open_real(const char *name, struct input **out_input)
{
    char path[4096];
    snprintf(path, sizeof path, "../shared/data/tenstorrent/%s", name);
    const status failure = input_open(path, out_input);
    if (failure == STATUS_OK)
        return true;
    print_message("skipped: no ../shared/data/tenstorrent/%s\n", name);
    status_free(failure);
    return false;
}

static const struct {
    const char *name;
    enum report_version version;
    size_t rows;
    uint32_t columns;
    double clock_mhz;
    uint64_t host_ends, durations, utils;
    uint64_t gaps_in_doubt; // the gaps of a report that the device wrote use its real clock
} REAL[] = {
    {"n300_ops_perf_results.csv", REPORT_V1, 24, 109, 1000, 24, 24, 24, 0},
    {"bh20_oft_integral_image_trace.csv", REPORT_V1, 27, 74, 1350, 21, 21, 21, 0},
    {"ops_perf_results_2025_09_18_11_39_20.csv", REPORT_V2, 671, 91, 1350, 621, 621, 621, 0},
    {"bh_64_clip_encoder_1.csv", REPORT_V21, 660, 98, 1350, 660, 660, 660, 18},
    {"segformer_2025_02_ops_perf_results.csv", REPORT_V0, 1179, 89, 1000, 1179, 398, 0, 0},
};

static void real_reports_are_written_again_byte_for_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++) {
        struct input *input;
        if (!open_real(REAL[i].name, &input))
            continue;
        struct report *report;
        assert_null(report_read(input, &report));
        assert_int_equal(report->version, REAL[i].version);
        assert_int_equal(report->row_count, REAL[i].rows);
        assert_int_equal(report->column_count, REAL[i].columns);
        assert_int_equal(report->damage_count, 0);
        assert_written_again(report, input->bytes);
        forget_sources(report);
        assert_written_again(report, input->bytes);
        finish(input, report);
    }
}

static void real_reports_are_rebuilt_in_their_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++) {
        struct input *input;
        // The first has columns for tensors of rows that were cut out of it.
        if (i == 0 || REAL[i].version == REPORT_V0 || !open_real(REAL[i].name, &input))
            continue;
        struct report *report;
        assert_null(report_read(input, &report));
        size_t size;
        char *text = written(report, true, REAL[i].version, &size);
        // V1 ends with tt-torch's three columns, which these do not have.
        const char *added = REAL[i].version == REPORT_V1 ? ",LOC,CONST_EVAL_OP" : "";
        const size_t header = report->header.size - 2;
        assert_memory_equal(text, report->header.data, header);
        assert_memory_equal(text + header, added, strlen(added));
        if (REAL[i].version != REPORT_V1) {
            assert_int_equal(size, input->bytes.size);
            assert_memory_equal(text, input->bytes.data, size);
        }
        free(text);
        finish(input, report);
    }
}

static void real_derived_columns_recompute(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++) {
        struct input *input;
        if (!open_real(REAL[i].name, &input))
            continue;
        struct report *report;
        struct derive_result result;
        assert_null(report_read(input, &report));
        derive_check(report, &result);
        assert_true(result.clock_mhz == REAL[i].clock_mhz);
        assert_int_equal(result.host_end.equal, REAL[i].host_ends);
        assert_int_equal(result.host_end.different, 0);
        assert_int_equal(result.fw_duration.equal, REAL[i].durations);
        assert_int_equal(result.fw_duration.different, 0);
        assert_int_equal(result.fpu_util.equal, REAL[i].utils);
        assert_int_equal(result.fpu_util.different, 0);
        assert_int_equal(result.op_to_op.equal, REAL[i].durations - REAL[i].gaps_in_doubt);
        assert_int_equal(result.op_to_op.different, REAL[i].gaps_in_doubt);
        assert_int_equal(result.op_to_op.unknown, 0);
        if (REAL[i].gaps_in_doubt == 0)
            assert_int_equal(result.op_to_op_dm_start.different, 0);
        finish(input, report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_is_written_again_as_it_was),
        cmocka_unit_test(quoting_is_python_s),
        cmocka_unit_test(a_changed_cell_changes_its_row_alone),
        cmocka_unit_test(the_header_tells_the_version),
        cmocka_unit_test(renamed_columns_are_the_same_column),
        cmocka_unit_test(v1_from_rows_has_the_document_s_77_columns),
        cmocka_unit_test(v21_from_rows_has_the_later_names),
        cmocka_unit_test(a_made_report_has_its_own_columns_only),
        cmocka_unit_test(numbers_are_python_s),
        cmocka_unit_test(texts_are_quoted_as_python_does),
        cmocka_unit_test(shapes_have_a_padded_and_a_logical_size),
        cmocka_unit_test(rows_say_that_they_were_modelled),
        cmocka_unit_test(damage_names_its_line),
        cmocka_unit_test(what_is_no_report_is_refused),
        cmocka_unit_test(derived_columns_agree_or_are_named),
        cmocka_unit_test(real_reports_are_written_again_byte_for_byte),
        cmocka_unit_test(real_reports_are_rebuilt_in_their_version),
        cmocka_unit_test(real_derived_columns_recompute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
