#include "track_source.h"

#include <stdio.h>
#include <stdlib.h>

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
    return size > 0 && (size_t)size < room ? (size_t)size : 0;
}

enum provenance track_source_provenance(struct view line)
{
    const struct view word = view_slice(line, 0, view_find(line, ','));
    for (int i = PROVENANCE_MEASURED; i <= PROVENANCE_DERIVED; i++) {
        if (view_is(word, provenance_name((enum provenance)i)))
            return (enum provenance)i;
    }
    return PROVENANCE_ABSENT;
}

uint32_t track_source_clock(struct profile *profile, struct view line)
{
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
