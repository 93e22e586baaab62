// `opscope whatif FILE`: how long a recorded run would take if some of it were faster.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/memory.h"
#include "commands.h"
#include "dependence_text.h"
#include "ledger_text.h"
#include "peaks.h"
#include "opened.h"
#include "reports/whatif.h"
#include "suggest.h"
#include "table_options.h"
#include "target/target.h"

enum { FAR_NAMES_MOST = 64 };

struct whatif_request {
    struct profile *profile;
    struct dependence dependence;
    struct target *target; // that was run on; NULL: not known
    struct whatif_change *faster, *bandwidth;
    struct whatif_options what;
    struct view far_names[FAR_NAMES_MOST];
    struct table_options options;
    struct whatif_rows rows;
    struct arena texts;
    struct table *table;
};

// Options -----------------------------------------------------------------------

// "MatMul*=2x": what, and how many times as fast.
static status read_change(const char *option, const char *text, struct whatif_change *out_change)
{
    const struct view whole = view_of(text);
    size_t at = whole.size;
    while (at > 0 && whole.data[at - 1] != '=')
        at--;
    struct view factor = {whole.data + at, whole.size - at};
    if (factor.size > 0 && factor.data[factor.size - 1] == 'x')
        factor.size--;
    if (at < 2 || !view_to_double(factor, &out_change->factor) || !(out_change->factor > 0) ||
        !isfinite(out_change->factor))
        return status_make(STATUS_USAGE,
                           "whatif: --%s %s: write a name and how many times as fast "
                           "it is: NAME=2x",
                           option, text);
    out_change->name = (struct view){whole.data, at - 1};
    return STATUS_OK;
}

static status read_changes(const struct arguments *arguments, const char *option,
                           struct whatif_change **out_changes, size_t *out_count)
{
    const char *const *values = arguments_values(arguments, option, out_count);
    *out_changes = memory_allocate_zeroed(*out_count + 1, sizeof **out_changes);
    for (size_t i = 0; i < *out_count; i++)
        STATUS_TRY(read_change(option, values[i], &(*out_changes)[i]));
    return STATUS_OK;
}

static status read_what(const struct arguments *arguments, struct whatif_request *request)
{
    struct whatif_options *what = &request->what;
    STATUS_TRY(read_changes(arguments, "faster", &request->faster, &what->faster_count));
    STATUS_TRY(read_changes(arguments, "bandwidth", &request->bandwidth, &what->bandwidth_count));
    what->faster = request->faster;
    what->bandwidth = request->bandwidth;
    what->far_names = request->far_names;
    what->no_gaps = arguments_flag(arguments, "no-gaps");
    what->overlap_copies = arguments_flag(arguments, "overlap-copies");
    if (what->faster_count + what->bandwidth_count == 0 && !what->no_gaps && !what->overlap_copies)
        return status_make(STATUS_USAGE,
                           "whatif: say what changes: --faster 'MatMul*=2x', --bandwidth "
                           "dram=1.5x, --no-gaps or --overlap-copies");
    return STATUS_OK;
}

// Names -------------------------------------------------------------------------

static void add_far_name(struct whatif_request *request, const char *name)
{
    if (request->what.far_count < FAR_NAMES_MOST)
        request->far_names[request->what.far_count++] = view_of(name);
}

// The far memory and the ways to it, as the target that was run on calls them. A target that is not
// here is no error: engines have names in the profile.
static void read_far_names(struct whatif_request *request)
{
    struct bytes name = {0};
    bytes_append_format(&name, "%.*s", VIEW_ARGUMENTS(profile_fact(request->profile, "target")));
    bytes_append(&name, "", 1);
    request->target = peaks_target_if_any((const char *)name.data);
    if (request->target != NULL) {
        const struct target *target = request->target;
        const uint32_t far = target_far_memory(target);
        if (far != TARGET_NONE)
            add_far_name(request, target->memories[far].name);
        for (uint32_t i = 0; i < target->port_count; i++)
            add_far_name(request, target->ports[i].name);
    }
    bytes_free(&name);
}

static void consider(struct suggest *near, struct whatif_request *request, struct view name)
{
    struct bytes text = {0};
    bytes_append_format(&text, "%.*s", VIEW_ARGUMENTS(name));
    bytes_append(&text, "", 1);
    suggest_consider(near, arena_copy(&request->texts, bytes_view(&text)).data);
    bytes_free(&text);
}

