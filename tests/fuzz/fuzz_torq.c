// Any bytes as a Torq profile: read, accounted for, written in every form. A
// compile profile that opscope has written has the same rows the next time.

#include "formats/torq/torq.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_ok(status result)
{
    if (result != STATUS_OK)
        fprintf(stderr, "%s\n", status_message(result));
    check(result == STATUS_OK);
}

static void check_accounts(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct ledger *ledger = &profile_track(profile, i)->ledger;
        check(ledger->expected == LEDGER_UNKNOWN ||
              ledger->expected == ledger->recorded + ledger->lost + ledger->impossible);
    }
}

static struct profile *read_bytes(struct view bytes)
{
    struct input *input = input_over("fuzz", bytes);
    struct profile *profile = profile_create();
    const status result = torq_read(input, &(struct torq_options){0}, profile);
    const bool known = result == STATUS_OK;
    status_free(result);
    input_close(input);
    check_ok(profile_finish(profile));
    check_accounts(profile);
    if (known)
        return profile;
    profile_free(profile);
    return NULL;
}

// Writes to a file in memory; the caller closes `*out_input`.
static void write_form(struct profile *profile, enum torq_form form, struct input **out_input)
{
    char path[64];
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    check_ok(torq_form_is_compile(form)
                 ? torq_compile_write(profile, form, path)
                 : torq_runtime_write(profile, form, TORQ_SINCE_FIRST, path));
    check_ok(input_open(path, out_input));
    close(file);
}

static void check_form(struct profile *profile, enum torq_form form)
{
    struct input *first;
    struct input *second;
    write_form(profile, form, &first);
    struct profile *again = read_bytes(first->bytes);
    // C2 has no header: odd rows in front may look like another form.
    check(again != NULL || form == TORQ_C2);
    if (torq_form_is_compile(form) && form != TORQ_C2) {
        const struct ledger ledger = profile_ledger(again);
        check(ledger.lost == 0 && ledger.impossible == 0);
        write_form(again, form, &second);
        // Rows that start together may change places: a unit that only looks
        // like a known one has its own lane the first time.
        check(first->bytes.size == second->bytes.size);
        input_close(second);
    }
    profile_free(again);
    input_close(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile = read_bytes((struct view){(const char *)data, size});
    if (profile == NULL)
        return 0;
    static const enum torq_form forms[] = {TORQ_C1, TORQ_C2, TORQ_C4, TORQ_R1, TORQ_R2, TORQ_R4};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        check_form(profile, forms[i]);
    profile_free(profile);
    return 0;
}
