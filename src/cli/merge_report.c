#include "merge_report.h"

#include <inttypes.h>

#include "ledger_text.h"
#include "plain_text.h"
#include "reports/overview_rows.h"

enum { NAMES_SHOWN = 5, NAMES_LISTED = 100, TIME_ROOM = OVERVIEW_DURATION_ROOM + 1 };

static const char *signed_time(int64_t ns, char text[TIME_ROOM])
{
    text[0] = ns < 0 ? '-' : '+';
    overview_format_duration(ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns, text + 1);
    return text;
}

static void print_anchors(const struct merge *merge, const struct merge_source *source)
{
    fprintf(stderr, ", by %zu of %zu %s", source->used, source->found,
            merge_method_name(source->method));
    if (source->reference != 0)
        fprintf(stderr, " with %s", merge->sources[source->reference].name);
    size_t shown = 0;
    for (size_t i = 0; i < source->anchor_count && merge_anchors_have_labels(source); i++) {
        if (!source->anchors[i].used)
            continue;
        if (shown == NAMES_SHOWN) {
            fprintf(stderr, " ...");
            break;
        }
        fprintf(stderr, "%s ", shown == 0 ? ":" : ",");
        plain_text_print(stderr, merge_anchor_label(merge, source, &source->anchors[i]), 0);
        shown++;
    }
}

static void print_advice(const struct merge_source *source)
{
    if (source->refused_drift != 0)
        fprintf(stderr,
                "    %s: what it shares would need a drift of %.0f ppm, more than clocks have: are "
                "these the\n    same moments? Only an offset was fitted\n",
                source->name, (double)source->refused_drift / 1000);
    else if (source->used == 1 && source->method != MERGE_START && !source->has_drift)
        fprintf(stderr, "    %s: one moment shows no drift: the error is that at this moment\n",
                source->name);
    if (source->method == MERGE_FLOWS_ONE_WAY || source->method == MERGE_CORRELATIONS)
        fprintf(stderr,
                "    %s: how long what joins them was under way is not known, and not part of the "
                "error\n",
                source->name);
    if (source->method == MERGE_START)
        fprintf(stderr,
                "    %s: shares nothing with the others, so it starts when they do; say what you "
                "know with\n    --offset %s=0s (keep its times) or --align 'NAME:EVENT=%s:EVENT'\n",
                source->name, source->name, source->name);
}

static void print_source(const struct merge *merge, const struct merge_source *source)
{
    char text[TIME_ROOM];
    fprintf(stderr, "  %-16s ", source->name);
    if (source->method == MERGE_REFERENCE || source->method == MERGE_EMPTY) {
        fprintf(stderr, "%s\n", merge_method_name(source->method));
        return;
    }
    fprintf(stderr, "%s", signed_time(merge_offset_of(source), text));
    if (source->map.drift_ppb != 0)
        fprintf(stderr, ", drift %+.3f ppm", (double)source->map.drift_ppb / 1000);
    if (source->has_error) {
        overview_format_duration(source->error_ns, text);
        fprintf(stderr, ", within %s", text);
    } else {
        fprintf(stderr, ", error unknown");
    }
    if (source->anchor_count > 0 && source->used > 0)
        print_anchors(merge, source);
    else
        fprintf(stderr, ", by %s", merge_method_name(source->method));
    fprintf(stderr, "\n");
}

void merge_report_print(const struct merge *merge, const char *out, const struct profile *merged)
{
    char text[TIME_ROOM];
    char number[LEDGER_NUMBER_ROOM];
    fprintf(stderr, "%s: %zu profiles, %s events\n", out, merge->count,
            ledger_number(profile_ledger(merged).recorded, number));
    for (size_t i = 0; i < merge->count; i++)
        print_source(merge, &merge->sources[i]);
    if (merge->shift != 0)
        fprintf(stderr, "  all times %s, so that none is negative\n",
                signed_time(merge->shift, text));
    for (size_t i = 0; i < merge->count; i++)
        print_advice(&merge->sources[i]);
}

static void write_signed(struct json_writer *json, const char *key, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    json_raw(json, key, view_of(text));
}

static void write_names(struct json_writer *json, const struct merge *merge,
                        const struct merge_source *source)
{
    json_open_array(json, "anchors");
    size_t listed = 0;
    for (size_t i = 0; i < source->anchor_count && listed < NAMES_LISTED; i++) {
        const struct align_anchor *anchor = &source->anchors[i];
        if (!anchor->used)
            continue;
        listed++;
        if (merge_anchors_have_labels(source))
            json_text(json, NULL, merge_anchor_label(merge, source, anchor));
        else
            json_uint(json, NULL, anchor->label);
    }
    json_close(json);
}

static void write_source(struct json_writer *json, const struct merge *merge,
                         const struct merge_source *source)
{
    json_open_object(json, NULL);
    json_text(json, "name", view_of(source->name));
    json_text(json, "file", view_of(source->path));
    json_text(json, "placed_by", view_of(merge_method_name(source->method)));
    json_text(json, "placed_on", view_of(merge->sources[source->reference].name));
    write_signed(json, "offset_ns", merge_offset_of(source));
    write_signed(json, "drift_ppb", source->map.drift_ppb);
    json_bool(json, "drift_fitted", source->fitted_drift);
    if (source->has_error)
        json_uint(json, "error_ns", source->error_ns);
    else
        json_null(json, "error_ns");
    json_uint(json, "anchors_found", source->found);
    json_uint(json, "anchors_used", source->used);
    write_names(json, merge, source);
    ledger_json(json, "ledger", source->profile);
    json_close(json);
}

void merge_report_json(struct json_writer *json, const struct merge *merge, const char *out,
                       const struct profile *merged)
{
    json_open_object(json, NULL);
    json_text(json, "file", view_of(out));
    write_signed(json, "shift_ns", merge->shift);
    json_open_array(json, "sources");
    for (size_t i = 0; i < merge->count; i++)
        write_source(json, merge, &merge->sources[i]);
    json_close(json);
    ledger_json(json, "ledger", merged);
    json_close(json);
}
