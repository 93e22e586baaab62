// The language of target files: what every key comes to, what is not said, and what is wrong.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "npu_target.h"
#include "target/cost.h"
#include "target/rules/price.h"

#define HEAD "[target]\nname = t\nclock = 1 GHz\n[memory m]\nsize = 1 KiB\n"
#define NEAR "[memory n]\nlocal = yes\nper = core\n"

// Its smallest block: 56 to start, 32 to wait twice and 4 to jump, after a start of 56.
#define FETCHING                                                                                   \
    "[memory n]\nlocal = yes\n[queue q]\ncode_block = 148\ncode_slots = 2\ncode_next = 4\n"        \
    "code_fetch = in\n[engine in]\nrole = transfer\nto = n\nbytes_per_cycle = 1\nqueue = q\n"      \
    "start_code = 56\nwait_code = 16\n"

static struct target *parse(const char *text)
{
    struct target *target = NULL;
    const status failure = target_parse("t.target", view_of(text), &target);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
    return target;
}

static const struct target_engine *engine_of(const struct target *target, const char *name)
{
    const uint32_t index = target_engine_named(target, name);
    assert_int_not_equal(index, TARGET_NONE);
    return &target->engines[index];
}

static void the_machine_is_read(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    assert_string_equal(target->name, "npu");
    assert_string_equal(target->title, "made up");
    assert_int_equal(target->clock, 900000000);
    assert_int_equal(target->device_count, 2);
    assert_int_equal(target->core_count, 3);
    assert_int_equal(target->grid[0], 3);
    assert_int_equal(target->grid[1], 1);
    assert_int_equal(target->memory_count, 2);
    assert_int_equal(target->memory_unit_count, 1 + 6);
    assert_int_equal(target_memory_unit(target, 1, 5), 6);
    assert_int_equal(target->memories[1].per, TARGET_PER_CORE);
    assert_int_equal(target->memories[1].reserved, 4096);
    assert_int_equal(target->memories[1].size, 256 * 1024);
    assert_int_equal(target->port_count, 1);
    assert_true(target->ports[0].rate == 60e9 && target->ports[0].per_user == 12e9);
    assert_true(target->plan.evaluated && !target->plan.keep && target->plan.cast);
    target_free(target);
}

static void engines_are_read(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    const struct target_engine *load = engine_of(target, "load");
    assert_int_equal(load->role, TARGET_ROLE_TRANSFER);
    assert_int_equal(load->from, 0); // the far memory, which is not said
    assert_int_equal(load->to, 1);
    assert_int_equal(load->memory, 1);
    assert_int_equal(load->port, 0);
    assert_int_equal(load->start_cycles, 2);
    assert_int_equal(load->start_code, 16);
    assert_int_equal(load->wait_code, 8);
    const struct target_engine *store = engine_of(target, "store");
    assert_int_equal(store->from, 1);
    assert_int_equal(store->to, 0);
    assert_int_equal(store->row_engine, target_engine_named(target, "load"));
    const struct target_engine *spread = engine_of(target, "spread");
    assert_int_equal(spread->role, TARGET_ROLE_COMMUNICATION);
    assert_int_equal(spread->from, 1);
    assert_int_equal(spread->to, 1);
    assert_true(spread->cast);
    const struct target_engine *matrix = engine_of(target, "matrix");
    assert_int_equal(matrix->clock, 1800000000);
    assert_string_equal(matrix->called, "the arrays");
    assert_string_equal(matrix->label, "ARRAY of {core}");
    assert_string_equal(matrix->work, "products");
    assert_string_equal(matrix->row, "A");
    assert_int_equal(matrix->rank, 7);
    assert_int_equal(matrix->program_bytes, 128);
    assert_int_equal(matrix->program_room, 256);
    assert_int_equal(matrix->take_count, 2);
    assert_ptr_equal(matrix->price, &PRICE_ARRAY);
    const struct target_engine *kernel = engine_of(target, "kernel");
    assert_int_equal(kernel->stage_count, 3);
    assert_int_equal(kernel->stages[1], target_engine_named(target, "vector"));
    assert_int_equal(kernel->ring, 3);
    assert_int_equal(engine_of(target, "boot")->role, TARGET_ROLE_CONTROL);
    assert_string_equal(target_role_name(spread->role), "communication");
    target_free(target);
}

