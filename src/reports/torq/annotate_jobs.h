// What the jobs of a program use, and their operations as rows of R1.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_JOBS_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_JOBS_H

#include "annotate.h"

// Finds out all that rows say of the program's jobs and actions. annotate_free frees it.
void annotate_describe(struct annotation *annotation);

// What a task runs, as the dump calls it without its prefix; of a compiled program, the type of
// its group.
struct view annotate_task_name(const struct annotation *annotation, uint32_t task);

// A row of nothing yet, of a dispatch (PROGRAM_NONE: of one that is called `name`, a text of
// the profile).
struct annotate_row annotate_row_make(const struct annotation *annotation, uint32_t dispatch,
                                      uint32_t name, uint64_t invocation);

// Makes it the row of an action of the program, without times.
void annotate_row_set_action(const struct annotation *annotation, uint32_t id,
                             struct annotate_row *row);

struct annotate_row *annotate_row_add(struct annotation *annotation,
                                      const struct annotate_row *row);

// One row like `like` for each operation of its job: by task of the controller, each in
// the order of enum annotate_operation.
void annotate_job_rows(struct annotation *annotation, const struct annotate_row *like);

#endif
