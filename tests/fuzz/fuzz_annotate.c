// Any spans as a run of a program: joined with it, every span has a row, and folded rows
// stand for as many runs as there were. 10 bytes a span.

#include <stdlib.h>

#include "compiler/compiler.h"
#include "device/describe.h"
#include "program/print.h"
#include "reports/torq/annotate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char NETWORK[] = "func.func @main(%a: tensor<300x96xi32>) -> tensor<300x96xi32> {\n"
                              "  %0 = tosa.abs %a : (tensor<300x96xi32>) -> tensor<300x96xi32>\n"
                              "  return %0 : tensor<300x96xi32>\n}\n";

enum { SPAN_BYTES = 10, SPANS_MOST = 32, LANES_MOST = 8, ITERATIONS_MOST = 8 };

// For as long as the process lives.
static struct target *target;
static struct network *network;
static struct plan *plan;
static struct program_builder *builder;
static struct program program;

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void compile_once(void)
{
    if (target != NULL)
        return;
    check(target_open("torq-sl2610", &target) == STATUS_OK);
    check(network_read(input_over("fuzz.mlir", VIEW_LITERAL(NETWORK)), NULL, &network) ==
          STATUS_OK);
    plan = plan_create(network, target);
    builder = program_builder_create(target->text, view_of("network"));
    check(compile_network(plan, &(struct compile_options){0}, builder) == STATUS_OK);
    program_builder_view(builder, &program);
}

// Lanes of the target, and one of none.
static uint32_t add_lanes(struct profile *profile, uint32_t lanes[LANES_MOST])
{
    const struct describing describing = {&program, target, .profile = profile};
    uint32_t count = 0;
    for (uint32_t e = 0; e < target->engine_count; e++) {
        for (uint32_t i = 0; i < target->engines[e].count && count + 1 < LANES_MOST; i++) {
            const struct track lane = describing_lane(&describing, e, 0, i);
            lanes[count++] = profile_track_add(profile, &lane);
        }
    }
    const struct track other = {.kind = TRACK_LANE,
                                .name = profile_string(profile, VIEW_LITERAL("other"))};
    lanes[count++] = profile_track_add(profile, &other);
    return count;
}

// A byte each: lane and what it is, iteration, start, duration; two bytes: number, name.
static void add_span(struct profile *profile, const uint8_t *from, uint32_t lane)
{
    struct bytes values = {0};
    const char *const kinds[] = {"program_task", "action", "task", "bytes"};
    const uint64_t number =
        from[2] == 255 ? UINT64_MAX - from[3] : (uint64_t)from[2] << 8 | from[3];
    const uint32_t dispatch =
        profile_string(profile, view_of(program_text(&program, program.dispatches[0].name)));
    value_add_uint(&values, profile_string(profile, view_of(kinds[from[1] % 4])), number);
    if (from[1] & 16)
        value_add_uint(&values, profile_string(profile, VIEW_LITERAL("iteration")),
                       from[4] == 255 ? UINT64_MAX : from[4] % ITERATIONS_MOST);
    if (from[1] & 32)
        value_add_string(&values, profile_string(profile, VIEW_LITERAL("dispatch")), dispatch);
    if (from[1] & 64) // as text, and a number where a text belongs
        value_add_uint(&values, profile_string(profile, VIEW_LITERAL("dispatch")), number);
    const struct event event = {
        .kind = EVENT_SPAN,
        .track = lane,
        .start = from[5],
        .end = (uint64_t)from[5] + (from[6] == 255 ? UINT64_MAX / 4 : from[6]),
        .name = profile_string(profile, view_of(program_action_kind_name(from[7] % 7)))};
    profile_event_add(profile, &event, bytes_view(&values));
    bytes_free(&values);
}

// In one of its forms: the others have the same cells.
static void write_form(const struct annotation *annotation, unsigned form)
{
    struct table *table = annotate_table(annotation);
    if (form % 8 == 0)
        check(annotate_write_xlsx(table, "/dev/null") == STATUS_OK);
    else if (form % 2 == 0)
        check(annotate_write_json(annotation, table, "/dev/null") == STATUS_OK);
    else
        check(annotate_write_csv(table, "/dev/null") == STATUS_OK);
    table_free(table);
}

// Rows that come from a span.
static uint64_t timed_rows(const struct annotation *annotation)
{
    uint64_t count = 0;
    for (size_t i = 0; i < annotation->count; i++)
        count += annotation->rows[i].timed ? annotation->rows[i].runs : 0;
    return count;
}

static void join(struct profile *profile, uint64_t spans, unsigned form)
{
    struct annotation annotation = {.program = &program,
                                    .target = target,
                                    .profile = profile,
                                    .source = annotate_source_create("program.opx", NULL)};
    const status failure = annotate_join_run(&annotation, "run.prof");
    if (failure == STATUS_OK) {
        check(timed_rows(&annotation) == spans);
        check(annotation.unmatched <= spans);
        write_form(&annotation, form);
        annotate_fold(&annotation);
        check(timed_rows(&annotation) == spans);
        write_form(&annotation, form + 1);
    }
    status_free(failure);
    annotate_source_free(annotation.source);
    annotate_free(&annotation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compile_once();
    struct profile *profile = profile_create();
    uint32_t lanes[LANES_MOST];
    const uint32_t lane_count = add_lanes(profile, lanes);
    uint64_t spans = 0;
    profile_fact_add(profile, "device", VIEW_LITERAL("host: times are this machine's"));
    for (size_t i = 0; i + SPAN_BYTES <= size && i < SPANS_MOST * SPAN_BYTES; i += SPAN_BYTES) {
        add_span(profile, data + i, lanes[data[i] % lane_count]);
        spans += data[i + 1] % 4 < 2; // a task or an action
    }
    check(profile_finish(profile) == STATUS_OK);
    join(profile, spans, size > 0 ? data[size - 1] : 0);
    profile_free(profile);
    return 0;
}
