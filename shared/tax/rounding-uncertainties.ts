import { settingOn } from '../content/effective.ts';
import type { Release } from '../content/release.ts';
import { type Evidence, isPerInvoice } from '../content/release-values.ts';
import { minorUnit, type Uncertainty } from './assessment.ts';
import { listPlaces, type TaxDocument, type TaxedDocument, type TaxRow } from './document.ts';
import { isUnconfirmed, uncertaintiesAbout } from './uncertainties.ts';

/** A uncertainty about how a state rounds, and the index of the first charge it applies to: of the lines, and then of `shipping`. */
type RoundingUncertainty = { readonly uncertainty: Uncertainty; readonly charge: number };

type State = {
  readonly release: Release;
  readonly evidence: Evidence;
  readonly isBracketed: boolean;
  readonly isOnInvoice: boolean;
};

/** The states of a document whose rounding is not confirmed, by their codes. */
const uncertainStates = (document: TaxDocument): Map<string, State> => {
  const { day, currency } = document;
  const states = new Map<string, State>();
  for (const { code, release } of listPlaces(document)) {
    // In another currency the state's tables are not used, which has another warning.
    const setting = release?.currency === currency ? settingOn(release.settings.rounding, day) : undefined;
    if (release && setting && isUnconfirmed(setting))
      states.set(code, {
        release,
        evidence: setting,
        isBracketed: setting.policy.method === 'bracket',
        isOnInvoice: isPerInvoice(setting.policy),
      });
  }
  return states;
};

const exactTax = (rows: readonly TaxRow[]): bigint => rows.reduce((sum, { exact }) => sum + exact, 0n);
const isRounded = (exact: bigint): boolean => exact % minorUnit !== 0n;

/** What is rounded as one on an invoice, and its first charge. */
type Total = { readonly state: string; readonly charge: number; readonly exact: bigint };

/**
 * The uncertainties about states whose rounding is not confirmed, each once, and only where rounding changed the tax: exact taxes
 * whose sums are whole cents are the same with any rounding.
 */
export const roundingUncertainties = (
  document: TaxDocument,
  { lines, shipping }: TaxedDocument,
): readonly RoundingUncertainty[] => {
  const states = uncertainStates(document);
  if (states.size === 0) return [];
  const uncertainties: RoundingUncertainty[] = [];
  const report = (code: string, charge: number): void => {
    const state = states.get(code);
    states.delete(code);
    if (state)
      for (const uncertainty of uncertaintiesAbout(state.evidence, () => `${state.release.name}, rounding`))
        uncertainties.push({ uncertainty, charge });
  };
  const invoices = new Map<string, Total>();
  const statesByJurisdiction = new Map(
    listPlaces(document).flatMap(({ jurisdictions, code }) =>
      jurisdictions.map((jurisdiction) => [jurisdiction.code, code] as const),
    ),
  );
  for (const [charge, { rows }] of [...lines, ...shipping].entries()) {
    if (states.size === 0) break;
    const isOdd = isRounded(exactTax(rows));
    for (const { jurisdiction, rate, exact } of rows) {
      const code = statesByJurisdiction.get(jurisdiction.code) ?? '';
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
  return uncertainties;
};
