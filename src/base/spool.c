#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "recovery.h"

// A spool may lie on the stack: what is held is the file, by its number, and the mapping.
static void *number_as_pointer(int file)
{
    return (void *)(intptr_t)file;
}

static void release_file(void *what)
{
    close((int)(intptr_t)what);
}

void spool_temporary_close(int file)
{
    recovery_let_go(number_as_pointer(file));
    close(file);
}

static const char *folder(void)
{
    const char *chosen = getenv("TMPDIR");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "/tmp";
}

status spool_temporary_open(int *out_file)
{
    int file = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/opscope-XXXXXX", folder());
        file = mkostemp(path, O_CLOEXEC);
        if (file < 0)
            return status_system(errno, folder(), "cannot create a temporary file (set TMPDIR)");
        unlink(path);
    }
    recovery_hold(RECOVERY_LATER, release_file, number_as_pointer(file));
    *out_file = file;
    return STATUS_OK;
}

static status spool_write_all(struct spool *spool, const char *data, size_t size)
{
    if (spool->file < 0)
        STATUS_TRY(spool_temporary_open(&spool->file));
    while (size > 0) {
        const ssize_t done = pwrite(spool->file, data, size, (off_t)spool->written);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return status_system(done < 0 ? errno : ENOSPC, folder(),
                                 "cannot write temporary data (set TMPDIR to a larger disk)");
        data += done;
        size -= (size_t)done;
        spool->written += (uint64_t)done;
    }
    return STATUS_OK;
}

static void spool_unmap(struct spool *spool)
{
    if (spool->ahead)
        recovery_let_go(spool);
    if (spool->mapping != NULL)
        munmap(spool->mapping, spool->mapped);
    spool->mapping = NULL;
    spool->ahead = false;
}

static void release_room(void *spool)
{
    spool_unmap(spool);
}

static status spool_flush(struct spool *spool)
{
    const size_t size = spool->used;
    spool->used = 0;
    return spool_write_all(spool, spool->window, size);
}

static void window_grow(struct spool *spool, size_t size)
{
    size_t wanted = spool->capacity == 0 ? 4096 : spool->capacity;
    while (wanted < SPOOL_WINDOW && wanted - spool->used < size)
        wanted *= 2;
    spool->window = memory_resize(spool->window, wanted);
    spool->capacity = wanted;
}

status spool_append_far(struct spool *spool, const void *data, size_t size)
{
    spool_unmap(spool);
    if (spool->capacity - spool->used < size && spool->capacity < SPOOL_WINDOW)
        window_grow(spool, size);
    if (spool->capacity - spool->used < size) {
        STATUS_TRY(spool_flush(spool));
        if (size >= SPOOL_WINDOW)
            return spool_write_all(spool, data, size);
    }
    if (size > 0)
        memcpy(spool->window + spool->used, data, size);
    spool->used += size;
    return STATUS_OK;
}

static void *map_written(const struct spool *spool)
{
    return mmap(NULL, spool->written, PROT_READ | PROT_WRITE, MAP_SHARED, spool->file, 0);
}

status spool_read(struct spool *spool, char **out_data, size_t *out_size)
{
    if (spool->file < 0) {
        static _Alignas(max_align_t) char nothing[1];
        *out_data = spool->window != NULL ? spool->window : nothing;
        *out_size = spool->used;
        return STATUS_OK;
    }
    spool_unmap(spool);
    STATUS_TRY(spool_flush(spool));
    void *mapping = map_written(spool);
    if (mapping == MAP_FAILED && recovery_use_reserve())
        mapping = map_written(spool);
    if (mapping == MAP_FAILED)
        return status_system(errno, folder(), "cannot map temporary data");
    spool->mapping = mapping;
    spool->mapped = spool->written;
    *out_data = mapping;
    *out_size = spool->written;
    return STATUS_OK;
}

status spool_make_room(struct spool *spool, size_t size, char **out_data)
{
    enum { PIECE = 1 << 16 };
    char *zeros = memory_allocate_zeroed(1, PIECE);
    status result = STATUS_OK;
    for (size_t left = size; left > 0 && result == STATUS_OK;) {
        const size_t piece = left < PIECE ? left : PIECE;
        result = spool_append(spool, zeros, piece);
        left -= piece;
    }
    free(zeros);
    STATUS_TRY(result);
    return spool_read(spool, out_data, &size);
}

bool spool_read_ahead(struct spool *spool, uint64_t most, const char **out_data)
{
    if (most > SIZE_MAX || spool->file < 0)
        return false;
    void *mapping = mmap(NULL, most, PROT_READ, MAP_SHARED | MAP_NORESERVE, spool->file, 0);
    if (mapping == MAP_FAILED)
        return false;
    spool_unmap(spool);
    spool->mapping = mapping;
    spool->mapped = most;
    spool->ahead = true;
    recovery_hold(RECOVERY_LATER, release_room, spool);
    *out_data = mapping;
    return true;
}

status spool_append_ahead(struct spool *spool, const void *data, size_t size)
{
    STATUS_TRY(spool_flush(spool));
    return spool_write_all(spool, data, size);
}

void spool_free(struct spool *spool)
{
    spool_unmap(spool);
    if (spool->file >= 0)
        spool_temporary_close(spool->file);
    free(spool->window);
    *spool = SPOOL_EMPTY;
}
