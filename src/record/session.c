#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "announce.h"
#include "base/memory.h"

// Of bytes, about: the memory that writing needs does not grow with what has gathered in buffers.
enum { WRITTEN_AT_ONCE = 1 << 20, BYTES_OF_ONE = 16 };

static void record_session_add_clock(struct record_session *session)
{
    struct profile *profile = session->profile;
    session->clock =
        profile_clock_add(profile, session->constant_ticks ? "tsc" : "monotonic", 1000000000, 0, 0);
    if (session->constant_ticks)
        ticks_fit_start(&session->fit, profile_clock(profile, session->clock));
}

// Profiles that say the same share their times: of one machine, since one start of it.
static void record_session_say_clock(struct profile *profile)
{
    char text[128];
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return;
    const bool read = fscanf(file, "%63s", boot) == 1;
    fclose(file);
    if (!read)
        return;
    snprintf(text, sizeof text, "CLOCK_MONOTONIC of boot %s", boot);
    profile_fact_add(profile, "clock", view_of(text));
}

// A capture around this process takes part in what is written.
static void announce(struct record_session *session)
{
    char full[ANNOUNCE_LINE];
    if (!announce_is_wanted())
        return;
    announce_file(session->path, full, sizeof full);
    if (full[0] != '\0')
        session->full = view_copy(view_of(full));
}

static status session_start(struct record_session *session,
                            const struct opscope_record_options *options)
{
    struct profile *profile = session->profile = profile_create();
    profile_string(profile, VIEW_LITERAL("address"));
    profile_string(profile, VIEW_LITERAL("bytes"));
    profile_string(profile, VIEW_LITERAL("freed"));
    session->path = view_copy(view_of(options->path));
    session->constant_ticks = options->monotonic == 0 && ticks_are_constant();
    record_session_add_clock(session);
    record_session_say_clock(profile);
    const struct track process = {
        .name = profile_string(profile,
                               view_of(options->process != NULL ? options->process : "process")),
        .clock = session->clock,
        .kind = TRACK_PROCESS,
        .provenance = PROVENANCE_MEASURED};
    session->process = profile_track_add(profile, &process);
    status result = STATUS_OK;
    if (options->in_memory == 0)
        result = profile_stream_open(profile, session->path, &session->stream);
    if (result == STATUS_OK && session->stream != NULL)
        result = profile_stream_flush(session->stream);
    if (result == STATUS_OK && session->stream != NULL && stat(session->path, &session->file) != 0)
        session->file.st_mode = 0;
    if (result == STATUS_OK && session->stream != NULL)
        announce(session);
    return result;
}

// A region that is not sound is what ends a recording.
static status session_start_in_scope(struct record_session *session,
                                     const struct opscope_record_options *options)
{
    return RECOVERY_SCOPE(&session->region, session_start(session, options),
                          status_out_of_memory());
}

status record_session_create(const struct opscope_record_options *options,
                             struct record_session **out_session)
{
    struct record_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return status_out_of_memory();
    session->region = REGION_EMPTY;
    session->failure = session_start_in_scope(session, options);
    if (session->failure != STATUS_OK)
        return record_session_close(session, NULL);
    *out_session = session;
    return STATUS_OK;
}

uint32_t record_session_lane(struct record_session *session, const struct track *like)
{
    struct profile *profile = session->profile;
    if (profile->tracks.count >= RECORD_LANES_MOST)
        return RECORD_LANES_MOST - 1;
    struct track track = *like;
    if (profile->tracks.count == RECORD_LANES_MOST - 1)
        track.name = profile_string(profile, VIEW_LITERAL("more lanes"));
    track.parent = like->parent != 0 ? like->parent : session->process;
    track.clock = session->clock;
    track.provenance = PROVENANCE_MEASURED;
    return profile_track_add(profile, &track);
}

// Collecting ----------------------------------------------------------------------

static bool record_session_add_value(struct record_session *session,
                                     const struct opscope_value *from)
{
    static const enum value_kind KINDS[] = {
        [OPSCOPE_UINT] = VALUE_UINT,       [OPSCOPE_INT] = VALUE_INT,
        [OPSCOPE_BOOL] = VALUE_BOOL,       [OPSCOPE_REAL] = VALUE_REAL,
        [OPSCOPE_TEXT] = VALUE_STRING,     [OPSCOPE_FLOW_OUT] = VALUE_FLOW_OUT,
        [OPSCOPE_FLOW_IN] = VALUE_FLOW_IN,
    };
    const uint32_t texts = session->profile->strings.texts.count;
    if (from->kind > OPSCOPE_FLOW_IN || from->key >= texts ||
        (from->kind == OPSCOPE_TEXT && from->as.number >= texts))
        return false;
    struct value value = {.key = from->key, .kind = KINDS[from->kind]};
    if (from->kind == OPSCOPE_REAL)
        value.real = from->as.real;
    else
        value.number = from->as.number;
    value_add(&session->values, &value);
    return true;
}

