// Names: of the operations' categories, bounds, limits and types.

#include "perf.h"

static const struct {
    const char *name; // of an operation, with or without "DeviceOperation" after it
    enum perf_category category;
} CATEGORIES[] = {
    {"Accumulation", PERF_COMPUTE},
    {"AllGatherMatmul", PERF_COMPUTE},
    {"Binary", PERF_COMPUTE},
    {"BinaryNg", PERF_COMPUTE},
    {"Conv2d", PERF_COMPUTE},
    {"Embeddings", PERF_COMPUTE},
    {"GridSample", PERF_COMPUTE},
    {"GridSampleOperation", PERF_COMPUTE},
    {"GroupNorm", PERF_COMPUTE},
    {"IntImg", PERF_COMPUTE},
    {"LayerNorm", PERF_COMPUTE},
    {"Matmul", PERF_COMPUTE},
    {"MinimalMatmulOp", PERF_COMPUTE},
    {"OptimizedConvNew", PERF_COMPUTE},
    {"Pool2D", PERF_COMPUTE},
    {"Reduce", PERF_COMPUTE},
    {"RotaryEmbeddingLlama", PERF_COMPUTE},
    {"SDPAOperation", PERF_COMPUTE},
    {"ScaledDotProductAttention", PERF_COMPUTE},
    {"ScaledDotProductAttentionDecode", PERF_COMPUTE},
    {"Softmax", PERF_COMPUTE},
    {"Unary", PERF_COMPUTE},
    {"UpSample", PERF_COMPUTE},
    {"UpsampleOperation", PERF_COMPUTE},
    {"CloneOperation", PERF_DM},
    {"Copy", PERF_DM},
    {"Halo", PERF_DM},
    {"InterleavedToSharded", PERF_DM},
    {"InterleavedToShardedPartial", PERF_DM},
    {"Move", PERF_DM},
    {"PaddedSlice", PERF_DM},
    {"PagedUpdateCacheDeviceOperation", PERF_DM},
    {"ReduceScatter", PERF_DM},
    {"Reshard", PERF_DM},
    {"ShardedToInterleaved", PERF_DM},
    {"ShardedToInterleavedPartial", PERF_DM},
    {"SliceWrite", PERF_DM},
    {"Where", PERF_DM},
    {"Concat", PERF_TM},
    {"ConcatenateHeads", PERF_TM},
    {"CreateQKVHeadsDeviceOperation", PERF_TM},
    {"FillPad", PERF_TM},
    {"Fold", PERF_TM},
    {"NLPConcatHeads", PERF_TM},
    {"NLPConcatHeadsDecodeDeviceOperation", PERF_TM},
    {"NLPCreateHeadsDecodeDeviceOperation", PERF_TM},
    {"NlpCreateHeads", PERF_TM},
    {"PadDeviceOperation", PERF_TM},
    {"Permute", PERF_TM},
    {"Reshape", PERF_TM},
    {"Slice", PERF_TM},
    {"Split", PERF_TM},
    {"Ternary", PERF_TM},
    {"Tilize", PERF_TM},
    {"TilizeWithValPadding", PERF_TM},
    {"Transpose", PERF_TM},
    {"Typecast", PERF_TM},
    {"Untilize", PERF_TM},
    {"UntilizeWithUnpadding", PERF_TM},
};

static bool perf_category_is_named(struct view code, const char *name)
{
    if (!view_starts_with(code, name))
        return false;
    const struct view rest = view_slice(code, strlen(name), code.size);
    return rest.size == 0 || view_is(rest, "DeviceOperation");
}

struct view perf_first_word(struct view text)
{
    text = view_trim(text);
    return view_slice(text, 0, view_find(text, ' '));
}

enum perf_category perf_category_of(const struct perf_op *op)
{
    const struct view code = perf_first_word(op->code);
    if (op->kind == PERF_HOST)
        return PERF_ON_HOST;
    for (size_t i = 0; i < sizeof CATEGORIES / sizeof CATEGORIES[0]; i++) {
        if (perf_category_is_named(code, CATEGORIES[i].name))
            return CATEGORIES[i].category;
    }
    return PERF_OTHER;
}

const char *perf_category_name(enum perf_category category)
{
    static const char *const names[PERF_CATEGORIES] = {"Compute", "DM", "TM", "Other", "Host"};
    return names[category];
}

const char *perf_bound_name(enum perf_bound bound)
{
    static const char *const names[] = {"", "DRAM", "FLOP", "BOTH", "SLOW", "HOST"};
    return names[bound];
}

const char *perf_limit_name(enum perf_limit limit)
{
    static const char *const names[PERF_LIMITS] = {"unknown",      "compute", "memory",
                                                   "dispatch gap", "host",    "neither"};
    return names[limit];
}

const char *perf_version_text(enum report_version version)
{
    static const char *const texts[] = {"v0 (early 2025)", "v1 (legacy format)", "v2",
                                        "v2.1 (with device arch and worker core count)"};
    return texts[version];
}

struct view perf_short_type(struct view type)
{
    static const struct {
        const char *type;
        const char *name;
    } names[] = {
        {"FLOAT32", "FP32"}, {"BFLOAT16", "BF16"}, {"BFLOAT8_B", "BFP8"}, {"BFLOAT4_B", "BFP4"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (view_is(type, names[i].type))
            return view_of(names[i].name);
    }
    return type;
}

bool perf_is_matmul(const struct perf_op *op)
{
    return op->kind == PERF_DEVICE && view_find_text(op->code, "Matmul") < op->code.size;
}

bool perf_is_convolution(const struct perf_op *op)
{
    return op->kind == PERF_DEVICE &&
           (view_find_text(op->code, "OptimizedConvNew") < op->code.size ||
            view_find_text(op->code, "Conv2d") < op->code.size);
}
