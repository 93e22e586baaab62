// The packing of .tracy files: blocks of LZ4 or zstd, in one stream or several that take turns.

#ifndef OPSCOPE_FORMATS_TRACY_CONTAINER_H
#define OPSCOPE_FORMATS_TRACY_CONTAINER_H

#include "base/spool.h"

enum { TRACY_BLOCK = 65536 }; // bytes of every block but the last, unpacked

bool tracy_container_recognise(struct view bytes);

// Appends what is packed to an empty spool. `*out_damage` is NULL, or says what is wrong after
// what could be unpacked. Fails when the spool does.
status tracy_container_unpack(struct view bytes, struct spool *out, const char **out_damage);

#endif
