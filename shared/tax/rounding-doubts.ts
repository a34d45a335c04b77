import { settingOn } from '../content/effective.ts';
import type { Release } from '../content/release.ts';
import { type Evidence, isPerInvoice } from '../content/release-values.ts';
import { type Doubt, minorUnit } from './assessment.ts';
import { placesOf, type TaxDocument, type TaxedDocument, type TaxRow } from './document.ts';
import { doubtsAbout, isDoubtful } from './doubts.ts';

/** A doubt about how a state rounds, and the index of the first charge it applies to: of the lines, and then of `shipping`. */
type RoundingDoubt = { readonly doubt: Doubt; readonly charge: number };

type State = {
  readonly release: Release;
  readonly evidence: Evidence;
  readonly isBracketed: boolean;
  readonly isOnInvoice: boolean;
};

/** The states of a document whose rounding is not confirmed, by their codes. */
const doubtfulStates = (document: TaxDocument): Map<string, State> => {
  const { day, currency } = document;
  const states = new Map<string, State>();
  for (const { code, release } of placesOf(document)) {
    // In another currency the state's tables are not used, which has another warning.
    const setting = release?.currency === currency ? settingOn(release.settings.rounding, day) : undefined;
    if (release && setting && isDoubtful(setting))
      states.set(code, {
        release,
        evidence: setting,
        isBracketed: setting.policy.method === 'bracket',
        isOnInvoice: isPerInvoice(setting.policy),
      });
  }
  return states;
};

const exactOf = (rows: readonly TaxRow[]): bigint => rows.reduce((sum, { exact }) => sum + exact, 0n);
const isRounded = (exact: bigint): boolean => exact % minorUnit !== 0n;

/** What is rounded as one on an invoice, and its first charge. */
type Total = { readonly state: string; readonly charge: number; readonly exact: bigint };

/**
 * The doubts about states whose rounding is not confirmed, each once, and only where rounding changed the tax: exact taxes
 * whose sums are whole cents are the same with any rounding.
 */
export const roundingDoubts = (document: TaxDocument, { lines, shipping }: TaxedDocument): readonly RoundingDoubt[] => {
  const states = doubtfulStates(document);
  if (states.size === 0) return [];
  const doubts: RoundingDoubt[] = [];
  const report = (code: string, charge: number): void => {
    const state = states.get(code);
    states.delete(code);
    if (state)
      for (const doubt of doubtsAbout(state.evidence, () => `${state.release.name}, rounding`))
        doubts.push({ doubt, charge });
  };
  const invoices = new Map<string, Total>();
  const stateOf = new Map(
    placesOf(document).flatMap(({ jurisdictions, code }) =>
      jurisdictions.map((jurisdiction) => [jurisdiction.code, code] as const),
    ),
  );
  for (const [charge, { rows }] of [...lines, ...shipping].entries()) {
    if (states.size === 0) break;
    const isOdd = isRounded(exactOf(rows));
    for (const { jurisdiction, rate, exact } of rows) {
      const code = stateOf.get(jurisdiction.code) ?? '';
      const state = states.get(code);
      if (state && (document.rounding === 'invoice' || state.isOnInvoice)) {
        // Each table has a total. Rows without a table are rounded together.
        const key = state.isBracketed ? `${jurisdiction.code} ${rate}` : code;
        const total = invoices.get(key) ?? { state: code, charge, exact: 0n };
        invoices.set(key, { ...total, exact: total.exact + exact });
      } else if (isOdd && exact !== 0n) report(code, charge);
    }
  }
  for (const { state, charge, exact } of invoices.values()) if (isRounded(exact)) report(state, charge);
  return doubts;
};
