// A file in memory that is written again and again, for targets that write what they read.

#ifndef OPSCOPE_TESTS_FUZZ_MEMORY_FILE_H
#define OPSCOPE_TESTS_FUZZ_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/view.h"

struct memory_file {
    int file; // 0: not made yet
    char path[64];
};

// The path to write to. What was in it before is gone.
static inline const char *memory_file_path(struct memory_file *memory)
{
    if (memory->file == 0) {
        memory->file = memfd_create("fuzz", MFD_CLOEXEC);
        if (memory->file <= 0)
            abort();
        snprintf(memory->path, sizeof memory->path, "/proc/self/fd/%d", memory->file);
    }
    if (ftruncate(memory->file, 0) != 0)
        abort();
    return memory->path;
}

// A copy of what was written, with a NUL after it; free() it.
static inline struct view memory_file_bytes(const struct memory_file *memory)
{
    const off_t size = lseek(memory->file, 0, SEEK_END);
    char *bytes = malloc((size_t)size + 1);
    if (size < 0 || bytes == NULL || pread(memory->file, bytes, (size_t)size, 0) != (ssize_t)size)
        abort();
    bytes[size] = '\0';
    return (struct view){bytes, (size_t)size};
}

#endif
