// What the readers of the Torq forms make of a text, as text: one line for
// every event (lane by lane, in the order of the lanes), the account, and one
// line for every note.

#ifndef OPSCOPE_TESTS_UNIT_TORQ_SUPPORT_H
#define OPSCOPE_TESTS_UNIT_TORQ_SUPPORT_H

#include "formats/torq/torq.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/torq/timeline.h"

struct teller {
    struct event_sink sink;
    struct profile *profile;
    FILE *out;
};

static inline void tell_value(const struct teller *teller, const struct value *value)
{
    const struct view key = profile_text(teller->profile, value->key);
    fprintf(teller->out, " %.*s=", VIEW_ARGUMENTS(key));
    if (value->kind == VALUE_TEXT) {
        fprintf(teller->out, "'%.*s'", VIEW_ARGUMENTS(value->text));
    } else if (value->kind == VALUE_STRING) {
        const struct view text = profile_text(teller->profile, (uint32_t)value->number);
        fprintf(teller->out, "'%.*s'", VIEW_ARGUMENTS(text));
    } else {
        assert_int_equal(value->kind, VALUE_UINT);
        fprintf(teller->out, "%" PRIu64, value->number);
    }
}

static inline void tell_call(const struct teller *teller, const struct event *event)
{
    const struct call *call = profile_call(teller->profile, event->call);
    const struct operator_description *op = profile_operator(teller->profile, call->operator_id);
    if (op->location != 0)
        fprintf(teller->out, " @%.*s", VIEW_ARGUMENTS(profile_text(teller->profile, op->location)));
    if (op->type != 0)
        assert_int_equal(op->type, event->name);
}

static inline status tell_events(struct event_sink *sink, const struct event_batch *batch)
{
    const struct teller *teller = (struct teller *)(void *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(teller->profile, event->track);
        fprintf(teller->out, "%.*s: %.*s %" PRIu64,
                VIEW_ARGUMENTS(profile_text(teller->profile, track->name)),
                VIEW_ARGUMENTS(profile_text(teller->profile, event->name)), event->start);
        if (event->kind == EVENT_SPAN)
            fprintf(teller->out, "..%" PRIu64, event->end);
        struct value_reader reader = value_read(event_values(batch, event));
        struct value value;
        while (value_next(&reader, &value))
            tell_value(teller, &value);
        assert_ptr_equal(reader.at, reader.end);
        tell_call(teller, event);
        fputc('\n', teller->out);
    }
    return STATUS_OK;
}

static inline void assert_accounts_add_up(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct ledger *ledger = &profile_track(profile, i)->ledger;
        if (ledger->expected != LEDGER_UNKNOWN)
            assert_int_equal(ledger->expected,
                             ledger->recorded + ledger->lost + ledger->impossible);
    }
}

// The caller frees it.
static inline char *tell_profile(struct profile *profile)
{
    char *text = NULL;
    size_t size = 0;
    struct teller teller = {{tell_events}, profile, open_memstream(&text, &size)};
    uint32_t *tracks = timeline_tracks(profile);
    for (uint32_t i = 0; i < profile->tracks.count; i++)
        assert_null(profile_replay_track(profile, tracks[i], &teller.sink));
    free(tracks);
    fclose(teller.out);
    return text;
}

static inline char *tell_notes(struct profile *profile)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        fprintf(out, "%s %" PRIu64 ": %.*s\n", ledger_note_kind_name(note->kind), note->count,
                VIEW_ARGUMENTS(profile_text(profile, note->text)));
    }
    fclose(out);
    return text;
}

static inline struct profile *read_with(struct view text, const struct torq_options *options)
{
    struct profile *profile = profile_create();
    // A copy of exactly this size: a read past it is seen by ASan.
    char *copy = malloc(text.size > 0 ? text.size : 1);
    memcpy(copy, text.data, text.size);
    struct input *input = input_over("t.csv", (struct view){copy, text.size});
    const status result = torq_read(input, options, profile);
    assert_string_equal(status_message(result), "ok");
    input_close(input);
    free(copy);
    assert_null(profile_finish(profile));
    assert_accounts_add_up(profile);
    return profile;
}

static inline struct profile *read_text(const char *text)
{
    return read_with(view_of(text), &(struct torq_options){0});
}

// Checks the events and the notes that come of `text`.
static inline void assert_reads(const char *text, const char *events, const char *notes)
{
    struct profile *profile = read_text(text);
    char *told_events = tell_profile(profile);
    char *told_notes = tell_notes(profile);
    assert_string_equal(told_events, events);
    assert_string_equal(told_notes, notes);
    free(told_events);
    free(told_notes);
    profile_free(profile);
}

#endif
