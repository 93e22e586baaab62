// Where the time went: how long lanes of a kind were busy, how long some were while others were
// not, how long nothing ran. What is told apart, and what is added up, is given as data: parts
// (sets of lanes, by role and engine) and rules (set expressions over parts).
//
// An overview belongs to a scope: a process of the profile, or the whole of it
// (scope 0) for tracks outside any process. Times are in nanoseconds. What the profile does not
// cover is absent, not 0: a compile-time profile says nothing about the host.
//
// A span that only waits is of the role wait. In a call stack steps, and spans of no operator in
// which others lie, are no work where operators are known; they count for how long all lasted.
//
// Memory: a fixed window for each lane; merged intervals beyond it spill.

#ifndef OPSCOPE_ANALYSIS_OVERVIEW_H
#define OPSCOPE_ANALYSIS_OVERVIEW_H

#include "intervals.h"
#include "profile/profile.h"

enum { OVERVIEW_PARTS_MOST = 12 };

#define OVERVIEW_ALL UINT32_MAX // every part, in a rule

// Lanes of a role, of an engine, or of an engine in a role. A lane is of the first part that it
// fits into.
struct overview_part {
    enum role role;     // ROLE_COUNT: any
    const char *engine; // NULL: any
};

// A part is a bit: 1 << its place. What is 0 or NULL is left out.
struct overview_rule {
    uint32_t some;      // the time while a lane of these parts is busy ...
    uint32_t minus;     // ... and none of these ...
    uint32_t with;      // ... and one of these, too
    uint32_t span;      // from the first start to the last end of these parts, less the above
    uint32_t needs;     // absent where there are no lanes of these parts
    const char *engine; // instead of all that: how long one lane of an engine was busy ...
    uint32_t lane;      // ... this one
};

struct overview_value {
    bool present;
    uint64_t ns;
};

// A lane that has spans, or an engine of a core with all its lanes.
struct overview_lane {
    enum role role;
    uint32_t engine; // string id
    uint32_t device; // number + 1; 0: not said
    uint32_t core;   // the same
    uint32_t index;  // of a lane
    uint64_t ns;     // how long it was busy, as far as it is of a part
};

struct overview {
    const struct profile *profile;
    uint32_t scope;             // track id
    enum provenance provenance; // of the spans; derived where they differ
    struct interval overall;    // of lanes that are of a part; where there are none, of all
    uint32_t covered;           // parts that have lanes
    struct interval spans[OVERVIEW_PARTS_MOST];
    uint64_t *times;             // by set of parts: how long exactly these were busy
    struct overview_lane *lanes; // in the order in which their first spans came
    size_t lane_count;
    struct overview_lane *engines; // by core, and as their first spans came
    size_t engine_count;
};

// Takes the spans of any number of scopes.
struct overview_collector;

// With `unknown` lanes whose role nobody said are lanes, too, those without an engine one of each
// scope; else they only say how long a scope without others lasts.
struct overview_collector *overview_collector_create(const struct profile *profile, bool unknown);

// Before the first span: every step of a process is a scope of its own, of the spans whose calls
// are of it, and of those without that lie in its own span.
void overview_collector_tell_steps(struct overview_collector *collector);

struct event_sink *overview_collector_sink(struct overview_collector *collector);

// The scopes in the order in which their first span came, and what lanes they have.
size_t overview_count(const struct overview_collector *collector);
uint32_t overview_scope(const struct overview_collector *collector, size_t index);
uint64_t overview_step(const struct overview_collector *collector, size_t index);
size_t overview_lane_count(const struct overview_collector *collector, size_t index);
const struct overview_lane *overview_lane(const struct overview_collector *collector, size_t index,
                                          size_t lane);

// Once for each scope. At most OVERVIEW_PARTS_MOST parts.
status overview_compute(struct overview_collector *collector, size_t index,
                        const struct overview_part *parts, size_t part_count,
                        struct overview *out_overview);

struct overview_value overview_evaluate(const struct overview *overview,
                                        const struct overview_rule *rule);

// Of the time of all in percent; 0 when that is 0.
double overview_percent(const struct overview *overview, uint64_t ns);

void overview_free(struct overview *overview);

void overview_collector_free(struct overview_collector *collector);

#endif
