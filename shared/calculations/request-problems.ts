import { dayMs, dayOf } from '../calendar.ts';
import { readAddress } from '../content/location/address.ts';
import { PostalAddress } from '../content/location/postal-address.ts';
import { isSent, type JsonObject, objectOf } from '../json.ts';
import { exponentOf, formatAmount } from '../money/currency.ts';
import { decimal, decimalPattern, multiply, rescale, signedDecimalPattern } from '../money/decimal.ts';
import { invalidFormat, type Problem, requiredField } from '../problem.ts';
import { deliveryProblems, pricedOf, rolesOf, type SentDocument } from './deliveries.ts';
import { pricedFeeProblems } from './delivery-fees.ts';
import { isEmptyAddress } from './locate-lines.ts';
import { reductionsOf } from './reductions.ts';
import { lineItemsAdvice, lineItemsMax, shippingMax } from './request.ts';
import { shippingPointer } from './shipping-list.ts';

/**
 * Problems of a calculation's body besides the format of its fields: between fields, of its date and of its addresses. They
 * are returned together with the schema's problems.
 */
export const calculationProblems = (body: unknown, nowMs: number): Problem[] => [
  ...dateProblems(body, nowMs),
  ...addressProblems(body),
  ...crossFieldProblems(body),
];

const aheadMs = 31 * dayMs;

/** A tax date too far in the future for known content. */
export const dateProblems = (body: unknown, nowMs: number): Problem[] => {
  const taxDate = objectOf(body)?.['tax_date'];
  return typeof taxDate === 'string' && Date.parse(taxDate) > nowMs + aheadMs
    ? [
        invalidFormat(
          '/tax_date',
          'Invalid tax_date',
          `Send a date at most 31 days in the future: ${dayOf(nowMs + aheadMs)} or earlier.`,
        ),
      ]
    : [];
};

const holderProblems = (fields: JsonObject, path: string, holders = ['customer', 'ship_from']): Problem[] =>
  holders.flatMap((holder) => {
    const { success, data } = PostalAddress.safeParse(objectOf(fields[holder])?.['address']);
    // An empty origin is none; the schema refuses an address of the wrong shape.
    if (!success || (holder !== 'customer' && isEmptyAddress(data))) return [];
    const read = readAddress(data, `${path}/${holder}/address`);
    return read.ok ? [] : read.problems;
  });

/** Problems of addresses that cannot be resolved. A credit of a sale takes the sale's addresses. */
export const addressProblems = (body: unknown): Problem[] => {
  const input = objectOf(body);
  if (!input || (input['type'] === 'credit' && input['parent_transaction_id'])) return [];
  const lines = linesOf(input['line_items']);
  return [
    ...holderProblems(input, ''),
    ...lines.flatMap((line, index) => (line ? holderProblems(line, `/line_items/${index}`) : [])),
    ...chargesOf(input).flatMap(({ charge, pointer }) =>
      charge ? holderProblems(charge, pointer, ['ship_to', 'ship_from']) : [],
    ),
  ];
};

/**
 * Problems between the fields of an unvalidated body. Fields that are invalid by themselves are skipped, so that the schema's
 * problems and these can be returned together.
 */
export const crossFieldProblems = (body: unknown): Problem[] => {
  const input = objectOf(body);
  if (!input) return [];
  const isCredit = input['type'] === 'credit';
  const hasParent = isCredit && isSent(input['parent_transaction_id']);
  const lines = linesOf(input['line_items']);
  return [
    ...(!isSent(input['line_items']) && !hasParent ? [missingLines] : []),
    ...parentProblems(input, isCredit),
    ...benefitsProblems(input),
    ...duplicateIds(input, lines),
    // A credit's line takes missing fields from its parent's line. The use case checks the rest.
    ...(hasParent
      ? []
      : [
          ...missingPrices(lines),
          ...missingAddresses(input, lines),
          ...discountProblems(input, lines),
          ...chargeProblems(input, lines),
        ]),
  ];
};

type Line = JsonObject | undefined;

// The schema refuses lines that are not objects, and too many lines.
const linesOf = (value: unknown): readonly Line[] =>
  Array.isArray(value) && value.length <= lineItemsMax ? value.map(objectOf) : [];

