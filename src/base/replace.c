#include "replace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "hash.h"
#include "memory.h"
#include "recovery.h"
#include "slots.h"
#include "view.h"

// A temporary file is called ".NAME.<16 digits>.part"; a longer name is cut and told from others
// by 8 digits.
enum { NAME_MOST = 100, DIGITS = 16, TEMPORARY_SIZE = 160, LINKS_MOST = 40, TRIES = 100 };

static const char ENDING[] = ".part";

// The registry -----------------------------------------------------------------------

// One that was made is never freed: a signal handler may be looking at it.
struct replace_temporary {
    struct slot slot;
    _Atomic int folder; // negative: there is nothing to remove
    int lock;           // the file once more: locked until it has moved, also when it is closed
    char name[TEMPORARY_SIZE];
};

static struct slot *_Atomic temporaries;
static pid_t owner; // of what the signals remove
static void (*teller)(const char *path, const char *temporary);

static struct replace_temporary *temporary_take(void)
{
    static const struct replace_temporary FRESH = {.folder = -1, .lock = -1};
    return (struct replace_temporary *)slots_take(&temporaries, &FRESH.slot, sizeof FRESH);
}

static void temporary_drop(struct replace_temporary *temporary)
{
    const int folder = atomic_exchange(&temporary->folder, -1);
    const int lock = temporary->lock;
    temporary->lock = -1;
    temporary->slot.taken = false;
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
}

void replace_remove_all(void)
{
    if (owner != 0 && getpid() != owner)
        return;
    for (const struct slot *at = temporaries; at != NULL; at = at->next) {
        const struct replace_temporary *temporary = (const struct replace_temporary *)at;
        const int folder = temporary->folder;
        if (folder >= 0)
            unlinkat(folder, temporary->name, 0);
    }
}

void replace_split_off(void)
{
    temporaries = NULL;
    owner = getpid();
}

static void remove_and_end(int number)
{
    replace_remove_all();
    // It is delivered when the handler returns.
    signal(number, SIG_DFL);
    raise(number);
}

void replace_catch_signals(void)
{
    static const int SIGNALS[] = {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGTERM, SIGXCPU};
    owner = getpid();
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(SIGNALS[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){.sa_handler = remove_and_end};
        sigemptyset(&action.sa_mask);
        sigaction(SIGNALS[i], &action, NULL);
    }
}

// Places -----------------------------------------------------------------------------

struct place {
    int folder; // negative: the file is written as it is
    char *name;
    bool exists;
    struct stat old;
};

static void place_free(struct place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    free(place->name);
    *place = (struct place){.folder = -1};
}

