// Where the operators that move elements take them from.

#include <inttypes.h>

#include "movement.h"

// Slice --------------------------------------------------------------------------

static int64_t movement_plan_clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

// First place, and number of places, of a slice of a dimension of `length`.
static int64_t slice_dimension(int64_t length, int64_t start, int64_t end, int64_t step,
                               int64_t *out_count)
{
    start += start < 0 ? length : 0; // below -length it stays negative
    end += end < 0 ? length : 0;
    uint64_t distance = 0;
    if (step > 0) {
        start = movement_plan_clamp(start, 0, length);
        end = movement_plan_clamp(end, 0, length);
        distance = end > start ? (uint64_t)(end - start) : 0;
    } else {
        start = length > 0 ? movement_plan_clamp(start, 0, length - 1) : -1;
        end = movement_plan_clamp(end, -1, length - 1);
        distance = start > end ? (uint64_t)(start - end) : 0;
    }
    const uint64_t stride = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
    *out_count = distance == 0 ? 0 : (int64_t)((distance - 1) / stride + 1);
    return *out_count == 0 ? 0 : start;
}

static status check_slice(const struct slice *slice)
{
    const uint32_t count = slice->starts.count;
    if (slice->ends.count != count || (slice->axes.given && slice->axes.count != count) ||
        (slice->steps.given && slice->steps.count != count))
        return status_make(STATUS_DATA,
                           "%" PRIu32 " starts, %" PRIu32 " ends, %" PRIu32 " axes, %" PRIu32
                           " steps",
                           count, slice->ends.count, slice->axes.given ? slice->axes.count : count,
                           slice->steps.given ? slice->steps.count : count);
    return STATUS_OK;
}

status movement_slice(struct slice *slice, const struct shape *data, struct shape *out_shape)
{
    STATUS_TRY(check_slice(slice));
    struct list axes = slice->axes;
    if (!axes.given) {
        axes.count = slice->starts.count;
        for (uint32_t i = 0; i < axes.count; i++)
            axes.items[i] = i;
    }
    uint32_t places[SHAPE_RANK_MOST];
    STATUS_TRY(list_axes(&axes, data->rank, places));
    *out_shape = *data;
    for (uint32_t i = 0; i < data->rank; i++) {
        slice->first[i] = 0;
        slice->step[i] = 1;
    }
    for (uint32_t i = 0; i < axes.count; i++) {
        const uint32_t d = places[i];
        const int64_t step = slice->steps.given ? slice->steps.items[i] : 1;
        if (step == 0)
            return status_make(STATUS_DATA, "a step of 0 along axis %" PRIu32, d);
        const int64_t length = data->dims[d];
        if (length == SHAPE_UNKNOWN)
            continue;
        slice->first[d] = slice_dimension(length, slice->starts.items[i], slice->ends.items[i],
                                          step, &out_shape->dims[d]);
        slice->step[d] = out_shape->dims[d] > 1 ? step : 1;
    }
    return STATUS_OK;
}

// Split --------------------------------------------------------------------------

struct split movement_split(struct attributes attributes, uint32_t version, uint32_t outputs,
                            const struct constant *constant)
{
    struct split split = {.outputs = outputs, .constant = constant};
    split.uneven = version >= 18 && attribute_given(attributes, "num_outputs");
    if (constant != NULL) {
        const uint64_t count = tensor_count(&constant->tensor);
        split.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
        split.given = true;
    } else if (attribute_given(attributes, "split")) {
        split.count = attribute_integers(attributes, "split", &split.items);
        split.given = true;
    }
    return split;
}

status movement_split_part(const struct split *split, int64_t length, uint32_t part,
                           int64_t *out_length)
{
    *out_length = SHAPE_UNKNOWN;
    if (split->given) {
        if (split->count != split->outputs)
            return status_make(STATUS_DATA, "%" PRIu32 " lengths for %" PRIu32 " outputs",
                               split->count, split->outputs);
        *out_length =
            split->constant != NULL ? list_item(split->constant, part) : split->items[part];
        if (*out_length < 0)
            return status_make(STATUS_DATA, "a part of length %" PRId64, *out_length);
        return STATUS_OK;
    }
    if (length == SHAPE_UNKNOWN)
        return STATUS_OK;
    const int64_t parts = split->outputs;
    if (!split->uneven && length % parts != 0)
        return status_make(
            STATUS_DATA, "a dimension of %" PRId64 " does not divide into %" PRId64 " equal parts",
            length, parts);
    const int64_t whole = length / parts + (length % parts != 0);
    *out_length = movement_plan_clamp(length - whole * part, 0, whole);
    return STATUS_OK;
}

status movement_split_check(const struct split *split, int64_t length)
{
    if (length == SHAPE_UNKNOWN)
        return STATUS_OK;
    int64_t total = 0;
    for (uint32_t i = 0; i < split->outputs; i++) {
        int64_t part;
        STATUS_TRY(movement_split_part(split, length, i, &part));
        if (part > length - total)
            return status_make(STATUS_DATA, "the parts are longer than the dimension of %" PRId64,
                               length);
        total += part;
    }
    if (total != length)
        return status_make(STATUS_DATA,
                           "the parts come to %" PRId64 ", but the dimension is %" PRId64, total,
                           length);
    return STATUS_OK;
}

