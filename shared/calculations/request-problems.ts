import { dayMs } from '../calendar.ts';
import { readAddress } from '../content/location/address.ts';
import { PostalAddress } from '../content/location/postal-address.ts';
import { type JsonObject, objectOf } from '../json.ts';
import type { Problem } from '../problem.ts';
import { crossFieldProblems, linesOf } from './cross-field.ts';
import { invalidFormat } from './fields.ts';

/**
 * Problems of a calculation's body besides the format of its fields: between fields, of its date and of its addresses. They
 * are returned together with the schema's problems (interface decisions 9).
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
    ? [invalidFormat('/tax_date', 'Invalid tax_date', 'Send a date at most 31 days in the future.')]
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
