#include "track_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine_names.h"

static const char ROLE[] = "; role=";

static bool needs_place(const struct profile *profile, const struct track *track)
{
    return track->role != ROLE_NONE && track->kind == TRACK_LANE && track->engine != 0 &&
           !engine_names_tell(profile, track);
}

static bool track_source_is_plain(struct view text)
{
    return view_find(text, ';') == text.size;
}

static int describe_place(const struct profile *profile, const struct track *track, char *text,
                          size_t room)
{
    const struct view engine = profile_text(profile, track->engine);
    const struct view queue = profile_text(profile, track->queue);
    if (!track_source_is_plain(engine) || !track_source_is_plain(queue))
        return 0;
    int size = snprintf(text, room, "%s%s; engine=%.*s; lane=%u", ROLE, role_name(track->role),
                        VIEW_ARGUMENTS(engine), track->index);
    if (track->device != 0 && size > 0 && (size_t)size < room)
        size += snprintf(text + size, room - (size_t)size, "; device=%u", track->device - 1);
    if (track->core != 0 && size > 0 && (size_t)size < room)
        size += snprintf(text + size, room - (size_t)size, "; core=%u", track->core - 1);
    if (track->queue != 0 && size > 0 && (size_t)size < room)
        size += snprintf(text + size, room - (size_t)size, "; queue=%.*s", VIEW_ARGUMENTS(queue));
    if (!track->nests && size > 0 && (size_t)size < room)
        size += snprintf(text + size, room - (size_t)size, "; flat=1");
    return size > 0 && (size_t)size < room ? size : 0;
}

size_t track_source_lane(char *text, size_t size, size_t room, uint64_t first)
{
    const struct view line = {text, size};
    if (track_source_head(line).size == size)
        return size;
    const int more = snprintf(text + size, room - size, "; of=%llu", (unsigned long long)first);
    return more > 0 && (size_t)more < room - size ? size + (size_t)more : size;
}

uint64_t track_source_lane_of(struct view line)
{
    static const char OF[] = "; of=";
    uint64_t first;
    const size_t at = view_find_text(line, OF);
    const bool last = at < line.size && track_source_head(line).size < at;
    return last && view_to_u64(view_slice(line, at + sizeof OF - 1, line.size), &first) ? first : 0;
}

size_t track_source_describe(const struct profile *profile, const struct track *track, char *text,
                             size_t room)
{
    const struct clock_domain *domain = profile_clock(profile, track->clock);
    const struct view clock_name = profile_text(profile, domain->name);
    int size = 0;
    // A reader maps nanoseconds back to ticks, which needs a clock that starts with the trace.
    if (track->provenance != PROVENANCE_ABSENT && track->clock != 0 && clock_is_plain(domain))
        size = snprintf(text, room, "%s, %llu Hz %.*s", provenance_name(track->provenance),
                        (unsigned long long)domain->frequency, VIEW_ARGUMENTS(clock_name));
    else if (track->provenance != PROVENANCE_ABSENT)
        size = snprintf(text, room, "%s", provenance_name(track->provenance));
    if (size <= 0 || (size_t)size >= room)
        return 0;
    if (needs_place(profile, track))
        size += describe_place(profile, track, text + size, room - (size_t)size);
    return (size_t)size;
}

struct view track_source_head(struct view line)
{
    return view_slice(line, 0, view_find_text(line, ROLE));
}

static void set_place(struct profile *profile, struct view key, struct view value,
                      struct track *track)
{
    uint64_t number = 0;
    const bool counts = view_to_u64(value, &number) && number < UINT32_MAX;
    if (view_is(key, "role"))
        role_from_name(value, &track->role);
    else if (view_is(key, "engine"))
        track->engine = profile_string(profile, value);
    else if (view_is(key, "queue"))
        track->queue = profile_string(profile, value);
    else if (view_is(key, "flat"))
        track->nests = false;
    else if (view_is(key, "lane") && counts)
        track->index = (uint32_t)number;
    else if (view_is(key, "core") && counts)
        track->core = (uint32_t)number + 1;
    else if (view_is(key, "device") && counts)
        track->device = (uint32_t)number + 1;
}

bool track_source_place(struct profile *profile, struct view line, struct track *track)
{
    struct view rest = view_slice(line, track_source_head(line).size, line.size);
    const bool said = rest.size > 0;
    while (rest.size > 2) {
        rest = view_slice(rest, 2, rest.size);
        const struct view pair = view_slice(rest, 0, view_find(rest, ';'));
        const size_t equal = view_find(pair, '=');
        set_place(profile, view_slice(pair, 0, equal), view_slice(pair, equal + 1, pair.size),
                  track);
        rest = view_slice(rest, pair.size, rest.size);
    }
    return said;
}

enum provenance track_source_provenance(struct view line)
{
    const struct view head = track_source_head(line);
    const struct view word = view_slice(head, 0, view_find(head, ','));
    for (int i = PROVENANCE_MEASURED; i <= PROVENANCE_DERIVED; i++) {
        if (view_is(word, provenance_name((enum provenance)i)))
            return (enum provenance)i;
    }
    return PROVENANCE_ABSENT;
}

uint32_t track_source_clock(struct profile *profile, struct view whole)
{
    const struct view line = track_source_head(whole);
    const size_t comma = view_find(line, ',');
    const size_t unit = view_find_text(line, " Hz ");
    uint64_t frequency;
    if (track_source_provenance(line) == PROVENANCE_ABSENT || comma + 2 >= unit ||
        unit == line.size || !view_to_u64(view_slice(line, comma + 2, unit), &frequency) ||
        frequency == 0 || frequency > 1000000000)
        return 0;
    char *name = view_copy(view_slice(line, unit + strlen(" Hz "), line.size));
    const uint32_t clock = profile_clock_find(profile, name, frequency);
    free(name);
    return clock;
}
