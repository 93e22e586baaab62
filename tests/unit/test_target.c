// Targets: their text, what may be changed, and where they are found.

#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char TEXT[] = "[target]\nname = t\nrules = torq\nclock = 100 MHz\n"
                           "[memory near]\nsize = 4 KiB\nlocal = yes\n"
                           "[memory far]\nsize = 1 MiB\nalignment = 64\n"
                           "[engine slice]\nkind = slice\nmemory = near\nsetup = 1\n";

static struct target *parse(const char *text)
{
    struct target *target = NULL;
    const status failure = target_parse("t.target", view_of(text), &target);
    assert_null(failure);
    return target;
}

static void assert_refused(const char *text, const char *message)
{
    struct target *target;
    const status failure = target_parse("t.target", view_of(text), &target);
    assert_non_null(failure);
    assert_string_equal(status_message(failure), message);
    status_free(failure);
}

static void reads_what_the_file_says(void **state)
{
    (void)state;
    struct target *target = parse(TEXT);
    assert_string_equal(target->name, "t");
    assert_string_equal(target->title, "t");
    assert_int_equal(target->clock, 100000000);
    assert_int_equal(target->memory_count, 2);
    assert_int_equal(target->memories[0].size, 4096);
    assert_true(target->memories[0].local);
    assert_int_equal(target->memories[1].alignment, 64);
    assert_int_equal(target->engines[0].memory, 0);
    assert_int_equal(target->engines[0].count, 1);
    assert_int_equal((int)target_number(target, "slice.setup", 7), 1);
    assert_int_equal((int)target_number(target, "slice.nothing", 7), 7);
    assert_int_equal(target_memory_named(target, "nothing"), TARGET_NONE);
    assert_int_equal(target_engine_with(target, TARGET_ROLE_HOST), TARGET_NONE);
    target_free(target);
}

static void names_the_line_that_is_wrong(void **state)
{
    (void)state;
    assert_refused("[target]\nname = t\nclock = fast\n",
                   "t.target:3: not a clock of at least 1 Hz: 'fast'");
    assert_refused("[target]\nrules = mine\n", "t.target:2: there are no rules 'mine'");
    assert_refused("[memory m]\nalignment = 0\n",
                   "t.target:2: not an alignment of at least 1: '0'");
    assert_refused("name = t\n", "t.target:1: before the first section: 'name'");
    assert_refused("[memory]\n",
                   "t.target:1: there is no such section: '[memory]' (there are "
                   "[target], [device], [core], [plan], [link], [memory NAME], [port NAME], "
                   "[queue NAME] and [engine NAME])");
    assert_refused("[engine e]\nkind = wheel\n", "t.target:2: there is no engine of kind 'wheel'");
    assert_refused("[memory m]\nsize = -1\n",
                   "t.target:2: not a number of bytes, like 512 KiB: '-1'");
    assert_refused("[target]\nname = t\n",
                   "t.target: a target has a name, a clock, a memory and an engine");
}

static void set(struct target *target, const char *name, const char *value)
{
    assert_null(target_set(target, name, value));
}

static void changes_travel_in_the_text(void **state)
{
    (void)state;
    struct target *target = parse(TEXT);
    set(target, "slice.count", "3");
    set(target, "slice.setup", "5");
    set(target, "slice.setup", "6");
    set(target, "near.size", "8 KiB");
    set(target, "target.clock", "2 GHz");
    set(target, "target.name", "other");
    struct target *again = NULL;
    assert_null(target_parse("again", target->text, &again));
    const struct target *both[] = {target, again};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(both[i]->engine_count, 1);
        assert_int_equal(both[i]->memory_count, 2);
        assert_int_equal(both[i]->setting_count, 1);
        assert_int_equal(both[i]->engines[0].count, 3);
        assert_int_equal(both[i]->memories[0].size, 8192);
        assert_true(both[i]->memories[0].local);
        assert_int_equal(both[i]->clock, 2000000000);
        assert_string_equal(both[i]->name, "other");
        assert_int_equal((int)target_number(both[i], "slice.setup", 0), 6);
    }
    target_free(again);
    target_free(target);
}

static void wrong_changes_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][3] = {
        {"slice", "1", "target t has no setting 'slice': 'opscope targets t' shows them"},
        {"other.count", "1",
         "target t has no setting 'other.count': 'opscope targets t' shows them"},
        {"slice.wheels", "1", "setting slice.wheels: these rules know no 'wheels'"},
        {"target.clock", "0", "setting target.clock: not a clock of at least 1 Hz: '0'"},
        {"slice.inputs_per_cycle", "0",
         "setting slice.inputs_per_cycle: a rate is more than 0, not '0'"},
        {"slice.efficiency", "0", "setting slice.efficiency: a rate is more than 0, not '0'"},
        {"slice.efficiency", "110 %",
         "setting slice.efficiency: an efficiency is at most 1, not '110 %'"},
        {"slice.count", "0", "setting slice.count: not a number of engines: '0'"},
        {"slice.setup", "x", "setting slice.setup: not a number: 'x'"},
        {"near.size", "", "setting near.size: not a number of bytes, like 512 KiB: ''"},
    };
    struct target *target = parse(TEXT);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const status failure = target_set(target, WRONG[i][0], WRONG[i][1]);
        assert_non_null(failure);
        assert_int_equal(status_code_of(failure), STATUS_USAGE);
        assert_string_equal(status_message(failure), WRONG[i][2]);
        status_free(failure);
    }
    assert_string_equal(target->text.data, TEXT);
    target_free(target);
}

static void names_are_in_order_and_each_once(void **state)
{
    (void)state;
    setenv("OPSCOPE_TARGETS", "/nowhere::/nowhere/else", 1);
    size_t count;
    char **names = target_names(&count);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || strcmp(names[i], "torq-sl2610") == 0;
        assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
    }
    assert_true(found);
    target_names_free(names, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_file_says),
        cmocka_unit_test(names_the_line_that_is_wrong),
        cmocka_unit_test(changes_travel_in_the_text),
        cmocka_unit_test(wrong_changes_are_refused),
        cmocka_unit_test(names_are_in_order_and_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
