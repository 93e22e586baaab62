// What the logs say of each operation and each run, kept as the values of the calls of a profile,
// so that a report can be made from the profile as from the logs.
//
// Times of the host are ns, those of a device cycles. An extent is two values of one key: its first
// and its last marker. Memory: about 100 bytes for an operation, 200 for a run and 8 for each of
// its cores.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_LOGS_KEPT_H
#define OPSCOPE_FORMATS_TENSTORRENT_LOGS_KEPT_H

#include "logs.h"

enum logs_part { LOGS_PART_HOST, LOGS_PART_RUN, LOGS_PART_OP, LOGS_PART_SESSION, LOGS_PARTS };

enum logs_field_kind {
    LOGS_FIELD_U64,
    LOGS_FIELD_U32,
    LOGS_FIELD_FLAG,
    LOGS_FIELD_EXTENT,
    LOGS_FIELD_TEXT,
};

// A member of host_op, device_run, device_op or device_session.
struct logs_field {
    const char *key;
    enum logs_part part;
    enum logs_field_kind kind;
    size_t at;
};

// What is no plain member: which of all it is, and what has a form of its own.
enum logs_special {
    LOGS_KEPT_HOST = 0, // indexes, in the order of enum logs_part
    LOGS_KEPT_RUN,
    LOGS_KEPT_OP,
    LOGS_KEPT_SESSION,
    LOGS_KEPT_POSITION,     // of a run among those of its operation
    LOGS_KEPT_CORES,        // of a run, packed
    LOGS_KEPT_LAST_SESSION, // that the host's files belong to
    LOGS_KEPT_MLIR,         // the host says what is compiled
    LOGS_KEPT_SPECIALS,
};

enum { LOGS_FIELDS = 49 };
extern const struct logs_field LOGS_FIELD_TABLE[LOGS_FIELDS];
extern const char *const LOGS_SPECIAL_KEYS[LOGS_KEPT_SPECIALS];
#define LOGS_FUNCTION_PREFIX "host.function."

struct logs_keeper {
    struct profile *profile;
    const struct logs_record *record;
    uint32_t fields[LOGS_FIELDS]; // string ids of keys
    uint32_t specials[LOGS_KEPT_SPECIALS];
    uint32_t *lane_of_core; // any of its processors
    struct bytes text;
};

void logs_keep_start(struct logs_keeper *keeper, const struct logs_record *record,
                     struct profile *profile);
void logs_keep_free(struct logs_keeper *keeper);

// Adds what a row is made of to the values of its call.
void logs_keep_row(struct logs_keeper *keeper, const struct logs_row *row, struct bytes *values);

// Whether a profile keeps logs.
bool logs_are_kept(const struct profile *profile);

// The logs as far as a report needs them, from a profile that was read from logs. `logs` must be
// zero, and is filled with what messages name: `input`, the profile's file. Notes go to `ledger`,
// not to the profile, whose account has them. The profile must outlive the record; free it with
// logs_record_free. A profile that holds no logs is an error.
status logs_restore(struct profile *profile, struct input *input, struct logs *logs,
                    struct profile *ledger, struct logs_record *out_record);

#endif
