#include "columns.h"

#include <stdio.h>

// When a version writes a column whether it is filled or not.
enum written {
    ALWAYS,
    SINCE_V1,
    ONLY_V1, // what tt-torch adds
    SINCE_V2,
    SINCE_V21,
    WHEN_FILLED, // and since V2.1
};

struct column_names {
    const char *name;
    const char *later; // since V2; NULL: the same
    enum written written;
};

static const struct column_names NAMES[COLUMN_SINGLES] = {
    [COLUMN_OTHER] = {"", NULL, WHEN_FILLED},
    [COLUMN_OP_CODE] = {"OP CODE", NULL, ALWAYS},
    [COLUMN_OP_TYPE] = {"OP TYPE", NULL, ALWAYS},
    [COLUMN_CALL_COUNT] = {"GLOBAL CALL COUNT", NULL, ALWAYS},
    [COLUMN_DEVICE_ID] = {"DEVICE ID", NULL, ALWAYS},
    [COLUMN_SUB_DEVICE_ID] = {"SUB DEVICE ID", NULL, WHEN_FILLED},
    [COLUMN_DEVICE_ARCH] = {"DEVICE ARCH", NULL, SINCE_V21},
    [COLUMN_ATTRIBUTES] = {"ATTRIBUTES", NULL, ALWAYS},
    [COLUMN_MATH_FIDELITY] = {"MATH FIDELITY", NULL, ALWAYS},
    [COLUMN_CORE_COUNT] = {"CORE COUNT", NULL, ALWAYS},
    [COLUMN_WORKER_CORES] = {"AVAILABLE WORKER CORE COUNT", NULL, SINCE_V21},
    [COLUMN_STRATEGY] = {"PARALLELIZATION STRATEGY", NULL, ALWAYS},
    [COLUMN_HOST_START] = {"HOST START TS", NULL, ALWAYS},
    [COLUMN_HOST_END] = {"HOST END TS", NULL, ALWAYS},
    [COLUMN_HOST_DURATION] = {"HOST DURATION [ns]", NULL, ALWAYS},
    [COLUMN_FW_START_CYCLE] = {"DEVICE FW START CYCLE", NULL, ALWAYS},
    [COLUMN_FW_END_CYCLE] = {"DEVICE FW END CYCLE", NULL, ALWAYS},
    [COLUMN_OP_TO_OP] = {"OP TO OP LATENCY [ns]", NULL, ALWAYS},
    [COLUMN_OP_TO_OP_DM_START] = {"OP TO OP LATENCY BR/NRISC START [ns]", NULL, SINCE_V1},
    [COLUMN_FW_DURATION] = {"DEVICE FW DURATION [ns]", NULL, ALWAYS},
    [COLUMN_KERNEL_DURATION] = {"DEVICE KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_KERNEL_DURATION_DM_START] = {"DEVICE KERNEL DURATION DM START [ns]", NULL, SINCE_V1},
    [COLUMN_PER_CORE_MIN] = {"DEVICE KERNEL DURATION PER CORE MIN [ns]", NULL, ALWAYS},
    [COLUMN_PER_CORE_MAX] = {"DEVICE KERNEL DURATION PER CORE MAX [ns]", NULL, ALWAYS},
    [COLUMN_PER_CORE_AVERAGE] = {"DEVICE KERNEL DURATION PER CORE AVG [ns]", NULL, ALWAYS},
    [COLUMN_FIRST_TO_LAST_START] = {"DEVICE KERNEL FIRST TO LAST START [ns]", NULL, ALWAYS},
    [COLUMN_BRISC] = {"DEVICE BRISC KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_NCRISC] = {"DEVICE NCRISC KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_TRISC0] = {"DEVICE TRISC0 KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_TRISC1] = {"DEVICE TRISC1 KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_TRISC2] = {"DEVICE TRISC2 KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_ERISC] = {"DEVICE ERISC KERNEL DURATION [ns]", NULL, ALWAYS},
    [COLUMN_CB_WAIT_FRONT] = {"DEVICE COMPUTE CB WAIT FRONT [ns]", NULL, ALWAYS},
    [COLUMN_CB_RESERVE_BACK] = {"DEVICE COMPUTE CB RESERVE BACK [ns]", NULL, ALWAYS},
    [COLUMN_DISPATCH_TOTAL] = {"DISPATCH TOTAL CQ CMD OP TIME [ns]", NULL, SINCE_V1},
    [COLUMN_GO_SEND_WAIT] = {"DISPATCH GO SEND WAIT TIME [ns]", NULL, SINCE_V1},
    [COLUMN_TRACE_ID] = {"METAL TRACE ID", NULL, ALWAYS},
    [COLUMN_TRACE_SESSION] = {"METAL TRACE REPLAY SESSION ID", NULL, ALWAYS},
    [COLUMN_COMPUTE_SOURCE] = {"COMPUTE KERNEL SOURCE", NULL, ALWAYS},
    [COLUMN_COMPUTE_HASH] = {"COMPUTE KERNEL HASH", NULL, ALWAYS},
    [COLUMN_DATA_MOVEMENT_SOURCE] = {"DATA MOVEMENT KERNEL SOURCE", NULL, ALWAYS},
    [COLUMN_DATA_MOVEMENT_HASH] = {"DATA MOVEMENT KERNEL HASH", NULL, ALWAYS},
    [COLUMN_PROGRAM_HASH] = {"PROGRAM HASH", NULL, WHEN_FILLED},
    [COLUMN_PROGRAM_CACHE_HIT] = {"PROGRAM CACHE HIT", NULL, WHEN_FILLED},
    [COLUMN_SIZE_DM0] = {"BRISC MAX KERNEL SIZE [B]", "TENSIX DM 0 MAX KERNEL SIZE [B]", ALWAYS},
    [COLUMN_SIZE_DM1] = {"NCRISC MAX KERNEL SIZE [B]", "TENSIX DM 1 MAX KERNEL SIZE [B]", ALWAYS},
    [COLUMN_SIZE_COMPUTE0] = {"TRISC 0 MAX KERNEL SIZE [B]", "TENSIX COMPUTE 0 MAX KERNEL SIZE [B]",
                              ALWAYS},
    [COLUMN_SIZE_COMPUTE1] = {"TRISC 1 MAX KERNEL SIZE [B]", "TENSIX COMPUTE 1 MAX KERNEL SIZE [B]",
                              ALWAYS},
    [COLUMN_SIZE_COMPUTE2] = {"TRISC 2 MAX KERNEL SIZE [B]", "TENSIX COMPUTE 2 MAX KERNEL SIZE [B]",
                              ALWAYS},
    [COLUMN_SIZE_ETH_DM0] = {"ERISC MAX KERNEL SIZE [B]", "ACTIVE ETH DM 0 MAX KERNEL SIZE [B]",
                             ALWAYS},
    [COLUMN_SIZE_ETH_DM1] = {"ACTIVE ETH DM 1 MAX KERNEL SIZE [B]", NULL, SINCE_V2},
    [COLUMN_SIZE_IDLE_ETH_DM0] = {"IDLE ETH DM 0 MAX KERNEL SIZE [B]", NULL, SINCE_V2},
    [COLUMN_SIZE_IDLE_ETH_DM1] = {"IDLE ETH DM 1 MAX KERNEL SIZE [B]", NULL, SINCE_V2},
    [COLUMN_PM_IDEAL] = {"PM IDEAL [ns]", NULL, ALWAYS},
    [COLUMN_PM_COMPUTE] = {"PM COMPUTE [ns]", NULL, ALWAYS},
    [COLUMN_PM_BANDWIDTH] = {"PM BANDWIDTH [ns]", NULL, ALWAYS},
    [COLUMN_PM_INPUT_BANDWIDTH] = {"PM REQ I BW", NULL, ALWAYS},
    [COLUMN_PM_OUTPUT_BANDWIDTH] = {"PM REQ O BW", NULL, ALWAYS},
    [COLUMN_PM_FPU_UTIL] = {"PM FPU UTIL (%)", NULL, SINCE_V1},
    [COLUMN_NOC_UTIL] = {"NOC UTIL (%)", NULL, SINCE_V1},
    [COLUMN_MULTICAST_NOC_UTIL] = {"MULTICAST NOC UTIL (%)", NULL, WHEN_FILLED},
    [COLUMN_DRAM_BW_UTIL] = {"DRAM BW UTIL (%)", NULL, SINCE_V1},
    [COLUMN_DRAM_BW_UTIL_PER_CONTROLLER] = {"DRAM BW UTIL PER CTRL (%)", NULL, WHEN_FILLED},
    [COLUMN_ETH_BW_UTIL] = {"ETH BW UTIL (%)", NULL, WHEN_FILLED},
    [COLUMN_NPE_CONGESTION] = {"NPE CONG IMPACT (%)", NULL, SINCE_V1},
    [COLUMN_LOC] = {"LOC", NULL, ONLY_V1},
    [COLUMN_CONST_EVAL_OP] = {"CONST_EVAL_OP", NULL, ONLY_V1},
    [COLUMN_PROGRAM_METADATA] = {"PROGRAM_METADATA", NULL, ONLY_V1},
};

// Names that only some versions, or the device's own report, use.
static const struct {
    const char *name;
    enum column_kind kind;
} ALIASES[] = {
    {"OP NAME", COLUMN_OP_CODE},
    {"PM IDEAL NS", COLUMN_PM_IDEAL},
    {"PM COMPUTE NS", COLUMN_PM_COMPUTE},
    {"PM BANDWIDTH NS", COLUMN_PM_BANDWIDTH},
    {"COMPUTE KERNEL PATH", COLUMN_COMPUTE_SOURCE},
    {"DATA MOVEMENT KERNEL PATH", COLUMN_DATA_MOVEMENT_SOURCE},
    {"DRAM BW UTIL PER CTRL", COLUMN_DRAM_BW_UTIL_PER_CONTROLLER},
    {"MULTICAST NOC UTIL", COLUMN_MULTICAST_NOC_UTIL},
    {"ETH BW UTIL", COLUMN_ETH_BW_UTIL},
};

static const struct {
    const char *name;
    enum column_kind kind;
} TENSOR_FIELDS[] = {
    {"W", COLUMN_TENSOR_W},
    {"Z", COLUMN_TENSOR_Z},
    {"Y", COLUMN_TENSOR_Y},
    {"X", COLUMN_TENSOR_X},
    {"LAYOUT", COLUMN_TENSOR_LAYOUT},
    {"DATATYPE", COLUMN_TENSOR_DATATYPE},
    {"MEMORY", COLUMN_TENSOR_MEMORY},
    {"W_PAD[LOGICAL]", COLUMN_TENSOR_W},
    {"Z_PAD[LOGICAL]", COLUMN_TENSOR_Z},
    {"Y_PAD[LOGICAL]", COLUMN_TENSOR_Y},
    {"X_PAD[LOGICAL]", COLUMN_TENSOR_X},
    {"DATA TYPE", COLUMN_TENSOR_DATATYPE},
};

const char *report_version_name(enum report_version version)
{
    static const char *const names[] = {"V0", "V1", "V2", "V2.1"};
    return names[version];
}

static bool tensor_from_name(struct view name, struct column *column)
{
    const bool output = view_starts_with(name, "OUTPUT_");
    if (!output && !view_starts_with(name, "INPUT_"))
        return false;
    const struct view rest = view_slice(name, output ? 7 : 6, name.size);
    const size_t end = view_find(rest, '_');
    uint64_t tensor;
    if (end == rest.size || !view_to_u64(view_slice(rest, 0, end), &tensor) ||
        tensor >= COLUMN_TENSORS_MOST)
        return false;
    const struct view field = view_slice(rest, end + 1, rest.size);
    for (size_t i = 0; i < sizeof TENSOR_FIELDS / sizeof TENSOR_FIELDS[0]; i++) {
        if (view_is(field, TENSOR_FIELDS[i].name)) {
            column->kind = TENSOR_FIELDS[i].kind;
            column->output = output;
            column->tensor = (uint32_t)tensor;
            return true;
        }
    }
    return false;
}

static enum column_kind single_from_name(struct view name)
{
    for (size_t i = COLUMN_OTHER + 1; i < COLUMN_SINGLES; i++) {
        if (view_is(name, NAMES[i].name) ||
            (NAMES[i].later != NULL && view_is(name, NAMES[i].later)))
            return (enum column_kind)i;
    }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (view_is(name, ALIASES[i].name))
            return ALIASES[i].kind;
    }
    return COLUMN_OTHER;
}

struct column column_from_name(struct view name)
{
    struct column column = {.name = name};
    const struct view bare = view_trim(name);
    if (!tensor_from_name(bare, &column))
        column.kind = single_from_name(bare);
    return column;
}

const char *column_name(enum column_kind kind, enum report_version version)
{
    const struct column_names *names = &NAMES[kind];
    return version >= REPORT_V2 && names->later != NULL ? names->later : names->name;
}

bool column_is_written(enum column_kind kind, enum report_version version)
{
    switch (NAMES[kind].written) {
    case ALWAYS:
        return true;
    case SINCE_V1:
        return version >= REPORT_V1;
    case ONLY_V1:
        return version == REPORT_V1;
    case SINCE_V2:
        return version >= REPORT_V2;
    case SINCE_V21:
        return version >= REPORT_V21;
    default:
        return false;
    }
}

bool column_exists(enum column_kind kind, enum report_version version)
{
    switch (NAMES[kind].written) {
    case SINCE_V2:
        return version >= REPORT_V2;
    case SINCE_V21:
    case WHEN_FILLED:
        return kind == COLUMN_OTHER || version >= REPORT_V21;
    default:
        return true;
    }
}

void column_tensor_name(enum column_kind kind, bool output, uint32_t tensor,
                        enum report_version version, char text[COLUMN_NAME_ROOM])
{
    const bool shape = kind <= COLUMN_TENSOR_X;
    snprintf(text, COLUMN_NAME_ROOM, "%s_%u_%s%s", output ? "OUTPUT" : "INPUT", tensor,
             TENSOR_FIELDS[kind - COLUMN_SINGLES].name,
             shape && version >= REPORT_V2 ? "_PAD[LOGICAL]" : "");
}
