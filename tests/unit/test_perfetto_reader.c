// What the reader makes of traces, as text: one line per track, event and note.

#include "perfetto_support.h"

#include <stdio.h>
#include <zlib.h>

static void spans_nest_and_instants_stand_between(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 5, "lane");
    put_begin(&trace, 10, 5, "outer");
    put_span(&trace, 12, 15, 5, "inner");
    put_event(&trace, 16, event(PERFETTO_TYPE_INSTANT, 5, "now"));
    put_end(&trace, 20, 5);
    assert_reads(trace, "lane /lane\n  10-20 outer\n  12-15 inner\n  16 now\n");
}

static void processes_hold_threads_and_their_own_spans(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes process = {0};
    put_number(&process, PERFETTO_PROCESS_PID, 7);
    put_text(&process, PERFETTO_PROCESS_NAME, "proc");
    struct bytes thread = {0};
    put_number(&thread, PERFETTO_THREAD_PID, 7);
    put_number(&thread, PERFETTO_THREAD_TID, 8);
    put_text(&thread, PERFETTO_THREAD_NAME, "main");
    struct bytes process_track = track(1, "its descriptor", 0);
    put_message(&process_track, PERFETTO_DESCRIPTOR_PROCESS, process);
    struct bytes thread_track = track(2, NULL, 0);
    put_message(&thread_track, PERFETTO_DESCRIPTOR_THREAD, thread);
    put_descriptor(&trace, thread_track); // before its process
    put_descriptor(&trace, process_track);
    put_span(&trace, 1, 2, 2, "a");
    put_span(&trace, 3, 4, 1, "b");
    assert_reads(trace, "process /proc\nlane proc/proc\n  3-4 b\nlane proc/main\n  1-2 a\n");
}

static void groups_come_before_what_they_hold(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_span(&trace, 1, 2, 3, "a");
    put_descriptor(&trace, track(3, "leaf", 2));
    put_descriptor(&trace, track(2, "middle", 1));
    put_track(&trace, 1, "top");
    assert_reads(trace, "process /top\ngroup top/middle\nlane middle/leaf\n  1-2 a\n");
}

static void undeclared_tracks_are_named_after_their_first_event(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_span(&trace, 1, 2, 3, "Slice 1");
    put_span(&trace, 3, 4, 3, "other");
    struct profile *profile = read_trace(bytes_view(&trace));
    assert_int_equal(profile_track(profile, 1)->role, ROLE_COMPUTE);
    assert_int_equal(profile_track(profile, 1)->index, 1);
    profile_free(profile);
    assert_reads(trace, "lane /Slice 1\n  1-2 Slice 1\n  3-4 other\n");
}

static void overviews_are_no_engines(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "Host Profile Overview");
    put_descriptor(&trace, track(2, "CSS", 1));
    put_track(&trace, 3, "NPU Task Breakdown");
    put_descriptor(&trace, track(4, "CSS", 3));
    put_descriptor(&trace, track(5, "CSS (Compile)", 3));
    struct profile *profile = read_trace(bytes_view(&trace));
    assert_int_equal(profile_track(profile, 2)->role, ROLE_NONE);
    assert_int_equal(profile_track(profile, 4)->role, ROLE_CONTROL);
    assert_int_equal(profile_track(profile, 4)->provenance, PROVENANCE_MEASURED);
    assert_int_equal(profile_track(profile, 5)->provenance, PROVENANCE_MODELLED);
    profile_free(profile);
    bytes_free(&trace);
}

