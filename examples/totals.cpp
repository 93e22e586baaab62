// The same library from C++11: time by operator type, or by name where there is no operator,
// of a profile that is given as bytes in memory.
//
//     totals PROFILE

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <opscope/opscope.h>

struct freeing {
    void operator()(opscope_profile *profile) const
    {
        opscope_profile_free(profile);
    }
    void operator()(opscope_events *events) const
    {
        opscope_events_free(events);
    }
};

static std::string kind_of(const opscope_profile *profile, const opscope_profile_event &event)
{
    opscope_profile_call call;
    opscope_profile_operator op;
    if (event.call != 0 && opscope_profile_get_call(profile, event.call, &call) == OPSCOPE_OK &&
        call.operator_id != 0 &&
        opscope_profile_get_operator(profile, call.operator_id, &op) == OPSCOPE_OK)
        return op.type;
    return event.name;
}

int main(int count, char **words)
{
    if (count != 2)
        return std::fprintf(stderr, "usage: totals PROFILE\n"), 2;
    std::ifstream file(words[1], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
    char message[256];
    opscope_profile *opened;
    if (opscope_profile_open_memory(bytes.data(), bytes.size(), words[1], nullptr, &opened, message,
                                    sizeof message) != OPSCOPE_OK)
        return std::fprintf(stderr, "totals: %s\n", message), 1;
    const std::unique_ptr<opscope_profile, freeing> profile(opened);

    opscope_events *reading;
    if (opscope_events_open(profile.get(), OPSCOPE_ALL_TRACKS, &reading, message, sizeof message) !=
        OPSCOPE_OK)
        return std::fprintf(stderr, "totals: %s\n", message), 1;
    const std::unique_ptr<opscope_events, freeing> events(reading);

    std::map<std::string, uint64_t> totals;
    opscope_profile_event event;
    while (opscope_events_next(events.get(), &event) > 0) {
        if (event.kind == OPSCOPE_SPAN)
            totals[kind_of(profile.get(), event)] += event.end_ns - event.start_ns;
    }
    for (const auto &total : totals)
        std::printf("%12llu ns  %s\n", static_cast<unsigned long long>(total.second),
                    total.first.c_str());
    return 0;
}
