// Unpacks the compressed packets of a trace.
//
// Memory: the state of the unpackers. What comes out is the caller's, grows with what really comes
// out, and never beyond what the caller allows.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_UNPACK_H
#define OPSCOPE_FORMATS_PERFETTO_READER_UNPACK_H

#include "base/bytes.h"

// No packet unpacks to more (Perfetto itself keeps packets under 512 KiB).
enum { PERFETTO_UNPACK_MOST = 64 << 20 };

enum perfetto_unpack_result {
    PERFETTO_UNPACK_DONE,
    PERFETTO_UNPACK_DAMAGED, // what came out before the damage is there
    PERFETTO_UNPACK_LARGE,   // the first `most` bytes are there, or fewer
};

// All zero is one that has unpacked nothing yet.
struct perfetto_unpacker {
    void *isal;
    void *zlib;
    void *zstd;
};

// Both append to `to`, at most `most` bytes, and do not move it where it has room for them.
enum perfetto_unpack_result perfetto_unpack_zlib(struct perfetto_unpacker *unpacker,
                                                 struct view packed, size_t most, struct bytes *to);
enum perfetto_unpack_result perfetto_unpack_zstd(struct perfetto_unpacker *unpacker,
                                                 struct view packed, size_t most, struct bytes *to);

void perfetto_unpack_free(struct perfetto_unpacker *unpacker);

#endif
