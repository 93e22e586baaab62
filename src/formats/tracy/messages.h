// The messages of a .tracy file: a list of all, and later, with each thread, which are its own.
//
// Memory: 24 bytes each, in a spool.

#ifndef OPSCOPE_FORMATS_TRACY_MESSAGES_H
#define OPSCOPE_FORMATS_TRACY_MESSAGES_H

#include "base/spool.h"
#include "tables.h"

struct tracy_messages {
    struct tracy_build *build;
    const struct tracy_tables *tables;
    struct tracy_cursor *cursor;
    struct spool spool;
    struct message_entry *entries;
    size_t count;
    size_t size; // of one in the file
};

status tracy_messages_read(struct tracy_messages *messages, int version);

// The list of a thread.
void tracy_messages_read_thread(struct tracy_messages *messages, uint32_t lane);

// Those that no thread has.
void tracy_messages_finish(struct tracy_messages *messages);

void tracy_messages_free(struct tracy_messages *messages);

#endif
