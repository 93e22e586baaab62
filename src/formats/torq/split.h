// Rows of the Torq forms, split into fields. Nothing is looked up or stored
// here; what repeats from row to row stays together as one run of bytes, so
// that a reader can recognise it without taking it apart.

#ifndef OPSCOPE_FORMATS_TORQ_SPLIT_H
#define OPSCOPE_FORMATS_TORQ_SPLIT_H

#include "base/bytes.h"
#include "base/view.h"
#include "torq.h"

// Longer ones are not of any Torq tool, and limits keep hostile rows small.
enum { SPLIT_ID_MOST = 1024, SPLIT_RUN_MOST = 16 << 20 };

// Why a row cannot be read: column 'Start': 'abc' is not a number.
struct split_problem {
    const char *column;
    struct view text; // empty where there is none to show
    const char *what;
};

// C1 to C4. Times are in cycles.
struct split_compile {
    struct view id;  // C1, C2: "DI0", "S3_1" ..., in its quotes if it has any
    uint64_t number; // C3, C4: actionIndex or taskId
    uint64_t start;
    uint64_t end;
    struct view run; // "location,op type", C3 and C4: "event,location"
    bool has_bytes;
    uint64_t bytes;
};

// R1. Times are in us.
struct split_job {
    uint64_t job;
    uint64_t open;    // since the device was opened, at the end of the job
    uint64_t elapsed; // since the start of the job
    bool has_location;
    struct view location;
};

// R2, R3 and R4. Times are in us.
struct split_action {
    bool has_action;
    uint64_t action;
    uint64_t elapsed; // R2, R3
    uint64_t timestamp;
    struct view run;   // R2, R3: "event,location"; R4: "dispatch_name,invocation_id"
    bool has_location; // R2, R3: whether there is a comma after the event
    struct view event;
    uint64_t invocation; // R4
};

// Each returns false and fills `*out_problem` when the row cannot be read.
bool split_c1(struct view line, struct split_compile *out_row, struct split_problem *out_problem);
bool split_c3(struct view line, enum torq_form form, struct split_compile *out_row,
              struct split_problem *out_problem);
bool split_r1(struct view line, struct split_job *out_row, struct split_problem *out_problem);
bool split_r2(struct view line, struct split_action *out_row, struct split_problem *out_problem);
bool split_r4(struct view line, struct split_action *out_row, struct split_problem *out_problem);

// The text of a field, out of its quotes if it has any; doubled quotes are
// undone in `scratch`.
struct view split_text(struct view field, struct bytes *scratch);

// Takes runs apart. Texts point into the run or, where a quoted field holds
// doubled quotes, into the scratch buffers.
struct split_texts {
    struct view type; // op type, event or dispatch name
    struct view location;
    struct bytes type_scratch;
    struct bytes location_scratch;
};

bool split_run_c1(struct view run, struct split_texts *texts, struct split_problem *out_problem);
bool split_run_event(struct view run, struct split_texts *texts, struct split_problem *out_problem);
void split_run_r4(struct view run, struct split_texts *texts);

// The same for a run as tools write them, without quotes around texts and blanks beside them; false
// when it is not sure. Whether the location is closed is not looked at.
bool split_plain_run_event(struct view run, struct view *out_type, struct view *out_location);
void split_texts_free(struct split_texts *texts);

// A raw location that starts with "loc(" and does not close all that it opens
// is a piece of one: the row is cut, or a comma was taken for a separator.
bool split_location_is_whole(struct view location);

// The same, with the problem.
bool split_check_location(struct view location, const char *column,
                          struct split_problem *out_problem);

#endif
