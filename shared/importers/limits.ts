/**
 * Limits of an import's memory and time, far above any state's files. Without them, 1 MB of short rows would take
 * minutes.
 */
export const limits = {
  /** Rows that refer to one ZIP code. */
  rowsOfZip: 100_000,
  /** Rows of the ZIP codes with the same first three digits, which are in memory together. */
  rowsOfZip3: 2_000_000,
  /** Pieces into which the ranges and days of one ZIP code's rows are cut. */
  piecesOfZip: 200_000,
  /** Different lists of jurisdictions. */
  jurisdictionSets: 500_000,
  jurisdictions: 10_000,
  /** Local taxes, before taxes of one jurisdiction with equal rates are merged. */
  localTaxes: 10_000,
  rates: 400_000,
  ratesOfJurisdiction: 300,
  /** Texas has 1,200, Pennsylvania 2,500. Each is a part of the release. */
  cities: 10_000,
  rowsOfCity: 1_000,
  /** Rows of a format whose reader keeps all rows in memory until the file ends. */
  heldRows: 100_000,
  /** The ZIP ranges of the held rows, and the ZIP codes in these ranges. */
  heldZips: 5_000_000,
  /** ZIP codes times the cities in rows without a ZIP: each city can have different rates in each ZIP. */
  citiesInZips: 500_000,
  /** Rows that apply to a place, summed over all places: each place compares its rows. */
  rowsOfPlaces: 1_000_000,
  /** Separate spans of days on which a list of jurisdictions has street addresses in a ZIP. */
  spansOfStreets: 1_000,
  /** Different streets, with their units and kinds of house numbers. */
  streetKinds: 1_500_000,
  /** Characters of the street ranges of a ZIP: at most 390 kB compressed. */
  streetTextOfZip: 800_000,
  /** Characters of the ranges of one street in a ZIP, about 1,500 ranges: a request looks up 1,000 addresses in 2 s. */
  streetTextOfName: 20_000,
} as const;

/** Throws an error that tells the operator to check the files. */
export const refuseTooMany = (max: number, what: string): never => {
  throw new Error(
    `The files have more than ${max.toLocaleString('en-US')} ${what}. No state publishes that many: check that these are the right files.`,
  );
};

/** Refuses files that exceed a limit. */
export const assertFits = (count: number, max: number, what: string): void => {
  if (count > max) refuseTooMany(max, what);
};
