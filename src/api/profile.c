#include <opscope/profile.h>

#include <stdlib.h>

#include "api.h"
#include "base/memory.h"
#include "convert/convert.h"

// Open, create, free --------------------------------------------------------------

static int api_profile_create_inside(struct opscope_profile *profile)
{
    profile->profile = profile_create();
    return OPSCOPE_OK;
}

static int api_profile_create_in_scope(struct opscope_profile *profile)
{
    return RECOVERY_SCOPE(&profile->region, api_profile_create_inside(profile),
                          OPSCOPE_ERROR_LIMIT);
}

struct opscope_profile *opscope_profile_create(void)
{
    // Its region is a part of it.
    struct opscope_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return NULL;
    profile->region = REGION_EMPTY;
    if (api_profile_create_in_scope(profile) == OPSCOPE_OK)
        return profile;
    opscope_profile_free(profile);
    return NULL;
}

void opscope_profile_free(struct opscope_profile *profile)
{
    if (profile == NULL)
        return;
    if (profile->region.unsound) {
        region_release(&profile->region);
    } else {
        region_forget(&profile->region);
        profile_free(profile->profile);
        bytes_free(&profile->values);
    }
    free(profile);
}

static status take_options(const struct opscope_read_options *options, size_t size,
                           struct format_options *out_options)
{
    struct opscope_read_options known = {0};
    *out_options = (struct format_options){0};
    if (options == NULL)
        return STATUS_OK;
    if (!api_take(&known, sizeof known, options, size) || known.reserved != 0)
        return status_make(STATUS_USAGE, "an option that this version does not know");
    *out_options =
        (struct format_options){.num_slices = known.torq_slices, .clock_hz = known.torq_clock_hz};
    return STATUS_OK;
}

// What to read, and for whom.
struct opening {
    const char *path; // NULL: `bytes`
    const char *name;
    struct view bytes;
    const struct opscope_read_options *options;
    size_t options_size;
};

static status api_profile_read_memory(struct view bytes, const char *name,
                                      const struct format_options *options, struct profile *profile)
{
    struct input *input;
    STATUS_TRY(input_open_memory(name, bytes, &input));
    return format_read_input(input, options, profile);
}

static status open_inside(struct opscope_profile *profile, const struct opening *opening)
{
    struct format_options known;
    STATUS_TRY(take_options(opening->options, opening->options_size, &known));
    if (opening->path != NULL)
        return format_read(opening->path, &known, profile->profile);
    return api_profile_read_memory(opening->bytes, opening->name, &known, profile->profile);
}

static int open_in_scope(struct opscope_profile *profile, const struct opening *opening,
                         char *message, size_t size)
{
    return RECOVERY_SCOPE(&profile->region,
                          api_answer(open_inside(profile, opening), message, size),
                          api_no_memory(message, size));
}

static int open_profile(const struct opening *opening, struct opscope_profile **out_profile,
                        char *message, size_t size)
{
    struct opscope_profile *profile = opscope_profile_create();
    *out_profile = NULL;
    if (profile == NULL)
        return api_no_memory(message, size);
    const int code = open_in_scope(profile, opening, message, size);
    if (code == OPSCOPE_OK)
        *out_profile = profile;
    else
        opscope_profile_free(profile);
    return code;
}

int opscope_profile_open_sized(const char *path, const struct opscope_read_options *options,
                               size_t options_size, struct opscope_profile **out_profile,
                               char *message, size_t size)
{
    const struct opening opening = {.path = path, .options = options, .options_size = options_size};
    if (out_profile != NULL)
        *out_profile = NULL;
    if (path == NULL || out_profile == NULL)
        return api_refuse("to open a profile needs a path and a place for it", message, size);
    return open_profile(&opening, out_profile, message, size);
}

int opscope_profile_open_memory_sized(const void *data, size_t data_size, const char *name,
                                      const struct opscope_read_options *options,
                                      size_t options_size, struct opscope_profile **out_profile,
                                      char *message, size_t size)
{
    const struct opening opening = {.name = name != NULL ? name : "memory",
                                    .bytes = data_size > 0 ? (struct view){data, data_size}
                                                           : VIEW_LITERAL(""),
                                    .options = options,
                                    .options_size = options_size};
    if (out_profile != NULL)
        *out_profile = NULL;
    if ((data == NULL && data_size > 0) || out_profile == NULL)
        return api_refuse("to open a profile needs bytes and a place for it", message, size);
    return open_profile(&opening, out_profile, message, size);
}

// Tables --------------------------------------------------------------------------

uint32_t opscope_profile_clock_count(const struct opscope_profile *profile)
{
    return profile->profile->clocks.count;
}

uint32_t opscope_profile_track_count(const struct opscope_profile *profile)
{
    return profile->profile->tracks.count;
}

uint32_t opscope_profile_operator_count(const struct opscope_profile *profile)
{
    return profile->profile->operators.count;
}

