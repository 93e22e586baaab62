#include "cursor.h"

// Plans -----------------------------------------------------------------------------------------

static int bound_of(const struct sql_column *column, unsigned char operation)
{
    const bool equal = operation == SQLITE_INDEX_CONSTRAINT_EQ;
    switch (column->found_by) {
    case SQL_FOUND_BY_ID:
        return equal ? SQL_BOUND_ID : -1;
    case SQL_FOUND_BY_TRACK:
        return equal ? SQL_BOUND_TRACK : -1;
    case SQL_FOUND_BY_NAME:
        return equal ? SQL_BOUND_NAME : -1;
    case SQL_FOUND_BY_CALL:
        return equal ? SQL_BOUND_CALL : -1;
    case SQL_FOUND_BY_PARENT:
        return equal ? SQL_BOUND_PARENT : -1;
    case SQL_FOUND_BY_OWNER:
        return equal ? SQL_BOUND_OWNER + (int)column->argument : -1;
    case SQL_FOUND_BY_TIME:
        if (equal)
            return SQL_BOUND_AT;
        // What is not to be equal is checked by SQLite.
        if (operation == SQLITE_INDEX_CONSTRAINT_GT || operation == SQLITE_INDEX_CONSTRAINT_GE)
            return SQL_BOUND_FROM;
        return operation == SQLITE_INDEX_CONSTRAINT_LT || operation == SQLITE_INDEX_CONSTRAINT_LE
                   ? SQL_BOUND_TO
                   : -1;
    default:
        return -1;
    }
}

// Which constraint each bound is taken from; -1: none.
static void choose_bounds(const struct sql_table *table, const sqlite3_index_info *info,
                          int chosen[SQL_BOUNDS])
{
    for (int i = 0; i < SQL_BOUNDS; i++)
        chosen[i] = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        const int column = info->aConstraint[i].iColumn;
        if (!info->aConstraint[i].usable || (size_t)(column + 1) > table->column_count)
            continue;
        // Rows have an id of their own only where the table shows it.
        if (column < 0 && table->columns[0].found_by != SQL_FOUND_BY_ID)
            continue;
        const int bound =
            bound_of(&table->columns[column < 0 ? 0 : column], info->aConstraint[i].op);
        if (bound >= 0 && chosen[bound] < 0)
            chosen[bound] = i;
    }
}

static double row_count(const struct sql_table *table, const struct sql_source *source)
{
    if (table->walking == SQL_EVENTS)
        return (double)sql_events_count(source->events, table->kind);
    if (table->walking == SQL_ARGUMENTS) {
        double count = source->profile->operators.count + source->profile->calls.count;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            count += 4.0 * (double)sql_events_count(source->events, (enum event_kind)kind);
        return count;
    }
    // Flows are not counted for a plan: that takes a walk over all events.
    return table->end == sql_end_of_flows ? 10000 : (double)table->end(source);
}

// Rows that are left, and what it costs to get at them; in steps of a walk.
static void estimate(const struct sql_table *table, const struct sql_source *source,
                     const int chosen[SQL_BOUNDS], sqlite3_index_info *info)
{
    const double all = row_count(table, source) + 10;
    const double tracks = source->profile->tracks.count;
    double rows = all;
    double cost = all;
    bool owned = false;
    for (int i = SQL_BOUND_OWNER; i < SQL_BOUNDS; i++)
        owned |= chosen[i] >= 0;
    if (chosen[SQL_BOUND_TRACK] >= 0)
        cost = rows = all / tracks + 1;
    if (chosen[SQL_BOUND_FROM] >= 0 || chosen[SQL_BOUND_TO] >= 0)
        cost = rows = rows / 3 + 1;
    if (chosen[SQL_BOUND_AT] >= 0) {
        const double walks = chosen[SQL_BOUND_TRACK] >= 0 ? 1 : tracks;
        rows = walks;
        cost = walks * SQL_MARK_EVERY / 4;
    }
    if (chosen[SQL_BOUND_NAME] >= 0)
        rows = rows / 50 + 1;
    if (chosen[SQL_BOUND_CALL] >= 0 || chosen[SQL_BOUND_PARENT] >= 0 || owned) {
        rows = 8;
        cost = 200;
    }
    if (chosen[SQL_BOUND_ID] >= 0) {
        rows = 1;
        cost = table->walking == SQL_EVENTS ? SQL_MARK_EVERY / 4 : 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    }
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = cost;
}

