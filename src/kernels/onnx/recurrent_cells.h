// One step of a recurrent network for one item of the batch.

#ifndef OPSCOPE_KERNELS_ONNX_RECURRENT_CELLS_H
#define OPSCOPE_KERNELS_ONNX_RECURRENT_CELLS_H

#include "network/element.h"
#include "network/onnx/recurrent.h"

// All numbers are of one element, f32 or f64.
struct recurrent_cell {
    const struct recurrent *recurrent;
    const struct recurrent_activation *functions; // of the direction
    uint64_t hidden;
    void *gates;           // products of the input, with all biases but `bias`; changed
    const void *recurring; // products of the hidden numbers
    const void *bias;      // GRU, linear before reset: of the last gate's recurring part; or NULL
    const void *peepholes; // LSTM: 3 x hidden, or NULL
    void *hidden_state;    // read, then replaced
    void *cell_state;      // LSTM: likewise
    void *reset;           // GRU: where the reset hidden numbers go
};

// RNN and LSTM.
void recurrent_cell_step(enum element element, const struct recurrent_cell *cell);

// A GRU needs the product of its reset hidden numbers in between: the first half
// computes the update and reset gates and `reset`, the second one the rest, with
// the last gate's products in `recurring` (from its beginning).
void recurrent_cell_gates(enum element element, const struct recurrent_cell *cell);
void recurrent_cell_finish(enum element element, const struct recurrent_cell *cell,
                           const void *recurring);

#endif
