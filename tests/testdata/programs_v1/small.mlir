module {
  func.func @main(%a: tensor<1x6x5x2xi8>, %b: tensor<1x6x5x2xi8>) -> (tensor<1x6x5x2xi8>, tensor<60x1x1xi8>) {
    %0 = tosa.add %a, %b : (tensor<1x6x5x2xi8>, tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>
    %1 = tosa.abs %0 : (tensor<1x6x5x2xi8>) -> tensor<1x6x5x2xi8>
    %s = tosa.const_shape {values = dense<[60, 1, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %2 = tosa.reshape %1, %s : (tensor<1x6x5x2xi8>, !tosa.shape<3>) -> tensor<60x1x1xi8>
    %3 = tosa.negate %2 : (tensor<60x1x1xi8>) -> tensor<60x1x1xi8>
    return %1, %3 : tensor<1x6x5x2xi8>, tensor<60x1x1xi8>
  }
}
