// What is written: headers, rows, what is left out, and that what was read is
// read again.

#include "formats/torq/engines.h"
#include "torq_support.h"

#include <unistd.h>

static status write_form(struct profile *profile, enum torq_form form, const char *path)
{
    return torq_form_is_compile(form) ? torq_compile_write(profile, form, path)
                                      : torq_runtime_write(profile, form, TORQ_SINCE_FIRST, path);
}

// The file that a profile becomes, for the caller to free.
static char *written(struct profile *profile, enum torq_form form)
{
    char path[] = "/tmp/opscope-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_string_equal(status_message(write_form(profile, form, path)), "ok");
    struct input *input;
    assert_null(input_open(path, &input));
    char *text = view_copy(input->bytes);
    input_close(input);
    unlink(path);
    return text;
}

// The notes about what was written, with the name of the file taken off.
static void assert_losses(struct profile *profile, const char *want)
{
    char *notes = tell_notes(profile);
    char *short_notes = calloc(1, strlen(notes) + 1);
    for (char *line = strtok(notes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *path = strstr(line, "/tmp/opscope-test-");
        if (path != NULL)
            memmove(path, strstr(path, ": ") + 2, strlen(strstr(path, ": ") + 2) + 1);
        strcat(short_notes, line);
        strcat(short_notes, "\n");
    }
    assert_string_equal(short_notes, want);
    free(short_notes);
    free(notes);
}

static void assert_writes(const char *text, enum torq_form form, const char *want,
                          const char *losses)
{
    struct profile *profile = read_text(text);
    char *got = written(profile, form);
    assert_string_equal(got, want);
    assert_losses(profile, losses);
    free(got);
    profile_free(profile);
}

// Reading, writing and reading again changes nothing.
static void assert_round_trip(const char *text, enum torq_form form)
{
    struct profile *profile = read_text(text);
    char *events = tell_profile(profile);
    char *file = written(profile, form);
    assert_reads(file, events, "");
    struct profile *again = read_text(file);
    char *second = written(again, form);
    assert_string_equal(second, file);
    free(second);
    free(file);
    free(events);
    profile_free(again);
    profile_free(profile);
}

// Compile forms ---------------------------------------------------------------

static void headers_are_the_documented_ones(void **state)
{
    (void)state;
    const struct {
        enum torq_form form;
        const char *header;
    } headers[] = {
        {TORQ_C1, "ID,Start,End,Location,Op Type\n"},
        {TORQ_C2, ""},
        {TORQ_C4, "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"},
        {TORQ_R1, "ID;time_since_open;time_since_start;Location\n"},
        {TORQ_R2, "actionIndex, elapsed_time(us), timestamp(us), event, location\n"},
        {TORQ_R4, "dispatch_name,invocation_id,action_id,timestamp_us,event\n"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct profile *profile = profile_create();
        char *text = written(profile, headers[i].form);
        assert_string_equal(text, headers[i].header);
        free(text);
        profile_free(profile);
    }
}

static const char C2_TEXT[] = "DO1,500,510,loc(fused[\"a\":1:2, \"b\":3:4]),DMA_OUT,4\n"
                              "DI0,0,77,loc(unknown),DMA_IN,364\n"
                              "CDMA_L2D2,80,90,\"loc(\"\"c\"\":5:6)\",CDMA_LRAM_TO_DTCM,128\n"
                              "S1_3,77,180,loc(unknown),\"conv, add\"\n"
                              "S0_0,77,180,,conv\n"
                              "CSS0,200,8200,loc(unknown),CSS\n";

static void c1_is_sorted_and_has_no_place_for_bytes(void **state)
{
    (void)state;
    assert_writes(C2_TEXT, TORQ_C1,
                  "ID,Start,End,Location,Op Type\n"
                  "DI0,0,77,loc(unknown),DMA_IN\n"
                  "S0_0,77,180,,conv\n"
                  "S1_3,77,180,loc(unknown),\"conv, add\"\n"
                  "CDMA_L2D2,80,90,\"loc(\"\"c\"\":5:6)\",CDMA_LRAM_TO_DTCM\n"
                  "CSS0,200,8200,loc(unknown),CSS\n"
                  "DO1,500,510,\"loc(fused[\"\"a\"\":1:2, \"\"b\"\":3:4])\",DMA_OUT\n",
                  "remark 3: torq-c1 has no place for 3 numbers of bytes\n");
}

static void c2_carries_what_it_had(void **state)
{
    (void)state;
    assert_round_trip(C2_TEXT, TORQ_C2);
    assert_writes("S5,0,1,l,add\nDI0,0,1,l,DMA_IN\n", TORQ_C2, "DI0,0,1,l,DMA_IN\nS5_1,0,1,l,add\n",
                  "");
}

static void c4_numbers_its_rows_and_does_not_say_what_a_slice_computes(void **state)
{
    (void)state;
    assert_writes(C2_TEXT, TORQ_C4,
                  "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
                  "0,77,0,DMA In,loc(unknown),364\n"
                  "1,103,77,Slice 0,,\n"
                  "2,103,77,Slice 3,loc(unknown),\n"
                  "3,10,80,CDMA LRAM to DTCM,\"loc(\"\"c\"\":5:6)\",128\n"
                  "4,8000,200,CSS,loc(unknown),\n"
                  "5,10,500,DMA Out,\"loc(fused[\"\"a\"\":1:2, \"\"b\"\":3:4])\",4\n",
                  "remark 6: torq-c4 has no place for 6 IDs; the rows are numbered anew\n"
                  "remark 2: torq-c4 has no place for 2 op types\n");
}

static const char C4_TEXT[] = "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
                              "0,77,0,DMA In,loc(\"x\":1:2),364\n"
                              "7,2,178,Slice 0,loc(unknown),\n"
                              "7,2,178,Slice 5,loc(unknown),\n"
                              "3,5,190,CDMA DTCM to LRAM,loc(unknown),12\n"
                              "8,8000,200,CSS,loc(unknown),\n"
                              "8,8000,200,Something else,loc(unknown),\n"
                              "9,1,18446744073709551614,DMA Out,loc(unknown),\n";

static void c1_makes_ids_by_the_convention(void **state)
{
    (void)state;
    assert_writes(C4_TEXT, TORQ_C1,
                  "ID,Start,End,Location,Op Type\n"
                  "DI0,0,77,\"loc(\"\"x\"\":1:2)\",DMA_IN\n"
                  "S0,178,180,loc(unknown),unknown\n"
                  "S1,178,180,loc(unknown),unknown\n"
                  "CDMA_D2L1,190,195,loc(unknown),CDMA_DTCM_TO_LRAM\n"
                  "CSS0,200,8200,loc(unknown),CSS\n"
                  "5,200,8200,loc(unknown),Something else\n"
                  "DO2,18446744073709551614,18446744073709551615,loc(unknown),DMA_OUT\n",
                  "remark 2: torq-c1 has no place for 2 numbers of bytes\n"
                  "remark 1: torq-c1 has no place for 1 slice numbers\n");
}

static void compile_forms_round_trip(void **state)
{
    (void)state;
    assert_round_trip(C4_TEXT, TORQ_C4);
    const char c1[] = "ID,Start,End,Location,Op Type\n"
                      "DI0,0,77,loc(fused[\"a, b\":1:2, \"(\":3:4]),DMA_IN\n"
                      "S7,1,2,plain text with a , comma,\"12\"\n"
                      "S8,1,2,\" blanks \",add\n"
                      "S9,2,2,\"loc(cut\",add\n"
                      "X,2,2,,GEMM\n"
                      "\"Y, \"\"2\"\"\",2,2,,HOST_COPY\n";
    assert_round_trip(c1, TORQ_C1);
}

static uint32_t add_lane(struct profile *profile, const char *name,
                         const struct torq_engine *engine)
{
    struct track track = {.name = profile_string(profile, view_of(name)),
                          .kind = TRACK_LANE,
                          .provenance = PROVENANCE_MEASURED};
    torq_engine_set(profile, &track, engine, 0);
    return profile_track_add(profile, &track);
}

static void add_event(struct profile *profile, uint32_t track, enum event_kind kind,
                      const char *name, uint64_t start, uint64_t end)
{
    const struct event event = {.kind = kind,
                                .track = track,
                                .name = profile_string(profile, view_of(name)),
                                .start = start,
                                .end = end};
    profile_event_add(profile, &event, VIEW_LITERAL(""));
}

static void other_clocks_are_converted_and_other_engines_left_out(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t slice = add_lane(profile, "s", &TORQ_SLICE);
    const uint32_t host = add_lane(profile, "h", &TORQ_HOST);
    add_event(profile, slice, EVENT_SPAN, "conv\nadd", 1000, 2001);
    add_event(profile, slice, EVENT_INSTANT, "mark", 5, 5);
    add_event(profile, host, EVENT_SPAN, "main", 0, 10);
    add_event(profile, host, EVENT_SPAN, "main", 10, 20);
    add_event(profile, host, EVENT_COUNTER, "load", 10, 10);
    assert_null(profile_finish(profile));
    char *text = written(profile, TORQ_C1);
    assert_string_equal(text, "ID,Start,End,Location,Op Type\nS0,800,1601,,conv add\n");
    assert_losses(profile,
                  "not carried 2: torq-c1 has no place for 2 spans of other engines\n"
                  "not carried 1: torq-c1 has no place for 1 instants\n"
                  "not carried 1: torq-c1 has no place for 1 counter samples\n"
                  "remark 1: 1 line breaks in texts are written as blanks\n"
                  "remark 1: 1 spans are not in cycles; their times are converted at 800 MHz\n");
    free(text);
    profile_free(profile);
}

// Runtime forms ---------------------------------------------------------------

static void r1_rows_are_in_order_of_their_ends(void **state)
{
    (void)state;
    assert_writes("0;100;30;loc(\"a;b\":1:2)\n1;90;10;\n2;99;9;loc(unknown)\n", TORQ_R1,
                  "ID;time_since_open;time_since_start;Location\n"
                  "1;90;10;\n"
                  "2;99;9;loc(unknown)\n"
                  "0;100;30;loc(\"a;b\":1:2)\n",
                  "");
    assert_round_trip("0;100;30;loc(\"a;b\":1:2)\n1;90;10;\n2;99;9;loc(unknown)\n", TORQ_R1);
}

static const char R2_TEXT[] = "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                              "0,0,1000,ALLOC_START,loc(\"a, b\":1:2)\n"
                              "0,5,1005,ALLOC_END,loc(\"a, b\":1:2)\n"
                              "2,20,1020,NSS_START,\n"
                              "2,22,1022,NSS_START_END,\n"
                              "3,22,1022,NSS_WAIT_START,\n"
                              "3,90,1090,NSS_WAIT_END,\n"
                              "-1,100,1100,Unknown,\n";

static void r2_is_written_as_the_runtime_writes_it(void **state)
{
    (void)state;
    assert_writes(R2_TEXT, TORQ_R2, R2_TEXT, "");
    assert_round_trip(R2_TEXT, TORQ_R2);
    // The programs that are derived from R2 are the jobs of R1.
    assert_writes(R2_TEXT, TORQ_R1, "ID;time_since_open;time_since_start;Location\n0;1090;70;\n",
                  "not carried 3: torq-r1 has no place for 3 spans of other engines\n"
                  "not carried 1: torq-r1 has no place for 1 instants\n");
}

static const char R4_TEXT[] = "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                              "\"a, b\",0,-1,100,INIT_BEGIN\n"
                              "\"a, b\",0,-1,120,INIT_END\n"
                              "__HAL__,1,-1,120,HAL_CALL_BEGIN\n"
                              "main,5000000000,0,120,ALLOC_BEGIN\n"
                              "main,5000000000,0,120,ALLOC_END\n"
                              "main,2,-1,125,DISPATCH_BEGIN\n"
                              "main,2,1,130,NSS_START_BEGIN\n"
                              "main,2,1,132,NSS_START_END\n"
                              "main,2,2,132,NSS_WAIT_BEGIN\n"
                              "__HAL__,1,-1,200,HAL_CALL_END\n"
                              "main,2,2,210,NSS_WAIT_END\n"
                              "main,2,-1,210,DISPATCH_END\n";

static void r4_carries_what_it_had(void **state)
{
    (void)state;
    assert_writes(R4_TEXT, TORQ_R4, R4_TEXT, "");
    assert_round_trip(R4_TEXT, TORQ_R4);
}

static void r2_and_r4_lose_what_the_other_has(void **state)
{
    (void)state;
    assert_writes("main,2,1,130,ALLOC_BEGIN\nmain,2,1,132,ALLOC_END\n", TORQ_R2,
                  "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                  "1,0,130,ALLOC_START,\n"
                  "1,2,132,ALLOC_END,\n",
                  "remark 1: torq-r2 has no place for 1 dispatch names and invocations\n");
    assert_writes("1,0,130,ALLOC_START,loc(unknown)\n1,2,132,ALLOC_END,loc(unknown)\n", TORQ_R4,
                  "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                  ",0,1,130,ALLOC_BEGIN\n"
                  ",0,1,132,ALLOC_END\n",
                  "remark 1: torq-r4 has no place for 1 locations\n");
}

static void r2_has_no_place_for_engines_of_the_npu(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t slice = add_lane(profile, "s", &TORQ_SLICE);
    const uint32_t host = add_lane(profile, "h", &TORQ_HOST);
    add_event(profile, slice, EVENT_SPAN, "conv", 1000, 2001);
    add_event(profile, host, EVENT_SPAN, "main", 1999, 5000);
    add_event(profile, host, EVENT_INSTANT, "odd_END", 2500, 2500);
    add_event(profile, host, EVENT_COUNTER, "load", 2500, 2500);
    assert_null(profile_finish(profile));
    char *text = written(profile, TORQ_R2);
    assert_string_equal(text, "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
                              "-1,0,1,main_START,\n-1,4,5,main_END,\n");
    assert_losses(profile,
                  "not carried 1: torq-r2 has no place for 1 spans of other engines\n"
                  "not carried 1: torq-r2 has no place for 1 instants\n"
                  "not carried 1: torq-r2 has no place for 1 counter samples\n"
                  "remark 1: 1 events are not in microseconds; their times are rounded down\n");
    free(text);
    profile_free(profile);
}

// Spans that lie in or one after another, begin and end together, or take no
// time; all with the same key, so that only the order of the rows tells them
// apart.
static void add_spans(FILE *out, unsigned *seed, uint64_t from, uint64_t to, int depth)
{
    for (uint64_t at = from; at < to && depth > 0;) {
        const uint64_t start = at + (uint64_t)rand_r(seed) % 3;
        const uint64_t end = start + (uint64_t)rand_r(seed) % 9;
        if (end > to)
            return;
        fprintf(out, "d,0,-1,%" PRIu64 ",HAL_CALL_BEGIN\n", start);
        add_spans(out, seed, start, end, depth - 1);
        fprintf(out, "d,0,-1,%" PRIu64 ",HAL_CALL_END\n", end);
        at = end + (uint64_t)rand_r(seed) % 2;
        if (rand_r(seed) % 8 == 0)
            return;
    }
}

static void spans_that_begin_and_end_together_stay_apart(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        unsigned seed = round;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        fputs("dispatch_name,invocation_id,action_id,timestamp_us,event\n", out);
        fputs("d,0,0,0,ALLOC_BEGIN\nd,0,0,1,ALLOC_END\n", out);
        add_spans(out, &seed, 10, 60, 4);
        fclose(out);
        assert_round_trip(text, TORQ_R4);
        free(text);
    }
}

// Failures --------------------------------------------------------------------

static void some_forms_are_not_written(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const enum torq_form forms[] = {TORQ_C3, TORQ_R3, TORQ_UNKNOWN};
    for (size_t i = 0; i < 3; i++) {
        const status compile = torq_compile_write(profile, forms[i], "/nonexistent/x.csv");
        const status runtime =
            torq_runtime_write(profile, forms[i], TORQ_SINCE_FIRST, "/nonexistent/x.csv");
        assert_int_equal(status_code_of(compile), STATUS_USAGE);
        assert_int_equal(status_code_of(runtime), STATUS_USAGE);
        status_free(compile);
        status_free(runtime);
    }
    const status crossed = torq_compile_write(profile, TORQ_R1, "/nonexistent/x.csv");
    assert_int_equal(status_code_of(crossed), STATUS_USAGE);
    status_free(crossed);
    profile_free(profile);
}

static void files_that_cannot_be_written_are_failures(void **state)
{
    (void)state;
    struct profile *profile = read_text(R2_TEXT);
    const status nowhere =
        torq_runtime_write(profile, TORQ_R2, TORQ_SINCE_FIRST, "/nonexistent/x.csv");
    assert_int_equal(status_code_of(nowhere), STATUS_NOT_FOUND);
    status_free(nowhere);
    const status full = torq_compile_write(profile, TORQ_C1, "/dev/full");
    assert_int_equal(status_code_of(full), STATUS_IO);
    status_free(full);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_the_documented_ones),
        cmocka_unit_test(c1_is_sorted_and_has_no_place_for_bytes),
        cmocka_unit_test(c2_carries_what_it_had),
        cmocka_unit_test(c4_numbers_its_rows_and_does_not_say_what_a_slice_computes),
        cmocka_unit_test(c1_makes_ids_by_the_convention),
        cmocka_unit_test(compile_forms_round_trip),
        cmocka_unit_test(other_clocks_are_converted_and_other_engines_left_out),
        cmocka_unit_test(r1_rows_are_in_order_of_their_ends),
        cmocka_unit_test(r2_is_written_as_the_runtime_writes_it),
        cmocka_unit_test(r4_carries_what_it_had),
        cmocka_unit_test(r2_and_r4_lose_what_the_other_has),
        cmocka_unit_test(r2_has_no_place_for_engines_of_the_npu),
        cmocka_unit_test(spans_that_begin_and_end_together_stay_apart),
        cmocka_unit_test(some_forms_are_not_written),
        cmocka_unit_test(files_that_cannot_be_written_are_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
