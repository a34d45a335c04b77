import { builtInRelease, builtInReleaseById } from '../../catalog/built-in.ts';
import type { LoadContent } from '../../catalog/content.ts';
import { contentLoader } from '../../catalog/loading/content-loader.ts';
import { now } from '../../config/clock.ts';
import { recordCacheHit, recordCacheMiss } from '../../observability/tally.ts';
import { readActiveReleases, readContent } from './content-reads.ts';

const countingMisses =
  <Arguments extends readonly unknown[], Value>(read: (...args: Arguments) => Value) =>
  (...args: Arguments): Value => {
    recordCacheMiss('Content');
    return read(...args);
  };

const loader = contentLoader({
  readActive: countingMisses(readActiveReleases),
  readContent: countingMisses(readContent),
  builtIn: builtInRelease,
  builtInById: builtInReleaseById,
  now,
});

/** Loads content from the Content table and the built-in releases, with one cache per instance. */
export const loadContent: LoadContent = (addresses, settingsSnapshot, from) => {
  recordCacheHit('Content');
  return loader.loadContent(addresses, settingsSnapshot, from);
};
