#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    LINE_MOST = 4096, // bytes; longer ones are not read
    CORES_MOST = 4096,
    THREADS_MOST = 64,
    PORTS_MOST = 64,
    COLUMNS = 9, // of numbers in a row
};

static const char HEAD[] = "core  ucycles  ucycles(%)     pcycles  pcycles(%)  count      out KB  "
                           "ucycles/KB  pcycles/KB  stddev(pc/KB)  opdetails";

// Places -------------------------------------------------------------------------------

// The core of a number, made where it is new; NULL: there are too many.
static struct qaic_core *qaic_summary_core_of(struct qaic_summary *summary, uint64_t number)
{
    for (size_t i = summary->core_count; i-- > 0;) {
        if (summary->cores[i].number == number)
            return &summary->cores[i];
    }
    if (number >= CORES_MOST)
        return NULL;
    summary->cores =
        memory_resize(summary->cores, (summary->core_count + 1) * sizeof *summary->cores);
    summary->cores[summary->core_count] = (struct qaic_core){.number = (uint32_t)number};
    return &summary->cores[summary->core_count++];
}

static struct qaic_thread *thread_of(struct qaic_core *core, uint64_t number)
{
    if (core == NULL || number >= THREADS_MOST)
        return NULL;
    while (core->thread_count <= number) {
        core->threads =
            memory_resize(core->threads, (core->thread_count + 1) * sizeof *core->threads);
        core->threads[core->thread_count++] = (struct qaic_thread){
            .port_ucycles = memory_allocate_zeroed(PORTS_MOST, sizeof(uint64_t))};
    }
    return &core->threads[number];
}

static uint64_t *qaic_summary_port_of(struct qaic_core *core, uint64_t thread, uint64_t port)
{
    struct qaic_thread *own = thread_of(core, thread);
    if (own == NULL || port > UINT32_MAX)
        return NULL;
    for (size_t i = 0; i < core->port_count; i++) {
        if (core->ports[i] == port)
            return &own->port_ucycles[i];
    }
    if (core->port_count == PORTS_MOST)
        return NULL;
    if (core->ports == NULL)
        core->ports = memory_allocate_zeroed(PORTS_MOST, sizeof *core->ports);
    core->ports[core->port_count] = (uint32_t)port;
    return &own->port_ucycles[core->port_count++];
}

// Lines --------------------------------------------------------------------------------
//
// Each takes a line with a NUL after it, and says whether it is one of its kind.

static bool take_thread(struct qaic_summary *summary, const char *line)
{
    unsigned core, number;
    char group[32];
    uint64_t ucycles, start, end, pcycles;
    double utilization = NAN;
    int used = 0, rest = 0;
    sscanf(line,
           "c%u t%u %31s %" SCNu64 " ucycles [%" SCNu64 ", %" SCNu64 "] %" SCNu64 " pcycles%n",
           &core, &number, group, &ucycles, &start, &end, &pcycles, &rest);
    if (rest > 0)
        sscanf(line + rest, " N/A utilization%n", &used);
    if (rest > 0 && used == 0)
        sscanf(line + rest, "%lf%% utilization%n", &utilization, &used);
    struct qaic_thread *thread =
        used > 0 ? thread_of(qaic_summary_core_of(summary, core), number) : NULL;
    if (thread == NULL)
        return false;
    thread->group = arena_copy(&summary->arena, view_of(group));
    thread->ucycles = ucycles;
    thread->start = start;
    thread->end = end;
    thread->pcycles = pcycles;
    thread->utilization = utilization;
    return true;
}

static bool take_core_total(struct qaic_summary *summary, const char *line)
{
    unsigned number;
    uint64_t ucycles, pcycles;
    int used = 0;
    sscanf(line, "c%u total: %" SCNu64 " ucycles %" SCNu64 " pcycles%n", &number, &ucycles,
           &pcycles, &used);
    struct qaic_core *core = used > 0 ? qaic_summary_core_of(summary, number) : NULL;
    if (core == NULL)
        return false;
    core->ucycles = ucycles;
    core->pcycles = pcycles;
    return true;
}

// The same numbers as those of the thread.
static bool qaic_summary_take_batch(struct qaic_summary *summary, const char *line)
{
    unsigned core, number;
    uint64_t ucycles, start, end, pcycles;
    int used = 0;
    sscanf(line,
           "c%ut%u batch ucycles: %" SCNu64 " [%" SCNu64 ",%" SCNu64 "] pcycles: %" SCNu64 "%n",
           &core, &number, &ucycles, &start, &end, &pcycles, &used);
    struct qaic_thread *thread =
        used > 0 ? thread_of(qaic_summary_core_of(summary, core), number) : NULL;
    if (thread == NULL)
        return false;
    thread->ucycles = ucycles;
    thread->start = start;
    thread->end = end;
    thread->pcycles = pcycles;
    return true;
}

