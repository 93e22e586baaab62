#include "schema.h"

#define COUNTED(list) .columns = (list), .column_count = sizeof(list) / sizeof *(list)

static const char KEY[] = "INTEGER PRIMARY KEY";
static const char INTEGER[] = "INTEGER";
static const char TEXT[] = "TEXT";
static const char WHOLE[] = ""; // no affinity: digits beyond 2^63 stay the text that they are

static const struct sql_column STRING_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"value", TEXT, "", sql_cell_string_value},
};

static const struct sql_column TRACK_COLUMNS[] = {
    {"id", KEY, "0 is the profile itself", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"parent_id", INTEGER, "track.id", sql_cell_track_parent},
    {"name", TEXT, "", sql_cell_text, offsetof(struct track, name)},
    {"kind", TEXT, "group, process, lane or counter", sql_cell_track_kind},
    {"process_id", INTEGER, "process.upid: itself or the nearest around it",
     sql_cell_track_process},
    {"role", TEXT, "what its work is: compute, transfer in, host ...", sql_cell_track_role},
    {"engine", TEXT, "what does it, in the machine's words", sql_cell_text,
     offsetof(struct track, engine)},
    {"idx", INTEGER, "which of several lanes of an engine", sql_cell_number,
     offsetof(struct track, index)},
    {"device", INTEGER, "", sql_cell_less_one, offsetof(struct track, device)},
    {"core", INTEGER, "", sql_cell_less_one, offsetof(struct track, core)},
    {"queue", TEXT, "that orders its work", sql_cell_text, offsetof(struct track, queue)},
    {"clock_id", INTEGER, "clock.id", sql_cell_number, offsetof(struct track, clock)},
    {"unit", TEXT, "of a counter", sql_cell_text, offsetof(struct track, unit)},
    {"provenance", TEXT, "measured, modelled or derived", sql_cell_provenance,
     offsetof(struct track, provenance)},
    {"nests", INTEGER, "1: spans may lie in one another", sql_cell_flag,
     offsetof(struct track, nests)},
};

static const struct sql_column PROCESS_COLUMNS[] = {
    {"upid", KEY, "track.id", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"pid", WHOLE, "as the system or the file numbers it", sql_cell_track_pid},
    {"name", TEXT, "", sql_cell_text, offsetof(struct track, name)},
};

static const struct sql_column THREAD_COLUMNS[] = {
    {"utid", KEY, "track.id of a lane", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"tid", WHOLE, "as the system or the file numbers it", sql_cell_track_tid},
    {"name", TEXT, "", sql_cell_text, offsetof(struct track, name)},
    {"upid", INTEGER, "process.upid", sql_cell_track_process},
};

static const struct sql_column SPAN_COLUMNS[] = {
    {"id", KEY, "by track, then by start", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"ts", WHOLE, "start, ns", sql_cell_event_start, 0, SQL_FOUND_BY_TIME},
    {"dur", WHOLE, "ns", sql_cell_event_duration},
    {"track_id", INTEGER, "track.id", sql_cell_number, offsetof(struct sql_walk, event.track),
     SQL_FOUND_BY_TRACK},
    {"call_id", INTEGER, "call.id", sql_cell_reference, offsetof(struct sql_walk, event.call),
     SQL_FOUND_BY_CALL},
    {"name_id", INTEGER, "string.id", sql_cell_reference, offsetof(struct sql_walk, event.name),
     SQL_FOUND_BY_NAME},
    {"category_id", INTEGER, "string.id", sql_cell_event_category},
    {"depth", INTEGER, "how many spans it lies in", sql_cell_number,
     offsetof(struct sql_walk, depth)},
    {"parent_id", INTEGER, "span.id of the innermost", sql_cell_event_parent, 0,
     SQL_FOUND_BY_PARENT},
    {"role", TEXT, "its own, else its track's", sql_cell_event_role},
    {"bytes", WHOLE, "that it says it moved", sql_cell_event_bytes},
    {"ticks", WHOLE, "start on its track's clock", sql_cell_whole,
     offsetof(struct sql_walk, event.start)},
    {"cycles", WHOLE, "ticks that it lasts", sql_cell_event_cycles},
    {"provenance", TEXT, "its track's", sql_cell_event_provenance},
};

