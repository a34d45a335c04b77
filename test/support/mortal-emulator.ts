import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmulatorProcess } from '../../infra/local/emulator-process.ts';
import { freePort, loopback } from '../../infra/local/ports.ts';

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

/** An emulator that keeps its data in a file, on one port, and can be killed as a power cut would: nothing is flushed. */
export const mortalEmulator = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'levy-kill-'));
  const port = await freePort(0, 'DYNAMODB_PORT');
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    ({ child } = await startEmulatorProcess(port, directory));
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
