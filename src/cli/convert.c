// `opscope convert IN -o OUT`: any format to any other.

#include <stdio.h>

#include "commands.h"
#include "convert_report.h"
#include "formats/chrome/writer.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "ledger_text.h"
#include "paths.h"
#include "units.h"

static status read_options(const struct arguments *arguments, const struct format_writer *writer,
                           struct write_options *out_options)
{
    const char *split = arguments_value(arguments, "split");
    *out_options = (struct write_options){.no_arguments = arguments_flag(arguments, "no-args")};
    if (split == NULL)
        return STATUS_OK;
    if (writer == NULL || strcmp(writer->name, "chrome") != 0)
        return status_make(STATUS_USAGE, "convert: --split is for Chrome traces: end OUT in .json");
    if (!units_size(view_of(split), &out_options->split) || out_options->split < CHROME_SPLIT_LEAST)
        return status_make(
            STATUS_USAGE, "convert: --split %s: expected a size from 64KiB on, as in 200MB", split);
    return STATUS_OK;
}

static status convert(const struct arguments *arguments, struct profile *profile, const char *in,
                      const char *out)
{
    const struct format_writer *writer = NULL;
    struct format_options options = {0};
    struct write_options written;
    const char *to = arguments_value(arguments, "to");
    const bool report = to != NULL && convert_report_is_form(to);
    if (!report)
        STATUS_TRY(status_within(format_writer_find(to, out, &writer),
                                 to != NULL ? "convert: --to" : "convert: no --to"));
    STATUS_TRY(arguments_number(arguments, "num_slices", TORQ_SLICES, &options.num_slices));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &options.clock_hz));
    STATUS_TRY(read_options(arguments, writer, &written));
    STATUS_TRY(paths_check("convert", out, &in, 1));
    if (report || (strcmp(writer->name, "csv") == 0 && convert_report_is_input(in)))
        return convert_report(in, out, report ? to : NULL, profile);
    STATUS_TRY(format_read(in, &options, profile));
    return writer->write(writer, profile, out, &written);
}

static status run(const struct arguments *arguments, int *out_exit)
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
    const status result = convert(arguments, profile, words[0], out);
    if (result == STATUS_OK) {
        ledger_warn(profile);
        *out_exit = ledger_exit(profile);
    }
    profile_free(profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "FILE", "what to write: .pb, .json, .prof, .csv (and .gz, .zst)"},
    {"to", 0, OPTION_ONE, "FORMAT", "if the extension does not say it: see above"},
    {"num_slices", 0, OPTION_ONE, "N", "Torq C1: S<n> is slice n mod N (2)"},
    {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of Torq's compile-time cycles (800)"},
    {"split", 0, OPTION_ONE, "SIZE", "Chrome: parts of this size by time, OUT-1 ... (200MB)"},
    {"no-args", 0, OPTION_FLAG, NULL, "Perfetto, Chrome: leave out the arguments of events"},
    {0},
};

const struct command COMMAND_CONVERT = {
    .name = "convert",
    .usage = "IN -o OUT [options]",
    .summary = "any format to any other",
    .details =
        "Reads Torq's CSVs and Tenstorrent's logs and reports (every version), Perfetto and\n"
        "Chrome traces and opscope profiles, by content. What the output has no place for is\n"
        "counted in the ledger.\n\n"
        "Formats to write: perfetto (.pb), chrome (.json), profile (.prof); torq-c1, -c2, -c4\n"
        "(compile), -r1, -r2, -r4 (runtime); tenstorrent-report, -v1, -v2, -v2.1. A .csv is\n"
        "torq-c1 for a compile profile, torq-r2 for a runtime profile (torq-r1 for that form),\n"
        "and a report for a report.",
    .examples = "  opscope convert timeline.csv -o timeline.pb\n"
                "  opscope convert runtime.csv -o runtime.prof.zst\n"
                "  opscope convert runtime.prof -o runtime.json.gz --split 200MB\n"
                "  opscope convert runtime.prof -o again.csv --to torq-r4\n"
                "  opscope convert ops_perf_results.csv -o v21.csv --to tenstorrent-report-v2.1",
    .options = OPTIONS,
    .run = run,
};