static bool take_inference(struct qaic_summary *summary, const char *line)
{
    unsigned number;
    uint64_t pcycles;
    double frequency;
    int cycles = 0, rate = 0;
    sscanf(line, "c%u: Total inference pcycle is %" SCNu64 "%n", &number, &pcycles, &cycles);
    if (cycles == 0)
        sscanf(line, "c%u: Effective frequency is %lfMHz%n", &number, &frequency, &rate);
    struct qaic_core *core = cycles + rate > 0 ? qaic_summary_core_of(summary, number) : NULL;
    if (core == NULL)
        return false;
    core->has_inference = true;
    if (cycles > 0)
        core->inference_pcycles = pcycles;
    else
        core->frequency = frequency;
    return true;
}

static bool take_port(struct qaic_summary *summary, const char *line)
{
    unsigned core, thread, port;
    uint64_t ucycles;
    int used = 0;
    sscanf(line, "c%ut%up%u Host_IO_Port ucycles: %" SCNu64 "%n", &core, &thread, &port, &ucycles,
           &used);
    uint64_t *place =
        used > 0 ? qaic_summary_port_of(qaic_summary_core_of(summary, core), thread, port) : NULL;
    if (place == NULL)
        return false;
    *place = ucycles;
    return true;
}

static bool take_activation(struct qaic_summary *summary, const char *line)
{
    unsigned core, number;
    uint64_t ucycles;
    int used = 0;
    sscanf(line, "c%ut%u activate ucycles: %" SCNu64 "%n", &core, &number, &ucycles, &used);
    struct qaic_thread *thread =
        used > 0 ? thread_of(qaic_summary_core_of(summary, core), number) : NULL;
    if (thread == NULL)
        return false;
    thread->has_activation = true;
    thread->activation = ucycles;
    return true;
}

static bool take_footer(struct qaic_summary *summary, const char *line)
{
    int used = 0;
    uint64_t ucycles;
    sscanf(line, "total batch ucycles: %" SCNu64 " [%" SCNu64 ", %" SCNu64 "]%n", &ucycles,
           &summary->start, &summary->end, &used);
    if (used > 0)
        return summary->has_total = true;
    sscanf(line, "max input wait ucycles: %" SCNu64 "%n", &summary->input_wait, &used);
    if (used == 0)
        sscanf(line, "max output wait ucycles: %" SCNu64 "%n", &summary->output_wait, &used);
    summary->has_waits |= used > 0;
    return used > 0;
}

// "[QAicGraph] Device instance batch/s: (1/0.0231603): 43.1774"
static bool take_rate(struct qaic_summary *summary, const char *line)
{
    const struct view text = view_of(line);
    const size_t end = view_find_text(text, "] Device instance ");
    if (line[0] != '[' || end == text.size)
        return false;
    const size_t after = end + strlen("] Device instance ");
    const struct view rest = view_slice(text, after, text.size);
    const bool batch = view_starts_with(rest, "batch/s: ");
    if (!batch && !view_starts_with(rest, "inf/s: "))
        return false;
    const size_t skipped = strlen(batch ? "batch/s: " : "inf/s: ");
    const struct view rate = arena_copy(&summary->arena, view_slice(rest, skipped, rest.size));
    summary->network = arena_copy(&summary->arena, view_slice(text, 1, end));
    *(batch ? &summary->batch_rate : &summary->inference_rate) = rate;
    return true;
}

static bool take_specialization(struct qaic_summary *summary, const char *line)
{
    const struct view text = view_of(line);
    if (!view_starts_with(text, "Specialization: "))
        return false;
    summary->specialization =
        arena_copy(&summary->arena, view_slice(text, strlen("Specialization: "), text.size));
    return true;
}

// What opscope says besides, and what its runner does.
static bool take_note(struct qaic_summary *summary, const char *line)
{
    const struct view text = view_of(line);
    if (!view_starts_with(text, "opscope: ") && !view_starts_with(text, "device: ") &&
        !view_starts_with(text, "host: "))
        return false;
    bytes_append_format(&summary->notes, "%s\n", line);
    summary->modelled |= view_is(text, QAIC_SUMMARY_MODELLED);
    if (view_starts_with(text, QAIC_SUMMARY_CUT)) {
        const struct view rest = view_slice(text, strlen(QAIC_SUMMARY_CUT), text.size);
        view_to_u64(view_slice(rest, 0, view_find(rest, ' ')), &summary->cut);
    }
    return true;
}

// A number, or NAN for "N/A"; percents have their sign.
static bool read_cell(struct view text, double *out_number)
{
    *out_number = NAN;
    if (view_is(text, "N/A"))
        return true;
    if (view_ends_with(text, "%"))
        text = view_slice(text, 0, text.size - 1);
    return view_to_double(text, out_number);
}

