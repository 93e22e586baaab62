// What limits a run: its critical path, how near its operators come to what the machine can do,
// who held the memory at its peak; as rows, and in three sentences. The answer of `opscope
// explain`.

#ifndef OPSCOPE_REPORTS_EXPLAIN_H
#define OPSCOPE_REPORTS_EXPLAIN_H

#include "analysis/critical_path.h"
#include "analysis/memory_peak.h"
#include "analysis/roofline.h"
#include "analysis/whatif.h"
#include "table.h"

// Changes that are looked at to say what would help most.
enum explain_help {
    EXPLAIN_HELP_COMPUTE, // all that neither moves data nor is the host's, twice as fast
    EXPLAIN_HELP_HOST,    // all that the host does, twice as fast
    EXPLAIN_HELP_MEMORY,  // the way to the far memory, twice as fast
    EXPLAIN_HELP_LINK,    // the way to the host, twice as fast
    EXPLAIN_HELP_GAPS,    // none
    EXPLAIN_HELPS,
};

struct explanation {
    struct profile *profile;
    struct dependence dependence;
    struct critical_path path;
    struct roofline roofline;
    struct memory_peaks memory;
    bool has_peaks;                   // the roofline had some
    uint64_t expected[EXPLAIN_HELPS]; // ns: with each change by itself
};

// The profile must outlive it. Peaks may be all zero: nothing is known of the machine.
status explanation_make(struct profile *profile, const struct roofline_peaks *peaks,
                        struct explanation *out_explanation);
void explanation_free(struct explanation *explanation);

// Three sentences, each a line with its end.
void explanation_sentences(const struct explanation *explanation, struct bytes *to);

// "what would help most is no gaps: 1.57 ms, 1.31 times as fast"; of a path that has nodes.
void explanation_append_help(const struct explanation *explanation, struct bytes *to);

// What an operator, or spans that belong to none, are called, cut to fit a sentence.
void explain_append_label(const struct profile *profile, uint32_t id, bool is_operator,
                          struct bytes *to);

// Tables --------------------------------------------------------------------------

enum explain_by { EXPLAIN_BY_OPERATOR, EXPLAIN_BY_ROLE, EXPLAIN_BY_TRACK, EXPLAIN_BY };

// "operator", "role", "track".
const char *explain_by_name(enum explain_by by);

// Rows of a struct explain_path, one for each share.
struct explain_path {
    const struct explanation *explanation;
    enum explain_by by;
};

const struct path_shares *explain_path_shares(const struct explain_path *path);

// Rows of a struct explain_holders, one for each holder of each memory.
struct explain_holder {
    const struct memory_peak *peak;
    const struct memory_holder *holder;
};

struct explain_holders {
    const struct explanation *explanation;
    struct explain_holder *rows;
    size_t count;
};

// Free the rows.
struct explain_holders explain_holders(const struct explanation *explanation);

extern const struct table_form EXPLAIN_PATH_FORM;
extern const struct table_form EXPLAIN_ROOFLINE_FORM; // of a struct explanation
extern const struct table_form EXPLAIN_MEMORY_FORM;

#endif
