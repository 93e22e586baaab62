// The measured times of a target as grids.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "price.h"
#include "table.h"

enum { LENGTH_MOST = 16, CELLS_MOST = 4096 };

static const char *const VARIANT_NAMES[COST_VARIANTS] = {
    "",        "scalar",   "row",           "channel",   "mixed",
    "apart",   "free",     "linear",        "spread",    "apart-spread",
    "whole",   "gathered", "gathered-each", "scattered", "scattered-free",
    "doubled", "blocks",
};

struct family_key {
    uint32_t function;
    uint32_t element; // cost_function of its name
    uint32_t variant;
};

struct point {
    struct family_key key;
    struct table_place place;
    double cycles;
};

struct axis {
    uint32_t length;
    double logs[LENGTH_MOST];
};

struct family {
    struct family_key key;
    uint32_t axis_count;
    struct axis axes[TABLE_AXES];
    double *logs; // of times, the last axis fastest; NaN: not measured
    uint32_t cell_count;
};

struct table_model {
    struct table_rates rates;
    struct family *families; // in the order of their keys
    size_t count;
};

// Keys ----------------------------------------------------------------------------

static uint32_t variant_named(struct view name)
{
    for (uint32_t i = 1; i < COST_VARIANTS; i++) {
        if (view_is(name, VARIANT_NAMES[i]))
            return i;
    }
    return COST_PLAIN;
}

// Takes the word after the last dot off the text.
static struct view take_last(struct view *text)
{
    const size_t dot = view_find_last(*text, '.');
    struct view word = *text;
    if (dot < text->size) {
        word = view_slice(*text, dot + 1, text->size);
        *text = view_slice(*text, 0, dot);
    } else {
        *text = view_slice(*text, 0, 0);
    }
    return word;
}

static bool parse_place(struct view text, struct table_place *out_place)
{
    *out_place = (struct table_place){0};
    while (text.size > 0) {
        const size_t end = view_find(text, 'x');
        uint64_t number;
        if (out_place->axis_count == TABLE_AXES ||
            !view_to_u64(view_slice(text, 0, end), &number) || number == 0)
            return false;
        out_place->at[out_place->axis_count++] = number;
        text = view_slice(text, end < text.size ? end + 1 : end, text.size);
    }
    return out_place->axis_count > 0;
}

static bool parse_key(struct view key, struct point *out_point)
{
    const struct view start = {"time.", 5};
    if (!view_starts_with(key, "time."))
        return false;
    struct view rest = view_slice(key, start.size, key.size);
    if (!parse_place(take_last(&rest), &out_point->place))
        return false;
    struct view element = take_last(&rest);
    out_point->key.variant = variant_named(element);
    if (out_point->key.variant != COST_PLAIN)
        element = take_last(&rest);
    out_point->key.element = cost_function(element);
    out_point->key.function = cost_function(rest);
    return element.size > 0 && rest.size > 0;
}

bool table_is_time(struct view key)
{
    struct point point;
    return parse_key(key, &point);
}

void table_key(struct view operator, const struct cost_request * request, char *text, size_t size)
{
    const struct table_place place = table_place(request);
    const char *variant = VARIANT_NAMES[request->variant];
    int used = snprintf(text, size, "time.%.*s.%s%s%s", VIEW_ARGUMENTS(operator),
                        table_element(request), variant[0] != '\0' ? "." : "", variant);
    for (uint32_t i = 0; i < place.axis_count && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, "%c%" PRIu64, i == 0 ? '.' : 'x',
                         place.at[i]);
}

// Making --------------------------------------------------------------------------

static int table_model_compare_keys(const struct family_key *a, const struct family_key *b)
{
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->element != b->element)
        return a->element < b->element ? -1 : 1;
    return a->variant == b->variant ? 0 : a->variant < b->variant ? -1 : 1;
}

static int compare_points(const void *a, const void *b)
{
    return table_model_compare_keys(&((const struct point *)a)->key,
                                    &((const struct point *)b)->key);
}

// The index of a length, which is added where it is new; LENGTH_MOST: no room.
static void axis_add(struct axis *axis, double value)
{
    uint32_t at = 0;
    while (at < axis->length && axis->logs[at] < value)
        at++;
    if ((at < axis->length && axis->logs[at] == value) || axis->length == LENGTH_MOST)
        return;
    for (uint32_t i = axis->length; i > at; i--)
        axis->logs[i] = axis->logs[i - 1];
    axis->logs[at] = value;
    axis->length++;
}

