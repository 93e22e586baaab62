#include "parts.h"

enum { TRACKS_MOST = 200 };

static void write_account(struct json_writer *json, const struct ledger *ledger)
{
    if (ledger->expected == LEDGER_UNKNOWN)
        json_null(json, "expected");
    else
        json_uint(json, "expected", ledger->expected);
    json_uint(json, "recorded", ledger->recorded);
    json_uint(json, "lost", ledger->lost);
    json_uint(json, "impossible", ledger->impossible);
}

static void write_tracks(struct json_writer *json, const struct profile *profile)
{
    unsigned written = 0;
    json_open_array(json, "tracks");
    for (uint32_t i = 0; i < profile->tracks.count && written < TRACKS_MOST; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->ledger.lost + track->ledger.impossible == 0)
            continue;
        written++;
        json_open_object(json, NULL);
        json_text(json, "name",
                  view_shortened(profile_text(profile, track->name), NUMBERS_NAME_MOST));
        write_account(json, &track->ledger);
        json_close(json);
    }
    json_close(json);
}

static void page_write_notes(struct json_writer *json, const struct profile *profile)
{
    enum { NOTE_MOST = 1000 };
    json_open_array(json, "notes");
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        json_open_object(json, NULL);
        json_text(json, "kind", view_of(ledger_note_kind_name(note->kind)));
        json_uint(json, "count", note->count);
        json_text(json, "text", view_shortened(profile_text(profile, note->text), NOTE_MOST));
        json_close(json);
    }
    json_close(json);
}

void parts_write_ledger(struct json_writer *json, const struct profile *profile)
{
    const struct ledger sum = profile_ledger(profile);
    json_open_object(json, "ledger");
    write_account(json, &sum);
    json_uint(json, "not_carried", profile->note_counts[LEDGER_NOT_CARRIED]);
    write_tracks(json, profile);
    page_write_notes(json, profile);
    json_close(json);
}
