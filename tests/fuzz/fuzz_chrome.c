// Chrome traces: any bytes give a profile with an account that adds up, and what is written of it
// is a trace again.

#include <stdlib.h>

#include "formats/chrome/as_written_writer.h"
#include "formats/chrome/events.h"
#include "formats/chrome/reader.h"
#include "formats/chrome/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view bytes = {(const char *)data, size};
    if (!chrome_recognise(bytes))
        return 0;
    struct input *input = input_over("fuzz.json", bytes);
    struct profile *profile = profile_create();
    const status failure = chrome_read(input, profile);
    if (failure == STATUS_OK) {
        const struct ledger sum = profile_ledger(profile);
        if (sum.expected != LEDGER_UNKNOWN &&
            sum.expected != sum.recorded + sum.lost + sum.impossible)
            abort();
        const struct chrome_writer_options options = {0};
        status_free(chrome_write(profile, "/dev/null", &options));
        if (as_written_is_kept(profile))
            status_free(as_written_write(profile, "/dev/null"));
    }
    status_free(failure);
    profile_free(profile);
    input_close(input);
    return 0;
}
