#include "whatif.h"

#include <stdlib.h>

#include "base/memory.h"
#include "reschedule.h"
#include "span_groups.h"

// What changes, looked up by part and by track.
struct whatif {
    const struct dependence *dependence;
    double *parts;  // by part: how much longer its work takes; 1: it stays
    double *ways;   // by track, then whether over the link: how much longer its transfers take
    double *setups; // by track, ns: of each transfer that moves nothing
    bool unlimited; // what changes takes no time
};

// Names -------------------------------------------------------------------------

static bool name_fits(struct view name, struct view pattern)
{
    if (view_find(pattern, '*') == pattern.size)
        return view_equal(name, pattern);
    return span_name_matches(name, pattern);
}

static bool part_fits(const struct dependence *dependence, const struct dependence_part *part,
                      struct view pattern)
{
    const struct profile *profile = dependence->profile;
    if (dependence_is_copy(part))
        return false;
    if (name_fits(profile_text(profile, part->name), pattern))
        return true;
    if (part->operator_id == 0)
        return false;
    const struct operator_description *op = profile_operator(profile, part->operator_id);
    return name_fits(profile_text(profile, op->name), pattern) ||
           (op->type != 0 && name_fits(profile_text(profile, op->type), pattern));
}

// By operator: whether the device works for it.
static unsigned char *find_device_operators(const struct dependence *dependence)
{
    unsigned char *found =
        memory_allocate_zeroed((size_t)dependence->profile->operators.count + 1, 1);
    for (size_t i = 0; i < dependence->part_count; i++) {
        const struct dependence_part *part = &dependence->parts[i];
        if (part->side == OPERATOR_DEVICE && !dependence_is_copy(part))
            found[part->operator_id] = part->operator_id != 0;
    }
    return found;
}

// By part: whether the pattern means it.
static void mark_parts(const struct dependence *dependence, struct view pattern,
                       const unsigned char *on_device, bool *out_marks)
{
    for (size_t i = 0; i < dependence->part_count; i++) {
        const struct dependence_part *part = &dependence->parts[i];
        out_marks[i] = (part->side == OPERATOR_DEVICE || !on_device[part->operator_id]) &&
                       part_fits(dependence, part, pattern);
    }
}

static bool way_fits(const struct dependence *dependence, const struct whatif_options *options,
                     size_t way, struct view name)
{
    const struct profile *profile = dependence->profile;
    const struct track *track = profile_track(profile, (uint32_t)(way / 2));
    const struct view engine = profile_text(profile, track->engine);
    const bool on_link = way % 2 == 1;
    bool far = view_is(name, "dram");
    if (engine.size > 0 && view_equal(engine, name))
        return true;
    if (view_is(name, "link"))
        return on_link;
    for (size_t i = 0; i < options->far_count; i++)
        far = far || view_equal(options->far_names[i], name);
    return far && !on_link;
}

// Whether a part is as fast as its track can move data.
static bool moves(const struct dependence *dependence, uint32_t part)
{
    return dependence_is_copy(&dependence->parts[part]);
}

// Which way of its track a piece that moves data takes.
static size_t way_of(const struct dependence *dependence, uint32_t part, uint32_t track)
{
    return (size_t)track * 2 + dependence_moves_on_link(dependence, part, track);
}

uint64_t whatif_faster_pieces(const struct dependence *dependence, struct view pattern)
{
    unsigned char *on_device = find_device_operators(dependence);
    bool *marks = memory_allocate_zeroed(dependence->part_count + 1, sizeof *marks);
    uint64_t count = 0;
    mark_parts(dependence, pattern, on_device, marks);
    for (uint32_t i = 0; i < dependence->node_count; i++)
        count += marks[dependence->nodes[i].part] &&
                 dependence->nodes[i].end > dependence->nodes[i].start;
    free(marks);
    free(on_device);
    return count;
}

uint64_t whatif_bandwidth_pieces(const struct dependence *dependence,
                                 const struct whatif_options *options, struct view name)
{
    const size_t ways = (size_t)dependence->profile->tracks.count * 2;
    bool *marks = memory_allocate_zeroed(ways + 1, sizeof *marks);
    uint64_t count = 0;
    for (size_t i = 0; i < ways; i++)
        marks[i] = way_fits(dependence, options, i, name);
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        const struct dependence_node *node = &dependence->nodes[i];
        count +=
            marks[way_of(dependence, node->part, node->track)] && moves(dependence, node->part);
    }
    for (size_t i = 0; i < dependence->stage_count; i++) {
        const struct dependence_stage *stage = &dependence->stages[i];
        count +=
            marks[way_of(dependence, stage->part, stage->track)] && moves(dependence, stage->part);
    }
    free(marks);
    return count;
}

// Set-ups -----------------------------------------------------------------------

enum { MOVES_LEAST = 8 };

