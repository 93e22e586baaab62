// Compile profiles: every version, every spelling, and rows that go wrong.

#include "formats/torq/engines.h"
#include "torq_support.h"

// Versions --------------------------------------------------------------------

static const char C1_ROWS[] = "DI0,0,77,loc(\"/p/x.mlir\":4:10),DMA_IN\n"
                              "DO1,181,182,loc(unknown),DMA_OUT\n"
                              "S0,78,180,loc(\"/p/x.mlir\":5:10),fully_connected\n"
                              "S1,79,180,loc(\"/p/x.mlir\":5:10),fully_connected\n"
                              "S2,180,181,loc(\"/p/x.mlir\":6:10),add\n";

static const char C1_EVENTS[] =
    "DMA IN: DMA_IN 0..77 ID='DI0' @loc(\"/p/x.mlir\":4:10)\n"
    "DMA OUT: DMA_OUT 181..182 ID='DO1' @loc(unknown)\n"
    "SLICE 0: fully_connected 78..180 ID='S0' @loc(\"/p/x.mlir\":5:10)\n"
    "SLICE 0: add 180..181 ID='S2' @loc(\"/p/x.mlir\":6:10)\n"
    "SLICE 1: fully_connected 79..180 ID='S1' @loc(\"/p/x.mlir\":5:10)\n";

static void assert_reads_with_header(const char *header, const char *rows, const char *events)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", header, rows);
    assert_reads(text, events, "");
}

static void c1_with_and_without_a_header(void **state)
{
    (void)state;
    assert_reads(C1_ROWS, C1_EVENTS, "");
    assert_reads_with_header("ID,Start,End,Location,Op Type\n", C1_ROWS, C1_EVENTS);
    assert_reads_with_header("id , START,\tend,location,op type\r\n", C1_ROWS, C1_EVENTS);
    assert_reads_with_header("\xef\xbb\xbf\"ID\",\"Start\",\"End\",\"Location\",\"Op Type\"\n",
                             C1_ROWS, C1_EVENTS);
    assert_reads_with_header("event_name, start_time, end_time, mlir_src_line, event_type\n",
                             C1_ROWS, C1_EVENTS);
    assert_reads_with_header("\n  \nID,Start,End,Location,Op Type\n\n", C1_ROWS, C1_EVENTS);
}

// Rows of opscope's own: what the host computes.
static void the_host_has_rows(void **state)
{
    (void)state;
    assert_reads("H0,0,9000,loc(unknown),QuantizeLinear\n"
                 "DI0,9000,9077,loc(unknown),DMA_IN\n"
                 "H1,9077,9100,loc(unknown),exp\n"
                 "H,1,2,loc(unknown),exp\n",
                 "DMA IN: DMA_IN 9000..9077 ID='DI0' @loc(unknown)\n"
                 "HOST: QuantizeLinear 0..9000 ID='H0' @loc(unknown)\n"
                 "HOST: exp 9077..9100 ID='H1' @loc(unknown)\n"
                 "exp: exp 1..2 ID='H' @loc(unknown)\n",
                 "");
}

static void c2_has_bytes_slice_numbers_cdma_and_css(void **state)
{
    (void)state;
    assert_reads("DI0,0,77,loc(unknown),DMA_IN,364\n"
                 "CDMA_L2D1,80,90,loc(unknown),CDMA_LRAM_TO_DTCM,128\n"
                 "CDMA_D2L2,95,99,loc(unknown),CDMA_DTCM_TO_LRAM,18446744073709551615\n"
                 "S0_0,78,180,loc(unknown),conv2d\n"
                 "S1_3,79,180,loc(unknown),conv2d_1\n"
                 "S2_70,79,180,loc(unknown),conv2d_1\n"
                 "S3_1,80,180,loc(unknown),conv2d,\n"
                 "CSS0,200,8200,loc(unknown),CSS\n",
                 "DMA IN: DMA_IN 0..77 ID='DI0' bytes=364 @loc(unknown)\n"
                 "SLICE 0: conv2d 78..180 ID='S0_0' @loc(unknown)\n"
                 "SLICE 1: conv2d 80..180 ID='S3_1' @loc(unknown)\n"
                 "SLICE 3: conv2d_1 79..180 ID='S1_3' @loc(unknown)\n"
                 "SLICE 70: conv2d_1 79..180 ID='S2_70' @loc(unknown)\n"
                 "CDMA: CDMA_LRAM_TO_DTCM 80..90 ID='CDMA_L2D1' bytes=128 @loc(unknown)\n"
                 "CDMA: CDMA_DTCM_TO_LRAM 95..99 ID='CDMA_D2L2' bytes=18446744073709551615 "
                 "@loc(unknown)\n"
                 "CSS: CSS 200..8200 ID='CSS0' @loc(unknown)\n",
                 "");
}

