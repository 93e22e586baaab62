#include "modelled_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum {
    OPERATIONS_A_CYCLE = 4096, // of a core in one pass
    TILE_SIDE = 32,
    TILE_EXPONENTS = 64, // bytes in a tile of a block format
};

struct view modelled_machine(const struct profile *profile)
{
    const struct view named = profile_fact(profile, "arch");
    if (named.size > 0)
        return named;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const struct view name = profile_text(profile, track->name);
        if (track->kind == TRACK_PROCESS && arch_find(name) != NULL)
            return name;
    }
    return VIEW_LITERAL("");
}

// What the operator says -------------------------------------------------------------------

struct tiled_operator {
    uint64_t tile[2];   // rows, columns; 0: its values do not lie in tiles
    struct view target; // the machine; several may have worked for one profile
    struct view memory;
    struct view memories[2]; // of inputs and outputs: "dram, l1 8x4"; empty: all lie in `memory`
    uint64_t macs;
};

static struct tiled_operator read_operator(const struct profile *profile, uint32_t operator_id)
{
    struct tiled_operator tiled = {0};
    struct value_reader reader = value_read(profile_operator(profile, operator_id)->values);
    struct value value;
    while (value_next(&reader, &value)) {
        const struct view key = profile_text(profile, value.key);
        const struct view text = value.kind == VALUE_STRING
                                     ? profile_text(profile, (uint32_t)value.number)
                                     : VIEW_LITERAL("");
        const size_t by = view_find(text, 'x');
        if (view_is(key, "macs") && value.kind == VALUE_UINT)
            tiled.macs = value.number;
        else if (view_is(key, "target"))
            tiled.target = text;
        else if (view_is(key, "memory"))
            tiled.memory = text;
        else if (view_is(key, "input_memories"))
            tiled.memories[0] = text;
        else if (view_is(key, "output_memories"))
            tiled.memories[1] = text;
        else if (view_is(key, "tile") && by < text.size &&
                 (!view_to_u64(view_slice(text, 0, by), &tiled.tile[0]) ||
                  !view_to_u64(view_slice(text, by + 1, text.size), &tiled.tile[1])))
            tiled.tile[0] = 0;
    }
    if (tiled.tile[1] == 0)
        tiled.tile[0] = 0;
    return tiled;
}

bool modelled_columns_apply(const struct profile *profile, uint32_t operator_id,
                            const struct arch *arch, bool has_processors)
{
    const struct tiled_operator tiled = read_operator(profile, operator_id);
    const struct arch *own = tiled.target.size > 0 ? arch_find(tiled.target) : arch;
    return tiled.tile[0] > 0 && (own != NULL || has_processors);
}

bool modelled_columns_read(struct view key)
{
    return view_is(key, "tile") || view_is(key, "target") || view_is(key, "memory");
}

// Tensors ----------------------------------------------------------------------------------

// Bits of a number; a block's exponents come on top. 0: not known.
static unsigned bits_of(struct view type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } TYPES[] = {{"FLOAT32", 32},  {"BFLOAT16", 16}, {"FLOAT16", 16}, {"BFLOAT8_B", 8},
                 {"BFLOAT4_B", 4}, {"INT32", 32},    {"UINT32", 32},  {"INT64", 64},
                 {"INT16", 16},    {"UINT16", 16},   {"INT8", 8},     {"UINT8", 8},
                 {"BOOL", 8}};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (view_is(type, TYPES[i].name))
            return TYPES[i].bits;
    }
    return 0;
}

