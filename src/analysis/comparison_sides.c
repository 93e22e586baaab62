#include "comparison_sides.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"

static uint32_t place_of(struct compared_side *side, struct hash_index *index, size_t *capacity,
                         const struct work_part *part)
{
    const uint32_t hash = hash_bytes(part->name.data, part->name.size) ^
                          hash_bytes(part->type.data, part->type.size) * 3 ^
                          hash_bytes(part->shape.data, part->shape.size) * 7;
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;) {
        const struct work_part *other = side->parts[id].part;
        if (view_equal(part->name, other->name) && view_equal(part->type, other->type) &&
            view_equal(part->shape, other->shape))
            return id;
    }
    side->parts = memory_grow(side->parts, side->part_count, capacity, sizeof *side->parts);
    side->parts[side->part_count] = (struct compared_part){.part = part};
    hash_add(index, hash, (uint32_t)side->part_count);
    return (uint32_t)side->part_count++;
}

// Items of a run by part of the side: those of part p stand in `out_ordered` from its begin on.
static size_t *order_by_part(const struct compared_side *side, const uint32_t *places,
                             const struct work_sample *samples, size_t count,
                             uint32_t **out_ordered)
{
    size_t *begins = memory_allocate_zeroed(side->part_count + 2, sizeof *begins);
    uint32_t *ordered = memory_allocate_zeroed(count + 1, sizeof *ordered);
    for (size_t i = 0; i < count; i++)
        begins[places[samples != NULL ? samples[i].part : i] + 2]++;
    for (size_t i = 2; i < side->part_count + 2; i++)
        begins[i] += begins[i - 1];
    for (size_t i = 0; i < count; i++)
        ordered[begins[places[samples != NULL ? samples[i].part : i] + 1]++] = (uint32_t)i;
    *out_ordered = ordered;
    return begins;
}

static void index_run(struct compared_side *side, size_t run_index)
{
    const struct work_run *run = &side->runs[run_index];
    const uint32_t *places = side->places[run_index];
    side->samples[run_index] =
        order_by_part(side, places, run->samples, run->sample_count, &side->ordered[run_index]);
    side->callers[run_index] =
        order_by_part(side, places, NULL, run->calls.part_count, &side->called[run_index]);
}

static void add_part(struct compared_part *to, const struct work_part *part, double rounds)
{
    to->calls += (double)part->calls / rounds;
    to->bytes += part->bytes / rounds;
    to->macs += part->macs * (double)part->calls / rounds;
    to->waited += part->waited / rounds;
}

struct worked {
    uint64_t first;
    uint32_t part;
};

static int in_order_of_work(const void *left, const void *right)
{
    const struct worked *a = left, *b = right;
    return a->first != b->first ? sort_compare(a->first, b->first) : sort_compare(a->part, b->part);
}

static void add_run(struct compared_side *side, size_t run_index, size_t rounds,
                    struct hash_index *index, size_t *capacity)
{
    const struct work_run *run = &side->runs[run_index];
    struct worked *order = memory_allocate_zeroed(run->part_count + 1, sizeof *order);
    uint32_t *places = memory_allocate_zeroed(run->part_count + 1, sizeof *places);
    for (uint32_t i = 0; i < run->part_count; i++)
        order[i] = (struct worked){run->parts[i].first, i};
    sort_items(order, run->part_count, sizeof *order, in_order_of_work);
    for (size_t i = 0; i < run->part_count; i++) {
        const struct work_part *part = &run->parts[order[i].part];
        if (!part->is_operator && part->first == UINT64_MAX)
            continue; // somebody waited under this name, and nobody worked
        const uint32_t place = place_of(side, index, capacity, part);
        places[order[i].part] = place;
        add_part(&side->parts[place], part, (double)rounds);
    }
    side->places[run_index] = places;
    free(order);
}

static void find_repeats(struct compared_side *side)
{
    struct hash_index index = {0};
    for (size_t i = 0; i < side->part_count; i++) {
        const struct view name = side->parts[i].part->name;
        const uint32_t hash = hash_bytes(name.data, name.size);
        uint32_t id;
        for (uint32_t at = hash_first(&index, hash);
             (id = hash_next(&index, hash, &at)) != HASH_NONE;) {
            if (view_equal(side->parts[id].part->name, name))
                break;
        }
        if (id == HASH_NONE)
            hash_add(&index, hash, (uint32_t)i);
        else
            side->parts[i].repeats = side->parts[id].repeats = true;
    }
    hash_free(&index);
}

void compared_side_make(struct compared_side *side, struct work_run *runs, size_t count)
{
    struct hash_index index = {0};
    size_t capacity = 0;
    size_t rounds = 0;
    *side = (struct compared_side){.runs = runs, .run_count = count};
    side->places = memory_allocate_zeroed(count + 1, sizeof *side->places);
    side->samples = memory_allocate_zeroed(count + 1, sizeof *side->samples);
    side->ordered = memory_allocate_zeroed(count + 1, sizeof *side->ordered);
    side->callers = memory_allocate_zeroed(count + 1, sizeof *side->callers);
    side->called = memory_allocate_zeroed(count + 1, sizeof *side->called);
    for (size_t i = 0; i < count; i++)
        rounds += runs[i].iteration_count;
    for (size_t i = 0; i < count; i++)
        add_run(side, i, rounds, &index, &capacity);
    find_repeats(side);
    for (size_t i = 0; i < count; i++)
        index_run(side, i);
    hash_free(&index);
}

void compared_side_free(struct compared_side *side)
{
    for (size_t i = 0; i < side->run_count; i++) {
        free(side->places[i]);
        free(side->samples[i]);
        free(side->ordered[i]);
        free(side->callers[i]);
        free(side->called[i]);
        work_free(&side->runs[i]);
    }
    free(side->places);
    free(side->samples);
    free(side->ordered);
    free(side->callers);
    free(side->called);
    free(side->parts);
    free(side->runs);
}