// Goes from `folder` to the folder of `path`; closes the one that it came from.
static int enter(int folder, struct view path, size_t name)
{
    char *before = name > 0 ? view_copy(view_slice(path, 0, name)) : view_copy(view_of("."));
    const int found = openat(folder, before, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(before);
    if (folder >= 0)
        close(folder);
    return found;
}

// The links of /proc lead to what is open, which may have no name.
static bool is_of_processes(int folder)
{
    struct statfs about;
    return fstatfs(folder, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

static char *link_text(int folder, const char *name)
{
    char text[4096];
    const ssize_t size = readlinkat(folder, name, text, sizeof text);
    return size > 0 && (size_t)size < sizeof text ? view_copy((struct view){text, (size_t)size})
                                                  : NULL;
}

// One step: true when `place` says where `path` is, false when it was a link, whose text takes the
// place of `path`.
static bool place_step(struct place *place, char **path)
{
    const struct view whole = view_of(*path);
    const size_t slash = view_find_last(whole, '/');
    const size_t name = slash < whole.size ? slash + 1 : 0;
    free(place->name);
    place->name = view_copy(view_slice(whole, name, whole.size));
    place->folder = enter(place->folder >= 0 ? place->folder : AT_FDCWD, whole, name);
    const bool named =
        place->name[0] != '\0' && strcmp(place->name, ".") != 0 && strcmp(place->name, "..") != 0;
    if (place->folder < 0 || !named || is_of_processes(place->folder)) {
        place_free(place);
        return true;
    }
    if (fstatat(place->folder, place->name, &place->old, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT)
            place_free(place);
        return true;
    }
    place->exists = true;
    if (S_ISLNK(place->old.st_mode)) {
        free(*path);
        *path = link_text(place->folder, place->name);
        place->exists = false;
        if (*path == NULL)
            place_free(place);
        return *path == NULL;
    }
    if (!S_ISREG(place->old.st_mode))
        place_free(place);
    return true;
}

static void place_find(const char *path, struct place *place)
{
    char *left = view_copy(view_of(path));
    int steps = 0;
    while (!place_step(place, &left)) {
        if (++steps == LINKS_MOST) {
            place_free(place);
            break;
        }
    }
    free(left);
}

// Temporary files ----------------------------------------------------------------------

// What the names of all temporary files for `name` begin with.
static void begin_name(const char *name, char out_beginning[TEMPORARY_SIZE])
{
    const struct view whole = view_of(name);
    size_t size = whole.size;
    char digits[16] = "";
    if (size > NAME_MOST) {
        // Not in the middle of a character.
        for (size = NAME_MOST; size > NAME_MOST - 4 && (whole.data[size] & 0xc0) == 0x80;)
            size--;
        snprintf(digits, sizeof digits, "~%08x", hash_bytes(whole.data, whole.size));
    }
    snprintf(out_beginning, TEMPORARY_SIZE, ".%.*s%s.", (int)size, name, digits);
}

static status random_number(uint64_t *out_number)
{
    while (getrandom(out_number, sizeof *out_number, 0) != (ssize_t)sizeof *out_number) {
        if (errno != EINTR)
            return status_system(errno, "getrandom", "cannot make a name");
    }
    return STATUS_OK;
}

// Owner and permissions as the old file has them. Who may not give a file away keeps it.
static void make_alike(int file, const struct place *place)
{
    if (!place->exists)
        return;
    if (fchown(file, place->old.st_uid, place->old.st_gid) != 0 &&
        fchown(file, (uid_t)-1, place->old.st_gid) != 0)
        errno = 0;
    fchmod(file, place->old.st_mode & 0777);
}

// Whoever finds the file locked knows that it is being written.
static bool lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// False when another run removed it before it was locked.
static bool lock_named(int file)
{
    struct stat about;
    return lock(file) && fstat(file, &about) == 0 && about.st_nlink > 0;
}

// A file that has its name only when it is locked, so that nobody takes it for a remnant; where the
// file system has no files without names, it is without a lock for a moment. Negative: errno.
static int create_locked(int folder, const char *name, mode_t mode)
{
    char link[32];
    int file = openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    if (file >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        if (lock(file) && linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW) == 0)
            return file;
        close(file);
    }
    file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0 || lock_named(file))
        return file;
    close(file);
    errno = EEXIST;
    return -1;
}

static status create(const struct place *place, const char *path,
                     struct replace_temporary *temporary, int *out_file)
{
    char beginning[TEMPORARY_SIZE];
    begin_name(place->name, beginning);
    for (int i = 0; i < TRIES; i++) {
        uint64_t number;
        STATUS_TRY(random_number(&number));
        snprintf(temporary->name, sizeof temporary->name, "%.*s%016llx%s",
                 TEMPORARY_SIZE - DIGITS - (int)sizeof ENDING, beginning,
                 (unsigned long long)number, ENDING);
        temporary->folder = place->folder; // before there is something to remove
        const int file = create_locked(place->folder, temporary->name, place->exists ? 0600 : 0666);
        if (file >= 0) {
            make_alike(file, place);
            temporary->lock = fcntl(file, F_DUPFD_CLOEXEC, 0);
            *out_file = file;
            return STATUS_OK;
        }
        const int error = errno;
        temporary->folder = -1;
        if (error != EEXIST)
            return status_system(error, path, "cannot create");
    }
    return status_system(EEXIST, path, "cannot create");
}

static bool is_temporary_name(const char *name, const char *beginning)
{
    const size_t front = strlen(beginning);
    if (strncmp(name, beginning, front) != 0 || strlen(name) != front + DIGITS + sizeof ENDING - 1)
        return false;
    for (size_t i = 0; i < DIGITS; i++) {
        if (!isxdigit((unsigned char)name[front + i]))
            return false;
    }
    return strcmp(name + front + DIGITS, ENDING) == 0;
}

static bool is_older(const struct stat *one, const struct stat *other)
{
    return one->st_mtim.tv_sec != other->st_mtim.tv_sec
               ? one->st_mtim.tv_sec < other->st_mtim.tv_sec
               : one->st_mtim.tv_nsec <= other->st_mtim.tv_nsec;
}

// Removes what nobody writes any more: its lock is free.
static bool remove_remains(int folder, const char *name, const struct stat *own)
{
    struct stat about;
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool removed = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                         about.st_uid == geteuid() && is_older(&about, own) &&
                         flock(file, LOCK_EX | LOCK_NB) == 0 && unlinkat(folder, name, 0) == 0;
    close(file);
    return removed;
}

static void look_for_remains(const struct place *place, const char *path,
                             const struct replace_temporary *temporary, int own)
{
    char beginning[TEMPORARY_SIZE];
    struct stat about;
    const int folder = openat(place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    if (entries == NULL) {
        if (folder >= 0)
            close(folder);
        return;
    }
    begin_name(place->name, beginning);
    const bool known = fstat(own, &about) == 0;
    for (struct dirent *entry; known && (entry = readdir(entries)) != NULL;) {
        if (is_temporary_name(entry->d_name, beginning) &&
            strcmp(entry->d_name, temporary->name) != 0 &&
            remove_remains(folder, entry->d_name, &about))
            teller(path, entry->d_name);
    }
    closedir(entries);
}

void replace_tell_of_remains(void (*tell)(const char *path, const char *temporary))
{
    teller = tell;
}

// Start and finish ---------------------------------------------------------------------

static status replace_write_all(int file, const char *data, size_t size, const char *path)
{
    while (size > 0) {
        const ssize_t done = write(file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return status_system(done < 0 ? errno : ENOSPC, path, "cannot write");
        data += done;
        size -= (size_t)done;
    }
    return STATUS_OK;
}

static status copy_all(int from, int to, const char *path)
{
    enum { PIECE = 64 * 1024 };
    char piece[PIECE];
    status result = STATUS_OK;
    while (result == STATUS_OK) {
        const ssize_t got = read(from, piece, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            result = status_system(errno, path, "cannot read");
        if (got <= 0)
            break;
        result = replace_write_all(to, piece, (size_t)got, path);
    }
    return result;
}

static status copy_old(const struct place *place, const char *path, int file)
{
    const int old = openat(place->folder, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (old < 0)
        return status_system(errno, path, "cannot read");
    const status result = copy_all(old, file, path);
    close(old);
    return result;
}

static status open_as_it_is(const char *path, bool append, int *out_file)
{
    const int file =
        open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    if (file < 0)
        return status_system(errno, path, "cannot create");
    *out_file = file;
    return STATUS_OK;
}

// Whether the folder takes new files. A file that can be written can be so in any folder.
static bool takes_files(const struct place *place)
{
    return !place->exists || faccessat(place->folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

// What replace_start has so far. The temporary has the place's folder once there is a file.
struct beginning {
    struct place place;
    struct replacement replacement;
    int file;
};

static void beginning_abandon(void *what)
{
    struct beginning *beginning = what;
    if (beginning->file >= 0)
        close(beginning->file);
    if (beginning->replacement.temporary != NULL)
        replace_abandon(&beginning->replacement);
    else if (beginning->place.folder >= 0)
        close(beginning->place.folder);
}

static status begin_beside(struct beginning *beginning, const char *path, bool append)
{
    struct place *place = &beginning->place;
    // A file that is not to be written is not to be replaced either.
    if (place->exists && faccessat(place->folder, place->name, W_OK, AT_EACCESS) != 0) {
        place_free(place);
        return status_system(EACCES, path, "cannot create");
    }
    struct replace_temporary *temporary = temporary_take();
    status result = create(place, path, temporary, &beginning->file);
    if (result != STATUS_OK) {
        temporary_drop(temporary);
        place_free(place);
        return result;
    }
    beginning->replacement = (struct replacement){place->name, temporary, place->exists};
    if (teller != NULL)
        look_for_remains(place, path, temporary, beginning->file);
    if (append && place->exists)
        result = copy_old(place, path, beginning->file);
    if (result == STATUS_OK)
        return STATUS_OK;
    close(beginning->file);
    return replace_finish(&beginning->replacement, path, result);
}

static bool goes_beside(const struct place *place)
{
    return place->folder >= 0 && takes_files(place);
}

bool replace_is_beside(const char *path)
{
    struct place place = {.folder = -1};
    place_find(path, &place);
    const bool beside = goes_beside(&place);
    place_free(&place);
    return beside;
}

status replace_start(const char *path, bool append, struct replacement *out_replacement,
                     int *out_file)
{
    struct beginning beginning = {.place = {.folder = -1}, .file = -1};
    status result = STATUS_OK;
    *out_replacement = (struct replacement){0};
    recovery_hold(RECOVERY_AT_ONCE, beginning_abandon, &beginning);
    place_find(path, &beginning.place);
    if (!goes_beside(&beginning.place)) {
        place_free(&beginning.place);
        result = open_as_it_is(path, append, &beginning.file);
    } else {
        result = begin_beside(&beginning, path, append);
    }
    recovery_let_go(&beginning);
    *out_replacement = beginning.replacement;
    *out_file = beginning.file;
    return result;
}

void replace_abandon(struct replacement *replacement)
{
    struct replace_temporary *temporary = replacement->temporary;
    if (temporary == NULL)
        return;
    unlinkat(temporary->folder, temporary->name, 0);
    temporary_drop(temporary);
}

status replace_finish(struct replacement *replacement, const char *path, status written)
{
    struct replace_temporary *temporary = replacement->temporary;
    if (temporary == NULL)
        return written;
    const int folder = temporary->folder;
    if (written == STATUS_OK && renameat(folder, temporary->name, folder, replacement->place) != 0)
        written = status_system(errno, path, "cannot write");
    if (written != STATUS_OK)
        unlinkat(folder, temporary->name, 0);
    temporary_drop(temporary);
    free(replacement->place);
    *replacement = (struct replacement){0};
    return written;
}
