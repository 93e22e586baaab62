// Runtime profiles: every version, pairs of begins and ends, and rows that go
// wrong.

#include "formats/torq/engines.h"
#include "torq_support.h"

// R1 --------------------------------------------------------------------------

static void r1_is_stamped_at_the_end_of_a_job(void **state)
{
    (void)state;
    const char *const headers[] = {"", "id;time_since_open;time_since_start;location\n",
                                   "ID; time_since_open; time_since_start; Location\r\n",
                                   "dispatch_id;time_since_open;time_since_start;mlir_loc\n"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%s0;100;30;loc(\"a, b\":1:2)\n1; 250; 60;\n2;260;5;\"loc(\"\"x;y\"\":1:2)\"\n",
                 headers[i]);
        assert_reads(text,
                     "NSS: NSS 70..100 job=0 @loc(\"a, b\":1:2)\n"
                     "NSS: NSS 190..250 job=1\n"
                     "NSS: NSS 255..260 job=2 @loc(\"x;y\":1:2)\n",
                     "");
    }
    assert_reads("id;time_since_open;time_since_start\n7;100;30\n", "NSS: NSS 70..100 job=7\n", "");
}

static void r1_is_measured_in_microseconds(void **state)
{
    (void)state;
    struct profile *profile = read_text("0;100;30;l\n");
    const struct track *lane = profile_track(profile, 1);
    assert_int_equal(profile_clock(profile, lane->clock)->frequency, 1000000);
    assert_ptr_equal(torq_engine_of_track(profile, lane), &TORQ_NPU);
    assert_int_equal(lane->provenance, PROVENANCE_MEASURED);
    assert_true(view_is(profile_fact(profile, "format"), "torq-r1"));
    profile_free(profile);
}

static void bad_rows_of_r1_are_lost(void **state)
{
    (void)state;
    assert_reads("id;time_since_open;time_since_start;location\n"
                 "x;1;1;l\n"
                 "0;-1;1;l\n"
                 "0;5\n"
                 "0;5;6;l\n"
                 "0;18446744073709551615;18446744073709551615;l\n"
                 "0;9;1;loc(a\n"
                 "1;9",
                 "NSS: NSS 0..18446744073709551615 job=0 @l\n",
                 "lost 1: t.csv:2: column 'id': 'x' is not a number\n"
                 "lost 1: t.csv:3: column 'time_since_open': '-1' is negative\n"
                 "lost 1: t.csv:4: column 'time_since_start' is missing\n"
                 "impossible 1: t.csv:5: took 6 us, longer than the 5 us since the device was "
                 "opened\n"
                 "lost 1: t.csv:7: column 'location': 'loc(a' is not closed\n"
                 "lost 1: t.csv:8: the last line is cut off: column 'time_since_start' is "
                 "missing\n");
    assert_reads("0;9;1;l\n1;19;1", "NSS: NSS 8..9 job=0 @l\n",
                 "lost 1: t.csv:2: the last line is cut off\n");
}

// R2 and R3 -------------------------------------------------------------------

static const char R2_HEADER[] = "actionIndex, elapsed_time(us), timestamp(us), event, location\n";

static const char R2_ROWS[] = "0,0,1000,ALLOC_START,loc(unknown)\n"
                              "0,5,1005,ALLOC_END,loc(unknown)\n"
                              "1,10,1010,HOST_COPY_START,loc(\"a, b\":1:2)\n"
                              "1,20,1020,HOST_COPY_END,loc(\"a, b\":1:2)\n"
                              "2,20,1020,NSS_START,\n"
                              "2,22,1022,NSS_START_END,\n"
                              "3,22,1022,NSS_WAIT_START,\n"
                              "3,90,1090,NSS_WAIT_END,\n"
                              "4,90,1090,HOST_PROGRAM_START,loc(unknown)\n"
                              "4,99,1099,HOST_PROGRAM_END,loc(unknown)\n"
                              "5,99,1099,Unknown,\n";

