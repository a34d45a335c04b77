import { now } from '../config/clock.ts';
import { builtInRelease, builtInReleaseById } from '../content/built-in.ts';
import { contentLoader } from '../content/loading/content-loader.ts';
import { readActiveReleases, readContent } from './content-reads.ts';

/** Loads content from the Content table and from what ships with the service. One of an instance, with one cache. */
export const { loadContent } = contentLoader({
  readActive: readActiveReleases,
  readContent,
  builtIn: builtInRelease,
  builtInById: builtInReleaseById,
  now,
});
