// Programs that were compiled before, so that a network is compiled again only when something
// about it changed: its bytes, those of its external constants, the command that compiles it, or
// opscope itself.
//
// A folder for each program. It is made elsewhere and moved there as a whole, so that sessions
// that run at the same time can share one cache.

#ifndef OPSCOPE_SUITE_CACHE_H
#define OPSCOPE_SUITE_CACHE_H

#include "base/digest.h"
#include "base/status.h"

// Adds the bytes of a file.
status cache_digest_file(struct digest *digest, const char *path);

// A folder of the cache by the digest of all that matters, to free.
char *cache_folder(const char *cache, const struct digest *digest);

// A folder beside it in which to make what is to lie there; to free.
status cache_begin(const char *folder, char **out_made);

// Moves it to its place; frees the name. One that another session put there meanwhile stays.
status cache_finish(const char *folder, char *made);

// Removes what was made; frees the name.
void cache_give_up(char *made);

#endif
