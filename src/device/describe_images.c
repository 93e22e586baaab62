#include "describe_images.h"

#include <stdlib.h>

#include "base/memory.h"
#include "network/operators.h"

enum {
    IMAGE_RANK = 4,   // batch, channels, height, width, in whatever order
    ROUNDS_MOST = 16, // in each, what is known goes through the whole network twice
};

enum kind { KIND_OTHER, KIND_IMAGE, KIND_PRODUCT };

struct finding {
    const struct program *program;
    enum kind *kinds; // by group
    bool *images;     // by value
};

static enum kind kind_of(const struct program *program, const struct program_group *group)
{
    enum kind kind = KIND_OTHER;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct program_node *node = &program->nodes[group->first_node + i];
        const struct operator_definition *definition =
            operator_find(view_of(program_text(program, node->domain)),
                          view_of(program_text(program, node->type)));
        if (definition == NULL)
            continue;
        if (definition->class == OPERATOR_CONVOLUTION || definition->class == OPERATOR_POOLING)
            return KIND_IMAGE;
        if (definition->class == OPERATOR_MATMUL || definition->class == OPERATOR_RECURRENT)
            kind = KIND_PRODUCT;
    }
    return kind;
}

// Whether one of a group's values is an image.
static bool touches_image(const struct finding *finding, const struct program_group *group)
{
    const struct program *program = finding->program;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct program_node *node = &program->nodes[group->first_node + i];
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            const uint32_t value = program->node_values[node->first_value + k];
            if (value != PROGRAM_NONE && finding->images[value])
                return true;
        }
    }
    return false;
}

// Then all of them are that have as many sides. True where that is news.
static bool mark_images(struct finding *finding, const struct program_group *group)
{
    const struct program *program = finding->program;
    bool news = false;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct program_node *node = &program->nodes[group->first_node + i];
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            const uint32_t value = program->node_values[node->first_value + k];
            if (value == PROGRAM_NONE || program->values[value].rank != IMAGE_RANK)
                continue;
            news = news || !finding->images[value];
            finding->images[value] = true;
        }
    }
    return news;
}

static bool spread(struct finding *finding, uint32_t group)
{
    const struct program_group *item = &finding->program->groups[group];
    return finding->kinds[group] == KIND_OTHER && touches_image(finding, item) &&
           mark_images(finding, item);
}

bool *describe_images_find(const struct program *program)
{
    const uint32_t count = program->group_count;
    bool *groups = memory_allocate_zeroed((size_t)count + 1, sizeof *groups);
    struct finding finding = {
        .program = program,
        .kinds = memory_allocate_zeroed((size_t)count + 1, sizeof *finding.kinds),
        .images = memory_allocate_zeroed((size_t)program->value_count + 1, sizeof(bool))};
    for (uint32_t g = 0; g < count; g++) {
        finding.kinds[g] = kind_of(program, &program->groups[g]);
        if (finding.kinds[g] == KIND_IMAGE)
            mark_images(&finding, &program->groups[g]);
    }
    bool news = true;
    for (unsigned round = 0; round < ROUNDS_MOST && news; round++) {
        news = false;
        for (uint32_t g = 0; g < count; g++)
            news |= spread(&finding, g);
        for (uint32_t g = count; g-- > 0;)
            news |= spread(&finding, g);
    }
    for (uint32_t g = 0; g < count; g++)
        groups[g] =
            finding.kinds[g] == KIND_IMAGE ||
            (finding.kinds[g] == KIND_OTHER && touches_image(&finding, &program->groups[g]));
    free(finding.kinds);
    free(finding.images);
    return groups;
}
