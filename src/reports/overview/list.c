#include "list.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reports/torq/overview_rows.h"
#include "roles.h"

void overview_rows_list_free(struct overview_rows *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        overview_rows_free(&list[i]);
    free(list);
}

// Torq's rows say nothing of other machines, and HAL is in few profiles.
bool overview_row_is_shown(const struct profile *profile, const struct overview_row *row)
{
    return row->present || (strcmp(row->name, "Hal") != 0 &&
                            !view_starts_with(profile_fact(profile, "format"), "tenstorrent"));
}

// Whose table it is -----------------------------------------------------------

static bool has_other_engines(const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->spans > 0 && !torq_overview_knows(profile, track->role, track->engine))
            return true;
    }
    return false;
}

// Threads of a host and GPUs are not Torq's: what they did is summed up by role.
static bool is_another_machines(const struct profile *profile)
{
    static const char *const OTHERS[] = {"kineto", "onnxruntime"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        if (view_starts_with(profile_fact(profile, "format"), OTHERS[i]))
            return true;
    }
    return false;
}

static bool overview_list_is_torq(const struct profile *profile,
                                  const struct overview_collector *collector, size_t index)
{
    if (is_another_machines(profile))
        return false;
    for (size_t i = 0; i < overview_lane_count(collector, index); i++) {
        const struct overview_lane *lane = overview_lane(collector, index, i);
        if (!torq_overview_knows(profile, lane->role, lane->engine))
            return false;
    }
    return true;
}

static status compute_rows(struct profile *profile, struct overview_collector *collector, bool all,
                           size_t index, struct overview_rows *out_rows)
{
    struct overview overview;
    const bool torq = overview_list_is_torq(profile, collector, index);
    STATUS_TRY(overview_compute(collector, index, torq ? TORQ_OVERVIEW_PARTS : OVERVIEW_ROLE_PARTS,
                                torq ? TORQ_OVERVIEW_PART_COUNT : OVERVIEW_ROLE_PART_COUNT,
                                &overview));
    if (torq)
        torq_overview_rows(&overview, all, out_rows);
    else
        overview_roles_rows(&overview, all, out_rows);
    if (!torq && view_starts_with(profile_fact(profile, "format"), "qaic"))
        overview_roles_add_cores(&overview, out_rows);
    const struct track *scope = profile_track(profile, overview.scope);
    out_rows->model = view_copy(profile_text(profile, scope->name));
    out_rows->provenance = overview.provenance;
    overview_free(&overview);
    return STATUS_OK;
}

static status compute_list(struct profile *profile, bool all, struct overview_rows **out_list,
                           size_t *out_count)
{
    // Lanes of which their profilers say nothing are windows and remarks, no work.
    const bool another = is_another_machines(profile);
    struct overview_collector *collector =
        overview_collector_create(profile, has_other_engines(profile) && !another);
    status result = profile_replay(profile, overview_collector_sink(collector));
    *out_count = result == STATUS_OK ? overview_count(collector) : 0;
    *out_list = memory_allocate_zeroed(*out_count, sizeof **out_list);
    size_t kept = 0;
    for (size_t i = 0; i < *out_count && result == STATUS_OK; i++) {
        if (!another || overview_lane_count(collector, i) > 0)
            result = compute_rows(profile, collector, all, i, &(*out_list)[kept++]);
    }
    *out_count = kept;
    overview_collector_free(collector);
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
        result = compute_list(profile, all, out_list, out_count);
    }
    if (result != STATUS_OK)
        overview_rows_list_free(*out_list, *out_count);
    return result;
}
