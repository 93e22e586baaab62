#include "writing.h"

#include "split.h"
#include "wire/csv.h"

static const struct {
    enum ledger_note_kind kind;
    bool no_place; // "... has no place for <what>", or else <what> says it all
    const char *what;
} LOSSES[WRITING_LOSSES] = {
    [WRITING_OTHER_ENGINES] = {LEDGER_NOT_CARRIED, true, "spans of other engines"},
    [WRITING_INSTANTS] = {LEDGER_NOT_CARRIED, true, "instants"},
    [WRITING_SAMPLES] = {LEDGER_NOT_CARRIED, true, "counter samples"},
    [WRITING_IDS] = {LEDGER_REMARK, true, "IDs; the rows are numbered anew"},
    [WRITING_BYTES] = {LEDGER_REMARK, true, "numbers of bytes"},
    [WRITING_SLICES] = {LEDGER_REMARK, true, "slice numbers"},
    [WRITING_TYPES] = {LEDGER_REMARK, true, "op types"},
    [WRITING_LOCATIONS] = {LEDGER_REMARK, true, "locations"},
    [WRITING_DISPATCHES] = {LEDGER_REMARK, true, "dispatch names and invocations"},
    [WRITING_LINE_BREAKS] = {LEDGER_REMARK, false, "line breaks in texts are written as blanks"},
    [WRITING_CYCLES] = {LEDGER_REMARK, false,
                        "spans are not in cycles; their times are converted at 800 MHz"},
    [WRITING_MICROSECONDS] = {LEDGER_REMARK, false,
                              "events are not in microseconds; their times are rounded down"},
};

status writing_start(struct writing *writing, struct profile *profile, enum torq_form form,
                     const char *path, const char *header, timeline_ticks to_ticks)
{
    *writing = (struct writing){.profile = profile,
                                .form = form,
                                .path = path,
                                .timeline = timeline_create(profile, to_ticks)};
    STATUS_TRY(output_open(path, &writing->output));
    output_text(writing->output, header);
    return STATUS_OK;
}

void writing_leave_out(struct writing *writing, const struct track *track, bool spans)
{
    // What was derived from other events can be derived again.
    if (track->provenance == PROVENANCE_DERIVED)
        return;
    if (!spans)
        writing->losses[WRITING_OTHER_ENGINES] += track->spans;
    writing->losses[WRITING_INSTANTS] += track->instants;
    writing->losses[WRITING_SAMPLES] += track->samples;
}

// The text without line breaks, in `writing->text` if it has any.
static struct view one_line(struct writing *writing, struct view text)
{
    if (view_find(text, '\n') == text.size && view_find(text, '\r') == text.size)
        return text;
    writing->losses[WRITING_LINE_BREAKS]++;
    writing->text.size = 0;
    bytes_append(&writing->text, text.data, text.size);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\n' || text.data[i] == '\r')
            writing->text.data[i] = ' ';
    }
    return bytes_view(&writing->text);
}

void writing_text(struct writing *writing, struct view text, char separator)
{
    csv_field_append(&writing->row, one_line(writing, text), separator);
}

struct view writing_location_of(const struct writing *writing, uint32_t call)
{
    const struct profile *profile = writing->profile;
    const uint32_t id = profile_call(profile, call)->operator_id;
    return profile_text(profile, profile_operator(profile, id)->location);
}

void writing_location(struct writing *writing, uint32_t call, char separator)
{
    const struct view location = one_line(writing, writing_location_of(writing, call));
    if (split_location_is_whole(location))
        csv_field_append(&writing->row, location, separator);
    else
        csv_field_append_quoted(&writing->row, location);
}

void writing_last_location(struct writing *writing, uint32_t call, char separator)
{
    const struct view location = writing_location_of(writing, call);
    const bool plain = view_starts_with(location, "loc(") && view_ends_with(location, ")") &&
                       split_location_is_whole(location) &&
                       view_find(location, '\n') == location.size &&
                       view_find(location, '\r') == location.size;
    if (plain)
        bytes_append(&writing->row, location.data, location.size);
    else
        writing_location(writing, call, separator);
}

void writing_end_row(struct writing *writing)
{
    bytes_append(&writing->row, "\n", 1);
    output_write(writing->output, writing->row.data, writing->row.size);
    writing->row.size = 0;
}

bool writing_value(const struct timeline_event *event, uint32_t key, struct value *out_value)
{
    struct value_reader reader = value_read(event->values);
    while (value_next(&reader, out_value)) {
        if (out_value->key == key)
            return true;
    }
    return false;
}

static void writing_note_losses(struct writing *writing)
{
    for (unsigned i = 0; i < WRITING_LOSSES; i++) {
        const unsigned long long count = writing->losses[i];
        if (count == 0)
            continue;
        if (LOSSES[i].no_place)
            profile_note(writing->profile, 0, LOSSES[i].kind, count,
                         "%s: %s has no place for %llu %s", writing->path,
                         torq_form_name(writing->form), count, LOSSES[i].what);
        else
            profile_note(writing->profile, 0, LOSSES[i].kind, count, "%s: %llu %s", writing->path,
                         count, LOSSES[i].what);
    }
}

status writing_finish(struct writing *writing, status result)
{
    if (result == STATUS_OK)
        writing_note_losses(writing);
    if (writing->output != NULL)
        result = output_finish(writing->output, result);
    timeline_free(&writing->timeline);
    bytes_free(&writing->row);
    bytes_free(&writing->text);
    return result;
}
