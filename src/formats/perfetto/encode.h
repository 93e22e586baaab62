// The bytes of a chunk's events: packets of a trace, one after the other.

#ifndef OPSCOPE_FORMATS_PERFETTO_ENCODE_H
#define OPSCOPE_FORMATS_PERFETTO_ENCODE_H

#include "chunk.h"
#include "profile/profile.h"

// What is the same for all events of a trace: text ids of arguments that are not among the values,
// and of the key under which texts are categories.
struct encode_options {
    const struct profile *profile; // whose texts are defined; it may grow meanwhile
    bool no_arguments;
    uint32_t location_key;
    uint32_t cycles_key;
    uint32_t category_key;
    uint32_t call_key;
};

// Appends the packets of `chunk` to `to`. Where they are more than `most` bytes, `to` may be cut
// between packets into pieces of no more than that, unless one is longer by itself: appends to
// `ends` where they end (size_t each), the last one too. On any thread.
void chunk_encode(const struct chunk *chunk, const struct encode_options *options, size_t most,
                  struct bytes *to, struct bytes *ends);

// The parts of a packet that says how a sequence starts.
unsigned char *encode_start(unsigned char *to, uint32_t sequence, uint64_t uuid, uint64_t ns);
enum { ENCODE_START_MOST = 256 };

#endif
