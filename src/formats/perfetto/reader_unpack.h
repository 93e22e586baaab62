// Unpacks the compressed packets of a trace, one at a time.
//
// Memory: the largest unpacked packet so far, which grows with what really
// comes out and never beyond PERFETTO_UNPACK_MOST (Perfetto itself keeps
// packets under 512 KiB).

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_UNPACK_H
#define OPSCOPE_FORMATS_PERFETTO_READER_UNPACK_H

#include "base/bytes.h"

enum { PERFETTO_UNPACK_MOST = 64 << 20 };

enum perfetto_unpack_result {
    PERFETTO_UNPACK_DONE,
    PERFETTO_UNPACK_DAMAGED, // what came out before the damage is there
    PERFETTO_UNPACK_LARGE,   // the first PERFETTO_UNPACK_MOST bytes are there
};

struct perfetto_unpacker {
    struct bytes unpacked; // of the latest packet
    void *zlib;
    void *zstd;
};

enum perfetto_unpack_result perfetto_unpack_zlib(struct perfetto_unpacker *unpacker,
                                                 struct view packed);
enum perfetto_unpack_result perfetto_unpack_zstd(struct perfetto_unpacker *unpacker,
                                                 struct view packed);

void perfetto_unpack_free(struct perfetto_unpacker *unpacker);

#endif