static const char C4_ROWS[] = "0,77,0,DMA In,loc(\"x\":1:2),364\n"
                              "9,1,180,DMA Out,loc(unknown),4\n"
                              "3,5,90,CDMA LRAM to DTCM,loc(unknown),12\n"
                              "7,2,178,Slice 0,loc(unknown),\n"
                              "7,2,178,Slice 5,loc(unknown), \n"
                              "8,8000,200,CSS,loc(unknown),\n";

static const char C4_EVENTS[] = "DMA IN: DMA In 0..77 ID=0 bytes=364 @loc(\"x\":1:2)\n"
                                "DMA OUT: DMA Out 180..181 ID=9 bytes=4 @loc(unknown)\n"
                                "SLICE 0: Slice 0 178..180 ID=7 @loc(unknown)\n"
                                "SLICE 5: Slice 5 178..180 ID=7 @loc(unknown)\n"
                                "CDMA: CDMA LRAM to DTCM 90..95 ID=3 bytes=12 @loc(unknown)\n"
                                "CSS: CSS 200..8200 ID=8 @loc(unknown)\n";

static void c3_and_c4_say_us_and_mean_cycles(void **state)
{
    (void)state;
    assert_reads(C4_ROWS, C4_EVENTS, "");
    assert_reads_with_header(
        "actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n", C4_ROWS,
        C4_EVENTS);
    assert_reads_with_header("taskId, elapsed_time(us), timestamp(us), event, location, bytes\n",
                             C4_ROWS, C4_EVENTS);
    assert_reads_with_header("TASKID,elapsed_time(us),timestamp(us),event,location,bytes\n",
                             C4_ROWS, C4_EVENTS);
    struct profile *profile = read_text(C4_ROWS);
    const struct track *lane = profile_track(profile, 1);
    assert_int_equal(profile_clock(profile, lane->clock)->frequency, 800000000);
    assert_int_equal(lane->provenance, PROVENANCE_MODELLED);
    profile_free(profile);
}

// Spellings -------------------------------------------------------------------

static void rows_may_end_in_crlf_and_have_blanks(void **state)
{
    (void)state;
    assert_reads(" DI0 , 0 ,\t77, loc(unknown) , DMA_IN , 364 \r\n"
                 "\r\n"
                 "S0_1, 1, 2, \"loc(a, b)\", add \r\n",
                 "DMA IN: DMA_IN 0..77 ID='DI0' bytes=364 @loc(unknown)\n"
                 "SLICE 1: add 1..2 ID='S0_1' @loc(a, b)\n",
                 "");
    assert_reads("\xef\xbb\xbf"
                 "0 , 77, 0, DMA In , loc(unknown) , 5 \r\n",
                 "DMA IN: DMA In 0..77 ID=0 bytes=5 @loc(unknown)\n", "");
}

