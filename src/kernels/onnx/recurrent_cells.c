#include "recurrent_cells.h"

#include <math.h>
#include <stddef.h>

#include "kernels/core/clones.h"
#include "kernels/core/elementary.h"

#define FOR_ALL(statement)                                                                         \
    for (uint64_t i = 0; i < count; i++)                                                           \
    statement

// Functions over rows, and the cells made of them, for one type of number.
#define DEFINE_CELLS(type, suffix, absolute, logarithm)                                            \
    CORE_CLONES(void, activate_##suffix,                                                           \
                (const struct recurrent_activation *activation, type *x, uint64_t count),          \
                (activation, x, count))                                                            \
    {                                                                                              \
        const type alpha = (type)activation->alpha;                                                \
        const type beta = (type)activation->beta;                                                  \
        switch (activation->function) {                                                            \
        case RECURRENT_RELU:                                                                       \
            FOR_ALL(x[i] = x[i] > 0 ? x[i] : 0;)                                                   \
            break;                                                                                 \
        case RECURRENT_TANH:                                                                       \
            FOR_ALL(x[i] = elementary_tanh(x[i]);)                                                 \
            break;                                                                                 \
        case RECURRENT_SIGMOID:                                                                    \
            FOR_ALL(x[i] = elementary_sigmoid(x[i]);)                                              \
            break;                                                                                 \
        case RECURRENT_AFFINE:                                                                     \
            FOR_ALL(x[i] = alpha * x[i] + beta;)                                                   \
            break;                                                                                 \
        case RECURRENT_LEAKY_RELU:                                                                 \
            FOR_ALL(x[i] = x[i] >= 0 ? x[i] : alpha * x[i];)                                       \
            break;                                                                                 \
        case RECURRENT_THRESHOLDED_RELU:                                                           \
            FOR_ALL(x[i] = x[i] > alpha ? x[i] : 0;)                                               \
            break;                                                                                 \
        case RECURRENT_SCALED_TANH:                                                                \
            FOR_ALL(x[i] = alpha * elementary_tanh(beta * x[i]);)                                  \
            break;                                                                                 \
        case RECURRENT_HARD_SIGMOID:                                                               \
            FOR_ALL({                                                                              \
                const type line = alpha * x[i] + beta;                                             \
                x[i] = line < 0 ? 0 : line > 1 ? 1 : line;                                         \
            })                                                                                     \
            break;                                                                                 \
        case RECURRENT_ELU:                                                                        \
            FOR_ALL(x[i] = x[i] >= 0 ? x[i] : alpha * (elementary_exp(x[i]) - 1);)                 \
            break;                                                                                 \
        case RECURRENT_SOFTSIGN:                                                                   \
            FOR_ALL(x[i] = x[i] / (1 + absolute(x[i]));)                                           \
            break;                                                                                 \
        case RECURRENT_SOFTPLUS:                                                                   \
            FOR_ALL(x[i] = (x[i] > 0 ? x[i] : 0) + logarithm(elementary_exp(-absolute(x[i])));)    \
            break;                                                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void clip_##suffix(const struct recurrent_cell *cell, type *x, uint64_t count)          \
    {                                                                                              \
        const type most = (type)cell->recurrent->clip;                                             \
        if (most == 0)                                                                             \
            return;                                                                                \
        FOR_ALL(x[i] = x[i] > most ? most : x[i] < -most ? -most : x[i];)                          \
    }                                                                                              \
                                                                                                   \
    static void add_##suffix(type *restrict x, const type *restrict y, uint64_t count)             \
    {                                                                                              \
        FOR_ALL(x[i] += y[i];)                                                                     \
    }                                                                                              \
                                                                                                   \
    static void add_product_##suffix(type *x, const type *y, const type *z, uint64_t count)        \
    {                                                                                              \
        FOR_ALL(x[i] += y[i] * z[i];)                                                              \
    }                                                                                              \
                                                                                                   \
    static void finish_gate_##suffix(const struct recurrent_cell *cell, uint32_t function,         \
                                     type *gate)                                                   \
    {                                                                                              \
        clip_##suffix(cell, gate, cell->hidden);                                                   \
        activate_##suffix(&cell->functions[function], gate, cell->hidden);                         \
    }                                                                                              \
                                                                                                   \
    static void step_rnn_##suffix(const struct recurrent_cell *cell)                               \
    {                                                                                              \
        type *gate = cell->gates;                                                                  \
        type *state = cell->hidden_state;                                                          \
        const uint64_t count = cell->hidden;                                                       \
        add_##suffix(gate, cell->recurring, count);                                                \
        finish_gate_##suffix(cell, 0, gate);                                                       \
        FOR_ALL(state[i] = gate[i];)                                                               \
    }                                                                                              \
                                                                                                   \
    /* Gates in the order of input, output, forget, cell. */                                       \
    static void step_lstm_##suffix(const struct recurrent_cell *cell)                              \
    {                                                                                              \
        const uint64_t count = cell->hidden;                                                       \
        type *input = cell->gates;                                                                 \
        type *output = input + count;                                                              \
        type *forget = output + count;                                                             \
        type *fresh = forget + count;                                                              \
        type *state = cell->cell_state;                                                            \
        type *hidden = cell->hidden_state;                                                         \
        const type *peepholes = cell->peepholes;                                                   \
        add_##suffix(input, cell->recurring, 4 * count);                                           \
        if (peepholes != NULL) {                                                                   \
            add_product_##suffix(input, peepholes, state, count);                                  \
            add_product_##suffix(forget, peepholes + 2 * count, state, count);                     \
        }                                                                                          \
        finish_gate_##suffix(cell, 0, input);                                                      \
        if (cell->recurrent->input_forget)                                                         \
            FOR_ALL(forget[i] = 1 - input[i];)                                                     \
        else                                                                                       \
            finish_gate_##suffix(cell, 0, forget);                                                 \
        finish_gate_##suffix(cell, 1, fresh);                                                      \
        FOR_ALL(state[i] = forget[i] * state[i] + input[i] * fresh[i];)                            \
        if (peepholes != NULL)                                                                     \
            add_product_##suffix(output, peepholes + count, state, count);                         \
        finish_gate_##suffix(cell, 0, output);                                                     \
        FOR_ALL(hidden[i] = state[i];)                                                             \
        activate_##suffix(&cell->functions[2], hidden, count);                                     \
        FOR_ALL(hidden[i] *= output[i];)                                                           \
    }                                                                                              \
                                                                                                   \
    /* Gates in the order of update, reset, hidden. */                                             \
    static void gates_gru_##suffix(const struct recurrent_cell *cell)                              \
    {                                                                                              \
        const uint64_t count = cell->hidden;                                                       \
        type *update = cell->gates;                                                                \
        type *reset = update + count;                                                              \
        const type *state = cell->hidden_state;                                                    \
        type *out = cell->reset;                                                                   \
        add_##suffix(update, cell->recurring, 2 * count);                                          \
        finish_gate_##suffix(cell, 0, update);                                                     \
        finish_gate_##suffix(cell, 0, reset);                                                      \
        FOR_ALL(out[i] = reset[i] * state[i];)                                                     \
    }                                                                                              \
                                                                                                   \
    static void finish_gru_##suffix(const struct recurrent_cell *cell, const type *recurring)      \
    {                                                                                              \
        const uint64_t count = cell->hidden;                                                       \
        const type *update = cell->gates;                                                          \
        const type *reset = update + count;                                                        \
        type *fresh = (type *)cell->gates + 2 * count;                                             \
        type *state = cell->hidden_state;                                                          \
        const type *bias = cell->bias;                                                             \
        if (cell->recurrent->linear_before_reset)                                                  \
            FOR_ALL(fresh[i] += reset[i] * (recurring[i] + (bias != NULL ? bias[i] : 0));)         \
        else                                                                                       \
            add_##suffix(fresh, recurring, count);                                                 \
        finish_gate_##suffix(cell, 1, fresh);                                                      \
        FOR_ALL(state[i] = (1 - update[i]) * fresh[i] + update[i] * state[i];)                     \
    }

DEFINE_CELLS(float, f32, fabsf, log1pf)
DEFINE_CELLS(double, f64, fabs, log1p)

void recurrent_cell_step(enum element element, const struct recurrent_cell *cell)
{
    if (cell->recurrent->kind == RECURRENT_LSTM) {
        if (element == ELEMENT_F64)
            step_lstm_f64(cell);
        else
            step_lstm_f32(cell);
    } else if (element == ELEMENT_F64) {
        step_rnn_f64(cell);
    } else {
        step_rnn_f32(cell);
    }
}

void recurrent_cell_gates(enum element element, const struct recurrent_cell *cell)
{
    if (element == ELEMENT_F64)
        gates_gru_f64(cell);
    else
        gates_gru_f32(cell);
}

void recurrent_cell_finish(enum element element, const struct recurrent_cell *cell,
                           const void *recurring)
{
    if (element == ELEMENT_F64)
        finish_gru_f64(cell, recurring);
    else
        finish_gru_f32(cell, recurring);
}
