// Records what a program does: spans on lanes, operators and their calls, a counter, a flow.
// Needs the recorder alone: pkg-config opscope-record (pkg-config opscope has it too).
//
//     record OUT.prof [ITERATIONS]

#include <stdio.h>
#include <stdlib.h>

#include <opscope/record.h>

static volatile double sum;

static void work(int amount)
{
    for (int i = 0; i < amount; i++)
        sum = sum + (double)i;
}

int main(int count, char **words)
{
    char message[256];
    struct opscope_record_options options = {.process = "example"};
    if (count < 2)
        return fprintf(stderr, "usage: record OUT.prof [ITERATIONS]\n"), 2;
    options.path = words[1];
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return fprintf(stderr, "record: %s\n", message), 1;

    // Described once, for an id each.
    const uint32_t slice = opscope_lane("SLICE 0");
    const uint32_t dma = opscope_lane("DMA IN");
    const uint32_t load = opscope_counter("load", "percent");
    const uint32_t copying = opscope_text("copy");
    const uint32_t computing = opscope_text("conv2d");
    const uint32_t conv = opscope_operator("conv_1", "conv2d", "net.mlir:3", NULL, 0);

    const int iterations = count > 2 ? atoi(words[2]) : 10;
    for (int i = 0; i < iterations; i++) {
        const uint32_t call = opscope_call(conv, 0, (uint32_t)i);
        const struct opscope_value out = {.kind = OPSCOPE_FLOW_OUT,
                                          .as.number = (uint64_t)i + 1}; // the copy is for ...
        const struct opscope_value in = {.kind = OPSCOPE_FLOW_IN,
                                         .as.number = (uint64_t)i + 1}; // ... this convolution

        uint64_t begun = opscope_now();
        work(1000);
        opscope_span(dma, copying, call, begun, opscope_now(), &out, 1);

        begun = opscope_now();
        work(5000);
        opscope_span(slice, computing, call, begun, opscope_now(), &in, 1);
        opscope_sample(load, 100.0 * (i + 1) / iterations);
    }
    if (opscope_record_stop(message, sizeof message) != 0)
        return fprintf(stderr, "record: %s\n", message), 1;
    printf("recorded %d iterations to %s\n", iterations, words[1]);
    return 0;
}
