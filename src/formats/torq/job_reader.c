// R1: one row is one job of the NPU's controller (NSS), written at its end.
// time_since_open is when the job ended and time_since_start how long it took,
// although the documents call the latter "since the previous operation".
//
// Read in a row, not in parts (base/parts.h): each job counts on from the one before.

#include "base/doubles.h"
#include "lanes.h"
#include "readers.h"
#include "rows.h"
#include "runs.h"

struct job_reader {
    struct rows rows;
    struct runs runs;
    struct lanes lanes;
    struct bytes values;
    struct bytes scratch;
    uint32_t job_key;
    uint32_t name;
    uint32_t lane;
    bool located; // an earlier row has a location column
    struct doubles doubles;
    struct {
        uint64_t next;    // the number that counting on would give
        uint64_t lost;    // rows before the one at hand that could not be read
        uint64_t missing; // numbers that were passed over
        uint64_t count;
        uint64_t most;
    } jobs;
};

// The call of a location; 0 for an empty one. False when the location is a
// piece of one.
static bool job_reader_find_call(struct job_reader *reader, struct view location,
                                 uint32_t *out_call)
{
    const uint32_t hash = hash_bytes(location.data, location.size);
    const struct torq_run *run = runs_find(&reader->runs, location, hash);
    if (run == NULL) {
        struct torq_run added = {0};
        if (!split_location_is_whole(location))
            return false;
        const struct view text = split_text(location, &reader->scratch);
        if (text.size > 0)
            added.call = runs_call(&reader->runs, reader->rows.profile, reader->name,
                                   profile_string(reader->rows.profile, text));
        run = runs_add(&reader->runs, location, hash, &added);
    }
    *out_call = run->call;
    return true;
}

// Jobs of a program are numbered from 0 and follow one another, again and again. A row that could
// not be read explains a number that is passed over.
static void count_job(struct job_reader *reader, uint64_t job)
{
    const uint64_t first = job >= reader->jobs.next ? reader->jobs.next : 0;
    const uint64_t unread = reader->rows.lost - reader->jobs.lost;
    if (job - first > unread)
        reader->jobs.missing += job - first - unread;
    reader->jobs.lost = reader->rows.lost;
    reader->jobs.next = job + 1;
    reader->jobs.count++;
    if (job > reader->jobs.most)
        reader->jobs.most = job;
}

// A program that ran once may have its jobs in any order.
static void job_reader_lose_missing(struct job_reader *reader)
{
    const uint64_t count = reader->jobs.count;
    uint64_t missing = reader->jobs.missing;
    if (count <= reader->jobs.most) {
        const uint64_t holes = reader->jobs.most + 1 - count;
        missing = holes > reader->rows.lost ? holes - reader->rows.lost : 0;
    } else if (count == reader->jobs.most + 1) {
        missing = 0;
    }
    if (missing < count)
        rows_lose_missing(&reader->rows, reader->lane, missing, "jobs count through");
}

static void job_reader_add_job(struct job_reader *reader, const struct split_job *row,
                               uint32_t call)
{
    struct profile *profile = reader->rows.profile;
    if (row->elapsed > row->open) {
        rows_expect(profile_track(profile, reader->lane));
        profile_note(profile, reader->lane, LEDGER_IMPOSSIBLE, 1,
                     "%s:%llu: took %llu us, longer than the %llu us since the device was opened",
                     reader->rows.input->path, (unsigned long long)reader->rows.line.number,
                     (unsigned long long)row->elapsed, (unsigned long long)row->open);
        return;
    }
    reader->values.size = 0;
    value_add_uint(&reader->values, reader->job_key, row->job);
    const struct event event = {.kind = EVENT_SPAN,
                                .start = row->open - row->elapsed,
                                .end = row->open,
                                .track = reader->lane,
                                .name = reader->name,
                                .call = call};
    rows_expect(profile_track(profile, reader->lane));
    profile_event_add(profile, &event, bytes_view(&reader->values));
}

static void job_reader_read_row(struct job_reader *reader)
{
    struct split_job row;
    struct split_problem problem;
    uint32_t call;
    if (!split_r1(reader->rows.line.text, &row, &problem)) {
        rows_lose(&reader->rows, &problem);
        return;
    }
    if (reader->located && !row.has_location) {
        problem = (struct split_problem){"location", VIEW_LITERAL(""), "is missing"};
        if (reader->rows.line.terminated)
            rows_lose(&reader->rows, &problem);
        else
            rows_lose_cut(&reader->rows);
        return;
    }
    if (!job_reader_find_call(reader, row.location, &call)) {
        problem = (struct split_problem){"location", row.location, "is not closed"};
        rows_lose(&reader->rows, &problem);
        return;
    }
    reader->located |= row.has_location;
    if (reader->lane == 0)
        reader->lane = lanes_named(&reader->lanes, VIEW_LITERAL("NSS"), &TORQ_NPU, 0, LANES_OTHER);
    if (doubles_find(&reader->doubles, reader->rows.line.text)) {
        rows_refuse_copy(&reader->rows, reader->lane);
        return;
    }
    count_job(reader, row.job);
    job_reader_add_job(reader, &row, call);
}

void job_reader_run(const struct input *input, enum torq_form form,
                    const struct torq_options *options, struct profile *profile)
{
    struct job_reader reader = {
        .rows = rows_start(input, form, profile),
        .runs = RUNS_EMPTY,
        .lanes = {.profile = profile,
                  .like = {.parent = options->parent,
                           .clock = profile_clock_add(profile, "us", TORQ_MICROSECOND_HZ, 0, 0),
                           .provenance = PROVENANCE_MEASURED}},
        .job_key = profile_string(profile, VIEW_LITERAL("job")),
        .name = profile_string(profile, VIEW_LITERAL("NSS")),
    };
    while (rows_next(&reader.rows))
        job_reader_read_row(&reader);
    job_reader_lose_missing(&reader);
    rows_finish(&reader.rows);

    runs_free(&reader.runs);
    lanes_free(&reader.lanes);
    bytes_free(&reader.values);
    bytes_free(&reader.scratch);
}