// Where the line of least squares meets zero bytes, ns; within what the shortest took.
static double setup_of(const struct dependence_moves *moves)
{
    const double spread = moves->count * moves->bytes_squared - moves->bytes * moves->bytes;
    if (moves->count < MOVES_LEAST || !(spread > 1e-9 * moves->bytes_squared))
        return 0;
    const double rate =
        (moves->count * moves->bytes_times_time - moves->bytes * moves->time) / spread;
    const double setup = (moves->time - rate * moves->bytes) / moves->count;
    return rate <= 0 || !(setup > 0) ? 0 : 1000 * (setup < moves->least ? setup : moves->least);
}

// Tracks of one engine are one: equals, or lanes of equal cores.
static void find_setups(struct whatif *whatif)
{
    const struct profile *profile = whatif->dependence->profile;
    const uint32_t count = profile->tracks.count;
    const size_t engines = profile->strings.texts.count;
    struct dependence_moves *sums = memory_allocate_zeroed(engines + 1, sizeof *sums);
    for (uint32_t i = 0; i < count; i++) {
        const struct dependence_moves *from = &whatif->dependence->moves[i];
        struct dependence_moves *to = &sums[profile_track(profile, i)->engine];
        if (from->count == 0)
            continue;
        to->least = to->count == 0 || from->least < to->least ? from->least : to->least;
        to->count += from->count;
        to->bytes += from->bytes;
        to->time += from->time;
        to->bytes_squared += from->bytes_squared;
        to->bytes_times_time += from->bytes_times_time;
    }
    for (uint32_t i = 0; i < count; i++)
        whatif->setups[i] = setup_of(&sums[profile_track(profile, i)->engine]);
    free(sums);
}

// Times -------------------------------------------------------------------------

static double way_factor(const struct whatif *whatif, uint32_t part, uint32_t track)
{
    return whatif->ways[way_of(whatif->dependence, part, track)];
}

static double piece_factor(const struct whatif *whatif, uint32_t part, uint32_t track)
{
    return moves(whatif->dependence, part) ? way_factor(whatif, part, track) : whatif->parts[part];
}

// What `time` ns of a part on a track become.
static double scaled(const struct whatif *whatif, uint32_t part, uint32_t track, double time)
{
    const double factor = piece_factor(whatif, part, track);
    if (factor == 1)
        return time;
    if (whatif->unlimited)
        return 0;
    const double setup = moves(whatif->dependence, part) ? whatif->setups[track] : 0;
    return time > setup ? setup + (time - setup) * factor : time;
}

// The stages of a task; `*out_count` is 0 where it has none.
static const struct dependence_stage *stages_of(const struct dependence *dependence, uint64_t task,
                                                size_t *out_count)
{
    size_t low = 0;
    size_t high = dependence->stage_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (dependence->stages[middle].task < task)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < dependence->stage_count && dependence->stages[end].task == task)
        end++;
    *out_count = task != 0 ? end - low : 0;
    return dependence->stages + low;
}

// Each gives its first piece on when it has done that; the one with the most left then decides.
struct staged {
    double first, rest;
};

static void add_staged(struct staged *staged, const struct dependence_stage *stage, double busy)
{
    const double piece = busy / (double)stage->pieces;
    staged->first += piece;
    staged->rest = busy - piece > staged->rest ? busy - piece : staged->rest;
}

static double lasts_staged(const struct whatif *whatif, double before,
                           const struct dependence_stage *stages, size_t count)
{
    struct staged recorded = {0}, now = {0};
    double carrying = 1; // of what holds up all stages from outside: a way that others use as well
    double awaited = before;
    for (size_t i = 0; i < count; i++) {
        const struct dependence_stage *stage = &stages[i];
        add_staged(&recorded, stage, (double)stage->busy);
        add_staged(&now, stage, scaled(whatif, stage->part, stage->track, (double)stage->busy));
        awaited = (double)stage->awaited < awaited ? (double)stage->awaited : awaited;
        const double factor = way_factor(whatif, stage->part, stage->track);
        if (moves(whatif->dependence, stage->part) && factor != 1)
            carrying = whatif->unlimited ? 0 : factor;
    }
    const double working = before - awaited;
    const double own = recorded.first + recorded.rest;
    const double own_now = now.first + now.rest;
    if (working <= own * 1.001 + 2)
        return awaited * carrying + own_now + (working > own ? working - own : 0);
    const double carried = working * carrying;
    return awaited * carrying + (carried > own_now ? carried : own_now);
}

static uint64_t whatif_lasts(const void *context, uint32_t node)
{
    const struct whatif *whatif = context;
    const struct dependence_node *item = &whatif->dependence->nodes[node];
    const double before = (double)(item->end - item->start);
    size_t count = 0;
    const struct dependence_stage *stages = whatif->dependence->stage_count > 0
                                                ? stages_of(whatif->dependence, item->task, &count)
                                                : NULL;
    const double now = count > 0 ? lasts_staged(whatif, before, stages, count)
                                 : scaled(whatif, item->part, item->track, before);
    return (uint64_t)(now + 0.5);
}

// Answers -------------------------------------------------------------------------

