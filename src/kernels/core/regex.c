#include "regex.h"

#include <stdlib.h>

#include "base/memory.h"
#include "regex_program.h"
#include "unicode.h"

enum step_kind {
    STEP_SET,   // one character of set `value`, then the next step
    STEP_PLACE, // at place `value` on to the next step
    STEP_SPLIT, // on to both the next step and `value`
    STEP_JUMP,  // on to `value`
    STEP_MATCH,
};

struct step {
    enum step_kind kind;
    uint32_t value;
};

// Steps that are waiting, each once.
struct waiting {
    uint32_t *steps;
    uint32_t *places; // of each step among them, where it is there
    uint32_t count;
};

struct regex {
    struct regex_tree tree;
    struct step *steps;
    size_t count, capacity;
    size_t visits; // of nodes, while steps are made
    struct waiting now, then;
    uint32_t *stack;
};

// Making steps -------------------------------------------------------------------

static uint32_t add_step(struct regex *regex, enum step_kind kind, uint32_t value)
{
    regex->steps = memory_grow(regex->steps, regex->count, &regex->capacity, sizeof *regex->steps);
    regex->steps[regex->count] = (struct step){kind, value};
    return (uint32_t)regex->count++;
}

static status make_steps(struct regex *regex, uint32_t id);

// Steps that go to the end of what is being made form a chain until it is known.
static void end_chain(struct regex *regex, uint32_t chain)
{
    while (chain != REGEX_NONE) {
        const uint32_t next = regex->steps[chain].value;
        regex->steps[chain].value = (uint32_t)regex->count;
        chain = next;
    }
}

static status make_choice(struct regex *regex, uint32_t child)
{
    uint32_t chain = REGEX_NONE;
    for (; child != REGEX_NONE; child = regex->tree.nodes[child].next) {
        const bool last = regex->tree.nodes[child].next == REGEX_NONE;
        const uint32_t split = last ? REGEX_NONE : add_step(regex, STEP_SPLIT, 0);
        STATUS_TRY(make_steps(regex, child));
        if (last)
            break;
        chain = add_step(regex, STEP_JUMP, chain);
        regex->steps[split].value = (uint32_t)regex->count;
    }
    end_chain(regex, chain);
    return STATUS_OK;
}

static status make_repeat(struct regex *regex, const struct regex_node node)
{
    uint32_t from = (uint32_t)regex->count;
    for (uint32_t i = 0; i < node.least; i++) {
        from = (uint32_t)regex->count;
        STATUS_TRY(make_steps(regex, node.first));
    }
    if (node.most == REGEX_NONE && node.least > 0) {
        add_step(regex, STEP_SPLIT, from);
        return STATUS_OK;
    }
    if (node.most == REGEX_NONE) {
        const uint32_t split = add_step(regex, STEP_SPLIT, 0);
        STATUS_TRY(make_steps(regex, node.first));
        add_step(regex, STEP_JUMP, split);
        regex->steps[split].value = (uint32_t)regex->count;
        return STATUS_OK;
    }
    uint32_t chain = REGEX_NONE;
    for (uint32_t i = node.least; i < node.most; i++) {
        chain = add_step(regex, STEP_SPLIT, chain);
        STATUS_TRY(make_steps(regex, node.first));
    }
    end_chain(regex, chain);
    return STATUS_OK;
}

static status make_steps(struct regex *regex, uint32_t id)
{
    const struct regex_node node = regex->tree.nodes[id];
    if (++regex->visits > REGEX_STEPS_MOST || regex->count > REGEX_STEPS_MOST)
        return status_make(STATUS_LIMIT, "the pattern unfolds to more than %d steps",
                           REGEX_STEPS_MOST);
    switch (node.kind) {
    case REGEX_NOTHING:
        break;
    case REGEX_SET:
        add_step(regex, STEP_SET, node.value);
        break;
    case REGEX_PLACE:
        add_step(regex, STEP_PLACE, node.value);
        break;
    case REGEX_SEQUENCE:
        for (uint32_t i = node.first; i != REGEX_NONE; i = regex->tree.nodes[i].next)
            STATUS_TRY(make_steps(regex, i));
        break;
    case REGEX_CHOICE:
        return make_choice(regex, node.first);
    case REGEX_REPEAT:
        return make_repeat(regex, node);
    }
    return STATUS_OK;
}

