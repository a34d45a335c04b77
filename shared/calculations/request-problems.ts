import { dayMs, toDay } from '../base/calendar.ts';
import { asObject, isSent, type JsonObject } from '../base/json.ts';
import { invalidField, invalidFormat, type Problem, requiredField } from '../base/result.ts';
import { PostalAddress, readAddress } from '../catalog/location/address.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import {
  assignRoles,
  isDecimal,
  isPrice,
  lineAmount,
  parseMinor,
  type Role,
  shippingPointer,
  toPriced,
} from './charges.ts';
import { deliveryProblems, type SentDocument, type SentLine } from './deliveries.ts';
import { feeProblems } from './delivery-fees.ts';
import { isEmptyAddress } from './locate-lines.ts';
import { listReductions, type Reduction } from './reductions.ts';
import { lineFulfillments, lineItemsAdvice, lineItemsMax, shippingMax } from './request.ts';

/** Problems of an unvalidated body. Fields that are invalid by themselves are skipped. */

const discounts = ['discount_amount', 'third_party_discount_amount'] as const;

const readAmount = (value: unknown, exponent: number): bigint => (isDecimal(value) ? parseMinor(value, exponent) : 0n);

/** Returns the amount of a line before discounts, or `undefined` if its price or quantity is invalid. */
const amountOfLine = (line: Line, exponent: number): bigint | undefined => {
  const { quantity, unit_price } = line ?? {};
  return isDecimal(quantity) && isPrice(unit_price) ? lineAmount({ quantity, unit_price }, exponent) : undefined;
};

/** Returns the refusal of the discount `name` above the amount that it applies to, in minor units. */
export const discountTooLarge = (
  pointer: string,
  name: string,
  [amount, exponent]: readonly [bigint, number],
  source = 'that they apply to',
): Problem =>
  invalidFormat(
    `${pointer}/${name}`,
    `Invalid ${name}`,
    `The discounts exceed the ${formatAmount(amount, exponent)} ${source}. Send lower discounts.`,
  );

/** A line or a shipping charge before discounts. */
type Discounted = { readonly fields: Line; readonly pointer: string; readonly amount: bigint | undefined };

/** Returns the amount of a line or a charge after its own discounts. */
const ownNet = ({ fields, amount }: Discounted, exponent: number): bigint | undefined =>
  amount === undefined
    ? undefined
    : discounts.reduce((net, name) => net - readAmount(fields?.[name], exponent), amount);

/**
 * Returns the problems of discounts that exceed what they apply to: a line or charge, or the document. `reductions` is
 * the amount by which negative line items reduce other charges; `null` if a field of the body cannot be parsed.
 */
const discountProblems = (
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
    const name = discounts.findLast((field) => readAmount(one.fields?.[field], exponent) > 0n);
    return net !== undefined && net < 0n && name && (one.amount ?? 0n) >= 0n
      ? [discountTooLarge(one.pointer, name, [one.amount ?? 0n, exponent])]
      : [];
  });
  return problems.length > 0 ? problems : documentDiscountProblems(input, items, charges, exponent, reductions);
};

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const rolesIn = (lines: readonly Line[]): readonly Role[] =>
  assignRoles(
    lines.map((line) =>
      toPriced({
        product_tax_code: readText(line?.['product_tax_code']),
        unit_price: readText(line?.['unit_price']),
      }),
    ),
  );

/**
 * A document discount applies to goods. Only `discount_amount` can also apply to shipping, and no discount applies to a
 * state fee.
 */
const documentDiscountProblems = (
  input: JsonObject,
  items: readonly Discounted[],
  charges: readonly Discounted[],
  exponent: number,
  reductions: readonly Reduction[] | null,
): Problem[] => {
  const roles = rolesIn(items.map(({ fields }) => fields));
  const name = discounts.findLast((field) => readAmount(input[field], exponent) > 0n);
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
  // Only the goods' proportional part of a shared discount reduces the goods.
  const ofGoods = isShared && whole > 0n ? (seller * goodsNet + whole - 1n) / whole : seller;
  if (seller <= whole && ofGoods + thirdParty <= goodsNet) return [];
  if (isShared && seller > whole)
    return [discountTooLarge('', name, [whole, exponent], 'of the line items and shipping')];
  const reason = isShared
    ? 'third_party_discount_amount never reduces shipping'
    : 'shipping counts only with discount_applies_to line_items_and_shipping';
  return [discountTooLarge('', name, [goodsNet, exponent], `of the goods: ${reason}`)];
};

