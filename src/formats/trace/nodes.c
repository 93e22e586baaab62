#include "nodes.h"

void nodes_start(struct nodes *nodes, struct profile *profile)
{
    *nodes = (struct nodes){.profile = profile};
    segments_start(&nodes->items, sizeof(struct node));
}

// Names ------------------------------------------------------------------------------------

static bool is_digits(struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.size > 0;
}

struct view node_path(struct view name)
{
    const size_t slash = view_find_last(name, '/');
    if (slash == name.size)
        return name;
    const struct view last = view_slice(name, slash + 1, name.size);
    const bool numbered = view_starts_with(last, "__") && is_digits(view_slice(last, 2, last.size));
    return numbered ? view_slice(name, 0, slash) : name;
}

struct view node_block(struct view path)
{
    const size_t slash = view_find_last(path, '/');
    return slash < path.size ? view_slice(path, 0, slash) : VIEW_LITERAL("");
}

// "MatMul" of "/block/MatMul_3".
static struct view type_of(struct view path)
{
    const size_t slash = view_find_last(path, '/');
    const struct view last = slash < path.size ? view_slice(path, slash + 1, path.size) : path;
    const size_t line = view_find_last(last, '_');
    const bool numbered =
        line > 0 && line < last.size && is_digits(view_slice(last, line + 1, last.size));
    return numbered ? view_slice(last, 0, line) : last;
}

// Exporters name nodes by their type, in capitals and small letters: "MatMul". Others call them as
// they please: "encoder.norm2", "424".
static bool is_a_type(struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char letter = text.data[i];
        const bool capital = letter >= 'A' && letter <= 'Z';
        const bool small = letter >= 'a' && letter <= 'z';
        if (!capital && (i == 0 || !(small || (letter >= '0' && letter <= '9'))))
            return false;
    }
    return text.size > 1;
}

struct node *nodes_find(struct nodes *nodes, struct view name)
{
    const struct view path = node_path(name);
    if (path.size == 0)
        return NULL;
    const uint32_t id = profile_string(nodes->profile, path);
    const uint32_t hash = hash_u64(id);
    uint32_t found;
    for (uint32_t at = hash_first(&nodes->index, hash);
         (found = hash_next(&nodes->index, hash, &at)) != HASH_NONE;) {
        struct node *node = segments_get(&nodes->items, found);
        if (node->name == id)
            return node;
    }
    const struct operator_description op = {.name = id,
                                            .type = profile_string(nodes->profile, type_of(path))};
    struct node *node = segments_add(&nodes->items);
    *node = (struct node){.name = id, .operator_id = profile_operator_add(nodes->profile, &op)};
    hash_add(&nodes->index, hash, nodes->items.count - 1);
    return node;
}

// Kinds of work ----------------------------------------------------------------------------

static bool has(struct view text, const char *word)
{
    return view_find_text(text, word) < text.size;
}

static bool is_layout(struct view kind)
{
    return has(kind, "convert") && has(kind, "d32");
}

enum node_time node_time_of(struct view kind, struct view memory)
{
    if (has(kind, "multicast"))
        return NODE_MULTICAST;
    if (is_layout(kind))
        return NODE_LAYOUT;
    if (has(kind, "semaphoreinc"))
        return NODE_SYNC;
    const bool far = has(kind, "mmap") || has(kind, "munmap") || has(kind, "copyto") ||
                     has(kind, "copyfrom") || has(kind, "copyddr") ||
                     (has(kind, "copy") && has(memory, "DDR"));
    return far ? NODE_DDR : NODE_COMPUTE;
}

enum role node_role_of(struct view kind, struct view memory)
{
    if (has(kind, "mmap") || has(kind, "munmap") || has(kind, "semaphoreinc"))
        return ROLE_CONTROL;
    switch (node_time_of(kind, memory)) {
    case NODE_MULTICAST:
        return ROLE_COMMUNICATION;
    case NODE_DDR:
        return has(kind, "copyto")     ? ROLE_TRANSFER_IN
               : has(kind, "copyfrom") ? ROLE_TRANSFER_OUT
                                       : ROLE_TRANSFER;
    default:
        return has(kind, "copysame") ? ROLE_TRANSFER : ROLE_COMPUTE;
    }
}

const char *node_role_suffix(enum role role)
{
    switch (role) {
    case ROLE_TRANSFER_IN:
        return " in";
    case ROLE_TRANSFER_OUT:
        return " out";
    case ROLE_TRANSFER:
        return " copy";
    case ROLE_COMMUNICATION:
        return " multicast";
    case ROLE_WAIT:
        return " sync";
    case ROLE_CONTROL:
        return " control";
    default:
        return "";
    }
}

void nodes_spend(struct nodes *nodes, struct node *node, struct view kind, struct view memory,
                 uint64_t ns)
{
    const enum node_time time = node_time_of(kind, memory);
    const bool computes = time == NODE_COMPUTE;
    node->ns[time] += ns;
    if (node->kind != 0 && (computes == node->kind_computes ? ns <= node->kind_ns : !computes))
        return;
    node->kind = profile_string(nodes->profile, view_trim(kind));
    node->kind_ns = ns;
    node->kind_computes = computes;
}

// Results ----------------------------------------------------------------------------------

const char *node_bound(const uint64_t ns[NODE_TIMES])
{
    static const char *const NAMES[NODE_TIMES] = {"compute", "ddr", "multicast", "layout", "sync"};
    uint64_t sum = 0;
    unsigned most = 0;
    for (unsigned i = 0; i < NODE_TIMES; i++) {
        sum += ns[i];
        most = ns[i] > ns[most] ? i : most;
    }
    if (sum == 0)
        return NULL;
    return ns[most] >= sum - ns[most] ? NAMES[most] : "mixed";
}

void nodes_finish(struct nodes *nodes)
{
    struct profile *profile = nodes->profile;
    const uint32_t block_key = profile_string(profile, VIEW_LITERAL("block"));
    const uint32_t bound_key = profile_string(profile, VIEW_LITERAL("bound"));
    struct bytes values = {0};
    for (uint32_t i = 0; i < nodes->items.count; i++) {
        const struct node *node = segments_get(&nodes->items, i);
        const struct view block = node_block(profile_text(profile, node->name));
        const char *bound = node_bound(node->ns);
        struct operator_description *op = profile_operator(profile, node->operator_id);
        if (node->kind != 0 && !is_a_type(profile_text(profile, op->type)))
            op->type = node->kind;
        values.size = 0;
        bytes_append(&values, op->values.data, op->values.size);
        if (block.size > 0)
            value_add_string(&values, block_key, profile_string(profile, block));
        if (bound != NULL)
            value_add_string(&values, bound_key, profile_string(profile, view_of(bound)));
        op->values = arena_copy(&profile->arena, bytes_view(&values));
    }
    bytes_free(&values);
}

void nodes_free(struct nodes *nodes)
{
    segments_free(&nodes->items);
    hash_free(&nodes->index);
}
