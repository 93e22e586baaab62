#include "dependence_pieces.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

// A span of a call stack that has not ended.
struct open_span {
    uint64_t end;
    uint32_t task;
    uint32_t part;
    bool waits;
    bool has_inner; // others lie in it
};

// What the values of a span say.
struct span_says {
    enum role role;
    uint32_t task; // + 1
    bool is_stage;
    uint64_t busy, awaited; // ticks
    uint64_t pieces;
    uint64_t bytes;
};

struct piece_reader {
    struct event_sink sink;
    struct profile *profile;
    struct pieces *pieces;
    struct hash_index part_index;
    size_t part_capacity, lane_capacity;
    uint32_t role_key, task_key, stage_key, busy_key, pieces_key; // HASH_NONE: nobody has it
    uint32_t bytes_key, waits_key, awaited_key;
    bool has_roles;
    bool has_engines; // lanes of a device that are not cores as a whole
    bool has_cores;   // lanes of cores as a whole
    // Of the track at hand:
    const struct track *track;
    const struct clock_domain *clock;
    enum operator_side side;
    uint32_t lane;
    uint64_t cursor; // up to which the innermost span is accounted for
    struct open_span *open;
    size_t open_count, open_capacity;
};

// Parts -----------------------------------------------------------------------

static bool same_part(const struct dependence_part *a, const struct dependence_part *b)
{
    return a->operator_id == b->operator_id && a->name == b->name && a->role == b->role &&
           a->side == b->side;
}

static uint32_t pieces_find_part(struct piece_reader *reader, const struct dependence_part *part)
{
    struct pieces *pieces = reader->pieces;
    const uint32_t hash =
        hash_u64(((uint64_t)part->operator_id << 32 | part->name) * (ROLE_COUNT * OPERATOR_SIDES) +
                 part->role * OPERATOR_SIDES + part->side);
    uint32_t id;
    for (uint32_t at = hash_first(&reader->part_index, hash);
         (id = hash_next(&reader->part_index, hash, &at)) != HASH_NONE;) {
        if (same_part(&pieces->parts[id], part))
            return id;
    }
    pieces->parts = memory_grow(pieces->parts, pieces->part_count, &reader->part_capacity,
                                sizeof *pieces->parts);
    pieces->parts[pieces->part_count] = *part;
    hash_add(&reader->part_index, hash, (uint32_t)pieces->part_count);
    return (uint32_t)pieces->part_count++;
}

// Pieces ----------------------------------------------------------------------

static status add_piece(struct piece_reader *reader, uint64_t start, uint64_t end, uint32_t part,
                        uint32_t task, uint64_t bytes)
{
    if (reader->pieces->count == DEPENDENCE_NONE - 1)
        return status_make(STATUS_DATA, "more than 4294967294 spans: too many to say what had to "
                                        "wait for what");
    const struct piece piece = {
        .start = start, .end = end, .bytes = bytes, .task = task, .part = part};
    reader->pieces->count++;
    return spool_append(&reader->pieces->pieces, &piece, sizeof piece);
}

// Whether nobody knows what is done while a span is the innermost: it is of no operator, where
// others are, and only holds them together.
static bool is_frame(const struct piece_reader *reader, const struct open_span *span)
{
    return span->has_inner && reader->profile->operators.count > 1 &&
           reader->pieces->parts[span->part].operator_id == 0;
}

static status add_stretch(struct piece_reader *reader, const struct open_span *span, uint64_t end)
{
    const bool works = !span->waits && !is_frame(reader, span);
    const uint64_t start = works ? reader->cursor : end;
    reader->cursor = end;
    return add_piece(reader, start, end, span->part, span->task, 0);
}

// The innermost span works until `until`; those that end before it are closed.
static status pieces_close_until(struct piece_reader *reader, uint64_t until)
{
    while (reader->open_count > 0) {
        struct open_span *top = &reader->open[reader->open_count - 1];
        const uint64_t end = top->end < until ? top->end : until;
        top->has_inner = top->has_inner || top->end > until;
        if (end > reader->cursor)
            STATUS_TRY(add_stretch(reader, top, end));
        if (top->end > until)
            break;
        reader->open_count--;
    }
    return STATUS_OK;
}

// What ends no later than the new one is never the innermost again.
static void open_span(struct piece_reader *reader, uint64_t start, const struct open_span *span)
{
    while (reader->open_count > 0 && reader->open[reader->open_count - 1].end <= span->end)
        reader->open_count--;
    reader->open =
        memory_grow(reader->open, reader->open_count, &reader->open_capacity, sizeof *reader->open);
    reader->open[reader->open_count++] = *span;
    reader->cursor = start;
}

// Values ----------------------------------------------------------------------

