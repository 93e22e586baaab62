// Speaks to a server of the Model Context Protocol by the protocol's own client libraries.
//
//   MCP_CLIENT_DIR=... node mcp-client.mjs LIBRARY COMMAND... < steps.json
//
// LIBRARY: sdk, or client (legacy revisions, with initialize), or modern (2026-07-28). Steps are
// {"list": true}, {"call": NAME, "arguments": {...}}, {"call": ..., "cancel_ms": 100},
// {"ping": true} or {"die": true}: the client's process ends as if it had crashed. Prints what came
// of each as one line of JSON; answers are checked against the schemas of the tools.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.MCP_CLIENT_DIR + "/node_modules/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const [library, command, ...args] = process.argv.slice(2);
const old = library === "sdk";
const { Client } = await load(old ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StdioClientTransport } = await load(
    old ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio");

const options = library === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "test", version: "1" }, options);
const transport = new StdioClientTransport({ command, args, stderr: "inherit" });
const problems = [];
client.onerror = (error) => problems.push(String(error));
await client.connect(transport);

async function call(step) {
    const request = { name: step.call, arguments: step.arguments ?? {} };
    const stop = new AbortController();
    if (step.cancel_ms)
        setTimeout(() => stop.abort("enough"), step.cancel_ms);
    const how = { signal: stop.signal, timeout: 300000 };
    try {
        return { result: await (old ? client.callTool(request, undefined, how) : client.callTool(request, how)) };
    } catch (error) {
        return { error: String(error), code: error.code };
    }
}

async function perform(step) {
    if (step.list)
        return { tools: (await client.listTools()).tools };
    if (step.ping)
        return { pong: await client.ping() };
    if (step.die) {
        call(step); // nobody waits for it
        await new Promise((done) => setTimeout(done, step.die));
        process.stdout.write(JSON.stringify({ pid: transport.pid }) + "\n");
        process.kill(process.pid, "SIGKILL");
    }
    return await call(step);
}

const results = [];
for (const step of JSON.parse(readFileSync(0, "utf8")))
    results.push(await perform(step));
const server = client.getServerVersion();
const pid = transport.pid, instructions = client.getInstructions();
await client.close();
process.stdout.write(JSON.stringify({ server, instructions, pid, results, problems }) + "\n");
