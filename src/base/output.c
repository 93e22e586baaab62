#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "gzip.h"
#include "letters.h"
#include "memory.h"
#include "parts.h"
#include "recovery.h"
#include "replace.h"

// Blocks from DIRECT bytes on are not copied to the buffer first.
enum { BUFFER = 256 * 1024, DIRECT = 64 * 1024 };

// What of a file each thread packs at a time, as gzip does (base/gzip.h).
enum { ZSTD_LEVEL = 3, ZSTD_PIECE = 2 << 20 };

// Disk is asked for ahead once a file is large: as much again as it has, within these limits.
static const uint64_t AHEAD_LEAST = 4 << 20, AHEAD_MOST = 64 << 20;

struct output {
    char *path;
    int file;
    struct replacement replacement;
    bool for_people;
    bool inside_page;
    struct bytes *bytes; // instead of the file
    status failure;
    uint64_t size;
    uint64_t written; // to the file
    uint64_t ahead;   // how far there is disk for it; UINT64_MAX: it is not asked for
    char *buffer;
    size_t used;
    struct gzip *gzip;
    ZSTD_CStream *zstd;
    char *packed; // by zstd
};

// Pages of a file are written in half the time where the disk has a place for them already. That
// there is none, or that the file system cannot say so, is found out by writing.
static void output_ask_ahead(struct output *output, size_t size)
{
    const uint64_t wanted = output->written + size;
    if (output->ahead >= wanted || wanted < AHEAD_LEAST)
        return;
    const uint64_t step = wanted < AHEAD_MOST ? wanted : AHEAD_MOST;
    const bool done = fallocate(output->file, FALLOC_FL_KEEP_SIZE, (off_t)output->written,
                                (off_t)(size + step)) == 0;
    output->ahead = done ? wanted + step : UINT64_MAX;
}

// Gives back what the file did not need.
static void output_give_back(struct output *output)
{
    if (output->ahead > output->written && output->ahead != UINT64_MAX &&
        ftruncate(output->file, (off_t)output->written) != 0)
        errno = 0;
}

static void write_file(struct output *output, const char *data, size_t size)
{
    if (output->bytes != NULL) {
        bytes_append(output->bytes, data, size);
        return;
    }
    output_ask_ahead(output, size);
    while (size > 0 && output->failure == STATUS_OK) {
        const ssize_t done = write(output->file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            output->failure =
                status_system(done < 0 ? errno : ENOSPC, output->path, "cannot write");
            return;
        }
        data += done;
        size -= (size_t)done;
        output->written += (uint64_t)done;
    }
}

static void write_unpacked(void *context, const void *data, size_t size)
{
    write_file(context, data, size);
}

// What is small starts no threads. With one worker the bytes are those of any number, without they
// are not.
static void start_zstd(struct output *output)
{
    output->packed = memory_allocate(BUFFER);
    if (output->size <= BUFFER)
        return;
    ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_nbWorkers, (int)parts_threads());
    ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_jobSize, ZSTD_PIECE);
}

static void write_zstd(struct output *output, const char *data, size_t size,
                       ZSTD_EndDirective directive)
{
    if (output->packed == NULL)
        start_zstd(output);
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {output->packed, BUFFER, 0};
        left = ZSTD_compressStream2(output->zstd, &out, &in, directive);
        if (ZSTD_isError(left)) {
            output->failure =
                status_first(output->failure, status_no_memory("packing %s", output->path));
            return;
        }
        write_file(output, output->packed, out.pos);
    } while (in.pos < in.size || (directive != ZSTD_e_continue && left > 0));
}

static void output_write_packed(struct output *output, const char *data, size_t size)
{
    if (output->gzip != NULL)
        gzip_add(output->gzip, data, size);
    else if (output->zstd != NULL)
        write_zstd(output, data, size, ZSTD_e_continue);
    else
        write_file(output, data, size);
}

static void drain(struct output *output)
{
    output_write_packed(output, output->buffer, output->used);
    output->used = 0;
}

void output_for_people(struct output *output)
{
    output->for_people = true;
}

static void output_take(struct output *output, const void *data, size_t size)
{
    output->size += size;
    if (size > BUFFER - output->used || size >= DIRECT)
        drain(output);
    if (size >= DIRECT) {
        output_write_packed(output, data, size);
        return;
    }
    if (size > 0)
        memcpy(output->buffer + output->used, data, size);
    output->used += size;
}

void output_inside_page(struct output *output, bool inside)
{
    output->inside_page = inside;
}

// How JSON spells the character at `at` inside a page; NULL: as it is.
static const char *page_spelling(const char *data, size_t left, size_t *out_size)
{
    *out_size = 1;
    switch (data[0]) {
    case '<':
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    case '\xe2':
        *out_size = 3;
        if (left >= 3 && memcmp(data, "\xe2\x80\xa8", 3) == 0)
            return "\\u2028";
        if (left >= 3 && memcmp(data, "\xe2\x80\xa9", 3) == 0)
            return "\\u2029";
        return NULL;
    default:
        return NULL;
    }
}

