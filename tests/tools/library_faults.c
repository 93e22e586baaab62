// library_faults EVERY FOLDER FILE...: does everything that libopscope and the recorder offer,
// again and again, and lets one call after the other fail (tests/tools/faults.c): every EVERY-th
// memory block, file call and thread, alone and with all that come after it. Each time the
// functions must come back, and when what they gave is freed, no block and no file may be left.
// Prints how many points were tried; exit 1 when one of them failed.

#include <opscope/opscope.h>

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void faults_arm(const char *call, uint64_t at, bool after, int error);
uint64_t faults_disarm(void);
int64_t faults_live_blocks(void);

// What a scenario works with.
struct place {
    const char *folder;
    const char *file;   // to read
    const char *format; // to write
    char *bytes;        // of the file
    size_t size;
    uint64_t written; // hash of what is written when nothing fails
};

static const char *out_path(const struct place *place, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/out/%s", place->folder, name);
    return path;
}

// Reading ----------------------------------------------------------------------------------------

static void visit_values(struct opscope_values *values, bool free_them)
{
    struct opscope_profile_value value;
    while (values != NULL && opscope_values_next(values, &value) == 1)
        ;
    if (free_them)
        opscope_values_free(values);
}

static void visit_tables(const struct opscope_profile *profile)
{
    struct opscope_profile_clock clock;
    struct opscope_profile_track track;
    struct opscope_profile_operator op;
    struct opscope_profile_call call;
    struct opscope_profile_buffer buffer;
    struct opscope_profile_note note;
    struct opscope_ledger ledger;
    for (uint32_t i = 0; i < opscope_profile_clock_count(profile); i++) {
        opscope_profile_get_clock(profile, i, &clock);
        opscope_profile_to_ns(profile, i, 1);
    }
    for (uint32_t i = 0; i < opscope_profile_track_count(profile); i++) {
        opscope_profile_get_track(profile, i, &track);
        opscope_profile_get_ledger(profile, i, &ledger);
        visit_values(opscope_profile_track_values(profile, i), true);
    }
    for (uint32_t i = 0; i < opscope_profile_operator_count(profile); i++) {
        opscope_profile_get_operator(profile, i, &op);
        visit_values(opscope_profile_operator_values(profile, i), true);
    }
    for (uint32_t i = 0; i < opscope_profile_call_count(profile); i++) {
        opscope_profile_get_call(profile, i, &call);
        visit_values(opscope_profile_call_values(profile, i), true);
    }
    for (uint32_t i = 0; i < opscope_profile_buffer_count(profile); i++)
        opscope_profile_get_buffer(profile, i, &buffer);
    for (uint32_t i = 0; i < opscope_profile_note_count(profile); i++)
        opscope_profile_get_note(profile, i, &note);
    for (uint32_t i = 0; i < opscope_profile_fact_count(profile); i++)
        opscope_profile_fact(profile, opscope_profile_fact_key(profile, i));
    opscope_profile_fact_text(profile, 0);
}

