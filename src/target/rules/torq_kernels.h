// What Torq's kernels share: the widths of a slice, and what a price is made of.

#ifndef OPSCOPE_TARGET_RULES_TORQ_KERNELS_H
#define OPSCOPE_TARGET_RULES_TORQ_KERNELS_H

#include "price.h"

struct kernels {
    uint64_t inputs;  // bytes of data at the multipliers
    uint64_t weights; // that each of them meets
    uint64_t results; // that leave the activation unit in a cycle
    uint64_t lookups;
    double peak; // MACs a cycle
};

enum { KERNEL_PARTS_MOST = 3 };

// A further task of the same program.
struct kernel_part {
    const char *name;
    uint64_t cycles;
    const char *how;
};

// What a price is made of: a kernel's passes over its data, each so many cycles, and further
// tasks of the same program.
struct kernel {
    const char *name;
    const char *type; // of the program, where its name is not that of the kernel; NULL
    uint64_t rounds;
    uint64_t each;
    uint64_t rest; // cycles of channels that are left over
    struct kernel_part parts[KERNEL_PARTS_MOST];
    uint32_t part_count;
    uint64_t broadcast; // cycles of operands that are spread first
    uint64_t fused;     // cycles of further kernels, for what is fused
    char how[160];
};

static inline uint64_t torq_kernels_at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

static inline uint64_t torq_kernels_bytes_of(uint32_t bits)
{
    return torq_kernels_at_least_one(price_divide_up(bits, 8));
}

// So many elements, some of them at a time.
void torq_kernels_price_at(struct kernel *out, const char *name, uint64_t count, uint64_t width,
                           uint64_t each);
void torq_kernels_add_part(struct kernel *out, const char *name, uint64_t cycles, const char *how);

// Movement, and COST_OTHER as far as there are kernels for it: others count as an element a
// cycle.
void torq_moves_price(const struct kernels *kernels, const struct cost_request *request,
                      struct kernel *out);

// Cycles to turn matrices with so many rows and columns.
uint64_t torq_moves_turned(const struct cost_request *request, uint64_t matrices, uint64_t rows,
                           uint64_t columns);

// Why there is no kernel for it; NULL: there is.
const char *torq_moves_refusal(const struct cost_request *request);

#endif
