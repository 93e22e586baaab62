// What a program that is profiled by Tracy sends: frames of LZ4 that hold items, which are those of
// protocol 66 whatever protocol it speaks (dialect.h). docs/formats/tracy-stream.md has the bytes.
//
// The number 66 is that of tt-metal's fork and of upstream's release 0.11.0, which differ in the
// size of one field (the number of a GPU context); which it is shows when the first one is made.

#ifndef OPSCOPE_FORMATS_TRACY_WIRE_H
#define OPSCOPE_FORMATS_TRACY_WIRE_H

#include "cursor.h"
#include "dialect.h"

enum {
    TRACY_ON_DEMAND = 16,        // bytes that follow the greeting where its flags say so
    TRACY_FRAME_MOST = 263188,   // packed
    TRACY_CONTENT_MOST = 262144, // unpacked
    TRACY_HISTORY = 65536,
    TRACY_PAYLOAD_MOST = 32, // of an item that is given in the form of 66
};

// Items that mean something here.
enum tracy_item_type {
    TRACY_ZONE_TEXT = 0,
    TRACY_ZONE_NAME = 1,
    TRACY_MESSAGE = 2,
    TRACY_MESSAGE_COLOR = 3,
    TRACY_MESSAGE_STACK = 4,
    TRACY_MESSAGE_COLOR_STACK = 5,
    TRACY_APPLICATION = 6,
    TRACY_ZONE_BEGIN_SENT = 7,
    TRACY_ZONE_BEGIN_SENT_STACK = 8,
    TRACY_ZONE_BEGIN = 15,
    TRACY_ZONE_BEGIN_STACK = 16,
    TRACY_ZONE_END = 17,
    TRACY_DEVICE_BEGIN = 33,      // 33, 34: location in the program; 35, 36: sent,
    TRACY_DEVICE_BEGIN_SENT = 35, // on the reference of the thread
    TRACY_DEVICE_END = 37,
    TRACY_DEVICE_BEGIN_SERIAL = 38,
    TRACY_DEVICE_BEGIN_SENT_SERIAL = 40,
    TRACY_DEVICE_END_SERIAL = 42,
    TRACY_PLOT_INT = 43,
    TRACY_PLOT_FLOAT = 44,
    TRACY_PLOT_DOUBLE = 45,
    TRACY_DEVICE_TIME = 48,
    TRACY_CONTEXT_NAME = 49,
    TRACY_FIBER_ENTER = 55,
    TRACY_FIBER_LEAVE = 56,
    TRACY_TERMINATE = 57,
    TRACY_THREAD = 59,
    TRACY_CALIBRATION = 60,
    TRACY_TIME_SYNC = 61,
    TRACY_CRASH_REPORT = 63,
    TRACY_ZONE_VALUE = 66,
    TRACY_FRAME_MARK = 67,
    TRACY_FRAME_BEGIN = 68,
    TRACY_FRAME_END = 69,
    TRACY_LOCATION = 71,
    TRACY_MESSAGE_LITERAL = 75,
    TRACY_MESSAGE_LITERAL_COLOR = 76,
    TRACY_MESSAGE_LITERAL_STACK = 77,
    TRACY_MESSAGE_LITERAL_COLOR_STACK = 78,
    TRACY_NEW_CONTEXT = 79,
    TRACY_CPU_USAGE = 81,
    TRACY_SINGLE_STRING = 96,
    TRACY_SECOND_STRING = 97,
    TRACY_STRING = 99,
    TRACY_THREAD_NAME = 100,
    TRACY_PLOT_NAME = 101,
    TRACY_LOCATION_SENT = 102,
    TRACY_FRAME_NAME = 105,
};

struct tracy_item {
    unsigned type;
    struct tracy_cursor payload;
    struct view body; // of texts
};

struct tracy_wire {
    struct tracy_dialect dialect;
    unsigned context_size; // bytes of the number of a GPU context; 0: not known yet
    size_t history_size;
    char history[TRACY_HISTORY];
    char content[TRACY_CONTENT_MOST];
    char payload[TRACY_PAYLOAD_MOST];
};

// At the start of a connection. False for a protocol that is not known; nothing can be read then.
bool tracy_wire_start(struct tracy_wire *wire, uint32_t protocol);

// Unpacks a frame. The content is valid until the next one. False where it is damaged.
bool tracy_wire_unpack(struct tracy_wire *wire, struct view packed, struct view *out_content);

// The next item of a frame's content, valid until the one after it. False at its end, or where the
// items make no sense
// (`at` is then before `end`).
bool tracy_wire_next(struct tracy_wire *wire, struct tracy_cursor *content,
                     struct tracy_item *out_item);

// The number of a GPU context.
uint32_t tracy_wire_context(const struct tracy_wire *wire, struct tracy_cursor *payload);

// The greeting ----------------------------------------------------------------

struct tracy_welcome {
    double multiplier; // ns a tick
    int64_t begin;     // the tick that is time 0
    uint64_t pid;
    bool on_demand;
    struct view program;
    struct view host;
};

// Of so many bytes as the protocol has (tracy_dialect_welcome).
struct tracy_welcome tracy_welcome_of(const struct tracy_wire *wire, struct view bytes);

#endif
