// Annotated rows of a runtime profile as a trace with the tracks of Torq's own tool: what the
// host did, what the NPU's programs used while they ran, and the overview.

#ifndef OPSCOPE_REPORTS_TORQ_ANNOTATE_LAYOUT_H
#define OPSCOPE_REPORTS_TORQ_ANNOTATE_LAYOUT_H

#include "annotate.h"

// Fills a fresh profile and finishes it. A program of the NPU lasts from the begin of its start
// to the end of the wait for it, and so does, as Torq's tool counts, all that it uses. What lacks
// one of its times is left out. Not for folded rows, nor for those of a run of opscope's.
status annotate_layout(struct annotation *annotation, struct profile *profile);

#endif
