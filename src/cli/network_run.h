// What the commands that compute a network share: inputs, iterations, outputs.

#ifndef OPSCOPE_CLI_NETWORK_RUN_H
#define OPSCOPE_CLI_NETWORK_RUN_H

#include "network/network.h"
#include "options.h"

// The options that `network_run` reads, for the table of a command, and --threads.
#define NETWORK_RUN_OPTIONS                                                                        \
    {"input", 'i', OPTION_EACH, "[NAME=]VALUE", "the next input, or the one of that name"},        \
        {"output", 'o', OPTION_EACH, "FILE", "where the next output goes: -, or .npy, .bin, .pb"}, \
        {"threads", 0, OPTION_ONE, "N",                                                            \
         "threads (one for each CPU); results do not depend on it"},                               \
        {"iterations", 'n', OPTION_ONE, "N", "computes N times and prints the times"},             \
        {"seed", 0, OPTION_ONE, "N", "of the random inputs (0)"},                                  \
        {"max-elements", 0, OPTION_ONE, "N", "of each output that are shown (1024)"},              \
    {                                                                                              \
        "json", 0, OPTION_FLAG, NULL, "as JSON"                                                    \
    }

struct network_run {
    const char *command; // for messages
    const struct network *network;
    void *context;
    // One iteration: the outputs come with a reference each.
    status (*compute)(void *context, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs);
};

// Reads the inputs, computes, and writes or prints outputs and times.
status network_run(const struct arguments *arguments, const struct network_run *run);

#endif
