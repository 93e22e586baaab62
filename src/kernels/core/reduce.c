#include "reduce.h"

#include <math.h>

#include "clones.h"
#include "convert.h"
#include "elementary.h"

enum {
    LANES = 256,
    GRAIN = 16384, // input elements of one parallel piece
};

// Neighbouring dimensions that are all kept or all reduced.
struct group {
    bool reduced;
    uint64_t length;
    uint64_t stride; // in elements
};

// What accumulates: doubles, or integers modulo 2^64.
union lanes {
    double reals[LANES];
    int64_t integers[LANES];
};

struct reduction {
    const struct tensor *in;
    const struct tensor *out;
    enum reduce_kind kind;
    bool real;
    struct group groups[SHAPE_RANK_MOST]; // outermost first
    uint32_t group_count;                 // at least 1
    uint64_t reduced_count;               // elements that each result is made of
};

// Dimensions of length 1 belong to either kind.
static void plan_groups(struct reduction *reduction, const bool *axes)
{
    const struct shape *shape = &reduction->in->shape;
    struct group groups[SHAPE_RANK_MOST];
    uint32_t count = 0;
    uint64_t stride = 1;
    for (uint32_t axis = shape->rank; axis-- > 0;) {
        const uint64_t length = (uint64_t)shape->dims[axis];
        if (length == 1)
            continue;
        if (count > 0 && groups[count - 1].reduced == axes[axis])
            groups[count - 1].length *= length;
        else
            groups[count++] = (struct group){axes[axis], length, stride};
        stride *= length;
    }
    if (count == 0)
        groups[count++] = (struct group){true, 1, 1};
    reduction->group_count = count;
    reduction->reduced_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        reduction->groups[i] = groups[count - 1 - i];
        reduction->reduced_count *= groups[i].reduced ? groups[i].length : 1;
    }
}

// Where element `index` begins among the groups [0, last) of one kind, counted
// row-major.
static uint64_t offset_of(const struct reduction *reduction, uint32_t last, bool reduced,
                          uint64_t index)
{
    uint64_t offset = 0;
    for (uint32_t i = last; i-- > 0;) {
        const struct group *group = &reduction->groups[i];
        if (group->reduced != reduced)
            continue;
        offset += index % group->length * group->stride;
        index /= group->length;
    }
    return offset;
}

// Maximum and minimum of u64 compare as signed numbers with the top bit turned.
static bool turns_top_bit(const struct reduction *reduction)
{
    return reduction->in->element == ELEMENT_U64 &&
           (reduction->kind == REDUCE_MAX || reduction->kind == REDUCE_MIN);
}

static void turn_top_bits(int64_t *items, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        items[i] ^= INT64_MIN;
}

static void reduce_load_row(const struct reduction *reduction, uint64_t at, uint64_t count,
                            union lanes *row)
{
    const enum element element = reduction->in->element;
    const char *from = (const char *)reduction->in->data + at * element_size(element);
    convert_row(element, from, reduction->real ? ELEMENT_F64 : ELEMENT_I64, row, count, true);
    if (turns_top_bit(reduction))
        turn_top_bits(row->integers, count);
}

static void reduce_store_row(const struct reduction *reduction, union lanes *lanes, uint64_t at,
                             uint64_t count)
{
    const enum element element = reduction->out->element;
    if (turns_top_bit(reduction))
        turn_top_bits(lanes->integers, count);
    convert_row(reduction->real ? ELEMENT_F64 : ELEMENT_I64, lanes, element,
                (char *)reduction->out->data + at * element_size(element), count, true);
}

static void reduce_start_lanes(const struct reduction *reduction, union lanes *lanes,
                               uint64_t count)
{
    const enum element element = reduction->in->element;
    const bool turned = turns_top_bit(reduction);
    double real = 0;
    int64_t integer = 0;
    if (reduction->kind == REDUCE_PRODUCT) {
        real = 1;
        integer = 1;
    } else if (reduction->kind == REDUCE_MAX) {
        real = -INFINITY;
        integer = turned ? INT64_MIN : element_lowest(element);
    } else if (reduction->kind == REDUCE_MIN) {
        real = INFINITY;
        integer = turned ? INT64_MAX : element_highest(element);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (reduction->real)
            lanes->reals[i] = real;
        else
            lanes->integers[i] = integer;
    }
}

// Does it for every lane.
#define FOR_LANES(statement)                                                                       \
    do {                                                                                           \
        for (uint64_t i = 0; i < count; i++)                                                       \
            statement;                                                                             \
    } while (0)

