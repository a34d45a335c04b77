import type { Place } from '../tax/document.ts';

/** The releases that places are taxed by, by the states' jurisdiction codes. Transactions pin them. */
export const contentReleases = (located: readonly { readonly place: Place }[]): Record<string, string> => {
  const releases: Record<string, string> = {};
  for (const { release } of new Set(located.map(({ place }) => place)))
    if (release) releases[release.state] = release.pinnedBy ?? release.id;
  return releases;
};
