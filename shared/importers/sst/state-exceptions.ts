/** Deviations of states' files from the common layout (content notes 1.6). */

export type StateExceptions = {
  /** Ignored types of rows and triplets, and why. */
  readonly ignoredTypes: Readonly<Record<string, string>>;
  /** Codes of a county's type that are no counties. */
  readonly isCounty: (code: string) => boolean;
  /** A city's rate includes all local tax, so the county's rate is not added. */
  readonly cityReplacesCounty: boolean;
  /** The county's rate includes the state's tax, so a place without a county is unknown. */
  readonly countyRequired: boolean;
  /** The maximum of county and city together as a fraction, if they are one tax. */
  readonly countyAndCityMax: string | null;
};

const usual: StateExceptions = {
  ignoredTypes: {},
  isCounty: () => true,
  cityReplacesCounty: false,
  countyRequired: false,
  countyAndCityMax: null,
};

const exceptions: Readonly<Record<string, Partial<StateExceptions>>> = {
  IA: { isCounty: (code) => code !== '199' },
  NV: { countyRequired: true },
  SD: { ignoredTypes: { 49: 'tribal taxes (type 49) are not added to the others' } },
  TN: {
    ignoredTypes: { 63: 'rows of type 63 repeat what counties and cities have' },
    countyAndCityMax: '0.0275',
  },
  WA: { isCounty: (code) => code < '079' || code > '087', cityReplacesCounty: true },
};

export const exceptionsOf = (state: string): StateExceptions => ({ ...usual, ...exceptions[state] });