static const char R2_EVENTS[] = "ALLOC: ALLOC 1000..1005 action=0 @loc(unknown)\n"
                                "HOST_COPY: HOST_COPY 1010..1020 action=1 @loc(\"a, b\":1:2)\n"
                                "NSS_START: NSS_START 1020..1022 action=2\n"
                                "NSS_WAIT: NSS_WAIT 1022..1090 action=3\n"
                                "HOST_PROGRAM: HOST_PROGRAM 1090..1099 action=4 @loc(unknown)\n"
                                "Unknown: Unknown 1099 action=5\n"
                                "NSS PROGRAM: NSS PROGRAM 1020..1090 action=2 wait_action=3\n";

static void r2_pairs_begins_and_ends(void **state)
{
    (void)state;
    char text[2048];
    assert_reads(R2_ROWS, R2_EVENTS, "");
    snprintf(text, sizeof text, "%s%s", R2_HEADER, R2_ROWS);
    assert_reads(text, R2_EVENTS, "");
    snprintf(text, sizeof text, "\xef\xbb\xbf%s%s",
             "ACTIONINDEX,elapsed_time(us),timestamp(us),event,location\r\n", R2_ROWS);
    assert_reads(text, R2_EVENTS, "");
}

static void r3_has_quoted_locations(void **state)
{
    (void)state;
    assert_reads("1,0,1010,HOST_COPY_START,\"loc(\"\"a, b\"\":1:2)\"\n"
                 "1,10,1020,HOST_COPY_END,\"loc(\"\"a, b\"\":1:2)\"\n",
                 "HOST_COPY: HOST_COPY 1010..1020 action=1 @loc(\"a, b\":1:2)\n", "");
}

static const struct torq_engine *engine_of_lane(const struct profile *profile, const char *name)
{
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (view_is(profile_text(profile, track->name), name))
            return torq_engine_of_track(profile, track);
    }
    fail_msg("no lane %s", name);
    return NULL;
}

static void lanes_know_their_engine(void **state)
{
    (void)state;
    struct profile *profile = read_text(R2_ROWS);
    assert_ptr_equal(engine_of_lane(profile, "HOST_COPY"), &TORQ_HOST_COPY);
    assert_ptr_equal(engine_of_lane(profile, "HOST_PROGRAM"), &TORQ_HOST);
    assert_null(engine_of_lane(profile, "NSS_START"));
    assert_ptr_equal(engine_of_lane(profile, "NSS PROGRAM"), &TORQ_NPU);
    assert_null(engine_of_lane(profile, "ALLOC"));
    profile_free(profile);
}

static void derived_spans_stay_out_of_the_ledger(void **state)
{
    (void)state;
    struct profile *profile = read_text(R2_ROWS);
    const struct ledger ledger = profile_ledger(profile);
    assert_int_equal(ledger.expected, 6);
    assert_int_equal(ledger.recorded, 6);
    const struct track *programs = profile_track(profile, profile->tracks.count - 1);
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        if (profile_track(profile, i)->provenance == PROVENANCE_DERIVED)
            programs = profile_track(profile, i);
    }
    assert_int_equal(programs->provenance, PROVENANCE_DERIVED);
    assert_int_equal(programs->spans, 1);
    profile_free(profile);
}

static void programs_are_waited_for_in_the_order_of_their_starts(void **state)
{
    (void)state;
    assert_reads("0,0,10,NSS_START,\n"
                 "0,1,11,NSS_START_END,\n"
                 "1,2,12,NSS_START,\n"
                 "1,3,13,NSS_START_END,\n"
                 "2,4,14,NSS_WAIT_START,\n"
                 "2,20,30,NSS_WAIT_END,\n"
                 "3,20,30,NSS_WAIT_START,\n"
                 "3,40,50,NSS_WAIT_END,\n"
                 "4,41,51,NSS_WAIT_START,\n"
                 "4,42,52,NSS_WAIT_END,\n"
                 "5,43,53,NSS_START,\n"
                 "5,44,54,NSS_START_END,\n",
                 "NSS_START: NSS_START 10..11 action=0\n"
                 "NSS_START: NSS_START 12..13 action=1\n"
                 "NSS_START: NSS_START 53..54 action=5\n"
                 "NSS_WAIT: NSS_WAIT 14..30 action=2\n"
                 "NSS_WAIT: NSS_WAIT 30..50 action=3\n"
                 "NSS_WAIT: NSS_WAIT 51..52 action=4\n"
                 "NSS PROGRAM: NSS PROGRAM 10..30 action=0 wait_action=2\n"
                 "NSS PROGRAM: NSS PROGRAM 12..50 action=1 wait_action=3\n",
                 "remark 1: t.csv: 1 actions wait for a program that nobody started; "
                 "they have no span on NSS PROGRAM\n"
                 "remark 1: t.csv: 1 actions start a program that nobody waits for; they "
                 "have no span on NSS PROGRAM\n");
}