static struct span_says read_values(const struct piece_reader *reader, struct view values)
{
    struct span_says says = {.role = reader->track->role, .pieces = 1};
    struct value_reader list = value_read(values);
    struct value value;
    while (value_next(&list, &value)) {
        if (value.key == 0)
            continue;
        if (value.key == reader->role_key && value.kind == VALUE_STRING)
            role_from_name(profile_text(reader->profile, (uint32_t)value.number), &says.role);
        else if (value.key == reader->waits_key && value.kind == VALUE_BOOL && value.number != 0)
            says.role = ROLE_WAIT;
        else if (value.kind != VALUE_UINT)
            continue;
        else if (value.key == reader->task_key)
            says.task = value.number < UINT32_MAX ? (uint32_t)value.number + 1 : 0;
        else if (value.key == reader->stage_key)
            says.is_stage = true;
        else if (value.key == reader->busy_key)
            says.busy = value.number;
        else if (value.key == reader->awaited_key)
            says.awaited = value.number;
        else if (value.key == reader->bytes_key)
            says.bytes = value.number;
        else if (value.key == reader->pieces_key)
            says.pieces = value.number > 0 ? value.number : 1;
    }
    return says;
}

// They begin or end where the next piece begins.
static status add_flow_ends(struct piece_reader *reader, uint64_t start, uint64_t end,
                            struct view values)
{
    struct value_reader list = value_read(values);
    struct value value;
    while (value_next(&list, &value)) {
        if (value.kind != VALUE_FLOW_IN && value.kind != VALUE_FLOW_OUT)
            continue;
        const struct flow_end flow = {.flow = value.number,
                                      .start = start,
                                      .end = end,
                                      .piece = reader->pieces->count,
                                      .lane = reader->lane & INT32_MAX,
                                      .enters = value.kind == VALUE_FLOW_IN};
        STATUS_TRY(spool_append(&reader->pieces->flows, &flow, sizeof flow));
    }
    return STATUS_OK;
}

static void count_move(struct piece_reader *reader, uint32_t track, uint64_t bytes, uint64_t ns)
{
    struct dependence_moves *moves = &reader->pieces->moves[track];
    const double size = (double)bytes / 1024;
    const double time = (double)ns / 1000;
    if (bytes == 0)
        return;
    moves->least = moves->count == 0 || time < moves->least ? time : moves->least;
    moves->count++;
    moves->bytes += size;
    moves->time += time;
    moves->bytes_squared += size * size;
    moves->bytes_times_time += size * time;
}

static status add_stage(struct piece_reader *reader, const struct span_says *says, uint32_t part,
                        uint32_t track)
{
    const struct dependence_stage stage = {.task = says->task,
                                           .busy = clock_duration(reader->clock, says->busy),
                                           .awaited = clock_duration(reader->clock, says->awaited),
                                           .pieces = says->pieces,
                                           .part = part,
                                           .track = track};
    count_move(reader, track, says->bytes, stage.busy);
    return spool_append(&reader->pieces->stages, &stage, sizeof stage);
}

// Spans -----------------------------------------------------------------------

// Its turns hold the work of the engines that it drives.
static bool is_queue_itself(const struct track *track)
{
    return track->role == ROLE_CONTROL && track->queue != 0 && track->queue == track->engine;
}

static status pieces_add_span(struct piece_reader *reader, const struct event *event,
                              struct view values)
{
    const struct span_says says = read_values(reader, values);
    const uint64_t start = clock_to_ns(reader->clock, event->start);
    const uint64_t end = clock_to_ns(reader->clock, event->end);
    const bool nests = reader->track->nests;
    if (nests)
        STATUS_TRY(pieces_close_until(reader, start));
    struct dependence_part part = {.operator_id =
                                       profile_call(reader->profile, event->call)->operator_id,
                                   .name = event->name,
                                   .role = says.role,
                                   .side = reader->side};
    if (part.operator_id == 0 && nests && reader->open_count > 0)
        part.operator_id =
            reader->pieces->parts[reader->open[reader->open_count - 1].part].operator_id;
    const uint32_t id = pieces_find_part(reader, &part);
    if (says.is_stage && says.task > 0)
        return add_stage(reader, &says, id, event->track);
    STATUS_TRY(add_flow_ends(reader, start, end, values));
    if (start < reader->pieces->start)
        reader->pieces->start = start;
    const uint64_t moved =
        role_is_transfer(says.role) && !dependence_on_link(reader->profile, reader->track)
            ? says.bytes
            : 0;
    count_move(reader, event->track, dependence_is_copy(&part) ? says.bytes : 0, end - start);
    const bool waits = says.role == ROLE_WAIT || is_queue_itself(reader->track);
    if (nests && end > start) {
        open_span(reader, start, &(struct open_span){end, says.task, id, waits, false});
        return STATUS_OK;
    }
    return add_piece(reader, waits ? end : start, end, id, says.task, moved);
}