static void interned_texts_hold_until_the_state_is_cleared(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    for (int round = 0; round < 2; round++) {
        struct bytes interned = {0};
        put_entry(&interned, PERFETTO_INTERNED_EVENT_NAME, 9, round == 0 ? "first" : "third");
        put_entry(&interned, PERFETTO_INTERNED_EVENT_NAME, 9, "second");
        put_entry(&interned, PERFETTO_INTERNED_CATEGORY, 1, round == 0 ? "x" : "z");
        put_entry(&interned, PERFETTO_INTERNED_CATEGORY, 2, "y");
        put_entry(&interned, PERFETTO_INTERNED_ANNOTATION_NAME, 1, "key");
        put_entry(&interned, PERFETTO_INTERNED_STRING, 1, "value");
        struct bytes packet = {0};
        put_message(&packet, PERFETTO_PACKET_INTERNED_DATA, interned);
        put_state(&trace, 1, packet);
        struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, NULL);
        put_number(&begin, PERFETTO_EVENT_NAME_IID, 9);
        put_number(&begin, PERFETTO_EVENT_CATEGORY_IID, 1);
        put_number(&begin, PERFETTO_EVENT_CATEGORY_IID, 2);
        struct bytes annotation = {0};
        put_number(&annotation, PERFETTO_ANNOTATION_NAME_IID, 1);
        put_number(&annotation, PERFETTO_ANNOTATION_STRING_IID, 1);
        put_message(&begin, PERFETTO_EVENT_ANNOTATION, annotation);
        put_event_on(&trace, 1, PERFETTO_STATE_NEEDED, (uint64_t)round * 10, begin);
        put_end(&trace, (uint64_t)round * 10 + 5, 1);
    }
    assert_reads(trace, "lane /lane\n  0-5 first category='x,y' key='value'\n"
                        "  10-15 third category='z,y' key='value'\n");
}

static void events_that_need_lost_state_are_accounted_for(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    put_event_on(&trace, 4, PERFETTO_STATE_NEEDED, 1, event(PERFETTO_TYPE_BEGIN, 1, "lost"));
    put_event_on(&trace, 4, PERFETTO_STATE_NEEDED, 2, event(PERFETTO_TYPE_END, 1, NULL));
    put_event_on(&trace, 4, PERFETTO_STATE_CLEARED, 3, event(PERFETTO_TYPE_INSTANT, 1, "kept"));
    assert_reads(trace, "lane /lane\n  3 kept\nlost 1: t: events that need names or defaults from"
                        " a lost packet: 1\n");
}

static void delta_clocks_and_defaults_belong_to_a_sequence(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    struct bytes snapshot = {0};
    put_clock(&snapshot, 64, 100, true, 40);
    put_clock(&snapshot, PERFETTO_CLOCK_BOOTTIME, 5000, false, 1);
    struct bytes event_defaults = {0};
    put_number(&event_defaults, PERFETTO_EVENT_TRACK, 1);
    struct bytes defaults = {0};
    put_message(&defaults, PERFETTO_DEFAULTS_TRACK_EVENT, event_defaults);
    put_number(&defaults, PERFETTO_DEFAULTS_CLOCK, 64);
    struct bytes packet = {0};
    put_message(&packet, PERFETTO_PACKET_CLOCK_SNAPSHOT, snapshot);
    put_message(&packet, PERFETTO_PACKET_DEFAULTS, defaults);
    put_state(&trace, 3, packet);
    put_event_on(&trace, 3, PERFETTO_STATE_NEEDED, 2, event(PERFETTO_TYPE_BEGIN, 0, "a"));
    put_event_on(&trace, 3, PERFETTO_STATE_NEEDED, 5, event(PERFETTO_TYPE_END, 0, NULL));
    put_event_on(&trace, 3, 0, (uint64_t)-4, event(PERFETTO_TYPE_INSTANT, 0, "back"));
    put_event_on(&trace, 3, 0, (uint64_t)-1000, event(PERFETTO_TYPE_INSTANT, 0, "too far"));
    assert_reads(trace, "lane /lane\n  5080-5280 a\n  5120 back\nlost 1: t: events before time 0"
                        " or beyond 2^63 ns: 1\n");
}

static void clocks_without_a_snapshot_lose_their_events(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes packet = {0};
    put_number(&packet, PERFETTO_PACKET_TIMESTAMP, 5);
    put_number(&packet, PERFETTO_PACKET_SEQUENCE, 1);
    put_number(&packet, PERFETTO_PACKET_CLOCK, 70);
    put_message(&packet, PERFETTO_PACKET_TRACK_EVENT, event(PERFETTO_TYPE_INSTANT, 1, "lost"));
    put_packet(&trace, packet);
    assert_reads(trace, "lost 1: t: events on a clock without a snapshot (clock 70): 1\n");
}

