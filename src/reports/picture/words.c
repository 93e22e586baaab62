#include "words.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    uint64_t ns;
    const char *name;
} UNITS[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

enum {
    COMPACT_FROM = 100000,
    MOST_LETTERS = 13, // "most 3.81 G  "
    MARK_LEAST = 12,   // letters from one mark of the axis to the next
    MARK_GAP = 3,
    DEVICE_MOST = 80,
    FROM_START = 1000, // what begins in this part of the time shown begins at the start
};

// Numbers ------------------------------------------------------------------------------

void words_time(uint64_t ns, char text[WORDS_TIME_ROOM])
{
    unsigned unit = 0;
    while (UNITS[unit].ns > 1 && ns < UNITS[unit].ns)
        unit++;
    const double number = (double)ns / (double)UNITS[unit].ns;
    const int decimals = UNITS[unit].ns == 1 || number >= 99.995 ? (UNITS[unit].ns == 1 ? 0 : 1)
                         : number >= 9.9995                      ? 2
                                                                 : 3;
    snprintf(text, WORDS_TIME_ROOM, "%.*f %s", decimals, number, UNITS[unit].name);
}

void words_number(double number, char text[WORDS_TIME_ROOM])
{
    if (number >= 1e15 || number <= -1e15 || number != (double)(int64_t)number) {
        snprintf(text, WORDS_TIME_ROOM, "%.4g", number);
        return;
    }
    char digits[WORDS_TIME_ROOM];
    const int size = snprintf(digits, sizeof digits, "%" PRId64, (int64_t)number);
    size_t to = 0;
    for (int i = 0; i < size; i++) {
        if (i > 0 && digits[i - 1] != '-' && (size - i) % 3 == 0)
            text[to++] = ' ';
        text[to++] = digits[i];
    }
    text[to] = '\0';
}

void words_compact(double number, char text[WORDS_TIME_ROOM])
{
    static const char PREFIXES[] = " kMGTPE";
    unsigned prefix = 0;
    if (number < COMPACT_FROM && number > -COMPACT_FROM) {
        words_number(number, text);
        return;
    }
    for (; (number >= 999.5 || number <= -999.5) && prefix + 2 < sizeof PREFIXES; prefix++)
        number /= 1000;
    snprintf(text, WORDS_TIME_ROOM, "%.3g %c", number, PREFIXES[prefix]);
}

void words_bytes(double bytes, char text[WORDS_TIME_ROOM])
{
    static const char *const UNITS_OF_BYTES[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; bytes >= 1023.5 && unit + 1 < sizeof UNITS_OF_BYTES / sizeof *UNITS_OF_BYTES; unit++)
        bytes /= 1024;
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    snprintf(text, WORDS_TIME_ROOM, "%.*f %s", decimals, bytes, UNITS_OF_BYTES[unit]);
}

void words_most(struct bytes *to, const struct plot *plot, const struct plot_lane *lane)
{
    char number[WORDS_TIME_ROOM];
    const struct view unit =
        lane->track == 0
            ? VIEW_LITERAL("bytes")
            : profile_text(plot->profile, profile_track(plot->profile, lane->track)->unit);
    if (view_is(unit, "bytes") && (lane->is_memory || lane->most >= COMPACT_FROM)) {
        words_bytes(lane->most, number);
        bytes_append_format(to, "most %s", number);
        return;
    }
    words_compact(lane->most, number);
    if (view_is(unit, "bytes/s") && number[strlen(number) - 1] > '9')
        bytes_append_format(to, "most %sB/s", number); // 3.81 GB/s
    else
        bytes_append_format(to, "most %s %.*s", number, VIEW_ARGUMENTS(unit));
}

// Names of spans -----------------------------------------------------------------------

static bool is_of_identifier(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

// Whether it is a function with what its template was made for, as compilers write it.
static bool is_template(struct view name)
{
    if (!view_ends_with(name, ">") && !view_ends_with(name, ")"))
        return false;
    const size_t at = view_find(name, '<');
    return at > 0 && at < name.size && is_of_identifier(name.data[at - 1]);
}

// "copy_kernel<..>(..)" of "void at::native::copy_kernel<..>(..)".
static struct view without_scope(struct view name)
{
    size_t from = 0, depth = 0;
    for (size_t i = 0; i < name.size; i++) {
        const char letter = name.data[i];
        if (letter == '<' || letter == '(' || letter == '{')
            depth++;
        else if (depth > 0 && (letter == '>' || letter == ')' || letter == '}'))
            depth--;
        else if (depth == 0 && (letter == ' ' || letter == ':') && i + 1 < name.size)
            from = i + 1;
    }
    return view_slice(name, from, name.size);
}

static void append_name(struct bytes *to, struct view name, size_t most)
{
    if (letters_count(name) > most && is_template(name)) {
        letters_append(to, without_scope(name), most, LETTERS_CUT_END);
        return;
    }
    const size_t colon = view_find_text(name, ": ");
    if (letters_count(name) > most && colon + 2 < name.size)
        name = view_slice(name, colon + 2, name.size);
    letters_append(to, name, most, LETTERS_CUT_MIDDLE);
}

static struct view innermost(const struct plot *plot, const struct plot_span *span)
{
    const uint32_t last = span->folded < PLOT_FOLDED_NAMED ? span->folded : PLOT_FOLDED_NAMED;
    return profile_text(plot->profile, span->inner[last - 1]);
}

void words_span(struct bytes *to, const struct plot *plot, const struct plot_span *span,
                size_t most)
{
    const struct view outer = profile_text(plot->profile, span->name);
    const char *between = span->folded > 1 ? " > .. > " : " > ";
    if (span->folded > 0) {
        const struct view inner = innermost(plot, span);
        const size_t joined = letters_count(outer) + strlen(between) + letters_count(inner);
        if (joined <= most) {
            letters_append(to, outer, most, LETTERS_CUT_END);
            bytes_append_format(to, "%s", between);
            letters_append(to, inner, most, LETTERS_CUT_END);
            return;
        }
    }
    append_name(to, outer, most);
}

void words_span_whole(struct bytes *to, const struct plot *plot, const struct plot_span *span)
{
    enum { MOST = 200 };
    letters_append(to, profile_text(plot->profile, span->name), MOST, LETTERS_CUT_MIDDLE);
    const uint32_t named = span->folded < PLOT_FOLDED_NAMED ? span->folded : PLOT_FOLDED_NAMED;
    for (uint32_t i = 0; i < named; i++) {
        if (i + 1 == named && span->folded > named)
            bytes_append_format(to, " > %u more", (unsigned)(span->folded - named));
        bytes_append_format(to, " > ");
        letters_append(to, profile_text(plot->profile, span->inner[i]), MOST, LETTERS_CUT_MIDDLE);
    }
}

// Titles -------------------------------------------------------------------------------

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void words_title(struct bytes *to, const struct profile *profile, const char *source)
{
    struct view network = profile_fact(profile, "network");
    const struct view target = profile_fact(profile, "target");
    const size_t slash = view_find_last(network, '/');
    if (slash < network.size)
        network = view_slice(network, slash + 1, network.size);
    if (network.size > 0 && target.size > 0)
        bytes_append_format(to, "%.*s on %.*s", VIEW_ARGUMENTS(network), VIEW_ARGUMENTS(target));
    else
        bytes_append_format(to, "%s", last_part(source));
}

// Totals -------------------------------------------------------------------------------

static void append_counted(struct bytes *to, const char *before, const char *number, bool one,
                           const char *single, const char *many)
{
    bytes_append_format(to, "%s%s %s", before, number, one ? single : many);
}

static void append_count(struct bytes *to, const char *before, uint64_t count, const char *single,
                         const char *many)
{
    char number[WORDS_TIME_ROOM];
    words_number((double)count, number);
    append_counted(to, before, number, count == 1, single, many);
}

static void words_count_lanes(const struct plot *plot, uint64_t *out_lanes, uint64_t *out_counters)
{
    *out_lanes = *out_counters = 0;
    for (size_t i = 0; i < plot->lane_count; i++) {
        const struct plot_lane *lane = &plot->lanes[i];
        const bool counter = lane->track != 0 && lane->sample_count > 0 && lane->spans == 0;
        *out_counters += counter;
        if (!lane->is_memory && !lane->heading && !counter)
            *out_lanes += plot_lane_is_rest(lane) ? lane->merged_lanes : 1;
    }
}

void words_subtitle(struct bytes *to, const struct plot *plot)
{
    char from[WORDS_TIME_ROOM], time[WORDS_TIME_ROOM];
    uint64_t lanes, counters;
    words_count_lanes(plot, &lanes, &counters);
    append_count(to, "", plot->spans, "span", "spans");
    append_count(to, " on ", lanes, "lane", "lanes");
    if (plot->instants > 0)
        append_count(to, ", ", plot->instants, "instant", "instants");
    if (counters > 0) {
        append_count(to, ", ", plot->samples, "sample", "samples");
        append_count(to, " of ", counters, "counter", "counters");
    }
    words_time(plot->to - plot->from, time);
    words_time(plot->from, from);
    if (plot->from > (plot->to - plot->from) / FROM_START)
        bytes_append_format(to, "; %s from %s on", time, from);
    else
        bytes_append_format(to, "; %s", time);
}

const char *words_provenance(const struct plot *plot)
{
    const bool measured = plot->provenances[PROVENANCE_MEASURED];
    const bool modelled = plot->provenances[PROVENANCE_MODELLED];
    if (measured && modelled)
        return "measured and modelled";
    if (measured || modelled)
        return measured ? "measured" : "modelled";
    return plot->provenances[PROVENANCE_DERIVED] ? "derived" : "of unknown origin";
}

void words_percent(const struct plot *plot, uint64_t busy, uint64_t lanes,
                   char text[WORDS_TIME_ROOM])
{
    const double percent = plot_percent(plot, busy, lanes);
    if (busy > 0 && percent < 0.05)
        snprintf(text, WORDS_TIME_ROOM, "<0.1 %%");
    else
        snprintf(text, WORDS_TIME_ROOM, "%.1f %%", percent);
}

void words_total(struct bytes *to, const struct plot *plot, unsigned kind)
{
    const struct plot_total *total = &plot->totals[kind];
    char percent[WORDS_TIME_ROOM];
    words_percent(plot, total->busy, total->lanes, percent);
    bytes_append_format(to, "%7s", percent);
    append_count(to, " of ", total->lanes, "lane", "lanes");
    char spans[WORDS_TIME_ROOM];
    words_compact((double)total->spans, spans);
    append_counted(to, ", ", spans, total->spans == 1, "span", "spans");
}

// Lanes --------------------------------------------------------------------------------

static void append_memory(struct bytes *to, const struct plot *plot, const struct plot_lane *lane)
{
    const struct view name = profile_text(plot->profile, lane->memory);
    letters_append(to, name, SIZE_MAX, LETTERS_CUT_END);
    if (lane->device > 0)
        bytes_append_format(to, " %u", (unsigned)(lane->device - 1));
}

static void append_engine(struct bytes *to, const struct plot *plot, const struct plot_lane *lane)
{
    const struct track *track = profile_track(plot->profile, lane->like);
    const uint32_t name = track->engine != 0 ? track->engine : track->name;
    letters_append(to, profile_text(plot->profile, name), SIZE_MAX, LETTERS_CUT_END);
    bytes_append_format(to, "%s x %u",
                        track->engine != 0 && track->role == ROLE_WAIT ? " waits" : "",
                        (unsigned)lane->merged_lanes);
}

struct view words_lane(const struct plot *plot, const struct plot_lane *lane, struct bytes *room)
{
    room->size = 0;
    if (lane->is_memory && lane->heading)
        return VIEW_LITERAL("memory taken by buffers");
    if (lane->is_memory)
        append_memory(room, plot, lane);
    else if (lane->like != 0)
        append_engine(room, plot, lane);
    else if (lane->track == 0)
        append_count(room, "", lane->merged_lanes, "more lane", "more lanes");
    else
        return profile_text(plot->profile, profile_track(plot->profile, lane->track)->name);
    return bytes_view(room);
}

size_t words_label_length(const struct profile *profile, size_t most)
{
    size_t longest = 14; // "222 more lanes"
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->spans + track->instants + track->samples == 0)
            continue;
        size_t length = letters_count(profile_text(profile, track->name));
        const size_t most_line = MOST_LETTERS + letters_count(profile_text(profile, track->unit));
        if (track->kind == TRACK_COUNTER && most_line > length)
            length = most_line;
        for (uint32_t up = track->parent; up != 0 && length < most;
             up = profile_track(profile, up)->parent)
            length += 2;
        longest = length > longest ? length : longest;
    }
    return longest < most ? longest : most;
}

