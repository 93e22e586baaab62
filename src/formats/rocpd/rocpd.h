// What the parts of the reader share. A database holds one run, or several put together: the tables
// of each end in an id of its own, and refer to one another only. They are read one run after the
// other.

#ifndef OPSCOPE_FORMATS_ROCPD_ROCPD_H
#define OPSCOPE_FORMATS_ROCPD_ROCPD_H

#include "formats/database/launches.h"
#include "formats/database/tables.h"

enum { ROCPD_TABLE_ROOM = 256 };

// Items that begin with the id they are found by: kept in a spool, then sorted.
struct rocpd_index {
    struct spool spool;
    char *items; // once all are there
    size_t size; // of one
    uint64_t count;
};

struct rocpd {
    struct tables tables;
    struct launches launches;
    const char *suffix;                              // of the run's tables
    uint32_t run;                                    // number of the run
    bool emit;                                       // the second time over the tables
    struct rocpd_index events, timestamps, counters; // 16 to 24 bytes each
    uint64_t last;                                   // end of what was seen
    struct bytes text;
};

// "rocpd_region" and the suffix.
void rocpd_table(const struct rocpd *rocpd, const char *base, char name[ROCPD_TABLE_ROOM]);

// Tables that others refer to (index.c) ----------------------------------------------------------

struct rocpd_event {
    uint64_t id;
    uint64_t stack;    // what a launch and its work have in common; 0: nothing
    uint32_t category; // string id
};

status rocpd_read_index(struct rocpd *rocpd);
void rocpd_free_index(struct rocpd *rocpd);

// All zero where there is none.
struct rocpd_event rocpd_event_of(struct rocpd *rocpd, uint64_t id);

// When a row began and ended: its own columns, or those of the timestamps that it refers to.
struct rocpd_span_columns {
    int start, end, start_id, end_id;
};

struct rocpd_span_columns rocpd_span_columns(const struct database_rows *rows);

// False where the row cannot be read, which is noted.
bool rocpd_span(struct rocpd *rocpd, const char *table, const struct database_rows *rows,
                const struct rocpd_span_columns *columns, uint64_t *out_start, uint64_t *out_end);

// The counters that were read for an event, as values of `tables.values`: for who asks first.
void rocpd_add_counters(struct rocpd *rocpd, uint64_t event);

// Tracks (places.c) ------------------------------------------------------------------------------

// Where a row lies: its own columns, or those of the track that it refers to. Ids of the run.
struct rocpd_place {
    uint64_t process, thread, agent, queue, stream;
};

struct rocpd_place_columns {
    int process, thread, agent, queue, stream, track;
};

void rocpd_read_places(struct rocpd *rocpd);
struct rocpd_place_columns rocpd_place_columns(const struct database_rows *rows);
struct rocpd_place rocpd_place(struct rocpd *rocpd, const struct database_rows *rows,
                               const struct rocpd_place_columns *columns);

uint32_t rocpd_thread(struct rocpd *rocpd, const struct rocpd_place *place);
uint32_t rocpd_queue(struct rocpd *rocpd, const struct rocpd_place *place);

// Where memory is taken and given back.
uint32_t rocpd_memory_lane(struct rocpd *rocpd, const struct rocpd_place *place);

// Whether an agent is a GPU, and its number; false for others.
bool rocpd_agent_is_device(const struct rocpd *rocpd, uint64_t agent, uint32_t *out_number);
bool rocpd_agent_is_host(const struct rocpd *rocpd, uint64_t agent);

// The name of a kernel, of a track: string id.
uint32_t rocpd_kernel_name(const struct rocpd *rocpd, uint64_t kernel);
uint32_t rocpd_track_name(const struct rocpd *rocpd, uint64_t track);

// Tables, first for the launches, then (`emit`) as events (host.c, device.c)
// --------------------------

status rocpd_read_host(struct rocpd *rocpd);
status rocpd_read_device(struct rocpd *rocpd);

// Once, as events.
void rocpd_read_samples(struct rocpd *rocpd);
status rocpd_read_memory(struct rocpd *rocpd);

#endif
