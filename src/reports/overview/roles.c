#include "roles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    {"Transfer Only", {.some = MOVES, .minus = COMPUTE, .needs = MOVES}, false},
    {"Overlap", {.some = COMPUTE, .with = MOVES, .needs = COMPUTE}, false},
    {"Control", {.some = CONTROL, .needs = CONTROL}, false},
    {"Wait", {.some = WAIT, .needs = WAIT}, false},
    {"Device", {.some = DEVICE, .needs = DEVICE}, false},
    {"Host", {.some = HOST, .needs = HOST}, false},
    {"Host Copy", {.some = HOST_COPY, .needs = HOST_COPY}, false},
    {"Host Call", {.some = HOST_CALL, .needs = HOST_CALL}, false},
    {"Unknown Role", {.some = UNKNOWN, .needs = UNKNOWN}, false},
    {"Idle", {.some = WORKS, .span = OVERVIEW_ALL, .needs = OVERVIEW_ALL}, false},
};

// Engines: those of a core together, cores and devices in order.
static int roles_compare_places(const void *left, const void *right)
{
    const struct overview_lane *a = left;
    const struct overview_lane *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index); // their places before
}

static void name_engine(const struct overview *overview, const struct overview_lane *engine,
                        char *name, size_t room)
{
    char device[32] = "";
    char core[32] = "";
    const struct view word = engine->engine != 0 ? profile_text(overview->profile, engine->engine)
                                                 : view_of(role_name(engine->role));
    if (engine->device != 0)
        snprintf(device, sizeof device, "device %" PRIu32 " ", engine->device - 1);
    if (engine->core != 0)
        snprintf(core, sizeof core, "core %" PRIu32 " ", engine->core - 1);
    snprintf(name, room, "%s%s%.*s", device, core, VIEW_ARGUMENTS(word));
}

// What is called as a role is: all that there is to say stands in the rows of the roles.
static bool says_no_more(const struct overview *overview, const struct overview_lane *engine)
{
    enum role role;
    if (engine->engine == 0)
        return engine->role == ROLE_NONE;
    return engine->device == 0 && engine->core == 0 &&
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
    qsort(engines, count, sizeof *engines, roles_compare_places);
    for (size_t i = 0; i < count; i++) {
        char name[512];
        if (says_no_more(overview, &engines[i]))
            continue;
        name_engine(overview, &engines[i], name, sizeof name);
        overview_row_set(overview_row_add(rows, view_of(name)), overview,
                         (struct overview_value){true, engines[i].ns}, true);
    }
    free(engines);
}

void overview_roles_rows(const struct overview *overview, bool all, struct overview_rows *out_rows)
{
    *out_rows = (struct overview_rows){0};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct overview_value value = overview_evaluate(overview, &ROWS[i].rule);
        if (value.present || all)
            overview_row_set(overview_row_add(out_rows, view_of(ROWS[i].name)), overview, value,
                             !ROWS[i].whole);
    }
    add_engines(overview, out_rows);
}
