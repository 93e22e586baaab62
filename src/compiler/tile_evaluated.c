// Chains of groups, each cut as is best by the evaluator's word.
//
// What is known of one chain decides only whether a longer one is looked at, so that all chains of
// one length are searched side by side, and the results are the same with any number of threads.

#include <stdlib.h>

#include "alike.h"
#include "base/cpus.h"
#include "base/crew.h"
#include "base/memory.h"
#include "chain.h"
#include "compiler.h"
#include "evaluate.h"
#include "group.h"
#include "shard.h"
#include "tile.h"

enum { SEARCHERS_MOST = 64 };

// Chains that begin with a group, and the best of them.
struct begin {
    bool open;    // a longer one is to be looked at
    bool relaxed; // what the target asks for cannot be had
    uint32_t asked;
    struct search_answer *answers; // of one group, of two ...
    size_t answered, capacity;
    uint32_t count; // of the best; 0: it cannot be cut
    uint64_t time;  // of that and of all after it
};

struct chooser {
    struct plan *plan;
    struct alike *alike; // chains that were searched
    uint32_t *readers;
    struct begin *begins; // by group; one more, after all
    struct searcher *searchers[SEARCHERS_MOST];
    unsigned searcher_count;
};

// Searching --------------------------------------------------------------------------------

static void search_one(void *context, unsigned worker, uint32_t index)
{
    struct chooser *chooser = context;
    const struct search_answer answer =
        searcher_find(chooser->searchers[worker], alike_open(chooser->alike, index));
    alike_keep(chooser->alike, index, &answer);
}

// Finds the answers to all that was asked since the last time.
static void find_answers(struct chooser *chooser)
{
    const uint32_t open = alike_open_count(chooser->alike);
    const unsigned wanted = open < chooser->searcher_count ? open : chooser->searcher_count;
    for (unsigned i = 0; i < wanted; i++) {
        if (chooser->searchers[i] == NULL)
            chooser->searchers[i] = searcher_create(chooser->plan, chooser->readers);
    }
    crew_run(wanted, open, search_one, chooser);
    alike_close(chooser->alike);
}

static struct search_question question_of(const struct chooser *chooser, uint32_t first,
                                          uint32_t count, uint64_t limit)
{
    static const struct target_plan RELAXED = {.split = 1, .room = 1};
    const struct target_plan *wanted =
        chooser->begins[first].relaxed ? &RELAXED : &chooser->plan->target->plan;
    return (struct search_question){.first = first,
                                    .count = count,
                                    .split = wanted->split,
                                    .room = wanted->room,
                                    .depth_room = wanted->depth_room,
                                    .limit = limit};
}

static void ask(struct chooser *chooser, uint32_t first, uint32_t count, uint64_t limit)
{
    const struct search_question question = question_of(chooser, first, count, limit);
    chooser->begins[first].asked = alike_ask(chooser->alike, &question);
}

static struct search_answer take_answer(struct chooser *chooser, struct begin *begin,
                                        uint64_t limit)
{
    const struct search_answer answer = alike_answer(chooser->alike, begin->asked, limit);
    begin->answers =
        memory_grow(begin->answers, begin->answered, &begin->capacity, sizeof *begin->answers);
    begin->answers[begin->answered++] = answer;
    return answer;
}

// Chains -----------------------------------------------------------------------------------

// Each group by itself.
static void find_alone(struct chooser *chooser)
{
    const struct plan *plan = chooser->plan;
    const struct target_plan *wanted = &plan->target->plan;
    const bool strict = wanted->split > 1 || wanted->room < 1;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        chooser->begins[i].open = chain_takes(plan, &plan->groups[i]);
        if (chooser->begins[i].open)
            ask(chooser, i, 1, UINT64_MAX);
    }
    find_answers(chooser);
    for (uint32_t i = 0; strict && i < plan->group_count; i++) {
        struct begin *begin = &chooser->begins[i];
        if (!begin->open || alike_answer(chooser->alike, begin->asked, UINT64_MAX).found)
            continue;
        begin->relaxed = true;
        ask(chooser, i, 1, UINT64_MAX);
    }
    find_answers(chooser);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (chooser->begins[i].open)
            take_answer(chooser, &chooser->begins[i], UINT64_MAX);
    }
}

