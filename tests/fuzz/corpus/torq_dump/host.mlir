module {
  func.func @d() {
    %s = torq_hl.program "slice_program_torq_hl.a_0" : !torq_hl.program<slice> {
    ^bb0:
      torq_hw.slice_task{
      op : "a"
       [{DEDR dims = [ A(H) [3, #map]]}]
       [{CEDR dims = [ T(H) [5, 0]]}]
      }
      torq_hl.return
    }
    %si = torq_hl.descriptor "s" on 0 program %s : <slice> code [] : !torq_hl.invocation<slice>
    %p = torq_hl.program "nss_program_0" : !torq_hl.program<nss> {
    ^bb0(%arg0: memref<8xi8, #torq_hl<enc mem_space = lram>>, %arg1: memref<8xi8>, %arg2: !torq_hl.invocation<slice>):

      torq_hl.return
    }
    %i = torq_hl.descriptor "p" on 0 program %p : <nss> code [] {"torq-job-id" = 0 : i32} : !torq_hl.invocation<nss>
    %h = torq_hl.program "host_program_a_0" : !torq_hl.program<host> {
    ^bb0:
      torq_hl.return
    }
    %hi = torq_hl.create_invocation "h" program(%h : !torq_hl.program<host>) on 0 : !torq_hl.invocation<host>
    %alloc = memref.alloc() {"torq-action-id" = 0 : i32, xram_address = 64 : i64} : memref<8x?xi8>
    torq_hl.start_program %hi : !torq_hl.invocation<host> args(%alloc : memref<8xi8>) {"opscope-cycles" = 7 : i64}
    torq_hl.wait_program %hi : !torq_hl.invocation<host>
    torq_hl.host_copy %alloc : memref<8xi8> to %alloc : memref<8xi8> {element_size_bytes = 4 : i64, shape = array<i64: 2, 3>} loc(#loc1)
    torq_hl.start_program %i : !torq_hl.invocation<nss> args(%a, %b, %si : memref<8xi8>) {"torq-action-id" = 1 : i32}
    torq_hl.wait_program %i : !torq_hl.invocation<nss> {"torq-action-id" = 2 : i32}
    return
  }
}