static void locations_may_hold_commas_and_quotes(void **state)
{
    (void)state;
    // Raw, as the compiler writes them, and as one quoted field.
    const char *const fused =
        "loc(fused[callsite(\"/p/x, y.mlir\":4:10 at \"/p/(.mlir\":2:3), \"a,DMA_IN,7\":1:2])";
    const char *const quoted = "\"loc(fused[callsite(\"\"/p/x, y.mlir\"\":4:10 at "
                               "\"\"/p/(.mlir\"\":2:3), \"\"a,DMA_IN,7\"\":1:2])\"";
    char text[4096];
    char events[4096];
    snprintf(text, sizeof text,
             "DI0,0,1,%s,DMA_IN,64\nDI1,1,2,%s,DMA_IN,64\nS0_0,1,2,%s,a_b\nS1_0,2,3,%s,a_b\n",
             fused, quoted, fused, quoted);
    snprintf(
        events, sizeof events,
        "DMA IN: DMA_IN 0..1 ID='DI0' bytes=64 @%s\nDMA IN: DMA_IN 1..2 ID='DI1' bytes=64 @%s\n"
        "SLICE 0: a_b 1..2 ID='S0_0' @%s\nSLICE 0: a_b 2..3 ID='S1_0' @%s\n",
        fused, fused, fused, fused);
    assert_reads(text, events, "");

    snprintf(text, sizeof text, "1,2,3,DMA In,%s,64\n2,2,5,DMA In,%s,64\n3,2,7,Slice 1,%s,\n",
             fused, quoted, fused);
    snprintf(events, sizeof events,
             "DMA IN: DMA In 3..5 ID=1 bytes=64 @%s\nDMA IN: DMA In 5..7 ID=2 bytes=64 @%s\n"
             "SLICE 1: Slice 1 7..9 ID=3 @%s\n",
             fused, fused, fused);
    assert_reads(text, events, "");
}

static void a_location_and_op_type_are_one_operator_and_one_call(void **state)
{
    (void)state;
    struct profile *profile = read_text("DI0,0,1,loc(\"a\":1:1),DMA_IN\n"
                                        "DI1,1,2,\"loc(\"\"a\"\":1:1)\",DMA_IN\n"
                                        "DI2,2,3, loc(\"a\":1:1) , DMA_IN\n"
                                        "DO3,3,4,loc(\"a\":1:1),DMA_OUT\n");
    assert_int_equal(profile->operators.count, 1 + 2);
    assert_int_equal(profile->calls.count, 1 + 2);
    assert_true(view_is(profile_fact(profile, "format"), "torq-c1"));
    profile_free(profile);
}

static void op_types_may_be_quoted(void **state)
{
    (void)state;
    assert_reads("S0,0,1,loc(unknown),\"a, \"\"b\"\"\"\nS1,0,1,loc(unknown),\"123\"\n",
                 "SLICE 0: a, \"b\" 0..1 ID='S0' @loc(unknown)\n"
                 "SLICE 1: 123 0..1 ID='S1' @loc(unknown)\n",
                 "");
}

static void slices_follow_num_slices(void **state)
{
    (void)state;
    const char text[] = "S0,0,1,l,add\nS6,1,2,l,add\nS6_5,2,3,l,add\n";
    struct profile *profile = read_with(view_of(text), &(struct torq_options){.num_slices = 4});
    char *events = tell_profile(profile);
    assert_string_equal(events, "SLICE 0: add 0..1 ID='S0' @l\n"
                                "SLICE 2: add 1..2 ID='S6' @l\n"
                                "SLICE 5: add 2..3 ID='S6_5' @l\n");
    free(events);
    profile_free(profile);
}

static void lanes_go_under_their_process_and_know_their_engine(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t process =
        profile_track_add(profile, &(struct track){.kind = TRACK_PROCESS, .rank = 1});
    struct input *input = input_over("t.csv", view_of("S0_9,0,1,l,add\nDO0,0,1,l,DMA_OUT,5\n"));
    const struct torq_options options = {.parent = process, .clock_hz = 100000000};
    assert_null(torq_compile_read(input, &options, profile));
    const struct track *slice = profile_track(profile, process + 1);
    const struct track *out = profile_track(profile, process + 2);
    assert_int_equal(slice->parent, process);
    assert_int_equal(slice->kind, TRACK_LANE);
    assert_ptr_equal(torq_engine_of_track(profile, slice), &TORQ_SLICE);
    assert_int_equal(slice->index, 9);
    assert_ptr_equal(torq_engine_of_track(profile, out), &TORQ_DMA_OUT);
    assert_true(out->rank < slice->rank);
    assert_int_equal(profile_clock(profile, out->clock)->frequency, 100000000);
    input_close(input);
    profile_free(profile);
}

