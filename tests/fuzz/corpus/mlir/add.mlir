module @m attributes {a.b = {c = "d\0A\"", e}} {
  func.func private @other(tensor<2xi8>) -> ()
  func.func @main(%a: tensor<2x3xf32> {x.y = ["z", 1 : i32]}, %b: tensor<3xf32> loc("b")) -> (tensor<2x3xf32> {r}, tensor<1x3xf32>) attributes {k = #l} {
    %c = arith.constant dense<[[1.0, -2.5e-1, 0x7FC00000]]> : tensor<1x3xf32>
    %0 = tosa.add %a, %c : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32> loc(#l)
    %1 = "tosa.reduce_sum"(%0) <{axis = 0 : i32}> : (tensor<2x3xf32>) -> tensor<1x3xf32> loc(fused<"x">["n"("f":1:2), callsite(#l at unknown)])
    return %0, %1 : tensor<2x3xf32>, tensor<1x3xf32>
  } loc("main.py":3:4 to 5:6)
}
#l = loc("layer"("main.py":7:8))
