// Cloud AI's statistics buffers and summaries as profiles: any bytes give an error, or a profile
// with an account that adds up.

#include <stdlib.h>

#include "formats/qaic/raw_profile.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"
#include "formats/qaic/summary_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    const bool raw = qaic_raw_recognise(bytes) && (uintptr_t)data % 8 == 0;
    if (!raw && !qaic_summary_recognise(bytes))
        return 0;
    struct input *input = input_over("fuzz", bytes);
    struct profile *profile = profile_create();
    const status failure = raw ? qaic_raw_profile_read(input, NULL, profile)
                               : qaic_summary_profile_read(input, profile);
    if (failure == STATUS_OK) {
        const struct ledger sum = profile_ledger(profile);
        if (sum.expected != sum.recorded + sum.lost + sum.impossible)
            abort();
    }
    status_free(failure);
    status_free(profile_finish(profile));
    profile_free(profile);
    input_close(input);
    return 0;
}