// Pads the sides of a tensor; its bytes, 0 where they are not known.
static double pad_tensor(struct report *report, size_t row, bool output, uint32_t tensor,
                         const struct tiled_operator *tiled)
{
    double count = 1;
    for (unsigned i = 0; i < 4; i++) {
        const enum column_kind kind = (enum column_kind)(COLUMN_TENSOR_W + i);
        const uint64_t step = i >= 2 ? tiled->tile[i - 2] : 1;
        uint64_t side;
        char text[64];
        if (!report_padded(report_tensor_text(report, row, output, tensor, kind), &side))
            return 0;
        const uint64_t padded = (side + step - 1) / step * step;
        snprintf(text, sizeof text, report->version == REPORT_V1 ? "%llu" : "%llu[%llu]",
                 (unsigned long long)padded, (unsigned long long)side);
        report_set_tensor(report, row, output, tensor, kind, view_of(text));
        count *= (double)padded;
    }
    const struct view type =
        report_tensor_text(report, row, output, tensor, COLUMN_TENSOR_DATATYPE);
    const bool blocks = view_is(type, "BFLOAT8_B") || view_is(type, "BFLOAT4_B");
    const double exponents = blocks ? count / (TILE_SIDE * TILE_SIDE) * TILE_EXPONENTS : 0;
    return count * bits_of(type) / 8 + exponents;
}

// The memory of a tensor, and the rows and columns of its shards there; 0: it has none.
struct tensor_place {
    struct view memory;
    uint64_t shards[2];
};

static struct tensor_place place_of(const struct tiled_operator *tiled, bool output,
                                    uint32_t tensor)
{
    struct tensor_place place = {.memory = tiled->memory};
    struct view list = tiled->memories[output];
    for (uint32_t i = 0; i < tensor && list.size > 0; i++) {
        const size_t end = view_find(list, ',');
        list = view_slice(list, end < list.size ? end + 1 : list.size, list.size);
    }
    const struct view item = view_trim(view_slice(list, 0, view_find(list, ',')));
    const size_t space = view_find(item, ' ');
    const struct view shards = view_slice(item, space < item.size ? space + 1 : space, item.size);
    const size_t by = view_find(shards, 'x');
    if (item.size > 0)
        place.memory = view_slice(item, 0, space);
    if (by < shards.size &&
        (!view_to_u64(view_slice(shards, 0, by), &place.shards[0]) ||
         !view_to_u64(view_slice(shards, by + 1, shards.size), &place.shards[1])))
        place.shards[0] = 0;
    return place;
}

static const char *layout_of(const struct tensor_place *place)
{
    if (place->shards[0] == 0 || place->shards[1] == 0)
        return "INTERLEAVED";
    if (place->shards[1] == 1)
        return "HEIGHT_SHARDED";
    return place->shards[0] == 1 ? "WIDTH_SHARDED" : "BLOCK_SHARDED";
}

static void set_place(struct report *report, size_t row, bool output, uint32_t tensor,
                      const struct tiled_operator *tiled, uint64_t device)
{
    const struct tensor_place place = place_of(tiled, output, tensor);
    const bool rows = tiled->tile[0] == 1 && tiled->tile[1] == 1;
    char text[96];
    char upper[48] = "";
    for (size_t i = 0; i < place.memory.size && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)place.memory.data[i]);
    snprintf(text, sizeof text, "DEV_%llu_%s_%s", (unsigned long long)device, upper,
             layout_of(&place));
    report_set_tensor(report, row, output, tensor, COLUMN_TENSOR_LAYOUT,
                      view_of(rows ? "ROW_MAJOR" : "TILE"));
    report_set_tensor(report, row, output, tensor, COLUMN_TENSOR_MEMORY, view_of(text));
}

// The performance model --------------------------------------------------------------------

// Passes over the mantissas: as many as the element has bits for. Integers take one.
static unsigned passes_of(struct view type, const char **out_fidelity)
{
    *out_fidelity = NULL;
    if (view_is(type, "BFLOAT4_B")) {
        *out_fidelity = "LoFi";
        return 1;
    }
    if (view_is(type, "BFLOAT8_B")) {
        *out_fidelity = "HiFi2";
        return 2;
    }
    if (view_is(type, "BFLOAT16") || view_is(type, "FLOAT16") || view_is(type, "FLOAT32")) {
        *out_fidelity = "HiFi4";
        return 4;
    }
    return 1;
}

