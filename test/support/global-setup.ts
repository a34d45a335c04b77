import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmulator } from './emulator.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the emulator is; also in DYNAMODB_ENDPOINT. */
    endpoint: string;
    /** DynamoDB Local counts capacity units differently, so no test compares them there. */
    emulator: 'memory' | 'dynoxide' | 'amazon' | 'given';
  }
}

/** One database for the whole run. Every test creates its own accounts in it. */
export default async function setup({ provide, vite }: TestProject): Promise<() => Promise<void>> {
  // The CDK leaves temporary folders behind, and so do tests that fail.
  const folder = mkdtempSync(join(tmpdir(), 'levy-tests-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const { endpoint, kind, stop } = await openEmulator(vite.config.mode === 'long');
  provide('endpoint', endpoint);
  provide('emulator', kind);
  return stop;
}
