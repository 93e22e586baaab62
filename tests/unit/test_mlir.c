// MLIR text into a tree: generic and pretty operations, every kind of attribute,
// type and location, and every way to be wrong.

#include "wire/mlir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/mlir_number.h"
#include "wire/mlir_token.h"

static struct mlir_document *read_ok(const char *text)
{
    struct mlir_document *document = NULL;
    const status failure = mlir_read("t.mlir", view_of(text), &document);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", text, status_message(failure));
    return document;
}

static void assert_refused(const char *text, const char *message)
{
    struct mlir_document *document = NULL;
    const status failure = mlir_read("t.mlir", view_of(text), &document);
    if (failure == STATUS_OK)
        fail_msg("%s: was read", text);
    assert_string_equal(status_message(failure), message);
    status_free(failure);
}

static void assert_text(struct view got, const char *want)
{
    if (!view_is(got, want))
        fail_msg("got '%.*s', want '%s'", VIEW_ARGUMENTS(got), want);
}

static void tokens_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int kind;
        const char *token;
    } CASES[] = {
        {"  // note\n tosa.add %0", MLIR_TOKEN_NAME, "tosa.add"},
        {"0x1Fg", MLIR_TOKEN_INTEGER, "0x1F"},
        {"0xg", MLIR_TOKEN_INTEGER, "0"},
        {"12x3", MLIR_TOKEN_INTEGER, "12"},
        {"1.", MLIR_TOKEN_REAL, "1."},
        {"1.5e-3f", MLIR_TOKEN_REAL, "1.5e-3"},
        {"1.5em", MLIR_TOKEN_REAL, "1.5"},
        {"\"a\\\"b\" c", MLIR_TOKEN_TEXT, "\"a\\\"b\""},
        {"\"a\n\"", MLIR_TOKEN_BAD, "\""},
        {"%arg0#1", MLIR_TOKEN_VALUE, "%arg0"},
        {"%0->", MLIR_TOKEN_VALUE, "%0"},
        {"@\"a b\"", MLIR_TOKEN_SYMBOL, "@\"a b\""},
        {"#a.b<c>", MLIR_TOKEN_ATTRIBUTE, "#a.b"},
        {"!t", MLIR_TOKEN_TYPE, "!t"},
        {"^bb0:", MLIR_TOKEN_BLOCK, "^bb0"},
        {"->", MLIR_TOKEN_ARROW, "->"},
        {"-1", '-', "-"},
        {"{-#", MLIR_TOKEN_FILE_OPEN, "{-#"},
        {"#-}", MLIR_TOKEN_FILE_CLOSE, "#-}"},
        {"{", '{', "{"},
        {"\x01", MLIR_TOKEN_BAD, "\x01"},
        {" \t\r\n", MLIR_TOKEN_END, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *end = CASES[i].text + strlen(CASES[i].text);
        const struct mlir_token token = mlir_token_read(CASES[i].text, end);
        assert_text(token.text, CASES[i].token);
        assert_int_equal(token.kind, CASES[i].kind);
    }
}

static void numbers_are_exact(void **state)
{
    (void)state;
    static const char *const REALS[] = {"0.0",
                                        "-0.0",
                                        "1.5",
                                        "0.1",
                                        "3.14159265358979",
                                        "1.7976931348623157e+308",
                                        "4.9e-324",
                                        "1.0e22",
                                        "1.0e23",
                                        "9007199254740993.0",
                                        "123456789012345678901234.5",
                                        "-2.5e-1",
                                        "1.0E+2"};
    for (size_t i = 0; i < sizeof REALS / sizeof *REALS; i++) {
        const char *at = REALS[i];
        double number;
        assert_true(mlir_number_real(&at, REALS[i] + strlen(REALS[i]), &number));
        assert_int_equal(*at, '\0');
        const double want = strtod(REALS[i], NULL);
        assert_memory_equal(&number, &want, sizeof want);
    }
    static const struct {
        const char *text;
        int64_t number;
    } INTEGERS[] = {{"0", 0},
                    {"-128", -128},
                    {"0xfF", 255},
                    {"-0x10", -16},
                    {"9223372036854775807", INT64_MAX},
                    {"-9223372036854775808", INT64_MIN},
                    {"18446744073709551615", -1}};
    for (size_t i = 0; i < sizeof INTEGERS / sizeof *INTEGERS; i++) {
        const char *at = INTEGERS[i].text;
        int64_t number;
        assert_true(mlir_number_integer(&at, at + strlen(at), &number));
        assert_true(number == INTEGERS[i].number);
    }
    static const char *const WRONG[] = {
        "", "-", "x", "18446744073709551616", "-9223372036854775809", "0x10000000000000000"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const char *at = WRONG[i];
        int64_t number;
        assert_false(mlir_number_integer(&at, at + strlen(at), &number));
        assert_ptr_equal(at, WRONG[i]);
    }
}

