// Bytes that are appended first and read afterwards, however many they are.
//
// At most SPOOL_WINDOW bytes of anonymous memory; the rest goes to a file
// without a name in $TMPDIR (or /tmp) that vanishes with the process.

#ifndef OPSCOPE_BASE_SPOOL_H
#define OPSCOPE_BASE_SPOOL_H

#include <stdbool.h>

#include "status.h"
#include "view.h"

enum { SPOOL_WINDOW = 1 << 20 };

// All zero is an empty spool, once `file` is -1: use SPOOL_EMPTY.
struct spool {
    char *window;
    size_t used;     // bytes in the window
    size_t capacity; // of the window
    uint64_t written;
    int file;
    void *mapping;
    size_t mapped;
    bool ahead; // the mapping has room for more than is there
};

#define SPOOL_EMPTY ((struct spool){.file = -1})

status spool_append_far(struct spool *spool, const void *data, size_t size);

// Where `size` bytes go that are put there now, and count as appended; NULL: they are to be
// appended by spool_append.
static inline char *spool_put(struct spool *spool, size_t size)
{
    if (spool->mapping != NULL || spool->capacity - spool->used < size)
        return NULL;
    spool->used += size;
    return spool->window + spool->used - size;
}

static inline status spool_append(struct spool *spool, const void *data, size_t size)
{
    char *to = size > 0 ? spool_put(spool, size) : NULL;
    if (to == NULL)
        return spool_append_far(spool, data, size);
    memcpy(to, data, size);
    return STATUS_OK;
}

static inline uint64_t spool_size(const struct spool *spool)
{
    return spool->written + spool->used;
}

// All bytes so far in one piece, writable in place; valid until the next
// append. No copy: what was written to the file is mapped.
status spool_read(struct spool *spool, char **out_data, size_t *out_size);

// Appends `size` zero bytes, then the same.
status spool_make_room(struct spool *spool, size_t size, char **out_data);

// The bytes so far in one piece that has room for `most` bytes, which are not looked at before they
// are there: spool_append_ahead, on any thread, puts them there, and nothing else may be done with
// the spool but to free it. Takes address space only. False: there is no room, and the spool is as
// before.
bool spool_read_ahead(struct spool *spool, uint64_t most, const char **out_data);
status spool_append_ahead(struct spool *spool, const void *data, size_t size);

void spool_free(struct spool *spool);

// Such a file by itself, for who reads and writes it in another way.
status spool_temporary_open(int *out_file);
void spool_temporary_close(int file);

#endif
