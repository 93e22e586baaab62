// What the options of Cloud AI's compiler ask for, read and checked.

#ifndef OPSCOPE_CLI_QAIC_SETTINGS_H
#define OPSCOPE_CLI_QAIC_SETTINGS_H

#include "formats/qaic/partitions.h"
#include "options.h"
#include "target/target.h"

enum { QAIC_PMU_EVENTS_MOST = 8 };

// What the help text of an option begins with that is accepted and changes nothing; the rest of
// it says why, and is printed where somebody gives it.
#define QAIC_NO_EFFECT "taken, without effect"

// Says it of those that were given. `dashes` is how the tool's options are written.
void qaic_say_no_effect(const struct arguments *arguments, const struct command *command,
                        const char *dashes);

// Statistics that the program is to collect.
struct qaic_settings {
    const char *folder; // where the program goes
    int32_t level, stats_batch, batch;
    bool batch_given;
    bool ddr;
    const char *recipe; // of counters; NULL: none
    int32_t events[QAIC_PMU_EVENTS_MOST];
    size_t event_count;
};

status qaic_settings_read(const struct arguments *arguments, struct qaic_settings *out_settings);

// The card, with what the options want of the compiler's passes set in it: one device, or those of
// the partitions where there are any.
status qaic_settings_open_target(const struct arguments *arguments,
                                 const struct qaic_partitions *partitions,
                                 struct target **out_target);

#endif