static const struct sql_column INSTANT_COLUMNS[] = {
    {"id", KEY, "by track, then by time", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"ts", WHOLE, "ns", sql_cell_event_start, 0, SQL_FOUND_BY_TIME},
    {"track_id", INTEGER, "track.id", sql_cell_number, offsetof(struct sql_walk, event.track),
     SQL_FOUND_BY_TRACK},
    {"call_id", INTEGER, "call.id", sql_cell_reference, offsetof(struct sql_walk, event.call)},
    {"name_id", INTEGER, "string.id", sql_cell_reference, offsetof(struct sql_walk, event.name),
     SQL_FOUND_BY_NAME},
    {"category_id", INTEGER, "string.id", sql_cell_event_category},
    {"ticks", WHOLE, "on its track's clock", sql_cell_whole,
     offsetof(struct sql_walk, event.start)},
    {"provenance", TEXT, "its track's", sql_cell_event_provenance},
};

static const struct sql_column COUNTER_COLUMNS[] = {
    {"id", KEY, "by track, then by time", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"ts", WHOLE, "ns", sql_cell_event_start, 0, SQL_FOUND_BY_TIME},
    {"track_id", INTEGER, "track.id", sql_cell_number, offsetof(struct sql_walk, event.track),
     SQL_FOUND_BY_TRACK},
    {"value", WHOLE, "", sql_cell_event_sample},
    {"ticks", WHOLE, "on its track's clock", sql_cell_whole,
     offsetof(struct sql_walk, event.start)},
    {"provenance", TEXT, "its track's", sql_cell_event_provenance},
};

static const struct sql_column OPERATOR_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"name", TEXT, "of the node", sql_cell_text, offsetof(struct operator_description, name)},
    {"type", TEXT, "what it computes", sql_cell_text, offsetof(struct operator_description, type)},
    {"location", TEXT, "in the source", sql_cell_text,
     offsetof(struct operator_description, location)},
    {"macs", WHOLE, "", sql_cell_operator_value, SQL_OPERATOR_MACS},
    {"flops", WHOLE, "", sql_cell_operator_value, SQL_OPERATOR_FLOPS},
    {"bytes_in", WHOLE, "", sql_cell_operator_value, SQL_OPERATOR_BYTES_IN},
    {"bytes_out", WHOLE, "", sql_cell_operator_value, SQL_OPERATOR_BYTES_OUT},
};

static const struct sql_column CALL_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"operator_id", INTEGER, "operator.id", sql_cell_reference, offsetof(struct call, operator_id)},
    {"parent_id", INTEGER, "call.id", sql_cell_reference, offsetof(struct call, parent)},
    {"iteration", INTEGER, "", sql_cell_number, offsetof(struct call, iteration)},
    {"invocation", INTEGER, "", sql_cell_number, offsetof(struct call, invocation)},
    {"device", INTEGER, "", sql_cell_number, offsetof(struct call, device)},
    {"replay", INTEGER, "", sql_cell_number, offsetof(struct call, replay)},
    {"start", WHOLE, "of its first span, ns", sql_cell_call_start},
    {"end", WHOLE, "of its last span, ns", sql_cell_call_end},
};

