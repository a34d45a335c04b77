'use strict';
/**
 * Starts AWS's runtime interface client, which is in the folder of this file, as Lambda's bootstrap does. Its native
 * addon is replaced by the same calls of the runtime API in JavaScript. They also write one line of figures for the
 * init phase and for each answer.
 */
const { appendFileSync } = require('node:fs');
const { Agent, request } = require('node:http');
const { join } = require('node:path');

const [hostname, port] = (process.env.AWS_LAMBDA_RUNTIME_API ?? '').split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const figures = process.env.LEVY_RUNTIME_FIGURES;
// A function that has a name when it is loaded refuses a mirror on loopback (shared/config/environment.ts).
const name = process.env.AWS_LAMBDA_FUNCTION_NAME;
if (process.env.LEVY_RUNTIME_UNNAMED === 'on') delete process.env.AWS_LAMBDA_FUNCTION_NAME;

const send = (method, path, headers, body) =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, agent, method, path: `/2018-06-01/runtime/${path}`, headers },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => resolve({ bodyJson: Buffer.concat(chunks).toString('utf8'), headers: answer.headers }));
      },
    );
    outgoing.on('error', reject).end(body);
  });

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const write = (line) => appendFileSync(figures, `${JSON.stringify(line)}\n`);

let startedMs = null;
let startedCpuMs = 0;
// The addon sends an answer before it returns.
let sending = Promise.resolve();

const answer = (path, body, headers = {}) => {
  const ms = performance.now() - startedMs;
  const type = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers };
  write({ ms, cpu_ms: cpuMs() - startedCpuMs, memory_mb: process.resourceUsage().maxRSS / 1024 });
  sending = send('POST', path, type, body);
};

const addon = {
  next: async () => {
    // Since the start of the process, as Lambda counts the init phase.
    if (startedMs === null) write({ init_ms: performance.now(), init_cpu_ms: cpuMs() });
    process.env.AWS_LAMBDA_FUNCTION_NAME = name;
    await sending;
    const invocation = await send('GET', 'invocation/next', {});
    startedMs = performance.now();
    startedCpuMs = cpuMs();
    return invocation;
  },
  done: (id, body) => answer(`invocation/${id}/response`, body),
  error: (id, body, cause) =>
    answer(`invocation/${id}/error`, body, { 'Lambda-Runtime-Function-XRay-Error-Cause': cause.replaceAll('\n', '') }),
};

require.extensions['.node'] = (module) => {
  module.exports = addon;
};
import(join(__dirname, 'index.mjs'));
