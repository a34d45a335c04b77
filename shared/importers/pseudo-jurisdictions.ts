import type { Dated } from '../catalog/effective.ts';
import { codePart } from '../catalog/local/place-names.ts';
import type { Jurisdiction, JurisdictionType } from '../catalog/release-values.ts';
import type { Entry } from './importer.ts';

/** A local tax that has a rate but no code in a file. */
export type Component = Dated & {
  readonly level: Exclude<JurisdictionType, 'state'>;
  /** `CITY`, `SPECIAL`: distinguishes taxes of the same place and level. */
  readonly label: string;
  readonly place: string;
  readonly rate: string;
  /** The ZIP, which is appended to the code if a place of the same name has a different rate. */
  readonly distinction: string;
};

/**
 * Returns the function that assigns readable codes to local taxes, which remain the same from one file to the next:
 * `US-TX-CITY-ROUND-ROCK`. The same name, level and rate is one jurisdiction; a different rate makes a new one,
 * `US-TX-CITY-ROUND-ROCK-78665`. `entries` declares a new jurisdiction; it is empty for a known one.
 */
export const newPseudoCodes = (state: string) => {
  const codes = new Map<string, string>();
  const taken = new Set<string>();
  /** The last number that was appended to make a place's code unique. */
  const numbers = new Map<string, number>();
  const makeUnique = (base: string, distinct: string): string => {
    let code = taken.has(base) ? distinct : base;
    while (taken.has(code)) {
      const number = (numbers.get(distinct) ?? 1) + 1;
      numbers.set(distinct, number);
      code = `${distinct}-${number}`;
    }
    taken.add(code);
    return code;
  };
  return (component: Component): { readonly code: string; readonly entries: readonly Entry[] } => {
    const { level, label, place, rate, from, to, distinction } = component;
    const base = `US-${state}-${label}-${codePart(place) || 'UNNAMED'}`;
    const key = `${base} ${level} ${rate} ${from} ${to}`;
    const known = codes.get(key);
    if (known !== undefined) return { code: known, entries: [] };
    const code = makeUnique(base, `${base}-${distinction}`);
    codes.set(key, code);
    const name = level === 'city' ? place : `${place}, ${label.toLowerCase()} tax`;
    const jurisdiction: Jurisdiction = { code, name, type: level, tax_type: 'sales' };
    return { code, entries: [{ kind: 'tax', jurisdiction, rates: [{ rate, from, to }] }] };
  };
};
export type PseudoCodes = ReturnType<typeof newPseudoCodes>;

/**
 * Statewide rates that include mandatory local taxes, and the state's part of them: California 6 + 1.25 %, Nevada 4.6 +
 * 2.25 %, Utah 4.85 + 1.25 %, Virginia 4.3 + 1 %.
 */
export const splits: Readonly<Record<string, { readonly whole: string; readonly own: string }>> = {
  CA: { whole: '0.0725', own: '0.06' },
  NV: { whole: '0.0685', own: '0.046' },
  UT: { whole: '0.061', own: '0.0485' },
  VA: { whole: '0.053', own: '0.043' },
};

/** Returns whether a table's state rate is the release's rate without the mandatory local taxes. */
export const isSplit = (state: string, inTable: string, inRelease: string): boolean =>
  splits[state]?.own === inTable && splits[state].whole === inRelease;
