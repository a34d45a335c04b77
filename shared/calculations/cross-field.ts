import { isSent, type JsonObject, objectOf } from '../json.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, decimalPattern, multiply, rescale } from '../money/decimal.ts';
import type { Problem } from '../problem.ts';
import { invalidFormat } from './fields.ts';
import { lineItemsAdvice, lineItemsMax } from './request.ts';

/**
 * What is wrong between fields, of a body that may be anything: a field that is wrong by itself is skipped here, so that
 * both kinds of problem come together (interface decisions 9).
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
    // A credit's line takes what it does not say from its parent's line; the use case checks what is left.
    ...(hasParent
      ? []
      : [...missingPrices(lines), ...missingAddresses(input, lines), ...discountProblems(input, lines)]),
  ];
};

type Line = JsonObject | undefined;

// A line that is no object, or lines that are too many, are wrong by themselves.
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
      invalidFormat(`/${name}`, `Invalid ${name}`, 'Only a credit has it: send type "credit", or leave it out.'),
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

// A line or a customer that is no object is told of by the schema, without what it would have to hold.
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

/** What each line comes to before document-level discounts, or `undefined` where it cannot be known. */
const ownNet = (line: Line, exponent: number): bigint | undefined => {
  const { quantity, unit_price } = line ?? {};
  if (!isDecimal(quantity) || !isDecimal(unit_price)) return undefined;
  const amount = multiply(decimal(quantity), decimal(unit_price), exponent);
  return discounts.reduce((net, name) => net - amountOf(line?.[name], exponent), amount);
};

/** The refusal of a discount beyond what it is taken from. */
export const discountTooLarge = (pointer: string, name: string): Problem =>
  invalidFormat(
    pointer,
    `Invalid ${name}`,
    'Discounts together exceed the amount that they are taken from: lower one.',
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