static const struct sql_column ARG_COLUMNS[] = {
    {"span_id", INTEGER, "span.id; one of these six is not NULL", sql_cell_argument_owner,
     SQL_OF_SPAN, SQL_FOUND_BY_OWNER},
    {"instant_id", INTEGER, "instant.id", sql_cell_argument_owner, SQL_OF_INSTANT,
     SQL_FOUND_BY_OWNER},
    {"counter_id", INTEGER, "counter.id", sql_cell_argument_owner, SQL_OF_COUNTER,
     SQL_FOUND_BY_OWNER},
    {"operator_id", INTEGER, "operator.id", sql_cell_argument_owner, SQL_OF_OPERATOR,
     SQL_FOUND_BY_OWNER},
    {"call_id", INTEGER, "call.id", sql_cell_argument_owner, SQL_OF_CALL, SQL_FOUND_BY_OWNER},
    {"track_id", INTEGER, "track.id", sql_cell_argument_owner, SQL_OF_TRACK, SQL_FOUND_BY_OWNER},
    {"position", INTEGER, "among the values of its owner", sql_cell_number,
     offsetof(struct sql_argument, position)},
    {"name", TEXT, "", sql_cell_text, offsetof(struct sql_argument, value.key)},
    {"type", TEXT, "uint, int, bool, real, text, json or ticks", sql_cell_argument_type},
    {"value", WHOLE, "of its type; of ticks the start", sql_cell_argument_value},
    {"value_end", WHOLE, "of ticks", sql_cell_argument_end},
    {"clock_id", INTEGER, "of ticks: clock.id", sql_cell_argument_clock},
    {"provenance", TEXT, "its own, else its owner's", sql_cell_argument_provenance},
};

static const struct sql_column FLOW_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"number", WHOLE, "of the flow, which may have several rows", sql_cell_whole,
     offsetof(struct sql_flow, number)},
    {"span_out", INTEGER, "span.id that it leaves", sql_cell_flow_end, SQL_FLOW_SPAN_OUT},
    {"span_in", INTEGER, "span.id that it reaches", sql_cell_flow_end, SQL_FLOW_SPAN_IN},
    {"instant_out", INTEGER, "the same of instants", sql_cell_flow_end, SQL_FLOW_INSTANT_OUT},
    {"instant_in", INTEGER, "", sql_cell_flow_end, SQL_FLOW_INSTANT_IN},
    {"kind", TEXT, "what the file calls it", sql_cell_text, offsetof(struct sql_flow, key)},
};

static const struct sql_column CLOCK_COLUMNS[] = {
    {"id", KEY, "0 counts ns", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"name", TEXT, "", sql_cell_text, offsetof(struct clock_domain, name)},
    {"frequency", WHOLE, "Hz", sql_cell_whole, offsetof(struct clock_domain, frequency)},
    {"base_ticks", WHOLE, "this tick ...", sql_cell_whole,
     offsetof(struct clock_domain, base_ticks)},
    {"base_ns", WHOLE, "... is this ns", sql_cell_whole, offsetof(struct clock_domain, base_ns)},
    {"drift_ppb", INTEGER, "ticks last so much longer", sql_cell_signed,
     offsetof(struct clock_domain, drift_ppb)},
};

static const struct sql_column BUFFER_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"memory", TEXT, "", sql_cell_text, offsetof(struct buffer_lifetime, memory)},
    {"name", TEXT, "what lies there", sql_cell_text, offsetof(struct buffer_lifetime, name)},
    {"operator_id", INTEGER, "operator.id", sql_cell_reference,
     offsetof(struct buffer_lifetime, owner)},
    {"device", INTEGER, "", sql_cell_less_one, offsetof(struct buffer_lifetime, device)},
    {"core", INTEGER, "", sql_cell_less_one, offsetof(struct buffer_lifetime, core)},
    {"address", WHOLE, "", sql_cell_whole, offsetof(struct buffer_lifetime, address)},
    {"size", WHOLE, "bytes", sql_cell_whole, offsetof(struct buffer_lifetime, size)},
    {"start", WHOLE, "in use from, ns", sql_cell_buffer_time,
     offsetof(struct buffer_lifetime, from)},
    {"end", WHOLE, "to, ns", sql_cell_buffer_time, offsetof(struct buffer_lifetime, to)},
};

