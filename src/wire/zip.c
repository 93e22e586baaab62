#include "zip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/recovery.h"

enum { METHOD_DEFLATE = 8, VERSION = 20, SIZES_BEHIND = 8, DATE = 0x21, CHUNK = 1 << 16 };

struct entry {
    const char *name;
    uint32_t checksum;
    uint64_t packed, size, offset;
};

struct zip_writer {
    struct output *output;
    uint64_t start; // of the output, before the archive
    z_stream deflate;
    bool is_open;
    struct entry *entries;
    size_t count, capacity;
    unsigned char chunk[CHUNK];
};

static void zip_put(struct bytes *to, uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; i++, number >>= 8)
        bytes_append(to, &(unsigned char){(unsigned char)number}, 1);
}

static void zip_flush(struct zip_writer *zip, struct bytes *bytes)
{
    output_write(zip->output, bytes->data, bytes->size);
    bytes_free(bytes);
}

// What the header of a file and its line in the directory have in common.
static void put_entry(struct bytes *to, const struct entry *entry, bool sizes)
{
    zip_put(to, VERSION, 2);
    zip_put(to, SIZES_BEHIND, 2);
    zip_put(to, METHOD_DEFLATE, 2);
    zip_put(to, 0, 2);
    zip_put(to, DATE, 2);
    zip_put(to, sizes ? entry->checksum : 0, 4);
    zip_put(to, sizes ? entry->packed : 0, 4);
    zip_put(to, sizes ? entry->size : 0, 4);
    zip_put(to, strlen(entry->name), 2);
    zip_put(to, 0, 2);
}

static void zip_end(void *stream)
{
    deflateEnd(stream);
}

struct zip_writer *zip_create(struct output *output)
{
    struct zip_writer *zip = memory_allocate_zeroed(1, sizeof *zip);
    zip->output = output;
    zip->start = output_size(output);
    // Without zlib's own header; it fails for want of memory only.
    if (deflateInit2(&zip->deflate, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        recovery_fail(0);
    recovery_hold(RECOVERY_AT_ONCE, zip_end, &zip->deflate);
    return zip;
}

static void zip_pack(struct zip_writer *zip, struct view bytes, int mode)
{
    struct entry *entry = &zip->entries[zip->count - 1];
    zip->deflate.next_in = (unsigned char *)(uintptr_t)bytes.data;
    zip->deflate.avail_in = (unsigned)bytes.size;
    do {
        zip->deflate.next_out = zip->chunk;
        zip->deflate.avail_out = CHUNK;
        deflate(&zip->deflate, mode);
        const size_t size = CHUNK - zip->deflate.avail_out;
        output_write(zip->output, zip->chunk, size);
        entry->packed += size;
    } while (zip->deflate.avail_out == 0);
}

static void zip_end_file(struct zip_writer *zip)
{
    if (!zip->is_open)
        return;
    zip_pack(zip, VIEW_LITERAL(""), Z_FINISH);
    deflateReset(&zip->deflate);
    const struct entry *entry = &zip->entries[zip->count - 1];
    struct bytes after = {0};
    zip_put(&after, 0x08074b50, 4);
    zip_put(&after, entry->checksum, 4);
    zip_put(&after, entry->packed, 4);
    zip_put(&after, entry->size, 4);
    zip_flush(zip, &after);
    zip->is_open = false;
}

void zip_file(struct zip_writer *zip, const char *name)
{
    zip_end_file(zip);
    zip->entries = memory_grow(zip->entries, zip->count, &zip->capacity, sizeof *zip->entries);
    struct entry *entry = &zip->entries[zip->count++];
    *entry = (struct entry){.name = name, .offset = output_size(zip->output) - zip->start};
    struct bytes header = {0};
    zip_put(&header, 0x04034b50, 4);
    put_entry(&header, entry, false);
    bytes_append(&header, name, strlen(name));
    zip_flush(zip, &header);
    zip->is_open = true;
}

void zip_write(struct zip_writer *zip, struct view bytes)
{
    struct entry *entry = &zip->entries[zip->count - 1];
    while (bytes.size > 0) {
        const size_t size = bytes.size < 1 << 30 ? bytes.size : 1 << 30;
        entry->checksum =
            (uint32_t)crc32(entry->checksum, (const unsigned char *)bytes.data, (unsigned)size);
        entry->size += size;
        zip_pack(zip, view_slice(bytes, 0, size), Z_NO_FLUSH);
        bytes = view_slice(bytes, size, bytes.size);
    }
}

static void write_directory(struct zip_writer *zip)
{
    const uint64_t start = output_size(zip->output) - zip->start;
    struct bytes directory = {0};
    for (size_t i = 0; i < zip->count; i++) {
        const struct entry *entry = &zip->entries[i];
        zip_put(&directory, 0x02014b50, 4);
        zip_put(&directory, VERSION, 2);
        put_entry(&directory, entry, true);
        zip_put(&directory, 0, 10); // no comment, first disk, no attributes
        zip_put(&directory, entry->offset, 4);
        bytes_append(&directory, entry->name, strlen(entry->name));
    }
    const size_t size = directory.size;
    zip_put(&directory, 0x06054b50, 4);
    zip_put(&directory, 0, 4);
    zip_put(&directory, zip->count, 2);
    zip_put(&directory, zip->count, 2);
    zip_put(&directory, size, 4);
    zip_put(&directory, start, 4);
    zip_put(&directory, 0, 2);
    zip_flush(zip, &directory);
}

status zip_finish(struct zip_writer *zip)
{
    zip_end_file(zip);
    write_directory(zip);
    bool fits = output_size(zip->output) - zip->start <= UINT32_MAX;
    for (size_t i = 0; i < zip->count; i++)
        fits = fits && zip->entries[i].size <= UINT32_MAX;
    recovery_let_go(&zip->deflate);
    deflateEnd(&zip->deflate);
    free(zip->entries);
    free(zip);
    return fits ? STATUS_OK
                : status_make(STATUS_LIMIT, "a ZIP archive has files of less than 4 GiB");
}
