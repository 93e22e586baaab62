// Reads a network from an ONNX model: protobuf, mapped, nothing copied but what
// the file spells out number by number.
//
// Operator sets 1 to 21 of ONNX's own domain and ai.onnx.preview.training.
// Functions of the model are put in where they are called; constants outside
// the file are mapped from the folder it lies in, and from nowhere else.

#ifndef OPSCOPE_NETWORK_ONNX_IMPORT_H
#define OPSCOPE_NETWORK_ONNX_IMPORT_H

#include "network/network.h"

// An input of the main graph that an initializer stands for is an optional input
// with that constant as its default: it is in the graph's inputs, has the
// constant, and whoever runs the network may give another of the same type.
// Shapes are inferred as if it were the constant.
//
// The network owns `input`, also on failure. Types are those that the file
// declares; network_infer finds the others.
status onnx_import(struct input *input, struct network **out_network);

#endif