static void annotations_become_values_flat(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, "a");
    put_annotation(&begin, "bool", PERFETTO_ANNOTATION_BOOL, 1);
    put_annotation(&begin, "uint", PERFETTO_ANNOTATION_UINT, UINT64_MAX);
    put_annotation(&begin, "int", PERFETTO_ANNOTATION_INT, (uint64_t)-5);
    put_annotation(&begin, "pointer", PERFETTO_ANNOTATION_POINTER, 17);
    struct bytes inner = {0};
    put_text(&inner, PERFETTO_ANNOTATION_NAME, "x");
    put_fixed(&inner, PERFETTO_ANNOTATION_DOUBLE, protobuf_from_double(2.5));
    struct bytes item = {0};
    put_message(&item, PERFETTO_ANNOTATION_DICTIONARY_ENTRY, inner);
    struct bytes plain = {0};
    put_text(&plain, PERFETTO_ANNOTATION_STRING, "text");
    struct bytes array = {0};
    put_text(&array, PERFETTO_ANNOTATION_NAME, "list");
    put_message(&array, PERFETTO_ANNOTATION_ARRAY_VALUE, plain);
    put_message(&array, PERFETTO_ANNOTATION_ARRAY_VALUE, item);
    put_message(&begin, PERFETTO_EVENT_ANNOTATION, array);
    put_event(&trace, 1, begin);
    struct bytes end = event(PERFETTO_TYPE_END, 1, NULL);
    put_annotation(&end, "late", PERFETTO_ANNOTATION_UINT, 3);
    put_event(&trace, 9, end);
    assert_reads(trace, "lane /a\n  1-9 a bool=(1) uint=18446744073709551615 int=-5 pointer=17"
                        " list[0]=\"text\" list[1].x=2.5 late=3\n");
}

static void deep_annotations_are_given_up(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes annotation = {0};
    put_number(&annotation, PERFETTO_ANNOTATION_UINT, 1);
    for (int depth = 0; depth < 5000; depth++) {
        struct bytes outer = {0};
        put_text(&outer, PERFETTO_ANNOTATION_NAME, "n");
        put_message(&outer, PERFETTO_ANNOTATION_DICTIONARY_ENTRY, annotation);
        annotation = outer;
    }
    struct bytes instant = event(PERFETTO_TYPE_INSTANT, 1, "a");
    put_message(&instant, PERFETTO_EVENT_ANNOTATION, annotation);
    put_event(&trace, 1, instant);
    assert_reads(trace, "lane /a\n  1 a\nremark 1: t: debug annotations that cannot be read: 1\n");
}

static void a_location_names_the_operator(void **state)
{
    (void)state;
    static const char *const PLACES[] = {"m.mlir:1:1", "m.mlir:2:1", "m.mlir:1:1"};
    struct bytes trace = {0};
    for (uint64_t i = 0; i < 3; i++) {
        struct bytes annotation = {0};
        put_text(&annotation, PERFETTO_ANNOTATION_NAME, "location");
        put_text(&annotation, PERFETTO_ANNOTATION_STRING, PLACES[i]);
        struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, "conv2d");
        put_message(&begin, PERFETTO_EVENT_ANNOTATION, annotation);
        put_event(&trace, i * 10, begin);
        put_end(&trace, i * 10 + 5, 1);
    }
    struct profile *profile = read_trace(bytes_view(&trace));
    const struct operator_description *op =
        profile_operator(profile, profile_call(profile, 2)->operator_id);
    assert_true(view_is(profile_text(profile, op->location), "m.mlir:2:1"));
    assert_true(view_is(profile_text(profile, op->type), "conv2d"));
    profile_free(profile);
    assert_reads(trace, "lane /conv2d\n  0-5 conv2d call 1\n  10-15 conv2d call 2\n"
                        "  20-25 conv2d call 1\n");
}

static void flows_are_read_in_every_form(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, "a");
    put_fixed(&begin, PERFETTO_EVENT_FLOW, 7);
    put_number(&begin, PERFETTO_EVENT_FLOW_OLD, 300);
    put_view(&begin, PERFETTO_EVENT_FLOW, VIEW_LITERAL("\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0"));
    put_event(&trace, 1, begin);
    struct bytes end = event(PERFETTO_TYPE_END, 1, NULL);
    put_fixed(&end, PERFETTO_EVENT_FLOW_END, 7);
    put_number(&end, PERFETTO_EVENT_FLOW_END_OLD, 300);
    put_event(&trace, 9, end);
    assert_reads(trace, "lane /a\n  1-9 a >7 >300 >8 >9 <7 <300\n");
}

