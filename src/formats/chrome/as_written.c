#include "as_written.h"

#include "text.h"

// Arguments -------------------------------------------------------------------

static void add_derived(struct bytes *list, uint32_t key, enum value_kind kind, struct view text)
{
    const struct value value = {
        .key = key, .kind = kind, .provenance = PROVENANCE_DERIVED, .text = text};
    value_add(list, &value);
}

// Digits, of which the first one is not 0 or the only one.
static size_t whole_digits(struct view text, size_t at)
{
    const size_t from = at;
    while (at < text.size && (unsigned)(text.data[at] - '0') <= 9)
        at++;
    return at > from + 1 && text.data[from] == '0' ? from : at;
}

static bool is_put_so(double real, struct view text, struct bytes *scratch)
{
    scratch->size = 0;
    text_put_real(scratch, real);
    return view_equal(bytes_view(scratch), text);
}

// Whether text_put_real writes a real so: 12.5, 3.0, 7.575e-05.
static bool is_usual_real(double real, struct view text, struct bytes *scratch)
{
    enum { DIGITS_MOST = 15 }; // that every double keeps
    const size_t from = text.data[0] == '-';
    size_t at = whole_digits(text, from);
    const size_t whole = at - from;
    if (whole == 0 || at == text.size)
        return false;
    size_t decimals = 0;
    if (text.data[at] == '.') {
        const size_t point = at++;
        while (at < text.size && (unsigned)(text.data[at] - '0') <= 9)
            at++;
        decimals = at - point - 1;
        if (decimals == 0 || (text.data[at - 1] == '0' && (decimals > 1 || at < text.size)))
            return false;
    }
    if (whole + decimals > DIGITS_MOST || at < text.size)
        return is_put_so(real, text, scratch);
    return !view_starts_with(view_slice(text, from, text.size), "0.0000");
}

static bool is_word(struct view raw)
{
    return view_is(raw, "true") || view_is(raw, "false");
}