static void unknown_units_get_a_lane_of_their_own(void **state)
{
    (void)state;
    assert_reads("ID,Start,End,Location,Op Type\n"
                 "X7,1,2,loc(unknown),GEMM\n"
                 "op_1,2,3,loc(unknown),DMA_IN\n"
                 "Slow,3,4,loc(unknown),Slice 3\n",
                 "DMA IN: DMA_IN 2..3 ID='op_1' @loc(unknown)\n"
                 "SLICE 3: Slice 3 3..4 ID='Slow' @loc(unknown)\n"
                 "GEMM: GEMM 1..2 ID='X7' @loc(unknown)\n",
                 "");
    assert_reads("0,1,2,DMA In,l,3\n0,1,2,NSS,l,\n",
                 "DMA IN: DMA In 2..3 ID=0 bytes=3 @l\nNSS: NSS 2..3 ID=0 @l\n", "");
}

static void times_are_64_bits_wide(void **state)
{
    (void)state;
    assert_reads("DI0,4294967296,18446744073709551615,l,DMA_IN,1\n"
                 "DI1,18446744073709551614,18446744073709551615,l,DMA_IN,1\n"
                 "DI2,0,18446744073709551616,l,DMA_IN,1\n",
                 "DMA IN: DMA_IN 4294967296..18446744073709551615 ID='DI0' bytes=1 @l\n"
                 "DMA IN: DMA_IN 18446744073709551614..18446744073709551615 ID='DI1' bytes=1 @l\n",
                 "lost 1: t.csv:3: column 'End': '18446744073709551616' does not fit 64 bits\n");
    assert_reads("0,1,18446744073709551614,DMA In,l,1\n0,2,18446744073709551614,DMA In,l,1\n",
                 "DMA IN: DMA In 18446744073709551614..18446744073709551615 ID=0 bytes=1 @l\n",
                 "lost 1: t.csv:2: column 'timestamp(us)' and elapsed_time(us) together do not fit "
                 "64 bits\n");
}

// Rows that go wrong ----------------------------------------------------------

static void bad_rows_are_lost_and_good_ones_kept(void **state)
{
    (void)state;
    assert_reads("DI0,abc,5,l,DMA_IN,1\n"
                 "DI1,1,-5,l,DMA_IN,1\n"
                 "DI2,1,,l,DMA_IN,1\n"
                 "DI3,1,2,l,DMA_IN,1\n"
                 "DI4,1,2\n"
                 "DI5\n"
                 ",1,2,l,DMA_IN,1\n"
                 "DI6,1,2,l\n"
                 "DI7,1,2,l,\n"
                 "DI8,1.5,2,l,DMA_IN,1\n"
                 "DI9,1,2,loc(fused[a, b),DMA_IN,99999999999999999999\n"
                 "DI10,1,2,loc(callsite(a, b),DMA_IN,1\n"
                 "nonsense\n",
                 "DMA IN: DMA_IN 1..2 ID='DI3' bytes=1 @l\n",
                 "lost 1: t.csv:1: column 'Start': 'abc' is not a number\n"
                 "lost 1: t.csv:2: column 'End': '-5' is negative\n"
                 "lost 1: t.csv:3: column 'End' is empty\n"
                 "lost 1: t.csv:5: column 'Location' is missing\n"
                 "lost 1: t.csv:6: column 'Start' is missing\n"
                 "lost 1: t.csv:7: column 'ID' is missing\n"
                 "lost 1: t.csv:8: column 'Op Type' is missing\n"
                 "lost 1: t.csv:9: column 'Op Type' is missing\n"
                 "lost 1: t.csv:10: column 'Start': '1.5' is not a number\n"
                 "lost 1: t.csv:11: column 'bytes': '99999999999999999999' does not fit 64 bits\n"
                 "lost 1: t.csv:12: column 'Location': 'loc(callsite(a, b)' is not closed\n"
                 "lost 1: t.csv:13: column 'Start' is missing\n");
}