uint32_t record_session_operator(struct record_session *session,
                                 const struct operator_description *op,
                                 const struct opscope_value *values, uint32_t count)
{
    struct operator_description description = *op;
    session->values.size = 0;
    for (uint32_t i = 0; i < count; i++)
        record_session_add_value(session, &values[i]);
    description.values = bytes_view(&session->values);
    return profile_operator_add(session->profile, &description);
}

// False for what refers to nothing that was described.
static bool record_session_add_event(struct record_session *session,
                                     const struct opscope_event *from,
                                     const struct opscope_value *values)
{
    static const enum event_kind KINDS[] = {[OPSCOPE_SPAN] = EVENT_SPAN,
                                            [OPSCOPE_INSTANT] = EVENT_INSTANT,
                                            [OPSCOPE_SAMPLE] = EVENT_COUNTER};
    struct profile *profile = session->profile;
    if (from->kind > OPSCOPE_SAMPLE || from->name >= profile->strings.texts.count ||
        from->call >= profile->calls.count)
        return false;
    session->values.size = 0;
    for (uint32_t i = 0; i < from->value_count; i++) {
        if (!record_session_add_value(session, &values[i]))
            return false;
    }
    const struct event event = {.start = from->start,
                                .end = from->end,
                                .track = from->lane,
                                .name = from->name,
                                .call = from->call,
                                .kind = KINDS[from->kind]};
    profile_event_add(profile, &event, bytes_view(&session->values));
    return true;
}

// Memory that is needed now may not be there, and to find out would end the recording.
static bool session_is_short(const struct record_session *session)
{
    return session->is_short != NULL &&
           atomic_load_explicit(session->is_short, memory_order_relaxed);
}

static void record_session_account(struct record_session *session)
{
    struct profile *profile = session->profile;
    const char *why = session->is_short != NULL ? "there was no memory for them"
                                                : "the buffer of their thread was full";
    const uint32_t count = profile->tracks.count;
    for (uint32_t i = 0; i < count && i < RECORD_LANES_MOST; i++) {
        struct track *track = profile_track(profile, i);
        const uint64_t now = atomic_load_explicit(&session->lost_now[i], memory_order_relaxed);
        const uint64_t more = now - session->lost[i];
        session->lost[i] = now;
        session->taken += more;
        if (session->region.unsound)
            track->ledger.lost += more;
        else if (more > 0 && i == 0)
            profile_note(profile, i, LEDGER_LOST, more,
                         "events of threads without a lane were dropped: there was no memory");
        else if (more > 0)
            profile_note(profile, i, LEDGER_LOST, more, "events of lane '%.*s' were dropped: %s",
                         VIEW_ARGUMENTS(profile_text(profile, track->name)), why);
        struct ledger *ledger = &track->ledger;
        ledger->expected = ledger->recorded + ledger->lost + ledger->impossible;
    }
}

// Writes what was taken since the last time: what is in reserve is for this.
static void session_write(struct record_session *session)
{
    if (session_is_short(session) && session->taken == 0)
        return;
    record_session_account(session);
    if (session->taken == 0 || session->failure != STATUS_OK)
        return;
    session->taken = 0;
    session->gathered = 0;
    if (session->constant_ticks)
        ticks_fit_again(&session->fit, profile_clock(session->profile, session->clock));
    if (session->stream != NULL)
        session->failure = profile_stream_flush(session->stream);
    if (session->full != NULL && !session->is_full && access(session->full, F_OK) == 0) {
        session->is_full = true;
        profile_note(session->profile, 0, LEDGER_REMARK, 1,
                     "the capture reached its limit of disk: what comes after is counted as lost");
    }
    if (session->is_short != NULL)
        region_reserve(&session->region, session->is_short);
}

static bool record_session_take_event(void *context, const struct opscope_event *event,
                                      const struct opscope_value *values)
{
    struct record_session *session = context;
    struct profile *profile = session->profile;
    const bool known = event->lane < profile->tracks.count;
    if (session_is_short(session) && session->failure == STATUS_OK) {
        session->waits = !session->ending;
        if (session->ending)
            atomic_fetch_add(&session->lost_now[known ? event->lane : 0], 1);
        return session->ending;
    }
    session->taken++;
    if (session->failure != STATUS_OK || session->is_full)
        profile_track(profile, known ? event->lane : 0)->ledger.lost++;
    else if (!known || !record_session_add_event(session, event, values))
        profile_note(profile, known ? event->lane : session->process, LEDGER_IMPOSSIBLE, 1,
                     "an event names something that was not described");
    session->gathered += (1u + event->value_count) * BYTES_OF_ONE;
    if (session->gathered >= WRITTEN_AT_ONCE && session->failure == STATUS_OK)
        session_write(session);
    return true;
}