static status unknown_operator(struct whatif_request *request, struct view name)
{
    const struct profile *profile = request->profile;
    struct suggest near = suggest_for(name);
    char text[SUGGEST_ROOM];
    for (uint32_t i = 1; i < profile->operators.count; i++) {
        const struct operator_description *op = profile_operator(profile, i);
        consider(&near, request, profile_text(profile, op->type));
        consider(&near, request, profile_text(profile, op->name));
    }
    for (size_t i = 0; i < request->dependence.part_count; i++)
        consider(&near, request, profile_text(profile, request->dependence.parts[i].name));
    return status_make(STATUS_USAGE,
                       "whatif: --faster %.*s: no operator and no span that works, copies "
                       "aside, is called so%s 'opscope operators' and 'opscope top' list them",
                       VIEW_ARGUMENTS(name), suggest_text(&near, "", text));
}

static void add_way(const struct whatif_request *request, struct bytes *known, struct view name)
{
    if (whatif_bandwidth_pieces(&request->dependence, &request->what, name) == 0)
        return;
    bytes_append_format(known, "%s%.*s", known->size > 0 ? ", " : "", VIEW_ARGUMENTS(name));
}

// All words that --bandwidth takes for this profile.
static status unknown_bandwidth(struct whatif_request *request, struct view name)
{
    const struct profile *profile = request->profile;
    struct bytes known = {0};
    struct view before = {0};
    add_way(request, &known, VIEW_LITERAL("dram"));
    add_way(request, &known, VIEW_LITERAL("link"));
    for (size_t i = 0; i < request->what.far_count; i++)
        add_way(request, &known, request->far_names[i]);
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct view engine = profile_text(profile, profile_track(profile, i)->engine);
        if (request->dependence.moves[i].count == 0 || engine.size == 0 ||
            view_equal(engine, before))
            continue;
        add_way(request, &known, engine);
        before = engine;
    }
    const status result = status_make(
        STATUS_USAGE, "whatif: --bandwidth %.*s: nothing in this profile moves data over it%s%.*s",
        VIEW_ARGUMENTS(name), known.size > 0 ? "; it may be " : ", nor over anything",
        VIEW_ARGUMENTS(bytes_view(&known)));
    bytes_free(&known);
    return result;
}

static status check_names(struct whatif_request *request)
{
    const struct whatif_options *what = &request->what;
    for (size_t i = 0; i < what->faster_count; i++) {
        if (whatif_faster_pieces(&request->dependence, what->faster[i].name) == 0)
            return unknown_operator(request, what->faster[i].name);
    }
    for (size_t i = 0; i < what->bandwidth_count; i++) {
        if (whatif_bandwidth_pieces(&request->dependence, what, what->bandwidth[i].name) == 0)
            return unknown_bandwidth(request, what->bandwidth[i].name);
    }
    return STATUS_OK;
}

// Rows ----------------------------------------------------------------------------

static status add_row(struct whatif_request *request, const char *change,
                      const struct whatif_options *what)
{
    struct whatif_row *row = &request->rows.rows[request->rows.count++];
    row->change = arena_copy(&request->texts, view_of(change));
    return whatif_answer(&request->dependence, what, &row->answer);
}

static status add_change_rows(struct whatif_request *request, const char *option,
                              const struct whatif_change *changes, size_t count, bool is_faster)
{
    for (size_t i = 0; i < count; i++) {
        struct whatif_options alone = request->what;
        struct bytes text = {0};
        alone.no_gaps = alone.overlap_copies = false;
        alone.faster_count = is_faster;
        alone.faster = is_faster ? &changes[i] : NULL;
        alone.bandwidth_count = !is_faster;
        alone.bandwidth = is_faster ? NULL : &changes[i];
        bytes_append_format(&text, "%s %.*s=%gx", option, VIEW_ARGUMENTS(changes[i].name),
                            changes[i].factor);
        bytes_append(&text, "", 1);
        const status result = add_row(request, (const char *)text.data, &alone);
        bytes_free(&text);
        STATUS_TRY(result);
    }
    return STATUS_OK;
}

static status answer_rows(struct whatif_request *request)
{
    const struct whatif_options *what = &request->what;
    const size_t changes =
        what->faster_count + what->bandwidth_count + what->no_gaps + what->overlap_copies;
    request->rows.rows = memory_allocate_zeroed(changes + 1, sizeof *request->rows.rows);
    STATUS_TRY(add_change_rows(request, "faster", what->faster, what->faster_count, true));
    STATUS_TRY(
        add_change_rows(request, "bandwidth", what->bandwidth, what->bandwidth_count, false));
    if (what->no_gaps)
        STATUS_TRY(add_row(request, "no gaps", &(struct whatif_options){.no_gaps = true}));
    if (what->overlap_copies)
        STATUS_TRY(
            add_row(request, "copies overlap", &(struct whatif_options){.overlap_copies = true}));
    return changes > 1 ? add_row(request, "all of it", what) : STATUS_OK;
}

