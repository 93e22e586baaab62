// Bytes that are appended first and read afterwards, however many they are.
//
// At most SPOOL_WINDOW bytes of anonymous memory; the rest goes to a file
// without a name in $TMPDIR (or /tmp) that vanishes with the process.

#ifndef OPSCOPE_BASE_SPOOL_H
#define OPSCOPE_BASE_SPOOL_H

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
};

#define SPOOL_EMPTY ((struct spool){.file = -1})

status spool_append(struct spool *spool, const void *data, size_t size);

static inline uint64_t spool_size(const struct spool *spool)
{
    return spool->written + spool->used;
}

// All bytes so far in one piece, writable in place; valid until the next
// append. No copy: what was written to the file is mapped.
status spool_read(struct spool *spool, char **out_data, size_t *out_size);

// Appends `size` zero bytes, then the same.
status spool_make_room(struct spool *spool, size_t size, char **out_data);

void spool_free(struct spool *spool);

// Such a file by itself, for who reads and writes it in another way.
status spool_temporary_open(int *out_file);
void spool_temporary_close(int file);

#endif