static void counters_multiply_and_add_up_by_sequence(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_counter_track(&trace, 1, "level", PERFETTO_UNIT_SIZE_BYTES, 1024, false);
    put_counter_track(&trace, 2, "step", PERFETTO_UNIT_COUNT, 1, true);
    put_sample(&trace, 1, 1, 1, 3);
    put_sample(&trace, 1, 2, 1, -1);
    put_sample(&trace, 1, 3, 1, INT64_MAX);
    put_sample(&trace, 1, 1, 2, 5);
    put_sample(&trace, 1, 2, 2, 6);
    put_sample(&trace, 2, 3, 2, 100);
    put_sample(&trace, 1, 4, 2, -20);
    assert_reads(trace, "counter /level in bytes\n  1  =3072\n  2  =-1024\n  3  =9.44473e+21\n"
                        "counter /step in count\n  1  =5\n  2  =11\n  3  =100\n  4  =-9\n");
}

static void extra_values_go_to_their_counters(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_counter_track(&trace, 2, "two", 0, 1, false);
    struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, "a");
    put_number(&begin, PERFETTO_EVENT_EXTRA_TRACK, 2);
    put_number(&begin, PERFETTO_EVENT_EXTRA_VALUE, 10);
    put_number(&begin, PERFETTO_EVENT_EXTRA_VALUE, 20);
    put_event(&trace, 1, begin);
    put_end(&trace, 2, 1);
    assert_reads(trace, "counter /two\n  1  =10\nlane /a\n  1-2 a\nlost 1: t: extra counter values"
                        " without a track: 1\n");
}

static void ends_are_matched_or_accounted_for(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    put_end(&trace, 1, 1);
    put_begin(&trace, 2, 1, "a");
    put_begin(&trace, 3, 1, "b");
    put_event(&trace, 4, event(PERFETTO_TYPE_END, 1, "a"));
    put_event(&trace, 5, event(PERFETTO_TYPE_END, 1, "nobody"));
    put_event(&trace, 6, event(PERFETTO_TYPE_END, 1, "b"));
    put_begin(&trace, 7, 1, "open");
    assert_reads(trace, "lane /lane\n  2-4 a\n  3-6 b\n"
                        "lost 2: t: track 'lane': ends without a beginning: 2\n"
                        "remark 1: t: track 'lane': spans that end while a later one goes on: 1\n"
                        "lost 1: t: track 'lane': spans that never end: 1\n");
}

static void spans_that_end_before_they_begin_are_impossible(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_span(&trace, 20, 10, 1, "back");
    put_span(&trace, 30, 40, 1, "fine");
    assert_reads(trace, "lane /back\n  30-40 fine\nimpossible 1: t: track 'back': spans that end"
                        " before they begin: 1\n");
}

static void the_order_of_the_file_pairs_overlapping_spans(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_span(&trace, 50, 60, 1, "late");
    put_span(&trace, 0, 10, 1, "a");
    put_span(&trace, 5, 20, 1, "b");
    assert_reads(trace, "lane /late\n  0-10 a\n  5-20 b\n  50-60 late\n");
}

static void tracks_of_several_writers_are_paired_by_time(void **state)
{
    (void)state;
    struct bytes trace = {0};
    for (uint64_t time = 20; time <= 60; time += 20)
        put_event_on(&trace, 2, 0, time, event(PERFETTO_TYPE_END, 1, NULL));
    for (uint64_t time = 10; time <= 50; time += 20) {
        struct bytes begin = event(PERFETTO_TYPE_BEGIN, 1, "x");
        put_annotation(&begin, "at", PERFETTO_ANNOTATION_UINT, time);
        put_event_on(&trace, 1, 0, time, begin);
    }
    assert_reads(trace, "lane /x\n  10-20 x at=10\n  30-40 x at=30\n  50-60 x at=50\n");
}

