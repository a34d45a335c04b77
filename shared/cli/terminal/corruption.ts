import type { ContentCorrupt } from '../../content/loading/content-corrupt.ts';

/**
 * What to do about a release that is not what its import wrote. Going back comes first: an import lies over the active
 * release, and would read the corrupt one below it.
 */
export const corruptionRemedy = (release: string): string =>
  `If calculations use it, go back with \`npm run content -- rollback --state ${release.slice(3, 5)}\`; then import its files again and activate the new release.`;

/** What is corrupt and what to do, in two sentences. */
export const corruptionText = ({ message, release }: ContentCorrupt): string =>
  `${message} ${corruptionRemedy(release)}`;
