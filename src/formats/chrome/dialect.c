#include "dialect.h"

#include "json.h"

// Where a runtime's events must have shown up: metadata and overheads may come first.
enum { DIALECT_LOOK = 1 << 20 };

struct dialect_look {
    struct chrome_visitor visitor;
    bool onnxruntime;
    bool kineto;
    bool opstats;
    bool events;
};

static void dialect_look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct dialect_look *look = (struct dialect_look *)visitor;
    look->events |= event->phase != 0 && event->phase != 'M';
    look->onnxruntime |= !look->kineto && chrome_onnxruntime_is(event);
    look->kineto |= !look->onnxruntime && chrome_kineto_is(event);
    look->opstats |= chrome_opstats_is(event);
}

status chrome_dialect_open(const struct input *input, struct profile *profile,
                           struct chrome_dialect **out_dialect)
{
    struct dialect_look look = {.visitor.event = dialect_look_at};
    struct view beginning = input->bytes;
    *out_dialect = NULL;
    // Members that describe thousands of ranks may be longer than that.
    for (size_t size = DIALECT_LOOK; !look.events; size *= 8) {
        const bool whole = input_reach(input, size);
        beginning.size = size < input->bytes.size ? size : input->bytes.size;
        chrome_events_visit(beginning, &look.visitor);
        if (whole && beginning.size == input->bytes.size)
            break;
    }
    if (look.onnxruntime)
        return chrome_onnxruntime_open(input, profile, out_dialect);
    if (look.kineto)
        return chrome_kineto_open(input, profile, out_dialect);
    if (look.opstats)
        return chrome_opstats_open(input, profile, out_dialect);
    return STATUS_OK;
}

const struct chrome_event *chrome_dialect_place(struct chrome_dialect *dialect,
                                                const struct chrome_event *written,
                                                struct chrome_event *placed)
{
    if (dialect == NULL || dialect->place == NULL)
        return written;
    *placed = *written;
    dialect->place(dialect, placed);
    return placed;
}

static struct view dialect_element_of(struct view name)
{
    static const struct {
        const char *name;
        const char *element;
    } ELEMENTS[] = {
        {"float", "f32"},
        {"float16", "f16"},
        {"c10::Half", "f16"},
        {"bfloat16", "bf16"},
        {"c10::BFloat16", "bf16"},
        {"double", "f64"},
        {"long int", "i64"},
        {"long", "i64"},
        {"int64", "i64"},
        {"int", "i32"},
        {"int32", "i32"},
        {"short", "i16"},
        {"short int", "i16"},
        {"int16", "i16"},
        {"int8", "i8"},
        {"signed char", "i8"},
        {"char", "i8"},
        {"uint8", "ui8"},
        {"unsigned char", "ui8"},
        {"uint16", "ui16"},
        {"uint32", "ui32"},
        {"uint64", "ui64"},
        {"bool", "i1"},
    };
    for (size_t i = 0; i < sizeof ELEMENTS / sizeof ELEMENTS[0]; i++) {
        if (view_is(name, ELEMENTS[i].name))
            return view_of(ELEMENTS[i].element);
    }
    return name.size > 0 ? name : VIEW_LITERAL("none");
}

void chrome_append_type(struct bytes *to, struct view dims, struct view element)
{
    struct chrome_members members = chrome_members_of(dims);
    const struct view name = dialect_element_of(element);
    struct view key;
    struct view side;
    while (members.array && chrome_member_next(&members, &key, &side)) {
        bytes_append(to, side.data, side.size);
        bytes_append(to, "x", 1);
    }
    bytes_append(to, name.data, name.size);
}

struct view chrome_argument_raw(const struct chrome_event *event, const char *key)
{
    const struct view wanted = view_of(key);
    if (event->member_count == 0)
        return chrome_find(event->args, key);
    for (size_t i = 0; i < event->member_count; i++) {
        if (view_equal(event->members[i].key, wanted))
            return event->members[i].value;
    }
    return VIEW_LITERAL("");
}

struct view chrome_argument(const struct chrome_event *event, const char *key)
{
    const struct view value = chrome_argument_raw(event, key);
    return chrome_is_text(value) ? view_slice(value, 1, value.size - 1) : value;
}

struct view chrome_nested_argument(const struct chrome_event *event, const char *key,
                                   struct bytes *scratch)
{
    const struct view value = chrome_argument_raw(event, key);
    scratch->size = 0;
    return chrome_is_text(value) ? chrome_text_of(value, scratch) : value;
}

uint32_t chrome_step_call(struct profile *profile, uint32_t number)
{
    const struct call call = {.iteration = number,
                              .domain = profile_string(profile, VIEW_LITERAL("step")),
                              .key = number};
    return profile_call_add(profile, &call);
}

enum role chrome_copy_role(struct view name)
{
    static const struct {
        const char *text;
        enum role role;
    } WAYS[] = {
        {"PtoP", ROLE_COMMUNICATION}, {"PeerToPeer", ROLE_COMMUNICATION},
        {"HtoD", ROLE_TRANSFER_IN},   {"HostToDevice", ROLE_TRANSFER_IN},
        {"HtoA", ROLE_TRANSFER_IN},   {"H2D", ROLE_TRANSFER_IN},
        {"M2D", ROLE_TRANSFER_IN}, // Level Zero's memory is the host's
        {"DtoH", ROLE_TRANSFER_OUT},  {"DeviceToHost", ROLE_TRANSFER_OUT},
        {"AtoH", ROLE_TRANSFER_OUT},  {"D2H", ROLE_TRANSFER_OUT},
        {"D2M", ROLE_TRANSFER_OUT},
    };
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        if (view_find_text(name, WAYS[i].text) < name.size)
            return WAYS[i].role;
    }
    return ROLE_TRANSFER;
}

enum role chrome_kernel_role(struct view name)
{
    static const char *const LIBRARIES[] = {"nccl", "rccl", "oneccl"};
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof LIBRARIES[0]; i++) {
        if (view_starts_with(name, LIBRARIES[i]))
            return ROLE_COMMUNICATION;
    }
    return ROLE_COMPUTE;
}

void chrome_mark_track(struct profile *profile, uint32_t track, enum role role)
{
    struct track *marked = profile_track(profile, track);
    if (marked->role != ROLE_NONE)
        return;
    profile_track_set_engine(profile, marked, role, role_name(role));
    if (marked->provenance == PROVENANCE_ABSENT)
        marked->provenance = PROVENANCE_MEASURED;
}
