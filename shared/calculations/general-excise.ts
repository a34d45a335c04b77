import { rateDecimals } from '../catalog/release-values.ts';
import { formatAmount } from '../money/currency.ts';
import { decimalText, powerOfTen } from '../money/decimal.ts';
import type { TaxDocument, TaxedCharge, TaxedDocument } from '../tax/document.ts';
import { hasGeneralExcise, visibleDecimals, visibleRate } from '../tax/general-excise.ts';
import type { Warning } from './response.ts';

// A rate in units of `10^-rateDecimals` as a percentage. A visible rate has all of its decimals, as published.
const percent = (units: bigint): string => decimalText({ units, scale: rateDecimals - 2 });
const visiblePercent = (units: bigint): string =>
  formatAmount(units / powerOfTen(rateDecimals - visibleDecimals), visibleDecimals - 2);

/**
 * Warns that general excise tax is charged at the rate that the seller owes (in units of `10^-rateDecimals`), although
 * it is owed on the tax as well.
 */
export const notPassedOn = (place: string, owed: bigint, pointer: string | null): Warning => ({
  code: 'general_excise_not_passed_on',
  message: `${place}: general excise tax is charged at ${percent(owed)} %, but the seller owes it on the tax too. Sellers usually charge the highest visible rate, ${visiblePercent(visibleRate(owed))} %: set the account setting pass_on_general_excise to true.`,
  pointer,
});

const isCharged = ({ rows }: TaxedCharge): boolean =>
  rows.some(({ exact, jurisdiction }) => exact > 0n && jurisdiction.tax_type === 'general_excise');

/**
 * The warning of a document that charges general excise tax without passing it on: once, at the first charge.
 * `pointerOf` is the pointer of a charge by its index: of the lines, and then of `shipping`.
 */
export const notPassedOnWarnings = (
  { lines, passOnGeneralExcise }: TaxDocument,
  taxed: TaxedDocument,
  pointerOf: (charge: number) => string,
): Warning[] => {
  if (passOnGeneralExcise) return [];
  const charged = [...taxed.lines, ...taxed.shipping].findIndex(isCharged);
  if (charged < 0) return [];
  const line = lines[charged] ? charged : lines.findIndex(({ place }) => hasGeneralExcise(place.jurisdictions));
  const { treatments } = taxed.lines[line] ?? {};
  if (!treatments) return [];
  const owed = treatments.reduce((sum, { general }) => sum + general.rate.units, 0n);
  return [notPassedOn(lines[line]?.place.name ?? '', owed, pointerOf(charged))];
};
