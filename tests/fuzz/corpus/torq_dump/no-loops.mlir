module {
  func.func @d() {
    %s = torq_hl.program "slice_program_torq_hl.a_0" : !torq_hl.program<slice> {
    ^bb0:
      torq_hwL.slice_task{
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
        "torq_hw.slice_start"(%arg2, %arg0, %arg0) <{id = 1 : index}> : (!torq_hl.invocation<slice>, memref<8xi8>, memref<8xi8>) -> ()
      }
      torq_hw.nss_task {"torq-task-id" = 1 : i64}() {
        "torq_hw.slice_wait"() <{id = 1 : index}> : () -> ()
      }
      torq_hl.return
    }
    %i = torq_hl.descriptor "p" on 0 program %p : <nss> code [] {"torq-job-id" = 0 : i32} : !torq_hl.invocation<nss>

    torq_hl.start_program %i : !torq_hl.invocation<nss> args(%a, %b, %si : memref<8xi8>) {"torq-action-id" = 1 : i32}
    torq_hl.wait_progzam %i : !torq_hl.invocation<nss> {"torq-actmon-id" = 2 : i32}
    return
  }
}
