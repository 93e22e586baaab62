// The columns of the annotated tables. Their names are an API: those of Torq's document
// for runtime profiles of actions (R2 to R4), and of its older one for jobs (R1). Those of
// a run on a device of opscope's begin as those of actions.

#include <inttypes.h>

#include "annotate.h"
#include "program/print.h"

enum column {
    COLUMN_ID,
    COLUMN_JOB,
    COLUMN_OPERATION,
    COLUMN_SLICE,
    COLUMN_NAMES,
    COLUMN_OPERATOR,
    COLUMN_TOTAL,
    COLUMN_START,
    COLUMN_END,
    COLUMN_LOCATION,
    COLUMN_ITERATION,
    COLUMN_TASK,
    COLUMN_LANE,
    COLUMN_TILE,
    COLUMN_BYTES,
    COLUMN_BANDWIDTH,
    COLUMN_OPERATORS,
    COLUMN_DEVICE,
    COLUMN_RUNS,
    COLUMN_MINIMUM,
    COLUMN_MEDIAN,
    COLUMN_P90,
    COLUMN_MAXIMUM,
    COLUMN_USED, // and a place in ANNOTATE_ENGINE
};

static struct table_cell annotate_table_value_cell(const struct table_query *query);
static struct table_cell annotate_table_dispatch_cell(const struct table_query *query);
static struct table_cell invocation_cell(const struct table_query *query);
static struct table_cell matched_cell(const struct table_query *query);

// clang-format off
#define VALUE(name, words, kind) .key = (name), .meaning = (words), .argument = (kind), .cell = annotate_table_value_cell
#define TEXT(name, words, kind) {VALUE(name, words, kind)}
#define COUNT(name, words, kind) {VALUE(name, words, kind), .type = TABLE_COUNT}
#define TIME(name, words, kind) {VALUE(name, words, kind), .type = TABLE_US}
#define USED(shown, name, place) {VALUE(name, "whether its job uses it", COLUMN_USED + (place)), .title = (shown), .type = TABLE_FLAG}
#define TEXT_TITLED(shown, name, words, kind) {VALUE(name, words, kind), .title = (shown)}
#define COUNT_TITLED(shown, name, words, kind) {VALUE(name, words, kind), .title = (shown), .type = TABLE_COUNT}
#define TIME_TITLED(shown, name, words, kind) {VALUE(name, words, kind), .title = (shown), .type = TABLE_US}

// Only in JSON.
#define LEADING                                                                                    \
    {.key = "dispatch", .meaning = "that it belongs to", .flags = TABLE_NOT_CSV,                   \
     .cell = annotate_table_dispatch_cell},                                                                       \
    {.key = "invocation", .meaning = "of the dispatch", .type = TABLE_COUNT,                       \
     .flags = TABLE_NOT_CSV | TABLE_OPTIONAL, .cell = invocation_cell},                            \
    {.key = "matched", .meaning = "whether the program has it", .type = TABLE_FLAG,                \
     .flags = TABLE_NOT_CSV, .cell = matched_cell}

enum { LEADING_COLUMNS = 3 };

static const struct table_column ACTIONS[] = {
    LEADING,
    COUNT_TITLED("Action ID", "action_id", "of the action, as the profile has it", COLUMN_ID),
    COUNT_TITLED("Job ID", "job_id", "of the job that the action starts or waits for", COLUMN_JOB),
    TEXT_TITLED("Action in program", "operation", "what the action does", COLUMN_OPERATION),
    TEXT_TITLED("Slice Invocation Names (if applicable)", "invocation_names", "of the programs that the job runs", COLUMN_NAMES),
    TEXT_TITLED("Original Operators", "original_operator", "in the network's text", COLUMN_OPERATOR),
    TIME_TITLED("Total Time [us]", "total_time", "from begin to end; of folded rows the median", COLUMN_TOTAL),
    USED("Slice 0 Used in NSS Program", "slice_used_0_in_program", 0),
    USED("Slice 1 Used in NSS Program", "slice_used_1_in_program", 1),
    USED("DMA In Used in NSS Program", "dma_in_used_in_program", 2),
    USED("DMA Out Used in NSS Program", "dma_out_used_in_program", 3),
    USED("CDMA Used in CSS Program", "cdma_used_in_program", 4),
    USED("CSS Used in CSS Program", "css_used_in_program", 5),
    TIME_TITLED("Timestamp Start [us]", "timestamp_start", "when it began; absent of folded rows", COLUMN_START),
    TIME_TITLED("Timestamp End [us]", "timestamp_end", "when it ended; absent of folded rows", COLUMN_END),
    TEXT_TITLED("Location", "location", "place in the network's text", COLUMN_LOCATION),
};

