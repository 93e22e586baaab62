// Tenstorrent's tracy_ops_data.csv: the messages that the host sent to Tracy,
// as csvexport prints them (MessageName;total_ns).
//
// A message in back-ticks may span lines and holds anything; others are one
// line. A message that was too long for Tracy lost its closing back-tick: it
// ends with the first line that ends in a time, and what follows is read on.
// Nothing is copied: texts are views into the input.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_OPS_DATA_H
#define OPSCOPE_FORMATS_TENSTORRENT_OPS_DATA_H

#include "base/view.h"

struct ops_message {
    struct view text; // without back-ticks
    uint64_t time;    // ns since the capture began
    bool has_time;
    bool cut;      // the closing back-tick is missing
    uint64_t line; // on which it starts
};

// `ops_data_of` makes one.
struct ops_data {
    const char *at;
    const char *end;
    uint64_t line;
};

bool ops_data_recognise(struct view bytes);

// From after the header on.
struct ops_data ops_data_of(struct view bytes);

// False at the end.
bool ops_data_next(struct ops_data *data, struct ops_message *out_message);

// What a message says ---------------------------------------------------------

enum ops_message_kind {
    OPS_MESSAGE_OTHER,
    OPS_MESSAGE_OP,    // TT_DNN_DEVICE_OP, TT_DNN_FALL_BACK_OP
    OPS_MESSAGE_BEGIN, // TT_METAL_TRACE_BEGIN
    OPS_MESSAGE_END,
    OPS_MESSAGE_REPLAY,
    OPS_MESSAGE_RELEASE,
    OPS_MESSAGE_SIGNPOST,
    OPS_MESSAGE_LOCATION, // MLIR_OP_LOCATION
    OPS_MESSAGE_CONST_EVAL,
    OPS_MESSAGE_METADATA,
};

struct ops_message_parts {
    enum ops_message_kind kind;
    struct view name;    // operation code; header of a signpost; data of MLIR_*
    struct view details; // JSON of an operation; message of a signpost
    bool is_fallback;
    bool has_fields; // an operation's hash, device and call count
    uint64_t hash;
    uint64_t device; // also of a trace
    uint64_t call_count;
    bool has_cache_hit;
    bool cache_hit;
    uint64_t trace;
};

// False when a message of a known kind does not have its form; `*out_problem`
// (static) says what is wrong.
bool ops_message_parse(const struct ops_message *message, struct ops_message_parts *out_parts,
                       const char **out_problem);

#endif