static void bad_rows_of_c4_are_lost(void **state)
{
    (void)state;
    assert_reads("taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
                 "x,1,2,DMA In,l,1\n"
                 "0,1\n"
                 "0,1,2\n"
                 "0,1,2,DMA In\n"
                 "0,1,2,DMA In,l,many\n"
                 "0,1,2,,l,1\n"
                 "0,1,2,DMA In,loc(a, b,5\n",
                 "",
                 "lost 1: t.csv:2: column 'taskId': 'x' is not a number\n"
                 "lost 1: t.csv:3: column 'timestamp(us)' is missing\n"
                 "lost 1: t.csv:4: column 'event' is missing\n"
                 "lost 1: t.csv:5: column 'location' is missing\n"
                 "lost 1: t.csv:6: column 'bytes': 'many' is not a number\n"
                 "lost 1: t.csv:7: column 'event' is missing\n"
                 "lost 1: t.csv:8: column 'location': 'loc(a, b' is not closed\n");
}

static void an_end_before_the_start_is_impossible(void **state)
{
    (void)state;
    assert_reads("DI0,9,5,l,DMA_IN,1\nDI1,5,5,l,DMA_IN,1\n",
                 "DMA IN: DMA_IN 5..5 ID='DI1' bytes=1 @l\n",
                 "impossible 1: t.csv:1: ends at 5, before its start at 9\n");
}

// The notes that come of the first `size` bytes of a text.
static void assert_cut(const char *text, size_t size, uint64_t recorded, const char *note)
{
    struct profile *profile = read_with((struct view){text, size}, &(struct torq_options){0});
    char *notes = tell_notes(profile);
    assert_int_equal(profile_ledger(profile).recorded, recorded);
    if (strncmp(notes, note, strlen(note)) != 0)
        fail_msg("%.*s: %s", (int)size, text, notes);
    free(notes);
    profile_free(profile);
}

static void a_last_row_that_is_cut_off_is_lost(void **state)
{
    (void)state;
    const char text[] = "DI0,0,77,loc(callsite(\"x\":1:2 at \"y\":3:4)),DMA_IN,364\n"
                        "DO1,100,200,loc(fused[\"a\":1:2, \"b\":3:4]),DMA_OUT,123";
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    const size_t bytes = strlen(text) - strlen("123");
    for (size_t size = first + 1; size <= bytes; size++)
        assert_cut(text, size, 1, "lost 1: t.csv:2: the last line is cut off");
    // A number that lost its end is still a number.
    for (size_t size = bytes + 1; size <= strlen(text); size++)
        assert_cut(text, size, 2, "remark 1: t.csv:2: the last line has no newline");
    assert_cut(text, first, 1, "");
}

static void a_last_row_of_c1_with_a_cut_op_type_is_lost(void **state)
{
    (void)state;
    const char text[] = "DI0,0,77,loc(unknown),DMA_IN\nDO1,100,200,loc(unknown),DMA_OUT";
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    for (size_t size = first + 1; size < strlen(text); size++)
        assert_cut(text, size, 1, "lost 1: t.csv:2: the last line is cut off");
    assert_cut(text, strlen(text), 2, "remark 1: t.csv:2: the last line has no newline");
}

static void a_last_row_of_c4_that_is_cut_off_is_lost(void **state)
{
    (void)state;
    const char text[] = "0,77,0,DMA In,loc(unknown),364\n9,1,180,DMA Out,loc(\"a\":1:2),4";
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    for (size_t size = first + 1; size < strlen(text); size++)
        assert_cut(text, size, 1, "lost 1: t.csv:2: the last line is cut off");
    assert_cut(text, strlen(text), 2, "remark 1: t.csv:2: the last line has no newline");
    const char slice[] = "0,77,0,Slice 1,loc(unknown),";
    assert_cut(slice, strlen(slice), 1, "remark 1: t.csv:1: the last line has no newline");
}

