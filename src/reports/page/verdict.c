#include "verdict.h"

#include "base/figures.h"
#include "base/letters.h"
#include "reports/diff.h"
#include "reports/names.h"
#include "reports/overview/roles.h"

enum { NAME_MOST = 60 };

const char *verdict_time(uint64_t ns, char *room)
{
    return figures_time(ns, 1000000000, room);
}

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

// What is there is never said to be nothing.
static void append_percent(struct bytes *to, double percent)
{
    if (percent > 0 && percent < 0.05)
        bytes_append_format(to, "less than 0.1 %%");
    else
        bytes_append_format(to, "%.1f %%", percent);
}

static void append_name(struct bytes *to, struct view name)
{
    letters_append(to, name_or_none(name), NAME_MOST, LETTERS_CUT_MIDDLE);
}

// Where the time went ---------------------------------------------------------

static uint32_t parts_of(bool (*belongs)(enum role role))
{
    uint32_t bits = 0;
    for (size_t i = 0; i < OVERVIEW_ROLE_PART_COUNT; i++)
        bits |= belongs(OVERVIEW_ROLE_PARTS[i].role) ? 1u << i : 0;
    return bits;
}

static bool computes(enum role role)
{
    return role == ROLE_COMPUTE;
}

static bool moves(enum role role)
{
    return role_is_transfer(role) || role == ROLE_COMMUNICATION;
}

static bool works_otherwise(enum role role)
{
    return !computes(role) && !moves(role) && role != ROLE_WAIT;
}

static void append_share(struct bytes *to, const struct overview *overview, const char *what,
                         struct overview_rule rule, uint64_t *left)
{
    const uint64_t ns = overview_evaluate(overview, &rule).ns;
    *left -= ns < *left ? ns : *left;
    if (ns == 0)
        return;
    bytes_append_format(to, "%s %s ", to->size > 0 ? "," : "", what);
    append_percent(to, overview_percent(overview, ns));
}

// Shares that add up to the whole.
static void append_shares(struct bytes *to, const struct overview *overview)
{
    const uint32_t compute = parts_of(computes);
    const uint32_t move = parts_of(moves);
    const uint32_t others = parts_of(works_otherwise);
    const uint64_t whole = overview->overall.end - overview->overall.start;
    const bool device = (overview->covered & (compute | move)) != 0;
    uint64_t left = whole;
    struct bytes shares = {0};
    append_share(&shares, overview, "computing", (struct overview_rule){.some = compute}, &left);
    append_share(&shares, overview, "moving data without computing",
                 (struct overview_rule){.some = move, .minus = compute}, &left);
    append_share(&shares, overview, device ? "other work alone" : "at work",
                 (struct overview_rule){.some = others, .minus = compute | move}, &left);
    if (left > 0)
        bytes_append_format(&shares, "%s nothing at work %.1f %%", shares.size > 0 ? "," : "",
                            percent_of(left, whole));
    bytes_append_format(to, ":%.*s", VIEW_ARGUMENTS(bytes_view(&shares)));
    bytes_free(&shares);
}

static void say_where(const struct verdict_facts *facts, struct bytes *to)
{
    char time[FIGURES_ROOM];
    append_name(to, facts->title);
    if (facts->overview == NULL) {
        bytes_append_format(to, " has no spans: there is no time to tell of.");
        return;
    }
    const struct overview *overview = facts->overview;
    if (facts->scopes > 1) {
        bytes_append_format(to, " (");
        append_name(
            to, profile_text(facts->profile, profile_track(facts->profile, overview->scope)->name));
        bytes_append_format(to, ")");
    }
    bytes_append_format(to, " takes %s from first start to last end (%s)",
                        verdict_time(overview->overall.end - overview->overall.start, time),
                        provenance_name(overview->provenance));
    if (overview->covered == 0)
        bytes_append_format(to, "; no lane says what its work is");
    else if (!profile_has_totals(facts->profile))
        append_shares(to, overview);
    bytes_append_format(to, ".");
}

// What took most --------------------------------------------------------------

