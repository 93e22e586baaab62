#include "roles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "steps.h"
#include "base/memory.h"

enum {
    COMPUTE = 1 << 0,
    TRANSFER_IN = 1 << 1,
    TRANSFER_OUT = 1 << 2,
    ON_CHIP = 1 << 3,
    COMMUNICATION = 1 << 4,
    CONTROL = 1 << 5,
    WAIT = 1 << 6,
    DEVICE = 1 << 7,
    HOST = 1 << 8,
    HOST_COPY = 1 << 9,
    HOST_CALL = 1 << 10,
    UNKNOWN = 1 << 11,
    TRANSFER = TRANSFER_IN | TRANSFER_OUT | ON_CHIP,
    MOVES = TRANSFER | COMMUNICATION,
    WORKS = (1 << 12) - 1 - WAIT,
};

// In the order of the bits.
const struct overview_part OVERVIEW_ROLE_PARTS[] = {
    {ROLE_COMPUTE, NULL},   {ROLE_TRANSFER_IN, NULL},   {ROLE_TRANSFER_OUT, NULL},
    {ROLE_TRANSFER, NULL},  {ROLE_COMMUNICATION, NULL}, {ROLE_CONTROL, NULL},
    {ROLE_WAIT, NULL},      {ROLE_DEVICE, NULL},        {ROLE_HOST, NULL},
    {ROLE_HOST_COPY, NULL}, {ROLE_HOST_CALL, NULL},     {ROLE_NONE, NULL},
};

const size_t OVERVIEW_ROLE_PART_COUNT = sizeof OVERVIEW_ROLE_PARTS / sizeof OVERVIEW_ROLE_PARTS[0];

static const struct {
    const char *name;
    struct overview_rule rule;
    bool whole; // no share of the time of all
} ROWS[] = {
    {"OVERALL", {.span = OVERVIEW_ALL}, true},
    {"Compute", {.some = COMPUTE, .needs = COMPUTE}, false},
    {"Compute Only", {.some = COMPUTE, .minus = MOVES, .needs = COMPUTE}, false},
    {"Transfer", {.some = TRANSFER, .needs = TRANSFER}, false},
    {"Transfer In", {.some = TRANSFER_IN, .needs = TRANSFER_IN}, false},
    {"Transfer Out", {.some = TRANSFER_OUT, .needs = TRANSFER_OUT}, false},
    {"Transfer On Chip", {.some = ON_CHIP, .needs = ON_CHIP}, false},
    {"Communication", {.some = COMMUNICATION, .needs = COMMUNICATION}, false},
    {"Communication Only",
     {.some = COMMUNICATION, .minus = COMPUTE | TRANSFER, .needs = COMMUNICATION},
     false},
    {"Transfer Only", {.some = MOVES, .minus = COMPUTE, .needs = MOVES}, false},
    {"Overlap", {.some = COMPUTE, .with = MOVES, .needs = COMPUTE}, false},
    {"Overlap Communication",
     {.some = COMPUTE, .with = COMMUNICATION, .needs = COMMUNICATION},
     false},
    {"Control", {.some = CONTROL, .needs = CONTROL}, false},
    {"Wait", {.some = WAIT, .needs = WAIT}, false},
    {"Device", {.some = DEVICE, .needs = DEVICE}, false},
    {"Host", {.some = HOST, .needs = HOST}, false},
    {"Host Copy", {.some = HOST_COPY, .needs = HOST_COPY}, false},
    {"Host Call", {.some = HOST_CALL, .needs = HOST_CALL}, false},
    {"Unknown Role", {.some = UNKNOWN, .needs = UNKNOWN}, false},
    {"Idle", {.some = WORKS, .span = OVERVIEW_ALL, .needs = OVERVIEW_ALL}, false},
};

