#include "arch.h"

// A core of Blackhole does 4096 operations a cycle in one pass.
#define PASSES(tflops)                                                                             \
    {                                                                                              \
        [FIDELITY_LOFI] = (tflops), [FIDELITY_HIFI2] = (tflops) / 2,                               \
        [FIDELITY_HIFI3] = (tflops) / 3, [FIDELITY_HIFI4] = (tflops) / 4,                          \
    }

static const struct arch ARCHS[] = {
    {
        .name = "wormhole",
        .most_cores = 80,
        .worker_cores = 64,
        .dram_workers = 12,
        .clock_mhz = 1000,
        .dram_gb_s = 288,
        .model_gib_s = 258,
        // Published for 72 cores; three passes take three quarters of four.
        .tflops = {[FIDELITY_LOFI] = 262.0 / 72,
                   [FIDELITY_HIFI2] = 148.0 / 72,
                   [FIDELITY_HIFI3] = 74.0 / 72 * 4 / 3,
                   [FIDELITY_HIFI4] = 74.0 / 72},
    },
    {
        .name = "blackhole",
        .most_cores = 140,
        .worker_cores = 130,
        .dram_workers = 8,
        .clock_mhz = 1350,
        .dram_gb_s = 512,
        .model_gib_s = 512,
        .tflops = PASSES(4096 * 1.35 / 1000),
    },
    {
        .name = "bh20",
        .most_cores = 20,
        .worker_cores = 20,
        .dram_workers = 8,
        .clock_mhz = 1350,
        .dram_gb_s = 512,
        .model_gib_s = 512,
        .tflops = PASSES(4096 * 1.35 / 1000),
    },
    {
        .name = "n1",
        .most_cores = 20,
        .worker_cores = 20,
        .dram_workers = 8,
        .clock_mhz = 650,
        .dram_gb_s = 120,
        .tflops = PASSES(4096 * 0.65 / 1000),
    },
    {.name = "grayskull",
     .most_cores = 120,
     .worker_cores = 108,
     .dram_workers = 8,
     .clock_mhz = 1200,
     .dram_gb_s = 96},
    {.name = "quasar", .most_cores = 32, .worker_cores = 32, .dram_workers = 8, .clock_mhz = 1400},
};

enum fidelity fidelity_from_name(struct view name)
{
    static const char *const names[FIDELITIES] = {"", "LoFi", "HiFi2", "HiFi3", "HiFi4"};
    for (unsigned i = FIDELITY_LOFI; i < FIDELITIES; i++) {
        if (view_is_ignoring_case(name, names[i]))
            return (enum fidelity)i;
    }
    return FIDELITY_UNKNOWN;
}

const struct arch *arch_find(struct view name)
{
    if (view_is_ignoring_case(name, "wormhole_b0"))
        return &ARCHS[0];
    for (size_t i = 0; i < sizeof ARCHS / sizeof ARCHS[0]; i++) {
        if (view_is_ignoring_case(name, ARCHS[i].name))
            return &ARCHS[i];
    }
    return NULL;
}

const struct arch *arch_from_clock(double mhz, uint64_t cores_used)
{
    const struct arch *found = NULL;
    for (size_t i = 0; i < sizeof ARCHS / sizeof ARCHS[0]; i++) {
        const struct arch *arch = &ARCHS[i];
        const bool fits = arch->clock_mhz == mhz && cores_used <= arch->most_cores;
        if (fits && (found == NULL || arch->most_cores < found->most_cores))
            found = arch;
    }
    return found;
}

const struct arch *arch_default(void)
{
    return &ARCHS[0];
}
