#include "critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"

uint32_t critical_path_before(const struct dependence *dependence, uint32_t node)
{
    const uint32_t bound = dependence->nodes[node].bound;
    return bound == DEPENDENCE_NONE ? DEPENDENCE_NONE : dependence->edges[bound].from;
}

uint64_t critical_path_time(const struct dependence *dependence, uint32_t node, uint32_t after)
{
    const struct dependence_node *item = &dependence->nodes[node];
    const struct dependence_edge *edge =
        after != DEPENDENCE_NONE ? &dependence->edges[dependence->nodes[after].bound] : NULL;
    if (edge != NULL && edge->kind == DEPENDENCE_WAY)
        return dependence->nodes[after].start - item->start;
    return edge != NULL && edge->from_start ? 0 : item->end - item->start;
}

// Slack -------------------------------------------------------------------------

status critical_path_slack(const struct dependence *dependence, struct spool *spool,
                           uint64_t **out_slack)
{
    const uint32_t count = dependence->node_count;
    const struct dependence_node *nodes = dependence->nodes;
    char *data;
    STATUS_TRY(spool_make_room(spool, ((size_t)count + 1) * sizeof(uint64_t), &data));
    uint64_t *slack = (uint64_t *)(void *)data;
    for (uint32_t i = 0; i < count; i++)
        slack[i] = dependence->last - nodes[i].end;
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t e = nodes[i].first_edge; e < nodes[i + 1].first_edge; e++) {
            const struct dependence_edge *edge = &dependence->edges[e];
            if (edge->kind == DEPENDENCE_DROPPED)
                continue;
            const uint64_t free_for = nodes[i].start - dependence_released(dependence, edge) -
                                      dependence_lag(dependence, i, e) + slack[i];
            if (free_for < slack[edge->from])
                slack[edge->from] = free_for;
        }
    }
    *out_slack = slack;
    return STATUS_OK;
}

// Shares --------------------------------------------------------------------------

struct shares {
    struct path_share *rows;
    size_t count, capacity;
    struct hash_index index;
};

static struct path_share *find_share(struct shares *shares, uint32_t id, bool is_operator)
{
    const uint32_t hash = hash_u64((uint64_t)is_operator << 32 | id);
    uint32_t found;
    for (uint32_t at = hash_first(&shares->index, hash);
         (found = hash_next(&shares->index, hash, &at)) != HASH_NONE;) {
        struct path_share *row = &shares->rows[found];
        if (row->id == id && row->is_operator == is_operator)
            return row;
    }
    shares->rows =
        memory_grow(shares->rows, shares->count, &shares->capacity, sizeof *shares->rows);
    shares->rows[shares->count] =
        (struct path_share){.id = id, .is_operator = is_operator, .slack = UINT64_MAX};
    hash_add(&shares->index, hash, (uint32_t)shares->count);
    return &shares->rows[shares->count++];
}

static bool share_before(const void *left, const void *right)
{
    const struct path_share *a = left, *b = right;
    const uint64_t on_a = a->on_path + a->gaps, on_b = b->on_path + b->gaps;
    if (on_a != on_b)
        return on_a > on_b;
    if (a->total != b->total)
        return a->total > b->total;
    return a->is_operator != b->is_operator ? a->is_operator : a->id < b->id;
}

static struct path_shares shares_finish(struct shares *shares)
{
    sort_in_place(shares->rows, shares->count, sizeof *shares->rows, share_before);
    hash_free(&shares->index);
    return (struct path_shares){shares->rows, shares->count};
}

static void find_repeats(const struct profile *profile, struct path_shares *operators)
{
    struct path_share **first =
        memory_allocate_zeroed((size_t)profile->strings.texts.count + 1, sizeof *first);
    for (size_t i = 0; i < operators->count; i++) {
        struct path_share *share = &operators->rows[i];
        if (!share->is_operator)
            continue;
        struct path_share **other = &first[profile_operator(profile, share->id)->name];
        if (*other == NULL)
            *other = share;
        else
            share->repeats = (*other)->repeats = true;
    }
    free(first);
}

enum { BY_OPERATOR, BY_ROLE, BY_TRACK, SHARES };

