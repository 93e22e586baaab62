// One node of every TOSA operator, in the form that mlir-opt prints.
module {
  tosa.variable @state = dense<2.500000e+00> : tensor<2x3xf32>
  func.func @main(%arg0: tensor<1x8x8x4xi8>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi32>, %arg3: tensor<2x3xi1>, %arg4: tensor<2x3xf16>, %arg5: tensor<1x4x4x4x2xf32>, %arg6: tensor<1x8x8x4xf32>, %arg7: tensor<2x3xi8>, %arg8: tensor<2x3x4xf32>, %arg9: tensor<1x4x8xf32>, %arg10: tensor<2x3x4xi8>, %arg11: tensor<2x4x5xi8>, %arg12: tensor<2x5xi32>, %arg13: tensor<2x2xi32>, %arg14: tensor<2x2x4xf32>, %arg15: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = tosa.argmax %arg1 {axis = 1 : i32, nan_mode = IGNORE} : (tensor<2x3xf32>) -> tensor<2xi32>
    %5 = tosa.avg_pool2d %arg0, %0, %1 {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi8>
    %6 = "tosa.const"() <{values = dense<1> : tensor<5x3x3x4xi8>}> : () -> tensor<5x3x3x4xi8>
    %7 = "tosa.const"() <{values = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>}> : () -> tensor<5xi32>
    %8 = tosa.conv2d %arg0, %6, %7, %0, %1 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<5x3x3x4xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x5xi32>
    %9 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<3x2x2x2x2xf32>}> : () -> tensor<3x2x2x2x2xf32>
    %10 = "tosa.const"() <{values = dense<[1.000000e+00, -2.500000e+00, 3.250000e+00]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %11 = tosa.conv3d %arg5, %9, %10, %2, %2 {acc_type = f32, dilation = array<i64: 1, 1, 1>, local_bound = true, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x4x4x4x2xf32>, tensor<3x2x2x2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x3x3xf32>
    %12 = "tosa.const"() <{values = dense<2> : tensor<3x3x4x2xi8>}> : () -> tensor<3x3x4x2xi8>
    %13 = "tosa.const"() <{values = dense<0> : tensor<8xi32>}> : () -> tensor<8xi32>
    %14 = tosa.depthwise_conv2d %arg0, %12, %13, %0, %1 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<3x3x4x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x6x8xi32>
    %15 = tosa.transpose_conv2d %arg0, %6, %7, %0, %1 {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<5x3x3x4xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x10x10x5xi32>
    %output_real, %output_imag = tosa.fft2d %arg9, %arg9 {inverse = true} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>)
    %output_real_0, %output_imag_1 = tosa.rfft2d %arg9 : (tensor<1x4x8xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>)
    %16 = tosa.matmul %arg10, %arg11, %0, %1 : (tensor<2x3x4xi8>, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x5xi32>
    %17 = tosa.max_pool2d %arg6 {kernel = array<i64: 2, 2>, nan_mode = IGNORE, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    %18 = tosa.clamp %arg1 {max_val = 6.000000e+00 : f32, min_val = 1.000000e-01 : f32, nan_mode = IGNORE} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %19 = tosa.clamp %arg7 {max_val = 100 : i8, min_val = -100 : i8} : (tensor<2x3xi8>) -> tensor<2x3xi8>
    %20 = tosa.erf %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %21 = tosa.sigmoid %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %22 = tosa.tanh %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %23 = tosa.abs %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %24 = tosa.ceil %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %25 = tosa.cos %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %26 = tosa.exp %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %27 = tosa.floor %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %28 = tosa.log %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %29 = tosa.reciprocal %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %30 = tosa.rsqrt %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %31 = tosa.sin %arg1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %32 = tosa.bitwise_not %arg2 : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %33 = tosa.clz %arg2 : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %34 = tosa.logical_not %arg3 : (tensor<2x3xi1>) -> tensor<2x3xi1>
    %35 = tosa.negate %arg7, %0, %1 : (tensor<2x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
    %36 = tosa.negate %arg1, %2, %2 : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    %37 = tosa.add %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %38 = tosa.sub %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %39 = tosa.pow %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %40 = tosa.maximum %arg1, %arg1 {nan_mode = IGNORE} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %41 = tosa.maximum %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %42 = tosa.minimum %arg1, %arg1 {nan_mode = IGNORE} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %43 = tosa.minimum %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %44 = tosa.add %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %45 = tosa.sub %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %46 = tosa.intdiv %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %47 = tosa.bitwise_and %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %48 = tosa.bitwise_or %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %49 = tosa.bitwise_xor %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %50 = tosa.logical_left_shift %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %51 = tosa.logical_right_shift %arg2, %arg2 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %52 = tosa.arithmetic_right_shift %arg2, %arg2 {round = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %53 = tosa.logical_and %arg3, %arg3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %54 = tosa.logical_or %arg3, %arg3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %55 = tosa.logical_xor %arg3, %arg3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %56 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
    %57 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %58 = tosa.mul %arg2, %arg2, %56 : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<1xi8>) -> tensor<2x3xi32>
    %59 = tosa.mul %arg1, %arg1, %57 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
    %60 = tosa.select %arg3, %arg1, %arg1 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %61 = tosa.equal %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %62 = tosa.greater %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %63 = tosa.greater_equal %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %64 = tosa.reduce_all %arg3 {axis = 0 : i32} : (tensor<2x3xi1>) -> tensor<1x3xi1>
    %65 = tosa.reduce_any %arg3 {axis = 0 : i32} : (tensor<2x3xi1>) -> tensor<1x3xi1>
    %66 = tosa.reduce_max %arg1 {axis = 1 : i32, nan_mode = IGNORE} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %67 = tosa.reduce_min %arg1 {axis = 1 : i32, nan_mode = IGNORE} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %68 = tosa.reduce_product %arg1 {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %69 = tosa.reduce_sum %arg1 {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %70 = "tosa.const"() <{values = dense<1> : tensor<256xi8>}> : () -> tensor<256xi8>
    %71 = tosa.table %arg7, %70 : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
    %72 = tosa.concat %arg1, %arg1 {axis = 0 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %73 = tosa.const_shape  {values = dense<[1, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %74 = "tosa.const"() <{values = dense<1.500000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %75 = tosa.pad %arg1, %73, %74 : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x5xf32>
    %76 = tosa.const_shape  {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %77 = tosa.reshape %arg1, %76 : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
    %78 = tosa.reverse %arg1 {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %79 = tosa.const_shape  {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %80 = tosa.const_shape  {values = dense<2> : tensor<2xindex>} : () -> !tosa.shape<2>
    %81 = tosa.slice %arg1, %79, %80 : (tensor<2x3xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2xf32>
    %82 = tosa.const_shape  {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %83 = tosa.tile %arg1, %82 : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<4x3xf32>
    %84 = tosa.transpose %arg8 {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %85 = tosa.gather %arg8, %arg12 : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
    %86 = tosa.scatter %arg8, %arg13, %arg14 : (tensor<2x3x4xf32>, tensor<2x2xi32>, tensor<2x2x4xf32>) -> tensor<2x3x4xf32>
    %87 = tosa.const_shape  {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %88 = tosa.const_shape  {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
    %89 = tosa.const_shape  {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
    %90 = tosa.resize %arg6, %87, %88, %89 {mode = BILINEAR} : (tensor<1x8x8x4xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x15x15x4xf32>
    %91 = tosa.cast %arg1 : (tensor<2x3xf32>) -> tensor<2x3xi8>
    %92 = tosa.cast %arg7 : (tensor<2x3xi8>) -> tensor<2x3xf16>
    %93 = "tosa.const"() <{values = dense<[1073741824, 1073741824, 1518500250]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %94 = "tosa.const"() <{values = dense<[30, 31, 32]> : tensor<3xi8>}> : () -> tensor<3xi8>
    %95 = tosa.rescale %arg2, %93, %94, %3, %0 {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %96 = tosa.identity %arg4 : (tensor<2x3xf16>) -> tensor<2x3xf16>
    %97 = tosa.cond_if %arg15 (%arg16 = %arg1, %arg17 = %arg1) : tensor<i1> (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%arg16: tensor<2x3xf32>, %arg17: tensor<2x3xf32>):
      %102 = tosa.add %arg16, %arg17 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      tosa.yield %102 : tensor<2x3xf32>
    } else {
    ^bb0(%arg16: tensor<2x3xf32>, %arg17: tensor<2x3xf32>):
      tosa.yield %arg17 : tensor<2x3xf32>
    }
    %98 = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %99:2 = tosa.while_loop (%arg16 = %98, %arg17 = %97) : (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>) {
      %102 = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %103 = tosa.greater %102, %arg16 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tosa.yield %103 : tensor<i1>
    } do {
    ^bb0(%arg16: tensor<i32>, %arg17: tensor<2x3xf32>):
      %102 = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %103 = tosa.add %arg16, %102 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %104 = tosa.add %arg17, %arg17 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      tosa.yield %103, %104 : tensor<i32>, tensor<2x3xf32>
    }
    %100 = tosa.variable_read @state : tensor<2x3xf32>
    tosa.variable_write @state, %99#1 : tensor<2x3xf32>
    %101 = tosa.variable_read @state : tensor<2x3xf32>
    %expanded = tensor.expand_shape %arg1 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
    %collapsed = tensor.collapse_shape %arg1 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %extracted_slice = tensor.extract_slice %arg6[0, 1, 0, 0] [1, 3, 4, 4] [1, 2, 2, 1] : tensor<1x8x8x4xf32> to tensor<1x3x4x4xf32>
    return %100, %101, %99#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}

