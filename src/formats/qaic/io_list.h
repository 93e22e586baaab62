// The file of -custom-IO-list-file: which precision inputs and outputs are handed in and out with.
//
//     - IOName: past_key.0
//       Precision: float16
//
// YAML of this form, or the same as JSON: [{"IOName": "past_key.0", "Precision": "float16"}]. With
// int8 and uint8 Scale and Offset say what real a number stands for: Scale * (number - Offset).

#ifndef OPSCOPE_FORMATS_QAIC_IO_LIST_H
#define OPSCOPE_FORMATS_QAIC_IO_LIST_H

#include "base/arena.h"
#include "base/status.h"
#include "network/ports.h"

struct qaic_io_list {
    struct network_port *items; // in the arena; names may be views into the text
    size_t count;
    struct arena arena;
};

// `name` is for messages. The text must outlive the list. Other keys, and precisions other than
// float16, float32 (or float), int8 and uint8, are refused.
status qaic_io_list_read(const char *name, struct view text, struct qaic_io_list *out_list);
void qaic_io_list_free(struct qaic_io_list *list);

#endif
