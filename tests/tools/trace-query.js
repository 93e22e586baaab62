#!/usr/bin/env node
// Runs SQL on a trace with Perfetto's own trace_processor, for tests.
//
//   trace-query.js TRACE SQL...           rows with tabs, the column names first
//   trace-query.js --json TRACE SQL...    one JSON object a row
//   trace-query.js --batch                one request a line on the standard input,
//                                         {"trace": PATH, "sql": [SQL, ...]}; one answer
//                                         a line, {"tables": [[ROW, ...], ...]} or
//                                         {"error": TEXT}
//
// TRACE_PROCESSOR_DIR is the folder of trace_processor.wasm and
// engine_bundle.node.js (fetch-trace-processor.sh gets them). Starting takes about
// a second; --batch pays it once.
//
// The bundle is Perfetto's web worker. It believes to be in a browser: below it is
// given the few things of one that it looks for, and talked to as the page would,
// in protobuf messages over a port.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');
const vm = require('vm');

const PIECE = 16 << 20; // bytes of a trace handed over at a time

// What the protocol calls things (TraceProcessorRpc in trace_processor.proto).
const METHOD = {append: 1, finish: 2, query: 3, status: 10, reset: 11};
const STREAM_MESSAGE = 1;
const RPC = {sequence: 1, request: 2, fatalError: 5, appendData: 101, queryArguments: 103,
             appendResult: 201, queryResult: 203, statusResult: 210, finishResult: 212};
const APPEND_ERROR = 2;
const FINISH_ERROR = 1;
const QUERY_SQL = 1;
const RESULT = {column: 1, error: 2, batch: 3};
const BATCH = {cells: 1, numbers: 2, reals: 3, blobs: 4, texts: 5};
const CELL = {none: 1, number: 2, real: 3, text: 4, blob: 5};

// Protobuf ---------------------------------------------------------------------

function varint(number) {
    const bytes = [];
    let rest = BigInt(number);
    for (; rest > 127n; rest >>= 7n)
        bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    return Buffer.from(bytes);
}

function numberField(field, number) {
    return Buffer.concat([varint(field * 8), varint(number)]);
}

