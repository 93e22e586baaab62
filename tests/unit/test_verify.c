// What a program with several streams may not do: each change of a proved one is refused, and
// the message says what is wrong.

#include "compiler_support.h"

#include "../tools/three_cores.h"
#include "program/validate.h"

struct made {
    struct three_cores cores;
    struct target *target;
};

static struct program *make(struct made *made)
{
    require_ok(target_parse("three", view_of(THREE_CORES), &made->target));
    three_cores_make(&made->cores);
    return &made->cores.program;
}

static void made_free(struct made *made)
{
    three_cores_free(&made->cores);
    target_free(made->target);
}

// The tables lie in the builder's memory.
#define AT(program, table, index)                                                                  \
    (&((__typeof__((void)0, *(program)->table) *)(uintptr_t)(program)->table)[index])

static uint32_t step_of(const struct program *program, enum program_step_kind kind,
                        uint32_t subject, uint32_t nth)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct program_step *step = &program->steps[i];
        const uint32_t own = program_step_has_task(step) ? step->task : step->semaphore;
        if (step->kind == kind && own == subject && nth-- == 0)
            return i;
    }
    fail_msg("no such step");
    return 0;
}

static void drop_step(struct program *program, uint32_t step)
{
    memmove(AT(program, steps, step), AT(program, steps, step + 1),
            (program->step_count - step - 1) * sizeof *program->steps);
    program->step_count--;
    AT(program, jobs, 0)->step_count--;
}

static void swap_steps(struct program *program, uint32_t a, uint32_t b)
{
    const struct program_step step = program->steps[a];
    *AT(program, steps, a) = program->steps[b];
    *AT(program, steps, b) = step;
}

static void judge(struct made *made, const char *why)
{
    struct verify_counts counts;
    require_ok(program_validate(&made->cores.program));
    const status failure = program_verify(&made->cores.program, made->target, &counts);
    if (why == NULL)
        require_ok(failure);
    else
        require_refused(failure, why);
    made_free(made);
}

static void it_is_proved(void **state)
{
    (void)state;
    struct made made;
    const struct program *program = make(&made);
    struct verify_counts counts;
    require_ok(program_validate(program));
    require_ok(program_verify(program, made.target, &counts));
    assert_int_equal(counts.streams, 6);
    assert_int_equal(counts.tasks, 20);
    assert_int_equal(counts.semaphore_steps + 40, counts.steps);
    made_free(&made);
}

static void swapped_semaphores(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    const uint32_t a = step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_LOADED + 1, 0);
    const uint32_t b = step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_LOADED + 2, 0);
    AT(program, steps, a)->semaphore = SEMAPHORE_LOADED + 2;
    AT(program, steps, b)->semaphore = SEMAPHORE_LOADED + 1;
    judge(&made, "'sums 1': task 6: it starts before task 5, which it depends on, has been "
                 "waited for");
}

static void a_missing_await(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    drop_step(program, step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_CAST, 1));
    three_lives(&made.cores);
    judge(&made, "'sums 2': task 9: it starts before task 1, which it depends on");
}

// The next part of x is loaded where the one before is still added.
static void a_part_is_overwritten_while_it_is_read(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    const uint32_t await = step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_SUMMED + 1, 0);
    const uint32_t task = made.cores.load[1][1];
    drop_step(program, await);
    // Its store and what it is said to wait for go too: only the bytes are left.
    drop_step(program, step_of(program, PROGRAM_STEP_START, made.cores.store[0][1], 0));
    drop_step(program, step_of(program, PROGRAM_STEP_WAIT, made.cores.store[0][1], 0));
    AT(program, tasks, task)->dependency_count = 0;
    three_lives(&made.cores);
    judge(&made, "'moves 1': task 14: it starts while task 6 uses the same bytes");
}

static void a_stream_that_waits_for_itself(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_SUMMED, 0))->semaphore =
        SEMAPHORE_LOADED;
    judge(&made, "'moves 0': stream 0 awaits semaphore 0, which it signals itself");
}

static void a_signal_of_another_stream(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_SIGNAL, SEMAPHORE_LOADED, 0))->semaphore =
        SEMAPHORE_LOADED + 1;
    judge(&made, "semaphore 1 is signalled by stream 0, but is one of stream 1");
}

