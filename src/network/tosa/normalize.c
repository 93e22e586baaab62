// One form for every operator: what TOSA 0.x says by attributes becomes the
// operands of 1.0, and what may be left out is filled in.

#include "importer.h"

static const struct mlir_attribute *tosa_normalize_has_attribute(const struct tosa_draft *draft,
                                                                 const char *name)
{
    return mlir_find(draft->operation, name);
}

// Removes an attribute that has become something else.
static void tosa_normalize_drop_attribute(struct tosa_draft *draft, const char *name)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->attribute_count; i++) {
        if (!view_is(draft->attributes[i].name, name))
            draft->attributes[kept++] = draft->attributes[i];
    }
    draft->attribute_count = kept;
}

static struct attribute *tosa_normalize_find_attribute(const struct tosa_draft *draft,
                                                       const char *name)
{
    for (uint32_t i = 0; i < draft->attribute_count; i++) {
        if (view_is(draft->attributes[i].name, name))
            return &draft->attributes[i];
    }
    return NULL;
}

static struct attribute *tosa_normalize_add_attribute(struct tosa_draft *draft, const char *name,
                                                      enum attribute_kind kind)
{
    struct attribute *attribute = &draft->attributes[draft->attribute_count++];
    *attribute = (struct attribute){.name = view_of(name), .kind = kind};
    return attribute;
}

static void default_integer(struct tosa_draft *draft, const char *name, int64_t value)
{
    if (tosa_normalize_find_attribute(draft, name) == NULL)
        tosa_normalize_add_attribute(draft, name, ATTRIBUTE_INTEGER)->integer = value;
}

static void default_text(struct tosa_draft *draft, const char *name, const char *value)
{
    if (tosa_normalize_find_attribute(draft, name) == NULL)
        tosa_normalize_add_attribute(draft, name, ATTRIBUTE_TEXT)->text = view_of(value);
}

static status tosa_normalize_fail(const struct tosa_draft *draft, const char *what)
{
    return mlir_failure(draft->importer->document, draft->operation->text.data, "%.*s: %s",
                        VIEW_ARGUMENTS(draft->operation->name), what);
}

static status tosa_normalize_need_inputs(const struct tosa_draft *draft, uint32_t count)
{
    return draft->input_count >= count ? STATUS_OK
                                       : tosa_normalize_fail(draft, "operands are missing");
}

static enum element input_element(const struct tosa_draft *draft, uint32_t index)
{
    return tosa_input(draft, index)->type.element;
}

static enum element tosa_normalize_output_element(const struct tosa_draft *draft)
{
    if (draft->output_count == 0)
        return ELEMENT_NONE;
    return network_value(draft->importer->network, draft->outputs[0])->type.element;
}

// Zero points -----------------------------------------------------------------

// "name = number" in the text of #tosa.conv_quant<input_zp = -1, weight_zp = 0>.
static bool find_in_text(struct view body, const char *name, int64_t *out_number)
{
    const size_t at = view_find_text(body, name);
    if (at == body.size)
        return false;
    struct view rest = view_trim(view_slice(body, at + strlen(name), body.size));
    if (rest.size == 0 || rest.data[0] != '=')
        return false;
    rest = view_trim(view_slice(rest, 1, rest.size));
    size_t end = 0;
    while (end < rest.size && rest.data[end] != ',' && rest.data[end] != ' ' &&
           rest.data[end] != ':')
        end++;
    return view_to_i64(view_slice(rest, 0, end), out_number);
}

// A number from an attribute of its own or from quantization_info; 0 without either.
static status tosa_normalize_zero_point(const struct tosa_draft *draft, const char *name,
                                        int64_t *out_number)
{
    *out_number = 0;
    const struct mlir_attribute *own = tosa_normalize_has_attribute(draft, name);
    const struct mlir_attribute *info = tosa_normalize_has_attribute(draft, "quantization_info");
    if (own != NULL)
        return mlir_integer_of(own, out_number)
                   ? STATUS_OK
                   : tosa_normalize_fail(draft, "a zero point must be an integer");
    if (info == NULL)
        return STATUS_OK;
    STATUS_TRY(mlir_attribute_resolve(draft->importer->document, info, &info));
    if (info->kind == MLIR_DICTIONARY) {
        own = mlir_dictionary_find(info, name);
        if (own != NULL && !mlir_integer_of(own, out_number))
            return tosa_normalize_fail(draft, "a zero point must be an integer");
        return STATUS_OK;
    }
    find_in_text(info->body, name, out_number);
    return STATUS_OK;
}

// Appends one number as a tensor of one element.
static void tosa_normalize_append_number(struct tosa_draft *draft, enum element element,
                                         int64_t number)
{
    const struct shape one = {1, {1}};
    draft->inputs[draft->input_count++] =
        tosa_integers_add(draft->importer, element, &one, number == 0 ? NULL : &number);
}

