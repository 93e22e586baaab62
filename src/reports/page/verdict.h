// What a reader should know first, in three sentences: where the time went, what took most of it,
// and what stands in the way. Of two profiles: what changed.

#ifndef OPSCOPE_REPORTS_PAGE_VERDICT_H
#define OPSCOPE_REPORTS_PAGE_VERDICT_H

#include "analysis/comparison.h"
#include "analysis/operator_times.h"
#include "analysis/overview.h"
#include "analysis/span_groups.h"
#include "reports/explain.h"

enum { VERDICT_SENTENCES = 3 };

struct verdict {
    struct bytes sentences[VERDICT_SENTENCES];
};

// What sentences are made of.
struct verdict_facts {
    const struct profile *profile;
    struct view title;
    const struct overview *overview; // by roles, of the scope that tells most; NULL: no spans
    size_t scopes;                   // of how many
    const struct operator_times *operators;
    const struct span_groups *names;
    const struct explanation *explanation;
};

void verdict_of_profile(const struct verdict_facts *facts, struct verdict *out_verdict);
void verdict_of_comparison(const struct comparison *comparison, struct verdict *out_verdict);
void verdict_free(struct verdict *verdict);

// "12.8 ms"
const char *verdict_time(uint64_t ns, char *room);

#endif
