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
        {"full", 0, OPTION_FLAG, NULL, "prints all of an output, however large"},                  \
        {"max-elements", 0, OPTION_ONE, "N", "prints the first N of an output (JSON: 1024)"},      \
    {                                                                                              \
        "json", 0, OPTION_FLAG, NULL, "as JSON"                                                    \
    }

enum { NETWORK_RUN_ELEMENTS_SHOWN = 1024 };

struct json_writer;

// What to do with a network. All but the first five may be zero; `network_run` fills in what
// its options say.
struct network_run {
    const char *command; // for messages
    const struct network *network;
    void *context;
    // Before the first iteration, untimed; may be NULL.
    status (*prepare)(void *context, struct datum *const *inputs, size_t input_count);
    // One iteration: the outputs come with a reference each.
    status (*compute)(void *context, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs);
    bool untimed; // how long it takes this machine does not matter
    // Looks at the outputs of the last iteration, before they are written.
    status (*check)(void *context, struct datum *const *outputs, uint32_t count);
    // Says more after the results; `json` is NULL for text.
    void (*report)(void *context, struct json_writer *json);

    // As iree-run-module does it: every input must be given, what is run is named before it
    // runs, an output has a type instead of a name, and may be ignored (--output=).
    const char *function; // NULL: not so

    const char *const *inputs; // of --input
    size_t input_count;
    const char *const *targets; // of --output
    size_t target_count;
    unsigned iterations;
    unsigned shown; // elements of each output
    uint64_t seed;
    bool json;
    bool brief; // large outputs that no --output names: their ends and range
    bool quiet; // prints no outputs
};

// Reads the inputs, computes, and writes or prints outputs and times.
status network_run(const struct arguments *arguments, struct network_run *run);

// The same with what the caller has filled in.
status network_run_given(const struct network_run *run);

#endif
