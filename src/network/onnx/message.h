// Walking over the fields of one of ONNX's messages. What has the wrong wire
// type reads as empty or 0 and is told by `message_close`, so that a loop over
// fields needs no checks of its own:
//     struct message message = message_open(bytes);
//     while (message_next(&message)) { ... message_bytes(&message) ... }
//     STATUS_TRY(message_close(&message, "a node"));

#ifndef OPSCOPE_NETWORK_ONNX_MESSAGE_H
#define OPSCOPE_NETWORK_ONNX_MESSAGE_H

#include "base/status.h"
#include "wire/protobuf.h"

struct message {
    struct protobuf_reader reader;
    struct protobuf_field field;
    uint32_t mistaken; // number of a field of the wrong wire type; 0: none
};

static inline struct message message_open(struct view bytes)
{
    return (struct message){.reader = protobuf_read(bytes)};
}

static inline bool message_next(struct message *message)
{
    return protobuf_next(&message->reader, &message->field);
}

// A text or an inner message.
static inline struct view message_bytes(struct message *message)
{
    if (message->field.type == PROTOBUF_BYTES)
        return message->field.bytes;
    message->mistaken = message->field.number;
    return VIEW_LITERAL("");
}

// A varint, or the bits of a fixed number.
static inline uint64_t message_number(struct message *message)
{
    if (message->field.type != PROTOBUF_BYTES)
        return message->field.value;
    message->mistaken = message->field.number;
    return 0;
}

// Fails when the message did not end after its last field, or one of its fields
// was not what was asked for. `what` starts the text of the failure.
status message_close(const struct message *message, const char *what);

// Reads a StringStringEntryProto.
status message_entry(struct view bytes, struct view *out_key, struct view *out_value);

// The numbers of a field that are varints, fixed32 or fixed64, one or packed:
//     struct view rest = {0};
//     while (message_next_number(&message, PROTOBUF_VARINT, &rest, &number))
// Damaged ones are told by `message_close`.
bool message_next_number(struct message *message, enum protobuf_type type, struct view *rest,
                         uint64_t *out_number);

#endif