#define TITLED(shown, name, words, of, kind)                                                       \
    {VALUE(name, words, kind), .title = (shown), .type = (of)}
#define HEADED(headed, shown, name, words, of, kind)                                               \
    {VALUE(name, words, kind), .heading = (headed), .title = (shown), .type = (of)}

// Torq's document heads CSV as its tool heads workbooks, but for one name; the tool itself heads
// CSV with the keys.
#define JOBS_LIST(heading_of)                                                                      \
    LEADING,                                                                                       \
    HEADED(heading_of("NSS Program Index"), "NSS Program Index", "nss_program_index",              \
           "of the job", TABLE_COUNT, COLUMN_ID),                                                  \
    HEADED(heading_of("torq-hw Operation in program"), "torq-hw Operation in program",             \
           "operation", "of the job", TABLE_TEXT, COLUMN_OPERATION),                               \
    HEADED(heading_of("Slice ID (if applicable)"), "Slice ID (if applicable)", "slice_id",         \
           "that the operation is for", TABLE_COUNT, COLUMN_SLICE),                                \
    HEADED(heading_of("Invocation Name"), "Invocation Name (if applicable)", "invocation_name",    \
           "of the program that a slice runs", TABLE_TEXT, COLUMN_NAMES),                          \
    HEADED(heading_of("NSS Program Start Timestamp [us]"), "NSS Program Start Timestamp [us]",     \
           "nss_program_timestamp_start", "from the first on", TABLE_US,            \
           COLUMN_START),                                                                          \
    HEADED(heading_of("NSS Program End Timestamp [us]"), "NSS Program End Timestamp [us]",         \
           "nss_program_timestamp_end", "from the first on", TABLE_US, COLUMN_END), \
    HEADED(heading_of("NSS Program Total Time [us]"), "NSS Program Total Time [us]",               \
           "nss_program_timestamp_total", "from begin to end", TABLE_US, COLUMN_TOTAL),            \
    HEADED(heading_of("Slice 0 Used in NSS Program"), "Slice 0 Used in NSS Program",               \
           "slice_used_0_in_program", "whether the job uses it", TABLE_FLAG, COLUMN_USED + 0),     \
    HEADED(heading_of("Slice 1 Used in NSS Program"), "Slice 1 Used in NSS Program",               \
           "slice_used_1_in_program", "whether the job uses it", TABLE_FLAG, COLUMN_USED + 1),     \
    HEADED(heading_of("DMA In Used in NSS Program"), "DMA In Used in NSS Program",                 \
           "dma_in_used_in_program", "whether the job uses it", TABLE_FLAG, COLUMN_USED + 2),      \
    HEADED(heading_of("DMA Out Used in NSS Program"), "DMA Out Used in NSS Program",               \
           "dma_out_used_in_program", "whether the job uses it", TABLE_FLAG, COLUMN_USED + 3)
#define THE_TEXT(text) (text)
#define THE_KEY(text) NULL

static const struct table_column JOBS[] = {JOBS_LIST(THE_TEXT)};
static const struct table_column JOBS_BY_KEY[] = {JOBS_LIST(THE_KEY)};