static const struct sql_column FACT_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"tag", TEXT, "", sql_cell_text, offsetof(struct profile_fact, key)},
    {"value", TEXT, "", sql_cell_text, offsetof(struct profile_fact, text)},
};

static const struct sql_column LEDGER_COLUMNS[] = {
    {"track_id", KEY, "track.id; 0: what belongs to none", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"expected", WHOLE, "NULL: nobody said", sql_cell_known,
     offsetof(struct track, ledger.expected)},
    {"recorded", WHOLE, "", sql_cell_whole, offsetof(struct track, ledger.recorded)},
    {"lost", WHOLE, "", sql_cell_whole, offsetof(struct track, ledger.lost)},
    {"impossible", WHOLE, "", sql_cell_whole, offsetof(struct track, ledger.impossible)},
};

static const struct sql_column NOTE_COLUMNS[] = {
    {"id", KEY, "", sql_cell_id, 0, SQL_FOUND_BY_ID},
    {"kind", TEXT, "lost, impossible, not carried or remark", sql_cell_note_kind},
    {"count", WHOLE, "of events", sql_cell_note_count},
    {"text", TEXT, "NULL: those beyond the first few", sql_cell_note_text},
};

static const char *const SPAN_INDEXES[] = {"track_id, ts", "call_id", "parent_id", "name_id", NULL};
static const char *const EVENT_INDEXES[] = {"track_id, ts", NULL};
static const char *const CALL_INDEXES[] = {"operator_id", NULL};
static const char *const ARG_INDEXES[] = {"span_id", "operator_id", "call_id", NULL};
static const char *const FLOW_INDEXES[] = {"span_out", "span_in", NULL};

const struct sql_table SQL_TABLES[] = {
    {"string", "texts, each once", COUNTED(STRING_COLUMNS), .first = 1, .end = sql_end_of_strings,
     .item = sql_item_string},
    {"track", "where events lie: processes, groups, lanes, counters, in a tree",
     COUNTED(TRACK_COLUMNS), .end = sql_end_of_tracks, .item = sql_item_track},
    {"process", "tracks that are processes, devices or profiles", COUNTED(PROCESS_COLUMNS),
     .end = sql_end_of_tracks, .item = sql_item_process},
    {"thread", "tracks that are lanes: threads, engines, streams", COUNTED(THREAD_COLUMNS),
     .end = sql_end_of_tracks, .item = sql_item_thread},
    {"span", "one interval on one lane", COUNTED(SPAN_COLUMNS), SPAN_INDEXES, SQL_EVENTS,
     EVENT_SPAN},
    {"instant", "what has a time and no duration", COUNTED(INSTANT_COLUMNS), EVENT_INDEXES,
     SQL_EVENTS, EVENT_INSTANT},
    {"counter", "samples of counters", COUNTED(COUNTER_COLUMNS), EVENT_INDEXES, SQL_EVENTS,
     EVENT_COUNTER},
    {"operator", "nodes of a network", COUNTED(OPERATOR_COLUMNS), .first = 1,
     .end = sql_end_of_operators, .item = sql_item_operator},
    {"call", "executions of operators", COUNTED(CALL_COLUMNS), CALL_INDEXES, .first = 1,
     .end = sql_end_of_calls, .item = sql_item_call},
    {"arg", "further values of spans and whatever else has some", COUNTED(ARG_COLUMNS), ARG_INDEXES,
     SQL_ARGUMENTS},
    {"flow", "what leads from event to event", COUNTED(FLOW_COLUMNS), FLOW_INDEXES, .first = 1,
     .end = sql_end_of_flows, .item = sql_item_flow},
    {"clock", "what ticks are", COUNTED(CLOCK_COLUMNS), .end = sql_end_of_clocks,
     .item = sql_item_clock},
    {"buffer", "pieces of memory in use", COUNTED(BUFFER_COLUMNS), .first = 1,
     .end = sql_end_of_buffers, .item = sql_item_buffer},
    {"fact", "about the profile as a whole", COUNTED(FACT_COLUMNS), .first = 1,
     .end = sql_end_of_facts, .item = sql_item_fact},
    {"ledger", "the account of the data, by track", COUNTED(LEDGER_COLUMNS),
     .end = sql_end_of_tracks, .item = sql_item_track},
    {"note", "why something is missing", COUNTED(NOTE_COLUMNS), .first = 1, .end = sql_end_of_notes,
     .item = sql_item_note},
};

