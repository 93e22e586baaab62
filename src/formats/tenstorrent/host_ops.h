// The host's side of a Tenstorrent capture: what tracy_ops_data.csv and
// tracy_ops_times.csv say about operations, traces and signposts.
//
// Texts are views into the inputs, which must outlive this. Memory: about 200
// bytes per operation launched, 32 per signpost, trace replay and pair of
// operation and function called, and the JSON of distinct operations as a tree
// (an operation that the host cached is described once).
//
// Read in a row, not in parts (base/parts.h): a message may go on for many lines, and what it is
// about depends on those before it.
//
// What is wrong with a message is noted in the ledger of a profile (track 0)
// with its file and line, and reading goes on.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_HOST_OPS_H
#define OPSCOPE_FORMATS_TENSTORRENT_HOST_OPS_H

#include "base/arena.h"
#include "ops_data.h"
#include "ops_times.h"
#include "profile/profile.h"
#include "wire/json_reader.h"

// Time spent in one function on behalf of an operation.
struct host_function {
    uint32_t name; // in `functions`
    uint64_t ns;
    struct host_function *next;
};

struct host_op {
    uint64_t call_count;
    struct view code;
    const struct json_value *json; // NULL: the description is lost
    struct view description;       // its text
    bool has_message;
    bool is_fallback;
    bool has_device;
    uint32_t device;
    bool has_cache_hit;
    bool cache_hit;
    bool has_hash;
    uint64_t hash;
    bool traced; // captured into a trace, so not run when it was launched
    uint64_t trace;
    uint32_t trace_order;  // among all operations captured
    uint64_t message_time; // ns
    bool has_time;
    uint64_t start; // ns since the capture began
    uint64_t duration;
    uint64_t thread;
    struct view location; // "" : the host did not say
    struct view const_eval;
    struct view metadata;
    bool has_location, has_const_eval, has_metadata;
    struct host_function *functions;
    uint64_t line; // of its message
};

struct host_signpost {
    struct view header;
    struct view message;
    uint64_t time;
};

struct host_replay {
    uint32_t device;
    uint64_t trace;
    uint64_t time;
};

struct host_ops {
    struct profile *ledger;
    struct arena arena;
    struct segments ops; // struct host_op, in order of appearance
    struct hash_index index;
    struct segments known; // descriptions by device and hash
    struct hash_index known_index;
    struct segments signposts; // struct host_signpost
    struct segments replays;   // struct host_replay
    struct segments open;      // traces that are being captured
    struct strings functions;
    uint32_t captured;
    uint64_t unread;      // rows and messages that are lost
    uint64_t undescribed; // operations whose description is not there, but for repetitions
    bool has_data;
    bool has_times;
    bool has_mlir;
    struct view location, const_eval, metadata; // that hold from here on
    bool has_location, has_const_eval, has_metadata;
};

void host_ops_start(struct host_ops *host, struct profile *ledger);
void host_ops_free(struct host_ops *host);

void host_ops_read_data(struct host_ops *host, const struct input *input);

// After the data.
void host_ops_read_times(struct host_ops *host, const struct input *input);

// After both: what is missing without having left a row. `alone`: no log of a device says more
// about it.
void host_ops_lose_missing(struct host_ops *host, const char *path, bool alone);

static inline struct host_op *host_ops_op(const struct host_ops *host, uint32_t index)
{
    return segments_get(&host->ops, index);
}

// HASH_NONE when there is none.
uint32_t host_ops_find(const struct host_ops *host, uint64_t call_count);

// Notes that something of `input` is lost (or impossible) and counts it as
// expected.
void host_ops_lose(struct host_ops *host, enum ledger_note_kind kind, const struct input *input,
                   uint64_t line, const char *what, struct view text);

#endif