// After those of actions, of a run.
static const struct table_column RUN[] = {
    COUNT("iteration", "of the run; absent of folded rows", COLUMN_ITERATION),
    COUNT("task_id", "of a task", COLUMN_TASK),
    TEXT("lane", "of the engine that did the task", COLUMN_LANE),
    COUNT("tile", "of the group that the task is of", COLUMN_TILE),
    {VALUE("bytes", "that the task moves", COLUMN_BYTES), .type = TABLE_BYTES},
    {VALUE("bandwidth_mb_s", "of the task", COLUMN_BANDWIDTH), .type = TABLE_REAL, .unit = "MB/s"},
    TEXT("operators", "that the task is of", COLUMN_OPERATORS),
    TEXT("device", "whose times they are", COLUMN_DEVICE),
};

// After the others, of folded rows.
static const struct table_column FOLDED[] = {
    TITLED("Runs", "runs", "that were folded", TABLE_COUNT, COLUMN_RUNS),
    TITLED("Least Total Time [us]", "total_time_min", "of these runs", TABLE_US, COLUMN_MINIMUM),
    TITLED("Median Total Time [us]", "total_time_median", "of these runs", TABLE_US, COLUMN_MEDIAN),
    TITLED("p90 Total Time [us]", "total_time_p90", "that 90 % of these runs keep to", TABLE_US,
           COLUMN_P90),
    TITLED("Most Total Time [us]", "total_time_max", "of these runs", TABLE_US, COLUMN_MAXIMUM),
};
// clang-format on

#define AS_TORQ_WRITES .separator = ';', .flags = {"False", "True"}

const struct table_form ANNOTATE_ACTIONS_FORM = {
    .as_it_is = true,
    .name = "actions",
    .about = "a row for each action of the program in each invocation",
    AS_TORQ_WRITES,
    TABLE_COLUMNS(ACTIONS),
};

const struct table_form ANNOTATE_JOBS_FORM = {
    .as_it_is = true,
    .name = "jobs",
    .about = "a row for each operation of a job, of the oldest profiles",
    AS_TORQ_WRITES,
    TABLE_COLUMNS(JOBS),
};

const struct table_form ANNOTATE_RUN_FORM = {
    .as_it_is = true,
    .name = "tasks",
    .about = "of a run, after those of actions: a row for each task, too",
    TABLE_COLUMNS(RUN),
};

const struct table_form ANNOTATE_FOLDED_FORM = {
    .as_it_is = true,
    .name = "folded rows",
    .about = "with --fold, after the others",
    TABLE_COLUMNS(FOLDED),
};

static const struct table_form JOBS_BY_KEY_FORM = {
    .as_it_is = true,
    .name = "jobs",
    AS_TORQ_WRITES,
    TABLE_COLUMNS(JOBS_BY_KEY),
};

static const struct table_form *main_form(const struct annotation *annotation)
{
    if (annotation->form != TORQ_R1 || annotate_is_run(annotation))
        return &ANNOTATE_ACTIONS_FORM;
    return annotation->keys ? &JOBS_BY_KEY_FORM : &ANNOTATE_JOBS_FORM;
}

struct table *annotate_table(const struct annotation *annotation)
{
    struct table *table = table_create(main_form(annotation), annotation, annotation->count);
    if (annotate_is_run(annotation))
        table_append(table, &ANNOTATE_RUN_FORM);
    if (annotation->folded)
        table_append(table, &ANNOTATE_FOLDED_FORM);
    return table;
}

enum {
    ACTION_COLUMNS = sizeof ACTIONS / sizeof *ACTIONS - LEADING_COLUMNS,
    RUN_COLUMNS = sizeof RUN / sizeof *RUN,
    JOB_COLUMNS = sizeof JOBS / sizeof *JOBS - LEADING_COLUMNS,
    FOLDED_COLUMNS = sizeof FOLDED / sizeof *FOLDED,
};

static size_t plain_count(const struct annotation *annotation)
{
    if (annotate_is_run(annotation))
        return ACTION_COLUMNS + RUN_COLUMNS;
    return annotation->form == TORQ_R1 ? JOB_COLUMNS : ACTION_COLUMNS;
}