static uint32_t axis_find(const struct axis *axis, double value)
{
    uint32_t at = 0;
    while (at < axis->length && axis->logs[at] != value)
        at++;
    return at;
}

static void cell_indices(const struct family *family, uint32_t cell, uint32_t *out_indices)
{
    for (uint32_t i = family->axis_count; i-- > 0;) {
        out_indices[i] = cell % family->axes[i].length;
        cell /= family->axes[i].length;
    }
}

// How far two cells lie apart, and by how much more work the first one is.
static double cell_distance(const struct family *family, uint32_t a, uint32_t b, double *out_more)
{
    uint32_t left[TABLE_AXES];
    uint32_t right[TABLE_AXES];
    cell_indices(family, a, left);
    cell_indices(family, b, right);
    double distance = 0;
    *out_more = 0;
    for (uint32_t i = 0; i < family->axis_count; i++) {
        const double more = family->axes[i].logs[left[i]] - family->axes[i].logs[right[i]];
        distance += fabs(more);
        *out_more += more;
    }
    return distance;
}

// What was too large to be measured goes on from the nearest cell at its rate.
static void fill_missing(struct family *family)
{
    double *filled = memory_allocate(family->cell_count * sizeof *filled);
    for (uint32_t i = 0; i < family->cell_count; i++) {
        filled[i] = family->logs[i];
        double nearest = INFINITY;
        for (uint32_t j = 0; isnan(family->logs[i]) && j < family->cell_count; j++) {
            double more;
            const double distance = cell_distance(family, i, j, &more);
            if (isnan(family->logs[j]) || distance >= nearest)
                continue;
            nearest = distance;
            filled[i] = family->logs[j] + more;
        }
    }
    memcpy(family->logs, filled, family->cell_count * sizeof *filled);
    free(filled);
}

static bool family_fill(struct family *family, const struct point *points, size_t count)
{
    *family = (struct family){.key = points[0].key, .axis_count = points[0].place.axis_count};
    for (size_t i = 0; i < count; i++) {
        if (points[i].place.axis_count != family->axis_count)
            continue;
        for (uint32_t j = 0; j < family->axis_count; j++)
            axis_add(&family->axes[j], log((double)points[i].place.at[j]));
    }
    family->cell_count = 1;
    for (uint32_t i = 0; i < family->axis_count; i++)
        family->cell_count *= family->axes[i].length;
    if (family->cell_count > CELLS_MOST)
        return false;
    family->logs = memory_allocate(family->cell_count * sizeof *family->logs);
    for (uint32_t i = 0; i < family->cell_count; i++)
        family->logs[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        uint32_t cell = 0;
        bool inside = points[i].place.axis_count == family->axis_count && points[i].cycles > 0;
        for (uint32_t j = 0; inside && j < family->axis_count; j++) {
            const uint32_t at = axis_find(&family->axes[j], log((double)points[i].place.at[j]));
            inside = at < family->axes[j].length;
            cell = cell * family->axes[j].length + at;
        }
        if (inside)
            family->logs[cell] = log(points[i].cycles);
    }
    fill_missing(family);
    return true;
}

// Of one engine: the settings that begin with its name.
static struct point *find_points(const struct target *target, const struct target_engine *engine,
                                 size_t *out_count)
{
    struct point *points =
        memory_allocate_zeroed((size_t)target->setting_count + 1, sizeof *points);
    *out_count = 0;
    for (uint32_t i = 0; i < target->setting_count; i++) {
        const struct view name = view_of(target->settings[i].name);
        const size_t dot = strlen(engine->name);
        struct point *point = &points[*out_count];
        if (dot < name.size && name.data[dot] == '.' && view_starts_with(name, engine->name) &&
            parse_key(view_slice(name, dot + 1, name.size), point)) {
            point->cycles = target->settings[i].number;
            (*out_count)++;
        }
    }
    sort_items(points, *out_count, sizeof *points, compare_points);
    return points;
}

// A rate of nothing is as good as none.
static double setting(const struct target *target, const struct target_engine *engine,
                      const char *key, double fallback)
{
    const double number = price_number(target, engine, &PRICE_TABLE, key);
    return number > 0 ? number : fallback;
}