static const char *const SIDES[OPERATOR_SIDES] = {"time of lanes of unknown role", "host's time",
                                                  "device's time"};

static enum operator_side side_that_counts(const uint64_t self[OPERATOR_SIDES])
{
    if (self[OPERATOR_DEVICE] > 0)
        return OPERATOR_DEVICE;
    return self[OPERATOR_HOST] > 0 ? OPERATOR_HOST : OPERATOR_UNKNOWN;
}

// What an operator took of the time that passed, or of that of the side that counts.
static double taken_by(const struct operator_times *times, const struct operator_time *time)
{
    return times->has_passed ? time->passed : (double)time->self[side_that_counts(times->self)];
}

static double share_taken(const struct operator_times *times, const struct operator_time *time)
{
    const double whole =
        times->has_passed ? times->passed : (double)times->self[side_that_counts(times->self)];
    return whole > 0 ? 100 * taken_by(times, time) / whole : 0;
}

static const struct operator_time *longest(const struct operator_times *times,
                                           const struct operator_time *rows, size_t count)
{
    const struct operator_time *most = NULL;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].operator_id != 0 &&
            (most == NULL || taken_by(times, &rows[i]) > taken_by(times, most)))
            most = &rows[i];
    }
    return most;
}

static bool say_which_operators(const struct verdict_facts *facts, struct bytes *to)
{
    const struct operator_times *times = facts->operators;
    const struct operator_time *type = longest(times, times->types, times->type_count);
    const struct operator_time *one = longest(times, times->operators, times->count);
    char calls[FIGURES_ROOM];
    if (type == NULL || one == NULL || taken_by(times, type) == 0)
        return false;
    append_name(to, profile_text(facts->profile,
                                 profile_operator(facts->profile, type->operator_id)->type));
    bytes_append_format(to, " takes most: %.1f %% of the %s in %s call%s", share_taken(times, type),
                        times->has_passed ? "time that passed"
                                          : SIDES[side_that_counts(times->self)],
                        figures_count(type->calls, calls), type->calls == 1 ? "" : "s");
    if (taken_by(times, one) >= taken_by(times, type)) {
        bytes_append_format(to, ".");
        return true;
    }
    bytes_append_format(to, "; of single operators ");
    append_name(
        to, profile_text(facts->profile, profile_operator(facts->profile, one->operator_id)->name));
    bytes_append_format(to, " does, %.1f %%.", share_taken(times, one));
    return true;
}

static void say_which_names(const struct verdict_facts *facts, struct bytes *to)
{
    const struct span_groups *names = facts->names;
    const enum operator_side side = side_that_counts(names->self);
    struct bytes label = {0};
    char count[FIGURES_ROOM];
    uint64_t first = 0;
    size_t told = 0;
    for (size_t i = 0; i < names->count && told < 3; i++) {
        const struct span_group *group = &names->groups[i];
        if (group->side != side || group->self == 0)
            continue;
        first += group->self;
        if (told++ > 0)
            continue;
        label.size = 0;
        span_group_label(names, group, &label);
        append_name(to, bytes_view(&label));
        bytes_append_format(to, " takes most: %.1f %% of the %s in %s span%s",
                            percent_of(group->self, names->self[side]), SIDES[side],
                            figures_count(group->count, count), group->count == 1 ? "" : "s");
    }
    if (told > 1)
        bytes_append_format(to, "; the first %zu names take %.1f %%", told,
                            percent_of(first, names->self[side]));
    bytes_append_format(to, told > 0 ? "." : "No span lasts any time.");
    bytes_free(&label);
}

// What stands in the way ------------------------------------------------------

// Whether the time that the first sentence is of is all of the time, give or take a hundredth.
static bool is_of_all(const struct overview *overview, uint64_t length)
{
    if (overview == NULL)
        return true;
    const uint64_t told = overview->overall.end - overview->overall.start;
    const uint64_t differs = told > length ? told - length : length - told;
    return differs <= length / 100;
}