size_t annotate_column_count(const struct annotation *annotation)
{
    return plain_count(annotation) + (annotation->folded ? FOLDED_COLUMNS : 0);
}

static const struct table_column *annotate_table_describe(const struct annotation *annotation,
                                                          size_t column)
{
    if (column >= plain_count(annotation))
        return &FOLDED[column - plain_count(annotation)];
    if (annotate_is_run(annotation) && column >= ACTION_COLUMNS)
        return &RUN[column - ACTION_COLUMNS];
    return (annotation->form == TORQ_R1 ? JOBS : ACTIONS) + LEADING_COLUMNS + column;
}

const char *annotate_column_name(const struct annotation *annotation, size_t column)
{
    return annotate_table_describe(annotation, column)->key;
}

// Cells ------------------------------------------------------------------------------

static struct annotate_cell annotate_table_number_cell(bool known, uint64_t number)
{
    return (struct annotate_cell){.kind = known ? ANNOTATE_NUMBER : ANNOTATE_EMPTY,
                                  .number = number};
}

static struct annotate_cell annotate_table_time_cell(bool known, uint64_t doubled)
{
    return (struct annotate_cell){.kind = known ? ANNOTATE_TIME : ANNOTATE_EMPTY,
                                  .number = doubled};
}

static struct annotate_cell annotate_table_text_cell(struct view text)
{
    return (struct annotate_cell){.kind = text.size > 0 ? ANNOTATE_TEXT : ANNOTATE_EMPTY,
                                  .text = text};
}

static struct view annotate_table_operation_of(const struct annotation *annotation,
                                               const struct annotate_row *row)
{
    static const char *const ACTION_NAMES[] = {
        [PROGRAM_ACTION_ALLOC] = "memref.alloc",
        [PROGRAM_ACTION_DEALLOC] = "memref.dealloc",
        [PROGRAM_ACTION_HOST_COPY] = "torq_hl.host_copy",
        [PROGRAM_ACTION_JOB_START] = "torq_hl.start_program",
        [PROGRAM_ACTION_JOB_WAIT] = "torq_hl.wait_program",
        [PROGRAM_ACTION_HOST_START] = "torq_hl.start_program",
        [PROGRAM_ACTION_HOST_WAIT] = "torq_hl.wait_program",
    };
    static const char *const OPERATION_NAMES[] = {
        "torq_hw.dma_in_cfg",    "torq_hw.dma_in_start", "torq_hw.dma_in_wait",
        "torq_hw.slice_start",   "torq_hw.slice_wait",   "torq_hw.dma_out_cfg",
        "torq_hw.dma_out_start", "torq_hw.dma_out_wait", "torq_hw.cdma_start",
        "torq_hw.cdma_wait",     "torq_hw.css_start",    "torq_hw.css_wait",
    };
    if (row->task != PROGRAM_NONE)
        return view_of(
            program_engine_name(annotation->target, annotation->program->tasks[row->task].engine));
    if (row->action != PROGRAM_NONE)
        return view_of(ACTION_NAMES[annotation->program->actions[row->action].kind]);
    if (row->operation != ANNOTATE_NO_OPERATION)
        return view_of(OPERATION_NAMES[row->operation]);
    return profile_text(annotation->profile, row->event);
}

static struct view names_of(const struct annotation *annotation, const struct annotate_row *row)
{
    if (annotation->form == TORQ_R1 || row->task != PROGRAM_NONE)
        return profile_text(annotation->profile, row->names);
    return profile_text(annotation->profile,
                        row->job != PROGRAM_NONE ? annotation->jobs[row->job].names : 0);
}

static struct view operators_of(const struct annotation *annotation, const struct annotate_row *row)
{
    const struct view location = profile_text(annotation->profile, row->location);
    return location.size > 0 ? annotate_source_operators(annotation->source, location)
                             : VIEW_LITERAL("");
}

