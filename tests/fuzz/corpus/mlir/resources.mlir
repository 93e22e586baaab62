module {
  func.func @main(%a: tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi32> {
    %w = "tosa.const"() <{values = dense_resource<w> : tensor<2x1x1x2xi8>}> : () -> tensor<2x1x1x2xi8>
    %b = "tosa.const"() <{values = dense<"0x0100000002000000"> : tensor<2xi32>}> : () -> tensor<2xi32>
    %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.conv2d %a, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
    return %0 : tensor<1x2x2x2xi32>
  }
}
{-#
  dialect_resources: { builtin: { w: "0x04000000FF01027F" } },
  external_resources: { other: { flag: true, "n": 12 } }
#-}
