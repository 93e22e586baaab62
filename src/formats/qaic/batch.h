// What --aic-batch-json-input names: the files of one inference after the other.
//
//     {"IO-files": [[{"path": "prefill/input_ids.raw", "io-direction": "in", "elem-size": 8,
//                     "map-to": "input_ids", "dims": [1, 32]}, ...], ...]}
//
// Files hold elements alone. `dims` may be left out where the size of the file tells.

#ifndef OPSCOPE_FORMATS_QAIC_BATCH_H
#define OPSCOPE_FORMATS_QAIC_BATCH_H

#include "base/arena.h"
#include "base/status.h"
#include "network/shape.h"

struct qaic_batch_file {
    const char *path; // as it is written: beside the list unless it begins with '/'
    struct view name; // of the input or output
    bool output;
    bool shaped;
    struct shape shape;
};

struct qaic_batch_inference {
    struct qaic_batch_file *files;
    size_t file_count;
};

struct qaic_batch {
    struct arena arena;
    struct qaic_batch_inference *items;
    size_t count; // at least 1 once it is read
};

// `name` is for messages. Views into `text`.
status qaic_batch_read(const char *name, struct view text, struct qaic_batch *out_batch);
void qaic_batch_free(struct qaic_batch *batch);

#endif
