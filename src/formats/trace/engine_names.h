// What the name of a lane says, where a machine's own tools always call it so: role, engine and
// number. Of files that say no more than names.

#ifndef OPSCOPE_FORMATS_TRACE_ENGINE_NAMES_H
#define OPSCOPE_FORMATS_TRACE_ENGINE_NAMES_H

#include "profile/profile.h"

// Role, engine and index of a track that is or will be added, by its name; none where nobody
// calls a lane so.
void engine_names_apply(struct profile *profile, struct track *track);

// The same for tracks that were left to whoever knows the words (`by_name`).
void engine_names_resolve(struct profile *profile);

// Whether a lane's name alone says its role, engine and number.
bool engine_names_tell(const struct profile *profile, const struct track *track);

// The role of an engine that has this name in the record; ROLE_NONE where no machine is known
// to have one.
enum role engine_names_role(struct view engine);

#endif
