// What waits for what, the critical path, slack and reschedules against brute force on small random
// profiles; and flows that lead back, round, nowhere, or are very many.

#include "analysis/critical_path.h"
#include "analysis/reschedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 3, SPANS_MOST = 14, ROUNDS = 3000 };

// A span of the invented profile.
struct invented {
    uint64_t start, end;
    unsigned lane;
    unsigned from[SPANS_MOST]; // spans that flows come from
    unsigned from_count;
};

static uint32_t add_lane(struct profile *profile, enum role role, bool nests)
{
    struct track lane = {.kind = TRACK_LANE, .nests = nests};
    profile_track_set_engine(profile, &lane, role, role == ROLE_HOST ? "" : "engine");
    return profile_track_add(profile, &lane);
}

static unsigned below(unsigned *seed, unsigned most)
{
    return (unsigned)rand_r(seed) % most;
}

// Spans in order of their start, each after the one before on its lane and after what flows lead
// from, with a gap now and then.
static unsigned invent(struct invented *spans, unsigned *seed)
{
    uint64_t lanes[LANES] = {0};
    const unsigned count = 1 + below(seed, SPANS_MOST);
    for (unsigned i = 0; i < count; i++) {
        struct invented *span = &spans[i];
        *span = (struct invented){.lane = below(seed, LANES)};
        span->start = lanes[span->lane];
        for (unsigned k = 0; k < i; k++) {
            if (below(seed, 4) > 0)
                continue;
            span->from[span->from_count++] = k;
            span->start = spans[k].end > span->start ? spans[k].end : span->start;
        }
        span->start += below(seed, 3) == 0 ? below(seed, 6) : 0;
        span->end = span->start + 1 + below(seed, 8);
        lanes[span->lane] = span->end;
    }
    return count;
}

static struct profile *profile_of(const struct invented *spans, unsigned count)
{
    struct profile *profile = profile_create();
    uint32_t tracks[LANES];
    struct bytes values = {0};
    for (unsigned i = 0; i < LANES; i++)
        tracks[i] = add_lane(profile, ROLE_COMPUTE, false);
    for (unsigned i = 0; i < count; i++) {
        values.size = 0;
        for (unsigned k = 0; k < spans[i].from_count; k++)
            value_add_flow(&values, VALUE_FLOW_IN, 1 + (uint64_t)i * SPANS_MOST + spans[i].from[k]);
        for (unsigned to = i + 1; to < count; to++) {
            for (unsigned k = 0; k < spans[to].from_count; k++) {
                if (spans[to].from[k] == i)
                    value_add_flow(&values, VALUE_FLOW_OUT, 1 + (uint64_t)to * SPANS_MOST + i);
            }
        }
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        const struct event event = {.start = spans[i].start,
                                    .end = spans[i].end,
                                    .track = tracks[spans[i].lane],
                                    .name = profile_string(profile, view_of(name))};
        profile_event_add(profile, &event, bytes_view(&values));
    }
    bytes_free(&values);
    assert_int_equal(profile_finish(profile), STATUS_OK);
    return profile;
}

// Which invented span a node is.
static unsigned span_of(const struct dependence *dependence, uint32_t node)
{
    const struct dependence_part *part = &dependence->parts[dependence->nodes[node].part];
    return (unsigned)strtoul(profile_text(dependence->profile, part->name).data + 1, NULL, 10);
}

// When the last of those that must come before a span let it go, and whether there is any.
static bool released(const struct invented *spans, unsigned at, uint64_t *out_time)
{
    bool any = false;
    *out_time = 0;
    for (unsigned k = 0; k < spans[at].from_count; k++) {
        const uint64_t end = spans[spans[at].from[k]].end;
        *out_time = end > *out_time ? end : *out_time;
        any = true;
    }
    for (unsigned k = 0; k < at; k++) {
        if (spans[k].lane != spans[at].lane)
            continue;
        *out_time = spans[k].end > *out_time ? spans[k].end : *out_time;
        any = true;
    }
    return any;
}