// The next word of a line; the rest begins right after it.
static struct view next_word(struct view *rest)
{
    size_t from = 0, to;
    while (from < rest->size && rest->data[from] == ' ')
        from++;
    for (to = from; to < rest->size && rest->data[to] != ' ';)
        to++;
    const struct view word = view_slice(*rest, from, to);
    *rest = view_slice(*rest, to, rest->size);
    return word;
}

static bool qaic_summary_take_row(struct qaic_summary *summary, const char *line)
{
    struct view rest = view_of(line);
    struct view word = next_word(&rest);
    double cells[COLUMNS];
    uint64_t number;
    if (word.size < 2 || word.data[0] != 'c' ||
        !view_to_u64(view_slice(word, 1, word.size), &number))
        return false;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!read_cell(next_word(&rest), &cells[i]))
            return false;
    }
    struct qaic_core *core = rest.size > 2 ? qaic_summary_core_of(summary, number) : NULL;
    if (core == NULL)
        return false;
    if ((core->row_count & (core->row_count + 1)) == 0) // room for twice as many
        core->rows = memory_resize(core->rows, (2 * core->row_count + 2) * sizeof *core->rows);
    core->rows[core->row_count++] = (struct qaic_row){
        .ucycles = cells[0],
        .ucycles_percent = cells[1],
        .pcycles = cells[2],
        .pcycles_percent = cells[3],
        .count = cells[4],
        .out_kb = cells[5],
        .ucycles_per_kb = cells[6],
        .pcycles_per_kb = cells[7],
        .deviation = cells[8],
        .details = arena_copy(&summary->arena, view_slice(rest, 2, rest.size)),
    };
    return true;
}

// Reading ------------------------------------------------------------------------------

static bool is_head(struct view line)
{
    return view_starts_with(line, "core  ucycles  ucycles(%)");
}

bool qaic_summary_recognise(struct view bytes)
{
    for (int lines = 0; bytes.size > 0 && lines < 8; lines++) {
        const size_t end = view_find(bytes, '\n');
        if (is_head(view_slice(bytes, 0, end)))
            return true;
        bytes = view_slice(bytes, end < bytes.size ? end + 1 : end, bytes.size);
    }
    return false;
}

static bool take_line(struct qaic_summary *summary, struct view line)
{
    static bool (*const TAKERS[])(struct qaic_summary *, const char *) = {
        take_thread,           take_core_total, qaic_summary_take_batch,
        take_inference,        take_port,       take_activation,
        take_footer,           take_rate,       take_specialization,
        qaic_summary_take_row, take_note,
    };
    char text[LINE_MOST];
    if (line.size == 0 || is_head(line))
        return true;
    if (line.size >= sizeof text || memchr(line.data, '\0', line.size) != NULL)
        return false;
    memcpy(text, line.data, line.size);
    text[line.size] = '\0';
    for (size_t i = 0; i < sizeof TAKERS / sizeof TAKERS[0]; i++) {
        if (TAKERS[i](summary, text))
            return true;
    }
    return false;
}

