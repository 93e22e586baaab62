#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/figures.h"

enum { NS_HZ = 1000000000, ROLES_NAMED = 3 };

static status find_helps(struct explanation *explanation)
{
    static const struct whatif_change ALL = {
        .name = {"*", sizeof("*") - 1}, .factor = 2, .side = WHATIF_NOT_HOST};
    static const struct whatif_change HOST = {
        .name = {"*", sizeof("*") - 1}, .factor = 2, .side = WHATIF_HOST};
    static const struct whatif_change FAR = {.name = {"dram", sizeof("dram") - 1}, .factor = 2};
    static const struct whatif_change LINK = {.name = {"link", sizeof("link") - 1}, .factor = 2};
    static const struct whatif_options HELPS[EXPLAIN_HELPS] = {
        [EXPLAIN_HELP_COMPUTE] = {.faster = &ALL, .faster_count = 1},
        [EXPLAIN_HELP_HOST] = {.faster = &HOST, .faster_count = 1},
        [EXPLAIN_HELP_MEMORY] = {.bandwidth = &FAR, .bandwidth_count = 1},
        [EXPLAIN_HELP_LINK] = {.bandwidth = &LINK, .bandwidth_count = 1},
        [EXPLAIN_HELP_GAPS] = {.no_gaps = true}};
    for (unsigned i = 0; i < EXPLAIN_HELPS; i++)
        STATUS_TRY(whatif_expected(&explanation->dependence, &HELPS[i], &explanation->expected[i]));
    return STATUS_OK;
}

static status fill(struct explanation *explanation, const struct roofline_peaks *peaks)
{
    STATUS_TRY(dependence_read(explanation->profile, &explanation->dependence));
    STATUS_TRY(critical_path_find(&explanation->dependence, &explanation->path));
    STATUS_TRY(roofline_measure(explanation->profile, peaks, &explanation->roofline));
    memory_peaks_find(explanation->profile, &explanation->dependence, &explanation->memory);
    return find_helps(explanation);
}

status explanation_make(struct profile *profile, const struct roofline_peaks *peaks,
                        struct explanation *out_explanation)
{
    *out_explanation = (struct explanation){
        .profile = profile, .has_peaks = peaks->compute_count > 0 || peaks->bytes > 0};
    const status result = fill(out_explanation, peaks);
    if (result != STATUS_OK)
        explanation_free(out_explanation);
    return result;
}

void explanation_free(struct explanation *explanation)
{
    critical_path_free(&explanation->path);
    dependence_free(&explanation->dependence);
    roofline_free(&explanation->roofline);
    memory_peaks_free(&explanation->memory);
}

// Sentences -------------------------------------------------------------------------

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

// The role with most work on the path of those not said; NULL: there is none.
static const struct path_share *largest_role(const struct critical_path *path, const bool *said)
{
    const struct path_share *largest = NULL;
    for (size_t i = 0; i < path->roles.count; i++) {
        const struct path_share *share = &path->roles.rows[i];
        if (share->on_path > 0 && !said[share->id] &&
            (largest == NULL || share->on_path > largest->on_path))
            largest = share;
    }
    return largest;
}

// "2.06 ms from the first start to the last end: 62 % compute, 31 % transfer in, 7 % gaps ..."
static void say_path(const struct explanation *explanation, struct bytes *to)
{
    const struct critical_path *path = &explanation->path;
    char length[FIGURES_ROOM];
    bytes_append_format(to,
                        "It took %s from the first start to the last end, and the critical path "
                        "through it is",
                        figures_time(path->length, NS_HZ, length));
    bool said[ROLE_COUNT] = {false};
    size_t count = 0;
    for (const struct path_share *share; count < ROLES_NAMED; count++) {
        if ((share = largest_role(path, said)) == NULL)
            break;
        said[share->id] = true;
        bytes_append_format(
            to, "%s %.0f %% %s", count > 0 ? "," : "", percent(share->on_path, path->length),
            share->id == ROLE_NONE ? "work of no known role" : role_name((enum role)share->id));
    }
    bytes_append_format(to, "%s %.0f %% gaps in which nothing was done.\n", count > 0 ? " and" : "",
                        percent(path->length - path->work, path->length));
}

