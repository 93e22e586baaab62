#include "descriptor.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/database_files.h"

struct descriptor_file {
    sqlite3_file base; // SQLite's own
    int file;          // the caller's to close
};

static int file_of(sqlite3_file *base)
{
    return ((struct descriptor_file *)base)->file;
}

// What lies behind the end is zero.
static int descriptor_read(sqlite3_file *base, void *to, int size, sqlite3_int64 at)
{
    char *data = to;
    while (size > 0) {
        const ssize_t done = pread(file_of(base), data, (size_t)size, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return SQLITE_IOERR_READ;
        if (done == 0) {
            memset(data, 0, (size_t)size);
            return SQLITE_IOERR_SHORT_READ;
        }
        data += done;
        at += done;
        size -= (int)done;
    }
    return SQLITE_OK;
}

static int descriptor_write(sqlite3_file *base, const void *from, int size, sqlite3_int64 at)
{
    const char *data = from;
    while (size > 0) {
        const ssize_t done = pwrite(file_of(base), data, (size_t)size, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 && errno != ENOSPC ? SQLITE_IOERR_WRITE : SQLITE_FULL;
        data += done;
        at += done;
        size -= (int)done;
    }
    return SQLITE_OK;
}

static int descriptor_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    return ftruncate(file_of(base), size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int descriptor_size(sqlite3_file *base, sqlite3_int64 *out_size)
{
    struct stat about;
    if (fstat(file_of(base), &about) != 0)
        return SQLITE_IOERR_FSTAT;
    *out_size = about.st_size;
    return SQLITE_OK;
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 1,
    .xClose = database_file_close,
    .xRead = descriptor_read,
    .xWrite = descriptor_write,
    .xTruncate = descriptor_truncate,
    .xSync = database_file_level, // it vanishes with the process: nothing is kept on a disk
    .xFileSize = descriptor_size,
    .xLock = database_file_level,
    .xUnlock = database_file_level,
    .xCheckReservedLock = database_file_is_locked,
    .xFileControl = database_file_control,
    .xSectorSize = database_file_sector,
    .xDeviceCharacteristics = database_file_sector,
};

// What has no name is SQLite's own, for sorting: the system's files.
static int descriptor_open(sqlite3_vfs *own, const char *name, sqlite3_file *base, int flags,
                           int *out_flags)
{
    struct descriptor_file *made = (struct descriptor_file *)base;
    sqlite3_vfs *usual = database_files_usual(own);
    if (name == NULL)
        return usual->xOpen(usual, name, base, flags, out_flags);
    made->base.pMethods = NULL;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
        return SQLITE_CANTOPEN;
    made->file = atoi(name);
    made->base.pMethods = &METHODS;
    if (out_flags != NULL)
        *out_flags = flags;
    return SQLITE_OK;
}

const char *sql_descriptor_file_system(void)
{
    static sqlite3_vfs file_system = {
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct descriptor_file),
        .zName = "opscope-descriptor",
        .xOpen = descriptor_open,
    };
    return database_files_register(&file_system, true);
}
