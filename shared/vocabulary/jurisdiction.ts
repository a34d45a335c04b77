/** Names and codes of the states, territories and military regions of the United States. */
import { assert } from '../base/assert.ts';
import table from './states.json' with { type: 'json' };

/** By two-letter code: the name, and the FIPS code in federal files. An entry without a FIPS code has no tax files. */
const states: Readonly<Record<string, readonly string[]>> = table;

// Territories with separate tax systems, and freely associated countries that the postal service treats as states.
const outside: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'VI', 'FM', 'MH', 'PW']);

/**
 * The two-letter codes, in alphabetical order, of the states, the District of Columbia, Puerto Rico and the military
 * regions. All of them have sales tax content.
 */
export const taxStates: readonly string[] = Object.keys(states)
  .filter((code) => !outside.has(code))
  .sort();

/**
 * Returns whether a two-letter code is a territory or a freely associated state. No state's sales tax is due on
 * deliveries there.
 */
export const isOutsideStates = (code: string): boolean => outside.has(code);

/**
 * Normalizes a state to upper case, without periods and repeated spaces: `u.s. virgin islands` becomes `US VIRGIN
 * ISLANDS`.
 */
export const normalizedState = (text: string): string =>
  text.toUpperCase().replaceAll('.', '').trim().replaceAll(/\s+/g, ' ');

const codeByText: ReadonlyMap<string, string> = new Map([
  ...Object.entries(states).flatMap(([code, [name = '']]): [string, string][] => [
    [code, code],
    [normalizedState(name), code],
  ]),
  ['VIRGIN ISLANDS', 'VI'],
  ['WASHINGTON DC', 'DC'],
]);

/**
 * Returns the two-letter code of a state, territory or military region from its code or name, case-insensitively;
 * `null` if there is none.
 */
export const stateCode = (text: string): string | null =>
  codeByText.get(text) ?? codeByText.get(normalizedState(text)) ?? null;

/**
 * Returns the jurisdiction code of a state written as `IN`, `US-IN` or `Indiana`, case-insensitively; `null` if there
 * is none.
 */
export const stateJurisdiction = (text: string): string | null => {
  const code = stateCode(text.replace(/^US-/i, ''));
  return code && jurisdictionCode(code);
};

/** Returns the jurisdiction code of a validated state: `US-MI` for `MI`. Throws if the text is not a state. */
export const readState = (text: string): string => {
  const jurisdiction = stateJurisdiction(text);
  assert(jurisdiction !== null, `${text} is not a state.`);
  return jurisdiction;
};

/** Returns the name of a state by its two-letter code. Throws for any other string. */
export const stateName = (state: string): string => {
  const name = states[state]?.[0];
  assert(name !== undefined, `${state} is not the code of a state.`);
  return name;
};

/** Returns the jurisdiction code for a two-letter code: `US-MI` for `MI`. */
export const jurisdictionCode = (state: string): string => `US-${state}`;

/** The jurisdiction codes of all states, territories and military regions. */
export const stateJurisdictions: readonly string[] = Object.keys(states).map(jurisdictionCode);

/** Returns the two-letter code in a jurisdiction code: `MI` for `US-MI`. */
export const stateOfJurisdiction = (code: string): string => code.slice(3, 5);

/** Returns whether a two-letter code is a state, the District of Columbia or Puerto Rico, and not a military region. */
export const isStateOrPuertoRico = (state: string): boolean => states[state]?.[1] !== undefined;

/** Returns the FIPS code of a state by its two-letter code. Throws for any other string. */
export const stateFips = (state: string): string => {
  const fips = states[state]?.[1];
  assert(fips !== undefined, `${state} is not a state that publishes tax files.`);
  return fips;
};
