#include "analysis/flame.h"
#include "analysis/operator_times.h"
#include "analysis/span_groups.h"
#include "parts.h"
#include "reports/operators.h"
#include "reports/overview/list.h"
#include "reports/overview/roles.h"
#include "reports/overview_table.h"
#include "reports/picture/words.h"
#include "reports/top.h"

// Nodes of the flame graph.
enum { FLAME_MOST = 4000 };

void parts_write_verdict(struct json_writer *json, const struct verdict *verdict)
{
    json_open_array(json, "verdict");
    for (unsigned i = 0; i < VERDICT_SENTENCES; i++)
        json_text(json, NULL, bytes_view(&verdict->sentences[i]));
    json_close(json);
}

// Breakdown -------------------------------------------------------------------

static void write_overview(struct json_writer *json, const struct page_source *source,
                           struct overview_rows *rows, uint64_t room)
{
    overview_rows_keep_shown(rows);
    const struct overview_report report = {.path = source->path, .rows = rows};
    struct table *table = overview_table_create(&report, false);
    json_open_object(json, NULL);
    json_text(json, "model", view_of(rows->model));
    json_text(json, "provenance", view_of(provenance_name(rows->provenance)));
    parts_write_table(json, "table", table, room);
    json_close(json);
    table_free(table);
}

static status write_breakdown(struct json_writer *json, const struct page_source *source,
                              uint64_t room)
{
    enum { PROCESSES_MOST = 16 };
    struct overview_rows *list;
    size_t count;
    STATUS_TRY(overview_rows_list(source->profile, false, &list, &count));
    json_open_array(json, "breakdown");
    for (size_t i = 0; i < count && i < PROCESSES_MOST; i++)
        write_overview(json, source, &list[i], room / PROCESSES_MOST);
    json_close(json);
    json_uint(json, "processes", count);
    overview_rows_list_free(list, count);
    return STATUS_OK;
}

static uint32_t parts_of_devices(void)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < OVERVIEW_ROLE_PART_COUNT; i++)
        bits |= role_is_device(OVERVIEW_ROLE_PARTS[i].role) ? 1u << i : 0;
    return bits;
}

// How much an overview tells: first whether something computes, then whether a device does
// anything, whether any lane says what its work is, and how long it is.
static bool tells_more(const struct overview *a, const struct overview *b)
{
    const uint32_t compute = 1u << OVERVIEW_COMPUTE_PART;
    const uint32_t device = parts_of_devices();
    if (((a->covered & compute) != 0) != ((b->covered & compute) != 0))
        return (a->covered & compute) != 0;
    if (((a->covered & device) != 0) != ((b->covered & device) != 0))
        return (a->covered & device) != 0;
    if ((a->covered != 0) != (b->covered != 0))
        return a->covered != 0;
    return a->overall.end - a->overall.start > b->overall.end - b->overall.start;
}

// The overview by roles of the scope that tells most. Lanes of which nothing is said are windows
// and remarks here, no work.
static status best_overview(struct profile *profile, struct overview *out_overview,
                            size_t *out_count)
{
    struct overview_collector *collector = overview_collector_create(profile, false);
    status result = profile_replay(profile, overview_collector_sink(collector));
    bool found = false;
    *out_count = overview_count(collector);
    for (size_t i = 0; i < *out_count && result == STATUS_OK; i++) {
        struct overview overview;
        result = overview_compute(collector, i, OVERVIEW_ROLE_PARTS, OVERVIEW_ROLE_PART_COUNT,
                                  &overview);
        if (result != STATUS_OK)
            break;
        if (found && !tells_more(&overview, out_overview)) {
            overview_free(&overview);
            continue;
        }
        if (found)
            overview_free(out_overview);
        *out_overview = overview;
        found = true;
    }
    overview_collector_free(collector);
    if (result != STATUS_OK && found)
        overview_free(out_overview);
    return result;
}

// Tables ----------------------------------------------------------------------

static void write_operator_tables(struct json_writer *json, const struct profile *profile,
                                  const struct operator_times *times, uint64_t room)
{
    const struct operators_report one = operators_report_of(profile, times, times->operators);
    const struct operators_report types = operators_report_of(profile, times, times->types);
    struct table *table = table_create(&OPERATORS_FORM, &one, times->count);
    parts_write_table(json, "operator_table", table, room);
    table_free(table);
    table = table_create(&OPERATOR_TYPES_FORM, &types, times->type_count);
    parts_write_table(json, "type_table", table, room);
    table_free(table);
}

