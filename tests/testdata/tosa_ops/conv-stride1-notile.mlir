// A 3x3 convolution, stride 1, of 8-bit integers with a scale for each channel: image and
// result fit into the local memory of Torq together.
module {
  func.func @main(%arg0: tensor<1x224x224x3xi8>) -> tensor<1x224x224x4xi8> {
    %weight = "tosa.const"() <{values = dense<"0x789B34CAF54F2E220ACD941E71B88D5836866D0D858B63549E94BE2CACC67F5B7EF28F2D9903959F63D3D893DCE752779C84162917EC8FF1AF4A6422D367E18D5EB6DFA465A5331F758E793EA95A94EB0D15B62A92A709A593A44ED2279662E3954580C351A904BA16E856BA"> : tensor<4x3x3x3xi8>}> : () -> tensor<4x3x3x3xi8>
    %bias = "tosa.const"() <{values = dense<[1450, -1032, 1910, -252]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %input_zp = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %weight_zp = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.conv2d %arg0, %weight, %bias, %input_zp, %weight_zp {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x224x224x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x224x224x4xi32> loc(#conv)
    %multiplier = "tosa.const"() <{values = dense<[1256220323, 1544762408, 1178578848, 1855999968]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %shift = "tosa.const"() <{values = dense<[39, 38, 38, 38]> : tensor<4xi8>}> : () -> tensor<4xi8>
    %accumulator_zp = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %output_zp = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.rescale %0, %multiplier, %shift, %accumulator_zp, %output_zp {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x224x224x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x224x224x4xi8> loc(#scale)
    return %1 : tensor<1x224x224x4xi8>
  }
}
#conv = loc("backbone/conv")
#scale = loc("backbone/conv/rescale")
