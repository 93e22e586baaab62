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
      torq_hw.nss_task {"torq-task-id" = 0 : i64}() {
        torq_hw.dma_in_cfg from %arg1 : memref<8xi8> to %arg0 : memref<8xi8, #torq_hl<enc mem_space = lram>> {read_address = 0 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[8, 1]]}>, write_address = 64 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[4, 1], [2, 16]]}>}
        torq_hw.dma_in_start
        torq_hw.dma_in_wait
      }
      torq_hl.return
    }
    %i = torq_hl.descriptor "p" on 0 program %p : <nss> code [] {"torq-job-id" = 0 : i32} : !torq_hl.invocation<nss>

    torq_hl.start_program %i : !torq_hl.invocation<nss> args(%a, %b, %si : memref<8xi8>) {"torq-action-id" = 1 : i32}
    torq_hl.wait_program %i : !torq_hl.invocation<nss> {"torq-action-id" = 2 : i32}
    return
  }
}
