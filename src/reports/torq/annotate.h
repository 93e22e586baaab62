// Joins a runtime profile with the program that ran: Torq's annotate_profiling
// (docs/commands/annotate.md).
//
// A row is an action of the program in one invocation of its dispatch (R2, R3, R4), or
// one operation of a job of the controller (R1). R2 and R3 do not say which dispatch an
// action belongs to: the program's dispatches follow one another, and a number that is
// not above the one before begins the next; of R4, it begins another run with the same
// number of invocation. Ids that the program does not have, and events that are not of the
// action's kind, say that another program ran: an error, or, where they are asked for, rows
// of their own. Actions that the profile says nothing of are rows without times; those of
// which it has one end only have that.
//
// A profile of `opscope run` is joined without text in between (annotate_run.c): rows of
// actions as above, the iteration being the invocation, and after the start of a job or
// of a task of the host one for each task. Spans of tasks that the program does not have,
// or has on another lane, become rows of their own.
//
// Memory: some 400 bytes for each row.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_H

#include "annotate_source.h"
#include "reports/table.h"
#include "formats/torq/dump_reader.h"
#include "formats/torq/engines.h"
#include "formats/torq/torq.h"

// What a job may use, each with a column of its own.
struct annotate_engine {
    const char *lane; // in a trace
    const struct torq_engine *engine;
    uint8_t index;
};

enum { ANNOTATE_ENGINES = 6 };
extern const struct annotate_engine ANNOTATE_ENGINE[ANNOTATE_ENGINES];

// The place there of an engine's lane; ANNOTATE_ENGINES for what has no column.
unsigned annotate_engine_place(const struct torq_engine *engine, uint32_t index);

// What a job uses: what was active when it began, or was started by it.
struct annotate_job {
    uint32_t names; // of its slices' programs, in the order of their starts, joined by ','
    bool used[ANNOTATE_ENGINES];
};

// Times are us, of a run ns. Of a folded row, doubled: the median of two may lie between.
struct annotate_times {
    uint64_t minimum, median_doubled, p90, maximum;
};

struct annotate_row {
    uint32_t dispatch;      // of the program; PROGRAM_NONE: not known there
    uint32_t dispatch_name; // all texts are the profile's
    uint64_t invocation;    // as the profile has it, or counted
    uint32_t action;        // of the program; PROGRAM_NONE
    uint32_t job;           // the same
    uint32_t event;         // as the profile has it; 0: nothing of it there
    uint32_t location;
    uint32_t names;     // of R1: the program that a slice runs
    uint32_t order;     // of R1: of the job's operations
    uint8_t operation;  // of R1: enum annotate_operation
    uint8_t slice;      // of R1: ANNOTATE_NO_SLICE
    bool has_id, timed; // has times
    bool begun, ended;  // has one of them
    uint64_t id;
    uint32_t task;        // of the program; PROGRAM_NONE
    uint32_t lane;        // of a task: text
    uint32_t operators;   // of a task: text
    uint64_t task_number; // as the profile has it; ANNOTATE_NOT_SAID: of no task
    uint64_t bytes;       // that a task moves; ANNOTATE_NOT_SAID
    uint64_t start, end;
    uint64_t runs; // folded into this row
    struct annotate_times times;
};

enum { ANNOTATE_NO_SLICE = 255 };

#define ANNOTATE_NOT_SAID UINT64_MAX

enum annotate_operation {
    ANNOTATE_DMA_IN_CFG,
    ANNOTATE_DMA_IN_START,
    ANNOTATE_DMA_IN_WAIT,
    ANNOTATE_SLICE_START,
    ANNOTATE_SLICE_WAIT,
    ANNOTATE_DMA_OUT_CFG,
    ANNOTATE_DMA_OUT_START,
    ANNOTATE_DMA_OUT_WAIT,
    ANNOTATE_CDMA_START,
    ANNOTATE_CDMA_WAIT,
    ANNOTATE_CSS_START,
    ANNOTATE_CSS_WAIT,
    ANNOTATE_NO_OPERATION,
};

struct annotation {
    const struct program *program;
    const struct target *target;
    const uint32_t *task_names; // texts of the program, by task; NULL: the groups' types
    struct profile *profile;
    enum torq_form form; // TORQ_UNKNOWN: a profile of `opscope run`
    struct annotate_source *source;
    const struct torq_halves *halves; // of the runtime profile; NULL: none
    bool keep_unmatched;              // rows that the program does not know are no error
    bool keys;                        // of R1: CSV is headed as Torq's tool heads it
    struct annotate_job *jobs;
    uint32_t *locations; // of the program's actions: texts of the profile; 0: none
    struct annotate_row *rows;
    size_t count, capacity;
    uint64_t unmatched; // rows that the program does not know
    uint64_t missing;   // rows that the profile says nothing of
    uint64_t origin;    // of R1: begin of the first job, in us
    bool folded;
};

// Fills in what stands below `keep_unmatched`; the caller sets the others. The profile was
// filled by torq_runtime_read. Fails when another program ran; what does not match and is kept
// is noted in the ledger.
status annotate_join(struct annotation *annotation, const char *runtime_path);

// The same for a profile of `opscope run`, on either device. Fails when nothing in it names
// tasks of a program.
status annotate_join_run(struct annotation *annotation, const char *profile_path);

struct sim_result;

// Without a runtime's profile: a row for each action of a dispatch, or of all (PROGRAM_NONE), as it
// is expected to go, in ns. `profile` is a fresh one.
void annotate_estimate(struct annotation *annotation, const struct sim_result *times,
                       uint64_t clock_hz, uint32_t dispatch);

static inline bool annotate_is_run(const struct annotation *annotation)
{
    return annotation->form == TORQ_UNKNOWN;
}

void annotate_free(struct annotation *annotation);

// One row for those of all invocations that are about the same.
void annotate_fold(struct annotation *annotation);

// What the tables are made of (annotate_table.c) ----------------------------------------

enum annotate_cell_kind {
    ANNOTATE_EMPTY,
    ANNOTATE_TEXT,
    ANNOTATE_NUMBER,
    ANNOTATE_TIME, // `number` is us doubled, of a run ns doubled
    ANNOTATE_RATE, // `number` is bytes a second
    ANNOTATE_FLAG,
};

struct annotate_cell {
    enum annotate_cell_kind kind;
    uint64_t number;
    struct view text;
};

size_t annotate_column_count(const struct annotation *annotation);

// As CSV heads it.
const char *annotate_column_name(const struct annotation *annotation, size_t column);
struct annotate_cell annotate_cell(const struct annotation *annotation,
                                   const struct annotate_row *row, size_t column);

// Writers --------------------------------------------------------------------------------

// All rows as a table, with the columns that they have.
struct table *annotate_table(const struct annotation *annotation);

extern const struct table_form ANNOTATE_ACTIONS_FORM;
extern const struct table_form ANNOTATE_JOBS_FORM;
extern const struct table_form ANNOTATE_RUN_FORM;
extern const struct table_form ANNOTATE_FOLDED_FORM;

// Of that table.
status annotate_write_csv(struct table *table, const char *path);
status annotate_write_json(const struct annotation *annotation, struct table *table,
                           const char *path);
status annotate_write_xlsx(struct table *table, const char *path);

// Adds to the profile of a run lanes of the rows of actions and of each engine's tasks. Not for
// folded rows; annotate_layout.h is for Torq's profiles.
void annotate_profile(struct annotation *annotation, uint32_t process);

#endif
