import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { newService } from './service.ts';

/** Serve the memory database on a port of loopback. Runs as a worker thread, or as a separate process: `server.ts PORT FOLDER`. */

type Settings = { readonly port: number; readonly folder: string | null };

const { port, folder }: Settings = parentPort
  ? workerData
  : { port: Number(process.argv[2]), folder: process.argv[3] ?? null };

const service = newService(folder);
const server = createServer(async (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
  const { status, text: body } = service.answer(operation, await text(request));
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': '0',
  });
  response.end(body);
});
// Longer than any pause between calls: a client may reuse a connection while the server closes it.
server.keepAliveTimeout = 600_000;
server.listen(port, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage('listening');
