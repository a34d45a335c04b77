/** Serves the memory database on a loopback port. Runs as a worker thread. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { newServer, newService } from './service.ts';

const { port, folder }: { readonly port: number; readonly folder: string | null } = workerData;

const server = newServer(newService(folder).respond);
server.listen(port, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage('listening');
