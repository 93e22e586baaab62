// Who holds which places, against an array of all of them.

#include "program/verify_regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "program/program.h"

// Who held the places, each once for places that lie together, nobody left out.
static size_t expected(const uint32_t *owners, size_t first, size_t end, uint32_t *out_found)
{
    size_t count = 0;
    uint32_t last = PROGRAM_NONE;
    for (size_t i = first; i < end; i++) {
        if (owners[i] != PROGRAM_NONE && owners[i] != last)
            out_found[count++] = owners[i];
        last = owners[i];
    }
    return count;
}

static void take_at_random(size_t places, unsigned seed)
{
    struct verify_regions *regions = verify_regions_create(places);
    uint32_t *owners = malloc(places * sizeof *owners);
    uint32_t *wanted = malloc(places * sizeof *wanted);
    for (size_t i = 0; i < places; i++)
        owners[i] = PROGRAM_NONE;
    for (uint32_t owner = 0; owner < 300; owner++) {
        const size_t first = (size_t)rand_r(&seed) % places;
        const size_t most = rand_r(&seed) % 4 == 0 ? places : 5;
        size_t end = first + 1 + (size_t)rand_r(&seed) % most;
        end = end > places ? places : end;
        const size_t count = expected(owners, first, end, wanted);
        size_t found;
        const uint32_t *others = verify_regions_take(regions, first, end, owner, &found);
        assert_int_equal(found, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(others[i], wanted[i]);
        for (size_t i = first; i < end; i++)
            owners[i] = owner;
    }
    verify_regions_free(regions);
    free(owners);
    free(wanted);
}

static void those_who_held_places_are_found(void **state)
{
    (void)state;
    static const size_t PLACES[] = {1, 2, 63, 64, 65, 129, 4095, 4096, 4097, 300000};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        for (unsigned seed = 1; seed < (PLACES[i] > 5000 ? 3 : 30); seed++)
            take_at_random(PLACES[i], seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_held_places_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