static void write_groups(struct json_writer *json, const char *key,
                         const struct span_groups *groups, uint64_t room)
{
    struct table *table = table_create(&TOP_FORM, groups, groups->count);
    parts_write_table(json, key, table, room);
    table_free(table);
}

// Flame graph -----------------------------------------------------------------

static struct view flame_name(const struct profile *profile, const struct flame *flame, uint32_t id)
{
    static const char *const SIDES[OPERATOR_SIDES] = {"unknown role", "host", "device"};
    const struct flame_node *node = flame_node(flame, id);
    if (id == 0)
        return VIEW_LITERAL("all");
    if (node->parent == 0)
        return view_of(SIDES[node->name % OPERATOR_SIDES]);
    return view_shortened(profile_text(profile, node->name), NUMBERS_NAME_MOST);
}

// As many of the largest nodes as have room.
static void keep_nodes(const struct profile *profile, struct flame *flame, uint64_t room)
{
    enum { NUMBERS_SIZE = 48, LETTER_SIZE = 2 };
    uint64_t size;
    size_t most = FLAME_MOST;
    do {
        flame_keep(flame, most);
        size = 0;
        for (uint32_t i = 0; i < flame->nodes.count; i++) {
            if (flame_node(flame, i)->kept > 0)
                size += NUMBERS_SIZE + LETTER_SIZE * flame_name(profile, flame, i).size;
        }
        most /= 2;
    } while (size > room && most > 0);
}

// Of each node: its parent's place, name, total, self, count of spans.
static status write_flame(struct json_writer *json, struct profile *profile, uint64_t room)
{
    struct flame flame;
    STATUS_TRY(flame_measure(profile, &flame));
    keep_nodes(profile, &flame, room);
    json_open_object(json, "flame");
    json_uint(json, "total", flame.nodes.count);
    json_uint(json, "folded", flame.folded);
    json_open_array(json, "nodes");
    for (uint32_t i = 0; i < flame.nodes.count; i++) {
        const struct flame_node *node = flame_node(&flame, i);
        if (node->kept == 0)
            continue;
        json_uint(json, NULL, flame_node(&flame, node->parent)->kept - 1);
        json_text(json, NULL, flame_name(profile, &flame, i));
        json_uint(json, NULL, node->total);
        json_uint(json, NULL, node->self);
        json_uint(json, NULL, node->count);
    }
    json_close(json);
    json_close(json);
    flame_free(&flame);
    return STATUS_OK;
}

// All -------------------------------------------------------------------------

static status write_measured(struct json_writer *json, const struct page_source *source,
                             struct verdict_facts facts, uint64_t room)
{
    const struct span_group_options by_name = {.by = SPANS_BY_NAME, .to = UINT64_MAX};
    struct operator_times times;
    struct span_groups names;
    struct bytes title = {0};
    struct verdict verdict;
    STATUS_TRY(operator_times_measure(source->profile, &times));
    const status result = span_groups_measure(source->profile, &by_name, &names);
    if (result != STATUS_OK) {
        operator_times_free(&times);
        return result;
    }
    words_title(&title, source->profile, source->path);
    facts.title = bytes_view(&title);
    facts.operators = &times;
    facts.names = &names;
    verdict_of_profile(&facts, &verdict);
    parts_write_verdict(json, &verdict);
    write_groups(json, "name_table", &names, room / 4);
    write_operator_tables(json, source->profile, &times, room / 6);
    verdict_free(&verdict);
    bytes_free(&title);
    span_groups_free(&names);
    operator_times_free(&times);
    return STATUS_OK;
}

// What depends on the overview by roles and on what limits the run.
static status write_explained(struct json_writer *json, const struct page_source *source,
                              const struct explanation *explanation, uint64_t room)
{
    struct overview overview;
    size_t scopes;
    STATUS_TRY(best_overview(source->profile, &overview, &scopes));
    const struct verdict_facts facts = {.profile = source->profile,
                                        .overview = scopes > 0 ? &overview : NULL,
                                        .scopes = scopes,
                                        .explanation = explanation};
    const status result = write_measured(json, source, facts, room);
    if (scopes > 0)
        overview_free(&overview);
    parts_write_explanation(json, source, explanation, room / 4);
    return result;
}

status parts_write_analyses(struct json_writer *json, const struct page_source *source,
                            uint64_t room)
{
    struct explanation explanation;
    STATUS_TRY(explanation_make(source->profile, &source->peaks, &explanation));
    status result = write_explained(json, source, &explanation, room);
    explanation_free(&explanation);
    if (result == STATUS_OK)
        result = write_breakdown(json, source, room / 8);
    if (result == STATUS_OK)
        result = write_flame(json, source->profile, room / 5);
    return result;
}
