#include "page_sources.h"

#include "formats/format.h"
#include "ledger_text.h"

static status read_source(const struct arguments *arguments, const char *path,
                          struct page_source *source, struct peaks *peaks)
{
    const struct format_options options = {0};
    STATUS_TRY(peaks_read_options(arguments, peaks));
    STATUS_TRY(format_read(path, &options, source->profile));
    STATUS_TRY(peaks_complete(arguments, source->profile, peaks));
    source->peaks = peaks->peaks;
    source->peaks_from = peaks->from;
    return STATUS_OK;
}

status page_sources_read(const struct arguments *arguments, const char *const *paths, size_t count,
                         struct page_sources *out_sources)
{
    *out_sources = (struct page_sources){.exit = EXIT_DONE};
    for (size_t i = 0; i < count; i++) {
        struct page_source *source = &out_sources->items[i];
        *source = (struct page_source){.path = paths[i], .profile = profile_create()};
        out_sources->count++;
        STATUS_TRY(read_source(arguments, paths[i], source, &out_sources->peaks[i]));
        ledger_warn(source->profile);
        if (ledger_exit(source->profile) != EXIT_DONE)
            out_sources->exit = EXIT_LOSS;
    }
    return STATUS_OK;
}

void page_sources_free(struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        profile_free(sources->items[i].profile);
        peaks_free(&sources->peaks[i]);
    }
}
