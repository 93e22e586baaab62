// Which threads the lanes of devices become: the viewer of Tenstorrent's fork calls them by the
// lower bits of their numbers.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/tracy/writer_places.h"

static uint32_t add_track(struct profile *profile, uint32_t parent, const char *name,
                          enum track_kind kind, enum role role)
{
    const struct track track = {.parent = parent,
                                .name = profile_string(profile, view_of(name)),
                                .kind = kind,
                                .role = role};
    return profile_track_add(profile, &track);
}

static void lanes_of_devices_are_called_by_their_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum role role;
        uint64_t processor;
    } LANES[] = {{"BRISC 0", ROLE_TRANSFER_OUT, 0},
                 {"NCRISC 0", ROLE_TRANSFER_IN, 1},
                 {"TRISC_0 0", ROLE_COMPUTE, 2},
                 {"TRISC_1 0", ROLE_COMPUTE, 3},
                 {"TRISC_2 0", ROLE_COMPUTE, 4},
                 {"TENSIX 0", ROLE_COMPUTE, TRACY_PROCESSOR_ALL},
                 {"firmware", ROLE_CONTROL, TRACY_PROCESSOR_ALL},
                 {"SLICE 7", ROLE_COMPUTE, TRACY_PROCESSOR_ALL}};
    enum { COUNT = sizeof LANES / sizeof LANES[0], CORES = 40 };
    struct profile *profile = profile_create();
    uint32_t tracks[CORES][COUNT];
    const uint32_t process = add_track(profile, 0, "a machine", TRACK_PROCESS, ROLE_NONE);
    for (unsigned core = 0; core < CORES; core++) {
        const uint32_t group = add_track(profile, process, "core", TRACK_GROUP, ROLE_NONE);
        for (unsigned i = 0; i < COUNT; i++)
            tracks[core][i] = add_track(profile, group, LANES[i].name, TRACK_LANE, LANES[i].role);
    }
    struct tracy_places places;
    struct strings texts;
    strings_start(&texts);
    tracy_places_start(&places, profile, &texts);
    for (unsigned core = 0; core < CORES; core++) {
        for (unsigned i = 0; i < COUNT; i++) {
            const uint32_t lane = tracy_places_span(&places, tracks[core][i], 10, 20);
            const uint64_t thread = tracy_places_lane(&places, lane)->thread;
            assert_int_equal(thread % TRACY_PROCESSORS, LANES[i].processor);
            assert_int_not_equal(thread, 0);
            assert_int_equal(tracy_places_short(&places, thread), core * COUNT + i + 1);
        }
    }
    tracy_places_free(&places);
    strings_free(&texts);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_of_devices_are_called_by_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
