// Values of tracks, operators, calls and events, one after the other.

#include "cursor.h"

static enum event_kind event_kind_of(enum sql_owner owner)
{
    return owner == SQL_OF_SPAN      ? EVENT_SPAN
           : owner == SQL_OF_INSTANT ? EVENT_INSTANT
                                     : EVENT_COUNTER;
}

// Ids of the owners of a kind: from `*out_first` up to but not including the result.
static uint64_t owners(const struct sql_cursor *cursor, enum sql_owner owner, uint64_t *out_first)
{
    const struct profile *profile = cursor->source->profile;
    *out_first = owner == SQL_OF_TRACK ? 0 : 1;
    switch (owner) {
    case SQL_OF_TRACK:
        return profile->tracks.count;
    case SQL_OF_OPERATOR:
        return profile->operators.count;
    case SQL_OF_CALL:
        return profile->calls.count;
    default:
        return sql_events_count(cursor->source->events, event_kind_of(owner)) + 1;
    }
}

static void begin_kind(struct sql_cursor *cursor)
{
    const int bound = SQL_BOUND_OWNER + (int)cursor->owner;
    cursor->owner_id_end = owners(cursor, cursor->owner, &cursor->owner_id);
    if (cursor->has[bound]) {
        const uint64_t id = cursor->bounds[bound];
        const bool there = id >= cursor->owner_id && id < cursor->owner_id_end;
        cursor->owner_id = there ? id : cursor->owner_id_end;
        cursor->owner_id_end = there ? id + 1 : cursor->owner_id_end;
    }
    sql_walk_free(&cursor->walk);
    cursor->walk = sql_walk_of(cursor->source->events, event_kind_of(cursor->owner));
}

// The event with the next id, which is mostly the next one of the walk.
static status walk_to_owner(struct sql_cursor *cursor)
{
    struct sql_walk *walk = &cursor->walk;
    bool found;
    if (walk->order != NULL && walk->id + 1 == cursor->owner_id) {
        const enum sql_walk_result result = sql_walk_next(walk);
        if (result == SQL_WALK_NO_MEMORY)
            return status_out_of_memory();
        if (result == SQL_WALK_EVENT)
            return STATUS_OK;
    }
    STATUS_TRY(sql_walk_to(walk, cursor->owner_id, &found));
    if (!found)
        walk->values = VIEW_LITERAL("");
    return STATUS_OK;
}

static status open_values(struct sql_cursor *cursor)
{
    const struct profile *profile = cursor->source->profile;
    const uint32_t id = (uint32_t)cursor->owner_id;
    struct view list;
    enum provenance provenance = PROVENANCE_ABSENT;
    switch (cursor->owner) {
    case SQL_OF_TRACK:
        list = profile_track(profile, id)->values;
        provenance = profile_track(profile, id)->provenance;
        break;
    case SQL_OF_OPERATOR:
        list = profile_operator(profile, id)->values;
        break;
    case SQL_OF_CALL:
        list = profile_call(profile, id)->values;
        break;
    default:
        STATUS_TRY(walk_to_owner(cursor));
        list = cursor->walk.values;
        provenance = cursor->walk.track->provenance;
    }
    cursor->values = value_read(list);
    cursor->argument = (struct sql_argument){.owner = cursor->owner,
                                             .id = cursor->owner_id,
                                             .position = UINT32_MAX,
                                             .provenance = provenance};
    return STATUS_OK;
}

// Flows are a table of their own, and a counter's sample is its value.
static bool is_argument(const struct sql_argument *argument)
{
    const enum value_kind kind = argument->value.kind;
    if (kind == VALUE_FLOW_OUT || kind == VALUE_FLOW_IN)
        return false;
    return argument->owner != SQL_OF_COUNTER || argument->value.key != 0;
}

static bool next_value(struct sql_cursor *cursor)
{
    while (value_next(&cursor->values, &cursor->argument.value)) {
        cursor->argument.position++;
        if (is_argument(&cursor->argument))
            return true;
    }
    return false;
}

status sql_arguments_next(struct sql_cursor *cursor)
{
    while (!next_value(cursor)) {
        cursor->owner_id++;
        while (cursor->owner_id >= cursor->owner_id_end) {
            if (++cursor->owner >= cursor->owner_end) {
                cursor->at_end = true;
                return STATUS_OK;
            }
            begin_kind(cursor);
        }
        STATUS_TRY(open_values(cursor));
    }
    return STATUS_OK;
}

// With an owner that is given, only its kind; with two, none can be both.
status sql_arguments_start(struct sql_cursor *cursor)
{
    cursor->row.item = &cursor->argument;
    cursor->owner = SQL_OF_TRACK;
    cursor->owner_end = SQL_OWNERS;
    for (int i = 0; i < SQL_OWNERS; i++) {
        if (!cursor->has[SQL_BOUND_OWNER + i])
            continue;
        cursor->owner = (enum sql_owner)i;
        cursor->owner_end = (enum sql_owner)(i + 1);
    }
    begin_kind(cursor);
    cursor->values = value_read(VIEW_LITERAL(""));
    if (cursor->owner_id < cursor->owner_id_end)
        STATUS_TRY(open_values(cursor));
    else
        cursor->owner_id_end = cursor->owner_id;
    return sql_arguments_next(cursor);
}
