// gzip and zstd, unpacked piece by piece.
//
// What is cut off or damaged gives what could be unpacked; `damage` says what is wrong then.
// Memory: one piece, and what the libraries take, which depends on no size.

#ifndef OPSCOPE_BASE_UNPACK_H
#define OPSCOPE_BASE_UNPACK_H

#include "status.h"
#include "view.h"

struct unpack {
    struct view packed;
    size_t consumed;    // of `packed`
    uint64_t promised;  // bytes, as the file says itself; UINT64_MAX: it does not
    bool ended;         // nothing more comes out
    bool starved;       // for want of memory, which is no damage
    const char *damage; // known at the end; NULL: nothing is wrong
    void *stream;       // of the library
    char *piece;
};

// Whether these bytes are packed, by what they begin with.
bool unpack_is_packed(struct view bytes);

// What is wrong with a file that has the name of a packed one and is cut off within the mark that
// such begin with; NULL: it is none.
const char *unpack_cut_in_mark(const char *path, struct view bytes);

// `packed` is packed, and outlives what is opened. `path` is for messages.
status unpack_open(const char *path, struct view packed, struct unpack *out_unpack);

// What comes next, possibly nothing, until it has `ended`; valid until the next call. On any
// thread, one at a time.
struct view unpack_next(struct unpack *unpack);

// All zero is nothing that was opened.
void unpack_close(struct unpack *unpack);

#endif
