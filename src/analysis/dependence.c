#include "dependence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "dependence_pieces.h"
#include "dependence_ways.h"

// A dependence between pieces, before they are in order.
struct piece_edge {
    uint32_t to, from;
    bool from_start;
};

// Who ended last.
struct latest {
    uint64_t end;
    uint32_t node; // DEPENDENCE_NONE: nobody so far
};

enum { SIDE_HOST, SIDE_DEVICE, SIDES };

// A lane while pieces are put in order.
struct lane_state {
    uint32_t next;   // piece
    uint32_t end;    // of its pieces
    uint32_t before; // node: its last one; DEPENDENCE_NONE
    uint32_t ended;  // node: the one before that, had ended when that started
    size_t edge;     // of `piece_edges`: the next
};

struct open_node {
    uint64_t end;
    uint32_t node;
};

struct maker {
    struct dependence *made;
    struct pieces *pieces;
    const struct piece *items;
    struct spool edge_spool; // struct piece_edge
    const struct piece_edge *edges;
    size_t edge_count;
    struct spool rank_spool;
    uint32_t *ranks; // by piece: its node + 1; 0: not yet
    struct lane_state *lanes;
    uint32_t *heap; // lanes, the one whose next piece starts first on top
    size_t heap_count;
    struct open_node *open; // a heap: nodes that have not ended, the first end on top
    size_t open_count, open_capacity;
    struct latest latest[SIDES];
    struct spool way_spool; // struct way_step
    uint32_t last_move;     // node: the transfer that began last; DEPENDENCE_NONE
    uint64_t last_bytes;    // that it moves
    bool one_side;          // what the host and the device do is one program
};

const char *dependence_kind_name(enum dependence_kind kind)
{
    static const char *const NAMES[DEPENDENCE_KINDS] = {"lane", "flow", "assumed", "way"};
    return NAMES[kind];
}

bool dependence_on_link(const struct profile *profile, const struct track *track)
{
    return view_is(profile_text(profile, track->engine), "host link") ||
           track->role == ROLE_HOST_COPY;
}

bool dependence_moves_on_link(const struct dependence *dependence, uint32_t part, uint32_t track)
{
    const struct track *lane = profile_track(dependence->profile, track);
    const enum role role = dependence->parts[part].role;
    return dependence_on_link(dependence->profile, lane) ||
           (lane->role == ROLE_DEVICE && (role == ROLE_TRANSFER_IN || role == ROLE_TRANSFER_OUT));
}

bool dependence_is_copy(const struct dependence_part *part)
{
    return role_is_transfer(part->role) || part->role == ROLE_HOST_COPY;
}

uint64_t dependence_gap(const struct dependence *dependence, uint32_t node)
{
    const struct dependence_node *item = &dependence->nodes[node];
    if (item->bound == DEPENDENCE_NONE)
        return item->start - dependence->first;
    const struct dependence_edge *edge = &dependence->edges[item->bound];
    return edge->kind == DEPENDENCE_WAY ? 0 : item->start - dependence_released(dependence, edge);
}

uint64_t dependence_lag(const struct dependence *dependence, uint32_t node, uint32_t edge)
{
    const struct dependence_edge *item = &dependence->edges[edge];
    if (item->kind == DEPENDENCE_WAY)
        return dependence->nodes[item->from].carries;
    return dependence->nodes[node].bound == edge ? dependence_gap(dependence, node) : 0;
}

// Flows -----------------------------------------------------------------------

static bool flow_before(const void *left, const void *right)
{
    const struct flow_end *a = left, *b = right;
    if (a->flow != b->flow)
        return a->flow < b->flow;
    if (a->start != b->start)
        return a->start < b->start;
    return a->enters != b->enters ? a->enters < b->enters : a->piece < b->piece;
}

static bool edge_before(const void *left, const void *right)
{
    const struct piece_edge *a = left, *b = right;
    return a->to != b->to ? a->to < b->to : a->from < b->from;
}

static bool has_piece(const struct maker *maker, const struct flow_end *end)
{
    return end->piece < maker->pieces->lanes[end->lane].end;
}

