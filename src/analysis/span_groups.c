#include "span_groups.h"

#include <stdlib.h>

#include "backward_calls.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"
#include "operator_tensors.h"
#include "statistics.h"

// Frames of a call stack that are modules of a network are named so.
static const char MODULE_FRAME[] = "nn.Module: ";

struct open_group {
    uint64_t end;   // ns
    uint32_t group; // NO_GROUP: it is not counted
    uint32_t path;
    uint32_t module; // the innermost one around what it holds: string id
    bool backward;   // of a backward pass
};

#define NO_GROUP UINT32_MAX

struct span_meter {
    struct event_sink sink;
    const struct profile *profile;
    const struct span_group_options *options;
    struct span_groups *result;
    size_t capacity; // of the result's groups
    struct hash_index index;
    struct hash_index path_index;
    uint32_t category_key, bytes_key, role_key;
    bool has_roles;     // some lanes say what they do: the others are windows and remarks
    uint32_t *modules;  // by call: string id; NULL: not asked for
    uint32_t *forwards; // by call (backward_calls.h), where modules are asked for
    uint32_t *shapes;   // by operator: the first one of its name and inputs; NULL: not asked for
    bool only_modules;  // they are looked for, nothing is added up
    uint32_t track;     // that the open spans lie on
    struct open_group *open;
    size_t open_count, open_capacity;
    struct spool durations; // u64 each, as the spans come
    struct spool owners;    // u32: the group
};

static const char *const NAMES[SPAN_KEYS] = {"name",     "category", "track", "engine", "role",
                                             "operator", "shape",    "step",  "module", "path"};

bool span_key_from_name(struct view text, enum span_key *out_key)
{
    for (int i = 0; i < SPAN_KEYS; i++) {
        if (view_is(text, NAMES[i])) {
            *out_key = (enum span_key)i;
            return true;
        }
    }
    return false;
}

const char *span_key_name(enum span_key key)
{
    return NAMES[key];
}

bool span_name_matches(struct view name, struct view pattern)
{
    if (view_find(pattern, '*') == pattern.size) {
        for (size_t at = 0; at + pattern.size <= name.size; at++) {
            if (memcmp(name.data + at, pattern.data, pattern.size) == 0)
                return true;
        }
        return pattern.size == 0;
    }
    size_t n = 0;
    size_t p = 0;
    size_t star = SIZE_MAX;
    size_t resume = 0;
    while (n < name.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size && pattern.data[p] == name.data[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}

// What a span says of itself ------------------------------------------------------------------

struct span_facts {
    uint32_t category; // string id
    enum role role;    // ROLE_NONE: its track's
    uint64_t bytes;
    bool has_bytes;
};

static struct span_facts read_facts(const struct span_meter *meter, struct view values)
{
    struct span_facts facts = {0};
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.kind == VALUE_STRING && value.key == meter->category_key && facts.category == 0) {
            facts.category = (uint32_t)value.number;
        } else if (value.kind == VALUE_STRING && value.key == meter->role_key) {
            role_from_name(profile_text(meter->profile, (uint32_t)value.number), &facts.role);
        } else if (value.kind == VALUE_UINT && value.key == meter->bytes_key) {
            facts.bytes = value.number;
            facts.has_bytes = true;
        }
    }
    return facts;
}

static uint32_t path_inside(struct span_meter *meter, uint32_t parent, uint32_t name)
{
    struct segments *paths = &meter->result->paths;
    const uint32_t hash = hash_u64((uint64_t)parent << 32 | name);
    uint32_t id;
    for (uint32_t at = hash_first(&meter->path_index, hash);
         (id = hash_next(&meter->path_index, hash, &at)) != HASH_NONE;) {
        const struct span_path *path = segments_get(paths, id);
        if (path->parent == parent && path->name == name)
            return id;
    }
    struct span_path *path = segments_add(paths);
    *path = (struct span_path){parent, name};
    hash_add(&meter->path_index, hash, paths->count - 1);
    return paths->count - 1;
}

// A backward belongs to the module of its forward.
static uint32_t module_of_call(const struct span_meter *meter, uint32_t call)
{
    const uint32_t own = meter->modules[call];
    return own != 0 || meter->forwards == NULL ? own : meter->modules[meter->forwards[call]];
}