const isText = (value: unknown): boolean => !isSent(value) || typeof value === 'string';
const isAmount = (value: unknown): boolean => !isSent(value) || isDecimal(value);
const isTexts = (value: unknown): boolean =>
  !isSent(value) || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
const isFulfillment = (value: unknown): boolean => !isSent(value) || lineFulfillments.some((known) => known === value);

type Checks = readonly (readonly [name: string, check: (value: unknown) => boolean])[];

const lineChecks: Checks = Object.entries({
  id: isText,
  parent_line_item_id: isText,
  product_tax_code: isText,
  fulfillment: isFulfillment,
  quantity: isDecimal,
  unit_price: isPrice,
  discount_amount: isAmount,
  third_party_discount_amount: isAmount,
} satisfies Record<keyof SentLine, (value: unknown) => boolean>);
const chargeChecks: Checks = Object.entries({
  id: isText,
  product_tax_code: isText,
  amount: isDecimal,
  discount_amount: isAmount,
  line_item_ids: isTexts,
});

/** Whether the fields that shipping depends on have the types of the schema. */
const isRead = (fields: JsonObject | undefined, checks: Checks): boolean =>
  checks.every(([name, check]) => check(fields?.[name]));

/**
 * Returns the inputs of shipping in an unvalidated body with these line items and shipping charges. `null` if a field
 * has a different type, which the schema rejects.
 */
const sentDocument = (
  { type, tax_included, shipping }: JsonObject,
  sentLines: readonly (JsonObject | undefined)[],
  sentCharges: readonly { readonly charge: JsonObject | undefined }[],
): SentDocument | null => {
  const charges = isSent(shipping) ? sentCharges.map(({ charge }) => charge) : [];
  return isText(type) &&
    sentLines.every((line) => isRead(line, lineChecks)) &&
    charges.every((charge) => isRead(charge, chargeChecks))
    ? ({
        type,
        tax_included: tax_included === true,
        line_items: sentLines,
        shipping: Array.isArray(shipping) ? charges : charges[0],
      } as SentDocument)
    : null;
};

/**
 * Returns problems of a calculation's body apart from the format of its fields: contradicting fields, the date and the
 * addresses. They are returned together with the schema's problems.
 */
export const calculationProblems = (body: unknown, nowMs: number): Problem[] => [
  ...dateProblems(body, nowMs),
  ...addressProblems(body),
  ...crossFieldProblems(body),
];

const aheadMs = 31 * dayMs;

/** Rejects a tax date too far in the future for known content. */
export const dateProblems = (body: unknown, nowMs: number): Problem[] => {
  const taxDate = asObject(body)?.['tax_date'];
  if (typeof taxDate !== 'string' || !(Date.parse(taxDate) > nowMs + aheadMs)) return [];
  const detail = `Send a date at most 31 days in the future: ${toDay(nowMs + aheadMs)} or earlier.`;
  return [invalidField('/tax_date', detail)];
};

const holderProblems = (fields: JsonObject, path: string, holders = ['customer', 'ship_from']): Problem[] =>
  holders.flatMap((holder) => {
    const { success, data } = PostalAddress.safeParse(asObject(fields[holder])?.['address']);
    // An empty address counts as absent; the schema rejects an invalid address.
    if (!success || isEmptyAddress(data)) return [];
    const read = readAddress(data, `${path}/${holder}/address`);
    return read.ok ? [] : read.problems;
  });

/** Returns problems of addresses that cannot be resolved. A credit uses the addresses of its sale. */
export const addressProblems = (body: unknown): Problem[] => {
  const input = asObject(body);
  if (!input || (input['type'] === 'credit' && input['parent_transaction_id'])) return [];
  const lines = readLines(input['line_items']);
  return [
    ...holderProblems(input, ''),
    ...lines.flatMap((line, index) => (line ? holderProblems(line, `/line_items/${index}`) : [])),
    ...sentCharges(input).flatMap(({ charge, pointer }) =>
      charge ? holderProblems(charge, pointer, ['ship_to', 'ship_from']) : [],
    ),
  ];
};

/**
 * Returns problems between the fields of an unvalidated body. Fields that are invalid by themselves are skipped, so
 * these problems can be returned together with the schema's problems.
 */
export const crossFieldProblems = (body: unknown): Problem[] => {
  const input = asObject(body);
  if (!input) return [];
  const isCredit = input['type'] === 'credit';
  const hasParent = isCredit && isSent(input['parent_transaction_id']);
  const lines = readLines(input['line_items']);
  return [
    ...(!isSent(input['line_items']) && !hasParent ? [missingLines] : []),
    ...parentProblems(input, isCredit),
    ...benefitsProblems(input),
    ...duplicateIds(input, lines),
    // A credit's line takes missing fields from its parent's line. The use case checks the rest.
    ...(hasParent ? [] : [...missingPrices(lines), ...missingAddresses(input, lines), ...chargeProblems(input, lines)]),
  ];
};