const missingLines = requiredField('/line_items', lineItemsAdvice);

const parentProblems = (input: JsonObject, isCredit: boolean): Problem[] =>
  ['parent_transaction_id', 'credit_remaining']
    .filter((name) => isSent(input[name]) && input[name] !== false && !isCredit)
    .map((name) =>
      invalidFormat(
        `/${name}`,
        `Invalid ${name}`,
        'Only credits have this field. Send type "credit", or leave it out.',
      ),
    );

// Benefits pay for eligible food, never for a whole order with its deliveries and fees.
const benefitsProblems = (input: JsonObject): Problem[] =>
  objectOf(objectOf(input['customer'])?.['exemption'])?.['type'] === 'snap'
    ? [
        invalidFormat(
          '/customer/exemption/type',
          'Invalid type',
          'Send snap in customer.exemption of each line item that is paid with SNAP benefits: they never pay for deliveries and fees.',
        ),
      ]
    : [];

/** The objects in `shipping`, one or a list, with their pointers. */
const chargesOf = ({ shipping }: JsonObject): readonly { readonly charge: Line; readonly pointer: string }[] =>
  Array.isArray(shipping)
    ? shipping.slice(0, shippingMax).map((charge, index) => ({
        charge: objectOf(charge),
        pointer: shippingPointer(shipping, index),
      }))
    : [{ charge: objectOf(shipping), pointer: '/shipping' }];

const duplicateIds = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  const seen = new Set<unknown>();
  const charges = [
    ...lines.map((line, index) => ({ id: line?.['id'], pointer: `/line_items/${index}` })),
    ...chargesOf(input).map(({ charge, pointer }) => ({ id: charge?.['id'], pointer })),
  ];
  return charges.flatMap(({ id, pointer }) => {
    if (!isSent(id) || !seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [
      invalidFormat(`${pointer}/id`, 'Duplicate id', 'Another line item or charge has this id: send each id once.'),
    ];
  });
};

const missingPrices = (lines: readonly Line[]): Problem[] =>
  lines.flatMap((line, index) =>
    !line || isSent(line['unit_price'])
      ? []
      : [requiredField(`/line_items/${index}/unit_price`, 'Send unit_price, a decimal as a string.')],
  );

// The schema refuses a line or a customer that is not an object, so a missing address is not reported too.
const hasAddress = (holder: Line) => {
  const customer = holder?.['customer'];
  return !holder || (objectOf(customer) ? isSent(objectOf(customer)?.['address']) : isSent(customer));
};

const missingAddresses = (input: JsonObject, lines: readonly Line[]): Problem[] =>
  hasAddress(input) || lines.every((line) => hasAddress(line) || line?.['fulfillment'] === 'pickup')
    ? []
    : [
        requiredField(
          '/customer/address',
          'Send customer.address, or an address on the customer of every line item: it decides who taxes.',
        ),
      ];

const discounts = ['discount_amount', 'third_party_discount_amount'] as const;

const isPrice = (value: unknown): value is string => typeof value === 'string' && signedDecimalPattern.test(value);

const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimalPattern.test(value);

const amountOf = (value: unknown, exponent: number): bigint =>
  isDecimal(value) ? rescale(decimal(value), exponent) : 0n;

/** The amount of a line before discounts, or `undefined` where its price or quantity is invalid. */
const amountOfLine = (line: Line, exponent: number): bigint | undefined => {
  const { quantity, unit_price } = line ?? {};
  return isDecimal(quantity) && isPrice(unit_price)
    ? multiply(decimal(quantity), decimal(unit_price), exponent)
    : undefined;
};

/** The refusal of discounts above the amount that they apply to, which is `what`. */
export const discountTooLarge = (pointer: string, name: string, what = 'the amount that they apply to'): Problem =>
  invalidFormat(pointer, `Invalid ${name}`, `The discounts exceed ${what}. Send lower discounts.`);

/** A line or a shipping charge before discounts. */
type Discounted = { readonly fields: Line; readonly pointer: string; readonly amount: bigint | undefined };

/** What is left of a line or a charge after its own discounts. */
const ownNet = ({ fields, amount }: Discounted, exponent: number): bigint | undefined =>
  amount === undefined ? undefined : discounts.reduce((net, name) => net - amountOf(fields?.[name], exponent), amount);

