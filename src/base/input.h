// A file, mapped; gzip and zstd files are unpacked first (into a spool). What a file may unfold to
// is limited, as a few bytes may stand for more than a disk holds: see input_limit_unpacked.
// Who reads a file from front to back can begin while a thread unpacks the rest: input_open_ahead.
//
// The bytes stay valid until `input_close`. "-" is the standard input. A
// packed file that is cut off or damaged gives what could be unpacked, with
// `damage` saying what is wrong; readers account for it in their ledger.

#ifndef OPSCOPE_BASE_INPUT_H
#define OPSCOPE_BASE_INPUT_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "spool.h"

// What is asked of the first INPUT_BEGINNING bytes of a packed file, or somewhat more of them,
// where there are more; NULL: nothing is.
struct input_beginnings {
    bool (*known)(struct view beginning);    // input_open_known
    bool (*in_parts)(struct view beginning); // input_open_ahead
};

struct input_ahead;

struct input {
    char *path;
    struct view bytes;  // of what is unpacked ahead, what is there: input_reach
    const char *damage; // NULL when nothing is wrong; known with the last byte
    void *mapping;
    size_t mapped;
    struct input_range *range; // the mapping as signal handlers find it
    struct timespec modified;  // the file, when it was mapped
    dev_t device;
    ino_t number;
    struct spool streamed; // from a pipe
    struct spool unpacked;
    struct input_beginnings beginnings;
    struct input_ahead *ahead; // NULL: all is there
    status failure;            // that ended it, until somebody takes it: input_finish
};

// How many bytes a packed file may unfold to where nobody said: as many for each of its own, and
// in all. INPUT_UNPACKED_FREE may always come out.
enum { INPUT_UNPACKED_RATIO = 500 };
#define INPUT_UNPACKED_MOST (64ull << 30)
#define INPUT_UNPACKED_FREE (64ull << 20)

// For the program: from now on so many in all, whatever the file's size. 0: as above.
void input_limit_unpacked(uint64_t most);

status input_open(const char *path, struct input **out_input);

// The same, for whoever reads only files whose beginning is `known`: of a packed one that is not,
// the beginning alone is unpacked, which is all that it takes to say so.
enum { INPUT_BEGINNING = 1 << 20 };
status input_open_known(const char *path, bool (*known)(struct view beginning),
                        struct input **out_input);

// The same, and where the beginning is read `in_parts`, it is all that is unpacked at first: a
// thread goes on with the rest, into the same bytes, which stay where they are. Where there is but
// one thread (base/parts.h) or no room for as much as the file may unfold to, all is unpacked as
// ever. Who reads it asks input_reach, and input_finish in the end.
status input_open_ahead(const char *path, const struct input_beginnings *beginnings,
                        struct input **out_input);

// Waits until `bytes` has `size` bytes or all there are; afterwards it has all that are there.
// True: these are all. On the thread that opened the input.
bool input_reach(const struct input *input, uint64_t size);

// Whether that would not wait.
bool input_is_there(const struct input *input, uint64_t size);

// How many bytes there will be, as far as it can be told.
uint64_t input_likely_size(const struct input *input);

// Waits for all of them; fails where they could not be unpacked: what was read is not the file.
status input_finish(struct input *input);

// Whether a file can be read and its bytes, of a packed one the beginning, are what `recognise`
// knows. Standard input is
// nothing: it could not be read again.
bool input_file_is(const char *path, bool (*recognise)(struct view bytes));

// The same for whoever would do something else with the file: that it cannot be read is a failure.
status input_recognise(const char *path, bool (*recognise)(struct view bytes), bool *out_is);

// A regular file exactly as it is, packed or not.
status input_map(const char *path, struct input **out_input);

// The same beneath the folder of `beside`, a file: no link is followed on the way there.
status input_map_beneath(const char *beside, struct view location, struct input **out_input);

// The same over bytes of the caller's, which must outlive the input.
struct input *input_over(const char *name, struct view bytes);

// The same; packed bytes are unpacked as those of a file are.
status input_open_memory(const char *name, struct view bytes, struct input **out_input);

void input_close(struct input *input);

// Whether the bytes are those of the file itself, which others may change.
bool input_is_mapped(const struct input *input);

// Copies bytes of any mapped file that is open by reading them there, for whoever needs them once:
// their pages are not mapped, which takes longer. False where that cannot be had, or they are no
// file's; then they are to be read where they are.
bool input_read_again(const void *bytes, size_t size, void *to);

// Copies a mapped file of at most `most` bytes, so that what is proved of it stays true.
status input_settle(struct input *input, uint64_t most);

// Fails when a mapped file was changed or cut off since. One that grows is taken as it was, and
// so is one that another file has taken the place of.
status input_check(const struct input *input);

// The name of a mapped file that was opened last and is open; NULL: none is. For messages
// where nothing can be made any more.
const char *input_newest(void);

// For the program, never for a library in somebody else's process: a mapped file that is cut
// off while it is read ends the program with a message that names it and exit code 1; what is
// half written is removed.
void input_catch_changes(void);

#endif
