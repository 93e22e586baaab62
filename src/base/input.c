#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine.h"
#include "input_packed.h"
#include "letters.h"
#include "memory.h"
#include "recovery.h"
#include "replace.h"
#include "slots.h"

enum { PIECE = 256 * 1024 };

// Mapped files, for a signal handler to name -------------------------------------------

// One that was made is never freed: the handler may be looking at it.
struct input_range {
    struct slot slot;
    _Atomic uint64_t number; // of those that were ever mapped
    _Atomic uintptr_t start;
    _Atomic uintptr_t end;
    char path[512];
    // What the file was when it was mapped, and what it is read again by: input_read_again.
    dev_t device;
    ino_t inode;
    atomic_int file;
};

enum { FILE_NOT_OPENED = -1, FILE_NOT_TO_BE_HAD = -2 };

static struct slot *_Atomic ranges;

static struct input_range *range_take(void)
{
    static const struct input_range FRESH = {.file = FILE_NOT_OPENED};
    return (struct input_range *)slots_take(&ranges, &FRESH.slot, sizeof FRESH);
}

static void range_start(struct input *input)
{
    static _Atomic uint64_t numbers;
    struct input_range *range = range_take();
    range->number = ++numbers;
    snprintf(range->path, sizeof range->path, "%s", input->path);
    letters_hide(range->path, strlen(range->path));
    range->device = input->device;
    range->inode = input->number;
    // The last page may reach beyond the end of the file.
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    range->end = ((uintptr_t)input->mapping + input->mapped + page - 1) / page * page;
    range->start = (uintptr_t)input->mapping;
    input->range = range;
}

static void range_end(struct input_range *range)
{
    range->end = 0;
    const int file = atomic_exchange(&range->file, FILE_NOT_OPENED);
    if (file >= 0)
        close(file);
    range->slot.taken = false;
}

static void input_say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; // nobody is there to be told
}