static void only_512_spans_are_open_at_once(void **state)
{
    (void)state;
    struct bytes trace = {0};
    for (uint64_t i = 0; i < 600; i++)
        put_begin(&trace, i, 1, "x");
    for (uint64_t i = 0; i < 600; i++)
        put_end(&trace, 1000 + i, 1);
    struct profile *profile = read_trace(bytes_view(&trace));
    const struct track *lane = profile_track(profile, 1);
    assert_int_equal(lane->ledger.recorded, 512);
    assert_int_equal(lane->ledger.lost, 88);
    assert_int_equal(lane->last, 1599);
    profile_free(profile);
    bytes_free(&trace);
}

static void legacy_events_have_durations_in_microseconds(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes legacy = {0};
    put_number(&legacy, PERFETTO_LEGACY_PHASE, 'X');
    put_number(&legacy, PERFETTO_LEGACY_DURATION_US, 4);
    struct bytes whole = event(PERFETTO_TYPE_UNSPECIFIED, 1, "whole");
    put_message(&whole, PERFETTO_EVENT_LEGACY, legacy);
    put_event(&trace, 1000, whole);
    assert_reads(trace, "lane /whole\n  1000-5000 whole\n");
}

static void other_packets_are_counted_by_kind(void **state)
{
    (void)state;
    struct bytes trace = {0};
    for (int i = 0; i < 3; i++) {
        struct bytes packet = {0};
        put_text(&packet, PERFETTO_PACKET_GPU_INFO, "");
        put_packet(&trace, packet);
    }
    assert_reads(trace, "remark 3: t: gpu_info packets, which are not read: 3\n");
}

static void put_compressed(struct bytes *trace, struct bytes packets, size_t cut)
{
    unsigned char packed[4096];
    uLongf size = sizeof packed;
    assert_int_equal(compress(packed, &size, packets.data, packets.size), Z_OK);
    struct bytes packet = {0};
    put_view(&packet, PERFETTO_PACKET_COMPRESSED, (struct view){(char *)packed, size - cut});
    put_packet(trace, packet);
    bytes_free(&packets);
}

static void compressed_packets_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    struct bytes trace = {0};
    struct bytes first = {0};
    put_track(&first, 1, "lane");
    put_span(&first, 1, 2, 1, "a");
    put_compressed(&trace, first, 0);
    struct bytes second = {0};
    put_span(&second, 3, 4, 1, "b");
    put_compressed(&trace, second, 1); // without the last byte of its checksum
    put_span(&trace, 5, 6, 1, "c");
    assert_reads(trace, "lane /lane\n  1-2 a\n  3-4 b\n  5-6 c\nlost 1: t: compressed packets that"
                        " are damaged: 1\n");
}

static void a_bomb_is_unpacked_no_further_than_the_limit(void **state)
{
    (void)state;
    const size_t size = (size_t)100 << 20;
    uLongf packed_size = compressBound(size);
    unsigned char *zeros = calloc(size, 1);
    unsigned char *packed = malloc(packed_size);
    assert_int_equal(compress(packed, &packed_size, zeros, size), Z_OK);
    struct bytes packet = {0};
    put_view(&packet, PERFETTO_PACKET_COMPRESSED, (struct view){(char *)packed, packed_size});
    struct bytes trace = {0};
    put_packet(&trace, packet);
    free(packed);
    free(zeros);
    assert_reads(trace, "lost 1: t: compressed packets that unpack to too much: 1\n");
}

static void notes_say_where(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    const size_t offset = trace.size;
    put_begin(&trace, 5, 1, "a");
    struct profile *profile = read_trace(bytes_view(&trace));
    const struct ledger_note *note = segments_get(&profile->notes, 0);
    char want[200];
    snprintf(want, sizeof want, "t: track 'lane': spans that never end: 1, the first at byte %zu",
             offset);
    assert_true(view_is(profile_text(profile, note->text), want));
    profile_free(profile);
    bytes_free(&trace);
}

static bool is_packet_boundary(struct view trace, size_t size)
{
    struct protobuf_reader reader = protobuf_read(view_slice(trace, 0, size));
    struct protobuf_field field;
    while (protobuf_next(&reader, &field))
        continue;
    return reader.ending == PROTOBUF_WHOLE;
}