static void what_is_not_said_follows(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    const struct target_engine *vector = engine_of(target, "vector");
    assert_string_equal(vector->label, "VECTOR {lane}");
    assert_string_equal(vector->called, "vector");
    assert_string_equal(vector->row, "VECTOR");
    assert_null(vector->work);
    assert_int_equal(vector->count, 4);
    assert_int_equal(vector->clock, target->clock);
    assert_int_equal(vector->port, TARGET_NONE);
    assert_int_equal(vector->rank, vector->first_lane);
    assert_string_equal(engine_of(target, "pool")->label, "POOL");
    assert_string_equal(engine_of(target, "load")->work, "LOAD");
    const struct target_engine *host = engine_of(target, "host");
    assert_int_equal(host->memory, 0);
    assert_int_equal(host->queue, TARGET_NONE);
    assert_true(target_takes_all(target, target_engine_named(target, "host")));
    assert_int_equal(engine_of(target, "kernel")->memory, 1); // the local one of a core
    target_free(target);
    target = parse("[target]\nname = p\nclock = 1 GHz\n[memory m]\nsize = 1 GiB\n"
                   "[engine e]\nrole = compute\ntakes = *\nprice = fixed\n");
    assert_string_equal(target->title, "p");
    assert_true(target->plan.evaluated && target->plan.keep && target->plan.cast);
    assert_int_equal(target->memories[0].alignment, 1);
    assert_true(target_is_processor(target));
    target_free(target);
}

static void lanes_are_numbered_flat(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    uint32_t next = 0;
    for (uint32_t i = 0; i < target->engine_count; i++) {
        const struct target_engine *engine = &target->engines[i];
        for (uint32_t unit = 0; unit < target_units(target, engine->per); unit++) {
            for (uint32_t lane = 0; lane < engine->count; lane++)
                assert_int_equal(target_lane(target, i, unit, lane), next++);
        }
    }
    assert_int_equal(target->lane_count, next);
    target_free(target);
}

static void queues_drive_engines(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    const struct target_queue *mover = &target->queues[engine_of(target, "load")->queue];
    assert_string_equal(mover->name, "mover");
    assert_string_equal(mover->program, "moves");
    assert_int_equal(mover->per, TARGET_PER_CORE);
    assert_int_equal(mover->code_block, 512);
    assert_int_equal(mover->code_slots, 2);
    assert_int_equal(mover->code_next, 8);
    assert_int_equal(engine_of(target, "store")->queue, engine_of(target, "load")->queue);
    const struct target_queue *own = &target->queues[engine_of(target, "matrix")->queue];
    assert_string_equal(own->name, "matrix");
    assert_int_equal(own->per, TARGET_PER_CORE);
    target_free(target);
}

static void queues_fetch_their_code(void **state)
{
    (void)state;
    struct target *target = parse(HEAD FETCHING "[queue q]\ncode_tasks = 4\ncode_whole = yes\n"
                                                "[engine in]\nprogram_tables = 2 8\n");
    const struct target_queue *queue = &target->queues[0];
    assert_int_equal(queue->code_fetch, 0);
    assert_int_equal(queue->code_tasks, 4);
    assert_true(queue->code_whole);
    assert_int_equal(target_code_closing(target, 0), 56 + 2 * 16 + 4);
    assert_int_equal(target_code_least(target, 0), 148);
    const struct target_engine *in = engine_of(target, "in");
    assert_int_equal(in->program_table_count, 2);
    assert_int_equal(in->program_tables[0], 2);
    assert_int_equal(in->program_tables[1], 8);
    target_free(target);
}

static void engines_take_classes_and_elements(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    const uint32_t matrix = target_engine_named(target, "matrix");
    assert_true(target_takes(target, matrix, "convolution", "i8"));
    assert_true(target_takes(target, matrix, "matmul", "f16"));
    assert_false(target_takes(target, matrix, "matmul", "f32"));
    assert_true(target_takes(target, matrix, "view", "f32"));
    assert_false(target_takes(target, matrix, "pooling", "i8"));
    assert_true(target_takes(target, matrix, NULL, "f32"));
    assert_true(target_takes(target, matrix, "matmul", NULL));
    assert_false(target_takes_all(target, matrix));
    assert_true(target_computes(target, matrix));
    assert_true(target_computes(target, target_engine_named(target, "vector")));
    assert_false(target_computes(target, target_engine_named(target, "load")));
    assert_true(target_is_stage(target, target_engine_named(target, "load")));
    assert_false(target_is_processor(target));
    target_free(target);
}

