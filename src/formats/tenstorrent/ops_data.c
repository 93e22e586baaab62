#include "ops_data.h"

#include "wire/csv.h"

static const char HEADER[] = "MessageName;total_ns";
static const char NO_MESSAGES[] = "There are currently no messages!";

bool ops_data_recognise(struct view bytes)
{
    return view_starts_with(bytes, HEADER) || view_starts_with(bytes, NO_MESSAGES);
}

struct ops_data ops_data_of(struct view bytes)
{
    const char *end = bytes.data + bytes.size;
    if (!ops_data_recognise(bytes))
        return (struct ops_data){bytes.data, end, 1};
    const size_t newline = view_find(bytes, '\n');
    return (struct ops_data){bytes.data + (newline < bytes.size ? newline + 1 : newline), end, 2};
}

// Lines -----------------------------------------------------------------------

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline : end;
}

static struct view without_return(struct view line)
{
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

// Takes ";123" from the end of a line.
static bool ops_data_take_time(struct view *line, uint64_t *out_time)
{
    const size_t at = view_find_last(*line, ';');
    if (at == line->size || !view_to_u64(view_slice(*line, at + 1, line->size), out_time))
        return false;
    *line = view_slice(*line, 0, at);
    return true;
}

// Whether a back-tick at `tick` closes a message: a time and a line end follow.
static bool ops_data_closes(const char *tick, const char *end, uint64_t *out_time)
{
    if (end - tick < 2 || tick[1] != ';')
        return false;
    const char *stop = line_end(tick, end);
    return view_to_u64(without_return((struct view){tick + 2, (size_t)(stop - tick - 2)}),
                       out_time);
}

// The back-tick that closes the message that starts after `at`; NULL when the
// next message begins, or the input ends, before there is one.
static const char *find_closing(const char *at, const char *end, uint64_t *out_time)
{
    for (const char *from = at; from < end;) {
        const char *tick = memchr(from, '`', (size_t)(end - from));
        if (tick == NULL)
            return NULL;
        if (ops_data_closes(tick, end, out_time))
            return tick;
        if (tick[-1] == '\n' && tick > at)
            return NULL;
        from = tick + 1;
    }
    return NULL;
}

static void pass(struct ops_data *data, const char *to)
{
    for (const char *at = data->at; at < to && (at = memchr(at, '\n', (size_t)(to - at))); at++)
        data->line++;
    data->at = to;
}

static void take_cut(struct ops_data *data, struct ops_message *message)
{
    const char *start = data->at + 1;
    const char *stop = start;
    message->cut = true;
    for (const char *line = start; line < data->end; line = stop + 1) {
        if (line > start && *line == '`')
            break;
        stop = line_end(line, data->end);
        struct view text = without_return((struct view){line, (size_t)(stop - line)});
        message->has_time = ops_data_take_time(&text, &message->time);
        message->text = (struct view){start, (size_t)(text.data + text.size - start)};
        if (message->has_time || stop == data->end)
            break;
    }
    pass(data, stop < data->end ? stop + 1 : data->end);
}

static void ops_data_take_quoted(struct ops_data *data, struct ops_message *message)
{
    const char *start = data->at + 1;
    const char *tick = find_closing(start, data->end, &message->time);
    if (tick == NULL) {
        take_cut(data, message);
        return;
    }
    message->has_time = true;
    message->text = (struct view){start, (size_t)(tick - start)};
    const char *stop = line_end(tick, data->end);
    pass(data, stop < data->end ? stop + 1 : stop);
}

static void take_plain(struct ops_data *data, struct ops_message *message)
{
    const char *stop = line_end(data->at, data->end);
    message->text = without_return((struct view){data->at, (size_t)(stop - data->at)});
    message->has_time = ops_data_take_time(&message->text, &message->time);
    pass(data, stop < data->end ? stop + 1 : stop);
}

bool ops_data_next(struct ops_data *data, struct ops_message *out_message)
{
    while (data->at < data->end) {
        *out_message = (struct ops_message){.text = {data->at, 0}, .line = data->line};
        if (*data->at == '`')
            ops_data_take_quoted(data, out_message);
        else
            take_plain(data, out_message);
        if (out_message->text.size > 0 || out_message->has_time)
            return true;
    }
    return false;
}

// Parts -----------------------------------------------------------------------

static bool drop_prefix(struct view *text, const char *prefix)
{
    if (!view_starts_with(*text, prefix))
        return false;
    *text = view_slice(*text, strlen(prefix), text->size);
    return true;
}

// "Matmul" with quotes, which may hold commas.
static bool ops_data_take_code(struct view *rest, struct view *out_code)
{
    *rest = view_trim(*rest);
    if (rest->size > 0 && rest->data[0] == '"') {
        const struct view behind = view_slice(*rest, 1, rest->size);
        const size_t quote = view_find(behind, '"');
        if (quote == behind.size)
            return false;
        *out_code = view_slice(behind, 0, quote);
        *rest = view_trim(view_slice(behind, quote + 1, behind.size));
        return rest->size == 0 || rest->data[0] == ',';
    }
    const size_t comma = view_find(*rest, ',');
    *out_code = view_trim(view_slice(*rest, 0, comma));
    *rest = view_slice(*rest, comma, rest->size);
    return true;
}

// ", hash, device, [true or false,] call count"
static bool take_fields(struct view rest, struct ops_message_parts *parts)
{
    struct view field;
    unsigned numbers = 0;
    uint64_t *const to[] = {&parts->hash, &parts->device, &parts->call_count};
    csv_field_take(&rest, ',', &field); // what stands before the first comma: nothing
    while (csv_field_take(&rest, ',', &field)) {
        if (numbers == 2 && !parts->has_cache_hit &&
            (view_is_ignoring_case(field, "true") || view_is_ignoring_case(field, "false"))) {
            parts->has_cache_hit = true;
            parts->cache_hit = view_is_ignoring_case(field, "true");
            continue;
        }
        if (numbers == 3 || !view_to_u64(field, to[numbers]))
            return false;
        numbers++;
    }
    parts->has_fields = numbers == 3 && parts->device <= UINT32_MAX;
    return parts->has_fields;
}

static bool parse_op(struct view text, bool cut, struct ops_message_parts *parts,
                     const char **out_problem)
{
    parts->kind = OPS_MESSAGE_OP;
    const size_t arrow = view_find_text(text, " ->");
    struct view head = view_slice(text, 0, arrow);
    if (arrow < text.size)
        parts->details = view_slice(text, arrow + 3, text.size);
    head = view_slice(head, 0, view_find(head, '\n'));
    *out_problem = "has no operation code, hash, device and call count";
    if (!ops_data_take_code(&head, &parts->name))
        return false;
    if (head.size == 0 && (parts->details.size > 0 || parts->is_fallback))
        return true;
    return take_fields(head, parts) || (parts->details.size > 0 && !cut);
}

static bool parse_trace(struct view text, struct ops_message_parts *parts, const char **out_problem)
{
    struct view device;
    struct view trace;
    uint64_t number;
    *out_problem = "is not 'device, trace'";
    if (!csv_field_take(&text, ',', &device) || !csv_field_take(&text, ',', &trace) ||
        text.data != NULL)
        return false;
    if (!view_to_u64(device, &number) || number > UINT32_MAX)
        return false;
    parts->device = number;
    return view_to_u64(trace, &parts->trace);
}

static bool parse_signpost(struct view text, struct ops_message_parts *parts)
{
    const size_t newline = view_find(text, '\n');
    parts->kind = OPS_MESSAGE_SIGNPOST;
    parts->name = without_return(view_trim(view_slice(text, 0, newline)));
    if (newline < text.size) {
        const struct view rest = view_slice(text, newline + 1, text.size);
        parts->details = without_return(view_slice(rest, 0, view_find(rest, '\n')));
    }
    return true;
}

static const struct {
    const char *prefix;
    enum ops_message_kind kind;
} KINDS[] = {
    {"TT_METAL_TRACE_BEGIN:", OPS_MESSAGE_BEGIN},
    {"TT_METAL_TRACE_END:", OPS_MESSAGE_END},
    {"TT_METAL_TRACE_REPLAY:", OPS_MESSAGE_REPLAY},
    {"TT_METAL_TRACE_RELEASE:", OPS_MESSAGE_RELEASE},
    {"MLIR_OP_LOCATION;", OPS_MESSAGE_LOCATION},
    {"MLIR_CONST_EVAL_OP;", OPS_MESSAGE_CONST_EVAL},
    {"MLIR_PROGRAM_METADATA;", OPS_MESSAGE_METADATA},
};

bool ops_message_parse(const struct ops_message *message, struct ops_message_parts *out_parts,
                       const char **out_problem)
{
    struct view text = message->text;
    *out_parts = (struct ops_message_parts){.name = {"", 0}, .details = {"", 0}};
    if (drop_prefix(&text, "TT_DNN_DEVICE_OP:"))
        return parse_op(text, message->cut, out_parts, out_problem);
    if (drop_prefix(&text, "TT_DNN_FALL_BACK_OP:")) {
        out_parts->is_fallback = true;
        return parse_op(text, message->cut, out_parts, out_problem);
    }
    if (drop_prefix(&text, "TT_SIGNPOST:"))
        return parse_signpost(text, out_parts);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (!drop_prefix(&text, KINDS[i].prefix))
            continue;
        out_parts->kind = KINDS[i].kind;
        out_parts->name = text;
        return KINDS[i].kind >= OPS_MESSAGE_LOCATION || parse_trace(text, out_parts, out_problem);
    }
    return true;
}
