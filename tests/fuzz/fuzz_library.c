// Whatever bytes a program hands to the public library: opened, looked at from end to end,
// analysed, written.

#include <opscope/opscope.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t seen; // so that nothing is left out as unused

static void look(const char *text)
{
    seen += text != NULL ? strlen(text) : 0;
}

static void look_at_values(struct opscope_values *values)
{
    struct opscope_profile_value value;
    while (opscope_values_next(values, &value) == 1) {
        look(value.key);
        look(value.text);
    }
}

static void look_at_tables(const struct opscope_profile *profile)
{
    for (uint32_t i = 0; i < opscope_profile_track_count(profile); i++) {
        struct opscope_profile_track track;
        struct opscope_values *values = opscope_profile_track_values(profile, i);
        opscope_profile_get_track(profile, i, &track);
        look(track.name);
        look(track.unit);
        look_at_values(values);
        opscope_values_free(values);
    }
    for (uint32_t i = 0; i < opscope_profile_operator_count(profile); i++) {
        struct opscope_profile_operator op;
        struct opscope_values *values = opscope_profile_operator_values(profile, i);
        opscope_profile_get_operator(profile, i, &op);
        look(op.name);
        look(op.type);
        look(op.location);
        look_at_values(values);
        opscope_values_free(values);
    }
    for (uint32_t i = 0; i < opscope_profile_call_count(profile); i++) {
        struct opscope_values *values = opscope_profile_call_values(profile, i);
        look_at_values(values);
        opscope_values_free(values);
    }
    for (uint32_t i = 0; i < opscope_profile_note_count(profile); i++) {
        struct opscope_profile_note note;
        opscope_profile_get_note(profile, i, &note);
        look(note.text);
    }
    for (uint32_t i = 0; i < opscope_profile_fact_count(profile); i++) {
        look(opscope_profile_fact_key(profile, i));
        look(opscope_profile_fact_text(profile, i));
    }
}

static void look_at_events(struct opscope_profile *profile)
{
    struct opscope_events *events;
    struct opscope_profile_event event;
    if (opscope_events_open(profile, OPSCOPE_ALL_TRACKS, &events, NULL, 0) != OPSCOPE_OK)
        return;
    while (opscope_events_next(events, &event) > 0) {
        look(event.name);
        look_at_values(opscope_events_values(events));
    }
    opscope_events_free(events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct opscope_profile *profile;
    struct opscope_overview *overview;
    struct opscope_operator_times *times;
    if (opscope_profile_open_memory(data, size, "fuzz", NULL, &profile, NULL, 0) != OPSCOPE_OK)
        return 0;
    look_at_tables(profile);
    look_at_events(profile);
    if (opscope_overview_create(profile, 1, &overview, NULL, 0) == OPSCOPE_OK)
        opscope_overview_free(overview);
    if (opscope_operator_times_create(profile, &times, NULL, 0) == OPSCOPE_OK)
        opscope_operator_times_free(times);
    opscope_profile_write(profile, "/dev/null", "profile", NULL, 0);
    opscope_profile_write(profile, "/dev/null", "perfetto", NULL, 0);
    opscope_profile_free(profile);
    return 0;
}
