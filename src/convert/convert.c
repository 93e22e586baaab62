#include "convert.h"

#include "formats/tenstorrent/report_convert.h"
#include "profile/file.h"
#include "reports/tenstorrent/ops_report.h"

static bool is_report_form(const char *to)
{
    return to != NULL && report_convert_is_form(to);
}

status convert_check(const char *to, const char *out)
{
    const struct format_writer *writer;
    return is_report_form(to) ? STATUS_OK : format_writer_find(to, out, &writer);
}

// Says what makes a report where there is none to convert.
static status convert_convert_write_report(const struct convert_request *request,
                                           struct profile *profile)
{
    if (input_file_is(request->in, profile_file_recognise)) {
        struct ops_report report = {.output = request->out,
                                    .version = report_convert_version(request->to)};
        return ops_report_of_profile(&report, request->in, profile);
    }
    bool is_report;
    STATUS_TRY(report_convert_is_input(request->in, &is_report));
    const status result = report_convert(request->in, request->out, request->to, profile);
    if (result == STATUS_OK || is_report)
        return result;
    return status_within(result, "only a report or an opscope profile becomes a report ('opscope "
                                 "tt-report' makes one of logs and of other profiles)");
}

status convert_file(const struct convert_request *request, struct profile *profile)
{
    if (is_report_form(request->to))
        return convert_convert_write_report(request, profile);
    const struct format_writer *writer;
    STATUS_TRY(format_writer_find(request->to, request->out, &writer));
    bool is_report = false;
    if (strcmp(writer->name, "csv") == 0)
        STATUS_TRY(report_convert_is_input(request->in, &is_report));
    if (is_report)
        return report_convert(request->in, request->out, NULL, profile);
    STATUS_TRY(format_read(request->in, &request->reading, profile));
    return writer->write(writer, profile, request->out, &request->writing);
}
