#include "events.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/queue.h"
#include "base/recovery.h"
#include "parser.h"

// Small traces, on the caller's thread ----------------------------------------

// Arguments that are taken apart, of an event at most (small traces) or of a batch.
enum { MEMBERS = 64, BATCH_MEMBERS = 4096 };

struct plain {
    struct chrome_visitor visitor; // hands on to `to`
    struct chrome_visitor *to;
    struct chrome_member members[MEMBERS];
    struct arena texts;
};

static void free_texts(struct arena *texts)
{
    if (texts->chunks == NULL)
        return;
    arena_free(texts);
    *texts = (struct arena){0};
}

static void plain_event(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct plain *plain = (struct plain *)visitor;
    plain->to->event(plain->to, event);
    free_texts(&plain->texts);
}

static void plain_member(struct chrome_visitor *visitor, struct view key, struct view value)
{
    struct plain *plain = (struct plain *)visitor;
    if (plain->to->member != NULL)
        plain->to->member(plain->to, key, value);
    free_texts(&plain->texts);
}

static void plain_damage(struct chrome_visitor *visitor, enum chrome_damage kind, uint64_t offset)
{
    struct plain *plain = (struct plain *)visitor;
    if (plain->to->damage != NULL)
        plain->to->damage(plain->to, kind, offset);
}

static void chrome_events_visit_plain(struct view bytes, const uint64_t *from,
                                      struct chrome_visitor *visitor)
{
    struct chrome_event event = {0};
    struct plain plain = {.visitor = {plain_event, plain_member, plain_damage, false},
                          .to = visitor};
    struct chrome_parser parser = {bytes.data,   bytes.data + bytes.size, &event,
                                   &plain.texts, plain.members,           MEMBERS};
    if (from == NULL)
        chrome_parser_run(&parser, &plain.visitor);
    else
        chrome_parser_items(&parser, parser.start + *from, &plain.visitor);
    visitor->unfinished = plain.visitor.unfinished;
    arena_free(&plain.texts);
}

// Large ones, ahead of the visitor --------------------------------------------

enum { BATCH_ITEMS = 256, BATCHES = 4 };

struct item {
    enum { ITEM_EVENT, ITEM_MEMBER, ITEM_DAMAGE } kind;
    enum chrome_damage damage;
    uint64_t offset;
    struct view key;
    struct view value;
};

struct batch {
    size_t count;
    struct item items[BATCH_ITEMS];
    struct chrome_event events[BATCH_ITEMS];
    struct chrome_member members[BATCH_MEMBERS];
    struct arena texts;
};

struct ahead {
    struct chrome_visitor visitor; // fills batches
    struct chrome_parser parser;
    struct queue full;
    struct queue empty;
    struct batch *batch; // being filled
    struct batch *taken; // being handed over
};

static void chrome_events_take_batch(struct ahead *ahead)
{
    ahead->batch = queue_take(&ahead->empty);
    ahead->parser.event = ahead->batch->events;
    ahead->parser.texts = &ahead->batch->texts;
    ahead->parser.members = ahead->batch->members;
    ahead->parser.member_room = BATCH_MEMBERS;
}

static void chrome_events_put_item(struct chrome_visitor *visitor, const struct item *item)
{
    struct ahead *ahead = (struct ahead *)visitor;
    ahead->batch->items[ahead->batch->count++] = *item;
    if (ahead->batch->count < BATCH_ITEMS) {
        ahead->parser.event = &ahead->batch->events[ahead->batch->count];
        return;
    }
    queue_put(&ahead->full, ahead->batch);
    chrome_events_take_batch(ahead);
}

static void put_event(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct ahead *ahead = (struct ahead *)visitor;
    ahead->parser.members += event->member_count;
    ahead->parser.member_room -= event->member_count;
    chrome_events_put_item(visitor, &(struct item){.kind = ITEM_EVENT});
}

static void put_member(struct chrome_visitor *visitor, struct view key, struct view value)
{
    chrome_events_put_item(visitor,
                           &(struct item){.kind = ITEM_MEMBER, .key = key, .value = value});
}

static void put_damage(struct chrome_visitor *visitor, enum chrome_damage kind, uint64_t offset)
{
    chrome_events_put_item(visitor,
                           &(struct item){.kind = ITEM_DAMAGE, .damage = kind, .offset = offset});
}

static void *run_ahead(void *argument)
{
    struct ahead *ahead = argument;
    chrome_events_take_batch(ahead);
    chrome_parser_run(&ahead->parser, &ahead->visitor);
    queue_put(&ahead->full, ahead->batch);
    queue_close(&ahead->full);
    return NULL;
}

static void give_up_ahead(void *argument)
{
    queue_close(&((struct ahead *)argument)->full);
}

// Every batch is empty again: it parses to the end of what it has.
static void stop_ahead(void *argument)
{
    struct ahead *ahead = argument;
    if (ahead->taken != NULL)
        queue_put(&ahead->empty, ahead->taken);
    for (struct batch *batch; (batch = queue_take(&ahead->full)) != NULL;) {
        batch->count = 0;
        queue_put(&ahead->empty, batch);
    }
}

static void hand_over(struct batch *batch, struct chrome_visitor *visitor)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct item *item = &batch->items[i];
        if (item->kind == ITEM_EVENT)
            visitor->event(visitor, &batch->events[i]);
        else if (item->kind == ITEM_MEMBER && visitor->member != NULL)
            visitor->member(visitor, item->key, item->value);
        else if (item->kind == ITEM_DAMAGE && visitor->damage != NULL)
            visitor->damage(visitor, item->damage, item->offset);
    }
    batch->count = 0;
    free_texts(&batch->texts);
}

// False when there is no thread to be had.
static bool visit_ahead(struct view bytes, struct chrome_visitor *visitor)
{
    struct batch *batch;
    struct ahead *ahead = memory_allocate_zeroed(1, sizeof *ahead);
    struct batch *batches = memory_allocate_zeroed(BATCHES, sizeof *batches);
    ahead->visitor = (struct chrome_visitor){put_event, put_member, put_damage, false};
    ahead->parser = (struct chrome_parser){.start = bytes.data, .end = bytes.data + bytes.size};
    queue_start(&ahead->full, BATCHES);
    queue_start(&ahead->empty, BATCHES);
    for (size_t i = 0; i < BATCHES; i++)
        queue_put(&ahead->empty, &batches[i]);
    struct recovery_thread thread = {
        .run = run_ahead, .give_up = give_up_ahead, .stop = stop_ahead, .context = ahead};
    const bool started = recovery_thread_start(&thread) == 0;
    while (started && (batch = queue_take(&ahead->full)) != NULL) {
        ahead->taken = batch;
        hand_over(batch, visitor);
        ahead->taken = NULL;
        queue_put(&ahead->empty, batch);
    }
    if (started)
        recovery_thread_join(&thread);
    visitor->unfinished = ahead->visitor.unfinished;
    queue_free(&ahead->full);
    queue_free(&ahead->empty);
    free(batches);
    free(ahead);
    return started;
}

void chrome_events_visit(struct view bytes, struct chrome_visitor *visitor)
{
    if (bytes.size < CHROME_AHEAD_LEAST || !visit_ahead(bytes, visitor))
        chrome_events_visit_plain(bytes, NULL, visitor);
}

void chrome_events_visit_from(struct view bytes, uint64_t offset, struct chrome_visitor *visitor)
{
    chrome_events_visit_plain(bytes, &offset, visitor);
}
