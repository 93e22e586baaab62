// A job of an engine with a memory of its own, in the making: what the files that emit it share.

#ifndef OPSCOPE_COMPILER_EMIT_LOCAL_H
#define OPSCOPE_COMPILER_EMIT_LOCAL_H

#include "emit_task.h"

// Pieces of a value that slides: an input of the whole, or what a member hands to the next.
struct emit_ring {
    const struct plan_group *group; // that reads it
    uint32_t input;                 // of the group
    uint32_t member;                // that gives it; PLAN_NONE: it is loaded
    uint32_t axis;                  // that it slides along
    uint64_t piece;                 // bytes of each; 0: it does not slide
    uint64_t address;
};

// Where the operands of a job lie in the local memory of each core.
struct emit_layout {
    uint64_t *inputs;        // offset of each input: staying, or within a slot
    struct emit_ring *rings; // by input, then by member: of what it hands on
    uint64_t *outputs;
    uint64_t *kept; // by member: of what it hands to the next, within a slot
    uint64_t first; // of the slots
    uint64_t slot;  // bytes of one
    uint32_t slots;
};

// The tasks of one tile.
struct emit_flight {
    uint32_t *loads; // one for each input; PROGRAM_NONE where it stays
    uint32_t *load_buffers;
    uint32_t *computes;     // one for each member
    uint32_t *kept_buffers; // of what each hands to the next
    uint32_t *leaves;       // what takes each output out of the engine's memory
    uint32_t *stores;       // the same, where nothing lies between that and the far memory
    uint32_t *store_buffers;
};

struct emit_local {
    struct emit_job job;
    struct emitter *emitter;
    const struct target *target;
    const struct plan_chain *chain;   // NULL: of one group
    const struct plan_group *whole;   // what comes in and goes out
    const struct plan_group *members; // one, or the groups of a chain
    uint32_t first_member;
    uint32_t member_count;
    uint32_t units; // cores that take part
    uint32_t first; // of them
    struct emit_layout layout;
    struct emit_flight *flights;
    uint32_t *staying; // [input * units + unit]: the buffer of each input that stays
    uint32_t *staying_loads;
    uint32_t memory;     // of the engines
    uint32_t next_fetch; // place that is loaded here for a later job; PLAN_NONE
    uint64_t fetched;    // bytes of those that have been
    struct plan_way way;
    struct arena scratch;
};

// Part of a value on its way to the memory of a core.
struct emit_carriage {
    uint32_t group; // of the program
    uint32_t value;
    const struct plan_box *box;
    uint32_t tile;
    uint32_t unit;
    uint64_t address;
};

// The core that a tile is dealt to, an engine of it, and a place in a memory of it.
uint32_t emit_local_unit(const struct emit_local *local, uint32_t tile);
struct emit_at emit_local_engine(const struct emit_local *local, uint32_t engine, uint32_t unit);
struct emit_place emit_local_place(const struct emit_local *local, uint32_t memory, uint32_t unit,
                                   uint64_t address);

// Brings part of a value to a core. `before`: the tile that used the place before, or NULL;
// `brought`: the load that used it then, or PROGRAM_NONE: what it left on its way may go. Starts
// all tasks but the last, which it returns.
uint32_t emit_local_load(struct emit_local *local, const struct emit_carriage *what,
                         const struct emit_flight *before, uint32_t brought, uint32_t *out_buffer);

// Those that used the place before have let go of it: members that read the input.
void emit_local_after_readers(struct emit_local *local, uint32_t task,
                              const struct emit_flight *before, uint32_t value);

// The program of a member, after those of members before, and the tables that stand for the
// constants that it does not have (emit_local_code.c).
void emit_local_program(struct emit_local *local, const struct plan_group *member, uint64_t offset);

// What slides (emit_slide.c). Finds the rings of a job: bytes that all of them take for each
// place; and gives them as many as there are slots and one more, from `at` on: their end.
uint64_t emit_slide_find(struct emit_local *local);
uint64_t emit_slide_place(struct emit_local *local, uint64_t at);

// The ring of an input of the whole, of what a member hands on, of a value that a member reads;
// NULL: it does not slide.
struct emit_ring *emit_slide_input(const struct emit_local *local, uint32_t input);
struct emit_ring *emit_slide_handed(const struct emit_local *local, uint32_t member);
struct emit_ring *emit_slide_read(const struct emit_local *local, uint32_t member, uint32_t value);

// Where the piece of a tile lies; those that read what lay there are over before a task.
uint64_t emit_slide_address(const struct emit_local *local, const struct emit_ring *ring,
                            uint32_t tile);
void emit_slide_after(struct emit_local *local, const struct emit_ring *ring, uint32_t tile,
                      uint32_t task);

// A tile's load of an input that slides, and what a task reads of a ring.
void emit_slide_load(struct emit_local *local, const struct emit_ring *ring, uint32_t tile);
void emit_slide_operands(struct emit_local *local, const struct emit_ring *ring, uint32_t task,
                         uint32_t tile, struct emit_places *places);

#endif
