import { now } from '../config/clock.ts';

type Bounds = { readonly lifetimeMs: number; readonly capacity: number };
type Entry<Value> = { readonly value: Promise<Value>; readonly readAt: number };

/** Gives the value of a key, loading it where the cache has none that is young enough. */
export type InstanceCache<Value> = (key: string, load: (key: string) => Promise<Value>) => Promise<Value>;

/**
 * Keep what was read, also that nothing was found, in this instance for a while; a failure is not kept.
 *
 * Requests for one key at the same time share one read. The key unused for longest makes room for a new one, so a
 * flood of unknown keys cannot push out one that is in use.
 */
export const instanceCache = <Value>({ lifetimeMs, capacity }: Bounds): InstanceCache<Value> => {
  const entries = new Map<string, Entry<Value>>();

  const keep = (key: string, entry: Entry<Value>): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= capacity) break;
      entries.delete(oldest);
    }
  };

  return (key, load) => {
    const ageMs = now() - (entries.get(key)?.readAt ?? Number.NEGATIVE_INFINITY);
    const kept = entries.get(key);
    // The local service's clock can be set back, and an entry from the future is not a young one.
    if (kept && ageMs >= 0 && ageMs < lifetimeMs) {
      keep(key, kept);
      return kept.value;
    }
    const entry = { value: load(key), readAt: now() };
    keep(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  };
};
