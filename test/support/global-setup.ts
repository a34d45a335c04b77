import type { TestProject } from 'vitest/node';
import { openEmulator } from './emulator.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the emulator is; also in DYNAMODB_ENDPOINT. */
    endpoint: string;
    /** Capacity units are asserted on dynoxide only (architecture, decision 9). */
    emulator: 'dynoxide' | 'amazon' | 'given';
  }
}

/** One emulator for the whole run, whatever projects take part; every test makes accounts of its own in it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { endpoint, kind, stop } = await openEmulator();
  provide('endpoint', endpoint);
  provide('emulator', kind);
  return stop;
}