// Notes --------------------------------------------------------------------------------

static bool note_ledger(struct bytes *to, const struct plot *plot)
{
    const struct ledger ledger = profile_ledger(plot->profile);
    if (ledger.lost + ledger.impossible == 0 && plot->profile->note_counts[LEDGER_LOST] == 0)
        return false;
    append_count(to, "ledger: ", ledger.lost, "event is lost", "events are lost");
    append_count(to, ", ", ledger.impossible, "is impossible", "are impossible");
    if (ledger.expected == LEDGER_UNKNOWN)
        bytes_append_format(to, "; how many there were is not known");
    return true;
}

static bool note_origin(struct bytes *to, const struct plot *plot)
{
    const struct view device = profile_fact(plot->profile, "device");
    if (device.size > 0) {
        bytes_append_format(to, "device ");
        letters_append(to, device, DEVICE_MOST, LETTERS_CUT_MIDDLE);
    }
    return device.size > 0;
}

static bool note_merged(struct bytes *to, const struct plot *plot)
{
    const uint64_t narrow = plot->merged - plot->deeper;
    if (narrow == 0)
        return false;
    append_count(to, "", narrow, "span is", "spans are");
    bytes_append_format(
        to, " too narrow to be drawn alone: the height is the share of time that they cover");
    return true;
}

