#include <stdlib.h>

#include "analysis/memory_use.h"
#include "base/memory.h"
#include "parts.h"

// Pieces of the critical path and points of a memory that a page draws.
enum { PIECES_MOST = 4000, PIECES_ROOM = 2 * PIECES_MOST + 2, MEMORIES_MOST = 8, POINTS = 600 };

static void write_sentences(struct json_writer *json, const struct explanation *explanation)
{
    struct bytes text = {0};
    explanation_sentences(explanation, &text);
    json_open_array(json, "sentences");
    struct view rest = bytes_view(&text);
    while (rest.size > 0) {
        const size_t end = view_find(rest, '\n');
        json_text(json, NULL, view_slice(rest, 0, end));
        rest = end < rest.size ? view_slice(rest, end + 1, rest.size) : VIEW_LITERAL("");
    }
    json_close(json);
    bytes_free(&text);
}

// Critical path ---------------------------------------------------------------

// A stretch of the path on one track.
struct path_piece {
    uint32_t track;
    uint64_t start, end; // ns
};

// Whether a node goes on with the piece before which it lies: on its track, or because that is too
// short to be seen; not over a gap that can be.
static bool joins(const struct path_piece *piece, const struct dependence_node *node,
                  uint64_t least)
{
    if (piece->start > node->end && piece->start - node->end > least)
        return false;
    return piece->track == node->track || piece->end - piece->start < least;
}

// From the end to the start: at most two for each stretch of the time that can be seen.
static size_t list_pieces(const struct explanation *explanation, struct path_piece *pieces)
{
    const struct dependence *dependence = &explanation->dependence;
    const uint64_t least = explanation->path.length / PIECES_MOST;
    size_t count = 0;
    for (uint32_t node = explanation->path.last; node != DEPENDENCE_NONE;
         node = critical_path_before(dependence, node)) {
        const struct dependence_node *at = &dependence->nodes[node];
        struct path_piece *last = count > 0 ? &pieces[count - 1] : NULL;
        if (last != NULL && joins(last, at, least)) {
            last->start = at->start < last->start ? at->start : last->start;
            last->track = at->end - at->start > least ? at->track : last->track;
        } else if (count < PIECES_ROOM) {
            pieces[count++] = (struct path_piece){at->track, at->start, at->end};
        }
    }
    return count;
}

// Track, start and end of each, from the start of the profile.
static void write_path(struct json_writer *json, const struct explanation *explanation)
{
    struct path_piece *pieces = memory_allocate_zeroed(PIECES_ROOM, sizeof *pieces);
    const size_t count = list_pieces(explanation, pieces);
    uint64_t start = 0;
    uint64_t last;
    profile_extent(explanation->profile, &start, &last);
    json_open_array(json, "path");
    for (size_t i = count; i > 0; i--) {
        const struct path_piece *piece = &pieces[i - 1];
        json_uint(json, NULL, piece->track);
        json_uint(json, NULL, piece->start > start ? piece->start - start : 0);
        json_uint(json, NULL, piece->end > start ? piece->end - start : 0);
    }
    json_close(json);
    json_uint(json, "path_pieces", explanation->path.nodes);
    json_uint(json, "path_length", explanation->path.length);
    json_uint(json, "path_work", explanation->path.work);
    free(pieces);
}

static void write_path_tables(struct json_writer *json, const struct explanation *explanation,
                              uint64_t room)
{
    static const char *const KEYS[EXPLAIN_BY] = {"path_operators", "path_roles", "path_tracks"};
    for (unsigned by = 0; by < EXPLAIN_BY; by++) {
        const struct explain_path path = {explanation, (enum explain_by)by};
        struct table *table =
            table_create(&EXPLAIN_PATH_FORM, &path, explain_path_shares(&path)->count);
        parts_write_table(json, KEYS[by], table, room);
        table_free(table);
    }
}

// Roofline --------------------------------------------------------------------

static void write_roofline(struct json_writer *json, const struct page_source *source,
                           const struct explanation *explanation, uint64_t room)
{
    struct table *table =
        table_create(&EXPLAIN_ROOFLINE_FORM, explanation, explanation->roofline.count);
    parts_write_table(json, "roofline", table, room);
    table_free(table);
    if (source->peaks_from != NULL)
        json_text(json, "peaks_from", view_of(source->peaks_from));
    if (source->peaks.bytes > 0)
        json_real(json, "peak_bytes", source->peaks.bytes);
    json_uint(json, "without_work", explanation->roofline.without);
}

// Memory ----------------------------------------------------------------------

static void write_use(struct json_writer *json, const struct explanation *explanation,
                      const struct memory_peak *peak, uint64_t start)
{
    const struct profile *profile = explanation->profile;
    struct memory_use use;
    memory_use_find(profile, peak->memory, peak->device, peak->core, POINTS, &use);
    json_open_object(json, NULL);
    json_text(json, "memory",
              view_shortened(profile_text(profile, peak->memory), NUMBERS_NAME_MOST));
    json_uint(json, "peak", peak->bytes);
    json_uint(json, "at", peak->at > start ? peak->at - start : 0);
    json_uint(json, "from", use.from > start ? use.from - start : 0);
    json_uint(json, "to", use.to > start ? use.to - start : 0);
    json_open_array(json, "most");
    for (size_t i = 0; i < use.count; i++)
        json_uint(json, NULL, use.most[i]);
    json_close(json);
    json_close(json);
    memory_use_free(&use);
}

static void write_memory(struct json_writer *json, const struct explanation *explanation,
                         uint64_t room)
{
    const struct memory_peaks *memory = &explanation->memory;
    uint64_t start = 0;
    uint64_t last;
    profile_extent(explanation->profile, &start, &last);
    json_open_array(json, "memories");
    for (size_t i = 0; i < memory->count && i < MEMORIES_MOST; i++)
        write_use(json, explanation, &memory->peaks[i], start);
    json_close(json);
    json_uint(json, "memory_count", memory->count);
    struct explain_holders holders = explain_holders(explanation);
    struct table *table = table_create(&EXPLAIN_MEMORY_FORM, &holders, holders.count);
    parts_write_table(json, "holders", table, room);
    table_free(table);
    free(holders.rows);
}

void parts_write_explanation(struct json_writer *json, const struct page_source *source,
                             const struct explanation *explanation, uint64_t room)
{
    json_open_object(json, "why");
    write_sentences(json, explanation);
    write_path(json, explanation);
    write_path_tables(json, explanation, room / 5);
    write_roofline(json, source, explanation, room / 4);
    write_memory(json, explanation, room / 8);
    json_close(json);
}