static void a_bad_row_does_not_hide_that_the_last_one_has_no_newline(void **state)
{
    (void)state;
    assert_reads("DI0,0,1,l\nDI1,1,2,l,DMA_IN", "DMA IN: DMA_IN 1..2 ID='DI1' @l\n",
                 "lost 1: t.csv:1: column 'Op Type' is missing\n"
                 "remark 1: t.csv:2: the last line has no newline; if the file was cut off, its "
                 "last field may be too\n");
}

static void blanks_at_the_end_are_no_cut_row(void **state)
{
    (void)state;
    assert_cut("DI0,0,1,l,DMA_IN\n  ", strlen("DI0,0,1,l,DMA_IN\n  "), 1, "");
}

static void an_id_may_be_too_long(void **state)
{
    (void)state;
    char text[4096] = "DI0,0,1,l,DMA_IN\nDI";
    memset(text + strlen(text), '7', 2000);
    strcat(text, ",0,1,l,DMA_IN\n");
    struct profile *profile = read_text(text);
    assert_int_equal(profile_ledger(profile).lost, 1);
    profile_free(profile);
}

static void a_damaged_archive_leaves_the_number_of_rows_unknown(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    struct input *input = input_over("t.csv.gz", view_of("DI0,0,1,l,DMA_IN\nDI1,1,"));
    input->damage = "the gzip data is cut off";
    assert_null(torq_read(input, &(struct torq_options){0}, profile));
    char *notes = tell_notes(profile);
    assert_string_equal(notes,
                        "lost 1: t.csv.gz: the gzip data is cut off; the rows after it are lost\n"
                        "lost 1: t.csv.gz:2: the last line is cut off: column 'End' is empty\n");
    assert_true(profile_ledger(profile).expected == LEDGER_UNKNOWN);
    free(notes);
    input_close(input);
    profile_free(profile);
}

static void lanes_are_limited(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("ID,Start,End,Location,Op Type\n", out);
    for (int i = 0; i < 6000; i++)
        fprintf(out, "x,%d,%d,l,type%d\n", i, i + 1, i);
    fclose(out);
    struct profile *profile = read_text(text);
    assert_in_range(profile->tracks.count, 4096, 4100);
    assert_int_equal(profile_ledger(profile).recorded, 6000);
    profile_free(profile);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c1_with_and_without_a_header),
        cmocka_unit_test(the_host_has_rows),
        cmocka_unit_test(c2_has_bytes_slice_numbers_cdma_and_css),
        cmocka_unit_test(c3_and_c4_say_us_and_mean_cycles),
        cmocka_unit_test(rows_may_end_in_crlf_and_have_blanks),
        cmocka_unit_test(locations_may_hold_commas_and_quotes),
        cmocka_unit_test(a_location_and_op_type_are_one_operator_and_one_call),
        cmocka_unit_test(op_types_may_be_quoted),
        cmocka_unit_test(slices_follow_num_slices),
        cmocka_unit_test(lanes_go_under_their_process_and_know_their_engine),
        cmocka_unit_test(unknown_units_get_a_lane_of_their_own),
        cmocka_unit_test(times_are_64_bits_wide),
        cmocka_unit_test(bad_rows_are_lost_and_good_ones_kept),
        cmocka_unit_test(bad_rows_of_c4_are_lost),
        cmocka_unit_test(an_end_before_the_start_is_impossible),
        cmocka_unit_test(a_last_row_that_is_cut_off_is_lost),
        cmocka_unit_test(a_last_row_of_c1_with_a_cut_op_type_is_lost),
        cmocka_unit_test(a_last_row_of_c4_that_is_cut_off_is_lost),
        cmocka_unit_test(a_bad_row_does_not_hide_that_the_last_one_has_no_newline),
        cmocka_unit_test(blanks_at_the_end_are_no_cut_row),
        cmocka_unit_test(an_id_may_be_too_long),
        cmocka_unit_test(a_damaged_archive_leaves_the_number_of_rows_unknown),
        cmocka_unit_test(lanes_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