static void transfers_carry(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    assert_int_equal(target_engine_between(target, 0, 1), target_engine_named(target, "load"));
    assert_int_equal(target_engine_between(target, 1, 0), target_engine_named(target, "store"));
    assert_int_equal(target_engine_between(target, 1, 1), TARGET_NONE);
    assert_true(target_engine_carries(target, target_engine_named(target, "spread"), 1, 1));
    assert_false(target_engine_carries(target, target_engine_named(target, "matrix"), 1, 1));
    target_free(target);
    assert_null(target_open_shipped("torq-sl2610", &target));
    const uint32_t lram = target_memory_named(target, "lram");
    const uint32_t dtcm = target_memory_named(target, "dtcm");
    const uint32_t cdma = target_engine_named(target, "cdma");
    assert_int_equal(target_engine_between(target, lram, dtcm), cdma);
    assert_int_equal(target_engine_between(target, dtcm, lram), cdma);
    assert_int_equal(target_engine_between(target, target_far_memory(target), dtcm), TARGET_NONE);
    target_free(target);
}

static void set(struct target *target, const char *name, const char *value)
{
    const status failure = target_set(target, name, value);
    if (failure != STATUS_OK)
        fail_msg("%s", status_message(failure));
}

// Settings reach every section, and the text.
static void every_section_can_be_set(void **state)
{
    (void)state;
    struct target *target = parse(NPU_TARGET);
    set(target, "core.count", "12");
    assert_int_equal(target->core_count, 12);
    assert_int_equal(target->grid[0], 0);
    set(target, "core.grid", "4x5");
    assert_int_equal(target->core_count, 20);
    assert_int_equal(target->grid[1], 5);
    target_free(target);
    target = parse("[target]\nname = p\nclock = 1 GHz\n[memory m]\nsize = 1 GiB\n"
                   "[port m]\nrate = 1 GB/s\n[queue e]\n"
                   "[engine e]\nrole = compute\ntakes = *\nprice = fixed\nqueue = e\n");
    set(target, "core.count", "16");
    set(target, "device.count", "2");
    set(target, "plan.keep", "no");
    set(target, "m.size", "2 GiB");   // of the memory
    set(target, "m.rate", "3 MiB/s"); // of the port
    set(target, "port m.per_user", "1 MiB/s");
    set(target, "e.cycles", "77"); // of the engine's price
    set(target, "e.lanes", "300");
    set(target, "e.code_block", "10"); // of the queue
    struct target *again = parse(target->text.data);
    const struct target *both[] = {target, again};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(both[i]->core_count, 16);
        assert_int_equal(both[i]->device_count, 2);
        assert_false(both[i]->plan.keep);
        assert_int_equal(both[i]->memories[0].size, UINT64_C(2) << 30);
        assert_true(both[i]->ports[0].rate == 3 * 1048576.0);
        assert_true(both[i]->ports[0].per_user == 1048576.0);
        assert_int_equal(both[i]->engines[0].count, 300);
        assert_int_equal(both[i]->queues[0].code_block, 10);
        const struct cost_request request = {.kind = COST_OTHER, .outputs = 1};
        assert_int_equal(cost_cycles(both[i], COST_RULES_BEST, 0, &request), 77);
    }
    target_free(again);
    target_free(target);
}

// Errors --------------------------------------------------------------------------------