status movement_order(struct attributes attributes, uint32_t rank, uint32_t order[SHAPE_RANK_MOST])
{
    struct list list;
    STATUS_TRY(list_attribute(attributes, "perm", &list));
    if (!list.given) {
        for (uint32_t i = 0; i < rank; i++)
            order[i] = rank - 1 - i;
        return STATUS_OK;
    }
    if (list.count != rank)
        return status_make(STATUS_DATA,
                           "'perm' has %" PRIu32 " items for a tensor of rank %" PRIu32, list.count,
                           rank);
    return list_axes(&list, rank, order);
}

// Pad ----------------------------------------------------------------------------

status movement_padding_mode(struct attributes attributes, enum padding_mode *out_mode)
{
    static const char *const NAMES[] = {"constant", "reflect", "edge", "wrap"};
    const struct view mode = attribute_text(attributes, "mode", "constant");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (view_is(mode, NAMES[i])) {
            *out_mode = (enum padding_mode)i;
            return STATUS_OK;
        }
    }
    return status_make(STATUS_DATA, "mode '%.*s' is unknown", VIEW_ARGUMENTS(mode));
}

// A padded dimension; pads are cut off before others are added.
static status pad_dimension(int64_t length, int64_t before, int64_t after, enum padding_mode mode,
                            int64_t *out_length)
{
    const int64_t least = -(INT64_C(1) << 61), most = INT64_C(1) << 61;
    if (before < least || before > most || after < least || after > most)
        return status_make(STATUS_DATA, "pads of %" PRId64 " and %" PRId64, before, after);
    *out_length = SHAPE_UNKNOWN;
    if (length == SHAPE_UNKNOWN)
        return STATUS_OK;
    const int64_t kept = length + (before < 0 ? before : 0) + (after < 0 ? after : 0);
    if (kept < 0)
        return status_make(STATUS_DATA,
                           "pads of %" PRId64 " and %" PRId64
                           " take more than a dimension of %" PRId64,
                           before, after, length);
    *out_length = kept + (before > 0 ? before : 0) + (after > 0 ? after : 0);
    if (kept == 0 && *out_length > 0 && mode != PADDING_CONSTANT)
        return status_make(STATUS_DATA, "an empty dimension has nothing to pad with");
    return STATUS_OK;
}

// The axes of a list, or all of them when it is not given.
static status axes_or_all(const struct list *axes, uint32_t rank, uint32_t *places,
                          uint32_t *out_count)
{
    *out_count = axes->given ? axes->count : rank;
    if (axes->given)
        return list_axes(axes, rank, places);
    for (uint32_t i = 0; i < rank; i++)
        places[i] = i;
    return STATUS_OK;
}

status movement_padding(const struct list *pads, const struct list *axes, const struct shape *data,
                        enum padding_mode mode, struct padding *out_padding,
                        struct shape *out_shape)
{
    uint32_t places[SHAPE_RANK_MOST], count;
    STATUS_TRY(axes_or_all(axes, data->rank, places, &count));
    if (pads->count != 2 * count)
        return status_make(STATUS_DATA, "%" PRIu32 " pads for %" PRIu32 " dimensions", pads->count,
                           count);
    *out_padding = (struct padding){0};
    *out_shape = *data;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t d = places[i];
        out_padding->before[d] = pads->items[i];
        out_padding->after[d] = pads->items[i + count];
        STATUS_TRY(pad_dimension(data->dims[d], pads->items[i], pads->items[i + count], mode,
                                 &out_shape->dims[d]));
    }
    return STATUS_OK;
}

status movement_repeats(uint32_t version, const struct list *repeats, const struct list *axis,
                        uint32_t rank, int64_t out_repeats[SHAPE_RANK_MOST])
{
    for (uint32_t i = 0; i < rank; i++)
        out_repeats[i] = 1;
    if (version < 6) {
        uint32_t place;
        if (repeats->count != 1 || axis->count != 1)
            return status_make(STATUS_DATA, "tiles and axis are not one number each");
        STATUS_TRY(shape_axis(axis->items[0], rank, &place));
        out_repeats[place] = repeats->items[0];
    } else {
        if (repeats->count != rank)
            return status_make(STATUS_DATA, "%" PRIu32 " repeats for a tensor of rank %" PRIu32,
                               repeats->count, rank);
        for (uint32_t i = 0; i < rank; i++)
            out_repeats[i] = repeats->items[i];
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (out_repeats[i] < 0)
            return status_make(STATUS_DATA, "dimension %" PRIu32 " is repeated %" PRId64 " times",
                               i, out_repeats[i]);
    }
    return STATUS_OK;
}

status movement_center(const struct list *lengths, const struct list *axes,
                       const struct shape *data, struct shape *out_shape)
{
    uint32_t places[SHAPE_RANK_MOST], count;
    STATUS_TRY(axes_or_all(axes, data->rank, places, &count));
    if (lengths->count != count)
        return status_make(STATUS_DATA, "%" PRIu32 " lengths for %" PRIu32 " dimensions",
                           lengths->count, count);
    *out_shape = *data;
    for (uint32_t i = 0; i < count; i++) {
        if (lengths->items[i] < 0)
            return status_make(STATUS_DATA, "a dimension of %" PRId64, lengths->items[i]);
        out_shape->dims[places[i]] = lengths->items[i];
    }
    return STATUS_OK;
}
