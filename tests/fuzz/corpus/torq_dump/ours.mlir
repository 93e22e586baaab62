#executable_target_torq_fb = #hal.executable.target<"torq", "torq-fb">
#map = affine_map<() -> (0)>
#pipeline_layout = #hal.pipeline.layout<bindings = [], flags = Indirect>
#device_target_torq = #hal.device.target<"torq", [#executable_target_torq_fb]> : !hal.device
module @tiny attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_torq
  hal.executable private @main_dispatch_0 {
    hal.executable.variant public @torq_fb target(#executable_target_torq_fb) {
      hal.executable.export public @main_dispatch_0_host_abs ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        memref.global "private" @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 0 : i64}
        memref.global "private" @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 640 : i64}
        func.func @main_dispatch_0_host_abs() attributes {"torq-next-free-xram-address" = 8192 : i64, "torq-nss-program-base" = 8192 : i64} {
          torq_hw.dispatch_profiling
           memory : 0 bytes
           total_cycle : 0
          %0 = memref.get_global @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %1 = memref.get_global @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %2 = "torq_hl.map_binding"() <{binding_index = 0 : index, is_read_only = true, is_write_only = false, offset = 0 : index}> {xram_address = 64 : i64} : () -> memref<1x4xf32>
          %3 = "torq_hl.map_binding"() <{binding_index = 1 : index, is_read_only = false, is_write_only = false, offset = 0 : index}> {xram_address = 192 : i64} : () -> memref<1x4xf32>
          %4 = torq_hl.program "host_program_torq_hl.abs_0" : !torq_hl.program<host> {
          ^bb0(%arg0: memref<1x4xf32>, %arg1: memref<1x4xf32>):
            torq_hl.return
          } loc("tiny.mlir":3:10)
          %invocation_0 = torq_hl.descriptor "host_program_torq_hl.abs_0" on 0 program %4 : <host> code [] : !torq_hl.invocation<host>
          torq_hl.start_program %invocation_0 : !torq_hl.invocation<host> args(%2, %3 : memref<1x4xf32>, memref<1x4xf32>) {"opscope-cycles" = 8008 : i64, "torq-action-id" = 0 : i32, "torq-end-time-cycles" = 0 : i64, "torq-start-time-cycles" = 0 : i64} loc("tiny.mlir":3:10)
          torq_hl.wait_program %invocation_0 : !torq_hl.invocation<host> {"torq-action-id" = 1 : i32, "torq-end-time-cycles" = 8008 : i64, "torq-start-time-cycles" = 0 : i64} loc("tiny.mlir":3:10)
          return
        }
      }
    }
  }
  hal.executable private @main_dispatch_1 {
    hal.executable.variant public @torq_fb target(#executable_target_torq_fb) {
      hal.executable.export public @main_dispatch_1_bitwise_not ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        memref.global "private" @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 0 : i64}
        memref.global "private" @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 640 : i64}
        memref.global "private" @__const_descriptor_0 : memref<264xi8> = uninitialized {xram_address = 4096 : i64}
        memref.global "private" @__intermediate_1 : memref<264xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 1280 : i64}
        memref.global "private" @__intermediate_3 : memref<1x4xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 6400 : i64}
        memref.global "private" @__intermediate_4 : memref<1x4xi8, #torq_hl<enc mem_space = lram>> = uninitialized {lram_address = 6464 : i64}
        func.func @main_dispatch_1_bitwise_not() attributes {"torq-next-free-xram-address" = 12288 : i64, "torq-nss-program-base" = 8192 : i64} {
          torq_hw.dispatch_profiling
           memory : 8 bytes
           total_cycle : 1
          %0 = memref.get_global @__program_slot0 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %1 = memref.get_global @__program_slot1 : memref<640xi8, #torq_hl<enc mem_space = lram>>
          %2 = "torq_hl.map_binding"() <{binding_index = 0 : index, is_read_only = true, is_write_only = false, offset = 0 : index}> {xram_address = 0 : i64} : () -> memref<1x4xi8>
          %3 = "torq_hl.map_binding"() <{binding_index = 1 : index, is_read_only = false, is_write_only = false, offset = 0 : index}> {xram_address = 128 : i64} : () -> memref<1x4xi8>
          %4 = torq_hl.program "slice_program_torq_hl.bitwise_not_0" : !torq_hl.program<slice> {
          ^bb0(%arg0: memref<1x4xi8, #torq_hl<enc mem_space = lram>>, %arg1: memref<1x4xi8, #torq_hl<enc mem_space = lram>>):
            torq_hw.slice_profiling
             memory : 8 bytes
             memory_info : "1x4+1x4"
             max_cycle : 1
             ndl_cycles : dedr(1) dewr(0) debr(0) deqw(1) cedw(1) cedr(1) ceww(0) cewr(0) cepr(1) acbw(0) acbr(0) acpr(1)
            torq_hw.slice_task{
            op : "bitwise_not"
             D %arg1 : memref<1x4xi8, #torq_hl<enc mem_space = lram>>
             Q %arg0 : memref<1x4xi8, #torq_hl<enc mem_space = lram>>
             CFG {alu_op0_mode = [], alu_op1_mode = [], alu_d_unsigned = 0, alu_w_unsigned = 0, act_mode = ACT,}
             [{DEDR dims = [ A(H) [1, #map]]}, {DEQW dims = [ A(H) [1, #map]]}, {REF dims = []}]
             [{CEDW dims = [ T(H) [1, 0]]}, {CEDR dims = [ T(H) [1, 0]]}, {CEPR dims = [ T(H) [1, 0]]}, {ACPR dims = [ T(H) [1, 0]]}]
            }
            torq_hl.return
          } loc("tiny.mlir":4:10)
          %invocation_0 = torq_hl.descriptor "slice_program_torq_hl.bitwise_not_0" on 0 program %4 : <slice> code [] : !torq_hl.invocation<slice>
          %5 = torq_hl.program "nss_program_0" {block_sizes = array<i32: 260>} : !torq_hl.program<nss> {
          ^bb0(%arg0: memref<640xi8, #torq_hl<enc mem_space = lram>>, %arg1: memref<640xi8, #torq_hl<enc mem_space = lram>>, %arg2: !torq_hl.invocation<nss>, %arg3: memref<1x4xi8>, %arg4: memref<1x4xi8>, %arg5: !torq_hl.invocation<slice>):
            %0 = memref.get_global @__const_descriptor_0 : memref<264xi8>
            %1 = memref.get_global @__intermediate_1 : memref<264xi8, #torq_hl<enc mem_space = lram>>
            %2 = memref.get_global @__intermediate_3 : memref<1x4xi8, #torq_hl<enc mem_space = lram>>
            %3 = memref.get_global @__intermediate_4 : memref<1x4xi8, #torq_hl<enc mem_space = lram>>
            torq_hw.nss_task {"torq-end-time-cycles" = 8064 : i64, "torq-start-time-cycles" = 8008 : i64, "torq-task-id" = 0 : i64}() {
              torq_hw.dma_in_cfg from %0 : memref<264xi8> to %1 : memref<264xi8, #torq_hl<enc mem_space = lram>> {read_address = 4096 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[264, 1]]}>, write_address = 1280 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[264, 1]]}>}
              torq_hw.dma_in_start {"torq-async-duration-cycles" = 56 : i64}
              torq_hw.dma_in_wait
            }
            torq_hw.nss_task {"torq-end-time-cycles" = 8065 : i64, "torq-start-time-cycles" = 8064 : i64, "torq-task-id" = 1 : i64}() {
              torq_hw.dma_in_cfg from %arg3 : memref<1x4xi8> to %2 : memref<1x4xi8, #torq_hl<enc mem_space = lram>> {read_address = 0 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[4, 1]]}>, write_address = 6400 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[4, 1]]}>}
              torq_hw.dma_in_start {"torq-async-duration-cycles" = 1 : i64} loc("tiny.mlir":4:10)
              torq_hw.dma_in_wait
            }
            torq_hw.nss_task {"torq-end-time-cycles" = 8066 : i64, "torq-start-time-cycles" = 8065 : i64, "torq-task-id" = 2 : i64}() {
              "torq_hw.slice_start"(%arg5, %1, %3, %2) <{id = 0 : index, program_address = 1280 : i32}> {"torq-async-duration-cycles" = 1 : i64} : (!torq_hl.invocation<slice>, memref<264xi8, #torq_hl<enc mem_space = lram>>, memref<1x4xi8, #torq_hl<enc mem_space = lram>>, memref<1x4xi8, #torq_hl<enc mem_space = lram>>) -> () loc("tiny.mlir":4:10)
              "torq_hw.slice_wait"() <{id = 0 : index}> : () -> ()
            }
            torq_hw.nss_task {"torq-end-time-cycles" = 8067 : i64, "torq-start-time-cycles" = 8066 : i64, "torq-task-id" = 3 : i64}() {
              torq_hw.dma_out_cfg from %3 : memref<1x4xi8, #torq_hl<enc mem_space = lram>> to %arg4 : memref<1x4xi8> {read_address = 6464 : i32, read_ndl = #torq_hw<dma_ndl{dims = [[4, 1]]}>, write_address = 128 : i32, write_ndl = #torq_hw<dma_ndl{dims = [[4, 1]]}>}
              torq_hw.dma_out_start {"torq-async-duration-cycles" = 1 : i64} loc("tiny.mlir":4:10)
              torq_hw.dma_out_wait
            }
            torq_hl.return %arg0, %arg1 : memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<640xi8, #torq_hl<enc mem_space = lram>>
          }
          %invocation_1, %code_sections_1 = torq_hl.descriptor "nss_program_0" on 0 program %5 : <nss> code [] {executor_code_addresses = array<i64: 0>, "torq-job-id" = 0 : i32, xram_code_addresses = array<i64: 8192>} : !torq_hl.invocation<nss>, memref<260xi8>
          torq_hl.start_program %invocation_1 : !torq_hl.invocation<nss> args(%0, %1, %invocation_1, %2, %3, %invocation_0 : memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<640xi8, #torq_hl<enc mem_space = lram>>, !torq_hl.invocation<nss>, memref<1x4xi8>, memref<1x4xi8>, !torq_hl.invocation<slice>) code(%0 : memref<640xi8, #torq_hl<enc mem_space = lram>>) {"torq-action-id" = 0 : i32, "torq-end-time-cycles" = 8008 : i64, "torq-start-time-cycles" = 8008 : i64} loc("tiny.mlir":4:10)
          %6:2 = torq_hl.wait_program %invocation_1 : !torq_hl.invocation<nss> {result_addresses = array<i64: 0, 640>, "torq-action-id" = 1 : i32, "torq-end-time-cycles" = 8067 : i64, "torq-start-time-cycles" = 8008 : i64} : memref<640xi8, #torq_hl<enc mem_space = lram>>, memref<640xi8, #torq_hl<enc mem_space = lram>> loc("tiny.mlir":4:10)
          return
        }
      }
    }
  }
}
