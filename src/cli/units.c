#include "units.h"

#include "base/input.h"
#include "base/view.h"
#include "formats/torq/overview_rows.h"

status units_clock(const struct arguments *arguments, const char *name, uint64_t *out_hz)
{
    const char *text = arguments_value(arguments, name);
    double megahertz = 0;
    *out_hz = 0;
    if (text == NULL)
        return STATUS_OK;
    if (!view_to_double(view_of(text), &megahertz) || !(megahertz >= 1e-6) || megahertz > 1e6)
        return status_make(STATUS_USAGE, "--%s: '%s' is not a clock in MHz (example: --%s 800)",
                           name, text, name);
    *out_hz = (uint64_t)(megahertz * 1e6 + 0.5);
    return STATUS_OK;
}

static bool parse_time(struct view text, uint64_t *out_ns)
{
    double seconds;
    text = view_trim(text);
    if (view_to_double(text, &seconds) && seconds >= 0 && seconds < 1e9) {
        *out_ns = (uint64_t)(seconds * 1e9 + 0.5);
        return true;
    }
    return overview_parse_duration(text, out_ns);
}

status units_time(const char *text, uint64_t *out_ns)
{
    if (parse_time(view_of(text), out_ns))
        return STATUS_OK;
    struct input *input;
    const status failure = input_open(text, &input);
    if (failure != STATUS_OK) {
        status_free(failure);
        return status_make(STATUS_USAGE,
                           "'%s' is neither a time (1.234, 207ms) nor a file that holds one", text);
    }
    const struct view line = view_slice(input->bytes, 0, view_find(input->bytes, '\n'));
    const bool good = parse_time(line, out_ns);
    input_close(input);
    return good ? STATUS_OK
                : status_make(STATUS_DATA, "%s:1: expected a time in seconds (1.234)", text);
}

status units_rules(const struct arguments *arguments, const char *name, enum cost_rules *out_rules)
{
    const char *text = arguments_value(arguments, name);
    *out_rules = COST_RULES_BEST;
    if (text == NULL || strcmp(text, "best") == 0)
        return STATUS_OK;
    *out_rules = COST_RULES_PUBLIC;
    return strcmp(text, "public") == 0
               ? STATUS_OK
               : status_make(STATUS_USAGE, "--%s %s: expected best or public", name, text);
}