uint32_t opscope_profile_call_count(const struct opscope_profile *profile)
{
    return profile->profile->calls.count;
}

uint32_t opscope_profile_buffer_count(const struct opscope_profile *profile)
{
    return profile->profile->buffers.count;
}

uint32_t opscope_profile_fact_count(const struct opscope_profile *profile)
{
    return profile->profile->facts.count;
}

uint32_t opscope_profile_note_count(const struct opscope_profile *profile)
{
    return profile->profile->notes.count;
}

// Fills the caller's structure and says whether the item is there.
static int api_profile_give(bool found, void *out, size_t out_size, const void *from,
                            size_t from_size)
{
    api_give(out, out_size, from, from_size);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}

int opscope_profile_get_clock_sized(const struct opscope_profile *profile, uint32_t id,
                                    struct opscope_profile_clock *out_clock, size_t size)
{
    const struct profile *from = profile->profile;
    const bool found = id < from->clocks.count;
    struct opscope_profile_clock clock = {0};
    if (found) {
        const struct clock_domain *domain = profile_clock(from, id);
        clock = (struct opscope_profile_clock){.name = api_text(from, domain->name),
                                               .frequency = domain->frequency,
                                               .base_ticks = domain->base_ticks,
                                               .base_ns = domain->base_ns};
    }
    return api_profile_give(found, out_clock, size, &clock, sizeof clock);
}

uint64_t opscope_profile_to_ns(const struct opscope_profile *profile, uint32_t clock,
                               uint64_t ticks)
{
    if (clock >= profile->profile->clocks.count)
        return OPSCOPE_UNKNOWN;
    return clock_to_ns(profile_clock(profile->profile, clock), ticks);
}

const char *opscope_role(uint32_t index)
{
    return index < ROLE_COUNT - 1 ? role_name((enum role)(index + 1)) : NULL;
}

static struct opscope_profile_track describe_track(const struct profile *from,
                                                   const struct track *track)
{
    const bool any = track->spans + track->instants + track->samples > 0;
    return (struct opscope_profile_track){
        .name = api_text(from, track->name),
        .engine = track->engine != 0 ? api_text(from, track->engine) : NULL,
        .role = track->role != ROLE_NONE ? role_name(track->role) : NULL,
        .queue = track->queue != 0 ? api_text(from, track->queue) : NULL,
        .device = track->device,
        .core = track->core,
        .unit = api_text(from, track->unit),
        .parent = track->parent,
        .kind = (uint32_t)track->kind,
        .clock = track->clock,
        .engine_index = track->index,
        .provenance = (uint32_t)track->provenance,
        .rank = track->rank,
        .nests = track->nests,
        .spans = track->spans,
        .instants = track->instants,
        .samples = track->samples,
        .first = any ? track->first : OPSCOPE_UNKNOWN,
        .last = any ? track->last : OPSCOPE_UNKNOWN};
}

int opscope_profile_get_track_sized(const struct opscope_profile *profile, uint32_t id,
                                    struct opscope_profile_track *out_track, size_t size)
{
    const bool found = id < profile->profile->tracks.count;
    struct opscope_profile_track track = {0};
    if (found)
        track = describe_track(profile->profile, profile_track(profile->profile, id));
    return api_profile_give(found, out_track, size, &track, sizeof track);
}

int opscope_profile_get_operator_sized(const struct opscope_profile *profile, uint32_t id,
                                       struct opscope_profile_operator *out_operator, size_t size)
{
    const struct profile *from = profile->profile;
    const bool found = id < from->operators.count;
    struct opscope_profile_operator described = {0};
    if (found) {
        const struct operator_description *op = profile_operator(from, id);
        described = (struct opscope_profile_operator){.name = api_text(from, op->name),
                                                      .type = api_text(from, op->type),
                                                      .location = api_text(from, op->location)};
    }
    return api_profile_give(found, out_operator, size, &described, sizeof described);
}

int opscope_profile_get_call_sized(const struct opscope_profile *profile, uint32_t id,
                                   struct opscope_profile_call *out_call, size_t size)
{
    const struct profile *from = profile->profile;
    const bool found = id < from->calls.count;
    struct opscope_profile_call described = {0};
    if (found) {
        const struct call *call = profile_call(from, id);
        described = (struct opscope_profile_call){.operator_id = call->operator_id,
                                                  .parent = call->parent,
                                                  .iteration = call->iteration,
                                                  .invocation = call->invocation,
                                                  .device = call->device,
                                                  .replay = call->replay,
                                                  .domain = api_text(from, call->domain),
                                                  .key = call->key};
    }
    return api_profile_give(found, out_call, size, &described, sizeof described);
}