// lanes[i] = lanes[i] (kind) row[i], where both are accumulated already.
CORE_CLONES(void, combine_reals,
            (enum reduce_kind kind, double *lanes, const double *row, uint64_t count),
            (kind, lanes, row, count))
{
    switch (kind) {
    case REDUCE_MAX:
        FOR_LANES(lanes[i] = row[i] > lanes[i] || row[i] != row[i] ? row[i] : lanes[i]);
        return;
    case REDUCE_MIN:
        FOR_LANES(lanes[i] = row[i] < lanes[i] || row[i] != row[i] ? row[i] : lanes[i]);
        return;
    case REDUCE_PRODUCT:
        FOR_LANES(lanes[i] *= row[i]);
        return;
    default:
        FOR_LANES(lanes[i] += row[i]);
        return;
    }
}

CORE_CLONES(void, combine_integers,
            (enum reduce_kind kind, int64_t *lanes, const int64_t *row, uint64_t count),
            (kind, lanes, row, count))
{
    switch (kind) {
    case REDUCE_MAX:
        FOR_LANES(lanes[i] = row[i] > lanes[i] ? row[i] : lanes[i]);
        return;
    case REDUCE_MIN:
        FOR_LANES(lanes[i] = row[i] < lanes[i] ? row[i] : lanes[i]);
        return;
    case REDUCE_PRODUCT:
        FOR_LANES(lanes[i] = (int64_t)((uint64_t)lanes[i] * (uint64_t)row[i]));
        return;
    default:
        FOR_LANES(lanes[i] = (int64_t)((uint64_t)lanes[i] + (uint64_t)row[i]));
        return;
    }
}

static void combine(const struct reduction *reduction, union lanes *lanes, const union lanes *row,
                    uint64_t from, uint64_t count)
{
    if (reduction->real)
        combine_reals(reduction->kind, lanes->reals, row->reals + from, count);
    else
        combine_integers(reduction->kind, lanes->integers, row->integers + from, count);
}

// What of each element is accumulated. `largest` is what an exponent is taken
// relative to: one for each lane, or one for all.
CORE_CLONES(void, reduce_prepare_row,
            (const struct reduction *reduction, union lanes *row, uint64_t count,
             const double *largest, bool for_each),
            (reduction, row, count, largest, for_each))
{
    double *reals = row->reals;
    int64_t *integers = row->integers;
    switch (reduction->kind) {
    case REDUCE_L1:
        if (reduction->real) {
            FOR_LANES(reals[i] = fabs(reals[i]));
            return;
        }
        if (reduction->in->element != ELEMENT_U64) {
            FOR_LANES(integers[i] =
                          integers[i] < 0 ? (int64_t)(0 - (uint64_t)integers[i]) : integers[i]);
            return;
        }
        break;
    case REDUCE_L2:
    case REDUCE_SUM_SQUARE:
        if (reduction->real) {
            FOR_LANES(reals[i] *= reals[i]);
            return;
        }
        FOR_LANES(integers[i] = (int64_t)((uint64_t)integers[i] * (uint64_t)integers[i]));
        return;
    case REDUCE_LOG_SUM_EXP:
        if (reduction->in->element == ELEMENT_F64) {
            FOR_LANES(reals[i] = exp(reals[i] - largest[for_each ? i : 0]));
            return;
        }
        FOR_LANES(reals[i] =
                      (double)elementary_exp_f32((float)(reals[i] - largest[for_each ? i : 0])));
        return;
    default:
        break;
    }
}

static void reduce_finish_lanes(const struct reduction *reduction, union lanes *lanes,
                                uint64_t count, const double *largest)
{
    const uint64_t reduced = reduction->reduced_count;
    double *reals = lanes->reals;
    switch (reduction->kind) {
    case REDUCE_MEAN:
        if (reduction->real) {
            FOR_LANES(reals[i] /= (double)reduced);
            return;
        }
        if (reduction->in->element == ELEMENT_U64) {
            FOR_LANES(lanes->integers[i] =
                          reduced > 0 ? (int64_t)((uint64_t)lanes->integers[i] / reduced) : 0);
            return;
        }
        FOR_LANES(lanes->integers[i] = reduced > 0 ? lanes->integers[i] / (int64_t)reduced : 0);
        return;
    case REDUCE_L2:
        FOR_LANES(reals[i] = sqrt(reals[i]));
        return;
    case REDUCE_LOG_SUM:
        FOR_LANES(reals[i] = log(reals[i]));
        return;
    case REDUCE_LOG_SUM_EXP:
        FOR_LANES(reals[i] = log(reals[i]) + largest[i]);
        return;
    default:
        break;
    }
}