// Up to 18 digits, as nearly all numbers are.
static bool add_usual_whole(struct chrome_values *values, uint32_t key, struct view raw)
{
    uint64_t number = 0;
    if (raw.size > 18 || (raw.data[0] == '0' && raw.size > 1))
        return false;
    for (size_t i = 0; i < raw.size; i++) {
        const unsigned digit = (unsigned)(raw.data[i] - '0');
        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    value_add_uint(values->list, key, number);
    return true;
}

static void add_number(struct chrome_values *values, uint32_t key, struct view raw)
{
    if (add_usual_whole(values, key, raw))
        return;
    struct value value = {.key = key};
    if (!chrome_values_number(raw, &value)) {
        value_add_json(values->list, key, raw);
        return;
    }
    value_add(values->list, &value);
    if (value.kind == VALUE_REAL ? !is_usual_real(value.real, raw, &values->scratch)
                                 : whole_digits(raw, raw.data[0] == '-') != raw.size)
        add_derived(values->list, key, VALUE_JSON, raw);
}

static void as_written_add(struct chrome_values *values, uint32_t key, struct view raw)
{
    const char first = raw.data[0];
    if (first == '"') {
        values->scratch.size = 0;
        value_add_text(values->list, key, chrome_text_of(raw, &values->scratch));
    } else if (first == '-' || (unsigned)(first - '0') <= 9) {
        add_number(values, key, raw);
    } else if (is_word(raw)) {
        const struct value value = {.key = key, .kind = VALUE_BOOL, .number = first == 't'};
        value_add(values->list, &value);
    } else {
        value_add_json(values->list, key, raw);
    }
}

static void as_written_add_named(struct chrome_values *values, struct view name, struct view raw)
{
    const uint32_t key = chrome_text_id(&values->keys, values->strings, name);
    if (key != 0)
        as_written_add(values, key, raw);
    else
        values->empty++;
}

void as_written_add_arguments(struct chrome_values *values, const struct chrome_event *event)
{
    for (size_t i = 0; i < event->member_count; i++)
        as_written_add_named(values, event->members[i].key, event->members[i].value);
    if (event->member_count > 0)
        return;
    struct chrome_members members = chrome_members_of(event->args);
    struct view key;
    struct view raw;
    while (chrome_member_next(&members, &key, &raw)) {
        values->scratch.size = 0;
        key = chrome_text_of((struct view){key.data - 1, key.size + 2}, &values->scratch);
        as_written_add_named(values, key, raw);
    }
    values->unread += members.damaged;
}

void as_written_add_other(struct chrome_values *values, struct view key, struct view value)
{
    const uint32_t id = chrome_text_id(&values->keys, values->strings, key);
    if (id != 0)
        add_derived(values->list, id, VALUE_JSON, value);
}

// Metadata and members --------------------------------------------------------

static void put_separator(struct bytes *to)
{
    if (to->size > 0)
        text_put(to, ",\n");
}

void as_written_add_metadata(struct as_written *written, const struct chrome_event *event)
{
    put_separator(&written->metadata);
    text_put_view(&written->metadata, event->object);
}

void as_written_add_member(struct as_written *written, struct view key, struct view value)
{
    put_separator(&written->members);
    text_put_quoted(&written->members, key);
    text_put(&written->members, ":");
    text_put_view(&written->members, value);
}

static void add_whole(struct profile *profile, struct bytes *list, const char *key, char open,
                      const struct bytes *inner, char close)
{
    struct bytes json = {0};
    bytes_append(&json, &open, 1);
    bytes_append(&json, inner->data, inner->size);
    bytes_append(&json, &close, 1);
    add_derived(list, profile_string(profile, view_of(key)), VALUE_JSON, bytes_view(&json));
    bytes_free(&json);
}

void as_written_finish(struct as_written *written, struct profile *profile)
{
    struct bytes list = {0};
    struct track *root = profile_track(profile, 0);
    if (written->wanted) {
        bytes_append(&list, root->values.data, root->values.size);
        add_whole(profile, &list, AS_WRITTEN_METADATA, '[', &written->metadata, ']');
        if (written->members.size > 0)
            add_whole(profile, &list, AS_WRITTEN_MEMBERS, '{', &written->members, '}');
        root->values = arena_copy(&profile->arena, bytes_view(&list));
    }
    bytes_free(&list);
}

// Flows -----------------------------------------------------------------------

static uint32_t flow_label(struct profile *profile, const struct as_written_flow *flow)
{
    const bool usual = flow->phase == 's' || (flow->phase == 'f' && flow->enclosing);
    const struct view category = profile_text(profile, flow->category);
    const struct view name = profile_text(profile, flow->name);
    if (usual && flow->name == flow->category && category.size > 0 && category.data[0] != '\n')
        return flow->category;
    struct bytes text = {0};
    bytes_append_format(&text, "\n%c%s\n%zu\n", flow->phase, flow->enclosing ? "e" : "",
                        category.size);
    bytes_append(&text, category.data, category.size);
    bytes_append(&text, name.data, name.size);
    const uint32_t label = profile_string(profile, bytes_view(&text));
    bytes_free(&text);
    return label;
}

struct as_written_flow_keys as_written_flow_keys(struct profile *profile)
{
    return (struct as_written_flow_keys){
        .label = profile_string(profile, VIEW_LITERAL(AS_WRITTEN_FLOW)),
        .id = profile_string(profile, VIEW_LITERAL(AS_WRITTEN_FLOW_ID)),
        .at = profile_string(profile, VIEW_LITERAL(AS_WRITTEN_FLOW_AT))};
}

void as_written_add_flow(struct profile *profile, const struct as_written_flow_keys *keys,
                         struct bytes *list, const struct as_written_flow *flow)
{
    struct value value = {.key = keys->label,
                          .kind = VALUE_STRING,
                          .provenance = PROVENANCE_DERIVED,
                          .number = flow_label(profile, flow)};
    value_add(list, &value);
    value.key = keys->id;
    value.kind = flow->text_id ? VALUE_STRING : VALUE_UINT;
    value.number = flow->id;
    value_add(list, &value);
    if (flow->later == 0)
        return;
    value.key = keys->at;
    value.kind = VALUE_INT;
    value.number = (uint64_t)flow->later;
    value_add(list, &value);
}