static bool note_folded(struct bytes *to, const struct plot *plot)
{
    if (plot->folded > 0)
        append_count(to, "", plot->folded, "span looks like the one around it and is drawn as one",
                     "spans look like those around them and are drawn as one with them");
    return plot->folded > 0;
}

static bool note_deeper(struct bytes *to, const struct plot *plot)
{
    if (plot->deeper > 0)
        append_count(to, "", plot->deeper,
                     "span lies deeper and is added up in the last row: --depth has more",
                     "spans lie deeper and are added up in the last row: --depth has more");
    return plot->deeper > 0;
}

static bool note_arrows(struct bytes *to, const struct plot *plot)
{
    if (plot->options.arrows == PLOT_NO_ARROWS)
        return false;
    append_count(to, "", plot->arrow_count, "arrow", "arrows");
    if (plot->arrows_found > plot->arrow_count)
        append_count(to, " of ", plot->arrows_found, "", "are drawn: others lie beside them");
    return true;
}

static bool note_outside(struct bytes *to, const struct plot *plot)
{
    const uint64_t outside = plot->outside + plot->instants_outside;
    if (plot->outside > 0)
        append_count(to, "", plot->outside, "span", "spans");
    if (plot->instants_outside > 0)
        append_count(to, plot->outside > 0 ? " and " : "", plot->instants_outside, "instant",
                     "instants");
    if (outside > 0)
        bytes_append_format(to, " %s outside the time shown", outside == 1 ? "lies" : "lie");
    return outside > 0;
}

