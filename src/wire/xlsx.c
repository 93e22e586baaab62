#include "xlsx.h"

#include "xml.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define SHEETS "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define OFFICE "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define MEDIA "application/vnd.openxmlformats-officedocument.spreadsheetml."

static const char TYPES[] =
    XML "<Types xmlns=\"" PACKAGE "content-types\">"
        "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package."
        "relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" MEDIA "sheet.main+xml\"/>"
        "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"" MEDIA "worksheet+xml\"/>"
        "</Types>\n";

static const char RELATIONS[] =
    XML "<Relationships xmlns=\"" PACKAGE "relationships\"><Relationship Id=\"rId1\" Type=\"" OFFICE
        "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>\n";

static const char WORKBOOK_RELATIONS[] =
    XML "<Relationships xmlns=\"" PACKAGE "relationships\"><Relationship Id=\"rId1\" Type=\"" OFFICE
        "/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>\n";

enum { FLUSH_AT = 1 << 16 };

static void put_file(struct zip_writer *zip, const char *name, const char *content)
{
    zip_file(zip, name);
    zip_write(zip, view_of(content));
}

struct xlsx_writer xlsx_start(struct output *output, const char *sheet)
{
    struct xlsx_writer xlsx = {.zip = zip_create(output)};
    put_file(xlsx.zip, "[Content_Types].xml", TYPES);
    put_file(xlsx.zip, "_rels/.rels", RELATIONS);
    bytes_append_format(&xlsx.text, XML "<workbook xmlns=\"" SHEETS "\" xmlns:r=\"" OFFICE
                                        "\"><sheets><sheet name=\"");
    xml_append(&xlsx.text, view_of(sheet));
    bytes_append_format(&xlsx.text, "\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>\n");
    zip_file(xlsx.zip, "xl/workbook.xml");
    zip_write(xlsx.zip, bytes_view(&xlsx.text));
    put_file(xlsx.zip, "xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS);
    put_file(xlsx.zip, "xl/worksheets/sheet1.xml",
             XML "<worksheet xmlns=\"" SHEETS "\"><sheetData>");
    xlsx.text.size = 0;
    return xlsx;
}

void xlsx_row(struct xlsx_writer *xlsx)
{
    if (xlsx->row > 0)
        bytes_append_format(&xlsx->text, "</row>\n");
    xlsx->row++;
    xlsx->column = 0;
    bytes_append_format(&xlsx->text, "<row r=\"%u\">", xlsx->row);
    if (xlsx->text.size < FLUSH_AT)
        return;
    zip_write(xlsx->zip, bytes_view(&xlsx->text));
    xlsx->text.size = 0;
}

// "B7": columns A to Z, AA ...
static void begin_cell(struct xlsx_writer *xlsx, const char *type)
{
    char letters[8];
    size_t count = 0;
    for (uint32_t left = ++xlsx->column; left > 0; left = (left - 1) / 26)
        letters[count++] = (char)('A' + (left - 1) % 26);
    bytes_append_format(&xlsx->text, "<c r=\"");
    while (count > 0)
        bytes_append(&xlsx->text, &letters[--count], 1);
    bytes_append_format(&xlsx->text, "%u\"%s>", xlsx->row, type);
}

void xlsx_empty(struct xlsx_writer *xlsx)
{
    xlsx->column++;
}

void xlsx_text(struct xlsx_writer *xlsx, struct view text)
{
    if (text.size > XLSX_TEXT_MOST)
        text.size = XLSX_TEXT_MOST;
    begin_cell(xlsx, " t=\"inlineStr\"");
    bytes_append_format(&xlsx->text, "<is><t xml:space=\"preserve\">");
    xml_append(&xlsx->text, text);
    bytes_append_format(&xlsx->text, "</t></is></c>");
}

void xlsx_number(struct xlsx_writer *xlsx, struct view number)
{
    begin_cell(xlsx, "");
    bytes_append_format(&xlsx->text, "<v>%.*s</v></c>", VIEW_ARGUMENTS(number));
}

void xlsx_bool(struct xlsx_writer *xlsx, bool value)
{
    begin_cell(xlsx, " t=\"b\"");
    bytes_append_format(&xlsx->text, "<v>%d</v></c>", value);
}

status xlsx_finish(struct xlsx_writer *xlsx)
{
    bytes_append_format(&xlsx->text, "%s</sheetData></worksheet>\n",
                        xlsx->row > 0 ? "</row>\n" : "");
    zip_write(xlsx->zip, bytes_view(&xlsx->text));
    bytes_free(&xlsx->text);
    const status result = zip_finish(xlsx->zip);
    if (result == STATUS_OK && xlsx->row > XLSX_ROWS_MOST)
        return status_make(STATUS_LIMIT, "a sheet has at most %d rows; write .csv", XLSX_ROWS_MOST);
    return result;
}
