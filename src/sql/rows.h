// Rows of a profile's tables and how their cells are found. What is not there is NULL.

#ifndef OPSCOPE_SQL_ROWS_H
#define OPSCOPE_SQL_ROWS_H

#include <sqlite3.h>

#include "events.h"

// What rows are taken from.
struct sql_source {
    struct profile *profile;
    struct sql_events *events;
    uint32_t category_key, bytes_key, role_key, pid_key, tid_key; // string ids, or HASH_NONE
};

struct sql_source sql_source_of(struct profile *profile, struct sql_events *events);

struct sql_row {
    const struct sql_source *source;
    uint64_t id;
    const void *item; // what the table has: a struct track, a struct sql_walk ...
};

struct sql_column;
typedef void sql_cell(const struct sql_row *row, const struct sql_column *column,
                      sqlite3_context *to);

// Of any item; the column's argument is the offset of a field.
sql_cell sql_cell_id;
sql_cell sql_cell_text;      // uint32_t: string id; 0: NULL
sql_cell sql_cell_reference; // uint32_t: id; 0: NULL
sql_cell sql_cell_number;    // uint32_t
sql_cell sql_cell_less_one;  // uint32_t: number + 1; 0: NULL
sql_cell sql_cell_whole;     // uint64_t
sql_cell sql_cell_known;     // uint64_t; UINT64_MAX: NULL
sql_cell sql_cell_signed;    // int64_t
sql_cell sql_cell_flag;      // bool
sql_cell sql_cell_provenance;

sql_cell sql_cell_string_value;
sql_cell sql_cell_track_parent;
sql_cell sql_cell_track_kind;
sql_cell sql_cell_track_role;
sql_cell sql_cell_track_process;
sql_cell sql_cell_track_pid;
sql_cell sql_cell_track_tid;
sql_cell sql_cell_operator_value; // among its values; the argument is one of SQL_OPERATOR_...
sql_cell sql_cell_call_start;
sql_cell sql_cell_call_end;
sql_cell sql_cell_buffer_time; // the argument is the offset of ticks
sql_cell sql_cell_note_kind;
sql_cell sql_cell_note_count;
sql_cell sql_cell_note_text;
sql_cell sql_cell_flow_end; // the argument is one of SQL_FLOW_...

enum {
    SQL_OPERATOR_MACS,
    SQL_OPERATOR_FLOPS,
    SQL_OPERATOR_BYTES_IN,
    SQL_OPERATOR_BYTES_OUT,
};

enum { SQL_FLOW_SPAN_OUT, SQL_FLOW_SPAN_IN, SQL_FLOW_INSTANT_OUT, SQL_FLOW_INSTANT_IN };

// Of events: the item is a struct sql_walk.
sql_cell sql_cell_event_start;
sql_cell sql_cell_event_duration;
sql_cell sql_cell_event_cycles;
sql_cell sql_cell_event_parent;
sql_cell sql_cell_event_category;
sql_cell sql_cell_event_role;
sql_cell sql_cell_event_bytes;
sql_cell sql_cell_event_provenance;
sql_cell sql_cell_event_sample;

// Arguments: values of whatever has some. The item is a struct sql_argument.
enum sql_owner {
    SQL_OF_TRACK,
    SQL_OF_OPERATOR,
    SQL_OF_CALL,
    SQL_OF_SPAN,
    SQL_OF_INSTANT,
    SQL_OF_COUNTER,
    SQL_OWNERS,
};

struct sql_argument {
    enum sql_owner owner;
    uint64_t id; // of the owner
    uint32_t position;
    enum provenance provenance; // of values that do not state theirs
    struct value value;
};

sql_cell sql_cell_argument_owner; // the argument is an enum sql_owner
sql_cell sql_cell_argument_type;
sql_cell sql_cell_argument_value;
sql_cell sql_cell_argument_end;
sql_cell sql_cell_argument_clock;
sql_cell sql_cell_argument_provenance;

// Numbers of items of a table.
uint64_t sql_end_of_strings(const struct sql_source *source);
uint64_t sql_end_of_tracks(const struct sql_source *source);
uint64_t sql_end_of_operators(const struct sql_source *source);
uint64_t sql_end_of_calls(const struct sql_source *source);
uint64_t sql_end_of_clocks(const struct sql_source *source);
uint64_t sql_end_of_buffers(const struct sql_source *source);
uint64_t sql_end_of_facts(const struct sql_source *source);
uint64_t sql_end_of_notes(const struct sql_source *source);
uint64_t sql_end_of_flows(const struct sql_source *source);

const void *sql_item_string(const struct sql_source *source, uint64_t id);
const void *sql_item_track(const struct sql_source *source, uint64_t id);
const void *sql_item_process(const struct sql_source *source, uint64_t id);
const void *sql_item_thread(const struct sql_source *source, uint64_t id);
const void *sql_item_operator(const struct sql_source *source, uint64_t id);
const void *sql_item_call(const struct sql_source *source, uint64_t id);
const void *sql_item_clock(const struct sql_source *source, uint64_t id);
const void *sql_item_buffer(const struct sql_source *source, uint64_t id);
const void *sql_item_fact(const struct sql_source *source, uint64_t id);
const void *sql_item_note(const struct sql_source *source, uint64_t id);
const void *sql_item_flow(const struct sql_source *source, uint64_t id);

// The cell of a number that SQLite's integers may not hold.
void sql_give_whole(sqlite3_context *to, uint64_t number);
void sql_give_text(sqlite3_context *to, struct view text);

#endif
