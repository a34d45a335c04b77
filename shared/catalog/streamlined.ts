/** The Streamlined Sales and Use Tax Agreement (SSUTA): its members, their files, and their codes of local jurisdictions. */
import { stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';

/** The full members, which accept the simplified electronic return (SSUTA section 318). Tennessee is an associate. */
const members: ReadonlySet<string> = new Set(
  'AR GA IN IA KS KY MI MN NE NV NJ NC ND OH OK RI SD UT VT WA WV WI WY'.split(' '),
);

/** The states that publish rate and boundary files under the Agreement: the members and Tennessee. */
export const statesWithFiles: readonly string[] = [...members, 'TN'].sort();

/** Returns whether Levy can import the boundary file (rates by ZIP+4) of a state (`US-MN`). */
export const hasBoundaryFile = (state: string): boolean => statesWithFiles.includes(stateOfJurisdiction(state));

/** The last day of membership of each state that left, by two-letter code. No state has left. */
const lastDays: Readonly<Record<string, string>> = {};

/** Returns whether a state (`US-MN`) is a full member, on a day (`YYYY-MM-DD`) or now. */
export const isStreamlinedMember = (state: string, day = '', last = lastDays): boolean => {
  const letters = stateOfJurisdiction(state);
  return members.has(letters) && day <= (last[letters] ?? '9999');
};

/** By state, the rate that includes a tax other than the sales tax. The return has no element for that tax. */
const otherTaxes: Readonly<Record<string, { readonly rate: string; readonly tax: string }>> = {
  MN: { rate: '0.09375', tax: 'the liquor gross receipts tax (Minn. Stat. 295.75)' },
  ND: { rate: '0.07', tax: 'the gross receipts tax on alcoholic beverages (N.D.C.C. 57-39.6-02)' },
  RI: { rate: '0.08', tax: 'the local meals and beverage tax (R.I. Gen. Laws 44-18-18.1)' },
  VT: { rate: '0.09', tax: 'the meals tax (32 V.S.A. 9241)' },
};

/** Returns a member's rate that includes a tax other than the sales tax, if any. */
export const findOtherTax = (state: string) => otherTaxes[stateOfJurisdiction(state)];

// Column 22 of these states' boundary files has composite codes. A return has all taxes of a place under one such code.
const withCompositeCodes: ReadonlySet<string> = new Set(['KS', 'UT', 'WA']);

/** Returns whether the returns of a member use composite codes of places, which Levy does not have. */
export const usesCompositeCodes = (state: string): boolean => withCompositeCodes.has(stateOfJurisdiction(state));

/**
 * Returns the code of a county (three digits), a city or a district (five digits) in the returns of a member, from the
 * code of a local tax of the built-in tables: `053` for `US-MN-00-053`, `43000` for `US-MN-01-43000`. `null` for other
 * states, for members with composite codes, and for a combined rate whose parts are not known.
 */
export const streamlinedCode = (state: string, code: string): string | null => {
  const found = /^US-[A-Z]{2}-(?:(?:00-(\d{3})|\d\d-(\d{5}))(?:-[A-Z0-9]+)*|(\d{3}))$/.exec(code);
  if (!found || !isStreamlinedMember(state) || usesCompositeCodes(state)) return null;
  return found[1] ?? found[2] ?? found[3] ?? null;
};
