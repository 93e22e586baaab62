// The profile's own file form: nothing is lost, and what is cut off or damaged
// is accounted for.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profile/file.h"
#include "temporary_file.h"

enum { EVENTS = 3000 };

static uint32_t text(struct profile *profile, const char *words)
{
    return profile_string(profile, view_of(words));
}

static void add_events(struct profile *profile, uint32_t lane, uint32_t counter, uint32_t call)
{
    struct bytes values = {0};
    for (uint64_t i = 0; i < EVENTS; i++) {
        values.size = 0;
        value_add_text(&values, text(profile, "ID"), VIEW_LITERAL("DI7"));
        value_add_flow(&values, i % 2 == 0 ? VALUE_FLOW_OUT : VALUE_FLOW_IN, i / 2 + 1);
        const uint64_t start = i % 100 == 50 ? (1ull << 40) + i : i * 10;
        profile_event_add(profile,
                          &(struct event){.start = start,
                                          .end = start + 7,
                                          .track = lane,
                                          .name = text(profile, "conv2d"),
                                          .call = call},
                          bytes_view(&values));
        values.size = 0;
        value_add_uint(&values, 0, i * i);
        profile_event_add(
            profile, &(struct event){.start = i, .end = i, .track = counter, .kind = EVENT_COUNTER},
            bytes_view(&values));
    }
    bytes_free(&values);
}

static struct profile *make_profile(void)
{
    struct profile *profile = profile_create();
    struct bytes values = {0};
    value_add_uint(&values, text(profile, "macs"), 123456789);
    const uint32_t clock = profile_clock_add(profile, "cycles", 800000000, 3, 4);
    const struct track process = {.name = text(profile, "npu"), .kind = TRACK_PROCESS, .rank = -2};
    const uint32_t parent = profile_track_add(profile, &process);
    const struct track lane = {.parent = parent,
                               .name = text(profile, "SLICE 3"),
                               .clock = clock,
                               .kind = TRACK_LANE,
                               .role = ROLE_COMPUTE,
                               .engine = profile_string(profile, VIEW_LITERAL("matrix")),
                               .device = 2,
                               .core = 4,
                               .queue = profile_string(profile, VIEW_LITERAL("stream 7")),
                               .by_name = true,
                               .index = 3,
                               .provenance = PROVENANCE_MODELLED,
                               .nests = true,
                               .values = bytes_view(&values),
                               .ledger = {.expected = EVENTS + 2, .lost = 2}};
    const struct track counter = {.parent = parent,
                                  .name = text(profile, "memory"),
                                  .kind = TRACK_COUNTER,
                                  .unit = text(profile, "bytes"),
                                  .ledger = {.expected = LEDGER_UNKNOWN}};
    const struct operator_description op = {.name = text(profile, "/layer1/conv"),
                                            .type = text(profile, "conv2d"),
                                            .location = text(profile, "loc(\"a.mlir\":1:2)"),
                                            .values = bytes_view(&values)};
    const struct call call = {.operator_id = profile_operator_add(profile, &op),
                              .iteration = 1,
                              .invocation = 2,
                              .device = 3,
                              .replay = 4,
                              .domain = text(profile, "cuda"),
                              .key = UINT64_MAX,
                              .values = bytes_view(&values)};
    const uint32_t call_id = profile_call_add(profile, &call);
    const uint32_t lane_id = profile_track_add(profile, &lane);
    add_events(profile, lane_id, profile_track_add(profile, &counter), call_id);
    profile_buffer_add(profile, &(struct buffer_lifetime){.memory = text(profile, "lram"),
                                                          .device = 1,
                                                          .core = 3,
                                                          .owner = call.operator_id,
                                                          .clock = clock,
                                                          .address = 640,
                                                          .size = 1024,
                                                          .from = 1,
                                                          .to = 9});
    profile_fact_add(profile, "source", VIEW_LITERAL("trace.csv"));
    profile_note(profile, 0, LEDGER_REMARK, 1, "trace.csv: has no newline at its end");
    bytes_free(&values);
    return profile;
}

static struct profile *load(const char *data, size_t size, status *out_failure)
{
    struct profile *profile = profile_create();
    *out_failure = profile_load(input_over("saved", (struct view){data, size}), profile);
    return profile;
}