// Appends a zero point unless the operands have reached `index` already.
static status complete_zero_point(struct tosa_draft *draft, uint32_t index, const char *name,
                                  enum element element)
{
    if (draft->input_count > index)
        return STATUS_OK;
    if (element == ELEMENT_NONE)
        return tosa_normalize_fail(draft, "the type of an operand is not known");
    int64_t number;
    STATUS_TRY(tosa_normalize_zero_point(draft, name, &number));
    if (number != 0 && element_is_float(element))
        return tosa_normalize_fail(draft, "a zero point of floating-point numbers must be 0");
    tosa_normalize_drop_attribute(draft, name);
    tosa_normalize_append_number(draft, element, number);
    return STATUS_OK;
}

static void default_accumulator(struct tosa_draft *draft)
{
    if (tosa_normalize_find_attribute(draft, "acc_type") != NULL)
        return;
    struct value_type *type =
        arena_allocate(&draft->importer->network->arena, sizeof(struct value_type));
    const struct shape scalar = {0};
    const enum element element = input_element(draft, 0);
    *type = value_type_tensor(element_is_float(element)
                                  ? (element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32)
                              : element == ELEMENT_I16 ? ELEMENT_I48
                                                       : ELEMENT_I32,
                              &scalar);
    tosa_normalize_add_attribute(draft, "acc_type", ATTRIBUTE_TYPE)->type = type;
}

static status complete_convolution(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 3));
    const bool old = draft->input_count < 5;
    STATUS_TRY(complete_zero_point(draft, 3, "input_zp", input_element(draft, 0)));
    STATUS_TRY(complete_zero_point(draft, 4, "weight_zp", input_element(draft, 1)));
    if (old) {
        tosa_normalize_drop_attribute(draft, "quantization_info");
        tosa_normalize_drop_attribute(draft, "out_shape");
    }
    default_accumulator(draft);
    if (!view_is(draft->type, "tosa.fully_connected"))
        default_integer(draft, "local_bound", 0);
    return STATUS_OK;
}

static status complete_pool(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    const bool old = draft->input_count < 3;
    STATUS_TRY(complete_zero_point(draft, 1, "input_zp", input_element(draft, 0)));
    STATUS_TRY(complete_zero_point(draft, 2, "output_zp", tosa_normalize_output_element(draft)));
    if (old)
        tosa_normalize_drop_attribute(draft, "quantization_info");
    default_accumulator(draft);
    return STATUS_OK;
}

static status complete_negate(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    const bool old = draft->input_count < 3;
    const char *name =
        tosa_normalize_has_attribute(draft, "input1_zp") != NULL ? "input1_zp" : "input_zp";
    STATUS_TRY(complete_zero_point(draft, 1, name, input_element(draft, 0)));
    STATUS_TRY(complete_zero_point(draft, 2, "output_zp", tosa_normalize_output_element(draft)));
    if (old)
        tosa_normalize_drop_attribute(draft, "quantization_info");
    return STATUS_OK;
}

static status complete_matmul(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 2));
    const bool old = draft->input_count < 4;
    STATUS_TRY(complete_zero_point(draft, 2, "a_zp", input_element(draft, 0)));
    STATUS_TRY(complete_zero_point(draft, 3, "b_zp", input_element(draft, 1)));
    if (old)
        tosa_normalize_drop_attribute(draft, "quantization_info");
    return STATUS_OK;
}

static status complete_mul(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 2));
    return complete_zero_point(draft, 2, "shift", ELEMENT_I8);
}

// Lists -----------------------------------------------------------------------

// Appends the integers of an attribute unless the operands have reached `index`.
static status complete_list(struct tosa_draft *draft, uint32_t index, const char *name,
                            enum element element)
{
    if (draft->input_count > index)
        return STATUS_OK;
    const struct mlir_attribute *source = tosa_normalize_has_attribute(draft, name);
    if (source == NULL)
        return tosa_normalize_fail(draft, "operands are missing");
    const int64_t *items;
    uint32_t count = 0;
    STATUS_TRY(tosa_integers(draft->importer, source, &items, &count));
    tosa_normalize_drop_attribute(draft, name);
    const struct shape shape = {1, {count}};
    draft->inputs[draft->input_count++] =
        tosa_integers_add(draft->importer, element, &shape, items);
    return STATUS_OK;
}