static void a_generic_operation_has_all_its_parts(void **state)
{
    (void)state;
    struct mlir_document *document =
        read_ok("%a, %b:2 = \"d.op\"(%x, %y#3)[^bb1] <{p = 1 : i8}> ({\n"
                "^bb0(%i: i32, %j: tensor<4xf32> loc(\"j\")):\n"
                "  \"d.end\"() : () -> ()\n"
                "}, {}) {q = \"t\", r} : (i32, !d.t<\">\">) -> (i8, i16, f32) loc(\"f\":1:2)");
    const struct mlir_operation *operation = &document->top.operations[0];
    assert_int_equal(document->top.operation_count, 1);
    assert_text(operation->name, "d.op");
    assert_true(operation->generic);
    assert_int_equal(operation->result_count, 2);
    assert_text(operation->results[1].name, "b");
    assert_int_equal(operation->results[1].count, 2);
    assert_int_equal(operation->operand_count, 2);
    assert_text(operation->operands[1].name, "y");
    assert_int_equal(operation->operands[1].number, 3);
    assert_int_equal(operation->successor_count, 1);
    assert_text(operation->successors[0], "bb1");
    int64_t number;
    assert_true(mlir_integer_of(mlir_find(operation, "p"), &number));
    assert_int_equal(number, 1);
    assert_text(mlir_find(operation, "q")->text, "t");
    assert_int_equal(mlir_find(operation, "r")->kind, MLIR_UNIT);
    assert_null(mlir_find(operation, "s"));
    assert_int_equal(operation->region_count, 2);
    assert_int_equal(operation->regions[1].count, 0);
    const struct mlir_block *block = &operation->regions[0].blocks[0];
    assert_text(block->label, "bb0");
    assert_int_equal(block->argument_count, 2);
    assert_text(block->arguments[1].name, "j");
    assert_int_equal(block->operation_count, 1);
    assert_int_equal(operation->operand_types.count, 2);
    assert_text(operation->operand_types.items[1]->body, "\">\"");
    assert_int_equal(operation->result_types.count, 3);
    assert_int_equal(operation->location->kind, MLIR_AT_FILE);
    mlir_free(document);
}