type Line = JsonObject | undefined;

// The schema rejects lines that are not objects, and too many lines.
const readLines = (value: unknown): readonly Line[] =>
  Array.isArray(value) && value.length <= lineItemsMax ? value.map(asObject) : [];

const missingLines = requiredField('/line_items', lineItemsAdvice);

const parentProblems = (input: JsonObject, isCredit: boolean): Problem[] =>
  ['parent_transaction_id', 'credit_remaining']
    .filter((name) => isSent(input[name]) && input[name] !== false && !isCredit)
    .map((name) => {
      const detail = 'Only credits have this field. Send type "credit", or leave it out.';
      return invalidField(`/${name}`, detail);
    });

// SNAP benefits pay for eligible food, but never for a whole order with its deliveries and fees.
const benefitsProblems = (input: JsonObject): Problem[] => {
  if (asObject(asObject(input['customer'])?.['exemption'])?.['type'] !== 'snap') return [];
  const detail =
    'Send snap in customer.exemption of each line item that is paid with SNAP benefits: SNAP benefits never pay for deliveries and fees.';
  return [invalidField('/customer/exemption/type', detail)];
};

/** Returns the objects in `shipping`, one or a list, with their pointers. */
const sentCharges = ({ shipping }: JsonObject): readonly { readonly charge: Line; readonly pointer: string }[] =>
  Array.isArray(shipping)
    ? shipping
        .slice(0, shippingMax)
        .map((charge, index) => ({ charge: asObject(charge), pointer: shippingPointer(shipping, index) }))
    : [{ charge: asObject(shipping), pointer: '/shipping' }];

const duplicateIds = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  const seen = new Set<unknown>();
  const charges = [
    ...lines.map((line, index) => ({ id: line?.['id'], pointer: `/line_items/${index}` })),
    ...sentCharges(input).map(({ charge, pointer }) => ({ id: charge?.['id'], pointer })),
  ];
  return charges.flatMap(({ id, pointer }) => {
    const isRepeated = isSent(id) && seen.has(id);
    seen.add(id);
    const detail = 'Another line item or charge has this id: send each id once.';
    return isRepeated ? [invalidFormat(`${pointer}/id`, 'Duplicate id', detail)] : [];
  });
};

const missingPrices = (lines: readonly Line[]): Problem[] =>
  lines.flatMap((line, index) =>
    !line || isSent(line['unit_price'])
      ? []
      : [requiredField(`/line_items/${index}/unit_price`, 'Send unit_price, a decimal as a string.')],
  );

// The schema rejects a line, a customer or an address that is not an object, so a missing address is not reported again.
const hasAddress = (holder: Line): boolean => {
  if (!holder) return true;
  const customer = asObject(holder['customer']);
  if (!customer) return isSent(holder['customer']);
  const address = asObject(customer['address']);
  return address ? !isEmptyAddress(address) : isSent(customer['address']);
};

const missingAddresses = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  if (hasAddress(input)) return [];
  const roles = rolesIn(lines);
  // Charges and negative prices are taxed at the addresses of other line items.
  const isLocated = (line: Line, index: number) =>
    hasAddress(line) || line?.['fulfillment'] === 'pickup' || roles[index] === 'charge' || roles[index] === 'reduction';
  if (lines.every(isLocated)) return [];
  const detail =
    'Send customer.address, or an address on the customer of every line item: it determines which jurisdictions tax the sale.';
  return [requiredField('/customer/address', detail)];
};

const exponentOfInput = ({ currency }: JsonObject): number =>
  minorDigits(typeof currency === 'string' ? currency : 'USD');

/** Returns the problems of discounts, of shipping charges without line items, and of negative line items. */
const chargeProblems = (input: JsonObject, lines: readonly Line[]): readonly Problem[] => {
  const exponent = exponentOfInput(input);
  const charges = sentCharges(input);
  const document = lines.length > 0 ? sentDocument(input, lines, charges) : null;
  const reductions = document && listReductions(document, exponent);
  return [
    ...discountProblems(input, lines, charges, exponent, reductions?.ok ? reductions.value : null),
    ...(document ? [...feeProblems(document), ...deliveryProblems(document)] : []),
    ...(reductions && !reductions.ok ? reductions.problems : []),
  ];
};