// 0.x has tensors of any integers, and two columns for pads: a list of i64 now.
static void flatten(struct tosa_draft *draft, uint32_t index)
{
    const struct constant *given_as = tosa_input(draft, index)->constant;
    if (given_as == NULL || element_is_float(given_as->tensor.element) ||
        (given_as->tensor.shape.rank == 1 && given_as->tensor.element == ELEMENT_I64))
        return;
    const uint64_t count = tensor_count(&given_as->tensor);
    if (count > 2 * SHAPE_RANK_MOST)
        return; // no shape; inference says so
    int64_t *items = arena_allocate(&draft->importer->network->arena, count * sizeof(int64_t));
    for (uint64_t i = 0; i < count; i++)
        items[i] = constant_integer(given_as, i);
    const struct shape shape = {1, {(int64_t)count}};
    draft->inputs[index] = tosa_integers_add(draft->importer, ELEMENT_I64, &shape, items);
}

// A list of lengths: an operand, or an attribute.
static status complete_shape(struct tosa_draft *draft, uint32_t index, const char *name)
{
    STATUS_TRY(complete_list(draft, index, name, ELEMENT_I64));
    flatten(draft, index);
    return STATUS_OK;
}

static status complete_reshape(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    return complete_shape(draft, 1, "new_shape");
}

static status complete_slice(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    STATUS_TRY(complete_shape(draft, 1, "start"));
    return complete_shape(draft, 2, "size");
}

static status complete_tile(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    return complete_shape(draft, 1, "multiples");
}

static status complete_resize(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    STATUS_TRY(complete_shape(draft, 1, "scale"));
    STATUS_TRY(complete_shape(draft, 2, "offset"));
    return complete_shape(draft, 3, "border");
}

// 0.x may leave out the constant.
static status complete_pad(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    STATUS_TRY(complete_shape(draft, 1, "padding"));
    if (draft->input_count > 2)
        return STATUS_OK;
    STATUS_TRY(complete_zero_point(draft, 2, "input_zp", input_element(draft, 0)));
    tosa_normalize_drop_attribute(draft, "quantization_info");
    return STATUS_OK;
}

// 0.x: the permutation is an operand.
static status complete_transpose(struct tosa_draft *draft)
{
    if (draft->input_count != 2)
        return STATUS_OK;
    const struct constant *perms = tosa_input(draft, 1)->constant;
    if (perms == NULL || element_is_float(perms->tensor.element))
        return tosa_normalize_fail(draft, "the permutation must be a constant");
    const uint64_t count = tensor_count(&perms->tensor);
    if (count > SHAPE_RANK_MOST)
        return tosa_normalize_fail(draft, "the permutation is too long");
    int64_t *items = arena_allocate(&draft->importer->network->arena, count * sizeof(int64_t));
    for (uint64_t i = 0; i < count; i++)
        items[i] = constant_integer(perms, i);
    draft->input_count = 1;
    struct attribute *attribute = tosa_normalize_add_attribute(draft, "perms", ATTRIBUTE_INTEGERS);
    attribute->integers = items;
    attribute->count = (uint32_t)count;
    return STATUS_OK;
}

// Others ----------------------------------------------------------------------

static status complete_rescale(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    default_integer(draft, "scale32", 1);
    default_integer(draft, "per_channel", 0);
    default_integer(draft, "input_unsigned", 0);
    default_integer(draft, "output_unsigned", 0);
    const enum element multiplier =
        tosa_normalize_find_attribute(draft, "scale32")->integer != 0 ? ELEMENT_I32 : ELEMENT_I16;
    STATUS_TRY(complete_list(draft, 1, "multiplier", multiplier));
    STATUS_TRY(complete_list(draft, 2, "shift", ELEMENT_I8));
    STATUS_TRY(complete_zero_point(draft, 3, "input_zp", input_element(draft, 0)));
    STATUS_TRY(complete_zero_point(draft, 4, "output_zp", tosa_normalize_output_element(draft)));
    const struct attribute *twice = tosa_normalize_find_attribute(draft, "double_round");
    const bool rounds_twice = twice != NULL && twice->integer != 0;
    tosa_normalize_drop_attribute(draft, "double_round");
    default_text(draft, "rounding_mode", rounds_twice ? "DOUBLE_ROUND" : "SINGLE_ROUND");
    return STATUS_OK;
}

static void rename(struct tosa_draft *draft, const char *from, const char *to)
{
    struct attribute *attribute = tosa_normalize_find_attribute(draft, from);
    if (attribute != NULL)
        attribute->name = view_of(to);
}

static status complete_clamp(struct tosa_draft *draft)
{
    STATUS_TRY(tosa_normalize_need_inputs(draft, 1));
    const bool real = element_is_float(input_element(draft, 0));
    if (tosa_normalize_find_attribute(draft, "min_val") == NULL)
        rename(draft, real ? "min_fp" : "min_int", "min_val");
    if (tosa_normalize_find_attribute(draft, "max_val") == NULL)
        rename(draft, real ? "max_fp" : "max_int", "max_val");
    tosa_normalize_drop_attribute(draft, "min_int");
    tosa_normalize_drop_attribute(draft, "max_int");
    tosa_normalize_drop_attribute(draft, "min_fp");
    tosa_normalize_drop_attribute(draft, "max_fp");
    default_text(draft, "nan_mode", "PROPAGATE");
    return STATUS_OK;
}

