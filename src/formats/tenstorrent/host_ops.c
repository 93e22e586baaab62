#include "host_ops.h"

#include <stdio.h>

#include "base/dense.h"

struct known_op {
    uint32_t device;
    uint64_t hash;
    struct view code;
    const struct json_value *json; // NULL: it was lost
    struct view text;              // of it
};

struct open_trace {
    uint32_t device;
    bool open;
    uint64_t trace;
};

void host_ops_start(struct host_ops *host, struct profile *ledger)
{
    *host = (struct host_ops){.ledger = ledger};
    segments_start(&host->ops, sizeof(struct host_op));
    segments_start(&host->known, sizeof(struct known_op));
    segments_start(&host->signposts, sizeof(struct host_signpost));
    segments_start(&host->replays, sizeof(struct host_replay));
    segments_start(&host->open, sizeof(struct open_trace));
    strings_start(&host->functions);
}

void host_ops_free(struct host_ops *host)
{
    segments_free(&host->ops);
    segments_free(&host->known);
    segments_free(&host->signposts);
    segments_free(&host->replays);
    segments_free(&host->open);
    hash_free(&host->index);
    hash_free(&host->known_index);
    strings_free(&host->functions);
    arena_free(&host->arena);
}

void host_ops_lose(struct host_ops *host, enum ledger_note_kind kind, const struct input *input,
                   uint64_t line, const char *what, struct view text)
{
    const int size = (int)(text.size < 80 ? text.size : 80);
    profile_note(host->ledger, 0, kind, 1, "%s:%llu: %s%s%.*s%s", input->path,
                 (unsigned long long)line, what, size > 0 ? ": '" : "", size,
                 size > 0 ? text.data : "", size > 0 ? "'" : "");
}

// Operations ------------------------------------------------------------------

uint32_t host_ops_find(const struct host_ops *host, uint64_t call_count)
{
    const uint32_t hash = hash_u64(call_count);
    uint32_t found;
    for (uint32_t at = hash_first(&host->index, hash);
         (found = hash_next(&host->index, hash, &at)) != HASH_NONE;) {
        if (host_ops_op(host, found)->call_count == call_count)
            break;
    }
    return found;
}

static struct host_op *host_ops_op_get(struct host_ops *host, uint64_t call_count)
{
    const uint32_t found = host_ops_find(host, call_count);
    if (found != HASH_NONE)
        return host_ops_op(host, found);
    hash_add(&host->index, hash_u64(call_count), host->ops.count);
    struct host_op *op = segments_add(&host->ops);
    op->call_count = call_count;
    op->code = (struct view){"", 0};
    return op;
}

static uint32_t known_hash(uint32_t device, uint64_t hash)
{
    return hash_u64(hash ^ (uint64_t)device << 48);
}

static struct known_op *known_find(const struct host_ops *host, uint32_t device, uint64_t hash)
{
    const uint32_t key = known_hash(device, hash);
    uint32_t found;
    for (uint32_t at = hash_first(&host->known_index, key);
         (found = hash_next(&host->known_index, key, &at)) != HASH_NONE;) {
        struct known_op *known = segments_get(&host->known, found);
        if (known->device == device && known->hash == hash)
            return known;
    }
    return NULL;
}

static void known_set(struct host_ops *host, const struct known_op *op)
{
    struct known_op *known = known_find(host, op->device, op->hash);
    if (known == NULL) {
        hash_add(&host->known_index, known_hash(op->device, op->hash), host->known.count);
        known = segments_add(&host->known);
    }
    *known = *op;
}

// Traces ----------------------------------------------------------------------

static struct open_trace *open_get(struct host_ops *host, uint32_t device)
{
    for (uint32_t i = 0; i < host->open.count; i++) {
        struct open_trace *open = segments_get(&host->open, i);
        if (open->device == device)
            return open;
    }
    struct open_trace *open = segments_add(&host->open);
    open->device = device;
    return open;
}

