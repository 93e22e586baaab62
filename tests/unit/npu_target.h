// A machine that exists only here: three cores with memories of their own, a shared port, two
// clocks, multicast, a fixed-function unit, and names that nothing knows.

#ifndef OPSCOPE_TESTS_UNIT_NPU_TARGET_H
#define OPSCOPE_TESTS_UNIT_NPU_TARGET_H

#define NPU_TARGET                                                                                 \
    "[target]\nname = npu\ntitle = made up\nclock = 900 MHz\n"                                     \
    "[device]\ncount = 2\n"                                                                        \
    "[core]\ncount = 3\ngrid = 3x1\n"                                                              \
    "[memory dram]\nsize = 8 GiB\nalignment = 64\n"                                                \
    "[memory tile]\nsize = 256 KiB\nalignment = 32\nlocal = yes\nper = core\nreserved = 4 KiB\n"   \
    "[port bus]\nrate = 60 GB/s\nper_user = 12 GB/s\n"                                             \
    "[queue mover]\nper = core\ndrives = load store\nprogram = moves\ncode_block = 512\n"          \
    "code_slots = 2\ncode_next = 8\n"                                                              \
    "[engine load]\nrole = transfer\nper = core\nto = tile\nport = bus\nprice = linear\n"          \
    "setup = 20\nstart = 2\nstart_code = 16\nwait_code = 8\n"                                      \
    "[engine store]\nrole = transfer\nper = core\nfrom = tile\nport = bus\nprice = linear\n"       \
    "bytes_per_cycle = 16\nrow_engine = load\n"                                                    \
    "[engine spread]\nrole = communication\nmemory = tile\ncast = many\nprice = linear\n"          \
    "rate = 90 GB/s\n"                                                                             \
    "[engine matrix]\nrole = compute\nper = core\nclock = 1.8 GHz\nmemory = tile\n"                \
    "takes = convolution matmul : i8 f16 ; view\nprice = array\nquantum = 32x32x8\n"               \
    "macs = i8:4096 f16:2048\nsetup = 40\nfill = 10\ndrain = 6\nresults_per_cycle = 64\n"          \
    "called = the arrays\nlabel = ARRAY of {core}\nwork = products\nrow = A\nrank = 7\n"           \
    "program_bytes = 128\nprogram_room = 256\n"                                                    \
    "[engine pool]\nrole = compute\nper = core\nmemory = tile\ntakes = pooling : *\n"              \
    "price = fixed\ncycles = 500\n"                                                                \
    "[engine vector]\nrole = compute\nper = core\nlanes = 4\nmemory = tile\n"                      \
    "takes = elementwise reduction movement : *\nprice = lanes\n"                                  \
    "rate = add:64 exp:8 reduction:4 default:16\nsetup = 3\nbytes_per_cycle = 128\n"               \
    "[engine kernel]\nrole = compute\nper = core\ntakes = normalization\n"                         \
    "stages = load vector store\nring = 3\n"                                                       \
    "[engine boot]\nrole = control\n"                                                              \
    "[engine host]\nrole = host\nprice = table\nstart_cycles = 1000\n"                             \
    "[plan]\ntiles = evaluated\nkeep = no\ncast = yes\n"

#endif
