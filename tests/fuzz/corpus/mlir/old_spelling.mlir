#q = #tosa.conv_quant<input_zp = -1, weight_zp = 3>
!t = tensor<1x4x4x8xi8>
func @main(%x: !t, %f: tensor<2x8xf32>) -> (tensor<2x5xf32>, tensor<1x4x4x6xi32>) {
  %w = "tosa.const"() {value = dense<1> : tensor<6x1x1x8xi8>} : () -> tensor<6x1x1x8xi8>
  %b = "tosa.const"() {value = dense<[1,2,3,4,5,6]> : tensor<6xi32>} : () -> tensor<6xi32>
  %0 = "tosa.conv2d"(%x, %w, %b) {quantization_info = #q, pad = array<i64: 0, 0, 0, 0>, stride = [1, 1], dilation = array<i64: 1, 1>} : (!t, tensor<6x1x1x8xi8>, tensor<6xi32>) -> tensor<1x4x4x6xi32>
  %r = "tosa.rescale"(%0) {double_round = true, input_zp = 0 : i32, multiplier = array<i32: 1073741824>, output_zp = -5 : i32, per_channel = false, scale32 = true, shift = array<i8: 30>} : (tensor<1x4x4x6xi32>) -> tensor<1x4x4x6xi8>
  %s = "tosa.reshape"(%r) {new_shape = array<i64: 4, 24>} : (tensor<1x4x4x6xi8>) -> tensor<4x24xi8>
  %p = "tosa.const"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> tensor<2xi32>
  %tr = "tosa.transpose"(%s, %p) : (tensor<4x24xi8>, tensor<2xi32>) -> tensor<24x4xi8>
  %sl = "tosa.slice"(%tr) {start = array<i64: 1, 0>, size = array<i64: 2, 4>} : (tensor<24x4xi8>) -> tensor<2x4xi8>
  %ti = "tosa.tile"(%sl) {multiples = array<i64: 2, 1>} : (tensor<2x4xi8>) -> tensor<4x4xi8>
  %pads = "tosa.const"() {value = dense<[[1, 0], [0, 2]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
  %pd = "tosa.pad"(%ti, %pads) {quantization_info = #tosa.pad_quant<input_zp = -7>} : (tensor<4x4xi8>, tensor<2x2xi32>) -> tensor<5x6xi8>
  %c = "tosa.clamp"(%pd) {min_int = -10 : i64, max_int = 20 : i64, min_fp = -1.0 : f32, max_fp = 1.0 : f32} : (tensor<5x6xi8>) -> tensor<5x6xi8>
  %m = "tosa.mul"(%c, %c) {shift = 3 : i8} : (tensor<5x6xi8>, tensor<5x6xi8>) -> tensor<5x6xi32>
  %ng = "tosa.negate"(%c) {quantization_info = #tosa.unary_quant<input_zp = 1, output_zp = 2>} : (tensor<5x6xi8>) -> tensor<5x6xi8>
  %ap = "tosa.avg_pool2d"(%x) {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, acc_type = i32, quantization_info = #tosa.unary_quant<input_zp = 1, output_zp = 2>} : (!t) -> tensor<1x2x2x8xi8>
  %rs = "tosa.resize"(%x) {scale = array<i64: 4, 2, 4, 2>, offset = array<i64: 0, 0>, border = array<i64: 0, 0>, mode = "NEAREST_NEIGHBOR"} : (!t) -> tensor<1x7x7x8xi8>
  %fw = "tosa.const"() {value = dense<0.5> : tensor<5x8xf32>} : () -> tensor<5x8xf32>
  %fb = "tosa.const"() {value = dense<"0x0000003F0000003F0000003F0000003F0000003F"> : tensor<5xf32>} : () -> tensor<5xf32>
  %fc = "tosa.fully_connected"(%f, %fw, %fb) : (tensor<2x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  return %fc, %0 : tensor<2x5xf32>, tensor<1x4x4x6xi32>
}
