#include "database_files.h"

#include <stddef.h>

int database_file_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

int database_file_level(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

int database_file_is_locked(sqlite3_file *file, int *out_locked)
{
    (void)file;
    *out_locked = 0;
    return SQLITE_OK;
}

int database_file_control(sqlite3_file *file, int operation, void *argument)
{
    (void)file;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

int database_file_sector(sqlite3_file *file)
{
    (void)file;
    return 0;
}

sqlite3_vfs *database_files_usual(sqlite3_vfs *file_system)
{
    return file_system->pAppData;
}

static int files_delete(sqlite3_vfs *own, const char *name, int sync)
{
    (void)own;
    (void)name;
    (void)sync;
    return SQLITE_IOERR_DELETE_NOENT;
}

static int files_access(sqlite3_vfs *own, const char *name, int flags, int *out_there)
{
    (void)own;
    (void)name;
    (void)flags;
    *out_there = 0;
    return SQLITE_OK;
}

static int files_full_name(sqlite3_vfs *own, const char *name, int size, char *out_name)
{
    (void)own;
    sqlite3_snprintf(size, out_name, "%s", name);
    return SQLITE_OK;
}

static int files_randomness(sqlite3_vfs *own, int size, char *out_bytes)
{
    sqlite3_vfs *usual = database_files_usual(own);
    return usual->xRandomness(usual, size, out_bytes);
}

static int files_sleep(sqlite3_vfs *own, int microseconds)
{
    sqlite3_vfs *usual = database_files_usual(own);
    return usual->xSleep(usual, microseconds);
}

static int files_time(sqlite3_vfs *own, double *out_days)
{
    sqlite3_vfs *usual = database_files_usual(own);
    return usual->xCurrentTime(usual, out_days);
}

const char *database_files_register(sqlite3_vfs *file_system, bool others)
{
    if (sqlite3_vfs_find(file_system->zName) != NULL)
        return file_system->zName;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (system == NULL)
        return NULL;
    file_system->pAppData = system;
    file_system->mxPathname = system->mxPathname;
    if (others && file_system->szOsFile < system->szOsFile)
        file_system->szOsFile = system->szOsFile;
    file_system->xDelete = files_delete;
    file_system->xAccess = files_access;
    file_system->xFullPathname = files_full_name;
    file_system->xRandomness = files_randomness;
    file_system->xSleep = files_sleep;
    file_system->xCurrentTime = files_time;
    return sqlite3_vfs_register(file_system, 0) == SQLITE_OK ? file_system->zName : NULL;
}
