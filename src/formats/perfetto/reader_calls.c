#include "reader_calls.h"

#include "fields.h"
#include "wire/protobuf.h"

// Ids of operators and calls are their places: those of a damaged table must not be too many.
static uint32_t id_of(struct perfetto_calls *calls, uint64_t number)
{
    calls->damaged |= number > UINT32_MAX;
    return (uint32_t)number;
}

static uint32_t reader_calls_text(struct perfetto_calls *calls, const struct protobuf_field *field)
{
    calls->damaged |= field->type != PROTOBUF_BYTES;
    return field->type == PROTOBUF_BYTES ? profile_string(calls->profile, field->bytes) : 0;
}

static void reader_calls_read_value(struct perfetto_calls *calls, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct value value = {0};
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_CALLS_VALUE_KEY)
            value.key = reader_calls_text(calls, &field);
        else if (field.number == PERFETTO_CALLS_VALUE_KIND && field.value < VALUE_KINDS)
            value.kind = (enum value_kind)field.value;
        else if (field.number == PERFETTO_CALLS_VALUE_PROVENANCE &&
                 field.value <= PROVENANCE_DERIVED)
            value.provenance = (enum provenance)field.value;
        else if (field.number == PERFETTO_CALLS_VALUE_TEXT && field.type == PROTOBUF_BYTES)
            value.text = field.bytes;
        else if (field.number == PERFETTO_CALLS_VALUE_NUMBER)
            value.number = field.value;
        else
            calls->damaged = true;
    }
    calls->damaged |= reader.ending != PROTOBUF_WHOLE || value.kind == VALUE_TICKS;
    if (value.kind == VALUE_STRING)
        value.number = profile_string(calls->profile, value.text);
    if (value.kind == VALUE_REAL)
        value.real = protobuf_to_double(value.number);
    if (!calls->damaged)
        value_add(&calls->values, &value);
}

static void reader_calls_read_operator(struct perfetto_calls *calls, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct operator_description op = {0};
    calls->values.size = 0;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_CALLS_OPERATOR_NAME)
            op.name = reader_calls_text(calls, &field);
        else if (field.number == PERFETTO_CALLS_OPERATOR_TYPE)
            op.type = reader_calls_text(calls, &field);
        else if (field.number == PERFETTO_CALLS_OPERATOR_LOCATION)
            op.location = reader_calls_text(calls, &field);
        else if (field.number == PERFETTO_CALLS_OPERATOR_VALUE && field.type == PROTOBUF_BYTES)
            reader_calls_read_value(calls, field.bytes);
    }
    calls->damaged |= reader.ending != PROTOBUF_WHOLE;
    op.values = bytes_view(&calls->values);
    if (!calls->damaged)
        profile_operator_add(calls->profile, &op);
}

static void read_call_field(struct perfetto_calls *calls, const struct protobuf_field *field,
                            struct call *call)
{
    switch (field->number) {
    case PERFETTO_CALLS_CALL_OPERATOR:
        call->operator_id = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_PARENT:
        call->parent = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_ITERATION:
        call->iteration = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_INVOCATION:
        call->invocation = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_DEVICE:
        call->device = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_REPLAY:
        call->replay = id_of(calls, field->value);
        break;
    case PERFETTO_CALLS_CALL_DOMAIN:
        call->domain = reader_calls_text(calls, field);
        break;
    case PERFETTO_CALLS_CALL_KEY:
        call->key = field->value;
        break;
    case PERFETTO_CALLS_CALL_VALUE:
        if (field->type == PROTOBUF_BYTES)
            reader_calls_read_value(calls, field->bytes);
        break;
    default:
        break;
    }
}

static void reader_calls_read_call(struct perfetto_calls *calls, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct call call = {0};
    calls->values.size = 0;
    while (protobuf_next(&reader, &field))
        read_call_field(calls, &field, &call);
    calls->damaged |=
        reader.ending != PROTOBUF_WHOLE || call.operator_id >= calls->profile->operators.count;
    call.values = bytes_view(&calls->values);
    if (!calls->damaged)
        profile_call_add(calls->profile, &call);
}

static void read_end(struct perfetto_calls *calls, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    calls->ends++;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_CALLS_END_OPERATORS)
            calls->operators = field.value;
        else if (field.number == PERFETTO_CALLS_END_CALLS)
            calls->calls = field.value;
    }
    calls->damaged |= reader.ending != PROTOBUF_WHOLE;
}

void perfetto_calls_read(struct perfetto_calls *calls, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    while (!calls->damaged && protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            calls->damaged = true;
        else if (field.number == PERFETTO_CALLS_OPERATOR)
            reader_calls_read_operator(calls, field.bytes);
        else if (field.number == PERFETTO_CALLS_CALL)
            reader_calls_read_call(calls, field.bytes);
        else if (field.number == PERFETTO_CALLS_END)
            read_end(calls, field.bytes);
    }
    calls->damaged |= reader.ending != PROTOBUF_WHOLE;
}

// A call may come before the one that it is part of.
static bool parents_are_there(const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        if (profile_call(profile, i)->parent >= profile->calls.count)
            return false;
    }
    return true;
}

uint32_t perfetto_calls_finish(struct perfetto_calls *calls, const char *path)
{
    struct profile *profile = calls->profile;
    const uint32_t count = profile->calls.count - 1;
    const bool whole = !calls->damaged && calls->ends == 1 && calls->calls == count &&
                       calls->operators == profile->operators.count - 1 &&
                       parents_are_there(profile);
    bytes_free(&calls->values);
    if (whole)
        return count;
    if (calls->damaged || calls->ends > 0 || profile->operators.count > 1) {
        profile_note(profile, 0, LEDGER_REMARK, 1, "%s: %s, so its events name no operators", path,
                     calls->ends > 1 ? "holds several traces with operators"
                                     : "its table of operators is damaged");
        profile->calls.count = 1;
        profile->operators.count = 1;
    }
    return 0;
}