static void what_does_not_pair_is_lost(void **state)
{
    (void)state;
    assert_reads("0,0,10,ALLOC_START,\n"
                 "1,1,11,HOST_COPY_END,\n"
                 "2,2,12,HOST_COPY_START,\n"
                 "2,3,13,ALLOC_END,\n"
                 "2,4,14,HOST_COPY_END,\n"
                 "3,5,15,ALLOC_START,\n",
                 "HOST_COPY: HOST_COPY 12..14 action=2\n",
                 "lost 1: t.csv:2: HOST_COPY ends and did not begin\n"
                 "lost 1: t.csv:4: ALLOC ends and did not begin\n"
                 "lost 1: t.csv:1: ALLOC begins and does not end\n"
                 "lost 1: t.csv:6: ALLOC begins and does not end\n");
}

static void rows_may_lie_in_any_order(void **state)
{
    (void)state;
    // Also what takes no time: action 1.
    assert_reads("2,14,24,NSS_WAIT_END,\n"
                 "3,20,30,NSS_START,\n"
                 "1,2,12,HOST_COPY_END,\n"
                 "4,45,55,NSS_WAIT_END,\n"
                 "0,1,11,NSS_START_END,\n"
                 "1,2,12,HOST_COPY_START,\n"
                 "4,30,40,NSS_WAIT_START,\n"
                 "2,3,13,NSS_WAIT_START,\n"
                 "3,21,31,NSS_START_END,\n"
                 "0,0,10,NSS_START,\n",
                 "NSS_START: NSS_START 10..11 action=0\n"
                 "NSS_START: NSS_START 30..31 action=3\n"
                 "HOST_COPY: HOST_COPY 12..12 action=1\n"
                 "NSS_WAIT: NSS_WAIT 13..24 action=2\n"
                 "NSS_WAIT: NSS_WAIT 40..55 action=4\n"
                 "NSS PROGRAM: NSS PROGRAM 10..24 action=0 wait_action=2\n"
                 "NSS PROGRAM: NSS PROGRAM 30..55 action=3 wait_action=4\n",
                 "");
}

static void the_last_begin_ends_first(void **state)
{
    (void)state;
    assert_reads("7,0,10,ALLOC_START,\n"
                 "7,1,11,ALLOC_START,\n"
                 "7,2,12,ALLOC_END,\n"
                 "7,9,19,ALLOC_END,\n",
                 "ALLOC: ALLOC 10..19 action=7\nALLOC: ALLOC 11..12 action=7\n", "");
}

static void an_end_before_its_begin_is_impossible(void **state)
{
    (void)state;
    assert_reads("0,0,10,ALLOC_START,\n0,0,8,ALLOC_END,\n0,2,12,ALLOC_START,\n0,3,13,ALLOC_END,\n",
                 "ALLOC: ALLOC 12..13 action=0\n",
                 "impossible 1: t.csv:2: ends at 8, before its start at 10\n");
}

static void elapsed_times_may_be_since_the_first_or_the_previous_row(void **state)
{
    (void)state;
    const char events[] = "A: A 10..20 action=0\nA: A 30..50 action=0\n";
    assert_reads("0,0,10,A_START,\n0,10,20,A_END,\n0,20,30,A_START,\n0,40,50,A_END,\n", events, "");
    assert_reads("0,0,10,A_START,\n0,10,20,A_END,\n0,10,30,A_START,\n0,20,50,A_END,\n", events, "");
    assert_reads("0,0,10,A_START,\n0,10,20,A_END,\n0,11,30,A_START,\n0,99,50,A_END,\n", events,
                 "remark 1: t.csv:3: column 'elapsed_time(us)': 11 is neither the time since the "
                 "first row nor since the row before; only timestamp(us) is used\n");
}

