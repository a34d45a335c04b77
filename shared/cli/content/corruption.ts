import type { ContentCorrupt } from '../../content/loading/content-corrupt.ts';

/** What to do about a release that is not what its import wrote. */
export const corruptionRemedy = (release: string): string =>
  `Import its files again and activate the new release, or go back with \`npm run content -- rollback --state ${release.slice(3, 5)}\`.`;

/** What is corrupt and what to do, in two sentences. */
export const corruptionText = ({ message, release }: ContentCorrupt): string =>
  `${message} ${corruptionRemedy(release)}`;