// Adds up everything that an event holds.
struct digest {
    struct event_sink sink;
    uint64_t sum;
    uint64_t count;
};

static status add_up(struct event_sink *sink, const struct event_batch *batch)
{
    struct digest *digest = (struct digest *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct view values = event_values(batch, event);
        uint64_t one = event->start * 3 + event->end * 5 + event->name * 7 + event->call * 11 +
                       event->track * 13 + (uint64_t)event->kind * 17;
        for (size_t k = 0; k < values.size; k++)
            one = one * 31 + (unsigned char)values.data[k];
        digest->sum = digest->sum * 1000003 + one;
        digest->count++;
    }
    return STATUS_OK;
}

static struct digest digest_of(struct profile *profile)
{
    struct digest digest = {.sink.take = add_up};
    assert_true(profile_replay(profile, &digest.sink) == STATUS_OK);
    return digest;
}

static struct input *saved(struct profile *profile)
{
    struct input *input;
    assert_true(profile_save(profile, path) == STATUS_OK);
    assert_true(input_open(path, &input) == STATUS_OK);
    assert_true(profile_file_recognise(input->bytes));
    return input;
}

static void assert_same_tables(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->strings.texts.count, b->strings.texts.count);
    for (uint32_t i = 0; i < a->strings.texts.count; i++)
        assert_true(view_equal(profile_text(a, i), profile_text(b, i)));
    assert_int_equal(a->clocks.count, b->clocks.count);
    const struct clock_domain *clock = profile_clock(b, 1);
    assert_true(view_is(profile_text(b, clock->name), "cycles"));
    assert_true(clock->frequency == 800000000 && clock->base_ticks == 3 && clock->base_ns == 4);
    assert_true(clock_to_ns(clock, 11) == clock_to_ns(profile_clock(a, 1), 11));
    assert_int_equal(a->tracks.count, b->tracks.count);
    for (uint32_t i = 0; i < a->tracks.count; i++) {
        struct track x = *profile_track(a, i);
        struct track y = *profile_track(b, i);
        assert_true(view_equal(x.values, y.values));
        x.values = y.values = VIEW_LITERAL("");
        assert_true(x.ledger.expected == y.ledger.expected);
        assert_true(x.ledger.recorded == y.ledger.recorded && x.ledger.lost == y.ledger.lost);
        assert_int_equal(x.rank, y.rank);
        assert_true(x.parent == y.parent && x.name == y.name && x.clock == y.clock);
        assert_true(x.kind == y.kind && x.role == y.role && x.engine == y.engine &&
                    x.index == y.index && x.device == y.device && x.core == y.core &&
                    x.queue == y.queue && x.by_name == y.by_name);
        assert_true(x.provenance == y.provenance && x.nests == y.nests && x.unit == y.unit);
        assert_true(x.first == y.first && x.last == y.last && x.unsorted == y.unsorted);
    }
    const struct call *call = profile_call(b, 1);
    assert_true(call->iteration == 1 && call->invocation == 2 && call->device == 3);
    assert_true(call->replay == 4 && call->key == UINT64_MAX && call->domain != 0);
    assert_true(view_equal(call->values, profile_call(a, 1)->values));
    assert_int_equal(profile_operator(b, 1)->location, profile_operator(a, 1)->location);
    assert_int_equal(b->buffers.count, 1);
    const struct buffer_lifetime *buffer = segments_get(&b->buffers, 0);
    assert_true(view_is(profile_text(b, buffer->memory), "lram"));
    assert_true(buffer->owner == 1 && buffer->clock == 1 && buffer->address == 640);
    assert_true(buffer->device == 1 && buffer->core == 3);
    assert_true(buffer->size == 1024 && buffer->from == 1 && buffer->to == 9);
    assert_true(view_is(profile_fact(b, "source"), "trace.csv"));
    assert_int_equal(b->notes.count, 1);
}

static void everything_comes_back(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct input *input = saved(profile);
    struct profile *again = profile_create();
    assert_true(profile_load(input, again) == STATUS_OK);
    assert_same_tables(profile, again);
    const struct digest a = digest_of(profile);
    const struct digest b = digest_of(again);
    assert_true(a.count == 2 * EVENTS && b.count == a.count && a.sum == b.sum);
    profile_free(profile);
    profile_free(again);
}

