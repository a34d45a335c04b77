/** The states of a ZIP code, and the state that a client's text names. The data is the postal service's. */
import data from './zip-states.json' with { type: 'json' };

const names = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
  AS: 'American Samoa',
  GU: 'Guam',
  MP: 'Northern Mariana Islands',
  PR: 'Puerto Rico',
  VI: 'U.S. Virgin Islands',
  FM: 'Federated States of Micronesia',
  MH: 'Marshall Islands',
  PW: 'Palau',
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
} as const;

/** `u.s.  virgin islands` and `US Virgin Islands` are the same to us. */
const normalized = (text: string): string => text.toUpperCase().replaceAll('.', '').trim().replaceAll(/\s+/g, ' ');

const codeByText: ReadonlyMap<string, string> = new Map([
  ...Object.entries(names).flatMap(([code, name]): [string, string][] => [
    [code, code],
    [normalized(name), code],
  ]),
  ['VIRGIN ISLANDS', 'VI'],
  ['WASHINGTON DC', 'DC'],
]);

/** Read a state, territory or military region by its two-letter code or its name, in any case; `null` if it is none. */
export const stateCode = (text: string): string | null =>
  codeByText.get(text) ?? codeByText.get(normalized(text)) ?? null;

/** The jurisdiction code (`US-IN`) of a state that is written as `IN`, `US-IN` or `Indiana`, in any case; `null` if it is none. */
export const stateJurisdiction = (text: string): string | null => {
  const code = stateCode(text.replace(/^US-/i, ''));
  return code && `US-${code}`;
};

const none: readonly string[] = [];

type Lists = Readonly<Record<string, string>>;
type StatesByZip = ReadonlyMap<string, readonly string[]>;

/** The data lists ZIPs by state; a look-up wants the states by ZIP. Ranges are of three digits. */
const byZip = (lists: Lists): StatesByZip => {
  const states = new Map<string, readonly string[]>();
  for (const [key, list] of Object.entries(lists))
    for (const range of list.split(' ')) {
      const [low = '', high = low] = range.split('-');
      for (let zip = Number(low); zip <= Number(high); zip += 1)
        states.set(String(zip).padStart(low.length, '0'), key.split(' '));
    }
  return states;
};

let zips: { readonly three: StatesByZip; readonly five: StatesByZip } | undefined;

// On first use: functions that locate no address do not need it.
const statesByZip = () => {
  if (zips) return zips;
  zips = { three: byZip(data.zip3), five: byZip(data.zip5) };
  return zips;
};

/**
 * Find the states that a five-digit ZIP lies in, in alphabetical order: several where it crosses a border, none where
 * the postal service does not use it.
 */
export const statesOfZip = (zip5: string): readonly string[] => {
  if (!/^\d{5}$/.test(zip5)) return none;
  const { three, five } = statesByZip();
  return five.get(zip5) ?? three.get(zip5.slice(0, 3)) ?? none;
};
