import { defaultSettings } from '../../accounts/account.ts';
import { builtInReleaseFor } from '../../content/built-in.ts';
import { findRates } from '../../rates/rates.ts';
import { currentVersion } from '../versions.ts';

/** The query of the example. */
export const ratesQuery = { postal_code: '55401', city: 'Minneapolis', state: 'MN', date: '2026-11-22' } as const;

const found = await findRates(ratesQuery, defaultSettings(currentVersion), {
  loadContent: async () => builtInReleaseFor,
  now: () => Date.parse(ratesQuery.date),
});
if (!found.ok) throw new Error(`The example of GET /rates is rejected: ${found.problems[0].detail}`);

/** The response to it, computed from the built-in content, so that no fact has a second copy here. */
export const rates = found.value;