static void bad_rows_of_r2_are_lost(void **state)
{
    (void)state;
    assert_reads("actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                 "x,0,10,ALLOC_START,\n"
                 "-2,0,10,ALLOC_START,\n"
                 "0,y,10,ALLOC_START,\n"
                 "0,0,z,ALLOC_START,\n"
                 "0,0,10,,\n"
                 "0,0,10\n"
                 "0,0,10,ALLOC_START,loc(\"a\n"
                 "-1,0,10,ALLOC_START\n"
                 "-1,0,18446744073709551615,ALLOC_END,\n",
                 "ALLOC: ALLOC 10..18446744073709551615\n",
                 "lost 1: t.csv:2: column 'actionIndex': 'x' is not a number\n"
                 "lost 1: t.csv:3: column 'actionIndex': '-2' is negative\n"
                 "lost 1: t.csv:4: column 'elapsed_time(us)': 'y' is not a number\n"
                 "lost 1: t.csv:5: column 'timestamp(us)': 'z' is not a number\n"
                 "lost 1: t.csv:6: column 'event' is missing\n"
                 "lost 1: t.csv:7: column 'event' is missing\n"
                 "lost 1: t.csv:8: column 'location': 'loc(\"a' is not closed\n");
}

// R4 --------------------------------------------------------------------------

static const char R4_ROWS[] = "main_dispatch_0,0,-1,100,INIT_BEGIN\n"
                              "main_dispatch_0,0,-1,120,INIT_END\n"
                              "__HAL_QUEUE_EXECUTE__,1,-1,200,HAL_CALL_BEGIN\n"
                              "main_dispatch_0,2,-1,210,DISPATCH_BEGIN\n"
                              "main_dispatch_0,2,0,220,HOST_COPY_BEGIN\n"
                              "main_dispatch_0,2,0,230,HOST_COPY_END\n"
                              "main_dispatch_0,2,1,230,NSS_START_BEGIN\n"
                              "main_dispatch_0,2,1,232,NSS_START_END\n"
                              "main_dispatch_0,2,2,232,NSS_WAIT_BEGIN\n"
                              "main_dispatch_0,2,2,280,NSS_WAIT_END\n"
                              "main_dispatch_0,2,-1,290,DISPATCH_END\n"
                              "__HAL_QUEUE_EXECUTE__,1,-1,300,HAL_CALL_END\n";

static const char R4_EVENTS[] =
    "INIT: INIT 100..120 invocation=0 dispatch='main_dispatch_0'\n"
    "HAL_CALL: HAL_CALL 200..300 invocation=1 dispatch='__HAL_QUEUE_EXECUTE__'\n"
    "DISPATCH: DISPATCH 210..290 invocation=2 dispatch='main_dispatch_0'\n"
    "HOST_COPY: HOST_COPY 220..230 action=0 invocation=2 dispatch='main_dispatch_0'\n"
    "NSS_START: NSS_START 230..232 action=1 invocation=2 dispatch='main_dispatch_0'\n"
    "NSS_WAIT: NSS_WAIT 232..280 action=2 invocation=2 dispatch='main_dispatch_0'\n"
    "NSS PROGRAM: NSS PROGRAM 230..280 action=1 invocation=2 dispatch='main_dispatch_0' "
    "wait_action=2\n";

static void r4_has_dispatches_and_invocations(void **state)
{
    (void)state;
    char text[2048];
    assert_reads(R4_ROWS, R4_EVENTS, "");
    snprintf(text, sizeof text, "dispatch_name,invocation_id,action_id,timestamp_us,event\n%s",
             R4_ROWS);
    assert_reads(text, R4_EVENTS, "");

    struct profile *profile = read_text(R4_ROWS);
    assert_int_equal(profile->operators.count, 1 + 2);
    assert_int_equal(profile->calls.count, 1 + 3);
    const struct call *call = profile_call(profile, 3);
    const struct operator_description *op = profile_operator(profile, call->operator_id);
    assert_int_equal(call->invocation, 2);
    assert_true(view_is(profile_text(profile, op->name), "main_dispatch_0"));
    assert_true(profile_track(profile, 1)->nests);
    assert_ptr_equal(engine_of_lane(profile, "HAL_CALL"), &TORQ_HAL);
    profile_free(profile);
}