status regex_compile(struct view pattern, struct regex **out_regex)
{
    struct regex *regex = memory_allocate_zeroed(1, sizeof *regex);
    status failure = regex_parse(pattern, &regex->tree);
    if (failure == STATUS_OK)
        failure = make_steps(regex, regex->tree.root);
    if (failure != STATUS_OK) {
        regex_free(regex);
        return failure;
    }
    add_step(regex, STEP_MATCH, 0);
    struct waiting *both[] = {&regex->now, &regex->then};
    for (int i = 0; i < 2; i++) {
        both[i]->steps = memory_allocate_zeroed(regex->count, sizeof(uint32_t));
        both[i]->places = memory_allocate_zeroed(regex->count, sizeof(uint32_t));
    }
    regex->stack = memory_allocate_zeroed(regex->count * 2 + 2, sizeof *regex->stack);
    *out_regex = regex;
    return STATUS_OK;
}

void regex_free(struct regex *regex)
{
    if (regex == NULL)
        return;
    regex_tree_free(&regex->tree);
    free(regex->steps);
    free(regex->now.steps);
    free(regex->now.places);
    free(regex->then.steps);
    free(regex->then.places);
    free(regex->stack);
    free(regex);
}

// Matching -----------------------------------------------------------------------

#define NO_CHARACTER UINT32_MAX

static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool holds(enum regex_place place, uint32_t before, uint32_t behind)
{
    switch (place) {
    case REGEX_TEXT_BEGIN:
        return before == NO_CHARACTER;
    case REGEX_TEXT_END:
        return behind == NO_CHARACTER;
    case REGEX_LINE_BEGIN:
        return before == NO_CHARACTER || before == '\n';
    case REGEX_LINE_END:
        return behind == NO_CHARACTER || behind == '\n';
    case REGEX_WORD_EDGE:
        return is_word(before) != is_word(behind);
    case REGEX_NO_WORD_EDGE:
        return is_word(before) == is_word(behind);
    }
    return false;
}

static bool is_waiting(const struct waiting *waiting, uint32_t step)
{
    const uint32_t place = waiting->places[step];
    return place < waiting->count && waiting->steps[place] == step;
}

// Adds a step and all that can be reached from it without a character.
static void wait_at(struct regex *regex, struct waiting *waiting, uint32_t first, uint32_t before,
                    uint32_t behind)
{
    size_t depth = 0;
    regex->stack[depth++] = first;
    while (depth > 0) {
        const uint32_t at = regex->stack[--depth];
        if (is_waiting(waiting, at))
            continue;
        waiting->places[at] = waiting->count;
        waiting->steps[waiting->count++] = at;
        const struct step step = regex->steps[at];
        if (step.kind == STEP_SPLIT || step.kind == STEP_JUMP)
            regex->stack[depth++] = step.value;
        if (step.kind == STEP_SPLIT ||
            (step.kind == STEP_PLACE && holds((enum regex_place)step.value, before, behind)))
            regex->stack[depth++] = at + 1;
    }
}

bool regex_matches(struct regex *regex, struct view text)
{
    size_t at = 0;
    uint32_t before = NO_CHARACTER;
    uint32_t behind = text.size > 0 ? unicode_next(text, &at) : NO_CHARACTER;
    regex->now.count = 0;
    wait_at(regex, &regex->now, 0, before, behind);
    while (behind != NO_CHARACTER && regex->now.count > 0) {
        before = behind;
        behind = at < text.size ? unicode_next(text, &at) : NO_CHARACTER;
        regex->then.count = 0;
        for (uint32_t i = 0; i < regex->now.count; i++) {
            const struct step step = regex->steps[regex->now.steps[i]];
            if (step.kind == STEP_SET && regex_set_has(&regex->tree.sets[step.value], before))
                wait_at(regex, &regex->then, regex->now.steps[i] + 1, before, behind);
        }
        const struct waiting then = regex->then;
        regex->then = regex->now;
        regex->now = then;
    }
    return is_waiting(&regex->now, (uint32_t)regex->count - 1);
}