static void take_trace(struct host_ops *host, const struct input *input,
                       const struct ops_message *message, const struct ops_message_parts *parts)
{
    struct open_trace *open = open_get(host, (uint32_t)parts->device);
    switch (parts->kind) {
    case OPS_MESSAGE_BEGIN:
        open->open = true;
        open->trace = parts->trace;
        break;
    case OPS_MESSAGE_END:
        if (!open->open || open->trace != parts->trace)
            host_ops_lose(host, LEDGER_IMPOSSIBLE, input, message->line,
                          "ends a trace that is not being captured", message->text);
        open->open = false;
        break;
    case OPS_MESSAGE_REPLAY:
        *(struct host_replay *)segments_add(&host->replays) =
            (struct host_replay){(uint32_t)parts->device, parts->trace, message->time};
        break;
    default:
        break;
    }
}

// Messages --------------------------------------------------------------------

static void mark_trace(struct host_ops *host, struct host_op *op)
{
    op->traced = false;
    if (!op->has_device || !op->has_hash)
        return;
    const struct open_trace *open = open_get(host, op->device);
    if (!open->open)
        return;
    op->traced = true;
    op->trace = open->trace;
    op->trace_order = host->captured++;
}

static void mark_mlir(const struct host_ops *host, struct host_op *op)
{
    if (op->is_fallback)
        return;
    op->location = host->location;
    op->const_eval = host->const_eval;
    op->metadata = host->metadata;
    op->has_location = host->has_location;
    op->has_const_eval = host->has_const_eval;
    op->has_metadata = host->has_metadata;
}

// The JSON of a description, or NULL, with a note, when it is cut or damaged.
static const struct json_value *read_json(struct host_ops *host, const struct input *input,
                                          const struct ops_message *message, struct view text)
{
    const struct json_value *json = NULL;
    char what[256];
    if (message->cut) {
        host_ops_lose(host, LEDGER_LOST, input, message->line,
                      "the message is cut off: it was too long for Tracy, and the description of "
                      "the operation is lost",
                      view_slice(message->text, 0, view_find(message->text, '\n')));
        return NULL;
    }
    const status failure = json_read(text, &host->arena, &json);
    if (failure == STATUS_OK && json->kind == JSON_OBJECT)
        return json;
    snprintf(what, sizeof what, "the JSON of the operation is damaged (%s)",
             failure != STATUS_OK ? status_message(failure) : "it is no object");
    status_free(failure);
    host_ops_lose(host, LEDGER_LOST, input, message->line, what,
                  view_slice(message->text, 0, view_find(message->text, '\n')));
    return NULL;
}

struct described {
    const struct json_value *json;
    struct view text;
    bool lost;
};

// From the JSON, or from the description of the same operation that came first.
static struct described host_ops_describe(struct host_ops *host, const struct input *input,
                                          const struct ops_message *message,
                                          struct ops_message_parts *parts)
{
    if (parts->details.size > 0 || message->cut)
        return (struct described){read_json(host, input, message, parts->details), parts->details,
                                  false};
    const struct known_op *known =
        parts->has_fields ? known_find(host, (uint32_t)parts->device, parts->hash) : NULL;
    if (known != NULL && known->json != NULL)
        return (struct described){known->json, known->text, false};
    return (struct described){NULL, VIEW_LITERAL(""), true};
}

static void complete_parts(const struct json_value *json, struct ops_message_parts *parts,
                           bool *out_has_device, bool *out_has_hash, bool *out_has_count)
{
    uint64_t number;
    *out_has_device = parts->has_fields;
    *out_has_hash = parts->has_fields;
    *out_has_count = parts->has_fields;
    if (json_u64_of(json_find(json, "device_id"), &number) && number <= UINT32_MAX &&
        !*out_has_device) {
        parts->device = number;
        *out_has_device = true;
    }
    if (json_u64_of(json_find(json, "op_hash"), &number) && !*out_has_hash) {
        parts->hash = number;
        *out_has_hash = true;
    }
    if (json_u64_of(json_find(json, "global_call_count"), &number) && !*out_has_count) {
        parts->call_count = number;
        *out_has_count = true;
    }
    const struct view code = json_text_of(json_find(json, "op_code"));
    if (code.size > 0)
        parts->name = code;
}

