#include "score.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "statistics.h"

static int by_measured(const void *a, const void *b)
{
    const struct score_pair *left = a;
    const struct score_pair *right = b;
    if (left->measured != right->measured)
        return left->measured > right->measured ? -1 : 1;
    return left->group < right->group ? -1 : left->group > right->group;
}

// Where all times are alike, they are in the right order.
static double spearman(const struct score_pair *pairs, size_t count)
{
    double *measured = memory_allocate_zeroed(count + 1, sizeof *measured);
    double *modelled = memory_allocate_zeroed(count + 1, sizeof *modelled);
    double correlation = 1;
    for (size_t i = 0; i < count; i++) {
        measured[i] = pairs[i].measured;
        modelled[i] = pairs[i].modelled;
    }
    statistics_rank_correlation(measured, modelled, count, &correlation);
    free(measured);
    free(modelled);
    return correlation;
}

void score_compare(const struct program *program, const double *measured, const double *modelled,
                   struct score *score)
{
    *score = (struct score){.program = program};
    score->pairs = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *score->pairs);
    score->count = program->group_count;
    for (uint32_t i = 0; i < program->group_count; i++)
        score->pairs[i].group = i;
    for (uint32_t i = 0; i < program->task_count; i++) {
        struct score_pair *pair = &score->pairs[program->tasks[i].group];
        pair->measured += measured[i];
        pair->modelled += modelled[i];
        score->measured += measured[i];
        score->modelled += modelled[i];
    }
    sort_items(score->pairs, score->count, sizeof *score->pairs, by_measured);
    while (score->large < score->count &&
           score->pairs[score->large].measured >= score->measured / 100)
        score->large++;
    for (size_t i = 0; i < score->large; i++)
        score->mape += fabs(score->pairs[i].modelled / score->pairs[i].measured - 1);
    score->mape /= score->large > 0 ? (double)score->large : 1;
    score->spearman = spearman(score->pairs, score->large);
}

double score_error(double modelled, double measured)
{
    return measured > 0 ? modelled / measured - 1 : 0;
}

void score_free(struct score *score)
{
    free(score->pairs);
    *score = (struct score){0};
}
