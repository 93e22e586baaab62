#include "alike.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "group.h"

struct known {
    size_t from, size; // its look
    bool open;
    struct search_question question;
    struct search_answer answer;
};

struct alike {
    const struct plan *plan;
    const uint32_t *readers; // by value
    // All looks that were asked for, one behind the other, and the answers.
    struct bytes looks;
    struct known *known;
    size_t count, capacity;
    struct hash_index index;
    uint32_t *open; // of `known`
    size_t open_count, open_capacity;
    // The question at hand: its look, and the values that have a number in it.
    struct bytes asked;
    bool sayable;
    uint32_t *values;
    size_t value_count, value_capacity;
};

struct alike *alike_create(const struct plan *plan, const uint32_t *readers)
{
    struct alike *alike = memory_allocate_zeroed(1, sizeof *alike);
    alike->plan = plan;
    alike->readers = readers;
    return alike;
}

void alike_free(struct alike *alike)
{
    bytes_free(&alike->looks);
    bytes_free(&alike->asked);
    hash_free(&alike->index);
    free(alike->known);
    free(alike->open);
    free(alike->values);
    free(alike);
}

// Looks ------------------------------------------------------------------------------------

static void say(struct alike *alike, uint64_t number)
{
    bytes_append(&alike->asked, &number, sizeof number);
}

static void say_definition(struct alike *alike, const struct network_node *node)
{
    bytes_append(&alike->asked, &node->definition, sizeof node->definition);
    say(alike, node->version);
}

static void say_type(struct alike *alike, const struct network_value *value)
{
    const struct value_type *type = &value->type;
    say(alike, (uint64_t)type->kind);
    say(alike, (uint64_t)type->element);
    say(alike, (uint64_t)type->optional << 3 | (uint64_t)type->ranked << 2 |
                   (uint64_t)value->declared << 1 | (uint64_t)(value->constant != NULL));
    say(alike, type->ranked ? type->shape.rank : 0);
    if (type->ranked)
        bytes_append(&alike->asked, type->shape.dims, type->shape.rank * sizeof *type->shape.dims);
}

// What made a value outside of the groups: a kernel may take over what scales its inputs.
static void say_maker(struct alike *alike, const struct network_value *value)
{
    if (value->producer == NETWORK_NONE) {
        say(alike, 0);
        return;
    }
    const struct network_node *maker = network_node(alike->plan->network, value->producer);
    say_definition(alike, maker);
    say(alike, maker->input_count);
    for (uint32_t i = 0; i < maker->input_count; i++) {
        say(alike, maker->inputs[i] != NETWORK_NONE);
        if (maker->inputs[i] != NETWORK_NONE)
            say_type(alike, group_value(alike->plan, maker->inputs[i]));
    }
}

// A value by its number, in order of first mention; what it is where it is mentioned first.
static void say_value(struct alike *alike, uint32_t value)
{
    if (value == NETWORK_NONE) {
        say(alike, UINT64_MAX);
        return;
    }
    size_t at = 0;
    while (at < alike->value_count && alike->values[at] != value)
        at++;
    say(alike, at);
    if (at < alike->value_count)
        return;
    alike->values = memory_grow(alike->values, alike->value_count, &alike->value_capacity,
                                sizeof *alike->values);
    alike->values[alike->value_count++] = value;
    say(alike, plan_is_image(alike->plan, value));
    say(alike, plan_is_packed(alike->plan, value));
    say_type(alike, group_value(alike->plan, value));
    say_maker(alike, group_value(alike->plan, value));
}

static void say_texts(struct alike *alike, const struct view *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        say(alike, texts[i].size);
        bytes_append_text(&alike->asked, texts[i]);
    }
}

static void say_attribute(struct alike *alike, const struct attribute *attribute)
{
    say(alike, attribute->name.size);
    bytes_append_text(&alike->asked, attribute->name);
    say(alike, (uint64_t)attribute->kind);
    say(alike, attribute->count);
    switch (attribute->kind) {
    case ATTRIBUTE_INTEGER:
        say(alike, (uint64_t)attribute->integer);
        break;
    case ATTRIBUTE_REAL:
        bytes_append(&alike->asked, &attribute->real, sizeof attribute->real);
        break;
    case ATTRIBUTE_TEXT:
        say_texts(alike, &attribute->text, 1);
        break;
    case ATTRIBUTE_TEXTS:
        say_texts(alike, attribute->texts, attribute->count);
        break;
    case ATTRIBUTE_INTEGERS:
        bytes_append(&alike->asked, attribute->integers,
                     attribute->count * sizeof *attribute->integers);
        break;
    case ATTRIBUTE_REALS:
        bytes_append(&alike->asked, attribute->reals, attribute->count * sizeof *attribute->reals);
        break;
    default: // Graphs and tensors: each is searched for itself.
        alike->sayable = false;
    }
}

static void say_node(struct alike *alike, const struct network_node *node)
{
    say_definition(alike, node);
    say(alike, (uint64_t)node->input_count << 32 | node->output_count);
    for (uint32_t i = 0; i < node->output_count; i++)
        say_value(alike, node->outputs[i]);
    for (uint32_t i = 0; i < node->input_count; i++)
        say_value(alike, node->inputs[i]);
    say(alike, node->attributes.count);
    for (uint32_t i = 0; i < node->attributes.count; i++)
        say_attribute(alike, &node->attributes.items[i]);
}

