#include "engine_names.h"

#include "formats/torq/engines.h"

void engine_names_apply(struct profile *profile, struct track *track)
{
    uint32_t index;
    const struct torq_engine *engine =
        torq_engine_of_name(profile_text(profile, track->name), &index);
    torq_engine_set(profile, track, engine, index);
}

void engine_names_resolve(struct profile *profile)
{
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        struct track *track = profile_track(profile, i);
        if (!track->by_name)
            continue;
        engine_names_apply(profile, track);
        track->by_name = track->role == ROLE_NONE;
    }
}

bool engine_names_tell(const struct profile *profile, const struct track *track)
{
    uint32_t index;
    const struct torq_engine *engine =
        torq_engine_of_name(profile_text(profile, track->name), &index);
    return engine != NULL && engine->role == track->role && index == track->index &&
           view_is(profile_text(profile, track->engine), engine->name) && track->core == 0 &&
           track->device == 0;
}

enum role engine_names_role(struct view engine)
{
    const struct torq_engine *known = torq_engine_of_word(engine);
    return known != NULL ? known->role : ROLE_NONE;
}
