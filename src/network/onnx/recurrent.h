// What ONNX's RNN, GRU and LSTM have in common: the lengths, and the activations.

#ifndef OPSCOPE_NETWORK_ONNX_RECURRENT_H
#define OPSCOPE_NETWORK_ONNX_RECURRENT_H

#include "network/attribute.h"

enum recurrent_kind {
    RECURRENT_RNN,
    RECURRENT_GRU,
    RECURRENT_LSTM,
};

enum recurrent_function {
    RECURRENT_RELU,
    RECURRENT_TANH,
    RECURRENT_SIGMOID,
    RECURRENT_AFFINE,
    RECURRENT_LEAKY_RELU,
    RECURRENT_THRESHOLDED_RELU,
    RECURRENT_SCALED_TANH,
    RECURRENT_HARD_SIGMOID,
    RECURRENT_ELU,
    RECURRENT_SOFTSIGN,
    RECURRENT_SOFTPLUS,
};

struct recurrent_activation {
    enum recurrent_function function;
    double alpha;
    double beta;
    uint32_t flops; // for each number
};

enum { RECURRENT_ACTIVATIONS_MOST = 3 };

struct recurrent {
    enum recurrent_kind kind;
    uint32_t gates;       // 1, 3 or 4
    uint32_t activations; // of one direction: 1, 2 or 3
    uint32_t directions;  // 1 or 2
    bool reverse;         // the only direction runs backwards
    bool batch_first;     // layout 1
    bool input_forget;
    bool linear_before_reset;
    double clip; // 0: none
    // By direction.
    struct recurrent_activation functions[2][RECURRENT_ACTIVATIONS_MOST];
};

// "RNN", "GRU" or "LSTM".
enum recurrent_kind recurrent_kind_of(struct view type);

// Fails for attributes that make no sense.
status recurrent_parse(enum recurrent_kind kind, struct attributes attributes,
                       struct recurrent *out_recurrent);

#endif