static void take_op(struct host_ops *host, const struct input *input,
                    const struct ops_message *message, struct ops_message_parts *parts)
{
    const bool describes = parts->details.size > 0 || message->cut;
    const struct described described = host_ops_describe(host, input, message, parts);
    bool has_device;
    bool has_hash;
    bool has_count;
    complete_parts(described.json, parts, &has_device, &has_hash, &has_count);
    if (!has_count) {
        host_ops_lose(host, LEDGER_LOST, input, message->line, "an operation without a call count",
                      parts->name);
        return;
    }
    // One that is lost is lost for all that refer to it.
    if (described.lost &&
        (!has_hash || known_find(host, (uint32_t)parts->device, parts->hash) == NULL))
        host->undescribed++;
    if ((describes || described.lost) && has_device && has_hash)
        known_set(host, &(struct known_op){(uint32_t)parts->device, parts->hash, parts->name,
                                           described.json, described.text});
    struct host_op *op = host_ops_op_get(host, parts->call_count);
    if (op->has_message)
        host_ops_lose(host, LEDGER_IMPOSSIBLE, input, message->line,
                      "this call count was used before; the last one counts", message->text);
    op->has_message = true;
    op->is_fallback = parts->is_fallback;
    op->code = parts->name;
    op->json = described.json;
    op->description = described.json != NULL ? described.text : VIEW_LITERAL("");
    op->has_device = has_device;
    op->device = (uint32_t)parts->device;
    op->has_hash = has_hash;
    op->hash = parts->hash;
    op->has_cache_hit = parts->has_cache_hit;
    op->cache_hit = parts->cache_hit;
    op->message_time = message->time;
    op->line = message->line;
    mark_trace(host, op);
    mark_mlir(host, op);
}

static void take_mlir(struct host_ops *host, const struct ops_message_parts *parts)
{
    host->has_mlir = true;
    if (parts->kind == OPS_MESSAGE_LOCATION) {
        host->location = parts->name;
        host->has_location = true;
    } else if (parts->kind == OPS_MESSAGE_CONST_EVAL) {
        host->const_eval = parts->name;
        host->has_const_eval = true;
    } else {
        host->metadata = parts->name;
        host->has_metadata = true;
    }
}

static void host_ops_take_message(struct host_ops *host, const struct input *input,
                                  const struct ops_message *message)
{
    struct ops_message_parts parts;
    const char *problem = "";
    if (!ops_message_parse(message, &parts, &problem)) {
        host->unread++;
        host_ops_lose(host, LEDGER_LOST, input, message->line, problem,
                      view_slice(message->text, 0, view_find(message->text, '\n')));
        return;
    }
    profile_track(host->ledger, 0)->ledger.recorded++;
    switch (parts.kind) {
    case OPS_MESSAGE_OP:
        take_op(host, input, message, &parts);
        break;
    case OPS_MESSAGE_SIGNPOST:
        *(struct host_signpost *)segments_add(&host->signposts) =
            (struct host_signpost){parts.name, parts.details, message->time};
        break;
    case OPS_MESSAGE_LOCATION:
    case OPS_MESSAGE_CONST_EVAL:
    case OPS_MESSAGE_METADATA:
        take_mlir(host, &parts);
        break;
    case OPS_MESSAGE_OTHER:
        break;
    default:
        take_trace(host, input, message, &parts);
        break;
    }
}

void host_ops_read_data(struct host_ops *host, const struct input *input)
{
    struct ops_data data = ops_data_of(input->bytes);
    struct ops_message message;
    host->has_data = true;
    while (ops_data_next(&data, &message))
        host_ops_take_message(host, input, &message);
    if (input->damage != NULL)
        host_ops_lose(host, LEDGER_LOST, input, data.line, input->damage, (struct view){"", 0});
}

// Times -----------------------------------------------------------------------