function bytesField(field, content) {
    const bytes = Buffer.from(content);
    return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

// Reads on in a buffer.
class Cursor {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    get done() {
        return this.at >= this.bytes.length;
    }

    varint() {
        let number = 0n;
        for (let shift = 0n;; shift += 7n) {
            const byte = this.bytes[this.at++];
            number |= BigInt(byte & 127) << shift;
            if (byte < 128)
                return number;
        }
    }

    take(size) {
        this.at += size;
        return this.bytes.subarray(this.at - size, this.at);
    }
}

// The fields of a message: [number, BigInt or Buffer].
function* fieldsOf(bytes) {
    const cursor = new Cursor(bytes);
    while (!cursor.done) {
        const tag = Number(cursor.varint());
        const type = tag & 7;
        if (type === 0)
            yield [tag >>> 3, cursor.varint()];
        else if (type === 1)
            yield [tag >>> 3, cursor.take(8)];
        else if (type === 2)
            yield [tag >>> 3, cursor.take(Number(cursor.varint()))];
        else if (type === 5)
            yield [tag >>> 3, cursor.take(4)];
        else
            throw new Error(`wire type ${type} in an answer`);
    }
}

function packedNumbers(bytes) {
    const numbers = [];
    for (const cursor = new Cursor(bytes); !cursor.done;)
        numbers.push(BigInt.asIntN(64, cursor.varint()));
    return numbers;
}

function packedReals(bytes) {
    const reals = [];
    for (let at = 0; at < bytes.length; at += 8)
        reals.push(bytes.readDoubleLE(at));
    return reals;
}

// The browser ------------------------------------------------------------------

// The worker fetches its program with a synchronous request.
function requestClass(folder) {
    return class {
        open(method, url) {
            this.file = path.join(folder, path.basename(url));
        }

        send() {
            this.response = new Uint8Array(fs.readFileSync(this.file)).buffer;
        }
    };
}

// An engine with 64-bit memories would be given another program, which is not in the
// folder. The worker's first module is its probe for such memories: it fails.
function refuseProbe() {
    const Module = WebAssembly.Module;
    WebAssembly.Module = class {
        constructor() {
            WebAssembly.Module = Module;
            throw new Error('no 64-bit memories');
        }
    };
}

async function startWorker(folder) {
    const give = (name, value) =>
        Object.defineProperty(globalThis, name, {value, writable: true, configurable: true});
    give('self', globalThis);
    give('WorkerGlobalScope', class {});
    give('location', {href: `file://${folder}/`});
    give('XMLHttpRequest', requestClass(folder));
    refuseProbe();
    console.warn = () => {}; // where it complains about traces that it cannot load
    const bundle = path.join(folder, 'engine_bundle.node.js');
    const source = fs.readFileSync(bundle, 'utf8');
    vm.runInThisContext(`(() => {${source}\n})()`, {filename: bundle});
    // Its program is loaded synchronously; what follows is in promises.
    await new Promise(setImmediate);
    const port = {};
    globalThis.onmessage({data: port});
    return port;
}

// The trace processor ----------------------------------------------------------

class TraceProcessor {
    constructor(port) {
        this.port = port;
        this.sequence = 0;
        this.answers = [];
        port.postMessage = (data) => this.answers.push(Buffer.from(data));
    }

    // The answers to a request, which have come when `onmessage` returns, as maps
    // from field to content.
    ask(method, ...fields) {
        const request = Buffer.concat([numberField(RPC.sequence, this.sequence++),
                                       numberField(RPC.request, method), ...fields]);
        this.answers = [];
        this.port.onmessage({data: new Uint8Array(bytesField(STREAM_MESSAGE, request))});
        const answers = [];
        for (const [field, message] of fieldsOf(Buffer.concat(this.answers))) {
            if (field === STREAM_MESSAGE)
                answers.push(new Map(fieldsOf(message)));
        }
        for (const answer of answers) {
            if (answer.has(RPC.fatalError))
                throw new Error(answer.get(RPC.fatalError).toString());
        }
        return answers;
    }

    // Fails where an answer's message has an error.
    demand(answers, result, error) {
        for (const answer of answers) {
            const message = new Map(fieldsOf(answer.get(result) || Buffer.alloc(0)));
            if (message.has(error) && message.get(error).length > 0)
                throw new Error(message.get(error).toString());
        }
    }

    load(bytes) {
        this.ask(METHOD.reset);
        for (let at = 0; at < bytes.length; at += PIECE) {
            const piece = bytesField(RPC.appendData, bytes.subarray(at, at + PIECE));
            this.demand(this.ask(METHOD.append, piece), RPC.appendResult, APPEND_ERROR);
        }
        this.demand(this.ask(METHOD.finish), RPC.finishResult, FINISH_ERROR);
    }

    // {columns: [name], rows: [[cell]]}; cells are null, BigInt, number, text, Buffer.
    query(sql) {
        const columns = [];
        const cells = [];
        for (const answer of this.ask(METHOD.query,
                                      bytesField(RPC.queryArguments, bytesField(QUERY_SQL, sql)))) {
            for (const [field, content] of fieldsOf(answer.get(RPC.queryResult))) {
                if (field === RESULT.column)
                    columns.push(content.toString());
                else if (field === RESULT.error && content.length > 0)
                    throw new Error(content.toString());
                else if (field === RESULT.batch)
                    readBatch(content, cells);
            }
        }
        const rows = [];
        for (let at = 0; columns.length > 0 && at < cells.length; at += columns.length)
            rows.push(cells.slice(at, at + columns.length));
        return {columns, rows};
    }
}

async function startProcessor(folder) {
    return new TraceProcessor(await startWorker(path.resolve(folder)));
}

// A batch lists the kinds of its cells, row by row, and the contents of each kind.
function readBatch(message, cells) {
    let kinds = [];
    const contents = {[CELL.number]: [], [CELL.real]: [], [CELL.text]: [], [CELL.blob]: []};
    for (const [field, content] of fieldsOf(message)) {
        if (field === BATCH.cells)
            kinds = packedNumbers(content);
        else if (field === BATCH.numbers)
            contents[CELL.number] = packedNumbers(content);
        else if (field === BATCH.reals)
            contents[CELL.real] = packedReals(content);
        else if (field === BATCH.texts)
            contents[CELL.text] = content.toString().split('\0');
        else if (field === BATCH.blobs)
            contents[CELL.blob].push(content);
    }
    const next = {[CELL.number]: 0, [CELL.real]: 0, [CELL.text]: 0, [CELL.blob]: 0};
    for (const kind of kinds.map(Number))
        cells.push(kind === CELL.none ? null : contents[kind][next[kind]++]);
}

// Output -----------------------------------------------------------------------

// JSON with all digits of large numbers.
function cellToJson(cell) {
    if (typeof cell === 'bigint')
        return cell.toString();
    return JSON.stringify(Buffer.isBuffer(cell) ? cell.toString('hex') : cell);
}

function rowToJson(columns, row) {
    const pairs = columns.map((name, i) => `${JSON.stringify(name)}: ${cellToJson(row[i])}`);
    return `{${pairs.join(', ')}}`;
}

function tableToJson(table) {
    return `[${table.rows.map((row) => rowToJson(table.columns, row)).join(', ')}]`;
}

function answer(processor, request) {
    processor.load(fs.readFileSync(request.trace));
    const tables = request.sql.map((sql) => tableToJson(processor.query(sql)));
    return `{"tables": [${tables.join(', ')}]}`;
}

// A trace that cannot be loaded may leave the program in pieces: the next one gets
// a new one.
async function answerAll(folder, lines) {
    let processor = null;
    for await (const line of lines) {
        let text;
        try {
            processor = processor || await startProcessor(folder);
            text = answer(processor, JSON.parse(line));
        } catch (error) {
            processor = null;
            text = JSON.stringify({error: error.message});
        }
        process.stdout.write(`${text}\n`);
    }
}

function print(table, asJson) {
    if (!asJson)
        console.log(table.columns.join('\t'));
    for (const row of table.rows)
        console.log(asJson ? rowToJson(table.columns, row) : row.map(String).join('\t'));
}

async function main(args) {
    const folder = process.env.TRACE_PROCESSOR_DIR;
    const [first] = args;
    if (!folder || args.length === 0 || (first !== '--batch' && args.length < 2)) {
        console.error('usage: TRACE_PROCESSOR_DIR=DIR trace-query.js [--json] TRACE SQL... | --batch');
        return 2;
    }
    if (first === '--batch') {
        await answerAll(folder, readline.createInterface({input: process.stdin}));
        return 0;
    }
    const processor = await startProcessor(folder);
    const asJson = first === '--json';
    const [trace, ...queries] = asJson ? args.slice(1) : args;
    processor.load(fs.readFileSync(trace));
    for (const sql of queries)
        print(processor.query(sql), asJson);
    return 0;
}

main(process.argv.slice(2)).then(
    (code) => { process.exitCode = code; },
    (error) => {
        console.error(`trace-query: ${error.message}`);
        process.exitCode = 1;
    });
