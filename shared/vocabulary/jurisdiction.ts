/** Names and codes of the states, territories and military regions of the United States. */
import { assert } from '../base/assert.ts';

type State = { readonly name: string; readonly fips?: string };

/** By two-letter code. `fips` is the code in federal files; an entry without it has no tax files. */
const states: Readonly<Record<string, State>> = {
  AL: { name: 'Alabama', fips: '01' },
  AK: { name: 'Alaska', fips: '02' },
  AZ: { name: 'Arizona', fips: '04' },
  AR: { name: 'Arkansas', fips: '05' },
  CA: { name: 'California', fips: '06' },
  CO: { name: 'Colorado', fips: '08' },
  CT: { name: 'Connecticut', fips: '09' },
  DE: { name: 'Delaware', fips: '10' },
  DC: { name: 'District of Columbia', fips: '11' },
  FL: { name: 'Florida', fips: '12' },
  GA: { name: 'Georgia', fips: '13' },
  HI: { name: 'Hawaii', fips: '15' },
  ID: { name: 'Idaho', fips: '16' },
  IL: { name: 'Illinois', fips: '17' },
  IN: { name: 'Indiana', fips: '18' },
  IA: { name: 'Iowa', fips: '19' },
  KS: { name: 'Kansas', fips: '20' },
  KY: { name: 'Kentucky', fips: '21' },
  LA: { name: 'Louisiana', fips: '22' },
  ME: { name: 'Maine', fips: '23' },
  MD: { name: 'Maryland', fips: '24' },
  MA: { name: 'Massachusetts', fips: '25' },
  MI: { name: 'Michigan', fips: '26' },
  MN: { name: 'Minnesota', fips: '27' },
  MS: { name: 'Mississippi', fips: '28' },
  MO: { name: 'Missouri', fips: '29' },
  MT: { name: 'Montana', fips: '30' },
  NE: { name: 'Nebraska', fips: '31' },
  NV: { name: 'Nevada', fips: '32' },
  NH: { name: 'New Hampshire', fips: '33' },
  NJ: { name: 'New Jersey', fips: '34' },
  NM: { name: 'New Mexico', fips: '35' },
  NY: { name: 'New York', fips: '36' },
  NC: { name: 'North Carolina', fips: '37' },
  ND: { name: 'North Dakota', fips: '38' },
  OH: { name: 'Ohio', fips: '39' },
  OK: { name: 'Oklahoma', fips: '40' },
  OR: { name: 'Oregon', fips: '41' },
  PA: { name: 'Pennsylvania', fips: '42' },
  RI: { name: 'Rhode Island', fips: '44' },
  SC: { name: 'South Carolina', fips: '45' },
  SD: { name: 'South Dakota', fips: '46' },
  TN: { name: 'Tennessee', fips: '47' },
  TX: { name: 'Texas', fips: '48' },
  UT: { name: 'Utah', fips: '49' },
  VT: { name: 'Vermont', fips: '50' },
  VA: { name: 'Virginia', fips: '51' },
  WA: { name: 'Washington', fips: '53' },
  WV: { name: 'West Virginia', fips: '54' },
  WI: { name: 'Wisconsin', fips: '55' },
  WY: { name: 'Wyoming', fips: '56' },
  AS: { name: 'American Samoa' },
  GU: { name: 'Guam' },
  MP: { name: 'Northern Mariana Islands' },
  PR: { name: 'Puerto Rico', fips: '72' },
  VI: { name: 'U.S. Virgin Islands' },
  FM: { name: 'Federated States of Micronesia' },
  MH: { name: 'Marshall Islands' },
  PW: { name: 'Palau' },
  AA: { name: 'Armed Forces Americas' },
  AE: { name: 'Armed Forces Europe' },
  AP: { name: 'Armed Forces Pacific' },
};

// Territories with separate tax systems, and freely associated countries that the postal service treats as states.
const outside: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'VI', 'FM', 'MH', 'PW']);

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
  ...Object.entries(states).flatMap(([code, { name }]): [string, string][] => [
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

/** Returns the name of a state by its two-letter code. Throws for any other string. */
export const stateName = (state: string): string => {
  const name = states[state]?.name;
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
export const isStateOrPuertoRico = (state: string): boolean => states[state]?.fips !== undefined;

/** Returns the FIPS code of a state by its two-letter code. Throws for any other string. */
export const stateFips = (state: string): string => {
  const fips = states[state]?.fips;
  assert(fips !== undefined, `${state} is not a state that publishes tax files.`);
  return fips;
};
