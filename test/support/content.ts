import { expect } from 'vitest';
import { contentProgram } from '../../shared/cli/content.ts';
import { activateRelease, readActiveReleases } from '../../shared/store/content/content-store.ts';
import { runInProcess } from './run-command.ts';

/** `npm run content -- …`, and the active release of a state. */
export const content = (...args: readonly string[]) => runInProcess(contentProgram(), args);

/** Returns the id of a state's active release; `null` if it is the built-in one. */
export const findActive = async (state: string): Promise<string | null> =>
  (await readActiveReleases()).states[`US-${state}`]?.release ?? null;

/** Activates an imported release of a state, or its built-in release. */
export const activate = async (state: string, id: string | null): Promise<void> => {
  const result = await activateRelease(`US-${state}`, id, await readActiveReleases(), '2030-01-01T00:00:00.000Z');
  expect(result.ok).toBe(true);
};
