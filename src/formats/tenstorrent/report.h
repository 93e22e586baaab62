// Tenstorrent's operations report (ops_perf_results.csv) as a table of texts.
//
// A report is read from a file of any version, or made row by row and written.
// Read and written again it has the same bytes: columns nobody knows, line
// ends and quoting included. Cells are views: into the input, which must
// outlive the report, or into the report's own memory. An empty cell means
// absent. Memory: 16 bytes per cell that a row reaches to, plus texts set.
//
// Read in a row, not in parts (base/parts.h): a cell in quotes may hold line ends, so where a row
// begins is known only to who comes from the first one.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_REPORT_H
#define OPSCOPE_FORMATS_TENSTORRENT_REPORT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/output.h"
#include "columns.h"
#include "profile/profile.h"

enum { REPORT_NO_COLUMN = 0xffffffff };

struct report_row {
    struct view *cells; // by column
    uint32_t count;     // cells after these are empty
    uint64_t line;      // on which it starts, header = 1; 0: not from a file
    bool is_cut;        // it has fewer fields than the header
    struct view source; // its bytes in the file, with what follows up to the next
                        // row; none once changed
};

// What is wrong with a row of a file: it is cut off, or has other columns than
// the header promises. Such rows are in the table all the same, but for those
// whose quotes never close.
struct report_damage {
    uint64_t line;
    bool loses;       // something is missing; not only odd
    const char *what; // static
};

struct report {
    struct arena arena;
    struct column *columns;
    uint32_t column_count;
    size_t column_capacity;
    uint32_t singles[COLUMN_SINGLES]; // column of a kind, or REPORT_NO_COLUMN
    uint32_t *tensors[2];             // inputs, outputs: [tensor * COLUMN_TENSOR_FIELDS + field]
    uint32_t tensor_counts[2];
    struct report_row *rows;
    size_t row_count;
    size_t row_capacity;
    struct report_damage *damage;
    size_t damage_count;
    size_t damage_capacity;
    enum report_version version;
    struct view header;    // its bytes in the file; none for a report that was made
    uint32_t header_count; // columns that it names
    bool bare_line_feeds;  // LF instead of CRLF
};

// An empty report without columns; columns appear as cells are set.
struct report *report_create(void);
void report_free(struct report *report);

// Made row by row, not read: what it lacks is not known, rather than left out by who wrote it.
static inline bool report_is_made(const struct report *report)
{
    return report->header.data == NULL;
}

// Whether the first line names the columns of an operations report.
bool report_recognise(struct view bytes);

// Reads any version. What is wrong with single rows is in `damage`; an input
// that is no report is an error.
status report_read(const struct input *input, struct report **out_report);

// The position of the column, or REPORT_NO_COLUMN.
uint32_t report_column(const struct report *report, enum column_kind kind);
uint32_t report_tensor_column(const struct report *report, bool output, uint32_t tensor,
                              enum column_kind kind);
uint32_t report_named_column(const struct report *report, struct view name);

// Adds a column after the others; `column->name` must live as long as the
// report. Setting a cell does it where needed.
uint32_t report_column_add(struct report *report, const struct column *column);

// Adds a row; returns its index.
size_t report_row_add(struct report *report);

// Cells ----------------------------------------------------------------------

// "" when the report has no such column.
struct view report_cell(const struct report *report, size_t row, uint32_t column);
struct view report_text(const struct report *report, size_t row, enum column_kind kind);
struct view report_tensor_text(const struct report *report, size_t row, bool output,
                               uint32_t tensor, enum column_kind kind);

// False when the cell is empty or no number (nan is none).
bool report_u64(const struct report *report, size_t row, enum column_kind kind, uint64_t *out);
bool report_double(const struct report *report, size_t row, enum column_kind kind, double *out);

// Each copies the text and makes the column when it is new. Commas become
// semicolons, as the report's own writer does, but for `report_set_raw`
// (LOC, CONST_EVAL_OP and PROGRAM_METADATA keep theirs).
void report_set(struct report *report, size_t row, enum column_kind kind, struct view text);
void report_set_raw(struct report *report, size_t row, enum column_kind kind, struct view text);
void report_set_tensor(struct report *report, size_t row, bool output, uint32_t tensor,
                       enum column_kind kind, struct view text);
void report_set_named(struct report *report, size_t row, struct view name, struct view text);
void report_set_u64(struct report *report, size_t row, enum column_kind kind, uint64_t number);

// A duration: no decimals, as Python's "%.0f".
void report_set_duration(struct report *report, size_t row, enum column_kind kind, double ns);

// As str(round(number, digits)) writes it; with 0 digits an integer, halves to even.
void report_set_rounded(struct report *report, size_t row, enum column_kind kind, double number,
                        int digits);

// Modelled times --------------------------------------------------------------
// A row whose times no device measured says so in PROGRAM_METADATA: {"provenance": "modelled"}.

bool report_row_is_modelled(const struct report *report, size_t row);

// Leaves metadata alone that says something else.
void report_row_set_modelled(struct report *report, size_t row);

// Of the rows that are no signposts.
struct report_modelled {
    size_t operations, modelled;
};
struct report_modelled report_modelled_count(const struct report *report);

// Writing --------------------------------------------------------------------
// Failures to write come out of `output_close`.

// A report from a file is written as it was read, but for what was set since.
// One that was made gets the columns that it has, in V1's order and with CRLF.
void report_write(const struct report *report, struct output *output);

// Writes a V1, V2 or V2.1 report whatever it came from: the version's columns
// in its order, tensor columns up to the most that any row has, columns of
// earlier versions and unknown ones where they are filled (known ones in their
// place, unknown ones before LOC, those called `..._TT_HOST_FUNC [ns]` sorted).
// Columns that came later are left out. CRLF.
void report_write_as(const struct report *report, enum report_version version,
                     struct output *output);

// Puts into the account what the version has no place for.
void report_note_left_out(const struct report *report, enum report_version version,
                          struct profile *account);

// Texts ----------------------------------------------------------------------

// The shortest decimal that reads back as `number`, as Python's repr writes it:
// 277.6949157714844, 1.0, 1e+16, nan.
enum { REPORT_REAL_ROOM = 40 };
const char *report_real_text(double number, char text[REPORT_REAL_ROOM]);

// As str(round(number, digits)) writes it: 12.346; with 0 digits 12.
const char *report_rounded_text(double number, int digits, char text[REPORT_REAL_ROOM]);

// Appends a text as Python's repr writes it inside lists and dictionaries: in
// single quotes, or in double ones when it holds single and no double ones;
// backslashes, quotes and control characters are escaped.
void report_append_quoted(struct bytes *text, struct view item);

// The number in front of the bracket of `32[7]`, or the whole cell (`32`, `32.0`).
bool report_padded(struct view cell, uint64_t *out_number);

// The number inside the bracket; the whole cell when there is none.
bool report_logical(struct view cell, uint64_t *out_number);

#endif