static status pieces_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct piece_reader *reader = (struct piece_reader *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind == EVENT_SPAN)
            STATUS_TRY(pieces_add_span(reader, event, event_values(batch, event)));
    }
    return STATUS_OK;
}

// Tracks ----------------------------------------------------------------------

static bool is_core_as_whole(const struct track *track)
{
    return track->role == ROLE_DEVICE && track->core != 0;
}

// What nothing is said of, where others say what they do, is a window or a remark.
static bool is_said(const struct track *track)
{
    return track->role != ROLE_NONE || track->engine != 0 || operator_side_is_whole(track);
}

static bool track_counts(const struct piece_reader *reader, const struct track *track)
{
    if (operator_side_is_derived(track))
        return !reader->has_engines && !reader->has_cores;
    if (track->spans == 0 || track->provenance == PROVENANCE_DERIVED || track->role == ROLE_WAIT)
        return false;
    if (is_core_as_whole(track))
        return !reader->has_engines;
    return is_said(track) || !reader->has_roles;
}

static void look_at_tracks(struct piece_reader *reader)
{
    for (uint32_t i = 0; i < reader->profile->tracks.count; i++) {
        const struct track *track = profile_track(reader->profile, i);
        if (track->spans == 0 || track->provenance == PROVENANCE_DERIVED)
            continue;
        reader->has_roles = reader->has_roles || track->role != ROLE_NONE;
        reader->has_cores = reader->has_cores || is_core_as_whole(track);
        reader->has_engines = reader->has_engines || operator_side_works(track);
    }
}

static status read_track(struct piece_reader *reader, uint32_t id)
{
    struct pieces *pieces = reader->pieces;
    reader->track = profile_track(reader->profile, id);
    if (!track_counts(reader, reader->track))
        return STATUS_OK;
    reader->clock = profile_clock(reader->profile, reader->track->clock);
    reader->side = operator_side_of(reader->track, reader->has_roles);
    reader->lane = (uint32_t)pieces->lane_count;
    reader->cursor = 0;
    reader->open_count = 0;
    pieces->lanes = memory_grow(pieces->lanes, pieces->lane_count, &reader->lane_capacity,
                                sizeof *pieces->lanes);
    pieces->lanes[pieces->lane_count++] =
        (struct piece_lane){.track = id, .first = pieces->count, .nests = reader->track->nests};
    STATUS_TRY(profile_replay_track(reader->profile, id, &reader->sink));
    STATUS_TRY(pieces_close_until(reader, UINT64_MAX));
    pieces->lanes[reader->lane].end = pieces->count;
    return STATUS_OK;
}

static uint32_t piece_key(const struct profile *profile, const char *name)
{
    return strings_find(&profile->strings, view_of(name));
}

status pieces_read(struct profile *profile, struct pieces *out_pieces)
{
    *out_pieces = (struct pieces){
        .pieces = SPOOL_EMPTY, .flows = SPOOL_EMPTY, .stages = SPOOL_EMPTY, .start = UINT64_MAX};
    struct piece_reader reader = {.sink = {pieces_take_batch},
                                  .profile = profile,
                                  .pieces = out_pieces,
                                  .role_key = piece_key(profile, "role"),
                                  .task_key = piece_key(profile, "program_task"),
                                  .stage_key = piece_key(profile, "stage"),
                                  .busy_key = piece_key(profile, "busy"),
                                  .pieces_key = piece_key(profile, "pieces"),
                                  .bytes_key = piece_key(profile, "bytes"),
                                  .waits_key = piece_key(profile, "waits"),
                                  .awaited_key = piece_key(profile, "awaited")};
    out_pieces->moves =
        memory_allocate_zeroed(profile->tracks.count + 1, sizeof *out_pieces->moves);
    look_at_tracks(&reader);
    status result = STATUS_OK;
    const uint32_t tracks = profile_has_totals(profile) ? 0 : profile->tracks.count;
    for (uint32_t i = 0; result == STATUS_OK && i < tracks; i++)
        result = read_track(&reader, i);
    hash_free(&reader.part_index);
    free(reader.open);
    return result;
}

void pieces_free(struct pieces *pieces)
{
    spool_free(&pieces->pieces);
    spool_free(&pieces->flows);
    spool_free(&pieces->stages);
    free(pieces->lanes);
    free(pieces->parts);
    free(pieces->moves);
    *pieces = (struct pieces){.pieces = SPOOL_EMPTY, .flows = SPOOL_EMPTY, .stages = SPOOL_EMPTY};
}