static uint64_t whatif_carries(const void *context, uint32_t node)
{
    const struct whatif *whatif = context;
    const struct dependence_node *item = &whatif->dependence->nodes[node];
    const double factor = way_factor(whatif, item->part, item->track);
    return factor == 1         ? item->carries
           : whatif->unlimited ? 0
                               : (uint64_t)((double)item->carries * factor + 0.5);
}

// All that the host does, also for what the device works on, or nothing of it.
static void mark_side(const struct dependence *dependence, const struct whatif_change *change,
                      bool *marks)
{
    for (size_t i = 0; i < dependence->part_count && change->side != WHATIF_ANY; i++) {
        const struct dependence_part *part = &dependence->parts[i];
        if (change->side == WHATIF_HOST)
            marks[i] = part->side == OPERATOR_HOST && part_fits(dependence, part, change->name);
        else
            marks[i] = marks[i] && part->side != OPERATOR_HOST;
    }
}

static void apply_faster(struct whatif *whatif, const struct whatif_change *change)
{
    const struct dependence *dependence = whatif->dependence;
    unsigned char *on_device = find_device_operators(dependence);
    bool *marks = memory_allocate_zeroed(dependence->part_count + 1, sizeof *marks);
    mark_parts(dependence, change->name, on_device, marks);
    mark_side(dependence, change, marks);
    for (size_t i = 0; i < dependence->part_count; i++)
        whatif->parts[i] /= marks[i] ? change->factor : 1;
    free(marks);
    free(on_device);
}

static void apply_bandwidth(struct whatif *whatif, const struct whatif_options *options,
                            const struct whatif_change *change)
{
    const size_t ways = (size_t)whatif->dependence->profile->tracks.count * 2;
    for (size_t i = 0; i < ways; i++)
        whatif->ways[i] /=
            way_fits(whatif->dependence, options, i, change->name) ? change->factor : 1;
}

static void apply(struct whatif *whatif, const struct whatif_options *options)
{
    const size_t tracks = whatif->dependence->profile->tracks.count;
    whatif->parts =
        memory_allocate_zeroed(whatif->dependence->part_count + 1, sizeof *whatif->parts);
    whatif->ways = memory_allocate_zeroed(tracks * 2 + 1, sizeof *whatif->ways);
    whatif->setups = memory_allocate_zeroed(tracks + 1, sizeof *whatif->setups);
    for (size_t i = 0; i < whatif->dependence->part_count; i++)
        whatif->parts[i] = 1;
    for (size_t i = 0; i < tracks * 2; i++)
        whatif->ways[i] = 1;
    for (size_t i = 0; i < options->faster_count; i++)
        apply_faster(whatif, &options->faster[i]);
    for (size_t i = 0; i < options->bandwidth_count; i++)
        apply_bandwidth(whatif, options, &options->bandwidth[i]);
    find_setups(whatif);
}

static void count_changed(const struct whatif *whatif, struct whatif_answer *answer)
{
    const struct dependence *dependence = whatif->dependence;
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        const struct dependence_node *node = &dependence->nodes[i];
        if (whatif_lasts(whatif, i) == node->end - node->start)
            continue;
        answer->changed += node->end - node->start;
        answer->changed_pieces++;
    }
}

static struct reschedule_rules rules_of(const struct whatif *whatif,
                                        const struct whatif_options *options)
{
    return (struct reschedule_rules){.lasts = whatif_lasts,
                                     .carries = whatif_carries,
                                     .context = whatif,
                                     .no_gaps = options->no_gaps,
                                     .overlap_copies = options->overlap_copies};
}

static status answer_all(struct whatif *whatif, const struct whatif_options *options,
                         struct whatif_answer *answer)
{
    const struct reschedule_rules rules = rules_of(whatif, options);
    struct reschedule_rules least = rules;
    least.no_gaps = true;
    least.no_assumed = true;
    count_changed(whatif, answer);
    STATUS_TRY(reschedule(whatif->dependence, &rules, &answer->expected));
    STATUS_TRY(reschedule(whatif->dependence, &least, &answer->at_least));
    whatif->unlimited = true;
    return reschedule(whatif->dependence, &rules, &answer->unlimited);
}

static void whatif_free(struct whatif *whatif)
{
    free(whatif->parts);
    free(whatif->ways);
    free(whatif->setups);
}

status whatif_answer(const struct dependence *dependence, const struct whatif_options *options,
                     struct whatif_answer *out_answer)
{
    struct whatif whatif = {.dependence = dependence};
    *out_answer = (struct whatif_answer){.recorded = dependence->last - dependence->first};
    apply(&whatif, options);
    const status result = answer_all(&whatif, options, out_answer);
    whatif_free(&whatif);
    return result;
}

status whatif_expected(const struct dependence *dependence, const struct whatif_options *options,
                       uint64_t *out_expected)
{
    struct whatif whatif = {.dependence = dependence};
    apply(&whatif, options);
    const struct reschedule_rules rules = rules_of(&whatif, options);
    const status result = reschedule(dependence, &rules, out_expected);
    whatif_free(&whatif);
    return result;
}