const exponentOfInput = ({ currency }: JsonObject): number =>
  exponentOf(typeof currency === 'string' ? currency : 'USD');

const discountProblems = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  const exponent = exponentOfInput(input);
  const items = lines.map(
    (line, index): Discounted => ({
      fields: line,
      pointer: `/line_items/${index}`,
      amount: amountOfLine(line, exponent),
    }),
  );
  const charges = chargesOf(input).map(
    ({ charge, pointer }): Discounted => ({
      fields: charge,
      pointer,
      amount: amountOf(charge?.['amount'], exponent),
    }),
  );
  const problems = [...items, ...charges].flatMap((one) => {
    const net = ownNet(one, exponent);
    const name = discounts.findLast((field) => isSent(one.fields?.[field]));
    return net !== undefined && net < 0n && name && (one.amount ?? 0n) >= 0n
      ? [discountTooLarge(`${one.pointer}/${name}`, name)]
      : [];
  });
  return problems.length > 0 ? problems : documentDiscountProblems(input, items, charges, exponent);
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Whether each line item is goods or reduces them, and so counts for a discount of the document. */
const areCounted = (items: readonly Discounted[]): readonly boolean[] =>
  rolesOf(
    items.map(({ fields }) =>
      pricedOf({
        product_tax_code: textOf(fields?.['product_tax_code']),
        unit_price: textOf(fields?.['unit_price']),
      }),
    ),
  ).map((role) => role === 'goods' || role === 'reduction');

/** The discounts of a document apply to goods, and only `discount_amount` can also apply to shipping. */
const documentDiscountProblems = (
  input: JsonObject,
  items: readonly Discounted[],
  charges: readonly Discounted[],
  exponent: number,
): Problem[] => {
  const counted = areCounted(items);
  const sold = items.filter((_, index) => counted[index]);
  const nets = sold.map((item) => ownNet(item, exponent));
  const name = discounts.findLast((field) => isSent(input[field]));
  if (!name || nets.length === 0 || nets.includes(undefined)) return [];
  const sum = (amounts: readonly (bigint | undefined)[]) => amounts.reduce<bigint>((all, one) => all + (one ?? 0n), 0n);
  const [seller, thirdParty] = discounts.map((field) => amountOf(input[field], exponent)) as [bigint, bigint];
  const shipping = [...items.filter((item) => !sold.includes(item)), ...charges].map((one) => ownNet(one, exponent));
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

const isText = (value: unknown): value is string | null | undefined => !isSent(value) || typeof value === 'string';

/** The document, if the fields that shipping depends on have the right types: the schema refuses others. */
const sentDocument = (input: JsonObject, lines: readonly Line[]): SentDocument | null => {
  const charges = isSent(input['shipping']) ? chargesOf(input).map(({ charge }) => charge) : [];
  const areRead =
    lines.every(
      (line) =>
        line &&
        ['id', 'parent_line_item_id', 'product_tax_code', 'fulfillment'].every((name) => isText(line[name])) &&
        isDecimal(line['quantity']) &&
        isPrice(line['unit_price']) &&
        discounts.every((name) => !isSent(line[name]) || isDecimal(line[name])),
    ) &&
    charges.every((charge) => {
      const ids = charge?.['line_item_ids'];
      const areIds = !isSent(ids) || (Array.isArray(ids) && ids.every((id) => typeof id === 'string'));
      const isDiscount = !isSent(charge?.['discount_amount']) || isDecimal(charge?.['discount_amount']);
      return charge && areIds && isDiscount && isText(charge['id']) && isDecimal(charge['amount']);
    });
  return areRead ? (input as SentDocument) : null;
};

/** The problems of shipping charges without line items, and of line items with a negative price. */
const chargeProblems = (input: JsonObject, lines: readonly Line[]): readonly Problem[] => {
  const document = lines.length > 0 ? sentDocument(input, lines) : null;
  if (!document) return [];
  const reductions = reductionsOf(document, exponentOfInput(input));
  return [...pricedFeeProblems(document), ...deliveryProblems(document), ...(reductions.ok ? [] : reductions.problems)];
};