const size_t SQL_TABLE_COUNT = sizeof SQL_TABLES / sizeof *SQL_TABLES;

const struct sql_table *sql_table_find(const char *name)
{
    for (size_t i = 0; i < SQL_TABLE_COUNT; i++) {
        if (strcmp(SQL_TABLES[i].name, name) == 0)
            return &SQL_TABLES[i];
    }
    return NULL;
}

// Views -----------------------------------------------------------------------------------------

// What the views of spans have in common. Derived tracks are computed from the data: not data.
#define SPAN_PLACES                                                                                \
    "       s.ts AS start, s.ts + s.dur AS \"end\", s.dur AS duration,\n"                          \
    "       s.track_id, s.call_id, c.operator_id, s.role, t.engine, t.device, t.core, t.queue,\n"  \
    "       s.provenance\n"                                                                        \
    "  FROM span s\n"                                                                              \
    "  JOIN track t ON t.id = s.track_id\n"                                                        \
    "  LEFT JOIN process p ON p.upid = t.process_id\n"                                             \
    "  LEFT JOIN thread h ON h.utid = s.track_id\n"                                                \
    "  LEFT JOIN string n ON n.id = s.name_id\n"                                                   \
    "  LEFT JOIN string g ON g.id = s.category_id\n"                                               \
    "  LEFT JOIN call c ON c.id = s.call_id\n"                                                     \
    " WHERE s.provenance IS NOT 'derived'\n"

// How large a kernel is along an axis, as profilers write it: numbers by name, or an array of the
// three. CUDA counts a grid in blocks, rocpd in work items.
#define SPAN_SIZE(names, array, place)                                                             \
    "(SELECT CASE a.type WHEN 'json' THEN json_extract(a.value, '$[" place "]')\n"                 \
    "                    ELSE CAST(a.value AS INTEGER) END\n"                                      \
    "          FROM arg a WHERE a.span_id = s.id AND a.name IN (" names ", '" array "'))"
#define SPAN_BLOCK(axis, upper, place)                                                             \
    SPAN_SIZE("'workgroup_size_" axis "', 'block_" axis "', 'block" upper "'", "block", place)
#define SPAN_AXIS(axis, upper, place)                                                              \
    "       IFNULL((SELECT a.value FROM arg a WHERE a.span_id = s.id AND a.name = "                \
    "'grid_size_" axis "'),\n       " SPAN_SIZE(                                                   \
        "'grid_" axis "', 'grid" upper "'", "grid",                                                \
        place) "\n       * " SPAN_BLOCK(axis, upper, place) ") AS grid_" axis                      \
                                                            ",\n       " SPAN_BLOCK(               \
                                                                axis, upper,                       \
                                                                place) " AS workgroup_" axis ",\n"

