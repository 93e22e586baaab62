// Whether the times of a row were modelled: a report has no column for it, but one for anything
// that a program says of itself.

#include "report.h"

#include <stdio.h>

#include "wire/json_reader.h"

static const char KEY[] = "provenance";

static bool says_modelled(struct view metadata)
{
    const struct view modelled = view_of(provenance_name(PROVENANCE_MODELLED));
    struct arena arena = {0};
    const struct json_value *json;
    if (view_find_text(metadata, provenance_name(PROVENANCE_MODELLED)) == metadata.size)
        return false;
    const status failure = json_read(metadata, &arena, &json);
    const bool says =
        failure == STATUS_OK && view_equal(json_text_of(json_find(json, KEY)), modelled);
    status_free(failure);
    arena_free(&arena);
    return says;
}

bool report_row_is_modelled(const struct report *report, size_t row)
{
    return says_modelled(report_text(report, row, COLUMN_PROGRAM_METADATA));
}

void report_row_set_modelled(struct report *report, size_t row)
{
    const struct view metadata = report_text(report, row, COLUMN_PROGRAM_METADATA);
    char text[64];
    if (metadata.size > 0 && !view_is(metadata, "{}"))
        return;
    snprintf(text, sizeof text, "{\"%s\": \"%s\"}", KEY, provenance_name(PROVENANCE_MODELLED));
    report_set_raw(report, row, COLUMN_PROGRAM_METADATA, view_of(text));
}

struct report_modelled report_modelled_count(const struct report *report)
{
    struct report_modelled count = {0};
    for (size_t row = 0; row < report->row_count; row++) {
        const struct view type = report_text(report, row, COLUMN_OP_TYPE);
        if (view_find_text(type, "signpost") < type.size)
            continue;
        count.operations++;
        count.modelled += report_row_is_modelled(report, row);
    }
    return count;
}
