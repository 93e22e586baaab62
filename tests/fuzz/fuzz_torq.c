// Any bytes as a Torq profile: read, accounted for, written in every form. A
// compile profile that opscope has written has the same rows the next time.

#include "formats/torq/torq.h"

#include "memory_file.h"

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

// The bytes, for free().
static struct view write_form(struct profile *profile, enum torq_form form)
{
    static struct memory_file file;
    const char *path = memory_file_path(&file);
    check_ok(torq_form_is_compile(form)
                 ? torq_compile_write(profile, form, path)
                 : torq_runtime_write(profile, form, TORQ_SINCE_FIRST, path));
    return memory_file_bytes(&file);
}

static void check_form(struct profile *profile, enum torq_form form)
{
    const struct view first = write_form(profile, form);
    struct profile *again = read_bytes(first);
    // C2 has no header: odd rows in front may look like another form.
    check(again != NULL || form == TORQ_C2);
    if (torq_form_is_compile(form) && form != TORQ_C2) {
        const struct ledger ledger = profile_ledger(again);
        // IDs count through: rows that were lost before are missed again.
        const struct ledger before = profile_ledger(profile);
        check(ledger.lost <= before.lost + before.impossible);
        const struct view second = write_form(again, form);
        // Rows that start together may change places: a unit that only looks
        // like a known one has its own lane the first time. Those that were only
        // spelled differently are written alike, and count as copies.
        check(ledger.impossible > 0 ? second.size < first.size : second.size == first.size);
        free((char *)(uintptr_t)second.data);
    }
    profile_free(again);
    free((char *)(uintptr_t)first.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile = read_bytes((struct view){(const char *)data, size});
    if (profile == NULL || size == 0) {
        profile_free(profile);
        return 0;
    }
    static const enum torq_form forms[] = {TORQ_C1, TORQ_C2, TORQ_C4, TORQ_R1, TORQ_R2, TORQ_R4};
    // One of them each time: the bytes choose.
    check_form(profile, forms[(size + data[size / 2]) % (sizeof forms / sizeof forms[0])]);
    profile_free(profile);
    return 0;
}
