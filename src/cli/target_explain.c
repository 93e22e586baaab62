#include "target_explain.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/output.h"
#include "compiler/explain.h"
#include "network/single.h"
#include "target/rules/price.h"
#include "units.h"
#include "wire/json.h"

struct explaining {
    const char *operator;
    const char *inputs;
    enum cost_rules rules;
    struct target *target;
    struct network *network;
    struct plan *plan;
    struct explained explained;
};

// Text ----------------------------------------------------------------------------------

static void target_explain_print_line(const char *sign, uint64_t cycles, const char *name,
                                      const char *how)
{
    char count[FIGURES_ROOM];
    printf("  %-4s %15s  %-10s %s\n", sign, figures_count(cycles, count), name, how);
}

static bool has_alternatives(const struct cost_explanation *price)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < price->term_count; i++)
        count += price->terms[i].alternative;
    return count > 1;
}

static void print_terms(const struct cost_explanation *price)
{
    const bool several = has_alternatives(price);
    for (uint32_t i = 0; i < price->term_count; i++) {
        const struct cost_term *term = &price->terms[i];
        target_explain_print_line(term->alternative && several ? "max" : "+", term->cycles,
                                  term->name, term->how);
    }
}

static void target_explain_print_sum(const struct explaining *explaining,
                                     const struct target_engine *engine)
{
    const struct target *target = explaining->target;
    const struct cost_explanation *price = &explaining->explained.price;
    char text[128];
    char time[FIGURES_ROOM];
    if (engine->clock != target->clock) {
        snprintf(text, sizeof text, "of %s's clock, %g MHz", engine->name,
                 (double)engine->clock / 1e6);
        target_explain_print_line("=", price->engine_cycles, "", text);
    }
    snprintf(text, sizeof text, "at %g MHz: %s", (double)target->clock / 1e6,
             figures_time(price->cycles, target->clock, time));
    target_explain_print_line("=", price->cycles, "cycles", text);
    target_explain_print_line(">=", price->bound, "bound",
                              "the least that the engine's peak rates allow");
}

static void print_transfer(const struct target *target, const struct explained_transfer *transfer,
                           const char *what)
{
    char bytes[FIGURES_ROOM];
    char count[FIGURES_ROOM];
    char time[FIGURES_ROOM];
    if (transfer->engine == TARGET_NONE)
        return;
    printf("  %s: %s by %s take %s cycles, %s\n", what, figures_bytes(transfer->bytes, bytes),
           target->engines[transfer->engine].name, figures_count(transfer->cycles, count),
           figures_time(transfer->cycles, target->clock, time));
}

static void print_all(const struct explaining *explaining)
{
    const struct target *target = explaining->target;
    const struct explained *explained = &explaining->explained;
    const struct target_engine *engine = &target->engines[explained->engine];
    printf("%s %s on %s of %s: %s\n", explaining->operator, explaining->inputs, engine->name,
           target->name, explained->reason);
    if (engine->stage_count > 0)
        printf(
            "  price of its stages: the slowest (and a piece of each other, by how it is cut)\n");
    else
        printf("  price %s: %s\n", engine->price->name, engine->price->summary);
    print_terms(&explained->price);
    target_explain_print_sum(explaining, engine);
    print_transfer(target, &explained->in, "in");
    print_transfer(target, &explained->out, "out");
}

// JSON ----------------------------------------------------------------------------------

static void write_transfer(struct json_writer *json, const struct target *target, const char *key,
                           const struct explained_transfer *transfer)
{
    if (transfer->engine == TARGET_NONE)
        return;
    json_open_object(json, key);
    json_text(json, "engine", view_of(target->engines[transfer->engine].name));
    json_uint(json, "bytes", transfer->bytes);
    json_uint(json, "cycles", transfer->cycles);
    json_close(json);
}

static void write_terms(struct json_writer *json, const struct cost_explanation *price)
{
    json_open_array(json, "terms");
    for (uint32_t i = 0; i < price->term_count; i++) {
        const struct cost_term *term = &price->terms[i];
        json_open_object(json, NULL);
        json_text(json, "name", view_of(term->name));
        json_uint(json, "cycles", term->cycles);
        json_bool(json, "largest_counts", term->alternative);
        json_text(json, "how", view_of(term->how));
        json_close(json);
    }
    json_close(json);
}

static void target_explain_write_all(struct json_writer *json, const struct explaining *explaining)
{
    const struct target *target = explaining->target;
    const struct explained *explained = &explaining->explained;
    const struct target_engine *engine = &target->engines[explained->engine];
    json_open_object(json, NULL);
    json_text(json, "target", view_of(target->name));
    json_text(json, "operator", view_of(explaining->operator));
    json_text(json, "inputs", view_of(explaining->inputs));
    json_text(json, "engine", view_of(engine->name));
    json_text(json, "reason", view_of(explained->reason));
    json_text(json, "price", view_of(explained->price.price));
    json_text(json, "rules", view_of(explaining->rules == COST_RULES_PUBLIC ? "public" : "best"));
    write_terms(json, &explained->price);
    json_uint(json, "engine_cycles", explained->price.engine_cycles);
    json_uint(json, "engine_clock_hz", engine->clock);
    json_uint(json, "cycles", explained->price.cycles);
    json_uint(json, "clock_hz", target->clock);
    json_real(json, "time_us", (double)explained->price.cycles * 1e6 / (double)target->clock);
    json_uint(json, "bound_cycles", explained->price.bound);
    write_transfer(json, target, "in", &explained->in);
    write_transfer(json, target, "out", &explained->out);
    json_close(json);
}

static status print_json(const struct explaining *explaining)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    target_explain_write_all(&json, explaining);
    return output_close(output);
}

// Running -------------------------------------------------------------------------------

static status target_explain_network(const struct arguments *arguments,
                                     struct explaining *explaining, const char *name)
{
    struct network_single single = {.operator= explaining->operator, .inputs = explaining->inputs };
    single.attributes = arguments_values(arguments, "attribute", &single.attribute_count);
    STATUS_TRY(target_open(name, &explaining->target));
    STATUS_TRY(network_make_single(&single, &explaining->network));
    explaining->plan = plan_create(explaining->network, explaining->target);
    STATUS_TRY(explain_plan(explaining->plan, explaining->rules, &explaining->explained));
    if (explaining->explained.engine == TARGET_NONE)
        return status_make(STATUS_UNSUPPORTED, "nothing of %s takes %s, and it has no host: %s",
                           explaining->target->name, explaining->operator,
                           explaining->explained.reason);
    if (arguments_flag(arguments, "json"))
        return print_json(explaining);
    print_all(explaining);
    return STATUS_OK;
}

status target_explain(const struct arguments *arguments)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    struct explaining explaining = {.operator= arguments_value(arguments, "explain")};
    if (count != 2)
        return status_make(STATUS_USAGE,
                           "targets: --explain needs a target, an operator and its inputs: opscope "
                           "targets torq-sl2610 --explain Add 1x64xi8,1x64xi8");
    explaining.inputs = words[1];
    STATUS_TRY(units_rules(arguments, "rules", &explaining.rules));
    const status failure = target_explain_network(arguments, &explaining, words[0]);
    if (explaining.plan != NULL)
        plan_free(explaining.plan);
    network_free(explaining.network);
    target_free(explaining.target);
    return status_within(failure, "targets");
}
