#include "asker.h"

struct asked {
    uint64_t pointer;
    enum tracy_question question;
};

void tracy_asker_start(struct tracy_asker *asker)
{
    *asker = (struct tracy_asker){0};
    segments_start(&asker->asked, sizeof(struct asked));
}

void tracy_asker_free(struct tracy_asker *asker)
{
    segments_free(&asker->asked);
    hash_free(&asker->index);
    bytes_free(&asker->questions);
}

static void asker_ask(struct tracy_asker *asker, enum tracy_question question, uint64_t pointer)
{
    const uint32_t hash = hash_u64(pointer * 8 + question);
    uint32_t id;
    for (uint32_t at = hash_first(&asker->index, hash);
         (id = hash_next(&asker->index, hash, &at)) != HASH_NONE;) {
        const struct asked *asked = segments_get(&asker->asked, id);
        if (asked->question == question && asked->pointer == pointer)
            return;
    }
    hash_add(&asker->index, hash, asker->asked.count);
    *(struct asked *)segments_add(&asker->asked) = (struct asked){pointer, question};
    unsigned char *bytes = bytes_reserve(&asker->questions, TRACY_QUESTION);
    memset(bytes, 0, TRACY_QUESTION);
    bytes[0] = (unsigned char)question;
    memcpy(bytes + 1, &pointer, sizeof pointer);
    asker->questions.size += TRACY_QUESTION;
    asker->open++;
}

static void ask_unless_null(struct tracy_asker *asker, enum tracy_question question,
                            uint64_t pointer)
{
    if (pointer != 0)
        asker_ask(asker, question, pointer);
}

uint64_t tracy_item_location(const struct tracy_wire *wire, const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    switch (item->type) {
    case TRACY_ZONE_BEGIN:
    case TRACY_ZONE_BEGIN_STACK:
        tracy_skip(&payload, 1, 8);
        return tracy_u64(&payload);
    case TRACY_DEVICE_BEGIN:
    case TRACY_DEVICE_BEGIN + 1:
    case TRACY_DEVICE_BEGIN_SERIAL:
    case TRACY_DEVICE_BEGIN_SERIAL + 1:
        tracy_skip(&payload, 1, 8 + 4 + 2);
        tracy_wire_context(wire, &payload);
        return tracy_u64(&payload);
    default:
        return 0;
    }
}

// Name, function and file of a location.
static void ask_location_texts(struct tracy_asker *asker, struct tracy_cursor payload)
{
    for (int i = 0; i < 3; i++)
        ask_unless_null(asker, TRACY_ASK_STRING, tracy_u64(&payload));
}

static uint64_t behind(struct tracy_cursor payload, size_t size)
{
    tracy_skip(&payload, 1, size);
    return tracy_u64(&payload);
}

static void count_answer(struct tracy_asker *asker)
{
    asker->open -= asker->open > 0;
}

void tracy_asker_see(struct tracy_asker *asker, const struct tracy_wire *wire,
                     const struct tracy_item *item)
{
    struct tracy_cursor payload = item->payload;
    switch (item->type) {
    case TRACY_THREAD:
        asker_ask(asker, TRACY_ASK_THREAD, tracy_u32(&payload));
        break;
    case TRACY_PLOT_INT:
    case TRACY_PLOT_FLOAT:
    case TRACY_PLOT_DOUBLE:
        ask_unless_null(asker, TRACY_ASK_PLOT, tracy_u64(&payload));
        break;
    case TRACY_FRAME_MARK:
    case TRACY_FRAME_BEGIN:
    case TRACY_FRAME_END:
        ask_unless_null(asker, TRACY_ASK_FRAME, behind(payload, 8));
        break;
    case TRACY_MESSAGE_LITERAL:
    case TRACY_MESSAGE_LITERAL_STACK:
    case TRACY_CRASH_REPORT:
        ask_unless_null(asker, TRACY_ASK_STRING, behind(payload, 8));
        break;
    case TRACY_MESSAGE_LITERAL_COLOR:
    case TRACY_MESSAGE_LITERAL_COLOR_STACK:
        ask_unless_null(asker, TRACY_ASK_STRING, behind(payload, 8 + 3));
        break;
    case TRACY_LOCATION:
        count_answer(asker);
        ask_location_texts(asker, payload);
        break;
    case TRACY_STRING:
    case TRACY_THREAD_NAME:
    case TRACY_PLOT_NAME:
    case TRACY_FRAME_NAME:
        count_answer(asker);
        break;
    case TRACY_TERMINATE:
        asker->ended = true;
        break;
    default:
        ask_unless_null(asker, TRACY_ASK_LOCATION, tracy_item_location(wire, item));
    }
}

uint64_t tracy_asker_next_location(struct tracy_asker *asker)
{
    while (asker->located < asker->asked.count) {
        const struct asked *asked = segments_get(&asker->asked, asker->located++);
        if (asked->question == TRACY_ASK_LOCATION)
            return asked->pointer;
    }
    return 0;
}