static void r4_pairs_within_an_invocation(void **state)
{
    (void)state;
    assert_reads(
        "a,1,0,10,ALLOC_BEGIN\n"
        "b,2,0,11,ALLOC_BEGIN\n"
        "a,1,0,20,ALLOC_END\n"
        "b,2,0,21,ALLOC_END\n"
        "a,1,1,30,NSS_START_BEGIN\na,1,1,31,NSS_START_END\n"
        "b,2,1,32,NSS_START_BEGIN\nb,2,1,33,NSS_START_END\n"
        "b,2,2,34,NSS_WAIT_BEGIN\nb,2,2,40,NSS_WAIT_END\n"
        "a,1,2,41,NSS_WAIT_BEGIN\na,1,2,50,NSS_WAIT_END\n",
        "ALLOC: ALLOC 10..20 action=0 invocation=1 dispatch='a'\n"
        "ALLOC: ALLOC 11..21 action=0 invocation=2 dispatch='b'\n"
        "NSS_START: NSS_START 30..31 action=1 invocation=1 dispatch='a'\n"
        "NSS_START: NSS_START 32..33 action=1 invocation=2 dispatch='b'\n"
        "NSS_WAIT: NSS_WAIT 34..40 action=2 invocation=2 dispatch='b'\n"
        "NSS_WAIT: NSS_WAIT 41..50 action=2 invocation=1 dispatch='a'\n"
        "NSS PROGRAM: NSS PROGRAM 30..50 action=1 invocation=1 dispatch='a' wait_action=2\n"
        "NSS PROGRAM: NSS PROGRAM 32..40 action=1 invocation=2 dispatch='b' "
        "wait_action=2\n",
        "");
}

static void r4_names_may_hold_commas_and_invocations_be_large(void **state)
{
    (void)state;
    assert_reads("\"a, b\",5000000000,0,10,ALLOC_BEGIN\n"
                 "a, b, 5000000000, 0, 11, ALLOC_END\n"
                 "x,1,-1,12,FOO_START\n",
                 "ALLOC: ALLOC 10..11 action=0 invocation=5000000000 dispatch='a, b'\n"
                 "FOO_START: FOO_START 12 invocation=1 dispatch='x'\n",
                 "");
}

static void bad_rows_of_r4_are_lost(void **state)
{
    (void)state;
    assert_reads("dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                 "a,x,0,10,ALLOC_BEGIN\n"
                 "a,1,-7,10,ALLOC_BEGIN\n"
                 "a,1,0,-10,ALLOC_BEGIN\n"
                 "a,1,0,10,\n"
                 "a,1,0\n"
                 "a,1,0,10,ALLOC_BEGIN\n"
                 "a,1,0,12,ALLOC_E",
                 "",
                 "lost 1: t.csv:2: column 'invocation_id': 'x' is not a number\n"
                 "lost 1: t.csv:3: column 'action_id': '-7' is negative\n"
                 "lost 1: t.csv:4: column 'timestamp_us': '-10' is negative\n"
                 "lost 1: t.csv:5: column 'event' is missing\n"
                 "lost 1: t.csv:6: column 'event' is missing\n"
                 "lost 1: t.csv:8: the last line is cut off\n"
                 "remark 1: t.csv: 1 begins or ends may have their other half in a row that could "
                 "not be read, and are not counted as lost again\n");
}

// The rows of `text`, cut off at `size`, make a span and no loss, or else none.
static void assert_cut(const char *text, size_t size, bool whole)
{
    struct profile *profile = read_with((struct view){text, size}, &(struct torq_options){0});
    const struct ledger ledger = profile_ledger(profile);
    if (ledger.recorded != (whole ? 1 : 0) || ledger.lost != (whole ? 0 : 1))
        fail_msg("%.*s", (int)size, text);
    // On a last line without a newline, or on the half that is left.
    assert_int_equal(profile->note_counts[LEDGER_REMARK], 1);
    profile_free(profile);
}