static void an_await_of_more_than_is_signalled(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_CAST, 0))->count = 2;
    judge(&made, "stream 4 awaits 2 of semaphore 6, which has been signalled 1 times before");
}

// In the order of the tables nothing could go on.
static void an_await_before_its_signal(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    swap_steps(program, step_of(program, PROGRAM_STEP_SIGNAL, SEMAPHORE_LOADED + 2, 1),
               step_of(program, PROGRAM_STEP_AWAIT, SEMAPHORE_LOADED + 2, 1));
    judge(&made, "which has been signalled 1 times before");
}

static void a_wait_for_a_task_of_another_stream(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_WAIT, made.cores.sum[0][1], 0))->stream =
        STREAM_SUMS;
    judge(&made, "'sums 0': task 6: it is waited for by another stream than started it");
}

static void a_task_of_another_cores_engine(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_START, made.cores.load[0][1], 0))->stream = 2;
    judge(&made, "'moves 2': task 5: its engine is of unit 1, but stream 2 is of unit 2");
}

static void a_task_of_another_queue(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, steps, step_of(program, PROGRAM_STEP_START, made.cores.load[0][1], 0))->stream = 4;
    judge(&made, "task 5: its engine is not one of the queue of stream 4");
}

static void two_streams_of_one_queue(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, streams, 1)->unit = 0;
    judge(&made, "streams 0 and 1 are of the same unit of the same queue");
}

// The store of core 2 goes where that of core 1 went, from a tile that says so.
static void two_writers_of_one_element(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    const uint32_t operand = program->tasks[made.cores.store[0][2]].first_operand;
    AT(program, operands, operand + 1)->from[0] = PART;
    AT(program, buffers, made.cores.y[0][2])->origin[0] = PART;
    judge(&made, "'moves 2': task 10: it starts while task 7 uses the same bytes");
}

// The same within one stream.
static void an_element_is_written_twice(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    const uint32_t operand = program->tasks[made.cores.store[1][2]].first_operand;
    AT(program, operands, operand + 1)->from[0] = 2 * PART;
    AT(program, buffers, made.cores.y[1][2])->origin[0] = 2 * PART;
    judge(&made, "task 19: it writes what has been written, by task 10 to buffer 2");
}

static void an_unwritten_part_is_read(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    // One destination less.
    AT(program, tasks, made.cores.cast)->operand_count = 2;
    AT(program, tasks, made.cores.cast)->unit_count = 1;
    AT(program, tasks, made.cores.sum[0][2])->dependency_count = 1;
    three_lives(&made.cores);
    judge(&made, "'sums 2': task 9: it reads what has not been written, of buffer 13");
}

static void an_undeclared_dependency(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, tasks, made.cores.sum[0][2])->dependency_count = 1;
    judge(&made, "task 9: it reads what task 1 writes without depending on it");
}

static void a_cast_by_an_engine_that_cannot(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, tasks, made.cores.cast)->engine = ENGINE_SINGLE;
    judge(&made, "task 1: it is cast to several places, which its engine cannot do");
}

static void a_cast_to_other_units_than_said(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    *AT(program, task_units, 1) = 1;
    judge(&made, "task 1: a transfer to other units than it says");
    program = make(&made);
    AT(program, tasks, made.cores.cast)->unit_count = 0;
    judge(&made, "task 1: a transfer to other units than it says");
}

static void a_cast_to_the_same_unit_twice(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    *AT(program, task_units, 1) = 1;
    AT(program, buffers, made.cores.w[2])->unit = 1;
    AT(program, buffers, made.cores.w[2])->address = 256;
    judge(&made, "task 1: a transfer to the same unit twice");
}

static void a_cast_from_another_core(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, tasks, made.cores.cast)->unit = 1;
    judge(&made, "task 1: its engine does not carry between these units");
}

static void a_load_to_another_core(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, buffers, made.cores.x[0][1])->unit = 2;
    AT(program, buffers, made.cores.x[0][1])->address = 256;
    judge(&made, "task 5: its engine does not carry between these units");
}

static void overlapping_parts_that_live(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, buffers, made.cores.w[1])->address = (ADDRESS_X + PART - 1) / 64 * 64;
    judge(&made, "are in use together at the same address");
}

