/** Maps ZIP codes to states, from postal service data. */
import { lazy } from '../../base/collections.ts';
import data from './zip-states.json' with { type: 'json' };

const none: readonly string[] = [];

type Lists = Readonly<Record<string, string>>;
type StatesByZip = ReadonlyMap<string, readonly string[]>;

/** Inverts the data, which lists ZIPs and ZIP ranges by state. */
const byZip = (lists: Lists): StatesByZip => {
  const states = new Map<string, readonly string[]>();
  for (const [key, list] of Object.entries(lists)) {
    const listed = key.split(' ');
    for (const range of list.split(' ')) {
      const [low = '', high = low] = range.split('-');
      for (let zip = Number(low); zip <= Number(high); zip += 1)
        states.set(String(zip).padStart(low.length, '0'), listed);
    }
  }
  return states;
};

// Built on first use, because functions that do not locate addresses do not need it.
const statesByZip = lazy(() => ({ three: byZip(data.zip3), five: byZip(data.zip5) }));

/**
 * Returns the states that contain a five-digit ZIP, in alphabetical order: several if the ZIP crosses a border, none if
 * the postal service does not use it.
 */
export const statesOfZip = (zip5: string): readonly string[] => {
  if (!/^\d{5}$/.test(zip5)) return none;
  const { three, five } = statesByZip();
  return five.get(zip5) ?? three.get(zip5.slice(0, 3)) ?? none;
};
