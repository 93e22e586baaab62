// The columns of the annotated tables. Their names are an API: those of Torq's document
// for runtime profiles of actions (R2 to R4), and of its older one for jobs (R1). Those of
// a run on a device of opscope's begin as those of actions.

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

struct description {
    const char *name;
    const char *title;
    int column;
};

static const struct description ACTIONS[] = {
    {"action_id", NULL, COLUMN_ID},
    {"job_id", NULL, COLUMN_JOB},
    {"operation", NULL, COLUMN_OPERATION},
    {"invocation_names", NULL, COLUMN_NAMES},
    {"original_operator", NULL, COLUMN_OPERATOR},
    {"total_time", NULL, COLUMN_TOTAL},
    {"slice_used_0_in_program", NULL, COLUMN_USED + 0},
    {"slice_used_1_in_program", NULL, COLUMN_USED + 1},
    {"dma_in_used_in_program", NULL, COLUMN_USED + 2},
    {"dma_out_used_in_program", NULL, COLUMN_USED + 3},
    {"cdma_used_in_program", NULL, COLUMN_USED + 4},
    {"css_used_in_program", NULL, COLUMN_USED + 5},
    {"timestamp_start", NULL, COLUMN_START},
    {"timestamp_end", NULL, COLUMN_END},
    {"location", NULL, COLUMN_LOCATION},
};

static const struct description JOBS[] = {
    {"nss_program_index", "NSS Program Index", COLUMN_ID},
    {"operation", "torq-hw Operation in program", COLUMN_OPERATION},
    {"slice_id", "Slice ID (if applicable)", COLUMN_SLICE},
    {"invocation_name", "Invocation Name", COLUMN_NAMES},
    {"nss_program_timestamp_start", "NSS Program Start Timestamp [us]", COLUMN_START},
    {"nss_program_timestamp_end", "NSS Program End Timestamp [us]", COLUMN_END},
    {"nss_program_timestamp_total", "NSS Program Total Time [us]", COLUMN_TOTAL},
    {"slice_used_0_in_program", "Slice 0 Used in NSS Program", COLUMN_USED + 0},
    {"slice_used_1_in_program", "Slice 1 Used in NSS Program", COLUMN_USED + 1},
    {"dma_in_used_in_program", "DMA In Used in NSS Program", COLUMN_USED + 2},
    {"dma_out_used_in_program", "DMA Out Used in NSS Program", COLUMN_USED + 3},
};

// Behind those of actions, of a run.
static const struct description RUN[] = {
    {"iteration", NULL, COLUMN_ITERATION}, {"task_id", NULL, COLUMN_TASK},
    {"lane", NULL, COLUMN_LANE},           {"tile", NULL, COLUMN_TILE},
    {"bytes", NULL, COLUMN_BYTES},         {"bandwidth_mb_s", NULL, COLUMN_BANDWIDTH},
    {"operators", NULL, COLUMN_OPERATORS}, {"device", NULL, COLUMN_DEVICE},
};

// Behind the others, of folded rows.
static const struct description FOLDED[] = {
    {"runs", "Runs", COLUMN_RUNS},
    {"total_time_min", "Least Total Time [us]", COLUMN_MINIMUM},
    {"total_time_median", "Median Total Time [us]", COLUMN_MEDIAN},
    {"total_time_p90", "p90 Total Time [us]", COLUMN_P90},
    {"total_time_max", "Most Total Time [us]", COLUMN_MAXIMUM},
};

