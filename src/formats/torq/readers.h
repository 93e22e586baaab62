// The readers behind torq_read: each takes the rows of a form that is
// known already.

#ifndef OPSCOPE_FORMATS_TORQ_READERS_H
#define OPSCOPE_FORMATS_TORQ_READERS_H

#include "torq.h"

// The clock of the runtime forms.
#define TORQ_MICROSECOND_HZ 1000000ull

// C1 to C4.
void compile_reader_run(const struct input *input, enum torq_form form,
                        const struct torq_options *options, struct profile *profile);

// R1.
void job_reader_run(const struct input *input, enum torq_form form,
                    const struct torq_options *options, struct profile *profile);

// R2 to R4.
void runtime_reader_run(const struct input *input, enum torq_form form,
                        const struct torq_options *options, struct profile *profile);

#endif
