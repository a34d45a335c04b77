/** Serves the memory database on a loopback port. Runs as a worker thread. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { JournalDamaged } from './journal.ts';
import { newServer, newService, type Service } from './service.ts';

const { port, folder }: { readonly port: number; readonly folder: string | null } = workerData;

const openService = (): Service => {
  try {
    return newService(folder);
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error;
    parentPort?.postMessage(error.message);
    process.exit();
  }
};

const server = newServer(openService().respond);
server.listen(port, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage('listening');
