module {
tosa.variable @v = dense<1> : tensor<2xi32> loc("var")
tosa.variable @u : tensor<?x4xf32>
func.func @main(%arg0: tensor<i1>, %arg1: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
 %x = tosa.variable_read @v : tensor<2xi32>
 tosa.variable_write @v, %arg1 : tensor<2xi32>
 %0 = "tosa.cond_if"(%arg0, %arg1, %x) ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    tosa.yield %a : tensor<2xi32>
  },{
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = tosa.add %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %1 : tensor<2xi32>
  }) : (tensor<i1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32> loc(fused<"m">["a", callsite("b"("f.py":1:2) at unknown)])
 %2:2 = "tosa.while_loop"(%arg1, %0) ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %c = "tosa.const"() {values = dense<true> : tensor<i1>} : () -> tensor<i1>
    tosa.yield %c : tensor<i1>
 },{
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    tosa.yield %a, %b : tensor<2xi32>, tensor<2xi32>
 }) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) loc("f.py":3:4 to 5:6)
 %3 = tosa.cond_if %arg0 : tensor<i1> -> tensor<2xi32> {
    tosa.yield %x : tensor<2xi32>
 } else {
    tosa.yield %0 : tensor<2xi32>
 }
 return %2#0, %2#1 : tensor<2xi32>, tensor<2xi32>
}
}
