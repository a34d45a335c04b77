import { faultText, sumFaults } from '../../shared/ledger/invariants.ts';
import { onlyShipping, shippingCharges } from '../support/shipping.ts';
import { type Body, type Figures, type Line, must, type Requested, same } from './book.ts';
import { getSum, halfUp, isShare, minor, sum } from './money.ts';

/** Rates in whole percent, for goods without a special rule. Neither state has local taxes. */
const rates: Readonly<Record<string, bigint>> = { MI: 6n, IN: 7n };

export const getState = (line: Pick<Line, 'customer'>, document: Body): string =>
  (line.customer ?? document.customer)?.address?.state ?? '';

/** The tax of a line, rounded separately. */
export const getRate = (net: bigint, line: Pick<Line, 'customer'>, document: Body): bigint =>
  halfUp(net * (rates[getState(line, document)] as bigint), 100n);

const listCharges = ({ line_items, shipping }: Figures) => [...line_items, ...shippingCharges(shipping)];

/** Checks that every amount of a transaction is the sum of its parts. */
export const mustAddUp = (body: Figures): void => {
  const { currency } = body;
  const read = (text: string) => minor(currency, text);
  for (const line of body.line_items) {
    const [net, discount] = [read(line.net_amount), read(line.applied_discount_amount)];
    same(
      [read(line.amount), net],
      [minor(currency, line.quantity, line.unit_price), read(line.amount) - discount],
      'A line',
    );
    must(net >= 0n && discount >= 0n, 'A discount exceeds its line.');
  }
  for (const charge of listCharges(body)) {
    const parts = read(charge.taxable_amount) + read(charge.exempt_amount);
    same(parts, read(charge.net_amount), 'What is taxable and what is not');
  }
  same(sumFaults(body).map(faultText), [], 'The sums');
};

const lineFields = ['id', 'description', 'product_tax_code', 'quantity', 'unit_price', 'customer'] as const;

/** Checks that a calculated document echoes the request, and is taxed at the rates of its states. */
export const mustBeCalculated = (body: Body, request: Requested, supplied: string | null): void => {
  const { currency, line_items: lines } = body;
  const echoes = (line: Line) => lineFields.map((field) => [field, line[field] ?? null]);
  const { line_items: sent = [] } = request;
  same(lines.map(echoes), sent.map(echoes), 'The lines as sent');
  mustAddUp(body);
  const discounts = [...sent, request].map((line) => minor(currency, line.discount_amount ?? '0'));
  same(getSum(currency, lines, 'applied_discount_amount'), sum(discounts), 'The discounts');
  same(onlyShipping(body.shipping)?.amount, request.shipping?.amount, 'The shipping');
  const taxes: bigint[] = lines.map((line) => getRate(minor(currency, line.net_amount), line, body));
  const calculated = minor(currency, body.calculated_tax_amount);
  const ofShipping = calculated - sum(taxes);
  must(body.shipping ? ofShipping >= 0n : ofShipping === 0n, 'The calculated tax is not that of the lines.');
  const weights = [...taxes, ...(body.shipping ? [ofShipping] : [])];
  const charges = listCharges(body);
  const recorded = charges.map(({ tax_amount }) => minor(currency, tax_amount));
  const tax = supplied === null ? calculated : minor(currency, supplied);
  same(sum(recorded), tax, 'The tax');
  if (tax === calculated) same(recorded, weights, 'The taxes of the lines');
  else if (calculated > 0n)
    recorded.forEach((part, index) => {
      const rows = charges[index]?.taxes.length;
      const isInProportion = isShare(part, tax, weights[index] as bigint, calculated, rows);
      must(isInProportion, 'A supplied tax is not spread in proportion.');
    });
};