static void check_edges(const struct invented *spans, const struct dependence *dependence)
{
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        const struct dependence_node *node = &dependence->nodes[i];
        uint64_t known;
        const bool any = released(spans, span_of(dependence, i), &known);
        unsigned flows = 0;
        for (uint32_t e = node->first_edge; e < dependence_edges_end(dependence, i); e++) {
            const struct dependence_edge *edge = &dependence->edges[e];
            assert_true(edge->from < i);
            assert_true(dependence_released(dependence, edge) <= node->start);
            flows += edge->kind == DEPENDENCE_FLOW;
        }
        assert_int_equal(flows, spans[span_of(dependence, i)].from_count);
        if (node->bound == DEPENDENCE_NONE) {
            assert_false(any);
            continue;
        }
        const struct dependence_edge *bound = &dependence->edges[node->bound];
        if (bound->kind == DEPENDENCE_ASSUMED) // it explains more than what is known
            assert_true(dependence_released(dependence, bound) > (any ? known : dependence->first));
        else
            assert_int_equal(dependence_released(dependence, bound), known);
    }
}

// Brute force: starts grow until every edge is content, edges taken in any order.
static uint64_t relax(const struct dependence *dependence, const uint64_t *lasts,
                      const uint64_t *delays, bool gaps)
{
    uint64_t starts[SPANS_MOST] = {0};
    uint64_t length = 0;
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        if (dependence->nodes[i].bound == DEPENDENCE_NONE && gaps)
            starts[i] = dependence->nodes[i].start - dependence->first;
        starts[i] += delays != NULL ? delays[i] : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = dependence->node_count; i-- > 0;) {
            for (uint32_t e = dependence->nodes[i].first_edge;
                 e < dependence_edges_end(dependence, i); e++) {
                const uint32_t from = dependence->edges[e].from;
                const uint64_t gap = gaps && e == dependence->nodes[i].bound
                                         ? dependence->nodes[i].start - dependence->nodes[from].end
                                         : 0;
                const uint64_t start =
                    starts[from] + lasts[from] + gap + (delays != NULL ? delays[i] : 0);
                if (start > starts[i]) {
                    starts[i] = start;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < dependence->node_count; i++)
        length = starts[i] + lasts[i] > length ? starts[i] + lasts[i] : length;
    return length;
}

// The longest of all chains, each followed to its end.
static uint64_t longest_chain(const struct dependence *dependence, uint32_t node)
{
    const struct dependence_node *item = &dependence->nodes[node];
    uint64_t longest = item->bound == DEPENDENCE_NONE ? item->start - dependence->first : 0;
    for (uint32_t e = item->first_edge; e < dependence_edges_end(dependence, node); e++) {
        const uint32_t from = dependence->edges[e].from;
        const uint64_t gap = e == item->bound ? item->start - dependence->nodes[from].end : 0;
        const uint64_t chain = longest_chain(dependence, from) + gap;
        longest = chain > longest ? chain : longest;
    }
    return longest + item->end - item->start;
}

static void check_path(const struct dependence *dependence)
{
    struct critical_path path;
    uint64_t longest = 0;
    uint64_t on_path = 0, gaps = 0;
    assert_int_equal(critical_path_find(dependence, &path), STATUS_OK);
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        const uint64_t chain = longest_chain(dependence, i);
        longest = chain > longest ? chain : longest;
    }
    assert_int_equal(path.length, longest);
    uint64_t until = dependence->last;
    for (uint32_t node = path.last; node != DEPENDENCE_NONE;
         node = critical_path_before(dependence, node)) {
        assert_int_equal(dependence->nodes[node].end, until);
        until = dependence->nodes[node].start - dependence_gap(dependence, node);
    }
    assert_int_equal(until, dependence->first);
    for (size_t i = 0; i < path.operators.count; i++) {
        on_path += path.operators.rows[i].on_path;
        gaps += path.operators.rows[i].gaps;
    }
    assert_int_equal(on_path, path.work);
    assert_int_equal(on_path + gaps, path.length);
    critical_path_free(&path);
}

static void check_slack(const struct dependence *dependence, const uint64_t *lasts)
{
    struct spool spool = SPOOL_EMPTY;
    uint64_t *slack;
    const uint64_t length = dependence->last - dependence->first;
    assert_int_equal(critical_path_slack(dependence, &spool, &slack), STATUS_OK);
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        uint64_t delays[SPANS_MOST] = {0};
        // A node that did not wait for the last of its edges alone can be later by itself, too.
        const uint64_t recorded = dependence->nodes[i].start - dependence->first;
        delays[i] = slack[i];
        assert_true(recorded + slack[i] + lasts[i] <= length);
        assert_int_equal(relax(dependence, lasts, delays, true), length);
        delays[i] = slack[i] + 1;
        assert_true(relax(dependence, lasts, delays, true) > length);
    }
    spool_free(&spool);
}

