#include "events.h"

#include <stdlib.h>

#include "pieces.h"

// Arguments that are taken apart, of an event at most.
enum { MEMBERS = 64 };

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
    if (bytes.size >= CHROME_AHEAD_LEAST)
        parser.items = chrome_pieces_items;
    if (from == NULL)
        chrome_parser_run(&parser, &plain.visitor);
    else
        chrome_parser_items(&parser, parser.start + *from, &plain.visitor);
    visitor->unfinished = plain.visitor.unfinished;
    arena_free(&plain.texts);
}

void chrome_events_visit(struct view bytes, struct chrome_visitor *visitor)
{
    chrome_events_visit_plain(bytes, NULL, visitor);
}

void chrome_events_visit_from(struct view bytes, uint64_t offset, struct chrome_visitor *visitor)
{
    chrome_events_visit_plain(bytes, &offset, visitor);
}