struct moved {
    double bytes[2][COLUMN_TENSORS_MOST]; // inputs, outputs
    bool near[2][COLUMN_TENSORS_MOST];    // in the cores' own memories, which take no time
    uint32_t counts[2];
};

// What each tensor would take of the bandwidth: [277.6949157714844; 1.0].
static void set_bandwidths(struct report *report, size_t row, enum column_kind kind,
                           const double *bytes, uint32_t count, double ideal)
{
    struct bytes text = {0};
    for (uint32_t i = 0; i < count; i++) {
        char number[REPORT_REAL_ROOM];
        const double rate = (double)(float)(bytes[i] / ideal);
        bytes_append_format(&text, "%s%s", i > 0 ? "; " : "[", report_real_text(rate, number));
    }
    bytes_append_format(&text, "%s", count > 0 ? "]" : "[]");
    report_set(report, row, kind, bytes_view(&text));
    bytes_free(&text);
}

static void set_model(struct report *report, size_t row, const struct arch *arch, uint64_t macs,
                      const struct moved *moved)
{
    const char *fidelity;
    const struct view type = report_tensor_text(report, row, false, 0, COLUMN_TENSOR_DATATYPE);
    const unsigned passes = passes_of(type, &fidelity);
    const double peak = (double)arch->worker_cores * OPERATIONS_A_CYCLE;
    const double cycles = macs > 0 ? ceil(2 * (double)macs / peak * passes) : 1;
    const double compute = ceil(cycles / (arch->clock_mhz / 1000));
    double bandwidth = 1;
    double kernel;
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < moved->counts[side]; i++) {
            const double far = moved->near[side][i] ? 0 : moved->bytes[side][i];
            bandwidth = fmax(bandwidth, floor(far / arch->model_gib_s / (1 << 30) * 1e9));
        }
    }
    const double ideal = fmax(compute, bandwidth);
    if (macs > 0 && fidelity != NULL)
        report_set(report, row, COLUMN_MATH_FIDELITY, view_of(fidelity));
    report_set_duration(report, row, COLUMN_PM_IDEAL, ideal);
    report_set_duration(report, row, COLUMN_PM_COMPUTE, compute);
    report_set_duration(report, row, COLUMN_PM_BANDWIDTH, bandwidth);
    set_bandwidths(report, row, COLUMN_PM_INPUT_BANDWIDTH, moved->bytes[0], moved->counts[0],
                   ideal);
    set_bandwidths(report, row, COLUMN_PM_OUTPUT_BANDWIDTH, moved->bytes[1], moved->counts[1],
                   ideal);
    if (report_double(report, row, COLUMN_KERNEL_DURATION, &kernel) && kernel > 0)
        report_set_rounded(report, row, COLUMN_PM_FPU_UTIL, 100 * compute / kernel, 3);
}

void modelled_columns_set(const struct profile *profile, uint32_t operator_id,
                          const struct arch *arch, uint64_t device, struct report *report,
                          size_t row)
{
    const struct tiled_operator tiled = read_operator(profile, operator_id);
    struct moved moved = {0};
    for (unsigned side = 0; side < 2; side++) {
        const uint32_t most = report->tensor_counts[side];
        for (uint32_t i = 0; i < most && i < COLUMN_TENSORS_MOST; i++) {
            if (report_tensor_text(report, row, side == 1, i, COLUMN_TENSOR_X).size == 0)
                continue;
            const double bytes = pad_tensor(report, row, side == 1, i, &tiled);
            set_place(report, row, side == 1, i, &tiled, device);
            moved.near[side][moved.counts[side]] = place_of(&tiled, side == 1, i).shards[0] > 0;
            moved.bytes[side][moved.counts[side]++] = bytes;
        }
    }
    const struct arch *own = arch_find(tiled.target);
    own = own != NULL ? own : arch;
    if (tiled.target.size > 0 && report->version == REPORT_V21)
        report_set(report, row, COLUMN_DEVICE_ARCH, tiled.target);
    if (own != NULL && own->model_gib_s > 0)
        set_model(report, row, own, tiled.macs, &moved);
}
