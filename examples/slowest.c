// Reads a profile of any format and prints its ledger and the slowest spans, each with the
// operator that it belongs to and its values.
//
//     slowest PROFILE [COUNT]

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <opscope/profile.h>

struct slow {
    uint64_t ns;
    const char *name; // texts live as long as the profile
    uint32_t track;
    uint32_t call;
    uint64_t start; // to find its values again
};

static int by_time(const void *left, const void *right)
{
    const struct slow *a = left;
    const struct slow *b = right;
    return (a->ns < b->ns) - (a->ns > b->ns);
}

// Keeps the `most` slowest spans in `slowest`, in one pass over all events.
static int find_slowest(struct opscope_profile *profile, struct slow *slowest, size_t most,
                        size_t *out_count)
{
    char message[256];
    struct opscope_events *events;
    struct opscope_profile_event event;
    size_t count = 0;
    if (opscope_events_open(profile, OPSCOPE_ALL_TRACKS, &events, message, sizeof message) != 0)
        return fprintf(stderr, "slowest: %s\n", message), 1;
    int more;
    while ((more = opscope_events_next(events, &event)) > 0) {
        const uint64_t ns = event.end_ns - event.start_ns;
        if (event.kind != OPSCOPE_SPAN || (count == most && ns <= slowest[most - 1].ns))
            continue;
        if (count < most)
            count++;
        const struct slow found = {ns, event.name, event.track, event.call, event.start};
        slowest[count - 1] = found;
        qsort(slowest, count, sizeof *slowest, by_time);
    }
    opscope_events_free(events);
    *out_count = count;
    return more < 0;
}

static void print_values(struct opscope_values *values)
{
    struct opscope_profile_value value;
    while (opscope_values_next(values, &value)) {
        switch (value.kind) {
        case OPSCOPE_UINT:
            printf("  %s=%" PRIu64, value.key, value.number);
            break;
        case OPSCOPE_INT:
            printf("  %s=%" PRId64, value.key, value.integer);
            break;
        case OPSCOPE_REAL:
            printf("  %s=%g", value.key, value.real);
            break;
        case OPSCOPE_TEXT:
            printf("  %s=%s", value.key, value.text);
            break;
        default: // flows, booleans, times on other clocks
            break;
        }
    }
}

static void print_slow(const struct opscope_profile *profile, const struct slow *slow)
{
    static const char *const provenance[] = {"", "measured", "modelled", "derived"};
    struct opscope_profile_track track;
    struct opscope_profile_call call;
    struct opscope_profile_operator op;
    opscope_profile_get_track(profile, slow->track, &track);
    printf("%12" PRIu64 " ns  %-8s  %-12s  %s", slow->ns, provenance[track.provenance], track.name,
           slow->name);
    if (opscope_profile_get_call(profile, slow->call, &call) == OPSCOPE_OK && slow->call != 0 &&
        opscope_profile_get_operator(profile, call.operator_id, &op) == OPSCOPE_OK) {
        struct opscope_values *values = opscope_profile_operator_values(profile, call.operator_id);
        printf("  %s (%s) at %s", op.name, op.type, op.location);
        print_values(values);
        opscope_values_free(values);
    }
    printf("\n");
}

static void print_ledger(const struct opscope_profile *profile)
{
    struct opscope_ledger ledger;
    struct opscope_profile_note note;
    opscope_profile_get_ledger(profile, OPSCOPE_ALL_TRACKS, &ledger);
    printf("%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " impossible\n", ledger.recorded,
           ledger.lost, ledger.impossible);
    for (uint32_t i = 0; opscope_profile_get_note(profile, i, &note) == OPSCOPE_OK; i++)
        printf("  %s\n", note.text);
}

int main(int count, char **words)
{
    char message[256];
    struct opscope_profile *profile;
    if (count < 2)
        return fprintf(stderr, "usage: slowest PROFILE [COUNT]\n"), 2;
    if (opscope_profile_open(words[1], NULL, &profile, message, sizeof message) != 0)
        return fprintf(stderr, "slowest: %s\n", message), 1;

    const int wanted = count > 2 ? atoi(words[2]) : 5;
    const size_t most = wanted > 0 ? (size_t)wanted : 1;
    struct slow *slowest = calloc(most, sizeof *slowest);
    size_t found;
    const int failed = slowest == NULL || find_slowest(profile, slowest, most, &found) != 0;
    if (!failed) {
        print_ledger(profile);
        for (size_t i = 0; i < found; i++)
            print_slow(profile, &slowest[i]);
    }
    free(slowest);
    opscope_profile_free(profile);
    return failed;
}