// Rows come in the order of their ids; on one track that is the order of time.
static bool is_in_order(const struct sql_table *table, const int chosen[SQL_BOUNDS],
                        const sqlite3_index_info *info)
{
    if (info->nOrderBy != 1 || info->aOrderBy[0].desc || table->walking == SQL_ARGUMENTS)
        return false;
    const int column = info->aOrderBy[0].iColumn;
    if (column <= 0)
        return true;
    return table->columns[column].found_by == SQL_FOUND_BY_TIME && chosen[SQL_BOUND_TRACK] >= 0;
}

void sql_plan_make(const struct sql_table *table, const struct sql_source *source,
                   sqlite3_index_info *info)
{
    int chosen[SQL_BOUNDS];
    int count = 0;
    choose_bounds(table, info, chosen);
    for (int i = 0; i < SQL_BOUNDS; i++) {
        if (chosen[i] < 0)
            continue;
        info->idxNum |= 1 << i;
        info->aConstraintUsage[chosen[i]].argvIndex = ++count;
    }
    estimate(table, source, chosen, info);
    info->orderByConsumed = is_in_order(table, chosen, info);
}

// Cursors ---------------------------------------------------------------------------------------

struct sql_cursor sql_cursor_of(const struct sql_table *table, const struct sql_source *source)
{
    return (struct sql_cursor){.table = table,
                               .source = source,
                               .row = {.source = source},
                               .walk = sql_walk_of(source->events, table->kind)};
}

void sql_cursor_free(struct sql_cursor *cursor)
{
    sql_walk_free(&cursor->walk);
}

// False when no row can match: something is to be equal to NULL, or to a number below 0.
static bool take_bound(struct sql_cursor *cursor, enum sql_bound bound, sqlite3_value *value)
{
    const int type = sqlite3_value_type(value);
    const bool range = bound == SQL_BOUND_FROM || bound == SQL_BOUND_TO;
    if (type == SQLITE_NULL)
        return false;
    if (type != SQLITE_INTEGER)
        return true;
    const sqlite3_int64 number = sqlite3_value_int64(value);
    if (number < 0)
        return range && bound == SQL_BOUND_FROM;
    cursor->has[bound] = true;
    cursor->bounds[bound] = (uint64_t)number;
    if (bound == SQL_BOUND_AT) {
        cursor->has[SQL_BOUND_FROM] = cursor->has[SQL_BOUND_TO] = true;
        cursor->bounds[SQL_BOUND_FROM] = cursor->bounds[SQL_BOUND_TO] = (uint64_t)number;
    }
    return true;
}

static bool take_bounds(struct sql_cursor *cursor, int plan, int count, sqlite3_value **values)
{
    int next = 0;
    bool possible = true;
    memset(cursor->has, 0, sizeof cursor->has);
    for (int i = 0; i < SQL_BOUNDS; i++) {
        if ((plan & 1 << i) != 0 && next < count)
            possible &= take_bound(cursor, (enum sql_bound)i, values[next++]);
    }
    return possible;
}

// Items -----------------------------------------------------------------------------------------

static void show_item(struct sql_cursor *cursor)
{
    cursor->row.item = NULL;
    for (; cursor->row.id < cursor->end; cursor->row.id++) {
        cursor->row.item = cursor->table->item(cursor->source, cursor->row.id);
        if (cursor->row.item != NULL)
            return;
    }
    cursor->at_end = true;
}