static bool note_tracks(struct bytes *to, const struct plot *plot)
{
    if (plot->empty_tracks > 0)
        append_count(to, "", plot->empty_tracks, "track without events is not shown",
                     "tracks without events are not shown");
    if (plot->hidden_lanes > 0)
        append_count(to, to->size > 0 ? "; " : "", plot->hidden_lanes,
                     "lane with nothing in the time shown is left out",
                     "lanes with nothing in the time shown are left out");
    if (plot->unshown_counters > 0)
        append_count(to, to->size > 0 ? "; " : "", plot->unshown_counters,
                     "counter of a core is not shown: --tracks chooses",
                     "counters of cores are not shown: --tracks chooses");
    if (plot->unshown_memories > 0)
        append_count(to, to->size > 0 ? "; " : "", plot->unshown_memories,
                     "buffer lies in other memories", "buffers lie in other memories");
    if (plot->unchosen_tracks > 0)
        append_count(to, to->size > 0 ? "; " : "", plot->unchosen_tracks, "track was not chosen",
                     "tracks were not chosen");
    return to->size > 0;
}

bool words_note(struct bytes *to, const struct plot *plot, unsigned index)
{
    static bool (*const NOTES[])(struct bytes *, const struct plot *) = {
        note_ledger, note_origin,  note_merged, note_folded,
        note_deeper, note_outside, note_arrows, note_tracks};
    to->size = 0;
    for (unsigned i = 0; i < sizeof NOTES / sizeof *NOTES; i++) {
        if (NOTES[i](to, plot) && index-- == 0)
            return true;
        to->size = 0;
    }
    return false;
}

