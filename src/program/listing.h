// The operators of a network that has no text of its own (ONNX), one a line: what the locations
// of its program name, in the form in which such networks are imported into MLIR.
//
//     module {
//       func.func @main() {
//         %5 = torch.operator "onnx.Conv"(%0, %3, %4) // /features.0/Conv

#ifndef OPSCOPE_PROGRAM_LISTING_H
#define OPSCOPE_PROGRAM_LISTING_H

#include "base/bytes.h"
#include "program.h"

// Whether locations name lines of the listing.
bool program_is_listed(const struct program *program);

// "model.mlir" for model.onnx, in quotes, and the place of an operator after it.
void program_listing_place(const struct program *program, uint32_t operator_id, struct bytes *to);

void program_listing(const struct program *program, struct bytes *to);

#endif