static int visit_events(struct opscope_profile *profile)
{
    struct opscope_events *events;
    struct opscope_profile_event event;
    char message[256] = "";
    int code = opscope_events_open(profile, OPSCOPE_ALL_TRACKS, &events, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    while ((code = opscope_events_next(events, &event)) == 1)
        visit_values(opscope_events_values(events), false);
    opscope_events_free(events);
    return code;
}

static int visit_overview(struct opscope_profile *profile)
{
    struct opscope_overview *overview;
    struct opscope_metric metric;
    char message[256] = "";
    const int code = opscope_overview_create(profile, 1, &overview, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    for (uint32_t i = 0; i < opscope_overview_count(overview); i++) {
        opscope_overview_name(overview, i);
        for (uint32_t j = 0; j < opscope_overview_metric_count(overview, i); j++)
            opscope_overview_get_metric(overview, i, j, &metric);
    }
    opscope_overview_free(overview);
    return code;
}

static int visit_times(struct opscope_profile *profile)
{
    struct opscope_operator_times *times;
    struct opscope_operator_time time;
    char message[256] = "";
    const int code = opscope_operator_times_create(profile, &times, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    for (uint32_t i = 0; i < opscope_operator_times_count(times, OPSCOPE_BY_TYPE); i++)
        opscope_operator_times_get(times, OPSCOPE_BY_TYPE, i, &time);
    opscope_operator_times_unassigned(times);
    opscope_operator_times_free(times);
    return code;
}

static int visit_query_table(struct opscope_profile *profile)
{
    struct opscope_query *query;
    struct opscope_table *table;
    char message[256] = "";
    int code = opscope_query_open(profile, "SELECT name, dur, dur / 2.0, category FROM slice",
                                  &query, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    code = opscope_query_table(query, &table, message, sizeof message);
    opscope_table_free(table);
    opscope_query_free(query);
    return code;
}

static int visit_query(struct opscope_profile *profile)
{
    struct opscope_query *query;
    struct opscope_query_cell cell;
    char message[256] = "";
    int code =
        opscope_query_open(profile,
                           "CREATE TEMP VIEW v AS SELECT call_id, dur FROM span;"
                           "SELECT c.id, c.start, v.dur, a.value, f.kind FROM call c"
                           " LEFT JOIN v ON v.call_id = c.id LEFT JOIN arg a ON a.call_id = c.id"
                           " LEFT JOIN flow f ON f.span_in = c.id ORDER BY 3",
                           &query, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    while ((code = opscope_query_next(query, message, sizeof message)) == 1) {
        for (uint32_t i = 0; i < opscope_query_column_count(query); i++)
            opscope_query_get_cell(query, i, &cell);
    }
    opscope_query_column_name(query, 0);
    opscope_query_free(query);
    return code != OPSCOPE_OK ? code : visit_query_table(profile);
}

static int visit_columns(struct opscope_profile *profile)
{
    const struct opscope_table_options options = {.arguments = "category", .filter = "*"};
    struct opscope_column column;
    struct opscope_table *table;
    const char *name;
    char message[256] = "";
    int code = OPSCOPE_OK;
    for (uint32_t i = 0; (name = opscope_table_name(i)) != NULL && code == OPSCOPE_OK; i++) {
        code = opscope_profile_table(profile, name, &options, &table, message, sizeof message);
        if (code != OPSCOPE_OK)
            continue;
        for (uint32_t j = 0; j < opscope_table_column_count(table); j++)
            opscope_table_get_column(table, j, &column);
        opscope_table_row_count(table);
        opscope_table_free(table);
    }
    return code;
}

static int visit(struct opscope_profile *profile, int code)
{
    if (code != OPSCOPE_OK)
        return code;
    visit_tables(profile);
    code = visit_events(profile);
    const int overview = visit_overview(profile);
    const int columns = visit_columns(profile);
    const int times = visit_times(profile);
    // Also what is not sound is looked at.
    visit_tables(profile);
    opscope_profile_free(profile);
    const int codes[] = {code, overview, columns, times};
    for (size_t i = 0; i < sizeof codes / sizeof *codes && code == OPSCOPE_OK; i++)
        code = codes[i];
    return code;
}

static int read_file(const struct place *place)
{
    struct opscope_profile *profile;
    char message[256] = "";
    const int code = opscope_profile_open(place->file, NULL, &profile, message, sizeof message);
    return visit(profile, code);
}

static int read_bytes(const struct place *place)
{
    struct opscope_profile *profile;
    char message[256] = "";
    const int code = opscope_profile_open_memory(place->bytes, place->size, "bytes", NULL, &profile,
                                                 message, sizeof message);
    return visit(profile, code);
}

// SQLite reads its schema in many small blocks: one file is enough for all of them.
static int ask(const struct place *place)
{
    struct opscope_profile *profile;
    char message[256] = "";
    int code = OPSCOPE_OK;
    if (strstr(place->file, "kineto") == NULL)
        return code;
    code = opscope_profile_open(place->file, NULL, &profile, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    code = visit_query(profile);
    opscope_profile_free(profile);
    return code;
}

// Writing ----------------------------------------------------------------------------------------

static int write_file(const struct place *place)
{
    struct opscope_profile *profile;
    char message[256] = "";
    int code = opscope_profile_open(place->file, NULL, &profile, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    code = opscope_profile_write(profile, out_path(place, "written"), place->format, message,
                                 sizeof message);
    opscope_profile_free(profile);
    return code;
}

static int convert_file(const struct place *place)
{
    char message[256] = "";
    const int code = opscope_convert(place->file, out_path(place, "converted"), place->format,
                                     message, sizeof message);
    return code == OPSCOPE_LOSS ? OPSCOPE_OK : code;
}

static int convert_packed(const struct place *place)
{
    char message[256] = "";
    static char packed[4096];
    int code = OPSCOPE_OK;
    for (unsigned i = 0; i < 2 && code == OPSCOPE_OK; i++) {
        snprintf(packed, sizeof packed, "%s",
                 out_path(place, i == 0 ? "packed.prof.gz" : "packed.prof.zst"));
        code = opscope_convert(place->file, packed, NULL, message, sizeof message);
        if (code >= OPSCOPE_OK)
            code = opscope_convert(packed, out_path(place, "again.prof"), NULL, message,
                                   sizeof message);
        code = code == OPSCOPE_LOSS ? OPSCOPE_OK : code;
    }
    return code;
}

static int build(const struct place *place)
{
    char message[256] = "";
    struct opscope_profile *profile = opscope_profile_create();
    if (profile == NULL)
        return OPSCOPE_ERROR_LIMIT;
    const uint32_t clock = opscope_profile_add_clock(
        profile, &(struct opscope_profile_clock){.name = "ticks", .frequency = 1000});
    const uint32_t lane = opscope_profile_add_track(
        profile, &(struct opscope_profile_track){.name = "lane",
                                                 .role = opscope_role(0),
                                                 .clock = clock,
                                                 .kind = OPSCOPE_TRACK_LANE,
                                                 .provenance = OPSCOPE_MEASURED});
    const uint32_t op = opscope_profile_add_operator(
        profile, &(struct opscope_profile_operator){.name = "op", .type = "conv"});
    const uint32_t call =
        opscope_profile_add_call(profile, &(struct opscope_profile_call){.operator_id = op});
    opscope_profile_add_buffer(profile,
                               &(struct opscope_profile_buffer){.memory = "sram", .to = 5});
    opscope_profile_add_fact(profile, "key", "text");
    opscope_profile_add_note(profile, lane, OPSCOPE_NOTE_REMARK, 1, "a remark");
    char name[32];
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "event %u", i % 40);
        opscope_profile_put(profile, &(struct opscope_profile_value){
                                         .key = "k", .kind = OPSCOPE_TEXT, .text = name});
        opscope_profile_add_event(profile, &(struct opscope_profile_event){.name = name,
                                                                           .kind = OPSCOPE_SPAN,
                                                                           .track = lane,
                                                                           .call = call,
                                                                           .start = i,
                                                                           .end = i + 1});
    }
    opscope_profile_expect(profile, lane, 300);
    opscope_profile_problem(profile);
    const int code = opscope_profile_write(profile, out_path(place, "built.prof"), NULL, message,
                                           sizeof message);
    opscope_profile_free(profile);
    return code;
}

// Others -----------------------------------------------------------------------------------------

static int count_numbers(const struct place *place)
{
    static const double A[] = {1, 5, 2, 4, 3, 9, 8, 7};
    static const double B[] = {2, 5, 1, 4, 3, 7, 8, 9};
    double low, high;
    (void)place;
    opscope_version();
    opscope_mean(A, 8);
    opscope_deviation(A, 8);
    const bool numbers = opscope_median(A, 8) > 0 && opscope_percentile(A, 8, 50) > 0 &&
                         opscope_rank_correlation(A, B, 8) > 0;
    const int median = opscope_median_interval(A, 8, 0.9, &low, &high);
    const int ratio = opscope_ratio_interval(A, 8, B, 8, 0.9, &low, &high);
    return !numbers ? OPSCOPE_ERROR_LIMIT : median != OPSCOPE_OK ? median : ratio;
}

static int draw_chart(const struct place *place)
{
    struct opscope_time_chart_view *view;
    char message[256] = "";
    const struct opscope_time_chart_log log = {"p", "t", "f", 1, 2};
    int code =
        opscope_time_chart_view_create(out_path(place, "chart.pb"), &view, message, sizeof message);
    if (code != OPSCOPE_OK)
        return code;
    opscope_time_chart_view_set_clock(view, 1000);
    opscope_time_chart_view_add_process_descriptor(view, "q");
    opscope_time_chart_view_add_thread_descriptor(view, "q", "u");
    opscope_time_chart_view_render(view, &log);
    opscope_time_chart_view_set_track_event(view, 3, OPSCOPE_TYPE_SLICE_BEGIN, &log);
    opscope_time_chart_view_set_track_event(view, 4, OPSCOPE_TYPE_SLICE_END, &log);
    const int added = opscope_time_chart_csv_to_view_compile_profile("c", view, place->file, 0,
                                                                     message, sizeof message);
    opscope_time_chart_csv_to_view_runtime_profile("r", view, place->file, message, sizeof message);
    opscope_time_chart_view_flush(view, message, sizeof message);
    code = opscope_time_chart_view_close(view, message, sizeof message);
    if (code < OPSCOPE_OK || added != OPSCOPE_OK)
        return code < OPSCOPE_OK ? code : added;
    code =
        opscope_time_chart_view_create(out_path(place, "chart.pb"), &view, message, sizeof message);
    if (code == OPSCOPE_OK)
        opscope_time_chart_view_free(view);
    const struct opscope_time_chart_profile_log profile = {"x", place->file};
    const int converted = opscope_time_chart_convert_to_perfetto(
        &profile, 1, NULL, 0, out_path(place, "logs.pb"), 0, message, sizeof message);
    return code != OPSCOPE_OK ? code : converted == OPSCOPE_LOSS ? OPSCOPE_OK : converted;
}

static int record_with(const struct place *place, int in_memory, enum opscope_full full)
{
    const struct opscope_record_options options = {.path = out_path(place, "record.prof"),
                                                   .in_memory = in_memory,
                                                   .full = full,
                                                   .buffer_bytes = 4096,
                                                   .process = "p"};
    char message[256] = "";
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return OPSCOPE_ERROR_LIMIT;
    const uint32_t name = opscope_text("name");
    const uint32_t lane = opscope_lane("SLICE 0");
    const uint32_t engine =
        opscope_engine_lane("matrix", &(struct opscope_engine){.role = "compute", .engine = "m"});
    const uint32_t memory = opscope_memory("sram", 1, 1);
    const uint32_t counter = opscope_counter("load", "%");
    const struct opscope_value value = {name, OPSCOPE_UINT, {.number = 3}};
    const uint32_t op = opscope_operator("op", "conv", "here", &value, 1);
    const uint32_t call = opscope_call(op, 0, 1);
    opscope_thread_name("thread");
    opscope_fact("key", "text");
    for (unsigned i = 0; i < 400; i++) {
        const uint64_t begun = opscope_begin();
        opscope_end(begun, i % 2 == 0 ? lane : engine, name, call);
        opscope_instant(0, name, 0, &value, 1);
        opscope_sample(counter, i);
    }
    opscope_allocated(memory, 64, 128, name, call);
    opscope_freed(memory, 64);
    opscope_now_far();
    const int flushed = opscope_record_flush();
    const int stopped = opscope_record_stop(message, sizeof message);
    return flushed != 0 || stopped != 0 ? OPSCOPE_ERROR_LIMIT : OPSCOPE_OK;
}

static int record_to_file(const struct place *place)
{
    return record_with(place, 0, OPSCOPE_FULL_BLOCK);
}

static int record_in_memory(const struct place *place)
{
    return record_with(place, 1, OPSCOPE_FULL_GROW);
}

static int record_dropping(const struct place *place)
{
    return record_with(place, 0, OPSCOPE_FULL_DROP);
}

// One after the other
// ------------------------------------------------------------------------------

struct scenario {
    const char *name;
    int (*run)(const struct place *place);
    enum { ONCE, EACH_FILE, EACH_FORMAT } times;
    bool grows; // what is half written may be there
};

static const struct scenario SCENARIOS[] = {
    {"read", read_file, EACH_FILE, false},
    {"read bytes", read_bytes, EACH_FILE, false},
    {"ask", ask, EACH_FILE, false},
    {"write", write_file, EACH_FORMAT, false},
    {"convert", convert_file, EACH_FORMAT, false},
    {"convert packed", convert_packed, EACH_FILE, false},
    {"build", build, ONCE, false},
    {"statistics", count_numbers, ONCE, false},
    {"time chart", draw_chart, ONCE, false},
    {"record", record_to_file, ONCE, true},
    {"record in memory", record_in_memory, ONCE, true},
    {"record, dropping", record_dropping, ONCE, true},
};

struct fault {
    const char *call;
    int error;
    bool after;
    bool unseen; // the call is made again, or done in another way: the answer may be right
};

static const struct fault FAULTS[] = {
    {"memory", ENOMEM, false, false}, {"memory", ENOMEM, true, false},
    {"read", EIO, false, false},      {"read", EINTR, false, true},
    {"write", ENOSPC, true, false},   {"write", EIO, false, false},
    {"write", EINTR, false, true},    {"open", EIO, false, false},
    {"open", EMFILE, true, false},    {"mmap", ENOMEM, false, false},
    {"rename", EIO, false, false},    {"thread", EAGAIN, true, true},
};

static unsigned count_entries(const char *path, bool temporary)
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += !temporary || strstr(entry->d_name, ".part") != NULL;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static uint64_t hash_file(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    FILE *stream = fopen(path, "rb");
    for (int c; stream != NULL && (c = fgetc(stream)) != EOF;)
        hash = (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
    if (stream != NULL)
        fclose(stream);
    return hash;
}

// Of all that was written, in any order.
static uint64_t hash_written(const char *path)
{
    uint64_t hash = 0;
    char file[8192];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            hash += hash_file(file);
    }
    if (folder != NULL)
        closedir(folder);
    return hash;
}

static unsigned failures;

static void complain(const struct scenario *scenario, const struct place *place,
                     const struct fault *fault, uint64_t at, const char *what, int64_t number)
{
    failures++;
    fprintf(stderr, "%s of %s as %s, %s %llu with %s%s: %s (%lld)\n", scenario->name, place->file,
            place->format, fault->call, (unsigned long long)at, strerror(fault->error),
            fault->after ? " and all after it" : "", what, (long long)number);
}

// False when fewer calls than that were made.
static bool try_point(const struct scenario *scenario, const struct place *place,
                      const struct fault *fault, uint64_t at)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/out", place->folder);
    const int64_t blocks = faults_live_blocks();
    const unsigned files = count_entries("/proc/self/fd", false);
    faults_arm(fault->call, at, fault->after, fault->error);
    const int code = scenario->run(place);
    const uint64_t failed = faults_disarm();
    const int64_t left = faults_live_blocks() - blocks;
    if (left > 0)
        complain(scenario, place, fault, at, "blocks are left", left);
    if (count_entries("/proc/self/fd", false) != files)
        complain(scenario, place, fault, at, "files are open", code);
    if (count_entries(folder, true) != 0)
        complain(scenario, place, fault, at, "temporary files are left", code);
    if (!scenario->grows && code == OPSCOPE_OK && hash_written(folder) != place->written)
        complain(scenario, place, fault, at, "what was written is another", code);
    if (failed == 0 && code != OPSCOPE_OK)
        complain(scenario, place, fault, at, "fails although nothing failed", code);
    if (failed > 0 && fault->unseen && code != OPSCOPE_OK && strcmp(fault->call, "thread") != 0)
        complain(scenario, place, fault, at, "fails although it could try again", code);
    return failed > 0;
}

static uint64_t try_all(const struct scenario *scenario, struct place *place, uint64_t every)
{
    uint64_t points = 0;
    char folder[4096];
    // What is made once and kept, is there now.
    for (unsigned i = 0; i < 2; i++) {
        const int code = scenario->run(place);
        if (code == OPSCOPE_OK)
            continue;
        // This format cannot carry it.
        return 0;
    }
    snprintf(folder, sizeof folder, "%s/out", place->folder);
    place->written = hash_written(folder);
    for (size_t f = 0; f < sizeof FAULTS / sizeof *FAULTS; f++) {
        uint64_t at = 1;
        while (try_point(scenario, place, &FAULTS[f], at)) {
            at += every;
            points++;
        }
    }
    return points;
}

static bool load(struct place *place)
{
    FILE *stream = fopen(place->file, "rb");
    if (stream == NULL)
        return false;
    fseek(stream, 0, SEEK_END);
    place->size = (size_t)ftell(stream);
    rewind(stream);
    place->bytes = malloc(place->size + 1);
    const bool whole = fread(place->bytes, 1, place->size, stream) == place->size;
    fclose(stream);
    return whole;
}

static uint64_t try_scenario(const struct scenario *scenario, struct place place, uint64_t every)
{
    uint64_t points = 0;
    if (scenario->times != EACH_FORMAT)
        return try_all(scenario, &place, every);
    for (uint32_t i = 0; (place.format = opscope_writable_format(i)) != NULL; i++) {
        // SQLite takes a hundred times as many blocks as the others.
        const bool many = strcmp(place.format, "sqlite") == 0;
        points += try_all(scenario, &place, many ? 50 * every : every);
    }
    return points;
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "library_faults EVERY FOLDER FILE...\n");
        return 2;
    }
    const uint64_t every = strtoull(words[1], NULL, 10);
    uint64_t all = 0;
    for (size_t s = 0; s < sizeof SCENARIOS / sizeof *SCENARIOS; s++) {
        uint64_t points = 0;
        const int files = SCENARIOS[s].times == ONCE ? 1 : count - 3;
        for (int i = 0; i < files; i++) {
            struct place place = {.folder = words[2], .file = words[i + 3], .format = "none"};
            if (!load(&place)) {
                perror(place.file);
                return 2;
            }
            points += try_scenario(&SCENARIOS[s], place, every);
            free(place.bytes);
        }
        printf("%s: %llu points\n", SCENARIOS[s].name, (unsigned long long)points);
        fflush(stdout);
        all += points;
    }
    printf("%llu points, %u failed\n", (unsigned long long)all, failures);
    return failures > 0;
}