static uint64_t key_of(const struct span_meter *meter, const struct event *event,
                       const struct span_facts *facts, const struct open_group *around,
                       const struct open_group *span)
{
    const struct profile *profile = meter->profile;
    const struct track *track = profile_track(profile, event->track);
    const struct call *call = profile_call(profile, event->call);
    switch (meter->options->by) {
    case SPANS_BY_CATEGORY:
        return facts->category;
    case SPANS_BY_TRACK:
        return event->track;
    case SPANS_BY_ENGINE:
        return track->engine;
    case SPANS_BY_ROLE:
        return facts->role != ROLE_NONE ? facts->role : track->role;
    case SPANS_BY_OPERATOR:
        return profile_operator(profile, call->operator_id)->name;
    case SPANS_BY_SHAPE:
        return meter->shapes[call->operator_id];
    case SPANS_BY_STEP:
        return event->call == 0 ? UINT64_MAX : call->iteration;
    case SPANS_BY_MODULE:
        return event->call != 0 ? module_of_call(meter, event->call)
               : around != NULL ? around->module
                                : 0;
    case SPANS_BY_PATH:
        return span->path;
    default:
        return event->name;
    }
}

static uint32_t find_group(struct span_meter *meter, uint64_t key, enum operator_side side)
{
    struct span_groups *result = meter->result;
    const uint32_t hash = hash_u64(key << 2 | side);
    uint32_t id;
    for (uint32_t at = hash_first(&meter->index, hash);
         (id = hash_next(&meter->index, hash, &at)) != HASH_NONE;) {
        if (result->groups[id].key == key && result->groups[id].side == side)
            return id;
    }
    result->groups =
        memory_grow(result->groups, result->count, &meter->capacity, sizeof *result->groups);
    result->groups[result->count] =
        (struct span_group){.key = key, .side = side, .least = UINT64_MAX};
    hash_add(&meter->index, hash, (uint32_t)result->count);
    return (uint32_t)result->count++;
}

// Adding up -----------------------------------------------------------------------------------

static void close_spans(struct span_meter *meter, uint64_t until)
{
    while (meter->open_count > 0 && meter->open[meter->open_count - 1].end <= until) {
        const struct open_group *last = &meter->open[--meter->open_count];
        if (last->group != NO_GROUP)
            meter->result->groups[last->group].open--;
    }
}

// Takes the span's time from those around it, each for the part that it is the innermost of.
static void take_from_around(struct span_meter *meter, uint64_t start, uint64_t end)
{
    for (size_t i = meter->open_count; i > 0 && start < end; i--) {
        const struct open_group *outer = &meter->open[i - 1];
        const uint64_t part = (outer->end < end ? outer->end : end) - start;
        if (outer->group != NO_GROUP)
            meter->result->groups[outer->group].self -= part;
        if (outer->group != NO_GROUP && outer->backward)
            meter->result->groups[outer->group].backward -= part;
        start += part;
    }
}

static void open_span(struct span_meter *meter, const struct open_group *span)
{
    close_spans(meter, span->end); // what ends no later is never the innermost again
    meter->open =
        memory_grow(meter->open, meter->open_count, &meter->open_capacity, sizeof *meter->open);
    meter->open[meter->open_count++] = *span;
    if (span->group != NO_GROUP)
        meter->result->groups[span->group].open++;
}

static status add_to_group(struct span_meter *meter, uint32_t id, uint64_t duration,
                           const struct span_facts *facts)
{
    struct span_group *group = &meter->result->groups[id];
    group->count++;
    group->total += group->open == 0 ? duration : 0;
    group->self += duration;
    group->least = duration < group->least ? duration : group->least;
    group->most = duration > group->most ? duration : group->most;
    if (facts->has_bytes) {
        group->bytes += facts->bytes;
        group->byte_time += duration;
    }
    STATUS_TRY(spool_append(&meter->durations, &duration, sizeof duration));
    return spool_append(&meter->owners, &id, sizeof id);
}

