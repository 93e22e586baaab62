#include "partition.h"

#include "group.h"

static status check_devices(const struct plan *plan, const struct compile_options *options)
{
    for (size_t i = 0; i < options->partition_count; i++) {
        const struct compile_partition *partition = &options->partitions[i];
        if (partition->device_count == 0 ||
            (uint64_t)partition->first_device + partition->device_count >
                plan->target->device_count)
            return status_make(STATUS_USAGE, "partition %zu is for devices that %s does not have",
                               i, plan->target->name);
    }
    return STATUS_OK;
}

// The partition that names a node; the number of them: none does.
static size_t find_partition(const struct compile_options *options, struct view name)
{
    for (size_t i = 0; name.size > 0 && i < options->partition_count; i++) {
        for (size_t k = 0; k < options->partitions[i].node_count; k++) {
            if (view_equal(options->partitions[i].nodes[k], name))
                return i;
        }
    }
    return options->partition_count;
}

static size_t partition_of(const struct plan *plan, const struct plan_group *group,
                           const struct compile_options *options)
{
    size_t found = options->partition_count;
    for (uint32_t i = 0; i < group->node_count && found == options->partition_count; i++)
        found = find_partition(options, group_node(plan, group, i)->name);
    return found;
}

static bool names_node(const struct network *network, struct view name)
{
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        if (view_equal(network_node(network, i)->name, name))
            return true;
    }
    return false;
}

static status check_names(const struct plan *plan, const struct compile_options *options)
{
    for (size_t i = 0; i < options->partition_count; i++) {
        const struct compile_partition *partition = &options->partitions[i];
        for (size_t k = 0; k < partition->node_count; k++) {
            const struct view name = partition->nodes[k];
            if (!names_node(plan->network, name))
                return status_make(STATUS_USAGE, "partition %zu: the network has no node '%.*s'", i,
                                   VIEW_ARGUMENTS(name));
            if (find_partition(options, name) != i)
                return status_make(STATUS_USAGE, "node '%.*s' is in two partitions",
                                   VIEW_ARGUMENTS(name));
        }
    }
    return STATUS_OK;
}

status partition_groups(struct plan *plan, const struct compile_options *options)
{
    const uint32_t cores = plan->target->core_count;
    size_t current = 0;
    if (options->partition_count == 0)
        return STATUS_OK;
    STATUS_TRY(check_devices(plan, options));
    STATUS_TRY(check_names(plan, options));
    for (uint32_t i = 0; i < plan->group_count; i++) {
        struct plan_group *group = &plan->groups[i];
        const size_t named = partition_of(plan, group, options);
        current = named < options->partition_count ? named : current;
        group->first_unit = options->partitions[current].first_device * cores;
        group->unit_most = options->partitions[current].device_count * cores;
    }
    return STATUS_OK;
}
