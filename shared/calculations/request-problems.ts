import { dayMs, toDay } from '../base/calendar.ts';
import { asObject, isSent, type JsonObject } from '../base/json.ts';
import { invalidFormat, type Problem, requiredField } from '../base/problem.ts';
import { PostalAddress, readAddress } from '../catalog/location/address.ts';
import { minorDigits } from '../money/currency.ts';
import { isDecimal, isPrice, shippingPointer } from './charges.ts';
import { deliveryProblems, type SentCharge, type SentDocument, type SentLine } from './deliveries.ts';
import { pricedFeeProblems } from './delivery-fees.ts';
import { discountProblems } from './discount-problems.ts';
import { isEmptyAddress } from './locate-lines.ts';
import { listReductions } from './reductions.ts';
import { lineFulfillments, lineItemsAdvice, lineItemsMax, shippingMax } from './request.ts';

type Absent = null | undefined;

const isText = (value: unknown): value is string | Absent => !isSent(value) || typeof value === 'string';

const isAmount = (value: unknown): value is string | Absent => !isSent(value) || isDecimal(value);

const isTexts = (value: unknown): value is string[] | Absent =>
  !isSent(value) || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

const isFulfillment = (value: unknown): value is (typeof lineFulfillments)[number] | Absent =>
  !isSent(value) || lineFulfillments.some((known) => known === value);

const lineFrom = (line: JsonObject | undefined): SentLine | null => {
  const { id, parent_line_item_id, product_tax_code, fulfillment, quantity, unit_price } = line ?? {};
  const { discount_amount, third_party_discount_amount } = line ?? {};
  return isText(id) &&
    isText(parent_line_item_id) &&
    isText(product_tax_code) &&
    isFulfillment(fulfillment) &&
    isDecimal(quantity) &&
    isPrice(unit_price) &&
    isAmount(discount_amount) &&
    isAmount(third_party_discount_amount)
    ? {
        id,
        parent_line_item_id,
        product_tax_code,
        fulfillment,
        quantity,
        unit_price,
        discount_amount,
        third_party_discount_amount,
      }
    : null;
};

const chargeFrom = (charge: JsonObject | undefined): SentCharge | null => {
  const { id, amount, discount_amount, line_item_ids } = charge ?? {};
  return isText(id) && isDecimal(amount) && isAmount(discount_amount) && isTexts(line_item_ids)
    ? { id, amount, discount_amount, line_item_ids }
    : null;
};

const isRead = <Value>(value: Value | null): value is Value => value !== null;

/**
 * The inputs of shipping in an unvalidated body with these line items and shipping charges. `null` where a field has
 * another type: the schema refuses it.
 */
export const sentDocument = (
  { type, tax_included, shipping }: JsonObject,
  sentLines: readonly (JsonObject | undefined)[],
  sentCharges: readonly { readonly charge: JsonObject | undefined }[],
): SentDocument | null => {
  const lines = sentLines.map(lineFrom);
  const charges = isSent(shipping) ? sentCharges.map(({ charge }) => chargeFrom(charge)) : [];
  return isText(type) && lines.every(isRead) && charges.every(isRead)
    ? {
        type,
        tax_included: tax_included === true,
        line_items: lines,
        shipping: Array.isArray(shipping) ? charges : charges[0],
      }
    : null;
};

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
  const taxDate = asObject(body)?.['tax_date'];
  return typeof taxDate === 'string' && Date.parse(taxDate) > nowMs + aheadMs
    ? [
        invalidFormat(
          '/tax_date',
          'Invalid tax_date',
          `Send a date at most 31 days in the future: ${toDay(nowMs + aheadMs)} or earlier.`,
        ),
      ]
    : [];
};

const holderProblems = (fields: JsonObject, path: string, holders = ['customer', 'ship_from']): Problem[] =>
  holders.flatMap((holder) => {
    const { success, data } = PostalAddress.safeParse(asObject(fields[holder])?.['address']);
    // An empty origin is none; the schema refuses an address of the wrong shape.
    if (!success || (holder !== 'customer' && isEmptyAddress(data))) return [];
    const read = readAddress(data, `${path}/${holder}/address`);
    return read.ok ? [] : read.problems;
  });

/** Problems of addresses that cannot be resolved. A credit of a sale takes the sale's addresses. */
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
 * Problems between the fields of an unvalidated body. Fields that are invalid by themselves are skipped, so that the
 * schema's problems and these can be returned together.
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

// The schema refuses lines that are not objects, and too many lines.
const readLines = (value: unknown): readonly Line[] =>
  Array.isArray(value) && value.length <= lineItemsMax ? value.map(asObject) : [];

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
  asObject(asObject(input['customer'])?.['exemption'])?.['type'] === 'snap'
    ? [
        invalidFormat(
          '/customer/exemption/type',
          'Invalid type',
          'Send snap in customer.exemption of each line item that is paid with SNAP benefits: they never pay for deliveries and fees.',
        ),
      ]
    : [];

/** The objects in `shipping`, one or a list, with their pointers. */
const sentCharges = ({ shipping }: JsonObject): readonly { readonly charge: Line; readonly pointer: string }[] =>
  Array.isArray(shipping)
    ? shipping.slice(0, shippingMax).map((charge, index) => ({
        charge: asObject(charge),
        pointer: shippingPointer(shipping, index),
      }))
    : [{ charge: asObject(shipping), pointer: '/shipping' }];

const duplicateIds = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  const seen = new Set<unknown>();
  const charges = [
    ...lines.map((line, index) => ({ id: line?.['id'], pointer: `/line_items/${index}` })),
    ...sentCharges(input).map(({ charge, pointer }) => ({ id: charge?.['id'], pointer })),
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

// The schema refuses a line or a customer that is not an object, so a missing address is not reported again.
const hasAddress = (holder: Line) => {
  const customer = holder?.['customer'];
  return !holder || (asObject(customer) ? isSent(asObject(customer)?.['address']) : isSent(customer));
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

const exponentOfInput = ({ currency }: JsonObject): number =>
  minorDigits(typeof currency === 'string' ? currency : 'USD');

/** The problems of discounts, of shipping charges without line items, and of line items with a negative price. */
const chargeProblems = (input: JsonObject, lines: readonly Line[]): readonly Problem[] => {
  const exponent = exponentOfInput(input);
  const charges = sentCharges(input);
  const document = lines.length > 0 ? sentDocument(input, lines, charges) : null;
  const reductions = document && listReductions(document, exponent);
  return [
    ...discountProblems(input, lines, charges, exponent, reductions?.ok ? reductions.value : null),
    ...(document ? [...pricedFeeProblems(document), ...deliveryProblems(document)] : []),
    ...(reductions && !reductions.ok ? reductions.problems : []),
  ];
};
