#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/launch_gaps.h"
#include "base/memory.h"
#include "reports/torq/overview_rows.h"
#include "roles.h"

void overview_rows_list_free(struct overview_rows *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        overview_rows_free(&list[i]);
    free(list);
}

// HAL is in few profiles.
bool overview_row_is_shown(const struct overview_row *row)
{
    return row->present || strcmp(row->name, "Hal") != 0;
}

// Whose table it is -----------------------------------------------------------

// What the lanes of a profile say of their machine.
struct machine {
    bool torq;     // some engine is Torq's own
    bool others;   // some engine has no place in Torq's table
    bool plain;    // some lane is the host's or the device's, no more: its profiler says roles
    bool anything; // some lane has a role
};

// An engine that is called as its role is: every machine has a host. A lane may tell by its own
// name whose it is.
static bool is_plain(const struct profile *profile, const struct track *track)
{
    const struct view engine = profile_text(profile, track->engine);
    return (track->role == ROLE_HOST || track->role == ROLE_DEVICE) &&
           view_is(engine, role_name(track->role)) && !torq_overview_names(profile, track);
}

static struct machine look_at_machine(const struct profile *profile)
{
    struct machine machine = {0};
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const bool known = torq_overview_knows(profile, track->role, track->engine);
        const bool plain = is_plain(profile, track);
        if (track->spans == 0)
            continue;
        machine.plain |= plain;
        machine.others |= !known;
        machine.torq |= known && !plain && track->engine != 0;
        machine.anything |= track->role != ROLE_NONE;
    }
    return machine;
}

// Lanes of which a profiler that says roles says none are windows and remarks, no work.
static bool has_unknown_lanes(const struct machine *machine)
{
    return (machine->others || !machine->anything) && !machine->plain;
}

static bool overview_list_is_torq(const struct profile *profile, const struct machine *machine,
                                  const struct overview_collector *collector, size_t index)
{
    if (!machine->torq)
        return false;
    for (size_t i = 0; i < overview_lane_count(collector, index); i++) {
        const struct overview_lane *lane = overview_lane(collector, index, i);
        if (!torq_overview_knows(profile, lane->role, lane->engine))
            return false;
    }
    return true;
}

// What all processes of a profile are computed with.
struct listing {
    struct profile *profile;
    struct machine machine;
    struct overview_collector *collector;
    struct launch_gaps gaps;
    bool all;
};

static status compute_rows(const struct listing *listing, size_t index,
                           struct overview_rows *out_rows)
{
    struct overview overview;
    struct profile *profile = listing->profile;
    const bool torq = overview_list_is_torq(profile, &listing->machine, listing->collector, index);
    STATUS_TRY(overview_compute(
        listing->collector, index, torq ? TORQ_OVERVIEW_PARTS : OVERVIEW_ROLE_PARTS,
        torq ? TORQ_OVERVIEW_PART_COUNT : OVERVIEW_ROLE_PART_COUNT, &overview));
    if (torq)
        torq_overview_rows(&overview, listing->all, out_rows);
    else
        overview_roles_rows(&overview, &listing->gaps, listing->all, out_rows);
    if (!torq && view_starts_with(profile_fact(profile, "format"), "qaic"))
        overview_roles_add_cores(&overview, out_rows);
    const struct track *scope = profile_track(profile, overview.scope);
    out_rows->model = view_copy(profile_text(profile, scope->name));
    out_rows->provenance = overview.provenance;
    overview_free(&overview);
    return STATUS_OK;
}

// Processes without work are left out where others have some.
static status compute_list(struct listing *listing, struct overview_rows **out_list,
                           size_t *out_count)
{
    struct overview_collector *collector = listing->collector;
    status result = profile_replay(listing->profile, overview_collector_sink(collector));
    *out_count = result == STATUS_OK ? overview_count(collector) : 0;
    *out_list = memory_allocate_zeroed(*out_count, sizeof **out_list);
    bool works = false;
    for (size_t i = 0; i < *out_count; i++)
        works |= overview_lane_count(collector, i) > 0;
    size_t kept = 0;
    for (size_t i = 0; i < *out_count && result == STATUS_OK; i++) {
        if (listing->machine.torq || !works || overview_lane_count(collector, i) > 0)
            result = compute_rows(listing, i, &(*out_list)[kept++]);
    }
    *out_count = kept;
    return result;
}

static status compute_profile(struct profile *profile, bool all, struct overview_rows **out_list,
                              size_t *out_count)
{
    struct listing listing = {.profile = profile, .machine = look_at_machine(profile), .all = all};
    *out_list = NULL;
    *out_count = 0;
    if (!listing.machine.torq)
        STATUS_TRY(launch_gaps_measure(profile, &listing.gaps));
    listing.collector = overview_collector_create(profile, has_unknown_lanes(&listing.machine));
    const status result = compute_list(&listing, out_list, out_count);
    overview_collector_free(listing.collector);
    launch_gaps_free(&listing.gaps);
    return result;
}

status overview_rows_list(struct profile *profile, bool all, struct overview_rows **out_list,
                          size_t *out_count)
{
    status result = torq_overview_read(profile, out_list, out_count);
    for (size_t i = 0; i < *out_count; i++)
        (*out_list)[i].provenance = PROVENANCE_DERIVED;
    if (result == STATUS_OK && *out_count == 0) {
        free(*out_list);
        result = compute_profile(profile, all, out_list, out_count);
    }
    if (result != STATUS_OK)
        overview_rows_list_free(*out_list, *out_count);
    return result;
}

void overview_rows_keep_shown(struct overview_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (overview_row_is_shown(&rows->rows[i]))
            rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}