static status complete_nan_mode(struct tosa_draft *draft)
{
    default_text(draft, "nan_mode", "PROPAGATE");
    return STATUS_OK;
}

static status complete_transform(struct tosa_draft *draft)
{
    default_integer(draft, "local_bound", 0);
    return STATUS_OK;
}

// The three lists of the pretty form; of the generic form they are attributes.
static status complete_extract(struct tosa_draft *draft)
{
    static const char *const NAMES[] = {"static_offsets", "static_sizes", "static_strides"};
    const struct mlir_operation *operation = draft->operation;
    tosa_normalize_drop_attribute(draft, "operandSegmentSizes");
    if (draft->input_count != 1)
        return tosa_normalize_fail(draft, "offsets, sizes and strides must be constants");
    if (operation->generic)
        return STATUS_OK;
    if (operation->literal_count != 3)
        return tosa_normalize_fail(draft, "expected offsets, sizes and strides");
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t *items;
        uint32_t count;
        STATUS_TRY(tosa_integers(draft->importer, &operation->literals[i], &items, &count));
        struct attribute *attribute =
            tosa_normalize_add_attribute(draft, NAMES[i], ATTRIBUTE_INTEGERS);
        attribute->integers = items;
        attribute->count = count;
    }
    return STATUS_OK;
}

// tensor.expand_shape and tensor.collapse_shape: the result's type says it all.
static status complete_view(struct tosa_draft *draft)
{
    if (draft->input_count != 1 || draft->output_count != 1)
        return tosa_normalize_fail(draft, "the shape must be a constant");
    const struct value_type *type =
        &network_value(draft->importer->network, draft->outputs[0])->type;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < type->shape.rank; i++)
        unknown += type->shape.dims[i] == SHAPE_UNKNOWN;
    if (!type->ranked || unknown > 1)
        return tosa_normalize_fail(draft, "the shape of the result must be known");
    const struct shape shape = {1, {type->shape.rank}};
    draft->inputs[draft->input_count++] =
        tosa_integers_add(draft->importer, ELEMENT_I64, &shape, type->shape.dims);
    draft->attribute_count = 0;
    return STATUS_OK;
}

struct form {
    const char *name;
    const char *modern; // NULL: the same
    status (*complete)(struct tosa_draft *draft);
};

static const struct form FORMS[] = {
    {"tosa.conv2d", NULL, complete_convolution},
    {"tosa.conv3d", NULL, complete_convolution},
    {"tosa.depthwise_conv2d", NULL, complete_convolution},
    {"tosa.transpose_conv2d", NULL, complete_convolution},
    {"tosa.fully_connected", NULL, complete_convolution},
    {"tosa.avg_pool2d", NULL, complete_pool},
    {"tosa.negate", NULL, complete_negate},
    {"tosa.matmul", NULL, complete_matmul},
    {"tosa.mul", NULL, complete_mul},
    {"tosa.rescale", NULL, complete_rescale},
    {"tosa.pad", NULL, complete_pad},
    {"tosa.reshape", NULL, complete_reshape},
    {"tosa.slice", NULL, complete_slice},
    {"tosa.tile", NULL, complete_tile},
    {"tosa.transpose", NULL, complete_transpose},
    {"tosa.resize", NULL, complete_resize},
    {"tosa.clamp", NULL, complete_clamp},
    {"tosa.argmax", NULL, complete_nan_mode},
    {"tosa.max_pool2d", NULL, complete_nan_mode},
    {"tosa.maximum", NULL, complete_nan_mode},
    {"tosa.minimum", NULL, complete_nan_mode},
    {"tosa.reduce_max", NULL, complete_nan_mode},
    {"tosa.reduce_min", NULL, complete_nan_mode},
    {"tosa.fft2d", NULL, complete_transform},
    {"tosa.rfft2d", NULL, complete_transform},
    {"tosa.reduce_prod", "tosa.reduce_product", NULL},
    {"tosa.div", "tosa.intdiv", NULL},
    {"tosa.int_div", "tosa.intdiv", NULL},
    {"tensor.extract_slice", NULL, complete_extract},
    {"tensor.expand_shape", "tosa.reshape", complete_view},
    {"tensor.collapse_shape", "tosa.reshape", complete_view},
};

status tosa_normalize(struct tosa_draft *draft)
{
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        if (!view_is(draft->type, FORMS[i].name))
            continue;
        if (FORMS[i].modern != NULL)
            draft->type = view_of(FORMS[i].modern);
        return FORMS[i].complete != NULL ? FORMS[i].complete(draft) : STATUS_OK;
    }
    return STATUS_OK;
}
