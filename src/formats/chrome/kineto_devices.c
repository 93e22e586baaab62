#include "kineto_devices.h"

#include "json.h"

enum { DEVICES_MOST = 1024 };

struct kineto_device {
    uint64_t pid;
    uint32_t label; // string id
    uint32_t track; // 0: it did nothing
};

void kineto_devices_start(struct kineto_devices *devices, struct profile *profile)
{
    *devices = (struct kineto_devices){.profile = profile};
    segments_start(&devices->items, sizeof(struct kineto_device));
}

void kineto_devices_free(struct kineto_devices *devices)
{
    segments_free(&devices->items);
}

void kineto_devices_label(struct kineto_devices *devices, const struct chrome_event *event)
{
    if (devices->items.count == DEVICES_MOST || event->pid.kind != CHROME_NUMBER)
        return;
    struct kineto_device *device = segments_add(&devices->items);
    *device = (struct kineto_device){
        .pid = event->pid.number,
        .label = profile_string(devices->profile, chrome_argument(event->args, "labels"))};
}

void kineto_devices_find(struct kineto_devices *devices, const struct chrome_event *event,
                         uint32_t track)
{
    uint64_t number;
    struct track *lane = profile_track(devices->profile, track);
    if (chrome_number_of(chrome_find(event->args, "device"), &number) && number < UINT32_MAX)
        lane->device = (uint32_t)number + 1;
    for (uint32_t i = 0; i < devices->items.count; i++) {
        struct kineto_device *device = segments_get(&devices->items, i);
        if (device->pid == event->pid.number)
            device->track = lane->parent;
    }
}

void kineto_devices_name(struct kineto_devices *devices)
{
    struct profile *profile = devices->profile;
    struct bytes text = {0};
    for (uint32_t i = 0; i < devices->items.count; i++) {
        const struct kineto_device *device = segments_get(&devices->items, i);
        struct track *process = profile_track(profile, device->track);
        const struct view name = profile_text(profile, process->name);
        const struct view label = profile_text(profile, device->label);
        if (device->track == 0 || label.size == 0 || view_find_text(name, "(") < name.size)
            continue;
        text.size = 0;
        bytes_append_format(&text, "%.*s (%.*s)", VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(label));
        process->name = profile_string(profile, bytes_view(&text));
    }
    bytes_free(&text);
}