static status session_collect(struct record_session *session, struct record_buffer *buffers)
{
    for (struct record_buffer *buffer = buffers; buffer != NULL; buffer = buffer->next)
        record_buffer_take(buffer, record_session_take_event, session);
    session_write(session);
    return session->failure;
}

void record_session_fail(struct record_session *session)
{
    if (session->failure == STATUS_OK)
        session->failure = status_out_of_memory();
}

void record_session_collect(struct record_session *session, struct record_buffer *buffers,
                            _Atomic uint64_t *lost)
{
    session->lost_now = lost;
    session->waits = false;
    if (!session->region.unsound)
        session->failure = RECOVERY_SCOPE(&session->region, session_collect(session, buffers),
                                          status_out_of_memory());
    if (session->region.unsound) {
        // What is left is counted, which takes no memory.
        record_session_fail(session);
        session_collect(session, buffers);
    }
}

void record_session_collect_last(struct record_session *session, struct record_buffer *buffers,
                                 _Atomic uint64_t *lost)
{
    session->ending = true;
    record_session_collect(session, buffers, lost);
}

bool record_session_reserve(struct record_session *session, atomic_bool *is_short)
{
    region_reserve(&session->region, is_short);
    if (!atomic_load(is_short))
        session->is_short = is_short;
    return session->is_short != NULL;
}

static void account_for_missing(struct record_session *session)
{
    struct profile *profile = session->profile;
    for (uint32_t i = 0; i < profile->tracks.count && i < RECORD_LANES_MOST; i++) {
        struct track *track = profile_track(profile, i);
        if (session->announced[i] <= track->ledger.expected)
            continue;
        profile_note(profile, i, LEDGER_LOST, session->announced[i] - track->ledger.expected,
                     "events of lane '%.*s' did not come: what was recorded ended early",
                     VIEW_ARGUMENTS(profile_text(profile, track->name)));
        track->ledger.expected = session->announced[i];
    }
}

static void say_clock_error(struct record_session *session)
{
    char text[32];
    if (!session->constant_ticks)
        return;
    struct clock_domain *domain = profile_clock(session->profile, session->clock);
    ticks_fit_again(&session->fit, domain);
    snprintf(text, sizeof text, "%" PRIu64, ticks_fit_error_ns(&session->fit, domain));
    profile_fact_add(session->profile, "clock_error_ns", view_of(text));
}

// A file that was removed meanwhile is written to the end, but nobody can read it.
static status check_still_there(const struct record_session *session)
{
    struct stat now;
    if (session->stream == NULL || !S_ISREG(session->file.st_mode))
        return STATUS_OK;
    if (stat(session->path, &now) == 0 && now.st_ino == session->file.st_ino &&
        now.st_dev == session->file.st_dev)
        return STATUS_OK;
    return status_make(STATUS_IO,
                       "%s: the file was removed or replaced while it was recorded: what was "
                       "recorded is lost",
                       session->path);
}

static status session_end(struct record_session *session)
{
    status result = session->failure;
    if (session->lost_now != NULL)
        record_session_account(session);
    account_for_missing(session);
    say_clock_error(session);
    if (session->stream != NULL) {
        const status there = result == STATUS_OK ? check_still_there(session) : STATUS_OK;
        const status closed = profile_stream_close(session->stream);
        result = closed != STATUS_OK ? status_first(closed, result) : result;
        result = status_first(there, result);
    } else if (result == STATUS_OK) {
        result = profile_save(session->profile, session->path);
        if (result == STATUS_OK)
            announce(session);
    }
    return result;
}

static status session_end_in_scope(struct record_session *session)
{
    return RECOVERY_SCOPE(&session->region, session_end(session), status_out_of_memory());
}

status record_session_close(struct record_session *session, struct profile **out_account)
{
    status result = session_end_in_scope(session);
    if (out_account != NULL)
        *out_account = NULL;
    if (session->region.unsound) {
        region_release(&session->region);
    } else {
        region_forget(&session->region);
        if (out_account != NULL)
            *out_account = session->profile;
        else
            profile_free(session->profile);
        bytes_free(&session->values);
        free(session->path);
        free(session->full);
    }
    free(session);
    return result;
}
