// Annotated rows as CSV, JSON and a workbook.

#include "annotate.h"

status annotate_write_csv(struct table *table, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    table_csv_head(table, output);
    table_csv_rows(table, output);
    return output_close(output);
}

status annotate_write_json(const struct annotation *annotation, struct table *table,
                           const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "form",
              annotate_is_run(annotation) ? VIEW_LITERAL("opscope-run")
                                          : view_of(torq_form_name(annotation->form)));
    json_uint(&json, "unmatched", annotation->unmatched);
    json_uint(&json, "missing", annotation->missing);
    table_json_rows(table, &json, "rows");
    json_close(&json);
    return output_close(output);
}

status annotate_write_xlsx(struct table *table, const char *path)
{
    return table_xlsx(table, "Detailed Performance Data", path);
}
