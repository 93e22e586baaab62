#executable_target_torq_fb = #hal.executable.target<"torq", "torq-fb">
#map = affine_map<() -> (1)>
module @units {
  hal.executable private @main_dispatch_0 {
    hal.executable.variant public @torq_fb target(#executable_target_torq_fb) {
      builtin.module {
        memref.global "private" @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 0 : i64}
        memref.global "private" @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 640 : i64}
        memref.global "private" @__intermediate_0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 1280 : i64}
        memref.global "private" @__intermediate_1 : memref<6x7xi16, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 1408 : i64}
        memref.global "private" @__intermediate_2 : memref<6x7xi16, #torq_hl<enc mem_space = dtcm>> = uninitialized {dtcm_address = 0 : i64}
        memref.global "private" @__intermediate_3 : memref<5xi32, strided<[2]>, #torq_hl<enc mem_space = dtcm>> = uninitialized {dtcm_address = 256 : i64}
        memref.global "private" @__intermediate_4 : memref<5xi32, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 1536 : i64}
        memref.global "private" @__css_program : memref<8192xi8, #torq_hl<enc mem_space = itcm>> = uninitialized {itcm_address = 0 : i64}
        memref.global "private" @__css_arguments : memref<4xi32, #torq_hl<enc mem_space = dtcm>> = uninitialized {dtcm_address = 1024 : i64}
        memref.global "private" constant @__const_global_0 : memref<8xi8> = dense<1> {xram_address = 1048576 : i64}
        func.func @main_dispatch_0_units() {
          %0 = memref.get_global @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %1 = memref.get_global @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %alloc = memref.alloc() {"torq-action-id" = 0 : i32, xram_address = 8192 : i64} : memref<48xi8>
          %2 = "torq_hl.map_binding"() <{binding_index = 0 : index, is_read_only = true, is_write_only = false, offset = 0 : index}> {xram_address = 4096 : i64} : () -> memref<10x64xi8>
          torq_hl.host_copy %0 : memref<640xi8, #torq_hl<enc mem_space = lram>> to %1 : memref<640xi8, #torq_hl<enc mem_space = lram>> {element_size_bytes = 4 : i64, input_strides_bytes = array<i64: 24, 4>, output_strides_bytes = array<i64: 24, 4>, shape = array<i64: 3, 6>, "torq-action-id" = 1 : i32}
          %3 = torq_hl.program "slice_program_torq_hl.add_0" : !torq_hl.program<slice> {
          ^bb0(%arg0: memref<10x10xi8, #torq_hl<enc mem_space = lram>>, %arg1: memref<10x10xi8, #torq_hl<enc mem_space = lram>>):
            torq_hw.slice_task{
            op : "a{DEDR dims = [ O(H) [99, #map]]}"
             D %arg1 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
             Q %arg0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
             CFG {alu_op0_mode = [MUL, MUL, MUL, MUL], alu_op1_mode = [ACC, ACC, ACC, ACC], alu_d_unsigned = 0, alu_w_unsigned = 0, act_mode = ACT,}
             [{DEDR dims = [ B(L) [4, #map],  G(H) [2, #map],  A(H) [1, #map]]}, {DEDR dims = [ A(H) [3, #map]]}, {REF dims = []}]
             [{CEDR dims = [ T(H) [40, 0]]}, {CEDR dims = [ T(H) [2, 0]]}]
            }
            torq_hw.slice_task{
            op : "add"
             D %arg1 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
             Q %arg0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
             CFG {alu_op0_mode = [MUL, MUL, MUL, MUL], alu_op1_mode = [ACC, ACC, ACC, ACC], alu_d_unsigned = 0, alu_w_unsigned = 0, act_mode = ACT,}
             [{DEWR dims = [ G(H) [1, #map]]}, {DEQW dims = [ B(L) [100, #map],  B(S) [9, #map],  X(S) [2, #map]]}]
             [{CEWR dims = [ B(L) [50, 1],  S(H) [7, 1],  M(H) [1, 0]]}, {ACPR dims = [ S(H) [3, 16]]}, {ACPW dims = [ T(H) [77, 0]]}]
            }
            torq_hl.return
          } loc(callsite("units.mlir":4:10 at "units.mlir":2:3))
          %4 = torq_hl.program "slice_program_torq_hl.mul_1" : !torq_hl.program<slice> {
          ^bb0(%arg0: memref<10x10xi8, #torq_hl<enc mem_space = lram>>):
            torq_hw.slice_profiling
             memory : 100 bytes
             memory_info : "10x10"
             max_cycle : 30
             ndl_cycles : dedr(30) dewr(0) debr(0) deqw(1) cedw(0) cedr(0) ceww(0) cewr(0) cepr(0) acbw(0) acbr(0) acpr(0)
            torq_hw.slice_task{
            op : "mul"
             Q %arg0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
             CFG {alu_op0_mode = [], alu_op1_mode = [], alu_d_unsigned = 0, alu_w_unsigned = 0, act_mode = ACT,}
             [{DEDR dims = [ A(H) [31, #map]]}]
             []
            }
            torq_hl.return
          }
          %5 = torq_hl.program "css_program_torq_hl.softmax_2" : !torq_hl.program<css> {
          ^bb0(%arg0: memref<6x7xi16, #torq_hl<enc mem_space = dtcm>>):
            torq_hl.return
          }
          %invocation_s0 = torq_hl.create_invocation "slice_program_torq_hl.add_0" program(%3 : !torq_hl.program<slice>) on 0 : !torq_hl.invocation<slice>
          %invocation_s1, %code_sections_s1 = torq_hl.descriptor "slice_program_torq_hl.mul_1" on 1 program %4 : <slice> code [array<i8: 1, -2>] {executor_code_addresses = array<i64: 1320>} : !torq_hl.invocation<slice>, memref<2xi8>
          %invocation_c, %code_sections_c = torq_hl.descriptor "css_program_torq_hl.softmax_2" on 0 program %5 : <css> code [array<i8: 1>] {executor_code_addresses = array<i64: 0>} : !torq_hl.invocation<css>, memref<1xi8>
          %6 = torq_hl.program "nss_program_0" {block_sizes = array<i32: 200, 100>} : !torq_hl.program<nss> {
          ^bb0(%arg0: memref<640xi8, #torq_hl<enc mem_space = lram>>, %arg1: memref<10x64xi8>, %arg2: memref<48xi8>, %arg3: !torq_hl.invocation<slice>, %arg4: !torq_hl.invocation<slice>, %arg5: !torq_hl.invocation<css>):
            %0 = memref.get_global @__intermediate_0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>>
            %1 = memref.get_global @__intermediate_1 : memref<6x7xi16, #torq_hl<enc mem_space = lram>>
            %2 = memref.get_global @__intermebiate_2 : memref<6x7xi16, #torq_hl<enc mem_space = dtcm>>
            %3 = memref.get_global @__css_program : memref<8192xi8, #torq_hl<enc mem_space = itcm>>
            %4 = memref.get_global @__css_arguments : memref<4xi32, #torq_hl<enc mem_space = dtcm>>
            torq_hw.nss_task {"torq-task-id" = 0 : i64}() {
              torq_hw.dma_in_cfg from %arg1 : memref<10x64xi8> to %0 : memref<10x10xi8, #torq_hl<enc mem_space = lram>> {read_address = 4096 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[10, 1], [10, 64]]}>, write_address = 1280 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[10, 1], [10, 10]]}>}
              torq_hw.dma_in_start loc("units.mlir":3:5)
            }
            torq_hw.nss_task {"torq-task-id" = 1 : i64}() {
              torq_hw.dma_out_cfg from %1 : memref<6x7xi16, #torq_hl<enc mem_space = lram>> to %arg2 : memref<48xi8> {read_address = 1408 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[48, 1]]}>, write_address = 8192 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[48, 1]]}>}
              torq_hw.dma_out_start
            }
            torq_hw.nss_task {"torq-task-id" = 2 : i64}() {
              "torq_hw.slice_start"(%arg3, %arg0, %1, %0) <{id = 0 : index, program_address = 1320 : i32}> : (!torq_hl.invocation<slice>, memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<6x7xi16, #torq_hl<enc mem_space = lram>>, memref<10x10xi8, #torq_hl<enc mem_space = lram>>) -> ()
            }
            torq_hw.nss_task {"torq-task-id" = 3 : i64}() {
              "torq_hw.slice_start"(%arg4, %arg0, %0) <{id = 1 : index, program_address = 1320 : i32}> : (!torq_hl.invocation<slice>, memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<10x10xi8, #torq_hl<enc mem_space = lram>>) -> ()
            }
            torq_hw.nss_task {"torq-task-id" = 4 : i64}() {
              torq_hw.dma_in_wait
              torq_hw.dma_out_wait
            }
            torq_hl.next lram_area(%arg0 : memref<640xi8, #torq_hl<enc mem_space = lram>>) to ^bb1 {lramAddress = 0 : i64}
          ^bb1:  // pred: ^bb0
            torq_hw.nss_task {"torq-task-id" = 5 : i64}() {
              "torq_hw.slice_wait"() <{id = 1 : index}> : () -> ()
              "torq_hw.slice_wait"() <{id = 0 : index}> : () -> ()
            }
            torq_hw.nss_task {"torq-task-id" = 6 : i64}() {
              torq_hw.cdma_start from %1 : memref<6x7xi16, #torq_hl<enc mem_space = lram>> to %2 : memref<6x7xi16, #torq_hl<enc mem_space = dtcm>> {dest_address = 0 : i32, src_address = 1408 : i32}
              torq_hw.cdma_wait
            }
            torq_hw.nss_task {"torq-task-id" = 7 : i64}() {
              torq_hw.css_start %arg5 : !torq_hl.invocation<css> program %3(%4 = %2, %2) {program_address = 0 : i32} : memref<8192xi8, #torq_hl<enc mem_space = itcm>>, memref<4xi32, #torq_hl<enc mem_space = dtcm>>, memref<6x7xi16, #torq_hl<enc mem_space = dtcm>>, memref<6x7xi16, #torq_hl<enc mem_space = dtcm>>
              torq_hw.css_wait
            }
            torq_hl.return %arg0 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          }
          %invocation, %code_sections:2 = torq_hl.descriptor "nss_program_0" on 0 program %6 : <nss> code [array<i8: 0>] {executor_code_addresses = array<i64: 0>, "torq-job-id" = 0 : i32, xram_code_addresses = array<i64: 65536, 65736>} : !torq_hl.invocation<nss>, memref<200xi8>, memref<100xi8>
          torq_hl.start_program %invocation : !torq_hl.invocation<nss> args(%0, %2, %alloc, %invocation_s0, %invocation_s1, %invocation_c : memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<10x64xi8>, memref<48xi8>, !torq_hl.invocation<slice>, !torq_hl.invocation<slice>, !torq_hl.invocation<css>) code(%0 : memref<640xi8, #torq_hl<enc mem_space = lram>>) {"torq-action-id" = 2 : i32}
          %7 = torq_hl.wait_program %invocation : !torq_hl.invocation<nss> {result_addresses = array<i64: 0>, "torq-action-id" = 3 : i32} : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %8 = torq_hl.program "host_program_torq_hl.gather_3" : !torq_hl.program<host> {
          ^bb0(%arg0: memref<48xi8>):
            torq_hl.return
          }
          %invocation_h = torq_hl.create_invocation "host_program_torq_hl.gather_3" program(%8 : !torq_hl.program<host>) on 0 : !torq_hl.invocation<host>
          torq_hl.start_program %invocation_h : !torq_hl.invocation<host> args(%alloc : memref<48xi8>) {"torq-action-id" = 4 : i32}
          torq_hl.wait_program %invocation_h : !torq_hl.invocation<host> {"torq-action-id" = 5 : i32}
          %9 = torq_hl.program "nss_program_1" {block_sizes = array<i32: 200>} : !torq_hl.program<nss> {
          ^bb0(%arg0: memref<640xi8, #torq_hl<enc mem_space = lram>>):
            %0 = memref.get_global @__const_global_0 : memref<8xi8>
            %1 = memr*f.get_global @__intermediate_3 : memref<5xi32, strided<[2]>, #torq_hl<enc mem_space = dtcm>>
            %2 = memref.get_global @__intermediate_4 : memref<5xi32, #torq_hl<enc mem_space = lram>>
            torq_hw.nss_task {"torq-task-id" = 8 : i64}() {
              torq_hw.dma_in_cfg from %0 : memref<8xi8> to %arg0 : memref<640xi8, #torq_hl<enc mem_space = lram>> {read_address = 1048576 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[8, 1]]}>, write_address = 0 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[8, 1]]}>}
              torq_hw.dma_in_start
            }
            torq_hw.nss_task {"torq-task-id" = 9 : i64}() {
              torq_hw.dma_in_start
              torq_hw.dma_in_wait
            }
            torq_hw.nss_task {"torq-task-id" = 10 : i64}() {
              torq_hw.cdma_start from %1 : memref<5xi32, strided<[2]>, #torq_hl<enc mem_space = dtcm>> to %2 : memref<5xi32, #torq_hl<enc mem_space = lram>> {dest_address = 1536 : i32, src_address = 256 : i32}
              torq_hw.cdma_wait
            }
            torq_hl.return %arg0 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          }
          %invocation_2 = torq_hl.create_invocation "nss_program_1" program(%9 : !torq_hl.program<nss>) on 0 {"torq-job-id" = 1 : i32} : !torq_hl.invocation<nss>
          torq_hl.start_program %invocation_2 : !torq_hl.invocation<nss> args(%7 : memref<640xi8, #torq_hl<enc mem_space = lram>>) code(%7 : memref<640xi8, #torq_hl<enc mem_space = lram>>) {"torq-action-id" = 6 : i32}
          %10 = torq_hl.wait_program %invocation_2 : !torq_hl.invocation<nss> {result_addresses = array<i64: 0>, "torq-action-id" = 7 : i32} : memref<640xi8, #torq_hl<enc mem_space = lram>>
          memref.dealloc %alloc {"torq-action-id" = 8 : i32} : memref<48xi8>
          return
        }
      }
    }
  }
}
