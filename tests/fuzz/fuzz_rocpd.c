// Databases of rocprofv3: any bytes give a profile with an account that adds up, or an error.

#include <stdlib.h>

#include "formats/rocpd/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view bytes = {(const char *)data, size};
    if (!rocpd_recognise(bytes))
        return 0;
    struct input *input = input_over("fuzz.db", bytes);
    struct profile *profile = profile_create();
    const status failure = rocpd_read(input, profile);
    if (failure == STATUS_OK) {
        const struct ledger sum = profile_ledger(profile);
        if (sum.expected != LEDGER_UNKNOWN &&
            sum.expected != sum.recorded + sum.lost + sum.impossible)
            abort();
    }
    status_free(failure);
    profile_free(profile);
    input_close(input);
    return 0;
}
