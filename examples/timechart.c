// Makes a time chart, a Perfetto trace, with the API of Torq's model profiler: from logs of a
// program's own, from Torq's CSVs, or from CSVs alone in one call.
//
//     timechart OUT.pb                         logs of its own
//     timechart OUT.pb COMPILE.csv RUNTIME.csv the same and two profiles
//     timechart --convert OUT.pb COMPILE.csv RUNTIME.csv

#include <stdio.h>
#include <string.h>

#include <opscope/timechart.h>

static void draw(struct opscope_time_chart_view *view)
{
    struct opscope_time_chart_log log = {.process = "model", .thread = "layers"};
    for (uint64_t i = 0; i < 4; i++) {
        log.function = i % 2 == 0 ? "conv2d" : "relu";
        log.start_time = 1000 * i;
        log.end_time = 1000 * i + 800;
        opscope_time_chart_view_render(view, &log);
    }
    // Begin and end by hand: one inside the other.
    log.thread = "calls";
    log.function = "run";
    opscope_time_chart_view_set_track_event(view, 0, OPSCOPE_TYPE_SLICE_BEGIN, &log);
    log.function = "wait";
    opscope_time_chart_view_set_track_event(view, 500, OPSCOPE_TYPE_SLICE_BEGIN, &log);
    opscope_time_chart_view_set_track_event(view, 900, OPSCOPE_TYPE_SLICE_END, &log);
    log.function = "run";
    opscope_time_chart_view_set_track_event(view, 4000, OPSCOPE_TYPE_SLICE_END, &log);
}

static int add_profiles(struct opscope_time_chart_view *view, char **paths, char *message,
                        size_t size)
{
    const int result =
        opscope_time_chart_csv_to_view_compile_profile("compile", view, paths[0], 2, message, size);
    if (result != OPSCOPE_OK)
        return result;
    return opscope_time_chart_csv_to_view_runtime_profile("runtime", view, paths[1], message, size);
}

static int make_view(int count, char **words, char *message, size_t size)
{
    struct opscope_time_chart_view *view;
    int result = opscope_time_chart_view_create(words[1], &view, message, size);
    if (result != OPSCOPE_OK)
        return result;
    draw(view);
    if (count == 4)
        result = add_profiles(view, words + 2, message, size);
    if (result == OPSCOPE_OK)
        return opscope_time_chart_view_close(view, message, size);
    opscope_time_chart_view_free(view);
    return result;
}

static int convert(char **words, char *message, size_t size)
{
    const struct opscope_time_chart_profile_log compile = {"compile", words[3]};
    const struct opscope_time_chart_profile_log runtime = {"runtime", words[4]};
    return opscope_time_chart_convert_to_perfetto(&compile, 1, &runtime, 1, words[2], 2, message,
                                                  size);
}

int main(int count, char **words)
{
    char message[256];
    int result;
    if (count == 5 && strcmp(words[1], "--convert") == 0)
        result = convert(words, message, sizeof message);
    else if (count == 2 || count == 4)
        result = make_view(count, words, message, sizeof message);
    else
        return fprintf(stderr, "usage: timechart [--convert] OUT.pb [COMPILE.csv RUNTIME.csv]\n"),
               2;
    if (result != OPSCOPE_OK)
        fprintf(stderr, "timechart: %s\n", message);
    return result < 0;
}
