#include "tracks.h"

enum { INDENT_MOST = 16 };

static const struct tracks_report *tracks_report_of(const struct table_query *query)
{
    return query->report;
}

static uint32_t tracks_id_of(const struct table_query *query)
{
    return (uint32_t)query->row + 1;
}

static const struct track *tracks_track_of(const struct table_query *query)
{
    return profile_track(tracks_report_of(query)->profile, tracks_id_of(query));
}

// 0 is none.
static struct table_cell tracks_text_of(const struct table_query *query, uint32_t text)
{
    return text == 0 ? table_absent()
                     : table_text(profile_text(tracks_report_of(query)->profile, text));
}

static struct table_cell tracks_file_cell(const struct table_query *query)
{
    return table_text(view_of(tracks_report_of(query)->path));
}

static struct table_cell tracks_id_cell(const struct table_query *query)
{
    return table_whole(tracks_id_of(query));
}

static struct table_cell parent_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->parent);
}

static struct table_cell tracks_name_cell(const struct table_query *query)
{
    return table_text(profile_text(tracks_report_of(query)->profile, tracks_track_of(query)->name));
}

static struct table_cell tree_cell(const struct table_query *query)
{
    static const char BLANKS[2 * INDENT_MOST + 1] = "                                ";
    const unsigned *depths = tracks_report_of(query)->depth;
    const unsigned depth = depths == NULL ? 0 : depths[tracks_id_of(query)];
    bytes_append(query->scratch, BLANKS, 2 * (size_t)(depth < INDENT_MOST ? depth : INDENT_MOST));
    const struct view name = tracks_name_cell(query).text;
    const struct view shown = name.size > 0 ? name : VIEW_LITERAL("(no name)");
    bytes_append(query->scratch, shown.data, shown.size);
    return table_text(bytes_view(query->scratch));
}

static struct table_cell tracks_engine_cell(const struct table_query *query)
{
    const struct table_cell engine = tracks_text_of(query, tracks_track_of(query)->engine);
    return engine.kind == TABLE_CELL_ABSENT ? table_text(VIEW_LITERAL("none")) : engine;
}

static struct table_cell role_cell(const struct table_query *query)
{
    return table_text(view_of(role_name(tracks_track_of(query)->role)));
}

// Places count from 1; 0: nobody said.
static struct table_cell tracks_device_cell(const struct table_query *query)
{
    const uint32_t device = tracks_track_of(query)->device;
    return table_whole_if(device != 0, device - 1);
}

static struct table_cell core_cell(const struct table_query *query)
{
    const uint32_t core = tracks_track_of(query)->core;
    return table_whole_if(core != 0, core - 1);
}

static struct table_cell queue_cell(const struct table_query *query)
{
    return tracks_text_of(query, tracks_track_of(query)->queue);
}

static struct table_cell provenance_cell(const struct table_query *query)
{
    return table_text(view_of(provenance_name(tracks_track_of(query)->provenance)));
}

static bool tracks_holds_events(const struct track *track)
{
    return track->kind != TRACK_GROUP && track->kind != TRACK_PROCESS;
}

static struct table_cell events_cell(const struct table_query *query)
{
    const struct track *track = tracks_track_of(query);
    return table_whole_if(tracks_holds_events(track),
                          track->spans + track->instants + track->samples);
}

static struct table_cell known_cell(const struct table_query *query)
{
    return tracks_holds_events(tracks_track_of(query)) ? provenance_cell(query) : table_absent();
}

static struct table_cell tracks_spans_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->spans);
}

static struct table_cell instants_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->instants);
}

static struct table_cell samples_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->samples);
}

static struct table_cell expected_cell(const struct table_query *query)
{
    const uint64_t expected = tracks_track_of(query)->ledger.expected;
    return table_whole_if(expected != LEDGER_UNKNOWN, expected);
}

static struct table_cell tracks_lost_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->ledger.lost);
}

static struct table_cell impossible_cell(const struct table_query *query)
{
    return table_whole(tracks_track_of(query)->ledger.impossible);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "file", .meaning = "where it stands", .flags = TABLE_NOT_JSON, .cell = tracks_file_cell},
    {.key = "id", .meaning = "of the track in the profile", .type = TABLE_COUNT, .cell = tracks_id_cell},
    {.key = "parent", .meaning = "the track that it is part of; 0: none", .type = TABLE_COUNT,
     .cell = parent_cell},
    {.key = "name", .meaning = "of the track", .cell = tracks_name_cell},
    {.key = "track", .meaning = "its name beneath those of the tracks that it is part of",
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON, .width = 34, .place = 1, .cell = tree_cell},
    {.key = "engine", .meaning = "what executes its work", .cell = tracks_engine_cell},
    {.key = "role", .meaning = "what its work is", .cell = role_cell},
    {.key = "device", .meaning = "which one of several", .type = TABLE_COUNT,
     .flags = TABLE_OPTIONAL, .cell = tracks_device_cell},
    {.key = "core", .meaning = "which one of several", .type = TABLE_COUNT,
     .flags = TABLE_OPTIONAL, .cell = core_cell},
    {.key = "queue", .meaning = "where its work is ordered", .flags = TABLE_OPTIONAL,
     .cell = queue_cell},
    {.key = "provenance", .meaning = "measured, modelled, derived or absent",
     .cell = provenance_cell},
    {.key = "events", .meaning = "spans, instants and samples", .type = TABLE_COUNT,
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON | TABLE_EMPTY_ABSENT, .width = 14, .gap = 1,
     .place = 2, .cell = events_cell},
    {.key = "known", .meaning = "the provenance of what has events",
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON | TABLE_EMPTY_ABSENT, .place = 3, .cell = known_cell},
    {.key = "spans", .meaning = "that it has", .type = TABLE_COUNT, .cell = tracks_spans_cell},
    {.key = "instants", .meaning = "that it has", .type = TABLE_COUNT, .cell = instants_cell},
    {.key = "samples", .meaning = "that it has", .type = TABLE_COUNT, .cell = samples_cell},
    {.key = "expected", .meaning = "events that there were; absent: unknown", .type = TABLE_COUNT,
     .cell = expected_cell},
    {.key = "lost", .meaning = "events", .type = TABLE_COUNT, .cell = tracks_lost_cell},
    {.key = "impossible", .meaning = "events that contradict others", .type = TABLE_COUNT,
     .cell = impossible_cell},
};
// clang-format on

const struct table_form TRACKS_FORM = {
    .name = "tracks",
    .about = "a row for each track; text has them as a tree",
    .indent = 2,
    .headless = true,
    TABLE_COLUMNS(COLUMNS),
};
