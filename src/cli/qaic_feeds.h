// What an inference of qaic-runner reads: files of the command line, of a list of inferences, or
// random numbers; and which specialization takes it.

#ifndef OPSCOPE_CLI_QAIC_FEEDS_H
#define OPSCOPE_CLI_QAIC_FEEDS_H

#include "device/device.h"
#include "formats/qaic/qaic_program.h"
#include "options.h"

struct qaic_feed {
    struct datum **inputs; // in the order of the program's; NULL where the device has it
    size_t part;           // the specialization
};

struct qaic_feeds {
    struct qaic_feed *items;
    size_t count;
    uint32_t input_count;
    bool listed; // by --aic-batch-json-input
};

// `device` is one of device/choice.h with all parts of `program`. What is kept on it is not fed.
status qaic_feeds_read(const struct arguments *arguments, const struct device *device,
                       const struct qaic_program *program, struct qaic_feeds *out_feeds);
void qaic_feeds_free(struct qaic_feeds *feeds);

// What inference `index` reads. A list begins anew when it is through; without one, each
// specialization but the last has one inference, and the last has all others.
const struct qaic_feed *qaic_feeds_at(const struct qaic_feeds *feeds, unsigned index);

#endif
