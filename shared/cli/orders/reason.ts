import { counted } from '../../base/texts.ts';
import type { Calculation, LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { absolute, decimal, divideHalfUp, multiply } from '../../money/decimal.ts';
import type { ChargedTax } from './read-orders.ts';

/** Why the charged tax of an order differs from Levy's. */
export const reasons = [
  ...(['equal', 'rounding', 'registration', 'exemption', 'shipping', 'product_code', 'place', 'rate'] as const),
  'unknown',
] as const;
export type Reason = (typeof reasons)[number];
export type Explanation = { readonly reason: Reason; readonly detail: string };

/**
 * Returns the taxes of a charge in minor units. `full` is the tax if every part of the charge were taxed at the full
 * rate of each jurisdiction.
 */
const getTaxes = (charge: LineItemResponse | ShippingResponse, name: string, digits: number) => {
  const untaxed = charge.taxes.map(({ rate, exempt_amount }) =>
    multiply(decimal(rate), decimal(exempt_amount), digits),
  );
  const levy = parseSigned(charge.tax_amount, digits);
  return { name, levy, full: untaxed.reduce((sum, tax) => sum + tax, levy) };
};

const parseSigned = (text: string, digits: number): bigint =>
  text.startsWith('-') ? -parseAmount(text.slice(1), digits) : parseAmount(text, digits);

const getShipping = ({ shipping }: Calculation): readonly ShippingResponse[] => [shipping ?? []].flat();

const placeWarnings = new Set(['address_ambiguous', 'address_contradictory', 'local_rates_missing']);

/** Half a minor unit for each charge, at least 1 and at most 5: other systems round by line item or jurisdiction. */
const getTolerance = (charges: number): bigint => BigInt(Math.min(5, Math.max(1, Math.ceil(charges / 2))));

/** Explains a difference between charges that both systems tax. */
const placeOrRate = ({ warnings, ...tax }: Calculation, charged: bigint, digits: number): Explanation => {
  const taxable = parseSigned(tax.taxable_amount, digits);
  const levy = parseSigned(tax.tax_amount, digits);
  if (levy === 0n || taxable <= 0n) {
    const isCovered = warnings.every((warning) => warning.code !== 'not_covered');
    const detail = `Only the other system charged a tax.${isCovered ? '' : " Levy's warning: not_covered."}`;
    return { reason: 'unknown', detail };
  }
  const percent = (minor: bigint) => `${formatAmount(divideHalfUp(minor * 100_000n, taxable), 3)} %`;
  const detail = `The other system charged ${percent(charged)} of Levy's taxable amount; Levy charges ${percent(levy)}.`;
  const code = warnings.find((warning) => placeWarnings.has(warning.code))?.code;
  if (code !== undefined) return { reason: 'place', detail: `${detail} Levy's warning: ${code}.` };
  // Rates hardly differ by more than 5 %, so a larger difference has a different reason.
  const isRate = absolute(charged - levy) * 20n <= taxable;
  return { reason: isRate ? 'rate' : 'unknown', detail };
};

const getTreatmentReason = (name: string): Reason => (name === 'shipping' ? 'shipping' : 'product_code');

const treatment = (name: string, charged: bigint, levy: bigint): Explanation | null => {
  const reason = getTreatmentReason(name);
  if (charged === 0n && levy !== 0n) return { reason, detail: `Only Levy taxes ${name}.` };
  if (charged !== 0n && levy === 0n) return { reason, detail: `Only the other system taxed ${name}.` };
  return null;
};

/** Compares the taxes of each charge. `onShipping` is the charged tax that belongs to no line item. */
const byLine = (
  tax: Calculation,
  { total, lines }: { readonly total: bigint; readonly lines: readonly bigint[] },
  onShipping: bigint,
  digits: number,
): Explanation => {
  const shipping = getShipping(tax).reduce((sum, charge) => sum + parseSigned(charge.tax_amount, digits), 0n);
  const pairs = [
    ...tax.line_items.map((item, at) => ({
      name: `line item ${item.id}`,
      charged: lines[at] ?? 0n,
      levy: parseSigned(item.tax_amount, digits),
    })),
    { name: 'shipping', charged: onShipping, levy: shipping },
  ];
  const found = pairs
    .filter(({ charged, levy }) => absolute(charged - levy) > 1n)
    .map((pair) => treatment(pair.name, pair.charged, pair.levy) ?? placeOrRate(tax, total, digits));
  const [first] = found;
  if (!first) return { reason: 'rounding', detail: 'Each line item differs by at most one minor unit.' };
  if (new Set(found.map(({ reason }) => reason)).size === 1) return first;
  return { reason: 'unknown', detail: `Several: ${[...new Set(found.map(({ detail }) => detail))].join(' ')}` };
};

/** Checks whether a different treatment of the shipping or of one product tax code explains the whole difference. */
const byTotal = (tax: Calculation, total: bigint, tolerance: bigint, digits: number): Explanation => {
  const parts = [
    ...tax.line_items.map((item) => getTaxes(item, `product tax code ${item.product_tax_code ?? 'GENERAL'}`, digits)),
    ...getShipping(tax).map((charge) => getTaxes(charge, 'shipping', digits)),
  ];
  const groups = [...Map.groupBy(parts, ({ name }) => name)].map(([name, members]) => ({
    name,
    levy: members.reduce((sum, part) => sum + part.levy, 0n),
    full: members.reduce((sum, part) => sum + part.full, 0n),
  }));
  const levy = parseSigned(tax.tax_amount, digits);
  const found = groups.flatMap((group) => {
    const isUntaxed = group.levy > tolerance && absolute(total - (levy - group.levy)) <= tolerance;
    const isTaxed =
      group.full - group.levy > tolerance && absolute(total - (levy - group.levy + group.full)) <= tolerance;
    const explained = isUntaxed ? treatment(group.name, 0n, group.levy) : null;
    if (explained) return [explained];
    const reason = getTreatmentReason(group.name);
    return isTaxed ? [{ reason, detail: `The other system taxed ${group.name} in full.` }] : [];
  });
  if (found.length > 1) return { reason: 'unknown', detail: `One of: ${found.map(({ detail }) => detail).join(' ')}` };
  return found[0] ?? placeOrRate(tax, total, digits);
};

/**
 * Returns the most certain reason for a difference between the charged tax and Levy's calculation. With the tax of each
 * line item, charges are compared one by one. Without them, or if they do not add up to the total, a treatment must
 * explain the whole difference; if several do, the result is `unknown`. If none does, the reason is the place or the
 * rate, unless the difference is too large for rates.
 */
export const explainDifference = (tax: Calculation, { total, lines }: ChargedTax, currency: string): Explanation => {
  const digits = minorDigits(currency);
  const levy = parseSigned(tax.tax_amount, digits);
  const charges = [...tax.line_items, ...getShipping(tax)];
  const tolerance = getTolerance(charges.length);
  if (total === levy) return { reason: 'equal', detail: '' };
  if (absolute(total - levy) <= tolerance)
    return {
      reason: 'rounding',
      detail: `The difference is at most ${formatAmount(tolerance, digits)}, the tolerance for ${counted(charges.length, 'charge')}.`,
    };
  const rows = charges.flatMap(({ taxes }) => taxes);
  if (levy === 0n && rows.every((row) => row.taxability_reason === 'not_collecting'))
    return { reason: 'registration', detail: 'The account is not registered in this state.' };
  if (levy === 0n && tax.line_items.some((item) => item.applied_exemption !== null))
    return { reason: 'exemption', detail: 'Levy applies an exemption of the customer.' };
  // If no tax was charged, every reason would explain the difference.
  if (total === 0n) return { reason: 'unknown', detail: 'Only Levy calculates a tax.' };
  const onLines = (lines ?? []).reduce((sum, line) => sum + line, 0n);
  const onShipping = total - onLines;
  const mostOnShipping = getShipping(tax).length > 0 ? total : tolerance;
  // Systems export zeros for line item taxes that they did not record.
  const isComplete = onLines > 0n && onShipping >= -tolerance && onShipping <= mostOnShipping;
  return lines !== null && isComplete
    ? byLine(tax, { total, lines }, onShipping, digits)
    : byTotal(tax, total, tolerance, digits);
};
