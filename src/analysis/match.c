#include "match_parts.h"

#include <stdlib.h>
#include <strings.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"

enum { ALIGNED_MOST = 4000000 }; // steps between two neighbours
enum { TYPE_SCORE = 3, SHAPE_SCORE = 2, WORK_SCORE = 2 };
enum { LOOKED_AT_MOST = 256 }; // parts of a group

const char *match_relation_name(enum match_relation relation)
{
    static const char *const NAMES[] = {"same",      "renamed", "fused", "split",
                                        "regrouped", "new",     "gone"};
    return NAMES[relation];
}

const struct match_part *match_part_at(const struct matcher *matcher, uint32_t id)
{
    const size_t first = matcher->sides[0].count;
    return id < first ? &matcher->sides[0].parts[id] : &matcher->sides[1].parts[id - first];
}

uint32_t match_group_of(struct matcher *matcher, uint32_t id)
{
    while (matcher->parent[id] != id) {
        matcher->parent[id] = matcher->parent[matcher->parent[id]];
        id = matcher->parent[id];
    }
    return id;
}

void match_join(struct matcher *matcher, uint32_t one, uint32_t other)
{
    const uint32_t a = match_group_of(matcher, one);
    const uint32_t b = match_group_of(matcher, other);
    matcher->matched[one] = matcher->matched[other] = true;
    matcher->mate[one] = other;
    matcher->mate[other] = one;
    if (a == b)
        return;
    matcher->parent[a < b ? b : a] = a < b ? a : b; // the first part of a group stands for it
    const uint32_t after = matcher->next[a];
    matcher->next[a] = matcher->next[b];
    matcher->next[b] = after;
}

static uint32_t hash_text(struct view text)
{
    return hash_bytes(text.data, text.size);
}

// The same name, type and shape -----------------------------------------------

static void match_equal(struct matcher *matcher)
{
    struct hash_index index = {0};
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    const uint32_t all = first + (uint32_t)matcher->sides[1].count;
    for (uint32_t id = 0; id < all; id++) {
        const struct match_part *part = match_part_at(matcher, id);
        const uint32_t hash =
            hash_text(part->name) ^ hash_text(part->type) * 3 ^ hash_text(part->shape) * 7;
        uint32_t found = HASH_NONE;
        for (uint32_t at = hash_first(&index, hash);
             id >= first && (found = hash_next(&index, hash, &at)) != HASH_NONE;) {
            const struct match_part *other = match_part_at(matcher, found);
            if (!matcher->matched[found] && view_equal(part->name, other->name) &&
                view_equal(part->type, other->type) && view_equal(part->shape, other->shape))
                break;
        }
        if (id < first)
            hash_add(&index, hash, id);
        else if (found != HASH_NONE)
            match_join(matcher, found, id);
    }
    hash_free(&index);
}

// The same name, of whatever type ---------------------------------------------

struct named {
    struct view name;
    uint32_t part;
};

static int compare_texts(struct view a, struct view b)
{
    const size_t both = a.size < b.size ? a.size : b.size;
    const int order = both > 0 ? memcmp(a.data, b.data, both) : 0;
    return order != 0 ? order : sort_compare(a.size, b.size);
}

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    const int order = compare_texts(a->name, b->name);
    return order != 0 ? order : sort_compare(a->part, b->part);
}

static size_t same_name(const struct named *parts, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && view_equal(parts[to].name, parts[from].name))
        to++;
    return to;
}

// What is left and has a name that each side has once.
static void match_names(struct matcher *matcher)
{
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    const size_t all = first + matcher->sides[1].count;
    struct named *parts = memory_allocate_zeroed(all + 1, sizeof *parts);
    for (uint32_t id = 0; id < all; id++)
        parts[id] = (struct named){match_part_at(matcher, id)->name, id};
    sort_items(parts, all, sizeof *parts, by_name);
    for (size_t i = 0, end; i < all; i = end) {
        end = same_name(parts, all, i);
        if (end - i == 2 && parts[i].name.size > 0 && parts[i].part < first &&
            parts[i + 1].part >= first && !matcher->matched[parts[i].part])
            match_join(matcher, parts[i].part, parts[i + 1].part);
    }
    free(parts);
}

