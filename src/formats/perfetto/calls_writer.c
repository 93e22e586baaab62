#include "calls_writer.h"

#include "fields.h"
#include "wire/protobuf.h"

enum { CHUNK = PACK_CHUNK / 4 };

bool perfetto_call_is_plain(const struct profile *profile, uint32_t call_id, uint32_t event_name)
{
    const struct call *call = profile_call(profile, call_id);
    const struct operator_description *op = profile_operator(profile, call->operator_id);
    return op->location != 0 && op->type == event_name && op->name == 0 && op->values.size == 0 &&
           call->parent == 0 && call->iteration == 0 && call->invocation == 0 &&
           call->device == 0 && call->replay == 0 && call->domain == 0 && call->values.size == 0;
}

// What is being put together: an operator, a call or a value of one.
struct message {
    const struct profile *profile;
    struct bytes bytes;
};

static void calls_put_number(struct message *message, uint32_t field, uint64_t number)
{
    if (number == 0)
        return;
    unsigned char *to = bytes_reserve(&message->bytes, PROTOBUF_TAG_MOST + VARINT_MOST);
    message->bytes.size += (size_t)(protobuf_put_varint(to, field, number) - to);
}

static void calls_put_bytes(struct message *message, uint32_t field, struct view bytes)
{
    if (bytes.size == 0)
        return;
    unsigned char *to = bytes_reserve(&message->bytes, PROTOBUF_HEADER_MOST + bytes.size);
    message->bytes.size += (size_t)(protobuf_put_bytes(to, field, bytes) - to);
}

static void calls_put_text(struct message *message, uint32_t field, uint32_t text)
{
    calls_put_bytes(message, field, profile_text(message->profile, text));
}

// Reals are their bits. What is in ticks of another clock is left out.
static void put_value(struct message *message, uint32_t field, const struct value *value,
                      struct message *inner)
{
    const bool text = value->kind == VALUE_TEXT || value->kind == VALUE_JSON;
    if (value->kind == VALUE_TICKS)
        return;
    inner->bytes.size = 0;
    calls_put_text(inner, PERFETTO_CALLS_VALUE_KEY, value->key);
    calls_put_number(inner, PERFETTO_CALLS_VALUE_KIND, value->kind);
    calls_put_number(inner, PERFETTO_CALLS_VALUE_PROVENANCE, value->provenance);
    if (value->kind == VALUE_STRING)
        calls_put_text(inner, PERFETTO_CALLS_VALUE_TEXT, (uint32_t)value->number);
    else if (text)
        calls_put_bytes(inner, PERFETTO_CALLS_VALUE_TEXT, value->text);
    else
        calls_put_number(inner, PERFETTO_CALLS_VALUE_NUMBER,
                         value->kind == VALUE_REAL ? protobuf_from_double(value->real)
                                                   : value->number);
    calls_put_bytes(message, field, bytes_view(&inner->bytes));
}

static void put_values(struct message *message, uint32_t field, struct view values,
                       struct message *inner)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value))
        put_value(message, field, &value, inner);
}

static void put_operator(struct message *message, const struct operator_description *op,
                         struct message *inner)
{
    calls_put_text(message, PERFETTO_CALLS_OPERATOR_NAME, op->name);
    calls_put_text(message, PERFETTO_CALLS_OPERATOR_TYPE, op->type);
    calls_put_text(message, PERFETTO_CALLS_OPERATOR_LOCATION, op->location);
    put_values(message, PERFETTO_CALLS_OPERATOR_VALUE, op->values, inner);
}

static void put_call(struct message *message, const struct call *call, struct message *inner)
{
    calls_put_number(message, PERFETTO_CALLS_CALL_OPERATOR, call->operator_id);
    calls_put_number(message, PERFETTO_CALLS_CALL_PARENT, call->parent);
    calls_put_number(message, PERFETTO_CALLS_CALL_ITERATION, call->iteration);
    calls_put_number(message, PERFETTO_CALLS_CALL_INVOCATION, call->invocation);
    calls_put_number(message, PERFETTO_CALLS_CALL_DEVICE, call->device);
    calls_put_number(message, PERFETTO_CALLS_CALL_REPLAY, call->replay);
    calls_put_text(message, PERFETTO_CALLS_CALL_DOMAIN, call->domain);
    calls_put_number(message, PERFETTO_CALLS_CALL_KEY, call->key);
    put_values(message, PERFETTO_CALLS_CALL_VALUE, call->values, inner);
}

static void commit_chunk(struct bytes *chunk, struct pack *pack)
{
    if (chunk->size == 0)
        return;
    const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_CALLS, chunk->size);
    unsigned char *start = pack_reserve(pack, PROTOBUF_HEADER_MOST + inner);
    unsigned char *end = protobuf_put_header(start, PERFETTO_TRACE_PACKET, inner);
    end = protobuf_put_bytes(end, PERFETTO_PACKET_CALLS, bytes_view(chunk));
    pack_commit(pack, (size_t)(end - start));
    chunk->size = 0;
}

static void append_message(struct bytes *chunk, uint32_t field, struct message *message,
                           struct pack *pack)
{
    unsigned char *to = bytes_reserve(chunk, PROTOBUF_HEADER_MOST + message->bytes.size);
    chunk->size += (size_t)(protobuf_put_bytes(to, field, bytes_view(&message->bytes)) - to);
    message->bytes.size = 0;
    if (chunk->size >= CHUNK)
        commit_chunk(chunk, pack);
}

void perfetto_calls_write(const struct profile *profile, struct pack *pack)
{
    struct bytes chunk = {0};
    struct message message = {.profile = profile};
    struct message inner = {.profile = profile};
    for (uint32_t i = 1; i < profile->operators.count; i++) {
        put_operator(&message, profile_operator(profile, i), &inner);
        append_message(&chunk, PERFETTO_CALLS_OPERATOR, &message, pack);
    }
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        put_call(&message, profile_call(profile, i), &inner);
        append_message(&chunk, PERFETTO_CALLS_CALL, &message, pack);
    }
    // Says how many there are, so that what is missing, or there twice, is found.
    calls_put_number(&message, PERFETTO_CALLS_END_OPERATORS, profile->operators.count - 1);
    calls_put_number(&message, PERFETTO_CALLS_END_CALLS, profile->calls.count - 1);
    append_message(&chunk, PERFETTO_CALLS_END, &message, pack);
    commit_chunk(&chunk, pack);
    bytes_free(&chunk);
    bytes_free(&message.bytes);
    bytes_free(&inner.bytes);
}