static void last_rows_of_r2_that_are_cut_off_are_lost(void **state)
{
    (void)state;
    const char text[] = "0,0,10,ALLOC_START,loc(\"a\":1:2)\n"
                        "0,5,15,ALLOC_END,loc(callsite(\"a\":1:2))";
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    const size_t location = (size_t)(strstr(text, "END,") - text) + 4;
    for (size_t size = first + 1; size <= strlen(text); size++) {
        // A location may be empty or anything, but not open, nor the beginning of "loc(".
        const bool open = size >= location + 2 && size < strlen(text);
        assert_cut(text, size, size >= location && !open);
    }
}

static void last_rows_of_r4_that_are_cut_off_are_lost(void **state)
{
    (void)state;
    const char text[] = "a,1,0,10,ALLOC_BEGIN\na,1,0,15,ALLOC_END";
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    for (size_t size = first + 1; size <= strlen(text); size++)
        assert_cut(text, size, size == strlen(text));
}

static void begins_that_never_end_do_not_slow_the_reader_down(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < 100000; i++)
        fprintf(out, "d,%d,%d,%d,ALLOC_BEGIN\n", i, i % 7, i);
    for (int i = 0; i < 100000; i += 2)
        fprintf(out, "d,%d,%d,%d,ALLOC_END\n", i, i % 7, 100000 + i);
    fclose(out);
    struct profile *profile = read_text(text);
    assert_int_equal(profile_ledger(profile).recorded, 50000);
    assert_int_equal(profile_ledger(profile).lost, 50000);
    profile_free(profile);
    free(text);
}

static void engines_are_known_by_the_names_that_tools_write(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const struct torq_engine *engine;
        uint32_t index;
    } CASES[] = {
        {"DMA IN", &TORQ_DMA_IN, 0},
        {"0_DMA_IN", &TORQ_DMA_IN, 0},
        {"NDMA Out", &TORQ_DMA_OUT, 0},
        {"Slice 11", &TORQ_SLICE, 11},
        {"SLICE 0", &TORQ_SLICE, 0},
        {"3_SLICE_1", &TORQ_SLICE, 1},
        {"CDMA", &TORQ_CDMA, 0},
        {"08_CSS", &TORQ_CSS, 0},
        {"HOST_COPY", &TORQ_HOST_COPY, 0},
        {"HAL_QUEUE_WAIT", &TORQ_HAL, 0},
        {"DMA In Used", &TORQ_DMA_IN, 0},
        {"NSS Programs", &TORQ_NPU, 0},
        {"DMA INTO", NULL, 0},
        {"", NULL, 0},
        {"halo", NULL, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint32_t index;
        assert_ptr_equal(torq_engine_of_name(view_of(CASES[i].name), &index), CASES[i].engine);
        assert_int_equal(index, CASES[i].index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_are_known_by_the_names_that_tools_write),
        cmocka_unit_test(r1_is_stamped_at_the_end_of_a_job),
        cmocka_unit_test(r1_is_measured_in_microseconds),
        cmocka_unit_test(bad_rows_of_r1_are_lost),
        cmocka_unit_test(r2_pairs_begins_and_ends),
        cmocka_unit_test(r3_has_quoted_locations),
        cmocka_unit_test(lanes_know_their_engine),
        cmocka_unit_test(derived_spans_stay_out_of_the_ledger),
        cmocka_unit_test(programs_are_waited_for_in_the_order_of_their_starts),
        cmocka_unit_test(what_does_not_pair_is_lost),
        cmocka_unit_test(rows_may_lie_in_any_order),
        cmocka_unit_test(the_last_begin_ends_first),
        cmocka_unit_test(an_end_before_its_begin_is_impossible),
        cmocka_unit_test(elapsed_times_may_be_since_the_first_or_the_previous_row),
        cmocka_unit_test(bad_rows_of_r2_are_lost),
        cmocka_unit_test(r4_has_dispatches_and_invocations),
        cmocka_unit_test(r4_pairs_within_an_invocation),
        cmocka_unit_test(r4_names_may_hold_commas_and_invocations_be_large),
        cmocka_unit_test(bad_rows_of_r4_are_lost),
        cmocka_unit_test(last_rows_of_r2_that_are_cut_off_are_lost),
        cmocka_unit_test(last_rows_of_r4_that_are_cut_off_are_lost),
        cmocka_unit_test(begins_that_never_end_do_not_slow_the_reader_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