// The same nodes --------------------------------------------------------------

// Names in quotes that a place in a source follows: "a"("x.mlir":1:2).
static bool next_member(struct view *rest, struct view *out_name)
{
    while (rest->size > 0) {
        const size_t open = view_find(*rest, '"');
        if (open == rest->size)
            return false;
        *rest = view_slice(*rest, open + 1, rest->size);
        const size_t close = view_find(*rest, '"');
        if (close == rest->size)
            return false;
        *out_name = view_slice(*rest, 0, close);
        *rest = view_slice(*rest, close + 1, rest->size);
        if (rest->size > 0 && rest->data[0] == '(')
            return true;
    }
    return false;
}

// A node of the network, and parts of a that were made from it.
struct node {
    struct view name;
    uint32_t first; // of `links`
    bool joined;    // its parts of a are in one group
};

struct link {
    uint32_t part;
    uint32_t next;
};

struct nodes {
    struct hash_index index;
    struct node *items;
    size_t count, capacity;
    struct link *links;
    size_t link_count, link_capacity;
};

static uint32_t node_find(struct nodes *nodes, struct view name)
{
    const uint32_t hash = hash_text(name);
    uint32_t id;
    for (uint32_t at = hash_first(&nodes->index, hash);
         (id = hash_next(&nodes->index, hash, &at)) != HASH_NONE;) {
        if (view_equal(nodes->items[id].name, name))
            return id;
    }
    return MATCH_NONE;
}

static void node_add(struct nodes *nodes, struct view name, uint32_t part)
{
    uint32_t id = node_find(nodes, name);
    if (id == MATCH_NONE) {
        nodes->items =
            memory_grow(nodes->items, nodes->count, &nodes->capacity, sizeof *nodes->items);
        id = (uint32_t)nodes->count++;
        nodes->items[id] = (struct node){.name = name, .first = MATCH_NONE};
        hash_add(&nodes->index, hash_text(name), id);
    }
    nodes->links =
        memory_grow(nodes->links, nodes->link_count, &nodes->link_capacity, sizeof *nodes->links);
    nodes->links[nodes->link_count] = (struct link){part, nodes->items[id].first};
    nodes->items[id].first = (uint32_t)nodes->link_count++;
}

// What has a counterpart is joined by what is made of the same node and is something else: a layout
// that is changed for an operator. Parts of one name and type with other shapes are others.
static bool may_join(const struct matcher *matcher, const bool *left, uint32_t one, uint32_t other)
{
    return (left[one] && left[other]) ||
           ((left[one] || left[other]) &&
            !view_equal(match_part_at(matcher, one)->type, match_part_at(matcher, other)->type));
}

static void node_join(struct matcher *matcher, struct nodes *nodes, const bool *left,
                      struct view name, uint32_t part)
{
    const uint32_t id = node_find(nodes, name);
    if (id == MATCH_NONE)
        return;
    struct node *node = &nodes->items[id];
    bool joined = false;
    unsigned others = 0;
    for (uint32_t at = node->first; at != MATCH_NONE && others < LOOKED_AT_MOST;
         at = nodes->links[at].next) {
        if (!may_join(matcher, left, nodes->links[at].part, part)) {
            others++;
            continue;
        }
        match_join(matcher, nodes->links[at].part, part);
        joined = true;
        if (node->joined)
            break;
    }
    node->joined = node->joined || joined;
}

// The nodes that a part of a is made of; what they are made into in b.
static void name_nodes(struct matcher *matcher, struct nodes *nodes, const bool *left, uint32_t id)
{
    const struct match_part *part = match_part_at(matcher, id);
    struct view rest = part->location;
    struct view name = part->name;
    do {
        if (name.size == 0)
            continue;
        if (id < matcher->sides[0].count)
            node_add(nodes, name, id);
        else
            node_join(matcher, nodes, left, name, id);
    } while (next_member(&rest, &name));
}

