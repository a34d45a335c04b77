import { dayMs, dayOf } from '../calendar.ts';
import { readAddress } from '../content/location/address.ts';
import { PostalAddress } from '../content/location/postal-address.ts';
import { isSent, type JsonObject, objectOf } from '../json.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, decimalPattern, multiply, rescale } from '../money/decimal.ts';
import { invalidFormat, type Problem, requiredField } from '../problem.ts';
import { isEmptyAddress } from './locate-lines.ts';
import { lineItemsAdvice, lineItemsMax } from './request.ts';

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

const holders = ['customer', 'ship_from'] as const;

const holderProblems = (fields: JsonObject, path: string): Problem[] =>
  holders.flatMap((holder) => {
    const { success, data } = PostalAddress.safeParse(objectOf(fields[holder])?.['address']);
    // An empty origin is none; the schema refuses an address of the wrong shape.
    if (!success || (holder === 'ship_from' && isEmptyAddress(data))) return [];
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
    ...duplicateIds(lines),
    // A credit's line takes missing fields from its parent's line. The use case checks the rest.
    ...(hasParent
      ? []
      : [...missingPrices(lines), ...missingAddresses(input, lines), ...discountProblems(input, lines)]),
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

const duplicateIds = (lines: readonly Line[]): Problem[] => {
  const seen = new Set<unknown>();
  return lines.flatMap((line, index) => {
    const id = line?.['id'];
    if (!isSent(id) || !seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [
      invalidFormat(`/line_items/${index}/id`, 'Duplicate id', 'Another line item has this id: send each id once.'),
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
  hasAddress(input) || lines.every(hasAddress)
    ? []
    : [
        requiredField(
          '/customer/address',
          'Send customer.address, or an address on the customer of every line item: it decides who taxes.',
        ),
      ];

const discounts = ['discount_amount', 'third_party_discount_amount'] as const;

const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimalPattern.test(value);

const amountOf = (value: unknown, exponent: number): bigint =>
  isDecimal(value) ? rescale(decimal(value), exponent) : 0n;

/** The net of a line before document-level discounts, or `undefined` where its amounts are invalid. */
const ownNet = (line: Line, exponent: number): bigint | undefined => {
  const { quantity, unit_price } = line ?? {};
  if (!isDecimal(quantity) || !isDecimal(unit_price)) return undefined;
  const amount = multiply(decimal(quantity), decimal(unit_price), exponent);
  return discounts.reduce((net, name) => net - amountOf(line?.[name], exponent), amount);
};

/** The refusal of discounts above the amount that they apply to. */
export const discountTooLarge = (pointer: string, name: string): Problem =>
  invalidFormat(
    pointer,
    `Invalid ${name}`,
    'The discounts exceed the amount that they apply to. Send lower discounts.',
  );

const discountProblems = (input: JsonObject, lines: readonly Line[]): Problem[] => {
  const exponent = exponentOf(typeof input['currency'] === 'string' ? input['currency'] : 'USD');
  const nets = lines.map((line) => ownNet(line, exponent));
  const problems = nets.flatMap((net, index) => {
    const name = discounts.findLast((field) => isSent(lines[index]?.[field]));
    return net !== undefined && net < 0n && name ? [discountTooLarge(`/line_items/${index}/${name}`, name)] : [];
  });
  if (problems.length > 0 || nets.length === 0 || nets.includes(undefined)) return problems;
  const left = discounts.reduce(
    (net, name) => net - amountOf(input[name], exponent),
    nets.reduce<bigint>((sum, net) => sum + (net ?? 0n), 0n),
  );
  const name = discounts.findLast((field) => isSent(input[field]));
  return left < 0n && name ? [discountTooLarge(`/${name}`, name)] : [];
};