enum {
    ACTION_COLUMNS = sizeof ACTIONS / sizeof *ACTIONS,
    RUN_COLUMNS = sizeof RUN / sizeof *RUN,
    JOB_COLUMNS = sizeof JOBS / sizeof *JOBS,
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

static const struct description *describe(const struct annotation *annotation, size_t column)
{
    if (column >= plain_count(annotation))
        return &FOLDED[column - plain_count(annotation)];
    if (annotate_is_run(annotation) && column >= ACTION_COLUMNS)
        return &RUN[column - ACTION_COLUMNS];
    return annotation->form == TORQ_R1 ? &JOBS[column] : &ACTIONS[column];
}

const char *annotate_column_name(const struct annotation *annotation, size_t column)
{
    return describe(annotation, column)->name;
}

// Of actions the names are the titles.
const char *annotate_column_title(const struct annotation *annotation, size_t column)
{
    const struct description *known = describe(annotation, column);
    return annotation->form == TORQ_R1 ? known->title : known->name;
}

// Cells ------------------------------------------------------------------------------

static struct annotate_cell number_cell(bool known, uint64_t number)
{
    return (struct annotate_cell){.kind = known ? ANNOTATE_NUMBER : ANNOTATE_EMPTY,
                                  .number = number};
}

static struct annotate_cell time_cell(bool known, uint64_t doubled)
{
    return (struct annotate_cell){.kind = known ? ANNOTATE_TIME : ANNOTATE_EMPTY,
                                  .number = doubled};
}

static struct annotate_cell text_cell(struct view text)
{
    return (struct annotate_cell){.kind = text.size > 0 ? ANNOTATE_TEXT : ANNOTATE_EMPTY,
                                  .text = text};
}

static struct view operation_of(const struct annotation *annotation, const struct annotate_row *row)
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
        "dma_in_cfg",    "dma_in_start", "dma_in_wait", "slice_start", "slice_wait", "dma_out_cfg",
        "dma_out_start", "dma_out_wait", "cdma_start",  "cdma_wait",   "css_start",  "css_wait",
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

static struct annotate_cell total_cell(const struct annotation *annotation,
                                       const struct annotate_row *row)
{
    return time_cell(row->timed,
                     annotation->folded ? row->times.median_doubled : 2 * (row->end - row->start));
}

// R1 counts from the begin of the first job, a run from that of the first span.
static uint64_t origin_of(const struct annotation *annotation)
{
    return annotation->form == TORQ_R1 || annotate_is_run(annotation) ? annotation->origin : 0;
}

// Bytes a second, from the time that the row shows. Nothing where no time passed.
static struct annotate_cell bandwidth_cell(const struct annotation *annotation,
                                           const struct annotate_row *row)
{
    const struct annotate_cell time = total_cell(annotation, row);
    if (row->bytes == ANNOTATE_NOT_SAID || time.kind == ANNOTATE_EMPTY || time.number == 0)
        return (struct annotate_cell){.kind = ANNOTATE_EMPTY};
    const double rate = (double)row->bytes * 2e9 / (double)time.number;
    return (struct annotate_cell){.kind = rate < 1e18 ? ANNOTATE_RATE : ANNOTATE_EMPTY,
                                  .number = rate < 1e18 ? (uint64_t)(rate + 0.5) : 0};
}

// Whose times they are, as the profile says it.
static struct annotate_cell device_cell(const struct annotation *annotation)
{
    const struct view device = profile_fact(annotation->profile, "device");
    return text_cell(device.size > 0 ? device : VIEW_LITERAL("not said"));
}

static struct annotate_cell run_cell(const struct annotation *annotation,
                                     const struct annotate_row *row, int column)
{
    switch (column) {
    case COLUMN_ITERATION:
        return number_cell(!annotation->folded, row->invocation);
    case COLUMN_TASK:
        return number_cell(row->task_number != ANNOTATE_NOT_SAID, row->task_number);
    case COLUMN_LANE:
        return text_cell(profile_text(annotation->profile, row->lane));
    case COLUMN_TILE:
        return row->task != PROGRAM_NONE &&
                       annotation->program->tasks[row->task].group != PROGRAM_NONE
                   ? number_cell(true, annotation->program->tasks[row->task].tile)
                   : number_cell(false, 0);
    case COLUMN_BYTES:
        return number_cell(row->bytes != ANNOTATE_NOT_SAID, row->bytes);
    case COLUMN_BANDWIDTH:
        return bandwidth_cell(annotation, row);
    case COLUMN_OPERATORS:
        return text_cell(profile_text(annotation->profile, row->operators));
    default:
        return device_cell(annotation);
    }
}

struct annotate_cell annotate_cell(const struct annotation *annotation,
                                   const struct annotate_row *row, size_t column)
{
    const int kind = describe(annotation, column)->column;
    const bool placed = row->timed && !annotation->folded;
    if (kind >= COLUMN_ITERATION && kind <= COLUMN_DEVICE)
        return run_cell(annotation, row, kind);
    switch (kind) {
    case COLUMN_ID:
        return number_cell(row->has_id, row->id);
    case COLUMN_JOB:
        return row->job != PROGRAM_NONE
                   ? number_cell(true, annotation->program->jobs[row->job].number)
                   : number_cell(false, 0);
    case COLUMN_OPERATION:
        return text_cell(operation_of(annotation, row));
    case COLUMN_SLICE:
        return number_cell(row->slice != ANNOTATE_NO_SLICE, row->slice);
    case COLUMN_NAMES:
        return text_cell(names_of(annotation, row));
    case COLUMN_OPERATOR:
        return text_cell(operators_of(annotation, row));
    case COLUMN_TOTAL:
        return total_cell(annotation, row);
    case COLUMN_START:
        return time_cell(placed, 2 * (row->start - origin_of(annotation)));
    case COLUMN_END:
        return time_cell(placed, 2 * (row->end - origin_of(annotation)));
    case COLUMN_LOCATION:
        return text_cell(profile_text(annotation->profile, row->location));
    case COLUMN_RUNS:
        return number_cell(true, row->runs);
    case COLUMN_MINIMUM:
        return time_cell(row->timed, 2 * row->times.minimum);
    case COLUMN_MEDIAN:
        return time_cell(row->timed, row->times.median_doubled);
    case COLUMN_P90:
        return time_cell(row->timed, 2 * row->times.p90);
    case COLUMN_MAXIMUM:
        return time_cell(row->timed, 2 * row->times.maximum);
    default:
        break;
    }
    if (row->job == PROGRAM_NONE)
        return number_cell(false, 0);
    return (struct annotate_cell){.kind = ANNOTATE_FLAG,
                                  .number = annotation->jobs[row->job].used[kind - COLUMN_USED]};
}
