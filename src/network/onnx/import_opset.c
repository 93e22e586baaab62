#include <inttypes.h>

#include "importer.h"
#include "message.h"

struct view opsets_domain(struct view domain)
{
    return view_is(domain, "ai.onnx") ? VIEW_LITERAL("") : domain;
}

uint64_t opsets_version(const struct opsets *opsets, struct view domain)
{
    for (uint32_t i = 0; i < opsets->count; i++) {
        if (view_equal(opsets->items[i].domain, domain))
            return opsets->items[i].version;
    }
    return 0;
}

static status import_opset_check_version(const struct opset *opset)
{
    const bool own = opset->domain.size == 0;
    if (!own && !view_is(opset->domain, "ai.onnx.preview.training"))
        return STATUS_OK;
    const unsigned most = own ? OPSETS_ONNX_MOST : OPSETS_TRAINING_MOST;
    if (opset->version >= 1 && opset->version <= most)
        return STATUS_OK;
    return status_make(
        STATUS_UNSUPPORTED, "operator set %" PRIu64 " of '%.*s'; versions 1 to %u are read",
        opset->version, VIEW_ARGUMENTS(own ? VIEW_LITERAL("ai.onnx") : opset->domain), most);
}

status opsets_add(struct opsets *opsets, struct view bytes)
{
    enum { DOMAIN = 1, VERSION = 2 };
    struct opset opset = {VIEW_LITERAL(""), 0};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == DOMAIN)
            opset.domain = opsets_domain(message_bytes(&message));
        else if (message.field.number == VERSION)
            opset.version = message_number(&message);
    }
    STATUS_TRY(message_close(&message, "an operator set"));
    STATUS_TRY(import_opset_check_version(&opset));
    if (opsets_version(opsets, opset.domain) != 0)
        return STATUS_OK;
    if (opsets->count == OPSETS_MOST)
        return status_make(STATUS_LIMIT, "more than %d operator sets", OPSETS_MOST);
    opsets->items[opsets->count++] = opset;
    return STATUS_OK;
}
