// Any text as an executable-targets dump: read, evaluated by both rules, laid out as a trace,
// written and read again to the same times.

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/sim.h"
#include "formats/torq/dump_reader.h"
#include "formats/torq/dump_writer.h"
#include "reports/torq/annotate_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ok(status result)
{
    if (result == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", status_message(result));
    abort();
}

static uint64_t evaluate(const struct program_builder *builder, const struct target *target,
                         enum cost_rules rules)
{
    struct program program;
    struct sim_result *times;
    program_builder_view(builder, &program);
    check_ok(sim_run(&program, target, rules, &times));
    const uint64_t end = times->end;
    sim_result_free(times);
    return end;
}

// Every file that a location names is there, and empty, up to more than a source takes: none of
// those of this machine is opened.
static struct annotate_source *source_of_nothing(void)
{
    enum { FILES_MOST = 64 };
    struct annotate_source *source = annotate_source_create("fuzz", NULL);
    for (int i = 0; i < FILES_MOST; i++)
        annotate_source_add(source, VIEW_LITERAL(""), VIEW_LITERAL("%0 = tosa.add %a"));
    return source;
}

static void lay_out(const struct program_builder *builder, const struct target *target)
{
    struct program program;
    struct sim_result *times;
    struct profile *texts = profile_create(), *profile = profile_create();
    program_builder_view(builder, &program);
    check_ok(sim_run(&program, target, COST_RULES_BEST, &times));
    struct annotation annotation = {
        .program = &program, .target = target, .profile = texts, .source = source_of_nothing()};
    annotate_estimate(&annotation, times, ANNOTATE_LAYOUT_ALONE_HZ, PROGRAM_NONE);
    check_ok(annotate_layout(&annotation,
                             &(struct annotate_layout_options){.times = times,
                                                               .clock_hz = ANNOTATE_LAYOUT_ALONE_HZ,
                                                               .modelled = true},
                             profile));
    annotate_source_free(annotation.source);
    annotate_free(&annotation);
    profile_free(profile);
    profile_free(texts);
    sim_result_free(times);
}

static struct input *write_dump(const struct program_builder *builder, const struct target *target)
{
    struct program program;
    struct output *output;
    struct input *input;
    char path[64];
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    program_builder_view(builder, &program);
    check_ok(output_open(path, &output));
    check_ok(torq_dump_write(&program, target, NULL, true, output));
    check_ok(output_close(output));
    check_ok(input_open(path, &input));
    close(file);
    return input;
}

static void check_again(const struct program_builder *builder, const struct target *target)
{
    struct program_builder *again;
    struct input *input = write_dump(builder, target);
    check_ok(torq_dump_read(input, target, &again));
    for (enum cost_rules rules = COST_RULES_BEST; rules <= COST_RULES_PUBLIC; rules++) {
        if (evaluate(builder, target, rules) != evaluate(again, target, rules))
            abort();
    }
    program_builder_free(again);
    input_close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct target *target;
    if (target == NULL)
        check_ok(target_open("torq-sl2610", &target));
    struct input *input = input_over("fuzz", (struct view){(const char *)data, size});
    struct program_builder *builder;
    const status failure = torq_dump_read(input, target, &builder);
    if (failure == STATUS_OK) {
        lay_out(builder, target);
        check_again(builder, target);
        program_builder_free(builder);
    }
    status_free(failure);
    input_close(input);
    return 0;
}