const struct overview_rule OVERVIEW_STEP_RULES[] = {
    [OVERVIEW_STEP_OVERALL] = {.span = OVERVIEW_ALL},
    [OVERVIEW_STEP_COMPUTE] = {.some = COMPUTE, .needs = COMPUTE},
    [OVERVIEW_STEP_IN] = {.some = TRANSFER_IN, .needs = TRANSFER_IN},
    [OVERVIEW_STEP_OUT] = {.some = TRANSFER_OUT, .needs = TRANSFER_OUT},
    [OVERVIEW_STEP_WITHIN] = {.some = ON_CHIP, .needs = ON_CHIP},
    [OVERVIEW_STEP_COMMUNICATION] = {.some = COMMUNICATION, .needs = COMMUNICATION},
    [OVERVIEW_STEP_OVERLAP] = {.some = COMPUTE, .with = MOVES, .needs = MOVES},
    [OVERVIEW_STEP_HOST] = {.some = HOST | HOST_COPY | HOST_CALL,
                            .needs = HOST | HOST_COPY | HOST_CALL},
    [OVERVIEW_STEP_IDLE] = {.some = WORKS, .span = OVERVIEW_ALL, .needs = OVERVIEW_ALL},
};

static int compare_cores(const struct overview_lane *a, const struct overview_lane *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->core > b->core) - (a->core < b->core);
}

// Engines: those of a core together, cores and devices in order.
static int roles_compare_places(const void *left, const void *right)
{
    const struct overview_lane *a = left;
    const struct overview_lane *b = right;
    const int cores = compare_cores(a, b);
    if (cores != 0)
        return cores;
    return (a->index > b->index) - (a->index < b->index); // their places before
}

static int compare_names(const void *left, const void *right)
{
    const struct overview_lane *a = left;
    const struct overview_lane *b = right;
    const int cores = compare_cores(a, b);
    if (cores != 0)
        return cores;
    if (a->engine != b->engine)
        return a->engine < b->engine ? -1 : 1;
    return (a->role > b->role) - (a->role < b->role);
}

// By place before: whether an engine of the same place and name does work of another role, too.
static bool *find_several_roles(const struct overview_lane *engines, size_t count)
{
    bool *several = memory_allocate_zeroed(count + 1, sizeof *several);
    struct overview_lane *sorted = memory_allocate_zeroed(count + 1, sizeof *sorted);
    memcpy(sorted, engines, count * sizeof *sorted);
    sort_items(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++) {
        const struct overview_lane *a = &sorted[i - 1];
        const struct overview_lane *b = &sorted[i];
        if (a->device == b->device && a->core == b->core && a->engine == b->engine &&
            a->role != b->role && a->engine != 0)
            several[a->index] = several[b->index] = true;
    }
    free(sorted);
    return several;
}

static void name_engine(const struct overview *overview, const struct overview_lane *engine,
                        bool with_role, char *name, size_t room)
{
    char device[32] = "";
    char core[32] = "";
    char role[32] = "";
    const struct view word = engine->engine != 0 ? profile_text(overview->profile, engine->engine)
                                                 : view_of(role_name(engine->role));
    if (engine->device != 0)
        snprintf(device, sizeof device, "device %" PRIu32 " ", engine->device - 1);
    if (engine->core != 0)
        snprintf(core, sizeof core, "core %" PRIu32 " ", engine->core - 1);
    if (with_role)
        snprintf(role, sizeof role, " %s", role_name(engine->role));
    snprintf(name, room, "%s%s%.*s%s", device, core, VIEW_ARGUMENTS(word), role);
}

// What is called as a role is: all that there is to say stands in the rows of the roles.
static bool says_no_more(const struct overview *overview, const struct overview_lane *engine)
{
    enum role role;
    if (engine->engine == 0)
        return engine->role == ROLE_NONE;
    return engine->core == 0 &&
           role_from_name(profile_text(overview->profile, engine->engine), &role) &&
           (role == ROLE_HOST || role == ROLE_DEVICE);
}

static void add_engines(const struct overview *overview, struct overview_rows *rows)
{
    const size_t count = overview->engine_count;
    struct overview_lane *engines = memory_allocate_zeroed(count + 1, sizeof *engines);
    for (size_t i = 0; i < count; i++) {
        engines[i] = overview->engines[i];
        engines[i].index = (uint32_t)i;
    }
    bool *several = find_several_roles(engines, count);
    sort_items(engines, count, sizeof *engines, roles_compare_places);
    for (size_t i = 0; i < count; i++) {
        char name[512];
        if (says_no_more(overview, &engines[i]))
            continue;
        name_engine(overview, &engines[i], several[engines[i].index], name, sizeof name);
        overview_row_set(overview_row_add(rows, view_of(name)), overview,
                         (struct overview_value){true, engines[i].ns}, true);
    }
    free(several);
    free(engines);
}

