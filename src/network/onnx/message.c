#include "message.h"

#include <inttypes.h>

status message_close(const struct message *message, const char *what)
{
    if (message->reader.ending == PROTOBUF_CUT)
        return status_make(STATUS_DATA, "%s is cut off", what);
    if (message->reader.ending == PROTOBUF_MALFORMED)
        return status_make(STATUS_DATA, "%s is damaged", what);
    if (message->mistaken != 0)
        return status_make(STATUS_DATA, "%s is damaged: field %" PRIu32 " cannot be read", what,
                           message->mistaken);
    return STATUS_OK;
}

status message_entry(struct view bytes, struct view *out_key, struct view *out_value)
{
    enum { KEY = 1, VALUE = 2 };
    *out_key = VIEW_LITERAL("");
    *out_value = VIEW_LITERAL("");
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == KEY)
            *out_key = message_bytes(&message);
        else if (message.field.number == VALUE)
            *out_value = message_bytes(&message);
    }
    return message_close(&message, "an entry");
}

bool message_next_number(struct message *message, enum protobuf_type type, struct view *rest,
                         uint64_t *out_number)
{
    const struct protobuf_field *field = &message->field;
    if (field->type != PROTOBUF_BYTES && field->type != type) {
        message->mistaken = field->number;
        return false;
    }
    const bool found = type == PROTOBUF_VARINT    ? protobuf_next_varint(field, rest, out_number)
                       : type == PROTOBUF_FIXED32 ? protobuf_next_fixed32(field, rest, out_number)
                                                  : protobuf_next_fixed64(field, rest, out_number);
    if (!found && rest->size > 0)
        message->mistaken = field->number;
    return found;
}
