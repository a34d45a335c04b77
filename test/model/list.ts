import { type Body, type Book, type Cursor, viewOf } from './book.ts';
import { inZone, wallMs } from './money.ts';

export type Filters = Readonly<Record<string, string>>;

const dayMs = 86_400_000;
const bounds = ['gte', 'gt', 'lte', 'lt'] as const;

/** Returns whether a timestamp is within a bound; a bound that is a day means the whole day. */
const isWithin = (at: number, bound: (typeof bounds)[number], text: string): boolean => {
  const from = wallMs(text);
  const to = text.length === 10 ? from + dayMs - 1 : from;
  return { gte: at >= from, gt: at > to, lte: at <= to, lt: at < from }[bound];
};

const isInRange = (filters: Filters, name: string, at: number, timeZone = 'UTC'): boolean =>
  bounds.every((bound) => {
    const text = filters[`${name}[${bound}]`];
    return text === undefined || isWithin(at, bound, inZone(text, timeZone));
  });

const byField: Readonly<Record<string, (body: Body) => unknown>> = {
  status: ({ status }) => status,
  type: ({ type }) => type,
  reference_id: ({ reference_id }) => reference_id,
  parent_transaction_id: ({ parent_transaction_id }) => parent_transaction_id,
  customer_id: ({ customer }) => customer?.id,
};

const isKept = (body: Body, filters: Filters, timeZone: string): boolean =>
  Object.entries(byField).every(([name, read]) => filters[name] === undefined || read(body) === filters[name]) &&
  isInRange(filters, 'tax_date', wallMs(body.tax_date), timeZone) &&
  isInRange(filters, 'created_at', Date.parse(body.created_at));

/** Newest first: by tax date with a filter on it, otherwise by creation. */
const isBefore = (left: Body, right: Body, filters: Filters): boolean => {
  const isByTaxDate = bounds.some((bound) => filters[`tax_date[${bound}]`] !== undefined);
  const difference = isByTaxDate ? wallMs(left.tax_date) - wallMs(right.tax_date) : 0;
  return difference === 0 ? left.id > right.id : difference > 0;
};

/** The expected rows of a list after a position, in order. */
export const expectedRows = (book: Book, filters: Filters, after: Cursor['at'] | null, nowMs: number): Body[] =>
  [...book.entries.values()]
    .map((entry) => viewOf(entry, nowMs))
    .filter((body) => isKept(body, filters, book.timeZone))
    .filter((body) => after === null || isBefore(after, body, filters))
    .sort((left, right) => (isBefore(left, right, filters) ? -1 : 1));