status qaic_summary_read(const struct input *input, struct qaic_summary **out_summary)
{
    struct qaic_summary *summary = memory_allocate_zeroed(1, sizeof *summary);
    struct view rest = input->bytes;
    for (size_t number = 1; rest.size > 0; number++) {
        const size_t end = view_find(rest, '\n');
        struct view line = view_slice(rest, 0, end);
        if (view_ends_with(line, "\r"))
            line.size--;
        if (!take_line(summary, line) && summary->unread++ == 0)
            summary->first_unread = number;
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    if (summary->core_count == 0) {
        qaic_summary_free(summary);
        return status_make(STATUS_DATA, "%s: the summary says nothing of any core", input->path);
    }
    *out_summary = summary;
    return STATUS_OK;
}

void qaic_summary_free(struct qaic_summary *summary)
{
    if (summary == NULL)
        return;
    for (size_t i = 0; i < summary->core_count; i++) {
        struct qaic_core *core = &summary->cores[i];
        for (size_t k = 0; k < core->thread_count; k++)
            free(core->threads[k].port_ucycles);
        free(core->threads);
        free(core->ports);
        free(core->rows);
    }
    free(summary->cores);
    bytes_free(&summary->notes);
    arena_free(&summary->arena);
    free(summary);
}

// Writing ------------------------------------------------------------------------------

static void write_cell(struct output *output, int width, int digits, const char *sign,
                       double number)
{
    char text[64];
    if (isnan(number))
        snprintf(text, sizeof text, "N/A");
    else
        snprintf(text, sizeof text, "%.*f%s", digits, number, sign);
    output_format(output, "%*s", width, text);
}

static void qaic_summary_write_row(struct output *output, uint32_t core, const struct qaic_row *row)
{
    char name[16];
    snprintf(name, sizeof name, "c%" PRIu32, core);
    output_format(output, "%-4s", name);
    write_cell(output, 9, 0, "", row->ucycles);
    write_cell(output, 12, 2, "%", row->ucycles_percent);
    write_cell(output, 12, 0, "", row->pcycles);
    write_cell(output, 12, 2, "%", row->pcycles_percent);
    write_cell(output, 7, 0, "", row->count);
    write_cell(output, 12, 2, "", row->out_kb);
    write_cell(output, 12, 2, "", row->ucycles_per_kb);
    write_cell(output, 12, 2, "", row->pcycles_per_kb);
    write_cell(output, 15, 2, "", row->deviation);
    output_format(output, "  %.*s\n", VIEW_ARGUMENTS(row->details));
}

static void write_threads(struct output *output, const struct qaic_core *core)
{
    output_format(output,
                  "\nc%" PRIu32 " total:%16" PRIu64 " ucycles%16" PRIu64 " pcycles (thread max)\n",
                  core->number, core->ucycles, core->pcycles);
    for (size_t i = 0; i < core->thread_count; i++) {
        const struct qaic_thread *thread = &core->threads[i];
        char group[64];
        snprintf(group, sizeof group, "%.*s", VIEW_ARGUMENTS(thread->group));
        output_format(output,
                      "c%" PRIu32 "    t%zu %-8s%16" PRIu64 " ucycles [%" PRIu64 ", %" PRIu64
                      "]%16" PRIu64 " pcycles",
                      core->number, i, group, thread->ucycles, thread->start, thread->end,
                      thread->pcycles);
        write_cell(output, 8, 2, "%", thread->utilization);
        output_text(output, " utilization\n");
    }
    output_text(output, "\n\n");
    for (size_t i = 0; i < core->thread_count; i++) {
        const struct qaic_thread *thread = &core->threads[i];
        output_format(output,
                      "c%02" PRIu32 "t%zu batch ucycles:%17" PRIu64 " [%" PRIu64 ",%" PRIu64
                      "]    pcycles:%16" PRIu64 " \n",
                      core->number, i, thread->ucycles, thread->start, thread->end,
                      thread->pcycles);
    }
}

static void qaic_summary_write_core(struct output *output, const struct qaic_core *core)
{
    output_format(output, "\n%s\n", HEAD);
    for (size_t i = 0; i < core->row_count; i++)
        qaic_summary_write_row(output, core->number, &core->rows[i]);
    write_threads(output, core);
    if (core->has_inference)
        output_format(output,
                      "c%" PRIu32 ": Total inference pcycle is %" PRIu64 "\nc%" PRIu32
                      ": Effective frequency is %.2fMHz\n",
                      core->number, core->inference_pcycles, core->number, core->frequency);
    for (size_t p = 0; p < core->port_count; p++) {
        for (size_t i = 0; i < core->thread_count; i++)
            output_format(output,
                          "c%02" PRIu32 "t%zup%" PRIu32 " Host_IO_Port ucycles:%17" PRIu64 "\n",
                          core->number, i, core->ports[p], core->threads[i].port_ucycles[p]);
    }
    for (size_t i = 0; i < core->thread_count; i++) {
        if (core->threads[i].has_activation)
            output_format(output, "c%02" PRIu32 "t%zu activate ucycles:%18" PRIu64 "\n",
                          core->number, i, core->threads[i].activation);
    }
}

static void write_rate(const struct qaic_summary *summary, const char *what, struct view rate,
                       struct output *output)
{
    if (rate.size > 0)
        output_format(output, "[%.*s] Device instance %s: %.*s\n", VIEW_ARGUMENTS(summary->network),
                      what, VIEW_ARGUMENTS(rate));
}

void qaic_summary_write(const struct qaic_summary *summary, struct output *output)
{
    if (summary->specialization.size > 0)
        output_format(output, "Specialization: %.*s\n\n\n",
                      VIEW_ARGUMENTS(summary->specialization));
    for (size_t i = 0; i < summary->core_count; i++)
        qaic_summary_write_core(output, &summary->cores[i]);
    if (summary->has_total)
        output_format(output, "total batch ucycles:%17" PRIu64 " [%" PRIu64 ", %" PRIu64 "]\n",
                      summary->end - summary->start, summary->start, summary->end);
    write_rate(summary, "batch/s", summary->batch_rate, output);
    write_rate(summary, "inf/s", summary->inference_rate, output);
    if (summary->has_waits)
        output_format(
            output, "max input wait ucycles:%18" PRIu64 "\nmax output wait ucycles:%17" PRIu64 "\n",
            summary->input_wait, summary->output_wait);
    output_write(output, summary->notes.data, summary->notes.size);
    output_text(output, "\n\n");
}