int opscope_profile_get_buffer_sized(const struct opscope_profile *profile, uint32_t index,
                                     struct opscope_profile_buffer *out_buffer, size_t size)
{
    const struct profile *from = profile->profile;
    const bool found = index < from->buffers.count;
    struct opscope_profile_buffer described = {0};
    if (found) {
        const struct buffer_lifetime *buffer = segments_get(&from->buffers, index);
        described = (struct opscope_profile_buffer){.memory = api_text(from, buffer->memory),
                                                    .owner = buffer->owner,
                                                    .clock = buffer->clock,
                                                    .address = buffer->address,
                                                    .size = buffer->size,
                                                    .from = buffer->from,
                                                    .to = buffer->to,
                                                    .device = buffer->device,
                                                    .core = buffer->core,
                                                    .name = api_text(from, buffer->name)};
    }
    return api_profile_give(found, out_buffer, size, &described, sizeof described);
}

const char *opscope_profile_fact_key(const struct opscope_profile *profile, uint32_t index)
{
    const struct profile *from = profile->profile;
    if (index >= from->facts.count)
        return NULL;
    return api_text(from, ((const struct profile_fact *)segments_get(&from->facts, index))->key);
}

const char *opscope_profile_fact_text(const struct opscope_profile *profile, uint32_t index)
{
    const struct profile *from = profile->profile;
    if (index >= from->facts.count)
        return NULL;
    return api_text(from, ((const struct profile_fact *)segments_get(&from->facts, index))->text);
}

const char *opscope_profile_fact(const struct opscope_profile *profile, const char *key)
{
    const struct view text = profile_fact(profile->profile, key != NULL ? key : "");
    return text.size > 0 ? text.data : NULL;
}

// The ledger ----------------------------------------------------------------------

int opscope_profile_get_ledger_sized(const struct opscope_profile *profile, uint32_t track,
                                     struct opscope_ledger *out_ledger, size_t size)
{
    const struct profile *from = profile->profile;
    const bool all = track == OPSCOPE_ALL_TRACKS;
    const bool found = all || track < from->tracks.count;
    struct opscope_ledger given = {0};
    if (found) {
        const struct ledger ledger =
            all ? profile_ledger(from) : profile_track(from, track)->ledger;
        given =
            (struct opscope_ledger){.expected = ledger.expected,
                                    .recorded = ledger.recorded,
                                    .lost = ledger.lost,
                                    .impossible = ledger.impossible,
                                    .not_carried = all ? from->note_counts[LEDGER_NOT_CARRIED] : 0};
    }
    return api_profile_give(found, out_ledger, size, &given, sizeof given);
}

int opscope_profile_get_note_sized(const struct opscope_profile *profile, uint32_t index,
                                   struct opscope_profile_note *out_note, size_t size)
{
    const struct profile *from = profile->profile;
    const bool found = index < from->notes.count;
    struct opscope_profile_note given = {0};
    if (found) {
        const struct ledger_note *note = segments_get(&from->notes, index);
        given = (struct opscope_profile_note){
            .text = api_text(from, note->text), .count = note->count, .kind = (uint32_t)note->kind};
    }
    return api_profile_give(found, out_note, size, &given, sizeof given);
}

// Write ---------------------------------------------------------------------------

const char *opscope_writable_format(uint32_t index)
{
    const struct format_writer *writer = format_writer_next(NULL);
    for (uint32_t i = 0; i < index && writer != NULL; i++)
        writer = format_writer_next(writer);
    return writer != NULL ? writer->name : NULL;
}

static int api_profile_write_profile(struct opscope_profile *profile, const char *path,
                                     const char *format, char *message, size_t size)
{
    if (path == NULL)
        return api_answer(status_make(STATUS_USAGE, "to write a profile needs a path"), message,
                          size);
    status result = api_finish(profile);
    if (result == STATUS_OK)
        result = api_write(profile->profile, path, format);
    return api_answer(result, message, size);
}

int opscope_profile_write(struct opscope_profile *profile, const char *path, const char *format,
                          char *message, size_t size)
{
    return RECOVERY_SCOPE(&profile->region,
                          api_profile_write_profile(profile, path, format, message, size),
                          api_no_memory(message, size));
}

static status api_convert_file(const char *in, const char *out, const char *format,
                               struct profile *profile)
{
    if (in == NULL || out == NULL)
        return status_make(STATUS_USAGE, "to convert needs a file to read and one to write");
    STATUS_TRY(convert_check(format, out));
    const struct convert_request request = {.in = in, .out = out, .to = format};
    return convert_file(&request, profile);
}

static int convert(const char *in, const char *out, const char *format, char *message, size_t size)
{
    struct profile *profile = profile_create();
    int code = api_answer(api_convert_file(in, out, format, profile), message, size);
    if (code == OPSCOPE_OK)
        code = api_answer_loss(profile, message, size);
    profile_free(profile);
    return code;
}

int opscope_convert(const char *in, const char *out, const char *format, char *message, size_t size)
{
    return RECOVERY_SCOPE_ALONE(convert(in, out, format, message, size),
                                api_no_memory(message, size));
}