static void say_what_limits(const struct verdict_facts *facts, struct bytes *to)
{
    const struct critical_path *path = &facts->explanation->path;
    char time[FIGURES_ROOM];
    if (path->last == DEPENDENCE_NONE || path->roles.count == 0) {
        bytes_append_format(to, "What limits it cannot be told from this profile.");
        return;
    }
    const struct path_share *most = &path->roles.rows[0];
    const enum role role = (enum role)most->id;
    bytes_append_format(to, "The critical path ");
    if (!is_of_all(facts->overview, path->length))
        bytes_append_format(to, "through all %s ", verdict_time(path->length, time));
    bytes_append_format(to, "is ");
    append_percent(to, percent_of(most->on_path, path->length));
    bytes_append_format(to, " %s and ",
                        role == ROLE_NONE ? "work of no known role" : role_name(role));
    append_percent(to, percent_of(path->length - path->work, path->length));
    bytes_append_format(to, " gaps; ");
    explanation_append_help(facts->explanation, to);
    bytes_append_format(to, ".");
}

void verdict_of_profile(const struct verdict_facts *facts, struct verdict *out_verdict)
{
    *out_verdict = (struct verdict){0};
    say_where(facts, &out_verdict->sentences[0]);
    if (!say_which_operators(facts, &out_verdict->sentences[1]))
        say_which_names(facts, &out_verdict->sentences[1]);
    say_what_limits(facts, &out_verdict->sentences[2]);
}

// Two sides -------------------------------------------------------------------

static void say_rows(const struct comparison *comparison, struct bytes *to)
{
    size_t counts[VERDICT_GONE + 1] = {0};
    for (size_t i = 0; i < comparison->count; i++)
        counts[comparison->rows[i].verdict]++;
    bytes_append_format(to,
                        "%zu parts are slower, %zu faster, %zu new and %zu gone; of %zu what "
                        "differs may be chance%s.",
                        counts[VERDICT_SLOWER], counts[VERDICT_FASTER], counts[VERDICT_NEW],
                        counts[VERDICT_GONE], counts[VERDICT_EVEN] + counts[VERDICT_UNSURE],
                        counts[VERDICT_UNSURE] > 0 ? ", or measurements are too few" : "");
}

static void say_largest(const struct comparison *comparison, struct bytes *to)
{
    char time[FIGURES_ROOM];
    if (comparison->count == 0) {
        bytes_append_format(to, "There is no part to compare.");
        return;
    }
    const struct comparison_row *row = &comparison->rows[0];
    const struct comparison_half *half = row->b.there ? &row->b : &row->a;
    struct bytes reason = {0};
    const double size = row->difference < 0 ? -row->difference : row->difference;
    bytes_append_format(to, "Most of the difference: ");
    append_name(to, comparison_is_idle(row) ? VIEW_LITERAL("the time in which nothing worked")
                    : half->part != NULL    ? half->part->name
                                            : VIEW_LITERAL(""));
    bytes_append_format(to, ", %s %s an iteration", verdict_time((uint64_t)size, time),
                        row->difference < 0 ? "less" : "more");
    diff_append_reason(row, &reason);
    if (reason.size > 0) {
        bytes_append_format(to, ": ");
        letters_append(to, bytes_view(&reason), 160, LETTERS_CUT_END);
    }
    bytes_append_format(to, ".");
    bytes_free(&reason);
}

void verdict_of_comparison(const struct comparison *comparison, struct verdict *out_verdict)
{
    *out_verdict = (struct verdict){0};
    struct bytes *first = &out_verdict->sentences[0];
    bytes_append_format(first, "An iteration of b beside a: ");
    diff_append_change(&comparison->total, first);
    bytes_append_format(first, ", %s.", comparison_verdict_name(comparison->total.verdict));
    say_largest(comparison, &out_verdict->sentences[1]);
    say_rows(comparison, &out_verdict->sentences[2]);
}

void verdict_free(struct verdict *verdict)
{
    for (unsigned i = 0; i < VERDICT_SENTENCES; i++)
        bytes_free(&verdict->sentences[i]);
}
