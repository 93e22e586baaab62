#include "image_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clones.h"

enum { PIECE = 16384 }; // elements that are worth a piece of their own

struct image_join *image_join_create(uint32_t parts)
{
    struct image_join *join = memory_allocate_zeroed(1, sizeof *join);
    join->parts = memory_allocate_zeroed((size_t)parts + 1, sizeof *join->parts);
    join->part_count = parts;
    join->apart = 1;
    return join;
}

void image_join_free(struct image_join *join)
{
    if (join == NULL)
        return;
    for (uint32_t i = 0; i < join->part_count; i++)
        free(join->parts[i].chain);
    free(join->parts);
    free(join);
}

struct job {
    const struct image_join *join;
    char *result;
};

static void run_chain(const struct job *job, const struct image_part *part, uint64_t from,
                      uint64_t to)
{
    const struct image_join *join = job->join;
    const size_t size = element_size(part->chain->inputs[0].element);
    const void *inputs[CHAIN_INPUTS_MOST];
    memcpy(inputs + 1, part->others, sizeof inputs - sizeof *inputs);
    inputs[0] = (const char *)part->source + from * part->channels * size;
    chain_run_lines(part->chain, inputs,
                    job->result + (from * join->channels + part->at) * join->size,
                    &(struct chain_lines){to - from, part->channels, join->channels});
}

static void copy_part(const struct job *job, const struct image_part *part, uint64_t from,
                      uint64_t to)
{
    const uint64_t all = job->join->channels * job->join->size;
    const uint64_t bytes = part->channels * job->join->size;
    const uint64_t step = part->step * job->join->size;
    const char *source = part->source;
    char *result = job->result + part->at * job->join->size;
    for (uint64_t i = from; i < to; i++)
        memcpy(result + i * all, source + i * step, bytes);
}

// Channels of one part, or of two in turns, of one pixel.
#define PUT_APART(type)                                                                            \
    CORE_CLONES(void, put_apart_##type,                                                            \
                (const type *from, type *to, uint64_t channels, uint64_t apart),                   \
                (from, to, channels, apart))                                                       \
    {                                                                                              \
        for (uint64_t i = 0; i < channels; i++)                                                    \
            to[i * apart] = from[i];                                                               \
    }                                                                                              \
    CORE_CLONES(void, put_two_##type,                                                              \
                (const type *a, const type *b, type *restrict to, uint64_t channels),              \
                (a, b, to, channels))                                                              \
    {                                                                                              \
        for (uint64_t i = 0; i < channels; i++) {                                                  \
            to[2 * i] = a[i];                                                                      \
            to[2 * i + 1] = b[i];                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void put_pixel_##type(const struct image_join *join, uint64_t pixel, void *result)      \
    {                                                                                              \
        const struct image_part *parts = join->parts;                                              \
        type *to = (type *)result + pixel * join->channels;                                        \
        if (join->part_count == 2 && join->apart == 2 && parts[0].at == 0) {                       \
            put_two_##type((const type *)parts[0].source + pixel * parts[0].step,                  \
                           (const type *)parts[1].source + pixel * parts[1].step, to,              \
                           parts[0].channels);                                                     \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t i = 0; i < join->part_count; i++)                                            \
            put_apart_##type((const type *)parts[i].source + pixel * parts[i].step,                \
                             to + parts[i].at, parts[i].channels, join->apart);                    \
    }

PUT_APART(uint32_t)
PUT_APART(uint8_t)

static void shuffle_pixels(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    for (uint64_t i = from; i < to; i++)
        (job->join->size == 1 ? put_pixel_uint8_t : put_pixel_uint32_t)(job->join, i, job->result);
}

static void join_pixels(void *context, uint64_t from, uint64_t to)
{
    const struct job *job = context;
    for (uint32_t i = 0; i < job->join->part_count; i++) {
        const struct image_part *part = &job->join->parts[i];
        if (part->chain != NULL)
            run_chain(job, part, from, to);
        else
            copy_part(job, part, from, to);
    }
}

void image_join_run(const struct image_join *join, void *result, struct parallel *parallel)
{
    struct job job = {join, result};
    const uint64_t worth = join->pixels * join->channels / PIECE;
    // An even number of equal pieces, for two threads.
    const uint64_t pieces = worth > 0 ? (worth + 1) / 2 * 2 : 1;
    parallel_for(parallel, join->pixels, (join->pixels + pieces - 1) / pieces,
                 join->apart > 1 ? shuffle_pixels : join_pixels, &job);
}
