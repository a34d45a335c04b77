import type { ActiveReleases } from './active-releases.ts';

// Every instance notices an activation within this time.
const lifetimeMs = 60_000;

type Reading = { readonly directory: Promise<ActiveReleases>; readonly startedAt: number };

/**
 * Caches the active releases for 60 seconds from the start of the read. Concurrent requests share a read.
 *
 * If a read fails, it throws and the next request reads again. A stale directory is never used: it could name a release
 * that was rolled back.
 */
export const activeDirectory = (
  read: () => Promise<ActiveReleases>,
  now: () => number,
): (() => Promise<ActiveReleases>) => {
  let kept: Reading | null = null;
  return () => {
    const startedAt = now();
    const ageMs = kept ? startedAt - kept.startedAt : Number.NaN;
    // The local service's clock can be set back, so the age can be negative.
    if (kept && ageMs >= 0 && ageMs < lifetimeMs) return kept.directory;
    const reading: Reading = { directory: read(), startedAt };
    kept = reading;
    reading.directory.catch(() => {
      if (kept === reading) kept = null;
    });
    return reading.directory;
  };
};
