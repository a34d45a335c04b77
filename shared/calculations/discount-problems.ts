/** Problems of the discounts in an unvalidated body. Fields that are invalid by themselves are skipped. */
import { isSent, type JsonObject } from '../base/json.ts';
import { invalidFormat, type Problem } from '../base/problem.ts';
import { formatAmount } from '../money/currency.ts';
import { assignRoles, isDecimal, isPrice, lineAmount, parseMinor, type Role, toPriced } from './charges.ts';
import type { Reduction } from './reductions.ts';

type Line = JsonObject | undefined;

const discounts = ['discount_amount', 'third_party_discount_amount'] as const;

const readAmount = (value: unknown, exponent: number): bigint => (isDecimal(value) ? parseMinor(value, exponent) : 0n);

/** The amount of a line before discounts, or `undefined` where its price or quantity is invalid. */
const amountOfLine = (line: Line, exponent: number): bigint | undefined => {
  const { quantity, unit_price } = line ?? {};
  return isDecimal(quantity) && isPrice(unit_price) ? lineAmount({ quantity, unit_price }, exponent) : undefined;
};

/** The refusal of discounts above the amount that they apply to, which is `what`. */
export const discountTooLarge = (pointer: string, name: string, what = 'the amount that they apply to'): Problem =>
  invalidFormat(pointer, `Invalid ${name}`, `The discounts exceed ${what}. Send lower discounts.`);

/** A line or a shipping charge before discounts. */
type Discounted = { readonly fields: Line; readonly pointer: string; readonly amount: bigint | undefined };

/** The amount of a line or a charge after its own discounts. */
const ownNet = ({ fields, amount }: Discounted, exponent: number): bigint | undefined =>
  amount === undefined
    ? undefined
    : discounts.reduce((net, name) => net - readAmount(fields?.[name], exponent), amount);

/**
 * The problems of discounts above what they apply to: of a line or a charge alone, or else of the document. `reductions` is
 * what line items with a negative price take off the others; `null` if a field of the body cannot be read.
 */
export const discountProblems = (
  input: JsonObject,
  lines: readonly Line[],
  sent: readonly { readonly charge: Line; readonly pointer: string }[],
  exponent: number,
  reductions: readonly Reduction[] | null,
): Problem[] => {
  const items = lines.map(
    (line, index): Discounted => ({
      fields: line,
      pointer: `/line_items/${index}`,
      amount: amountOfLine(line, exponent),
    }),
  );
  const charges = sent.map(
    ({ charge, pointer }): Discounted => ({
      fields: charge,
      pointer,
      amount: readAmount(charge?.['amount'], exponent),
    }),
  );
  const problems = [...items, ...charges].flatMap((one) => {
    const net = ownNet(one, exponent);
    const name = discounts.findLast((field) => isSent(one.fields?.[field]));
    return net !== undefined && net < 0n && name && (one.amount ?? 0n) >= 0n
      ? [discountTooLarge(`${one.pointer}/${name}`, name)]
      : [];
  });
  return problems.length > 0 ? problems : documentDiscountProblems(input, items, charges, exponent, reductions);
};

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const rolesIn = (items: readonly Discounted[]): readonly Role[] =>
  assignRoles(
    items.map(({ fields }) =>
      toPriced({
        product_tax_code: readText(fields?.['product_tax_code']),
        unit_price: readText(fields?.['unit_price']),
      }),
    ),
  );

/**
 * The discounts of a document apply to goods; only `discount_amount` can apply to shipping as well, and none to a
 * state's fee.
 */
const documentDiscountProblems = (
  input: JsonObject,
  items: readonly Discounted[],
  charges: readonly Discounted[],
  exponent: number,
  reductions: readonly Reduction[] | null,
): Problem[] => {
  const roles = rolesIn(items);
  const name = discounts.findLast((field) => isSent(input[field]));
  if (!name || items.length === 0 || (reductions === null && roles.includes('reduction'))) return [];
  const sum = (amounts: readonly (bigint | undefined)[]) => amounts.reduce<bigint>((all, one) => all + (one ?? 0n), 0n);
  const reduced = (index: number) => sum((reductions ?? []).map(({ parts }) => parts.get(index)));
  const left = [...items, ...charges].map((one, index) => {
    const net = ownNet(one, exponent);
    return { role: roles[index] ?? 'charge', net: net === undefined ? undefined : net - reduced(index) };
  });
  const netsByRole = (role: Role) => left.filter((one) => one.role === role).map(({ net }) => net);
  const [nets, shipping] = [netsByRole('goods'), netsByRole('charge')];
  if (nets.includes(undefined)) return [];
  const [seller, thirdParty] = discounts.map((field) => readAmount(input[field], exponent)) as [bigint, bigint];
  const goodsNet = sum(nets);
  const isShared = input['discount_applies_to'] === 'line_items_and_shipping';
  const whole = isShared ? goodsNet + sum(shipping) : goodsNet;
  // A shared discount takes its part of the goods only, in proportion.
  const ofGoods = isShared && whole > 0n ? (seller * goodsNet + whole - 1n) / whole : seller;
  if (seller <= whole && ofGoods + thirdParty <= goodsNet) return [];
  const what = isShared
    ? `the ${formatAmount(whole, exponent)} of the line items and the shipping`
    : `the ${formatAmount(goodsNet, exponent)} of the goods: shipping and fees do not count, unless discount_applies_to is line_items_and_shipping`;
  return [discountTooLarge(`/${name}`, name, what)];
};