// By part of the dependences.
struct factors {
    const struct dependence *dependence;
    double by_part[SPANS_MOST];
};

static uint64_t lasts_by_factor(const void *context, uint32_t node)
{
    const struct factors *factors = context;
    const struct dependence_node *item = &factors->dependence->nodes[node];
    return (uint64_t)((double)(item->end - item->start) * factors->by_part[item->part] + 0.5);
}

static void check_reschedule(const struct dependence *dependence, unsigned *seed)
{
    struct factors factors = {.dependence = dependence};
    uint64_t lasts[SPANS_MOST];
    uint64_t length;
    for (size_t i = 0; i < dependence->part_count; i++)
        factors.by_part[i] = below(seed, 3) == 0 ? 0.5 : below(seed, 3) == 0 ? 2 : 1;
    for (uint32_t i = 0; i < dependence->node_count; i++)
        lasts[i] = lasts_by_factor(&factors, i);
    struct reschedule_rules rules = {.lasts = lasts_by_factor, .context = &factors};
    assert_int_equal(reschedule(dependence, &rules, &length), STATUS_OK);
    assert_int_equal(length, relax(dependence, lasts, NULL, true));
    rules.no_gaps = true;
    assert_int_equal(reschedule(dependence, &rules, &length), STATUS_OK);
    assert_int_equal(length, relax(dependence, lasts, NULL, false));
}

static void test_random_graphs(void **state)
{
    unsigned seed = 20;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct invented spans[SPANS_MOST];
        const unsigned count = invent(spans, &seed);
        struct profile *profile = profile_of(spans, count);
        struct dependence dependence;
        uint64_t lasts[SPANS_MOST];
        uint64_t length;
        assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
        assert_int_equal(dependence.node_count, count);
        assert_int_equal(dependence.flows, dependence.flows_used);
        for (uint32_t i = 0; i < count; i++)
            lasts[i] = dependence.nodes[i].end - dependence.nodes[i].start;
        check_edges(spans, &dependence);
        check_path(&dependence);
        check_slack(&dependence, lasts);
        check_reschedule(&dependence, &seed);
        // Nothing changed: nothing changes.
        assert_int_equal(reschedule(&dependence, &(struct reschedule_rules){0}, &length), 0);
        assert_int_equal(length, dependence.last - dependence.first);
        dependence_free(&dependence);
        profile_free(profile);
    }
}

// Spans with flows, one after the other: {track, start, end, name, in, out}; 0: no flow.
struct given {
    uint32_t lane;
    uint64_t start, end;
    const char *name;
    uint64_t in, out;
};

static void add_given(struct profile *profile, const uint32_t *tracks, const struct given *spans,
                      size_t count)
{
    struct bytes values = {0};
    for (size_t i = 0; i < count; i++) {
        values.size = 0;
        if (spans[i].in > 0)
            value_add_flow(&values, VALUE_FLOW_IN, spans[i].in);
        if (spans[i].out > 0)
            value_add_flow(&values, VALUE_FLOW_OUT, spans[i].out);
        const struct event event = {.start = spans[i].start,
                                    .end = spans[i].end,
                                    .track = tracks[spans[i].lane],
                                    .name = profile_string(profile, view_of(spans[i].name))};
        profile_event_add(profile, &event, bytes_view(&values));
    }
    bytes_free(&values);
    assert_int_equal(profile_finish(profile), STATUS_OK);
}

// A launch that returns after its kernel has begun: the kernel waits for its start.
static void test_launches(void **state)
{
    static const struct given SPANS[] = {
        {0, 0, 100, "call", 0, 0},   {0, 10, 40, "launch", 0, 1},  {1, 25, 90, "kernel", 1, 0},
        {0, 100, 110, "call", 0, 0}, {1, 95, 200, "kernel", 0, 0},
    };
    struct profile *profile = profile_create();
    const uint32_t tracks[] = {add_lane(profile, ROLE_HOST, true),
                               add_lane(profile, ROLE_COMPUTE, false)};
    struct dependence dependence;
    struct critical_path path;
    (void)state;
    profile_operator_add(profile, &(struct operator_description){0}); // else the call works itself
    add_given(profile, tracks, SPANS, 5);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_int_equal(critical_path_find(&dependence, &path), STATUS_OK);
    // kernel (105), a gap (5), kernel (65), from the start of the launch (15), the gap in the
    // frame before it (10)
    assert_int_equal(path.length, 200);
    assert_int_equal(path.work, 170);
    assert_int_equal(
        path.gaps[DEPENDENCE_LANE] + path.gaps[DEPENDENCE_FLOW] + path.gaps[DEPENDENCE_KINDS], 30);
    assert_int_equal(path.gaps[DEPENDENCE_FLOW], 15);
    assert_int_equal(dependence.launch, 15);
    critical_path_free(&path);
    dependence_free(&dependence);
    profile_free(profile);
}

