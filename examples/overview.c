// Analyses a profile: the figures of the Host Profile Overview, process by process. A figure
// that the profile says nothing about is absent, not 0.
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

int main(int count, char **words)
{
    char message[256];
    struct opscope_profile *profile;
    struct opscope_overview *overview;
    struct opscope_metric metric;
    if (count != 2)
        return fprintf(stderr, "usage: overview PROFILE\n"), 2;
    if (opscope_profile_open(words[1], NULL, &profile, message, sizeof message) != 0)
        return fprintf(stderr, "overview: %s\n", message), 1;
    const int result = opscope_overview_create(profile, 0, &overview, message, sizeof message);
    opscope_profile_free(profile); // the overview does not need it any more
    if (result != OPSCOPE_OK)
        return fprintf(stderr, "overview: %s\n", message), 1;
    for (uint32_t i = 0; i < opscope_overview_count(overview); i++) {
        printf("%s\n", opscope_overview_name(overview, i));
        for (uint32_t k = 0; opscope_overview_get_metric(overview, i, k, &metric) == 0; k++)
            print_metric(&metric);
    }
    opscope_overview_free(overview);
    return 0;
}