// The last piece of the span that a flow leaves: of those that begin before its end.
static uint32_t last_piece(const struct maker *maker, const struct flow_end *out)
{
    const struct piece_lane *lane = &maker->pieces->lanes[out->lane];
    uint32_t low = out->piece;
    uint32_t high = lane->nests ? lane->end : out->piece + 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (maker->items[middle].end <= out->end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static status add_flow(struct maker *maker, const struct flow_end *from, const struct flow_end *to)
{
    if (!has_piece(maker, from) || !has_piece(maker, to)) {
        maker->made->flows_nowhere++;
        return STATUS_OK;
    }
    const bool from_start = maker->items[to->piece].start < from->end;
    const struct piece_edge edge = {.to = to->piece,
                                    .from = from_start ? from->piece : last_piece(maker, from),
                                    .from_start = from_start};
    return edge.from == edge.to ? STATUS_OK : spool_append(&maker->edge_spool, &edge, sizeof edge);
}

// The ends of one flow in order of time: each leads on from the last that left before it.
static status join_flow(struct maker *maker, const struct flow_end *ends, size_t count)
{
    const struct flow_end *out = NULL;
    bool leaves = false;
    for (size_t i = 0; i < count; i++)
        leaves = leaves || ends[i].enters == 0;
    for (size_t i = 0; i < count; i++) {
        maker->made->flows += ends[i].enters || out != NULL;
        if (out != NULL)
            STATUS_TRY(add_flow(maker, out, &ends[i]));
        else if (ends[i].enters && leaves)
            maker->made->flows_back++;
        else if (ends[i].enters)
            maker->made->flows_nowhere++;
        out = ends[i].enters ? out : &ends[i];
    }
    return STATUS_OK;
}

static status join_flows(struct maker *maker)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&maker->pieces->flows, &data, &size));
    struct flow_end *ends = (struct flow_end *)(void *)data;
    const size_t count = size / sizeof *ends;
    sort_in_place(ends, count, sizeof *ends, flow_before);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && ends[next].flow == ends[first].flow;)
            next++;
        STATUS_TRY(join_flow(maker, ends + first, next - first));
    }
    spool_free(&maker->pieces->flows);
    maker->pieces->flows = SPOOL_EMPTY;
    STATUS_TRY(spool_read(&maker->edge_spool, &data, &size));
    struct piece_edge *edges = (struct piece_edge *)(void *)data;
    maker->edge_count = size / sizeof *edges;
    sort_in_place(edges, maker->edge_count, sizeof *edges, edge_before);
    maker->edges = edges;
    return STATUS_OK;
}

// Order -----------------------------------------------------------------------

static bool lane_first(const struct maker *maker, uint32_t left, uint32_t right)
{
    const struct piece *a = &maker->items[maker->lanes[left].next];
    const struct piece *b = &maker->items[maker->lanes[right].next];
    if (a->start != b->start)
        return a->start < b->start;
    return a->end != b->end ? a->end < b->end : left < right;
}

static void sink_lane(struct maker *maker, size_t at)
{
    const uint32_t moved = maker->heap[at];
    for (size_t child; (child = 2 * at + 1) < maker->heap_count; at = child) {
        if (child + 1 < maker->heap_count &&
            lane_first(maker, maker->heap[child + 1], maker->heap[child]))
            child++;
        if (!lane_first(maker, maker->heap[child], moved))
            break;
        maker->heap[at] = maker->heap[child];
    }
    maker->heap[at] = moved;
}

static void start_lanes(struct maker *maker)
{
    const struct pieces *pieces = maker->pieces;
    size_t edge = 0;
    maker->lanes = memory_allocate_zeroed(pieces->lane_count + 1, sizeof *maker->lanes);
    maker->heap = memory_allocate_zeroed(pieces->lane_count + 1, sizeof *maker->heap);
    for (size_t i = 0; i < pieces->lane_count; i++) {
        const struct piece_lane *lane = &pieces->lanes[i];
        while (edge < maker->edge_count && maker->edges[edge].to < lane->first)
            edge++;
        maker->lanes[i] = (struct lane_state){.next = lane->first,
                                              .end = lane->end,
                                              .before = DEPENDENCE_NONE,
                                              .ended = DEPENDENCE_NONE,
                                              .edge = edge};
        if (lane->first < lane->end)
            maker->heap[maker->heap_count++] = (uint32_t)i;
    }
    for (size_t i = maker->heap_count / 2; i > 0; i--)
        sink_lane(maker, i - 1);
}