// Whoever waits does no work: what the device ended last before that is what was waited for.
static void test_waits(void **state)
{
    struct profile *profile = profile_create();
    const uint32_t tracks[] = {add_lane(profile, ROLE_HOST, false),
                               add_lane(profile, ROLE_COMPUTE, false)};
    struct bytes values = {0};
    struct dependence dependence;
    uint64_t length;
    (void)state;
    value_add_string(&values, profile_string(profile, VIEW_LITERAL("role")),
                     profile_string(profile, VIEW_LITERAL("wait")));
    const struct event wait = {.start = 10,
                               .end = 105,
                               .track = tracks[0],
                               .name = profile_string(profile, VIEW_LITERAL("w"))};
    const struct given others[] = {
        {0, 0, 10, "call", 0, 1}, {1, 15, 100, "kernel", 1, 0}, {0, 105, 110, "call", 0, 0}};
    profile_event_add(profile, &wait, bytes_view(&values));
    add_given(profile, tracks, others, 3);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    struct factors factors = {.dependence = &dependence};
    for (size_t i = 0; i < dependence.part_count; i++)
        factors.by_part[i] = dependence.parts[i].side == OPERATOR_DEVICE ? 0.2 : 1;
    const struct reschedule_rules rules = {.lasts = lasts_by_factor, .context = &factors};
    assert_int_equal(reschedule(&dependence, &rules, &length), STATUS_OK);
    assert_int_equal(length, 10 + 5 + 17 + 5 + 5);
    bytes_free(&values);
    dependence_free(&dependence);
    profile_free(profile);
}

// On one stream a copy holds up what follows; beside it, it does not, but for what needs it.
static void test_copies_beside(void **state)
{
    static const struct given SPANS[] = {
        {0, 0, 10, "compute", 0, 0},
        {1, 10, 30, "copy", 0, 1},
        {0, 30, 40, "compute", 0, 0},
        {0, 40, 50, "needs it", 1, 0},
    };
    struct profile *profile = profile_create();
    const uint32_t tracks[] = {add_lane(profile, ROLE_COMPUTE, false),
                               add_lane(profile, ROLE_TRANSFER, false)};
    struct dependence dependence;
    uint64_t length;
    (void)state;
    add_given(profile, tracks, SPANS, 4);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_int_equal(dependence.bound[DEPENDENCE_ASSUMED], 2);
    assert_int_equal(
        reschedule(&dependence, &(struct reschedule_rules){.overlap_copies = true}, &length),
        STATUS_OK);
    assert_int_equal(length, 30);
    dependence_free(&dependence);
    profile_free(profile);
}

enum { MOVES = 80, MOVERS = 4 };

// Transfers of several lanes over one way, which carries `rate` bytes a nanosecond and lets each
// lane have a third of it. Returns when the last one ends.
static uint64_t over_one_way(struct profile *profile, uint64_t rate)
{
    uint64_t lanes[MOVERS] = {0};
    uint64_t way = 0, last = 0;
    uint32_t tracks[MOVERS];
    unsigned seed = 7;
    const uint32_t key = profile_string(profile, VIEW_LITERAL("bytes"));
    for (unsigned i = 0; i < MOVERS; i++)
        tracks[i] = add_lane(profile, ROLE_TRANSFER_IN, false);
    for (unsigned i = 0; i < MOVES; i++) {
        struct bytes values = {0};
        const unsigned lane = below(&seed, MOVERS);
        const uint64_t bytes = 12000 * (1 + (uint64_t)below(&seed, 9));
        const uint64_t start = lanes[lane] > way ? lanes[lane] : way;
        way = start + bytes / rate;
        lanes[lane] = start + 3 * bytes / rate;
        last = lanes[lane] > last ? lanes[lane] : last;
        value_add_uint(&values, key, bytes);
        const struct event event = {.start = start, .end = lanes[lane], .track = tracks[lane]};
        profile_event_add(profile, &event, bytes_view(&values));
        bytes_free(&values);
    }
    assert_int_equal(profile_finish(profile), STATUS_OK);
    return last;
}