// A chain of `count` groups is of no use where it takes longer than without the last one.
static uint64_t limit_of(const struct chooser *chooser, uint32_t first, uint32_t count)
{
    const struct search_answer *before = &chooser->begins[first].answers[count - 2];
    const struct search_answer *last = &chooser->begins[first + count - 1].answers[0];
    if (!before->found)
        return UINT64_MAX;
    return before->time + (last->found ? last->time : UINT64_MAX / 2);
}

// Makes chains longer as long as another group is better in the chain than alone. Returns whether
// there was any.
static bool find_longer(struct chooser *chooser, uint32_t count)
{
    const struct plan *plan = chooser->plan;
    bool some = false;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        struct begin *begin = &chooser->begins[i];
        begin->open =
            begin->open && plan->target->plan.keep && chain_may_follow(plan, i, count - 1);
        if (begin->open)
            ask(chooser, i, count, limit_of(chooser, i, count));
        some = some || begin->open;
    }
    find_answers(chooser);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        struct begin *begin = &chooser->begins[i];
        begin->open = begin->open && take_answer(chooser, begin, limit_of(chooser, i, count)).found;
    }
    return some;
}

// The best chain that begins with a group. Jobs follow one another, so that their times add up;
// `begins` has those of the groups after it.
static void find_best(struct begin *begins, uint32_t first)
{
    struct begin *begin = &begins[first];
    begin->time = begins[first + 1].time;
    for (uint32_t count = 1; count <= begin->answered; count++) {
        const struct search_answer *answer = &begin->answers[count - 1];
        const uint64_t time = answer->time + begins[first + count].time;
        if (!answer->found || (begin->count > 0 && time >= begin->time))
            continue;
        begin->count = count;
        begin->time = time;
    }
}

// Cuts a group, with those after it that it hands its tiles to. Returns their number; 0 when it
// cannot be cut.
static uint32_t tile_chain(struct chooser *chooser, uint32_t first)
{
    uint32_t count = chooser->begins[first].count;
    struct search_answer answer = {0};
    if (count > 0)
        answer = chooser->begins[first].answers[count - 1];
    while (count > 0) {
        const struct search_question question = question_of(chooser, first, count, UINT64_MAX);
        if (answer.found && search_apply(chooser->plan, chooser->readers, &question, &answer))
            return count;
        if (--count == 0)
            break;
        ask(chooser, first, count, UINT64_MAX);
        find_answers(chooser);
        answer = alike_answer(chooser->alike, chooser->begins[first].asked, UINT64_MAX);
    }
    return 0;
}

static void chooser_free(struct chooser *chooser)
{
    for (unsigned i = 0; i < chooser->searcher_count; i++) {
        if (chooser->searchers[i] != NULL)
            searcher_free(chooser->searchers[i]);
    }
    for (uint32_t i = 0; i < chooser->plan->group_count; i++)
        free(chooser->begins[i].answers);
    free(chooser->begins);
    alike_free(chooser->alike);
    free(chooser->readers);
}

status tile_evaluated(struct plan *plan)
{
    const unsigned cpus = cpus_allowed();
    struct chooser chooser = {.plan = plan,
                              .readers = group_count_readers(plan->network),
                              .searcher_count = cpus < SEARCHERS_MOST ? cpus : SEARCHERS_MOST};
    chooser.alike = alike_create(plan, chooser.readers);
    chooser.begins = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof *chooser.begins);
    find_alone(&chooser);
    for (uint32_t count = 2; find_longer(&chooser, count);)
        count++;
    for (uint32_t i = plan->group_count; i-- > 0;)
        find_best(chooser.begins, i);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const uint32_t count = tile_chain(&chooser, i);
        if (count == 0) {
            tile_whole(plan, &plan->groups[i]);
            continue;
        }
        plan->tile_count += plan->groups[i].tile_count;
        i += count - 1;
    }
    chooser_free(&chooser);
    struct evaluation *evaluation = evaluation_create(plan);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (tile_may_leave(plan, &plan->groups[i]))
            tile_on_host(plan, &plan->groups[i], evaluate_job(evaluation, i));
    }
    shard_values(plan, evaluation);
    evaluation_free(evaluation);
    return STATUS_OK;
}
