// Any file of any format: what is written of it as opscope's own profile reads as the same profile,
// and is written as the same bytes. The same bytes packed give the same profile. As a trace it
// has as many events the second time as the first.

#include <zlib.h>

#include "formats/chrome/writer.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "formats/tracy/writer.h"
#include "memory_file.h"
#include "profile/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 16 };

static void check(bool holds)
{
    if (!holds)
        abort();
}

// NULL: it is of no format.
static struct profile *read_bytes(struct view bytes)
{
    struct input *input;
    struct profile *profile = profile_create();
    status failure = input_open_memory("fuzz", bytes, &input);
    if (failure == STATUS_OK)
        failure = format_read_input(input, &(struct format_options){0}, profile);
    if (failure == STATUS_OK)
        failure = profile_finish(profile);
    if (failure == STATUS_OK)
        return profile;
    status_free(failure);
    profile_free(profile);
    return NULL;
}

static struct view save(struct profile *profile)
{
    static struct memory_file file;
    check(profile_save(profile, memory_file_path(&file)) == STATUS_OK);
    return memory_file_bytes(&file);
}

static void check_equal(struct view one, struct view other)
{
    check(one.size == other.size && memcmp(one.data, other.data, one.size) == 0);
    free((char *)(uintptr_t)other.data);
}

// A reader may count what it derives otherwise than a file does: what was read from a file stays.
static void check_saved(struct view saved)
{
    struct profile *again = read_bytes(saved);
    check(again != NULL);
    const struct view second = save(again);
    struct profile *third = read_bytes(second);
    check(third != NULL);
    check_equal(second, save(third));
    const struct ledger one = profile_ledger(again);
    const struct ledger other = profile_ledger(third);
    check(one.recorded == other.recorded && one.lost == other.lost &&
          one.impossible == other.impossible);
    free((char *)(uintptr_t)second.data);
    profile_free(third);
    profile_free(again);
}

static void check_packed(struct view bytes, struct view saved)
{
    z_stream stream = {0};
    unsigned char *packed = malloc(bytes.size + bytes.size / 2 + 256);
    check(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)bytes.data;
    stream.avail_in = (unsigned)bytes.size;
    stream.next_out = packed;
    stream.avail_out = (unsigned)(bytes.size + bytes.size / 2 + 256);
    check(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    struct profile *profile = read_bytes((struct view){(char *)packed, stream.total_out});
    check(profile != NULL);
    check_equal(saved, save(profile));
    profile_free(profile);
    deflateEnd(&stream);
    free(packed);
}

enum trace { TRACE_CHROME, TRACE_PERFETTO, TRACE_TRACY };

static status write_trace(struct profile *profile, enum trace form, const char *path)
{
    if (form == TRACE_TRACY)
        return tracy_write(profile, path);
    return form == TRACE_CHROME
               ? chrome_write(profile, path, &(struct chrome_writer_options){0})
               : perfetto_write(profile, path, &(struct perfetto_writer_options){0});
}

// The number of events in a trace of the profile; UINT64_MAX: it cannot be one.
static uint64_t check_trace(struct profile *profile, enum trace form, struct profile **out_again)
{
    static struct memory_file file;
    *out_again = NULL;
    const status failure = write_trace(profile, form, memory_file_path(&file));
    status_free(failure);
    if (failure != STATUS_OK)
        return UINT64_MAX;
    const struct view trace = memory_file_bytes(&file);
    // A Perfetto trace of nothing has no bytes.
    const bool empty = trace.size == 0;
    *out_again = empty ? NULL : read_bytes(trace);
    free((char *)(uintptr_t)trace.data);
    if (empty)
        return 0;
    check(*out_again != NULL);
    const struct ledger ledger = profile_ledger(*out_again);
    return ledger.recorded;
}

static void check_traces(struct profile *profile, enum trace form)
{
    struct profile *first;
    struct profile *second = NULL;
    const uint64_t events = check_trace(profile, form, &first);
    if (first != NULL)
        check(check_trace(first, form, &second) == events);
    profile_free(second);
    profile_free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    // A packed file has a name of its own, and would be unpacked twice.
    if (size > SIZE_MOST || size < 2 || (data[0] == 0x1f && data[1] == 0x8b) || data[0] == 0x28)
        return 0;
    struct profile *profile = read_bytes(bytes);
    if (profile == NULL)
        return 0;
    const struct view saved = save(profile);
    check_saved(saved);
    check_packed(bytes, saved);
    check_traces(profile, TRACE_CHROME);
    check_traces(profile, TRACE_PERFETTO);
    check_traces(profile, TRACE_TRACY);
    free((char *)(uintptr_t)saved.data);
    profile_free(profile);
    return 0;
}