static uint64_t half_as_long(const void *context, uint32_t node)
{
    const struct dependence_node *item = &((const struct dependence *)context)->nodes[node];
    return (item->end - item->start) / 2;
}

static uint64_t carries_half_as_long(const void *context, uint32_t node)
{
    return ((const struct dependence *)context)->nodes[node].carries / 2;
}

static void test_shared_way(void **state)
{
    struct profile *profile = profile_create();
    struct profile *faster = profile_create();
    const uint64_t last = over_one_way(profile, 10);
    const uint64_t sooner = over_one_way(faster, 20);
    struct dependence dependence;
    struct critical_path path;
    uint64_t length;
    (void)state;
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_true(dependence.bound[DEPENDENCE_WAY] > MOVES / 4);
    assert_int_equal(dependence.bound[DEPENDENCE_ASSUMED], 0);
    assert_int_equal(critical_path_find(&dependence, &path), STATUS_OK);
    assert_int_equal(path.work, last); // a way that is held is no gap
    assert_int_equal(path.length, last);
    critical_path_free(&path);
    const struct reschedule_rules rules = {
        .lasts = half_as_long, .carries = carries_half_as_long, .context = &dependence};
    assert_int_equal(reschedule(&dependence, &(struct reschedule_rules){0}, &length), STATUS_OK);
    assert_int_equal(length, last);
    assert_int_equal(reschedule(&dependence, &rules, &length), STATUS_OK);
    assert_int_equal(length, sooner);
    dependence_free(&dependence);
    profile_free(profile);
    profile_free(faster);
}

static void test_hostile_flows(void **state)
{
    static const struct given SPANS[] = {
        {0, 0, 0, "circle", 2, 1}, {1, 0, 0, "circle", 1, 2}, {0, 5, 9, "back", 3, 0},
        {1, 20, 30, "late", 0, 3}, {0, 9, 9, "self", 4, 4},   {1, 40, 50, "nowhere", 5, 0},
        {1, 35, 60, "over", 0, 0}, {0, 50, 55, "in", 6, 0},   {1, 45, 48, "out", 0, 6},
    };
    struct profile *profile = profile_create();
    const uint32_t tracks[] = {add_lane(profile, ROLE_COMPUTE, false),
                               add_lane(profile, ROLE_COMPUTE, false)};
    struct dependence dependence;
    struct critical_path path;
    uint64_t length;
    (void)state;
    add_given(profile, tracks, SPANS, sizeof SPANS / sizeof *SPANS);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_int_equal(dependence.node_count, sizeof SPANS / sizeof *SPANS);
    assert_int_equal(dependence.flows_back, 2); // one of the circle, and the one that leads back
    assert_int_equal(dependence.flows_nowhere, 1);
    assert_int_equal(dependence.flows_used, 2);
    assert_int_equal(critical_path_find(&dependence, &path), STATUS_OK);
    assert_int_equal(path.length, 60);
    assert_int_equal(reschedule(&dependence, &(struct reschedule_rules){0}, &length), STATUS_OK);
    assert_int_equal(length, 60);
    critical_path_free(&path);
    dependence_free(&dependence);
    profile_free(profile);
}