// Who ended last ----------------------------------------------------------------

static void open_push(struct maker *maker, uint64_t end, uint32_t node)
{
    maker->open =
        memory_grow(maker->open, maker->open_count, &maker->open_capacity, sizeof *maker->open);
    size_t at = maker->open_count++;
    for (; at > 0 && maker->open[(at - 1) / 2].end > end; at = (at - 1) / 2)
        maker->open[at] = maker->open[(at - 1) / 2];
    maker->open[at] = (struct open_node){end, node};
}

static struct open_node open_pop(struct maker *maker)
{
    const struct open_node top = maker->open[0];
    const struct open_node moved = maker->open[--maker->open_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < maker->open_count; at = child) {
        if (child + 1 < maker->open_count && maker->open[child + 1].end < maker->open[child].end)
            child++;
        if (moved.end <= maker->open[child].end)
            break;
        maker->open[at] = maker->open[child];
    }
    maker->open[at] = moved;
    return top;
}

static unsigned side_of_part(const struct maker *maker, uint32_t part)
{
    return !maker->one_side && maker->made->parts[part].side == OPERATOR_DEVICE ? SIDE_DEVICE
                                                                                : SIDE_HOST;
}

static void note_ends(struct maker *maker, uint64_t now)
{
    while (maker->open_count > 0 && maker->open[0].end <= now) {
        const struct open_node ended = open_pop(maker);
        struct latest *latest =
            &maker->latest[side_of_part(maker, maker->made->nodes[ended.node].part)];
        if (latest->node == DEPENDENCE_NONE || ended.end >= latest->end)
            *latest = (struct latest){ended.end, ended.node};
    }
}

// Edges -----------------------------------------------------------------------

// The node that is made: what it waits for, as far as is known.
struct making {
    struct dependence_node node;
    uint64_t released; // by the last of them
};

static status add_edge(struct maker *maker, struct making *making, struct dependence_edge edge)
{
    struct dependence *made = maker->made;
    const uint64_t released = dependence_released(made, &edge);
    if (made->edge_count == DEPENDENCE_NONE - 1)
        return status_make(STATUS_DATA, "more than 4294967294 dependences: too many");
    // Of what let it go at the same time, what is said counts for more than the order of a lane.
    const bool better = making->node.bound == DEPENDENCE_NONE || released > making->released ||
                        (released == making->released && edge.kind == DEPENDENCE_FLOW);
    if (better) {
        making->node.bound = made->edge_count;
        making->released = released;
    }
    made->edge_count++;
    return spool_append(&made->edge_spool, &edge, sizeof edge);
}

static status add_lane_edge(struct maker *maker, struct making *making, struct lane_state *lane)
{
    const struct dependence_node *nodes = maker->made->nodes;
    if (lane->before != DEPENDENCE_NONE && nodes[lane->before].end <= making->node.start)
        lane->ended = lane->before;
    if (lane->ended == DEPENDENCE_NONE || nodes[lane->ended].end > making->node.start)
        return STATUS_OK;
    return add_edge(maker, making,
                    (struct dependence_edge){.from = lane->ended, .kind = DEPENDENCE_LANE});
}

static status add_flow_edges(struct maker *maker, struct making *making, struct lane_state *lane,
                             uint32_t piece)
{
    struct dependence *made = maker->made;
    while (lane->edge < maker->edge_count && maker->edges[lane->edge].to < piece)
        lane->edge++;
    for (; lane->edge < maker->edge_count && maker->edges[lane->edge].to == piece; lane->edge++) {
        const struct piece_edge *flow = &maker->edges[lane->edge];
        const uint32_t rank = maker->ranks[flow->from];
        struct dependence_edge edge = {
            .from = rank - 1, .kind = DEPENDENCE_FLOW, .from_start = flow->from_start};
        if (rank == 0 || dependence_released(made, &edge) > making->node.start) {
            made->flows_back++;
            continue;
        }
        edge.launches = made->parts[made->nodes[edge.from].part].side == OPERATOR_HOST &&
                        made->parts[making->node.part].side == OPERATOR_DEVICE;
        made->flows_used++;
        STATUS_TRY(add_edge(maker, making, edge));
    }
    return STATUS_OK;
}

