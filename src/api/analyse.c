#include <opscope/analyse.h>

#include <stdlib.h>

#include "api.h"
#include "base/memory.h"
#include "formats/torq/overview_rows.h"

struct opscope_overview {
    struct overview_rows *list;
    size_t count;
};

static status compute(struct opscope_profile *profile, bool all, struct overview_rows **out_list,
                      size_t *out_count)
{
    STATUS_TRY(api_finish(profile));
    return overview_rows_list(profile->profile, all, out_list, out_count);
}

int opscope_overview_create(struct opscope_profile *profile, int all,
                            struct opscope_overview **out_overview, char *message, size_t size)
{
    struct overview_rows *list;
    size_t count;
    *out_overview = NULL;
    const int code = api_answer(compute(profile, all != 0, &list, &count), message, size);
    if (code != OPSCOPE_OK)
        return code;
    *out_overview = memory_allocate_zeroed(1, sizeof **out_overview);
    **out_overview = (struct opscope_overview){list, count};
    return OPSCOPE_OK;
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