// Why the device rests, where its work says by what it was launched.
static void add_gaps(const struct overview *overview, const struct launch_gaps *gaps,
                     struct overview_rows *rows)
{
    struct launch_gap gap;
    if (!launch_gaps_of(gaps, overview->scope, &gap))
        return;
    overview_row_set(overview_row_add(rows, VIEW_LITERAL("Idle Not Launched")), overview,
                     (struct overview_value){true, gap.before}, true);
    overview_row_set(overview_row_add(rows, VIEW_LITERAL("Idle Launched")), overview,
                     (struct overview_value){true, gap.after}, true);
    if (gap.other > 0)
        overview_row_set(overview_row_add(rows, VIEW_LITERAL("Idle Launch Unknown")), overview,
                         (struct overview_value){true, gap.other}, true);
}

void overview_roles_rows(const struct overview *overview, const struct launch_gaps *gaps, bool all,
                         struct overview_rows *out_rows)
{
    *out_rows = (struct overview_rows){0};
    const bool totals = profile_has_totals(overview->profile);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (totals && !ROWS[i].whole)
            continue;
        const struct overview_value value = overview_evaluate(overview, &ROWS[i].rule);
        if (value.present || all)
            overview_row_set(overview_row_add(out_rows, view_of(ROWS[i].name)), overview, value,
                             !ROWS[i].whole);
    }
    add_gaps(overview, gaps, out_rows);
    add_engines(overview, out_rows);
}

// Cores -----------------------------------------------------------------------

struct core_work {
    uint32_t device, core; // numbers + 1
    uint64_t ns;           // of its busiest engine
};

static bool is_work(enum role role)
{
    return role != ROLE_WAIT && role != ROLE_DEVICE && role_is_device(role);
}

static size_t find_cores(const struct overview *overview, struct core_work *cores)
{
    size_t count = 0;
    for (size_t i = 0; i < overview->engine_count; i++) {
        const struct overview_lane *engine = &overview->engines[i];
        size_t at = 0;
        if (engine->core == 0 || !is_work(engine->role))
            continue;
        while (at < count && (cores[at].device != engine->device || cores[at].core != engine->core))
            at++;
        if (at == count)
            cores[count++] = (struct core_work){engine->device, engine->core, 0};
        cores[at].ns = engine->ns > cores[at].ns ? engine->ns : cores[at].ns;
    }
    return count;
}

static void add_core(const struct overview *overview, struct overview_rows *rows, const char *what,
                     const struct core_work *core)
{
    char name[64];
    if (core->device > 1)
        snprintf(name, sizeof name, "%s: device %" PRIu32 " core %" PRIu32, what, core->device - 1,
                 core->core - 1);
    else
        snprintf(name, sizeof name, "%s: core %" PRIu32, what, core->core - 1);
    overview_row_set(overview_row_add(rows, view_of(name)), overview,
                     (struct overview_value){true, core->ns}, true);
}

void overview_roles_add_cores(const struct overview *overview, struct overview_rows *rows)
{
    struct core_work *cores = memory_allocate_zeroed(overview->engine_count + 1, sizeof *cores);
    const size_t count = find_cores(overview, cores);
    double sum = 0, squares = 0;
    size_t most = 0, least = 0;
    for (size_t i = 0; i < count; i++) {
        const double ns = (double)cores[i].ns;
        sum += ns;
        squares += ns * ns;
        most = cores[i].ns > cores[most].ns ? i : most;
        least = cores[i].ns < cores[least].ns ? i : least;
    }
    if (count > 1) {
        const double mean = sum / (double)count;
        const double variance = squares / (double)count - mean * mean;
        const double limit = mean + (variance > 0 ? sqrt(variance) : 0);
        add_core(overview, rows, "Busiest", &cores[most]);
        add_core(overview, rows, "Least Busy", &cores[least]);
        for (size_t i = 0; i < count; i++) {
            if ((double)cores[i].ns > limit && (double)cores[i].ns > 1.5 * mean)
                add_core(overview, rows, "Straggler", &cores[i]);
        }
    }
    free(cores);
}
