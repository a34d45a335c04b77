import { coversDay, possiblyInForce } from '../effective.ts';
import type { Release } from '../release.ts';

/** The state's own rate on a day, and its last day; `null` where the release does not know. */
export const stateRateOn = (
  { rates, state, established_from }: Release,
  day: string,
): { readonly rate: string; readonly to: string | null } | null =>
  rates.find(
    (rate) => rate.jurisdiction === state && coversDay(rate, day, established_from) && possiblyInForce(rate, day),
  ) ?? null;
