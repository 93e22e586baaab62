#include "kineto_kinds.h"

#include "dialect.h"
#include "json.h"

static bool kineto_is_among(struct view category, const char *const *names)
{
    while (*names != NULL && !view_is(category, *names))
        names++;
    return *names != NULL;
}

static bool kineto_ends_among(struct view category, const char *const *ends)
{
    while (*ends != NULL && !view_ends_with(category, *ends))
        ends++;
    return *ends != NULL;
}

// PyTorch's own profiler, before Kineto, had two processes with these names, and no categories.
static bool is_process(const struct chrome_event *event, const char *name)
{
    return event->category.size == 0 && event->pid.kind == CHROME_TEXT &&
           view_is(event->pid.text, name);
}

bool kineto_is_operator(const struct chrome_event *event)
{
    return view_is(event->category, "cpu_op") || view_is(event->category, "Operator") ||
           is_process(event, "CPU functions");
}

bool kineto_is_launch(const struct chrome_event *event)
{
    static const char *const ENDS[] = {"_runtime", "_driver", NULL};
    return kineto_ends_among(event->category, ENDS) || view_is(event->category, "Runtime") ||
           view_is(event->category, "hpu_op");
}

static bool is_copy(const struct chrome_event *event)
{
    static const char *const ENDS[] = {"_memcpy", "_MEMCPY", NULL};
    return kineto_ends_among(event->category, ENDS) || view_is(event->category, "Memcpy");
}

static bool is_fill(const struct chrome_event *event)
{
    static const char *const ENDS[] = {"_memset", "_MEMSET", NULL};
    return kineto_ends_among(event->category, ENDS) || view_is(event->category, "Memset");
}

bool kineto_is_device(const struct chrome_event *event)
{
    static const char *const NAMES[] = {"kernel", "Kernel", "collective_comm", "mtia_ccp_events",
                                        NULL};
    return kineto_is_among(event->category, NAMES) || is_copy(event) || is_fill(event) ||
           is_process(event, "CUDA functions");
}

const char *kineto_beside(const struct chrome_event *event)
{
    static const char *const ANNOTATIONS[] = {"gpu_user_annotation", "GCU_USER_ANNOTATION", NULL};
    static const char *const WAITS[] = {"_sync", "cuda_event", NULL};
    if (kineto_is_among(event->category, ANNOTATIONS))
        return "annotations";
    return kineto_ends_among(event->category, WAITS) ? "synchronization" : NULL;
}

bool kineto_is_host(const struct chrome_event *event)
{
    static const char *const NAMES[] = {"python_function", "user_annotation", "cpu_instant_event",
                                        NULL};
    return kineto_is_operator(event) || kineto_is_launch(event) ||
           kineto_is_among(event->category, NAMES);
}

bool kineto_waits(const struct chrome_event *event)
{
    static const char *const CALLS[] = {"Synchronize", "urQueueFinish", "urEventWait", NULL};
    if (!kineto_is_launch(event))
        return false;
    for (const char *const *call = CALLS; *call != NULL; call++) {
        if (view_find_text(event->name, *call) < event->name.size)
            return true;
    }
    return false;
}

// A stream does all of these.
enum role kineto_role_of(const struct chrome_event *event)
{
    if (!kineto_is_device(event))
        return ROLE_NONE;
    if (is_fill(event))
        return ROLE_TRANSFER;
    if (is_copy(event))
        return chrome_copy_role(event->name);
    if (view_is(event->category, "collective_comm") ||
        chrome_argument_raw(event, "Collective name").size > 0)
        return ROLE_COMMUNICATION;
    return chrome_kernel_role(event->name);
}

// Without any ids: what only PyTorch calls so.
static bool is_its_own(const struct chrome_event *event)
{
    static const struct {
        const char *category;
        const char *begins;
    } NAMES[] = {
        {"cpu_op", "aten::"},       {"cpu_op", "autograd::"}, {"gpu_memcpy", "Memcpy "},
        {"gpu_memset", "Memset ("}, {"python_function", ""},  {"user_annotation", "ProfilerStep#"},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (view_is(event->category, NAMES[i].category) &&
            view_starts_with(event->name, NAMES[i].begins))
            return true;
    }
    return false;
}

bool chrome_kineto_is(const struct chrome_event *event)
{
    if (event->phase != 'X')
        return false;
    if (is_process(event, "CPU functions"))
        return view_starts_with(event->name, "aten::");
    if (is_its_own(event))
        return true;
    return (kineto_is_operator(event) || kineto_is_device(event) || kineto_is_launch(event)) &&
           (chrome_argument_raw(event, "External id").size > 0 ||
            chrome_argument_raw(event, "correlation").size > 0 ||
            chrome_argument_raw(event, "external id").size > 0);
}