static bool is_wanted(const struct span_meter *meter, const struct event *event)
{
    const struct span_group_options *options = meter->options;
    if (options->has_step &&
        (event->call == 0 || profile_call(meter->profile, event->call)->iteration != options->step))
        return false;
    return options->filter.size == 0 ||
           span_name_matches(profile_text(meter->profile, event->name), options->filter);
}

// The part of a span that lies in the window; false: none does.
static bool cut_to_window(const struct span_meter *meter, const struct event *event,
                          uint64_t *out_start, uint64_t *out_end)
{
    const struct span_group_options *options = meter->options;
    const struct track *track = profile_track(meter->profile, event->track);
    const struct clock_domain *clock = profile_clock(meter->profile, track->clock);
    const uint64_t start = clock_to_ns(clock, event->start);
    const uint64_t end = clock_to_ns(clock, event->end);
    *out_start = start > options->from ? start : options->from;
    *out_end = end < options->to ? end : options->to;
    return end >= options->from && start <= options->to;
}

// The innermost module around what lies in the span.
static uint32_t module_inside(const struct span_meter *meter, const struct event *event,
                              const struct open_group *around)
{
    if (view_starts_with(profile_text(meter->profile, event->name), MODULE_FRAME))
        return event->name;
    return around != NULL ? around->module : 0;
}

static status count_span(struct span_meter *meter, const struct event *event, struct view values,
                         uint64_t duration, const struct open_group *around,
                         struct open_group *span)
{
    const struct track *track = profile_track(meter->profile, event->track);
    if (meter->options->by == SPANS_BY_PATH)
        span->path = path_inside(meter, around != NULL ? around->path : 0, event->name);
    if (!is_wanted(meter, event))
        return STATUS_OK;
    const struct span_facts facts = read_facts(meter, values);
    const enum operator_side side = operator_side_of(track, meter->has_roles);
    span->group = find_group(meter, key_of(meter, event, &facts, around, span), side);
    span->backward = meter->forwards != NULL && meter->forwards[event->call] != 0;
    meter->result->groups[span->group].backward += span->backward ? duration : 0;
    meter->result->has_backward |= span->backward;
    return add_to_group(meter, span->group, duration, &facts);
}

static status span_groups_add_span(struct span_meter *meter, const struct event *event,
                                   struct view values)
{
    const bool nests = profile_track(meter->profile, event->track)->nests;
    uint64_t start, end;
    if (!cut_to_window(meter, event, &start, &end))
        return STATUS_OK;
    if (nests)
        close_spans(meter, start);
    const struct open_group *around =
        nests && meter->open_count > 0 ? &meter->open[meter->open_count - 1] : NULL;
    struct open_group span = {.end = end, .group = NO_GROUP};
    if (meter->modules != NULL)
        span.module = module_inside(meter, event, around);
    if (meter->only_modules) {
        if (event->call != 0 && span.module != 0)
            meter->modules[event->call] = span.module;
    } else {
        STATUS_TRY(count_span(meter, event, values, end - start, around, &span));
        if (nests)
            take_from_around(meter, start, end);
    }
    if (nests)
        open_span(meter, &span);
    return STATUS_OK;
}

static status span_groups_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct span_meter *meter = (struct span_meter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->track != meter->track)
            close_spans(meter, UINT64_MAX);
        meter->track = event->track;
        if (event->kind == EVENT_SPAN)
            STATUS_TRY(span_groups_add_span(meter, event, event_values(batch, event)));
    }
    return STATUS_OK;
}

static status replay_tracks(struct span_meter *meter, struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->provenance == PROVENANCE_DERIVED || (meter->only_modules && !track->nests))
            continue;
        STATUS_TRY(profile_replay_track(profile, i, &meter->sink));
    }
    close_spans(meter, UINT64_MAX);
    return STATUS_OK;
}

// Ranks ---------------------------------------------------------------------------------------

