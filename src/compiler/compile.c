#include "compiler.h"

struct pass {
    status (*run)(struct plan *plan);
    unsigned number; // of the phase behind it
    const char *phase;
};

static const struct pass PASSES[] = {
    {pass_fold, 4, "global-optimization"},
    {pass_fuse, 5, "dispatch-creation"},
    {pass_place, 6, "flow"},
    {pass_tile, 7, "stream"},
};

static status tell(const struct plan *plan, const struct compile_options *options, unsigned number,
                   const char *phase)
{
    if (options->observer == NULL)
        return STATUS_OK;
    return options->observer->phase(options->observer->context, number, phase, plan);
}

status compile_network(struct plan *plan, const struct compile_options *options,
                       struct program_builder *builder)
{
    STATUS_TRY(tell(plan, options, 1, "input"));
    STATUS_TRY(tell(plan, options, 2, "abi"));
    STATUS_TRY(tell(plan, options, 3, "preprocessing"));
    for (size_t i = 0; i < sizeof PASSES / sizeof *PASSES; i++) {
        STATUS_TRY(PASSES[i].run(plan));
        STATUS_TRY(tell(plan, options, PASSES[i].number, PASSES[i].phase));
    }
    STATUS_TRY(pass_emit(plan, builder));
    return tell(plan, options, 8, "executable-sources");
}