// Lanes are results: `count` of them from `base` on lie side by side.
static void accumulate_side_by_side(const struct reduction *reduction, uint64_t base,
                                    uint64_t count, const double *largest, union lanes *lanes)
{
    union lanes row;
    reduce_start_lanes(reduction, lanes, count);
    for (uint64_t r = 0; r < reduction->reduced_count; r++) {
        reduce_load_row(reduction, base + offset_of(reduction, reduction->group_count, true, r),
                        count, &row);
        reduce_prepare_row(reduction, &row, count, largest, true);
        combine(reduction, lanes, &row, 0, count);
    }
}

// One result, whose innermost elements lie in a run.
static void accumulate_run(const struct reduction *reduction, uint64_t base, const double *largest,
                           union lanes *lanes)
{
    union lanes row;
    const uint32_t last = reduction->group_count - 1;
    const uint64_t length = reduction->groups[last].length;
    const uint64_t runs = length > 0 ? reduction->reduced_count / length : 0;
    uint64_t used = length < LANES ? length : LANES;
    reduce_start_lanes(reduction, lanes, used > 0 ? used : 1);
    for (uint64_t r = 0; r < runs; r++) {
        const uint64_t begin = base + offset_of(reduction, last, true, r);
        for (uint64_t at = 0; at < length; at += LANES) {
            const uint64_t part = length - at < LANES ? length - at : LANES;
            reduce_load_row(reduction, begin + at, part, &row);
            reduce_prepare_row(reduction, &row, part, largest, false);
            combine(reduction, lanes, &row, 0, part);
        }
    }
    while (used > 1) {
        const uint64_t kept = (used + 1) / 2;
        combine(reduction, lanes, lanes, kept, used - kept);
        used = kept;
    }
}

// Fills the lanes for `count` results from `base` on.
static void reduce_accumulate_rows(const struct reduction *reduction, uint64_t base, uint64_t count,
                                   const double *largest, union lanes *lanes)
{
    if (reduction->groups[reduction->group_count - 1].reduced)
        accumulate_run(reduction, base, largest, lanes);
    else
        accumulate_side_by_side(reduction, base, count, largest, lanes);
}

static void find_largest(const struct reduction *reduction, uint64_t base, uint64_t count,
                         double *largest)
{
    struct reduction maximum = *reduction;
    maximum.kind = REDUCE_MAX;
    union lanes lanes;
    reduce_accumulate_rows(&maximum, base, count, NULL, &lanes);
    for (uint64_t i = 0; i < count; i++)
        largest[i] = isfinite(lanes.reals[i]) ? lanes.reals[i] : 0; // can be subtracted
}

// Results [from, from + count): one when the innermost group is reduced.
static void reduce_compute_lanes(const struct reduction *reduction, uint64_t base, uint64_t from,
                                 uint64_t count)
{
    union lanes lanes;
    double largest[LANES];
    if (reduction->kind == REDUCE_LOG_SUM_EXP)
        find_largest(reduction, base, count, largest);
    reduce_accumulate_rows(reduction, base, count, largest, &lanes);
    reduce_finish_lanes(reduction, &lanes, count, largest);
    reduce_store_row(reduction, &lanes, from, count);
}

static void core_reduce_piece(void *context, uint64_t from, uint64_t to)
{
    const struct reduction *reduction = context;
    const struct group *last = &reduction->groups[reduction->group_count - 1];
    const uint64_t row = last->reduced ? 1 : last->length;
    while (from < to) {
        const uint64_t left = row - from % row;
        uint64_t count = left < to - from ? left : to - from;
        if (count > LANES)
            count = LANES;
        reduce_compute_lanes(reduction, offset_of(reduction, reduction->group_count, false, from),
                             from, count);
        from += count;
    }
}

static bool core_reduce_is_real(enum element element, enum reduce_kind kind)
{
    return element_is_float(element) || kind == REDUCE_L2 || kind == REDUCE_LOG_SUM ||
           kind == REDUCE_LOG_SUM_EXP;
}

void reduce_run(struct parallel *parallel, const struct tensor *in, const bool *axes,
                enum reduce_kind kind, const struct tensor *out)
{
    struct reduction reduction = {
        .in = in, .out = out, .kind = kind, .real = core_reduce_is_real(in->element, kind)};
    plan_groups(&reduction, axes);
    const uint64_t reduced = reduction.reduced_count;
    const uint64_t grain = reduced < GRAIN ? GRAIN / (reduced > 0 ? reduced : 1) : 1;
    parallel_for(parallel, tensor_count(out), grain, core_reduce_piece, &reduction);
}
