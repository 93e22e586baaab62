#include "parts.h"

#include <stdlib.h>

enum { LANE_NAME_MOST = 100 };

// Bucket, place, size and count: numbers only, since there are many.
static void write_level(struct json_writer *json, const struct page_level *level)
{
    json_uint(json, NULL, level->shift == LEVELS_EXACT ? 0 : 1ull << level->shift);
    json_uint(json, NULL, level->at);
    json_uint(json, NULL, level->size);
    json_uint(json, NULL, level->count);
}

static void page_write_lane(struct json_writer *json, const struct page_timeline *timeline,
                            const struct page_lane *lane)
{
    const struct profile *profile = timeline->profile;
    const struct track *track = profile_track(profile, lane->track);
    json_open_object(json, NULL);
    json_uint(json, "track", lane->track);
    json_text(json, "name", view_shortened(profile_text(profile, track->name), LANE_NAME_MOST));
    json_uint(json, "depth", lane->depth);
    json_uint(json, "kind", lane->kind);
    if (lane->heading) {
        json_close(json);
        return;
    }
    json_text(json, "role", view_of(role_name(track->role)));
    json_text(json, "provenance", view_of(provenance_name(track->provenance)));
    json_uint(json, "rows", lane->rows);
    json_uint(json, "spans", track->spans);
    json_uint(json, "instants", track->instants);
    json_uint(json, "samples", track->samples);
    json_uint(json, "busy", lane->busy);
    if (lane->deeper > 0)
        json_uint(json, "deeper", lane->deeper);
    json_open_array(json, "levels");
    for (unsigned i = 0; i < lane->level_count; i++)
        write_level(json, &lane->levels[i]);
    json_close(json);
    if (lane->counter.size > 0) {
        json_open_array(json, "counter");
        write_level(json, &lane->counter);
        json_close(json);
        json_real(json, "least", lane->least);
        json_real(json, "most", lane->most);
        json_text(json, "unit", profile_text(profile, track->unit));
    }
    json_close(json);
}

static void write_kinds(struct json_writer *json, const struct page_timeline *timeline)
{
    json_open_array(json, "kinds");
    for (unsigned i = 0; i < PICTURE_KINDS; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", view_of(timeline->kinds.names[i]));
        json_uint(json, "colour", picture_kind_colour(i, 0));
        json_close(json);
    }
    json_close(json);
    json_uint(json, "wait_kind", PICTURE_WAIT);
    json_uint(json, "other_kind", PICTURE_OTHER);
}

// Names, and the numbers of those that say that somebody waits.
static void write_names(struct json_writer *json, const struct page_timeline *timeline)
{
    const struct page_numbers *numbers = &timeline->numbers;
    struct picture_names known = {.profile = timeline->profile};
    json_open_array(json, "names");
    for (size_t i = 0; i < numbers->name_count; i++)
        json_text(json, NULL, page_numbers_name(numbers, i));
    json_close(json);
    json_open_array(json, "waits");
    for (size_t i = 1; i < numbers->name_count; i++) {
        unsigned shade;
        if (picture_names_kind(&known, numbers->names[i], PICTURE_OTHER, &shade) == PICTURE_WAIT)
            json_uint(json, NULL, i);
    }
    json_close(json);
    free(known.known);
}

static void write_operators(struct json_writer *json, const struct page_timeline *timeline)
{
    const struct page_numbers *numbers = &timeline->numbers;
    const struct profile *profile = timeline->profile;
    uint64_t room = TIMELINE_OPERATORS_SIZE / timeline->share;
    json_open_array(json, "operators");
    for (size_t i = 0; i < numbers->operator_count; i++) {
        const struct operator_description *op = profile_operator(profile, numbers->operators[i]);
        const struct view name = view_shortened(profile_text(profile, op->name), NUMBERS_NAME_MOST);
        const struct view type = view_shortened(profile_text(profile, op->type), NUMBERS_NAME_MOST);
        const uint64_t size = 6 * (name.size + type.size) + 12;
        if (size > room)
            break;
        room -= size;
        json_open_array(json, NULL);
        json_text(json, NULL, name);
        json_text(json, NULL, type);
        json_close(json);
    }
    json_close(json);
}

// Arrows: lane, row, start and end of the span that one leaves, then lane, row and start of the
// one that it leads to.
static void write_flows(struct json_writer *json, const struct page_timeline *timeline)
{
    const struct flows *flows = &timeline->flows;
    json_open_array(json, "flows");
    for (size_t i = 0; i < flows->count; i++) {
        if (!flows_linked(flows, i))
            continue;
        const struct flow_end *from = &flows->ends[i];
        const struct flow_end *to = from + 1;
        const uint64_t numbers[] = {from->lane, from->row, from->start, from->end,
                                    to->lane,   to->row,   to->start};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            json_uint(json, NULL, numbers[k]);
    }
    json_close(json);
    json_uint(json, "flow_ends", flows->total);
    json_uint(json, "flow_ends_kept", flows->count);
}

void parts_write_timeline(struct json_writer *json, const struct page_timeline *timeline)
{
    json_uint(json, "start", timeline->start);
    json_uint(json, "length", timeline->length);
    json_uint(json, "spans", timeline->spans);
    json_uint(json, "instants", timeline->instants);
    json_uint(json, "samples", timeline->samples);
    json_uint(json, "exact", timeline->exact);
    json_uint(json, "lanes_left_out", timeline->left_out);
    json_uint(json, "names_left_out", timeline->numbers.refused);
    write_kinds(json, timeline);
    json_open_array(json, "lanes");
    for (size_t i = 0; i < timeline->lane_count; i++)
        page_write_lane(json, timeline, &timeline->lanes[i]);
    json_close(json);
    write_names(json, timeline);
    write_operators(json, timeline);
    write_flows(json, timeline);
}