static void the_same_profile_gives_the_same_bytes(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct input *first = saved(profile);
    char *bytes = memory_allocate(first->bytes.size);
    const size_t size = first->bytes.size;
    memcpy(bytes, first->bytes.data, size);
    struct profile *again = profile_create();
    assert_true(profile_load(first, again) == STATUS_OK);
    profile_free(profile);
    profile = make_profile();
    struct input *second = saved(profile);
    assert_int_equal(second->bytes.size, size);
    assert_memory_equal(second->bytes.data, bytes, size);
    input_close(second);
    free(bytes);
    profile_free(again);
    profile_free(profile);
}

static void a_file_cut_anywhere_reads_up_to_the_cut(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct input *input = saved(profile);
    uint64_t most = 0;
    for (size_t cut = 0; cut < input->bytes.size; cut += 1 + cut / 64) {
        status failure;
        struct profile *part = load(input->bytes.data, cut, &failure);
        if (failure == STATUS_OK) {
            const struct digest digest = digest_of(part);
            const struct ledger ledger = profile_ledger(part);
            assert_true(digest.count >= most);
            most = digest.count;
            assert_true(ledger.recorded == digest.count);
            // The tracks' announced events that are not there are lost.
            if (part->tracks.count == profile->tracks.count &&
                profile_track(part, 0)->ledger.expected != LEDGER_UNKNOWN)
                assert_true(ledger.recorded + ledger.lost == 2 * EVENTS + 2);
            assert_true(part->note_counts[LEDGER_REMARK] > 0);
        }
        status_free(failure);
        profile_free(part);
    }
    assert_true(most > EVENTS);
    input_close(input);
    profile_free(profile);
}

static void damage_is_noticed_and_never_believed(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct input *input = saved(profile);
    const size_t size = input->bytes.size;
    char *bytes = memory_allocate(size);
    const struct digest whole = digest_of(profile);
    for (size_t at = 16; at < size; at += 1 + at / 50) {
        memcpy(bytes, input->bytes.data, size);
        bytes[at] ^= 0x41;
        status failure;
        struct profile *part = load(bytes, size, &failure);
        if (failure == STATUS_OK) {
            const struct digest digest = digest_of(part);
            const bool complete = digest.count == whole.count && digest.sum == whole.sum;
            const struct ledger ledger = profile_ledger(part);
            if (!complete && ledger.lost <= 2 &&
                profile_track(part, 0)->ledger.expected != LEDGER_UNKNOWN)
                fail_msg("byte %zu: %llu events", at, (unsigned long long)digest.count);
        }
        status_free(failure);
        profile_free(part);
    }
    free(bytes);
    input_close(input);
    profile_free(profile);
}

// Checksums do not help against who computes them.
static void tables_that_name_what_is_not_there_are_refused(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        struct profile *profile = make_profile();
        struct bytes values = {0};
        value_add_uint(&values, which == 1 ? 0 : 99999, 1);
        if (which == 1)
            value_add_string(&values, 0, 99999);
        const struct track track = {.kind = TRACK_LANE, .values = bytes_view(&values)};
        const struct operator_description op = {.values = bytes_view(&values)};
        const struct call call = {.values = bytes_view(&values)};
        if (which == 0)
            profile_track_add(profile, &track);
        else if (which == 1)
            profile_operator_add(profile, &op);
        else
            profile_call_add(profile, &call);
        bytes_free(&values);
        struct input *input = saved(profile);
        profile_free(profile);
        status failure;
        profile_free(load(input->bytes.data, input->bytes.size, &failure));
        assert_int_equal(status_code_of(failure), STATUS_DATA);
        status_free(failure);
        input_close(input);
    }
}

static void a_newer_version_is_refused_with_advice(void **state)
{
    (void)state;
    const char header[16] = "OPSCOPE\n\x63";
    status failure;
    profile_free(load(header, sizeof header, &failure));
    assert_int_equal(status_code_of(failure), STATUS_UNSUPPORTED);
    assert_non_null(strstr(status_message(failure), "version 99"));
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(the_same_profile_gives_the_same_bytes),
        cmocka_unit_test(a_file_cut_anywhere_reads_up_to_the_cut),
        cmocka_unit_test(damage_is_noticed_and_never_believed),
        cmocka_unit_test(tables_that_name_what_is_not_there_are_refused),
        cmocka_unit_test(a_newer_version_is_refused_with_advice),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