static struct annotate_cell annotate_table_total_cell(const struct annotation *annotation,
                                                      const struct annotate_row *row)
{
    return annotate_table_time_cell(row->timed, annotation->folded ? row->times.median_doubled
                                                                   : 2 * (row->end - row->start));
}

// R1 counts from the begin of the first job, a run from that of the first span.
static uint64_t origin_of(const struct annotation *annotation)
{
    return annotation->form == TORQ_R1 || annotate_is_run(annotation) ? annotation->origin : 0;
}

// Bytes a second, from the time that the row shows. Nothing where no time passed.
static struct annotate_cell annotate_table_bandwidth_cell(const struct annotation *annotation,
                                                          const struct annotate_row *row)
{
    const struct annotate_cell time = annotate_table_total_cell(annotation, row);
    if (row->bytes == ANNOTATE_NOT_SAID || time.kind == ANNOTATE_EMPTY || time.number == 0)
        return (struct annotate_cell){.kind = ANNOTATE_EMPTY};
    const double rate = (double)row->bytes * 2e9 / (double)time.number;
    return (struct annotate_cell){.kind = rate < 1e18 ? ANNOTATE_RATE : ANNOTATE_EMPTY,
                                  .number = rate < 1e18 ? (uint64_t)(rate + 0.5) : 0};
}

// Whose times they are, as the profile says it.
static struct annotate_cell annotate_table_device_cell(const struct annotation *annotation)
{
    const struct view device = profile_fact(annotation->profile, "device");
    return annotate_table_text_cell(device.size > 0 ? device : VIEW_LITERAL("not said"));
}

static struct annotate_cell run_cell(const struct annotation *annotation,
                                     const struct annotate_row *row, int column)
{
    switch (column) {
    case COLUMN_ITERATION:
        return annotate_table_number_cell(!annotation->folded, row->invocation);
    case COLUMN_TASK:
        return annotate_table_number_cell(row->task_number != ANNOTATE_NOT_SAID, row->task_number);
    case COLUMN_LANE:
        return annotate_table_text_cell(profile_text(annotation->profile, row->lane));
    case COLUMN_TILE:
        return row->task != PROGRAM_NONE &&
                       annotation->program->tasks[row->task].group != PROGRAM_NONE
                   ? annotate_table_number_cell(true, annotation->program->tasks[row->task].tile)
                   : annotate_table_number_cell(false, 0);
    case COLUMN_BYTES:
        return annotate_table_number_cell(row->bytes != ANNOTATE_NOT_SAID, row->bytes);
    case COLUMN_BANDWIDTH:
        return annotate_table_bandwidth_cell(annotation, row);
    case COLUMN_OPERATORS:
        return annotate_table_text_cell(profile_text(annotation->profile, row->operators));
    default:
        return annotate_table_device_cell(annotation);
    }
}

static struct annotate_cell annotate_table_find_cell(const struct annotation *annotation,
                                                     const struct annotate_row *row, int kind)
{
    if (kind >= COLUMN_ITERATION && kind <= COLUMN_DEVICE)
        return run_cell(annotation, row, kind);
    switch (kind) {
    case COLUMN_ID:
        return annotate_table_number_cell(row->has_id, row->id);
    case COLUMN_JOB:
        return row->job != PROGRAM_NONE
                   ? annotate_table_number_cell(true, annotation->program->jobs[row->job].number)
                   : annotate_table_number_cell(false, 0);
    case COLUMN_OPERATION:
        return annotate_table_text_cell(annotate_table_operation_of(annotation, row));
    case COLUMN_SLICE:
        return annotate_table_number_cell(row->slice != ANNOTATE_NO_SLICE, row->slice);
    case COLUMN_NAMES:
        return annotate_table_text_cell(names_of(annotation, row));
    case COLUMN_OPERATOR:
        return annotate_table_text_cell(operators_of(annotation, row));
    case COLUMN_TOTAL:
        return annotate_table_total_cell(annotation, row);
    case COLUMN_START:
        return annotate_table_time_cell(row->begun && !annotation->folded,
                                        2 * (row->start - origin_of(annotation)));
    case COLUMN_END:
        return annotate_table_time_cell(row->ended && !annotation->folded,
                                        2 * (row->end - origin_of(annotation)));
    case COLUMN_LOCATION:
        return annotate_table_text_cell(profile_text(annotation->profile, row->location));
    case COLUMN_RUNS:
        return annotate_table_number_cell(true, row->runs);
    case COLUMN_MINIMUM:
        return annotate_table_time_cell(row->timed, 2 * row->times.minimum);
    case COLUMN_MEDIAN:
        return annotate_table_time_cell(row->timed, row->times.median_doubled);
    case COLUMN_P90:
        return annotate_table_time_cell(row->timed, 2 * row->times.p90);
    case COLUMN_MAXIMUM:
        return annotate_table_time_cell(row->timed, 2 * row->times.maximum);
    default:
        break;
    }
    if (row->job == PROGRAM_NONE)
        return annotate_table_number_cell(false, 0);
    return (struct annotate_cell){.kind = ANNOTATE_FLAG,
                                  .number = annotation->jobs[row->job].used[kind - COLUMN_USED]};
}

