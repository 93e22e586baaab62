// `opscope convert IN -o OUT`: any format to any other.

#include <stdio.h>

#include "commands.h"
#include "convert/convert.h"
#include "formats/chrome/writer.h"
#include "ledger_text.h"
#include "paths.h"
#include "units.h"

static status read_split(const struct arguments *arguments, const char *out, uint64_t *out_split)
{
    const char *split = arguments_value(arguments, "split");
    const struct format_writer *writer;
    if (split == NULL)
        return STATUS_OK;
    const status found = format_writer_find(arguments_value(arguments, "to"), out, &writer);
    if (found != STATUS_OK ||
        (strcmp(writer->name, "json") != 0 && strcmp(writer->name, "chrome") != 0)) {
        status_free(found);
        return status_make(STATUS_USAGE, "convert: --split is for Chrome traces: end OUT in .json");
    }
    if (strcmp(out, "-") == 0)
        return status_make(STATUS_USAGE, "convert: --split writes several files: give them a name "
                                         "with -o, not -");
    if (!units_size(view_of(split), out_split) || *out_split < CHROME_SPLIT_LEAST)
        return status_make(
            STATUS_USAGE, "convert: --split %s: expected a size from 64KiB on, as in 200MB", split);
    return STATUS_OK;
}

// Who writes what is no profile, by its name; NULL: nobody.
static const char *command_that_writes(const char *out)
{
    const struct view name = view_of(out);
    if (view_ends_with(name, ".svg") || view_ends_with(name, ".png"))
        return "timeline";
    return view_ends_with(name, ".html") ? "report" : NULL;
}

static status convert_one_file(const struct arguments *arguments, struct profile *profile,
                               const char *in, const char *out)
{
    const char *to = arguments_value(arguments, "to");
    const char *other = to == NULL ? command_that_writes(out) : NULL;
    struct convert_request request = {.in = in, .out = out, .to = to};
    if (other != NULL)
        return status_make(STATUS_USAGE, "convert: '%s' is no profile: 'opscope %s' writes it", out,
                           other);
    STATUS_TRY(
        status_within(convert_check(to, out), to != NULL ? "convert: --to" : "convert: no --to"));
    STATUS_TRY(arguments_number(arguments, "num_slices", TORQ_SLICES, &request.reading.num_slices));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &request.reading.clock_hz));
    request.reading.program = arguments_value(arguments, "qpc");
    STATUS_TRY(read_split(arguments, out, &request.writing.split));
    request.writing.no_arguments = arguments_flag(arguments, "no-args");
    STATUS_TRY(paths_check("convert", out, &in, 1));
    return convert_file(&request, profile);
}

static status convert_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    const char *out = arguments_value(arguments, "output");
    if (count > 1)
        return status_make(STATUS_USAGE,
                           "convert: takes one file; 'opscope merge' makes one profile of several");
    if (count != 1 || out == NULL)
        return status_make(STATUS_USAGE,
                           "convert: give one file and -o OUT: opscope convert trace.csv -o "
                           "trace.pb");
    struct profile *profile = profile_create();
    const status result = convert_one_file(arguments, profile, words[0], out);
    if (result == STATUS_OK) {
        ledger_warn(profile);
        *out_exit = ledger_exit(profile);
    }
    profile_free(profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE",
     "what to write: .pb, .json, .prof, .db, .csv (and .gz, .zst)"},
    {"to", 0, OPTION_ONE, "FORMAT", "if the extension does not say it: see above"},
    {"num_slices", 0, OPTION_ONE, "N", "Torq C1: S<n> is slice n mod N (2)"},
    {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of Torq's compile-time cycles (800)"},
    {"qpc", 0, OPTION_ONE, "FILE", "Cloud AI's statistics: the programqpc.bin that was run"},
    {"split", 0, OPTION_ONE, "SIZE", "Chrome: parts of this size by time, OUT-1 ... (200MB)"},
    {"no-args", 0, OPTION_FLAG, NULL, "Perfetto, Chrome: leave out the arguments of events"},
    {0},
};

const struct command COMMAND_CONVERT = {
    .name = "convert",
    .usage = "IN -o OUT [options]",
    .summary = "any format to any other",
    .details =
        "Reads Torq's CSVs, Tenstorrent's logs and reports and Cloud AI's statistics, summaries\n"
        "and traces (every version), Perfetto and Chrome traces, ONNX Runtime's and PyTorch's\n"
        "profiles among them, databases of Nsight Systems and rocprofv3, Tracy's files, and\n"
        "opscope profiles, by content. What the output has no\n"
        "place for is counted in the ledger.\n\n"
        "Formats to write: perfetto (.pb), chrome (.json), kineto (.json of what came from\n"
        "PyTorch: the trace as it was), profile (.prof), spans (.csv: a flat table of all\n"
        "events), sqlite (.db: the tables of 'opscope sql'); torq-c1, -c2, -c4 (compile), -r1,\n"
        "-r2, -r4 (runtime); tenstorrent-report, -v1, -v2, -v2.1. Torq's profiles keep a form\n"
        "of Torq's as .csv: torq-c1 for a compile profile, torq-r2 for a runtime profile (torq-r1\n"
        "for that form). A report stays one.",
    .examples = "  opscope convert timeline.csv -o timeline.pb\n"
                "  opscope convert runtime.csv -o runtime.prof.zst\n"
                "  opscope convert runtime.prof -o runtime.json.gz --split 200MB\n"
                "  opscope convert trace.json.gz -o spans.csv\n"
                "  opscope convert runtime.prof -o again.csv --to torq-r4\n"
                "  opscope convert ops_perf_results.csv -o v21.csv --to tenstorrent-report-v2.1",
    .options = OPTIONS,
    .run = convert_command,
};
