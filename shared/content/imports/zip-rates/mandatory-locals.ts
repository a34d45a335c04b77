import { fractionOf, unitsOf } from '../fractions.ts';

type Local = Readonly<Record<'county' | 'city' | 'special', string>>;

/**
 * Statewide rates that include mandatory local taxes, and the state's own part of them:
 * California 6 + 1.25 %, Nevada 4.6 + 2.25 %, Utah 4.85 + 1.25 %, Virginia 4.3 + 1 % (content notes 3.1).
 */
const splits: Readonly<Record<string, { readonly whole: string; readonly own: string }>> = {
  CA: { whole: '0.0725', own: '0.06' },
  NV: { whole: '0.0685', own: '0.046' },
  UT: { whole: '0.061', own: '0.0485' },
  VA: { whole: '0.053', own: '0.043' },
};

/** Whether a table's state rate is the release's without the mandatory local taxes. */
export const isSplit = (state: string, inTable: string, inRelease: string): boolean =>
  splits[state]?.own === inTable && splits[state].whole === inRelease;

/**
 * Subtract the mandatory local taxes from a ZIP's local rates: first from the county's, then from the city's, then from
 * the special ones. `null` if they are lower.
 */
export const withoutMandatory = (local: Local, state: string): Local | null => {
  const split = splits[state];
  let rest = split ? unitsOf(split.whole) - unitsOf(split.own) : 0n;
  const left = (rate: string): string => {
    const units = unitsOf(rate);
    const taken = units < rest ? units : rest;
    rest -= taken;
    return fractionOf(units - taken);
  };
  const taken = { county: left(local.county), city: left(local.city), special: left(local.special) };
  return rest > 0n ? null : taken;
};
