// What the commands on networks share: opening one, and its inputs.

#ifndef OPSCOPE_CLI_NETWORK_INPUT_H
#define OPSCOPE_CLI_NETWORK_INPUT_H

#include "network/network.h"
#include "options.h"

// The options that `network_input_open` reads, for the table of a command.
#define NETWORK_INPUT_OPTIONS                                                                      \
    {"shape", 0, OPTION_EACH, "NAME=1x3x9x9", "shape of an input; the name may be left out"},      \
        {"define-symbol", 0, OPTION_EACH, "NAME,N", "length of a dimension that has a name"},      \
    {                                                                                              \
        "convert", 0, OPTION_ONE, "f32=f16,i64=i32",                                               \
            "elements that it is computed in; ',ports': inputs and outputs, too"                   \
    }

// Opens the one network among the words of the command line. `conversion` is what a vendor's
// option stands for; NULL: what --convert says.
status network_input_open(const struct arguments *arguments, const char *command,
                          const char *conversion, struct network **out_network);

// Refuses inputs of the main graph with a shape that is not known, and says how to
// give it.
status network_input_check_shapes(const struct network *network);

// The same for a command that has but one option for it, which takes NAME,N.
status network_input_check_symbols(const struct network *network, const char *option);

// Refuses an output that is the network or a file of its constants: they are mapped
// while outputs are written.
status network_input_check_output(const struct network *network, const char *command,
                                  const char *path);

// One datum for each input of the main graph, with a reference each: those given
// by --input, in order or by name, and random ones for the rest (NULL where an
// initializer stands for one). Failures name the input. `out_inputs` has room for all.
status network_input_read(const struct network *network, const char *const *given, size_t count,
                          uint64_t seed, struct datum **out_inputs);

#endif