static void name_and_end(int number, siginfo_t *about, void *context)
{
    (void)context;
    const uintptr_t place = (uintptr_t)about->si_addr;
    for (const struct slot *at = ranges; at != NULL; at = at->next) {
        const struct input_range *range = (const struct input_range *)at;
        if (!at->taken || place < range->start || place >= range->end)
            continue;
        replace_remove_all();
        input_say("opscope: ");
        input_say(range->path);
        input_say(": changed or was cut off while it was read\n");
        _exit(1);
    }
    replace_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

const char *input_newest(void)
{
    const struct input_range *newest = NULL;
    for (const struct slot *at = ranges; at != NULL; at = at->next) {
        const struct input_range *range = (const struct input_range *)at;
        if (at->taken && range->end != 0 && (newest == NULL || range->number > newest->number))
            newest = range;
    }
    return newest != NULL ? newest->path : NULL;
}

void input_catch_changes(void)
{
    struct sigaction action = {.sa_sigaction = name_and_end, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

// Reading again -------------------------------------------------------------------------

static struct input_range *find_range(uintptr_t from, uintptr_t to)
{
    for (struct slot *at = ranges; at != NULL; at = at->next) {
        struct input_range *range = (struct input_range *)at;
        if (at->taken && from >= range->start && to <= range->end)
            return range;
    }
    return NULL;
}

// The same file, if it is still at its place.
static int open_again(const struct input_range *range)
{
    struct stat facts;
    const int file =
        confine_is_on() ? -1 : open(range->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return FILE_NOT_TO_BE_HAD;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_dev == range->device &&
        facts.st_ino == range->inode)
        return file;
    close(file);
    return FILE_NOT_TO_BE_HAD;
}

static int file_of(struct input_range *range)
{
    int file = atomic_load(&range->file);
    if (file != FILE_NOT_OPENED)
        return file;
    const int opened = open_again(range);
    if (atomic_compare_exchange_strong(&range->file, &file, opened))
        return opened;
    if (opened >= 0)
        close(opened);
    return file;
}

bool input_read_again(const void *bytes, size_t size, void *to)
{
    const uintptr_t place = (uintptr_t)bytes;
    struct input_range *range = find_range(place, place + size);
    const int file = range != NULL ? file_of(range) : FILE_NOT_TO_BE_HAD;
    for (size_t at = 0; file >= 0 && at < size;) {
        const ssize_t got =
            pread(file, (char *)to + at, size - at, (off_t)(place + at - range->start));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return file >= 0;
}

bool input_is_mapped(const struct input *input)
{
    return input->mapping != NULL && input->bytes.data == input->mapping;
}

status input_check(const struct input *input)
{
    struct stat now;
    if (input->mapping == NULL || stat(input->path, &now) != 0 || now.st_dev != input->device ||
        now.st_ino != input->number)
        return STATUS_OK;
    const bool same_time = now.st_mtim.tv_sec == input->modified.tv_sec &&
                           now.st_mtim.tv_nsec == input->modified.tv_nsec;
    const uint64_t size = (uint64_t)now.st_size;
    if (size > input->mapped || (size == input->mapped && same_time))
        return STATUS_OK;
    return status_make(STATUS_IO, "%s: changed or was cut off while it was read", input->path);
}

// Pipes and other files that cannot be mapped are read into the spool.
static status read_stream(struct input *input, int file)
{
    char *piece = memory_allocate(PIECE);
    status result = STATUS_OK;
    while (result == STATUS_OK) {
        const ssize_t got = read(file, piece, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            result = status_system(errno, input->path, "cannot read");
        if (got <= 0)
            break;
        result = spool_append(&input->streamed, piece, (size_t)got);
    }
    free(piece);
    STATUS_TRY(result);

    char *data;
    size_t size;
    STATUS_TRY(spool_read(&input->streamed, &data, &size));
    input->bytes = (struct view){data, size};
    return input_unpack(input);
}

static void input_unmap(struct input *input)
{
    recovery_let_go(input);
    if (input->range != NULL)
        range_end(input->range);
    if (input->mapping != NULL)
        munmap(input->mapping, input->mapped);
    input->range = NULL;
    input->mapping = NULL;
}

static void release_mapping(void *input)
{
    input_unmap(input);
}

// Leaves an empty file unmapped.
static status map_regular(struct input *input, int file, const struct stat *facts)
{
    if (facts->st_size == 0)
        return STATUS_OK;
    input->mapped = (size_t)facts->st_size;
    input->modified = facts->st_mtim;
    input->device = facts->st_dev;
    input->number = facts->st_ino;
    void *mapping = mmap(NULL, input->mapped, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping == MAP_FAILED)
        return status_system(errno, input->path, "cannot map");
    madvise(mapping, input->mapped, MADV_SEQUENTIAL);
    input->mapping = mapping;
    recovery_hold(RECOVERY_LATER, release_mapping, input);
    range_start(input);
    input->bytes = (struct view){mapping, input->mapped};
    return STATUS_OK;
}

static status read_any(struct input *input, int file)
{
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return status_system(errno, input->path, "cannot read");
    if (S_ISDIR(facts.st_mode))
        return status_make(STATUS_IO, "%s: is a folder; give a file", input->path);
    if (!S_ISREG(facts.st_mode))
        return read_stream(input, file);
    STATUS_TRY(map_regular(input, file, &facts));
    return input_unpack(input);
}

static status read_regular(struct input *input, int file)
{
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return status_system(errno, input->path, "cannot read");
    if (!S_ISREG(facts.st_mode))
        return status_make(STATUS_IO, "%s: is not a regular file", input->path);
    return map_regular(input, file, &facts);
}

static void close_opened(void *file)
{
    if (*(const int *)file != STDIN_FILENO)
        close(*(const int *)file);
}

// Closes the file, unless it is the standard input.
static status open_with(status (*reader)(struct input *input, int file), const char *name, int file,
                        const struct input_beginnings *beginnings, struct input **out_input)
{
    if (file < 0)
        return status_system(errno, name, "cannot open");
    recovery_hold(RECOVERY_AT_ONCE, close_opened, &file);
    struct input *input = input_over(name, VIEW_LITERAL(""));
    input->beginnings = *beginnings;
    const status result = reader(input, file);
    recovery_let_go(&file);
    close_opened(&file);
    if (result != STATUS_OK) {
        input_close(input);
        return result;
    }
    *out_input = input;
    return STATUS_OK;
}

status input_open_ahead(const char *path, const struct input_beginnings *beginnings,
                        struct input **out_input)
{
    if (strcmp(path, "-") == 0 && !confine_is_on())
        return open_with(read_any, "stdin", STDIN_FILENO, beginnings, out_input);
    return open_with(read_any, path, confine_open(path, O_RDONLY | O_CLOEXEC), beginnings,
                     out_input);
}

status input_open_known(const char *path, bool (*known)(struct view beginning),
                        struct input **out_input)
{
    return input_open_ahead(path, &(struct input_beginnings){.known = known}, out_input);
}

status input_open(const char *path, struct input **out_input)
{
    return input_open_known(path, NULL, out_input);
}

status input_map(const char *path, struct input **out_input)
{
    // Opening a pipe that nobody writes to would wait.
    return open_with(read_regular, path, confine_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                     &(struct input_beginnings){0}, out_input);
}

status input_map_beneath(const char *beside, struct view location, struct input **out_input)
{
    const struct view path = view_of(beside);
    const size_t slash = view_find_last(path, '/');
    const size_t before = slash < path.size ? slash + 1 : 0;
    char *folder_path =
        before > 0 ? view_copy(view_slice(path, 0, before)) : view_copy(view_of("."));
    char *name = memory_allocate(before + location.size + 1);
    memcpy(name, path.data, before);
    memcpy(name + before, location.data, location.size);
    name[before + location.size] = '\0';
    const int folder = confine_open(folder_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int file = folder >= 0 ? confine_open_beneath(folder, location) : -1;
    const int error = errno;
    if (folder >= 0)
        close(folder);
    errno = error;
    const status result =
        file < 0 && error == ELOOP
            ? status_make(STATUS_DATA, "%s: a link, or behind one, which is not followed", name)
            : open_with(read_regular, name, file, &(struct input_beginnings){0}, out_input);
    free(name);
    free(folder_path);
    return result;
}

status input_settle(struct input *input, uint64_t most)
{
    char *data;
    size_t size;
    if (!input_is_mapped(input) || input->mapped > most)
        return STATUS_OK;
    // In pieces that go through memory: the system would not say which file was cut off.
    for (size_t at = 0; at < input->mapped; at += PIECE) {
        const struct view piece =
            view_slice(input->bytes, at, input->mapped - at < PIECE ? input->mapped : at + PIECE);
        STATUS_TRY(spool_append(&input->streamed, piece.data, piece.size));
    }
    STATUS_TRY(spool_read(&input->streamed, &data, &size));
    STATUS_TRY(input_check(input));
    input_unmap(input);
    input->bytes = (struct view){data, size};
    return STATUS_OK;
}

struct input *input_over(const char *name, struct view bytes)
{
    struct input *input = memory_allocate_zeroed(1, sizeof *input);
    input->path = view_copy(view_of(name));
    input->bytes = bytes;
    input->streamed = SPOOL_EMPTY;
    input->unpacked = SPOOL_EMPTY;
    return input;
}

status input_open_memory(const char *name, struct view bytes, struct input **out_input)
{
    struct input *input = input_over(name, bytes);
    const status result = input_unpack(input);
    if (result != STATUS_OK) {
        input_close(input);
        return result;
    }
    *out_input = input;
    return STATUS_OK;
}

void input_close(struct input *input)
{
    if (input == NULL)
        return;
    input_unpack_end(input);
    input_unmap(input);
    spool_free(&input->streamed);
    spool_free(&input->unpacked);
    free(input->path);
    free(input);
}

static bool beginning_is_enough(struct view beginning)
{
    (void)beginning;
    return false;
}

status input_recognise(const char *path, bool (*recognise)(struct view bytes), bool *out_is)
{
    struct input *input;
    *out_is = false;
    if (strcmp(path, "-") == 0)
        return STATUS_OK;
    STATUS_TRY(input_open_known(path, beginning_is_enough, &input));
    *out_is = recognise(input->bytes);
    input_close(input);
    return STATUS_OK;
}

bool input_file_is(const char *path, bool (*recognise)(struct view bytes))
{
    bool found;
    status_free(input_recognise(path, recognise, &found));
    return found;
}
