import type { ActiveReleases } from './active-releases.ts';

// An activation is noticed within this time, by every instance.
const lifetimeMs = 60_000;

type Reading = { readonly directory: Promise<ActiveReleases>; readonly startedAt: number };

/**
 * Keeps which releases are active for 60 seconds from when the reading began. Requests at the same time share a reading.
 *
 * A reading that fails is thrown, and the next request reads again: an older directory could name a release that was
 * taken back, and an answer from it would be a guess.
 */
export const activeDirectory = (
  read: () => Promise<ActiveReleases>,
  now: () => number,
): (() => Promise<ActiveReleases>) => {
  let kept: Reading | null = null;
  return () => {
    const startedAt = now();
    const ageMs = kept ? startedAt - kept.startedAt : Number.NaN;
    // The local service's clock can be set back, and a directory from the future is not a young one.
    if (kept && ageMs >= 0 && ageMs < lifetimeMs) return kept.directory;
    const reading: Reading = { directory: read(), startedAt };
    kept = reading;
    reading.directory.catch(() => {
      if (kept === reading) kept = null;
    });
    return reading.directory;
  };
};