static void match_nodes(struct matcher *matcher)
{
    struct nodes nodes = {0};
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    const uint32_t all = first + (uint32_t)matcher->sides[1].count;
    bool *left = memory_allocate_zeroed((size_t)all + 1, sizeof *left);
    for (uint32_t id = 0; id < all; id++)
        left[id] = !matcher->matched[id];
    for (unsigned pass = 0; pass < 2; pass++) { // of a, what is left is found first
        for (uint32_t id = 0; id < first; id++) {
            if (left[id] == (pass == 1))
                name_nodes(matcher, &nodes, left, id);
        }
    }
    for (uint32_t id = first; id < all; id++)
        name_nodes(matcher, &nodes, left, id);
    free(left);
    hash_free(&nodes.index);
    free(nodes.items);
    free(nodes.links);
}

// Between neighbours ----------------------------------------------------------

// Parts without a counterpart, by the group of the last one before them that has one.
struct stray {
    uint32_t part;
    uint32_t after; // a group, MATCH_NONE: the first ones
};

struct strays {
    struct stray *items;
    size_t count;
};

static int by_neighbour(const void *left, const void *right)
{
    const struct stray *a = left, *b = right;
    return a->after != b->after ? sort_compare(a->after, b->after) : sort_compare(a->part, b->part);
}

static struct strays find_strays(struct matcher *matcher, unsigned side)
{
    const uint32_t from = side == 0 ? 0 : (uint32_t)matcher->sides[0].count;
    const size_t count = matcher->sides[side].count;
    struct strays strays = {.items = memory_allocate_zeroed(count + 1, sizeof *strays.items)};
    uint32_t after = MATCH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (matcher->matched[from + i])
            after = match_group_of(matcher, from + i);
        else
            strays.items[strays.count++] = (struct stray){from + i, after};
    }
    sort_items(strays.items, strays.count, sizeof *strays.items, by_neighbour);
    return strays;
}

// 0: they cannot be the same. Compilers have words of their own for types, but multiply-adds are
// what they are.
static unsigned likeness(const struct match_part *a, const struct match_part *b)
{
    const bool shapes = a->shape.size > 0 && view_equal(a->shape, b->shape);
    const bool work = a->macs > 0 && a->macs == b->macs;
    if (!view_equal(a->type, b->type) || (a->type.size == 0 && !shapes))
        return work ? (unsigned)WORK_SCORE : 0;
    return (unsigned)(TYPE_SCORE + (shapes ? SHAPE_SCORE : 0) + (work ? WORK_SCORE : 0));
}

// The best alignment in order of what lies between the same neighbours on both sides.
static void align_strays(struct matcher *matcher, const struct stray *a, size_t a_count,
                         const struct stray *b, size_t b_count)
{
    if ((a_count + 1) * (b_count + 1) > ALIGNED_MOST)
        return;
    const size_t width = b_count + 1;
    uint32_t *best = memory_allocate_zeroed((a_count + 1) * width, sizeof *best);
    for (size_t i = a_count; i-- > 0;) {
        for (size_t j = b_count; j-- > 0;) {
            const unsigned like =
                likeness(match_part_at(matcher, a[i].part), match_part_at(matcher, b[j].part));
            uint32_t most = like > 0 ? best[(i + 1) * width + j + 1] + like : 0;
            most = best[(i + 1) * width + j] > most ? best[(i + 1) * width + j] : most;
            most = best[i * width + j + 1] > most ? best[i * width + j + 1] : most;
            best[i * width + j] = most;
        }
    }
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        const uint32_t here = best[i * width + j];
        if (here == best[(i + 1) * width + j]) {
            i++;
        } else if (here == best[i * width + j + 1]) {
            j++;
        } else {
            match_join(matcher, a[i++].part, b[j++].part);
        }
    }
    free(best);
}

static size_t same_neighbour(const struct strays *strays, size_t from)
{
    size_t to = from;
    while (to < strays->count && strays->items[to].after == strays->items[from].after)
        to++;
    return to;
}

