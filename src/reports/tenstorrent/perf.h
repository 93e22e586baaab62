// The performance report over operations reports: what tt-perf-report shows,
// and for every operation what limits it.
//
// Times are in microseconds, rates in 10^9 bytes and 10^12 operations a second.
// Figures that the reports do not give are not `known`. Memory: the operations
// (about 600 bytes each) and the reports, whose inputs stay open.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_PERF_H
#define OPSCOPE_REPORTS_TENSTORRENT_PERF_H

#include "formats/tenstorrent/arch.h"
#include "formats/tenstorrent/report.h"
#include "profile/profile.h"

struct perf_options {
    const char *start_signpost; // NULL: none
    const char *end_signpost;
    const char *arch; // NULL: what the reports say
    bool ignore_signposts;
    bool print_signposts; // keep those inside the window
    bool tracing_mode;    // keep the order of the file
    bool no_host_ops;
    bool no_merge_devices;
    bool has_first_id;
    bool has_last_id;
    uint64_t first_id;
    uint64_t last_id;
};

// Parses a-b, a- and -b; thousands may have commas.
status perf_id_range(const char *text, struct perf_options *options);

struct perf_value {
    bool known;
    double value;
};

static inline struct perf_value perf_known(double value)
{
    return (struct perf_value){true, value};
}

enum perf_kind {
    PERF_DEVICE,
    PERF_HOST, // runs on the host: (torch) operations
    PERF_SIGNPOST,
};

// As tt-perf-report classifies, for matrix multiplications and host operations.
enum perf_bound {
    PERF_BOUND_NONE,
    PERF_BOUND_DRAM,
    PERF_BOUND_FLOP,
    PERF_BOUND_BOTH,
    PERF_BOUND_SLOW,
    PERF_BOUND_HOST,
};

// What limits an operation: the side that reaches 65 % of its peak, or the
// time in front of it where that is longer than the operation itself, without
// what operations on the host take of it: they are limited themselves.
enum perf_limit {
    PERF_LIMIT_UNKNOWN, // no figure to tell by
    PERF_LIMIT_COMPUTE,
    PERF_LIMIT_MEMORY,
    PERF_LIMIT_DISPATCH, // the gap, although the host had issued the call in time
    PERF_LIMIT_HOST,     // the gap: the host took 90 % of it to issue the next call
    PERF_LIMIT_NEITHER,  // on the device, and far from both peaks
    PERF_LIMITS,
};

// Why the figures of an operation are not what the report says, or not to be believed.
enum perf_doubt {
    PERF_DOUBT_NONE,
    PERF_DOUBT_STALE_SHAPES, // of another call: counted with those of the neighbours
    PERF_DOUBT_ABOVE_PEAK,   // it took less time than at the peak
};

enum perf_category {
    PERF_COMPUTE,
    PERF_DM, // data movement
    PERF_TM, // tensor manipulation
    PERF_OTHER,
    PERF_ON_HOST,
    PERF_CATEGORIES,
};

// What an operation has to do, from its shapes.
struct perf_work {
    struct perf_value flops;      // arithmetic operations
    struct perf_value dram_bytes; // moved from and to DRAM, at least
    struct perf_value l1_bytes;
    bool on_matrix_engine; // the peaks of arch.h apply to `flops`
};

struct perf_op {
    const struct report *report;
    size_t row;
    uint64_t id; // line of the file; several files count on
    enum perf_kind kind;
    struct view code;  // as in the report
    struct view label; // with the sizes, as the table shows it
    bool has_device;
    uint64_t device;
    struct perf_value host_start; // ns
    struct perf_value kernel_ns;  // of merged collectives the mean
    struct perf_value time;
    struct perf_value gap;
    double host_in_gap; // us of the gap that operations on the host fill
    struct perf_value host_time;
    struct perf_value host_interval; // from the call before it to its own, both issued
    struct perf_value cores;
    uint64_t worker_cores; // that it could have used
    struct view sub_device;
    enum fidelity fidelity;
    struct view fidelity_text;
    bool dram_sharded;
    struct perf_value inner_block, subblock_height, subblock_width;
    struct perf_value dram_speed, dram_percent; // of matrix multiplications
    struct perf_value flops, flops_percent;     // and of convolutions
    struct perf_value total_percent;
    enum perf_bound bound;
    enum perf_category category;
    struct perf_work work;
    struct perf_value compute_time; // at the peak of the cores used
    struct perf_value memory_time;  // at the peak of the DRAM
    enum perf_limit limit;
    enum perf_doubt doubt;
};

struct perf_message {
    bool warning;
    struct view text;
};

struct perf {
    struct arena arena;
    struct profile *account; // ledger of the rows
    struct input **inputs;
    struct report **reports;
    size_t file_count;
    enum report_version version; // of the first file
    bool made;                   // of logs and profiles: no file was a report
    const struct arch *arch;
    uint64_t worker_cores; // the first that a row has, or the arch's
    bool merged;           // rows of several devices became one
    bool host_left_out;    // operations on the host
    bool real_cores;       // a number of the column has a point, or is missing: 64.0
    bool real_call_counts;
    struct perf_op *ops;
    size_t count;
    uint64_t device_ops, host_ops, signposts; // before ids are filtered
    struct report_modelled modelled; // operations of the files, and those that nobody measured
    struct perf_message *messages;
    size_t message_count;
    size_t message_capacity;
};

