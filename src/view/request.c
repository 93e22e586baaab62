#include "request.h"

// The next line, without its end; false when it is not whole.
static bool next_line(struct view *text, struct view *out_line)
{
    const size_t end = view_find_text(*text, "\r\n");
    if (end == text->size)
        return false;
    *out_line = view_slice(*text, 0, end);
    *text = view_slice(*text, end + 2, text->size);
    return true;
}

// "GET /path?query HTTP/1.1"
static bool read_first_line(struct view line, struct request *request)
{
    const size_t first = view_find(line, ' ');
    const size_t last = view_find_last(line, ' ');
    if (first >= last || last == line.size)
        return false;
    const struct view target = view_slice(line, first + 1, last);
    const size_t question = view_find(target, '?');
    request->method = view_slice(line, 0, first);
    request->path = view_slice(target, 0, question);
    request->query =
        question < target.size ? view_slice(target, question + 1, target.size) : VIEW_LITERAL("");
    return target.size > 0 && target.data[0] == '/' && view_find(target, ' ') == target.size &&
           view_starts_with(view_slice(line, last + 1, line.size), "HTTP/1.");
}

// "Name: value"; false when it is none, or one that must not be there.
static bool read_header(struct view line, struct request *request)
{
    const size_t colon = view_find(line, ':');
    const struct view name = view_slice(line, 0, colon);
    if (colon == line.size || colon == 0 || view_find(name, ' ') != name.size)
        return false;
    if (view_is_ignoring_case(name, "content-length") ||
        view_is_ignoring_case(name, "transfer-encoding"))
        return false;
    if (!view_is_ignoring_case(name, "host"))
        return true;
    if (request->host.size > 0)
        return false;
    request->host = view_trim(view_slice(line, colon + 1, line.size));
    return request->host.size > 0;
}

enum request_state request_read(struct view text, struct request *out_request)
{
    struct view line;
    *out_request = (struct request){0};
    if (view_find_text(text, "\r\n\r\n") == text.size)
        return REQUEST_UNFINISHED;
    if (!next_line(&text, &line) || !read_first_line(line, out_request))
        return REQUEST_WRONG;
    while (next_line(&text, &line) && line.size > 0) {
        if (!read_header(line, out_request))
            return REQUEST_WRONG;
    }
    return out_request->host.size > 0 ? REQUEST_WHOLE : REQUEST_WRONG;
}

bool request_number(const struct request *request, const char *name, uint64_t *out_number)
{
    struct view rest = request->query;
    while (rest.size > 0) {
        const size_t end = view_find(rest, '&');
        const struct view pair = view_slice(rest, 0, end);
        const size_t equals = view_find(pair, '=');
        if (equals < pair.size && view_is(view_slice(pair, 0, equals), name))
            return view_to_u64(view_slice(pair, equals + 1, pair.size), out_number);
        rest = end < rest.size ? view_slice(rest, end + 1, rest.size) : VIEW_LITERAL("");
    }
    return false;
}
