#include "page.h"

#include "embedded.h"
#include "parts.h"
#include "reports/picture/words.h"
#include "wire/base64.h"

// Of PAGE_SIZE_MOST: the page's own text, style and script, and what changed between two profiles.
enum { OWN_SIZE = 250 * 1000, DIFF_SIZE = 500 * 1000 };

// Profiles --------------------------------------------------------------------

static void write_facts(struct json_writer *json, const struct profile *profile)
{
    enum { FACTS_MOST = 40 };
    json_open_array(json, "facts");
    for (uint32_t i = 0; i < profile->facts.count && i < FACTS_MOST; i++) {
        const struct profile_fact *fact = segments_get(&profile->facts, i);
        json_open_array(json, NULL);
        json_text(json, NULL, view_shortened(profile_text(profile, fact->key), NUMBERS_NAME_MOST));
        json_text(json, NULL, view_shortened(profile_text(profile, fact->text), NUMBERS_NAME_MOST));
        json_close(json);
    }
    json_close(json);
}

// Texts that are written apart, so that it is known what room they leave.
static status make_analyses(const struct page_source *source, uint64_t room, struct bytes *to)
{
    struct bytes title = {0};
    struct output *output;
    output_open_bytes(to, &output);
    output_inside_page(output, true);
    struct json_writer json = json_write_lines(output);
    words_title(&title, source->profile, source->path);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(source->path));
    json_text(&json, "title", bytes_view(&title));
    write_facts(&json, source->profile);
    const status result = parts_write_analyses(&json, source, room);
    parts_write_ledger(&json, source->profile);
    json_close(&json);
    bytes_free(&title);
    return status_first(result, output_close(output));
}

// The page --------------------------------------------------------------------

struct page_making {
    const struct page_source *sources;
    size_t count;
    const struct page_options *options;
    struct bytes analyses[PAGE_PROFILES_MOST];
    struct page_timeline timelines[PAGE_PROFILES_MOST];
    size_t made; // of `timelines`
};

static void write_data(const struct page_making *making, struct output *output)
{
    struct json_writer json = json_write_lines(output);
    output_text(output, "<script type=\"application/json\" id=\"data\">");
    output_inside_page(output, true);
    json_open_object(&json, NULL);
    json_bool(&json, "live", making->options->live);
    if (making->count == 2)
        parts_write_diff(&json, making->sources, DIFF_SIZE);
    json_open_array(&json, "profiles");
    for (size_t i = 0; i < making->count; i++) {
        json_open_object(&json, NULL);
        json_raw(&json, "analyses", bytes_view(&making->analyses[i]));
        json_open_object(&json, "timeline");
        parts_write_timeline(&json, &making->timelines[i]);
        json_close(&json);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    output_inside_page(output, false);
    output_text(output, "</script>\n");
}

static void write_blocks(const struct page_making *making, struct output *output)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct bytes *blocks = &making->timelines[i].blocks;
        output_format(output, "<script type=\"text/plain\" id=\"blocks%zu\">", i);
        base64_write(output, blocks->data, blocks->size); // letters cannot end a script
        output_text(output, "</script>\n");
    }
}

static void write_title(struct output *output, const struct page_making *making)
{
    struct bytes title = {0};
    if (making->options->title != NULL)
        bytes_append_format(&title, "%s", making->options->title);
    else
        words_title(&title, making->sources[0].profile, making->sources[0].path);
    output_text(output, "<title>");
    for (size_t i = 0; i < title.size; i++) {
        const unsigned char letter = title.data[i];
        if (letter == '<' || letter == '>' || letter == '&' || letter < 0x20)
            output_format(output, "&#%u;", letter < 0x20 ? ' ' : letter);
        else
            output_write(output, &letter, 1);
    }
    output_text(output, " - opscope</title>\n");
    bytes_free(&title);
}

static void page_put(const struct page_making *making, struct output *output)
{
    output_format(output,
                  "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src '%s'; style-src '%s'; connect-src %s; img-src data:; "
                  "base-uri 'none'; form-action 'none'\">\n"
                  "<link rel=\"icon\" href=\"data:,\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n",
                  PAGE_SCRIPT_DIGEST, PAGE_STYLE_DIGEST,
                  making->options->live ? "'self'" : "'none'");
    write_title(output, making);
    output_text(output, "<style>");
    output_text(output, PAGE_STYLE);
    output_text(output, "</style>\n</head>\n");
    output_text(output, PAGE_BODY);
    write_data(making, output);
    write_blocks(making, output);
    output_text(output, "<script>");
    output_text(output, PAGE_SCRIPT);
    output_text(output, "</script>\n</body>\n</html>\n");
}

// What is left for the timeline of each profile.
static struct page_timeline_room page_room(const struct page_making *making, size_t index)
{
    enum { BLOCKS_LEAST = 50 * 1000 };
    uint64_t taken = OWN_SIZE + (making->count == 2 ? DIFF_SIZE : 0);
    for (size_t i = 0; i < making->count; i++)
        taken += making->analyses[i].size;
    const uint64_t spare = (taken < PAGE_SIZE_MOST ? PAGE_SIZE_MOST - taken : 0) / making->count;
    const uint64_t names = spare / 8;
    const uint64_t tracks = making->sources[index].profile->tracks.count;
    const uint64_t most = TIMELINE_LANES_MOST / making->count;
    const uint64_t lanes = tracks < most ? tracks : most;
    const uint64_t others = names + lanes * TIMELINE_LANE_SIZE +
                            (TIMELINE_FLOWS_SIZE + TIMELINE_OPERATORS_SIZE) / making->count;
    const uint64_t blocks = spare > others ? (spare - others) / 4 * 3 : 0; // base64
    return (struct page_timeline_room){.blocks = blocks > BLOCKS_LEAST ? blocks : BLOCKS_LEAST,
                                       .names = names,
                                       .share = (unsigned)making->count};
}

static status page_make(struct page_making *making)
{
    const uint64_t room = (PAGE_SIZE_MOST - OWN_SIZE) / making->count / 4;
    for (size_t i = 0; i < making->count; i++)
        STATUS_TRY(make_analyses(&making->sources[i], room, &making->analyses[i]));
    for (size_t i = 0; i < making->count; i++) {
        const struct page_timeline_room left = page_room(making, i);
        STATUS_TRY(page_timeline_make(making->sources[i].profile, &left, &making->timelines[i]));
        making->made++;
    }
    return STATUS_OK;
}

status page_write(const struct page_source *sources, size_t count,
                  const struct page_options *options, struct output *output)
{
    struct page_making making = {.sources = sources, .count = count, .options = options};
    const status result = page_make(&making);
    if (result == STATUS_OK)
        page_put(&making, output);
    for (size_t i = 0; i < count; i++)
        bytes_free(&making.analyses[i]);
    for (size_t i = 0; i < making.made; i++)
        page_timeline_free(&making.timelines[i]);
    return result;
}
