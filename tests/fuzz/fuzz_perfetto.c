// Any bytes as a Perfetto trace: read, accounted for, and replayed.

#include "formats/perfetto/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct counter {
    struct event_sink sink;
    const struct profile *profile;
    uint64_t events;
};

static void check(bool holds)
{
    if (!holds)
        abort();
}

static status count(struct event_sink *sink, const struct event_batch *batch)
{
    struct counter *counter = (struct counter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        struct value_reader reader = value_read(event_values(batch, event));
        struct value value;
        check(event->start <= event->end);
        check(event->name < counter->profile->strings.texts.count);
        while (value_next(&reader, &value)) {
            check(value.key < counter->profile->strings.texts.count);
            check(value.key != 0 || event->kind == EVENT_COUNTER || value.kind == VALUE_FLOW_OUT ||
                  value.kind == VALUE_FLOW_IN);
        }
        check(reader.at == reader.end);
    }
    counter->events += batch->count;
    return STATUS_OK;
}

// Parents come before their children, and each account adds up. How many events all tracks have,
// also those that are derived.
static uint64_t check_tracks(const struct profile *profile)
{
    uint64_t recorded = 0;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        const struct ledger *ledger = &track->ledger;
        check(i == 0 || track->parent < i);
        check(ledger->expected == LEDGER_UNKNOWN ||
              ledger->expected == ledger->recorded + ledger->lost + ledger->impossible);
        check(i == 0 || ledger->expected != LEDGER_UNKNOWN);
        recorded += ledger->recorded;
    }
    return recorded;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    perfetto_recognise(bytes);

    struct input *input = input_over("fuzz", bytes);
    struct profile *profile = profile_create();
    status_free(perfetto_read(input, profile));
    const uint64_t recorded = check_tracks(profile);

    struct counter counter = {{count}, profile, 0};
    status_free(profile_replay(profile, &counter.sink));
    check(counter.events == recorded);
    profile_free(profile);
    input_close(input);
    return 0;
}