// What ended last, where it explains the start clearly better than what is known does.
static status add_assumed_edge(struct maker *maker, struct making *making)
{
    const struct dependence_node *node = &making->node;
    const bool waits = maker->made->parts[node->part].role == ROLE_WAIT;
    const struct latest *latest = &maker->latest[side_of_part(maker, node->part)];
    const uint64_t known =
        making->node.bound == DEPENDENCE_NONE ? maker->made->first : making->released;
    if (waits && maker->latest[SIDE_DEVICE].node != DEPENDENCE_NONE)
        latest = &maker->latest[SIDE_DEVICE];
    if (latest->node == DEPENDENCE_NONE || latest->end > node->start || latest->end <= known)
        return STATUS_OK;
    if (!waits && node->start - latest->end >= (node->start - known) / 2 &&
        node->start != latest->end)
        return STATUS_OK;
    return add_edge(maker, making,
                    (struct dependence_edge){.from = latest->node, .kind = DEPENDENCE_ASSUMED});
}

// The transfer that began last, if it is still under way: whether it was waited for is seen when
// all are known.
static status add_way_edge(struct maker *maker, const struct making *making, uint64_t bytes)
{
    struct dependence *made = maker->made;
    const uint32_t before = maker->last_move;
    if (bytes == 0)
        return STATUS_OK;
    const uint64_t moved = maker->last_bytes;
    maker->last_move = made->node_count;
    maker->last_bytes = bytes;
    if (before == DEPENDENCE_NONE || made->nodes[before].start > making->node.start ||
        made->nodes[before].end <= making->node.start)
        return STATUS_OK;
    const struct dependence_edge edge = {
        .from = before, .kind = DEPENDENCE_WAY, .from_start = true};
    const struct way_step step = {made->node_count, made->edge_count, moved};
    if (made->edge_count == DEPENDENCE_NONE - 1)
        return status_make(STATUS_DATA, "more than 4294967294 dependences: too many");
    made->edge_count++;
    STATUS_TRY(spool_append(&maker->way_spool, &step, sizeof step));
    return spool_append(&made->edge_spool, &edge, sizeof edge);
}

static status make_node(struct maker *maker, uint32_t lane_id)
{
    struct dependence *made = maker->made;
    struct lane_state *lane = &maker->lanes[lane_id];
    const struct piece *piece = &maker->items[lane->next];
    struct making making = {.node = {.start = piece->start,
                                     .end = piece->end,
                                     .task = piece->task,
                                     .part = piece->part,
                                     .track = maker->pieces->lanes[lane_id].track,
                                     .first_edge = made->edge_count,
                                     .bound = DEPENDENCE_NONE}};
    note_ends(maker, piece->start);
    STATUS_TRY(add_lane_edge(maker, &making, lane));
    STATUS_TRY(add_flow_edges(maker, &making, lane, lane->next));
    STATUS_TRY(add_assumed_edge(maker, &making));
    STATUS_TRY(add_way_edge(maker, &making, piece->bytes));
    made->nodes[made->node_count] = making.node;
    maker->ranks[lane->next] = made->node_count + 1;
    lane->before = made->node_count;
    open_push(maker, piece->end, made->node_count);
    made->node_count++;
    made->last = piece->end > made->last ? piece->end : made->last;
    lane->next++;
    return STATUS_OK;
}

static status make_nodes(struct maker *maker)
{
    struct dependence *made = maker->made;
    const size_t room = ((size_t)maker->pieces->count + 1) * sizeof *made->nodes;
    char *data;
    STATUS_TRY(spool_make_room(&made->node_spool, room, &data));
    made->nodes = (struct dependence_node *)(void *)data;
    STATUS_TRY(spool_make_room(&maker->rank_spool,
                               ((size_t)maker->pieces->count + 1) * sizeof(uint32_t), &data));
    maker->ranks = (uint32_t *)(void *)data;
    start_lanes(maker);
    made->first = maker->pieces->count > 0 ? maker->pieces->start : 0;
    while (maker->heap_count > 0) {
        const uint32_t lane = maker->heap[0];
        STATUS_TRY(make_node(maker, lane));
        if (maker->lanes[lane].next == maker->lanes[lane].end)
            maker->heap[0] = maker->heap[--maker->heap_count];
        if (maker->heap_count > 0)
            sink_lane(maker, 0);
    }
    made->nodes[made->node_count].first_edge = made->edge_count;
    return STATUS_OK;
}

