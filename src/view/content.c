#include "content.h"

static void answer_with(struct view_answer *answer, const char *type)
{
    answer->code = 200;
    answer->type = type;
}

// Numbers that every question has; false: 400.
static bool read_question(const struct page_content *content, const struct request *request,
                          const char *first, const char *last, struct windows **out_windows,
                          uint64_t out_numbers[3])
{
    uint64_t profile;
    if (!request_number(request, "profile", &profile) || profile >= content->count ||
        !request_number(request, "track", &out_numbers[0]) || out_numbers[0] > UINT32_MAX ||
        !request_number(request, first, &out_numbers[1]) ||
        !request_number(request, last, &out_numbers[2]) || out_numbers[2] < out_numbers[1])
        return false;
    *out_windows = content->windows[profile];
    return true;
}

static void answer_question(const struct page_content *content, const struct request *request,
                            bool blocks, struct view_answer *answer)
{
    struct windows *windows;
    struct output *output;
    uint64_t numbers[3];
    if (!read_question(content, request, blocks ? "from" : "start", blocks ? "to" : "end", &windows,
                       numbers)) {
        answer->code = 400;
        return;
    }
    output_open_bytes(&answer->body, &output);
    const uint32_t track = (uint32_t)numbers[0];
    status result = blocks ? windows_write_blocks(windows, track, numbers[1], numbers[2], output)
                           : windows_write_span(windows, track, numbers[1], numbers[2], output);
    result = status_first(result, output_close(output));
    if (result == STATUS_OK)
        answer_with(answer, "application/json; charset=utf-8");
    else
        answer->code = status_code_of(result) == STATUS_NOT_FOUND ? 404 : 500;
    status_free(result);
}

static void page_content_answer(struct view_content *of, struct view path,
                                const struct request *request, struct view_answer *answer)
{
    const struct page_content *content = (const struct page_content *)of;
    if (path.size == 0) {
        answer_with(answer, "text/html; charset=utf-8");
        answer->shared = bytes_view(&content->page);
    } else if (view_is(path, "blocks") || view_is(path, "span")) {
        answer_question(content, request, view_is(path, "blocks"), answer);
    }
}

status page_content_make(const struct page_source *sources, size_t count, const char *title,
                         struct page_content *out_content)
{
    const struct page_options options = {.title = title, .live = true};
    struct output *output;
    *out_content = (struct page_content){.content = {.answer = page_content_answer}};
    output_open_bytes(&out_content->page, &output);
    STATUS_TRY(output_finish(output, page_write(sources, count, &options, output)));
    for (; out_content->count < count; out_content->count++)
        out_content->windows[out_content->count] =
            windows_create(sources[out_content->count].profile);
    return STATUS_OK;
}

void page_content_free(struct page_content *content)
{
    for (size_t i = 0; i < content->count; i++)
        windows_free(content->windows[i]);
    bytes_free(&content->page);
}

// A file ----------------------------------------------------------------------

static void file_content_answer(struct view_content *of, struct view path,
                                const struct request *request, struct view_answer *answer)
{
    const struct file_content *content = (const struct file_content *)of;
    (void)request;
    if (!view_equal(path, content->name))
        return;
    answer_with(answer, "application/octet-stream");
    answer->shared = content->bytes;
}

struct file_content file_content_of(struct view name, struct view bytes, const char *origin)
{
    return (struct file_content){
        .content = {.answer = file_content_answer, .origin = origin}, .name = name, .bytes = bytes};
}