static void match_between(struct matcher *matcher)
{
    const struct strays a = find_strays(matcher, 0);
    const struct strays b = find_strays(matcher, 1);
    for (size_t i = 0, j = 0; i < a.count && j < b.count;) {
        const size_t a_end = same_neighbour(&a, i);
        const size_t b_end = same_neighbour(&b, j);
        if (a.items[i].after == b.items[j].after)
            align_strays(matcher, a.items + i, a_end - i, b.items + j, b_end - j);
        const bool a_first = a.items[i].after <= b.items[j].after;
        const bool b_first = b.items[j].after <= a.items[i].after;
        i = a_first ? a_end : i;
        j = b_first ? b_end : j;
    }
    free(a.items);
    free(b.items);
}

// Parts without a counterpart that have a type and a shape, equal ones together, in order.
struct described {
    const struct match_part *part;
    uint32_t id;
};

static int compare_descriptions(const struct described *a, const struct described *b)
{
    const int types = compare_texts(a->part->type, b->part->type);
    return types != 0 ? types : compare_texts(a->part->shape, b->part->shape);
}

static int by_description(const void *left, const void *right)
{
    const struct described *a = left, *b = right;
    const int order = compare_descriptions(a, b);
    return order != 0 ? order : sort_compare(a->id, b->id);
}

static struct described *describe_strays(const struct matcher *matcher, unsigned side,
                                         size_t *out_count)
{
    const uint32_t from = side == 0 ? 0 : (uint32_t)matcher->sides[0].count;
    const size_t count = matcher->sides[side].count;
    struct described *found = memory_allocate_zeroed(count + 1, sizeof *found);
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct match_part *part = match_part_at(matcher, from + i);
        if (!matcher->matched[from + i] && part->type.size > 0 && part->shape.size > 0)
            found[kept++] = (struct described){part, from + i};
    }
    sort_items(found, kept, sizeof *found, by_description);
    *out_count = kept;
    return found;
}

static size_t equal_descriptions(const struct described *found, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && compare_descriptions(&found[from], &found[to]) == 0)
        to++;
    return to;
}

// By type and shape in order, wherever they are.
static void match_described(struct matcher *matcher)
{
    size_t a_count, b_count;
    struct described *a = describe_strays(matcher, 0, &a_count);
    struct described *b = describe_strays(matcher, 1, &b_count);
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        const int order = compare_descriptions(&a[i], &b[j]);
        const size_t a_end = order <= 0 ? equal_descriptions(a, a_count, i) : i;
        const size_t b_end = order >= 0 ? equal_descriptions(b, b_count, j) : j;
        for (size_t k = 0; order == 0 && i + k < a_end && j + k < b_end; k++)
            match_join(matcher, a[i + k].id, b[j + k].id);
        i = a_end;
        j = b_end;
    }
    free(a);
    free(b);
}

// Fused without a word of it --------------------------------------------------

// How often a type is among those that a type is made of: Add in MatMul_Add.
static unsigned count_type(struct view whole, struct view type)
{
    unsigned count = 0;
    while (whole.size > 0) {
        size_t end = 0;
        while (end < whole.size && strchr("_+ ,/", whole.data[end]) == NULL)
            end++;
        count +=
            end == type.size && type.size > 0 && strncasecmp(whole.data, type.data, type.size) == 0;
        whole = view_slice(whole, end < whole.size ? end + 1 : end, whole.size);
    }
    return count;
}

// Whether the side across has this type more often in a group than the part's own side has; of a
// large group only some parts are looked at.
static bool lacks_type(const struct matcher *matcher, uint32_t neighbour, unsigned side,
                       struct view type)
{
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    unsigned counts[2] = {0};
    uint32_t id = neighbour;
    for (unsigned i = 0; i < LOOKED_AT_MOST; i++) {
        counts[id >= first] += count_type(match_part_at(matcher, id)->type, type);
        id = matcher->next[id];
        if (id == neighbour)
            break;
    }
    return counts[1 - side] > counts[side];
}

