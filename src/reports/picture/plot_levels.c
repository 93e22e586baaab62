#include "plot_levels.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "plot_rows.h"

// Memory that was taken (or given back) at a time.
struct change {
    uint64_t ns;
    int64_t bytes;
};

// A counter keeps its value until the next sample, which is never an earlier one.
static void carry_level(struct plot_lane *lane, uint32_t column)
{
    for (; lane->level_column < column; lane->level_column++)
        lane->levels[lane->level_column + 1] = (struct plot_level){lane->last, true};
}

void plot_level_add(const struct plot *plot, struct plot_lane *lane, uint64_t ns, double number)
{
    if (ns > plot->to || number - number != 0) // infinite, or no number
        return;
    if (lane->levels == NULL) {
        lane->levels = memory_allocate_zeroed(plot->options.columns, sizeof *lane->levels);
        lane->level_column = plot_column_at(plot, ns > plot->from ? ns : plot->from);
    }
    if (ns < plot->from)
        lane->levels[0].known = false; // only the last one before what is shown counts
    else
        carry_level(lane, plot_column_at(plot, ns));
    struct plot_level *level = &lane->levels[lane->level_column];
    level->most = level->known && level->most > number ? level->most : number;
    level->known = true;
    lane->last = number;
}

void plot_levels_finish(const struct plot *plot, struct plot_lane *lane)
{
    if (lane->levels == NULL)
        return;
    carry_level(lane, plot->options.columns - 1);
    for (uint32_t i = 0; i < plot->options.columns; i++) {
        const double number = lane->levels[i].known ? lane->levels[i].most : 0;
        lane->most = number > lane->most ? number : lane->most;
        lane->least = number < lane->least ? number : lane->least;
    }
}

// Memories -------------------------------------------------------------------------------

static struct plot_lane *add_memory_lane(struct plot *plot, struct plot_lane lane)
{
    plot->lanes = memory_resize(plot->lanes, (plot->lane_count + 1) * sizeof *plot->lanes);
    lane.is_memory = true;
    lane.kind = PICTURE_OTHER;
    plot->lanes[plot->lane_count] = lane;
    return &plot->lanes[plot->lane_count++];
}

static bool is_of(const struct plot_lane *lane, const struct buffer_lifetime *buffer)
{
    return lane->memory == buffer->memory && lane->device == buffer->device;
}

// A counter that is shown may say the same.
static bool has_counter(const struct plot *plot, struct view memory)
{
    for (size_t i = 0; memory.size > 0 && i < plot->lane_count; i++) {
        const struct track *track = profile_track(plot->profile, plot->lanes[i].track);
        if (plot->lanes[i].track != 0 && track->kind == TRACK_COUNTER &&
            picture_has_word(profile_text(plot->profile, track->name), memory))
            return true;
    }
    return false;
}

static bool memory_is_given(const struct plot *plot, uint32_t memory)
{
    const struct view name = profile_text(plot->profile, memory);
    if (has_counter(plot, name))
        return false;
    for (size_t i = 0; i < plot->options.track_count; i++) {
        if (picture_has_word(name, view_of(plot->options.tracks[i])) ||
            picture_has_word(VIEW_LITERAL("memory"), view_of(plot->options.tracks[i])))
            return true;
    }
    return plot->options.track_count == 0;
}

// A lane for each memory of a device that buffers lie in, its cores together.
static void choose_memories(struct plot *plot)
{
    const size_t before = plot->lane_count;
    for (uint32_t i = 0; i < plot->profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&plot->profile->buffers, i);
        size_t at = before;
        while (at < plot->lane_count && !is_of(&plot->lanes[at], buffer))
            at++;
        if (at < plot->lane_count) {
            plot->lanes[at].sample_count += 2;
        } else if (memory_is_given(plot, buffer->memory)) {
            if (before == plot->lane_count)
                add_memory_lane(plot, (struct plot_lane){.heading = true});
            if (plot->lane_count - before > PLOT_MEMORIES_MOST)
                plot->unshown_memories++;
            else
                add_memory_lane(plot, (struct plot_lane){.memory = buffer->memory,
                                                         .device = buffer->device,
                                                         .indent = 1,
                                                         .sample_count = 2});
        }
    }
}

static bool is_earlier(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    return left->ns != right->ns ? left->ns < right->ns : left->bytes < right->bytes;
}

static uint64_t since_start(const struct plot *plot, const struct buffer_lifetime *buffer,
                            uint64_t ticks)
{
    const uint64_t ns = clock_to_ns(profile_clock(plot->profile, buffer->clock), ticks);
    return ns > plot->start ? ns - plot->start : 0;
}

static void fill_memory(const struct plot *plot, struct plot_lane *lane)
{
    struct change *changes = memory_allocate(lane->sample_count * sizeof *changes);
    size_t count = 0;
    for (uint32_t i = 0; i < plot->profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&plot->profile->buffers, i);
        if (!is_of(lane, buffer) || buffer->size > INT64_MAX)
            continue;
        const int64_t bytes = (int64_t)buffer->size;
        changes[count++] = (struct change){since_start(plot, buffer, buffer->from), bytes};
        changes[count++] = (struct change){since_start(plot, buffer, buffer->to), -bytes};
    }
    sort_in_place(changes, count, sizeof *changes, is_earlier);
    double taken = 0;
    for (size_t i = 0; i < count; i++) {
        taken += (double)changes[i].bytes;
        plot_level_add(plot, lane, changes[i].ns, taken);
    }
    free(changes);
}

void plot_add_memories(struct plot *plot)
{
    const size_t before = plot->lane_count;
    choose_memories(plot);
    for (size_t i = before + 1; i < plot->lane_count; i++)
        fill_memory(plot, &plot->lanes[i]);
}
