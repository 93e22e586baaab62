// Lets the k-th call of a kind fail: preloaded (LD_PRELOAD) into a program, whose main is waited
// for, or driven by a program that looks its functions up.
//
//   FAULTS_CALL    memory, read, write, open, mmap, rename, thread: which calls are counted
//   FAULTS_AT      the number of the one that fails; 0: none, they are counted
//   FAULTS_AFTER   set: those after it fail as well
//   FAULTS_ERROR   an error number, or "short": a read or write of one byte
//   FAULTS_COUNT   a file of 16 bytes for two numbers: calls so far, how many failed
//
// What the C library calls inside itself (stdio) is not seen, but for memory; and what a library
// does while it is loaded is not ours: one in C++ ends the process where it finds no memory then.

#undef free // of the system

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

enum fault_call {
    CALL_NONE,
    CALL_MEMORY,
    CALL_READ,
    CALL_WRITE,
    CALL_OPEN,
    CALL_MMAP,
    CALL_RENAME,
    CALL_THREAD
};

static const char *const NAMES[] = {"none", "memory", "read",   "write",
                                    "open", "mmap",   "rename", "thread"};

static enum fault_call counted;
static uint64_t fails_at;
static bool fails_after;
static int error_number;
static bool cuts;
static _Atomic uint64_t own_counts[2];
static _Atomic uint64_t *counts = own_counts;
static atomic_bool armed;
static _Atomic int64_t live_blocks;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static __thread bool loading; // a library, by dlopen

static bool fault(enum fault_call call)
{
    if (!armed || loading || call != counted)
        return false;
    const uint64_t number = atomic_fetch_add(&counts[0], 1) + 1;
    if (fails_at == 0 || number < fails_at || (number > fails_at && !fails_after))
        return false;
    atomic_fetch_add(&counts[1], 1);
    errno = error_number;
    return true;
}

// For a program that drives it -----------------------------------------------------------------

VISIBLE void faults_arm(const char *call, uint64_t at, bool after, int error);
VISIBLE uint64_t faults_disarm(void);
VISIBLE int64_t faults_live_blocks(void);

void faults_arm(const char *call, uint64_t at, bool after, int error)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(NAMES[i], call) == 0)
            counted = (enum fault_call)i;
    }
    fails_at = at;
    fails_after = after;
    error_number = error;
    atomic_store(&counts[0], 0);
    atomic_store(&counts[1], 0);
    armed = true;
}

// How many failed.
uint64_t faults_disarm(void)
{
    armed = false;
    return atomic_load(&counts[1]);
}

int64_t faults_live_blocks(void)
{
    return live_blocks;
}

// Loading ----------------------------------------------------------------------------------------

VISIBLE void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *name, int flags);
    loading = true;
    if (real == NULL) {
        void *found = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&real, &found, sizeof found);
    }
    void *library = real(name, flags);
    loading = false;
    return library;
}

// Around main ------------------------------------------------------------------------------------

typedef int main_function(int count, char **words, char **environment);
static main_function *real_main;

static void read_environment(void)
{
    unsetenv("LD_PRELOAD"); // programs that it starts would count from the beginning
    const char *call = getenv("FAULTS_CALL");
    const char *at = getenv("FAULTS_AT");
    const char *error = getenv("FAULTS_ERROR");
    const char *path = getenv("FAULTS_COUNT");
    if (call == NULL)
        return;
    const int file = path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
    if (file >= 0) {
        void *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        counts = shared != MAP_FAILED ? shared : counts;
        close(file);
    }
    cuts = error != NULL && strcmp(error, "short") == 0;
    faults_arm(call, at != NULL ? strtoull(at, NULL, 10) : 0, getenv("FAULTS_AFTER") != NULL,
               error != NULL && !cuts ? atoi(error) : ENOMEM);
}

static int armed_main(int count, char **words, char **environment)
{
    read_environment();
    const int code = real_main(count, words, environment);
    armed = false;
    return code;
}

VISIBLE int __libc_start_main(main_function *program, int count, char **words, void (*init)(void),
                              void (*fini)(void), void (*loader)(void), void *stack);

int __libc_start_main(main_function *program, int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack)
{
    __typeof__(&__libc_start_main) real =
        (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return real(armed_main, count, words, init, fini, loader, stack);
}

// Memory -----------------------------------------------------------------------------------------

static void *counted_block(void *block)
{
    if (block != NULL)
        live_blocks++;
    return block;
}

VISIBLE void *malloc(size_t size)
{
    return fault(CALL_MEMORY) ? NULL : counted_block(__libc_malloc(size));
}

VISIBLE void *calloc(size_t count, size_t size)
{
    return fault(CALL_MEMORY) ? NULL : counted_block(__libc_calloc(count, size));
}

VISIBLE void *realloc(void *block, size_t size)
{
    if (fault(CALL_MEMORY))
        return NULL;
    return block == NULL ? counted_block(__libc_malloc(size)) : __libc_realloc(block, size);
}

VISIBLE int posix_memalign(void **out_block, size_t alignment, size_t size)
{
    void *block = fault(CALL_MEMORY) ? NULL : counted_block(__libc_memalign(alignment, size));
    if (block == NULL)
        return ENOMEM;
    *out_block = block;
    return 0;
}

VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    return fault(CALL_MEMORY) ? NULL : counted_block(__libc_memalign(alignment, size));
}

VISIBLE void *memalign(size_t alignment, size_t size);

void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

VISIBLE void free(void *block)
{
    if (block != NULL)
        live_blocks--;
    __libc_free(block);
}

// Files ------------------------------------------------------------------------------------------

VISIBLE ssize_t read(int file, void *to, size_t size)
{
    if (fault(CALL_READ)) {
        if (!cuts)
            return -1;
        size = size > 1 ? 1 : size;
    }
    return syscall(SYS_read, file, to, size);
}

VISIBLE ssize_t pread64(int file, void *to, size_t size, off_t offset)
{
    if (fault(CALL_READ)) {
        if (!cuts)
            return -1;
        size = size > 1 ? 1 : size;
    }
    return syscall(SYS_pread64, file, to, size, offset);
}

VISIBLE ssize_t write(int file, const void *from, size_t size)
{
    if (file != STDERR_FILENO && fault(CALL_WRITE)) {
        if (!cuts)
            return -1;
        size = size > 1 ? 1 : size;
    }
    return syscall(SYS_write, file, from, size);
}

VISIBLE ssize_t pwrite64(int file, const void *from, size_t size, off_t offset)
{
    if (fault(CALL_WRITE)) {
        if (!cuts)
            return -1;
        size = size > 1 ? 1 : size;
    }
    return syscall(SYS_pwrite64, file, from, size, offset);
}

static int open_any(int folder, const char *path, int flags, va_list arguments)
{
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
    return fault(CALL_OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

VISIBLE int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int file = open_any(AT_FDCWD, path, flags, arguments);
    va_end(arguments);
    return file;
}

VISIBLE int openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int file = open_any(folder, path, flags, arguments);
    va_end(arguments);
    return file;
}

VISIBLE void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fault(CALL_MMAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

VISIBLE int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
    return fault(CALL_RENAME) ? -1 : (int)syscall(SYS_renameat, old_folder, old, new_folder, new);
}

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*run)(void *argument), void *argument)
{
    static __typeof__(&pthread_create) real;
    if (real == NULL)
        real = (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
    return fault(CALL_THREAD) ? EAGAIN : real(thread, attributes, run, argument);
}