struct annotate_cell annotate_cell(const struct annotation *annotation,
                                   const struct annotate_row *row, size_t column)
{
    return annotate_table_find_cell(annotation, row,
                                    (int)annotate_table_describe(annotation, column)->argument);
}

// As cells of a table ------------------------------------------------------------------

static const struct annotate_row *annotate_table_row_of(const struct table_query *query)
{
    return &((const struct annotation *)query->report)->rows[query->row];
}

static struct table_cell annotate_table_dispatch_cell(const struct table_query *query)
{
    const struct annotation *annotation = query->report;
    return table_text(
        profile_text(annotation->profile, annotate_table_row_of(query)->dispatch_name));
}

static struct table_cell invocation_cell(const struct table_query *query)
{
    const struct annotation *annotation = query->report;
    return table_whole_if(!annotation->folded, annotate_table_row_of(query)->invocation);
}

static struct table_cell matched_cell(const struct table_query *query)
{
    const struct annotate_row *row = annotate_table_row_of(query);
    return table_flag(row->action != PROGRAM_NONE || row->job != PROGRAM_NONE ||
                      row->task != PROGRAM_NONE);
}

// Times of actions always have a decimal, those of jobs where it is not 0, those of a run
// three, or four where a median lies between two nanoseconds.
static void append_time(const struct annotation *annotation, uint64_t doubled, struct bytes *to)
{
    if (annotate_is_run(annotation))
        bytes_append_format(to, "%" PRIu64 ".%03" PRIu64 "%s", doubled / 2000, doubled / 2 % 1000,
                            doubled % 2 != 0 ? "5" : "");
    else
        bytes_append_format(to, "%" PRIu64 "%s", doubled / 2,
                            doubled % 2 != 0              ? ".5"
                            : annotation->form != TORQ_R1 ? ".0"
                                                          : "");
}

static struct table_cell annotate_table_value_cell(const struct table_query *query)
{
    const struct annotation *annotation = query->report;
    const struct annotate_cell cell = annotate_table_find_cell(
        annotation, annotate_table_row_of(query), (int)query->column->argument);
    switch (cell.kind) {
    case ANNOTATE_TEXT:
        return table_text(cell.text);
    case ANNOTATE_NUMBER:
        return table_whole(cell.number);
    case ANNOTATE_TIME:
        append_time(annotation, cell.number, query->scratch);
        return table_exact(bytes_view(query->scratch));
    case ANNOTATE_RATE: // MB a second
        bytes_append_format(query->scratch, "%" PRIu64 ".%02" PRIu64, cell.number / 1000000,
                            cell.number % 1000000 / 10000);
        return table_exact(bytes_view(query->scratch));
    case ANNOTATE_FLAG:
        return table_flag(cell.number != 0);
    default:
        return table_absent();
    }
}
