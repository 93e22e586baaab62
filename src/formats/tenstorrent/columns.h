// The columns of Tenstorrent's operations reports, under every name that the
// versions of the report gave them.
//
// A column is known by its kind; those of tensors also by which tensor it is.
// A name that no version has is COLUMN_OTHER and is kept as it is written.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_COLUMNS_H
#define OPSCOPE_FORMATS_TENSTORRENT_COLUMNS_H

#include "base/view.h"

// In the order in which a report writes them; the tensors' columns come after
// COLUMN_GO_SEND_WAIT, the others after COLUMN_NPE_CONGESTION.
enum column_kind {
    COLUMN_OTHER,
    COLUMN_OP_CODE,
    COLUMN_OP_TYPE,
    COLUMN_CALL_COUNT,
    COLUMN_DEVICE_ID,
    COLUMN_SUB_DEVICE_ID,
    COLUMN_DEVICE_ARCH,
    COLUMN_ATTRIBUTES,
    COLUMN_MATH_FIDELITY,
    COLUMN_CORE_COUNT,
    COLUMN_WORKER_CORES,
    COLUMN_STRATEGY,
    COLUMN_HOST_START,
    COLUMN_HOST_END,
    COLUMN_HOST_DURATION,
    COLUMN_FW_START_CYCLE,
    COLUMN_FW_END_CYCLE,
    COLUMN_OP_TO_OP,
    COLUMN_OP_TO_OP_DM_START, // from the first BRISC or NCRISC start
    COLUMN_FW_DURATION,
    COLUMN_KERNEL_DURATION,
    COLUMN_KERNEL_DURATION_DM_START,
    COLUMN_PER_CORE_MIN,
    COLUMN_PER_CORE_MAX,
    COLUMN_PER_CORE_AVERAGE,
    COLUMN_FIRST_TO_LAST_START,
    COLUMN_BRISC,
    COLUMN_NCRISC,
    COLUMN_TRISC0,
    COLUMN_TRISC1,
    COLUMN_TRISC2,
    COLUMN_ERISC,
    COLUMN_CB_WAIT_FRONT,
    COLUMN_CB_RESERVE_BACK,
    COLUMN_DISPATCH_TOTAL,
    COLUMN_GO_SEND_WAIT,
    COLUMN_TRACE_ID,
    COLUMN_TRACE_SESSION,
    COLUMN_COMPUTE_SOURCE,
    COLUMN_COMPUTE_HASH,
    COLUMN_DATA_MOVEMENT_SOURCE,
    COLUMN_DATA_MOVEMENT_HASH,
    COLUMN_PROGRAM_HASH,
    COLUMN_PROGRAM_CACHE_HIT,
    COLUMN_SIZE_DM0, // largest kernel in bytes: BRISC, later TENSIX DM 0
    COLUMN_SIZE_DM1,
    COLUMN_SIZE_COMPUTE0,
    COLUMN_SIZE_COMPUTE1,
    COLUMN_SIZE_COMPUTE2,
    COLUMN_SIZE_ETH_DM0, // ERISC, later ACTIVE ETH DM 0
    COLUMN_SIZE_ETH_DM1,
    COLUMN_SIZE_IDLE_ETH_DM0,
    COLUMN_SIZE_IDLE_ETH_DM1,
    COLUMN_PM_IDEAL,
    COLUMN_PM_COMPUTE,
    COLUMN_PM_BANDWIDTH,
    COLUMN_PM_INPUT_BANDWIDTH,
    COLUMN_PM_OUTPUT_BANDWIDTH,
    COLUMN_PM_FPU_UTIL,
    COLUMN_NOC_UTIL,
    COLUMN_MULTICAST_NOC_UTIL,
    COLUMN_DRAM_BW_UTIL,
    COLUMN_DRAM_BW_UTIL_PER_CONTROLLER,
    COLUMN_ETH_BW_UTIL,
    COLUMN_NPE_CONGESTION,
    COLUMN_LOC,
    COLUMN_CONST_EVAL_OP,
    COLUMN_PROGRAM_METADATA,
    COLUMN_SINGLES, // so many kinds stand for one column each

    // Of one tensor, in order:
    COLUMN_TENSOR_W = COLUMN_SINGLES,
    COLUMN_TENSOR_Z,
    COLUMN_TENSOR_Y,
    COLUMN_TENSOR_X,
    COLUMN_TENSOR_LAYOUT,
    COLUMN_TENSOR_DATATYPE,
    COLUMN_TENSOR_MEMORY,
    COLUMN_KINDS,
};

enum { COLUMN_TENSOR_FIELDS = COLUMN_KINDS - COLUMN_SINGLES };

// A report with more tensors than this is no report.
enum { COLUMN_TENSORS_MOST = 4096 };

enum report_version {
    REPORT_V0,  // without the dispatch and DM START columns (early 2025)
    REPORT_V1,  // plain shapes
    REPORT_V2,  // shapes as `32[7]`: padded[logical]; TENSIX and ETH kernel sizes
    REPORT_V21, // with DEVICE ARCH and AVAILABLE WORKER CORE COUNT
};

// "V1" ...
const char *report_version_name(enum report_version version);

struct column {
    enum column_kind kind;
    bool output;     // tensors: an output, not an input
    uint32_t tensor; // which of them
    struct view name;
};

static inline bool column_is_tensor(enum column_kind kind)
{
    return kind >= COLUMN_SINGLES;
}

// The column that a header field names, in any version's spelling. `name` is
// kept as it is.
struct column column_from_name(struct view name);

// The name that `version` writes for a kind that stands for one column. Never
// NULL, also where that version has no such column (column_is_written).
const char *column_name(enum column_kind kind, enum report_version version);

// Whether `version` always writes the column, filled or not.
bool column_is_written(enum column_kind kind, enum report_version version);

// Whether `version` has the column at all; tools that go by a version's columns take a report with
// a later one for a later report.
bool column_exists(enum column_kind kind, enum report_version version);

// INPUT_0_W, OUTPUT_2_Y_PAD[LOGICAL] ... into `text`.
enum { COLUMN_NAME_ROOM = 64 };
void column_tensor_name(enum column_kind kind, bool output, uint32_t tensor,
                        enum report_version version, char text[COLUMN_NAME_ROOM]);

#endif
