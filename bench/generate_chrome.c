// Writes a Chrome trace of any size to the standard output: what a profiler of a network on a GPU
// writes for each operator, indented as such tools do.
//
//     generate_chrome BYTES [--flows]
//
// For each operator: the operator and a call below it on one of four threads, the launch of a
// kernel, the kernel on one of eight streams with 13 arguments, and now and then a sample of a
// counter; with --flows also an arrow from the launch to the kernel. The same arguments give the
// same bytes.

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, STREAMS = 8, NAMES = 400, SAMPLE_EVERY = 10, HOST = 4242, DEVICE = 0 };

struct generator {
    uint64_t random;
    uint64_t now[THREADS]; // ns
    uint64_t busy_until[STREAMS];
    uint64_t correlation;
    uint64_t written;
    char operators[NAMES][64];
    char kernels[NAMES][160];
};

// splitmix64
static uint64_t next_random(struct generator *generator, uint64_t limit)
{
    uint64_t z = generator->random += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
}

static void make_names(struct generator *generator)
{
    static const char *const types[] = {"conv2d", "linear", "add_",  "layer_norm",    "softmax",
                                        "matmul", "gelu",   "copy_", "empty_strided", "mul"};
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(generator->operators[i], sizeof generator->operators[i], "aten::%s_%u",
                 types[i % 10], i / 10);
        snprintf(generator->kernels[i], sizeof generator->kernels[i],
                 "void at::native::vectorized_elementwise_kernel<%u, at::native::%s<float>, "
                 "std::array<char*, 3ul> >(int, float)",
                 1 + i % 8, types[i / 40]);
    }
}

static void print(struct generator *generator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(struct generator *generator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    generator->written += (uint64_t)vprintf(format, arguments);
    va_end(arguments);
}

static void print_head(struct generator *generator, const char *category, const char *name,
                       unsigned pid, unsigned tid, uint64_t start, uint64_t duration)
{
    print(
        generator,
        ",\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u,\n"
        "    \"ts\": %" PRIu64 ".%03u, \"dur\": %" PRIu64 ".%03u,\n",
        category, name, pid, tid, start / 1000, (unsigned)(start % 1000), duration / 1000,
        (unsigned)(duration % 1000));
}

static void print_kernel(struct generator *generator, unsigned name, unsigned stream,
                         uint64_t start, uint64_t duration)
{
    const uint64_t correlation = generator->correlation;
    print_head(generator, "device", generator->kernels[name], DEVICE, 7 + stream, start, duration);
    print(generator,
          "    \"args\": {\n      \"External id\": %" PRIu64
          ",\n      \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": %u, "
          "\"correlation\": %" PRIu64 ",\n      \"registers per thread\": %u,\n      "
          "\"shared memory\": %u,\n      \"blocks per SM\": %u.%02u,\n      \"warps per SM\": "
          "%u.%02u,\n      \"grid\": [%u, 1, 1],\n      \"block\": [128, 1, 1],\n      "
          "\"est. achieved occupancy %%\": %u\n    }\n  }",
          correlation, 7 + stream, correlation, 16 + name % 48, name * 128, name % 4, name % 100,
          name % 16, name % 100, 1 + name, name % 100);
}

static void print_flow(struct generator *generator, const char *phase, unsigned pid, unsigned tid,
                       uint64_t time)
{
    print(generator,
          ",\n  {\n    \"ph\": \"%s\", \"id\": %" PRIu64
          ", \"pid\": %u, \"tid\": %u, \"ts\": %" PRIu64
          ".%03u,\n    \"cat\": \"launch\", \"name\": \"launch\"%s\n  }",
          phase, generator->correlation, pid, tid, time / 1000, (unsigned)(time % 1000),
          *phase == 'f' ? ", \"bp\": \"e\"" : "");
}

static void print_operator(struct generator *generator, int flows)
{
    const unsigned thread = (unsigned)next_random(generator, THREADS);
    const unsigned stream = (unsigned)next_random(generator, STREAMS);
    const unsigned name = (unsigned)next_random(generator, NAMES);
    const uint64_t start = generator->now[thread] + next_random(generator, 2000);
    const uint64_t duration = 8000 + next_random(generator, 20000);
    const uint64_t launch = start + 3000 + next_random(generator, 1000);
    generator->correlation++;
    generator->now[thread] = start + duration;
    print_head(generator, "operator", generator->operators[name], HOST, HOST + thread, start,
               duration);
    print(generator,
          "    \"args\": {\n      \"External id\": %" PRIu64
          ",\"Record function id\": 0, \"Ev Idx\": %" PRIu64 "\n    }\n  }",
          generator->correlation, generator->correlation * 2);
    print_head(generator, "runtime", "launch kernel", HOST, HOST + thread, launch, 2500);
    print(generator,
          "    \"args\": {\n      \"External id\": %" PRIu64
          ",\"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  }",
          generator->correlation, generator->correlation);
    if (flows)
        print_flow(generator, "s", HOST, HOST + thread, launch);
    uint64_t *busy = &generator->busy_until[stream];
    const uint64_t begin = (*busy > launch ? *busy : launch) + 1500;
    const uint64_t length = 2000 + next_random(generator, 30000);
    *busy = begin + length;
    print_kernel(generator, name, stream, begin, length);
    if (flows)
        print_flow(generator, "f", DEVICE, 7 + stream, begin);
    if (generator->correlation % SAMPLE_EVERY == 0)
        print(generator,
              ",\n  {\n    \"ph\": \"C\", \"name\": \"memory\", \"pid\": %d, \"tid\": 0, \"ts\": "
              "%" PRIu64 ".%03u, \"args\": {\"bytes\": %" PRIu64 "}\n  }",
              DEVICE, begin / 1000, (unsigned)(begin % 1000), next_random(generator, 1ull << 34));
}

int main(int count, char **words)
{
    static struct generator generator;
    const uint64_t size = count > 1 ? strtoull(words[1], NULL, 10) : 0;
    const int flows = count > 2 && strcmp(words[2], "--flows") == 0;
    if (size == 0) {
        fprintf(stderr, "usage: generate_chrome BYTES [--flows]\n");
        return 2;
    }
    make_names(&generator);
    print(&generator,
          "{\n  \"displayTimeUnit\": \"ns\",\n"
          "  \"traceEvents\": [\n  {\n    \"name\": \"process_name\", \"ph\": \"M\", "
          "\"ts\": 0.000, \"pid\": %d, \"tid\": 0,\n    \"args\": {\n      \"name\": "
          "\"python\"\n    }\n  }",
          HOST);
    while (generator.written < size)
        print_operator(&generator, flows);
    print(&generator, "\n  ]}\n");
    return 0;
}
