// Traces of Tracy, packed or as they are inside: any bytes give a profile with an account that
// adds up.

#include <stdlib.h>

#include "formats/tracy/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_account(const struct profile *profile)
{
    const struct ledger sum = profile_ledger(profile);
    if (sum.expected != LEDGER_UNKNOWN && sum.expected != sum.recorded + sum.lost + sum.impossible)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    const bool packed = tracy_recognise(bytes);
    if (!packed && !view_starts_with(bytes, "tracy"))
        return 0;
    struct profile *profile = profile_create();
    status failure;
    if (packed) {
        struct input *input = input_over("fuzz.tracy", bytes);
        failure = tracy_read(input, profile);
        input_close(input);
    } else {
        failure = tracy_read_content("fuzz.tracy", bytes, NULL, profile);
    }
    if (failure == STATUS_OK)
        check_account(profile);
    status_free(failure);
    profile_free(profile);
    return 0;
}