// Reads, sorts, cuts the window, merges the devices and computes. A file that
// is no report, and files of hosts with different devices, are errors.
status perf_read(const char *const *paths, size_t count, const struct perf_options *options,
                 struct perf **out_perf);
void perf_free(struct perf *perf);

const char *perf_bound_name(enum perf_bound bound); // "" for none
const char *perf_limit_name(enum perf_limit limit); // "compute" ...
const char *perf_doubt_name(enum perf_doubt doubt); // "" for none
const char *perf_doubt_text(enum perf_doubt doubt); // a sentence
const char *perf_category_name(enum perf_category category);
const char *perf_version_text(enum report_version version); // "v1 (legacy format)" ...

bool perf_is_matmul(const struct perf_op *op);
bool perf_is_convolution(const struct perf_op *op);

// Up to the first blank.
struct view perf_first_word(struct view text);

// BFLOAT16 as BF16; what is not known as it is.
struct view perf_short_type(struct view type);

// Parts of perf_read ---------------------------------------------------------

void perf_message_add(struct perf *perf, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a text of any length that lives as long as the report.
void perf_message_add_text(struct perf *perf, bool warning, struct view text);

// Keeps what the signposts leave.
void perf_window_cut(struct perf *perf, const struct perf_options *options);

// One row per operation for all devices that ran it: the mean time of a
// collective, else the slowest.
void perf_devices_merge(struct perf *perf);

// The work and the figures of one operation whose times are set.
void perf_op_analyse(struct perf *perf, struct perf_op *op);
struct perf_work perf_work_of(const struct perf_op *op);

// Elements of a convolution's window, from window_hw=(7;7); false when it is not there.
bool perf_window_size(const struct perf_op *op, uint64_t *out_size);
enum perf_category perf_category_of(const struct perf_op *op);

// Marks operations that were faster than they can be; after the figures of all are known.
void perf_doubts_mark(struct perf *perf);

// Shares and bounds; after every change of what is in the table.
void perf_totals_compute(struct perf *perf);

// Advice ---------------------------------------------------------------------

enum perf_judgement {
    PERF_NOT_APPLICABLE, // integers, or types and fidelities nobody knows
    PERF_SUFFICIENT,
    PERF_TOO_HIGH,
    PERF_TOO_LOW,
};

// Whether the fidelity fits the types of a multiplication; `*out_advice` is
// NULL when there is nothing to say.
enum perf_judgement perf_fidelity_judge(const struct perf_op *op, const char **out_advice);

// Lines for a matrix multiplication; none: it is as good as it gets.
enum { PERF_ADVICE_MOST = 8 };
struct perf_advice {
    struct view lines[PERF_ADVICE_MOST];
    size_t count;
};
void perf_matmul_advise(struct perf *perf, const struct perf_op *op,
                        struct perf_advice *out_advice);

// The gap without what operations on the host in the table take of it.
double perf_gap_open(const struct perf *perf, const struct perf_op *op);

// Gaps above 6.5 us would be 6 us in a trace: how much is there to gain.
struct perf_gap_gain {
    uint64_t count;
    double saved;        // us
    double percent;      // of the overall time
    double host;         // us that operations on the host take of these gaps
    double open;         // us saved of what they leave: a trace does not move them
    double open_percent; // of the overall time
};
bool perf_gap_is_high(const struct perf_op *op);
struct perf_gap_gain perf_gap_gain(const struct perf *perf);

// Stacked report -------------------------------------------------------------

enum perf_grouping {
    PERF_BY_MEMORY, // operation and memory of input 0
    PERF_BY_OP,
    PERF_BY_CATEGORY,
};

struct perf_group {
    struct view name;
    bool has_device;
    uint64_t device; // only where devices are kept apart
    enum perf_category category;
    bool timed;  // one of the operations of all groups has a time
    bool absent; // of its own, all of the device and none with a time, and nobody left it out
    double time;
    double whole;   // time of all, or of the device where they are kept apart
    double percent; // of it
    uint64_t count;
    double weighted, weights; // sums of time * FLOPs %, and of that time
    struct perf_value flops_least, flops_most, flops_mean, flops_deviation, flops_weighted;
};

// Slowest first. Where devices are kept apart, operations without one are left out. The caller
// frees the list.
void perf_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                struct perf_group **out_groups, size_t *out_count);

// Whether there is an operation to put into a group.
bool perf_stack_has_any(const struct perf *perf, bool by_device);

// Device by device, each slowest first.
void perf_stack_order_devices(struct perf_group *groups, size_t count);

// Operations and time by what limits them.
struct perf_limit_sum {
    uint64_t count;
    struct perf_value time; // not known: of none of them
    struct perf_value gap;
};
void perf_limits_sum(const struct perf *perf, struct perf_limit_sum out_sums[PERF_LIMITS]);

// At most so many operations, those with the longest time and open gap first; with SIZE_MAX all in
// their order. The caller frees the list.
const struct perf_op **perf_costliest(const struct perf *perf, size_t most, size_t *out_count);

#endif
