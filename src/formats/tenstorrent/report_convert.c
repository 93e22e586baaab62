#include "report_convert.h"

#include <string.h>

#include "base/folder.h"

static const struct {
    const char *name;
    bool as_read;
    enum report_version version;
} FORMS[] = {
    {"tenstorrent-report", true, REPORT_V1},
    {"tenstorrent-report-v1", false, REPORT_V1},
    {"tenstorrent-report-v2", false, REPORT_V2},
    {"tenstorrent-report-v2.1", false, REPORT_V21},
};

static size_t find_form(const char *name)
{
    size_t i = 0;
    while (i < sizeof FORMS / sizeof FORMS[0] && strcmp(FORMS[i].name, name) != 0)
        i++;
    return i;
}

bool report_convert_is_form(const char *name)
{
    return find_form(name) < sizeof FORMS / sizeof FORMS[0];
}

enum report_version report_convert_version(const char *name)
{
    return FORMS[find_form(name)].version;
}

status report_convert_is_input(const char *path, bool *out_is)
{
    *out_is = false;
    return folder_is(path) ? STATUS_OK : input_recognise(path, report_recognise, out_is);
}

static void report_convert_account_for(const struct report *report, const char *path,
                                       struct profile *account)
{
    struct ledger *ledger = &profile_track(account, 0)->ledger;
    for (size_t i = 0; i < report->row_count; i++) {
        ledger->expected += !report->rows[i].is_cut;
        ledger->recorded += !report->rows[i].is_cut;
    }
    for (size_t i = 0; i < report->damage_count; i++) {
        const struct report_damage *damage = &report->damage[i];
        ledger->expected += damage->loses;
        profile_note(account, 0, damage->loses ? LEDGER_LOST : LEDGER_REMARK, 1, "%s:%llu: %s",
                     path, (unsigned long long)damage->line, damage->what);
    }
}

static status report_convert_write_report(const struct report *report, const char *name,
                                          const char *out, struct profile *account)
{
    struct output *output;
    const size_t form = name != NULL ? find_form(name) : 0;
    STATUS_TRY(output_open(out, &output));
    if (FORMS[form].as_read)
        report_write(report, output);
    else
        report_write_as(report, FORMS[form].version, output);
    if (!FORMS[form].as_read)
        report_note_left_out(report, FORMS[form].version, account);
    return output_close(output);
}

status report_convert(const char *in, const char *out, const char *name, struct profile *account)
{
    struct input *input;
    struct report *report;
    STATUS_TRY(input_open(in, &input));
    status result = report_read(input, &report);
    if (result == STATUS_OK) {
        result = report_convert_write_report(report, name, out, account);
        report_convert_account_for(report, in, account);
        report_free(report);
    }
    input_close(input);
    return result;
}
