#include "convert.h"

#include "formats/tenstorrent/report_convert.h"

static bool is_report_form(const char *to)
{
    return to != NULL && report_convert_is_form(to);
}

status format_convert_check(const char *to, const char *out)
{
    const struct format_writer *writer;
    return is_report_form(to) ? STATUS_OK : format_writer_find(to, out, &writer);
}

status format_convert(const struct convert_request *request, struct profile *profile)
{
    if (is_report_form(request->to))
        return report_convert(request->in, request->out, request->to, profile);
    const struct format_writer *writer;
    STATUS_TRY(format_writer_find(request->to, request->out, &writer));
    if (strcmp(writer->name, "csv") == 0 && report_convert_is_input(request->in))
        return report_convert(request->in, request->out, NULL, profile);
    STATUS_TRY(format_read(request->in, &request->reading, profile));
    return writer->write(writer, profile, request->out, &request->writing);
}
