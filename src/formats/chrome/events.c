#include "events.h"

#include <stdlib.h>

#include "pieces.h"

// Arguments that are taken apart, of an event at most.
enum { MEMBERS = 64 };

struct plain {
    struct chrome_visitor visitor; // hands on to `to`
    struct chrome_visitor *to;
    struct chrome_member members[MEMBERS];
    struct chrome_joints joints;
    struct chrome_seen_texts seen;
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
    chrome_joints_refresh(&plain->joints);
    chrome_seen_texts_refresh(&plain->seen);
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

// `growing`: NULL where all is there; `from`: NULL for all of it.
static void chrome_events_visit_plain(struct view bytes, const struct input *growing,
                                      const uint64_t *from, struct chrome_visitor *visitor)
{
    struct chrome_event event = {0};
    struct plain plain = {.visitor = {plain_event, plain_member, plain_damage, false},
                          .to = visitor};
    struct chrome_parser parser = {.start = bytes.data,
                                   .end = bytes.data + bytes.size,
                                   .event = &event,
                                   .texts = &plain.texts,
                                   .members = plain.members,
                                   .member_room = MEMBERS,
                                   .joints = &plain.joints,
                                   .seen = &plain.seen,
                                   .growing = growing};
    chrome_joints_start(&plain.joints);
    if (growing != NULL || bytes.size >= CHROME_AHEAD_LEAST)
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
    chrome_events_visit_plain(bytes, NULL, NULL, visitor);
}

void chrome_events_visit_input(const struct input *input, struct chrome_visitor *visitor)
{
    const bool whole = input_reach(input, 0);
    chrome_events_visit_plain(input->bytes, whole ? NULL : input, NULL, visitor);
}

void chrome_events_visit_from(const struct input *input, uint64_t offset,
                              struct chrome_visitor *visitor)
{
    input_reach(input, UINT64_MAX);
    chrome_events_visit_plain(input->bytes, NULL, &offset, visitor);
}
