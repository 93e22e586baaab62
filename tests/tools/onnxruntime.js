// Computes ONNX networks with ONNX Runtime (fetch-onnxruntime.sh DIR).
//
//   node onnxruntime.js DIR
//
// One request a line on stdin, one answer a line on stdout:
//   {"model": "x.onnx", "inputs": [{"name", "type": "float32", "dims": [1, 3], "file": "x.bin"}],
//    "folder": "out", "iterations": 5, "threads": 2, "profile": "prefix of its file"}
//   {"open_ms": 1.2, "anonymous": BYTES, "run_ms": [3.4, ...],
//    "outputs": [{"name", "type", "dims", "file"}]}
// Files hold raw elements, little endian. Without "folder" nothing is computed: the
// session is only created. "anonymous" is by how much the process grew meanwhile, without
// mapped files. A failure is {"error": "..."}.

"use strict";

const fs = require("fs");
const path = require("path");
const readline = require("readline");

const ort = require(path.resolve(process.argv[2], "node_modules/onnxruntime-node"));

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  float16: Uint16Array,
};

function readInput(input) {
  const bytes = fs.readFileSync(input.file);
  const array = ARRAYS[input.type];
  const copy = new Uint8Array(bytes).buffer;
  const data = input.type === "float16" && globalThis.Float16Array
    ? new globalThis.Float16Array(copy) : new array(copy);
  return new ort.Tensor(input.type, data, input.dims);
}

function writeOutput(name, tensor, file) {
  const data = tensor.data;
  if (tensor.type === "string") {
    return { name, type: "string", dims: tensor.dims, values: data };
  }
  fs.writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return { name, type: tensor.type, dims: tensor.dims, file };
}

async function compute(session, request) {
  const feeds = {};
  for (const input of request.inputs || []) {
    feeds[input.name] = readInput(input);
  }
  const times = [];
  let results = null;
  for (let i = 0; i < (request.iterations || 1); i++) {
    const start = process.hrtime.bigint();
    results = await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  const outputs = session.outputNames.map((name, index) =>
    writeOutput(name, results[name], path.join(request.folder, `ort_${index}.bin`)));
  return { run_ms: times, outputs };
}

function anonymous() {
  const status = fs.readFileSync("/proc/self/status", "utf8");
  return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) * 1024;
}

async function answer(request) {
  const options = { logSeverityLevel: 4, intraOpNumThreads: request.threads || 0,
                    graphOptimizationLevel: request.optimization || "all",
                    ...(request.profile && { enableProfiling: true, profileFilePrefix: request.profile }) };
  const before = anonymous();
  const start = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(request.model, options);
  const opened = Number(process.hrtime.bigint() - start) / 1e6;
  const grown = anonymous() - before;
  const computed = request.folder ? await compute(session, request) : {};
  if (request.profile) {
    session.endProfiling();
  }
  await session.release();
  return { open_ms: opened, anonymous: grown, ...computed };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let said;
    try {
      said = await answer(JSON.parse(line));
    } catch (failure) {
      said = { error: String(failure.message || failure) };
    }
    process.stdout.write(JSON.stringify(said) + "\n");
  }
}

main();