static void match_neighbours(struct matcher *matcher, unsigned side)
{
    const uint32_t from = side == 0 ? 0 : (uint32_t)matcher->sides[0].count;
    const uint32_t to = from + (uint32_t)matcher->sides[side].count;
    for (uint32_t id = from; id < to; id++) {
        const struct view type = match_part_at(matcher, id)->type;
        if (matcher->matched[id] || type.size == 0)
            continue;
        if (id > from && matcher->matched[id - 1] && lacks_type(matcher, id - 1, side, type))
            match_join(matcher, id - 1, id);
        else if (id + 1 < to && matcher->matched[id + 1] && lacks_type(matcher, id + 1, side, type))
            match_join(matcher, id + 1, id);
    }
}

// Groups ----------------------------------------------------------------------

struct group_count {
    uint32_t parts[2]; // of a and of b
    bool several;      // names
};

static enum match_relation relation_of(const struct group_count *count)
{
    const uint32_t a = count->parts[0], b = count->parts[1];
    if (a == 0)
        return MATCH_NEW;
    if (b == 0)
        return MATCH_GONE;
    if (!count->several) // with other shapes, it may be
        return MATCH_SAME;
    if (a == 1 && b == 1)
        return MATCH_RENAMED;
    return a > b ? MATCH_FUSED : a < b ? MATCH_SPLIT : MATCH_REGROUPED;
}

static void number_groups(struct matcher *matcher, struct match *match)
{
    const uint32_t first = (uint32_t)matcher->sides[0].count;
    const uint32_t all = first + (uint32_t)matcher->sides[1].count;
    uint32_t *numbers = memory_allocate_zeroed((size_t)all + 1, sizeof *numbers);
    struct group_count *counts = memory_allocate_zeroed((size_t)all + 1, sizeof *counts);
    for (uint32_t id = 0; id < all; id++) {
        const uint32_t root = match_group_of(matcher, id);
        const unsigned side = id >= first;
        if (root == id)
            numbers[id] = (uint32_t)match->count++;
        const uint32_t number = numbers[root];
        match->groups[side][id - (side ? first : 0)] = number;
        counts[number].parts[side]++;
        counts[number].several =
            counts[number].several ||
            !view_equal(match_part_at(matcher, root)->name, match_part_at(matcher, id)->name);
    }
    match->relations = memory_allocate_zeroed(match->count + 1, sizeof *match->relations);
    for (size_t i = 0; i < match->count; i++)
        match->relations[i] = relation_of(&counts[i]);
    free(numbers);
    free(counts);
}

void match_sides(struct match_side a, struct match_side b, struct match *out_match)
{
    const size_t all = a.count + b.count;
    struct matcher matcher = {.sides = {a, b}};
    matcher.parent = memory_allocate_zeroed(all + 1, sizeof *matcher.parent);
    matcher.next = memory_allocate_zeroed(all + 1, sizeof *matcher.next);
    matcher.mate = memory_allocate_zeroed(all + 1, sizeof *matcher.mate);
    matcher.matched = memory_allocate_zeroed(all + 1, sizeof *matcher.matched);
    for (uint32_t id = 0; id < all; id++)
        matcher.parent[id] = matcher.next[id] = id;
    *out_match = (struct match){0};
    for (unsigned side = 0; side < 2; side++)
        out_match->groups[side] =
            memory_allocate_zeroed(matcher.sides[side].count + 1, sizeof *out_match->groups[side]);
    match_equal(&matcher);
    match_names(&matcher);
    match_nodes(&matcher);
    match_rows(&matcher);
    match_between(&matcher);
    match_described(&matcher);
    match_neighbours(&matcher, 0);
    match_neighbours(&matcher, 1);
    number_groups(&matcher, out_match);
    free(matcher.parent);
    free(matcher.next);
    free(matcher.mate);
    free(matcher.matched);
}

void match_free(struct match *match)
{
    free(match->groups[0]);
    free(match->groups[1]);
    free(match->relations);
    *match = (struct match){0};
}