static struct table_rates find_rates(const struct target *target,
                                     const struct target_engine *engine)
{
    const double bytes = setting(target, engine, "bytes_per_cycle", 4);
    return (struct table_rates){
        .start = setting(target, engine, "start_cycles", 0),
        .macs = setting(target, engine, "macs_per_cycle", 1),
        .integer_macs = setting(target, engine, "integer_macs_per_cycle", 1),
        .steps = setting(target, engine, "steps_per_cycle", 0.25),
        .fused_steps = setting(target, engine, "fused_steps_per_cycle", 4),
        .peak_macs = setting(target, engine, "peak_macs_per_cycle", 0),
        .peak_bytes = setting(target, engine, "peak_bytes_per_cycle", 0),
        .caches = {setting(target, engine, "cache_l1", 0), setting(target, engine, "cache_l2", 0),
                   setting(target, engine, "cache_l3", 0)},
        .bandwidths = {setting(target, engine, "bandwidth_l1", bytes),
                       setting(target, engine, "bandwidth_l2", bytes),
                       setting(target, engine, "bandwidth_l3", bytes),
                       setting(target, engine, "bandwidth_dram", bytes)},
    };
}

const struct table_rates *table_model_rates(const struct table_model *model)
{
    return &model->rates;
}

struct table_model *table_model_make(const struct target *target,
                                     const struct target_engine *engine)
{
    size_t count;
    struct point *points = find_points(target, engine, &count);
    struct table_model *model = memory_allocate_zeroed(1, sizeof *model);
    model->rates = find_rates(target, engine);
    model->families = memory_allocate_zeroed(count + 1, sizeof *model->families);
    for (size_t from = 0; from < count;) {
        size_t to = from + 1;
        while (to < count && table_model_compare_keys(&points[from].key, &points[to].key) == 0)
            to++;
        if (family_fill(&model->families[model->count], points + from, to - from))
            model->count++;
        from = to;
    }
    free(points);
    return model;
}

void table_model_free(struct table_model *model)
{
    if (model == NULL)
        return;
    for (size_t i = 0; i < model->count; i++)
        free(model->families[i].logs);
    free(model->families);
    free(model);
}

// Asking --------------------------------------------------------------------------

static const struct family *find_family(const struct table_model *model,
                                        const struct family_key *key)
{
    size_t from = 0;
    size_t to = model != NULL ? model->count : 0;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = table_model_compare_keys(&model->families[middle].key, key);
        if (order == 0)
            return &model->families[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

// The cell in front of a length and how far it lies after it: below 0 and above 1
// outside the grid.
static uint32_t axis_locate(const struct axis *axis, double value, double *out_part)
{
    *out_part = 0;
    if (axis->length < 2)
        return 0;
    uint32_t at = 0;
    while (at + 2 < axis->length && axis->logs[at + 1] < value)
        at++;
    *out_part = (value - axis->logs[at]) / (axis->logs[at + 1] - axis->logs[at]);
    return at;
}

// Straight along one axis after the other. Outside the grid a larger size takes
// neither less time nor much more than its share.
static double interpolate(const struct family *family, const uint32_t *at, const double *parts,
                          uint32_t axis, uint32_t cell)
{
    if (axis >= family->axis_count || axis >= TABLE_AXES)
        return family->logs[cell];
    const struct axis *along = &family->axes[axis];
    const double low = interpolate(family, at, parts, axis + 1, cell * along->length + at[axis]);
    if (along->length < 2 || parts[axis] == 0)
        return low;
    const double high =
        interpolate(family, at, parts, axis + 1, cell * along->length + at[axis] + 1);
    const double step = along->logs[at[axis] + 1] - along->logs[at[axis]];
    if (parts[axis] < 0)
        return low + fmin(fmax(high - low, 0), step) * parts[axis];
    if (parts[axis] > 1)
        return high + fmin(fmax(high - low, 0), 1.2 * step) * (parts[axis] - 1);
    return low + (high - low) * parts[axis];
}

bool table_model_time(const struct table_model *model, uint32_t function, const char *element,
                      uint32_t variant, const struct table_place *place, double *out_cycles)
{
    const struct family_key key = {function, cost_function(view_of(element)), variant};
    const struct family *family = find_family(model, &key);
    if (family == NULL || family->axis_count != place->axis_count)
        return false;
    uint32_t at[TABLE_AXES];
    double parts[TABLE_AXES];
    for (uint32_t i = 0; i < family->axis_count; i++)
        at[i] = axis_locate(&family->axes[i], log((double)place->at[i]), &parts[i]);
    *out_cycles = exp(interpolate(family, at, parts, 0, 0));
    return true;
}
