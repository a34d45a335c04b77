import { now as serviceTime } from '../config/clock.ts';

type Bounds = {
  readonly lifetimeMs: number;
  readonly capacity: number;
  /** Milliseconds since 1970; the service's time by default. */
  readonly now?: () => number;
};
type Entry<Value> = { readonly value: Promise<Value>; readonly readAt: number };

type InstanceCache<Value> = {
  /** Returns the value of a key, and loads it if it is missing or expired. */
  (key: string, load: (key: string) => Promise<Value>): Promise<Value>;
  /** Removes the value of a key, so that the next call loads it. */
  readonly forget: (key: string) => void;
};

/**
 * Creates an in-memory cache with a TTL and LRU eviction. It caches `undefined`, but not failures.
 *
 * Concurrent requests for one key share one read. LRU eviction keeps a flood of unknown keys from evicting a key in
 * use.
 */
export const instanceCache = <Value>({ lifetimeMs, capacity, now = serviceTime }: Bounds): InstanceCache<Value> => {
  const entries = new Map<string, Entry<Value>>();

  const keep = (key: string, entry: Entry<Value>): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= capacity) break;
      entries.delete(oldest);
    }
  };

  const read = (key: string, load: (key: string) => Promise<Value>): Promise<Value> => {
    const ageMs = now() - (entries.get(key)?.readAt ?? Number.NEGATIVE_INFINITY);
    const kept = entries.get(key);
    // The local service's clock can be set back, so an entry from the future counts as stale.
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
  return Object.assign(read, { forget: (key: string): void => void entries.delete(key) });
};
