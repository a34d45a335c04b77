import { takenIds } from '../../store/content/content-store.ts';

/** The first counter of an import. Those below are the built-in releases': a later version of the service may ship one of the same day. */
export const firstCounter = 101;

/** The first id of the day that no import of the state has had, finished or not, such as `US-MN@2026-11-21.101`. */
export const nextReleaseId = async (state: string, day: string): Promise<string> => {
  const prefix = `${state}@${day}.`;
  const ids = await takenIds(state);
  const counters = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
  return `${prefix}${Math.max(firstCounter - 1, ...counters) + 1}`;
};
