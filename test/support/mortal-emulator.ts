import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type EmulatorKind, startEmulatorProcess } from '../../infra/local/emulator-process.ts';
import { freePort, loopback } from '../../infra/local/ports.ts';

const server = fileURLToPath(new URL('../../infra/local/memory-database/server.ts', import.meta.url));

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, loopback);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** A database that keeps its data in a file, always on the same port, and that a test can kill with SIGKILL. */
export const mortalEmulator = async (kind: 'memory' | EmulatorKind) => {
  const directory = await mkdtemp(join(tmpdir(), 'levy-kill-'));
  const port = await freePort(0, 'DYNAMODB_PORT');
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child =
      kind === 'memory'
        ? spawn(process.execPath, [server, String(port), directory], { stdio: 'inherit' })
        : (await startEmulatorProcess(kind, port, directory)).child;
    while (!(await listens(port))) await sleep(5);
  };
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) throw new Error('The emulator ended by itself.');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    if (child && child.exitCode === null && child.signalCode === null) await kill();
    await rm(directory, { recursive: true, force: true });
  };
  return { endpoint: `http://${loopback}:${port}`, start, kill, stop };
};