// The same address of another core is another place.
static void parts_of_other_cores_do_not_overlap(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, buffers, made.cores.w[1])->address = 512;
    for (uint32_t round = 0; round < ROUNDS; round++)
        AT(program, buffers, made.cores.x[round][2])->address = 512;
    judge(&made, NULL);
}

static void units_are_the_targets(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    AT(program, buffers, made.cores.w[1])->unit = 3;
    judge(&made, "buffer 8: the target has no such unit of its memory");
    program = make(&made);
    AT(program, tasks, 3)->unit = 3;
    judge(&made, "task 3: the target has no such unit of its engine");
    program = make(&made);
    AT(program, streams, 5)->unit = 3;
    judge(&made, "stream 5: the target has no such unit of its queue");
    program = make(&made);
    AT(program, streams, 5)->queue = 2;
    judge(&made, "stream 5: the target has no such queue");
    program = make(&made);
    AT(program, tasks, 3)->lane = 1;
    judge(&made, "task 3: the target has no such engine or lane");
}

static void ports_are_what_their_buffers_hold(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    *AT(program, inputs, 0) = VALUE_Y;
    judge(&made, "input 0: its value is none that the caller gives");
    program = make(&made);
    program->input_count = 0;
    judge(&made, "buffer 0: it holds no input of the network");
    program = make(&made);
    AT(program, buffers, made.cores.far_w)->value = VALUE_X;
    judge(&made, "buffer 1: it holds no constant of the network");
    program = make(&made);
    AT(program, values, VALUE_X)->dims[0]++;
    judge(&made, "buffer 0: it has another type than its value");
    program = make(&made);
    *AT(program, outputs, 0) = VALUE_W;
    judge(&made, "buffer 2: it holds no output of the network");
}

static void a_lane_that_is_not_free(void **state)
{
    (void)state;
    struct made made;
    struct program *program = make(&made);
    const uint32_t start = step_of(program, PROGRAM_STEP_START, made.cores.cast, 0);
    swap_steps(program, start, start + 1);
    judge(&made, "task 1: it is waited for before it starts");
    program = make(&made);
    const uint32_t wait = step_of(program, PROGRAM_STEP_WAIT, made.cores.load_w, 0);
    const uint32_t load = step_of(program, PROGRAM_STEP_START, made.cores.load[0][0], 0);
    swap_steps(program, wait, load);
    judge(&made, "task 2: its lane has not been waited for: task 0");
}

// Random programs: verify against a look at every pair ------------------------------------

enum { STEPS_MOST = 400 };

// Whether step a happens before step b, by trying all ways.
static void close_order(const struct program *program, bool before[STEPS_MOST][STEPS_MOST])
{
    uint32_t raised[STEPS_MOST][2 * CORES + 1] = {0};
    memset(before, 0, sizeof(bool[STEPS_MOST][STEPS_MOST]));
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct program_step *step = &program->steps[i];
        if (i > 0)
            memcpy(raised[i], raised[i - 1], sizeof raised[i]);
        if (step->kind == PROGRAM_STEP_SIGNAL)
            raised[i][step->semaphore]++;
        for (uint32_t k = 0; k < i; k++) {
            const struct program_step *other = &program->steps[k];
            before[k][i] =
                other->stream == step->stream ||
                (step->kind == PROGRAM_STEP_AWAIT && other->kind == PROGRAM_STEP_SIGNAL &&
                 other->semaphore == step->semaphore && raised[k][step->semaphore] <= step->count);
        }
    }
    for (uint32_t k = 0; k < program->step_count; k++) {
        for (uint32_t i = 0; i < k; i++) {
            for (uint32_t j = k + 1; before[i][k] && j < program->step_count; j++)
                before[i][j] |= before[k][j];
        }
    }
}

static bool shares_bytes(const struct program *program, const struct program_task *a,
                         const struct program_task *b)
{
    for (uint32_t i = 0; i < a->operand_count; i++) {
        for (uint32_t k = 0; k < b->operand_count; k++) {
            const struct program_operand *x = &program->operands[a->first_operand + i];
            const struct program_operand *y = &program->operands[b->first_operand + k];
            const struct program_buffer *p = &program->buffers[x->buffer];
            const struct program_buffer *q = &program->buffers[y->buffer];
            if ((x->writes != 0 || y->writes != 0) && p->memory == q->memory &&
                p->unit == q->unit &&
                p->address + (uint64_t)x->from[0] < q->address + (uint64_t)(y->from[0] + PART) &&
                q->address + (uint64_t)y->from[0] < p->address + (uint64_t)(x->from[0] + PART))
                return true;
        }
    }
    return false;
}