static void pretty_operations_end_where_another_starts(void **state)
{
    (void)state;
    struct mlir_document *document =
        read_ok("module @m attributes {a.b} {\n"
                "  func.func @f(%x: tensor<2xi8> {n = 1}) -> (tensor<2xi8> {m}) attributes {z} {\n"
                "    %0 = tosa.add %x,\n"
                "        %x {k = 1} :\n"
                "        (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>\n"
                "    u.start\n"
                "    %1 = u.load %0[0, 1] [%x] : tensor<2xi8> to tensor<1xi8> %2 = u.y\n"
                "    u.copy from %0 : tensor<2xi8> to %1 : tensor<1xi8> {d}\n"
                "    u.raw {\n      op : \"add\" %0\n    }\n"
                "    %3 = u.if %0 -> (i8) { u.yield %1 : i8 } else {\n      u.yield\n    }\n"
                "    %4 = u.while (%a = %0, %b = %1) : (i8, i8) -> i8 {\n"
                "      u.cond %a\n    } do {\n    ^bb0(%a: i8):\n      u.next to ^bb0\n    }\n"
                "    return %0 : tensor<2xi8>\n"
                "  }\n}\n");
    const struct mlir_operation *function =
        document->top.operations[0].regions[0].blocks[0].operations;
    assert_text(document->top.operations[0].symbol, "m");
    assert_true(function->is_function);
    assert_text(function->symbol, "f");
    assert_int_equal(function->argument_count, 1);
    assert_int_equal(function->arguments[0].attributes->count, 1);
    assert_int_equal(function->result_types.count, 1);
    const struct mlir_block *body = &function->regions[0].blocks[0];
    static const struct {
        const char *name;
        uint32_t operands, types, results, literals, regions;
    } WANT[] = {{"tosa.add", 2, 2, 1, 0, 0}, {"u.start", 0, 0, 0, 0, 0}, {"u.load", 2, 1, 1, 2, 0},
                {"u.y", 0, 0, 0, 0, 0},      {"u.copy", 2, 2, 0, 0, 0},  {"u.raw", 1, 0, 0, 0, 0},
                {"u.if", 1, 0, 1, 0, 2},     {"u.while", 2, 2, 1, 0, 2}, {"return", 1, 1, 0, 0, 0}};
    assert_int_equal(body->operation_count, sizeof WANT / sizeof *WANT);
    for (uint32_t i = 0; i < body->operation_count; i++) {
        const struct mlir_operation *operation = &body->operations[i];
        assert_text(operation->name, WANT[i].name);
        assert_int_equal(operation->operand_count, WANT[i].operands);
        assert_int_equal(operation->operand_types.count, WANT[i].types);
        assert_int_equal(operation->result_types.count, WANT[i].results);
        assert_int_equal(operation->literal_count, WANT[i].literals);
        assert_int_equal(operation->region_count, WANT[i].regions);
    }
    assert_int_equal(body->operations[7].argument_count, 2);
    assert_text(body->operations[7].arguments[1].name, "b");
    mlir_free(document);
}

static void every_kind_of_attribute_is_read(void **state)
{
    (void)state;
    struct mlir_document *document = read_ok(
        "#a = {i = -5 : i8, b = true, r = 1.0e1 : f32, t = \"x\\22\\0A\", s = @m::@\"n o\",\n"
        " k = WORD, l = [1, [2], \"\"], n = array<i64: 1, -2>, e = array<i8>,\n"
        " d = dense<[[1, 2]]> : tensor<1x2xi8>, q = dense<\">\">, c = dense_resource<blob> : "
        "tensor<1xi8>,\n"
        " y = tensor<?x4xi8, #e.f<1>>, f = (i8) -> (), p = loc(unknown), u = unit,\n"
        " o = #d.x<{a = [1]} -> \"}\">, v = #alias, m = affine_map<(d0) -> (d0 - 1)>,\n"
        " w = affine_set<(d0) : (d0 >= 0)>, \"quoted key\" = distinct[1]<2>}\n");
    const struct mlir_attribute *all = segments_get(&document->aliases, 0);
    static const struct {
        const char *key;
        enum mlir_attribute_kind kind;
    } WANT[] = {{"i", MLIR_INTEGER}, {"b", MLIR_BOOL},    {"r", MLIR_REAL},
                {"t", MLIR_TEXT},    {"s", MLIR_SYMBOL},  {"k", MLIR_KEYWORD},
                {"l", MLIR_ARRAY},   {"n", MLIR_NUMBERS}, {"e", MLIR_NUMBERS},
                {"d", MLIR_DENSE},   {"q", MLIR_DENSE},   {"c", MLIR_RESOURCE},
                {"y", MLIR_TYPE},    {"f", MLIR_TYPE},    {"p", MLIR_PLACE},
                {"u", MLIR_UNIT},    {"o", MLIR_DIALECT}, {"v", MLIR_REFERENCE},
                {"m", MLIR_DIALECT}, {"w", MLIR_DIALECT}, {"quoted key", MLIR_DIALECT}};
    assert_int_equal(all->count, sizeof WANT / sizeof *WANT);
    for (uint32_t i = 0; i < all->count; i++) {
        assert_text(all->items[i].key, WANT[i].key);
        if (all->items[i].kind != WANT[i].kind)
            fail_msg("'%s' is of kind %d", WANT[i].key, all->items[i].kind);
    }
    struct arena arena = {0};
    assert_text(mlir_unescape(mlir_dictionary_find(all, "t")->text, &arena), "x\"\n");
    arena_free(&arena);
    assert_text(mlir_dictionary_find(all, "i")->text, "-5");
    assert_text(mlir_dictionary_find(all, "i")->type->text, "i8");
    assert_text(mlir_dictionary_find(all, "n")->name, "i64");
    assert_text(mlir_dictionary_find(all, "n")->body, " 1, -2");
    assert_text(mlir_dictionary_find(all, "d")->body, "[[1, 2]]");
    assert_text(mlir_dictionary_find(all, "o")->body, "{a = [1]} -> \"}\"");
    const struct mlir_type *type = mlir_dictionary_find(all, "y")->type;
    assert_int_equal(type->rank, 2);
    assert_true(type->dims[0] == MLIR_DYNAMIC && type->dims[1] == 4);
    assert_text(type->encoding, " #e.f<1>");
    mlir_free(document);
}

