import { isSent, type JsonObject, objectOf } from '../json.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, decimalPattern, multiply, rescale } from '../money/decimal.ts';
import type { Problem } from '../problem.ts';
import { invalidFormat } from './fields.ts';
import { lineItemsAdvice, lineItemsMax } from './request.ts';

/**
 * Problems between the fields of an unvalidated body. Fields that are invalid by themselves are skipped, so that the schema's
 * problems and these can be returned together (interface decisions 9).
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
export const linesOf = (value: unknown): readonly Line[] =>
  Array.isArray(value) && value.length <= lineItemsMax ? value.map(objectOf) : [];

const required = (pointer: string, name: string, detail: string): Problem => ({
  code: 'validation_required_field',
  title: `Missing field ${name}`,
  detail,
  source: { pointer },
});

const missingLines = required('/line_items', 'line_items', lineItemsAdvice);

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
      : [required(`/line_items/${index}/unit_price`, 'unit_price', 'Send unit_price, a decimal as a string.')],
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
        required(
          '/customer/address',
          'address',
          'Send customer.address, or an address on the customer of every line item: it decides who taxes.',
        ),
      ];

const discounts = ['discount_amount', 'third_party_discount_amount'] as const;

const amountOf = (value: unknown, exponent: number): bigint =>
  typeof value === 'string' && decimalPattern.test(value) ? rescale(decimal(value), exponent) : 0n;

const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimalPattern.test(value);

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