static const char *const WRONG[][2] = {
    {"[wheel]\n", "t.target:1: there is no such section: '[wheel]'"},
    {"[core x]\n", "t.target:1: there is no such section: '[core x]'"},
    {"[core\n", "t.target:1: a section that does not end: '[core'"},
    {"[core]\n4\n", "t.target:2: expected 'key = value' instead of '4'"},
    {"[core]\ncount = 0\n", "t.target:2: not a number of cores: '0'"},
    {"[core]\ncount = 2.5\n", "t.target:2: not a number of cores: '2.5'"},
    {"[core]\ncount = 5 MHz\n", "t.target:2: not a number of cores: '5 MHz'"},
    {"[core]\ngrid = 4\n", "t.target:2: not columns x rows of cores, like 4x2: '4'"},
    {"[core]\ncount = 5\ngrid = 4x2\n", "t.target:3: a grid of 4x2 is not 5 cores"},
    {"[core]\nspeed = 5\n", "t.target:2: no core has 'speed': there is count, grid"},
    {"[device]\ncount = many\n", "t.target:2: not a number of devices: 'many'"},
    {"[target]\nwheels = 4\n", "t.target:2: no target has 'wheels': there is name, title, clock"},
    {"[target]\nname =\n", "t.target:2: a target's name is not empty"},
    {"[target]\nclock = 5 KiB\n", "t.target:2: not a clock of at least 1 Hz: '5 KiB'"},
    {"[memory m]\nper = house\n", "t.target:2: per is core, device or machine, not 'house'"},
    {"[memory m]\nlocal = maybe\n", "t.target:2: local is yes or no, not 'maybe'"},
    {"[memory m]\nwheels = 4\n",
     "t.target:2: no memory has 'wheels': there is size, alignment, local, reserved, per"},
    {"[memory m]\nreserved = x\n", "t.target:2: not a number of bytes, like 512 KiB: 'x'"},
    {"[port p]\nrate = 0\n", "t.target:2: not a rate like 60 GB/s: '0'"},
    {"[port p]\nrate = 5 GHz\n", "t.target:2: not a rate like 60 GB/s: '5 GHz'"},
    {"[port p]\nwidth = 5\n", "t.target:2: no port has 'width': there is rate, per_user"},
    {"[plan]\ntiles = guessed\n", "t.target:2: tiles are estimated or evaluated, not 'guessed'"},
    {"[plan]\nkeep = 7x\n", "t.target:2: keep is yes, no or values, not '7x'"},
    {HEAD "[engine e]\nmemory = m\n",
     "t.target:6: engine 'e' has no role: compute, transfer, communication, control or host"},
    {HEAD "[engine e]\nrole = wheel\n",
     "t.target:7: a role is compute, transfer, communication, control or host, not 'wheel'"},
    {HEAD "[engine e]\nrole = compute\ntakes = *\n",
     "t.target:6: engine 'e' has no price: say how work is priced, like price = lanes"},
    {HEAD "[engine e]\nrole = compute\nprice = gold\n",
     "t.target:8: there is no price 'gold': there is linear, array, lanes, fixed, table"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\n",
     "t.target:6: engine 'e' computes: say what it takes, like takes = convolution matmul : i8"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = : i8\n",
     "t.target:9: expected classes of operators and elements, like"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nmemory = x\n",
     "t.target:10: there is no memory 'x': there is m"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nport = x\n",
     "t.target:10: there is no port 'x': there is none"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nqueue = x\n",
     "t.target:10: there is no queue 'x': there is none"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nrow_engine = x\n",
     "t.target:10: there is no engine 'x': there is e"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nstages =\n",
     "t.target:10: stages are the engines that a task runs through, in order"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nstages = e\n",
     "t.target:6: engine 'e' runs through 'e', which has stages of its own"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nring = 0\n",
     "t.target:10: not a number of pieces of at least 1: '0'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nlanes = 0\n",
     "t.target:10: not a number of engines: '0'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nrank = x\n",
     "t.target:10: not a rank of at most 1073741824: 'x'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nlabel =\n",
     "t.target:10: label is not empty"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nstart = x\n",
     "t.target:10: not a number: 'x'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nclock = 0\n",
     "t.target:10: not a clock of at least 1 Hz: '0'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\ncast = all\n",
     "t.target:10: cast is one or many, not 'all'"},
    {HEAD "[engine e]\nrole = compute\nprice = fixed\ntakes = *\nwheels = 4\n",
     "t.target:10: these rules know no 'wheels': price fixed has cycles"},
    {HEAD "[engine e]\nrole = compute\nprice = array\ntakes = *\nmacs = 64\n",
     "t.target:10: expected NAME:NUMBER, like i8:4096, not '64'"},
    {HEAD "[engine e]\nrole = compute\nprice = array\ntakes = *\nmacs =\n",
     "t.target:10: macs is a list like i8:4096 f16:2048"},
    {HEAD "[engine e]\nrole = compute\nprice = array\ntakes = *\nquantum = 3x3\n",
     "t.target:10: not three numbers like 32x32x8: '3x3'"},
    {HEAD "[engine e]\nrole = compute\nprice = array\ntakes = *\nresults_per_cycle = 0\n",
     "t.target:10: a rate is more than 0, not '0'"},
    {HEAD "[engine e]\nrole = compute\nprice = lanes\ntakes = *\nsetup = 5 GB/s\n",
     "t.target:10: not a number: '5 GB/s'"},
    {HEAD NEAR "[engine e]\nrole = transfer\nto = n\nprice = linear\n",
     "t.target: engine 'e' has no rate: give it bytes_per_cycle, rate = 10 GB/s, or a port that"},
    {HEAD NEAR "[engine e]\nrole = transfer\nto = n\nprice = linear\nrate = fast\n",
     "t.target:13: not a rate like 10 GB/s: 'fast'"},
    {HEAD NEAR "[engine e]\nrole = transfer\nprice = fixed\n",
     "t.target:9: engine 'e' moves data: say from, to, or both"},
    {HEAD NEAR "[engine e]\nrole = transfer\nfrom = n\nto = n\nprice = fixed\n",
     "t.target:9: engine 'e' moves from n to itself"},
    {HEAD "[engine e]\nrole = communication\nprice = fixed\n",
     "t.target:6: engine 'e' goes from core to core: give it one memory that is there per core"},
    {HEAD NEAR "[engine e]\nrole = compute\nmemory = n\ntakes = *\nprice = fixed\n",
     "t.target:9: engine 'e' is not there as often as its memory n: give it per = core"},
    {HEAD "[queue q]\ndrives = e\n[engine f]\nrole = host\nprice = fixed\n",
     "t.target:7: there is no engine 'e': there is f"},
    {HEAD "[queue q]\ndrives = e\n[queue r]\ndrives = e\n"
          "[engine e]\nrole = compute\nprice = fixed\ntakes = *\n",
     "t.target:9: two queues drive engine 'e'; one does"},
    {HEAD "[queue q]\nwheels = 4\n[engine f]\nrole = host\nprice = fixed\n",
     "t.target:7: no queue has 'wheels': there is per, drives, program, code_block"},
    {HEAD FETCHING "[engine e]\nrole = compute\nprice = fixed\ntakes = *\n",
     "t.target: queue 'q': only the one queue of a machine fetches its code"},
    {HEAD FETCHING "[queue q]\ncode_slots = 1\n",
     "t.target: queue 'q': code is fetched to one slot while that of another runs: code_slots"},
    {HEAD FETCHING "[queue q]\ncode_block = 147\n",
     "t.target: queue 'q': a block has no room for a start, a wait and the fetch of the next one"},
    {HEAD FETCHING "[queue q]\ncode_fetch = out\n[engine out]\nrole = transfer\nfrom = n\n"
                   "bytes_per_cycle = 1\nqueue = q\n",
     "t.target: queue 'q': code is fetched from the far memory to a local one"},
    {HEAD FETCHING "[queue q]\ncode_fetch = e\n[engine e]\nrole = compute\nprice = fixed\n"
                   "takes = *\nqueue = q\n",
     "t.target: queue 'q': the engine that fetches code is a transfer that the queue drives"},
    {HEAD FETCHING "[queue q]\ncode_fetch = x\n",
     "t.target:21: there is no engine 'x': there is in"},
    {HEAD "[engine e]\nrole = host\nprice = fixed\nprogram_tables = 8 x\n", "t.target:9: "},
    {HEAD "[core]\ncount = 1048576\n[device]\ncount = 2\n",
     "t.target: a target has at most 1048576 cores"},
    {HEAD "[engine e]\nrole = host\nprice = fixed\nlanes = 1048576\n"
          "[engine f]\nrole = host\nprice = fixed\n",
     "t.target: a target has at most 1048576 lanes"},
    {"[target]\nname = t\nrules = torq\nclock = 1 GHz\n[core]\ncount = 2\n"
     "[memory m]\n[engine e]\nkind = host\n",
     "t.target:5: there is no [core] in a target whose engines have kinds"},
};

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct target *target;
        const status failure = target_parse("t.target", view_of(WRONG[i][0]), &target);
        if (failure == STATUS_OK)
            fail_msg("accepted: %s", WRONG[i][0]);
        if (strncmp(status_message(failure), WRONG[i][1], strlen(WRONG[i][1])) != 0)
            fail_msg("said: %s\ninstead of: %s", status_message(failure), WRONG[i][1]);
        status_free(failure);
    }
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char TEXT[] = "[target]\nname = a\0b\nclock = 1 GHz\n";
    struct target *target;
    const status failure = target_parse("t", (struct view){TEXT, sizeof TEXT - 1}, &target);
    assert_non_null(failure);
    assert_string_equal(status_message(failure), "t:2: a zero byte, which no text has");
    status_free(failure);
}