// Printing ------------------------------------------------------------------------

static void cli_whatif_print(const struct whatif_request *request, const char *path)
{
    const struct whatif_answer *all = &request->rows.rows[request->rows.count - 1].answer;
    char recorded[FIGURES_ROOM], expected[FIGURES_ROOM], least[FIGURES_ROOM];
    printf("%s: %s would be %s (%.2f times as fast), and not less than %s.\n", path,
           figures_time(all->recorded, 1000000000, recorded),
           figures_time(all->expected, 1000000000, expected),
           all->expected > 0 ? (double)all->recorded / (double)all->expected : 1,
           figures_time(all->at_least, 1000000000, least));
    table_options_print(request->table, stdout);
    printf("Expected: every lane keeps its order, what flows say holds, gaps stay as long as they "
           "were.\nAt least: the same without gaps and without what is only assumed.\n");
    dependence_print(&request->dependence);
}

static status cli_whatif_write_json(const struct whatif_request *request, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    table_json_rows(request->table, &json, "changes");
    dependence_json(&json, "dependences", &request->dependence);
    ledger_json(&json, "ledger", request->profile);
    json_close(&json);
    return output_close(output);
}

static status cli_whatif_show(const struct arguments *arguments, struct whatif_request *request,
                              const char *path)
{
    const struct format_options options = {0};
    STATUS_TRY(table_options_read(arguments, 0, &request->options));
    STATUS_TRY(read_what(arguments, request));
    STATUS_TRY(opened_read(path, &options, &request->profile));
    STATUS_TRY(dependence_read(request->profile, &request->dependence));
    if (request->dependence.totals)
        return status_make(STATUS_DATA,
                           "%s: has sums alone: when things happened is not in it, so nothing can "
                           "be put on a new time axis; give a trace or a profile of the run",
                           path);
    if (request->dependence.node_count == 0)
        return status_make(STATUS_DATA, "%s: no spans of which anything could be faster", path);
    read_far_names(request);
    STATUS_TRY(check_names(request));
    STATUS_TRY(answer_rows(request));
    request->table = table_create(&WHATIF_FORM, &request->rows, request->rows.count);
    STATUS_TRY(table_options_apply(&request->options, &request->table, 1));
    if (request->options.json)
        STATUS_TRY(cli_whatif_write_json(request, path));
    else if (request->options.csv)
        STATUS_TRY(table_options_write_csv(request->table));
    else
        cli_whatif_print(request, path);
    ledger_warn(request->profile);
    return STATUS_OK;
}

static status whatif_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE,
                           "whatif: give one file: opscope whatif run.prof --faster 'MatMul*=2x'");
    struct whatif_request request = {0};
    const status result = cli_whatif_show(arguments, &request, words[0]);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(request.profile);
    table_free(request.table);
    dependence_free(&request.dependence);
    target_free(request.target);
    arena_free(&request.texts);
    free(request.rows.rows);
    free(request.faster);
    free(request.bandwidth);
    opened_close(request.profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"faster", 0, OPTION_EACH, "NAMES=2x",
     "operators or spans of this name or type; * is anything"},
    {"bandwidth", 0, OPTION_EACH, "WAY=1.5x", "what moves data: dram, link, or an engine's name"},
    {"no-gaps", 0, OPTION_FLAG, NULL, "nothing rests while it could go on"},
    {"overlap-copies", 0, OPTION_FLAG, NULL, "copies hold up only what needs them"},
    TABLE_OPTIONS("as JSON, with the ledger", "as CSV", "how many changes to list (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&WHATIF_FORM, NULL};

const struct command COMMAND_WHATIF = {
    .name = "whatif",
    .usage = "FILE [--faster NAMES=2x]... [--bandwidth WAY=1.5x]... [--no-gaps] [--overlap-copies]",
    .summary = "how long a recorded run would take if some of it were faster",
    .details =
        "Puts every recorded piece of work down again, as early as what it waited for lets it: "
        "the one\nbefore on its lane, what flows lead from (launches, semaphores, results), and "
        "where neither\nexplains its start, what ended last before it. Nothing is compiled or "
        "measured anew: a change\nthat would lead to other tiles or another order is not seen.\n"
        "A factor below 1 makes things slower. With several changes each is also shown by itself.",
    .examples = "  opscope whatif run.prof --faster '*add*=2x'\n"
                "  opscope whatif trace.json.gz --faster '*gemm*=1.5x' --no-gaps\n"
                "  opscope whatif run.prof --bandwidth dram=1.5x --overlap-copies --json",
    .options = OPTIONS,
    .tables = TABLES,
    .run = whatif_command,
};