// Spans anywhere, on lanes of any sort, over one another, with flows that lead wherever they like.
static struct profile *anything(unsigned *seed)
{
    static const enum role ROLES[] = {ROLE_NONE, ROLE_COMPUTE,   ROLE_TRANSFER_IN, ROLE_HOST,
                                      ROLE_WAIT, ROLE_HOST_COPY, ROLE_CONTROL,     ROLE_DEVICE};
    struct profile *profile = profile_create();
    struct bytes values = {0};
    const uint32_t bytes_key = profile_string(profile, VIEW_LITERAL("bytes"));
    const uint32_t role_key = profile_string(profile, VIEW_LITERAL("role"));
    const uint32_t wait = profile_string(profile, VIEW_LITERAL("wait"));
    uint32_t tracks[5];
    if (below(seed, 2) == 0)
        profile_operator_add(profile, &(struct operator_description){0});
    for (unsigned i = 0; i < 5; i++)
        tracks[i] = add_lane(profile, ROLES[below(seed, 8)], below(seed, 2) == 0);
    for (unsigned i = below(seed, 40); i > 0; i--) {
        const uint64_t start = below(seed, 100);
        values.size = 0;
        for (unsigned k = below(seed, 3); k > 0; k--)
            value_add_flow(&values, below(seed, 2) == 0 ? VALUE_FLOW_IN : VALUE_FLOW_OUT,
                           below(seed, 12));
        if (below(seed, 3) == 0)
            value_add_uint(&values, bytes_key, below(seed, 5000));
        if (below(seed, 8) == 0)
            value_add_string(&values, role_key, wait);
        const struct event event = {.start = start,
                                    .end = start + below(seed, 30),
                                    .track = tracks[below(seed, 5)],
                                    .name = profile_string(profile, VIEW_LITERAL("s"))};
        profile_event_add(profile, &event, bytes_view(&values));
    }
    bytes_free(&values);
    assert_int_equal(profile_finish(profile), STATUS_OK);
    return profile;
}

static void test_anything(void **state)
{
    unsigned seed = 99;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct profile *profile = anything(&seed);
        struct dependence dependence;
        struct critical_path path;
        uint64_t length, shorter, on_path = 0;
        assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
        assert_int_equal(critical_path_find(&dependence, &path), STATUS_OK);
        for (size_t i = 0; i < path.tracks.count; i++)
            on_path += path.tracks.rows[i].on_path + path.tracks.rows[i].gaps;
        assert_int_equal(on_path, path.length);
        assert_int_equal(reschedule(&dependence, &(struct reschedule_rules){0}, &length),
                         STATUS_OK);
        assert_int_equal(length, path.length);
        const struct reschedule_rules loose = {
            .no_gaps = true, .no_assumed = true, .overlap_copies = true};
        assert_int_equal(reschedule(&dependence, &loose, &shorter), STATUS_OK);
        assert_true(shorter <= length);
        critical_path_free(&path);
        dependence_free(&dependence);
        profile_free(profile);
    }
}

// All with the same number: each leads on from the last before it, and no more.
static void test_many_flows(void **state)
{
    enum { MANY = 300000 };
    struct profile *profile = profile_create();
    const uint32_t tracks[] = {add_lane(profile, ROLE_COMPUTE, false),
                               add_lane(profile, ROLE_COMPUTE, false)};
    struct bytes values[2] = {{0}, {0}};
    struct dependence dependence;
    (void)state;
    value_add_flow(&values[0], VALUE_FLOW_OUT, 7);
    value_add_flow(&values[1], VALUE_FLOW_IN, 7);
    for (uint64_t i = 0; i < MANY; i++) {
        const struct event event = {.start = 2 * i, .end = 2 * i + 1, .track = tracks[i % 2]};
        profile_event_add(profile, &event, bytes_view(&values[i % 2]));
    }
    assert_int_equal(profile_finish(profile), STATUS_OK);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_int_equal(dependence.flows, MANY - 1);
    assert_int_equal(dependence.flows_used, MANY - 1);
    bytes_free(&values[0]);
    bytes_free(&values[1]);
    dependence_free(&dependence);
    profile_free(profile);
}

static void test_empty_profile(void **state)
{
    struct profile *profile = profile_create();
    struct dependence dependence;
    struct critical_path path;
    uint64_t length = 1;
    (void)state;
    assert_int_equal(profile_finish(profile), STATUS_OK);
    assert_int_equal(dependence_read(profile, &dependence), STATUS_OK);
    assert_int_equal(critical_path_find(&dependence, &path), STATUS_OK);
    assert_int_equal(path.last, DEPENDENCE_NONE);
    assert_int_equal(reschedule(&dependence, &(struct reschedule_rules){0}, &length), STATUS_OK);
    assert_int_equal(length, 0);
    critical_path_free(&path);
    dependence_free(&dependence);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_launches),
        cmocka_unit_test(test_waits),         cmocka_unit_test(test_copies_beside),
        cmocka_unit_test(test_shared_way),    cmocka_unit_test(test_hostile_flows),
        cmocka_unit_test(test_anything),      cmocka_unit_test(test_many_flows),
        cmocka_unit_test(test_empty_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