static void host_ops_add_function(struct host_ops *host, const struct ops_time *time)
{
    const uint32_t found = host_ops_find(host, time->parent);
    if (found == HASH_NONE)
        return;
    struct host_op *op = host_ops_op(host, found);
    const uint32_t name = strings_add(&host->functions, time->name);
    struct host_function **at = &op->functions;
    while (*at != NULL && (*at)->name != name)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = arena_allocate(&host->arena, sizeof **at);
        **at = (struct host_function){.name = name};
    }
    (*at)->ns += time->duration;
}

static void add_time(struct host_ops *host, const struct input *input,
                     const struct ops_times *times, const struct ops_time *time)
{
    struct host_op *op = host_ops_op_get(host, time->call);
    if (!op->has_message && host->has_data && !op->has_time)
        host_ops_lose(host, LEDGER_LOST, input, times->line.number,
                      "the host timed this operation and does not describe it", time->zone_text);
    if (op->has_time)
        host_ops_lose(host, LEDGER_IMPOSSIBLE, input, times->line.number,
                      "this operation was timed before; the last time counts", time->zone_text);
    op->has_time = true;
    op->start = time->start;
    op->duration = time->duration;
    op->thread = time->thread;
}

static void read_times(struct host_ops *host, const struct input *input, bool functions)
{
    struct ops_times times = ops_times_of(input->bytes);
    struct ops_time time;
    enum ops_times_result result;
    while ((result = ops_times_next(&times, &time)) != OPS_TIMES_END) {
        if (functions && result == OPS_TIMES_ROW && time.has_parent)
            host_ops_add_function(host, &time);
        if (functions)
            continue;
        if (result == OPS_TIMES_BAD) {
            host->unread++;
            host_ops_lose(host, LEDGER_LOST, input, times.line.number, times.problem,
                          times.line.text);
            continue;
        }
        if (result == OPS_TIMES_COPY) {
            host_ops_lose(host, LEDGER_IMPOSSIBLE, input, times.line.number,
                          "the row is there twice", time.zone_text);
            continue;
        }
        profile_track(host->ledger, 0)->ledger.recorded++;
        if (time.has_call)
            add_time(host, input, &times, &time);
    }
}

// Functions may stand before the operation that called them: two passes.
void host_ops_read_times(struct host_ops *host, const struct input *input)
{
    host->has_times = true;
    read_times(host, input, false);
    read_times(host, input, true);
    if (input->damage != NULL)
        host_ops_lose(host, LEDGER_LOST, input, 0, input->damage, (struct view){"", 0});
}

// What is missing ---------------------------------------------------------------

static uint64_t less(uint64_t number, uint64_t by)
{
    return number > by ? number - by : 0;
}

// Call counts that neither a message nor a zone has, although they count through.
static uint64_t missing_calls(const struct host_ops *host)
{
    struct dense calls = {0};
    for (uint32_t i = 0; i < host->ops.count; i++)
        dense_add(&calls, host_ops_op(host, i)->call_count);
    return dense_is_series(&calls) ? dense_missing(&calls) : 0;
}

static uint64_t timed_only(const struct host_ops *host)
{
    uint64_t count = 0;
    for (uint32_t i = 0; host->has_data && i < host->ops.count; i++)
        count += !host_ops_op(host, i)->has_message;
    return count;
}

// What cannot be read may be what is missing, and is lost already; so is an operation that is timed
// and not described.
void host_ops_lose_missing(struct host_ops *host, const char *path, bool alone)
{
    const uint64_t calls = alone ? less(missing_calls(host), host->unread) : 0;
    const uint64_t descriptions = less(host->undescribed, host->unread + calls + timed_only(host));
    if (calls > 0)
        profile_note(host->ledger, 0, LEDGER_LOST, calls,
                     "%s: call counts count through, and %llu of them are not here", path,
                     (unsigned long long)calls);
    if (descriptions > 0)
        profile_note(host->ledger, 0, LEDGER_LOST, descriptions,
                     "%s: the host cached operations whose descriptions are not here: %llu", path,
                     (unsigned long long)descriptions);
}