struct sharing {
    const struct dependence *dependence;
    struct shares by[SHARES];
    uint32_t *operator_rows; // by part: row + 1 of operators; 0: not found yet
};

// Rows move when others are added: they are found again for each node.
static struct path_share *row_of(struct sharing *sharing, uint32_t node, unsigned by)
{
    const struct dependence_node *item = &sharing->dependence->nodes[node];
    const struct dependence_part *part = &sharing->dependence->parts[item->part];
    struct shares *shares = &sharing->by[by];
    if (by == BY_ROLE)
        return find_share(shares, part->role, false);
    if (by == BY_TRACK)
        return find_share(shares, item->track, false);
    uint32_t *row = &sharing->operator_rows[item->part];
    if (*row == 0) {
        const bool is_operator = part->operator_id != 0;
        struct path_share *made =
            find_share(shares, is_operator ? part->operator_id : part->name, is_operator);
        if (is_operator)
            made->type = profile_operator(sharing->dependence->profile, part->operator_id)->type;
        *row = (uint32_t)(made - shares->rows) + 1;
    }
    return &shares->rows[*row - 1];
}

static void share_all(struct sharing *sharing, const uint64_t *slack)
{
    const struct dependence *dependence = sharing->dependence;
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        for (unsigned by = 0; by < SHARES; by++) {
            struct path_share *row = row_of(sharing, i, by);
            row->total += dependence->nodes[i].end - dependence->nodes[i].start;
            row->pieces++;
            row->slack = slack[i] < row->slack ? slack[i] : row->slack;
        }
    }
}

static void share_path(struct sharing *sharing, struct critical_path *path)
{
    const struct dependence *dependence = sharing->dependence;
    uint32_t after = DEPENDENCE_NONE;
    for (uint32_t node = path->last; node != DEPENDENCE_NONE;
         after = node, node = critical_path_before(dependence, node)) {
        const uint64_t time = critical_path_time(dependence, node, after);
        const uint64_t gap = dependence_gap(dependence, node);
        const uint32_t bound = dependence->nodes[node].bound;
        const unsigned why =
            bound == DEPENDENCE_NONE ? DEPENDENCE_KINDS : dependence->edges[bound].kind;
        path->work += time;
        path->nodes++;
        path->gaps[why] += gap;
        path->waits[why]++;
        for (unsigned by = 0; by < SHARES; by++) {
            struct path_share *row = row_of(sharing, node, by);
            row->on_path += time;
            row->gaps += gap;
        }
    }
}

static uint32_t last_node(const struct dependence *dependence)
{
    uint32_t last = DEPENDENCE_NONE;
    for (uint32_t i = 0; i < dependence->node_count; i++) {
        if (last == DEPENDENCE_NONE || dependence->nodes[i].end > dependence->nodes[last].end)
            last = i;
    }
    return last;
}

status critical_path_find(const struct dependence *dependence, struct critical_path *out_path)
{
    struct spool spool = SPOOL_EMPTY;
    uint64_t *slack = NULL;
    *out_path = (struct critical_path){.dependence = dependence,
                                       .last = last_node(dependence),
                                       .length = dependence->last - dependence->first};
    const status result = critical_path_slack(dependence, &spool, &slack);
    if (result == STATUS_OK) {
        struct sharing sharing = {.dependence = dependence};
        sharing.operator_rows =
            memory_allocate_zeroed(dependence->part_count + 1, sizeof *sharing.operator_rows);
        share_all(&sharing, slack);
        share_path(&sharing, out_path);
        out_path->operators = shares_finish(&sharing.by[BY_OPERATOR]);
        find_repeats(dependence->profile, &out_path->operators);
        out_path->roles = shares_finish(&sharing.by[BY_ROLE]);
        out_path->tracks = shares_finish(&sharing.by[BY_TRACK]);
        free(sharing.operator_rows);
    }
    spool_free(&spool);
    return result;
}

void critical_path_free(struct critical_path *path)
{
    free(path->operators.rows);
    free(path->roles.rows);
    free(path->tracks.rows);
    *path = (struct critical_path){.last = DEPENDENCE_NONE};
}