// The axis -------------------------------------------------------------------------------

static struct words_axis make_axis(const struct plot *plot, uint32_t marks_most)
{
    const uint64_t least = (plot->to - plot->from) / marks_most + 1;
    uint64_t step = 1;
    for (unsigned i = 0; step < least && step <= UINT64_MAX / 10; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    struct words_axis axis = {.step = step, .unit = 1};
    for (unsigned i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (plot->to >= UNITS[i].ns) {
            axis.unit = UNITS[i].ns;
            break;
        }
    }
    for (uint64_t part = axis.unit; step % part != 0; part /= 10)
        axis.decimals++;
    axis.first = plot->from + (step - plot->from % step) % step;
    return axis;
}

struct words_axis words_axis(const struct plot *plot, double letters)
{
    const double range = (double)(plot->to - plot->from);
    for (uint32_t marks = (uint32_t)(letters / MARK_LEAST) + 1;; marks--) {
        const struct words_axis axis = make_axis(plot, marks);
        char text[WORDS_TIME_ROOM];
        words_mark(&axis, plot->to, text);
        const double room = letters * (double)axis.step / range;
        if (marks == 1 || (double)(strlen(text) + MARK_GAP) <= room)
            return axis;
    }
}

void words_mark(const struct words_axis *axis, uint64_t ns, char text[WORDS_TIME_ROOM])
{
    unsigned unit = 0;
    while (UNITS[unit].ns != axis->unit)
        unit++;
    uint64_t part = axis->unit;
    for (unsigned i = 0; i < axis->decimals; i++)
        part /= 10;
    if (axis->decimals == 0)
        snprintf(text, WORDS_TIME_ROOM, "%" PRIu64 " %s", ns / axis->unit, UNITS[unit].name);
    else
        snprintf(text, WORDS_TIME_ROOM, "%" PRIu64 ".%0*" PRIu64 " %s", ns / axis->unit,
                 (int)axis->decimals, ns % axis->unit / part, UNITS[unit].name);
}