static void say_group(struct alike *alike, const struct plan_group *group)
{
    say(alike, group->engine);
    say(alike, (uint64_t)group->first_unit << 32 | group->unit_most);
    say(alike, group->node_count);
    say(alike, (uint64_t)group->input_count << 32 | group->output_count);
    for (uint32_t i = 0; i < group->node_count; i++)
        say_node(alike, group_node(alike->plan, group, i));
    for (uint32_t i = 0; i < group->input_count; i++)
        say_value(alike, group->inputs[i]);
    for (uint32_t i = 0; i < group->output_count; i++)
        say_value(alike, group->outputs[i]);
}

// Readers of a value among the groups that are asked about.
static uint32_t readers_inside(const struct alike *alike, const struct search_question *question,
                               uint32_t value)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < question->count; g++) {
        const struct plan_group *group = &alike->plan->groups[question->first + g];
        for (uint32_t i = 0; i < group->node_count; i++) {
            const struct network_node *node = group_node(alike->plan, group, i);
            for (uint32_t k = 0; k < node->input_count; k++)
                count += node->inputs[k] == value;
        }
    }
    return count;
}

// Whether others read what a group hands to the next.
static void say_leaving(struct alike *alike, const struct search_question *question,
                        const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->output_count; i++) {
        const uint32_t value = group->outputs[i];
        say(alike, alike->readers[value] > readers_inside(alike, question, value));
    }
}

static void say_question(struct alike *alike, const struct search_question *question)
{
    alike->asked.size = 0;
    alike->value_count = 0;
    alike->sayable = true;
    say(alike, question->count);
    say(alike, question->split);
    bytes_append(&alike->asked, &question->room, sizeof question->room);
    say(alike, question->depth_room);
    for (uint32_t i = 0; i < question->count; i++)
        say_group(alike, &alike->plan->groups[question->first + i]);
    for (uint32_t i = 0; i < question->count; i++)
        say_leaving(alike, question, &alike->plan->groups[question->first + i]);
}

// Questions --------------------------------------------------------------------------------

// Of what looks as the question at hand; ALIKE_NONE.
static uint32_t find_known(const struct alike *alike, uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&alike->index, hash);
         (id = hash_next(&alike->index, hash, &at)) != HASH_NONE;) {
        const struct known *known = &alike->known[id];
        if (known->size == alike->asked.size &&
            memcmp(alike->looks.data + known->from, alike->asked.data, known->size) == 0 &&
            (known->open || tiler_has_room(alike->plan, known->answer.tiles)))
            return id;
    }
    return ALIKE_NONE;
}

static uint32_t add_known(struct alike *alike, uint32_t hash)
{
    const uint32_t id = (uint32_t)alike->count;
    alike->known = memory_grow(alike->known, alike->count, &alike->capacity, sizeof *alike->known);
    alike->known[alike->count++] =
        (struct known){.from = alike->looks.size, .size = alike->asked.size};
    bytes_append(&alike->looks, alike->asked.data, alike->asked.size);
    if (alike->sayable)
        hash_add(&alike->index, hash, id);
    return id;
}

static void open_known(struct alike *alike, uint32_t id)
{
    alike->open =
        memory_grow(alike->open, alike->open_count, &alike->open_capacity, sizeof *alike->open);
    alike->open[alike->open_count++] = id;
    alike->known[id].open = true;
}

uint32_t alike_ask(struct alike *alike, const struct search_question *question)
{
    say_question(alike, question);
    const uint32_t hash = hash_bytes(alike->asked.data, alike->asked.size);
    uint32_t id = alike->sayable ? find_known(alike, hash) : ALIKE_NONE;
    const bool new = id == ALIKE_NONE;
    if (new)
        id = add_known(alike, hash);
    struct known *known = &alike->known[id];
    if (new || (!known->open && !known->answer.found && question->limit > known->question.limit)) {
        known->question = *question;
        open_known(alike, id);
    }
    if (question->limit > known->question.limit)
        known->question.limit = question->limit;
    return id;
}

uint32_t alike_open_count(const struct alike *alike)
{
    return (uint32_t)alike->open_count;
}

const struct search_question *alike_open(const struct alike *alike, uint32_t index)
{
    return &alike->known[alike->open[index]].question;
}

// Answers ----------------------------------------------------------------------------------

void alike_keep(struct alike *alike, uint32_t index, const struct search_answer *answer)
{
    alike->known[alike->open[index]].answer = *answer;
}

void alike_close(struct alike *alike)
{
    for (size_t i = 0; i < alike->open_count; i++)
        alike->known[alike->open[i]].open = false;
    alike->open_count = 0;
}

struct search_answer alike_answer(const struct alike *alike, uint32_t number, uint64_t limit)
{
    const struct search_answer *known = &alike->known[number].answer;
    return known->found && known->time <= limit ? *known
                                                : (struct search_answer){.tiles = known->tiles};
}
