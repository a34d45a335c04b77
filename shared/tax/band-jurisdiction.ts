import { ratesOf } from '../content/rates.ts';
import type { Release, Rule } from '../content/release.ts';

/**
 * Jurisdictions that exist for a band alone: they have no rate row, and a rule with a band names their code (Tennessee's
 * single article). They stay out of an answer unless they tax something.
 */
const bandOnlyCodes = new WeakMap<Release, ReadonlySet<string>>();

const findBandOnly = (release: Release): ReadonlySet<string> =>
  new Set(
    release.rules
      .filter(({ effect }) => effect.type === 'band')
      .flatMap(({ jurisdictions }) => jurisdictions ?? [])
      .filter((code) => ratesOf(release, code).length === 0),
  );

/** Whether a jurisdiction is in the release for a band alone, whatever the day. */
export const isBandOnly = (release: Release, code: string): boolean => {
  let codes = bandOnlyCodes.get(release);
  if (!codes) {
    codes = findBandOnly(release);
    bandOnlyCodes.set(release, codes);
  }
  return codes.has(code);
};

/**
 * Whether a rule decides about a jurisdiction that is there for a band alone: one that names it, and of all others those
 * that exempt. That the state taxes the goods at a rate of its own does not take the band away.
 */
export const isMeantForBand = ({ jurisdictions, effect: { type } }: Rule, code: string): boolean =>
  jurisdictions?.includes(code) === true || type === 'exempt' || type === 'holiday' || type === 'follows_goods';