static void take_inside_page(struct output *output, const char *data, size_t size)
{
    size_t plain = 0;
    for (size_t at = 0; at < size; at++) {
        size_t spelled;
        const char *spelling = page_spelling(data + at, size - at, &spelled);
        if (spelling == NULL)
            continue;
        output_take(output, data + plain, at - plain);
        output_take(output, spelling, strlen(spelling));
        at += spelled - 1;
        plain = at + 1;
    }
    output_take(output, data + plain, size - plain);
}

void output_write(struct output *output, const void *data, size_t size)
{
    if (output->inside_page && size > 0) {
        take_inside_page(output, data, size);
        return;
    }
    if (!output->for_people || size == 0) {
        output_take(output, data, size);
        return;
    }
    char *shown = memory_allocate(size);
    memcpy(shown, data, size);
    letters_hide(shown, size);
    output_take(output, shown, size);
    free(shown);
}

void output_text(struct output *output, const char *text)
{
    output_write(output, text, strlen(text));
}

void output_format(struct output *output, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof line) {
        output_write(output, line, (size_t)length);
    } else if (length >= 0) {
        char *text = memory_allocate((size_t)length + 1);
        vsnprintf(text, (size_t)length + 1, format, again);
        output_write(output, text, (size_t)length);
        free(text);
    }
    va_end(again);
}

uint64_t output_size(const struct output *output)
{
    return output->size;
}

static status start_packing(struct output *output, struct view path)
{
    if (view_has_extension(path, ".gz"))
        output->gzip = gzip_open(write_unpacked, output);
    if (!view_has_extension(path, ".zst"))
        return STATUS_OK;
    output->zstd = ZSTD_createCStream();
    if (output->zstd == NULL)
        return status_no_memory("packing %s", output->path);
    ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    return STATUS_OK;
}

// Nothing takes the place of the old file. The blocks are the scope's.
static void output_abandon(void *what)
{
    struct output *output = what;
    ZSTD_freeCStream(output->zstd);
    if (output->file >= 0)
        close(output->file);
    replace_abandon(&output->replacement);
}

// An output before it is one.
struct opened {
    int file;
    struct replacement replacement;
};

static void opened_abandon(void *what)
{
    struct opened *opened = what;
    close(opened->file);
    replace_abandon(&opened->replacement);
}

static void output_start(const char *path, int file, struct replacement replacement,
                         struct output **out_output)
{
    struct opened opened = {file, replacement};
    recovery_hold(RECOVERY_AT_ONCE, opened_abandon, &opened);
    struct output *output = memory_allocate_zeroed(1, sizeof *output);
    recovery_let_go(&opened);
    output->file = file;
    output->replacement = replacement;
    output->ahead = UINT64_MAX;
    recovery_hold(RECOVERY_AT_ONCE, output_abandon, output);
    output->path = view_copy(view_of(strcmp(path, "-") == 0 ? "stdout" : path));
    output->buffer = memory_allocate(BUFFER);
    output->failure = start_packing(output, view_of(path));
    *out_output = output;
}

static status open_straight(const char *path, struct output **out_output)
{
    const int file = strcmp(path, "-") == 0
                         ? dup(STDOUT_FILENO)
                         : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return status_system(errno, path, "cannot create");
    output_start(path, file, (struct replacement){0}, out_output);
    return STATUS_OK;
}

static status output_open_beside(const char *path, bool append, struct output **out_output)
{
    int file;
    struct replacement replacement;
    if (strcmp(path, "-") == 0)
        return open_straight(path, out_output);
    STATUS_TRY(replace_start(path, append, &replacement, &file));
    output_start(path, file, replacement, out_output);
    // What takes the place of an old file is written as before: file systems see to it that after a
    // power cut one of the two is whole, but not where they were asked for disk.
    if (replacement.temporary != NULL && !replacement.over_old)
        (*out_output)->ahead = 0;
    return STATUS_OK;
}

status output_open(const char *path, struct output **out_output)
{
    return output_open_beside(path, false, out_output);
}

status output_append(const char *path, struct output **out_output)
{
    return output_open_beside(path, true, out_output);
}

status output_open_growing(const char *path, struct output **out_output)
{
    return open_straight(path, out_output);
}

void output_open_bytes(struct bytes *to, struct output **out_output)
{
    output_start("memory", -1, (struct replacement){0}, out_output);
    (*out_output)->bytes = to;
}

bool output_flush(struct output *output)
{
    drain(output);
    return output->failure == STATUS_OK;
}

status output_close(struct output *output)
{
    return output_finish(output, STATUS_OK);
}

status output_finish(struct output *output, status written)
{
    drain(output);
    if (output->gzip != NULL) {
        gzip_close(output->gzip);
    } else if (output->zstd != NULL) {
        write_zstd(output, NULL, 0, ZSTD_e_end);
        ZSTD_freeCStream(output->zstd);
        output->zstd = NULL;
    }
    output_give_back(output);
    const int file = output->file;
    output->file = -1;
    if (file >= 0 && close(file) != 0 && output->failure == STATUS_OK)
        output->failure = status_system(errno, output->path, "cannot write");

    status result = status_first(written, output->failure);
    result = replace_finish(&output->replacement, output->path, result);
    recovery_let_go(output);
    free(output->packed);
    free(output->buffer);
    free(output->path);
    free(output);
    return result;
}
