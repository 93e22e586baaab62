// The profiles of one run of a program: recorded once, written in the forms of Torq that
// were asked for.

#ifndef OPSCOPE_CLI_RUN_PROFILES_H
#define OPSCOPE_CLI_RUN_PROFILES_H

#include "formats/torq/torq.h"
#include "options.h"
#include "program/program.h"
#include "record/recorder.h"

// The options that `run_profiles_choose` reads, for the table of a command.
#define RUN_PROFILES_OPTIONS                                                                       \
    {"torq_profile_host", 0, OPTION_ONE, "FILE", "what the host did, an action a row (R2)"},       \
        {"torq_profile_elapsed", 0, OPTION_ONE, "previous|first",                                  \
         "what its elapsed_time(us) is since (previous)"},                                         \
        {"torq_profile", 0, OPTION_ONE, "FILE", "the jobs of the NPU's controller (R1)"},          \
        {"torq_profile_events", 0, OPTION_ONE, "FILE", "actions and scopes by dispatch (R4)"},     \
    {                                                                                              \
        "profile", 0, OPTION_ONE, "FILE", "every task and action, opscope's own form (.prof)"      \
    }

enum { RUN_PROFILES_FORMS = 3 };

// All zero: none.
struct run_profiles {
    const char *command;
    struct {
        const char *path;
        enum torq_form form;
    } files[RUN_PROFILES_FORMS];
    size_t count;
    enum torq_elapsed elapsed; // of R2
    char *recording;           // NULL: nothing is recorded
    bool temporary;            // it is removed when the others are written
};

// Refuses a file that cannot be written, or that is one of `inputs` or named twice.
status run_profiles_choose(const struct arguments *arguments, const char *command,
                           const char *const *inputs, size_t input_count,
                           struct run_profiles *out_profiles);

// Starts to record, if anything is to be recorded. Until run_profiles_finish a killed run
// leaves the recording: beside the first file, as FILE.partial.prof, or where --profile says.
// `*out_recorder` is for the device; NULL when nothing is.
status run_profiles_start(const struct run_profiles *profiles, const struct target *target,
                          struct recorder **out_recorder);

// Stops, and, if `run` went well, writes the files and prints the time of each block. Returns
// `run` or the first failure.
status run_profiles_finish(const struct run_profiles *profiles, const struct program *program,
                           status run);
void run_profiles_free(struct run_profiles *profiles);

#endif
