// Writes a capture of Tenstorrent's logs of any size into a folder.
//
//     generate_tt_logs ROWS FOLDER
//
// profile_log_device.csv has about ROWS rows: 64 cores with five processors,
// firmware and kernel zones and a few NoC events per processor and operation,
// dumped core by core every OPS_PER_DUMP operations, as the profiler does. The
// host's two files describe the operations: eight of them, cached afterwards.
// The same ROWS give the same bytes.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    CORES = 64,
    RISCS = 5,
    EVENTS = 1, // NoC events per processor and operation
    ROWS_PER_OP = CORES * RISCS * (4 + EVENTS),
    OPS_PER_DUMP = 50,
    KINDS = 8,
};

static const char *const RISC_NAMES[RISCS] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};
static const char *const FAMILIES[RISCS] = {"BRISC", "NCRISC", "TRISC", "TRISC", "TRISC"};
static const char *const SOURCES[RISCS] = {"brisc", "ncrisc", "trisc", "trisc", "trisc"};

static uint64_t random_state = 88172645463325252;

static uint64_t random_next(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static uint64_t op_id(uint64_t op)
{
    return (op + 1) << 10;
}

static uint64_t op_start(uint64_t op)
{
    return 2170879416545 + op * 40000;
}

static void put_marker(FILE *file, uint64_t op, unsigned core, unsigned risc, const char *zone,
                       const char *type, uint64_t time)
{
    const int kernel = strcmp(zone, "KERNEL") == 0;
    fprintf(file,
            "0,%u,%u,%s,%u,%llu,0,%llu,%s-%s,%s,%d,/tt-metal/tt_metal/hw/firmware/src/%s%s.cc,\n",
            1 + core % 8, 1 + core / 8, RISC_NAMES[risc], (kernel ? 21766 : 22845) + risc * 7,
            (unsigned long long)time, (unsigned long long)op_id(op), FAMILIES[risc], zone, type,
            kernel ? 49 : 396, SOURCES[risc], kernel ? "k" : "");
}

static void put_lane(FILE *file, uint64_t op, unsigned core, unsigned risc)
{
    const uint64_t start = op_start(op) + random_next(300);
    const uint64_t kernel = start + 500 + random_next(200);
    const uint64_t end = kernel + 5000 + random_next(20000);
    put_marker(file, op, core, risc, "FW", "ZONE_START", start);
    put_marker(file, op, core, risc, "KERNEL", "ZONE_START", kernel);
    for (unsigned i = 0; i < EVENTS; i++)
        fprintf(file, "0,%u,%u,%s,12345,%llu,3105098146250761,%llu,,TS_DATA,0,,\n", 1 + core % 8,
                1 + core / 8, RISC_NAMES[risc], (unsigned long long)(kernel + 10 * i),
                (unsigned long long)op_id(op));
    put_marker(file, op, core, risc, "KERNEL", "ZONE_END", end);
    put_marker(file, op, core, risc, "FW", "ZONE_END", end + 100);
}

static void write_device_log(FILE *file, uint64_t ops)
{
    fprintf(file, "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
                  "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                  "reset], data, run host ID,  zone name, type, source line, source file, meta "
                  "data\n");
    for (uint64_t from = 0; from < ops; from += OPS_PER_DUMP) {
        const uint64_t to = from + OPS_PER_DUMP < ops ? from + OPS_PER_DUMP : ops;
        for (unsigned core = 0; core < CORES; core++) {
            for (unsigned risc = 0; risc < RISCS; risc++) {
                for (uint64_t op = from; op < to; op++)
                    put_lane(file, op, core, risc);
            }
        }
    }
}

static void put_tensor(FILE *file, const char *end)
{
    fprintf(file,
            "{\"dtype\": \"BFLOAT16\", \"layout\": \"TILE\", \"shape\": {\"W\": 1, \"X\": "
            "256, \"Y\": 32, \"Z\": 1}, \"storage_type\": {\"device_id\": 0, "
            "\"memory_config\": {\"buffer_type\": \"DRAM\", \"memory_layout\": "
            "\"INTERLEAVED\"}}}%s",
            end);
}

static void put_description(FILE *file, uint64_t op, unsigned kind)
{
    fprintf(file,
            " ->\n{\n    \"attributes\": {\"bcast_batch\": \"1\", \"output_mem_config\": "
            "\"MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type="
            "BufferType::DRAM)\"},\n    \"device_id\": 0,\n    \"global_call_count\": %llu,\n"
            "    \"input_tensors\": [",
            (unsigned long long)op_id(op));
    put_tensor(file, ", ");
    put_tensor(file, "],\n    \"output_tensors\": [");
    put_tensor(file, "],\n");
    fprintf(file,
            "    \"kernel_info\": {\"compute_kernels\": [{\"math_fidelity\": \"HiFi4\", "
            "\"name\": \"bmm/98811/\", \"source\": \"bmm.cpp\"}], \"datamovement_kernels\": "
            "[], \"kernel_sizes\": {\"brisc_max_kernel_size\": 1504}},\n"
            "    \"op_code\": \"Operation%u\", \"op_hash\": %u, \"op_type\": "
            "\"tt_dnn_device\", \"optional_input_tensors\": [],\n"
            "    \"performance_model\": {\"bandwidth_ns\": 1478, \"compute_ns\": 4, "
            "\"ideal_ns\": 1478, \"input_bws\": [69.2828140258789], \"output_bws\": []}\n}",
            kind, 1000 + kind);
}

static void write_ops_data(FILE *file, uint64_t ops)
{
    fprintf(file, "MessageName;total_ns\n");
    for (uint64_t op = 0; op < ops; op++) {
        const unsigned kind = (unsigned)(op % KINDS);
        fprintf(file, "`TT_DNN_DEVICE_OP: \"Operation%u\", %u, 0, %llu", kind, 1000 + kind,
                (unsigned long long)op_id(op));
        if (op < KINDS)
            put_description(file, op, kind);
        fprintf(file, "`;%llu\n", (unsigned long long)(1902162596 + op * 40000));
    }
}

static void write_ops_times(FILE *file, uint64_t ops)
{
    fprintf(file, "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
                  "special_parent_text\n");
    for (uint64_t op = 0; op < ops; op++) {
        const uint64_t start = 1902160000 + op * 40000;
        fprintf(file, "TT_DNN_DEVICE_OP,/ttnn/device_operation.hpp,244,,\"id:%llu\",%llu,%u,1,\n",
                (unsigned long long)op_id(op), (unsigned long long)start, 20000u);
        fprintf(file, "CompileProgram,/tt_metal/tt_metal.cpp,871,,,%llu,%u,1,id:%llu\n",
                (unsigned long long)(start + 100), 5000u, (unsigned long long)op_id(op));
    }
}

static void write_file(const char *folder, const char *name, uint64_t ops,
                       void (*write)(FILE *file, uint64_t ops))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    write(file, ops);
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

int main(int count, char **words)
{
    const uint64_t rows = count == 3 ? strtoull(words[1], NULL, 10) : 0;
    if (rows == 0) {
        fprintf(stderr, "usage: generate_tt_logs ROWS FOLDER\n");
        return 2;
    }
    if (mkdir(words[2], 0777) != 0 && errno != EEXIST) {
        perror(words[2]);
        return 1;
    }
    const uint64_t ops = (rows + ROWS_PER_OP - 1) / ROWS_PER_OP;
    write_file(words[2], "profile_log_device.csv", ops, write_device_log);
    write_file(words[2], "tracy_ops_data.csv", ops, write_ops_data);
    write_file(words[2], "tracy_ops_times.csv", ops, write_ops_times);
    return 0;
}
