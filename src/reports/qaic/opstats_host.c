#include "opstats_host.h"

#include <stdlib.h>

#include "base/memory.h"
#include "formats/chrome/events.h"
#include "formats/chrome/json.h"

enum { DEVICE_PROCESS = 2000 }; // of the device's first core

struct host_start {
    uint64_t activation, inference;
    double us;
    bool exact; // when the device began; else when the inference did
};

struct opstats_host {
    struct input *input;
    struct host_start *starts;
    size_t count, capacity;
    bool any;
    double first_us;
};

struct host_look {
    struct chrome_visitor visitor;
    struct opstats_host *host;
};

static bool is_of_device(const struct chrome_event *event)
{
    return event->pid.kind == CHROME_NUMBER && event->pid.number >= DEVICE_PROCESS;
}

// The number at the end of "Inference-3", "aicsubmit-Inf-3"; or the argument of that name.
static bool inference_of(const struct chrome_event *event, uint64_t *out_number)
{
    const size_t line = view_find_last(event->name, '-');
    if (chrome_number_of(chrome_find(event->args, "inference"), out_number))
        return true;
    return line < event->name.size &&
           view_to_u64(view_slice(event->name, line + 1, event->name.size), out_number);
}

static void look_at(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct opstats_host *host = ((struct host_look *)visitor)->host;
    const bool begins = event->phase == 'X' || event->phase == 'b' || event->phase == 'B';
    struct host_start start = {.activation = event->tid.number,
                               .us = (double)event->ts / 1e3,
                               .exact = view_is(event->name, "execToComplete")};
    if (!begins || !event->has_ts || is_of_device(event))
        return;
    host->first_us = !host->any || start.us < host->first_us ? start.us : host->first_us;
    host->any = true;
    if (!inference_of(event, &start.inference))
        return;
    host->starts = memory_grow(host->starts, host->count, &host->capacity, sizeof *host->starts);
    host->starts[host->count++] = start;
}

status opstats_host_read(const char *path, struct opstats_host **out_host)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    if (!chrome_recognise(input->bytes)) {
        input_close(input);
        return status_make(STATUS_DATA,
                           "%s: is no trace: give the one that qaic-runner "
                           "--aic-profiling-type=trace wrote",
                           path);
    }
    struct opstats_host *host = memory_allocate_zeroed(1, sizeof *host);
    struct host_look look = {.visitor.event = look_at, .host = host};
    host->input = input;
    chrome_events_visit(input->bytes, &look.visitor);
    *out_host = host;
    return STATUS_OK;
}

void opstats_host_free(struct opstats_host *host)
{
    if (host == NULL)
        return;
    input_close(host->input);
    free(host->starts);
    free(host);
}

// The thread of an activation is its number; of others, the inference alone has to do.
bool opstats_host_find(const struct opstats_host *host, uint64_t activation, uint64_t inference,
                       double *out_us)
{
    const struct host_start *best = NULL;
    for (size_t i = 0; i < host->count; i++) {
        const struct host_start *start = &host->starts[i];
        if (start->inference != inference)
            continue;
        const bool better = best == NULL || (start->exact && !best->exact) ||
                            (start->exact == best->exact && start->activation == activation &&
                             best->activation != activation);
        best = better ? start : best;
    }
    *out_us = best != NULL ? best->us : host->first_us;
    return best != NULL;
}

struct host_writing {
    struct chrome_visitor visitor;
    struct output *output;
};

// A line may be broken inside an event of the file, not here.
static void write_event(struct chrome_visitor *visitor, const struct chrome_event *event)
{
    struct output *output = ((struct host_writing *)visitor)->output;
    struct view rest = event->object;
    if (is_of_device(event))
        return;
    output_text(output, ",");
    while (rest.size > 0) {
        const size_t end = view_find(rest, '\n');
        output_write(output, rest.data, end);
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    output_text(output, "\n");
}

void opstats_host_write(const struct opstats_host *host, struct output *output)
{
    struct host_writing writing = {.visitor.event = write_event, .output = output};
    chrome_events_visit(host->input->bytes, &writing.visitor);
}
