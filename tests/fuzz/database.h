// What the targets of databases share: any bytes give a profile with an account that adds up, or an
// error.

#ifndef OPSCOPE_FUZZ_DATABASE_H
#define OPSCOPE_FUZZ_DATABASE_H

#include <stdlib.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void read_database(struct view bytes, bool (*recognise)(struct view bytes),
                                 status (*read)(const struct input *input, struct profile *profile))
{
    if (!recognise(bytes))
        return;
    struct input *input = input_over("fuzz.db", bytes);
    struct profile *profile = profile_create();
    const status failure = read(input, profile);
    if (failure == STATUS_OK) {
        const struct ledger sum = profile_ledger(profile);
        if (sum.expected != LEDGER_UNKNOWN &&
            sum.expected != sum.recorded + sum.lost + sum.impossible)
            abort();
    }
    status_free(failure);
    profile_free(profile);
    input_close(input);
}

#endif
