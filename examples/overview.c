// Analyses a profile: the figures of the Host Profile Overview, process by process, and the
// types of operators by their time. A figure that the profile says nothing about is absent,
// not 0.
//
//     overview PROFILE

#include <inttypes.h>
#include <stdio.h>

#include <opscope/analyse.h>

static void print_metric(const struct opscope_metric *metric)
{
    if (metric->provenance == OPSCOPE_ABSENT)
        printf("  %-26s %14s\n", metric->name, "absent");
    else if (metric->has_percent)
        printf("  %-26s %11" PRIu64 " ns  (%.2f%%)\n", metric->name, metric->ns, metric->percent);
    else
        printf("  %-26s %11" PRIu64 " ns\n", metric->name, metric->ns);
}

static int print_overview(struct opscope_profile *profile, char *message, size_t size)
{
    struct opscope_overview *overview;
    struct opscope_metric metric;
    const int result = opscope_overview_create(profile, 0, &overview, message, size);
    if (result != OPSCOPE_OK)
        return result;
    for (uint32_t i = 0; i < opscope_overview_count(overview); i++) {
        printf("%s\n", opscope_overview_name(overview, i));
        for (uint32_t k = 0; opscope_overview_get_metric(overview, i, k, &metric) == 0; k++)
            print_metric(&metric);
    }
    opscope_overview_free(overview);
    return OPSCOPE_OK;
}

static int print_types(struct opscope_profile *profile, char *message, size_t size)
{
    struct opscope_operator_times *times;
    struct opscope_operator_time time;
    struct opscope_profile_operator op;
    const int result = opscope_operator_times_create(profile, &times, message, size);
    if (result != OPSCOPE_OK)
        return result;
    for (uint32_t i = 0; opscope_operator_times_get(times, OPSCOPE_BY_TYPE, i, &time) == 0; i++) {
        opscope_profile_get_operator(profile, time.operator_id, &op);
        printf("type %s: %" PRIu64 " calls", op.type, time.calls);
        if (time.has_device)
            printf(", %" PRIu64 " ns on the device", time.device_self_ns);
        if (time.has_host)
            printf(", %" PRIu64 " ns on the host", time.host_self_ns);
        printf("\n");
    }
    opscope_operator_times_free(times);
    return OPSCOPE_OK;
}

int main(int count, char **words)
{
    char message[256];
    struct opscope_profile *profile;
    if (count != 2)
        return fprintf(stderr, "usage: overview PROFILE\n"), 2;
    int result = opscope_profile_open(words[1], NULL, &profile, message, sizeof message);
    if (result != OPSCOPE_OK)
        return fprintf(stderr, "overview: %s\n", message), 1;
    result = print_overview(profile, message, sizeof message);
    if (result == OPSCOPE_OK)
        result = print_types(profile, message, sizeof message);
    if (result != OPSCOPE_OK)
        fprintf(stderr, "overview: %s\n", message);
    opscope_profile_free(profile);
    return result != OPSCOPE_OK;
}
