func.func @f(%a: tensor<2x6xi8>, %d: tensor<?x4xf32>) -> tensor<2x2x1xi8> {
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [2, 3, 2] : tensor<2x6xi8> into tensor<2x3x2xi8>
  %1 = tensor.extract_slice %0[0, 1, 0] [2, 2, 1] [1, 1, 1] : tensor<2x3x2xi8> to tensor<2x2x1xi8>
  %2 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<2x3x2xi8> into tensor<12xi8>
  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.reshape %2, %s : (tensor<12xi8>, !tosa.shape<2>) -> tensor<3x4xi8>
  %4 = tosa.transpose %3 {perms = array<i32: 1, 0>} : (tensor<3x4xi8>) -> tensor<4x3xi8>
  %5 = tosa.cast %4 : (tensor<4x3xi8>) -> tensor<4x3xf32>
  %6 = tosa.clamp %5 {min_val = -1.0 : f32, max_val = 0x3F800000 : f32} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %7 = tosa.exp %d : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<2x2x1xi8>
}