static void types_have_parts(void **state)
{
    (void)state;
    struct mlir_document *document = read_ok(
        "!a = memref<2x?xi8, strided<[2, 1]>>\n!b = tensor<*xf32>\n!c = tuple<i8, !a>\n"
        "!d = complex<f32>\n!e = vector<[4]x2xbf16>\n!f = (i8, i16) -> (f32)\n"
        "!g = !tosa.shape<4>\n!h = !a\n!i = !i\n!j = tensor<2x!quant.uniform<i8:f32, 0.1>>\n"
        "!k = tensor<0x3xui8>\n!l = tensor<2x?xi8>\n!m = tensor<2x?xi8>");
    static const enum mlir_type_kind KINDS[] = {
        MLIR_MEMREF, MLIR_TENSOR, MLIR_TUPLE, MLIR_COMPLEX, MLIR_VECTOR, MLIR_FUNCTION,
        MLIR_OPAQUE, MLIR_ALIAS,  MLIR_ALIAS, MLIR_TENSOR,  MLIR_TENSOR, MLIR_TENSOR};
    const struct mlir_type *types[13];
    for (uint32_t i = 0; i < 13; i++) {
        types[i] = ((const struct mlir_attribute *)segments_get(&document->aliases, i))->type;
        assert_int_equal(types[i]->kind, KINDS[i < 12 ? i : 11]);
    }
    assert_false(types[1]->ranked);
    assert_int_equal(types[2]->members.count, 2);
    assert_int_equal(types[4]->rank, 2);
    assert_int_equal(types[5]->results.count, 1);
    assert_text(types[6]->body, "4");
    assert_text(types[9]->element->name, "quant.uniform");
    assert_int_equal(types[10]->dims[0], 0);
    assert_ptr_equal(types[11], types[12]);
    const struct mlir_type *target;
    assert_true(mlir_type_resolve(document, types[7], &target) == STATUS_OK);
    assert_ptr_equal(target, types[0]);
    const status failure = mlir_type_resolve(document, types[8], &target);
    assert_string_equal(status_message(failure), "t.mlir:9:6: '!i' is defined by itself");
    status_free(failure);
    mlir_free(document);
}

static void assert_place(const char *location, const char *text, const char *name)
{
    char source[400];
    snprintf(source, sizeof source, "#l = loc(%s)\n#n = loc(\"layer\"(#f))\n#f = loc(\"f\":1:2)\n",
             location);
    struct mlir_document *document = read_ok(source);
    const struct mlir_attribute *alias = segments_get(&document->aliases, 0);
    struct arena arena = {0};
    assert_text(mlir_location_text(document, alias->location, &arena), text);
    assert_text(mlir_location_name(document, alias->location, &arena), name);
    arena_free(&arena);
    mlir_free(document);
}

static void locations_are_printed_with_their_aliases(void **state)
{
    (void)state;
    assert_place("\"a.py\":3:4", "a.py:3:4", "");
    assert_place("\"a.py\":3:4 to 5:6", "a.py:3:4 to 5:6", "");
    assert_place("\"a.py\":3:4 to :6", "a.py:3:4 to 3:6", "");
    assert_place("\"n\"", "\"n\"", "n");
    assert_place("\"n\"(\"a.py\":3:4)", "\"n\"(a.py:3:4)", "n");
    assert_place("unknown", "unknown", "");
    assert_place("callsite(#n at #f)", "callsite(\"layer\"(f:1:2) at f:1:2)", "layer");
    assert_place("fused<{a = 1}>[unknown, #n]", "fused<{a = 1}>[unknown, \"layer\"(f:1:2)]",
                 "layer");
    assert_place("fused[#missing]", "fused[#missing]", "");
}

