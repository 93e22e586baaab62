// What was found out about one chain of groups holds for all that look like it: of a block that
// a network repeats, only the first is searched.

#ifndef OPSCOPE_COMPILER_ALIKE_H
#define OPSCOPE_COMPILER_ALIKE_H

#include "search.h"

enum { ALIKE_NONE = 0xffffffff };

struct alike;

// `readers`: how many read each value (group_count_readers). Both must outlive it.
struct alike *alike_create(const struct plan *plan, const uint32_t *readers);
void alike_free(struct alike *alike);

// The number of a question: that of groups that look the same, about which the same was asked. Two
// groups look the same when they have the same operators with the same attributes on values of the
// same types, connected in the same way, on the same engine, and others read the same of what they
// give; what lies in constants no cut depends on. A question is open until its answer is kept, and
// again when what was found before does not tell what is best within its limit, or there is no
// room for it any more.
uint32_t alike_ask(struct alike *alike, const struct search_question *question);

// The questions that are open, in the order in which they were asked. Their answers may be kept by
// several threads.
uint32_t alike_open_count(const struct alike *alike);
const struct search_question *alike_open(const struct alike *alike, uint32_t index);
void alike_keep(struct alike *alike, uint32_t index, const struct search_answer *answer);

// All open questions have been answered.
void alike_close(struct alike *alike);

// What is known within a limit.
struct search_answer alike_answer(const struct alike *alike, uint32_t number, uint64_t limit);

#endif
