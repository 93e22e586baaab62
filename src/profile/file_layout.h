// What the writer and the reader of the profile's file form agree on.

#ifndef OPSCOPE_PROFILE_FILE_LAYOUT_H
#define OPSCOPE_PROFILE_FILE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

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
    // Of files that are written while events come: what was known at this point.
    FILE_ACCOUNTS,
    FILE_CLOCK_FITS,
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
    uint32_t track;    // events
    uint32_t checksum; // CRC-32 of the payload and of the fields before this one
};

static inline uint32_t file_block_checksum(const struct file_block *block, const void *payload)
{
    const uLong head = crc32_z(0, (const Bytef *)block, offsetof(struct file_block, checksum));
    return (uint32_t)crc32_z(head, payload, block->size);
}

#endif