const struct sql_view SQL_VIEWS[] = {
    {"slice", "spans with their names, as Perfetto has them",
     "SELECT s.id, s.ts, s.dur, s.track_id, g.value AS category, n.value AS name, s.depth,\n"
     "       s.parent_id, s.id AS arg_set_id\n"
     "  FROM span s\n"
     "  LEFT JOIN string n ON n.id = s.name_id\n"
     "  LEFT JOIN string g ON g.id = s.category_id"},
    {"kernels", "spans of work on a device, as rocpd has them",
     "SELECT s.id, p.pid, h.tid, g.value AS category, n.value AS name,\n"
     "       t.device AS agent_id, t.device AS agent_abs_index, t.name AS stream,\n" SPAN_AXIS(
         "x", "X", "0") SPAN_AXIS("y", "Y", "1") SPAN_AXIS("z", "Z", "2") SPAN_PLACES
     "   AND (s.role = 'compute' OR s.role = 'communication' AND s.bytes IS NULL)"},
    {"memory_copies", "spans of transfers, as rocpd has them",
     "SELECT s.id, p.pid, h.tid, g.value AS category, n.value AS name, s.bytes AS size,\n"
     "       CASE WHEN s.role <> 'transfer in' THEN t.device END AS src_agent_abs_index,\n"
     "       CASE WHEN s.role <> 'transfer in' THEN 'device' END AS src_agent_type,\n"
     "       CASE WHEN s.role <> 'transfer out' THEN t.device END AS dst_agent_abs_index,\n"
     "       CASE WHEN s.role <> 'transfer out' THEN 'device' END AS dst_agent_type,\n"
     "       t.name AS stream,\n" SPAN_PLACES
     "   AND (s.role IN ('transfer in', 'transfer out', 'transfer')\n"
     "        OR s.role = 'communication' AND s.bytes IS NOT NULL)"},
    {"regions", "spans on the host, as rocpd has them",
     "SELECT s.id, p.pid, h.tid, g.value AS category, n.value AS name,\n" SPAN_PLACES
     "   AND s.role IN ('host', 'host call', 'host copy')"},
    {"samples", "instants, as rocpd has them",
     "SELECT i.id, p.pid, h.tid, g.value AS category, n.value AS name, i.ts AS timestamp,\n"
     "       i.track_id, i.call_id\n"
     "  FROM instant i\n"
     "  JOIN track t ON t.id = i.track_id\n"
     "  LEFT JOIN process p ON p.upid = t.process_id\n"
     "  LEFT JOIN thread h ON h.utid = i.track_id\n"
     "  LEFT JOIN string n ON n.id = i.name_id\n"
     "  LEFT JOIN string g ON g.id = i.category_id"},
    {"regions_and_samples", "both, as rocpd has them",
     "SELECT id, pid, tid, category, name, start, \"end\", duration, track_id FROM regions\n"
     " UNION ALL\n"
     "SELECT id, pid, tid, category, name, timestamp, timestamp, 0, track_id FROM samples"},
    {"memory_allocations", "buffers, as rocpd has them",
     "SELECT id, name, memory, start, \"end\", \"end\" - start AS duration, size, address,\n"
     "       device AS agent_id, operator_id\n"
     "  FROM buffer"},
    {"processes", "as rocpd has them",
     "SELECT upid AS id, pid, name, name AS command FROM process"},
    {"threads", "as rocpd has them",
     "SELECT h.utid AS id, p.pid, h.tid, h.name\n"
     "  FROM thread h LEFT JOIN process p ON p.upid = h.upid"},
    {"tracks", "as rocpd has them",
     "SELECT t.id, t.name AS track_name, p.pid, p.name AS process_name, h.tid,\n"
     "       h.name AS thread_name, t.device AS agent_id, t.queue AS queue_name\n"
     "  FROM track t\n"
     "  LEFT JOIN process p ON p.upid = t.process_id\n"
     "  LEFT JOIN thread h ON h.utid = t.id"},
    {"top_kernels", "kernels by name, as rocpd has them; times in us",
     "SELECT name, COUNT(*) AS total_calls, SUM(duration) / 1000.0 AS total_duration,\n"
     "       SUM(duration) / COUNT(*) / 1000.0 AS average,\n"
     "       SUM(duration) * 100.0 / (SELECT SUM(duration) FROM kernels) AS percentage\n"
     "  FROM kernels GROUP BY name ORDER BY total_duration DESC, name"},
    {"top", "kernels, copies and regions by name, as rocpd has them; times in us",
     "SELECT name, COUNT(*) AS total_calls, SUM(duration) / 1000.0 AS total_duration,\n"
     "       SUM(duration) / COUNT(*) / 1000.0 AS average,\n"
     "       SUM(duration) * 100.0 / SUM(SUM(duration)) OVER () AS percentage\n"
     "  FROM (SELECT name, duration FROM kernels\n"
     "         UNION ALL SELECT name, duration FROM memory_copies\n"
     "         UNION ALL SELECT name, duration FROM regions)\n"
     " GROUP BY name ORDER BY total_duration DESC, name"},
    {"busy", "how long devices work, as rocpd has it, what overlaps once",
     "SELECT agent_id, 'device' AS type, SUM(alone) AS GpuTime,\n"
     "       MAX(MAX(\"end\")) OVER () - MIN(MIN(start)) OVER () AS WallTime,\n"
     "       SUM(alone) * 1.0\n"
     "         / (MAX(MAX(\"end\")) OVER () - MIN(MIN(start)) OVER ()) AS Busy\n"
     "  FROM (SELECT agent_id, start, \"end\",\n"
     "               MAX(0, \"end\" - MAX(start, IFNULL(MAX(\"end\") OVER before, start))) AS "
     "alone\n"
     "          FROM (SELECT agent_id, start, \"end\" FROM kernels\n"
     "                 UNION ALL SELECT device, start, \"end\" FROM memory_copies)\n"
     "        WINDOW before AS (PARTITION BY agent_id ORDER BY start, \"end\"\n"
     "                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))\n"
     " GROUP BY agent_id"},
    {"thread_track", "as Perfetto has them", "SELECT utid AS id, utid, name FROM thread"},
    {"process_track", "as Perfetto has them", "SELECT upid AS id, upid, name FROM process"},
    {"counter_track", "as Perfetto has them",
     "SELECT id, name, unit FROM track WHERE kind = 'counter'"},
};