static bool same_lane(const struct program_task *a, const struct program_task *b)
{
    return a->engine == b->engine && a->unit == b->unit && a->lane == b->lane;
}

// Whether each two tasks that must not run side by side cannot.
static bool is_ordered(const struct program *program)
{
    static bool before[STEPS_MOST][STEPS_MOST];
    assert_true(program->step_count <= STEPS_MOST);
    close_order(program, before);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const uint32_t wait = step_of(program, PROGRAM_STEP_WAIT, i, 0);
        for (uint32_t k = 0; k < program->task_count; k++) {
            const struct program_task *a = &program->tasks[i];
            const struct program_task *b = &program->tasks[k];
            const uint32_t start = step_of(program, PROGRAM_STEP_START, k, 0);
            if (start > step_of(program, PROGRAM_STEP_START, i, 0) &&
                (same_lane(a, b) || shares_bytes(program, a, b)) && !before[wait][start])
                return false;
        }
    }
    return true;
}

// Semaphores' steps are dropped, or moved to where the tables still allow them.
static void some_awaits_less(void **state)
{
    (void)state;
    unsigned seed = 1;
    unsigned proved = 0;
    enum { TRIES = 400 };
    for (unsigned i = 0; i < TRIES; i++) {
        struct made made;
        struct program *program = make(&made);
        for (unsigned k = 0; k < 1 + i % 3; k++) {
            const uint32_t step = (uint32_t)rand_r(&seed) % program->step_count;
            if (program->steps[step].kind == PROGRAM_STEP_AWAIT && rand_r(&seed) % 2 == 0)
                drop_step(program, step);
            else if (program->steps[step].kind == PROGRAM_STEP_AWAIT)
                AT(program, steps, step)->count = 1;
            else if (step + 1 < program->step_count &&
                     program->steps[step].stream != program->steps[step + 1].stream)
                swap_steps(program, step, step + 1);
        }
        three_lives(&made.cores);
        struct verify_counts counts;
        const status failure = program_verify(program, made.target, &counts);
        if (failure == STATUS_OK || strstr(status_message(failure), "signalled") == NULL)
            assert_int_equal(failure == STATUS_OK, is_ordered(program));
        proved += failure == STATUS_OK;
        status_free(failure);
        made_free(&made);
    }
    assert_in_range(proved, TRIES / 8, TRIES - TRIES / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_proved),
        cmocka_unit_test(swapped_semaphores),
        cmocka_unit_test(a_missing_await),
        cmocka_unit_test(a_part_is_overwritten_while_it_is_read),
        cmocka_unit_test(a_stream_that_waits_for_itself),
        cmocka_unit_test(a_signal_of_another_stream),
        cmocka_unit_test(an_await_of_more_than_is_signalled),
        cmocka_unit_test(an_await_before_its_signal),
        cmocka_unit_test(a_wait_for_a_task_of_another_stream),
        cmocka_unit_test(a_task_of_another_cores_engine),
        cmocka_unit_test(a_task_of_another_queue),
        cmocka_unit_test(two_streams_of_one_queue),
        cmocka_unit_test(two_writers_of_one_element),
        cmocka_unit_test(an_element_is_written_twice),
        cmocka_unit_test(an_unwritten_part_is_read),
        cmocka_unit_test(an_undeclared_dependency),
        cmocka_unit_test(a_cast_by_an_engine_that_cannot),
        cmocka_unit_test(a_cast_to_other_units_than_said),
        cmocka_unit_test(a_cast_to_the_same_unit_twice),
        cmocka_unit_test(a_cast_from_another_core),
        cmocka_unit_test(a_load_to_another_core),
        cmocka_unit_test(overlapping_parts_that_live),
        cmocka_unit_test(parts_of_other_cores_do_not_overlap),
        cmocka_unit_test(units_are_the_targets),
        cmocka_unit_test(ports_are_what_their_buffers_hold),
        cmocka_unit_test(a_lane_that_is_not_free),
        cmocka_unit_test(some_awaits_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