static void a_trace_cut_anywhere_is_read_up_to_the_cut(void **state)
{
    (void)state;
    struct bytes trace = {0};
    size_t ends[5];
    put_track(&trace, 1, "lane");
    for (uint64_t i = 0; i < 5; i++) {
        put_span(&trace, 10 * i, 10 * i + 5, 1, "span");
        ends[i] = trace.size;
    }
    const struct view whole = bytes_view(&trace);
    for (size_t size = 1; size <= whole.size; size++) {
        struct profile *profile = read_trace(view_slice(whole, 0, size));
        const uint64_t spans = profile->tracks.count > 1 ? profile_track(profile, 1)->spans : 0;
        const bool cut = !is_packet_boundary(whole, size);
        const struct ledger *root = &profile_track(profile, 0)->ledger;
        assert_int_equal(root->lost, cut);
        assert_int_equal(root->expected, cut ? LEDGER_UNKNOWN : 0);
        assert_true(spans == 0 || size >= ends[spans - 1]);
        assert_true(spans == 5 || size < ends[spans]);
        profile_free(profile);
    }
    bytes_free(&trace);
}

static void traces_are_recognised_by_their_start(void **state)
{
    (void)state;
    struct bytes trace = {0};
    put_track(&trace, 1, "lane");
    put_span(&trace, 1, 2, 1, "a");
    const struct view whole = bytes_view(&trace);
    for (size_t size = 4; size <= whole.size; size++) // from the first tag on
        assert_true(perfetto_recognise(view_slice(whole, 0, size)));
    bytes_free(&trace);

    assert_false(perfetto_recognise(VIEW_LITERAL("")));
    assert_false(perfetto_recognise(VIEW_LITERAL("\n")));
    assert_false(perfetto_recognise(VIEW_LITERAL("\nID,Start,End,Location\nDI0,0,5,x\n")));
    assert_false(perfetto_recognise(VIEW_LITERAL("ID,Start,End,Location,Op Type\n")));
    assert_false(perfetto_recognise(VIEW_LITERAL("\n{\"traceEvents\": []}")));
    assert_false(perfetto_recognise(VIEW_LITERAL("\x08\x07\x12\x07pytorch")));  // ONNX
    assert_false(perfetto_recognise(VIEW_LITERAL("\x0a\x04\x08\x01\x10\x02"))); // pprof
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_nest_and_instants_stand_between),
        cmocka_unit_test(processes_hold_threads_and_their_own_spans),
        cmocka_unit_test(groups_come_before_what_they_hold),
        cmocka_unit_test(undeclared_tracks_are_named_after_their_first_event),
        cmocka_unit_test(overviews_are_no_engines),
        cmocka_unit_test(interned_texts_hold_until_the_state_is_cleared),
        cmocka_unit_test(events_that_need_lost_state_are_accounted_for),
        cmocka_unit_test(delta_clocks_and_defaults_belong_to_a_sequence),
        cmocka_unit_test(clocks_without_a_snapshot_lose_their_events),
        cmocka_unit_test(annotations_become_values_flat),
        cmocka_unit_test(deep_annotations_are_given_up),
        cmocka_unit_test(a_location_names_the_operator),
        cmocka_unit_test(flows_are_read_in_every_form),
        cmocka_unit_test(counters_multiply_and_add_up_by_sequence),
        cmocka_unit_test(extra_values_go_to_their_counters),
        cmocka_unit_test(ends_are_matched_or_accounted_for),
        cmocka_unit_test(spans_that_end_before_they_begin_are_impossible),
        cmocka_unit_test(the_order_of_the_file_pairs_overlapping_spans),
        cmocka_unit_test(tracks_of_several_writers_are_paired_by_time),
        cmocka_unit_test(only_512_spans_are_open_at_once),
        cmocka_unit_test(legacy_events_have_durations_in_microseconds),
        cmocka_unit_test(other_packets_are_counted_by_kind),
        cmocka_unit_test(compressed_packets_are_read_as_far_as_they_go),
        cmocka_unit_test(a_bomb_is_unpacked_no_further_than_the_limit),
        cmocka_unit_test(notes_say_where),
        cmocka_unit_test(a_trace_cut_anywhere_is_read_up_to_the_cut),
        cmocka_unit_test(traces_are_recognised_by_their_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
