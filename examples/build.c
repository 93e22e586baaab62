// Builds a profile event by event, for a tool that has its own measurements, and writes it as
// often as wanted: an operator with attributes, its calls, spans with values and flows, a
// counter, a buffer, an account of what is missing.
//
//     build OUT.prof [OUT.pb ...]

#include <stdio.h>

#include <opscope/profile.h>

static void put_uint(struct opscope_profile *profile, const char *key, uint64_t number)
{
    const struct opscope_profile_value value = {
        .key = key, .kind = OPSCOPE_UINT, .provenance = OPSCOPE_MEASURED, .number = number};
    opscope_profile_put(profile, &value);
}

static void put_flow(struct opscope_profile *profile, uint32_t kind, uint64_t flow)
{
    const struct opscope_profile_value value = {.kind = kind, .number = flow};
    opscope_profile_put(profile, &value);
}

static uint32_t add_lane(struct opscope_profile *profile, const char *name, uint32_t process,
                         uint32_t clock)
{
    const struct opscope_profile_track lane = {.name = name,
                                               .parent = process,
                                               .kind = OPSCOPE_TRACK_LANE,
                                               .clock = clock,
                                               .provenance = OPSCOPE_MEASURED};
    return opscope_profile_add_track(profile, &lane);
}

static void fill(struct opscope_profile *profile)
{
    // A device that counts cycles at 800 MHz.
    const uint32_t cycles = opscope_profile_add_clock(
        profile, &(struct opscope_profile_clock){.name = "cycles", .frequency = 800000000});
    const uint32_t device = opscope_profile_add_track(
        profile,
        &(struct opscope_profile_track){.name = "device 0", .kind = OPSCOPE_TRACK_PROCESS});
    const uint32_t dma = add_lane(profile, "DMA IN", device, cycles);
    const uint32_t slice = add_lane(profile, "SLICE 0", device, cycles);
    const uint32_t power = opscope_profile_add_track(
        profile, &(struct opscope_profile_track){.name = "power",
                                                 .unit = "mW",
                                                 .parent = device,
                                                 .kind = OPSCOPE_TRACK_COUNTER,
                                                 .clock = cycles,
                                                 .provenance = OPSCOPE_MEASURED});

    // What is put belongs to what is added next.
    put_uint(profile, "channels", 64);
    const uint32_t conv = opscope_profile_add_operator(
        profile, &(struct opscope_profile_operator){"conv_1", "conv2d", "net.mlir:3"});

    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t start = 10000u * i;
        const uint32_t call = opscope_profile_add_call(
            profile, &(struct opscope_profile_call){.operator_id = conv, .iteration = i});
        put_uint(profile, "bytes", 4096);
        put_flow(profile, OPSCOPE_FLOW_OUT, i + 1);
        opscope_profile_add_event(profile, &(struct opscope_profile_event){.name = "copy",
                                                                           .kind = OPSCOPE_SPAN,
                                                                           .track = dma,
                                                                           .call = call,
                                                                           .start = start,
                                                                           .end = start + 2000});
        put_flow(profile, OPSCOPE_FLOW_IN, i + 1);
        opscope_profile_add_event(profile, &(struct opscope_profile_event){.name = "conv2d",
                                                                           .kind = OPSCOPE_SPAN,
                                                                           .track = slice,
                                                                           .call = call,
                                                                           .start = start + 2000,
                                                                           .end = start + 9000});
        opscope_profile_add_event(profile, &(struct opscope_profile_event){.kind = OPSCOPE_SAMPLE,
                                                                           .track = power,
                                                                           .start = start,
                                                                           .sample = 250.5 + i});
    }
    opscope_profile_add_buffer(profile, &(struct opscope_profile_buffer){.memory = "lram",
                                                                         .owner = conv,
                                                                         .clock = cycles,
                                                                         .address = 4096,
                                                                         .size = 65536,
                                                                         .from = 0,
                                                                         .to = 29000});
    // The device said that it ran four copies; one was not seen.
    opscope_profile_expect(profile, dma, 4);
    opscope_profile_add_note(profile, dma, OPSCOPE_NOTE_LOST, 1, "the last copy was not seen");
    opscope_profile_add_fact(profile, "format", "examples/build");
}

int main(int count, char **words)
{
    char message[256];
    struct opscope_profile *profile = opscope_profile_create();
    int failed = count < 2;
    if (failed)
        fprintf(stderr, "usage: build OUT.prof [OUT.pb ...]\n");
    fill(profile);
    if (opscope_profile_problem(profile)[0] != '\0')
        failed = fprintf(stderr, "build: %s\n", opscope_profile_problem(profile)) > 0;
    for (int i = 1; i < count && !failed; i++) {
        failed = opscope_profile_write(profile, words[i], NULL, message, sizeof message) != 0;
        if (failed)
            fprintf(stderr, "build: %s\n", message);
    }
    opscope_profile_free(profile);
    return failed;
}
