// How long each operator took: the spans of its calls, added up over the
// profile, on the host and on the device's engines. Which side a lane is of, its role says, or that
// it belongs to a core of a device; in a profile that says nothing of any lane they are
// threads of the host. What has neither is kept apart. Where all that is known of a device's work
// is what its processors or cores did, the derived lane of its operations counts, once.
//
// A span inside another of a track that is a call stack belongs to the inner operator alone:
// `self` is the time in which the operator is the innermost one. `total` has what the operators
// that it calls took as well, on both sides.
//
// What a program left to the host is a part of it like what its engines do; and an engine, or the
// host, may take most of a run in far less time than many engines have together. Of a program that
// worked on a device, `passed` is the share of each operator of the time that passed: a moment in
// which several work is divided among them (work.h). It is not known of other profiles: there the
// host only calls for what the device does.
//
// Time that belongs to no operator is the last row, with the id 0: spans that lie in no operator's
// span. Waits and cores as a whole have none, nor has a profile that says nothing of any lane.
//
// Memory: 120 bytes an operator, one bit a call (33 where some are of a backward pass), and the
// spans that are open at once on a track; of a program, what work.h says besides.

#ifndef OPSCOPE_ANALYSIS_OPERATOR_TIMES_H
#define OPSCOPE_ANALYSIS_OPERATOR_TIMES_H

#include "profile/profile.h"

enum operator_side { OPERATOR_UNKNOWN, OPERATOR_HOST, OPERATOR_DEVICE, OPERATOR_SIDES };

// Whether some lane of the profile says what its work is: then one that does not is unknown.
bool operator_sides_are_said(const struct profile *profile);

// `said`: of the profile.
enum operator_side operator_side_of(const struct track *track, bool said);

// Whether a lane tells of a core, or of a processor of one, no more than that it does something.
bool operator_side_is_whole(const struct track *track);

// Whether a lane says which work a device does.
bool operator_side_works(const struct track *track);

// Whether a track is the device as a whole, as the host's records of its work show it.
bool operator_side_is_derived(const struct track *track);

struct operator_time {
    uint32_t operator_id;
    uint64_t calls; // that have spans
    uint64_t spans;
    uint64_t total[OPERATOR_SIDES]; // ns
    uint64_t self[OPERATOR_SIDES];
    uint64_t backward[OPERATOR_SIDES]; // that the backward of its calls took: others' `self`
    uint64_t kernel; // ns, of the spans that say how long their kernels took inside them
    double passed;   // ns
};

struct operator_times {
    struct operator_time *operators; // slowest first: by `passed`, else device, then host, by self
    size_t count;
    struct operator_time *types; // operators of one type together; the id is of one of them
    size_t type_count;
    uint64_t self[OPERATOR_SIDES]; // of all
    uint64_t kernel;
    double passed;
    bool has_passed;  // it is known
    bool has_kernel;  // spans say it (a value `kernel_ns`)
    bool nobodys;     // one of `operators` and of `types` is the time of no operator
    uint64_t without; // spans that belong to no operator
};

// Operators that have the same text as their value `key`, added up, slowest first; the id of a row
// is of one of them. Those without the value are left out. Free the rows.
size_t operator_times_by_value(const struct profile *profile, const struct operator_times *times,
                               const char *key, struct operator_time **out_rows);

// Derived tracks are left out.
status operator_times_measure(struct profile *profile, struct operator_times *out_times);
void operator_times_free(struct operator_times *times);

#endif
