// What the writer and the reader of the profile's file form agree on.

#ifndef OPSCOPE_PROFILE_FILE_LAYOUT_H
#define OPSCOPE_PROFILE_FILE_LAYOUT_H

#include <stdint.h>

#define FILE_MAGIC "OPSCOPE\n"
#define FILE_BLOCK_MAGIC 0x4b4c424fu // "OBLK"

enum file_block_kind {
    FILE_STRINGS = 1,
    FILE_CLOCKS,
    FILE_TRACKS,
    FILE_OPERATORS,
    FILE_CALLS,
    FILE_BUFFERS,
    FILE_FACTS,
    FILE_NOTES,
    FILE_EVENTS,
    FILE_END, // present when the file was written to its end
};

struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t reserved;
};

struct file_block {
    uint32_t magic;
    uint32_t kind;
    uint32_t size; // of the payload, which follows, padded to 8 bytes
    uint32_t count;
    uint32_t checksum; // CRC-32 of the payload
    uint32_t track;    // events
};

#endif
