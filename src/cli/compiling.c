#include "compiling.h"

#include "base/memory.h"
#include "base/path.h"
#include "compiler/warnings.h"
#include "network_input.h"
#include "paths.h"

// Compiling -------------------------------------------------------------------

status compiling_open(struct compiling *compiling, const struct arguments *arguments)
{
    size_t count;
    STATUS_TRY(network_input_open(arguments, compiling->command, compiling->conversion,
                                  &compiling->network));
    STATUS_TRY(
        status_within(network_input_check_shapes(compiling->network), "%s", compiling->command));
    compiling->path = arguments_words(arguments, &count)[0];
    compiling->operators = network_graph(compiling->network, 0)->node_count;
    return STATUS_OK;
}

status compiling_follow_rules(const struct compiling *compiling)
{
    if (compiling->rules != COST_RULES_PUBLIC || !compiling->target->plan.values)
        return STATUS_OK;
    STATUS_TRY(target_set(compiling->target, "plan.spill", "first-in"));
    return target_set(compiling->target, "plan.prefetch", "no");
}

// A program that is not what it must be is this compiler's fault, not the user's.
static status compiling_prove(struct compiling *compiling)
{
    return status_within(
        program_verify(&compiling->program, compiling->target, &compiling->proved),
        "internal error: the program for %s is wrong and was not written; please report it",
        compiling->path);
}

static void *prove(void *context)
{
    struct compiling *compiling = context;
    compiling->proof = compiling_prove(compiling);
    return NULL;
}

// Nobody waits for a prover but whoever joins it, and it ends by itself.
static void leave_prover(void *context)
{
    (void)context;
}

static status compile_only(struct compiling *compiling, const struct compile_observer *observer)
{
    const struct compile_options options = {.observer = observer,
                                            .partitions = compiling->partitions,
                                            .partition_count = compiling->partition_count};
    memory_heap_on_huge_pages(); // a search makes tiles and programs, and throws them away
    compiling->plan = plan_create(compiling->network, compiling->target);
    compiling->builder =
        program_builder_create(compiling->target->text, view_of(path_base_name(compiling->path)));
    STATUS_TRY(status_within(compile_network(compiling->plan, &options, compiling->builder), "%s",
                             compiling->path));
    program_builder_view(compiling->builder, &compiling->program);
    return STATUS_OK;
}

status compiling_run(struct compiling *compiling, const struct compile_observer *observer)
{
    STATUS_TRY(compile_only(compiling, observer));
    return compiling_prove(compiling);
}

status compiling_start(struct compiling *compiling, const struct compile_observer *observer)
{
    STATUS_TRY(compile_only(compiling, observer));
    compiling->prover = (struct recovery_thread){
        .run = prove, .give_up = leave_prover, .stop = leave_prover, .context = compiling};
    compiling->proving = recovery_thread_start(&compiling->prover) == 0;
    return compiling->proving ? STATUS_OK : compiling_prove(compiling);
}

status compiling_proved(struct compiling *compiling)
{
    if (compiling->proving)
        recovery_thread_join(&compiling->prover);
    compiling->proving = false;
    const status proof = compiling->proof;
    compiling->proof = STATUS_OK;
    return proof;
}

status compiling_price(struct compiling *compiling)
{
    STATUS_TRY(
        sim_run(&compiling->program, compiling->target, compiling->rules, &compiling->times));
    warnings_find(compiling->plan, &compiling->program, compiling->times);
    compiling->modelled = modelled_create(&compiling->program, compiling->target, compiling->times);
    return STATUS_OK;
}

void compiling_free(struct compiling *compiling)
{
    status_free(compiling_proved(compiling));
    modelled_free(compiling->modelled);
    sim_result_free(compiling->times);
    program_builder_free(compiling->builder);
    plan_free(compiling->plan);
    network_free(compiling->network);
    target_free(compiling->target);
}

// Outputs ---------------------------------------------------------------------

status compiling_check_output(const struct compiling *compiling, const char *path)
{
    if (strcmp(path, "-") == 0)
        return status_make(STATUS_USAGE, "%s: the output cannot be '-': name a file",
                           compiling->command);
    STATUS_TRY(network_input_check_output(compiling->network, compiling->command, path));
    return paths_check_folder(compiling->command, path);
}
