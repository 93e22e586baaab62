// `opscope convert IN -o OUT`: any format to any other.

#include <stdio.h>

#include "commands.h"
#include "convert_report.h"
#include "formats/format.h"
#include "formats/perfetto/writer.h"
#include "ledger_text.h"
#include "paths.h"
#include "profile/file.h"
#include "units.h"

enum form {
    FORM_UNKNOWN,
    FORM_PERFETTO,
    FORM_PROFILE,
    FORM_CSV,    // which one depends on the profile
    FORM_REPORT, // of Tenstorrent's operations
    FORM_C1,
    FORM_C2,
    FORM_C4,
    FORM_R1,
    FORM_R2,
    FORM_R4,
};

static const struct {
    const char *name;
    enum form form;
    enum torq_form torq;
} FORMS[] = {
    {"perfetto", FORM_PERFETTO, 0}, {"profile", FORM_PROFILE, 0},  {"torq-c1", FORM_C1, TORQ_C1},
    {"torq-c2", FORM_C2, TORQ_C2},  {"torq-c4", FORM_C4, TORQ_C4}, {"torq-r1", FORM_R1, TORQ_R1},
    {"torq-r2", FORM_R2, TORQ_R2},  {"torq-r4", FORM_R4, TORQ_R4},
};

enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

static enum form form_by_name(const char *name)
{
    if (convert_report_is_form(name))
        return FORM_REPORT;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (strcmp(FORMS[i].name, name) == 0)
            return FORMS[i].form;
    }
    return FORM_UNKNOWN;
}

static enum form form_by_extension(const char *path)
{
    const struct view name = format_unpacked_name(view_of(path));
    if (view_has_extension(name, ".pb") || view_has_extension(name, ".pftrace") ||
        view_has_extension(name, ".perfetto-trace"))
        return FORM_PERFETTO;
    if (view_has_extension(name, ".prof"))
        return FORM_PROFILE;
    return view_has_extension(name, ".csv") ? FORM_CSV : FORM_UNKNOWN;
}

static status choose_form(const struct arguments *arguments, const char *out, enum form *out_form)
{
    const char *name = arguments_value(arguments, "to");
    *out_form = name != NULL ? form_by_name(name) : form_by_extension(out);
    if (*out_form != FORM_UNKNOWN)
        return STATUS_OK;
    if (name != NULL)
        return status_make(STATUS_USAGE,
                           "convert: --to %s: expected perfetto, profile, torq-c1, torq-c2, "
                           "torq-c4, torq-r1, torq-r2, torq-r4 or tenstorrent-report[-v1, -v2, "
                           "-v2.1]",
                           name);
    return status_make(STATUS_USAGE,
                       "convert: cannot tell the format from '%s': end it in .pb, .prof or .csv, "
                       "or give --to",
                       out);
}

// The documents' forms: C1 for what was modelled, R2 for what was measured, R1
// for what came as R1: it has nothing that R2 could hold.
static enum form csv_form(const struct profile *profile)
{
    if (view_is(profile_fact(profile, "format"), "torq-r1"))
        return FORM_R1;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->kind == TRACK_LANE && track->spans > 0 &&
            track->provenance == PROVENANCE_MODELLED)
            return FORM_C1;
    }
    return FORM_R2;
}

static status write_csv(struct profile *profile, enum form form, const char *path)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (FORMS[i].form != form)
            continue;
        return torq_form_is_compile(FORMS[i].torq)
                   ? torq_compile_write(profile, FORMS[i].torq, path)
                   : torq_runtime_write(profile, FORMS[i].torq, path);
    }
    return STATUS_OK;
}

static status convert(const struct arguments *arguments, struct profile *profile, const char *in,
                      const char *out)
{
    enum form form;
    struct format_options options = {0};
    STATUS_TRY(choose_form(arguments, out, &form));
    STATUS_TRY(arguments_number(arguments, "num_slices", TORQ_SLICES, &options.num_slices));
    STATUS_TRY(units_clock(arguments, "clock_mhz", &options.clock_hz));
    STATUS_TRY(paths_check("convert", out, &in, 1));
    if (form == FORM_REPORT || (form == FORM_CSV && convert_report_is_input(in)))
        return convert_report(in, out, arguments_value(arguments, "to"), profile);
    STATUS_TRY(format_read(in, &options, profile));
    const struct perfetto_writer_options perfetto = {arguments_flag(arguments, "no-args")};
    if (form == FORM_PERFETTO)
        return perfetto_write(profile, out, &perfetto);
    if (form == FORM_PROFILE)
        return profile_save(profile, out);
    if (form == FORM_CSV && view_starts_with(profile_fact(profile, "format"), "tenstorrent"))
        return status_make(STATUS_USAGE,
                           "convert: %s: which CSV? 'opscope tt-report' makes the operations "
                           "report; --to torq-r2 and the like make Torq's",
                           in);
    return write_csv(profile, form == FORM_CSV ? csv_form(profile) : form, out);
}

static status run(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    const char *out = arguments_value(arguments, "output");
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
    {"output", 'o', OPTION_ONE, "FILE", "what to write: .pb, .prof, .csv (and .gz, .zst)"},
    {"to", 0, OPTION_ONE, "FORMAT", "if the extension does not say it: see above"},
    {"num_slices", 0, OPTION_ONE, "N", "Torq C1: S<n> is slice n mod N (2)"},
    {"clock_mhz", 0, OPTION_ONE, "MHZ", "clock of Torq's compile-time cycles (800)"},
    {"no-args", 0, OPTION_FLAG, NULL, "Perfetto: leave out the arguments of events"},
    {0},
};

const struct command COMMAND_CONVERT = {
    .name = "convert",
    .usage = "IN -o OUT [options]",
    .summary = "any format to any other",
    .details =
        "Reads Torq's CSVs and Tenstorrent's logs and reports (every version), Perfetto\n"
        "traces and opscope profiles, by content. What the output has no place for is\n"
        "counted in the ledger.\n\n"
        "Formats to write: perfetto (.pb), profile (.prof); torq-c1, -c2, -c4 (compile), -r1,\n"
        "-r2, -r4 (runtime); tenstorrent-report, -v1, -v2, -v2.1. A .csv is torq-c1 for a compile\n"
        "profile, torq-r2 for a runtime profile (torq-r1 for that form), and a report for a "
        "report.",
    .examples = "  opscope convert timeline.csv -o timeline.pb\n"
                "  opscope convert runtime.csv -o runtime.prof.zst\n"
                "  opscope convert runtime.prof -o again.csv --to torq-r4\n"
                "  opscope convert ops_perf_results.csv -o v21.csv --to tenstorrent-report-v2.1",
    .options = OPTIONS,
    .run = run,
};
