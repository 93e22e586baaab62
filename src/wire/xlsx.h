// Writes a workbook of one sheet (.xlsx, Office Open XML) row by row, as a ZIP archive.
// Texts stand in their cells; numbers are numbers. Characters that XML cannot hold, and
// bytes that are no UTF-8, become U+FFFD. A sheet has at most 1 048 576 rows.

#ifndef OPSCOPE_WIRE_XLSX_H
#define OPSCOPE_WIRE_XLSX_H

#include "base/bytes.h"
#include "zip.h"

enum { XLSX_ROWS_MOST = 1048576, XLSX_TEXT_MOST = 32767 };

struct xlsx_writer {
    struct zip_writer *zip;
    struct bytes text;
    uint32_t row;    // from 1
    uint32_t column; // from 0
};

struct xlsx_writer xlsx_start(struct output *output, const char *sheet);

void xlsx_row(struct xlsx_writer *xlsx);
void xlsx_empty(struct xlsx_writer *xlsx);
void xlsx_text(struct xlsx_writer *xlsx, struct view text); // cut to XLSX_TEXT_MOST bytes
void xlsx_number(struct xlsx_writer *xlsx, struct view number);
void xlsx_bool(struct xlsx_writer *xlsx, bool value);

// Fails when there were too many rows; the output stays open.
status xlsx_finish(struct xlsx_writer *xlsx);

#endif