// What came of it -----------------------------------------------------------------

static void count_bounds(struct dependence *made)
{
    made->launch = UINT64_MAX;
    for (uint32_t i = 0; i < made->node_count; i++) {
        if (made->nodes[i].bound == DEPENDENCE_NONE)
            continue;
        const struct dependence_edge *edge = &made->edges[made->nodes[i].bound];
        made->bound[edge->kind]++;
        if (edge->launches && dependence_gap(made, i) < made->launch)
            made->launch = dependence_gap(made, i);
    }
    made->launch = made->launch == UINT64_MAX ? 0 : made->launch;
}

static bool stage_before(const void *left, const void *right)
{
    const struct dependence_stage *a = left, *b = right;
    return a->task != b->task ? a->task < b->task : a->track < b->track;
}

static status keep_stages(struct maker *maker)
{
    struct dependence *made = maker->made;
    char *data;
    size_t size;
    made->stage_spool = maker->pieces->stages;
    maker->pieces->stages = SPOOL_EMPTY;
    STATUS_TRY(spool_read(&made->stage_spool, &data, &size));
    made->stages = (struct dependence_stage *)(void *)data;
    made->stage_count = size / sizeof *made->stages;
    sort_in_place(made->stages, made->stage_count, sizeof *made->stages, stage_before);
    return STATUS_OK;
}

static status make(struct maker *maker)
{
    struct dependence *made = maker->made;
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&maker->pieces->pieces, &data, &size));
    maker->items = (const struct piece *)(const void *)data;
    made->parts = maker->pieces->parts;
    made->part_count = maker->pieces->part_count;
    maker->pieces->parts = NULL;
    made->moves = maker->pieces->moves;
    maker->pieces->moves = NULL;
    STATUS_TRY(join_flows(maker));
    STATUS_TRY(make_nodes(maker));
    STATUS_TRY(keep_stages(maker));
    STATUS_TRY(spool_read(&made->edge_spool, &data, &size));
    made->edges = (struct dependence_edge *)(void *)data;
    STATUS_TRY(spool_read(&maker->way_spool, &data, &size));
    ways_settle(made, (const struct way_step *)(const void *)data, size / sizeof(struct way_step));
    count_bounds(made);
    return STATUS_OK;
}

status dependence_read(struct profile *profile, struct dependence *out_dependence)
{
    struct pieces pieces;
    *out_dependence = (struct dependence){.profile = profile,
                                          .node_spool = SPOOL_EMPTY,
                                          .edge_spool = SPOOL_EMPTY,
                                          .stage_spool = SPOOL_EMPTY};
    struct maker maker = {.made = out_dependence,
                          .pieces = &pieces,
                          .edge_spool = SPOOL_EMPTY,
                          .rank_spool = SPOOL_EMPTY,
                          .way_spool = SPOOL_EMPTY,
                          .last_move = DEPENDENCE_NONE,
                          .latest = {{0, DEPENDENCE_NONE}, {0, DEPENDENCE_NONE}},
                          .one_side = profile_fact(profile, "target").size > 0};
    out_dependence->totals = profile_has_totals(profile);
    status result = pieces_read(profile, &pieces);
    if (result == STATUS_OK)
        result = make(&maker);
    spool_free(&maker.edge_spool);
    spool_free(&maker.rank_spool);
    spool_free(&maker.way_spool);
    free(maker.lanes);
    free(maker.heap);
    free(maker.open);
    pieces_free(&pieces);
    if (result != STATUS_OK)
        dependence_free(out_dependence);
    return result;
}

void dependence_free(struct dependence *dependence)
{
    free(dependence->parts);
    free(dependence->moves);
    spool_free(&dependence->node_spool);
    spool_free(&dependence->edge_spool);
    spool_free(&dependence->stage_spool);
    *dependence = (struct dependence){
        .node_spool = SPOOL_EMPTY, .edge_spool = SPOOL_EMPTY, .stage_spool = SPOOL_EMPTY};
}