// Durations, each group's together, in the order of `groups`.
static status sort_out(struct span_meter *meter, uint64_t **out_sorted, struct spool *sorted)
{
    struct span_groups *result = meter->result;
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&meter->durations, &data, &size));
    const uint64_t *durations = (const uint64_t *)(void *)data;
    char *owners;
    STATUS_TRY(spool_read(&meter->owners, &owners, &size));
    const size_t count = size / sizeof(uint32_t);
    uint64_t first = 0;
    for (size_t i = 0; i < result->count; i++) {
        result->groups[i].first = first;
        first += result->groups[i].count;
    }
    char *room;
    STATUS_TRY(spool_make_room(sorted, count * sizeof(uint64_t), &room));
    *out_sorted = (uint64_t *)(void *)room;
    for (size_t i = 0; i < count; i++)
        (*out_sorted)[result->groups[((const uint32_t *)(void *)owners)[i]].first++] = durations[i];
    return STATUS_OK;
}

static void rank_group(struct span_group *group, uint64_t *durations)
{
    const struct statistics_middle middle = statistics_middle(group->count);
    const uint64_t high = statistics_select(durations, group->count, middle.high);
    const uint64_t low = statistics_select(durations, group->count, middle.low);
    group->median = statistics_halfway(low, high);
    group->p90 = statistics_select(durations, group->count, statistics_rank(group->count, 90));
}

static status rank_groups(struct span_meter *meter)
{
    struct spool sorted = SPOOL_EMPTY;
    uint64_t *durations = NULL;
    const status result = sort_out(meter, &durations, &sorted);
    for (size_t i = 0; i < meter->result->count && result == STATUS_OK; i++) {
        struct span_group *group = &meter->result->groups[i];
        rank_group(group, durations + group->first - group->count);
    }
    spool_free(&sorted);
    return result;
}

static int compare_groups(const void *left, const void *right)
{
    const struct span_group *a = left;
    const struct span_group *b = right;
    if (a->side != b->side)
        return a->side > b->side ? -1 : 1;
    if (a->self != b->self)
        return a->self > b->self ? -1 : 1;
    return sort_compare(a->key, b->key);
}

static uint32_t key_named(const struct profile *profile, const char *name)
{
    return strings_find(&profile->strings, view_of(name));
}

static void append_shape(struct bytes *to, const struct profile *profile, uint32_t operator_id);

// Operators may differ in more than their name and inputs.
static uint32_t *find_shapes(const struct profile *profile)
{
    uint32_t *shapes = memory_allocate_zeroed(profile->operators.count, sizeof *shapes);
    struct strings labels;
    struct bytes label = {0};
    uint32_t *first = memory_allocate_zeroed(profile->operators.count + 1, sizeof *first);
    strings_start(&labels);
    for (uint32_t i = 1; i < profile->operators.count; i++) {
        label.size = 0;
        append_shape(&label, profile, i);
        const uint32_t id = strings_add(&labels, bytes_view(&label));
        first[id] = first[id] == 0 ? i : first[id];
        shapes[i] = first[id];
    }
    strings_free(&labels);
    bytes_free(&label);
    free(first);
    return shapes;
}

static status span_groups_add_all(struct span_meter *meter, struct profile *profile)
{
    meter->has_roles = operator_sides_are_said(profile);
    if (meter->options->by == SPANS_BY_SHAPE)
        meter->shapes = find_shapes(profile);
    if (meter->options->by == SPANS_BY_MODULE) {
        meter->modules = memory_allocate_zeroed(profile->calls.count, sizeof *meter->modules);
        meter->only_modules = true;
        STATUS_TRY(replay_tracks(meter, profile));
        meter->only_modules = false;
        meter->forwards = backward_calls_find(profile);
    }
    STATUS_TRY(replay_tracks(meter, profile));
    STATUS_TRY(rank_groups(meter));
    struct span_groups *result = meter->result;
    for (size_t i = 0; i < result->count; i++) {
        result->self[result->groups[i].side] += result->groups[i].self;
        result->spans += result->groups[i].count;
    }
    if (result->count > 0)
        sort_items(result->groups, result->count, sizeof *result->groups, compare_groups);
    return STATUS_OK;
}