static status start_items(struct sql_cursor *cursor)
{
    if (cursor->table->end == sql_end_of_flows) {
        const struct sql_flow *flows;
        uint64_t count;
        STATUS_TRY(sql_events_flows(cursor->source->events, &flows, &count));
    }
    cursor->row.id = cursor->table->first;
    cursor->end = cursor->table->end(cursor->source);
    if (cursor->has[SQL_BOUND_ID]) {
        const uint64_t id = cursor->bounds[SQL_BOUND_ID];
        cursor->row.id = id >= cursor->row.id ? id : cursor->end;
        cursor->end = id < cursor->end ? id + 1 : cursor->end;
    }
    show_item(cursor);
    return STATUS_OK;
}

// Events ----------------------------------------------------------------------------------------

static bool event_matches(const struct sql_cursor *cursor)
{
    const struct event *event = &cursor->walk.event;
    const uint64_t *bounds = cursor->bounds;
    const bool *has = cursor->has;
    if ((has[SQL_BOUND_NAME] && event->name != bounds[SQL_BOUND_NAME]) ||
        (has[SQL_BOUND_CALL] && event->call != bounds[SQL_BOUND_CALL]) ||
        (has[SQL_BOUND_TRACK] && event->track != bounds[SQL_BOUND_TRACK]) ||
        (has[SQL_BOUND_PARENT] && cursor->walk.parent != bounds[SQL_BOUND_PARENT]))
        return false;
    return !has[SQL_BOUND_FROM] ||
           clock_to_ns(cursor->walk.clock, event->start) >= bounds[SQL_BOUND_FROM];
}

// Whether nothing that matches follows on the track.
static bool is_past(const struct sql_cursor *cursor)
{
    const struct sql_walk *walk = &cursor->walk;
    if (cursor->has[SQL_BOUND_PARENT] && walk->depth <= cursor->parent_depth)
        return true;
    return cursor->has[SQL_BOUND_TO] &&
           clock_to_ns(walk->clock, walk->event.start) > cursor->bounds[SQL_BOUND_TO];
}

// The next event on the walk's track that matches.
static status next_on_track(struct sql_cursor *cursor, bool *out_found)
{
    enum sql_walk_result result;
    while ((result = sql_walk_next(&cursor->walk)) == SQL_WALK_EVENT) {
        if (is_past(cursor))
            break;
        *out_found = event_matches(cursor);
        if (*out_found)
            return STATUS_OK;
    }
    return result == SQL_WALK_NO_MEMORY ? status_out_of_memory() : STATUS_OK;
}

static bool has_events(const struct sql_cursor *cursor, uint32_t id)
{
    const struct track *track = profile_track(cursor->source->profile, id);
    switch (cursor->table->kind) {
    case EVENT_SPAN:
        return track->spans > 0;
    case EVENT_INSTANT:
        return track->instants > 0;
    default:
        return track->samples > 0;
    }
}

// From the track at hand, which the walk is on, to the next event on it or on those after it.
static status next_by_track(struct sql_cursor *cursor, bool *out_found)
{
    STATUS_TRY(next_on_track(cursor, out_found));
    while (!*out_found && ++cursor->track < cursor->track_end) {
        if (!has_events(cursor, cursor->track))
            continue;
        const uint64_t from = cursor->has[SQL_BOUND_FROM] ? cursor->bounds[SQL_BOUND_FROM] : 0;
        STATUS_TRY(sql_walk_to_track(&cursor->walk, cursor->track, from));
        STATUS_TRY(next_on_track(cursor, out_found));
    }
    return STATUS_OK;
}

static status next_by_id(struct sql_cursor *cursor, bool *out_found)
{
    while (!*out_found && cursor->id_count > 0) {
        cursor->id_count--;
        STATUS_TRY(sql_walk_to(&cursor->walk, *cursor->ids++, out_found));
        *out_found = *out_found && event_matches(cursor);
    }
    return STATUS_OK;
}

static status next_event(struct sql_cursor *cursor)
{
    bool found = false;
    STATUS_TRY(cursor->ids != NULL ? next_by_id(cursor, &found) : next_by_track(cursor, &found));
    cursor->at_end = !found;
    cursor->row.id = cursor->walk.id;
    cursor->row.item = &cursor->walk;
    return STATUS_OK;
}