// The first form and the second say the same of Torq, but for names.
static void the_first_form_says_the_same(void **state)
{
    (void)state;
    static const char OLD[] =
        "[target]\nname = torq-sl2610\nrules = torq\nclock = 800 MHz\n"
        "[memory lram]\nsize = 512 KiB\nalignment = 8\nlocal = yes\n"
        "[memory dtcm]\nsize = 32 KiB\nalignment = 8\nlocal = yes\n"
        "[memory itcm]\nsize = 8 KiB\nalignment = 8\nlocal = yes\n"
        "[memory xram]\nsize = 4 GiB\nalignment = 4096\n"
        "[engine dma_in]\nkind = dma_in\nmemory = lram\nefficiency = 0.65\nmtu = 4\n"
        "[engine dma_out]\nkind = dma_out\nmemory = lram\nefficiency = 0.65\nmtu = 4\n"
        "[engine cdma]\nkind = cdma\nmemory = dtcm\nbytes_per_cycle = 16\nefficiency = 0.36\n"
        "[engine slice]\nkind = slice\ncount = 2\nmemory = lram\n"
        "[engine css]\nkind = css\nmemory = dtcm\nstart_cycles = 1000\nsteps_per_cycle = 0.25\n"
        "[engine host]\nkind = host\nmemory = xram\nstart_cycles = 8000\nmacs_per_cycle = 8\n"
        "steps_per_cycle = 2\nbytes_per_cycle = 4\n";
    struct target *old = parse(OLD);
    struct target *new;
    assert_null(target_open_shipped("torq-sl2610", &new));
    assert_int_equal(old->engine_count, new->engine_count);
    assert_int_equal(old->plan.evaluated, new->plan.evaluated);
    assert_int_equal(old->plan.cast, new->plan.cast);
    assert_false(old->plan.keep || old->plan.values); // which nothing did when it was written
    for (uint32_t i = 0; i < old->engine_count; i++) {
        const struct target_engine *a = &old->engines[i];
        const struct target_engine *b = &new->engines[i];
        assert_string_equal(a->name, b->name);
        // What slices compute, and at what price, is known better today.
        if (strcmp(a->name, "slice") != 0)
            assert_ptr_equal(a->price, b->price);
        assert_int_equal(a->role, b->role);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->memory, b->memory);
        assert_int_equal(a->from, b->from);
        assert_int_equal(a->to, b->to);
        assert_int_equal(a->port, b->port);
        assert_int_equal(a->queue, b->queue);
        assert_true(a->take_count <= b->take_count);
        assert_string_equal(a->label, b->label);
        assert_string_equal(a->row, b->row);
        assert_int_equal(a->row_engine, b->row_engine);
        assert_int_equal(a->rank, b->rank);
        assert_int_equal(a->start_cycles, b->start_cycles);
        assert_int_equal(a->start_code, b->start_code);
        assert_int_equal(a->wait_code, b->wait_code);
        assert_int_equal(a->program_bytes, b->program_bytes);
        assert_int_equal(a->program_room, b->program_room);
        assert_true((a->work == NULL) == (b->work == NULL));
        if (a->work != NULL)
            assert_string_equal(a->work, b->work);
    }
    assert_string_equal(old->queues[0].program, new->queues[0].program);
    assert_int_equal(old->queues[0].code_block, new->queues[0].code_block);
    target_free(new);
    target_free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_is_read),
        cmocka_unit_test(engines_are_read),
        cmocka_unit_test(what_is_not_said_follows),
        cmocka_unit_test(lanes_are_numbered_flat),
        cmocka_unit_test(queues_drive_engines),
        cmocka_unit_test(queues_fetch_their_code),
        cmocka_unit_test(engines_take_classes_and_elements),
        cmocka_unit_test(transfers_carry),
        cmocka_unit_test(every_section_can_be_set),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(the_first_form_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