status span_groups_measure(struct profile *profile, const struct span_group_options *options,
                           struct span_groups *out_groups)
{
    *out_groups = (struct span_groups){.profile = profile, .by = options->by};
    segments_start(&out_groups->paths, sizeof(struct span_path));
    segments_add(&out_groups->paths); // 0: no name at all
    struct span_meter meter = {.sink = {span_groups_take_batch},
                               .profile = profile,
                               .options = options,
                               .result = out_groups,
                               .category_key = key_named(profile, "category"),
                               .bytes_key = key_named(profile, "bytes"),
                               .role_key = key_named(profile, "role"),
                               .durations = SPOOL_EMPTY,
                               .owners = SPOOL_EMPTY};
    const status result = span_groups_add_all(&meter, profile);
    hash_free(&meter.index);
    hash_free(&meter.path_index);
    free(meter.shapes);
    free(meter.modules);
    free(meter.forwards);
    free(meter.open);
    spool_free(&meter.durations);
    spool_free(&meter.owners);
    if (result != STATUS_OK)
        span_groups_free(out_groups);
    return result;
}

void span_groups_free(struct span_groups *groups)
{
    free(groups->groups);
    segments_free(&groups->paths);
    *groups = (struct span_groups){0};
}

// Words ---------------------------------------------------------------------------------------

static void append_text(struct bytes *to, const struct profile *profile, uint32_t text,
                        const char *none)
{
    const struct view words = text != 0 ? profile_text(profile, text) : view_of(none);
    bytes_append(to, words.data, words.size);
}

// What holds what: the names from the outermost to the innermost. `around` tells what is around
// one, 0: nothing.
static void append_chain(struct bytes *to, const struct span_groups *groups, uint32_t id,
                         uint32_t (*around)(const struct span_groups *groups, uint32_t id,
                                            uint32_t *out_name),
                         const char *between)
{
    uint32_t *names = NULL;
    size_t count = 0;
    size_t capacity = 0;
    while (id != 0) {
        names = memory_grow(names, count, &capacity, sizeof *names);
        id = around(groups, id, &names[count]);
        count++;
    }
    for (size_t i = count; i > 0; i--) {
        append_text(to, groups->profile, names[i - 1], "(no name)");
        bytes_append(to, between, i > 1 ? strlen(between) : 0);
    }
    free(names);
}

static uint32_t around_track(const struct span_groups *groups, uint32_t id, uint32_t *out_name)
{
    const struct track *track = profile_track(groups->profile, id);
    *out_name = track->name;
    return track->parent;
}

static uint32_t around_path(const struct span_groups *groups, uint32_t id, uint32_t *out_name)
{
    const struct span_path *path = segments_get(&groups->paths, id);
    *out_name = path->name;
    return path->parent;
}

static void append_shape(struct bytes *to, const struct profile *profile, uint32_t operator_id)
{
    const struct operator_description *op = profile_operator(profile, operator_id);
    append_text(to, profile, op->name, "(no operator)");
    struct bytes text = {0};
    const struct view inputs = operator_tensors(profile, operator_id, "input", &text);
    if (inputs.size > 0)
        bytes_append_format(to, " (%.*s)", VIEW_ARGUMENTS(inputs));
    bytes_free(&text);
}

void span_group_label(const struct span_groups *groups, const struct span_group *group,
                      struct bytes *to)
{
    const struct profile *profile = groups->profile;
    const uint32_t id = (uint32_t)group->key;
    switch (groups->by) {
    case SPANS_BY_CATEGORY:
        append_text(to, profile, id, "(no category)");
        break;
    case SPANS_BY_TRACK:
        append_chain(to, groups, id, around_track, " / ");
        break;
    case SPANS_BY_ENGINE:
        append_text(to, profile, id, "(no engine)");
        break;
    case SPANS_BY_ROLE:
        bytes_append_format(to, "%s", id == ROLE_NONE ? "(no role)" : role_name((enum role)id));
        break;
    case SPANS_BY_OPERATOR:
        append_text(to, profile, id, "(no operator)");
        break;
    case SPANS_BY_SHAPE:
        append_shape(to, profile, id);
        break;
    case SPANS_BY_STEP:
        if (group->key == UINT64_MAX)
            bytes_append_format(to, "(no step)");
        else
            bytes_append_format(to, "%llu", (unsigned long long)group->key);
        break;
    case SPANS_BY_MODULE:
        append_text(to, profile, id, "(no module)");
        break;
    case SPANS_BY_PATH:
        append_chain(to, groups, id, around_path, ";");
        break;
    default:
        append_text(to, profile, id, "(no name)");
        break;
    }
}