void explanation_append_help(const struct explanation *explanation, struct bytes *to)
{
    static const char *const HELPS[EXPLAIN_HELPS] = {
        [EXPLAIN_HELP_COMPUTE] = "twice the speed of all that computes",
        [EXPLAIN_HELP_HOST] = "twice the speed of the host",
        [EXPLAIN_HELP_MEMORY] = "twice the bandwidth of the far memory",
        [EXPLAIN_HELP_LINK] = "twice the bandwidth of the link to the host",
        [EXPLAIN_HELP_GAPS] = "no gaps"};
    char expected[FIGURES_ROOM];
    unsigned best = 0;
    for (unsigned i = 1; i < EXPLAIN_HELPS; i++)
        best = explanation->expected[i] < explanation->expected[best] ? i : best;
    const double factor = explanation->expected[best] > 0 ? (double)explanation->path.length /
                                                                (double)explanation->expected[best]
                                                          : 1;
    bytes_append_format(to, "what would help most is %s: %s, %.*f times as fast", HELPS[best],
                        figures_time(explanation->expected[best], NS_HZ, expected),
                        factor < 100 ? 2 : 0, factor);
}

// What does most of the work on the path; NULL: nothing on it is known to be work.
static const struct path_share *most_work(const struct critical_path *path)
{
    const struct path_share *most = NULL;
    for (size_t i = 0; i < path->operators.count; i++) {
        const struct path_share *share = &path->operators.rows[i];
        if (share->on_path > (most == NULL ? 0 : most->on_path))
            most = share;
    }
    return most;
}

static void say_most(const struct explanation *explanation, const struct path_share *most,
                     struct bytes *to)
{
    const struct profile *profile = explanation->profile;
    const uint64_t length = explanation->path.length;
    char time[FIGURES_ROOM];
    bytes_append_format(to, "%s is ",
                        most->on_path > length / 2 ? "Most of it" : "The largest part of it");
    explain_append_label(profile, most->id, most->is_operator, to);
    if (most->type != 0 && profile_operator(profile, most->id)->name != most->type)
        bytes_append_format(to, " (%.*s)", VIEW_ARGUMENTS(profile_text(profile, most->type)));
    if (!most->is_operator && profile->operators.count > 1)
        bytes_append_format(to, " (no operator)");
    bytes_append_format(to, " with %s or %.0f %%", figures_time(most->on_path, NS_HZ, time),
                        percent(most->on_path, length));
    if (percent(most->gaps, length) >= 1)
        bytes_append_format(to, ", and %s of gaps before it",
                            figures_time(most->gaps, NS_HZ, time));
    bytes_append_format(to, "; ");
}

static void say_operator(const struct explanation *explanation, struct bytes *to)
{
    const struct path_share *most = most_work(&explanation->path);
    if (most != NULL)
        say_most(explanation, most, to);
    else
        bytes_append_format(to, "Nothing on it is known to be work; ");
    explanation_append_help(explanation, to);
    bytes_append_format(to, ".\n");
}

static void say_roofline(const struct explanation *explanation, struct bytes *to)
{
    const struct roofline *roofline = &explanation->roofline;
    const struct profile *profile = explanation->profile;
    if (roofline->count == 0) {
        bytes_append_format(to, "The work of no operator is known");
    } else if (!explanation->has_peaks || roofline->least <= 0) {
        bytes_append_format(to, "What the machine can do is not known (--target)");
    } else {
        const struct roofline_row *first = &roofline->rows[0];
        bytes_append_format(to,
                            "Operators whose work is known reach %.0f %% of what the machine can "
                            "do, and ",
                            roofline->time > 0 ? 100 * roofline->least / roofline->time : 0);
        explain_append_label(profile, first->operator_id, true, to);
        bytes_append_format(to, " could gain most");
    }
}

static void say_memory(const struct explanation *explanation, struct bytes *to)
{
    const struct profile *profile = explanation->profile;
    char bytes[FIGURES_ROOM], held[FIGURES_ROOM];
    if (explanation->memory.count == 0) {
        bytes_append_format(to, "; nothing is said of memory.\n");
        return;
    }
    const struct memory_peak *peak = &explanation->memory.peaks[0];
    const struct buffer_lifetime *first = segments_get(&profile->buffers, peak->holders[0].buffer);
    bytes_append_format(to, "; %.*s had at most %s in use, %s of it in one piece.\n",
                        VIEW_ARGUMENTS(profile_text(profile, peak->memory)),
                        figures_bytes(peak->bytes, bytes), figures_bytes(first->size, held));
}

void explanation_sentences(const struct explanation *explanation, struct bytes *to)
{
    if (explanation->path.last == DEPENDENCE_NONE) {
        bytes_append_format(to, explanation->dependence.totals
                                    ? "There are sums alone: when things happened, and what waited "
                                      "for what, the file does not say.\n"
                                    : "There are no spans: nothing took any time.\n");
        return;
    }
    say_path(explanation, to);
    say_operator(explanation, to);
    say_roofline(explanation, to);
    say_memory(explanation, to);
}