const size_t SQL_VIEW_COUNT = sizeof SQL_VIEWS / sizeof *SQL_VIEWS;

// Text ------------------------------------------------------------------------------------------

// Names that SQL has a meaning for stand in quotes.
static bool needs_quotes(const char *name)
{
    return strcmp(name, "end") == 0;
}

static void append_column(const struct sql_column *column, bool last, struct bytes *to)
{
    const char *quote = needs_quotes(column->name) ? "\"" : "";
    bytes_append_format(to, "  %s%s%s%s%s%s", quote, column->name, quote,
                        column->type[0] != '\0' ? " " : "", column->type, last ? "" : ",");
    if (column->about[0] != '\0')
        bytes_append_format(to, " -- %s", column->about);
    bytes_append_format(to, "\n");
}

void sql_schema_table(const struct sql_table *table, struct bytes *to)
{
    bytes_append_format(to, "CREATE TABLE %s( -- %s\n", table->name, table->about);
    for (size_t i = 0; i < table->column_count; i++)
        append_column(&table->columns[i], i + 1 == table->column_count, to);
    bytes_append_format(to, ");\n");
}

void sql_schema_view(const struct sql_view *view, struct bytes *to)
{
    bytes_append_format(to, "CREATE VIEW %s AS -- %s\n%s;\n", view->name, view->about,
                        view->select);
}

// span(track_id, ts) is span_by_track_id_ts.
static void append_index_name(const char *table, const char *columns, struct bytes *to)
{
    bytes_append_format(to, "%s_by_", table);
    for (const char *at = columns; *at != '\0'; at++) {
        if (*at != ',')
            bytes_append(to, *at == ' ' ? "_" : at, 1);
    }
}

void sql_schema_indexes(const struct sql_table *table, struct bytes *to)
{
    for (const char *const *index = table->indexes; index != NULL && *index != NULL; index++) {
        bytes_append_format(to, "CREATE INDEX ");
        append_index_name(table->name, *index, to);
        bytes_append_format(to, " ON %s(%s);\n", table->name, *index);
    }
}
