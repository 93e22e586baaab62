#include <opscope/analyse.h>

#include <stdlib.h>

#include "analysis/operator_times.h"
#include "api.h"
#include "base/memory.h"
#include "reports/overview/list.h"

struct opscope_overview {
    struct overview_rows *list;
    size_t count;
};

static status analyse_overview(struct opscope_profile *profile, bool all,
                               struct overview_rows **out_list, size_t *out_count)
{
    STATUS_TRY(api_finish(profile));
    return overview_rows_list(profile->profile, all, out_list, out_count);
}

static int create_overview(struct opscope_profile *profile, int all,
                           struct opscope_overview **out_overview, char *message, size_t size)
{
    struct overview_rows *list;
    size_t count;
    const int code = api_answer(analyse_overview(profile, all != 0, &list, &count), message, size);
    if (code != OPSCOPE_OK)
        return code;
    *out_overview = memory_allocate_zeroed(1, sizeof **out_overview);
    **out_overview = (struct opscope_overview){list, count};
    return OPSCOPE_OK;
}

int opscope_overview_create(struct opscope_profile *profile, int all,
                            struct opscope_overview **out_overview, char *message, size_t size)
{
    *out_overview = NULL;
    return RECOVERY_SCOPE_BESIDE(&profile->region,
                                 create_overview(profile, all, out_overview, message, size),
                                 api_no_memory(message, size));
}

void opscope_overview_free(struct opscope_overview *overview)
{
    if (overview == NULL)
        return;
    overview_rows_list_free(overview->list, overview->count);
    free(overview);
}

uint32_t opscope_overview_count(const struct opscope_overview *overview)
{
    return (uint32_t)overview->count;
}

const char *opscope_overview_name(const struct opscope_overview *overview, uint32_t index)
{
    return index < overview->count ? overview->list[index].model : NULL;
}

uint32_t opscope_overview_metric_count(const struct opscope_overview *overview, uint32_t index)
{
    return index < overview->count ? (uint32_t)overview->list[index].count : 0;
}

int opscope_overview_get_metric_sized(const struct opscope_overview *overview, uint32_t index,
                                      uint32_t metric, struct opscope_metric *out_metric,
                                      size_t size)
{
    struct opscope_metric given = {0};
    const bool found = metric < opscope_overview_metric_count(overview, index);
    if (found) {
        const struct overview_rows *rows = &overview->list[index];
        const struct overview_row *row = &rows->rows[metric];
        given = (struct opscope_metric){.name = row->name,
                                        .provenance = row->present ? (uint32_t)rows->provenance
                                                                   : OPSCOPE_ABSENT,
                                        .has_percent = row->has_percent,
                                        .ns = row->present ? row->ns : 0,
                                        .percent = row->has_percent ? row->percent : 0};
    }
    api_give(out_metric, size, &given, sizeof given);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}

// Operators -------------------------------------------------------------------------

struct opscope_operator_times {
    struct operator_times times;
};

static status analyse_operator_times(struct opscope_profile *profile,
                                     struct operator_times *out_times)
{
    STATUS_TRY(api_finish(profile));
    return operator_times_measure(profile->profile, out_times);
}

static int create_operator_times(struct opscope_profile *profile,
                                 struct opscope_operator_times **out_times, char *message,
                                 size_t size)
{
    struct operator_times times;
    const int code = api_answer(analyse_operator_times(profile, &times), message, size);
    if (code != OPSCOPE_OK)
        return code;
    *out_times = memory_allocate_zeroed(1, sizeof **out_times);
    (*out_times)->times = times;
    return OPSCOPE_OK;
}

int opscope_operator_times_create(struct opscope_profile *profile,
                                  struct opscope_operator_times **out_times, char *message,
                                  size_t size)
{
    *out_times = NULL;
    return RECOVERY_SCOPE_BESIDE(&profile->region,
                                 create_operator_times(profile, out_times, message, size),
                                 api_no_memory(message, size));
}

void opscope_operator_times_free(struct opscope_operator_times *times)
{
    if (times == NULL)
        return;
    operator_times_free(&times->times);
    free(times);
}

uint32_t opscope_operator_times_count(const struct opscope_operator_times *times, uint32_t grouping)
{
    if (grouping == OPSCOPE_BY_OPERATOR)
        return (uint32_t)times->times.count;
    return grouping == OPSCOPE_BY_TYPE ? (uint32_t)times->times.type_count : 0;
}

uint64_t opscope_operator_times_unassigned(const struct opscope_operator_times *times)
{
    return times->times.without;
}

int opscope_operator_times_get_sized(const struct opscope_operator_times *times, uint32_t grouping,
                                     uint32_t index, struct opscope_operator_time *out_time,
                                     size_t size)
{
    struct opscope_operator_time given = {0};
    const bool found = index < opscope_operator_times_count(times, grouping);
    if (found) {
        const struct operator_times *from = &times->times;
        const struct operator_time *time =
            grouping == OPSCOPE_BY_OPERATOR ? &from->operators[index] : &from->types[index];
        given = (struct opscope_operator_time){.operator_id = time->operator_id,
                                               .has_device = from->self[OPERATOR_DEVICE] > 0,
                                               .has_host = from->self[OPERATOR_HOST] > 0,
                                               .calls = time->calls,
                                               .spans = time->spans,
                                               .device_ns = time->total[OPERATOR_DEVICE],
                                               .device_self_ns = time->self[OPERATOR_DEVICE],
                                               .host_ns = time->total[OPERATOR_HOST],
                                               .host_self_ns = time->self[OPERATOR_HOST],
                                               .unknown_ns = time->total[OPERATOR_UNKNOWN],
                                               .unknown_self_ns = time->self[OPERATOR_UNKNOWN]};
    }
    api_give(out_time, size, &given, sizeof given);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}