static void a_location_of_itself_ends(void **state)
{
    (void)state;
    struct mlir_document *document = read_ok("#a = loc(fused[#b, #b])\n#b = loc(fused[#a, #a])");
    const struct mlir_attribute *alias = segments_get(&document->aliases, 0);
    struct arena arena = {0};
    assert_true(mlir_location_text(document, alias->location, &arena).size <= MLIR_LOCATION_MOST);
    assert_text(mlir_location_name(document, alias->location, &arena), "");
    arena_free(&arena);
    mlir_free(document);
}

static void resources_are_found_by_name(void **state)
{
    (void)state;
    struct mlir_document *document = read_ok(
        "module {}\n{-#\n  dialect_resources: {\n    builtin: {\n      a: \"0x01\",\n"
        "      \"b c\": \"0x02\"\n    }\n  },\n  external_resources: {x: {y: true}}\n#-}\n");
    assert_text(mlir_resource_find(document, view_of("a"))->text, "0x01");
    assert_text(mlir_resource_find(document, view_of("b c"))->text, "0x02");
    assert_null(mlir_resource_find(document, view_of("y")));
    mlir_free(document);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    assert_refused("module {\n  %0 =\n}", "t.mlir:3:1: expected an operation but found '}'");
    assert_refused("\"a.b\"(%0 : () -> ()", "t.mlir:1:10: expected ',' or ')' but found ':'");
    assert_refused("\"a.b\"() : () -> 3", "t.mlir:1:17: expected a type but found '3'");
    assert_refused("#a = dense<[1, 2]", "t.mlir:1:11: expected '>' for this '<'");
    assert_refused("#a = {b = }", "t.mlir:1:11: expected an attribute but found '}'");
    assert_refused("#a = 1\n#a = 2", "t.mlir:2:1: '#a' is defined twice");
    assert_refused("!a = tensor<4>", "t.mlir:1:14: expected 'x' after a dimension");
    assert_refused("!a = tensor<99999999999999999999xi8>",
                   "t.mlir:1:13: the dimension does not fit 63 bits");
    assert_refused("module {", "t.mlir:1:9: expected an operation but the text ends here");
    assert_refused("a.b \"x",
                   "t.mlir:1:5: expected the next operation but found a text without its "
                   "closing '\"'");
    assert_refused("func.func @f(%a) {}", "t.mlir:1:16: expected ':' but found ')'");
    assert_refused("{-# dialect_resources: {",
                   "t.mlir:1:25: expected a name but the text ends here");
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const PARTS[] = {"[",    "tensor<", "\"a\"() ({", "{a = ", "tuple<", "(",
                                        "loc(", "a.b {\n", "a.b ((",     "#a<[",  "dense<["};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const size_t size = strlen(PARTS[i]);
        char *text = malloc(size * 100000 + 5);
        assert_non_null(text);
        memcpy(text, "#a = ", 5);
        for (size_t k = 0; k < 100000; k++)
            memcpy(text + 5 + k * size, PARTS[i], size);
        struct mlir_document *document;
        for (size_t from = 0; from <= 5; from += 5) {
            const status failure =
                mlir_read("t", (struct view){text + from, size * 100000 + 5 - from}, &document);
            assert_true(failure != STATUS_OK);
            status_free(failure);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_told_apart),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(a_generic_operation_has_all_its_parts),
        cmocka_unit_test(pretty_operations_end_where_another_starts),
        cmocka_unit_test(every_kind_of_attribute_is_read),
        cmocka_unit_test(types_have_parts),
        cmocka_unit_test(locations_are_printed_with_their_aliases),
        cmocka_unit_test(a_location_of_itself_ends),
        cmocka_unit_test(resources_are_found_by_name),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(deep_nesting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
