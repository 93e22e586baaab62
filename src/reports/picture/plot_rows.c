#include "plot_rows.h"

#include "base/memory.h"

// A frame of a host's stack that begins and ends so close to the one around it (parts of that one's
// width, or columns) looks the same.
#define ALIKE_PART 0.01
#define ALIKE_COLUMNS 1.0
#define SAME 1e-6 // of other stacks: only what has the same columns

// Where a time lies --------------------------------------------------------------------

double plot_column_of(const struct plot *plot, uint64_t ns)
{
    return (double)(ns - plot->from) / (double)(plot->to - plot->from) * plot->options.columns;
}

// floor(a * b / c), where the quotient fits. Two words are divided only where it must be.
static uint64_t plot_scale(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product;
    if (!__builtin_mul_overflow(a, b, &product))
        return product / c;
    return (uint64_t)((unsigned __int128)a * b / c);
}

uint32_t plot_column_at(const struct plot *plot, uint64_t ns)
{
    const uint32_t columns = plot->options.columns;
    const uint64_t column = plot_scale(ns - plot->from, columns, plot->to - plot->from);
    return column < columns ? (uint32_t)column : columns - 1;
}

// The first nanosecond of a column, which plot_column_at gives back.
static uint64_t column_start(const struct plot *plot, uint32_t column)
{
    const uint64_t below = plot_scale(plot->to - plot->from, column, plot->options.columns);
    const uint64_t ns = plot->from + below;
    return plot_scale(below, plot->options.columns, plot->to - plot->from) < column ? ns + 1 : ns;
}

// Spans --------------------------------------------------------------------------------

static void merge_into(const struct plot *plot, struct plot_row *row, uint32_t column,
                       uint64_t covered, unsigned kind)
{
    if (row->cells == NULL)
        row->cells = memory_allocate_zeroed(plot->options.columns, sizeof *row->cells);
    struct plot_cell *cell = &row->cells[column];
    cell->covered += covered;
    const uint64_t votes = covered + 1;
    if (cell->votes == 0 || cell->kind == kind) {
        cell->kind = kind;
        cell->votes += votes;
    } else if (cell->votes >= votes) {
        cell->votes -= votes;
    } else {
        cell->kind = kind;
        cell->votes = votes - cell->votes;
    }
}

// Each column gets its part.
static void merge_span(const struct plot *plot, struct plot_row *row, uint64_t start, uint64_t end,
                       unsigned kind)
{
    const uint32_t first = plot_column_at(plot, start);
    const uint32_t last = plot_column_at(plot, end > start ? end - 1 : start);
    for (uint32_t column = first; column <= last; column++) {
        const uint64_t from = column > first ? column_start(plot, column) : start;
        const uint64_t to = column < last ? column_start(plot, column + 1) : end;
        merge_into(plot, row, column, to > from ? to - from : 0, kind);
    }
    row->cells[first].count++;
}

static void plot_keep_span(struct plot_row *row, const struct plot_span *span)
{
    row->spans = memory_grow(row->spans, row->count, &row->capacity, sizeof *row->spans);
    row->spans[row->count++] = *span;
}

// The first row whose last span is over; `depth` where none is.
static uint32_t choose_row(struct plot_lane *lane, uint32_t depth, uint64_t start)
{
    uint32_t at = 0;
    while (at < lane->row_count && lane->rows[at].end > start)
        at++;
    if (at == lane->row_count && at < depth)
        lane->row_count++;
    return at;
}

// The span that is open in a row, if it was wide enough to be kept.
static struct plot_span *open_span(const struct plot_row *row)
{
    return row->last_kept ? &row->spans[row->count - 1] : NULL;
}

static bool looks_alike(const struct plot_span *outer, const struct plot_span *span,
                        enum plot_folding folding)
{
    const double part = outer->width * ALIKE_PART;
    const double alike = folding == PLOT_FOLDS_SAME ? SAME
                         : part > ALIKE_COLUMNS     ? part
                                                    : ALIKE_COLUMNS;
    const double left = span->x - outer->x;
    const double right = outer->x + outer->width - span->x - span->width;
    return span->end <= outer->end && left < alike && right < alike;
}

static void fold_into(struct plot_span *outer, const struct plot_span *span)
{
    const uint32_t place =
        outer->folded < PLOT_FOLDED_NAMED ? outer->folded : PLOT_FOLDED_NAMED - 1;
    outer->inner[place] = span->name;
    outer->folded++;
}

static struct plot_row *row_of(struct plot_lane *lane, uint32_t depth, uint64_t start,
                               uint32_t *out_at, bool *out_crowded)
{
    if (plot_lane_is_rest(lane)) {
        lane->row_count = 1;
        *out_at = 0;
        *out_crowded = true;
        return lane->rows;
    }
    const uint32_t at = choose_row(lane, depth, start);
    *out_crowded = at == depth;
    *out_at = *out_crowded ? depth - 1 : at;
    lane->deeper += *out_crowded;
    return &lane->rows[*out_at];
}

uint32_t plot_place_span(const struct plot *plot, struct plot_lane *lane,
                         const struct plot_span *span, uint64_t from, uint64_t to)
{
    const uint32_t depth = plot->options.depth;
    if (lane->rows == NULL)
        lane->rows = memory_allocate_zeroed(depth, sizeof *lane->rows);
    uint32_t at = 0;
    while (lane->folding != PLOT_FOLDS_NOTHING && at < lane->row_count &&
           lane->rows[at].end > span->start)
        at++;
    struct plot_span *outer = at > 0 ? open_span(&lane->rows[at - 1]) : NULL;
    if (outer != NULL && looks_alike(outer, span, lane->folding)) {
        fold_into(outer, span);
        lane->folded++;
        return at - 1;
    }
    bool crowded;
    struct plot_row *row = row_of(lane, depth, span->start, &at, &crowded);
    row->end = span->end > row->end ? span->end : row->end;
    row->last_kept = !crowded && span->width >= plot->options.wide;
    if (row->last_kept) {
        lane->kept++;
        plot_keep_span(row, span);
    } else {
        lane->merged++;
        merge_span(plot, row, from, to, span->kind);
    }
    return at;
}
