import { dayMs } from '../calendar.ts';
import { readAddress } from '../content/location/address.ts';
import { PostalAddress } from '../content/location/postal-address.ts';
import { type JsonObject, objectOf } from '../json.ts';
import type { Problem } from '../problem.ts';
import { crossFieldProblems, linesOf } from './cross-field.ts';
import { invalidFormat } from './fields.ts';

/**
 * What is wrong with a calculation's body beyond the format of its fields: between them, with its date, with its
 * addresses. All of it comes together with the schema's own problems (interface decisions 9).
 */
export const calculationProblems = (body: unknown, nowMs: number): Problem[] => [
  ...dateProblems(body, nowMs),
  ...addressProblems(body),
  ...crossFieldProblems(body),
];

const aheadMs = 31 * dayMs;

/** A tax date further ahead than content is known. */
export const dateProblems = (body: unknown, nowMs: number): Problem[] => {
  const taxDate = objectOf(body)?.['tax_date'];
  return typeof taxDate === 'string' && Date.parse(taxDate) > nowMs + aheadMs
    ? [
        invalidFormat(
          '/tax_date',
          'Invalid tax_date',
          'Send a date at most 31 days ahead: content beyond is not known.',
        ),
      ]
    : [];
};

const holders = ['customer', 'ship_from'] as const;

const isEmpty = (address: PostalAddress) => Object.values(address).every((value) => !value);

const holderProblems = (fields: JsonObject, path: string): Problem[] =>
  holders.flatMap((holder) => {
    const { success, data } = PostalAddress.safeParse(objectOf(fields[holder])?.['address']);
    // An empty origin is none; an address that is wrong by itself is the schema's to tell.
    if (!success || (holder === 'ship_from' && isEmpty(data))) return [];
    const read = readAddress(data, `${path}/${holder}/address`);
    return read.ok ? [] : read.problems;
  });

/** Addresses that cannot be resolved, of the document and of its lines. A credit of a sale takes the sale's. */
export const addressProblems = (body: unknown): Problem[] => {
  const input = objectOf(body);
  if (!input || (input['type'] === 'credit' && input['parent_transaction_id'])) return [];
  const lines = linesOf(input['line_items']);
  return [
    ...holderProblems(input, ''),
    ...lines.flatMap((line, index) => (line ? holderProblems(line, `/line_items/${index}`) : [])),
  ];
};