// What lies in a span follows it on its track.
static status start_inside(struct sql_cursor *cursor)
{
    bool found;
    STATUS_TRY(sql_walk_to(&cursor->walk, cursor->bounds[SQL_BOUND_PARENT], &found));
    cursor->at_end = !found;
    if (!found)
        return STATUS_OK;
    cursor->parent_depth = cursor->walk.depth;
    cursor->track = cursor->walk.event.track;
    cursor->track_end = cursor->track + 1;
    return next_event(cursor);
}

static status start_call(struct sql_cursor *cursor)
{
    struct sql_call_times times = {0};
    const uint64_t call = cursor->bounds[SQL_BOUND_CALL];
    if (call > 0 && call < cursor->source->profile->calls.count)
        STATUS_TRY(sql_events_call(cursor->source->events, (uint32_t)call, &times, &cursor->ids));
    cursor->id_count = times.count;
    cursor->at_end = cursor->id_count == 0;
    return cursor->at_end ? STATUS_OK : next_event(cursor);
}

static status start_tracks(struct sql_cursor *cursor)
{
    const uint32_t count = cursor->source->profile->tracks.count;
    const uint64_t wanted = cursor->bounds[SQL_BOUND_TRACK];
    uint32_t first = 0;
    cursor->track_end = count;
    if (cursor->has[SQL_BOUND_TRACK]) {
        first = wanted < count ? (uint32_t)wanted : count;
        cursor->track_end = wanted < count ? first + 1 : count;
    }
    while (first < cursor->track_end && !has_events(cursor, first))
        first++;
    cursor->track = first;
    cursor->at_end = first == cursor->track_end;
    if (cursor->at_end)
        return STATUS_OK;
    const uint64_t from = cursor->has[SQL_BOUND_FROM] ? cursor->bounds[SQL_BOUND_FROM] : 0;
    STATUS_TRY(sql_walk_to_track(&cursor->walk, first, from));
    return next_event(cursor);
}

static status start_events(struct sql_cursor *cursor)
{
    cursor->ids = NULL;
    if (cursor->has[SQL_BOUND_ID]) {
        cursor->single = cursor->bounds[SQL_BOUND_ID];
        cursor->ids = &cursor->single;
        cursor->id_count = 1;
        return next_event(cursor);
    }
    if (cursor->has[SQL_BOUND_PARENT])
        return start_inside(cursor);
    return cursor->has[SQL_BOUND_CALL] ? start_call(cursor) : start_tracks(cursor);
}

// Any table -------------------------------------------------------------------------------------

status sql_cursor_start(struct sql_cursor *cursor, int plan, int count, sqlite3_value **values)
{
    cursor->at_end = !take_bounds(cursor, plan, count, values);
    if (cursor->at_end)
        return STATUS_OK;
    switch (cursor->table->walking) {
    case SQL_EVENTS:
        return start_events(cursor);
    case SQL_ARGUMENTS:
        return sql_arguments_start(cursor);
    default:
        return start_items(cursor);
    }
}

status sql_cursor_next(struct sql_cursor *cursor)
{
    switch (cursor->table->walking) {
    case SQL_EVENTS:
        return next_event(cursor);
    case SQL_ARGUMENTS:
        return sql_arguments_next(cursor);
    default:
        cursor->row.id++;
        show_item(cursor);
        return STATUS_OK;
    }
}

sqlite3_int64 sql_cursor_rowid(const struct sql_cursor *cursor)
{
    enum { POSITION_BITS = 22, ID_BITS = 38 };
    const struct sql_argument *argument = &cursor->argument;
    if (cursor->table->walking != SQL_ARGUMENTS)
        return (sqlite3_int64)cursor->row.id;
    return (sqlite3_int64)((uint64_t)argument->owner << (POSITION_BITS + ID_BITS) |
                           argument->id << POSITION_BITS | argument->position);
}
