/** Where a state's files mean something else than the common layout says (content notes 1.6). */

export type Quirks = {
  /** Types of rows and triplets that are not added to the rest, and why. */
  readonly ignoredTypes: Readonly<Record<string, string>>;
  /** Codes of a county's type that are no counties. */
  readonly isCounty: (code: string) => boolean;
  /** A city's rate holds all local tax: whatever county stands beside it is not added. */
  readonly cityReplacesCounty: boolean;
  /** The county's rate holds the state's tax: a place without one is not known. */
  readonly countyRequired: boolean;
  /** The most that county and city together may be, where they are one tax; a fraction. */
  readonly countyAndCityMax: string | null;
};

const usual: Quirks = {
  ignoredTypes: {},
  isCounty: () => true,
  cityReplacesCounty: false,
  countyRequired: false,
  countyAndCityMax: null,
};

const quirks: Readonly<Record<string, Partial<Quirks>>> = {
  IA: { isCounty: (code) => code !== '199' },
  NV: { countyRequired: true },
  SD: { ignoredTypes: { 49: 'tribal taxes (type 49) are not added to the others' } },
  TN: {
    ignoredTypes: { 63: 'rows of type 63 repeat what counties and cities have' },
    countyAndCityMax: '0.0275',
  },
  WA: { isCounty: (code) => code < '079' || code > '087', cityReplacesCounty: true },
};

/** What is particular about a state's files. */
export const quirksOf = (state: string): Quirks => ({ ...usual, ...quirks[state] });
