#include "descriptor.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char NAME[] = "opscope-descriptor";

struct descriptor_file {
    sqlite3_file base; // SQLite's own
    int file;          // the caller's to close
};

static int file_of(sqlite3_file *base)
{
    return ((struct descriptor_file *)base)->file;
}

static int descriptor_close(sqlite3_file *base)
{
    (void)base;
    return SQLITE_OK;
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

// It vanishes with the process: nothing is kept on a disk.
static int descriptor_sync(sqlite3_file *base, int flags)
{
    (void)base;
    (void)flags;
    return SQLITE_OK;
}

static int descriptor_size(sqlite3_file *base, sqlite3_int64 *out_size)
{
    struct stat about;
    if (fstat(file_of(base), &about) != 0)
        return SQLITE_IOERR_FSTAT;
    *out_size = about.st_size;
    return SQLITE_OK;
}

// Nobody else has it open.
static int descriptor_lock(sqlite3_file *base, int level)
{
    (void)base;
    (void)level;
    return SQLITE_OK;
}

static int descriptor_is_locked(sqlite3_file *base, int *out_locked)
{
    (void)base;
    *out_locked = 0;
    return SQLITE_OK;
}

static int descriptor_control(sqlite3_file *base, int operation, void *argument)
{
    (void)base;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int descriptor_characteristics(sqlite3_file *base)
{
    (void)base;
    return 0;
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 1,
    .xClose = descriptor_close,
    .xRead = descriptor_read,
    .xWrite = descriptor_write,
    .xTruncate = descriptor_truncate,
    .xSync = descriptor_sync,
    .xFileSize = descriptor_size,
    .xLock = descriptor_lock,
    .xUnlock = descriptor_lock,
    .xCheckReservedLock = descriptor_is_locked,
    .xFileControl = descriptor_control,
    .xSectorSize = descriptor_characteristics,
    .xDeviceCharacteristics = descriptor_characteristics,
};

static sqlite3_vfs *usual(sqlite3_vfs *own)
{
    return own->pAppData;
}

// What has no name is SQLite's own, for sorting: the system's files.
static int descriptor_open(sqlite3_vfs *own, const char *name, sqlite3_file *base, int flags,
                           int *out_flags)
{
    struct descriptor_file *made = (struct descriptor_file *)base;
    if (name == NULL)
        return usual(own)->xOpen(usual(own), name, base, flags, out_flags);
    made->base.pMethods = NULL;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
        return SQLITE_CANTOPEN;
    made->file = atoi(name);
    made->base.pMethods = &METHODS;
    if (out_flags != NULL)
        *out_flags = flags;
    return SQLITE_OK;
}

static int descriptor_delete(sqlite3_vfs *own, const char *name, int sync)
{
    (void)own;
    (void)name;
    (void)sync;
    return SQLITE_IOERR_DELETE_NOENT;
}

static int descriptor_access(sqlite3_vfs *own, const char *name, int flags, int *out_there)
{
    (void)own;
    (void)name;
    (void)flags;
    *out_there = 0;
    return SQLITE_OK;
}

static int descriptor_full_name(sqlite3_vfs *own, const char *name, int size, char *out_name)
{
    (void)own;
    sqlite3_snprintf(size, out_name, "%s", name);
    return SQLITE_OK;
}

static int descriptor_randomness(sqlite3_vfs *own, int size, char *out_bytes)
{
    return usual(own)->xRandomness(usual(own), size, out_bytes);
}

static int descriptor_sleep(sqlite3_vfs *own, int microseconds)
{
    return usual(own)->xSleep(usual(own), microseconds);
}

static int descriptor_time(sqlite3_vfs *own, double *out_days)
{
    return usual(own)->xCurrentTime(usual(own), out_days);
}

const char *sql_descriptor_file_system(void)
{
    static sqlite3_vfs file_system = {
        .iVersion = 1,
        .zName = NAME,
        .xOpen = descriptor_open,
        .xDelete = descriptor_delete,
        .xAccess = descriptor_access,
        .xFullPathname = descriptor_full_name,
        .xRandomness = descriptor_randomness,
        .xSleep = descriptor_sleep,
        .xCurrentTime = descriptor_time,
    };
    if (sqlite3_vfs_find(NAME) != NULL)
        return NAME;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (system == NULL)
        return NULL;
    file_system.pAppData = system;
    file_system.mxPathname = system->mxPathname;
    file_system.szOsFile = system->szOsFile > (int)sizeof(struct descriptor_file)
                               ? system->szOsFile
                               : (int)sizeof(struct descriptor_file);
    return sqlite3_vfs_register(&file_system, 0) == SQLITE_OK ? NAME : NULL;
}
