#include "ledger_text.h"

#include "options.h"
#include "plain_text.h"

const char *ledger_number(uint64_t number, char text[LEDGER_NUMBER_ROOM])
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *to = text;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *to++ = ' ';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

uint64_t ledger_not_carried(const struct profile *profile)
{
    return profile->note_counts[LEDGER_NOT_CARRIED];
}

static void print_notes(FILE *file, const struct profile *profile)
{
    uint64_t worded[LEDGER_KINDS] = {0};
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        const struct view text = profile_text(profile, note->text);
        worded[note->kind] += note->count;
        fprintf(file, "  %s: ", ledger_note_kind_name(note->kind));
        plain_text_print(file, text, 0);
        fprintf(file, "\n");
    }
    for (unsigned kind = 0; kind < LEDGER_KINDS; kind++) {
        char number[LEDGER_NUMBER_ROOM];
        if (profile->note_counts[kind] > worded[kind])
            fprintf(file, "  %s: %s more\n", ledger_note_kind_name((enum ledger_note_kind)kind),
                    ledger_number(profile->note_counts[kind] - worded[kind], number));
    }
}

void ledger_print(FILE *file, const struct profile *profile)
{
    const struct ledger sum = profile_ledger(profile);
    char expected[LEDGER_NUMBER_ROOM] = "unknown";
    char recorded[LEDGER_NUMBER_ROOM];
    char lost[LEDGER_NUMBER_ROOM];
    char impossible[LEDGER_NUMBER_ROOM];
    char carried[LEDGER_NUMBER_ROOM];
    if (sum.expected != LEDGER_UNKNOWN)
        ledger_number(sum.expected, expected);
    fprintf(file, "ledger: %s events expected, %s recorded, %s lost, %s impossible", expected,
            ledger_number(sum.recorded, recorded), ledger_number(sum.lost, lost),
            ledger_number(sum.impossible, impossible));
    if (ledger_not_carried(profile) > 0)
        fprintf(file, ", %s not carried", ledger_number(ledger_not_carried(profile), carried));
    fprintf(file, "\n");
    print_notes(file, profile);
}

void ledger_warn(const struct profile *profile)
{
    if (ledger_exit(profile) != EXIT_DONE || profile->notes.count > 0)
        ledger_print(stderr, profile);
}

void ledger_json(struct json_writer *json, const char *key, const struct profile *profile)
{
    ledger_json_sum(json, key, profile, profile_ledger(profile));
}

void ledger_json_accounts(struct json_writer *json, struct ledger sum, uint64_t not_carried)
{
    if (sum.expected == LEDGER_UNKNOWN)
        json_null(json, "expected");
    else
        json_uint(json, "expected", sum.expected);
    json_uint(json, "recorded", sum.recorded);
    json_uint(json, "lost", sum.lost);
    json_uint(json, "impossible", sum.impossible);
    json_uint(json, "not_carried", not_carried);
}

void ledger_json_sum(struct json_writer *json, const char *key, const struct profile *profile,
                     struct ledger sum)
{
    json_open_object(json, key);
    ledger_json_accounts(json, sum, ledger_not_carried(profile));
    json_open_array(json, "notes");
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        json_open_object(json, NULL);
        json_text(json, "kind", view_of(ledger_note_kind_name(note->kind)));
        json_uint(json, "count", note->count);
        json_text(json, "text", profile_text(profile, note->text));
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

int ledger_exit(const struct profile *profile)
{
    const struct ledger sum = profile_ledger(profile);
    return sum.lost + sum.impossible + ledger_not_carried(profile) > 0 ? EXIT_LOSS : EXIT_DONE;
}
