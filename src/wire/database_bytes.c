#include "database_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "database_files.h"

struct bytes_file {
    sqlite3_file base; // SQLite's own
    struct view bytes;
};

// Where the header says by what the file is written and read: 2 is a write-ahead log, of which
// there is none here, 1 a journal.
enum { HEADER_WRITES = 18, HEADER_READS = 19, HEADER_JOURNAL = 1 };

static void hide_log(unsigned char *to, int size, sqlite3_int64 at)
{
    for (sqlite3_int64 i = HEADER_WRITES; i <= HEADER_READS; i++) {
        if (i >= at && i < at + size && to[i - at] != 0)
            to[i - at] = HEADER_JOURNAL;
    }
}

// What lies behind the end is zero.
static int bytes_read(sqlite3_file *base, void *to, int size, sqlite3_int64 at)
{
    const struct view bytes = ((struct bytes_file *)base)->bytes;
    const size_t from = (uint64_t)at < bytes.size ? (size_t)at : bytes.size;
    const size_t there = bytes.size - from < (size_t)size ? bytes.size - from : (size_t)size;
    if (there > 0)
        memcpy(to, bytes.data + from, there);
    if (there < (size_t)size)
        memset((char *)to + there, 0, (size_t)size - there);
    hide_log(to, (int)there, at);
    return there < (size_t)size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int bytes_write(sqlite3_file *base, const void *from, int size, sqlite3_int64 at)
{
    (void)base;
    (void)from;
    (void)size;
    (void)at;
    return SQLITE_READONLY;
}

static int bytes_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    (void)base;
    (void)size;
    return SQLITE_READONLY;
}

static uint32_t header_number(struct view bytes, size_t at)
{
    const unsigned char *data = (const unsigned char *)bytes.data + at;
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

// The number of pages counts where the change that it was written for is the last one.
uint64_t database_bytes_whole(struct view bytes)
{
    enum { AT_PAGE_SIZE = 16, AT_CHANGE = 24, AT_PAGES = 28, AT_PAGES_CHANGE = 92, HEADER = 100 };
    if (bytes.size < HEADER ||
        header_number(bytes, AT_CHANGE) != header_number(bytes, AT_PAGES_CHANGE))
        return 0;
    const uint32_t size = header_number(bytes, AT_PAGE_SIZE) >> 16;
    const uint64_t page = size == 1 ? 1 << 16 : size;
    return page * header_number(bytes, AT_PAGES);
}

// What was cut off reads as zeros: SQLite would refuse the whole file where a table begins behind
// its end.
static int bytes_size(sqlite3_file *base, sqlite3_int64 *out_size)
{
    const struct view bytes = ((struct bytes_file *)base)->bytes;
    const uint64_t whole = database_bytes_whole(bytes);
    *out_size = (sqlite3_int64)(whole > bytes.size ? whole : bytes.size);
    return SQLITE_OK;
}

static int bytes_characteristics(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods METHODS = {
    .iVersion = 1,
    .xClose = database_file_close,
    .xRead = bytes_read,
    .xWrite = bytes_write,
    .xTruncate = bytes_truncate,
    .xSync = database_file_level,
    .xFileSize = bytes_size,
    .xLock = database_file_level,
    .xUnlock = database_file_level,
    .xCheckReservedLock = database_file_is_locked,
    .xFileControl = database_file_control,
    .xSectorSize = database_file_sector,
    .xDeviceCharacteristics = bytes_characteristics,
};

void database_bytes_name(const struct view *bytes, char name[DATABASE_NAME_ROOM])
{
    snprintf(name, DATABASE_NAME_ROOM, "%" PRIxPTR, (uintptr_t)bytes);
}

// Nothing but the bytes: no journal, no file for sorting.
static int bytes_open(sqlite3_vfs *own, const char *name, sqlite3_file *base, int flags,
                      int *out_flags)
{
    struct bytes_file *made = (struct bytes_file *)base;
    (void)own;
    made->base.pMethods = NULL;
    if (name == NULL || (flags & SQLITE_OPEN_MAIN_DB) == 0)
        return SQLITE_CANTOPEN;
    made->bytes = *(const struct view *)strtoull(name, NULL, 16);
    made->base.pMethods = &METHODS;
    if (out_flags != NULL)
        *out_flags = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

const char *database_bytes_file_system(void)
{
    static sqlite3_vfs file_system = {
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct bytes_file),
        .zName = "opscope-bytes",
        .xOpen = bytes_open,
    };
    return database_files_register(&file_system, false);
}
