// What files of version 1 say otherwise: they number the engines of one machine.

#ifndef OPSCOPE_PROFILE_FILE_VERSION_1_H
#define OPSCOPE_PROFILE_FILE_VERSION_1_H

#include "profile.h"

enum { FILE_VERSION_1_ENGINES = 10 };

// Sets role and engine of a track by the number of its engine, once all texts of the file are
// read: they are numbered through.
void file_version_1_set_engine(struct profile *profile, struct track *track, uint32_t number);

#endif
