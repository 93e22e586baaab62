#map = affine_map<(d0, d1) -> (d1 - d0)>
#set = affine_set<(d0) : (d0 - 1 >= 0)>
#t = #npu.target<"x", [#npu.y<z = 1>]> : !npu.device
module attributes {npu.t = #t} {
  npu.global private @g : memref<2x?xi8, strided<[2, 1]>, #npu<enc space = l1>> = dense<"0x01020304"> {address = 0 : i64}
  func.func @f() attributes {"quoted-name" = 1 : i64} {
    %0, %1:2 = npu.program "p" on 0 program %0 : <kind> code [array<i8: 0, -1>] {n = array<i32>} : !npu.program<x> {
    ^bb0(%arg0: memref<2xi8>, %arg1: !npu.inv<x>):
      npu.task {"id" = 2 : i64}() {
        npu.start
        npu.copy from %arg0 : memref<2xi8> to %0 : memref<2xi8> {l = #npu<dims{[[2, 1]]}>}
      }
      npu.slice{
        op : "add"
        D %arg0, %1#1 : memref<2xi8>
        CFG {a = [X, Y], b = 3,}
        [{R dims = [ B(L) [1, #map]]}]
      }
      npu.next area(%arg0 : memref<2xi8>) to ^bb1 {a = 1}
    ^bb1:  // pred: ^bb0
      npu.return %arg0, %arg0 : memref<2xi8>, memref<2xi8>
    }
    %2 = npu.type<i32> : i32
    npu.check<%2 : i32> message("m") shape([])
    %3 = npu.await %2 => %0 : !npu.r<external>{%2} => !npu.t
    "npu.branch"(%2)[^bb1, ^bb2] : (i32) -> ()
    return
  }
}
